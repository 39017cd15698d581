"""Sparse logistic regression, made for thresholds in an interval of probabilities, and its name as a scoring method."""

from __future__ import annotations

from nproc.errors import InvalidInputError
from nproc.scorers.kernel_machine import of_rows
from nproc.scorers.np_scorer import warn_plain_python
from nproc.scorers.probability_machine import ProbabilityMachine
from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale

# seconds of plain Python for one of compiled code, with a kernel and 200 to 400 rows
SLOWDOWN = 6


class SparseLogisticClassifier(ProbabilityMachine):
    r"""Sparse logistic regression, for decisions at thresholds in an interval of probabilities.

    With :math:`s_i = 1` for the class that is not ``class0`` (the paper's positive class) and -1 for ``class0``, `fit`
    minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (f(x_i) + b), f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2, \qquad
              f_i = -\log \frac{p_{\max}}{1 - p_{\max}} \text{ or } \log \frac{p_{\min}}{1 - p_{\min}},

    the logistic likelihood with probabilities of class 1 above p_max, and of class 0 below p_min, counted as those
    ends. Rows that are right by more have no say, so that few rows determine f (``support_``). With (0, 1) it is
    ordinary logistic regression with C = 1 / lam.

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
        of fold. While no row has log-odds more than half way from p_min to the threshold, that factor doubles.
    alpha : float
        Level of the type I error, in (0, 1), for ``interval='alpha'``.
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
        Newton's method (linear kernel only), or the active set of the dual. 'auto': primal where the kernel is linear.
    tol : float
        Bound on the violation of the optimality conditions.
    max_iter : int, optional
        Most iterations; None is 300 Newton steps (primal), or 20 for each row and at least 1,000 (dual).
    cache_size : float
        Room for kernel values of the dual solver in MB.
    n_folds : int
        Folds for ``interval='alpha'``; fewer if a class has fewer rows.
    class0 : label, optional
        The class whose error is the type I error; None takes the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the folds.
    verbose : int
        1 prints some of the iterations on standard error, 2 more of them.

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
        Labels, the prioritised class, number of columns.

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
    log-odds x - 1/2 and the interval (0.1, 0.4) its slope is 0.28 in place of 1, and of rows with estimates from 0.15
    to 0.25 only 10 % are of class 1. Use a kernel or a wide interval and look at ``.plot(X, y)`` with new rows, or use
    `nproc.npc` (method "sparselogit"), which needs a ranking only.

    `predict_proba` is the logistic function of f + b, as in the paper. Outside the interval it says no more than "below
    p_min" or "above p_max", which `probability_bounds` gives, and may pass the ends by any amount: it is not made for
    the log-loss. An NPWarning says if costs put :math:`\pi^+` at an end or beyond. The threshold of
    ``interval='alpha'`` is an estimate from the training rows and promises nothing for new ones; `nproc.npc` does.

    Penalty and threshold can be chosen together by cross-validation, as in the paper: see the second example.

    References
    ----------
    Equations (2), (3) and (6) of [herault2008]_; its decision is p >= pi+, here p > pi+ as in all of this package.

    .. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
       Signal 25(4), 279-291.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers_sparse_logistic import SparseLogisticClassifier
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

    def __init__(
        self,
        p_min=0.0,
        p_max=1.0,
        lam=1.0,
        *,
        interval="given",
        alpha=0.05,
        factor=3.0,
        cost0=None,
        cost1=None,
        kernel="linear",
        gamma="scale",
        degree=3,
        coef0=0.0,
        solver="auto",
        tol=1e-9,
        max_iter=None,
        cache_size=200,
        n_folds=5,
        class0=None,
        random_state=None,
        verbose=0,
    ):
        self.p_min = p_min
        self.p_max = p_max
        self.lam = lam
        self.interval = interval
        self.alpha = alpha
        self.factor = factor
        self.cost0 = cost0
        self.cost1 = cost1
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_folds = n_folds
        self.class0 = class0
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Return self after training on `X`, shape (n, p) (or the kernel matrix), and two labels `y`, shape (n,)."""
        self._check_parameters()
        X, y = self._read_two_classes(X, y)
        self.kernel_ = self._made_kernel(X)
        if self._by_dual():
            warn_plain_python(type(self).__name__, SLOWDOWN)
        self._keep_result(X, y, *self._train(X, y))
        return self


@register("sparselogit", sparse=True, follows_alpha=True)
def sparselogit(
    *,
    alpha=0.05,
    interval=None,
    factor=3.0,
    p_min=0.0,
    p_max=1.0,
    lam=1.0,
    kernel="linear",
    gamma="scale",
    degree=3,
    coef0=0.0,
    solver="auto",
    tol=1e-9,
    max_iter=None,
    cache_size=200,
    n_folds=5,
    random_state=None,
):
    """Return sparse logistic regression on standardised columns.

    It is made to rank rows near the threshold. Its probabilities are biased with a linear kernel, in the interval too.

    R: no such method.

    Parameters
    ----------
    alpha : float
        Level round which probabilities matter, with interval='alpha'; `nproc.npc` gives its own.
    interval : {'alpha', 'given'}, optional
        Probabilities at which the type I error is within a factor of alpha, or from p_min to p_max. None: 'given' if
        p_min is not 0 or p_max is not 1, else 'alpha'.
    factor : float
        Half the width of the interval, as a ratio, with interval='alpha'.
    p_min : float
        Lower end, with interval='given'.
    p_max : float
        Upper end, with interval='given'.
    lam : float
        Penalty.
    kernel : {'linear', 'rbf', 'poly'} or callable
        Kernel.
    gamma : 'scale', 'auto' or float
        Scale of rbf and poly.
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly, at least 0.
    solver : {'auto', 'primal', 'dual'}
        Newton's method (linear kernel only), or the active set of the dual.
    tol : float
        Bound on the violation of the optimality conditions.
    max_iter : int, optional
        Most iterations of the solver.
    cache_size : float
        Room for kernel values in MB.
    n_folds : int
        Folds for interval='alpha'.
    random_state : int, optional
        Seed of the folds.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then `SparseLogisticClassifier`.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("sparselogit", lam=10.0)[-1], get_scorer("sparselogit", p_min=0.2)[-1]
    (SparseLogisticClassifier(interval='alpha', lam=10.0), SparseLogisticClassifier(p_min=0.2))
    """
    parameters = dict(locals())
    if interval is None:
        parameters["interval"] = "alpha" if (p_min, p_max) == (0.0, 1.0) else "given"
    if isinstance(interval, str) and interval == "costs":
        raise InvalidInputError("interval='costs' does not go with a method's name: its threshold follows from alpha.")
    return on_one_scale("sparselogit", SparseLogisticClassifier(**of_rows(parameters)))
