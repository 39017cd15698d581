"""A linear rule with the least surrogate risk of one class at a bounded surrogate risk of the other."""

from __future__ import annotations

from nproc.scorers.constrained_fitting import ConstrainedFitting
from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale


class ConstrainedNPClassifier(ConstrainedFitting):
    r"""The linear rule with the least mean loss of class 1 at a mean loss of class 0 of at most tau.

    For :math:`f(x) = \langle w, x \rangle + b` and a smooth convex loss :math:`\phi`,

    .. math:: \min_{w, b} \frac{1}{n_1} \sum_{y_i = 1} \phi(f(x_i)) \quad\text{subject to}\quad
              \frac{1}{n_0} \sum_{y_i = 0} \phi(-f(x_i)) \le \tau.

    A row is called 1 where f is above 0. The problem is convex, so that no trade-off between the classes has to be
    searched: the multiplier of the constraint comes out with the solution. The calibrated hinge is below 0 for large
    margins, and so may be its mean losses.

    Parameters
    ----------
    tau : float, 'theorem' or 'theorem_scaled', optional
        Bound on the mean loss of class 0. By default ``alpha * phi(0)``, which makes at most a share `alpha` of the
        class 0 training rows score above 0 (logistic loss: 0.69 alpha). ``tau=alpha`` is what the paper's experiments
        use. 'theorem' is the level of Theorem 2.3, alpha - gamma / sqrt(n0), for new rows: the expected loss of class
        0 is then at most alpha, and with 'theorem_scaled' the type I error is, with probability 1 - 2 delta.
    alpha : float
        Level of the type I error that `tau` is derived from, in (0, 1); without a meaning if tau is a number.
    delta : float
        Of the theorem, in (0, 1/2); without a meaning otherwise.
    loss : {'logistic', 'calibrated_hinge', 'matsusita'}
        The loss phi. The calibrated hinge bounds no type I error, whatever tau is, and so needs a number.
    fit_intercept : bool
        Whether there is a constant b. No ball holds it, but for the theorem's, where it is one more feature.
    norm : None, 'l1' or 'l2'
        Norm of w that is at most `radius`.
    radius : float or 'auto', optional
        Radius of that ball, above 0; needed with a norm, and None or 'auto' without one, where neither says anything.
        'auto' is meant for standardised columns: 30 / sqrt(p) in
        the l2 norm, so that a row of typical length scores at most 30 beside the intercept, and 10 in the l1 norm.
        With tau='theorem', None and 'auto' are the largest radius that the theorem allows.
    feature_bound : float, optional
        A number that no entry of X exceeds in absolute value, in new rows too; used by the theorem alone. By default
        the largest of the training rows, an estimate.
    constraints : sequence of object
        Further constraints (`nproc.solvers.constraint_sets`): signs, other balls, the risks of groups of rows.
    variant : {'auto', 'interior_point', 'projected_gradient', 'accelerated'}
        Method: 'projected_gradient' is the paper's (37); 'auto' takes Newton steps on a barrier function for up to
        3000 columns and the accelerated gradient beyond. On columns of one scale all find the same optimum; on others
        gradient steps may run out long before it.
    n_inner : int
        Half-spaces of each projection onto the constraint; without a meaning for Newton steps.
    step : float
        Step of the gradient in units of beta, between 0 and 2 ('accelerated' and 'auto': at most 1); without a meaning
        for Newton steps.
    step_bound : {'trace', 'spectral'}
        What 1 / beta is: (22), or the largest eigenvalue in place of the trace, which is smaller and steps longer.
    tol : float
        Certificate that counts as converged.
    max_iter : int, optional
        Most iterations; by default 200 Newton steps or 10 000 gradient steps.
    class0 : label, optional
        The class whose risk is bounded; by default the first label in sorted order.
    verbose : int
        1 writes the iterations 1, 2, 5, 10, 20, ... on standard error, 2 every one.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p)
        Weights w; larger score = more like ``classes_[1]``, as `decision_function`.
    intercept_ : ndarray, shape (1,)
        The constant b, of the same sign.
    support_ : ndarray of int
        Columns with a weight other than 0.
    tau_ : float
        The bound used.
    type1_bound_ : float
        ``tau_ / phi(0)`` or 1: at most this share of the class 0 training rows scores above 0.
    radius_ : float or None
        Radius of the ball, if there is one.
    level_ : RiskLevel or None
        What Theorem 2.3 promises, if it set tau: see `nproc.solvers.risk_level.RiskLevel`.
    multiplier_ : float
        Multiplier of the constraint: mean loss of class 1 paid for a unit of tau.
    multipliers_ : dict
        The same as ``type1``, and those of the other constraints, as far as there are any: ``groups`` (ndarray), ``l2``
        and ``l1``.
    risks_ : dict
        Mean losses of the training rows: ``type1`` and ``type2``, and ``groups`` where there are any.
    history_ : DataFrame
        A row an iteration: objective and risk2 (mean loss of class 1), risk1 (mean loss of class 0), type1 and type2
        (shares of wrongly called rows), certificate (of every Newton step or of every tenth gradient step, else NaN;
        in the last row ``certificate_``).
    certificate_ : float
        0 at the optimum: see `nproc.solvers.constrained_np.solve_constrained_np`.
    converged_ : bool
        Whether the certificate is at most `tol`.
    reason_ : str
        Why the solver stopped.
    n_iter_ : int
        Iterations.
    classes_, class0_, n_features_in_
        The labels in sorted order, the bounded one, the number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, or if no rule meets the constraint.
    TooFewSamplesError
        If the theorem needs more class 0 rows.

    See Also
    --------
    nproc.npc : The umbrella algorithm, which bounds the type I error of new rows for any scores.

    Notes
    -----
    Ways to a level. The default bounds the error of the training rows. Of new rows it says nothing, in either
    direction. With many rows of classes that overlap it is far stricter than alpha, since a mean loss is well above the
    share of errors: 80,000 rows of two normal classes 1.1 standard deviations apart have, with alpha = 0.05, a type I
    error of 0.0002 and a type II error of 0.99, where 0.71 is possible. With more columns than class 0 rows it is far
    looser, since the rule fits the training rows too well: 100 class 0 rows of `rna_seq` and 200 genes (alpha = 0.1,
    'auto' l2 ball) have 0.14 on new rows, and leukemia (36 training rows) 0.4. 'theorem' and 'theorem_scaled' hold for
    new rows, but |f| is at most 1, so that no logistic risk is below 0.313: they need large alpha and hundreds of
    thousands of rows. `nproc.npc` with method "constrained" puts the cut at an order statistic of left-out scores: a
    promise for new rows at any alpha, and not stricter than it must be.

    If the classes can be separated by a line and nothing bounds w, there is no minimiser: the mean loss of class 1
    falls to 0 as w grows. The solver finds that out and says so; bound the norm.

    The calibrated loss makes :math:`f = \phi' + 1` a probability, but of which population? At the optimum the
    derivative of the Lagrangian vanishes: where class c has the density :math:`p_c`,
    :math:`p_1 \phi'(h) = \lambda p_0 \phi'(-h)`, so that :math:`f(h) = p_1 / (p_1 + \lambda p_0)`. `predict_proba` is
    this: the probability of class 1 if the classes occurred in the proportion of :math:`\lambda` (class 0) to 1,
    which calls a row 1 where it is above 1/2. `posterior` turns it into that at other proportions. Both are right as
    far as a line can fit, and a ball shrinks them towards 1/2.

    References
    ----------
    Problem (29), algorithm (37), Theorem 2.3 and equation (19) of [barlaud2015]_.

    .. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
       classification using an outer approximation splitting method. Preprint, hal-01160831.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers_constrained import ConstrainedNPClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + 1.5 * y[:, None]
    >>> model = ConstrainedNPClassifier(alpha=0.1).fit(X, y)
    >>> print(f"{model.tau_:.4f} {np.mean(model.predict(X[y == 0]) == 1):.3f}")
    0.0693 0.015
    """

    def __init__(
        self,
        tau=None,
        *,
        alpha=0.05,
        delta=0.05,
        loss="logistic",
        fit_intercept=True,
        norm=None,
        radius=None,
        feature_bound=None,
        constraints=(),
        variant="auto",
        n_inner=9,
        step=1.0,
        step_bound="trace",
        tol=1e-6,
        max_iter=None,
        class0=None,
        verbose=0,
    ):
        self.tau = tau
        self.alpha = alpha
        self.delta = delta
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.norm = norm
        self.radius = radius
        self.feature_bound = feature_bound
        self.constraints = constraints
        self.variant = variant
        self.n_inner = n_inner
        self.step = step
        self.step_bound = step_bound
        self.tol = tol
        self.max_iter = max_iter
        self.class0 = class0
        self.verbose = verbose

    def fit(self, X, y):
        """Return self after solving the problem for `X`, shape (n, p), and two labels `y`, shape (n,)."""
        self._fit(X, y)
        return self


@register("constrained", sparse=True, follows_alpha=True)
def constrained(
    *,
    alpha=0.05,
    tau=None,
    loss="logistic",
    norm="l2",
    radius="auto",
    variant="auto",
    tol=1e-6,
    max_iter=None,
):
    """Return the linear rule of the constrained convex problem, in a ball, on standardised columns.

    R: no such method.

    Parameters
    ----------
    alpha : float
        Level from which tau follows; `npc` gives its own.
    tau : float, optional
        Bound on the mean loss of class 0; None is alpha phi(0).
    loss : {'logistic', 'calibrated_hinge', 'matsusita'}
        Convex stand-in for the 0-1 loss.
    norm : None, 'l1' or 'l2'
        Norm of the weights that is bounded; without one there is no solution for classes that a line can separate.
    radius : float or 'auto'
        Its bound; 'auto' is 30 / sqrt(p), and 10 for 'l1'.
    variant : {'auto', 'interior_point', 'projected_gradient', 'accelerated'}
        Method; 'projected_gradient' is the paper's.
    tol : float
        Certificate that counts as converged.
    max_iter : int, optional
        Most iterations.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then `ConstrainedNPClassifier`.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("constrained", radius=1.0).named_steps["constrained"]
    ConstrainedNPClassifier(norm='l2', radius=1.0)
    """
    settings = dict(locals())
    return on_one_scale("constrained", ConstrainedNPClassifier(**settings))
