"""The thresholds by group of scores that are there, at other levels."""

from __future__ import annotations

import numpy as np

from nproc.groups.levels import check_group_sizes
from nproc.groups.thresholds import thresholds_by_group


def group_rules_at(fit, alpha, delta, seeds):
    """Return a `GroupThresholds` for each split of an `NPGroupFit` at checked levels.

    Parameters
    ----------
    fit : NPGroupFit
        With its left-out class 0 scores by split and group.
    alpha, delta : float
        The levels, in (0, 1).
    seeds : sequence of numpy.random.SeedSequence
        Of each split, for ties called at random.

    Returns
    -------
    tuple of GroupThresholds

    Raises
    ------
    TooFewSamplesError
        If a group has too few left-out class 0 rows.
    """
    values = fit.group_values
    check_group_sizes(values, fit.n0_left_out_by_group, alpha, delta, fit.pooled)
    rules = []
    for parts, seed in zip(fit.scores0, seeds, strict=True):
        codes = np.repeat(np.arange(len(values)), [part.size for part in parts])
        rng = np.random.default_rng(seed) if fit.ties == "randomize" else None
        rules.append(thresholds_by_group(np.concatenate(parts), codes, values, alpha, delta, fit.pooled, fit.ties, rng))
    return tuple(rules)
