"""The level and the number of class 0 rows that each of several groups needs."""

from __future__ import annotations

import math

import numpy as np

from nproc.errors import TooFewSamplesError
from nproc.orderstat import min_class0_size, round_up
from nproc.splitting import n_train, rows_in_all


def group_level(delta, n_groups, pooled):
    """Return the chance of a violation at which each group takes its rank.

    Examples
    --------
    >>> round(group_level(0.05, 4, False), 5), group_level(0.05, 4, True)
    (0.01274, 0.05)
    """
    return delta if pooled or n_groups == 1 else -math.expm1(math.log1p(-delta) / n_groups)


def some_violation(rates, pooled):
    """Return the chance, or for a pooled threshold the bound on it, that some group fails."""
    return float(np.max(rates) if pooled else -np.expm1(np.sum(np.log1p(-np.asarray(rates)))))


def check_group_sizes(values, counts, alpha, delta, pooled, *, split_ratio=None):
    """Raise if a group leaves out too few of its `counts` class 0 rows, naming the smallest and what would do."""
    smallest = int(np.argmin(counts))
    count = int(counts[smallest])
    sizes = ", ".join(f"{value!r}: {n}" for value, n in list(zip(values, counts.tolist(), strict=True))[:12])
    sizes = f"class 0 rows by group: {sizes}{', ...' if len(values) > 12 else ''}"
    if count == 0:
        raise TooFewSamplesError(
            f"the group {values[smallest]!r} has no class 0 row, so that nothing bounds its type I error ({sizes}). "
            "Leave its rows out, or merge it with another group."
        )
    each = group_level(delta, len(values), pooled)
    needed = min_class0_size(alpha, each)
    n_left = count if split_ratio is None else count - n_train(count, split_ratio)
    if split_ratio is not None and n_left == count:
        raise TooFewSamplesError(
            f"split_ratio={split_ratio:g} takes none of the {count} class 0 row(s) of the group {values[smallest]!r} "
            f"for training, and every group must train; give a larger split_ratio ({sizes})."
        )
    if n_left >= needed:
        return
    at = f"alpha={alpha:g} with delta={delta:g}"
    if not pooled and len(values) > 1:
        at += f" (each of the {len(values)} groups at delta={each:.4g}, so that all hold at once)"
    taken = (
        "" if split_ratio is None else f", of which split_ratio={split_ratio:g} leaves out {n_left} for its threshold"
    )
    in_all = "" if split_ratio is None else f", which takes {rows_in_all(needed, split_ratio)} in the group"
    least = round_up(-math.expm1(math.log(each) / n_left)) if n_left else "1"
    ways = [f"alpha >= {least}"] if float(least) < 1 else []
    if not pooled and len(values) > 1:
        ways.append(f"one threshold for all groups (pooled; {min_class0_size(alpha, delta)} left out are enough)")
    ways += ["a smaller split_ratio"] if split_ratio is not None else []
    raise TooFewSamplesError(
        f"the group {values[smallest]!r} has {count} class 0 row(s){taken}; {at} needs at least {needed} left "
        f"out{in_all}. What would do: {'; '.join([*ways, 'merging the group with another'])}. In all, {sizes}."
    )
