"""The public functions and methods, each with one small clean call and the role of every argument."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from odd_kinds import REFUSED, matrix_kinds
from public_names import PUBLIC, public

import nproc as package
from nproc import datasets, simulate

RNG = np.random.default_rng(3)
# eighths of small size: exact in every floating type, also in half precision
Y = np.tile([0, 1], 20)
X = np.round(RNG.normal(size=(40, 2)) * 8) / 8 + 2.0 * Y[:, None]
X_NEW = np.round(RNG.normal(size=(12, 2)) * 8) / 8 + 2.0 * np.tile([0, 1], 6)[:, None]
Y_NEW = np.tile([0, 1], 6)
S0 = np.round(RNG.normal(size=20) * 64) / 64
S1 = np.round(RNG.normal(size=16) * 64) / 64 + 1.5
G0 = np.tile([0, 1], 10)
WEIGHTS = np.tile([1.0, 2.0, 0.5, 1.5], 10)
GROUPS = np.repeat([0, 1], 20)
# of two digits, so that as text they are in the same order
CLUSTERS = np.repeat(np.arange(10, 30), 2)
Y_CLUSTERS = np.tile([0, 0, 1, 1], 10)
X_CLUSTERS = X + 2.0 * (Y_CLUSTERS - Y)[:, None]
Y3 = np.tile([0, 1, 2], 14)
X3 = np.round(RNG.normal(size=(42, 2)) * 8) / 8 + 3.0 * Y3[:, None]
FRAME = pd.DataFrame({"y": Y, "a": X[:, 0], "b": X[:, 1]})
LEVELS = np.array([0.25, 0.5])
ALPHAS = {0: 0.5, 1: 0.25}
BOTH = {"alpha": 0.25, "delta": 0.25}
SEED = {"random_state": 1}


def first_column(X):
    return np.asarray(X.todense() if hasattr(X, "todense") else X)[:, 0]


@dataclass(frozen=True)
class Call:
    """A public callable: its `name`, the `function`, `clean` arguments and the `roles` of those that are crossed.

    `aligned` names the arguments with one entry a row, `optional` those that may be None, `free` the kinds of objects
    that mean something else in this call, `read_by_sklearn` the arguments that scikit-learn refuses in its own words,
    and `synonyms` the words by which a message may name an argument instead.
    """

    name: str
    function: Callable
    clean: dict
    roles: dict
    aligned: tuple = ()
    optional: tuple = ()
    free: tuple = ()
    read_by_sklearn: tuple = ()
    synonyms: dict = field(default_factory=dict)

    def run(self, **changed):
        """Return the result for the clean arguments, some of them changed."""
        return self.function(**{**self.clean, **changed})


# what an argument of this name means, wherever it occurs
ROLES = {
    "rows": "X X0",
    "labels": "y y_true",
    "scores": "scores scores0 scores1 y_score",
    "weights": "sample_weight",
    "groups": "groups clusters clusters_new",
    "level": "alpha delta level q type2_max by_eye power train_fraction p_max split_ratio share share0 "
    "alpha_max fpr_max beta review_beta delta0 delta1 max_review",
    "levels": "fpr deltas",
    "number": "factor type1 type2 C lam eta gain eps tol coef0 correction rate tau gamma0 decay cost0 cost1 p_min step "
    "cache_size step_bound radius feature_bound reg var2 shift changed size depth_sd prob0 low high intercept",
    "count": "n_splits n_folds n_repeats n0 n1 n order n0_left_out n_candidates n_errors n_missed count rows max_iter "
    "degree n_components n_members n_values n_restarts init_iter n_epochs buffer chunk_size epoch "
    "max_rows n0_total k split n_genes n_groups cross_fit n_features",
    "seed": "random_state",
    "jobs": "n_jobs",
    "flag": "columns prefit pooled standardize balanced average shift fit_intercept allow_nan sparse follows_alpha "
    "replace plot as_frame log anytime estimated simultaneous shade",
    "verbosity": "verbose",
    "choice": "na_action ties vote rank group_thresholds small_sample band bounds metric scheme stage_score variant "
    "criterion loss kernel solver update sampling bound activation init interval reference about fallback norm scale "
    "layout larger_means coins",
    "label": "class0 class1",
    "grid": "alphas_of_summary ratios C1s C0s gammas lams taus shares gamma0s hidden prevalence gamma bandwidth",
    "order": "priority alphas weights classes",
    "names": "names features drop methods values",
    "text": "name label score column sep r_name what decimal encoding",
    "mapping": "method_params params",
    "function": "resample scorer",
    "object": "method result classifier band bands estimator chunks model name_or_object trusted constraints regions "
    "pilot cv source new",
    "path": "path folder",
    "saved": "checkpoint",
    "table": "data",
}
ROLE_OF = {name: role for role, names in ROLES.items() for name in names.split()}

# arguments that are never crossed
NOT_CROSSED = {
    "ax": "matplotlib's Axes",
    "figsize": "the size of a figure, which matplotlib checks",
    "xlim": "a pair of levels, see test_plotting",
    **dict.fromkeys(("style", "color", "linestyle", "drawstyle"), "keywords of matplotlib"),
    "params": "keywords of a method: their names are the method's",
    "options": "keywords of nproc.certify, which is crossed itself",
    "fit_params": "crossed by their names, sample_weight, groups and clusters",
    "compare(bands)": "crossed one by one, as a and b",
    "NPCrossFit.predict(random_state)": "without effect, since a score equal to another counts as above",
    "NPCrossFit.evaluate(random_state)": "without effect, since a score equal to another counts as above",
    "NPSmallSampleFit.evaluate(random_state)": "without effect, since its threshold breaks no ties",
    "NPCrossFit.votes(random_state)": "without effect, since a score equal to another counts as above",
    "NPCrossFit.predict_chunks(random_state)": "without effect, since a score equal to another counts as above",
    "NPSmallSampleFit.predict(random_state)": "without effect, since its threshold breaks no ties",
    "NPSmallSampleFit.votes(random_state)": "without effect, since its threshold breaks no ties",
    "NPSmallSampleFit.predict_chunks(random_state)": "without effect, since its threshold breaks no ties",
    "NPReviewFit.predict(random_state)": "without effect, since tied scores are reviewed",
    "NPReviewFit.evaluate(random_state)": "without effect, since tied scores are reviewed",
    "NPReviewFit.votes(random_state)": "without effect, since tied scores are reviewed",
    "NPReviewFit.predict_chunks(random_state)": "without effect, since tied scores are reviewed",
    "NPROCBand.plot(label)": "a label of matplotlib, which takes any object",
    "ROCCurve.plot(label)": "a label of matplotlib, which takes any object",
    "NPROCDisplay.plot(name)": "a label of matplotlib, which takes any object",
    "NPROCBand.from_scores(name)": "a word for summaries, which takes any object",
    "plan_review(labels)": "two names of the user's own, see test_review_threshold",
    "ReviewRule.shares(labels)": "two names of the user's own, see test_review_threshold",
    "plan_class0(labels)": "two names of the user's own, see test_planning",
    "score_rule(class0)": "a label of the user's own, which may be any",
    "score_rule(class1)": "a label of the user's own, which may be any",
    "score_rule(scores1)": "scores of rows with noisy labels, see test_cli_rule",
    "score_rule(noise0)": "a number or an interval, see test_noisy",
    "score_rule(noise1)": "a number or an interval, see test_noisy",
    "score_rule(score)": "the name of a column, which may be any text",
    "score_rule(weight_max)": "a bound on the weights, see test_cli_rule",
    "score_rule(epsilon)": "a level for two groups, see test_rule",
    "score_rule(gamma)": "a level for two groups, see test_rule",
    "NPClassifier.fit(weights)": "sample_weight by position, which is crossed by its name",
    "np_threshold_shifted(weights)": "one or two numbers for each score, see test_shifted",
    "ShiftedThreshold.plot(weights)": "one or two numbers for each score, see test_shifted",
    "np_threshold_shifted(weight_max)": "a bound on the weights, see test_shifted",
    "Type1Monitor(prior)": "two numbers or None, see test_monitor",
    "np_threshold_noisy(noise0)": "a number or an interval, see test_noisy",
    "np_threshold_noisy(noise1)": "a number or an interval, see test_noisy",
    "noise_sensitivity(noise0)": "a list of shares, see test_noisy",
    "noise_sensitivity(noise1)": "a share or a list of them, see test_noisy",
    "NPFit.check_assumptions(order)": "numbers or times of the rows of the fit, see test_check",
    "NPFit.check_assumptions(clusters)": "clusters of the rows of the fit, see test_check",
    "NPFit.check_assumptions(X)": "the rows of the fit, see test_check",
    "NPFit.check_assumptions(y)": "the labels of the fit, see test_check",
    "NPROCDisplay(name)": "a label of matplotlib, which takes any object",
    "NPROCDisplay.from_predictions(name)": "a label of matplotlib, which takes any object",
    "NPROCDisplay.from_estimator(name)": "a label of matplotlib, which takes any object",
}


# public functions and methods that are never called, and why
NOT_CALLED = {
    "NPFit.report": "writes a file, see test_report",
    "NPGroupFit.report": "writes a file, see test_report",
    "NPClusterFit.report": "writes a file, see test_report",
    "NPSmallSampleFit.report": "writes a file, see test_report",
    "NPCrossFit.report": "writes a file, see test_report",
    "NPRandomVoteFit.report": "writes a file, see test_report",
    "NPReviewFit.report": "writes a file, see test_report",
    "NPReviewFit.to_sklearn": "refused for every argument",
    "NPReviewFit.thresholds_table": "refused for every argument",
    "ReviewRule.plot": "draws what plot_review checks, see test_review_fit",
    "NPGroupFit.conditional_p_values": "refused for every argument",
    "NPGroupFit.p_values": "refused for every argument",
    "NPGroupFit.type1_upper_curve": "refused for every argument",
    "NPGroupFit.thresholds_table": "refused for every argument",
    "NPSmallSampleFit.type1_upper_curve": "refused for every argument",
    "NPCrossFit.conditional_p_values": "refused for every argument",
    "NPCrossFit.p_values": "refused for every argument",
    "NPCrossFit.type1_upper_curve": "refused for every argument",
    "NPCrossFit.vote_bound": "refused for every argument",
    "NPCrossFit.plot": "refused for every argument",
    "NPRandomVoteFit.conditional_p_values": "refused for every argument",
    "NPRandomVoteFit.to_sklearn": "refused for every argument",
    "NPRandomVoteFit.vote_bound": "refused for every argument",
    "ScoreChunks.chunks": "its argument is a word for messages; the source is crossed in ScoreChunks",
    "ScoreChunks.count": "its argument is a word for messages; the source is crossed in ScoreChunks",
    "ScoreChunks.fold": "its arguments are a class of the package and a word for messages",
    "ScoreRule.write": "writes a file, see test_rule",
    "LinearRule": "made by linear_rule alone",
    "LinearRule.write": "writes a file, see test_linear_rule",
    "linear_rule": "its argument is a fit, see test_linear_rule",
    "to_onnx": "its arguments are a fit and rows of it, see test_onnx",
    "Type1Monitor.update": "takes 0 and 1 alone, see test_monitor",
    "Type1ChangeDetector.update": "takes 0 and 1 alone, see test_monitor",
    "Type1Monitor.read": "reads a file, see test_monitor",
    "Type1Monitor.write": "writes a file, see test_monitor",
    "NoiseSensitivity.plot": "its arguments are Axes and a size, see test_noisy",
    "Type1Monitor.plot": "its arguments are Axes and a size, see test_monitor",
    "np_equal_thresholds": "its bad arguments are in test_equal_opportunity",
    "EqualThresholds": "made by np_equal_thresholds alone",
    "EqualThresholds.plot": "its scores and groups are checked as in predict, see test_equal_opportunity",
    "Type1ChangeDetector.read": "reads a file, see test_change",
    "Type1ChangeDetector.write": "writes a file, see test_change",
    "EqualThresholds.predict": "its bad arguments are in test_equal_opportunity",
    "NPGroupFit.check_assumptions": "refused for every argument",
    "NPCrossFit.check_assumptions": "refused for every argument",
    "NPSmallSampleFit.check_assumptions": "refused for every argument",
    "AssumptionChecks.plot": "its arguments are Axes and a size, see test_check",
    "read_rule": "reads a file, see test_rule",
    "Sample": "made by the package alone",
    "CountSample": "made by the package alone",
    "OracleRule": "made by the package alone",
}


def parameters(function):
    return [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]


def call(
    name,
    function,
    /,
    *,
    roles=None,
    aligned=(),
    optional=(),
    synonyms=None,
    only=None,
    without=(),
    free=(),
    read_by_sklearn=(),
    **clean,
):
    """Return a `Call` whose other arguments are those of the signature at their defaults."""
    known = inspect.signature(function).parameters
    several = {k for k, p in known.items() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    arguments = [*(k for k in known if k not in several), *(k for k in clean if k not in known)]
    crossed = {k: (roles or {}).get(k) or ROLE_OF.get(k) for k in arguments if k not in NOT_CROSSED}
    if only is not None:
        crossed = {k: role for k, role in crossed.items() if k in only}
    crossed = {k: role for k, role in crossed.items() if k not in without and f"{name}({k})" not in NOT_CROSSED}
    unknown = [k for k, role in crossed.items() if role is None]
    if unknown:
        raise AssertionError(f"{name}: the arguments {unknown} need a role in ROLES")
    defaults = {k: p.default for k, p in known.items() if p.default is not p.empty}
    nothing = {k for k, v in defaults.items() if v is None and crossed.get(k) not in ("labels", "rows")}
    return Call(
        name,
        function,
        {**{k: v for k, v in defaults.items() if k in crossed}, **clean},
        crossed,
        tuple(aligned),
        tuple({*optional, *nothing}),
        tuple(free),
        tuple(read_by_sklearn),
        {**SYNONYMS, **(synonyms or {})},
    )


SYNONYMS = {
    "X0": ["X0", "X"],
    "method_params": ["method_params", "argument", "parameter"],
    "groups": ["groups", "group"],
    "clusters": ["clusters", "cluster"],
    "clusters_new": ["clusters_new", "cluster"],
    "scores0": ["scores0", "scores", "n0"],
    "scores1": ["scores1", "scores", "n1"],
    "n0_left_out": ["n0_left_out", "n0"],
    "path": ["path", "file", "folder", "write"],
    "folder": ["folder", "file", "write"],
    "checkpoint": ["checkpoint", "path"],
    "chunks": ["chunks", "file", "folder"],
    "features": ["features", "feature", "predictor"],
    "result": ["result", "save"],
    "estimator": ["estimator", "method", "scorer"],
    "ratios": ["ratios", "ratio"],
    "method": ["method", "scorer"],
    "scorer": ["scorer", "method"],
    "name_or_object": ["name_or_object", "method"],
    "taus": ["taus", "tau"],
    "lams": ["lams", "lam"],
    "gamma0s": ["gamma0s", "gamma0"],
}


# ---- fitted objects, made once


@cache
def fit():
    return package.npc(X, Y, "lda", **BOTH, **SEED)


@cache
def fit_of_votes():
    return package.npc(X, Y, "lda", n_splits=3, ties="randomize", **BOTH, **SEED)


@cache
def formula_fit():
    return package.npc("y ~ a + b", data=FRAME, method="lda", **BOTH, **SEED)


@cache
def group_fit():
    return package.npc(X, Y, "lda", groups=GROUPS, ties="randomize", alpha=0.5, delta=0.25, **SEED)


GROUP_FRAME = pd.DataFrame({"a": X_NEW[:, 0], "b": X_NEW[:, 1], "g": np.tile([0, 1, 1, 0], 3)})


@cache
def group_fit_of_frames():
    frame = FRAME.drop(columns="y").assign(g=GROUPS)
    return package.npc(frame, Y, "lda", groups="g", ties="randomize", alpha=0.5, delta=0.25, **SEED)


@cache
def cluster_fit():
    return package.npc(
        X_CLUSTERS, Y_CLUSTERS, "lda", clusters=CLUSTERS, ties="randomize", alpha=0.5, delta=0.25, **SEED
    )


@cache
def normal_fit():
    return package.npc(X, Y, "lda", small_sample="normal", alpha=0.05, delta=0.25, **SEED)


@cache
def review_fit():
    return package.npc(X, Y, "lda", review_beta=0.5, alpha=0.5, delta=0.25, **SEED)


@cache
def cross_fit():
    return package.npc(X, Y, "lda", cross_fit=2, alpha=0.5, delta=0.25, **SEED)


@cache
def random_vote_fit():
    return package.npc(X, Y, "lda", n_splits=3, vote="random", alpha=0.5, delta=0.25, **SEED)


@cache
def band():
    return package.NPROCBand.from_scores(S0, S1, delta=0.25)


@cache
def fitted_band():
    return package.nproc(X, Y, "lda", delta=0.25, **SEED)


@cache
def multi_fit():
    return package.npc_multiclass(X3, Y3, "lda", alphas=0.5, deltas=0.5, **SEED)


@cache
def cost_fit():
    return public.npcs(X3, Y3, "lda", alphas=ALPHAS, **SEED)


@cache
def threshold(ties="conservative"):
    return package.np_threshold(S0, ties=ties, **BOTH, **SEED)


@cache
def comparison():
    return package.compare(fitted_band(), _other_band())


@cache
def chunks():
    return public.RowChunks.from_arrays(X, Y, chunk_size=16)


@cache
def plan():
    return package.plan_class0(0.25, 0.25)


def two_files(folder):
    """Write what functions of files read into `folder`, and return it."""
    folder = Path(folder)
    FRAME.to_csv(folder / "rows.csv", index=False)
    package.save(fit(), folder / "fit.joblib")
    (folder / "noise").write_bytes(b"\x80\x04\x95 no such file\n")
    (folder / "empty").write_bytes(b"")
    (folder / "out").mkdir()
    (folder / "out" / "loop").symlink_to(folder / "out" / "loop")
    (folder / "loop").symlink_to(folder / "loop")
    return folder


# ---- the calls


def calls(folder):
    """Return all calls; those of files read and write in `folder`."""
    return [
        *_faces(),
        *_fits(),
        *_bands(),
        *_numbers(),
        *_several_classes(),
        *_chunks(folder),
        *_files(folder),
        *_estimators(),
        *_worlds(folder),
    ]


# kinds that are functions of rows, or of something, and fail in their own words
FUNCTIONS = ("type", "function", "lambda")


def _faces():
    rows = {"X": X, "y": Y, "method": "lda"}
    aligned = ("X", "y", "sample_weight")
    formula = {"X": "y ~ a + b", "y": None, "data": FRAME, "method": "lda"}
    common = {
        "roles": {"X": "object"},
        "optional": ("y",),
        "only": ("X", "y", "data"),
        "synonyms": {"X": ["X", "formula", "data"], "data": ["data", "formula", "column", "y"]},
    }
    nb = {"methods": ["lda", "nb"]}
    grid = {"methods": "grid"}
    return [
        call("npc", package.npc, **rows, **BOTH, **SEED, aligned=aligned),
        call(
            "npc of weights",
            package.npc,
            **{**rows, "method": "logistic"},
            sample_weight=WEIGHTS,
            **BOTH,
            **SEED,
            aligned=aligned,
            only=("X", "y", "sample_weight"),
        ),
        call(
            "npc of a function",
            package.npc,
            **{**rows, "method": first_column},
            prefit=True,
            **BOTH,
            **SEED,
            aligned=aligned,
            only=("X", "y", "method", "prefit"),
            free=FUNCTIONS,
        ),
        call(
            "npc of groups",
            package.npc,
            **rows,
            groups=GROUPS,
            alpha=0.5,
            delta=0.25,
            **SEED,
            aligned=("X", "y", "groups"),
            only=("X", "y", "groups", "group_thresholds", "n_splits"),
        ),
        call(
            "npc of clusters",
            package.npc,
            X=X_CLUSTERS,
            y=Y_CLUSTERS,
            method="lda",
            clusters=CLUSTERS,
            alpha=0.5,
            delta=0.25,
            **SEED,
            aligned=("X", "y", "clusters"),
            only=("X", "y", "clusters"),
        ),
        call(
            "npc of small samples",
            package.npc,
            **rows,
            small_sample="normal",
            alpha=0.05,
            delta=0.25,
            **SEED,
            aligned=("X", "y"),
            only=("X", "y", "alpha", "delta", "small_sample", "ties", "split_ratio"),
        ),
        call("npc of a formula", package.npc, **formula, **BOTH, **SEED, **common),
        call("nproc", package.nproc, **rows, delta=0.25, **SEED, aligned=aligned),
        call("nproc of a formula", package.nproc, **formula, delta=0.25, **SEED, **common),
        call(
            "nproc_bands",
            package.nproc_bands,
            X=X,
            y=Y,
            **nb,
            delta=0.25,
            **SEED,
            aligned=aligned,
            synonyms={"methods": ["method", "methods"]},
            roles=grid,
        ),
        call("rank_features", package.rank_features, X=X, y=Y, n_splits=2, **BOTH, **SEED, aligned=aligned),
        call("roc_cv", package.roc_cv, **rows, n_folds=2, **SEED, aligned=aligned),
        call(
            "compare_procedures",
            public.compare_procedures,
            X=X,
            y=Y,
            **nb,
            n_splits=2,
            **BOTH,
            **SEED,
            aligned=aligned,
            roles={"alpha": "levels", **grid},
            synonyms={"methods": ["method", "methods"]},
        ),
        call(
            "plan_split_ratio",
            public.plan_split_ratio,
            **rows,
            ratios=(0.25, 0.5),
            n_repeats=2,
            **BOTH,
            **SEED,
            aligned=("X", "y"),
        ),
    ]


# refused for every argument, as the rule of these fits does not have them, or tried with another fit
NOT_MEANT = {
    ("NPFit of votes", "conditional_p_values"),
    ("NPRandomVoteFit", "conditional_p_values"),
    ("NPSmallSampleFit", "type1_upper_curve"),
    ("NPCrossFit", "conditional_p_values"),
    ("NPCrossFit", "p_values"),
    ("NPCrossFit", "type1_upper_curve"),
    ("NPGroupFit", "conditional_p_values"),
    ("NPGroupFit", "p_values"),
    ("NPGroupFit", "type1_upper_curve"),
    ("NPGroupFit", "thresholds_table"),
    ("NPReviewFit", "thresholds_table"),
    # drawn as for one split
    ("NPFit of votes", "plot_calibration"),
}


# here rows go through the own rule of each class of fits, also where the method is that of NPFit
OF_EACH_FIT = {"predict", "votes", "decision_function", "evaluate", "certify", "predict_chunks"}


def is_crossed_in_npfit(kind, method):
    """Return True if a method of a child of `NPFit` is the function of `NPFit` and checks its arguments there."""
    own = getattr(package.NPFit, method, None)
    return kind != "NPFit" and method not in OF_EACH_FIT and getattr(PUBLIC.get(kind), method, kind) is own


def _fits():
    found = []
    for owner, made, more in (
        ("NPFit", fit, {}),
        ("NPFit of votes", fit_of_votes, {}),
        ("NPGroupFit", group_fit, {"groups": np.tile([0, 1, 1, 0], 3)}),
        ("NPSmallSampleFit", normal_fit, {}),
        ("NPCrossFit", cross_fit, {}),
        ("NPRandomVoteFit", random_vote_fit, {}),
        ("NPReviewFit", review_fit, {}),
        ("NPClusterFit", cluster_fit, {"clusters": np.repeat(np.arange(6), 2)}),
    ):
        aligned = ("X", "y", *more)
        for method in (
            "predict",
            "votes",
            "decision_function",
            "evaluate",
            "certify",
            "p_values",
            "conditional_p_values",
            "with_levels",
            "type1_upper_curve",
            "summary",
            "predict_chunks",
            "check",
            "predict_proba",
            "plot_calibration",
            "thresholds_table",
            "notes",
        ):
            if (owner, method) in NOT_MEANT:
                continue
            found.append((owner, made, method, more, aligned))
    out = []
    for owner, made, method, more, aligned in found:
        kind, _, about = owner.partition(" ")
        if not hasattr(PUBLIC[kind], method) or is_crossed_in_npfit(kind, method):
            continue
        function = _method(made, method, PUBLIC[kind])
        known = parameters(function)
        clean = {"X": X_NEW, "X0": X_NEW, "y": Y_NEW, "random_state": 1, "n0": 20, **more}
        if method == "certify":
            clean |= {"delta": 0.25}
            # the groups go through its other options
            known += [k for k in more if k not in known]
            if owner == "NPRandomVoteFit":
                known.append("random_state")
        clean = {k: v for k, v in clean.items() if k in known}
        if method == "with_levels":
            clean |= {"alpha": 0.5}
        if method in ("predict_proba", "plot_calibration", "thresholds_table"):
            clean |= {"prevalence": 0.25}
        if method == "plot_calibration":
            function = closed(function)
            clean |= {"n_groups": 2}
        if method == "thresholds_table":
            clean |= {"alphas": [0.5, 0.6], "level": 0.9}
        if method == "type1_upper_curve":
            clean |= {"deltas": LEVELS}
        if method == "predict_chunks":
            clean |= {"chunks": [X_NEW[:6], X_NEW[6:]]}
            if kind == "NPGroupFit":
                # groups of chunks are a column of a frame
                function = _method(group_fit_of_frames, method, PUBLIC[kind])
                clean |= {"chunks": [GROUP_FRAME.iloc[:6], GROUP_FRAME.iloc[6:]]}
        name = f"{kind}.{method}" + (f" {about}" if about else "")
        out.append(
            call(
                name,
                function,
                **clean,
                aligned=[a if a != "X" or "X" in known else "X0" for a in aligned if a in (*known, "X")],
                optional={"certify": ("y",), "summary": ("max_rows",)}.get(method, ()),
                roles={"chunks": "object", "alphas": "levels"},
                free={
                    "predict_chunks": ("empty list", "empty tuple", "empty dict", "list of an empty list"),
                    "thresholds_table": ("one too few", "one too many"),
                }.get(method, ()),
                without=("random_state",) if owner == "NPFit" else (),
            )
        )
    out += [
        call(
            "NPFit.predict of a formula",
            _method(formula_fit, "predict", package.NPFit),
            X=FRAME,
            roles={"X": "table"},
            **SEED,
            only=("X",),
            free=("without the label", "missing label"),
            synonyms={"X": ["X", "column", "columns", "y"]},
        ),
        call(
            "NPFit.evaluate of a formula",
            _method(formula_fit, "evaluate", package.NPFit),
            X=FRAME,
            roles={"X": "table"},
            only=("X",),
            # no chunk of rows at all: a warning and no rows
            free=("empty list", "empty tuple", "empty dict"),
            synonyms={"X": ["X", "column", "columns", "y"]},
        ),
    ]
    return out


def _method(made, method, kind):
    """Return a function that calls a method of an object that is made when it is first called."""

    def run(**given):
        return getattr(made(), method)(**given)

    signature = inspect.signature(getattr(kind, method))
    own = [p for p in signature.parameters.values() if p.name != "self"]
    run.__signature__ = signature.replace(parameters=own)
    return run


def closed(function):
    """Return the same function, with every picture closed after it."""

    def run(**given):
        import matplotlib.pyplot as plt

        try:
            return function(**given)
        finally:
            plt.close("all")

    run.__signature__ = inspect.signature(function)
    return run


def _bands():
    scores = {"scores0": S0, "scores1": S1}
    points = {"alpha": LEVELS}
    display = package.NPROCDisplay

    def compared(names=None, regions=None, about=None, **bands):
        return package.compare(*bands.values(), names=names, regions=regions, about=about)

    def at_one(alpha):
        # a list of one level has it as a column
        return comparison().at(alpha).drop(columns="alpha", errors="ignore")

    at = {"roles": {"alpha": "levels"}}
    return [
        call(
            "NPROCBand.from_scores",
            package.NPROCBand.from_scores,
            **scores,
            delta=0.25,
            roles={"scores0": "chunked", "scores1": "chunked", "folder": "saved"},
            without=("name",),
            free=("no text",),
        ),
        call("NPROCBand.at", _method(band, "at", package.NPROCBand), **points, **at),
        call("NPROCBand.at of one", _method(band, "at", package.NPROCBand), alpha=0.25, **at),
        call("NPROCBand.choose_alpha", _method(band, "choose_alpha", package.NPROCBand), type2_max=0.5),
        call("NPROCBand.choose_alpha by eye", _method(band, "choose_alpha", package.NPROCBand), by_eye=0.25),
        call(
            "NPROCBand.choose_alpha by name",
            _method(band, "choose_alpha", package.NPROCBand),
            criterion="youden",
            only=("criterion",),
        ),
        call("NPROCBand.classifier", _method(fitted_band, "classifier", package.NPROCBand), alpha=0.25),
        call("NPROCBand.predictive_values", _method(band, "predictive_values", package.NPROCBand), prevalence=0.25),
        call(
            "NPROCBand.summary",
            _method(band, "summary", package.NPROCBand),
            alphas=(0.25, 0.5),
            roles={"alphas": "levels"},
            free=("nested", "one too few", "one too many"),
        ),
        call("NPROCBand.partial_auc", _method(band, "partial_auc", package.NPROCBand), alpha=0.25),
        call("NPROCBand.plot", closed(_method(band, "plot", package.NPROCBand)), alpha=0.25, label="name"),
        call("CrossFittedCurve.at", _method(_cross_fitted, "at", public.CrossFittedCurve), **points, **at),
        call(
            "CrossFittedCurve.summary",
            _method(_cross_fitted, "summary", public.CrossFittedCurve),
            alphas=(0.25, 0.5),
            roles={"alphas": "levels"},
            free=("nested", "one too few", "one too many"),
        ),
        call("PredictiveBand.at", _method(_predictive, "at", public.PredictiveBand), **points, **at),
        call(
            "PredictiveBand.summary",
            _method(_predictive, "summary", public.PredictiveBand),
            alphas=(0.25, 0.5),
            roles={"alphas": "levels"},
            free=("nested", "one too few", "one too many"),
        ),
        call(
            "PredictiveBand.plot",
            closed(_method(_predictive, "plot", public.PredictiveBand)),
            values=("ppv",),
            roles={"values": "grid"},
        ),
        call(
            "compare",
            compared,
            a=fitted_band(),
            b=_other_band(),
            names=("u", "v"),
            about="rules",
            roles={"a": "object", "b": "object", "regions": "choice"},
            synonyms={"a": ["bands", "compare"], "b": ["bands", "compare"]},
        ),
        call(
            "compare_scores",
            public.compare_scores,
            scores0=np.column_stack([S0, S0[::-1]]),
            scores1=np.column_stack([S1, S1[::-1]]),
            names=("u", "v"),
            delta=0.25,
            roles={"scores0": "rows", "scores1": "rows"},
            # names of columns are names of methods where none are given, whatever their type
            free=("frame with names of two types",),
        ),
        call(
            "compare_aucs",
            public.compare_aucs,
            scores0=np.column_stack([S0, S0[::-1]]),
            scores1=np.column_stack([S1, S1[::-1]]),
            names=("u", "v"),
            level=0.9,
            roles={"scores0": "rows", "scores1": "rows"},
            # any number of rows, and of methods down to one
            free=("frame with names of two types",),
        ),
        call("partial_auc", public.partial_auc, scores0=S0, scores1=S1, fpr_max=0.25),
        call("Comparison.at", _method(comparison, "at", package.Comparison), **points, **at),
        call("Comparison.at of one", at_one, alpha=0.25, **at),
        call(
            "Comparison.best_at",
            _method(comparison, "best_at", package.Comparison),
            alpha=0.25,
            optional=("fallback",),
        ),
        call("Comparison.plot", closed(_method(comparison, "plot", package.Comparison)), alpha=0.25),
        call("ROCCurve.summary", _method(_curve, "summary", package.ROCCurve), fpr=(0.25, 0.5), free=("nested",)),
        call("ROCCurve.partial_auc", _method(_curve, "partial_auc", package.ROCCurve), fpr_max=0.25),
        call("ROCCurve.plot", closed(_method(_curve, "plot", package.ROCCurve)), label="name"),
        call("NPROCDisplay", closed(display), band=band()),
        call("NPROCDisplay.plot", closed(_method(lambda: display(band()), "plot", display)), name="name"),
        call(
            "NPROCDisplay.from_predictions",
            closed(display.from_predictions),
            y_true=Y,
            y_score=X[:, 0],
            delta=0.25,
            plot=False,
            aligned=("y_true", "y_score"),
        ),
        call(
            "NPROCDisplay.from_estimator",
            closed(display.from_estimator),
            estimator=_model(),
            X=X,
            y=Y,
            delta=0.25,
            plot=False,
            aligned=("X", "y"),
            free=FUNCTIONS,
        ),
        call("Type1Curve.at", _method(_type1_curve, "at", public.Type1Curve), delta=0.25),
        call("Type1Curve.delta_at", _method(_type1_curve, "delta_at", public.Type1Curve), type1=0.25),
    ]


@cache
def _review_rule():
    return public.np_review(S0, S1, alpha=0.25, delta0=0.25, beta=0.25, delta1=0.25)


@cache
def _linear_rule():
    return public.linear_rule(fit())


@cache
def _ranking():
    return package.rank_features(X, Y, n_splits=2, **BOTH, **SEED)


@cache
def _predictive():
    return band().predictive_values(0.25)


@cache
def _cross_fitted():
    return package.nproc(X, Y, "lda", cross_fit=2, delta=0.25, **SEED).cross_fitted


@cache
def _other_band():
    return package.nproc(X, Y, "nb", delta=0.25, **SEED)


@cache
def _curve():
    return package.roc_cv(X, Y, "lda", n_folds=2, **SEED)


@cache
def _type1_curve():
    return fit().type1_upper_curve()


@cache
def _model():
    return package.NPClassifier("lda", **BOTH, **SEED).fit(X, Y)


def _numbers():
    p = package
    law = {"n0": 20, **BOTH}
    return [
        call("np_order", p.np_order, **law),
        call("violation_rate", p.violation_rate, order=15, n0=20, alpha=0.25, roles={"order": "counts"}),
        call("type1_upper", public.type1_upper, order=15, n0=20, delta=0.25, roles={"order": "counts"}),
        call("min_class0_size", p.min_class0_size, **BOTH),
        call(
            "clopper_pearson",
            public.clopper_pearson,
            count=3,
            n=20,
            level=0.75,
            roles={"count": "counts", "n": "counts"},
        ),
        call("type2_bounds", public.type2_bounds, n_missed=3, n1=20, delta=0.25, roles={"n_missed": "counts"}),
        call("certification_size", public.certification_size, **BOTH, n_errors=1, n_candidates=2),
        call(
            "np_loss",
            public.np_loss,
            type1=0.25,
            type2=0.25,
            alpha=0.25,
            roles={"type1": "numbers", "type2": "numbers", "alpha": "levels"},
        ),
        call("np_score", _scored, alpha=0.25, class0=0),
        call(
            "np_threshold", p.np_threshold, scores0=S0, **BOTH, roles={"scores0": "chunked"}, without=("random_state",)
        ),
        call(
            "np_threshold of ties", p.np_threshold, scores0=S0, ties="randomize", **BOTH, **SEED, only=("random_state",)
        ),
        call(
            "np_threshold_shifted",
            package.np_threshold_shifted,
            scores0=S0,
            weights=np.ones(len(S0)),
            weight_max=1.0,
            coins="drawn",
            estimated=False,
            **BOTH,
            **SEED,
        ),
        call("np_threshold_normal", public.np_threshold_normal, scores0=S0, **BOTH),
        call("np_threshold_noisy", p.np_threshold_noisy, scores0=S0, scores1=S1, noise0=0.125, noise1=0.125, **BOTH),
        call(
            "noise_sensitivity", public.noise_sensitivity, scores0=S0, scores1=S1, noise0=[0.0, 0.125], noise1=0, **BOTH
        ),
        call("NoisyThreshold.predict", _method(_noisy_threshold, "predict", public.NoisyThreshold), scores=S1),
        call(
            "NoisyThreshold.plot",
            closed(_method(_noisy_threshold, "plot", public.NoisyThreshold)),
            scores0=S0,
            scores1=S1,
        ),
        call("np_threshold_log_concave", public.np_threshold_log_concave, scores0=S0, **BOTH),
        call(
            "np_group_thresholds",
            public.np_group_thresholds,
            scores0=S0,
            groups=G0,
            **BOTH,
            aligned=("scores0", "groups"),
            without=("random_state",),
        ),
        call(
            "np_group_thresholds of ties",
            public.np_group_thresholds,
            scores0=S0,
            groups=G0,
            ties="randomize",
            **BOTH,
            **SEED,
            only=("random_state",),
        ),
        call("normality_check", public.normality_check, scores0=S0, level=0.25, random_state=1),
        call("normal_factor", public.normal_factor, **law),
        call("log_concave_factor", public.log_concave_factor, **law),
        call("simultaneous_order", public.simultaneous_order, **law, roles={"method": "choice", "alpha": "levels"}),
        call(
            "simultaneous_type1_upper",
            public.simultaneous_type1_upper,
            n0=20,
            delta=0.25,
            roles={"method": "choice"},
        ),
        call(
            "simultaneous_cdf_bounds",
            public.simultaneous_cdf_bounds,
            counts=np.array([2, 5]),
            n=20,
            delta=0.25,
            roles={"counts": "counts", "method": "choice"},
        ),
        call("p_values", public.p_values, scores0=S0, scores=S1, roles={"scores0": "chunked", "scores": "chunked"}),
        call(
            "conditional_p_values",
            public.conditional_p_values,
            scores0=S0,
            scores=S1,
            delta=0.25,
            roles={"scores0": "chunked", "scores": "chunked"},
        ),
        call("q_values", p.q_values, scores=X[:, 0], y=Y, correction=0, class0=0, aligned=("scores", "y")),
        call("accepted", p.accepted, scores=X[:, 0], y=Y, q=0.5, correction=0, class0=0, aligned=("scores", "y")),
        call(
            "certify",
            p.certify,
            classifier=fit(),
            X0=X_NEW,
            y=Y_NEW,
            delta=0.25,
            class0=0,
            alpha=0.5,
            aligned=("X0", "y"),
            optional=("y",),
        ),
        call(
            "certify of a function",
            p.certify,
            classifier=lambda X: (np.asarray(X)[:, 0] > 1).astype(int),
            X0=X_NEW,
            y=Y_NEW,
            delta=0.25,
            class0=0,
            aligned=("X0", "y"),
            optional=("y",),
            only=("y", "class0"),
        ),
        # two objects are the names of two clusters
        call("one_per_cluster", public.one_per_cluster, clusters=CLUSTERS, **SEED, free=("array of objects",)),
        call("plan_class0", p.plan_class0, **BOTH, power=0.75, optional=("power",), roles={"prevalence": "level"}),
        call("ClassZeroPlan.at", _method(plan, "at", public.ClassZeroPlan), n0=20),
        call("ClassZeroPlan.plot", closed(_method(plan, "plot", public.ClassZeroPlan)), roles={"what": "choice"}),
        call("ClassZeroPlan.to_frame", _method(plan, "to_frame", public.ClassZeroPlan), n0=20, roles={"n0": "counts"}),
        call("supported_levels", public.supported_levels, n0=20, **BOTH, only=("n0", "alpha", "delta")),
        call("supported_levels of rows", public.supported_levels, rows=40, **BOTH, only=("rows", "split_ratio")),
        call("type1_law", public.type1_law, **law),
        call("RankLaw.probability", _method(_law, "probability", public.RankLaw), low=0.25, high=0.5),
        call("RankLaw.quantile", _method(_law, "quantile", public.RankLaw), q=0.25, roles={"q": "levels"}),
        call("vote_bound", public.vote_bound, n_splits=3, **BOTH, n0_left_out=20),
        call("cross_fit_bound", public.cross_fit_bound, n0=40, n_folds=3, **BOTH),
        call(
            "cross_fit_bound of an order",
            public.cross_fit_bound,
            n0=40,
            n_folds=3,
            **BOTH,
            order=38,
            only=("order",),
        ),
        call(
            "vote_bound of an order",
            public.vote_bound,
            n_splits=3,
            **BOTH,
            n0_left_out=20,
            order=18,
            only=("order", "n0_left_out"),
        ),
        call(
            "VoteBound.exceedance",
            _method(_votes, "exceedance", public.VoteBound),
            type1=0.25,
            roles={"type1": "levels"},
        ),
        call("Threshold.predict", _method(threshold, "predict", p.Threshold), scores=S1, only=("scores",)),
        call(
            "Threshold.predict of ties",
            _method(partial(threshold, "randomize"), "predict", p.Threshold),
            scores=S1,
            **SEED,
        ),
        call("NPFit.monitor", _method(fit, "monitor", package.NPFit), delta=0.25),
        call("FeatureRanking.top", _method(_ranking, "top", public.FeatureRanking), k=2),
        call("FeatureRanking.summary", _method(_ranking, "summary", public.FeatureRanking), max_rows=2),
        call("FeatureRanking.plot", _method(_ranking, "plot", public.FeatureRanking), n_features=2),
        call("averaged_error_bounds", public.averaged_error_bounds, mean=0.25, n=20, roles={"mean": "levels"}),
        call(
            "log_density_ratio",
            public.log_density_ratio,
            train0=S0,
            train1=S1,
            points=S0,
            roles={"train0": "scores", "train1": "scores", "points": "scores"},
        ),
        call(
            "NPFit.check_assumptions",
            _method(fit, "check_assumptions", package.NPFit),
            X0_new=X_NEW,
            level=0.25,
            n_permutations=19,
            random_state=1,
            roles={"X0_new": "rows", "n_permutations": "count"},
            optional=("X0_new",),
            without=("clusters_new",),
            free=("frame with names of two types",),
        ),
        call(
            "NPFit.check_assumptions of clusters",
            _method(cluster_fit, "check_assumptions", package.NPFit),
            X0_new=X_CLUSTERS[Y_CLUSTERS == 0],
            clusters_new=1000 + np.arange(int(np.sum(Y_CLUSTERS == 0))) // 2,
            level=0.25,
            n_permutations=19,
            random_state=1,
            roles={"X0_new": "rows", "n_permutations": "count"},
            aligned=("X0_new", "clusters_new"),
            only=("clusters_new",),
        ),
        call("Type1Monitor", public.Type1Monitor, **BOTH),
        call("np_review", public.np_review, scores0=S0, scores1=S1, alpha=0.25, beta=0.25, delta0=0.25, delta1=0.25),
        call(
            "plan_review",
            public.plan_review,
            scores0=S0,
            scores1=S1,
            alpha=0.25,
            beta=0.25,
            delta0=0.25,
            delta1=0.25,
            max_review=0.25,
            roles={"prevalence": "level"},
        ),
        call("ReviewRule.predict", _method(_review_rule, "predict", public.ReviewRule), scores=S1),
        call(
            "ReviewRule.shares",
            _method(_review_rule, "shares", public.ReviewRule),
            level=0.5,
            roles={"prevalence": "level"},
        ),
        call(
            "Type1ChangeDetector", public.Type1ChangeDetector, alpha=0.25, run_length=100, roles={"run_length": "count"}
        ),
        call(
            "LinearRule.predict",
            _method(_linear_rule, "predict", public.LinearRule),
            X=X_NEW,
            free=("frame with names of two types",),
        ),
        call(
            "score_rule",
            public.score_rule,
            scores0=S0,
            class0="bad",
            class1="good",
            score="s",
            **BOTH,
            without=("random_state", "groups", "clusters", "pooled"),
        ),
        call(
            "score_rule of groups",
            public.score_rule,
            scores0=S0,
            groups=G0,
            pooled=True,
            **BOTH,
            aligned=("scores0", "groups"),
            only=("groups", "pooled"),
        ),
        call(
            "score_rule of clusters",
            public.score_rule,
            scores0=S0,
            clusters=np.arange(S0.size) // 2,
            **BOTH,
            **SEED,
            aligned=("scores0", "clusters"),
            only=("clusters", "random_state"),
        ),
        call(
            "ScoreRule.predict",
            _method(_score_rule, "predict", public.ScoreRule),
            scores=S0,
            groups=G0,
            aligned=("scores", "groups"),
            only=("scores", "groups"),
        ),
        call(
            "ScoreRule.predict of ties",
            _method(partial(_score_rule, "randomize"), "predict", public.ScoreRule),
            scores=S0,
            groups=G0,
            **SEED,
            only=("random_state",),
        ),
        call("ScoreRule.was_set_by", _method(_score_rule, "was_set_by", public.ScoreRule), scores=S0),
        call("NormalThreshold.predict", _method(_normal_threshold, "predict", public.NormalThreshold), scores=S1),
        call("LogConcaveThreshold.predict", _method(_tail_threshold, "predict", public.LogConcaveThreshold), scores=S1),
        call(
            "GroupThresholds.predict",
            _method(_group_thresholds, "predict", public.GroupThresholds),
            scores=S0,
            groups=G0,
            aligned=("scores", "groups"),
            only=("scores", "groups"),
        ),
        call(
            "GroupThresholds.predict of ties",
            _method(partial(_group_thresholds, "randomize"), "predict", public.GroupThresholds),
            scores=S0,
            groups=G0,
            **SEED,
            only=("random_state",),
        ),
        call("ShiftedThreshold.predict", _method(_shifted, "predict", public.ShiftedThreshold), scores=S0),
        call(
            "ShiftedThreshold.plot",
            closed(_method(_shifted, "plot", public.ShiftedThreshold)),
            scores0=S0,
            weights=np.ones(len(S0)),
        ),
        call("get_scorer", p.get_scorer, name_or_object="lda", free=("function", "lambda")),
        call("register", p.register, name="lda", replace=True, r_name=None),
        call("scorer_names", p.scorer_names),
        call("describe_scorers", p.describe_scorers, method="svm"),
    ]


def _scored(alpha=0.05, class0=None):
    return package.np_score(alpha, class0=class0)(_model(), X, Y)


@cache
def _law():
    return public.type1_law(20, **BOTH)


@cache
def _votes():
    return public.vote_bound(3, n0_left_out=20, **BOTH)


@cache
def _noisy_threshold():
    return package.np_threshold_noisy(S0, S1, noise0=0.125, noise1=0.125, **BOTH)


@cache
def _normal_threshold():
    return public.np_threshold_normal(S0, **BOTH)


def _tail_threshold():
    return public.np_threshold_log_concave(S0, **BOTH)


@cache
def _score_rule(ties="conservative"):
    return public.score_rule(S0, groups=G0, **BOTH, ties=ties, **SEED)


def _shifted():
    return package.np_threshold_shifted(S0, np.ones(len(S0)), weight_max=1.0, **BOTH, **SEED)


def _group_thresholds(ties="conservative"):
    return public.np_group_thresholds(S0, G0, **BOTH, ties=ties, **SEED)


def _several_classes():
    p = package
    new = X3[:12]
    rows = {"X": X3, "y": Y3, "method": "lda"}
    multi, cost = (
        partial(_method, multi_fit, kind=public.NPMultiFit),
        partial(_method, cost_fit, kind=public.NPCSFit),
    )
    judged = {"X": new, "y": Y3[:12], "aligned": ("X", "y")}
    alphas = {"alphas": "level", "deltas": "level"}
    return [
        call(
            "npc_multiclass",
            p.npc_multiclass,
            **rows,
            alphas=0.5,
            deltas=0.5,
            priority=[2, 1, 0],
            **SEED,
            aligned=("X", "y"),
            roles=alphas,
            free=("range",),
        ),
        call(
            "npc_multiclass of lists",
            p.npc_multiclass,
            **rows,
            alphas=[0.5, 0.25],
            deltas=[0.5, 0.5],
            **SEED,
            roles={"alphas": "order", "deltas": "order"},
            only=("alphas", "deltas"),
        ),
        call(
            "npcs",
            public.npcs,
            **rows,
            alphas=ALPHAS,
            weights={0: 1.0, 1: 2.0, 2: 1.0},
            **SEED,
            aligned=("X", "y"),
            roles={"alphas": "by_label", "weights": "by_label"},
        ),
        call("NPMultiFit.predict", multi(method="predict"), X=new),
        call("NPMultiFit.decision_function", multi(method="decision_function"), X=new),
        call("NPMultiFit.evaluate", multi(method="evaluate"), **judged),
        call("NPCSFit.predict", cost(method="predict"), X=new),
        call("NPCSFit.decision_function", cost(method="decision_function"), X=new),
        call("NPCSFit.evaluate", cost(method="evaluate"), **judged),
        call("NPMultiFit.plot", closed(multi(method="plot")), **judged),
        call("NPCSFit.plot", closed(cost(method="plot")), **judged),
    ]


# chunks pass on the cells of X as they are: whoever trains on them or calls them checks what its method takes
_BEGINNINGS = ("one ", "text ", "bytes ", "objects", "frame ", "dates", "timedeltas")
_NO_CELLS = ("one row of it", "one column of it", "one ragged row", "one masked", "one masked far value")
KEPT_CELLS = (
    *(
        k.name
        for k in matrix_kinds(X)
        if k.name.startswith(_BEGINNINGS) and k.sort == REFUSED and k.name not in _NO_CELLS
    ),
    "list with a text number",
    "sparse with NaN",
    "polars frame with null",
    "polars frame with text",
    "xarray with NaN",
)


def _chunks(folder):
    p = package
    rows = partial(_method, chunks, kind=public.RowChunks)

    return [
        call(
            "RowChunks.from_arrays",
            _rows_of_chunks,
            X=X,
            y=Y,
            class0=0,
            chunk_size=16,
            aligned=("X", "y"),
            optional=("y",),
            free=KEPT_CELLS,
        ),
        call("RowChunks.split", rows(method="split"), share=0.5, **SEED),
        call("RowChunks.shuffled", rows(method="shuffled"), **SEED),
        call("RowChunks.two_labels", rows(method="two_labels"), class0=0),
        call(
            "read_in_chunks",
            _rows_of_file,
            optional=("label",),
            # no column to leave out is a list as good
            free=("one too few", "no text", "empty array", "empty series"),
            path=str(folder / "rows.csv"),
            label="y",
            features=["a", "b"],
            class0=0,
            chunk_size=16,
        ),
        call("train_in_chunks", p.train_in_chunks, model=_trainable(), rows=chunks(), **SEED, roles={"rows": "object"}),
        call(
            "ScoreChunks",
            _folded,
            source=S0,
            chunk_size=8,
            roles={"source": "chunked"},
            # a list of lists is a list of chunks, and chunks without a score are refused by whoever needs scores
            free=(
                "ragged lists",
                "empty list",
                "empty tuple",
                "list of an empty list",
                "empty array",
                "empty series",
            ),
            synonyms={"source": ["source", "scores"]},
        ),
    ]


def _trainable():
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(random_state=0)


def _rows_of_chunks(X, y=None, class0=None, chunk_size=100_000):
    return _read(public.RowChunks.from_arrays(X, y, class0=class0, chunk_size=chunk_size), y is not None)


def _rows_of_file(
    path, label, features=None, drop=(), class0=None, chunk_size=100_000, sep=None, decimal=None, encoding=None
):
    how = {"chunk_size": chunk_size, "sep": sep, "decimal": decimal, "encoding": encoding}
    made = package.read_in_chunks(path, label, features=features, drop=drop, class0=class0, **how)
    return _read(made, label is not None)


def _read(made, labelled):
    if not labelled:
        return [list(made.rows()), None]
    # places of the labels, which are the same for labels of other values
    first, _ = made.two_labels().tolist()
    return [list(made.rows()), [label == first for y in made.labels() for label in y.tolist()]]


def _folded(source, column=None, chunk_size=65536):
    made = public.ScoreChunks(source, column=column, chunk_size=chunk_size)
    return [score for chunk in made.chunks("scores") for score in np.asarray(chunk).tolist()]


def _files(folder):
    p = package
    return [
        call("save", p.save, result=fit(), path=str(folder / "out" / "saved.joblib"), roles={"path": "saved"}),
        call("load", p.load, path=str(folder / "fit.joblib")),
    ]


# a kernel that uses all its settings, so that a bad one matters
POLY = {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0}
ESTIMATORS = {
    "NPClassifier": {"method": "lda", **BOTH, **SEED},
    "NPMultiClassifier": {"method": "lda", "alphas": 0.5, "deltas": 0.5, **SEED},
    "NPCSClassifier": {"method": "lda", "alphas": ALPHAS, **SEED},
    "AveragedScorer": {"scorer": "lda", "n_members": 2, **SEED},
    "NPSVC": {"alpha": 0.25, **POLY},
    "AsymmetricCostSVC": {
        "alpha": 0.25,
        "C1s": [1.0],
        "C0s": [1.0, 2.0],
        "gammas": [0.5],
        "kernel": "poly",
        "degree": 2,
        "coef0": 1.0,
        "n_folds": 2,
        **SEED,
    },
    "ConstrainedNPClassifier": {"alpha": 0.5, "delta": 0.25},
    "GaussianNPClassifier": {"alpha": 0.25, **POLY},
    "OnlineNPClassifier": {
        "alpha": 0.25,
        "kernel": "rbf",
        "gamma": 0.5,
        "n_components": 4,
        "max_iter": 20,
        **SEED,
    },
    "OnlineNPClassifierCV": {
        "alpha": 0.25,
        "shares": (1.0,),
        "lams": (0.5,),
        "taus": (1.0,),
        "cv": 2,
        "max_iter": 5,
        **SEED,
    },
    "OnlineNPNetwork": {"alpha": 0.25, "hidden": (2,), "max_iter": 5, **SEED},
    "ParzenNP": {"alpha": 0.25},
    "PrecisionAtKSVC": {"alpha": 0.25, "n_values": 2, "n_folds": 2, "max_iter": 50, **SEED},
    "QValueLinear": {"q": 0.25, "max_iter": 5, **SEED},
    "QValueNetwork": {"q": 0.25, "hidden": (2,), "max_iter": 5, **SEED},
    "QValueSVC": {"q": 0.25, **POLY, "max_iter": 20},
    "SparseLogisticClassifier": {"lam": 0.5, **POLY, "n_folds": 2, **SEED},
}
# what arguments of these names mean in an estimator
OF_ESTIMATORS = {
    "alphas": "by_label",
    "weights": "by_label",
    "rate": "choice",
    "bound": "choice",
    "step_bound": "choice",
    "gamma": "grid",
    "bandwidth": "grid",
    "gamma0": "number",
    "scorer": "object",
    "cv": "count",
    "reg": "number",
    "share": "level",
    "shift": "flag",
    "eta": "number",
    "p_min": "share",
    "p_max": "share",
    "params": "mapping",
    "variant": "choice",
    "lam": "number",
    "tau": "number",
}


# a kernel may be a function, and the average may start at a step
FREE_OF_ESTIMATORS = {
    **dict.fromkeys(
        ("NPSVC", "QValueSVC", "GaussianNPClassifier", "AsymmetricCostSVC", "SparseLogisticClassifier"), FUNCTIONS
    ),
    "OnlineNPClassifier": ("3", "0 or 1"),
    "OnlineNPClassifierCV": ("3", "0 or 1"),
    "NPMultiClassifier": ("range",),
    # a share so small is one row of each class, and one row in a list
    "AveragedScorer": ("1e-320",),
    "PrecisionAtKSVC": ("1e-320",),
    # no constraint beside the level
    "ConstrainedNPClassifier": ("empty list", "empty tuple"),
}
# None is a value of its own
OPTIONAL_OF_ESTIMATORS = {"OnlineNPClassifier": ("tol",), "OnlineNPClassifierCV": ("tol",)}


def _estimators():
    out = []
    for name, settings in ESTIMATORS.items():
        kind = PUBLIC[name]
        several = name in ("NPMultiClassifier", "NPCSClassifier")
        rows, labels = (X3, Y3) if several else (X, Y)
        # the estimators of papers are scikit-learn estimators alone: they read rows and labels by its validate_data
        own = () if name in ("NPClassifier", "NPMultiClassifier", "NPCSClassifier") else ("X", "y", "sample_weight")
        out.append(_fitting(name, kind, settings, rows, labels, own))
        made = cache(partial(_fitted, kind, tuple(settings.items()), rows, labels))
        for method in ("predict", "decision_function", "votes", "predict_proba", "probability_bounds", "posterior"):
            if hasattr(kind, method) and not (
                several and method == "decision_function" and name == "NPMultiClassifier"
            ):
                out.append(
                    call(
                        f"{name}.{method}",
                        _method(made, method, kind),
                        X=rows[:12],
                        only=("X", "share0"),
                        read_by_sklearn=own,
                    )
                )
        if hasattr(kind, "plot"):
            out.append(
                call(
                    f"{name}.plot",
                    closed(_method(made, "plot", kind)),
                    X=X,
                    y=Y,
                    n_groups=2,
                    aligned=("X", "y"),
                    read_by_sklearn=own,
                )
            )
        if hasattr(kind, "accepted"):
            out.append(
                call(
                    f"{name}.accepted",
                    _method(made, "accepted", kind),
                    X=X,
                    y=Y,
                    q=0.5,
                    aligned=("X", "y"),
                    read_by_sklearn=own,
                )
            )
        if hasattr(kind, "partial_fit"):
            out.append(
                call(
                    f"{name}.partial_fit",
                    _partial_fit(kind, settings),
                    X=X,
                    y=Y,
                    classes=[0, 1],
                    aligned=("X", "y"),
                    # a label that is listed twice is one label, as in scikit-learn
                    free=("one too many",),
                    read_by_sklearn=own,
                )
            )
    for method in ("predict", "decision_function", "votes"):
        out.append(
            call(
                f"NPClassifier.{method} of groups",
                _method(_group_classifier, method, package.NPClassifier),
                X=X_NEW,
                groups=np.tile([0, 1, 1, 0], 3),
                aligned=("X", "groups"),
            )
        )
    out.append(
        call(
            "OnlineNPClassifierCV.fit of groups",
            _cv_of_groups,
            X=X,
            y=Y,
            groups=GROUPS,
            aligned=("X", "y", "groups"),
            only=("groups",),
            # a splitter that needs groups says so
            read_by_sklearn=("groups",),
        )
    )
    out.append(
        call(
            "AveragedScorer.fit of weights",
            _weighted,
            X=X,
            y=Y,
            sample_weight=WEIGHTS,
            optional=("sample_weight",),
            aligned=("X", "y", "sample_weight"),
            read_by_sklearn=("X", "y", "sample_weight"),
        )
    )
    return out


@cache
def _group_classifier():
    return package.NPClassifier("lda", alpha=0.5, delta=0.25, **SEED).fit(X, Y, groups=GROUPS)


def _cv_of_groups(X, y, groups):
    from sklearn.model_selection import GroupKFold

    settings = {**ESTIMATORS["OnlineNPClassifierCV"], "cv": GroupKFold(2)}
    return package.OnlineNPClassifierCV(**settings).fit(X, y, groups)


def _weighted(X, y, sample_weight):
    return public.AveragedScorer("logistic", n_members=2, random_state=1).fit(X, y, sample_weight)


def _fitted(kind, settings, X, y):
    return kind(**dict(settings)).fit(X, y)


def _partial_fit(kind, settings):
    def run(X, y, classes=None):
        return kind(**settings).partial_fit(X, y, classes)

    return run


def _fitting(name, kind, settings, rows, labels, own):
    names = list(inspect.signature(kind).parameters)
    more = {"sample_weight": None, "groups": None, "clusters": None} if name == "NPClassifier" else {}

    def run(X, y, **given):
        fit_params = {k: given.pop(k) for k in list(given) if k in more}
        fit_params = {k: v for k, v in fit_params.items() if v is not None}
        return kind(**given).fit(X, y, **fit_params)

    empty = inspect.Parameter.empty
    run.__signature__ = inspect.Signature(
        [
            inspect.Parameter(k, inspect.Parameter.KEYWORD_ONLY, default=v)
            for k, v in {
                "X": empty,
                "y": empty,
                **{k: inspect.signature(kind).parameters[k].default for k in names},
                **more,
            }.items()
        ]
    )
    roles = {k: role for k, role in OF_ESTIMATORS.items() if k in names}
    roles |= {"alphas": "level", "deltas": "level"} if name == "NPMultiClassifier" else {}
    if "params" in names:
        roles["params"] = "mapping"
    return call(
        f"{name}.fit",
        run,
        X=rows,
        y=labels,
        **settings,
        aligned=("X", "y"),
        roles=roles,
        read_by_sklearn=own,
        optional=OPTIONAL_OF_ESTIMATORS.get(name, ()),
        free=FREE_OF_ESTIMATORS.get(name, ()),
    )


def _worlds(folder):
    vector = np.array([1.0, 0.5])
    gaussian = {"mean0": np.zeros(2), "mean1": np.ones(2), "cov0": np.eye(2), "cov1": np.eye(2), "prob0": 0.5}
    scores = dict.fromkeys(
        ("mean0", "mean1", "mass0", "mass1", "slopes", "lengths", "expression0", "expression1", "weights"), "scores"
    )
    world = simulate.GaussianWorld(**gaussian)
    # an infinite threshold calls no row class 1, or all of them
    any_threshold = {
        "weights": vector,
        "roles": {**scores, "threshold": "numbers"},
        "free": ("inf", "-inf", "one inf"),
    }

    def of(method):
        return _method(lambda: world, method, simulate.GaussianWorld)

    return [
        call(
            "GaussianWorld",
            simulate.GaussianWorld,
            **gaussian,
            roles={**scores, "cov0": "rows", "cov1": "rows"},
            optional=("cov0", "cov1"),
            synonyms={"mean0": ["mean0", "mean1"]},
            # the names of a matrix's columns mean nothing
            free=("frame with names of two types",),
        ),
        call(
            "DiscreteWorld",
            simulate.DiscreteWorld,
            values=np.array([[0.0], [1.0]]),
            mass0=LEVELS * 4 / 3,
            mass1=LEVELS[::-1] * 4 / 3,
            roles={**scores, "values": "rows"},
            synonyms={"values": ["values", "mass0"]},
            # one number for each point, and the names of columns mean nothing
            free=("one column of it", "frame with names of two types"),
        ),
        call("LogisticWorld", simulate.LogisticWorld, intercept=0.5, slopes=vector, roles=scores),
        call(
            "RNASeqWorld",
            simulate.RNASeqWorld,
            lengths=vector,
            expression0=vector,
            expression1=vector * 2,
            roles=scores,
        ),
        call("World.sample", of("sample"), n=5, **SEED),
        call("World.sample_classes", of("sample_classes"), n0=5, n1=5, **SEED),
        call("World.type1", of("type1"), threshold=LEVELS, **any_threshold),
        call("World.type2", of("type2"), threshold=LEVELS, **any_threshold),
        call("World.threshold", of("threshold"), weights=vector, alpha=LEVELS, roles={**scores, "alpha": "levels"}),
        call("World.np_oracle", of("np_oracle"), weights=vector, alpha=0.25, roles=scores),
        call("World.roc", of("roc"), weights=vector, fpr=LEVELS, roles=scores),
        call("simulation1", simulate.simulation1, n=5, **SEED),
        call("simulation2", simulate.simulation2, n=5, **SEED),
        call("logistic_world", simulate.logistic_world, n=5, **SEED),
        call("rna_seq", simulate.rna_seq, n0=3, n1=3, n_genes=4, changed=0.5, **SEED, roles={"shift": "number"}),
        call("load_breast_cancer_np", datasets.load_breast_cancer_np),
    ]
