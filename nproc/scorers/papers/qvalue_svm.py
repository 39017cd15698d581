"""A kernel machine that discovers most at a bounded q-value, as an estimator, and its name as a scoring method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_flag
from nproc.rows import Table
from nproc.scorers.base import AS_LEFT_OUT, with_parameters
from nproc.scorers.papers.kernel_machine import RampMachine, of_rows
from nproc.scorers.papers.left_out import BY_FOLDS
from nproc.scorers.papers.qvalue import DiscoveryCounter, check_q, warn_of_levels
from nproc.scorers.scaling import register_scaled


@with_parameters
class QValueSVC(DiscoveryCounter, RampMachine):
    r"""A kernel machine that accepts many class 1 rows at a q-value, for few rows (the paper's qSVMOpt).

    Class 0 holds known negatives (decoys), class 1 real ones among false ones (targets). At the threshold 0 of the
    score the known negatives may be at most q times the class 1 rows accepted, by counts:

    .. math:: \min_f \frac{1}{2 C n_1} \|f\|^2 + P_{nd}(f) \quad\text{subject to}\quad
              P_{fa}(f) \le q' (1 - P_{nd}(f)), \qquad q' = q n_1 / n_0.

    The paper's constraint has q for q', which is the same where both classes have as many rows. The Lagrangian (13) is
    that of `NPSVC` with a cost :math:`C (1 + \lambda q')` of class 1 rows, and so is the solver.

    Parameters
    ----------
    q : float or sequence of float
        Bound on the q-value at threshold 0, in (0, 1). The default suits some hundreds of rows or more. With 0.01, the
        usual level of proteomics, fewer than several thousand rows as a rule show too few discoveries, and `fit` warns.
        For several, one machine is trained for each: the machines share the kernel and its cache, nothing else. One f
        cannot serve several q at its one threshold 0 (the smallest would bind alone), and with a threshold for each q
        it would be drawn away from each optimum.
    C : float
        Cost of a class 1 row at multiplier 0, above 0; the paper's C is C n_1.
    kernel : {'rbf', 'linear', 'poly', 'precomputed'} or callable
        Kernel, as in `NPSVC`.
    gamma : 'scale', 'auto' or float
        Scale of rbf and poly, as in `NPSVC`.
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly.
    eta : float
        Half width of the ramp, above 0.
    solver : {'annealed', 'uzawa'}
        Algorithm 3 or Algorithm 1 of the paper.
    rate : {'ramp', '0-1'}
        Which rates the constraint is about: mean ramp losses, or shares of rows above the threshold.
    update : {'multiplicative', 'additive'}
        How the multiplier moves.
    gain : float
        First gain in units of 1 / limit, above 0.
    eps : float, optional
        Tolerance of the constraint in the unit of P_fa, above 0; None is 0.005 q'; 0-1 rate: at least 1/(2 n_0).
    tol : float
        Precision of each convex problem.
    max_iter : int
        Most values of the multiplier.
    cache_size : float
        Room for kernel values in MB.
    shift : bool
        Ours, as in `NPSVC`: lower the score after training, as little as needed, where the class 0 rows with a score
        above 0 are more than q times those of class 1 (which the ramp rate allows). ``shift_`` says by how much.
        False leaves the paper's solution as it is.
    class0 : label, optional
        The class of known negatives; None takes the first label in sorted order.
    verbose : int
        Above 0: a line on standard error every `verbose` values of the multiplier.

    Attributes
    ----------
    q_ : ndarray, shape (m,)
        The levels of the training in rising order, each once. The machine of the least gives the scores and the
        attributes that follow; `accepted` counts at it unless told otherwise.
    machines_ : list of QValueSVC
        A fitted machine for each of q_.
    support_, support_vectors_, dual_coef_, intercept_, coef_, given_up_, kernel_
        As in `NPSVC`.
    multiplier_, eps_, shift_, history_, n_iter_, n_solves_, converged_, certificate_, reason_
    train_type1_, train_type2_
    loo_type1_, loo_type2_
        As in `NPSVC`, with the limit :math:`q' (1 - P_{nd})` for alpha.
    classes_, class0_, n_features_in_
        Labels, the class of known negatives, number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, and as `NPSVC`.

    See Also
    --------
    nproc.qvalues.q_values : q-values from scores.
    NPSVC : The type I error bounded by a number.

    Notes
    -----
    The constraint is about the training rows, on which the negatives are fitted too: count discoveries on other rows
    (`accepted`), and keep rows that depend on each other, such as matches of one spectrum, on one side. `fit` warns
    where rows left out show a q-value above q. Where ``loo_type1_`` is None, and there are at most 5,000 rows, it
    trains four more machines for this, each without a quarter of the rows. Silence is no proof that a list, short or
    long, keeps q: see the notes of `QValueLinear`.

    It is not shown that the machine accepts more new rows than simpler scores do. On peptide matches, with C chosen on
    other spectra, it accepted 86.1 rows more at q = 0.01, on average over 10 splits, than the 482.2 of logistic
    regression. The 95 % interval for new spectra is -49.4 to +221.6, and at q = 0.1 it accepted fewer
    (``benchmarks/qvalues_psm.py``). The machine has no warm start to be compared with.

    f = 0, which accepts no row, meets the constraint; it counts as one whose multiplier is too large, and a run that
    finds no other ends with ``converged_`` False. The power is often small, and so are the limit and the tolerance.

    References
    ----------
    Section 4, equation (13) of [gasso2011]_, with n_1 / n_0 where the classes differ in size; [spivak2009]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.qvalue_svm import QValueSVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2))
    >>> X[300:] += 3
    >>> model = QValueSVC(q=0.05).fit(X, y)
    >>> int(model.accepted(X, y).sum()) >= 90
    True
    """

    q: float | Sequence = 0.1
    _: KW_ONLY
    shift: bool = True
    class0: object = None
    verbose: int = 0

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Train on `X`, shape (n, p) (or the kernel matrix), and two labels `y`, shape (n,); return self."""
        settings, levels = self._settings(), check_q(self.q)
        check_flag(self.shift, "shift")
        X, y = self._read_two_classes(X, y)
        warn_of_levels(levels, y)
        settings |= self._prepare(X)
        self.__dict__.pop("machines_", None)
        advice = "Try another C or gamma, a larger q or eps, or a larger max_iter."
        if_none = "Use a larger C or a larger q."
        machines: list[Self] = []
        for level in levels:
            # not a copy, which would carry what a pipeline hangs on its steps while it is fitted
            machine = type(self)(**{**self.get_params(deep=False), "q": float(level)})
            machine.__dict__.update({name: value for name, value in vars(self).items() if name.endswith("_")})
            machine.__dict__["q_"] = np.array([level])
            left_out = machine._train_at(X, y, float(level), settings, advice, if_none, of_discoveries=True)
            if self.shift:
                machine._shift_to_q(X, y, float(level))
                left_out = None if left_out is None else left_out - machine.shift_
            machine._keep_left_out(left_out, y)
            if machine.converged_ and machine._labels_matter():
                called, scale = machine._score(X) > 0, self._scale_advice(X)
                told = machine._tell_discoveries(float(level), y, called, scale, "a larger C or ")
                how = AS_LEFT_OUT
                if not told and left_out is None:
                    shift_of = shift_to_q if self.shift else None
                    scores = machine._scores_by_folds(X, y, float(level), settings, shift_of, of_discoveries=True)
                    how, left_out = BY_FOLDS, scores
                if not told and left_out is not None:
                    other = "kernel='linear', a smaller C, "
                    told = machine._tell_new_discoveries(float(level), y, left_out > 0, how, other)
                elif not told:
                    told = machine._tell_short_list(float(level), y, called)
                if not told and not machines:
                    self._tell_of_scale(X)
            machines.append(machine)
        least = machines[0]
        self.__dict__.update({name: value for name, value in vars(least).items() if name.endswith("_")})
        self._keep_coefficients(least._constant, weights=least._weights, dual_weights=least._dual_weights)
        self.q_, self.machines_ = levels, machines
        return self

    def _shift_to_q(self, X, y, level):
        """Set ``shift_``, and lower the score by it, as little as needed for a training q-value of at most `level`."""
        self.shift_ = shift_to_q(self._score(X), y, level)
        if self.shift_ > 0:
            self._constant -= self.shift_
        self._count_errors(X, y)

    def _trained_near(self, level):
        return min(vars(self).get("machines_", [self]), key=lambda one: abs(np.log(one.q_[0] / level)))


def shift_to_q(scores, y, level):
    """Return the least shift of `scores` for which the rows above 0 have a q-value of at most `level`."""
    above = np.sort(scores[scores > 0])
    # for each threshold, 0 and these scores, the rows of both classes that score above it
    thresholds = np.concatenate([[0.0], above])
    decoys, targets = (
        np.sum(y == code) - np.searchsorted(np.sort(scores[y == code]), thresholds, side="right") for code in (0, 1)
    )
    first = int(np.flatnonzero(decoys <= level * targets)[0])
    # half way to the next score, so that rounding puts no row on the other side; far above all if none is accepted
    next_above = above[above > thresholds[first]]
    until = float(next_above[0]) if next_above.size else 2 * thresholds[first]
    return float(thresholds[first] + until) / 2 if first > 0 else 0.0


qsvm = register_scaled("qsvm", QValueSVC, step="qvaluesvc", prepare=of_rows, omit=("verbose",), sparse=True)
