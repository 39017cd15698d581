r"""Do larger scores mean class 1? A warning where they clearly do not, and the price of a change of sign.

The package never flips the sign of a score: a threshold is that of the scores as they are, whatever this module finds.
What may be said of a user who flips the sign because of the warning depends on the rows that were compared.

(a) *Rows that set no threshold cost nothing.* Let the direction d in {+, -} be a function of rows that are independent
of the class 0 rows that set the threshold: training rows of the split, class 1 rows, other class 0 rows. Given those
rows d is fixed, and the scores d s of the class 0 rows that set the threshold are those of a fixed function on
independent rows. By Proposition 1 of [tong2018]_ the type I error then exceeds alpha with probability at most delta,
given those rows and hence on average over them.

(b) *Rows that set the threshold cost a factor of two.* Let d be any function of all rows. The type I error of the
chosen direction exceeds alpha only if that of at least one of the two does, so that the probability is at most 2 delta.
The factor is approached: with one class 0 row of score U, uniform on (0, 1), and alpha = delta = 1/2, the threshold is
U itself. Let class 1 have the same distribution, and ever more rows, so that in the limit its scores are larger in more
than half of the pairs if and only if U < 1/2. Whoever takes the direction with the larger area under the ROC curve
then keeps the scores if U < 1/2, with type I error 1 - U > 1/2, and flips their sign if U > 1/2, with type I error
U > 1/2: always above alpha, where each direction alone is with probability 1/2.
"""

import numpy as np

from nproc.checks import class_names
from nproc.errors import NPWarning, warn_at_call
from nproc.score_chunks import area_under_roc

# Standard errors of the area under the ROC curve below 1/2. Where both classes have the same continuous scores and all
# rows are independent, about one sample in a million is that low, so that simulations of thousands raise nothing, while
# 16 rows of each class can be so clear. Rows that depend on each other, such as those of one patient, are that low more
# often, and with many rows so is an area that is too near 1/2 to advise anything. Hence it must also be below a limit.
CLEARLY_BELOW = 4.75
LARGEST_WRONG_AREA = 0.45
ONE_IN_A_MILLION, ONE_IN_A_HUNDRED = 1e-6, 0.01
_SEEM_WRONG = "seem to have the wrong sign."
WRONG_SIGN = f"The scores {_SEEM_WRONG}"
# an adaptive ratio as a number would draw other splits
CHOSEN = ", with the ratio_choice of this result as split_ratio,"
# rows of each class: where they must first be scored, they tell areas below 0.4 and cost little beside training; scores
# at hand only have to be sorted, and more of them tell areas up to the limit
ENOUGH_ROWS, ENOUGH_SCORES = 400, 100_000

# rows of each class: with fewer the classes of an honest model may well be separated
FEWEST_SEPARATED = 20
# what the labels of two classes are usually called as numbers; scores beside them have more values than a mark has
USUAL_LABELS = ({0, 1}, {-1, 1}, {1, 2})
MOST_OF_MARKS = 10

CHANGE = "Larger scores must mean class 1: change their sign."
FREE = (
    "This was seen on rows that set no threshold, so you may change the scores. Make the same call with the change, "
    "on the same rows in the same order and with random_state={seed}{ratio}; the guarantee then holds."
)
SHARED = (
    "The rows used to see this include rows that set a threshold in another split. If you change the scores, "
    "use new class 0 rows for the thresholds."
)
PAID = (
    "If you keep the sign, the guarantee holds. If you change the sign because of this warning, set the threshold "
    "on new class 0 rows; on the same rows the guarantee is lost."
)
# where the rows of both classes set it
PAID_BY_BOTH = (
    "If you change the sign because of this warning, use new rows of both classes; on the same rows the guarantee is "
    "lost."
)


def some_of(values, most=ENOUGH_ROWS):
    """Return at most so many of the values, evenly spaced."""
    return values[:: -(-len(values) // most) or 1]


def area_of_wrong_sign(scores0, scores1):
    """Return the area under the ROC curve where class 1 scores are clearly the smaller ones, and None elsewhere.

    Of useless scores of independent rows it is given about once in a million samples, of dependent rows more often. Up
    to `ENOUGH_SCORES` of each class are compared.
    """
    scores0, scores1 = some_of(scores0, ENOUGH_SCORES), some_of(scores1, ENOUGH_SCORES)
    n0, n1 = scores0.size, scores1.size
    if not n0 or not n1:
        return None
    area = area_under_roc(np.sort(scores0), np.sort(scores1))
    limit = min(LARGEST_WRONG_AREA, 0.5 - CLEARLY_BELOW * np.sqrt((n0 + n1 + 1) / (12 * n0 * n1)))
    return area if area < limit else None


def told_of_sign(kind, fact, price="", change=CHANGE):
    """Return an error or a warning about scores that seem to have the wrong sign, with its way out."""
    way_out = f"{change} If the other class should be class 0, give it as class 0 instead. {price}".rstrip()
    return kind(fact, fault="wrong sign", limit=price, way_out=way_out)


def warn_direction(scores0, scores1, who, price=PAID, name=None, change=CHANGE):
    """Warn if class 1 scores are clearly the smaller ones, see `area_of_wrong_sign`; the scores are not changed.

    Parameters
    ----------
    scores0, scores1 : ndarray
        Scores of each class.
    who : str
        Whose scores they are, and which label is which class.
    price : str
        What holds if the user changes the sign, see the proofs in this module.
    name : str, optional
        The name of the scores, where there are several.
    change : str
        How the user changes the sign.

    Returns
    -------
    tuple of str
        What is told beside the scores later on, as one text; empty if there was no warning.
    """
    area = area_of_wrong_sign(scores0, scores1)
    if area is None:
        return ()
    seen = f"Of all pairs of one row from each class, {who}, only {area:.1%} have the larger score in class 1."
    which = "" if name is None else f" of {name!r}"
    warn_at_call(told_of_sign(NPWarning, f"the scores{which} {_SEEM_WRONG} {seen}", price, change), NPWarning)
    return (f"{WRONG_SIGN} {seen}",)


def warn_swapped(evaluation, called1):
    """Warn if class 0 rows are more often called class 1 than class 1 rows are, by new rows and their labels.

    Parameters
    ----------
    evaluation : Evaluation
        The errors on the rows.
    called1 : int
        How many rows of class 1 are called class 1.

    Notes
    -----
    If the labels are right, the rows independent, and class 1 rows called class 1 at least as often in the population,
    Fisher's exact test warns with probability at most one in a hundred, and with probability at most one in a million
    unless the interval of the type I error lies above alpha. There one in a hundred is enough, because right labels
    are already rare: with a type I error of at most alpha that interval is above it with probability at most
    (1 - level) / 2.
    """
    n0, n1, called0 = evaluation.n0, evaluation.n1, evaluation.n_false1
    if not n0 or not n1:
        return
    from scipy.stats import hypergeom

    enough = ONE_IN_A_HUNDRED if evaluation.type1_interval.lower > evaluation.alpha else ONE_IN_A_MILLION
    # of rows that are called class 1 at random, so many of class 0 or more; exact also for few rows and small rates
    p_value = hypergeom.sf(called0 - 1, n0 + n1, called0 + called1, n0)
    if p_value < enough:
        clearly = "clearly " * bool(p_value < ONE_IN_A_MILLION)
        names = class_names(evaluation.labels.tolist())
        warn_at_call(
            f"rows of {names[0]} are {clearly}more often called {names[1]} than rows of {names[1]} are. Are the labels "
            "of these rows swapped? If not, larger scores mean class 0 here: see the warnings of the fit.",
            NPWarning,
        )


def warn_separated(scores0, scores1, who):
    """Warn if the classes do not overlap in the scores of a prefit model, as in the rows that trained it.

    Of class 0 scores that are all tied, another warning tells.
    """
    if min(scores0.size, scores1.size) >= FEWEST_SEPARATED and np.min(scores0) < np.max(scores0) < np.min(scores1):
        warn_at_call(
            f"every row of class 1 has a larger score than every row of class 0, {who}. This is usual for rows that "
            "trained the model and rare for other rows. If some of these rows trained it, nothing is guaranteed: give "
            "rows that it has not seen, or leave out prefit, so that it is trained here.",
            NPWarning,
        )


def looks_like_labels(scores0, scores1):
    """Return which of two samples looks like the labels of the rows whose scores are the other one, or None.

    It holds 0 and 1, -1 and 1, 1 and 2 or two texts alone, and the other one has as many numbers, with more than 10
    different ones. Marks such as 1 and 2 for one class, and 1, 2 and 3 for the other, may well be scores.

    Examples
    --------
    >>> labels, scores = np.arange(20) % 2, np.linspace(0, 1, 20)
    >>> looks_like_labels(labels, scores), looks_like_labels(scores, labels), looks_like_labels(scores, scores)
    ('scores0', 'scores1', None)
    """
    try:
        given = [np.asarray(values) for values in (scores0, scores1)]
        if given[0].shape != given[1].shape or given[0].ndim != 1 or given[0].size <= MOST_OF_MARKS:
            return None
        for name, values, other in zip(("scores0", "scores1"), given, given[::-1], strict=True):
            if _are_labels(values) and any(np.unique(part).size > MOST_OF_MARKS for part in (some_of(other), other)):
                return name
    except (TypeError, ValueError):
        # what these are is said by the checks of scores
        pass
    return None


def _are_labels(values):
    if values.dtype.kind not in "biuf":
        return len({str(value) for value in values.tolist()}) == 2
    # of scores some tell already
    for seen in (some_of(values), values):
        low, high = seen.min(), seen.max()
        if np.any((seen != low) & (seen != high)):
            return False
    return {low, high} in USUAL_LABELS


def warn_labels(scores0, scores1, call):
    """Warn if the labels and the scores of the same rows were given, in any order, to a function named `call`."""
    labels = looks_like_labels(scores0, scores1)
    if labels is None:
        return
    values, other = (scores0, "scores1") if labels == "scores0" else (scores1, "scores0")
    warn_at_call(
        f"{labels} holds the numbers {np.min(values):g} and {np.max(values):g} alone, and {other} has as many other "
        "numbers. They look like the labels and the scores of the same rows. Give the scores of each class instead: "
        f"{call}(scores[y == 0], scores[y == 1]), if 0 is the label of class 0.",
        NPWarning,
    )
