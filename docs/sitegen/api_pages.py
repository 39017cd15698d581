"""The pages of the API reference: which public names stand together, and in which order."""

import importlib
import inspect

GROUPS = {
    "Classifiers with a bound": (
        "A classifier whose type I error is at most alpha with probability at least 1 - delta.",
        [
            "npc",
            "NPClassifier",
            "NPFit",
            "RatioChoice",
            "Evaluation",
            "certify",
            "CertifiedBound",
            "certification_size",
            "np_review",
            "ReviewRule",
            "NPReviewFit",
            "ReviewEvaluation",
            "plan_review",
            "ReviewPlan",
            "Type1Monitor",
            "Type1ChangeDetector",
            "AssumptionChecks",
            "save",
            "load",
        ],
    ),
    "Groups and clusters": (
        "A bound on the type I error in all groups at once, and bounds for rows that are not independent.",
        [
            "NPGroupFit",
            "GroupEvaluation",
            "np_group_thresholds",
            "np_equal_thresholds",
            "EqualThresholds",
            "GroupThresholds",
            "NPClusterFit",
            "one_per_cluster",
        ],
    ),
    "Several classes": (
        "A bound on how often rows are called a class of lower priority, and levels of errors without a guarantee.",
        ["npc_multiclass", "NPMultiClassifier", "NPMultiFit", "npcs", "NPCSClassifier", "NPCSFit", "MultiEvaluation"],
    ),
    "Bands, comparison, curves": (
        "The type II error at every alpha, which method is better at which alpha, and ordinary ROC curves.",
        [
            "nproc",
            "nproc_bands",
            "NPROCBand",
            "BandValues",
            "AlphaChoice",
            "NPROCDisplay",
            "compare",
            "Comparison",
            "compare_scores",
            "compare_procedures",
            "ProcedureComparison",
            "compare_aucs",
            "AUCComparison",
            "partial_auc",
            "PartialAUC",
            "roc_cv",
            "ROCCurve",
        ],
    ),
    "Predictive values and p-values": (
        "Bounds on predictive values at a prevalence, and p-values of new rows against left-out class 0 rows.",
        [
            "PredictiveBand",
            "PredictiveValues",
            "p_values",
            "conditional_p_values",
            "Type1Curve",
        ],
    ),
    "Thresholds and order statistics": (
        "From scores alone: the rank, its violation rate, and exact bounds of both errors.",
        [
            "np_threshold",
            "Threshold",
            "ScoreChunks",
            "np_order",
            "violation_rate",
            "type1_upper",
            "type2_bounds",
            "simultaneous_order",
            "simultaneous_type1_upper",
            "simultaneous_cdf_bounds",
            "score_rule",
            "ScoreRule",
            "read_rule",
            "linear_rule",
            "LinearRule",
            "to_onnx",
            "np_threshold_shifted",
            "ShiftedThreshold",
            "min_class0_size",
            "vote_bound",
            "VoteBound",
            "cross_fit_bound",
            "CrossFitBound",
            "NPCrossFit",
            "CrossFittedCurve",
            "NPRandomVoteFit",
            "clopper_pearson",
        ],
    ),
    "Planning": (
        "How many class 0 rows are needed, which power they give, and how many of them should train.",
        [
            "plan_class0",
            "ClassZeroPlan",
            "type1_law",
            "RankLaw",
            "supported_levels",
            "SupportedLevels",
            "plan_split_ratio",
            "SplitRatioPlan",
        ],
    ),
    "Small samples": (
        "Thresholds that assume something of the class 0 scores, if these are too few for an order statistic.",
        [
            "np_threshold_log_concave",
            "LogConcaveThreshold",
            "log_concave_factor",
            "np_threshold_normal",
            "NormalThreshold",
            "normal_factor",
            "NPSmallSampleFit",
            "normality_check",
            "NormalityCheck",
        ],
    ),
    "Biased samples": (
        "Thresholds where the class 0 scores at hand are not a sample of the class 0 to come.",
        ["np_threshold_noisy", "NoisyThreshold", "noise_sensitivity", "NoiseSensitivity"],
    ),
    "Rows larger than memory": (
        "Files are read chunk by chunk, and are split, shuffled and trained on without loading them whole.",
        ["read_in_chunks", "RowChunks", "train_in_chunks"],
    ),
    "Scoring methods": (
        "Names for scoring methods.",
        ["describe_scorers", "scorer_names", "get_scorer", "register", "AveragedScorer"],
    ),
    "Estimators that train for the bound": (
        "scikit-learn estimators that can be used alone. With their usual settings none of them bounds the type I "
        "error on new rows; `npc` does.",
        [
            "NPSVC",
            "ConstrainedNPClassifier",
            "OnlineNPClassifier",
            "OnlineNPClassifierCV",
            "OnlineNPNetwork",
            "AsymmetricCostSVC",
            "GaussianNPClassifier",
            "ParzenNP",
            "PrecisionAtKSVC",
            "SparseLogisticClassifier",
        ],
    ),
    "q-values": (
        "Discoveries among rows of class 1, counted against known negatives.",
        ["q_values", "accepted", "QValueSVC", "QValueLinear", "QValueNetwork"],
    ),
    "Model selection": ("A criterion for searches in which one error is bounded.", ["np_loss", "np_score"]),
    "Ranking of features": (
        "Which single features predict well under a bound on the type I error.",
        ["rank_features", "FeatureRanking", "log_density_ratio", "averaged_error_bounds"],
    ),
    "Errors and warnings": (
        "All errors except LostWorkerError are also ValueErrors.",
        [
            "NPError",
            "InvalidInputError",
            "TooFewSamplesError",
            "LostWorkerError",
            "NPWarning",
            "NotConvergedWarning",
            "PlainPythonWarning",
            "SeparationWarning",
        ],
    ),
}
# modules with public names of their own
MODULES = {
    "nproc.simulate": "Simulated worlds whose true errors are known.",
    "nproc.datasets": "Small data sets.",
    "nproc.expression": "Counts of reads.",
    "nproc.losses": "Losses of a margin.",
    "nproc.solvers.constrained.problem": "Further constraints of the convex problem.",
}


def defined_in(module):
    """Return the public classes and functions that a module offers: those in __all__, or those written in it."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if inspect.isclass(getattr(module, name)) or callable(getattr(module, name))]
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__ == module.__name__
    ]


def solver_names():
    """Return the public solvers, by full name: those that an estimator, or a user, calls."""
    from nproc import solvers

    return [f"nproc.solvers.{name}" for name in solvers.__all__]


# doors from which the groups take names that the package itself does not list
ROOMS = (
    "assumptions",
    "bands",
    "biased_samples",
    "comparison",
    "cross_fitting",
    "feature_ranking",
    "fits",
    "groups",
    "model_choice",
    "monitoring",
    "multiclass",
    "orderstat",
    "planning",
    "review",
    "row_chunks",
    "score_chunks",
    "scorers",
    "serving",
    "simultaneous",
    "small_samples",
    "tuning",
)


def path_of(name):
    """Return where a user imports a name from, relative to the package: ``npc``, ``groups.NPGroupFit``."""
    import nproc

    if name in nproc.__all__:
        return name
    rooms = {room: importlib.import_module(f"nproc.{room}") for room in ROOMS}
    found = [room for room, door in rooms.items() if name in getattr(door, "__all__", dir(door))]
    if not found:
        raise ValueError(f"the API reference lists {name!r}, which nothing offers")
    # a door may need what the room of the name offers
    home = getattr(rooms[found[0]], name).__module__.split(".")[1]
    return f"{home}.{name}"


def check_groups():
    """Raise if a public name of the package is in no group, or in two."""
    import nproc

    grouped = [name for _, names in GROUPS.values() for name in names]
    wrong = sorted(set(nproc.__all__) - set(grouped)) or sorted({n for n in grouped if grouped.count(n) > 1})
    if wrong:
        raise ValueError(f"the groups of the API reference lack, or have twice, {wrong}")


def section(title, text, names, module):
    """Return a section with an autosummary table, whose pages are made by sphinx."""
    entries = "\n".join(f"   {name}" for name in names)
    return f"""{title}
{"-" * len(title)}

{text}

.. currentmodule:: {module}

.. autosummary::
   :toctree: generated
   :nosignatures:

{entries}
"""


def api_page():
    """Return the index of the API reference in reStructuredText."""
    check_groups()
    parts = ["API reference\n=============\n"]
    for title, (text, names) in GROUPS.items():
        parts.append(section(title, text, [path_of(name) for name in names], "nproc"))
    for module, text in MODULES.items():
        parts.append(section(f"{module}", text, defined_in(importlib.import_module(module)), module))
    text = "The estimators call these functions. They take arrays and return a frozen result with a certificate."
    paths = [path.removeprefix("nproc.") for path in solver_names()]
    parts.append(section("Solvers", text, paths, "nproc"))
    return "\n".join(parts)
