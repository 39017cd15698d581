"""Sparse logistic regression, made for thresholds in an interval of probabilities, and its name as a scoring method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, gammaincc, logit

from nproc.checks import check_choice, check_count, check_level, check_number, check_seed, class_names, refuse_bad_seed
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.losses import TruncatedLikelihood
from nproc.orderstat import calibration_groups
from nproc.plotting import plot_calibration
from nproc.rows import Table, check_same_rows, label_array
from nproc.scorers.base import CONFIDENCE, ErrorShares, format_share, spread_and_centre, with_parameters
from nproc.scorers.papers.kernel_machine import KernelMachine, of_rows
from nproc.scorers.papers.left_out import BY_FOLDS, MOST_ROWS, scores_left_out
from nproc.scorers.papers.probability_interval import (
    ProbabilityInterval,
    check_factor,
    exceeded_by,
    interval_from_alpha,
    interval_from_costs,
    out_of_fold,
    threshold_from_costs,
)
from nproc.scorers.scaling import register_scaled
from nproc.solvers import solve_sparse_logistic_dual, solve_sparse_logistic_primal
from nproc.solvers.kernels import make_kernel
from nproc.tables import Axes

# log-odds this near to those of an end count as the end: solutions have rows on it, up to rounding
EDGE = 1e-6
# a share of a class that is called the other one, from which on predict is of no use for it
HARDLY_ANY = 0.9
# with fewer the likelihood ratio of columns without signal is larger than its chi-square distribution has it
ROWS_A_COLUMN = 50
# labels of training rows that are this unlikely without signal need no look at rows left out
BEYOND_CHANCE = 1e-6
# of the trainings that a warning alone depends on
FOLDS_TOL = 1e-4
# of the largest matrix of the primal solver
MOST_GB = 4.0
# the default of alpha
USUAL_ALPHA = 0.05


@with_parameters
class SparseLogisticClassifier(KernelMachine):
    r"""Sparse logistic regression, for decisions at thresholds in an interval of probabilities.

    By default it is ordinary logistic regression with the threshold 1/2, and `alpha` has no effect: the type I error
    may be far above it. Give ``interval='alpha'`` for a type I error near `alpha`, or use `nproc.npc` for one that is
    bounded.

    With :math:`s_i = 1` for the class that is not ``class0`` (the paper's positive class) and -1 for ``class0``, `fit`
    minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (f(x_i) + b), f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2, \qquad
              f_i = -\log \frac{p_{\max}}{1 - p_{\max}} \text{ or } \log \frac{p_{\min}}{1 - p_{\min}},

    the logistic likelihood with probabilities of class 1 above p_max, and of class 0 below p_min, counted as those
    ends. Rows that are right by more have no say, so that only a part of the rows determines f (``support_``): on
    covertype 28 to 63 % of them, the fewer the narrower the interval. With (0, 1) it is ordinary logistic regression
    with C = 1 / lam. With a kernel and the default lam, training took about half as long as that on two data sets. With
    a large lam most rows have a say, and little or nothing of this gain is left.

    Parameters
    ----------
    p_min, p_max : float
        Ends of the interval of the thresholds that matter, of the probability of the class that is *not* ``class0``,
        0 <= p_min < p_max <= 1. For ``interval='given'`` only; else leave them at 0 and 1.
    lam : float
        Penalty, above 0; 0 is allowed with the primal solver.
    interval : {'given', 'costs', 'alpha'}
        Where the interval comes from: `p_min` and `p_max`; the thresholds of all costs within a `factor` of the given
        ratio (`interval_from_costs`; a linear f may then do no better than a constant: use a kernel or a large
        `factor`); or the thresholds at which the type I error is within a `factor` of `alpha` (`interval_from_alpha`),
        by probabilities that ordinary logistic regression with the same kernel and penalty gives the training rows out
        of fold. While no row has log-odds more than half way from p_min to the threshold, that factor doubles. The
        named method "sparselogit" takes 'alpha' or 'given'; its None is 'given' where p_min is not 0 or p_max is not 1,
        else 'alpha'.
    alpha : float
        Level of the type I error, in (0, 1), for ``interval='alpha'``. Elsewhere it has no effect, and a
        warning says so where it is not the default.
    factor : float
        Half the width of the interval, as a ratio, at least 1.1.
    cost0, cost1 : float, optional
        Cost :math:`c_-` of calling a class 0 row class 1, and :math:`c_+` of the other error, both above 0: `predict`
        calls class 1 where the probability is above :math:`\pi^+ = c_- / (c_+ + c_-)`. None: the threshold is 1/2 if
        that is strictly inside the interval, else its middle; with ``interval='alpha'`` the level that a share of at
        most alpha of the class 0 training rows exceed out of fold, which may lie beyond an end.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'} or callable
        Kernel, as in `NPSVC`.
    gamma : 'scale', 'auto' or float
        Scale of rbf and poly, as in `NPSVC`; a Gaussian kernel of bandwidth h has gamma = 1 / (2 h^2).
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly, at least 0.
    solver : {'auto', 'primal', 'dual'}
        Newton's method on all rows (linear kernel only), or on working rows whose set grows (any kernel). 'auto':
        primal where the kernel is linear, but dual for a sparse matrix with more columns than rows. The time of the
        dual grows with the cube of the number of rows that have a say: 2,000 texts take about a second, and 14,000
        some minutes.
    tol : float
        Bound on the violation of the optimality conditions.
    max_iter : int, optional
        Most Newton steps; None is 300 (primal) or 1,000 (dual).
    cache_size : float
        Room for kernel values of the dual solver in MB.
    n_folds : int
        Folds for ``interval='alpha'``; fewer if a class has fewer rows.
    class0 : label, optional
        The class whose error is the type I error; None takes the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the folds.
    verbose : int
        Above 0: a line on standard error every `verbose` iterations of each training.

    Attributes
    ----------
    p_min_, p_max_ : float
        The interval.
    threshold_ : float
        :math:`\pi^+`, the probability of the class that is not ``class0_`` above which `predict` calls it.
    support_ : ndarray, shape (m,)
        Training rows that determine the solution: those in the interval, on its edge, or wrong.
    support_vectors_ : ndarray or CSR matrix, shape (m, p)
        Those rows (not for a precomputed or linear kernel, whose score needs none).
    dual_coef_ : ndarray, shape (1, m)
        Their coefficients in the score (not for lam = 0); larger = more like ``classes_[1]``, as `decision_function`.
    coef_ : ndarray, shape (1, p)
        Weights of the columns in the score (linear kernel only).
    intercept_ : ndarray, shape (1,)
        Constant of the score, b - logit(threshold_), or minus that where ``class0_`` is ``classes_[1]``.
    history_ : DataFrame
        What the solver traced, one row an iteration.
    n_iter_, converged_, reason_ : int, bool, str
        Iterations, whether the certificate is at most tol, and why the solver stopped.
    certificate_ : float
        Largest violation of the conditions (12), (13) and (17); 0 at the optimum.
    kernel_ : Kernel
        The kernel with its scale.
    classes_, class0_, n_features_in_
        Labels, that of class 0, number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, such as p_min >= p_max or solver='primal' with another kernel than linear, or
        y without two classes.

    See Also
    --------
    interval_from_costs, interval_from_alpha : How the interval is chosen.
    nproc.losses.truncated.TruncatedLikelihood : The loss.

    Notes
    -----
    What is calibrated, in the limit, is the *decision* at thresholds strictly between p_min and p_max, if f can follow
    log-odds that are cut off at both ends, as with a kernel. A **linear** f cannot, even where the log-odds are linear:
    it ranks rows, and its probabilities are biased, inside too, unless the interval is (0, 1). For one column with
    log-odds x - 1/2, as of two normal classes of equal size with variance 1 and means 0 and 1, and the interval
    (0.1, 0.4), its slope is 0.28 in place of 1, and of rows with estimates from 0.15 to 0.25 only 10 % are of class 1.
    Use a kernel or a wide interval and look at ``.plot(X, y)`` with new rows, or use `nproc.npc` (method
    "sparselogit"), which needs a ranking only.

    `predict_proba` is the logistic function of f + b, as in the paper. Outside the interval it says no more than "below
    p_min" or "above p_max", which `probability_bounds` gives, and may pass the ends by any amount: it is not made for
    the log-loss. An NPWarning says if costs put :math:`\pi^+` at an end or beyond. The threshold of
    ``interval='alpha'`` is an estimate from the training rows and promises nothing for new ones; `nproc.npc` does.

    Without costs, `fit` warns if the labels of `predict` are not shown to have more power than type I error, on the
    training rows or on rows left out. For the latter, four more models are trained with up to 5,000 rows, each without
    a quarter of them; fit then takes up to about four times as long. They are not needed for a linear f in (0, 1) with
    at least 50 rows a column if the training labels show a clear signal. If they do not, a likelihood-ratio test on the
    training rows comes first. With more than 5,000 rows only the training rows are looked at. A check at 5 % misses
    about 1 in 20 models without signal.

    Penalty and threshold can be chosen together by cross-validation, as in the paper: see the second example.

    References
    ----------
    Equations (2), (3) and (6) of [herault2008]_; its decision is p >= pi+, here p > pi+ as in all of this package.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [400, 100])
    >>> X = rng.normal(size=(500, 2)) + 1.5 * y[:, None]
    >>> model = SparseLogisticClassifier(kernel="rbf", interval="costs", cost0=1, cost1=4, factor=2).fit(X, y)
    >>> round(model.p_min_, 3), model.threshold_, round(model.p_max_, 3), model.support_.size < 250
    (0.111, 0.2, 0.333, True)

    The penalty and the threshold of least cost in 5 folds, of a linear f with a wide interval:

    >>> from sklearn.base import clone
    >>> from sklearn.metrics import make_scorer
    >>> from sklearn.model_selection import TunedThresholdClassifierCV
    >>> def cost(y, called):
    ...     return np.mean(np.where(y == 0, 1 * (called == 1), 4 * (called == 0)))
    >>> scoring = make_scorer(cost, greater_is_better=False)
    >>> levels = np.arange(0.05, 0.5, 0.01)
    >>> settings = {"scoring": scoring, "cv": 5, "thresholds": levels, "response_method": "predict_proba"}
    >>> wide = [clone(model).set_params(kernel="linear", factor=9, lam=lam) for lam in (0.1, 1.0, 10.0)]
    >>> models = [TunedThresholdClassifierCV(linear, **settings).fit(X, y) for linear in wide]
    >>> best = max(models, key=lambda tuned: tuned.best_score_)
    >>> bool(0.1 < best.best_threshold_ < 0.34)
    True
    """

    p_min: float = 0.0
    p_max: float = 1.0
    lam: float = 1.0
    _: KW_ONLY
    interval: str = "given"
    alpha: float = USUAL_ALPHA
    factor: float = 3.0
    cost0: float | None = None
    cost1: float | None = None
    kernel: str | Callable = "linear"
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    solver: str = "auto"
    tol: float = 1e-9
    max_iter: int | None = None
    cache_size: float = 200
    n_folds: int = 5
    class0: object = None
    random_state: object = None
    verbose: int = 0

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Train on `X`, shape (n, p) (or the kernel matrix), and two labels `y`, shape (n,); return self."""
        self._check_parameters()
        X, y = self._read_two_classes(X, y)
        # folds, which have fewer rows, are solved as the whole is
        self._dual = self._needs_dual() or (
            self.solver == "auto" and self.lam > 0 and sparse.issparse(X) and X.shape[1] > X.shape[0]
        )
        self.kernel_ = self._made_kernel(X)
        self._check_room(X)
        chosen, result, left_out = self._train(X, y)
        self._keep_result(X, y, chosen, result)
        if self._labels_matter() and not self._tell_labels(X, y, left_out) and self.converged_:
            self._tell_of_scale(X)
        return self

    def _tell_labels(self, X, y, left_out):
        """Warn of labels of no use; return whether it has warned.

        `left_out` holds the probabilities out of fold by which alpha set the threshold.
        """
        called = self._score(X) > 0
        if self.interval != "alpha" and self.alpha != USUAL_ALPHA:
            self._warn_of_unused_alpha(called, y)
        if left_out is not None and self.converged_:
            above = left_out > self.threshold_
            errors = ErrorShares.of_scores(left_out - self.threshold_, y, "This was counted out of fold.")
            advice = "Use another lam or kernel, or a larger alpha."
            more = "Use a larger lam, or more class 0 rows."
            scale = self._scale_advice(X)
            told = self._tell_of_use(advice, more, self._training_errors(X, y), errors, scale=scale)
            if not told:
                self._tell_of_luck(errors.n0, int(np.sum(above[y == 0])), float(self.alpha))
            return told
        no_costs = self.interval == "given" and self.cost0 is None
        if no_costs and self._is_whole() and self._warn_of_one_label(called, y):
            return True
        if no_costs and self.converged_ and not called.all() and called.any():
            return self._tell_of_chance(X, y, called)
        if not (no_costs and self._is_whole()) and self.interval != "alpha" and (called.all() or not called.any()):
            warn_at_call(
                f"SparseLogisticClassifier calls all training rows class {int(called[0])}: the probability of class 1 "
                f"is on one side of the threshold {self.threshold_:.3g} for all of them. If the costs, or the ends of "
                "the interval, are not meant to lead to that, use a kernel, a smaller lam or a wider interval, or npc.",
                NPWarning,
            )
            return True
        return False

    def _scale_advice(self, X):
        return super()._scale_advice(X) if self._scales_matter(X) else ""

    def _tell_of_scale(self, X):
        if self._scales_matter(X):
            super()._tell_of_scale(X)

    def _scales_matter(self, X):
        """Whether the units of the columns change the model much: of a linear one, where the penalty holds one back.

        At weights w the second derivative of the loss in a column of standard deviation s is at most n s^2 / 4, for n
        rows that have a say, and that of the penalty is lam. In a column where lam is larger the penalty decides on the
        weight.
        """
        if self.kernel_.name != "linear":
            return True
        spread, _ = spread_and_centre(X)
        return spread.size > 0 and float(self.lam) > self.support_.size * float(spread.min()) ** 2 / 4

    def _is_whole(self):
        return (self.p_min_, self.p_max_) == (0.0, 1.0)

    def _tell_of_chance(self, X, y, called):
        """Warn if labels that no costs lead to show no more power than type I error on new rows; return whether."""
        linear = self.kernel_.name == "linear"
        way_out = "kernel='rbf', other columns or another lam" if linear else "another lam or kernel, or other columns"
        advice = (
            f"{self._scale_advice(X)}Try {way_out}. If a class is rare, give the costs of the errors (cost0, cost1)."
        )
        finding = self._training_errors(X, y).finding_on_power()
        if finding:
            warn_at_call(f"SparseLogisticClassifier {finding} {advice}", NPWarning)
            return True
        n, n_columns = X.shape
        # of a linear rule in few columns the training rows tell
        if linear and self._is_whole() and n >= ROWS_A_COLUMN * n_columns:
            # labels of columns that have nothing to do with the classes would hardly fit so well: no more to look at
            if chance_of(table_statistic(called, y), n_columns) < BEYOND_CHANCE:
                return False
            if chance_of(likelihood_ratio(self._log_odds(X), y), n_columns) > 1 - CONFIDENCE:
                warn_at_call(
                    f"SparseLogisticClassifier fits the classes of the training rows no better than {n_columns} "
                    "columns that have nothing to do with the classes may (by a likelihood-ratio test at 5 %), so "
                    f"predict may be of no use. {advice}",
                    NPWarning,
                )
                return True
        scores = self._scores_by_folds(X, y)
        if scores is None:
            return False
        finding = ErrorShares.of_scores(scores - logit(self.threshold_), y, BY_FOLDS).finding_on_power()
        if finding:
            warn_at_call(f"SparseLogisticClassifier {finding} {advice}", NPWarning)
        return bool(finding)

    def _scores_by_folds(self, X, y):
        """Return the log-odds of each row by a model that was trained without its quarter, None where that is too long.

        Which rows make up a quarter is fixed, and decides on a warning alone.
        """
        if y.size > MOST_ROWS:
            return None
        settings = {"p_min": self.p_min_, "p_max": self.p_max_, "lam": float(self.lam)}
        settings["tol"] = max(float(self.tol), FOLDS_TOL)
        if self.max_iter is not None:
            settings["max_iter"] = int(self.max_iter)
        if self._dual:
            return self._scores_by_products(X, y, settings)
        rows, start = X, (self._weights, self._constant)
        if self.lam > 0 and X.shape[1] > X.shape[0] and not sparse.issparse(X):
            # rotated once for all folds: with a penalty that changes no score
            rows, start = np.linalg.qr(X.T, mode="r").T.copy(), None

        def scores_without(training, left_out):
            result = solve_sparse_logistic_primal(rows[training], y[training], start=start, **settings)
            return rows[left_out] @ result.coef + result.intercept

        return scores_left_out(scores_without, y, np.random.default_rng(0))

    def _scores_by_products(self, X, y, settings):
        """Return what `_scores_by_folds` does, from the kernel matrix, which all folds share."""
        if self.kernel_.name == "linear" and not sparse.issparse(X):
            # the constant is free, and products of rows far from 0 have no digits
            X = X - X.mean(axis=0)
        K, start = self.kernel_.matrix(X, X), np.zeros(y.size)
        start[self.support_] = np.abs(self._dual_weights).ravel() * float(self.lam)
        settings["kernel"] = make_kernel("precomputed")

        def scores_without(training, left_out):
            part = K[np.ix_(training, training)]
            result = solve_sparse_logistic_dual(part, y[training], start=start[training], **settings)
            return K[np.ix_(left_out, training)] @ result.coef + result.intercept

        return scores_left_out(scores_without, y, np.random.default_rng(0))

    def _warn_of_unused_alpha(self, called, y):
        type1 = format_share(np.mean(called[y == 0]))
        warn_at_call(
            f"SparseLogisticClassifier does not use alpha={float(self.alpha):g} with interval={self.interval!r}: it "
            f"cuts the probability at {self.threshold_:.3g}, which calls {type1} of the class 0 training rows class 1. "
            "Use interval='alpha' for a type I error near alpha, or npc for one that is bounded.",
            NPWarning,
        )

    def _warn_of_one_label(self, called, y):
        """Warn if the usual threshold leaves hardly a training row of a class with its own label; return whether."""
        shares = [float(np.mean(wrong[y == code])) for code, wrong in ((0, called), (1, ~called))]
        code = int(np.argmax(shares))
        if shares[code] < HARDLY_ANY:
            return False
        warn_at_call(
            f"SparseLogisticClassifier calls {format_share(shares[code])} of the class {code} training rows class "
            f"{1 - code}: it cuts the probability at {self.threshold_:g}, and class {code} is rare, or much like class "
            f"{1 - code}. Give the costs of the errors (cost0, cost1), or interval='alpha' for a type I error near "
            "alpha, or use npc.",
            NPWarning,
        )
        return True

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        """Estimate the probability of each class, shape (n, 2), in the order of ``classes_``.

        At p_min_ and p_max_ and beyond, that of the class that is not ``class0_`` says no more than on which side it
        is. Between them it is an estimate, biased if f cannot level off at both ends, as no linear f can.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.

        Returns
        -------
        ndarray of float64, shape (n, 2)
        """
        log_odds = self._log_odds(self._read_new(X))
        one, other = expit(log_odds), expit(-log_odds)
        return np.column_stack([other, one] if self.class0_ == self.classes_[0] else [one, other])

    def probability_bounds(self, X: Table) -> NDArray[np.float64]:
        """Bound ONE class's probability from below and above: that of the class that is not ``class0_``.

        Shape (n, 2): column 0 is the lower bound and column 1 the upper, not the classes of `predict_proba`. Both are
        the estimate where it lies between p_min_ and p_max_. Elsewhere they are 0 and p_min_, or p_max_ and 1, also at
        the ends, up to rounding: all probabilities beyond an end may have it as their estimate.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.

        Returns
        -------
        ndarray of float64, shape (n, 2)
            The lower and the upper bound of each row.
        """
        log_odds = self._log_odds(self._read_new(X))
        p = expit(log_odds)
        below, above = (side * (log_odds - logit(end)) >= -EDGE for side, end in ((-1, self.p_min_), (1, self.p_max_)))
        low = np.where(below, 0.0, np.where(above, self.p_max_, p))
        high = np.where(below, self.p_min_, np.where(above, 1.0, p))
        return np.column_stack([low, high])

    def plot(
        self,
        X: Table,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        n_groups: int = 10,
    ) -> Axes:
        """Draw how often rows with similar probabilities are not of ``class0_``; return the Axes.

        The parts outside [p_min_, p_max_], where the probability says no more than a side, are hatched. Give rows that
        did not train the model.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.
        y : array-like, shape (n,)
            Their labels.
        ax : Axes, optional
            Where to draw; a figure of its own is made without it.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.
        n_groups : int
            Number of groups of rows, of about the same size.

        Returns
        -------
        Axes

        Raises
        ------
        InvalidInputError
            If y does not hold one known label a row.
        """
        check_same_rows(X=X, y=y)
        p = expit(self._log_odds(self._read_new(X)))
        check_count(n_groups, "n_groups")
        y = label_array(y)
        if y.shape != p.shape or not np.isin(y, self.classes_).all():
            raise InvalidInputError(
                f"y must hold one of the labels {self.classes_.tolist()} for each of the {p.size} rows of X."
            )
        groups = calibration_groups(p, (y != self.class0_).astype(np.int64), n_groups)
        label = class_names((self.class0_, self.classes_[self.classes_ != self.class0_].item()))[1]
        return plot_calibration(**groups, p_min=self.p_min_, p_max=self.p_max_, ax=ax, figsize=figsize, label=label)

    def _check_parameters(self):
        TruncatedLikelihood(self.p_min, self.p_max)
        chosen = check_choice(self.interval, "interval", ("given", "costs", "alpha")) != "given"
        if chosen and (self.p_min, self.p_max) != (0.0, 1.0):
            raise InvalidInputError(
                f"p_min={self.p_min!r} and p_max={self.p_max!r} do not go with interval={self.interval!r}, which "
                "chooses both ends itself. Use interval='given', or leave p_min and p_max at 0 and 1."
            )
        check_level(self.alpha, "alpha")
        check_factor(self.factor)
        check_choice(self.solver, "solver", ("auto", "primal", "dual"))
        check_number(self.tol, "tol")
        check_number(self.cache_size, "cache_size")
        check_count(1 if self.max_iter is None else self.max_iter, "max_iter")
        check_count(self.n_folds, "n_folds", minimum=2)
        refuse_bad_seed(self.random_state)
        # with a negative one poly is no kernel: what is minimised has no least value
        check_number(self.coef0, "coef0", zero=True)
        self._check_kernel()
        if self.solver == "primal" and self.kernel != "linear":
            raise InvalidInputError(
                f"solver='primal' requires kernel='linear', got kernel={self.kernel!r}. Use solver='dual' or 'auto'."
            )
        check_number(self.lam, "lam", zero=True)
        if self.lam == 0 and self._needs_dual():
            raise InvalidInputError(
                "lam must be above 0 with the dual solver, got 0; only solver='primal' (kernel='linear') allows lam=0."
            )
        if (self.cost0 is None) != (self.cost1 is None):
            raise InvalidInputError("cost0 and cost1 must be given together; only their ratio matters.")
        if self.cost0 is None and self.interval == "costs":
            raise InvalidInputError("interval='costs' needs cost0 and cost1; only their ratio matters.")

    def _check_room(self, X):
        """Raise where the primal solver would need a matrix that is too large."""
        # with a penalty a dense X with fewer rows than columns is rotated to as many columns as it has rows
        side = (min(X.shape) if self.lam > 0 and not sparse.issparse(X) else X.shape[1]) + 1
        size = 8 * side**2 / 1e9
        if self._dual or size <= MOST_GB:
            return
        way_out = "solver='dual'" if self.lam > 0 else "lam above 0 with solver='dual'"
        raise InvalidInputError(
            f"lam={self.lam:g} with {X.shape[1]} columns and {X.shape[0]} rows of X needs matrices of {side} x {side} "
            f"numbers, each of which takes {size:.3g} GB; at most {MOST_GB:g} GB are tried. Use {way_out}, which needs "
            "no such matrix, or fewer columns.",
            argument="lam",
        )

    def _needs_dual(self):
        return self.solver == "dual" or not (isinstance(self.kernel, str) and self.kernel == "linear")

    def _train(self, X, y):
        """Return the interval with its threshold, the result of the solver, and the probabilities behind the threshold.

        These are None where costs or the ends of the interval set it. Warns of what went wrong.
        """
        left_out = None
        if self.interval == "alpha":
            chosen, result, left_out = self._train_near_alpha(X, y)
        elif self.interval == "given":
            p_min, p_max = float(self.p_min), float(self.p_max)
            chosen = ProbabilityInterval(p_min, p_max, 0.5 if p_min < 0.5 < p_max else (p_min + p_max) / 2)
            result = self._solve_in(X, y, p_min, p_max)
        else:
            chosen = interval_from_costs(self.cost0, self.cost1, self.factor)
            result = self._solve_in(X, y, chosen.p_min, chosen.p_max)
        if self.cost0 is not None:
            chosen = replace(chosen, threshold=threshold_from_costs(self.cost0, self.cost1))
            # at an end it does not tell rows inside from those beyond, whose estimates saturate there
            if not chosen.p_min < chosen.threshold < chosen.p_max:
                warn_at_call(
                    f"the threshold that follows from the costs, {chosen.threshold:.3g}, is not strictly between "
                    f"p_min={chosen.p_min:.3g} and p_max={chosen.p_max:.3g}, where probabilities are estimated. "
                    "The cost of predict may be far from the least cost. Use interval='costs', or give p_min and p_max "
                    "on both sides of the threshold.",
                    NPWarning,
                )
        return chosen, result, left_out

    def _train_near_alpha(self, X, y):
        """Return as `_train` does, with an interval round the level of a type I error of alpha."""
        # both rounds leave out the same rows
        seed = check_seed(self.random_state)
        p0 = self._out_of_fold(X, y, seed, 0.0, 1.0)[y == 0]
        factor = float(self.factor)
        while True:
            chosen = interval_from_alpha(p0, self.alpha, factor)
            result = self._solve_in(X, y, chosen.p_min, chosen.p_max)
            # a model too stiff for probabilities so high makes all of them equal to p_min: it needs to see more
            if chosen.p_min == 0.0 or 2 * result.decision.max() > logit(chosen.p_min) + logit(chosen.threshold):
                break
            factor *= 2.0
        if self.cost0 is not None:
            return chosen, result, None
        if np.ptp(result.decision) <= EDGE:
            warn_at_call(
                "the model gives all training rows the same probability, so that no threshold has a type I error near "
                f"alpha={self.alpha:g}: predict calls all rows alike. Use other columns, another kernel or a smaller "
                "lam.",
                NPWarning,
            )
            return chosen, result, None
        # the model of the interval has other probabilities than the one that chose it
        left_out = self._out_of_fold(X, y, seed, chosen.p_min, chosen.p_max, result)
        return replace(chosen, threshold=exceeded_by(left_out[y == 0], self.alpha)), result, left_out

    def _out_of_fold(self, X, y, seed, p_min, p_max, whole=None):
        """Return the probabilities that the rows get from models of the interval that did not see them.

        The solution `whole` for all rows is near those of the folds, and a start for them: no more, for each has one
        optimum.
        """

        def log_odds(trained, left_out):
            start = None
            if whole is not None:
                start = whole.alpha[trained] if self._dual else (whole.coef, whole.intercept)
            rows, others = X[trained], X[left_out]
            if self.kernel_.name == "precomputed":
                # the columns of a kernel matrix are split as its rows are
                rows, others = rows[:, trained], others[:, trained]
            result = self._solve_in(rows, y[trained], p_min, p_max, start)
            if self.kernel_.name == "linear":
                return np.asarray(others @ result.coef).ravel() + result.intercept
            return self.kernel_.matrix(others, rows) @ result.coef + result.intercept

        return expit(out_of_fold(log_odds, y, self.n_folds, seed))

    def _solve_in(self, X, y, p_min, p_max, start=None):
        settings = {"p_min": p_min, "p_max": p_max, "start": start, "lam": float(self.lam), "tol": float(self.tol)}
        if self.max_iter is not None:
            settings["max_iter"] = int(self.max_iter)
        told = "largest violation" if self._dual else "objective"
        settings["callback"] = self._progress(lambda n_iter, value, *_: f"iteration {n_iter}: {told} {value:.10g}")
        if self._dual:
            return solve_sparse_logistic_dual(X, y, kernel=self.kernel_, cache_size=float(self.cache_size), **settings)
        return solve_sparse_logistic_primal(X, y, **settings)

    def _keep_result(self, X, y, chosen, result):
        self.p_min_, self.p_max_, self.threshold_ = chosen.p_min, chosen.p_max, chosen.threshold
        support, dual_weights = np.asarray(result.support), None
        if self.lam > 0:
            dual_weights = (np.where(y == 1, 1.0, -1.0) * result.alpha)[support] / float(self.lam)
        # of the log-odds, from which the score is counted
        weights = result.coef if self.kernel_.name == "linear" else None
        self._keep_expansion(X, result, support, dual_weights, "Try a larger lam, max_iter or tol.", weights)

    def _log_odds(self, X):
        return super()._score(X)

    def _score(self, X):
        return self._log_odds(X) - logit(self.threshold_)

    def _constant_of_score(self):
        return self._constant - logit(self.threshold_)


def likelihood_ratio(log_odds, y):
    """Return twice the log-likelihood of codes `y` by these log-odds less that by their share, a number.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1])
    >>> round(float(likelihood_ratio(np.array([-1.0, -2.0, 1.0, 2.0]), y)), 2)
    3.78
    """
    n1 = np.count_nonzero(y)
    constant = n1 * np.log(n1 / y.size) + (y.size - n1) * np.log1p(-n1 / y.size)
    return 2.0 * (-np.sum(np.logaddexp(0.0, np.where(y == 1, -log_odds, log_odds))) - constant)


def table_statistic(called, y):
    """Return the chi-square statistic of the table of calls and codes `y`, with one degree of freedom.

    Examples
    --------
    >>> y = np.repeat([0, 1], 50)
    >>> table_statistic(y == 1, y), table_statistic(np.arange(100) % 2 == 1, y)
    (100.0, 0.0)
    """
    correlation = np.corrcoef(called, y)[0, 1]
    return float(y.size * correlation**2)


def chance_of(statistic, n_columns):
    """Return the chance of so large a chi-square statistic with `n_columns` degrees of freedom."""
    return float(gammaincc(0.5 * n_columns, 0.5 * max(statistic, 0.0)))


def near_alpha(parameters):
    """Return `parameters` of the named method, which ranks rows near its level unless an interval is given."""
    interval, ends = parameters["interval"], (parameters["p_min"], parameters["p_max"])
    if isinstance(interval, str) and interval == "costs":
        raise InvalidInputError(
            "interval='costs' cannot be used with a method given by name, because npc sets the threshold from alpha."
        )
    usual = "alpha" if ends == (0.0, 1.0) else "given"
    return of_rows({**parameters, "interval": usual if interval is None else interval})


sparselogit = register_scaled(
    "sparselogit",
    SparseLogisticClassifier,
    omit=("cost0", "cost1", "verbose"),
    changed={"interval": None},
    prepare=near_alpha,
    sparse=True,
    follows_alpha=True,
)
