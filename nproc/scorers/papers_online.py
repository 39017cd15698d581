r"""The stochastic Neyman-Pearson classifier, linear or with random features of a Gaussian kernel."""

from __future__ import annotations

from nproc.scorers.online_fitting import StochasticScorer
from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale


class OnlineNPClassifier(StochasticScorer):
    r"""Linear Neyman-Pearson classifier trained by stochastic descent and ascent, one row a step.

    Looks for a saddle point, in (w, b) and in the multiplier :math:`\lambda`, of

    .. math:: \tfrac{\lambda_c}{2} \|w\|^2 + \frac{1}{n_1} \sum_{y_i = 1} \ell(f(x_i))
              + \lambda \Bigl( \frac{1}{n_0} \sum_{y_i = 0} \ell(-f(x_i)) - \alpha \Bigr), \quad f(x) = w^\top x + b,

    where the loss :math:`\ell` is a smooth stand-in for the 0-1 loss. A step costs the nonzeros of a row, so that
    data of any size can be learnt, in memory or by `partial_fit`.

    Parameters
    ----------
    alpha : float
        Bound on the training type I error, P(predict 1 | class 0), in (0, 1). It is kept in the mean loss of
        class 0; the error itself ends near it, mostly a little below (``history_``).
    lam : float
        The paper's lambda_c = 1/C, above 0: the weight of the penalty.
    loss : {'sigmoid', 'ramp'}
        'sigmoid' is 1 / (1 + exp(eta z)) of the margin z; 'ramp' is 1 below -eta, 0 above eta, straight in between.
        Rows on the flat parts of the ramp teach nothing, so the sigmoid is the safer of the two.
    eta : float, optional
        Parameter of the loss, above 0. None: 2 for the sigmoid and 1 for the ramp, which have the same slope at 0.
    gamma0 : float or 'auto'
        First learning rate; the rate of step t is gamma0 / (1 + lam t). 'auto': the paper's 0.1 for rows of norm
        about 1, applied to X / r with r^2 the mean square norm of the rows, and lam / r^2 in place of lam.
    tau : float
        The multiplier's rate is tau / n0, at most that of the weights, and at most 1/2.
    balanced : bool
        Draw each class with probability 1/2, and correct the weights; otherwise draw all rows alike.
    average : bool or int
        Return the mean of the iterates after this many epochs (or calls of `partial_fit`); True: of the second half
        of the epochs (all calls but the first). False: the last iterate, as in the paper.
    update : {'multiplicative', 'additive'}
        lambda <- lambda (1 + nu g), equation (12), or lambda <- max(0, lambda + nu g), as in the slides.
    kernel : {'linear', 'rbf'}
        'rbf' replaces the rows by random features of exp(-gamma ||x - x'||^2), which goes beyond the paper: its
        section 3.3 leaves kernels aside, since exact expansions do not stay sparse.
    gamma : float or 'scale'
        Of the rbf kernel, above 0; 'scale' is 1 / (p var(X)), of the first chunk under `partial_fit`.
    n_components : int
        Number of random features.
    max_iter : int
        Number of epochs, each of n steps (the paper: 100 for medium and 50 for large data).
    tol : float or None
        The certificate of a converged fit, below which there is no warning. None: no certificate; this spares a pass
        over all rows at the end, and no verdict is given.
    stop_early : bool
        Stop when the certificate, looked at every ten epochs once averaging has begun, is at most tol.
    n0_total : int, optional
        For `partial_fit`: rows of class 0 in all chunks together, for the multiplier's rate. None: those seen so far.
    class0 : label, optional
        The class whose error is bounded; None: the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the draws.
    verbose : int
        Above 0: a line on standard error every `verbose` epochs.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p) or (1, n_components)
        Weights of the columns, or of the random features; larger score = more like ``classes_[1]``, as
        `decision_function`.
    intercept_ : ndarray, shape (1,)
        Constant term of that score.
    multiplier_ : float
        lambda.
    history_ : DataFrame
        objective, type1, type2 and multiplier of each epoch, as means over its draws, each before its step; where
        ``full_data`` is 1, as in the last row of a fit with a tol, those of the model on all rows, with 0-1 errors.
    n_iter_ : int
        Epochs, or calls of `partial_fit`, since the last `fit`.
    t_ : int
        Steps.
    certificate_ : float or None
        After `fit`: the larger of the norm of the gradient of the Lagrangian on all rows, relative to the norms of
        its parts, and what the constraint lacks of holding, or of being tight, relative to alpha + 1/n0.
    converged_ : bool
        After `fit`: whether the certificate is at most tol, or all epochs were run where tol is None.
    random_features_ : FourierFeatures or None
        The map of the rows, for kernel='rbf'.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The class whose error is bounded.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    OnlineNPClassifierCV : The same with its settings chosen by validation.
    nproc.solvers.stochastic.solve_stochastic_np : The solver.

    Notes
    -----
    The constraint is on the training rows and on a stand-in for the error; it is no promise about new rows. For that,
    use the method name 'onpsvm' in `npc`. The problem is not convex: another seed may end in another saddle point.
    Memory beyond the data is a few vectors of p numbers, one byte a row for the labels, and at most 2/3 of a byte for
    the list of a rare class; `partial_fit` takes 2 bytes a row of the chunk. So it is for an array of 64-bit floats
    stored by rows, and for a CSR matrix of them without repeated entries: anything else is copied once into such a one.

    References
    ----------
    Algorithm 4 and "Imbalanced dataset" of [gasso2011]_, with weights (2, 2 lambda); additive update:
    [gasso2011slides]_; random features: Algorithm 1 of [rahimi2007]_.

    .. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms
       for nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
    .. [gasso2011slides] Gasso, G. (2011). Batch and online approaches for constrained classification. Talk, GDR ISIS.
    .. [rahimi2007] Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in
       Neural Information Processing Systems 20.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers_online import OnlineNPClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> X = rng.normal(size=(1000, 2)) + 2.0 * y[:, None]
    >>> model = OnlineNPClassifier(alpha=0.1, max_iter=30, random_state=1).fit(X, y)
    >>> (model.predict(X[y == 0]) == 1).mean().round(1)
    np.float64(0.1)
    """

    def __init__(
        self,
        alpha=0.05,
        *,
        lam=1e-3,
        loss="sigmoid",
        eta=None,
        gamma0="auto",
        tau=10.0,
        balanced=True,
        average=True,
        update="multiplicative",
        kernel="linear",
        gamma="scale",
        n_components=500,
        max_iter=100,
        tol=0.2,
        stop_early=False,
        n0_total=None,
        class0=None,
        random_state=None,
        verbose=0,
    ):
        self.alpha = alpha
        self.lam = lam
        self.loss = loss
        self.eta = eta
        self.gamma0 = gamma0
        self.tau = tau
        self.balanced = balanced
        self.average = average
        self.update = update
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.stop_early = stop_early
        self.n0_total = n0_total
        self.class0 = class0
        self.random_state = random_state
        self.verbose = verbose


@register("onpsvm", sparse=True, follows_alpha=True)
def onpsvm(
    *,
    alpha=0.05,
    lam=1e-3,
    loss="sigmoid",
    eta=None,
    gamma0="auto",
    tau=10.0,
    balanced=True,
    average=True,
    update="multiplicative",
    kernel="linear",
    gamma="scale",
    n_components=500,
    max_iter=100,
    tol=0.2,
    stop_early=False,
    random_state=None,
    verbose=0,
):
    """Return the stochastic Neyman-Pearson classifier on standardised columns.

    R: no such method.

    Parameters
    ----------
    alpha : float
        Level of the type I error at which it trains; `npc` gives its own.
    lam : float
        Weight of the penalty, 1/C.
    loss : {'sigmoid', 'ramp'}
        Stand-in for the 0-1 loss.
    eta : float, optional
        Parameter of the loss; None: 2 for the sigmoid and 1 for the ramp.
    gamma0 : float or 'auto'
        First learning rate.
    tau : float
        The multiplier's rate is tau / n0 at most.
    balanced : bool
        Draw each class with probability 1/2.
    average : bool or int
        Average the iterates after this many epochs; True: half of them.
    update : {'multiplicative', 'additive'}
        Update of the multiplier.
    kernel : {'linear', 'rbf'}
        Linear, or random features of a Gaussian kernel, which go beyond the paper.
    gamma : float or 'scale'
        Of the rbf kernel.
    n_components : int
        Number of random features.
    max_iter : int
        Number of epochs.
    tol : float or None
        Certificate of a converged fit.
    stop_early : bool
        Stop when the certificate is at most tol.
    random_state : int, optional
        Seed of the draws.
    verbose : int
        Above 0: a line on standard error every so many epochs.

    Returns
    -------
    estimator : Pipeline

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> import nproc.scorers.papers_online
    >>> get_scorer("onpsvm", alpha=0.1)["onpsvm"]
    OnlineNPClassifier(alpha=0.1)
    """
    settings = dict(locals())
    return on_one_scale("onpsvm", OnlineNPClassifier(**settings))
