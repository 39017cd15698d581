"""The umbrella algorithm, once: splits, training, left-out scores, thresholds."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nproc.checkpoints import open_checkpoint
from nproc.checks import as_array, count_of, shown
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NPError, NPWarning, is_of_library, warn_at_call, warn_of_rows, with_kind
from nproc.fits import (
    EQUAL_SCORES,
    NOT_OVERSAMPLED,
    ONE_OR_TWO,
    WAYS_OUT,
    NPFit,
    NPRandomVoteFit,
    average_order,
    average_order_or_error,
    average_size,
    of_shared_owners,
    unmet_by_copies,
)
from nproc.orderstat import np_order, order_or_error
from nproc.parallel import run_tasks
from nproc.row_chunks import ChunkInputs
from nproc.rows import as_table, count_shared, has_twin, looks_oversampled, row_keys, take_rows
from nproc.score_chunks import mixture_of
from nproc.score_direction import CHOSEN, FREE, PAID, SHARED, some_of, warn_direction, warn_separated
from nproc.scorers import (
    fit_scorer,
    fresh_copy,
    name_of,
    naming_refused,
    on_scale_of_rounding,
    refuse_batch_scores,
    refuse_trained_parts,
    score_rows,
)
from nproc.splitting import auto_left_out, check_split_sizes, make_splits, stream
from nproc.tables import share_text
from nproc.thresholds import FINER_SCORES, SAME_SCORE, all_tied_message, draw_order, rounding_guard, threshold_at
from nproc.tuning import RatioChoice, check_same_data, choose_split_ratio, mark_rows

# copies of so small a share of the left-out rows are told by the fit alone, and not in a warning
FEW_COPIES = 0.005
CONSTANT_SCORES = "Check the predictors or choose another method."
SEPARATING_SCORES = (
    "So it is where a predictor was made from the labels, or is known only later; leave such columns out."
)


def warn_even(n_splits):
    """Warn that the tie of an even number of votes goes to class 0."""
    if n_splits % 2 == 0:
        warn_at_call(
            f"n_splits={n_splits} is even, and a tied vote is called class 0, which raises the type II error. With an "
            "odd number there are no ties.",
            NPWarning,
        )


OVERSAMPLED = (
    "Class 0 has exactly as many rows as class 1, and more copies. It seems to have been oversampled before the fit, "
    f"and the type I error is then not guaranteed. {WAYS_OUT[NOT_OVERSAMPLED]}"
)


def warn_duplicates(table, y, splits, *, what="left-out class 0 rows", folds=False, told_apart=False):
    """Warn if exact copies of left-out rows, with the same label, train; return their number in each split and class.

    Rows are copies if they agree in their label and in all columns that the user gave, also in those that a formula
    does not use: different observations often agree in a few columns. Left-out rows with copies that train are less
    than left out. No warning tells of a share of at most 0.5 %, which the fit keeps all the same. `what` names the
    first of the left-out rows. Those of `folds` are counted together. If no two rows are equal, the list is empty. Rows
    that the user has `told_apart` are not taken for oversampled ones.
    """
    keys = row_keys(table) + np.asarray(y).astype(np.uint64)
    twin = has_twin(keys)
    if not twin.any():
        return []
    shared = []
    for split in splits:
        left = split.idx_left0, split.idx_left1
        found = [count_shared(keys, split.idx_train, idx, twin=twin) for idx in left]
        shared.append((*found, *(idx.size for idx in left)))
    told = counts_told(shared, what, folds)
    many = any(n0 > FEW_COPIES * n0_left or n1 > FEW_COPIES * n1_left for n0, n1, n0_left, n1_left in shared)
    if told and many:
        advice = "In the first case drop the copies before the fit, and in the second keep them."
        mostly = any(2 * n_copies > n_left for n_copies, _, n_left, _ in shared)
        if mostly and not told_apart and looks_oversampled(table, y):
            advice = OVERSAMPLED
        warn_of_rows(f"{told} {advice}", NPWarning, np.unique(keys)[:100].tolist())
    return [tuple(found) for *found, _, _ in shared]


def with_copies(scored, counts):
    """Return scored splits that know how many of their left-out rows have copies that trained: `warn_duplicates`."""
    return [replace(split, copies=own) for split, own in zip(scored, counts, strict=True)] if counts else scored


def caveats_of_splits(subject, scored, *, folds=False):
    """Return what is said of left-out rows of `ScoredSplit` objects with copies that trained, and of shared owners."""
    told = counts_told([(*split.copies, split.scores0.size, split.scores1.size) for split in scored], folds=folds)
    return (*((told,) if told else ()), *of_shared_owners(subject.design.dependent)[1])


def unmet_of_splits(subject, scored):
    """Return the conditions that are not met by scored splits with many copies of rows that trained, or by the rows."""
    by_copies = unmet_by_copies(subject, [(split.copies[0], split.scores0.size) for split in scored])
    return (*by_copies, *of_shared_owners(subject.design.dependent)[0])


def counts_told(counts, what="left-out class 0 rows", folds=False):
    """Return what is said of copies: of each split the left-out rows of each class with copies that trained, and all.

    Examples
    --------
    >>> counts_told([(2, 0, 59, 0)], "left-out rows").partition(". ")[0]
    '2 of 59 left-out rows (3.4 %) are exact copies of training rows with the same label'
    >>> counts_told([(0, 0, 59, 0)])
    ''
    """
    n0, n1, n0_left, n1_left = map(sum, zip(*counts, strict=True)) if folds else max(counts)
    if not (n0 or n1):
        return ""
    where = f" (in all {len(counts)} folds together)"
    if not folds:
        where = f" (of the {len(counts)} splits, this one has the most copies)" if len(counts) > 1 else ""
    share = f" ({share_text(n0, n0_left)})" if n0 else ""
    told = f"{n0} of {n0_left} {what}{share}" + f" and {n1} of {n1_left} of class 1" * bool(n1_left)
    are = "is an exact copy of a training row" if n0 == 1 and not n1_left else "are exact copies of training rows"
    return f"{told} {are} with the same label{where}. {ONE_OR_TWO} in all columns, they do no harm."


def warn_uninformative(inputs, scored, thresholds, *, ties="conservative"):
    """Warn as `warn_useless`, of a method whose class 1 rows may all have trained; return what it returns."""
    return warn_useless(inputs.method.name, scored, thresholds, lambda split: _some_scores1(inputs, split), ties=ties)


def warn_useless(name, scored, thresholds, scores1_of, *, ties="conservative"):
    """Warn once if scores that count as equal leave nothing that is called class 1, and say in how many splits.

    Return what a fit keeps of it as a caveat, as no or one text.
    """
    parts = [(split.scores0, split.scores0) for split in scored]
    return tell_useless({"": find_useless(name, scored, parts, thresholds, scores1_of, ties)}, len(scored))


def find_useless(name, scored, parts, thresholds, scores1_of, ties):
    """Return the finding and the advice on each split with a threshold above which no row is called class 1.

    `parts` has of each split the class 0 scores that the threshold is for, and all of them, which say what counts as
    equal. The keys of the dict are the numbers of the splits.
    """
    told = {}
    for j, (split, (scores0, all0), value) in enumerate(zip(scored, parts, thresholds, strict=True), start=1):
        high = scores0.max()
        # no guard is wider, and those of most samples need not be worked out
        if high - value > 2 * SAME_SCORE * (all0.max() - all0.min()) + 4 * np.spacing(abs(value)):
            continue
        guard = rounding_guard(all0, value)
        if high - value > guard:
            continue
        found = _useless(name, scores0, scores1_of(split), value, guard, ties)
        if found is not None:
            told[j] = found
    return told


def tell_useless(told, n_splits):
    """Warn once of what `find_useless` found, and return what a fit keeps of it, a text for each key.

    `told` has the findings under the words that they begin with, such as "in group 'a', ".
    """
    told = {where: found for where, found in told.items() if found}
    caveats = []
    for where, found in told.items():
        first, (finding, advice) = next(iter(found.items()))
        which = f" (split {first} of {n_splits})" if n_splits > 1 else ""
        if len(found) > 1:
            which = f" (so it is in {count_of(len(found), n_splits, 'splits')}; the numbers are those of split {first})"
        if not caveats:
            more = "".join(list(told)[1:]).rstrip(", ")
            also = f" Scores that count as equal are also found {more}." if more else ""
            warn_at_call(f"{where}{finding} {advice}{which}{also}", NPWarning)
        often = f" So it is in {count_of(len(found), n_splits, 'splits')}." if n_splits > 1 else ""
        said_of = where + finding
        caveats.append(f"{EQUAL_SCORES} {said_of[0].upper()}{said_of[1:]}{often}")
    return tuple(caveats)


def _useless(name, scores0, scores1, value, guard, ties):
    """Return what to say of a threshold with no class 0 score clearly above it, and advice; None if nothing."""
    low, high = scores0.min(), scores0.max()
    # a group may have no class 1 rows
    above = scores1.max(initial=high) - value
    if 64 * np.spacing(abs(value)) < above <= guard:
        return (
            f"all scores above the threshold {value:g} exceed it by less than {guard:.1g}, while other scores lie "
            f"{value - low:.1g} below it. Among numbers of that size such small differences may be rounding "
            "errors, so they are ignored and every row is called class 0.",
            "Use scores of similar size, such as their logarithm or another increasing function of them.",
        )
    n_tied = int(np.sum(np.abs(scores0 - value) <= guard))
    if n_tied < 2 or ties == "randomize":
        return None
    if low == value and np.all(scores1 == value):
        return (
            f"method {name!r} gives every row the same score, {value:g}, so every row is called class 0.",
            CONSTANT_SCORES,
        )
    if low == value and scores1.size and scores1.min() - value > guard:
        return (
            f"all {scores0.size} left-out class 0 scores are tied at {value:g}, and all class 1 scores that were "
            "looked at lie above: the scores tell the classes apart without an error.",
            SEPARATING_SCORES,
        )
    if low == value:
        return all_tied_message(scores0.size, value), FINER_SCORES
    if above <= guard:
        return (
            f"the {n_tied} largest of {scores0.size} left-out class 0 scores are tied at {value:g}, and no class 1 "
            f"score lies above: every row is called class 0.",
            FINER_SCORES,
        )
    return None


def _some_scores1(inputs, split):
    return split.scores1 if split.scores1.size else scores_of_some(inputs, split, np.flatnonzero(inputs.y == 1))


def scores_of_some(inputs, split, rows1):
    """Return the scores of at most 1000 of the class 1 rows `rows1`, all of which trained: they only help to warn."""
    return _scores_of(inputs, split, rows1[:1000])


def warn_reversed(inputs, scored, splits, choice=None, *, clusters=None):
    """Warn if the scores clearly point the wrong way; `nproc.score_direction` has what is proved.

    The evidence is the scores of training rows in the first split, which set no threshold there. They flatter a scorer
    that was trained on them, so that useless ones are not taken for reversed. Without splits, of a prefit scorer, only
    the rows that set the threshold are there. An adaptive ratio comes with its `choice`. With `clusters`, the cluster
    of each row, one row of each cluster and class is compared, since rows of one cluster may be alike.

    Returns what a fit keeps of it as a caveat, as a tuple of no or one text.
    """
    class0, class1 = inputs.labels.values.tolist()
    first, price = scored[0], PAID
    who = f"scored by {inputs.method.name!r}, with {class0!r} as class 0 and {class1!r} as class 1"
    if splits is None:
        # scores0 has one row of each cluster already
        scores1 = first.scores1 if clusters is None else first.scores1[_one_of_each(clusters[inputs.y == 1])]
        scores = first.scores0, scores1
        warn_separated(*scores, who)
    else:
        scores = []
        for label in (0, 1):
            rows = splits[0].idx_train[inputs.y[splits[0].idx_train] == label]
            rows = rows if clusters is None else rows[_one_of_each(clusters[rows])]
            scores.append(_scores_of(inputs, first, some_of(rows)))
        free = FREE.format(seed=splits.seed, ratio=CHOSEN if choice else "")
        price = free if len(splits) == 1 else SHARED
    return warn_direction(*scores, who, price)


def _one_of_each(clusters):
    return np.unique(clusters, return_index=True)[1]


def _scores_of(inputs, split, rows):
    return score_rows(split.scorer, take_rows(inputs.X, rows)) if rows.size else np.empty(0)


MODEL_WAY_OUT = (
    "If the class 0 scores are normal, use small_sample='normal'. If their upper tail is log-concave, use "
    "small_sample='log_concave'."
)


@dataclass(frozen=True)
class ScoredSplit:
    """A trained scorer and the scores of the rows that it never saw.

    Attributes
    ----------
    scorer : object
        The trained scorer.
    scores0, scores1 : ndarray
        Left-out scores of each class; `scores1` is empty where all class 1 rows trained.
    seed : numpy.random.SeedSequence
        Source of further randomness.
    rows : str
        Mark of the left-out rows, see `left_out_mark`.
    copies : tuple of int
        The left-out rows of each class with exact copies of the same label among the training rows.
    """

    scorer: object
    scores0: np.ndarray
    scores1: np.ndarray
    seed: np.random.SeedSequence
    rows: str
    copies: tuple[int, int] = (0, 0)


def fit_umbrella(inputs, run, *, alpha, delta, ties, rank="conservative", vote="majority"):
    """Return the `NPFit` of Algorithm 1 for checked inputs; see `npc` for the arguments.

    References
    ----------
    Algorithm 1 of [tong2018]_. Step 12 trains on all class 1 rows.
    """
    labels, splits, choice = inputs.labels, None, None
    if inputs.method.prefit:
        order = order_or_error(labels.n0, alpha, delta, way_out=MODEL_WAY_OUT)
    else:
        if vote == "majority":
            warn_even(run.n_splits)
        choice, run = adaptive_choice(inputs, run, [alpha], delta, leave_out_class1=False)
        check_split_sizes(labels.n0, run.split_ratio, alpha, delta, way_out=MODEL_WAY_OUT)
        run = at_number(run, labels.n0, alpha, delta, vote=vote)
        used = choice and choice.used
        splits = make_splits(
            labels.y, run.n_splits, run.split_ratio, run.seed, leave_out_class1=False, always_train=used
        )
        n_left = splits[0].idx_left0.size
        if vote == "random":
            order = average_order_or_error(n_left, alpha, delta, labels.n0, run.split_ratio)
        else:
            order = np_order(n_left, alpha, delta)
    scored = score_splits(inputs, splits, run, "npc: split")
    rules = rules_at(scored, order, alpha, delta, ties, run.seed if rank == "randomize" else None)
    levels = {"alpha": alpha, "delta": delta, "ties": ties, "rank": rank}
    kind = NPRandomVoteFit if vote == "random" else NPFit
    fit = assemble(inputs.subject, run, scored, rules, ratio_choice=choice, kind=kind, **levels)
    told = warn_uninformative(inputs, scored, fit.thresholds, ties=ties)
    return with_caveats(fit, [*told, *warn_reversed(inputs, scored, splits, choice)])


def with_caveats(fit, told):
    """Return a fit with more caveats, each of them once."""
    return replace(fit, caveats=tuple(dict.fromkeys([*fit.caveats, *told])))


def at_number(run, n0, alpha, delta, *, vote="majority"):
    """Return settings whose split ratio is a number, where "auto" asks for the size that suits these levels."""
    if run.split_ratio != "auto":
        return run
    ranks = {}
    if vote == "random":
        ranks = {"order_of": partial(average_order, alpha=alpha, delta=delta), "least": average_size(alpha, delta)}
    ratio = (n0 - auto_left_out(n0, alpha, delta, **ranks)) / n0
    return replace(run, split_ratio=ratio, auto_ratio=True)


def rules_at(scored, order, alpha, delta, ties="conservative", coin_seed=None):
    """Return the `Threshold` of each scored split at one rank, or with a seed for the coin at the one that it draws."""
    coin = None
    if coin_seed is not None:
        scores0 = scored[0].scores0
        order, coin = draw_order(order, scores0.size, alpha, delta, coin_seed, mixture_of(scores0))
    seeds = [_int_seed(stream(split.seed, "ties")) if ties == "randomize" else None for split in scored]
    return tuple(
        threshold_at(split.scores0, order, alpha, delta, ties, seed, coin)
        for split, seed in zip(scored, seeds, strict=True)
    )


def assemble(subject, run, scored, rules, *, alpha, delta, kind=NPFit, **fields):
    """Return the fit that scored splits and their thresholds make: the one place where fits are put together.

    Parameters
    ----------
    subject : Subject
        What is remembered of the inputs.
    run : RunSettings
        Its seed and its split ratio, a number, and whether "auto" stood for it.
    scored : sequence of ScoredSplit
        The trained scorers with their left-out scores.
    rules : sequence
        The threshold, or thresholds, of each split.
    alpha, delta : float
        Levels.
    kind : type
        `NPFit` or a class that is made of it.
    **fields
        What else the class holds.
    """
    resampled = {} if run.resample is None else {"resample": "resample"}
    made = {"given": subject.given | resampled, "versions": package_versions()}
    made = {"scores0": tuple(split.scores0 for split in scored), **made, **fields}
    # those of a band have told it
    made["unmet"] = tuple(dict.fromkeys([*fields.get("unmet", ()), *unmet_of_splits(subject, scored)]))
    made["caveats"] = tuple(dict.fromkeys([*fields.get("caveats", ()), *caveats_of_splits(subject, scored)]))
    return kind(
        method=subject.method,
        alpha=alpha,
        delta=delta,
        n0=subject.n0,
        n1=subject.n1,
        n_splits=len(scored),
        split_ratio=None if subject.prefit else run.split_ratio,
        auto_ratio=run.auto_ratio,
        labels=subject.labels,
        seed=run.seed,
        scorers=tuple(split.scorer for split in scored),
        rules=tuple(rules),
        design=subject.design,
        prefit=subject.prefit,
        keys0=subject.keys0,
        table_keys0=subject.table_keys0,
        **made,
    )


def score_splits(inputs, splits, run, label):
    """Return a `ScoredSplit` for every split of `Splits`, or a single one of all rows for a prefit scorer."""
    if isinstance(inputs, ChunkInputs):
        scores0, scores1, mark = inputs.score()
        return [ScoredSplit(inputs.method.scorer, scores0, scores1, np.random.SeedSequence(run.seed), mark)]
    if inputs.method.prefit:
        if inputs.subject.oversampled:
            warn_at_call(OVERSAMPLED, NPWarning)
        with naming_refused(inputs.method.scorer, inputs.X):
            scores = score_rows(inputs.method.scorer, inputs.X, inputs.labels.values)
        y = inputs.y
        root = np.random.SeedSequence(run.seed)
        _refuse_batch_scores(inputs.method.scorer, inputs.X, np.arange(y.size), scores, inputs.labels.values)
        mark = left_out_mark(np.flatnonzero(y == 0), np.flatnonzero(y == 1))
        return [ScoredSplit(inputs.method.scorer, scores[y == 0], scores[y == 1], root, mark)]
    copies = warn_duplicates(inputs.table, inputs.y, splits, folds=splits.folds, told_apart=inputs.told_apart)
    # what is kept of the rows is made of keys of all of them, which later would be in memory beside the scores
    inputs.remember()
    store = open_store(run, inputs, splits)
    scored = run_tasks(
        score_split,
        [(splits.seed_of(j),) for j in range(len(splits))],
        # the arrays one by one, since Dask sends what is inside of another object again with every task
        shared=(
            splits.draw,
            splits.settings,
            run.resample,
            inputs.method.scorer,
            inputs.X,
            inputs.y,
            inputs.sample_weight,
            *splits.arrays,
        ),
        n_jobs=run.n_jobs,
        verbose=run.verbose,
        label=label,
        store=store,
        keys=None if store is None else split_keys(splits),
    )
    return with_copies(scored, copies)


def open_store(run, inputs, splits):
    """Return the `Checkpoint` of scored splits, or None without a folder."""
    return open_checkpoint(
        run, inputs, what="scored splits", settings=(splits.draw.__name__, *splits.settings), arrays=splits.arrays
    )


def split_keys(splits):
    """Return the name of each split there."""
    return [f"split-{j:05d}" for j in range(len(splits))]


def train(X, y, scorer, sample_weight, resample, idx_train, seed, clusters=None):
    """Return a fresh copy of `scorer` trained on some rows (step 14), resampled first if asked.

    Folds inside the training are told the `clusters` of its rows, unless resampling has made rows of no known cluster.
    """
    X_train, y_train = take_rows(X, idx_train), y[idx_train]
    if resample is not None:
        resampler = fresh_copy(resample, _int_seed(stream(seed, "resample")))
        X_train, y_train = _resampled(resampler, X_train, y_train)
    weights = None if sample_weight is None else sample_weight[idx_train]
    groups = None if clusters is None or resample is not None else clusters[idx_train]
    unfitted, resampled = fresh_copy(scorer, _int_seed(stream(seed, "scorer"))), resample is not None
    return fit_scorer(unfitted, X_train, y_train, weights, groups, resampled=resampled)


def _resampled(resampler, X, y):
    """Return what a resampler makes of training rows, if they are rows of the same columns and codes."""
    name = f"{type(resampler).__name__}.fit_resample"
    try:
        given = resampler.fit_resample(X, y)
    except Exception as error:
        # libraries may have classes of errors of their own
        refuses = isinstance(error, ValueError | LookupError) and not isinstance(error, NPError)
        if not (refuses or is_of_library(error)):
            raise
        raise InvalidInputError(
            f"{type(resampler).__name__} cannot resample the {len(y)} training rows, {int(np.sum(y == 0))} of class 0: "
            f"{with_kind(error).rstrip('.')}.",
            way_out="Change its parameters, or leave out resample.",
        ) from error
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidInputError(f"{name} must return the pair (X, y) of resampled rows, got {type(given).__name__}.")
    X_new, y_new = as_table(given[0], f"X of {name}"), as_array(given[1], f"y of {name}")
    if X_new.ndim != 2 or X_new.shape[1] != X.shape[1] or y_new.shape != (X_new.shape[0],):
        raise InvalidInputError(
            f"{name} must return rows of the {X.shape[1]} columns that it was given and one label for each, got X of "
            f"shape {X_new.shape} and y of shape {y_new.shape}."
        )
    found = list(dict.fromkeys(y_new.tolist()))
    if set(found) != {0, 1}:
        raise InvalidInputError(
            f"{name} must return labels 0 and 1, as it was given, and rows of both, got {found[:5]}."
        )
    return X_new, y_new


def _int_seed(seed):
    return int(seed.generate_state(1)[0])


def score_split(draw, settings, resample, scorer, X, y, sample_weight, *arrays_and_seed):
    """Return the `ScoredSplit` of one split, which is drawn here; the last argument is its seed."""
    *arrays, seed = arrays_and_seed
    split = draw(tuple(arrays), settings, seed)
    with _noting_split(split), naming_refused(scorer, X):
        fitted = train(X, y, scorer, sample_weight, resample, split.idx_train, split.seed, split.clusters)
        scores0 = score_rows(fitted, take_rows(X, split.idx_left0))
        scores1 = score_rows(fitted, take_rows(X, split.idx_left1)) if split.idx_left1.size else scores0[:0]
    if split.seed.spawn_key[-1:] == (0,):
        # a look at the first split tells
        _refuse_batch_scores(fitted, X, split.idx_left0, scores0)
    return ScoredSplit(fitted, scores0, scores1, split.seed, left_out_mark(split.idx_left0, split.idx_left1))


@contextmanager
def _noting_split(split):
    """Note with an error inside that it came in a part after the first, which may be at fault for its rows alone."""
    try:
        yield
    except Exception as error:
        number = split.seed.spawn_key[-1:]
        if number and number[0]:
            error.add_note(f"This was in {split.part} {number[0] + 1}.")
        raise


def _refuse_batch_scores(scorer, X, rows, scores, values=None):
    def score_again(few):
        return on_scale_of_rounding(scorer, score_rows(scorer, take_rows(X, rows[few]), values))

    refuse_batch_scores(score_again, on_scale_of_rounding(scorer, scores), name_of(scorer))


def left_out_mark(idx_left0, idx_left1):
    """Return a text that two splits share only if they leave out the same positions of each class, in one order."""
    parts = (np.asarray(rows, dtype="<i8").tobytes() for rows in ([idx_left0.size], idx_left0, idx_left1))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def adaptive_choice(inputs, run, alphas, delta, *, leave_out_class1):
    """Return the `RatioChoice` for these inputs (None where the ratio is a number), and the settings at its ratio."""
    choice = run.split_ratio
    if isinstance(choice, RatioChoice):
        check_same_data(choice, inputs.X, inputs.y, leave_out_class1=leave_out_class1)
    elif choice == "adaptive":
        store = open_checkpoint(
            run, inputs, what="fits of a split ratio", settings=(tuple(alphas), delta, leave_out_class1)
        )
        choice = choose_split_ratio(
            inputs.y,
            _score_for_ratio,
            shared=(inputs.X, inputs.y, inputs.sample_weight, inputs.method.scorer, run.resample),
            alphas=alphas,
            delta=delta,
            # a stream apart from those of the splits, which are the children of SeedSequence(seed)
            seed=np.random.SeedSequence([run.seed, 2]),
            leave_out_class1=leave_out_class1,
            n_jobs=run.n_jobs,
            verbose=run.verbose,
            store=store,
        )
        choice = replace(choice, rows=mark_rows(inputs.X, inputs.y))
    elif choice == "auto" and leave_out_class1:
        raise InvalidInputError(
            "split_ratio='auto' depends on alpha, and a band covers every alpha. Give a number, such as 0.5, or "
            "'adaptive'. For one alpha that is fixed beforehand, the method sizes of nproc.planning.supported_levels "
            "lists ratios that leave little of it unused.",
            argument="split_ratio",
        )
    else:
        return None, run
    return choice, replace(run, split_ratio=choice.split_ratio)


def _score_for_ratio(X, y, sample_weight, scorer, resample, idx_train, idx_score, seed):
    with naming_refused(scorer, X):
        fitted = train(X, y, scorer, sample_weight, resample, idx_train, np.random.SeedSequence(seed))
        return score_rows(fitted, take_rows(X, idx_score))


def check_resample(resample, sample_weight):
    """Raise unless `resample` is None or can resample, all of it is trained anew, and no weights are lost by it."""
    if resample is None:
        return
    if isinstance(resample, type) or not hasattr(resample, "fit_resample"):
        raise InvalidInputError(
            "resample must be an object with fit_resample(X, y), such as imbalanced-learn's SMOTE(), got "
            f"{shown(resample)}."
        )
    refuse_trained_parts(resample, "resample")
    if sample_weight is not None:
        raise InvalidInputError(
            "resample and sample_weight cannot be used together, because resampled rows have no weights. Give one "
            "of them."
        )
