"""Scores of every stage from any model: one column for each class but the last, larger = less like that class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import as_floats
from nproc.errors import InvalidInputError
from nproc.orderstat import np_order
from nproc.scorers import last_model, rows_for, score_rows
from nproc.thresholds import Threshold, rounding_guard, threshold_at

SCORES = ("against_lower", "own")
_LEAST = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class BinaryStages:
    """One binary scorer a stage, trained on the class of the stage against all classes of lower priority.

    Attributes
    ----------
    scorers : tuple
        Trained on 0 for the class of the stage and 1 for the lower classes.
    """

    scorers: tuple

    def scores(self, X):
        """Return the scores, shape (m, K - 1)."""
        return np.column_stack([score_rows(scorer, X) for scorer in self.scorers])


@dataclass(frozen=True, eq=False)
class ModelStages:
    """One model of all classes.

    Attributes
    ----------
    model : object
        Trained, with predict_proba or decision_function.
    classes : tuple
        Its own labels in the order of priority.
    stage_score : {"against_lower", "own"}
        What stage j looks at: the probability of class j among those of its own and lower priority, or its
        probability among all classes, as in the paper. Both as log odds against the class, which order rows alike.
    """

    model: object
    classes: tuple
    stage_score: str

    def scores(self, X):
        """Return the scores, shape (m, K - 1)."""
        values, are_probabilities = class_values(self.model, X, self.classes)
        if not are_probabilities:
            if self.stage_score == "own":
                return -values[:, :-1]
            best_lower = np.maximum.accumulate(values[:, :0:-1], axis=1)[:, ::-1]
            return best_lower - values[:, :-1]
        against = np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
        if self.stage_score == "own":
            against[:, 1:] += np.cumsum(values[:, :-2], axis=1)
        # log odds resolve probabilities near 0 and near 1 alike, where a rounding guard about a probability would take
        # all small ones for tied; where both are 0 the model says nothing
        return np.log(np.maximum(against, _LEAST)) - np.log(np.maximum(values[:, :-1], _LEAST))


@dataclass(frozen=True, eq=False)
class FunctionStages:
    """A function of X that gives the scores.

    Attributes
    ----------
    function : callable
        Takes X and returns an array of shape (m, K - 1), column j larger = more like class j.
    n_stages : int
        K - 1.
    """

    function: object
    n_stages: int

    def scores(self, X):
        """Return the scores, shape (m, K - 1), with the sign turned."""
        given = self.function(X)
        values = as_floats(given, "the function", f"give numbers, shape (m, {self.n_stages})")
        if values.ndim == 1 and self.n_stages == 1:
            values = values[:, None]
        wanted = (X.shape[0] if hasattr(X, "shape") else len(X), self.n_stages)
        if values.shape != wanted:
            raise InvalidInputError(
                f"the function must give one score a row for every class but the last, shape {wanted}, "
                f"got {values.shape}. Column j is larger for rows more like class j."
            )
        return -_finite(values, "the function")


def class_values(model, X, classes):
    """Return one value a row and class, columns in the order of `classes`, and whether they are probabilities.

    Parameters
    ----------
    model : object
        Trained, with predict_proba or else decision_function.
    X : array-like, m rows
        Rows.
    classes : sequence
        The labels that the model must have been trained on.

    Returns
    -------
    values : ndarray of float, shape (m, K)
    are_probabilities : bool

    Raises
    ------
    InvalidInputError
        If the model has neither, knows other classes, or gives something else than K finite values a row.
    """
    name = type(model).__name__
    method = next((m for m in ("predict_proba", "decision_function") if hasattr(model, m)), None)
    if method is None:
        raise InvalidInputError(
            f"method needs predict_proba or decision_function; {name} has neither. Wrap it, for example in "
            "scikit-learn's CalibratedClassifierCV."
        )
    own = np.asarray(getattr(model, "classes_", np.arange(len(classes)))).tolist()
    if len(own) != len(classes) or set(own) != set(classes):
        raise InvalidInputError(
            f"{name} was trained on the classes {own}, but {list(classes)} are expected."
            if hasattr(model, "classes_")
            else f"{name} has no classes_, so that its columns would stand for {own}, but the labels are "
            f"{list(classes)}. Is it fitted?"
        )
    if method == "decision_function" and getattr(last_model(model), "decision_function_shape", None) == "ovo":
        # with three classes there are three pairs, so that the shape does not tell
        raise InvalidInputError(
            f"{type(last_model(model)).__name__} compares classes by pairs; set decision_function_shape='ovr'."
        )
    values = as_floats(getattr(model, method)(rows_for(model, X)), f"{name}.{method}(X)", "give numbers")
    if values.ndim == 1 and len(own) == 2:
        values = np.column_stack([-values, values])
    if values.ndim != 2 or values.shape[1] != len(own):
        raise InvalidInputError(f"{name}.{method}(X) must give {len(own)} values a row, got shape {values.shape}.")
    order = [own.index(label) for label in classes]
    return _finite(values, f"{name}.{method}(X)")[:, order], method == "predict_proba"


def _finite(values, name):
    if not np.isfinite(values).all():
        bad = int(np.sum(~np.isfinite(values)))
        raise InvalidInputError(f"{name} must give finite values, got {bad} that are not.")
    return values


# Thresholds for several classes in a decreasing order of priority: left-out scores in, one threshold a class out.
#
# Classes 0, ..., K - 1 stand in the order of priority. Stage j = 0, ..., K - 2 has a score :math:`s_j`, larger = less
# like class j and more like a class of lower priority. A row is called class j at the first stage with
# :math:`s_j(x) \le t_j`, and class K - 1 if no stage keeps it. The errors that have a bound are rows called too *low*:
# :math:`P(\text{called lower than } j \mid Y = j) = P(s_0 > t_0, \dots, s_j > t_j \mid Y = j)`.


SCHEMES = ("joint", "separate")


@dataclass(frozen=True)
class StageRules:
    """The thresholds of all classes but the last.

    Attributes
    ----------
    rules : tuple of Threshold
        One for each of the K - 1 classes that have a bound; a value of minus infinity keeps no row.
    guards : tuple of float
        Distance from each threshold within which a score counts as tied with it, so that the row is kept.
    n_called_higher : tuple of int
        Left-out rows of each class that an earlier stage calls a class of higher priority.
    """

    rules: tuple[Threshold, ...]
    guards: tuple[float, ...]
    n_called_higher: tuple[int, ...]

    def margins(self, scores):
        """Return score minus threshold, shape (m, K - 1): a row passes a stage where it is above 0."""
        return _margin(scores, np.array([rule.value for rule in self.rules]), np.array(self.guards))

    def assign(self, scores):
        """Return the class of each row, 0 to K - 1: the first stage that it does not pass."""
        return first_kept(self.margins(scores))


def first_kept(margins):
    """Return for each row the first column that is not above 0, or the number of columns if all are."""
    kept = margins <= 0
    return np.where(kept.any(axis=1), kept.argmax(axis=1), margins.shape[1])


def stage_thresholds(scores, codes, alphas, deltas, *, scheme="joint"):
    r"""Return the `StageRules` that keep P(called lower than j | class j) at most alpha_j, by left-out rows of class j.

    Parameters
    ----------
    scores : ndarray of float, shape (n, K - 1)
        Scores of left-out rows at every stage, finite; larger = less like the class of the stage.
    codes : ndarray of int, shape (n,)
        Their classes, 0 = the highest priority. Rows of class K - 1 set no threshold.
    alphas, deltas : sequence of float, length K - 1
        Levels, in (0, 1).
    scheme : {"joint", "separate"}
        "joint": a row of class j that an earlier stage calls a class of higher priority can no longer be called too
        low; it counts as the smallest score. "separate": the scores of stage j as they are.

    Returns
    -------
    StageRules

    Raises
    ------
    TooFewSamplesError
        If a class has too few rows for its levels.

    Notes
    -----
    Assumed: given the scores as functions (that is, given the training rows), the left-out rows of each class are
    independent, identically distributed as a new row of the class, and independent of those of the other classes.

    *Joint.* Fix j, and condition on the training rows and on the left-out rows of classes 0, ..., j - 1, hence on
    :math:`t_0, \dots, t_{j-1}`. Let :math:`T_j(x) = s_j(x)` if x passes the stages before j and :math:`-\infty`
    otherwise: a fixed function, so that the values of *all* n left-out rows of class j are a sample from its law under
    class j. For every t, "x is called lower than j" is the event :math:`T_j(x) > t`. With t the k-th smallest
    of the n values, Proposition 1 gives :math:`P(P(T_j > t \mid Y = j) > \alpha_j) \le v(k)`, the binomial tail of
    `violation_rate`. Let q be the share of class j that is called higher, the mass of :math:`-\infty`. If
    :math:`q < 1 - \alpha_j` and the scores are continuous, the quantile of order :math:`1 - \alpha_j` lies in the
    continuous part, and v(k) is exact. If :math:`q \ge 1 - \alpha_j`, the error is at most :math:`1 - q \le \alpha_j`
    at any t and nothing is ever violated. Either way the conditional chance is at most
    :math:`v(k) \le \delta_j`, and so is the unconditional one.

    *Separate.* Proposition 1 for :math:`s_j` alone bounds :math:`P(s_j > t_j \mid Y = j)`, of which the joint event is
    a part. This is the scheme of the paper; its bound on P(called lower | Y = j) has slack of
    P(called higher and :math:`s_j > t_j` | Y = j).

    *All bounds at once* hold with probability at least :math:`\prod_j (1 - v_j)`: given what came before, bound j holds
    with probability at least :math:`1 - v_j`; multiply.

    Nothing is said of rows called too *high*. They are errors too, and their share has no bound. Nor has the error of
    class K - 1.

    References
    ----------
    Proposition 1 and the section on several classes in the Discussion of [tong2018]_, which states the bound for
    P(predicted class is not j | Y = j); for j >= 1 that leaves out the rows called higher.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1], 100)
    >>> scores = rng.normal(size=(200, 2)) + codes[:, None] * [2.0, 0.0]
    >>> found = stage_thresholds(scores, codes, (0.1, 0.1), (0.05, 0.05))
    >>> [rule.order for rule in found.rules], found.n_called_higher
    ([96, 96], (0, 44))
    """
    called_higher = np.zeros(codes.size, dtype=bool)
    rules, guards, n_called_higher = [], [], []
    for j, (alpha, delta) in enumerate(zip(alphas, deltas, strict=True)):
        own = codes == j
        values = scores[own, j]
        if scheme == "joint":
            values = np.where(called_higher[own], -np.inf, values)
        rule = threshold_at(values, np_order(values.size, alpha, delta), alpha, delta)
        guard = rounding_guard(scores[own, j], rule.value) if np.isfinite(rule.value) else 0.0
        rules.append(rule)
        guards.append(guard)
        n_called_higher.append(int(called_higher[own].sum()))
        called_higher |= _margin(scores[:, j], rule.value, guard) <= 0
    return StageRules(tuple(rules), tuple(guards), tuple(n_called_higher))


def _margin(scores, value, guard):
    # minus infinity is below every score: the margin is infinite, and the row passes
    margins = scores - value
    return np.where(np.abs(margins) <= guard, 0.0, margins)
