"""Saving fitted results to a file and loading them again."""

from __future__ import annotations

import json
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from nproc.bands import NPROCBand
from nproc.checks import check_path
from nproc.comparison.procedure_result import ProcedureComparison
from nproc.comparison.result import Comparison
from nproc.errors import InvalidInputError, NPWarning
from nproc.estimator import NPClassifier
from nproc.fitted import NPFit
from nproc.multiclass.cost_estimator import NPCSClassifier
from nproc.multiclass.cost_result import NPCSFit
from nproc.multiclass.estimator import NPMultiClassifier
from nproc.multiclass.result import NPMultiFit
from nproc.outputs import replaced_file
from nproc.safe_files import SAFE, read_skops, write_skops
from nproc.umbrella import package_versions
from nproc.warning_place import warn_at_call

# The first line of a file: this mark, then the versions as JSON. What follows is a joblib pickle.
MARK = b"nproc-py model 1 "
ESTIMATORS = (NPClassifier, NPMultiClassifier, NPCSClassifier)
KINDS = (
    NPFit,
    NPClassifier,
    NPROCBand,
    NPMultiFit,
    NPMultiClassifier,
    NPCSFit,
    NPCSClassifier,
    Comparison,
    ProcedureComparison,
)
_LISTED = ", ".join(kind.__name__ for kind in KINDS[:-1]) + f" or {KINDS[-1].__name__}"


def save(result, path):
    """Write a fitted classifier, a band or a comparison to a file.

    Parameters
    ----------
    result : result of a fit or a comparison
        An object of one of the classes in `KINDS`, such as NPFit, NPClassifier, NPROCBand or NPMultiFit.
        Left-out scores are kept, training rows only as far as the scorer itself keeps them.
    path : str or path
        File to write; it is replaced whole, never left half-written, and keeps its permissions. One that ends in
        ``.skops`` holds no pickle, so that others can load it without trusting you; it takes the package skops. Any
        other ending, usually ``.joblib``, gives a joblib pickle.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInputError
        If `result` is something else or not fitted, its scorer cannot be saved in this format (a lambda in any; a
        formula, whose terms are Python code, in ``.skops``), a ``.skops`` file could not give back some part, such as
        labels that are pandas Timestamps, skops is missing, there is no such folder, or the disk is full.

    See Also
    --------
    load : the way back.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> band = NPROCBand.from_scores(rng.normal(size=100), rng.normal(2, 1, size=100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(band, f"{folder}/band.joblib")).n0_left_out
    100
    """
    if not isinstance(result, KINDS):
        alone = " Keep a trained model alone with joblib.dump(model, path)." if hasattr(result, "fit") else ""
        raise InvalidInputError(f"save takes an {_LISTED}, got {type(result).__name__}.{alone}")
    if isinstance(result, ESTIMATORS) and not hasattr(result, "fit_"):
        raise InvalidInputError(f"save takes a fitted {type(result).__name__}, and this one is not; call fit first.")
    write = _write_safe if _is_safe(path) else _write_joblib
    with replaced_file(path) as part:
        write(result, part)
    return Path(path)


def load(path, *, trusted=None):
    """Return what `save` wrote.

    Parameters
    ----------
    path : str or path
        File to read. One that ends in ``.skops`` is loaded without running code from it. Any other holds a pickle: load
        only files that you trust, since a pickle can run code. A file without the mark that `save` writes is refused
        unread.
    trusted : list of str, optional
        For ``.skops``: names of further types that the file may hold, as the error lists them. This package's own, and
        most of numpy's and scikit-learn's, need no mention. What a type of yours holds is not checked.

    Returns
    -------
    object of one of the classes in `KINDS`

    Raises
    ------
    InvalidInputError
        If the file was not written by `save`, is damaged, needs a module that is not there, or holds types that are not
        trusted.
    OSError
        If there is no such file, or it cannot be read.

    Warns
    -----
    NPWarning
        If the file was made with other versions of this package, numpy, scipy, scikit-learn or statsmodels.

    Notes
    -----
    Trees ("tree", "randomforest", "ada", "gradientboosting"), neighbours ("knn"), clusters and sparse training rows
    require `trusted`: their numbers tell compiled code where to read, so that a crafted file may crash Python. Trust
    files of your own. Support vector machines, networks and tables of categories are checked instead.
    """
    if _is_safe(path):
        result = read_skops(path, trusted, partial(_warn_versions, path))
    elif trusted is not None:
        raise InvalidInputError(f"trusted is for files that end in {SAFE}; {path} is a pickle, which is all or none.")
    else:
        result = _read_joblib(path)
    if not isinstance(result, KINDS):
        raise InvalidInputError(f"{path} holds a {type(result).__name__}, no {_LISTED}.")
    if isinstance(result, NPFit):
        _check_fit(result, path)
    return result


def _check_fit(fit, path):
    """Refuse a fit without two labels, or with a split without left-out scores."""
    labels, scores0 = fit.labels, fit.scores0
    two = isinstance(labels, np.ndarray) and labels.shape == (2,) and labels[0] != labels[1]
    if not two or not scores0 or any(np.size(part) == 0 for split in scores0 for part in _parts_of(split)):
        raise InvalidInputError(f"{path} is damaged (its labels or scores cannot be right); save the model again.")


def _parts_of(scores0):
    return scores0 if isinstance(scores0, tuple) else (scores0,)


def _is_safe(path):
    return check_path(path, "path").suffix.lower() == SAFE


def _write_joblib(result, part):
    import pickle

    import joblib

    try:
        with open(part, "wb") as file:
            file.write(MARK + json.dumps(package_versions()).encode("ascii") + b"\n")
            joblib.dump(result, file, compress=3)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInputError(
            f"the scorer cannot be saved ({error}); use an object or a function defined in a module, not a lambda."
        ) from error


def _read_joblib(path):
    import pickle

    import joblib

    with open(path, "rb") as file:
        if file.read(len(MARK)) != MARK:
            raise InvalidInputError(
                f"{path} is not a model file of this package; it should come from nproc.save or --out."
            )
        try:
            _warn_versions(path, json.loads(file.readline()))
            return joblib.load(file)
        except (EOFError, zlib.error, pickle.UnpicklingError, ValueError, LookupError) as error:
            raise InvalidInputError(f"{path} is damaged ({error}); save the model again.") from error
        except (ImportError, AttributeError) as error:
            raise InvalidInputError(
                f"{path} needs something that is not here ({error}): its scorer was defined in a script or in a "
                "package that is missing or has another version."
            ) from error


def _write_safe(result, part):
    for design in _designs(result):
        if design is not None and design.formula is not None:
            raise InvalidInputError(
                f"a fit by a formula ({design.formula!r}) cannot be saved as {SAFE}: its terms are Python code, run at "
                "predict. Save it as .joblib, or fit again with coded columns as X, or with a pipeline that codes them."
            )
    write_skops(result, part, package_versions())


def _designs(result):
    """Return the designs of the fits that a result holds."""
    if isinstance(result, ProcedureComparison):
        return []
    if isinstance(result, Comparison | NPROCBand):
        bands = result.bands if isinstance(result, Comparison) else [result]
        return [band.subject.design for band in bands if band.subject is not None]
    return [result.fit_.design if isinstance(result, ESTIMATORS) else result.design]


def _warn_versions(path, versions):
    if not isinstance(versions, dict):
        raise ValueError("the versions are not a table")
    now = package_versions()
    changed = [f"{name} {made} (now {now.get(name)})" for name, made in versions.items() if now.get(name) != made]
    if changed:
        warn_at_call(
            f"{path} was made with other versions: {', '.join(changed)}. Predictions may differ; fit again if you can.",
            NPWarning,
        )
