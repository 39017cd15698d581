"""`npc_multiclass`: Neyman-Pearson classification of several classes in a decreasing order of priority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import Seed, as_array, check_choice, check_delta, check_level, check_seed, refuse_unordered
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.fits import NOT_OVERSAMPLED, of_shared_owners
from nproc.inputs import Method, merged_params, read_method, refuse_other_params
from nproc.multiclass.result import NEVER_CALLED, NPMultiFit, confusion_counts
from nproc.multiclass.stages import SCHEMES, SCORES, BinaryStages, FunctionStages, ModelStages, stage_thresholds
from nproc.orderstat import min_class0_size, too_few_message
from nproc.rows import (
    Table,
    keys_of_table,
    listed,
    looks_oversampled,
    lowest_keys,
    order_labels,
    read_table,
    take_rows,
    warn_of_alphabetical_order,
)
from nproc.score_direction import FREE, PAID, some_of, warn_direction
from nproc.scorers import (
    MethodLike,
    fit_scorer,
    fresh_copy,
    multinomial_model,
    naming_refused,
    outlier_scorers,
    refuse_batch_scores,
    with_coding,
)
from nproc.splitting import Split, check_split_ratio, n_train, rows_in_all, smaller_ratio_of_each, stream
from nproc.umbrella import OVERSAMPLED, counts_told, warn_duplicates


def read_model(method, params, *, prefit=False):
    """Return the `Method` of one model of all classes: an estimator, or by name; see `multinomial_model`."""
    if prefit or not isinstance(method, str):
        if not isinstance(method, type) and outlier_scorers(method):
            raise InvalidInputError("OutlierScorer works with two classes only. Use npc, or merge classes.")
        return read_method(method, params, prefit=prefit)
    return Method(method, multinomial_model(method, **params), False, True, False, False)


def class_levels(value, name, labels):
    """Return a level for every class but the last, as a tuple of floats in (0, 1)."""
    n_stages, in_order = len(labels) - 1, f"{listed(labels[:-1])}, in this order"
    if isinstance(value, Mapping) or _has_other_names(value, labels):
        raise InvalidInputError(
            f"{name} is a {type(value).__name__}, which has values by name, but the order of the values matters here. "
            f"Give a list with the levels of {in_order}.",
            argument=name,
        )
    refuse_unordered(value, name)
    check = check_delta if name == "deltas" else check_level
    if as_array(value, name).ndim == 0:
        return (check(value, name),) * n_stages
    values = list(value)
    if len(values) != n_stages:
        raise InvalidInputError(
            f"{name} must be one number, or one for each class but the last ({n_stages}: {in_order}), got "
            f"{len(values)}."
        )
    return tuple(check(level, name) for level in values)


def _has_other_names(value, labels):
    """Return whether a Series has an index that is neither the labels in their order nor one that only counts."""
    index = getattr(value, "index", None)
    # that of a list is a method
    if index is None or callable(index):
        return False
    index = list(index)
    counts = index == list(range(len(index))) and not set(index) & set(labels)
    return index != labels[:-1] and not counts


def check_class_sizes(labels, n_rows, split_ratio, alphas, deltas):
    """Raise TooFewSamplesError, naming the class, unless each class but the last has rows enough for its levels."""
    counts, least = n_rows.tolist(), [min_class0_size(*levels) for levels in zip(alphas, deltas, strict=True)]
    for j, (label, alpha, delta) in enumerate(zip(labels.tolist(), alphas, deltas, strict=False)):
        n, needed = counts[j], least[j]
        if split_ratio is None:
            trains, enough = 0, ""
        else:
            trains = n_train(n, split_ratio)
            enough = (
                f" With split_ratio={split_ratio:g}, {rows_in_all(needed, split_ratio)} rows of class {label!r} "
                f"are needed in all, and there are {n}. {smaller_ratio_of_each(least, counts, j)}"
            ).rstrip()
        if n - trains < 1 or (split_ratio is not None and trains < 1):
            raise TooFewSamplesError(
                f"class {label!r} has {n} row(s): {trains} to train and {n - trains} to set its threshold, and both "
                f"need at least 1; {needed} are needed for the threshold at alpha={alpha:g}, delta={delta:g}.{enough}"
            )
        if n - trains < needed:
            text = too_few_message(n - trains, alpha, delta, rows=f"left-out rows of class {label!r}")
            raise TooFewSamplesError(text.removeprefix("n0=") + enough)


def npc_multiclass(
    X: Table,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    priority: Sequence[Any] | None = None,
    alphas: float | Sequence[float] = 0.05,
    deltas: float | Sequence[float] = 0.05,
    split_ratio: float = 0.5,
    scheme: Literal["joint", "separate"] = "joint",
    stage_score: Literal["against_lower", "own"] = "against_lower",
    data: Table | None = None,
    prefit: bool = False,
    method_params: Mapping[str, Any] | None = None,
    random_state: Seed = None,
    **params: Any,
) -> NPMultiFit:
    r"""Train a classifier of several classes that seldom calls a row a class of lower priority than its own.

    Classes stand in a decreasing order of priority, such as a dangerous tumour, a less dangerous one, a benign one.
    For every class j but the last, P(called a class of lower priority | Y = j) is at most ``alphas[j]`` with
    probability at least 1 - ``deltas[j]``. A row is called the first class whose stage keeps it, the last if none does;
    the threshold of each stage is an order statistic of the scores of left-out rows of its class.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n, p), or str
        The rows, or a formula with `data`, as in `npc`.
    y : array-like, shape (n,), optional
        Labels with two or more distinct values of any type. Not with a formula.
    method : str or estimator or function
        A name (see `describe_scorers`): one binary scorer a stage, trained on its class against all classes of lower
        priority together, which a linear one separates by a single plane. A scikit-learn classifier: one model of all
        classes, with predict_proba or decision_function; often the better choice. With ``prefit=True`` a fitted
        classifier, or a function of X with values of shape (m, K - 1), column j larger for rows more like class j: log
        odds rather than probabilities, since values closer to a threshold than 1e-9 of their spread count as tied.
    priority : sequence of labels, optional
        All labels, from the highest priority to the lowest; None takes them in sorted order, with a warning if they are
        texts.
    alphas, deltas : float or sequence of float, length K - 1
        The levels of all classes but the last, in the order of `priority`: alphas in (0, 1), deltas in (0, 0.5]. A
        single number is used for each of them.
    split_ratio : float
        Share of the rows of each class but the last that train, in (0, 1); the others set its threshold. All rows of
        the last class train.
    scheme : {"joint", "separate"}
        How the threshold of class j >= 1 counts left-out rows that an earlier stage calls a class of higher priority.
        "joint": as correct, since they cannot be called too low any more. The violation rate is then exact for
        continuous scores, unless a share of 1 - alpha or more of the class is called higher. "separate": like all
        others, as in the paper. This is conservative and keeps more rows in the class.
    stage_score : {"against_lower", "own"}
        What a model of all classes is asked at stage j: the probability of class j among those of its own and lower
        priority, or its probability among all, as in the paper (of a decision_function: the value of class j less the
        largest of the lower classes, or the value itself). A named method is binary for the first; for the second it is
        one model of all classes, of the names that `npcs` takes.
    data : DataFrame, optional
        The table of a formula.
    prefit : bool
        Use `method` as it is: all rows set thresholds. They must not have trained it. The fit keeps a deep copy of the
        model, as in `npc`.
    method_params, **params
        Arguments of a named method, as in `npc`. One that trains for a level does so at that of its stage.
    random_state : None, int, Generator or RandomState
        Source of randomness. None draws a fresh seed, stored as `seed` in the result.

    Returns
    -------
    NPMultiFit
        With predict, decision_function, evaluate (a confusion table), summary and plot.

    Raises
    ------
    TooFewSamplesError
        If the left-out rows of a class cannot meet its levels; the message names the class and what would.
    InvalidInputError
        If an argument is not valid.

    Warns
    -----
    NPWarning
        If no row will ever be called some class (see Notes); exact copies with the same label on both sides of the
        split; text labels without a `priority`, whose order is that of the alphabet.

    See Also
    --------
    npc : two classes; the same classifier for K = 2 and one split.
    npcs : bounds on the total error of every class, aimed at but not promised.

    Notes
    -----
    Proved for any scorer and any distribution, if rows are independent and those of a class identically distributed:
    see `nproc.multiclass.stages.stage_thresholds` for the proof. All K - 1 bounds hold at once with probability at
    least the product of 1 minus the violation rates.

    **Not** bounded is P(predicted class is not j | Y = j) for j >= 1: rows of class j that an earlier stage takes for a
    class of *higher* priority are errors too, and nothing limits their share. The paper states its bounds as if for
    this error; for j = 0 the two are the same. The errors of the last class have no bound either. `NPMultiFit.evaluate`
    estimates all of them.

    With ``scheme="joint"`` so many left-out rows of class j may be called a class of higher priority that the bound
    holds even if no other row is called class j. Then no row is called class j, and a warning says so.

    With ``stage_score="own"`` a row that narrowly misses an earlier class has a low probability of class j however
    unlike the lower classes it is. ``"against_lower"`` does not suffer from that: given that the earlier stages are
    passed, the ratio of the density of class j to that of the lower classes together is the score that calls the fewest
    of their rows class j (Neyman and Pearson's lemma).

    References
    ----------
    The section on several classes in the Discussion of [tong2018]_, for three classes; ``scheme="separate",
    stage_score="own"`` with a model that has predict_proba is its rule to the letter: class j for the first j with
    :math:`\hat p_j(x) \ge c_j`, where ``thresholds[j]`` is the log odds against, :math:`\log((1 - c_j) / c_j)`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> fit = npc_multiclass(X, y, "lda", priority=[2, 0, 1], alphas=0.15, deltas=0.1, random_state=1)
    >>> fit
    NPMultiFit(method='lda', priority 2 > 0 > 1, alphas=(0.15, 0.15), deltas=(0.1, 0.1), seed=1)
      P(called lower | class): 2 <= 0.0915, 0 <= 0.1277; thresholds set by 24 and 29 left-out rows of the classes
    """
    check_choice(scheme, "scheme", SCHEMES)
    check_choice(stage_score, "stage_score", SCORES)
    split_ratio = check_split_ratio(split_ratio)
    seed = check_seed(random_state)
    binary_stages = isinstance(method, str) and stage_score == "against_lower"
    # the level of a method that has one follows alphas, unless method_params holds another
    refuse_other_params(params, method, npc_multiclass.__name__, never="alpha")
    own_params = merged_params(method_params, params)
    chosen = (read_method if binary_stages else read_model)(method, own_params, prefit=prefit)
    built = read_table(X, y, data, method=chosen, encode=partial(order_labels, priority=priority))
    labels = built.labels
    if priority is None:
        warn_of_alphabetical_order(labels.values)
    names = labels.values.tolist()
    n_stages = len(names) - 1
    alphas = class_levels(alphas, "alphas", names)
    deltas = class_levels(deltas, "deltas", names)
    n_rows = np.bincount(labels.y, minlength=n_stages + 1)
    split_ratio = None if prefit else split_ratio
    check_class_sizes(labels.values, n_rows, split_ratio, alphas, deltas)
    caveats: tuple[str, ...] = ()
    n_copies = 0
    if prefit:
        idx_train = idx_left = np.arange(labels.y.size)
        stages, stage_score = _given_stages(chosen.scorer, names, stage_score)
    else:
        split = _split(labels.y, n_stages, split_ratio, seed)
        what = "left-out rows"
        copies = warn_duplicates(built.table, labels.y, [split], what=what)
        n_copies = copies[0][0] if copies else 0
        told = counts_told([(*copies[0], split.idx_left0.size, 0)], what) if copies else ""
        caveats = (told,) if told else ()
        idx_train, idx_left = split.idx_train, split.idx_left0
        if binary_stages:
            methods = [read_method(method, own_params, alpha=alpha) for alpha in alphas]
            scorers = [with_coding(m.scorer, built.design) for m in methods]
            stages = _train_stages(built.X, labels.y, scorers, split, names)
        else:
            model = with_coding(chosen.scorer, built.design)
            stages = _train_model(built.X, labels.y, model, split, stage_score, names)
    with naming_refused(chosen.scorer, built.X):
        scores = stages.scores(take_rows(built.X, idx_left))
    refuse_batch_scores(lambda few: stages.scores(take_rows(built.X, idx_left[few])), scores, chosen.name)
    oversampled = _oversampled(built.table, labels.y, prefit, mostly=2 * n_copies > idx_left.size)
    if prefit and oversampled:
        warn_at_call(OVERSAMPLED, NPWarning)
    codes = labels.y[idx_left]
    rules = stage_thresholds(scores, codes, alphas, deltas, scheme=scheme)
    for label, rule, higher in zip(names, rules.rules, rules.n_called_higher, strict=False):
        if rule.value == -np.inf:
            message = f"no row will be called {label!r} ({higher} of {rule.n0} called higher): {NEVER_CALLED}"
            warn_at_call(message, NPWarning)
    price = PAID if prefit else FREE.format(seed=seed, ratio="")
    caveats += _warn_reversed(stages, built.X, labels, idx_train, price)
    dependent, of_owners = of_shared_owners(built.design.dependent)
    everyone = np.ones(labels.y.size, dtype=bool)
    return NPMultiFit(
        method=chosen.name,
        labels=labels.values,
        alphas=alphas,
        deltas=deltas,
        n_rows=tuple(n_rows.tolist()),
        stages=stages,
        stage_rules=rules,
        left_out_counts=confusion_counts(codes, rules.assign(scores), n_stages + 1),
        split_ratio=split_ratio,
        seed=seed,
        scheme=scheme,
        stage_score=stage_score,
        design=built.design,
        keys=lowest_keys(built.X, everyone),
        table_keys=keys_of_table(built.design, built.table, everyone),
        prefit=prefit,
        versions=package_versions(),
        caveats=(*caveats, *of_owners),
        unmet=(*((NOT_OVERSAMPLED,) * oversampled), *dependent),
    )


def _oversampled(table, y, prefit, *, mostly):
    """Return whether the first of two classes seems to have been oversampled before the fit, as of class 0 in `npc`.

    A method that is trained here has seen `mostly` copies of the left-out rows then.
    """
    if prefit:
        # different observations often share a single column, such as a score
        return table.shape[1] > 1 and looks_oversampled(table, y, least=0.5)
    return mostly and looks_oversampled(table, y)


def _split(codes, n_stages, split_ratio, seed):
    """One split: the left-out rows of all classes but the last, those of class 0 drawn as `npc` draws them."""
    own = np.random.SeedSequence(seed).spawn(1)[0]
    rng = np.random.default_rng(stream(own, "rows"))
    left = []
    for j in range(n_stages):
        rows = np.flatnonzero(codes == j)
        left.append(rng.permutation(rows)[: rows.size - n_train(rows.size, split_ratio)])
    idx_left = np.sort(np.concatenate(left))
    return Split(np.setdiff1d(np.arange(codes.size), idx_left), idx_left, np.empty(0, dtype=np.intp), own)


@contextmanager
def _named_classes(what):
    """Say in the errors of a training, which speak of classes by their codes, what these are."""
    try:
        yield
    except InvalidInputError as error:
        raise error.told(f"in {what}: ") from error


def _train_stages(X, codes, scorers, split, labels):
    seeds = stream(split.seed, "scorer").generate_state(len(scorers)).tolist()
    trained = []
    for j, (scorer, seed) in enumerate(zip(scorers, seeds, strict=True)):
        rows = split.idx_train[codes[split.idx_train] >= j]
        y = (codes[rows] > j).astype(np.int64)
        stage = f"the stage of class {labels[j]!r}, 0, against the lower classes, 1"
        with _named_classes(stage), naming_refused(scorer, X):
            trained.append(fit_scorer(fresh_copy(scorer, seed), take_rows(X, rows), y))
    return BinaryStages(tuple(trained))


def _train_model(X, codes, scorer, split, stage_score, labels):
    seed = int(stream(split.seed, "scorer").generate_state(1)[0])
    coded = ", ".join(f"{label!r} = {code}" for code, label in enumerate(labels))
    with _named_classes(f"the model of all classes, {coded}"), naming_refused(scorer, X):
        model = fit_scorer(fresh_copy(scorer, seed), take_rows(X, split.idx_train), codes[split.idx_train])
    return ModelStages(model, tuple(range(len(labels))), stage_score)


def _given_stages(method, labels, stage_score):
    has_scores = hasattr(method, "predict_proba") or hasattr(method, "decision_function")
    if callable(method) and not has_scores:
        return FunctionStages(method, len(labels) - 1), None
    return ModelStages(method, tuple(labels), stage_score), stage_score


def _warn_reversed(stages, X, labels, rows, price):
    """Warn if the scores of a stage clearly point the wrong way: training rows of its class against lower classes.

    Returns what the fit keeps of it as caveats, a tuple of one text for each such stage.
    """
    names = labels.values.tolist()
    rows = np.concatenate([some_of(rows[labels.y[rows] == code]) for code in range(len(names))])
    scores, codes = stages.scores(take_rows(X, rows)), labels.y[rows]
    told = ()
    for j in range(len(names) - 1):
        who = f"in the stage of {names[j]!r}, which is class 0 there and all lower classes are class 1"
        told += warn_direction(scores[codes == j, j], scores[codes > j, j], who, price)
    return told
