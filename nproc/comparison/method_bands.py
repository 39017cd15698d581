"""The NP-ROC bands of several methods on the same splits, from one pool of fits."""

from __future__ import annotations

from nproc.bandfit import band_of_splits, plan_splits
from nproc.bandrules import bound_rule
from nproc.checkpoints import check_checkpoint
from nproc.checks import check_level, check_models, check_seed
from nproc.comparison.named_methods import check_params, named_methods
from nproc.comparison.scored_methods import read_all_inputs, score_methods
from nproc.inputs import read_method
from nproc.parallel.tasks import check_n_jobs
from nproc.tuning import check_ratio
from nproc.umbrella import check_resample, warn_even


def nproc_bands(
    X,
    y=None,
    methods=None,
    *,
    delta=0.05,
    band="pointwise",
    bounds="berk_jones",
    n_splits=1,
    split_ratio=0.5,
    class0=None,
    data=None,
    resample=None,
    sample_weight=None,
    method_params=None,
    checkpoint=None,
    n_jobs=None,
    random_state=None,
    verbose=0,
):
    r"""Return the NP-ROC bands of several methods on the same splits, ready for `compare`.

    Each band is that of `nproc` called with the method alone, the same seed and the same arguments, to the last bit.
    All methods and splits are trained in one pool: 2 methods and 11 splits keep 22 processes busy.

    Parameters
    ----------
    X, y, class0, data, delta, band, bounds, n_splits, resample, sample_weight, checkpoint, n_jobs, random_state
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
    named = named_methods(methods, least=1)
    delta, n_splits = check_level(delta, "delta"), check_models(n_splits, "n_splits")
    split_ratio, n_jobs = check_ratio(split_ratio), check_n_jobs(n_jobs)
    checkpoint = check_checkpoint(checkpoint, random_state, False)
    seed = check_seed(random_state)
    bound_rule(band, bounds, delta)
    params = check_params(method_params, named)
    chosen = [read_method(method, params.get(name)) for name, method in named.items()]
    inputs = read_all_inputs(X, y, chosen, data=data, class0=class0, sample_weight=sample_weight)
    check_resample(resample, inputs[0].sample_weight)
    warn_even(n_splits)
    settings = {"delta": delta, "n_splits": n_splits, "resample": resample, "n_jobs": n_jobs, "seed": seed}
    settings |= {"verbose": verbose, "checkpoint": checkpoint}
    # a number, or a choice that is there, plans the splits of all methods at once
    own_ratios = split_ratio == "adaptive"
    plans = [plan_splits(one, split_ratio=split_ratio, **settings) for one in (inputs if own_ratios else inputs[:1])]
    plans = plans if own_ratios else plans * len(inputs)
    scored = score_methods(
        inputs,
        [splits for splits, _, _ in plans],
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        label="nproc: split",
        checkpoint=checkpoint,
    )
    return {
        name: band_of_splits(
            one, mine, splits, delta=delta, split_ratio=ratio, ratio_choice=choice, seed=seed, band=band, bounds=bounds
        )
        for name, one, mine, (splits, ratio, choice) in zip(named, inputs, scored, plans, strict=True)
    }


__all__ = ["nproc_bands"]
