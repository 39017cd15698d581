"""The nonconvex Neyman-Pearson support vector machine as an estimator, and its name as a scoring method."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_flag
from nproc.rows import Table
from nproc.scorers.base import AS_LEFT_OUT, ErrorShares, with_parameters
from nproc.scorers.papers.kernel_machine import RampMachine, of_rows
from nproc.scorers.papers.left_out import BY_FOLDS
from nproc.scorers.scaling import register_scaled

# rounding errors, of the last digit of the largest number added up, that two orders of a sum may differ by
ROUNDINGS = 32.0


@with_parameters
class NPSVC(RampMachine):
    r"""A kernel machine with the least type II error on the training rows at a bounded type I error (NP-SVM).

    With f in the space of a kernel plus a constant, ramp losses :math:`\ell` that stand for the counts of errors, and
    C the cost of a class 1 row, `fit` looks for a local minimum of

    .. math:: \frac{1}{2 C n_1} \|f\|^2 + P_{nd}(f) \quad\text{subject to}\quad P_{fa}(f) \le \alpha,

    a saddle point of the Lagrangian in f and the multiplier :math:`\lambda` of the constraint. For fixed
    :math:`\lambda` it is a support vector machine with costs C and :math:`C \lambda n_1 / n_0` of the classes and ramp
    losses, solved by a sequence of convex ones; so no grid of cost ratios has to be searched. Rows far on the wrong
    side cost 1 and no more, so that an outlier has no pull.

    Parameters
    ----------
    alpha : float
        Bound on the type I error P(predict 1 | class 0) of the training rows, in (0, 1).
    C : float
        Cost of a class 1 row, above 0, as C / (2 eta^2) in scikit-learn's SVC; the paper's C is C n_1.
    kernel : {'rbf', 'linear', 'poly', 'precomputed'} or callable
        Kernel; a callable k(A, B) returns the matrix of the rows of A with those of B. With 'precomputed', X is that
        matrix: (n, n) in fit, (m, n) to predict.
    gamma : 'scale', 'auto' or float
        Scale of rbf, exp(-gamma \|x - z\|^2), and poly, (gamma x'z + coef0)^degree: one over the sum of the columns'
        variances, one over the number of columns, or a number above 0. ('scale' is scikit-learn's where all
        columns have the same mean.)
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly.
    eta : float
        Half width of the ramp, above 0 (C / eta^2 at most 1e30): rows more than eta on the wrong side cost 1.
    solver : {'annealed', 'uzawa'}
        Algorithm 3 of the paper, which moves the multiplier after each convex problem, or Algorithm 1, which minimises
        fully over f at each multiplier.
    rate : {'ramp', '0-1'}
        Which type I error is bounded: the mean ramp loss of class 0 rows, or the share of them with a score above 0.
        See the Notes for the choice.
    update : {'multiplicative', 'additive'}
        How the multiplier moves: times 1 + nu (P_fa - alpha), or plus nu (P_fa - alpha), but not below 0.
    gain : float
        First nu in units of 1 / alpha, above 0. It adapts: see `nproc.solvers.npsvm.constraint.Multiplier`.
    eps : float, optional
        Tolerance of the constraint, above 0; None is alpha / 20. For the 0-1 rate it is at least 1 / (2 n_0).
    tol : float
        Precision of each convex problem: its KKT gap in units of eta, as in scikit-learn's SVC.
    max_iter : int
        Most values of the multiplier.
    cache_size : float
        Room for kernel values in MB.
    shift : bool
        Ours: lower the score after training, as little as needed, where more than a share alpha of the class 0 rows
        score above 0 (which the ramp rate allows, and a run that has not converged). ``shift_`` says by how much.
        False leaves the paper's solution as it is.
    class0 : label, optional
        The class whose error is bounded; None takes the first label in sorted order.
    verbose : int
        Above 0: a line on standard error every `verbose` values of the multiplier.

    Attributes
    ----------
    support_ : ndarray, shape (m,)
        Training rows with a coefficient other than 0.
    support_vectors_ : ndarray or CSR matrix, shape (m, p)
        Those rows (not for a precomputed or linear kernel, whose score needs none).
    dual_coef_ : ndarray, shape (1, m)
        Their coefficients in the score; larger = more like ``classes_[1]``, as `decision_function`.
    intercept_ : ndarray, shape (1,)
        Constant of the score.
    coef_ : ndarray, shape (1, p)
        Weights of the columns (linear kernel only).
    given_up_ : ndarray of bool, shape (n,)
        Training rows more than eta on the wrong side.
    multiplier_ : float
        :math:`\lambda`: type II error paid for a unit of type I error. The paper's is C n_1 times as large.
    eps_ : float
        Tolerance used.
    shift_ : float
        By how much the score was lowered (with ``shift=True``); certificate_ and history_ are about the score before.
    train_type1_, train_type2_ : float
        Share of class 0 rows with a score above 0, and of class 1 rows with a score of at most 0.
    loo_type1_, loo_type2_ : float or None
        The same shares, each row scored as if it had been left out of the training: an estimate of the errors on new
        rows, with the multiplier and the shift as they are. None within `npc`, and where
        `nproc.solvers.leave_one_out_scores` has no estimate.
    history_ : DataFrame
        A row for each value of the multiplier: objective, type1 and type2 (in the rate bounded), error1 and error2
        (0-1), multiplier, n_solves (convex problems).
    n_iter_ : int
        Values of the multiplier.
    n_solves_ : int
        Convex problems solved.
    converged_ : bool
        Whether type1 <= alpha + eps_, multiplier_ max(0, alpha - type1) <= eps_, no row changes sides of the ramp, and
        the last convex problem is solved to tol. For the 0-1 rate alpha is here the largest multiple of 1 / n_0 that
        is not above it, a bound that says the same.
    certificate_ : float
        0 at a saddle point: the largest of the KKT gap of the last convex problem, the share of the cost on rows that
        changed sides of the ramp, the violation of the constraint, and multiplier times room below the bound.
    reason_ : str
        Why the solver stopped.
    kernel_ : Kernel
        The kernel with its scale.
    classes_ : ndarray, shape (2,)
        The labels.
    class0_ : label
        The class whose error is bounded.
    n_features_in_ : int
        Number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, y without two classes, or a precomputed kernel that is none.

    See Also
    --------
    nproc.solvers.solve_annealed, nproc.solvers.solve_uzawa : The solvers.
    nproc.npc : The umbrella algorithm: a bound on the type I error of new rows, with a stated probability.

    Notes
    -----
    The bound is on the *training* rows. The type I error of new rows is larger as a rule, the more so the more the
    kernel bends (large C or gamma), the more columns there are and the fewer rows. ``loo_type1_`` estimates it, and
    `fit` warns where it is significantly above alpha (`nproc.scorers.papers` says when exactly). Where ``loo_type1_``
    is None, and there are at most 5,000 rows, `fit` trains four more machines for this, each without a quarter of the
    rows. Without either estimate it warns if there are fewer than 5 class 0 rows for each column.
    `nproc.npc` with method "npsvm" bounds it, with rows left out.

    The ramp rate is the default: the theory is about it (it is the derivative of the Lagrangian), it moves
    continuously with f, and since it counts a row inside the margin in part it is stricter as a rule. In 64 runs (rbf;
    spambase, pima, breast cancer, two Gaussians; C from 0.1 to 100, alpha from 0.01 to 0.2) the 0-1 training error was
    at most alpha in 92 % (with the 0-1 rate: 80 %), at most alpha + eps in all, and the median of P_nd +
    max(0, P_fa - alpha) / alpha on test rows 0.50 (0.80). No bound holds for the 0-1 error of one run with the ramp
    rate but twice the ramp's. Hence the default ``shift=True``: ``train_type1_`` is then at most alpha. It made the
    mean of that criterion on test rows smaller in 6 of 12 settings and larger in one (``benchmarks/npsvc_shift.py``).

    With scores that hardly vary (tiny C, gamma far from the data's scale) the solution jumps from calling all rows
    class 0 to calling all class 1: ``converged_`` is False, and the best solution that met the constraint is kept.
    Cost: some 10 ordinary support vector machines, from warm starts. Where classes overlap, steps grow with C times the
    kernel's values, to 10^7 or 100 n a machine. Not so with a linear kernel of up to 500 columns, which Newton's method
    solves where C is large.

    References
    ----------
    Algorithms 1, 2 and 3, Figure 3 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.npsvm import NPSVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 150)
    >>> X = rng.normal(size=(300, 2)) + 1.5 * y[:, None]
    >>> model = NPSVC(alpha=0.1).fit(X, y)
    >>> model.converged_, bool(np.mean(model.predict(X[y == 0]) == 1) <= 0.1)
    (True, True)
    """

    alpha: float = 0.05
    _: KW_ONLY
    shift: bool = True
    class0: object = None
    verbose: int = 0

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Train on `X`, shape (n, p) (or the kernel matrix), and two labels `y`, shape (n,); return self."""
        settings = self._settings()
        X, y = self._read_two_classes(X, y)
        alpha = self._check_alpha(int((y == 0).sum()))
        advice = "Try another C or gamma, a larger eps, or a larger max_iter."
        settings |= self._prepare(X)
        left_out = self._train_at(X, y, alpha, settings, advice, "Use a larger C.")
        if check_flag(self.shift, "shift"):
            self._shift_to_alpha(X, y, alpha)
            left_out = None if left_out is None else left_out - self.shift_
        self._keep_left_out(left_out, y)
        if self.converged_ and self._labels_matter():
            simpler = "" if self.kernel_.name == "linear" else "kernel='linear', "
            shift = "" if self.shift else "shift=True, "
            errors, how = self._training_errors(X, y), AS_LEFT_OUT
            if left_out is None:
                shift_of = shift_to_alpha if self.shift else None
                how, left_out = BY_FOLDS, self._scores_by_folds(X, y, alpha, settings, shift_of)
            if left_out is None and self.kernel_.name != "precomputed":
                n_columns = X.shape[1]
                self._warn_of_few_rows(errors, n_columns, f"a rule in {n_columns} columns", "column")
            new = [] if left_out is None else [ErrorShares.of_scores(left_out, y, how)]
            for_power = f"Use a larger C, {simpler}or a larger alpha."
            for_type1 = f"Use {shift}{simpler}a smaller C, or more class 0 rows."
            if not self._tell_of_use(for_power, for_type1, errors, *new, scale=self._scale_advice(X)):
                self._tell_of_scale(X)
        return self

    def _shift_to_alpha(self, X, y, alpha):
        """Set ``shift_``, and lower the score by it, if more than a share `alpha` of class 0 rows score above 0."""
        # as predict computes them: far from the origin the solver's own scores round otherwise
        highest = shift_to_alpha(self._score(X), y, alpha)
        # a little more, or rounding in another order of the sum could put the row above 0
        little = max(1e-9 * max(1.0, abs(highest)), ROUNDINGS * np.finfo(float).eps * self._size_of_terms(X))
        self.shift_ = highest + little if highest > 0 else 0.0
        if self.shift_ > 0:
            self._constant -= self.shift_
        self._count_errors(X, y)

    def _size_of_terms(self, X):
        """Return an upper bound on the sizes of the numbers that are added up to the score of a training row."""
        if self.kernel_.name == "linear":
            total = np.max(abs(X) @ np.abs(self._weights), initial=0.0)
        else:
            total = np.sum(np.abs(self._dual_weights)) * np.max(np.abs(self.kernel_.diagonal(X)), initial=0.0)
        return float(total) + abs(self._constant)


def shift_to_alpha(scores, y, alpha):
    """Return the least shift of `scores` for which at most a share `alpha` of the class 0 rows is above 0."""
    scores0 = np.sort(scores[y == 0])[::-1]
    # this one and all below must not score above 0
    return max(0.0, float(scores0[min(int(np.floor(alpha * scores0.size + 1e-9)), scores0.size - 1)]))


npsvm = register_scaled(
    "npsvm", NPSVC, step="npsvc", prepare=of_rows, omit=("verbose",), sparse=True, follows_alpha=True
)
