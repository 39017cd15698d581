"""Files without pickle, by skops: only what is on a list of trusted types is made, and no code of the file is run."""

from __future__ import annotations

import json
import zipfile
import zlib

from nproc.errors import InvalidInputError

# The suffix of the format that holds no pickle, and what this package adds to such a file: the versions as JSON.
SAFE = ".skops"
HEAD = "nproc.json"
# What a file in that format may hold without being asked for, beside what skops itself trusts: this package's classes,
# which are Python and do nothing when they are made, and numpy's source of seeds. Not the trees and neighbours of
# scikit-learn: their compiled code follows the numbers of a file out of bounds.
TRUSTED = (
    "nproc.bandpoints.AlphaChoice",
    "nproc.bands.NPROCBand",
    "nproc.comparison.dominance.StepCurve",
    "nproc.comparison.procedure_result.ProcedureComparison",
    "nproc.comparison.procedure_result.ProcedureDifference",
    "nproc.comparison.result.Comparison",
    "nproc.comparison.result.Region",
    "nproc.multiclass.cost_result.NPCSFit",
    "nproc.groups.clusters.NPClusterFit",
    "nproc.design.Design",
    "nproc.estimator.NPClassifier",
    "nproc.fitted.NPFit",
    "nproc.groups.fit.NPGroupFit",
    "nproc.groups.thresholds.GroupThresholds",
    "nproc.inputs.Subject",
    "nproc.model_choice.NPScore",
    "nproc.multiclass.thresholds.StageRules",
    "nproc.multiclass.cost_estimator.NPCSClassifier",
    "nproc.multiclass.estimator.NPMultiClassifier",
    "nproc.multiclass.result.NPMultiFit",
    "nproc.small_samples.fit.NPNormalFit",
    "nproc.small_samples.threshold.NormalThreshold",
    "nproc.scorers.averaged.AveragedScorer",
    "nproc.scorers.kernel_density.LogDensity",
    "nproc.scorers.kernel_naive_bayes.KernelNaiveBayes",
    "nproc.scorers.logistic_regression.LogisticRegressionML",
    "nproc.scorers.naive_bayes.GaussianNaiveBayes",
    "nproc.scorers.outliers.OutlierScorer",
    "nproc.scorers.neighbours.NearestNeighbours",
    "nproc.scorers.papers_acsvm.AsymmetricCostSVC",
    "nproc.scorers.papers_constrained.ConstrainedNPClassifier",
    "nproc.scorers.papers_generative.GaussianNPClassifier",
    "nproc.scorers.papers_network.OnlineNPNetwork",
    "nproc.scorers.papers_npsvm.NPSVC",
    "nproc.scorers.papers_online.OnlineNPClassifier",
    "nproc.scorers.papers_online_cv.OnlineNPClassifierCV",
    "nproc.scorers.papers_parzen.KernelDensity",
    "nproc.scorers.papers_parzen.ParzenNP",
    "nproc.scorers.papers_qvalue.QValueNetwork",
    "nproc.scorers.papers_qvalue_svm.QValueSVC",
    "nproc.scorers.papers_sparse_logistic.SparseLogisticClassifier",
    "nproc.scorers.papers_svmperf.PrecisionAtKSVC",
    "nproc.scorers.penalised.L1LogisticCV",
    "nproc.scorers.penalised.SparseLDA",
    "nproc.scorers.qvalue_linear.QValueLinear",
    "nproc.scorers.scaling.ColumnScaler",
    "nproc.solvers.kernels.Kernel",
    "nproc.solvers.network_steps.NetworkState",
    "nproc.solvers.random_features.FourierFeatures",
    "nproc.solvers.stochastic_setting.StochasticProblem",
    "nproc.solvers.stochastic_run.StochasticRun",
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
    """
    sio = _skops()
    try:
        sio.dump(result, path, compression=zipfile.ZIP_DEFLATED)
        nameless = [name for name in sio.get_untrusted_types(file=path) if "<" in name]
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the scorer cannot be saved as {SAFE} ({error}); save it as .joblib, or use another object."
        ) from error
    if nameless:
        raise InvalidInputError(
            f"the scorer cannot be saved ({nameless[0]}); use an object or a function defined in a module, not a "
            "lambda."
        )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(HEAD, json.dumps(versions))


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
        raise InvalidInputError(f"trusted must be a list of names such as ['package.module.Class'], got {trusted!r}.")
    sio = _skops()
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise InvalidInputError(f"{path} is not in the format of skops, or is damaged; save the model again.")
    try:
        check_versions(_versions_in(path))
        held = sio.get_untrusted_types(file=path)
        strange = [name for name in held if name not in {*TRUSTED, *(trusted or ())}]
        if strange:
            raise InvalidInputError(
                f"{path} holds types that are not trusted: {', '.join(strange)}. If you know where the file comes from "
                f"and what they are, load it with trusted={strange!r}."
            )
        return sio.load(path, trusted=held)
    except InvalidInputError:
        raise
    except (zipfile.BadZipFile, zlib.error, LookupError, ValueError, EOFError) as error:
        raise InvalidInputError(f"{path} is damaged ({error}); save the model again.") from error
    except (ImportError, AttributeError, TypeError) as error:
        raise InvalidInputError(
            f"{path} needs something that is not here ({error}): a package is missing or has another version."
        ) from error


def _versions_in(path):
    with zipfile.ZipFile(path) as archive:
        if HEAD not in archive.namelist():
            raise InvalidInputError(
                f"{path} is not a model file of this package; it should come from nproc.save or --out."
            )
        return json.loads(archive.read(HEAD))


def _skops():
    try:
        import skops.io
    except ImportError:
        raise InvalidInputError(
            f"files that end in {SAFE} take the package skops: pip install 'nproc-py[safe]', or use .joblib."
        ) from None
    return skops.io
