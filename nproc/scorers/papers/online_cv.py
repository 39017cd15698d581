"""The stochastic Neyman-Pearson classifier with its settings chosen by validation, all candidates trained at once."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold

from nproc.checks import as_array, check_count, check_level, check_number, check_seed, is_number, shown
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.model_choice import np_loss
from nproc.rows import Table, as_column, check_same_rows, distinct_labels
from nproc.scorers.base import (
    STEPS_APART,
    Coefficients,
    ErrorShares,
    NPScorer,
    ranks_only,
    scale_advice,
    warn_plain_python,
    with_parameters,
)
from nproc.scorers.papers.online import PLAIN_PYTHON_SLOWDOWN, OnlineNPClassifier, in_rows
from nproc.solvers import solve_stochastic_np_together
from nproc.solvers.stochastic.run import first_rates
from nproc.tables import table_frame

# rows that are scored by all models at a time
ROWS_AT_A_TIME = 1 << 14


def checked_divisions(divisions, codes):
    """Return pairs of row numbers (training, validation) as a list; refuse what cannot judge candidates."""
    divisions = list(divisions)
    if not divisions:
        raise InvalidInputError(
            "cv gave no splits: it is empty, or it is a generator that an earlier fit has used up. Give a "
            "splitter, or a list of pairs of row numbers."
        )
    everything, checked = np.arange(codes.size), []
    for number, pair in enumerate(divisions, start=1):
        try:
            training, validation = (everything[np.asarray(rows)] for rows in pair)
        except (IndexError, TypeError, ValueError) as error:
            raise InvalidInputError(
                f"division {number} of cv is not a pair (training, validation) of numbers, or masks, of {codes.size} "
                f"rows: {error}."
            ) from error
        if np.intersect1d(training, validation).size:
            raise InvalidInputError(
                f"division {number} of cv has rows in both the training and the validation part; they must not overlap."
            )
        for what, rows in (("training", training), ("validation", validation)):
            if np.count_nonzero(codes[rows]) in (0, rows.size):
                raise InvalidInputError(
                    f"the {what} rows of fold {number} hold one class only ({rows.size} rows); both errors must be "
                    "counted in each fold. Use stratified folds, or fewer."
                )
        checked.append((training, validation))
    return checked


def error_rates(result, X, codes):
    """Return the type I and type II errors of each run on some rows, shape (runs, 2); 1 for runs that overflowed."""
    errors = np.zeros((result.finite.size, 2))
    for start in range(0, codes.size, ROWS_AT_A_TIME):
        part = codes[start : start + ROWS_AT_A_TIME]
        called = np.asarray(X[start : start + ROWS_AT_A_TIME] @ result.coef.T) + result.intercept > 0
        errors[:, 0] += np.count_nonzero(called[part == 0], axis=0)
        errors[:, 1] += np.count_nonzero(~called[part == 1], axis=0)
    n1 = np.count_nonzero(codes)
    return np.where(result.finite[:, np.newaxis], errors / (codes.size - n1, n1), 1.0)


# what is searched over, as OnlineNPClassifier names it
SEARCHED = ("alpha", "lam", "tau", "gamma0")
# section 5.5 of [gasso2011]_
PAPER_LAMS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1)
PAPER_TAUS = (0.1, 1.0, 5.0, 10.0, 50.0, 100.0)
DEFAULT_TAU = 10.0


@with_parameters
class OnlineNPClassifierCV(Coefficients, NPScorer):
    r"""`OnlineNPClassifier` with the penalty and the rates chosen on validation rows, all candidates trained at once.

    Every candidate of the grid ``shares`` x ``lams`` x ``taus`` x ``gamma0s`` is trained by Algorithm 4 on the training
    rows of each fold, all of them at once and on the same draws, in a fraction of the time of one fit after another.
    The one with the least mean :math:`J = P_{nd} + \max(0, P_{fa} - \alpha) / \alpha` on the validation rows is
    trained again on all rows.

    Parameters
    ----------
    alpha : float
        Bound on the type I error, P(predict 1 | class 0), in (0, 1): the alpha of J.
    shares : sequence of float
        Candidates train at these shares of alpha, each in (0, 1]. New rows exceed the level of the training rows as
        often as not, so that a stricter one may do better; the paper has 1 alone.
    lams : sequence of float
        Values of lambda_c = 1/C, each above 0.
    taus : sequence of float
        Values of tau, each above 0: the multiplier's rate is tau / n0 at most.
    gamma0s : sequence of float or 'auto'
        First learning rates.
    cv : int, splitter or iterable of (training, validation) row numbers
        An int is the number of stratified folds, shuffled by `random_state`. A single division, as in the paper, is
        ``StratifiedShuffleSplit(1, test_size=1/3)``.
    loss : {'sigmoid', 'ramp'}
        As in `OnlineNPClassifier`, as are the next ones.
    eta : float, optional
        Parameter of the loss.
    balanced : bool
        Draw each class with probability 1/2.
    average : bool or int
        Mean of the iterates after this many epochs; True: of the second half.
    update : {'multiplicative', 'additive'}
        Update of the multiplier.
    max_iter : int
        Number of epochs.
    tol : float or None
        Certificate of a converged final fit.
    class0 : label, optional
        The class whose error is bounded; None: the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the folds, of the draws of every candidate and of the final fit.
    verbose : int
        Above 0: a line on standard error for each fold, and every `verbose` epochs of the final fit.

    Attributes
    ----------
    best_params_ : dict
        alpha (at which it trains), lam, tau and gamma0 of the candidate that was chosen.
    best_index_ : int
        Its row in `cv_results_`.
    cv_results_ : DataFrame
        A row for each candidate that was trained: alpha, lam, tau, gamma0, the means over the folds of type1, type2
        and loss (J), and the standard deviation of J, ``loss_std`` (NaN with one fold).
    best_estimator_ : OnlineNPClassifier
        The final fit, with its history; ``coef_``, ``intercept_``, ``multiplier_``, ``n_iter_``, ``converged_`` and
        ``certificate_`` are those of it.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The class whose error is bounded.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    OnlineNPClassifier : One candidate; with kernel 'rbf' or partial_fit.
    nproc.np_score : The same J, for a search over any estimator by GridSearchCV, one fit after another.
    nproc.solvers.solve_stochastic_np_together : The solver.

    Notes
    -----
    The choice alone guarantees nothing for new rows: with few class 0 rows for validation, the candidate that keeps the
    bound there does so partly by luck. Under ``npc(X, y, OnlineNPClassifierCV(...))`` all of it sees training rows
    only, and the threshold is an order statistic of others. Of candidates with equal J, of which few validation rows
    leave many, the one with the largest share is taken, then with the strongest penalty, then with the tau nearest to
    that of `OnlineNPClassifier`, 10: with a far smaller one the multiplier hardly moves within 100 epochs.

    A candidate is left out where gamma0 * lam is 1 or more, since a step would then reverse the sign of the weights.
    With gamma0='auto' this happens where columns of small numbers leave all rows near 0. A warning says so if you have
    given lams or gamma0s yourself.

    References
    ----------
    Algorithm 4, and sections 5.4 and 5.5 for J and the default grid, of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc import OnlineNPClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> X = rng.normal(size=(1000, 2)) + 2.0 * y[:, None]
    >>> model = OnlineNPClassifierCV(alpha=0.1, taus=(1, 10), max_iter=30, random_state=1).fit(X, y)
    >>> len(model.cv_results_), (model.predict(X[y == 0]) == 1).mean().round(1)
    (28, np.float64(0.1))
    """

    alpha: float = 0.05
    _: KW_ONLY
    shares: Sequence = (1.0, 0.5)
    lams: Sequence = PAPER_LAMS
    taus: Sequence = PAPER_TAUS
    gamma0s: Sequence = ("auto",)
    cv: object = 4
    loss: str = "sigmoid"
    eta: float | None = None
    balanced: bool = True
    average: bool | int = True
    update: str = "multiplicative"
    max_iter: int = 100
    tol: float | None = 0.2
    class0: object = None
    random_state: object = None
    verbose: int = 0

    _accepts_sparse = True

    def fit(self, X: Table, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Search, and train the best candidate on all rows; return self.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, p)
            Training rows.
        y : array-like, shape (n,)
            Their labels, of two values.
        groups : array-like, shape (n,), optional
            For a splitter that keeps groups together.

        Returns
        -------
        self : OnlineNPClassifierCV

        Raises
        ------
        InvalidInputError
            If a parameter is out of range, a class is too small for the folds, a fold lacks a class or validates on
            rows that train, or every candidate overflows or has a gamma0 * lam of 1 or more.
        """
        verbose = check_count(self.verbose, "verbose", minimum=0)
        candidates = self._candidates()
        for candidate in candidates:
            candidate._problem()
        max_iter, average = check_count(self.max_iter, "max_iter"), candidates[0]._average()
        warn_plain_python(type(self).__name__, PLAIN_PYTHON_SLOWDOWN)
        check_same_rows(X=X, y=y, groups=groups)
        X, codes = self._read_two_classes(X, y, np.uint8)
        X = in_rows(X)
        n0 = int(codes.size - np.count_nonzero(codes))
        self._check_alpha(n0)
        # one seed for all candidates, so that each could be trained alone on the same draws
        seed = int(np.random.default_rng(check_seed(self.random_state)).integers(2**31))
        divisions = checked_divisions(self._folds(X, codes, groups, seed), codes)
        candidates = self._within_reach(candidates, X, divisions)
        problems = [candidate._problem() for candidate in candidates]
        rates, overflowed = [], np.zeros(len(problems), dtype=bool)
        for number, (training, validation) in enumerate(divisions, start=1):
            rng = np.random.default_rng(seed)
            result = solve_stochastic_np_together(
                X[training], codes[training], problems, average=average, max_iter=max_iter, rng=rng
            )
            overflowed |= ~result.finite
            rates.append(error_rates(result, X[validation], codes[validation]))
            if verbose:
                least = np.min(np_loss(rates[-1][:, 0], rates[-1][:, 1], self.alpha))
                sys.stderr.write(
                    f"fold {number}: {len(problems)} candidates trained on {training.size} rows, least J {least:.4f}\n"
                )
        self._tell_overflow(overflowed)
        self._choose(np.array(rates), candidates)
        best = candidates[self.best_index_]
        best.set_params(tol=self.tol, class0=self.class0_, random_state=seed, verbose=verbose)
        best._made_by = type(self).__name__
        best._others = " other taus, lams or gamma0s"
        # judged below, by the alpha of the user
        with ranks_only():
            self.best_estimator_ = best.fit(X, np.asarray(y))
        del best._made_by, best._others
        self._keep_coefficients(best._constant, weights=best._weights)
        self.multiplier_ = best.multiplier_
        self.n_iter_, self.converged_, self.certificate_ = best.n_iter_, best.converged_, best.certificate_
        if self.tol is not None and self.converged_ and self._labels_matter():
            type1, type2 = (float(self.cv_results_[name][self.best_index_]) for name in ("type1", "type2"))
            # a row that validates twice says no more than once
            n0, n1 = np.bincount(codes[np.unique(np.concatenate([rows for _, rows in divisions]))]).tolist()
            how = "This is the mean over the validation rows, which chose the settings."
            judged = ErrorShares(type1, type2, n0, n1, how)
            advice = "Use other taus, lams or shares, or a larger alpha."
            more = "Use smaller shares, or more class 0 rows."
            scale = scale_advice(X, by_descent=True)
            if not self._tell_of_use(advice, more, self._training_errors(X, codes), judged, scale=scale):
                self._tell_of_scale(X, STEPS_APART)
        return self

    def _candidates(self):
        grid = []
        for name in ("shares", "lams", "taus", "gamma0s"):
            values = getattr(self, name)
            if isinstance(values, str) or as_array(values, name).ndim != 1 or len(values) == 0:
                raise InvalidInputError(f"{name} must be a sequence of one value or more, got {values!r}.")
            grid.append(list(values))
        alpha = check_level(self.alpha, "alpha")
        for share in grid[0]:
            if check_number(share, "shares") > 1:
                raise InvalidInputError(f"shares must lie in (0, 1], got {share!r}: they are shares of alpha.")
        shared = {name: getattr(self, name) for name in ("loss", "eta", "balanced", "average", "update", "max_iter")}
        return [
            OnlineNPClassifier(share * alpha, lam=lam, tau=tau, gamma0=gamma0, **shared)
            for share, lam, tau, gamma0 in itertools.product(*grid)
        ]

    def _folds(self, X, codes, groups, seed):
        if is_number(self.cv):
            n_folds = check_count(self.cv, "cv", minimum=2)
            least = int(min(np.count_nonzero(codes), codes.size - np.count_nonzero(codes)))
            if least < n_folds:
                raise InvalidInputError(
                    f"cv={n_folds} folds need as many rows of each class, but one class has {least}. Use fewer folds, "
                    "or OnlineNPClassifier with settings of your own."
                )
            return StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, codes)
        if groups is not None:
            _, groups = distinct_labels(as_column(groups, "groups"), "groups")
            if groups.size != codes.size:
                raise InvalidInputError(f"groups must hold one group a row, {codes.size}, got {groups.size}.")
        if callable(getattr(self.cv, "split", None)) and not isinstance(self.cv, str | bytes):
            return self.cv.split(X, codes, groups)
        listed = hasattr(type(self.cv), "__iter__") and getattr(self.cv, "ndim", 1) > 0
        divisions = list(self.cv) if listed and not isinstance(self.cv, str | bytes | Mapping) else [None]
        if not all(map(_is_pair, divisions)):
            raise InvalidInputError(
                "cv must be a number of folds, a splitter or a list of divisions, each a pair of the numbers of "
                f"training and of validation rows, got {shown(self.cv)}."
            )
        return divisions

    def _within_reach(self, candidates, X, divisions):
        """Return the candidates of which no step would reverse the weights, neither on all rows nor in a fold."""
        pairs = {(candidate.gamma0, candidate.lam): candidate._problem() for candidate in candidates}
        products = dict.fromkeys(pairs, 0.0)
        for part in itertools.chain([X], (X[training] for training, _ in divisions)):
            for pair, problem in pairs.items():
                gamma0, lam, _ = first_rates(problem, part)
                products[pair] = max(products[pair], gamma0 * lam)
        kept = [candidate for candidate in candidates if products[candidate.gamma0, candidate.lam] < 1.0]
        meaning = "(with gamma0='auto', lam is divided by the mean square norm of the rows)"
        advice = "Use smaller lams or gamma0s, or scale the columns up."
        if not kept:
            raise InvalidInputError(
                f"gamma0 * lam must be below 1 {meaning}, but for all lams and gamma0s it is "
                f"{min(products.values()):.3g} or more: one step would reverse the sign of the weights. {advice}"
            )
        if len(kept) < len(candidates) and (tuple(self.lams), tuple(self.gamma0s)) != (PAPER_LAMS, ("auto",)):
            warn_at_call(
                f"{len(candidates) - len(kept)} of {len(candidates)} candidates are left out, because gamma0 * lam is "
                f"not below 1 for them {meaning}: one step would reverse the sign of the weights. {advice}",
                NPWarning,
            )
        return kept

    def _tell_overflow(self, overflowed):
        advice = "Use smaller gamma0s or gamma0s=('auto',), and bring the columns to one scale."
        if np.all(overflowed):
            raise InvalidInputError(f"the weights of every candidate overflowed. {advice}")
        if np.any(overflowed):
            warn_at_call(
                f"the weights of {np.count_nonzero(overflowed)} of {overflowed.size} candidates overflowed; they count "
                f"as wrong on every validation row. {advice}",
                NPWarning,
            )

    def _choose(self, rates, candidates):
        type1, type2 = rates[:, :, 0], rates[:, :, 1]
        losses = np_loss(type1, type2, self.alpha)
        self.cv_results_ = table_frame(
            {
                **{name: [getattr(candidate, name) for candidate in candidates] for name in SEARCHED},
                "type1": type1.mean(axis=0),
                "type2": type2.mean(axis=0),
                "loss": losses.mean(axis=0),
                "loss_std": losses.std(axis=0, ddof=1) if len(losses) > 1 else np.full(len(candidates), np.nan),
            }
        )
        self.best_index_ = first_of_the_best(losses.mean(axis=0), candidates)
        best = candidates[self.best_index_]
        self.best_params_ = {name: getattr(best, name) for name in SEARCHED}


def first_of_the_best(losses, candidates):
    """Return the number of the candidate with the least loss; see the notes of `OnlineNPClassifierCV` for ties."""

    def order(number):
        candidate = candidates[number]
        return -candidate.alpha, -candidate.lam, abs(np.log(candidate.tau / DEFAULT_TAU)), number

    # sums of shares of rows differ in their last digits
    return min(np.flatnonzero(losses <= losses.min() + 1e-12).tolist(), key=order)


def _is_pair(value):
    return isinstance(value, list | tuple | np.ndarray) and getattr(value, "ndim", 1) > 0 and len(value) == 2
