"""What the rankings for q-values share: training by pairs, and the rows accepted."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_choice, check_count, check_levels, check_number, check_seed
from nproc.errors import InvalidInputError, NPWarning
from nproc.labels import distinct_labels
from nproc.matching_rows import check_same_rows
from nproc.qvalues import accepted, warn_everything_accepted
from nproc.scorers.network_settings import check_hidden, check_shrinkage, progress
from nproc.scorers.np_scorer import NPScorer, history_frame, least_alpha, one_row, warn_plain_python
from nproc.solvers.backprop import ACTIVATIONS
from nproc.solvers.qvalue_pairs import solve_qvalue_pairs
from nproc.warning_place import warn_at_call

# plain Python against compiled, measured: 23 to 105 without hidden units, 92 to 302 with 5
SLOWDOWN = 100


class QValueRanking(NPScorer):
    """A ranking trained for one q-value or several, which counts what it accepts at any."""

    def accepted(self, X, y, q=None, *, correction=0):
        """Return which rows of `X` are accepted at a q-value: class 1 rows, shape (n,).

        Parameters
        ----------
        X : array-like, shape (n, p)
            Rows of both classes, as a rule not those of the training.
        y : array-like, shape (n,)
            Their labels, the two of fit: the class 0 rows say how many of the accepted are false.
        q : float, optional
            In (0, 1); None: the least q of the training, ``q_[0]``.
        correction : float
            Added to the count of class 0 rows, see `nproc.qvalues.q_values`.

        Returns
        -------
        accepted : ndarray of bool, shape (n,)
        """
        check_same_rows(X=X, y=y)
        scores = self.decision_function(X)
        if self.class0_ != self.classes_[0]:
            scores = -scores
        check_labels_of_fit(y, self.classes_)
        # those of the training, whatever the parameter q is now
        level = float(self.q_[0]) if q is None else q
        return accepted(scores, y, level, correction=correction, class0=self.class0_)

    def _train(self, X, y, *, hidden, activation, n_restarts):
        levels = check_q(self.q)
        settings = {
            "lam": check_number(self.lam, "lam", zero=True),
            "eta": check_number(self.eta, "eta"),
            "gamma0": check_number(self.gamma0, "gamma0"),
            "decay": check_number(self.decay, "decay", zero=True, optional=True),
            "tau": check_number(self.tau, "tau", zero=True),
            "init": check_choice(self.init, "init", ("logistic", "random")),
            "init_iter": check_count(self.init_iter, "init_iter"),
            "max_iter": check_count(self.max_iter, "max_iter"),
            "tol": check_number(self.tol, "tol"),
            "n_restarts": check_count(n_restarts, "n_restarts"),
            "activation": check_choice(activation, "activation", ACTIVATIONS),
            "hidden": check_hidden(hidden),
        }
        check_shrinkage(settings["gamma0"], settings["lam"])
        X, codes = self._read_two_classes(X, y)
        warn_of_levels(levels, codes)
        warn_plain_python(type(self).__name__, SLOWDOWN)
        result = solve_qvalue_pairs(
            X,
            codes,
            q=levels,
            rng=np.random.default_rng(check_seed(self.random_state)),
            callback=progress(type(self).__name__, self.verbose),
            **settings,
        )
        self._network = result.state
        self.q_ = levels
        self.offsets_ = result.offsets
        self.multiplier_ = result.multiplier
        self.n_accepted_ = result.accepted
        self.history_ = history_frame(result.history)
        self.n_iter_ = result.n_iter
        self.certificate_ = result.certificate
        self.converged_ = result.converged
        self._warn_not_converged(result, "Use more epochs (max_iter), a larger q, or more rows.")
        return result

    def _score(self, X):
        return self._network.scores(X)


def check_q(q):
    """Return the levels in rising order, each once."""
    levels = np.unique(check_levels(q, "q"))
    if np.ndim(q) > 1 or levels.size == 0:
        raise InvalidInputError(f"q must be a number strictly between 0 and 1, or a sequence of such, got {q!r}.")
    return levels


def check_labels_of_fit(y, classes):
    """Raise if the two labels of `y` are not those of the training, `classes`."""
    found, known = distinct_labels(y)[0].tolist(), classes.tolist()
    # another number of labels is refused where the rows are counted
    if len(found) == 2 and any(label not in known for label in found):
        raise InvalidInputError(
            f"y has the labels {found[0]!r} and {found[1]!r}, but the training rows had {known[0]!r} and {known[1]!r}. "
            "Give the labels by the names they had in fit."
        )


def warn_of_levels(levels, codes):
    """Warn of q-values that state no constraint of their own on rows with these `codes`, 0 or 1."""
    n1 = int(np.count_nonzero(codes))
    warn_no_false_row(levels, n1)
    warn_everything_accepted(levels, codes.size - n1, n1)


def warn_no_false_row(levels, n1):
    """Warn if a q-value of `levels` lets no class 0 row be accepted, even along with all `n1` rows of class 1.

    With k class 1 rows and d class 0 rows above a threshold the q-value is d / k: at least 1 / n1, unless d is 0. So
    every q below 1 / n1 states the same constraint.
    """
    small = [float(level) for level in levels if not one_row(level, n1)]
    if small:
        told, least = ", ".join(f"{level:g}" for level in small), least_alpha(n1)
        warn_at_call(
            f"q={told} of {n1} class 1 training rows is less than one row: a single class 0 row above the threshold is "
            "too many, even if all of class 1 is accepted with it. The constraint asks for a threshold above all class "
            f"0 training rows, as any q below 1/{n1} does. Use q of at least {least:g}, or more class 1 rows.",
            NPWarning,
        )
