"""Saving fitted results to a file and loading them again."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

from nproc.bands import NPROCBand
from nproc.errors import InvalidInputError, NPWarning
from nproc.estimator import NPClassifier
from nproc.fitted import NPFit
from nproc.umbrella import package_versions

FORMAT = "nproc-py model"


def save(result, path):
    """Write a fitted classifier or band to a file.

    Parameters
    ----------
    result : NPFit, NPClassifier or NPROCBand
        What to keep. Left-out scores are kept, training rows only as far as the scorer itself keeps them.
    path : str or path
        File to write, usually ending in ``.joblib``; it is replaced whole, never left half-written.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInputError
        If `result` is something else, or its scorer cannot be pickled (a lambda, say).

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
    import pickle

    import joblib

    if not isinstance(result, NPFit | NPClassifier | NPROCBand):
        raise InvalidInputError(f"save takes an NPFit, NPClassifier or NPROCBand, got {type(result).__name__}.")
    path = Path(path)
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        joblib.dump({"format": FORMAT, "versions": package_versions(), "result": result}, part, compress=3)
        os.replace(part, path)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInputError(
            f"the scorer cannot be saved ({error}); use an object or a function defined in a module, not a lambda."
        ) from error
    finally:
        Path(part).unlink(missing_ok=True)
    return path


def load(path):
    """Return what `save` wrote.

    Parameters
    ----------
    path : str or path
        File to read. It is a pickle: load only files that you trust, since a pickle can run code.

    Returns
    -------
    NPFit, NPClassifier or NPROCBand

    Raises
    ------
    InvalidInputError
        If the file was not written by `save`.

    Warns
    -----
    NPWarning
        If the file was made with other versions of this package, numpy, scipy, scikit-learn or statsmodels.
    """
    import joblib

    content = joblib.load(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidInputError(f"{path} is not a model file of this package; it should come from save().")
    now = package_versions()
    changed = [f"{k} {v} (now {now.get(k)})" for k, v in content["versions"].items() if now.get(k) != v]
    if changed:
        warnings.warn(
            f"{path} was made with other versions: {', '.join(changed)}. Predictions may differ; fit again if you can.",
            NPWarning,
            stacklevel=2,
        )
    return content["result"]
