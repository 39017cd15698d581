"""Training a Neyman-Pearson network further, on rows as they come."""

from __future__ import annotations

import copy

import numpy as np

from nproc.checks import check_choice, check_level, check_number, check_seed
from nproc.errors import InvalidInputError
from nproc.labels import distinct_labels, encode_labels
from nproc.losses import SigmoidLoss
from nproc.matching_rows import check_same_rows
from nproc.scorers.binary import validate_numbers
from nproc.scorers.network_settings import check_hidden, check_likelihood, check_shrinkage, progress
from nproc.scorers.np_scorer import history_frame, warn_plain_python
from nproc.scorers.row_order import warn_of_sorted_rows
from nproc.solvers.backprop import ACTIVATIONS, unpack, weight_mask
from nproc.solvers.network_steps import CHUNK, new_network, run_steps

# plain Python against compiled, one hidden layer of 10 and 8 to 57 columns: measured 290 to 640
SLOWDOWN = 300
# a stream does not tell how many rows it will have: its first rates are those of a fit to so many. Of 1000, 2000 and
# 4000 this kept the level best after 3000 rows; from 300,000 rows the larger ones learnt a rare class better
PLANNED_ROWS = 1000
# the multiplier's rate follows the rows seen: it is set anew whenever they have grown by one part in so many
RATE_PARTS = 20
COLUMNS = ("objective", "type1", "type2", "multiplier")


class NetworkStream:
    """What `OnlineNPNetwork` does beyond `fit`: `partial_fit`, and the settings that both read."""

    def partial_fit(self, X, y, classes=None):
        """Return self after one step for each row given, in random order.

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
        write = progress(type(self).__name__, self.verbose)
        first = not hasattr(self, "_network")
        if first:
            # reading the labels as fit does sets classes_ and class0_
            self._read_two_classes(X, y) if classes is None else self._read_classes(classes)
        else:
            self._refuse_other_loss(settings["likelihood"])
            self._refuse_other_shape()
            self._refuse_other_class0()
            self._refuse_other_classes(classes)
        check_same_rows(X=X, y=y)
        X, y = validate_numbers(self, X, y, dtype=np.float64, reset=first)
        if first and classes is not None:
            known = self.classes_.tolist()
            unknown = [label for label in distinct_labels(y)[0].tolist() if label not in known]
            if unknown:
                raise InvalidInputError(f"y must hold only the labels {known} given as classes, got {unknown[0]!r}.")
        codes = encode_labels(y, self.classes_)
        if self.class0_ != self.classes_[0]:
            codes = 1 - codes
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
        start = 0
        while start < order.size:
            # steps with the same rates: fewer than the rows of a call where those are many, so that it does not matter
            # how many they are
            n_steps = min(max(int(seen.sum()), planned) // RATE_PARTS + 1, CHUNK)
            rows = order[start : start + n_steps]
            start += n_steps
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
        # these speak of the rows of an earlier fit
        for name in ("certificate_", "converged_"):
            vars(self).pop(name, None)
        if write is not None:
            write(self.n_iter_, *(self._history[-1][name] for name in COLUMNS))
        return self

    def __sklearn_is_fitted__(self):
        # refused first rows leave the labels and the number of columns, but no weights
        return hasattr(self, "_network")

    @property
    def history_(self):
        """Return a DataFrame with a row for each epoch of `fit` and each call of `partial_fit`."""
        if not hasattr(self, "_history"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so it has no history_.")
        return history_frame({name: [row[name] for row in self._history] for name in self._history[0]})

    def _refuse_other_loss(self, likelihood):
        if likelihood != self._likelihood:
            raise InvalidInputError(
                "loss, p_min and p_max must stay as they were when the training began: the network so far descended on "
                f"{_described(self._likelihood)}, not on {_described(likelihood)}. Set them back, or train a new "
                "network with fit or a clone."
            )

    def _refuse_other_shape(self):
        hidden = tuple(self._network.sizes[1:-1].tolist())
        if check_hidden(self.hidden) != hidden or self.activation != self._network.activation:
            raise InvalidInputError(
                "hidden and activation must stay as they were when the training began: the network has "
                f"hidden={hidden} and activation={self._network.activation!r}, not hidden={self.hidden!r} and "
                f"activation={self.activation!r}. Set them back, or train a new network with fit or a clone."
            )

    def _refuse_other_class0(self):
        labels = self.classes_.tolist()
        now, began = labels[int(self._class0_is_second())], labels[int(self.class0_ != self.classes_[0])]
        if now != began:
            raise InvalidInputError(
                "class0 must stay as it was when the training began: the network so far bounded the error of class "
                f"{began!r}, not of {now!r}. Set it back, or train a new network with fit or a clone."
            )

    def _refuse_other_classes(self, classes):
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InvalidInputError(
                f"classes must be the labels {self.classes_.tolist()} of the first call, "
                f"got {np.unique(classes).tolist()}."
            )

    def _settings(self):
        check_choice(self.activation, "activation", ACTIVATIONS)
        check_hidden(self.hidden)
        settings = {
            "lam": check_number(self.lam, "lam", zero=True),
            "eta": check_number(self.eta, "eta"),
            "gamma0": check_number(self.gamma0, "gamma0"),
            "decay": check_number(self.decay, "decay", zero=True, optional=True),
            "likelihood": check_likelihood(self.loss, self.p_min, self.p_max),
        }
        check_shrinkage(settings["gamma0"], settings["lam"])
        return settings

    def _read_classes(self, classes):
        self.classes_, _ = distinct_labels(classes, "classes")
        if self.classes_.size != 2:
            raise InvalidInputError(
                f"Only binary classification is supported: classes must hold 2 labels, got {self.classes_.tolist()}."
            )
        self._set_class0()

    def _publish(self, n_iter):
        state = self._network
        self.coefs_, self.intercepts_ = unpack(state.theta, state.numbers[0], state.sizes)
        self.multiplier_ = float(state.numbers[1])
        self.n_iter_ = n_iter


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
            if self._likelihood is None:
                losses1 = SigmoidLoss(eta=self._eta).value(f1)
            else:
                losses1 = self._likelihood.value(self._eta * f1, 1)
        self._n += np.bincount(codes, minlength=2)
        self._errors += [np.count_nonzero(f[codes == 0] > 0), np.count_nonzero(f1 <= 0)]
        self._loss1 += float(losses1.sum())

    def row(self, network, lam):
        """Return the row of the history; what is a mean over no rows is NaN."""
        penalty = 0.5 * lam * float(np.sum(network.theta[weight_mask(network.sizes)] ** 2))
        n0, n1 = (float(n) if n > 0 else np.nan for n in self._n)
        return {
            "objective": penalty + self._loss1 / n1,
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
