r"""Newton's method on the penalised sum of truncated losses of a linear model, with the step bound of the paper.

References
----------
Section 3.1 and appendix A of [herault2008]_.

.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
   Signal 25(4), 279-291.
"""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError
from nproc.solvers.sparse_logistic import kkt_violations, linear_stationarity, signs
from nproc.solvers.truncated_rows import TruncatedRows
from nproc.solvers.weighted_normal import CentredRows, newton_direction

# a step is long enough when the slope along it has fallen to this share
FLAT_ENOUGH = 0.1
MOST_TRIALS = 40


class NewtonSearch:
    """A point (w, b) on its way to the minimiser; the methods change it.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Rows.
    y : ndarray, shape (n,)
        0 or 1.
    loss : TruncatedLikelihood
        The loss.
    lam : float
        Penalty, at least 0.
    elbow : float
        Half-width of the first elbows.
    coef, intercept : ndarray of shape (p,), float
        Where to start.
    """

    def __init__(self, X, y, loss, lam, elbow, coef, intercept):
        self.X, self.y, self.loss, self.lam = X, y, loss, lam
        self.data = CentredRows.of(X)
        self.s = signs(y)
        self.rows = TruncatedRows(loss.floor(y), elbow)
        self._barrier = -self.s * loss.threshold
        self.coef = coef
        # the constant term of the centred rows
        self.constant = intercept + float(self.data.centre @ coef)
        self.look()

    @property
    def intercept(self):
        """The constant term b."""
        return self.constant - float(self.data.centre @ self.coef)

    def look(self):
        """Compute all margins afresh, without the rounding of many steps."""
        self.exponents = -self.s * (self.data.times(self.coef) + self.constant)
        self.at = self.rows.at(self.exponents)

    def objective(self):
        """Return the criterion (6)."""
        return self.rows.loss(self.at) + 0.5 * self.lam * float(self.coef @ self.coef)

    def step(self):
        """Take a step; return (its length, what Newton's model promised for a full one, twice)."""
        at, lam = self.at, self.lam
        weights = self.rows.weights(at)
        pulls = -self.s[at.rows] * at.alpha
        pull, first, second = self.data.sums(at.rows, pulls, weights)
        if not (np.isfinite(second).all() and np.isfinite(pull).all()):
            raise InvalidInputError(
                "X has values so large that sums of their squares overflow. Standardise its columns, or leave out "
                "those that are no measurements."
            )
        coef, constant = newton_direction(
            lam * self.coef + pull,
            float(pulls.sum()),
            first,
            second,
            float(weights.sum()),
            lam,
            self.data.centre,
        )
        move = -self.s * (self.data.times(coef) + constant)
        linear, square = lam * float(self.coef @ coef), lam * float(coef @ coef)
        steep = linear + float(at.alpha @ move[at.rows])
        if not steep < 0.0:
            # nothing left but rounding
            return 1.0, 0.0
        length = self._length(move, linear, square, steep)
        self.coef = self.coef + length * coef
        self.constant += length * constant
        self.exponents = self.exponents + length * move
        return length, -steep

    def longest(self, move):
        """Return the step rho_o of appendix A, at most 1.

        Rows without a say whose margin falls may come in, but not beyond the threshold half way between p_min and
        p_max: past their kinks in one leap they would all pull back at once.
        """
        entering = move > 0.0
        entering[self.at.rows] = False
        if not entering.any():
            return 1.0
        return min(1.0, float(np.min((self._barrier[entering] - self.exponents[entering]) / move[entering])))

    def _length(self, move, linear, square, steep):
        # the slope along the step rises, since all is convex: a point where it is about 0 lies between two steps
        low, high, length = (0.0, steep), None, self.longest(move)
        before = self.rows.value(self.at)
        for trial in range(MOST_TRIALS):
            at = self.rows.at(self.exponents + length * move)
            slope = linear + length * square + float(at.alpha @ move[at.rows])
            if slope <= 0.0:
                if high is None or slope >= FLAT_ENOUGH * steep:
                    break
                low = (length, slope)
            else:
                if slope <= -FLAT_ENOUGH * steep:
                    rise = self.rows.value(at) - before + length * (linear + 0.5 * length * square)
                    if rise <= 1e-4 * length * steep + 1e-13 * abs(before):
                        break
                high = (length, slope)
            width = high[0] - low[0]
            guess = low[0] - low[1] * width / (high[1] - low[1])
            # a secant that keeps to one end is cut short
            keep_off = (0.1 if trial < 4 else 0.3) * width
            length = min(max(guess, low[0] + keep_off), high[0] - keep_off)
        self.at = at
        return length

    def sharpen(self, width):
        """Narrow the elbows around the multipliers found."""
        self.rows.sharpen(self.at, width)
        self.at = self.rows.at(self.exponents)

    def verdict(self, multiplier=None):
        """Return (violations, alpha, sets, decision) of the present point; by the multipliers of all rows if known."""
        self.look()
        decision = -self.s * self.exponents
        alpha, sets = self.rows.sets(self.at) if multiplier is None else self.rows.settled(self.at, multiplier)
        stationarity = linear_stationarity(self.X, self.y, self.coef, alpha, self.lam)
        return (
            kkt_violations(alpha, decision, self.y, sets, self.loss, stationarity=stationarity),
            alpha,
            sets,
            decision,
        )
