"""A linear ranking that accepts many rows at a q-value, by stochastic updates on pairs."""

from __future__ import annotations

from nproc.scorers.coefficients import Coefficients
from nproc.scorers.qvalue_ranking import QValueRanking


class QValueLinear(Coefficients, QValueRanking):
    r"""Linear ranking that accepts many class 1 rows at a q-value, by stochastic updates on pairs.

    Class 0 holds known negatives (decoys), class 1 rows of which many may be false. With the mean sigmoid losses
    P_nd of class 1 and P_fa of class 0 in place of errors,

    .. math:: \min_{w, b} \tfrac{1}{2} \lambda_c \|w\|^2 + P_{nd}
        \quad \text{subject to} \quad P_{fa} \le q \frac{n_1}{n_0} (1 - P_{nd}) :

    of the rows above the threshold, class 0 rows are at most q times class 1 rows. With several q each has its own
    threshold b_k and multiplier, w is shared, and the mean of the P_nd is minimised.

    Parameters
    ----------
    q : float or sequence of float
        q-value or several, each in (0, 1). Below 1 / n1 not one class 0 row may be accepted, and a warning says so.
    lam : float
        The paper's lambda_c = 1/C, at least 0: penalty of the squared weights.
    eta : float
        Slope of the sigmoid loss, above 0.
    gamma0 : float
        First learning rate. The rate of pair t is gamma0 / (1 + decay t) over the largest coefficient of a loss.
    decay : float, optional
        Fall of the learning rate; None: 2 / (5 n), so that it has halved after 5 epochs.
    tau : float
        The multipliers' rate is tau / n0, and at most that of the weights.
    init : {'logistic', 'random'}
        Warm start by logistic regression with balanced classes (stochastic as well), or random weights.
    init_iter : int
        Epochs of the warm start.
    max_iter : int
        Epochs, of n / 2 pairs each. All are run.
    tol : float
        Certificate that counts as converged.
    class0 : label, optional
        The label of the known negatives; None: the first in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the weights and of the draws.
    verbose : int
        Above 0: a line on standard error every `verbose` epochs.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p)
        Weights; larger score = more like ``classes_[1]``, as `decision_function`.
    intercept_ : ndarray, shape (1,)
        Minus the training threshold of the least q: `predict` gives class 1 to the training rows accepted at it.
    q_ : ndarray, shape (m,)
        The levels of the training in rising order; `accepted` counts at the least of them unless told otherwise.
    offsets_, multiplier_ : ndarray, shape (m,)
        The constants b_k of the smooth problem and the multipliers, for the q in rising order.
    n_accepted_ : ndarray of int, shape (m,)
        Class 1 training rows accepted at each q; more than on new rows, as a rule.
    history_ : DataFrame
        Of each epoch: objective, type1 and type2 (training shares on the wrong side of the moving b_1), multiplier,
        accepted (training rows at the least q).
    n_iter_ : int
        Epochs.
    certificate_ : float
        The norm of the gradient of the Lagrangian in w over all rows, divided by the sum of the norms of its three
        parts (penalty, class 1, class 0); 0 exactly at a stationary point.
    converged_ : bool
        Whether the certificate is at most tol and each q has a threshold that meets its constraint.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The label of the known negatives.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    QValueNetwork : The same with hidden units.
    nproc.qvalues.q_values : The q-values of any scores.
    nproc.solvers.qvalue_pairs.solve_qvalue_pairs : The solver.

    Notes
    -----
    The weights returned are those of the epoch, the warm start included, with the lowest objective, each threshold
    at its best. Accepting nothing always meets the constraint, so that a search from random weights may end there;
    hence the warm start.

    q-values on the training rows are too small. Count on other rows, and keep rows that depend on each other (matches
    of one spectrum) on one side, as in the example.

    References
    ----------
    Section 4 and equation (13) of [gasso2011]_; several q: [spivak2009]_.

    .. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms
       for nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
    .. [spivak2009] Spivak, M., Weston, J., Bottou, L., Kall, L. and Noble, W. S. (2009). Improvements to the percolator
       algorithm for peptide identification from shotgun proteomics data sets. Journal of Proteome Research 8(7),
       3737-3745.

    Examples
    --------
    Spectra with two matches each; split by spectrum, train on one half, count on the other:

    >>> import numpy as np
    >>> from sklearn.model_selection import GroupShuffleSplit
    >>> from nproc.scorers.papers_qvalue import QValueLinear
    >>> rng = np.random.default_rng(0)
    >>> spectrum = np.repeat(np.arange(600), 2)
    >>> y = np.tile([0, 1], 600)  # a decoy and a target each
    >>> real = (y == 1) & (rng.random(1200) < 0.4)
    >>> X = rng.normal(size=(1200, 3)) + np.outer(real, [3, 2, 0]) + 0.5 * rng.normal(size=(600, 1))[spectrum]
    >>> train, test = next(GroupShuffleSplit(1, test_size=0.5, random_state=0).split(X, y, spectrum))
    >>> bool(np.intersect1d(spectrum[train], spectrum[test]).size)
    False
    >>> model = QValueLinear(q=0.05, random_state=0).fit(X[train], y[train])
    >>> counted = model.accepted(X[test], y[test])
    >>> bool(counted.sum() > 80), bool(real[test][counted].mean() > 0.9)
    (True, True)
    """

    def __init__(
        self,
        q=0.01,
        *,
        lam=1e-3,
        eta=1.0,
        gamma0=1.0,
        decay=None,
        tau=1.0,
        init="logistic",
        init_iter=10,
        max_iter=30,
        tol=0.3,
        class0=None,
        random_state=None,
        verbose=0,
    ):
        self.q = q
        self.lam = lam
        self.eta = eta
        self.gamma0 = gamma0
        self.decay = decay
        self.tau = tau
        self.init = init
        self.init_iter = init_iter
        self.max_iter = max_iter
        self.tol = tol
        self.class0 = class0
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Return self after training on `X`, shape (n, p), and two labels `y`, shape (n,)."""
        result = self._train(X, y, hidden=(), activation="tanh", n_restarts=1)
        self._keep_coefficients(result.intercept, weights=result.coef.copy())
        return self
