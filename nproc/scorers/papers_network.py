r"""A neural network that bounds the training error of one class: Algorithm 4 with back-propagation."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_count, check_flag, check_number, check_seed
from nproc.scorers.network_settings import check_hidden, progress
from nproc.scorers.network_stream import SLOWDOWN, NetworkStream
from nproc.scorers.np_scorer import NPScorer, warn_plain_python
from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale
from nproc.solvers.network import solve_np_network


class OnlineNPNetwork(NetworkStream, NPScorer):
    r"""Feed-forward network with few misses of class 1 at a type I error (or its sigmoid loss) of at most alpha.

    With :math:`f(x) = g(x) + b`, g a network of weights w, and by default the sigmoid loss
    :math:`\ell(z) = 1 / (1 + e^{\eta z})` in place of the error (for loss='truncated' see Notes),

    .. math:: \min_{w, b} \tfrac{1}{2} \lambda_c \|w\|^2 + \frac{1}{n_1} \sum_{y_i = 1} \ell(f(x_i))
        \quad \text{subject to} \quad \frac{1}{n_0} \sum_{y_i = 0} \ell(-f(x_i)) \le \alpha .

    Each step takes one random row: a gradient step by back-propagation, and where it is of class 0 the multiplier
    moves, :math:`\lambda \leftarrow \lambda (1 + \nu_t (\ell(-f(x_t)) - \alpha))`.

    Parameters
    ----------
    alpha : float
        Bound on the training type I error, P(predict 1 | class 0), in (0, 1): with loss='sigmoid' on the mean sigmoid
        loss of class 0, with loss='truncated' on the share of errors itself.
    hidden : sequence of int, or int
        Units of each hidden layer, such as (10,) or (20, 10); () gives a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        The paper's lambda_c = 1/C, at least 0: penalty of the squared weights.
    eta : float
        Slope of the sigmoid loss, above 0.
    loss : {'sigmoid', 'truncated'}
        What the weights descend on: the sigmoid loss, or the truncated likelihood of [herault2008]_; see Notes.
    p_min, p_max : float
        Where the likelihood is cut off, 0 <= p_min < 1/2 < p_max <= 1; other than 0 and 1 only with 'truncated'.
    gamma0 : float
        First learning rate. The rate of step t is gamma0 / (1 + decay t) over the larger of 1 and lambda.
    decay : float, optional
        Fall of the learning rate; None: 1 / (5 n), so that it has halved after 5 epochs. `partial_fit` takes n from
        the `fit` before it, and else n = 1000, whatever the number of rows in a call.
    tau : float
        The multiplier's rate is tau / n0, and at most that of the weights. In `partial_fit` n0 grows with the rows.
    balanced : bool
        Draw each class with probability 1/2, with coefficients (2, 2 lambda); else all rows alike.
    max_iter : int
        Epochs of n steps each. All are run: the learning rate is made for it.
    tol : float
        How near to a saddle point counts as converged; see Notes.
    class0 : label, optional
        The class whose error is bounded; None: the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the weights and of the draws.
    verbose : int
        Above 0: a line on standard error every `verbose` epochs, or calls of `partial_fit`.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
        Weights (units below x units above) and biases of each layer, shaped as in scikit-learn's MLPClassifier; their
        output is larger for the class that is not ``class0_``.
    multiplier_ : float
        The multiplier lambda: about how much the loss of class 1 falls per unit of alpha.
    history_ : DataFrame
        After `fit`, of each epoch: objective, type1 and type2 (training errors at the threshold 0), type1_loss (what
        is bounded: the mean sigmoid loss of class 0, or type1 again with 'truncated') and multiplier. After
        `partial_fit`: objective, type1, type2, multiplier and full_data, 0 for a call (each row looked at before the
        steps that it takes part in; NaN where no row is of that class) and 1 for an epoch of a `fit` before.
    n_iter_ : int
        Epochs and calls of `partial_fit`, since the last `fit`.
    certificate_ : float
        After `fit`: the norm of the gradient of the Lagrangian over all training rows, divided by the sum of the norms
        of its three parts (penalty, class 1, class 0); between 0 and 1, and 0 exactly at a stationary point.
    converged_ : bool
        After `fit`: whether certificate and constraint are within tol.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The class whose error is bounded.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    nproc.solvers.network.solve_np_network : The solver.

    Notes
    -----
    The constraint is on training rows, and a network can fit those closely: the error on new rows is often above
    alpha. For a bound on it use the method name 'onpnet' in `npc`.

    Converged means: the certificate is at most tol (or the gradient times the norm of (w, b) at most 0.05, as where
    the classes can be parted and all forces vanish), and the constraint is met with complementarity to tol ((P_fa -
    alpha) / alpha where positive, else the smaller of (alpha - P_fa) / alpha and lambda (alpha - P_fa)), and P_fa +
    P_nd is less than 1 - alpha / 20 (1 is that of any constant score). A stochastic search comes near a saddle point
    and does not reach it: tol = 0.4 says that at least 60 % of the forces on the weights cancel. The weights are the
    mean over the last fifth of the epochs. The first tenth of the epochs is a warm start by the logistic loss with
    lambda = 1: the sigmoid loss alone often stays at an almost linear solution. The problem is not convex: another
    seed may end elsewhere.

    With loss='truncated' the weights descend on the class means of -log min(p, p_max) for class 1 and
    -log min(1 - p, 1 - p_min) for class 0, p = 1 / (1 + exp(-eta f)), weighted by (1, lambda), and lambda moves by the
    errors of class 0 themselves. The best p is then the probability of class 1 if the classes were as frequent as 1
    to lambda, and p > 1/2 the Neyman-Pearson test; where p would be outside [p_min, p_max], only the side is learned.
    Since p is not the probability of class 1 at the classes' own shares, there is no predict_proba.

    Columns should be on similar scales; the method name 'onpnet' sees to that.

    `partial_fit` does one step for each row it is given, in random order, with the coefficients (10) of the rows seen
    so far, and no warm start. Its rates are those of 1000 rows at first and depend on the steps made and the rows seen,
    not on how these are cut into calls. For millions of rows, or rows that change with time, give a smaller decay. It
    does not go on with another hidden, activation, class0, loss, p_min or p_max.

    References
    ----------
    Algorithm 4 and section 3.3, "Nonlinear extensions" and "Imbalanced dataset", of [gasso2011]_, with coefficients
    (2, 2 lambda); "deep network" of [gasso2011slides]_; section 5 of [herault2008]_.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from nproc.scorers.papers_network import OnlineNPNetwork
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> model = OnlineNPNetwork(alpha=0.1, max_iter=50, random_state=1).fit(X, y)
    >>> bool((model.predict(X[y == 0]) == 1).mean() < 0.12), bool((model.predict(X[y == 1]) == 0).mean() < 0.1)
    (True, True)
    """

    def __init__(
        self,
        alpha=0.05,
        *,
        hidden=(10,),
        activation="tanh",
        lam=1e-3,
        eta=1.0,
        loss="sigmoid",
        p_min=0.0,
        p_max=1.0,
        gamma0=0.25,
        decay=None,
        tau=3.0,
        balanced=True,
        max_iter=100,
        tol=0.4,
        class0=None,
        random_state=None,
        verbose=0,
    ):
        self.alpha = alpha
        self.hidden = hidden
        self.activation = activation
        self.lam = lam
        self.eta = eta
        self.loss = loss
        self.p_min = p_min
        self.p_max = p_max
        self.gamma0 = gamma0
        self.decay = decay
        self.tau = tau
        self.balanced = balanced
        self.max_iter = max_iter
        self.tol = tol
        self.class0 = class0
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Return self after training a new network on all rows.

        Parameters
        ----------
        X : array-like, shape (n, p)
            Predictors.
        y : array-like, shape (n,)
            Two labels.

        Returns
        -------
        self : OnlineNPNetwork
        """
        settings = self._settings()
        max_iter = check_count(self.max_iter, "max_iter")
        tol = check_number(self.tol, "tol")
        X, codes = self._read_two_classes(X, y)
        alpha = self._check_alpha(int(np.sum(codes == 0)))
        warn_plain_python(type(self).__name__, SLOWDOWN)
        rng = np.random.default_rng(check_seed(self.random_state))
        result = solve_np_network(
            X,
            codes,
            alpha=alpha,
            hidden=check_hidden(self.hidden),
            activation=self.activation,
            balanced=check_flag(self.balanced, "balanced"),
            tau=check_number(self.tau, "tau"),
            tol=tol,
            max_iter=max_iter,
            rng=rng,
            callback=progress(type(self).__name__, self.verbose),
            **settings,
        )
        self._network = result.state
        self._likelihood = settings["likelihood"]
        self._seen = np.array([np.sum(codes == 0), np.sum(codes == 1)])
        self._planned = codes.size
        self._rng = rng
        self._publish(result.n_iter)
        columns = [values.tolist() for values in result.history.values()]
        self._history = [dict(zip(result.history, row, strict=True)) for row in zip(*columns, strict=True)]
        self.certificate_ = result.certificate
        self.converged_ = result.converged
        self._warn_not_converged(result, "Use a smaller gamma0, more epochs (max_iter), another seed, or a larger lam.")
        return self

    def _score(self, X):
        return self._network.scores(X)


@register("onpnet", follows_alpha=True)
def onpnet(
    *,
    alpha=0.05,
    hidden=(10,),
    activation="tanh",
    lam=1e-3,
    eta=1.0,
    loss="sigmoid",
    p_min=0.0,
    p_max=1.0,
    gamma0=0.25,
    decay=None,
    tau=3.0,
    balanced=True,
    max_iter=100,
    tol=0.4,
    random_state=None,
    verbose=0,
):
    """Return the stochastic Neyman-Pearson network on standardised columns.

    R: no such method.

    Parameters
    ----------
    alpha : float
        Level of the type I error at which it trains; `npc` gives its own.
    hidden : sequence of int, or int
        Units of each hidden layer; () gives a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        Penalty of the squared weights.
    eta : float
        Slope of the sigmoid loss.
    loss : {'sigmoid', 'truncated'}
        What the weights descend on.
    p_min : float
        Only for 'truncated': the probability of class 1 below which class 0 is cut off.
    p_max : float
        Only for 'truncated': the probability of class 1 above which class 1 is cut off.
    gamma0 : float
        First learning rate.
    decay : float, optional
        Fall of the learning rate; None: 1 / (5 n).
    tau : float
        The multiplier's rate is tau / n0 at most.
    balanced : bool
        Draw each class with probability 1/2.
    max_iter : int
        Epochs.
    tol : float
        How near to a saddle point counts as converged.
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
    >>> import nproc.scorers.papers_network
    >>> get_scorer("onpnet", hidden=(5,))["onpnet"]
    OnlineNPNetwork(hidden=(5,))
    """
    settings = dict(locals())
    return on_one_scale("onpnet", OnlineNPNetwork(**settings))
