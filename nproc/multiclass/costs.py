"""`npcs`: levels for the errors of several classes by cost-sensitive learning, without a promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from nproc.checks import Seed, check_choice, check_level, check_number, check_seed
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning, TooFewSamplesError, warn_at_call
from nproc.inputs import merged_params, refuse_other_params
from nproc.multiclass.priority import read_model
from nproc.multiclass.result import NPCSFit
from nproc.multiclass.stages import class_values
from nproc.rows import Table, keys_of_table, lowest_keys, order_labels, read_table, take_rows
from nproc.scorers import MethodLike, fit_scorer, fresh_copy, naming_refused, with_coding
from nproc.splitting import check_split_ratio, n_train, stream

# The dual of the Neyman-Pearson problem with several classes: multipliers out of estimated probabilities.
#
# Minimise :math:`\sum_k w_k R_k(\phi)` subject to :math:`R_k(\phi) = P(\phi(X) \ne k \mid Y = k) \le \alpha_k` for some
# classes k. For multipliers :math:`\lambda \ge 0` (0 where k has no level) the Lagrangian is least at the classifier
# with costs,
#
# .. math:: \phi_\lambda(x) = \arg\max_k c_k p_k(x), \quad c_k = (w_k + \lambda_k) / \pi_k,
#
# with the class shares :math:`\pi_k` and probabilities :math:`p_k(x) = P(Y = k \mid X = x)`, and the dual function is
#
# .. math:: G(\lambda) = \sum_k w_k + \sum_k \lambda_k (1 - \alpha_k) - E \max_k c_k p_k(X).


# widest box for the multipliers, as a multiple of the sum of the weights, and the factor by which it grows
FIRST_BOX, GROWTH, LAST_BOX = 100.0, 10.0, 1e8


@dataclass(frozen=True)
class DualSolution:
    """Multipliers that maximise a dual function.

    Attributes
    ----------
    lam : ndarray, shape (K,)
        Multipliers, 0 where the class has no level.
    value : float
        The dual function there: a lower bound on the weighted sum of errors, as estimated.
    gap : float or None
        Certificate: an upper bound on the maximum, less `value`; zero at the optimum. None where there is none.
    feasible : bool
        False if `value` exceeds the sum of the weights, which no weighted sum of errors does.
    converged : bool
        Whether the gap is below the tolerance.
    """

    lam: np.ndarray
    value: float
    gap: float | None
    feasible: bool
    converged: bool

    def scaled(self, factor):
        """Return the solution of the problem with weights `factor` times as large."""
        gap = None if self.gap is None else self.gap * factor
        return replace(self, lam=self.lam * factor, value=self.value * factor, gap=gap)


def plug_in_dual(lam, ratios, weights, alphas):
    """Return G and a supergradient at `lam` where expectations are means over rows.

    Parameters
    ----------
    lam : ndarray, shape (K,)
        Multipliers.
    ratios : ndarray, shape (n, K)
        Estimated probabilities divided by the class shares.
    weights, alphas : ndarray, shape (K,)
        Weights; levels, NaN where a class has none.

    Returns
    -------
    value : float
    slope : ndarray, shape (K,)
        Estimated error less alpha; 0 where there is no level.
    """
    scaled = ratios * (weights + lam)
    best = scaled.argmax(axis=1)
    rows = np.arange(best.size)
    has = np.isfinite(alphas)
    value = weights.sum() + float(lam[has] @ (1 - alphas[has])) - float(scaled[rows, best].mean())
    right = np.bincount(best, weights=ratios[rows, best], minlength=weights.size) / best.size
    return value, np.where(has, 1 - alphas - right, 0.0)


def maximise_plug_in(ratios, weights, alphas, *, tol=1e-6, max_iter=1000):
    r"""Return the `DualSolution` of the plug-in dual by Kelley's cutting planes.

    G is concave and piecewise linear. Each evaluation gives a plane above it; the maximum of the lower envelope of all
    planes over a box is an upper bound on the maximum of G, and the next point. The box grows while the maximum lies on
    its border. G above the sum of the weights at any point proves that the estimated problem has no solution, even
    among randomised classifiers: every classifier within the levels has a weighted sum of at most that, and at
    least G (weak duality). `ratios`, `weights`, `alphas` as in `plug_in_dual`.
    """
    has = np.flatnonzero(np.isfinite(alphas))
    total = float(weights.sum())
    limit = FIRST_BOX * total
    lam, best_lam, best = np.zeros(weights.size), np.zeros(weights.size), -np.inf
    planes, heights, upper = [], [], np.inf
    while len(planes) < max_iter and upper - best > tol * total:
        value, slope = plug_in_dual(lam, ratios, weights, alphas)
        if value > best:
            best, best_lam = value, lam
        if best > total * (1 + tol):
            return DualSolution(best_lam, best, None, False, False)
        planes.append(np.append(1.0, -slope[has]))
        heights.append(value - slope[has] @ lam[has])
        lam, upper, limit = _next_point(planes, heights, has, weights.size, limit, total, best, tol)
    gap = max(float(upper - best), 0.0)
    at_border = bool(np.any(best_lam >= LAST_BOX * total))
    return DualSolution(best_lam, best, gap, True, gap <= tol * total and not at_border)


def _next_point(planes, heights, has, n_classes, limit, total, best, tol):
    """The highest point below all planes, in a box that grows while that point lies on its border."""
    while True:
        box = [(None, None)] + [(0.0, limit)] * has.size
        target = np.append(-1.0, np.zeros(has.size))
        found = linprog(target, A_ub=np.array(planes), b_ub=np.array(heights), bounds=box, method="highs")
        lam = np.zeros(n_classes)
        lam[has] = found.x[1:]
        upper = -float(found.fun)
        done = upper - best <= tol * total
        if not (done and np.any(lam[has] >= limit)) or limit >= LAST_BOX * total:
            return lam, upper, limit
        limit *= GROWTH


def held_out_dual(lam, ratios, codes, weights, alphas):
    """Return the Lagrangian of the classifier with multipliers `lam` at its errors on labelled rows, and these errors.

    `ratios`, `weights`, `alphas` as in `plug_in_dual`; `codes` are the true classes of the rows, each of them present.
    """
    errors = class_errors(ratios * (weights + lam), codes)
    has = np.isfinite(alphas)
    return float(weights @ errors + lam[has] @ (errors[has] - alphas[has])), errors


def class_errors(scaled, codes):
    """Return the share of the rows of each class that have their largest value elsewhere, shape (K,)."""
    n_classes = scaled.shape[1]
    wrong = scaled.argmax(axis=1) != codes
    return np.bincount(codes, weights=wrong, minlength=n_classes) / np.bincount(codes, minlength=n_classes)


def maximise_held_out(ratios, codes, weights, alphas, start, *, max_steps=60):
    """Return the `DualSolution` of the held-out criterion by a pattern search in the logarithm of the costs.

    The criterion has jumps and is not concave, so that a local maximum is found, from `start` and from 0; there is no
    certificate. Each multiplier is tried up and down by a factor on weight + multiplier, which is halved (on the
    logarithmic scale) when nothing improves.
    """
    has = np.flatnonzero(np.isfinite(alphas))
    total = float(weights.sum())
    floor = np.where(weights > 0, weights, total)
    best_lam, best = None, -np.inf
    for first in (np.zeros(weights.size), start):
        lam, value = first, held_out_dual(first, ratios, codes, weights, alphas)[0]
        factor = 4.0
        for _ in range(max_steps):
            moves = [_moved(lam, k, f, floor[k]) for k in has for f in (factor, 1 / factor)]
            values = [held_out_dual(move, ratios, codes, weights, alphas)[0] for move in moves]
            top = int(np.argmax(values))
            if values[top] > value:
                lam, value = moves[top], values[top]
            else:
                factor = np.sqrt(factor)
            if value > total or factor < 1 + 1e-4:
                break
        if value > best:
            best_lam, best = lam, value
    return DualSolution(best_lam, best, None, best <= total, True)


def _moved(lam, k, factor, floor):
    moved = lam.copy()
    moved[k] = max((lam[k] + floor) * factor - floor, 0.0)
    return moved


VARIANTS = ("cx", "er")


def npcs(
    X: Table,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    alphas: Mapping[Any, float] | None,
    weights: Mapping[Any, float] | None = None,
    variant: Literal["cx", "er"] = "cx",
    split_ratio: float = 0.5,
    data: Table | None = None,
    method_params: Mapping[str, Any] | None = None,
    random_state: Seed = None,
    **params: Any,
) -> NPCSFit:
    r"""Train a classifier with costs that bring the errors of some classes near given levels; it promises nothing.

    It aims at the least weighted sum of errors subject to P(predicted class is not k | Y = k) <= alpha_k, the *total*
    error of each class that has a level, and so at more than `npc_multiclass` bounds. But **no probability is
    promised**, and the levels may be out of reach together, which "cx" detects and "er" guesses.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n, p), or str
        The rows, or a formula with `data`, as in `npc`.
    y : array-like, shape (n,), optional
        Labels with two or more distinct values of any type. Not with a formula.
    method : str or estimator
        "logistic" (multinomial), "lda", "qda", "tree", "randomforest", "ada", "gradientboosting", or a scikit-learn
        classifier with predict_proba. Its probabilities are taken at their word.
    alphas : dict of label to float
        Levels of the classes that have one, in (0, 1).
    weights : dict of label to float, optional
        Weights of the errors in the sum, at least 0 and not all 0; classes left out have 0, and those without a level
        are then never called. None gives 1 to the classes without a level, or to all if each has one.
    variant : {"cx", "er"}
        "cx": the model is trained on all rows, and the multipliers maximise the dual function with the mean over the
        same rows of estimated probabilities, a concave problem solved to a certificate. "er": part of the rows trains,
        and the multipliers maximise the Lagrangian at the errors counted on the others, by a search; the model is not
        trained again on all rows.
    split_ratio : float
        For "er": share of the rows of each class that train, in (0, 1).
    data : DataFrame, optional
        The table of a formula.
    method_params, **params
        Arguments of a named method.
    random_state : None, int, Generator or RandomState
        Source of randomness. None draws a fresh seed, stored as `seed` in the result.

    Returns
    -------
    NPCSFit
        With predict, decision_function, evaluate (a confusion table), summary and plot.

    Raises
    ------
    InvalidInputError
        If an argument is not valid, or the model has no probabilities.
    TooFewSamplesError
        With "er", if a class has fewer than 2 rows.

    Warns
    -----
    NPWarning
        If no classifier can meet all levels at once on these rows, as estimated ("cx"), or if it seems so ("er").
    NotConvergedWarning
        If the certificate of "cx" is above its tolerance.

    See Also
    --------
    npc_multiclass : a bound, for rows called a class of lower priority.

    Notes
    -----
    See `nproc.multiclass.costs` for the dual function G. Weak duality is elementary: a classifier within all levels
    has a Lagrangian, at any multipliers, of at most its weighted sum of errors, and the least Lagrangian is G. Hence
    G above the sum of the weights, which no weighted sum of errors exceeds, proves that no classifier is within the
    levels: exact for the estimated probabilities ("cx"), an estimate of the truth. For "er" the same comparison is a
    sign and not a proof: its criterion is not least over classifiers, and other costs may meet the levels on the same
    rows. With equality of the two problems, which holds when the probabilities have a continuous law (Tian and Feng),
    the classifier at the maximum solves the problem with levels.

    What is *not* guaranteed: any level in any sample. Consistency asks for consistent estimates of the probabilities,
    and even then the error of a class scatters about its level, to either side. Where the model overfits (boosted or
    fully grown trees), the errors that "cx" sees are too low and the true ones above the levels as a rule; "er" counts
    errors on rows that the model did not see. Where the probabilities have few values ("tree"), levels may be missed on
    either side, since there are jumps. In simulations (``benchmarks/multiclass.py``: three normal classes in five
    dimensions, 100 to 1000 rows each, logistic regression, two levels of 0.1) each level was exceeded in 42 to 75 % of
    the samples. "er" was more variable, and found levels that can be met infeasible in 40 % of the samples of 100
    rows a class and in 5 % of those of 300, "cx" seldom.

    References
    ----------
    Algorithms NPMC-CX and NPMC-ER of [tian2025]_.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> fit = npcs(X[:, :3], y, "lda", alphas={0: 0.1, 1: 0.1}, random_state=1)
    >>> fit
    NPCSFit(method='lda', variant='cx', errors aimed at: 0 <= 0.1, 1 <= 0.1, seed=1)
      these errors have no guarantee; npc_multiclass bounds other errors
    """
    check_choice(variant, "variant", VARIANTS)
    split_ratio = check_split_ratio(split_ratio)
    seed = check_seed(random_state)
    refuse_other_params(params, method, npcs.__name__)
    chosen = read_model(method, merged_params(method_params, params))
    built = read_table(X, y, data, method=chosen, encode=order_labels)
    labels = built.labels
    values = labels.values.tolist()
    levels = _by_label(alphas, values, "alphas", check_level)
    numbers = np.array(levels, dtype=np.float64)
    weight = _weights(weights, values, np.isfinite(numbers))
    n_rows = np.bincount(labels.y)
    shares = n_rows / n_rows.sum()
    idx_train, idx_choose = _parts(labels, variant, split_ratio, seed)
    model_seed = int(stream(np.random.SeedSequence(seed), "scorer").generate_state(1)[0])
    scorer = with_coding(chosen.scorer, built.design)
    with naming_refused(scorer, built.X):
        model = fit_scorer(fresh_copy(scorer, model_seed), take_rows(built.X, idx_train), labels.y[idx_train])
        found, are_probabilities = class_values(model, take_rows(built.X, idx_choose), range(len(values)))
    if not are_probabilities:
        raise InvalidInputError(
            f"npcs needs estimated probabilities; {chosen.name} has only decision_function. Wrap it in scikit-learn's "
            "CalibratedClassifierCV."
        )
    ratios, codes = found / shares, labels.y[idx_choose]
    # only the ratios of weights matter: solved with weights of sum 1
    total = float(weight.sum())
    solution = maximise_plug_in(ratios, weight / total, numbers)
    if variant == "er":
        solution = maximise_held_out(ratios, codes, weight / total, numbers, solution.lam)
    solution = solution.scaled(total)
    costs = (weight + solution.lam) / shares
    everyone = np.ones(labels.y.size, dtype=bool)
    fit = NPCSFit(
        method=chosen.name,
        variant=variant,
        labels=labels.values,
        alphas=levels,
        weights=weight,
        lam=solution.lam,
        costs=costs,
        feasible=solution.feasible,
        diagnosis="" if solution.feasible else _diagnosis(solution.value, total, variant),
        dual_value=solution.value,
        gap=solution.gap,
        converged=solution.converged,
        estimated_errors=class_errors(found * costs, codes),
        n_rows=tuple(n_rows.tolist()),
        model=model,
        seed=seed,
        design=built.design,
        keys=lowest_keys(built.X, everyone),
        table_keys=keys_of_table(built.design, built.table, everyone),
        versions=package_versions(),
    )
    if not fit.feasible:
        warn_at_call(fit.diagnosis, NPWarning)
    elif not fit.converged:
        warn_at_call(
            f"the optimisation of npcs did not reach its tolerance. The dual value may be {fit.gap:.2g} below its "
            "maximum. This happens if the levels can only just be met. Raise one alpha a little.",
            NotConvergedWarning,
        )
    return fit


def _by_label(given, values, name, check):
    """Return a tuple with the checked number of each label, None for those left out."""
    if not isinstance(given, dict) or not given:
        raise InvalidInputError(f"{name} must be a dict of label to number, such as {{{values[0]!r}: 0.1}}.")
    unknown = [label for label in given if label not in values]
    if unknown:
        raise InvalidInputError(f"{name} has {unknown[0]!r}, which is not a label of y; the labels are {values}.")
    return tuple(check(given[v], f"{name}[{v!r}]") if v in given else None for v in values)


def _weights(weights, values, has):
    if weights is None:
        return np.ones(has.size) if has.all() else np.where(has, 0.0, 1.0)
    numbers = _by_label(weights, values, "weights", lambda number, name: check_number(number, name, zero=True))
    weight = np.array([number or 0.0 for number in numbers])
    if not weight.any():
        raise InvalidInputError("weights must not all be 0: give at least one class a positive weight.")
    return weight


def _parts(labels, variant, split_ratio, seed):
    """Rows that train, and rows that choose the multipliers."""
    every = np.arange(labels.y.size)
    if variant == "cx":
        return every, every
    rng = np.random.default_rng(stream(np.random.SeedSequence(seed), "rows"))
    held = []
    for k, label in enumerate(labels.values.tolist()):
        rows = np.flatnonzero(labels.y == k)
        if rows.size < 2:
            raise TooFewSamplesError(
                f"class {label!r} has {rows.size} row; variant='er' needs at least 2 of each class, one to train and "
                "one held out."
            )
        n_held = rows.size - min(max(n_train(rows.size, split_ratio), 1), rows.size - 1)
        held.append(rng.permutation(rows)[:n_held])
    idx_held = np.sort(np.concatenate(held))
    return np.setdiff1d(every, idx_held), idx_held


def _diagnosis(value, total, variant):
    if variant == "cx":
        return (
            "By the estimated probabilities no rule meets all levels at once. Raise some alphas, or use better "
            f"predictors. (The dual function reaches {value:.4g}, above {total:.4g}, the largest possible weighted sum "
            "of errors.)"
        )
    return (
        f"The levels probably cannot all be met: the criterion of held-out errors reaches {value:.4g}, above "
        f"{total:.4g}, the largest possible weighted sum of errors. This does not prove that the levels cannot be "
        "met, because the criterion has jumps and other costs may meet them. variant='cx' can prove it. Raise "
        "some alphas, or use better predictors."
    )
