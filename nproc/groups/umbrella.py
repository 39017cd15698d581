"""Splits within groups and by cluster, and the umbrella algorithm on them."""

from dataclasses import replace
from functools import partial

import numpy as np

from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.groups.clusters import NPClusterFit, cluster_keys, draw_clusters, draw_one_per_cluster
from nproc.groups.fit import NPGroupFit, in_group
from nproc.groups.membership import read_membership
from nproc.groups.thresholds import check_group_sizes, group_level, thresholds_by_group
from nproc.orderstat import min_class0_size, np_order, too_few_message
from nproc.rows import with_labels_of
from nproc.splitting import Split, Splits, least_levels, n_left_out, rows_in_all, said, smaller_ratio, stream
from nproc.tuning import RatioChoice
from nproc.umbrella import (
    assemble,
    at_number,
    find_useless,
    rules_at,
    score_splits,
    scores_of_some,
    tell_useless,
    warn_even,
    warn_reversed,
    warn_uninformative,
    with_caveats,
)


def umbrella_for(rows, group_thresholds):
    """Return `nproc.rows.GivenRows`, and the form of the umbrella algorithm for their groups or clusters.

    A column that `groups` or `clusters` names is taken out of the rows; see `nproc.groups.membership.read_membership`.
    In the rows returned they are codes, one for each row, however they were given; those of a Series keep its labels.
    """
    groups, clusters = rows.groups, rows.clusters
    if groups is None and group_thresholds != "separate":
        raise InvalidInputError(f"group_thresholds={group_thresholds!r} needs groups=, one value a row.")
    if groups is not None:
        X, data, members = read_membership(groups, "groups", rows.X, rows.data)
        rows = replace(rows, X=X, data=data, groups=with_labels_of(groups, members.codes))
        return rows, partial(fit_groups, members=members, kind=group_thresholds)
    X, data, members = read_membership(clusters, "clusters", rows.X, rows.data)
    rows = replace(rows, X=X, data=data, clusters=with_labels_of(clusters, members.codes))
    return rows, partial(fit_clusters, members=members)


def fit_groups(inputs, run, members, *, kind, alpha, delta, ties):
    """Return the `NPGroupFit` of checked inputs and the `Membership` of their rows; see `npc` for the arguments.

    Notes
    -----
    The class 0 rows of every group are split by the same ratio. Given the groups of all rows, the left-out rows of a
    group are then a sample of the class 0 rows of that group, independent of the training rows and of the other groups:
    what `nproc.groups.thresholds.np_group_thresholds` assumes.
    """
    _refuse_adaptive(run.split_ratio, "groups")
    pooled, y, prefit = kind == "pooled", inputs.y, inputs.method.prefit
    n0_by_group = members.counts(y == 0)
    ratio = None if prefit else run.split_ratio
    check_group_sizes(members.values, n0_by_group, alpha, delta, pooled, split_ratio=ratio)
    if prefit:
        splits, left_out = None, [np.flatnonzero(y == 0)]
    else:
        warn_even(run.n_splits)
        each = group_level(delta, members.size, pooled)
        n_left = tuple(n_left_out(n, ratio, alpha, each) for n in n0_by_group.tolist())
        if ratio == "auto":
            run = replace(run, split_ratio=1 - sum(n_left) / inputs.labels.n0, auto_ratio=True)
        splits = group_splits(y, members, run.n_splits, n_left, run.seed)
        left_out = (split.idx_left0 for split in splits)
    scored = score_splits(inputs, splits, run, "npc: split")
    scores0 = tuple(members.parts(part.scores0, rows) for part, rows in zip(scored, left_out, strict=True))
    rules = [
        thresholds_by_group(parts, members.values, alpha, delta, pooled, ties, stream(part.seed, "ties"))
        for parts, part in zip(scores0, scored, strict=True)
    ]
    told = _warn_uninformative_groups(inputs, scored, scores0, rules, members, ties)
    told = (*told, *warn_reversed(inputs, scored, splits))
    fit = assemble(
        inputs.subject,
        run,
        scored,
        rules,
        kind=NPGroupFit,
        alpha=alpha,
        delta=delta,
        ties=ties,
        scores0=scores0,
        group_values=members.values,
        group_column=members.column,
        pooled=pooled,
        n0_by_group=n0_by_group,
        n1_by_group=members.counts(y == 1),
    )
    return with_caveats(fit, told)


def _warn_uninformative_groups(inputs, scored, scores0, rules, members, ties):
    """Warn as `warn_uninformative` of each group by the threshold that is used in it; return what it returns."""
    values = np.array([rule.values for rule in rules])
    if np.all(values == values[:, :1]):
        # what holds for all groups together is said without them
        told = warn_uninformative(inputs, scored, values[:, 0], ties=ties)
        if told:
            return told
    rows1, found = np.flatnonzero(inputs.y == 1), {}
    for code, group in enumerate(members.values):
        own1 = members.codes[rows1] == code

        def scores1_of(split, own1=own1):
            return split.scores1[own1] if split.scores1.size else scores_of_some(inputs, split, rows1[own1])

        parts = [(own[code], split.scores0) for own, split in zip(scores0, scored, strict=True)]
        name = inputs.method.name
        found[in_group(group)] = find_useless(name, scored, parts, values[:, code], scores1_of, ties)
    return tell_useless(found, len(scored))


def group_splits(y, members, n_splits, n_left, seed):
    """Return `n_splits` random splits that leave out `n_left[g]` of the class 0 rows of each group g.

    With a single group they are those of `nproc.splitting.make_splits`.
    """
    return Splits(_draw_by_group, (y, members.codes), (n_left,), n_splits, seed)


def _draw_by_group(arrays, settings, seed):
    (y, codes), (n_left,) = arrays, settings
    pools = [np.flatnonzero((y == 0) & (codes == code)) for code in range(len(n_left))]
    rng = np.random.default_rng(stream(seed, "rows"))
    left = np.sort(np.concatenate([rng.permutation(p)[:n] for p, n in zip(pools, n_left, strict=True)]))
    return _split_of(y.size, left, left, seed)


def fit_clusters(inputs, run, members, *, alpha, delta, ties, rank="conservative"):
    """Return the `NPClusterFit` of checked inputs and the `Membership` of their rows; see `npc` for the arguments.

    Notes
    -----
    See `nproc.groups.clusters.NPClusterFit` for what is promised and why no row of a left-out cluster may train.
    """
    _refuse_adaptive(run.split_ratio, "clusters")
    inputs = replace(inputs, told_apart=True)
    y, prefit = inputs.y, inputs.method.prefit
    n_clusters0 = int(np.count_nonzero(members.counts(y == 0)))
    ratio = None if prefit else run.split_ratio
    n_left = n_clusters0 if prefit else n_left_out(n_clusters0, ratio, alpha, delta)
    _check_clusters(n_left, n_clusters0, inputs.labels.n0, alpha, delta, ratio)
    splits, trained = None, {}
    if not prefit:
        warn_even(run.n_splits)
        run = at_number(run, n_clusters0, alpha, delta)
        splits = cluster_splits(y, members, run.n_splits, n_left, run.seed)
        counts = np.array([np.bincount(y[split.idx_train], minlength=2) for split in splits])
        trained = {"n0_trained": counts[:, 0], "n1_trained": counts[:, 1]}
        _check_training(counts[:, 1], n_left, n_clusters0, ratio)
    scored = score_splits(inputs, splits, run, "npc: split")
    if prefit:
        drawn = draw_one_per_cluster(members.codes[y == 0], stream(scored[0].seed, "rows"))
        scored = [replace(scored[0], scores0=scored[0].scores0[drawn])]
    order, coin_seed = np_order(scored[0].scores0.size, alpha, delta), run.seed if rank == "randomize" else None
    rules = rules_at(scored, order, alpha, delta, ties, coin_seed)
    fit = assemble(
        inputs.subject,
        run,
        scored,
        rules,
        kind=NPClusterFit,
        alpha=alpha,
        delta=delta,
        ties=ties,
        rank=rank,
        n_clusters=members.size,
        n_clusters0=n_clusters0,
        cluster_column=members.column,
        clusters_together=int(np.count_nonzero(np.diff(members.codes))) + 1 == members.size,
        cluster_keys=cluster_keys(members.values),
        **trained,
    )
    told = warn_uninformative(inputs, scored, fit.thresholds, ties=ties)
    return with_caveats(fit, [*told, *warn_reversed(inputs, scored, splits, clusters=members.codes)])


def cluster_splits(y, members, n_splits, n_left, seed):
    """Return `n_splits` random splits by cluster.

    Of the clusters that have class 0 rows a random part is left out: none of their rows trains, and one class 0 row of
    each, drawn at random, is in ``idx_left0``. All other clusters train, those without class 0 rows among them.
    """
    return Splits(_draw_by_cluster, (y, members.codes), (n_left,), n_splits, seed)


def _draw_by_cluster(arrays, settings, seed):
    (y, codes), (n_left,) = arrays, settings
    rows0 = np.flatnonzero(y == 0)
    left, drawn = draw_clusters(codes[rows0], n_left, seed)
    in_left = np.flatnonzero(np.isin(codes, left))
    return replace(_split_of(y.size, in_left, rows0[drawn], seed), clusters=codes)


def _split_of(n, not_trained, left0, seed):
    trains = np.ones(n, dtype=bool)
    trains[not_trained] = False
    return Split(np.flatnonzero(trains), left0, np.empty(0, dtype=np.intp), seed)


def _check_clusters(n_left, n_clusters0, n0, alpha, delta, split_ratio):
    needed = min_class0_size(alpha, delta)
    trained = split_ratio is None or n_left < n_clusters0
    if n_left >= needed and trained:
        return
    told = (
        f" The {n0} class 0 rows belong to {n_clusters0} cluster(s). Each cluster gives one row for the threshold, "
        "however many rows it has."
    )
    if split_ratio is None:
        raise TooFewSamplesError(too_few_message(n_left, alpha, delta, rows="clusters with class 0 rows") + told)
    if n_left < 1 or not trained:
        raise TooFewSamplesError(
            f"split_ratio={said(split_ratio)} of {n_clusters0} cluster(s) with class 0 rows leaves "
            f"{n_clusters0 - n_left} to train and {n_left} to set the threshold; both need at least 1, and "
            f"alpha={alpha:g} with delta={delta:g} needs {needed} for the threshold.{told}"
        )
    in_all = rows_in_all(needed, split_ratio, alpha, delta)
    least = least_levels(n_clusters0, split_ratio, alpha, delta)
    raise TooFewSamplesError(
        (
            too_few_message(n_left, alpha, delta, rows="left-out clusters with class 0 rows", least=least)
            + f"{told} With split_ratio={said(split_ratio)}, {in_all} such clusters are needed in all. "
            + smaller_ratio(needed, n_clusters0)
        ).rstrip()
    )


def _check_training(n1_trained, n_left, n_clusters0, split_ratio):
    if n1_trained.all():
        return
    raise TooFewSamplesError(
        f"no class 1 row is left to train: all lie in the left-out clusters. split_ratio={said(split_ratio)} "
        f"leaves out {n_left} of the {n_clusters0} clusters with class 0 rows, and rows of left-out clusters are "
        "not used for training. Use a larger split_ratio, or add clusters with class 1 rows."
    )


def _refuse_adaptive(split_ratio, name):
    if split_ratio == "adaptive" or isinstance(split_ratio, RatioChoice):
        raise InvalidInputError(
            f"split_ratio='adaptive' cannot be used with {name}, because it draws the rows for the choice of the "
            f"ratio without regard to {name}. Give a number."
        )
