"""A linear support vector machine for a list of k rows, with k chosen so that the type I error is near alpha."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_choice, check_count, check_number, check_seed, shown
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows import Table
from nproc.scorers.base import (
    FAR_APART,
    ONE_SCALE,
    Coefficients,
    ErrorShares,
    NPScorer,
    scale_advice,
    two_rows_each,
    with_parameters,
)
from nproc.scorers.classical.penalised import stratified_folds
from nproc.scorers.scaling import register_scaled
from nproc.solvers import solve_precision_at_k


def threshold_for(scores, k):
    """Return the threshold above which k of the scores lie, or fewer where the k-th and the next are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.svmperf import threshold_for
    >>> print(threshold_for(np.array([4.0, 1.0, 2.0, 3.0]), 2))
    2.5
    """
    n = scores.size
    ordered = np.partition(scores, [n - k - 1, n - k])
    below, above = float(ordered[n - k - 1]), float(ordered[n - k])
    middle = below + 0.5 * (above - below)
    # between neighbouring floats the middle may round to the upper one, which must stay above the threshold
    return middle if middle < above else below


def count_of(k, y):
    """Return k as a count: itself, or as a share of the class 1 rows."""
    n1 = int(np.sum(y == 1))
    if isinstance(k, numbers.Real) and not isinstance(k, bool | np.bool_ | numbers.Integral):
        if not 0.0 < k <= 1.0:
            raise InvalidInputError(
                f"k as a share of the class 1 rows must lie above 0 and be at most 1.0, got {shown(k)}. Give a whole "
                "number for a count."
            )
        count = shared_count(float(k), n1)
    else:
        count = check_count(k, "k")
    if count >= y.size:
        raise InvalidInputError(f"k must be less than the number of rows, {y.size}, got {count}.")
    return count


def shared_count(share, n1):
    """Return a share of `n1` rows as a count of at least one."""
    return max(1, round(share * n1))


@with_parameters
class PrecisionAtKSVC(Coefficients, NPScorer):
    r"""A linear support vector machine that calls k training rows class 1 (SVMPerf), for a list of a fixed length.

    Minimises :math:`\tfrac12 \|w\|^2 + C \xi`, where the slack :math:`\xi` stands for one minus the precision among the
    k highest scores (the recall, where k exceeds the number of class 1 rows); see
    `nproc.solvers.solve_precision_at_k`. The threshold lies between the k-th and the next score, so that
    k training rows are called class 1. Unless k is given, cross-validation on the training rows chooses it: among
    `n_values` shares of class 1, linearly spaced from one row to all, the one whose left-out type I error is closest
    to alpha.

    Parameters
    ----------
    alpha : float
        Target of the type I error, strictly between 0 and 1; without effect where k is given.
    C : float
        Cost of the slack, above 0.
    k : int, float or None
        Rows to call class 1: a count (whole number, at most n - 1), or a share of the class 1 rows (a float above 0 and
        at most 1.0). None chooses by cross-validation.
    n_values : int
        Number of values of k tried.
    n_folds : int
        Number of (stratified) folds, fewer if a class has fewer rows.
    reference : {'labels', 'average'}
        What a labelling is compared with: the labels, as in the paper, or the average of all labellings of
        least loss, for which the slack is an upper bound of the loss at every k.
    tol : float
        Certificate (relative distance to the optimum) at which the solver stops, above 0.
    max_iter : int
        Largest number of planes.
    random_state : int, Generator, RandomState or None
        Seed of the folds.
    verbose : int
        Above 0: a line on standard error every `verbose` planes.
    class0 : label, optional
        The label whose error is controlled; None takes the first in sorted order.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p)
        Weights; larger score = more like ``classes_[1]``, as `decision_function`.
    intercept_ : ndarray, shape (1,)
        Minus the threshold of that score.
    k_ : int
        Rows of the training data called class 1, unless scores tie at the threshold: then fewer.
    ks_ : ndarray of int, shape (m,)
        Values of k tried, as counts in all training rows; only if k is chosen.
    validation_type1_, validation_type2_ : ndarray, shape (m,)
        Errors on the left-out rows of all folds together; only if k is chosen.
    history_ : DataFrame
        Objective, lower bound and number of planes in each round of the last fit.
    n_iter_, converged_ : int, bool
        Rounds of the last fit, and whether its certificate is at most tol.
    certificate_ : float
        (objective - lower bound) / objective of the last fit.
    classes_, class0_ : ndarray, label
        The labels, sorted, and the controlled one.
    n_features_in_ : int
        Number of columns.

    Raises
    ------
    InvalidInputError
        For parameters outside their range, k of n or more, or one row of a class where k is to be chosen.

    Warns
    -----
    NotConvergedWarning
        If `max_iter` planes are not enough.
    NPWarning
        If alpha is less than one over the number of class 0 rows and k is to be chosen; if the solution is 0; if the
        scales of columns decide (see Notes). What else is told is in `nproc.scorers.papers`.

    See Also
    --------
    nproc.solvers.solve_precision_at_k : The solver, with its cost.

    Notes
    -----
    A type I error *near* alpha is aimed at, not one below it, and k goes no further than the number of class 1
    rows: as in the paper, the type I error may stay below alpha where classes are well separated or class 1 is
    small. Under `npc` the threshold is replaced by the order statistic, and k acts on the direction only.

    Put the columns on one scale first, as the name ``svmperf`` does. The penalty of the paper is one on weights in the
    units of the columns. Where k is below the number of class 1 rows, a slack of 0 is often possible with
    ``reference="labels"``, although class 0 rows are in the list. The columns with large values reach it by the least
    weights, and then they alone rank the rows, whatever C. `fit` warns of it where the standard deviations of dense
    columns differ by a factor of more than 10.

    Columns are centred without densifying a sparse X. A small k of a class that overlaps much with the other has the
    solution 0 (whatever C), and all rows the same score: such a k is chosen only if there is no other. The search costs
    ``n_values * n_folds`` fits. For k below the number of class 1 rows and ``reference="labels"`` the slack is no
    bound of the loss. This may be why the paper found the method poor at small alpha on magic. On spambase and page
    blocks the paper found it as good as ONP-SVM (`OnlineNPClassifier`).

    References
    ----------
    Section 4 of [joachims2005]_; section 5.5 of [gasso2011]_ for the choice of k.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.svmperf import PrecisionAtKSVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 3)) + np.outer(y, [2, 0, 0])
    >>> model = PrecisionAtKSVC(alpha=0.1, random_state=1).fit(X, y)
    >>> int(np.sum(model.predict(X) == 1)) == model.k_
    True
    """

    alpha: float = 0.05
    _: KW_ONLY
    C: float = 1.0
    k: float | None = None
    n_values: int = 10
    n_folds: int = 4
    reference: str = "labels"
    tol: float = 1e-3
    max_iter: int = 1000
    random_state: object = None
    verbose: int = 0
    class0: object = None

    _accepts_sparse = True

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Choose k, unless it is given, and fit all rows with it; return self."""
        X, y = self._read_two_classes(X, y)
        settings = {
            "C": check_number(self.C, "C"),
            "tol": check_number(self.tol, "tol"),
            "max_iter": check_count(self.max_iter, "max_iter"),
            "reference": check_choice(self.reference, "reference", ("labels", "average")),
        }
        if self.k is None:
            alpha = self._check_alpha(int(np.sum(y == 0)))
            self.k_, judged = self._choose_k(X, y, alpha, settings)
        else:
            self.k_, judged = count_of(self.k, y), None
        result, threshold = _fit_at(X, y, self.k_, settings, self._progress(_progress_line(f"k={self.k_}")))
        self._keep_coefficients(-threshold, weights=result.coef)
        self._keep_run(result, f"{scale_advice(X)}Use more planes (max_iter), a smaller C or a larger tol.")
        if not np.any(self._weights):
            warn_at_call(
                f"{type(self).__name__} scores all rows alike. At k={self.k_} the classes overlap so much that "
                "the solution is 0, whatever C. Use a larger k, or another method.",
                NPWarning,
            )
        elif self.converged_ and self._labels_matter():
            advice = "Use another alpha, or another method."
            # where k is given there is no alpha to judge by
            errors, scale = self._training_errors(X, y), scale_advice(X)
            if judged is None or not self._tell_of_use(advice, advice, errors, judged, scale=scale):
                # a slack of 0 that bounds no loss: the least weights that give it lie on the largest columns
                unbound = settings["reference"] == "labels" and self.k_ < np.sum(y == 1)
                no_slack = settings["C"] * result.slack <= settings["tol"] * result.objective[-1]
                self._tell_of_scale(X, ONE_SCALE if unbound and no_slack else FAR_APART)
        return self

    def _choose_k(self, X, y, alpha, settings):
        n_values = check_count(self.n_values, "n_values")
        n_folds = check_count(self.n_folds, "n_folds", minimum=2)
        needs = f"{type(self).__name__} needs at least 2 rows of each class to choose k by cross-validation"
        sizes = two_rows_each(y, needs, "; give k, or more rows")
        n1 = int(sizes[1])
        rng = np.random.default_rng(check_seed(self.random_state))
        fold = stratified_folds(y, min(n_folds, sizes.min()), rng)
        self.ks_ = np.unique(np.round(np.linspace(1, n1, n_values)).astype(np.int64))
        rejected = np.zeros((self.ks_.size, y.size), dtype=bool)
        useless = np.zeros(self.ks_.size, dtype=bool)
        for left_out in range(fold.max() + 1):
            train, test = fold != left_out, fold == left_out
            n1_train = int(np.sum(y[train] == 1))
            for row, k in enumerate(self.ks_.tolist()):
                here = shared_count(k / n1, n1_train)
                progress = self._progress(_progress_line(f"fold {left_out + 1}, k={here}"))
                result, threshold = _fit_at(X[train], y[train], here, settings, progress)
                rejected[row, test] = X[test] @ result.coef > threshold
                useless[row] |= not np.any(result.coef)
        self.validation_type1_ = rejected[:, y == 0].mean(axis=1)
        self.validation_type2_ = 1.0 - rejected[:, y == 1].mean(axis=1)
        # scores that are all alike come last; among equals, the value that misses less of class 1 comes first
        best = np.lexsort((self.validation_type2_, np.abs(self.validation_type1_ - alpha), useless))[0]
        errors = self.validation_type1_[best], self.validation_type2_[best]
        how = "This was counted on rows that did not train, and chose k."
        return int(self.ks_[best]), ErrorShares(*map(float, errors), *map(int, sizes), how)


def _progress_line(what):
    def words(n_planes, objective, lower):
        return f"{what}: {n_planes} planes, objective {objective:.6g}, at least {lower:.6g}"

    return words


def _fit_at(X, y, k, settings, progress):
    """Return the solution for k rows, and the threshold that `threshold_for` gives its training scores."""
    # the mean of the rows as origin: the same as centring the columns, and a sparse X stays sparse
    origin = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    result = solve_precision_at_k(X, y, k=k, origin=origin, callback=progress, **settings)
    return result, threshold_for(X @ result.coef, k)


svmperf = register_scaled(
    "svmperf", PrecisionAtKSVC, step="precisionatksvc", omit=("verbose",), sparse=True, follows_alpha=True
)
