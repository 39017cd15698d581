"""Training a Neyman-Pearson network further, on rows as they come."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.utils.validation import validate_data

from nproc.checks import check_choice, check_level, check_number, check_seed
from nproc.errors import InvalidInputError
from nproc.labels import encode_labels
from nproc.scorers.network_settings import check_hidden, check_likelihood, check_shrinkage
from nproc.scorers.np_scorer import warn_plain_python
from nproc.solvers.backprop import ACTIVATIONS, unpack
from nproc.solvers.network_steps import new_network, run_steps

# plain Python against compiled, one hidden layer of 10 and 8 to 57 columns: measured 290 to 640
SLOWDOWN = 300


class NetworkStream:
    """What `OnlineNPNetwork` does beyond `fit`: `partial_fit`, and the settings that both read."""

    def partial_fit(self, X, y, classes=None):
        """Return self after one step for each row given, in random order.

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
            If the weights overflow, or hidden, activation, loss, p_min or p_max are not those that the network was
            trained with; the network then stays as it was before these rows.
        """
        settings = self._settings()
        tau, alpha = check_number(self.tau, "tau"), check_level(self.alpha, "alpha")
        first = not hasattr(self, "_network")
        if not first and settings["likelihood"] != self._likelihood:
            raise InvalidInputError(
                "loss, p_min and p_max must stay as they were when the training began: the network so far descended on "
                f"{_described(self._likelihood)}, not on {_described(settings['likelihood'])}. Set them back, or train "
                "a new network with fit or a clone."
            )
        if not first:
            self._refuse_other_shape()
        if first:
            # reading the labels as fit does sets classes_ and class0_
            self._read_two_classes(X, y) if classes is None else self._read_classes(classes)
        X, y = validate_data(self, X, y, dtype=np.float64, reset=first)
        codes = encode_labels(y, self.classes_)
        if self.class0_ != self.classes_[0]:
            codes = 1 - codes
        if first:
            warn_plain_python(type(self).__name__, SLOWDOWN)
            self._rng = np.random.default_rng(check_seed(self.random_state))
            network = new_network(
                X.shape[1], hidden=check_hidden(self.hidden), activation=self.activation, rng=self._rng
            )
            seen = np.zeros(2, dtype=np.int64)
            self._decay = 1.0 / (5.0 * codes.size) if self.decay is None else settings["decay"]
        else:
            # the steps are made on a copy: rows on which they diverge leave no weights that are not numbers
            network, seen = copy.deepcopy(self._network), self._seen
        seen = seen + np.bincount(codes, minlength=2)
        # a class without a row so far has no step to weigh
        coefficients = seen.sum() / np.maximum(seen, 1)
        settings["decay"] = self._decay
        run_steps(
            network,
            np.ascontiguousarray(X),
            codes,
            self._rng.permutation(codes.size).astype(np.int32),
            coefficients=coefficients,
            alpha=alpha,
            nu=tau / max(1, int(seen[0])),
            **settings,
        )
        self._network, self._seen, self._likelihood = network, seen, settings["likelihood"]
        self._publish(1 if first else self.n_iter_ + 1)
        # these speak of the rows of an earlier fit
        for name in ("history_", "certificate_", "converged_"):
            if hasattr(self, name):
                delattr(self, name)
        return self

    def _refuse_other_shape(self):
        hidden = tuple(self._network.sizes[1:-1].tolist())
        if check_hidden(self.hidden) != hidden or self.activation != self._network.activation:
            raise InvalidInputError(
                "hidden and activation must stay as they were when the training began: the network has "
                f"hidden={hidden} and activation={self._network.activation!r}, not hidden={self.hidden!r} and "
                f"activation={self.activation!r}. Set them back, or train a new network with fit or a clone."
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
        self.classes_ = np.unique(classes)
        if self.classes_.size != 2:
            raise InvalidInputError(
                f"Only binary classification is supported: classes must hold 2 labels, got {self.classes_.tolist()}."
            )
        self.class0_ = self.classes_[int(self._class0_is_second())]

    def _publish(self, n_iter):
        state = self._network
        self.coefs_, self.intercepts_ = unpack(state.theta, state.numbers[0], state.sizes)
        self.multiplier_ = float(state.numbers[1])
        self.n_iter_ = n_iter


def _described(likelihood):
    if likelihood is None:
        return "loss='sigmoid'"
    return f"loss='truncated' with p_min={likelihood.p_min:g} and p_max={likelihood.p_max:g}"
