"""Planning a study: how many class 0 rows give a rule with enough power."""

from __future__ import annotations

from nproc.checks import check_level
from nproc.errors import InvalidInputError
from nproc.orderstat import min_class0_size
from nproc.planning.pilot import read_pilot
from nproc.planning.result import ClassZeroPlan
from nproc.planning.teeth import sizes_for


def plan_class0(alpha=0.05, delta=0.05, *, power=0.8, pilot=None, split_ratio=0.5, level=0.05):
    r"""Return how many left-out class 0 rows a study needs, the rank used, and what the rows buy.

    The bound on the type I error holds from `min_class0_size` rows on. With few rows it is bought dearly: the rule's
    type I error is far below alpha, and its type II error far above what alpha would allow. `power` says how much of
    the power of the oracle (the threshold of the same score with type I error alpha exactly) is to be left.

    Parameters
    ----------
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Chance, in (0, 0.5], with which the bound may be broken.
    power : float or None
        Share of the oracle's power, in (0, 1), that the rule shall have in expectation over the draw of the left-out
        class 0 rows: E[1 - type II error] >= power * (1 - type II error of the oracle). None asks for no more than that
        a rule exists.
    pilot : optional
        What is known of the score: a pair ``(scores0, scores1)`` of left-out scores of a pilot study, an `NPROCBand` of
        one split, a world of `nproc.simulate`, or a number in (0.5, 1), the area under the ROC curve of two normal
        classes of equal variance. None assumes the least favourable concave ROC curve.
    split_ratio : float
        Share of the class 0 rows that trains; tells the rows in all.
    level : float
        Chance, in (0, 1), with which the bounds from pilot scores may fail.

    Returns
    -------
    ClassZeroPlan

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or the pilot says nothing at this alpha.

    See Also
    --------
    supported_levels : what rows in hand allow.
    plan_split_ratio : how to share rows between training and threshold.
    type1_law : the law of the type I error at one size.

    Notes
    -----
    *Sawtooth.* As n grows the rank steps, and the expected type I error falls between two steps. So there are two
    answers: `n0_first`, the smallest size that has the power, and `n0`, from which on every size has it. The second
    is found by looking at each tooth of the saw (`nproc.planning.teeth`) up to a size beyond which Chernoff's bound
    settles the matter.

    *Without a pilot.* The type I error R of the rule is Beta(n + 1 - k, k). Let the ROC curve g of the score be concave
    with g(0) >= 0, as it is where a larger score means a larger likelihood ratio. Then g(R) >= g(alpha) where
    R >= alpha, since g rises, and g(R) >= (R / alpha) g(alpha) where R < alpha, since g is concave. Hence
    E g(R) >= E min(1, R / alpha) g(alpha), for any such score, and equality holds for
    g(r) = min(1, r / alpha), the ROC curve of a class 1 that has all its scores, distributed alike, in the upper alpha
    of class 0. So E min(1, R / alpha), an exact number, is the share of the oracle's power that is left in the
    worst case. It takes continuous scores: with ties R is smaller, and the share may be too.

    *With a pilot* E g(R) is computed for the pilot's curve: exactly for the straight pieces between the points
    of pilot scores, by quadrature for a formula. Pilot scores give an estimate; `type2_bounds` are bounds that hold
    together with probability 1 - level, for every n at once, since they come from simultaneous bounds on both
    distribution functions. They speak of the pilot's trained score; a score trained on more rows is likely to be
    better, see `plan_split_ratio`.

    References
    ----------
    Propositions 1 and 2 of [tong2018]_ for the law of the type I error; bounds as in [berk1979]_.

    Examples
    --------
    >>> plan_class0(0.05, 0.05, power=0.8)
    ClassZeroPlan(n0=1348, alpha=0.05, delta=0.05, power >= 0.8 of the oracle's; n0_first=1193, n0_min=59)
      rank 1294, 2696 class 0 rows in all at split_ratio=0.5, E[type I]=0.04077
    >>> plan = plan_class0(0.05, 0.05, power=0.8, pilot=0.9)
    >>> plan.n0, round(plan.type2_mean, 3), round(plan.type2_oracle, 3)
    (286, 0.527, 0.433)
    """
    alpha, delta = check_level(alpha, "alpha"), check_level(delta, "delta")
    if delta > 0.5:
        raise InvalidInputError(f"delta must be at most 0.5 in a plan, got {delta:g}.")
    split_ratio, level = check_level(split_ratio, "split_ratio"), check_level(level, "level")
    curve = read_pilot(pilot, alpha, level)
    smallest = min_class0_size(alpha, delta)
    first = always = smallest
    if power is not None:
        power = check_level(power, "power")
        oracle = float(curve.power_at(alpha))
        first, always = sizes_for(
            lambda n_above, n0: curve.mean_power(n_above, n0) / oracle,
            power,
            alpha,
            delta,
            steepness=curve.steepness(alpha),
        )
    return ClassZeroPlan(always, first, smallest, alpha, delta, power, split_ratio, level, curve)
