"""A network whose ranking accepts many rows at a q-value, and its linear companion."""

from __future__ import annotations

from nproc.scorers.qvalue_linear import QValueLinear
from nproc.scorers.qvalue_ranking import QValueRanking
from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale
from nproc.solvers.backprop import unpack

__all__ = ["QValueLinear", "QValueNetwork", "qnet"]


class QValueNetwork(QValueRanking):
    r"""Network whose ranking accepts many class 1 rows at a q-value: the paper's qNNOpt.

    As `QValueLinear`, with hidden units: by default one layer of 5, as in the paper.

    Parameters
    ----------
    q : float or sequence of float
        q-value or several, each in (0, 1). Below 1 / n1 not one class 0 row may be accepted, and a warning says so.
    hidden : sequence of int, or int
        Units of each hidden layer; () gives a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        Penalty of the squared weights, at least 0.
    eta : float
        Slope of the sigmoid loss, above 0.
    gamma0 : float
        First learning rate.
    decay : float, optional
        Fall of the learning rate; None: 2 / (5 n).
    tau : float
        The multipliers' rate is tau / n0, and at most that of the weights.
    init : {'logistic', 'random'}
        Warm start of the same network by the logistic loss with balanced classes, or random weights.
    init_iter : int
        Epochs of the warm start.
    n_restarts : int
        Searches from different random weights; the lowest training objective is kept.
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
    coefs_, intercepts_ : list of ndarray
        Weights (units below x units above) and biases of each layer, shaped as in scikit-learn's MLPClassifier; their
        output is larger for the class that is not ``class0_``. The last bias is minus the training threshold of the
        least q.
    q_, offsets_, multiplier_, n_accepted_, history_, n_iter_, certificate_, converged_
        As in `QValueLinear`.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The label of the known negatives.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    QValueLinear : Without hidden units; its example splits rows by group.

    Notes
    -----
    See `QValueLinear`. A small q leaves few class 0 rows to learn from (q = 0.01 and 500 rows accepted: 5 above the
    threshold). Several q at once, such as (0.01, 0.03, 0.1), steady the search: on peptide matches they accepted no
    fewer held-out rows at the least q, and more at the largest (``benchmarks/qvalues_psm.py``).

    References
    ----------
    Sections 4 and 5.6 of [gasso2011]_; [spivak2009]_.

    .. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms
       for nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
    .. [spivak2009] Spivak, M., Weston, J., Bottou, L., Kall, L. and Noble, W. S. (2009). Improvements to the percolator
       algorithm for peptide identification from shotgun proteomics data sets. Journal of Proteome Research 8(7),
       3737-3745.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers_qvalue import QValueNetwork
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 1000)
    >>> X = rng.normal(size=(2000, 2))
    >>> X[1500:] *= 4.0  # half of class 1 is real, and lies round the rest
    >>> model = QValueNetwork(q=0.05, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.accepted(X[1::2], y[1::2]).sum() > 100)
    True
    """

    def __init__(
        self,
        q=0.01,
        *,
        hidden=(5,),
        activation="tanh",
        lam=1e-2,
        eta=1.0,
        gamma0=0.1,
        decay=None,
        tau=1.0,
        init="logistic",
        init_iter=10,
        n_restarts=1,
        max_iter=30,
        tol=0.3,
        class0=None,
        random_state=None,
        verbose=0,
    ):
        self.q = q
        self.hidden = hidden
        self.activation = activation
        self.lam = lam
        self.eta = eta
        self.gamma0 = gamma0
        self.decay = decay
        self.tau = tau
        self.init = init
        self.init_iter = init_iter
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.class0 = class0
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Return self after training on `X`, shape (n, p), and two labels `y`, shape (n,)."""
        result = self._train(X, y, hidden=self.hidden, activation=self.activation, n_restarts=self.n_restarts)
        self.coefs_, self.intercepts_ = unpack(result.coef, result.intercept, result.state.sizes)
        return self


@register("qnet")
def qnet(
    *,
    q=0.01,
    hidden=(5,),
    activation="tanh",
    lam=1e-2,
    eta=1.0,
    gamma0=0.1,
    decay=None,
    tau=1.0,
    init="logistic",
    init_iter=10,
    n_restarts=1,
    max_iter=30,
    tol=0.3,
    random_state=None,
    verbose=0,
):
    """Return the network for q-values on standardised columns.

    R: no such method.

    Parameters
    ----------
    q : float or sequence of float
        q-value or several, each in (0, 1).
    hidden : sequence of int, or int
        Units of each hidden layer; () gives a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        Penalty of the squared weights.
    eta : float
        Slope of the sigmoid loss.
    gamma0 : float
        First learning rate.
    decay : float, optional
        Fall of the learning rate; None: 2 / (5 n).
    tau : float
        The multipliers' rate is tau / n0 at most.
    init : {'logistic', 'random'}
        Warm start by the logistic loss, or random weights.
    init_iter : int
        Epochs of the warm start.
    n_restarts : int
        Searches; the lowest training objective is kept.
    max_iter : int
        Epochs, of n / 2 pairs each.
    tol : float
        Certificate that counts as converged.
    random_state : int, optional
        Seed of the weights and of the draws.
    verbose : int
        Above 0: a line on standard error every so many epochs.

    Returns
    -------
    estimator : Pipeline

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> import nproc.scorers.papers_qvalue
    >>> get_scorer("qnet", q=0.05)["qnet"]
    QValueNetwork(q=0.05)
    """
    settings = dict(locals())
    return on_one_scale("qnet", QValueNetwork(**settings))
