"""Which method is better, and where: regions of alpha in which one NP-ROC band dominates another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from nproc.bands import NPROCBand
from nproc.checks import (
    check_choice,
    check_delta,
    check_numeric_matrix,
    check_one_label,
    check_scores,
    refuse_unordered,
    shown,
    tells_names,
)
from nproc.comparison.regions import (
    paired_rules,
    paired_scores,
    pointwise_rules,
    same_rows,
    simultaneous_rules,
    simultaneous_scores,
)
from nproc.comparison.result import Comparison, Region, pair_and_place
from nproc.errors import InvalidInputError, NPWarning, changed_filter
from nproc.inputs import knows_names_of_r
from nproc.rows import as_table, is_frame
from nproc.score_direction import warn_direction

REGIONS = ("pointwise", "simultaneous", "paired")
ABOUT = ("rules", "scores")


@knows_names_of_r
def compare(
    *bands: NPROCBand | Mapping[str, NPROCBand] | Sequence[NPROCBand],
    names: Sequence[str] | None = None,
    regions: Literal["pointwise", "simultaneous", "paired"] | None = None,
    about: Literal["rules", "scores"] | None = None,
) -> Comparison:
    r"""Find the levels alpha at which one method is shown to have a smaller type II error than another.

    "a is better than b at alpha" can mean three things:

    - of the *fitted rules*: the trained classifier of a, with its threshold, has the smaller type II error.
    - of the *fitted scores*: the trained scoring function of a has the larger power at a true type I error of alpha.
      This power is the height of its population ROC curve.
    - of the *procedures*: the type II error of a is smaller on average over training samples.

    This function compares rules or scores, and the attribute `about` of the result says which. `compare_procedures`
    compares procedures.

    Parameters
    ----------
    *bands : NPROCBand
        At least two bands with the same `delta`, or one list or dict of bands, such as the result of `nproc_bands`. The
        bands may have different numbers of rows and splits. They may also have different `alpha_max`: rules are then
        compared up to the smallest of them, and scores at all levels. Paired regions of rules require the same
        `alpha_max`.
    names : sequence of str, optional
        Names of the methods. None takes the keys of a dict, or the names of the bands. Equal names are numbered.
    regions : {"pointwise", "simultaneous", "paired"}, optional
        None uses the kind of the bands, which is "pointwise" by default. "pointwise": a dominates b where the whole
        band of a lies above the band of b. For bands of one split and one alpha fixed beforehand, a rule that is not
        better than another is called better with probability at most 2 delta. "simultaneous": for bands of one split,
        all regions are true with probability at least 1 - delta, for all alpha and all pairs of bands at once.
        "paired": the same statement for bands that left out the same rows. Exact tests compare the methods row by row,
        and usually find more. They can also miss levels that the simultaneous regions show, because they test whole
        ranges of alpha. Paired and simultaneous regions of the same bands are all true with probability at least
        1 - 2 delta. Only the positions of the rows are checked, since the bands do not keep the rows. The tests for
        scores can also show that one method is better at some level within a range of alpha, even if the methods are
        similar; see `Comparison.somewhere`.
    about : {"rules", "scores"}, optional
        What simultaneous and paired regions compare. None means "scores". "rules" finds much more with few class 0 rows
        or at small alpha, because it requires no bounds on the true type I errors. In simulations with 100 left-out
        rows of each class, paired regions found the better of two features in 91 % of the samples with "rules", and in
        5 % with "scores" (``benchmarks/results/comparison_power.md``). But "rules" compares only these fitted
        classifiers. Two equally good scores have equal ROC curves, but their rules can differ, because thresholds are
        random. Pointwise regions compare rules.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInputError
        If fewer than two bands are given, if one of them is not an NPROCBand, if their deltas or kinds differ, if the
        names are not valid, or if these regions cannot be computed from these bands.

    See Also
    --------
    nproc_bands : The bands of several methods on the same splits, from one pool of fits.
    compare_scores : The same for a table of scores.
    compare_procedures : Methods as procedures, approximate.

    Notes
    -----
    Nothing is assumed about how the methods were trained. Nothing is said about other training data.

    **Pointwise regions**, for bands of one split and one alpha fixed beforehand. If the type II error
    of a rule on new rows is larger than that of another rule, or equal, it is called better with probability at most
    2 delta, because this can happen only if one of two bounds fails. (If both errors are equal, either answer is false,
    and each has probability at most 2 delta.) For all regions together there is no such bound. For averages over splits
    nothing is proved.

    **Simultaneous and paired regions.** With probability at least 1 - delta, no region of any pair is false at any
    alpha. The proofs are in `nproc.comparison.regions` and `nproc.comparison.dominance`. Simultaneous regions use
    bounds of the K methods, each computed with delta / K. With probability at least 1 - delta all of them hold
    together. Where the bounds hold and do not overlap, the errors differ. For scores, delta / K is divided between the
    two classes, because the true type I errors must be bounded too. Paired regions use a sign test for each pair of
    rules, given the class 0 rows. The test uses the class 1 rows that exactly one of the two rules misses. Holm's
    procedure adjusts for the tests of about :math:`\pi \sqrt{n_0}` ranges of alpha for scores, and of about twice as
    many for rules. These ranges cover all levels, because the type II errors of both rules fall as alpha rises. In each
    range the test compares the largest error of one rule with the smallest error of the other. Where an error jumps
    within a range, the simultaneous regions may therefore reach further.

    For paired regions of scores, three quarters of delta are used for regions throughout which one method is better.
    The last quarter is used for `Comparison.somewhere`. Its tests take thresholds from one half of the class 0 rows.
    The rules with these thresholds are compared on the other half and on the class 1 rows. If one rule has the smaller
    error in both classes, its method has the higher ROC curve between the two type I errors. For similar scores this
    finds the better method with far fewer rows (``benchmarks/results/comparison_power.md``). The price is that a few of
    the regions throughout which one method is better are no longer found. The proof is in
    `nproc.comparison.regions.better_in_both`.

    **Why the regions are conservative.** The probability of a false region is below delta, for two reasons. First,
    delta is divided between the methods, and for scores also between the classes. These union bounds would be exact
    only if no two bounds failed on the same sample, but the bounds of similar methods often fail together. Second, one
    bound that fails is not enough for a false simultaneous region: the bounds of the two methods must be wrong by so
    much that they do not overlap. Paired regions test differences, so they avoid the second loss. For scores they also
    require bounds on the thresholds, and a sign test of few rows has a level below its nominal one.

    The regions give no bound on the type I error of a method that you choose by them; see `Comparison.best_at`.

    References
    ----------
    "Simulation 2" and Figure 4B of [tong2018]_ for pointwise regions; [berk1979]_, [moscovich2016]_ for simultaneous
    bounds; [holm1979]_.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> strong = NPROCBand.from_scores(rng.normal(size=300), rng.normal(3, 1, size=300), name="strong")
    >>> weak = NPROCBand.from_scores(rng.normal(size=300), rng.normal(1, 1, size=300), name="weak")
    >>> result = compare(strong, weak)
    >>> result.best_at(0.1)
    'strong'
    >>> compare(strong, weak, regions="simultaneous")
    Comparison(strong, weak; simultaneous, of the fitted scores, delta=0.05, 1 interval(s) of dominance)
    """
    given: Any = bands[0] if len(bands) == 1 else bands
    if isinstance(given, dict):
        names, given = list(given) if names is None else names, list(given.values())
    compared: tuple[NPROCBand, ...] = tuple(given) if isinstance(given, list | tuple) else (given,)
    names = _check_bands(compared, names)
    regions = _check_regions(regions, compared)
    about = _check_about(about, regions)
    if regions == "pointwise":
        return _result(compared, names, pointwise_rules(compared), regions, about)
    several = next((band for band in compared if band.n_splits > 1), None)
    if several is not None:
        raise InvalidInputError(
            f"regions={regions!r} requires bands of one split, but one of the bands has {several.n_splits} splits; "
            "nothing is proved for averages over splits.",
            fault="averages over splits",
            way_out="Make all bands with n_splits=1, or compare the methods by nproc.comparison.compare_procedures.",
        )
    if regions == "paired":
        scores0, scores1 = same_rows(compared)
        return _paired(compared, names, scores0, scores1, about)
    find = simultaneous_rules if about == "rules" else simultaneous_scores
    return _result(compared, names, find(compared), regions, about)


@tells_names
def compare_scores(
    scores0: ArrayLike,
    scores1: ArrayLike,
    *,
    delta: float = 0.05,
    names: Sequence[str] | None = None,
    about: Literal["rules", "scores"] | None = None,
) -> Comparison:
    r"""Compare methods by their scores of the same left-out rows, where you have scores and no bands.

    Parameters
    ----------
    scores0, scores1 : array-like or DataFrame, shape (n0, K) and (n1, K)
        Scores of class 0 and class 1 rows that no method has seen: a row an observation, a column a method.
    delta : float
        Bound on the probability, in (0, 0.5], that any region is false.
    names : sequence of str, optional
        Names of the methods; None takes those of the columns of a DataFrame, or numbers.
    about : {"rules", "scores"}, optional
        As in `compare`; None is "scores".

    Returns
    -------
    Comparison
        As of ``compare(..., regions="paired")``.

    Raises
    ------
    InvalidInputError
        If the tables do not fit each other, hold fewer than two methods or more methods than rows, as where rows and
        columns are swapped, or an argument is not valid.

    Warns
    -----
    NPWarning
        If the scores of a method are clearly larger for class 0 than for class 1.

    Notes
    -----
    See `compare`; rows must be independent of each other, and of the training of all methods.

    References
    ----------
    [holm1979]_.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores0, noise0 = rng.normal(size=(900, 1)), rng.normal(size=(900, 2))
    >>> scores1, noise1 = rng.normal(2, 1, size=(900, 1)), rng.normal(size=(900, 2))
    >>> result = compare_scores(scores0 + noise0 * [0, 2], scores1 + noise1 * [0, 2], names=["clear", "noisy"])
    >>> result.kind, result.about, result.best_at(0.1)
    ('paired', 'scores', 'clear')
    """
    delta = check_delta(delta)
    about = _check_about(about, "paired")
    columns0, columns1, names = read_score_columns(scores0, scores1, names, least=2)
    with changed_filter("ignore", NPWarning, "the scores seem to have the wrong sign"):
        # which of them is said below
        bands = tuple(NPROCBand.from_scores(*pair, delta=delta) for pair in zip(columns0, columns1, strict=True))
    warn_directions(columns0, columns1, names)
    return _paired(bands, names, columns0, columns1, about)


def read_score_columns(scores0, scores1, names, *, least):
    """Return the scores of each class, an array a method, and the names of the methods, all checked."""
    scores0, scores1 = as_table(scores0, "scores0"), as_table(scores1, "scores1")
    if least == 1:
        # the scores of one method may come without columns
        scores0, scores1 = (s[:, None] if getattr(s, "ndim", 2) == 1 else s for s in (scores0, scores1))
    columns0, columns1 = _score_columns(scores0, "scores0"), _score_columns(scores1, "scores1")
    if len(columns0) != len(columns1) or len(columns1) < least:
        wanted = "at least two methods" if least == 2 else "the methods"
        raise InvalidInputError(
            f"scores0 and scores1 must have one column for each of {wanted}, got {len(columns0)} and {len(columns1)}."
        )
    headed = [[str(column) for column in table.columns] for table in (scores0, scores1) if is_frame(table)]
    if len(headed) == 2 and headed[0] != headed[1]:
        raise InvalidInputError(
            f"scores0 and scores1 must have the same columns in the same order, got {headed[0]} and {headed[1]}."
        )
    names = headed[0] if names is None and headed else names
    names = [f"method {j}" for j in range(1, len(columns1) + 1)] if names is None else names
    return columns0, columns1, distinct_names(columns1, names)


def warn_directions(columns0, columns1, names):
    """Warn of each method with scores that are clearly smaller for class 1; no threshold is set by them."""
    for scores0, scores1, name in zip(columns0, columns1, names, strict=True):
        which = name if len(names) > 1 else None
        warn_direction(np.sort(scores0), np.sort(scores1), "of scores0, class 0, and scores1, class 1", "", which)


def _score_columns(scores, label):
    """Return the scores of each method, checked."""
    if getattr(scores, "ndim", 2) != 2:
        raise InvalidInputError(
            f"{label} must be two-dimensional (a row an observation, a column a method), got shape {scores.shape}."
        )
    columns = check_numeric_matrix(scores, label, allow_nan=True).T
    n_methods, n_rows = columns.shape
    if n_methods > n_rows:
        raise InvalidInputError(
            f"{label} has {n_rows} rows and {n_methods} columns, so there are fewer observations than methods. "
            f"Rows must be observations and columns must be methods. If {label} is a list with the scores of each "
            f"method, pass np.column_stack({label})."
        )
    return [check_scores(column, f"column {j} of {label}") for j, column in enumerate(columns)]


def _paired(bands, names, scores0, scores1, about):
    if about == "rules" and len({(band.bounds, band.alpha_max) for band in bands}) > 1:
        raise InvalidInputError(
            "regions='paired' with about='rules' requires bands with the same bounds= and alpha_max=, because the "
            "ranks must agree. Make the bands again with one of each, or use about='scores'."
        )
    found = paired_rules(bands, scores1) if about == "rules" else paired_scores(bands, scores0, scores1)
    return _result(bands, names, found, "paired", about)


def _result(bands, names, found, kind, about):
    curves, ranges, *more = found
    # the rules of a band end at its alpha_max, and what is said of scores does not depend on it
    most = min([band.alpha_max for band in bands if band.alpha_max is not None and about == "rules"], default=1.0)
    intervals = [Region(names[a], names[b], low, min(high, most)) for a, b, low, high in ranges if low < most]
    somewhere = [Region(names[a], names[b], low, high, "somewhere") for part in more for a, b, low, high in part]
    intervals, somewhere = (tuple(sorted(part, key=pair_and_place(names))) for part in (intervals, somewhere))
    return Comparison(bands, names, intervals, kind, about, curves, somewhere)


def _check_regions(regions, bands):
    if regions is None:
        return "simultaneous" if bands[0].simultaneous else "pointwise"
    check_choice(regions, "regions", REGIONS)
    if regions == "pointwise" and bands[0].simultaneous:
        raise InvalidInputError(
            "regions='pointwise' requires pointwise bands, but the bands given are simultaneous. Leave "
            "it out, or make the bands with band='pointwise'."
        )
    return regions


def _check_about(about, regions):
    if about is None:
        return "rules" if regions == "pointwise" else "scores"
    check_choice(about, "about", ABOUT)
    if regions == "pointwise" and about == "scores":
        raise InvalidInputError(
            "regions='pointwise' compares rules; with about='scores' use regions='simultaneous' or regions='paired'."
        )
    return about


def _check_bands(bands, names):
    """Return the names of bands that can be compared."""
    if len(bands) < 2:
        raise InvalidInputError(f"compare needs at least two bands, got {len(bands)}.")
    for band in bands:
        if not isinstance(band, NPROCBand):
            way_out = "Pass the whole dict: compare(bands)." if isinstance(band, str) else ""
            if isinstance(band, dict):
                way_out = "Put the others into the dict by names of their own: compare({**bands, 'new name': band})."
            elif isinstance(band, list | tuple):
                way_out = "Put the others into the list: compare([*bands, band])."
            raise InvalidInputError(
                "compare takes NPROCBand objects (from nproc), or one dict or list of them alone, got "
                f"{type(band).__name__}.",
                way_out=way_out,
            )
    deltas = [band.delta for band in bands]
    if len(set(deltas)) > 1:
        shown = ", ".join(f"{d:g}" for d in deltas)
        raise InvalidInputError(
            f"all bands must have the same delta, got {shown}; make them again with the same delta."
        )
    if len({band.simultaneous for band in bands}) > 1:
        raise InvalidInputError(
            "all bands must be of one kind, got pointwise and simultaneous ones; make them again with the same band=."
        )
    labels = {tuple(band.subject.labels.tolist()) for band in bands if band.subject is not None}
    if len(labels) > 1:
        shown = " and ".join(repr(pair[0]) for pair in sorted(labels, key=str))
        raise InvalidInputError(
            f"all bands must have the same class0, got {shown}; make them again with the same class0."
        )
    return distinct_names(bands, names)


def distinct_names(bands, names):
    """Return the names of bands, all different: those that were given, or their own with numbers for equal ones."""
    if names is None:
        names = [band.method for band in bands]
        new_names = {name: _numbered(name, names) for name in names if names.count(name) > 1}
        return tuple(next(new_names[name]) if name in new_names else name for name in names)
    refuse_unordered(names, "names")
    if isinstance(names, str) or not np.iterable(names):
        raise InvalidInputError(f"names must be a list of {len(bands)} different names, got {shown(names)}.")
    names = tuple(names)
    if any(check_one_label(name, "names") is None for name in names):
        raise InvalidInputError(f"names must hold {len(bands)} different names, got {list(names)}.")
    if any(type(name).__str__ is object.__str__ and type(name).__repr__ is object.__repr__ for name in names):
        # their text would be a place in memory
        raise InvalidInputError(f"names must hold {len(bands)} names, such as texts, got {list(names)}.")
    names = tuple(map(str, names))
    if len(names) != len(bands) or len(set(names)) != len(names):
        raise InvalidInputError(f"names must hold {len(bands)} different names, got {list(names)}.")
    return names


def _numbered(name, taken):
    return (new for number in count(1) if (new := f"{name} ({number})") not in taken)
