"""A neural network that bounds the training error of one class: Algorithm 4 with back-propagation."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import as_array, check_choice, check_count, check_flag, check_level, check_number, check_seed, shown
from nproc.errors import InvalidInputError
from nproc.losses import SigmoidLoss, TruncatedLikelihood
from nproc.rows import Table, check_same_rows
from nproc.scorers.base import scale_advice, warn_plain_python, with_parameters
from nproc.scorers.papers.chunk_learner import ChunkLearner, warn_of_sorted_rows
from nproc.scorers.papers.left_out import errors_left_out
from nproc.scorers.scaling import register_scaled
from nproc.solvers import solve_np_network
from nproc.solvers.network_steps import ACTIVATIONS, CHUNK, new_network, run_steps, unpack


def check_hidden(hidden):
    """Return the numbers of hidden units as a tuple; one number stands for one layer."""
    if isinstance(hidden, numbers.Number):
        hidden = (hidden,)
    if isinstance(hidden, str) or as_array(hidden, "hidden").ndim != 1:
        raise InvalidInputError(
            f"hidden must be the numbers of units of the hidden layers, such as (10,) or (20, 10), got {shown(hidden)}."
        )
    return tuple(check_count(units, "each number of hidden units") for units in hidden)


def check_descent(network):
    """Return the penalty, the slope of the loss and the rates of a network's descent, checked."""
    lam, eta = check_number(network.lam, "lam", zero=True), check_number(network.eta, "eta")
    gamma0 = check_number(network.gamma0, "gamma0")
    decay = check_number(network.decay, "decay", zero=True, optional=True)
    if gamma0 * lam >= 1:
        # one step would turn the weights round instead of shrinking them
        raise InvalidInputError(
            f"gamma0 * lam must lie below 1 (each step multiplies the weights by 1 - gamma0 * lam), got "
            f"{gamma0:g} * {lam:g}. Use a smaller gamma0 or lam."
        )
    return {"lam": lam, "eta": eta, "gamma0": gamma0, "decay": decay}


def check_likelihood(loss, p_min, p_max):
    """Return the `TruncatedLikelihood` that the weights descend on, or None for the sigmoid loss."""
    likelihood = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    if check_choice(loss, "loss", ("sigmoid", "truncated")) == "sigmoid":
        if (p_min, p_max) != (0.0, 1.0):
            raise InvalidInputError(
                f"p_min={p_min!r} and p_max={p_max!r} need loss='truncated'; the sigmoid loss has no interval. Leave "
                "them at 0 and 1, or change the loss."
            )
        return None
    if not p_min < 0.5 < p_max:
        raise InvalidInputError(
            "p_min must be below 1/2 and p_max above 1/2, because the network predicts class 1 where the "
            f"probability is above 1/2, got p_min={p_min:g} and p_max={p_max:g}."
        )
    return likelihood


def epoch_line(epoch, objective, type1, type2, multiplier):
    """Return what is told of an epoch."""
    errors = f"type I {type1:.4f}, type II {type2:.4f}"
    return f"epoch {epoch}: objective {objective:.4f}, {errors}, multiplier {multiplier:.4g}"


# plain Python against compiled, one hidden layer of 10 and 8 to 57 columns: measured 290 to 640
SLOWDOWN = 300
# a stream does not tell how many rows it will have: its first rates are those of a fit to so many. Of 1000, 2000 and
# 4000 this kept the level best after 3000 rows; from 300,000 rows the larger ones learnt a rare class better
PLANNED_ROWS = 1000
# the multiplier's rate follows the rows seen: it is set anew whenever they have grown by one part in so many
RATE_PARTS = 20
COLUMNS = ("objective", "type1", "type2", "multiplier")


class Tally:
    """Losses and errors of the rows of a call, each looked at before the steps that it takes part in.

    Parameters
    ----------
    eta : float
        Slope of the sigmoid loss.
    likelihood : TruncatedLikelihood or None
        What the weights descend on in its place.
    """

    def __init__(self, eta, likelihood):
        self._eta, self._likelihood = eta, likelihood
        self._n, self._errors, self._loss1 = np.zeros(2), np.zeros(2), 0.0

    def add(self, network, X, codes):
        """Count rows `X` of classes `codes` under the `network` as it is."""
        # an overflow is reported by the steps that follow
        with np.errstate(over="ignore", invalid="ignore"):
            f = network.scores(X)
            f1 = f[codes == 1]
            sigmoid, likelihood = SigmoidLoss(eta=self._eta), self._likelihood
            losses1 = sigmoid.value(f1) if likelihood is None else likelihood.value(self._eta * f1, 1)
        self._n += np.bincount(codes, minlength=2)
        self._errors += [np.count_nonzero(f[codes == 0] > 0), np.count_nonzero(f1 <= 0)]
        self._loss1 += float(losses1.sum())

    def row(self, network, lam):
        """Return the row of the history; what is a mean over no rows is NaN."""
        n0, n1 = (float(n) if n > 0 else np.nan for n in self._n)
        return {
            "objective": network.penalty(lam) + self._loss1 / n1,
            "type1": float(self._errors[0]) / n0,
            "type2": float(self._errors[1]) / n1,
            "multiplier": float(network.numbers[1]),
            "full_data": 0,
        }


def on_all_rows(history):
    """Return the rows of a history as those of a stream: an epoch of `fit` looked at all of its rows."""
    if not history or "full_data" in history[-1]:
        return history
    return [{**{name: row[name] for name in COLUMNS}, "full_data": 1} for row in history]


def _described(likelihood):
    if likelihood is None:
        return "loss='sigmoid'"
    return f"loss='truncated' with p_min={likelihood.p_min:g} and p_max={likelihood.p_max:g}"


@with_parameters
class OnlineNPNetwork(ChunkLearner):
    r"""A neural network with a small type II error at a bounded type I error, for many rows and curved boundaries.

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
    nproc.solvers.solve_np_network : The solver.

    Notes
    -----
    The constraint is on training rows, and a network can fit those closely: the error on new rows is often above
    alpha. For a bound on it use the method name 'onpnet' in `npc`. Training errors cannot show it. So a `fit` that has
    converged trains four more networks, each without a quarter of the rows, and warns where the rows left out show a
    larger error or no power (`nproc.scorers.papers` says when exactly). These networks take about three times as long
    as the first one. With more than 5,000 rows the quarters are those of a random sample of 5,000. Then only the power
    is looked at, since networks of fewer rows exceed alpha more. They may also miss a weak signal that all rows show.
    Within `npc` none of them is trained.

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
    >>> from nproc.scorers.papers.network import OnlineNPNetwork
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> model = OnlineNPNetwork(alpha=0.1, max_iter=50, random_state=1).fit(X, y)
    >>> bool((model.predict(X[y == 0]) == 1).mean() < 0.12), bool((model.predict(X[y == 1]) == 0).mean() < 0.1)
    (True, True)
    """

    alpha: float = 0.05
    _: KW_ONLY
    hidden: int | Sequence = (10,)
    activation: Literal["tanh", "logistic", "relu"] = "tanh"
    lam: float = 1e-3
    eta: float = 1.0
    loss: str = "sigmoid"
    p_min: float = 0.0
    p_max: float = 1.0
    gamma0: float = 0.25
    decay: float | None = None
    tau: float = 3.0
    balanced: bool = True
    max_iter: int = 100
    tol: float = 0.4
    class0: object = None
    random_state: object = None
    verbose: int = 0

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Train a new network on all rows; return self.

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
        given = {
            "alpha": alpha,
            "hidden": check_hidden(self.hidden),
            "activation": self.activation,
            "balanced": check_flag(self.balanced, "balanced"),
            "tau": check_number(self.tau, "tau"),
            "tol": tol,
            "max_iter": max_iter,
            **settings,
        }
        result = solve_np_network(X, codes, rng=rng, callback=self._progress(epoch_line), **given)
        self._network = result.state
        self._likelihood = settings["likelihood"]
        self._seen = np.bincount(codes, minlength=2)
        self._planned = codes.size
        self._rng = rng
        self._publish(result.n_iter)
        self._keep_history(result.history)
        self.certificate_ = float(result.certificate)
        self.converged_ = result.converged
        advice = "Use a smaller gamma0, more epochs (max_iter), another seed, or a larger lam."
        self._warn_not_converged(result, advice, X)
        if self._labels_matter():
            self._tell_of_labels(X, codes, given)
        return self

    def _tell_of_labels(self, X, codes, given):
        """Warn of labels of no use or above alpha, on rows left out as well, or else of few rows; once at most."""
        errors, new = self._training_errors(X, codes), None
        if self.converged_:
            new = self._errors_by_folds(X, codes, given)
            looked_at = [errors] if new is None else [errors, new]
            advice = "Use another seed, lam or hidden, or a larger alpha."
            more = "Use another seed, a larger lam, or more class 0 rows."
            if self._tell_of_use(advice, more, *looked_at, scale=scale_advice(X, by_descent=True)):
                return
            self._tell_of_scale(X)
        if new is None or new.of_fewer:
            weights = self._network.theta.size
            self._warn_of_few_rows(errors, weights, f"{weights} weights", "weight")

    def _errors_by_folds(self, X, codes, given):
        """Return the errors of rows, each scored by a network trained without its quarter, or None."""
        # what partial_fit will draw stays as it is
        rng = copy.deepcopy(self._rng)

        def scores_without(training, left_out):
            try:
                result = solve_np_network(X[training], codes[training], rng=rng, **given)
            except InvalidInputError:
                # the weights overflow
                return np.full(left_out.size, np.nan)
            return result.state.scores(X[left_out])

        return errors_left_out(scores_without, codes, rng)

    def _rows_seen(self):
        return self._seen

    def _score(self, X):
        return self._network.scores(X)

    def partial_fit(self, X: Table, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Train further, by one step for each row given, in random order; for rows in chunks; return self.

        The same rows teach about the same in many small parts as in few large ones.

        Parameters
        ----------
        X : array-like, shape (n, p)
            Some rows.
        y : array-like, shape (n,)
            Their labels; one of the two may be missing.
        classes : array-like, shape (2,), optional
            Both labels; needed at the first call if y has not both.

        Returns
        -------
        self : OnlineNPNetwork

        Raises
        ------
        InvalidInputError
            If the weights overflow, or hidden, activation, class0, classes, loss, p_min or p_max are not those that
            the network was trained with; the network then stays as it was before these rows.
        """
        settings = self._settings()
        tau, alpha = check_number(self.tau, "tau"), check_level(self.alpha, "alpha")
        write = self._progress(epoch_line)
        first = not hasattr(self, "_network")
        if not first:
            self._refuse_changes(settings["likelihood"])
            self._refuse_other_classes(classes)
        elif classes is None:
            # as fit does, this sets classes_ and class0_
            self._read_two_classes(X, y)
        else:
            self._read_classes(classes, "Only binary classification is supported: classes must hold 2 labels")
        check_same_rows(X=X, y=y)
        X, y = self._validated(X, y, reset=first)
        codes = self._chunk_codes(y).astype(np.int64)
        if first:
            warn_plain_python(type(self).__name__, SLOWDOWN)
            self._rng = np.random.default_rng(check_seed(self.random_state))
            network = new_network(
                X.shape[1], hidden=check_hidden(self.hidden), activation=self.activation, rng=self._rng
            )
            seen, planned, history = np.zeros(2, dtype=np.int64), PLANNED_ROWS, []
        else:
            # the steps are made on a copy: rows on which they diverge leave no weights that are not numbers
            network = copy.deepcopy(self._network)
            seen, planned, history = self._seen, self._planned, on_all_rows(self._history)
        if settings["decay"] is None:
            settings["decay"] = 1.0 / (5.0 * planned)
        warn_of_sorted_rows(seen, np.bincount(codes, minlength=2))
        X, order = np.ascontiguousarray(X), self._rng.permutation(codes.size).astype(np.int32)
        tally = Tally(settings["eta"], settings["likelihood"])
        while order.size > 0:
            # steps with the same rates: fewer than the rows of a call where those are many, so that it does not matter
            # how many they are
            rows, order = np.split(order, [min(max(int(seen.sum()), planned) // RATE_PARTS + 1, CHUNK)])
            tally.add(network, X[rows], codes[rows])
            seen = seen + np.bincount(codes[rows], minlength=2)
            n_seen = int(seen.sum())
            run_steps(
                network,
                X,
                codes,
                rows,
                # a class without a row so far has no step to weigh
                coefficients=n_seen / np.maximum(seen, 1),
                alpha=alpha,
                # while the rows are few, as many of class 0 as the planned ones will have at its share so far
                nu=tau / max(1.0, seen[0] * max(1.0, planned / n_seen)),
                **settings,
            )
        self._network, self._seen, self._planned, self._likelihood = network, seen, planned, settings["likelihood"]
        history.append(tally.row(network, settings["lam"]))
        self._history = history
        self._publish(1 if first else self.n_iter_ + 1)
        self._forget_certificate()
        if write is not None:
            write(self.n_iter_, *(self._history[-1][name] for name in COLUMNS))
        if first:
            self._tell_of_first_scale(X)
        return self

    def _refuse_changes(self, likelihood):
        # the network so far would not follow, and the parameters would tell of another than this one
        hidden, advice = tuple(self._network.sizes[1:-1].tolist()), "or train a new network with fit or a clone."
        if likelihood != self._likelihood:
            raise InvalidInputError(
                "loss, p_min and p_max must stay as they were when the training began: so far the network was "
                f"trained with the loss {_described(self._likelihood)}, not with {_described(likelihood)}. Set them "
                f"back, {advice}"
            )
        if check_hidden(self.hidden) != hidden or self.activation != self._network.activation:
            raise InvalidInputError(
                "hidden and activation must stay as they were when the training began: the network has "
                f"hidden={hidden} and activation={self._network.activation!r}, not hidden={self.hidden!r} and "
                f"activation={self.activation!r}. Set them back, {advice}"
            )
        now, began = self._class0_now_and_before()
        if now != began:
            raise InvalidInputError(
                "class0 must stay as it was when the training began: the network so far bounded the error of class "
                f"{began!r}, not of {now!r}. Set it back, {advice}"
            )

    def _settings(self):
        check_choice(self.activation, "activation", ACTIVATIONS)
        check_hidden(self.hidden)
        return {**check_descent(self), "likelihood": check_likelihood(self.loss, self.p_min, self.p_max)}

    def _publish(self, n_iter):
        state = self._network
        self.coefs_, self.intercepts_ = unpack(state.theta, state.numbers[0], state.sizes)
        self.multiplier_ = float(state.numbers[1])
        self.n_iter_ = n_iter


onpnet = register_scaled("onpnet", OnlineNPNetwork, follows_alpha=True)
