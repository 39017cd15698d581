r"""Newton steps that know of the kinks: near the solution the smooth part becomes a quadratic, and the hinges stay.

Where the loss of a row is a hinge h max(0, t) plus a smooth r(t), Newton's method on the smooth parts leaves a
quadratic plus hinges, which `minimise_hinges` solves exactly. Only hinges that may be crossed need be in it. Like
Newton's method on a smooth function the steps converge quadratically, with kinks met exactly on the way.
"""

import numpy as np
from scipy.special import expit

from nproc.solvers.hinges import minimise_hinges
from nproc.solvers.sparse_logistic.newton import LEAST_CURVATURE

# the hinges of a step are at most the largest of: so many, so many a column, and one in so many rows but no more than a
# number that keeps memory small
HINGES = 500
HINGES_PER_COLUMN = 12
ROWS_PER_HINGE = 8
MOST_BY_ROWS = 5000
# while steps move scores by more than this, the quadratic is too rough to be worth more than a few inner steps
NEAR_END = 0.1
ROUGH_INNER, MOST_INNER = 15, 200
# how far from their kinks rows may end that should be there, for each unit squared that the last step moved the scores
MODEL_SHARE = 1e-3
COARSEST, FINEST = 1e-6, 1e-11
# the largest width of parabolas whose multipliers are nearly right
AGAIN = 0.02
# after a full step, how far from their kinks the rows of the next step are and how wide its first parabolas, for
# each unit that the step moved the scores
BAND_SHARE, WIDTH_SHARE = 0.1, 0.1
# width of the elbows in which rows count as on the hinge, once their multipliers are known
WIDTH = 1e-3
NARROWEST = 1e-7
MOST_HALVINGS = 12


class KinkSteps:
    """Steps of a `NewtonSearch` on the criterion itself, from where its smooth steps have led.

    Parameters
    ----------
    search : NewtonSearch
        Changed in place.
    """

    def __init__(self, search):
        self.search = search
        rows = search.rows
        self.multiplier = np.where(search.exponents > rows.floor, rows.slope, 0.0)
        self.multiplier[search.at.rows] = search.at.multiplier
        # `first_width` is the width to go on from if the kinks are too many
        self.band = self.width = self.first_width = rows.width
        # how far the scores moved in the last step
        self.moved = np.inf
        self.n_steps = 0

    def step(self):
        """Take a step; return (its length, by how much the criterion fell); 0 where none helps."""
        search, rows = self.search, self.search.rows
        self.n_steps += 1
        past = search.exponents - rows.floor
        beyond = np.flatnonzero(past > 0.0)
        rise = expit(search.exponents[beyond])
        weights = rise * np.maximum(expit(-search.exponents[beyond]), LEAST_CURVATURE)
        near = np.flatnonzero((rows.slope > 0.0) & (np.abs(past) <= self.band))
        most = most_hinges(*search.X.shape)
        if near.size > most:
            near = near[np.argpartition(np.abs(past[near]), most)[:most]]
        past, slope = past[near], rows.slope[near]
        quadratic = search.quadratic(beyond, rise, weights, near, np.where(past > 0.0, slope, 0.0))
        if quadratic is None:
            return 0.0, 0.0
        base, turned, change_of = quadratic
        point, multiplier, _ = minimise_hinges(
            base,
            turned,
            past,
            slope,
            self.multiplier[near],
            width=self.width,
            narrowest=NARROWEST,
            # far from the end the quadratic is not worth more digits than the step will have
            tol=min(max(MODEL_SHARE * self.moved**2, FINEST), COARSEST),
            max_iter=MOST_INNER if self.moved < NEAR_END else ROUGH_INNER,
        )
        change = change_of(point, multiplier)
        move = search.moves(change)
        length, before = search.longest(move), search.objective()
        for _ in range(MOST_HALVINGS):
            after = search.objective(length, change, move)
            if after <= before * (1.0 + 1e-14):
                break
            length /= 2.0
        else:
            length, after = 0.0, before
        if length > 0.0 and change.any():
            search.advance(length, change, move)
            self.moved = length * float(np.abs(move).max())
            # after a full step the next is much shorter, and few rows change sides
            ahead = BAND_SHARE * self.moved if length == 1.0 else 2.0 * self.moved
            self.band = min(self.band, ahead)
            self.width = min(self.width, AGAIN, max(WIDTH_SHARE * self.moved, NARROWEST))
            self.multiplier = np.where(search.exponents > rows.floor, rows.slope, 0.0)
            self.multiplier[near] = multiplier
            search.centre_elbows(self.multiplier, WIDTH)
        return length, before - after


def most_hinges(n_rows, n_columns):
    """Return how many rows near their kinks a step takes into account."""
    return max(HINGES, HINGES_PER_COLUMN * (n_columns + 1), min(n_rows // ROWS_PER_HINGE, MOST_BY_ROWS))
