"""The NP-ROC bands of several methods on the same splits, from one pool of fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from nproc.bands import NPROCBand, band_of_splits, bound_rule, plan_splits
from nproc.checks import Seed, check_delta, shown
from nproc.errors import InvalidInputError, NPError, each_warning_once
from nproc.inputs import knows_names_of_r, read_inputs, read_method, read_run
from nproc.parallel import run_tasks
from nproc.row_chunks import RowChunks
from nproc.rows import Table, read_given
from nproc.scorers import MethodLike, Resampler
from nproc.tuning import RatioChoice
from nproc.umbrella import (
    check_resample,
    open_store,
    score_split,
    split_keys,
    warn_duplicates,
    warn_even,
    with_copies,
)


def named_methods(methods, *, least=2, X=None, y=None):
    """Return a dict of methods by name; names are their own, or the keys of a dict.

    `X` and `y` are what was given before the methods, for messages.

    Examples
    --------
    >>> named_methods(["lda", "tree"])
    {'lda': 'lda', 'tree': 'tree'}
    """
    if methods is None and isinstance(X, str) and isinstance(y, str | list | tuple):
        asked = [y] if isinstance(y, str) else "[...]"
        raise InvalidInputError(
            f"after the formula {X!r} comes its table, got {shown(y)}. Give the table there, or as data=. If these are "
            f"the methods, give them as methods={asked}.",
            argument="y",
        )
    count = "two methods" if least == 2 else "one method"
    if isinstance(methods, str) or not isinstance(methods, list | tuple | dict) or len(methods) < least:
        raise InvalidInputError(
            f"methods must be a list or dict of at least {count}, got {shown(methods)}. X and y come before it."
        )
    if isinstance(methods, dict):
        return {str(name): method for name, method in methods.items()}
    pairs = [method for method in methods if isinstance(method, tuple) and len(method) == 2]
    if pairs:
        raise InvalidInputError(
            f"methods must not hold pairs of a name and a method, got {shown(pairs[0])}. Give a dict, such as "
            f"{{{pairs[0][0]!r}: method}}.",
            argument="methods",
        )
    names = [method if isinstance(method, str) else read_method(method).name for method in methods]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInputError(
            f"methods must have different names, got {twice[0]!r} twice; give a dict of names and methods."
        )
    return dict(zip(names, methods, strict=True))


def read_all_inputs(rows, named, method_params, *, alpha=None, class0, resample):
    """Return the `Inputs` of each method for the same rows; tables that are equal are one object.

    Parameters
    ----------
    rows : GivenRows
        Of one call.
    class0, resample
        As in `npc`.
    named : dict
        The methods by name, from `named_methods`.
    method_params : dict of dict or None
        Arguments of methods by name.
    alpha : float, optional
        Level at which methods train that have one.

    Returns
    -------
    list of Inputs

    Raises
    ------
    InvalidInputError
        If the rows come in chunks, or one of the methods cannot take them or its arguments.
    """
    params = {} if method_params is None else method_params
    if not isinstance(params, dict) or not all(isinstance(own, dict) for own in params.values()):
        raise InvalidInputError(
            "method_params must be a dict that gives the parameters of each method by its name, such as "
            f"{{'svm': {{'C': 10}}}}, got {shown(params)}."
        )
    unknown = sorted(set(params) - set(named))
    if unknown:
        raise InvalidInputError(f"method_params has {unknown[0]!r}, which is not one of the methods {list(named)}.")
    methods = [read_method(method, params.get(name), alpha=alpha) for name, method in named.items()]
    if isinstance(rows.X, RowChunks):
        raise InvalidInputError(
            "Several methods can be compared in one call only if the rows are in memory. With rows in chunks, "
            "train each method by train_in_chunks on one part of the rows, make its band from the other part by "
            "nproc with prefit=True, and compare the bands."
        )
    found, tables = [], {}
    with each_warning_once():
        for method in methods:
            inputs = read_inputs(rows, method=method, class0=class0)
            # what the first has found holds for all
            class0 = inputs.labels.values.tolist()[0]
            # a matrix of numbers, or the rows as they were given
            table = tables.setdefault(method.numeric, inputs.X)
            found.append(replace(inputs, X=table))
    check_resample(resample, found[0].sample_weight)
    return found


def score_methods(inputs, splits, run, label, *, summarise=None):
    """Return for each method the list of its `ScoredSplit` objects; all methods and splits are tasks of one pool.

    Parameters
    ----------
    inputs : sequence of Inputs
        Of each method, from `read_all_inputs`.
    splits : sequence of Splits
        Of each method, by one seed from the same rows, so that they differ at most in their settings (the ratio).
    run : RunSettings
        The files of its checkpoint are those that a run of one method alone finds and makes. Not with `summarise`, of
        which the files know nothing.
    label : str
        What the progress bar says.
    summarise : callable, optional
        What to give back in place of each ScoredSplit; it is called where the split was trained, so that no trained
        scorer is sent or kept.

    Returns
    -------
    list of list of ScoredSplit
        The same, bit for bit, as `nproc.umbrella.score_splits` gives method by method.

    Notes
    -----
    Copies of rows are looked for once. The rows reach each worker once for all methods.
    """
    first = inputs[0]
    by_settings = {own.settings: own for own in splits}
    # drawn one by one: all splits at once would take as much memory as many copies of the labels
    each_split = (split for own in by_settings.values() for split in own)
    copies = warn_duplicates(first.table, first.y, each_split, folds=splits[0].folds)
    tables = list({id(own.X): own.X for own in inputs}.values())
    position = {id(table): j for j, table in enumerate(tables)}
    tasks, keys, stores = [], [], []
    for k, (own, mine) in enumerate(zip(inputs, splits, strict=True)):
        stores.append(open_store(run, own, mine))
        table, method = position[id(own.X)], own.method
        tasks += [(table, method.name, method.scorer, mine.settings, mine.seed_of(j)) for j in range(len(mine))]
        keys += [(k, key) for key in split_keys(mine)]
    found = run_tasks(
        _score_split_of_method,
        tasks,
        shared=(
            splits[0].draw,
            run.resample,
            summarise,
            first.y,
            first.sample_weight,
            len(tables),
            *tables,
            *splits[0].arrays,
        ),
        n_jobs=run.n_jobs,
        verbose=run.verbose,
        label=label,
        store=None if run.checkpoint is None else _StoreOfMethods(stores),
        keys=None if run.checkpoint is None else keys,
    )
    scored = iter(found)
    each = [[next(scored) for _ in range(len(own))] for own in splits]
    if summarise is not None or not copies:
        return each
    counts = iter(copies)
    of_settings = {settings: [next(counts) for _ in range(len(own))] for settings, own in by_settings.items()}
    return [with_copies(mine, of_settings[own.settings]) for mine, own in zip(each, splits, strict=True)]


def _score_split_of_method(draw, resample, summarise, y, sample_weight, n_tables, *rest):
    tables, arrays = rest[:n_tables], rest[n_tables:-5]
    table, name, scorer, settings, seed = rest[-5:]
    try:
        scored = score_split(draw, settings, resample, scorer, tables[table], y, sample_weight, *arrays, seed)
    except NPError as error:
        raise error.told(f"method {name!r}: ") from error
    return scored if summarise is None else summarise(scored)


class _StoreOfMethods:
    """The checkpoints of several methods as one; a key is the position of the method and its own key."""

    def __init__(self, stores):
        self.stores = stores

    def read(self, key):
        return self.stores[key[0]].read(key[1])

    def write(self, key, outcome):
        self.stores[key[0]].write(key[1], outcome)


@knows_names_of_r
def nproc_bands(
    X: Table,
    y: ArrayLike | Table | None = None,
    methods: Sequence[MethodLike] | Mapping[str, MethodLike] | None = None,
    *,
    delta: float = 0.05,
    band: Literal["pointwise", "simultaneous"] = "pointwise",
    bounds: Literal["berk_jones", "dkw"] = "berk_jones",
    alpha_max: float | None = None,
    cross_fit: int | None = None,
    n_splits: int = 1,
    split_ratio: float | str | RatioChoice = 0.5,
    class0: object = None,
    data: Table | None = None,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | str | None = None,
    na_action: Literal["error", "omit"] = "error",
    method_params: Mapping[str, Any] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
) -> dict[str, NPROCBand]:
    r"""Make the NP-ROC bands of several methods on the same splits, ready for `compare`.

    Each band is that of `nproc` called with the method alone, the same seed and the same arguments, to the last bit.
    It carries the name that you gave to the method, and its summary and its pictures show this name.
    Its classifiers have the name of the method itself, such as "penlog" or the name of its class.
    All methods and splits are trained in one pool: 2 methods and 11 splits keep 22 processes busy.

    Parameters
    ----------
    X, y, class0, data, delta, band, bounds, alpha_max, n_splits, resample, sample_weight, na_action
        As in `nproc`.
    cross_fit
        As in `nproc`. The folds are the same for all methods.
    checkpoint, n_jobs
        As in `nproc`.
    random_state
        As in `nproc`.
    methods : sequence or dict
        Methods as `nproc` takes them: names or scikit-learn classifiers; as a dict, by the names that they are to have.
    split_ratio : float, "adaptive" or RatioChoice
        As in `nproc`. "adaptive" chooses a ratio for each method. The ``ratio_choice`` of a band on the same rows is
        one choice for all methods: no fits to choose it, and the same left-out rows.
    method_params : dict of dict, optional
        Arguments of named methods, by name of the method: ``{"svm": {"C": 10}}``.
    verbose : int
        1 shows a progress bar on the standard error, 2 a line for every split of every method.

    Returns
    -------
    dict of str to NPROCBand
        By name of the method; `compare` takes it as it is.

    Raises
    ------
    InvalidInputError, TooFewSamplesError
        As in `nproc`, before any training where that is possible; methods that share a name.

    Warns
    -----
    NPWarning
        As in `nproc`; what does not depend on the method is said once.

    See Also
    --------
    compare : which band is better, and where.
    compare_procedures : methods over training samples, approximate.

    Notes
    -----
    Nothing is shared between methods that could make a bound weaker: each trains on its own, and the left-out rows have
    been seen by none of them. What is shared is the reading of the rows, the search for copies of rows, and the splits.
    The same left-out rows make the bands dependent, which the statements on each band do not mind; those of `compare`
    for all bands at once hold for any dependence, and ``regions="paired"`` needs it. With ``split_ratio="adaptive"``
    methods may have different ratios, and then leave out different rows: for paired regions give a number, or one
    choice for all, such as ``nproc(X, y, "lda", split_ratio="adaptive", random_state=1).ratio_choice``.

    Memory: the rows once, or twice where some methods take numbers and others the table as it is.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.

    Examples
    --------
    >>> from nproc import compare
    >>> from nproc.simulate import logistic_world
    >>> sample = logistic_world(800, random_state=1)
    >>> bands = nproc_bands(sample.X, sample.y, ["lda", "tree"], random_state=1)
    >>> list(bands)
    ['lda', 'tree']
    >>> compare(bands, regions="paired").kind
    'paired'
    """
    named = named_methods(methods, least=1, X=X, y=y)
    delta = check_delta(delta)
    run = read_run(
        random_state=random_state,
        n_splits=n_splits,
        split_ratio=split_ratio,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        checkpoint=checkpoint,
    )
    kind = {"band": band, "bounds": bounds, "alpha_max": alpha_max}
    bound_rule(delta=delta, **kind)
    rows = read_given(X, y, data, na_action=na_action, sample_weight=sample_weight)
    with rows.counted():
        inputs = read_all_inputs(rows, named, method_params, class0=class0, resample=resample)
    warn_even(run.n_splits)
    # a number, or a choice that is there, plans the splits of all methods at once
    own_ratios = run.split_ratio == "adaptive"
    plans = [plan_splits(one, run, delta=delta) for one in (inputs if own_ratios else inputs[:1])]
    plans = plans if own_ratios else plans * len(inputs)
    if cross_fit is not None:
        from nproc.cross_fitting import cross_fitted_curve, curve_folds

        folds = curve_folds(inputs[0], run.seed, cross_fit)
    with rows.counted():
        scored = score_methods(inputs, [splits for splits, _, _ in plans], run, "nproc_bands: fit")
    bands = {
        name: replace(band_of_splits(one, plan, mine, delta=delta, **kind), method=name)
        for name, one, plan, mine in zip(named, inputs, plans, scored, strict=True)
    }
    if cross_fit is None:
        return bands
    in_folds = score_methods(inputs, [folds] * len(inputs), run, "nproc_bands: fit in folds")
    return {
        name: replace(own, cross_fitted=cross_fitted_curve(mine, own.rule))
        for (name, own), mine in zip(bands.items(), in_folds, strict=True)
    }
