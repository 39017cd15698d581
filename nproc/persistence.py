"""Saving fitted results to a file and loading them again."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from nproc.checks import check_path, shown, tells_names
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.outputs import HEAD, MARK, MODEL, kind_of_file, refuse_other_file, replaced_file, wrong_file

# Files without pickle, by skops: only what is on a list of trusted types is made, and no code of the file is run.
#
# Types are not all: compiled code follows the numbers of a model without a look at bounds. What has such code is
# checked
# after it is made, before it is used, or it is made only for those who trust the file.


# The suffix of the format that holds no pickle. This package adds the versions to such a file, as JSON.
SAFE = ".skops"
_OF_MAIN = "__main__."
# What a file in that format may hold without being asked for, beside what skops itself trusts: this package's classes,
# which are Python and do nothing when they are made, numpy's source of seeds, and plain values that may be labels. Not
# the trees and neighbours of scikit-learn: their compiled code follows the numbers of a file out of bounds.
TRUSTED = (
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "uuid.UUID",
    "nproc.bands.bounds.AlphaChoice",
    "nproc.bands.bounds.DKWBounds",
    "nproc.bands.bounds.SimultaneousBounds",
    "nproc.bands.band.NPROCBand",
    "nproc.comparison.dominance.StepCurve",
    "nproc.cross_fitting.curve.CrossFittedCurve",
    "nproc.cross_fitting.fit.CrossFittedScorer",
    "nproc.cross_fitting.fit.NPCrossFit",
    "nproc.comparison.result.ProcedureComparison",
    "nproc.comparison.result.ProcedureDifference",
    "nproc.comparison.result.Comparison",
    "nproc.comparison.result.Region",
    "nproc.multiclass.result.NPCSFit",
    "nproc.groups.clusters.NPClusterFit",
    "nproc.rows.design.Design",
    "nproc.rows.ranges.ColumnRanges",
    "nproc.rows.design.TableKeys",
    "nproc.rows.types.ColumnTypes",
    "nproc.estimator.NPClassifier",
    "nproc.fits.fit.NPFit",
    "nproc.fits.random_vote.NPRandomVoteFit",
    "nproc.groups.fit.NPGroupFit",
    "nproc.groups.thresholds.GroupThresholds",
    "nproc.inputs.Subject",
    "nproc.model_choice.NPScore",
    "nproc.multiclass.stages.StageRules",
    "nproc.review.fit.NPReviewFit",
    "nproc.review.threshold.ReviewRule",
    "nproc.multiclass.estimators.NPCSClassifier",
    "nproc.multiclass.estimators.NPMultiClassifier",
    "nproc.multiclass.result.NPMultiFit",
    "nproc.small_samples.fit.NPSmallSampleFit",
    "nproc.small_samples.log_concave.LogConcaveThreshold",
    "nproc.small_samples.threshold.NormalThreshold",
    "nproc.scorers.averaged.AveragedScorer",
    "nproc.scorers.classical.naive_bayes.LogDensity",
    "nproc.scorers.classical.naive_bayes.KernelNaiveBayes",
    "nproc.scorers.classical.logistic.LogisticRegressionML",
    "nproc.scorers.classical.naive_bayes.GaussianNaiveBayes",
    "nproc.scorers.coding.TextsOfColumn",
    "nproc.scorers.outliers.OutlierScorer",
    "nproc.scorers.classical.neighbours_and_svm.NearestNeighbours",
    "nproc.scorers.papers.acsvm.AsymmetricCostSVC",
    "nproc.scorers.papers.constrained.ConstrainedNPClassifier",
    "nproc.scorers.papers.generative.GaussianNPClassifier",
    "nproc.scorers.papers.network.OnlineNPNetwork",
    "nproc.scorers.papers.npsvm.NPSVC",
    "nproc.scorers.papers.online.OnlineNPClassifier",
    "nproc.scorers.papers.online_cv.OnlineNPClassifierCV",
    "nproc.scorers.papers.parzen.ParzenNP",
    "nproc.scorers.papers.qvalue.QValueNetwork",
    "nproc.scorers.papers.qvalue_svm.QValueSVC",
    "nproc.scorers.papers.sparse_logistic.SparseLogisticClassifier",
    "nproc.scorers.papers.svmperf.PrecisionAtKSVC",
    "nproc.scorers.classical.penalised.L1LogisticCV",
    "nproc.scorers.classical.penalised.SparseLDA",
    "nproc.scorers.papers.qvalue.QValueLinear",
    "nproc.scorers.scaling.ColumnScaler",
    "nproc.solvers.kernels.Kernel",
    "nproc.solvers.network_steps.NetworkState",
    "nproc.solvers.sampling.FourierFeatures",
    "nproc.solvers.stochastic.run.StochasticProblem",
    "nproc.solvers.stochastic.run.StochasticRun",
    "nproc.multiclass.stages.BinaryStages",
    "nproc.multiclass.stages.FunctionStages",
    "nproc.multiclass.stages.ModelStages",
    "nproc.thresholds.Threshold",
    "nproc.tuning.RatioChoice",
    "nproc.umbrella.ScoredSplit",
    "numpy.random.bit_generator.SeedSequence",
    # how a search divided its rows and scored its candidates, if by the model itself
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
)
# skops trusts every estimator of scikit-learn, here only those of these modules, which were read: what uses their
# numbers after training is numpy, scipy's linear algebra, or checked by `_checks`.
REVIEWED = (
    "sklearn._loss._loss",
    "sklearn._loss.link",
    "sklearn._loss.loss",
    "sklearn.calibration",
    "sklearn.compose._column_transformer",
    "sklearn.compose._target",
    "sklearn.covariance._elliptic_envelope",
    "sklearn.covariance._empirical_covariance",
    "sklearn.covariance._graph_lasso",
    "sklearn.covariance._robust_covariance",
    "sklearn.covariance._shrunk_covariance",
    "sklearn.cross_decomposition._pls",
    "sklearn.decomposition._factor_analysis",
    "sklearn.decomposition._fastica",
    "sklearn.decomposition._incremental_pca",
    "sklearn.decomposition._kernel_pca",
    "sklearn.decomposition._pca",
    "sklearn.decomposition._truncated_svd",
    "sklearn.discriminant_analysis",
    "sklearn.dummy",
    "sklearn.ensemble._bagging",
    "sklearn.ensemble._forest",
    "sklearn.ensemble._gb",
    "sklearn.ensemble._hist_gradient_boosting.binning",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting",
    "sklearn.ensemble._iforest",
    "sklearn.ensemble._stacking",
    "sklearn.ensemble._voting",
    "sklearn.ensemble._weight_boosting",
    "sklearn.feature_extraction._dict_vectorizer",
    "sklearn.feature_extraction.text",
    "sklearn.feature_selection._from_model",
    "sklearn.feature_selection._rfe",
    "sklearn.feature_selection._sequential",
    "sklearn.feature_selection._univariate_selection",
    "sklearn.feature_selection._variance_threshold",
    "sklearn.frozen._frozen",
    "sklearn.gaussian_process._gpc",
    "sklearn.gaussian_process._gpr",
    "sklearn.impute._base",
    "sklearn.impute._knn",
    "sklearn.isotonic",
    "sklearn.kernel_approximation",
    "sklearn.kernel_ridge",
    "sklearn.linear_model._base",
    "sklearn.linear_model._bayes",
    "sklearn.linear_model._coordinate_descent",
    "sklearn.linear_model._glm.glm",
    "sklearn.linear_model._huber",
    "sklearn.linear_model._least_angle",
    "sklearn.linear_model._logistic",
    "sklearn.linear_model._omp",
    "sklearn.linear_model._passive_aggressive",
    "sklearn.linear_model._perceptron",
    "sklearn.linear_model._quantile",
    "sklearn.linear_model._ransac",
    "sklearn.linear_model._ridge",
    "sklearn.linear_model._stochastic_gradient",
    "sklearn.linear_model._theil_sen",
    "sklearn.mixture._bayesian_mixture",
    "sklearn.mixture._gaussian_mixture",
    "sklearn.model_selection._classification_threshold",
    "sklearn.model_selection._search",
    "sklearn.multiclass",
    "sklearn.multioutput",
    "sklearn.naive_bayes",
    "sklearn.neural_network._multilayer_perceptron",
    "sklearn.neural_network._rbm",
    "sklearn.pipeline",
    "sklearn.preprocessing._data",
    "sklearn.preprocessing._discretization",
    "sklearn.preprocessing._encoders",
    "sklearn.preprocessing._function_transformer",
    "sklearn.preprocessing._label",
    "sklearn.preprocessing._polynomial",
    "sklearn.preprocessing._target_encoder",
    "sklearn.random_projection",
    "sklearn.semi_supervised._self_training",
    "sklearn.svm._classes",
    "sklearn.tree._classes",
)

# what constructors say of what they cannot take; RuntimeError has RecursionError and zipfile's errors below it
_FAULTS = (TypeError, AttributeError, ImportError, ValueError, LookupError, ArithmeticError, RuntimeError)


def write_skops(result, path, versions):
    """Write an object and the versions that made it; InvalidInputError says why it cannot be written.

    Parameters
    ----------
    result : object
        What to write.
    path : Path
        The file.
    versions : dict of str to str
        Versions of packages.

    Returns
    -------
    list of str
        The names of what it holds of ``__main__``.

    Notes
    -----
    The file is read once, so that none is written that cannot be.
    """
    sio = _skops()
    try:
        sio.dump(result, path, compression=zipfile.ZIP_DEFLATED)
        held = sio.get_untrusted_types(file=path)
    except _FAULTS as error:
        raise InvalidInputError(_not_kept(result, sio, error)) from error
    nameless = [name for name in held if "<" in name]
    if nameless:
        raise InvalidInputError(
            f"the scorer cannot be saved ({nameless[0]}); use an object or a function defined in a module, not a "
            "lambda."
        )
    try:
        again = sio.load(path, trusted=held)
    except _FAULTS as error:
        raise InvalidInputError(_not_kept(result, sio, error)) from error
    changed = first_difference(result, again)
    if changed is not None:
        raise InvalidInputError(f"{changed} cannot be stored exactly in a {SAFE} file; save it as .joblib.")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(HEAD, json.dumps(versions))
    return [name.removeprefix(_OF_MAIN) for name in held if name.startswith(_OF_MAIN)]


def _not_kept(result, sio, error):
    """Return the message for a result that skops cannot write and read, with the smallest part that it cannot."""
    place, part = "the result", result
    seen = set()
    while (found := _first_not_kept(place, part, sio)) is not None and id(found[1]) not in seen:
        place, part = found
        seen.add(id(part))
    kind = f"{type(part).__module__}.{type(part).__name__}".removeprefix("builtins.")
    return (
        f"{place}, of type {kind}, cannot be saved as {SAFE} ({error}); save it as .joblib. Labels, groups and names "
        "of columns that are text or numbers can be saved."
    )


def _first_not_kept(place, part, sio):
    for name, inner in _parts(place, part):
        try:
            stream = io.BytesIO()
            sio.dump(inner, stream)
            sio.load(stream, trusted=sio.get_untrusted_types(file=stream))
        except _FAULTS:
            return name, inner
    return None


def first_difference(one, other, place="the result"):
    """Return where two objects differ, in type or in what they hold, in words; None if nowhere.

    Examples
    --------
    >>> first_difference({"a": [1, 2.0]}, {"a": [1, 2]}, "the table")
    "the table['a'][1]"
    """
    seen, left = set(), [(place, one, other)]
    while left:
        where, a, b = left.pop()
        if id(a) in seen:
            continue
        seen.add(id(a))
        if type(a) is not type(b):
            return where
        if isinstance(a, np.ndarray) and not a.dtype.hasobject:
            if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
                return where
            continue
        if isinstance(a, np.ndarray) and a.shape != b.shape:
            return where
        inner, again = list(_parts(where, a)), list(_parts(where, b))
        if [name for name, _ in inner] != [name for name, _ in again]:
            return where
        if not inner and isinstance(a, int | float | str | bytes | np.generic) and repr(a) != repr(b):
            return where
        # kept alive by the pairs, so that no number of an object is used twice
        left += [(name, x, y) for (name, x), (_, y) in reversed(list(zip(inner, again, strict=True)))]
    return None


def _parts(place, part):
    """Yield (place in words, object) for what an object holds."""
    if isinstance(part, dict):
        yield from ((f"{place}[{key!r}]", value) for key, value in part.items())
    elif isinstance(part, list | tuple) or (isinstance(part, np.ndarray) and part.dtype.hasobject):
        items = part.tolist() if isinstance(part, np.ndarray) else part
        yield from ((f"{place}[{j}]", value) for j, value in enumerate(items))
    elif not isinstance(part, type) and hasattr(part, "__dict__"):
        # what an object keeps for speed alone is no part of its state
        state = part.__getstate__()
        named = state.items() if isinstance(state, dict) else ()
        yield from ((f"{place}.{name}".removeprefix("the result."), value) for name, value in named)


def read_skops(path, trusted, check_versions):
    """Return the object in a file that `write_skops` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : list of str, or None
        Types that it may hold beside `TRUSTED` and those of skops.
    check_versions : callable
        Called with the versions in the file before the object is made.

    Returns
    -------
    object
    """
    if trusted is not None and not (
        isinstance(trusted, list | tuple | set) and all(isinstance(name, str) for name in trusted)
    ):
        raise InvalidInputError(
            f"trusted must be a list of names such as ['package.module.Class'], got {shown(trusted)}."
        )
    sio = _skops()
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise InvalidInputError(f"{path} is not in the format of skops, or is damaged; save the model again.")
    try:
        check_versions(_versions_in(path))
        held = sio.get_untrusted_types(file=path)
        known = {*TRUSTED, *(trusted or ())}
        strange = sorted({*held, *_not_reviewed(path)} - known)
        for name in strange:
            if name.startswith(_OF_MAIN) and not hasattr(sys.modules["__main__"], name.split(".")[1]):
                raise _is_missing(path, f"{name} is not defined here")
        if strange:
            raise InvalidInputError(
                f"{path} holds types that are not trusted: {', '.join(strange)}. If you know where the file comes from "
                f"and what they are, load it with trusted={strange!r}."
            )
        _refuse_large_pools(path)
        result = sio.load(path, trusted=held)
        check_numbers(result)
        return result
    except InvalidInputError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        LookupError,
        ValueError,
        EOFError,
        ArithmeticError,
        MemoryError,
        # RecursionError, and what zipfile says of encrypted files
        RuntimeError,
    ) as error:
        raise InvalidInputError(f"{path} is damaged ({error}); save the model again.") from error
    except (ImportError, AttributeError, TypeError) as error:
        raise _is_missing(path, error) from error


def _is_missing(path, error):
    """Return the error for a file that holds what this process does not have."""
    return InvalidInputError(
        f"{path} cannot be loaded because a module is missing ({error}). Its scorer was defined in a script or a "
        "notebook, or in a package that is not installed or has another version. Move what a script defines into a "
        "module, import it from there, and fit and save again."
    )


def _nodes(path):
    """Give the parts of the description of the object in a file, each a dict."""
    with zipfile.ZipFile(path) as archive:
        left = [json.loads(archive.read("schema.json"))]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            yield node
            left += node.values()
        elif isinstance(node, list):
            left += node


def _not_reviewed(path):
    """Return the names of types of scikit-learn in a file that are not of the modules in `REVIEWED`."""
    found = ((str(node.get("__module__")), node.get("__class__")) for node in _nodes(path))
    return sorted(
        {
            f"{module}.{name}"
            for module, name in found
            if module.partition(".")[0] == "sklearn" and module not in REVIEWED
        }
    )


def _refuse_large_pools(path):
    """Raise ValueError if a source of random numbers would take hours to make: it needs the square of its pool."""
    nodes = list(_nodes(path))
    # what has the identity of the pool's size may be read in its place
    sizes = {pool.get("__id__") for node in nodes if isinstance(pool := node.get("pool_size"), dict)}
    if any(node.get("__id__") in sizes and len(str(node.get("content"))) > 4 for node in nodes):
        raise ValueError("the pool of a random generator is too large")


def check_numbers(result):
    """Raise ValueError if an object holds a model whose compiled code would follow its numbers out of bounds."""
    checks = _checks()
    seen, left = set(), [result]
    # what is read only here, such as the items of an array, keeps its number for the time
    kept = []
    while left:
        part = left.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        kept.append(part)
        for kinds, check in checks:
            if isinstance(part, kinds):
                check(part)
        if isinstance(part, set | frozenset):
            left += part
        else:
            left += [inner for _, inner in _parts("", part)]


def _checks():
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm._base import BaseLibSVM

    return (
        (BaseLibSVM, _check_libsvm),
        (OneHotEncoder, _check_one_hot),
        ((CountVectorizer, DictVectorizer), _check_vocabulary),
        (HashingVectorizer, _check_hashing),
        (StandardScaler, _check_scaler),
        ((np.random.RandomState, np.random.Generator), _check_generator),
    )


def _refuse_unless(good, part, what):
    if not good:
        raise ValueError(f"the {what} of its {type(part).__name__} cannot be right")


def _is_array(values, dtype, *shape):
    """Return whether `values` is an array of this type and shape, in C order; a length of None is any."""
    return (
        type(values) is np.ndarray
        and values.dtype == dtype
        and values.flags.c_contiguous
        and values.ndim == len(shape)
        and all(n is None or n == m for n, m in zip(shape, values.shape, strict=True))
    )


def _is_whole(number):
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _check_libsvm(machine):
    """Check the arrays that libsvm is given, whose sizes it takes from one another."""
    held = vars(machine)
    if "support_" not in held and "support_vectors_" not in held:
        # not trained: scikit-learn refuses to use it
        return
    support, counts = held.get("support_"), held.get("_n_support")
    _refuse_unless(_is_array(support, np.int32, None), machine, "support_")
    n = support.size
    classes = held.get("classes_")
    one_machine = machine._impl not in ("c_svc", "nu_svc")
    _refuse_unless(one_machine or (type(classes) is np.ndarray and classes.ndim == 1), machine, "classes_")
    n_classes = 2 if one_machine else classes.size
    n_pairs = n_classes * (n_classes - 1) // 2
    _refuse_unless(n_classes >= 2 and _is_array(counts, np.int32, n_classes), machine, "_n_support")
    # of one machine the first is the number of all
    total = int(counts[0]) if one_machine else int(counts.sum(dtype=np.int64))
    _refuse_unless(n > 0 and (counts >= 0).all() and total == n, machine, "_n_support")
    shape = held.get("shape_fit_")
    _refuse_unless(isinstance(shape, tuple) and len(shape) == 2 and all(map(_is_whole, shape)), machine, "shape_fit_")
    _refuse_unless((support >= 0).all() and (support < shape[0]).all(), machine, "support_")
    vectors, precomputed = held.get("support_vectors_"), machine.kernel == "precomputed"
    _refuse_unless(machine.kernel in ("linear", "poly", "rbf", "sigmoid", "precomputed"), machine, "kernel")
    dense = not held.get("_sparse")
    if dense:
        size = (None, None) if precomputed else (n, shape[1])
        _refuse_unless(_is_array(vectors, np.float64, *size), machine, "support_vectors_")
        _refuse_unless(held.get("n_features_in_") == shape[1], machine, "n_features_in_")
        _refuse_unless(not precomputed or shape[0] == shape[1], machine, "shape_fit_")
        _refuse_unless(_is_array(held.get("_dual_coef_"), np.float64, n_classes - 1, n), machine, "_dual_coef_")
    else:
        # of types that need trust
        for name, rows in (("support_vectors_", n), ("_dual_coef_", n_classes - 1)):
            _refuse_unless(getattr(held.get(name), "shape", (None,))[0] == rows, machine, name)
    _refuse_unless(_is_array(held.get("_intercept_"), np.float64, n_pairs), machine, "_intercept_")
    for name in ("_probA", "_probB"):
        values = held.get(name)
        good = _is_array(values, np.float64, 0) or _is_array(values, np.float64, 1 if one_machine else n_pairs)
        _refuse_unless(good, machine, name)


def _check_scaler(scaler):
    """Check the columns' means and scales, by which the rows are changed before any other check of them."""
    for name in ("mean_", "scale_", "var_"):
        values = vars(scaler).get(name)
        n = vars(scaler).get("n_features_in_")
        good = values is None or (_is_array(values, np.float64, n) and np.isfinite(values).all())
        _refuse_unless(good, scaler, name)


def _check_one_hot(encoder):
    """Check that the columns of all categories lie in the table that is made."""
    if "categories_" not in vars(encoder):
        return
    categories, dropped = encoder.categories_, vars(encoder).get("_drop_idx_after_grouping")
    sizes = encoder._compute_n_features_outs()
    _refuse_unless(encoder._n_features_outs == sizes, encoder, "_n_features_outs")
    dropped = [None] * len(sizes) if dropped is None else dropped
    grouped = [n + (j is not None) for n, j in zip(sizes, dropped, strict=True)]
    for n, j in zip(grouped, dropped, strict=True):
        _refuse_unless(j is None or (_is_whole(j) and 0 <= j < n), encoder, "drop_idx_")
    # what the constructor was given says whether it groups, so that it is looked at whatever it says
    mappings = vars(encoder).get("_default_to_infrequent_mappings", [None] * len(categories))
    for values, mapping, n in zip(categories, mappings, grouped, strict=True):
        good = mapping is None or (
            isinstance(mapping, np.ndarray)
            and mapping.shape == (len(values),)
            and mapping.dtype.kind == "i"
            and ((mapping >= 0) & (mapping < n)).all()
        )
        _refuse_unless(good, encoder, "_default_to_infrequent_mappings")


def _check_vocabulary(vectorizer):
    words = vars(vectorizer).get("vocabulary_")
    if words is None:
        return
    good = isinstance(words, dict) and all(map(_is_whole, words.values()))
    _refuse_unless(good and sorted(words.values()) == list(range(len(words))), vectorizer, "vocabulary_")


def _check_hashing(vectorizer):
    _refuse_unless(_is_whole(vectorizer.n_features) and vectorizer.n_features > 0, vectorizer, "n_features")


def _check_generator(generator):
    state = generator.get_state(legacy=False) if isinstance(generator, np.random.RandomState) else generator
    state = state if isinstance(state, dict) else state.bit_generator.state
    # how far the numbers drawn last are used up
    place = state["state"].get("pos", 0) if isinstance(state["state"], dict) else 0
    _refuse_unless(0 <= place <= 624 and 0 <= state.get("buffer_pos", 0) <= 4, generator, "state")


FOREIGN_FILE = (
    "is not a model file of this package; it should come from nproc.save or --out. A file of joblib.dump is read by "
    "joblib.load, which runs code that the file holds."
)


def _versions_in(path):
    with zipfile.ZipFile(path) as archive:
        if HEAD not in archive.namelist():
            raise InvalidInputError(f"{path} {FOREIGN_FILE}")
        return json.loads(archive.read(HEAD))


def _skops():
    try:
        import skops.io
    except ImportError:
        raise InvalidInputError(
            f"files that end in {SAFE} require the package skops: pip install 'nproc-py[safe]', or use .joblib."
        ) from None
    return skops.io


# What can be saved, by the names of the classes: where the room of a class was not opened, there is no object of it.
ESTIMATORS = ("NPClassifier", "NPMultiClassifier", "NPCSClassifier")
KINDS = (
    "NPFit",
    "NPClassifier",
    "NPROCBand",
    "NPMultiFit",
    "NPMultiClassifier",
    "NPCSFit",
    "NPCSClassifier",
    "Comparison",
    "ProcedureComparison",
)
# what writes itself, by the names of the classes: the code for it, and for the way back
_WRITTEN = {
    "Type1Monitor": ("monitor.write(path)", "Type1Monitor.read(path)"),
    "Type1ChangeDetector": ("detector.write(path)", "Type1ChangeDetector.read(path)"),
    "ScoreRule": ("rule.write(path)", "nproc.serving.read_rule(path)"),
    "LinearRule": ("rule.write(path)", "any reader of JSON"),
}
_LISTED = ", ".join(KINDS[:-1]) + f" or {KINDS[-1]}"


def is_kind(result, *names):
    """Return whether an object is of one of these classes of the package, without an import of their rooms.

    Examples
    --------
    >>> from nproc import NPClassifier
    >>> is_kind(NPClassifier(), "NPFit"), is_kind(NPClassifier(), *ESTIMATORS)
    (False, True)
    """
    return any(kind.__name__ in names and kind.__module__.startswith("nproc.") for kind in type(result).__mro__)


@tells_names
def save(result: object, path: str | PathLike[str]) -> Path:
    """Write a fitted classifier, a band or a comparison to a file that `load` reads.

    Parameters
    ----------
    result : result of a fit or a comparison
        An object of one of the classes in `KINDS`, such as NPFit, NPClassifier, NPROCBand or NPMultiFit.
        Left-out scores are kept, training rows only as far as the scorer itself keeps them. A fit also keeps hashes of
        some of its rows. A reader of the file can test by them whether a given row was used, and find out the values of
        rows that have only a few columns. A fit by a formula keeps such hashes of the whole table, also of columns that
        the formula does not use. A fit with clusters keeps hashes of the names of all its clusters. Of each column of
        numbers that has a name, the least and the largest value are kept.
    path : str or path
        File to write; a saved model there is replaced whole, never left half-written, and keeps its permissions. An
        existing file of another kind is not replaced, unless it is empty. One that ends in
        ``.skops`` holds no pickle, so that others can load it without trusting you; it takes the package skops. Any
        other ending, usually ``.joblib``, gives a joblib pickle behind a line of versions. Only `load` and the
        commands of ``npc`` read it: ``joblib.load`` fails with ``KeyError: 110``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInputError
        If `result` is something else or not fitted, its scorer cannot be saved in this format (a lambda in any; a
        formula, whose terms are Python code, in ``.skops``), a ``.skops`` file could not give back some part, such as
        labels that are pandas Timestamps, skops is missing, there is no such folder, a file of another kind is there,
        or the disk is full.

    Warns
    -----
    NPWarning
        If a part of it is defined in a script or a notebook, where no other process can import it from.

    See Also
    --------
    load : the way back.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from nproc import NPROCBand
    >>> rng = np.random.default_rng(0)
    >>> band = NPROCBand.from_scores(rng.normal(size=100), rng.normal(2, 1, size=100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(band, f"{folder}/band.joblib")).n0_left_out
    100
    """
    if not is_kind(result, *KINDS):
        ways = ("joblib.dump(model, path)", "joblib.load(path)") if hasattr(result, "fit") else None
        ways = next((known for name, known in _WRITTEN.items() if is_kind(result, name)), ways)
        alone = f" Write it with {ways[0]} and read it with {ways[1]}." if ways else ""
        if isinstance(result, dict):
            # as nproc_bands gives them
            alone = " Several bands are saved together as save(compare(bands), path), or each by itself."
        raise InvalidInputError(f"save takes an {_LISTED}, got {type(result).__name__}.{alone}")
    if is_kind(result, *ESTIMATORS) and not hasattr(result, "fit_"):
        raise InvalidInputError(f"save takes a fitted {type(result).__name__}, and this one is not; call fit first.")
    write = _write_safe if _is_safe(path) else _write_joblib
    refuse_other_file(path, MODEL)
    with replaced_file(path) as part:
        of_main = write(result, part)
    if of_main:
        warn_at_call(
            f"{path} holds {', '.join(of_main)}, defined in a script or a notebook (__main__). Only a process that "
            "defines it in the same way, such as the same script, can load it. Move the definition into a module, "
            "import it from there, and fit and save again.",
            NPWarning,
        )
    return Path(path)


@tells_names
def load(path: str | PathLike[str], *, trusted: Sequence[str] | None = None) -> Any:
    """Read a result that `save` wrote.

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
        raise InvalidInputError(
            f"trusted applies only to files that end in {SAFE}; {path} is a pickle, which runs any code in it when it "
            "is loaded."
        )
    else:
        result = _read_joblib(path)
    if not is_kind(result, *KINDS):
        raise InvalidInputError(f"{path} holds a {type(result).__name__}, no {_LISTED}.")
    if is_kind(result, "NPFit"):
        _check_fit(result, path)
    return result


def _check_fit(fit, path):
    """Refuse a fit without two labels, or with a split without left-out scores."""
    labels, scores0 = fit.labels, fit.scores0
    two = isinstance(labels, np.ndarray) and labels.shape == (2,) and labels[0] != labels[1]
    parts = [part for split in scores0 for part in (split if isinstance(split, tuple) else (split,))]
    if not two or not parts or any(np.size(part) == 0 or not np.isfinite(part).all() for part in parts):
        raise InvalidInputError(f"{path} is damaged (its labels or scores cannot be right); save the model again.")


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

    return _names_of_main(result)


def _names_of_main(result):
    """Return the names of the classes and functions of ``__main__`` that a pickle of the result refers to."""
    import pickle

    found: dict[str, None] = {}

    class Watching(pickle.Pickler):
        def reducer_override(self, part):
            if isinstance(part, type | FunctionType) and part.__module__ == "__main__":
                found[part.__qualname__] = None
            return NotImplemented

    with open(os.devnull, "wb") as nowhere:
        # arrays stay where they are
        Watching(nowhere, protocol=5, buffer_callback=lambda _: None).dump(result)
    return list(found)


def _read_joblib(path):
    import pickle

    import joblib

    with open(path, "rb") as file:
        if file.read(len(MARK)) != MARK:
            if kind_of_file(path) == MODEL:
                raise InvalidInputError(
                    f"{path} is a saved model in the format of skops; rename it so that it ends in {SAFE}."
                )
            raise wrong_file(path, "a saved model", FOREIGN_FILE)
        try:
            _warn_versions(path, json.loads(file.readline()))
            return joblib.load(file)
        except (EOFError, zlib.error, pickle.UnpicklingError, ValueError, LookupError) as error:
            raise InvalidInputError(f"{path} is damaged ({error}); save the model again.") from error
        except (ImportError, AttributeError) as error:
            raise _is_missing(path, error) from error


def _write_safe(result, part):
    for design in _designs(result):
        if design is not None and design.formula is not None:
            raise InvalidInputError(
                f"a fit by a formula ({design.formula!r}) cannot be saved as {SAFE}: its terms are Python code "
                "that is run by predict. Save it as .joblib, or fit again without a formula (with coded columns "
                "as X, or a pipeline that codes them)."
            )
    return write_skops(result, part, package_versions())


def _designs(result):
    """Return the designs of the fits that a result holds."""
    if is_kind(result, "ProcedureComparison"):
        return []
    if is_kind(result, "Comparison", "NPROCBand"):
        bands = result.bands if is_kind(result, "Comparison") else [result]
        return [band.subject.design for band in bands if band.subject is not None]
    return [result.fit_.design if is_kind(result, *ESTIMATORS) else result.design]


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
