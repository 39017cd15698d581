"""What a call does, counted and not timed: fits, rows scored, quantiles, scores sorted, bytes held."""

import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import nproc as package
from nproc import NPClassifier, NPROCBand, certify, compare, np_order, np_threshold, npc, nproc, nproc_bands, roc_cv
from nproc import simultaneous as locallevel
from nproc.cli.predictor_columns import choose_predictors
from nproc.errors import InvalidInputError
from nproc.row_chunks.sources import choose_columns
from nproc.rows import keys as rows
from nproc.rows.design import build_design

N0, N1, N_SPLITS, N_FOLDS = 400, 300, 5, 4
LEVELS = np.linspace(0, 1, 1001)
# left-out rows that are scored once more without the others, and new class 0 rows that a fit compares with its own
ALONE, RECOGNISED = 8, 200
# training rows of the first split that tell the direction of the scores, of `npc` and of `nproc`, and the few alone
COMPARED, COMPARED_BAND = N0 // 2 + N1 + ALONE, (N0 + N1) // 2 + ALONE
CALL = {"alpha": 0.1, "delta": 0.1, "class0": 0, "random_state": 1}

# what the counting scorer has done, in this process: the tests have one job
FITTED, SCORED = [], []


class CountingScorer(ClassifierMixin, BaseEstimator):
    """A scorer that writes down each fit and each table that it scores."""

    def fit(self, X, y):
        FITTED.append(len(X))
        self.classes_ = np.unique(y)
        self.direction_ = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        return self

    def decision_function(self, X):
        SCORED.append(len(X))
        return X @ self.direction_

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [N0, N1])
    X = rng.normal(size=(N0 + N1, 3)) + 0.8 * y[:, None]
    FITTED.clear()
    SCORED.clear()
    return X, y


def fits():
    """Return the number of fits since the last call of this function."""
    number = len(FITTED)
    FITTED.clear()
    return number


def scored_rows():
    number = sum(SCORED)
    SCORED.clear()
    return number


# fits and rows scored


@pytest.mark.parametrize("n_splits", [1, N_SPLITS])
def test_npc_fits_once_a_split_and_scores_the_left_out_class_0_rows_once(data, n_splits):
    fit = npc(*data, CountingScorer(), n_splits=n_splits, **CALL, split_ratio=0.5)
    assert fits() == n_splits
    assert fit.n0_left_out == N0 // 2
    assert scored_rows() == n_splits * fit.n0_left_out + COMPARED


@pytest.mark.parametrize("n_splits", [1, N_SPLITS])
def test_nproc_fits_once_a_split_and_scores_each_left_out_row_once(data, n_splits):
    band = nproc(*data, CountingScorer(), delta=0.1, class0=0, n_splits=n_splits, random_state=1)
    assert fits() == n_splits
    assert band.n0_left_out + band.n1_left_out == (N0 + N1) // 2
    assert scored_rows() == n_splits * (N0 + N1) // 2 + COMPARED_BAND


def test_roc_cv_fits_once_a_fold_and_scores_each_row_once(data):
    roc_cv(*data, CountingScorer(), n_folds=N_FOLDS, class0=0, random_state=1)
    assert fits() == N_FOLDS
    assert scored_rows() == N0 + N1


def test_the_estimator_fits_no_more_than_the_function(data):
    NPClassifier(CountingScorer(), n_splits=N_SPLITS, **CALL, split_ratio=0.5).fit(*data)
    assert fits() == N_SPLITS
    assert scored_rows() == N_SPLITS * N0 // 2 + COMPARED


def test_a_prefit_scorer_is_not_fitted_again_and_scores_each_row_once(data):
    scorer = CountingScorer().fit(*data)
    fits()
    npc(*data, scorer, prefit=True, **CALL)
    assert fits() == 0
    assert scored_rows() == N0 + N1 + ALONE


def test_predictions_score_each_row_once_a_split(data):
    X, y = data
    fit = npc(X, y, CountingScorer(), n_splits=N_SPLITS, **CALL)
    scored_rows()
    fits()
    for predict in (fit.predict, fit.decision_function, fit.votes, fit.p_values):
        predict(X)
        assert scored_rows() == N_SPLITS * len(X)
    fit.evaluate(X + 0.01, y)
    assert scored_rows() == N_SPLITS * len(X) + RECOGNISED
    assert fits() == 0


def test_what_is_read_off_bands_fits_and_scores_nothing(data):
    call = {"delta": 0.1, "class0": 0, "random_state": 1}
    band, other = (
        nproc(*data, CountingScorer(), **call),
        nproc(data[0][:, ::-1] ** 2, data[1], CountingScorer(), **call),
    )
    fits()
    scored_rows()
    band.at(LEVELS)
    band.classifier(0.2)
    band.classifier(band.choose_alpha(type2_max=0.9))
    compare(band, other, names=["linear", "squares"])
    compare(band, other, names=["linear", "squares"], regions="simultaneous")
    assert (fits(), scored_rows()) == (0, 0)


def test_an_adaptive_ratio_fits_once_a_ratio_and_fold_and_no_more_where_it_is_passed_on(data):
    fit = npc(*data, CountingScorer(), n_splits=N_SPLITS, split_ratio="adaptive", **CALL)
    n_ratios = len(fit.ratio_choice.ratios)
    assert 1 < n_ratios <= 9
    assert fits() == 5 * n_ratios + N_SPLITS
    again = npc(*data, CountingScorer(), n_splits=N_SPLITS, split_ratio=fit.ratio_choice, **CALL)
    assert fits() == N_SPLITS
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)


def test_ratios_with_one_training_set_share_its_fit(data):
    X, y = data
    # 17 class 0 rows are looked at, 9 of them train: ratios 0.8 and 0.9 both give 7 or 8, others coincide too
    rows = np.concatenate([np.flatnonzero(y == 0)[:86], np.flatnonzero(y == 1)[:60]])
    fit = npc(X[rows], y[rows], CountingScorer(), split_ratio="adaptive", **CALL | {"alpha": 0.3, "delta": 0.3})
    n_ratios = len(fit.ratio_choice.ratios)
    pool = round(0.2 * 86) - round(0.2 * 86) // 2
    sizes = {max(1, round(pool * ratio)) for ratio in fit.ratio_choice.ratios}
    assert len(sizes) < n_ratios
    assert fits() == 5 * len(sizes) + 1


def test_other_levels_fit_and_score_nothing(data):
    fit = npc(*data, CountingScorer(), n_splits=N_SPLITS, **CALL)
    fits()
    scored_rows()
    fit.with_levels(alpha=0.2, delta=0.05)
    assert (fits(), scored_rows()) == (0, 0)


def test_bands_of_several_methods_fit_once_a_method_and_split_and_their_comparison_nothing(data):
    methods = {"one": CountingScorer(), "two": CountingScorer(), "three": CountingScorer()}
    bands = nproc_bands(*data, methods, delta=0.1, class0=0, n_splits=N_SPLITS, random_state=1)
    assert fits() == 3 * N_SPLITS
    assert scored_rows() == 3 * (N_SPLITS * (N0 + N1) // 2 + COMPARED_BAND)
    compare(bands)
    assert (fits(), scored_rows()) == (0, 0)


def test_certify_fits_nothing_and_scores_the_fresh_rows_once_a_split(data):
    fit = npc(*data, CountingScorer(), **CALL)
    fits()
    scored_rows()
    fresh = np.random.default_rng(2).normal(size=(200, 3))
    fit.certify(fresh)
    assert (fits(), scored_rows()) == (0, 200 + RECOGNISED)
    certify(fit, fresh, class0=0)
    assert (fits(), scored_rows()) == (0, 200 + RECOGNISED)


# binomial tails and quantiles

TAILS, QUANTILES = ("betainc", "betaincc", "bdtr", "bdtrc"), ("betaincinv", "betainccinv", "bdtri", "bdtrik")
# the same by scipy's distributions, which are slower
LAWS = {"tails": ("cdf", "sf", "logcdf", "logsf"), "quantiles": ("ppf", "isf")}


@pytest.fixture
def special(monkeypatch):
    """Count the values that the package asks of the beta and binomial functions: {"tails": n, "quantiles": n}."""
    counts = {"tails": 0, "quantiles": 0}

    def counting(function, kind):
        def counted(*arguments, **named):
            values = function(*arguments, **named)
            counts[kind] += np.size(values)
            return values

        return counted

    for kind, names in (("tails", TAILS), ("quantiles", QUANTILES)):
        for name in names:
            function = getattr(scipy.special, name)
            monkeypatch.setattr(scipy.special, name, counting(function, kind))
            for module in [m for key, m in sys.modules.items() if key.partition(".")[0] == package.__name__]:
                if vars(module).get(name) is function:
                    monkeypatch.setattr(module, name, getattr(scipy.special, name))
    for law in (scipy.stats.binom, scipy.stats.beta):
        for kind, names in LAWS.items():
            for name in names:
                monkeypatch.setattr(law, name, counting(getattr(law, name), kind))
    return counts


def spent(counts):
    """Return (tails, quantiles) since the last call of this function."""
    found = counts["tails"], counts["quantiles"]
    counts.update(tails=0, quantiles=0)
    return found


def normal_scores(n, seed=0):
    rng = np.random.default_rng([n, seed])
    return rng.normal(size=n), rng.normal(1, 1, n)


@pytest.mark.parametrize("n0", [59, 1000, 10**5, 10**7, 10**9])
def test_a_rank_takes_two_tails_for_any_n0(special, n0):
    np_order(n0, 0.05, 0.05)
    assert spent(special) == (2, 0)


def test_a_threshold_takes_the_tails_of_its_rank_and_nothing_more_when_its_size_comes_again(special):
    # a size and a delta of its own: what is kept from other tests is not of use here
    np_threshold(normal_scores(5011)[0], delta=0.0511)
    # the violation rate of the rank, and the bound on its type I error
    assert spent(special) == (3, 1)
    np_threshold(normal_scores(5011, 1)[0], delta=0.0511)
    assert spent(special) == (2, 0)


def test_more_splits_ask_for_no_more_tails_and_quantiles(special, data):
    counts = []
    for n_splits in (1, 11):
        npc(*data, CountingScorer(), n_splits=n_splits, **CALL | {"delta": 0.1011}, split_ratio=0.5)
        counts.append(spent(special))
        # known from now on
        npc(*data, CountingScorer(), n_splits=n_splits, **CALL | {"delta": 0.1011}, split_ratio=0.5)
        again = spent(special)
    assert counts[1] == again
    assert again[1] == 0
    assert again[0] <= 6


@pytest.mark.parametrize("n", [500, 50_000])
def test_a_band_takes_two_tails_and_two_quantiles_a_level_for_any_n(special, n):
    band = NPROCBand.from_scores(*normal_scores(n))
    assert spent(special) == (0, 0)
    values = band.at(LEVELS)
    tails, quantiles = spent(special)
    assert tails <= 2 * LEVELS.size
    # two for each distinct rank, and one for each level at which rounding may have decided
    ranks = np.unique(values.order)
    assert quantiles <= 2 * ranks.size + 0.01 * LEVELS.size


def test_all_knots_take_one_quantile_a_knot_and_two_a_count_and_are_kept(special):
    scores0, scores1 = normal_scores(3000)
    band = NPROCBand.from_scores(scores0, scores1)
    read = (band.alpha, band.type2_lower, band.type2_upper, band.auc_lower, band.auc_upper)
    counts = np.unique(np.searchsorted(np.sort(scores1), scores0, side="right"))
    needed = scores0.size + np.sum(counts > 0) + np.sum(counts < scores1.size)
    assert spent(special) == (0, needed)
    assert [np.size(part) for part in read] == [3000, 3000, 3000, 1, 1]
    assert spent(special) == (0, 0)


def test_a_comparison_takes_the_knots_of_its_bands_and_nothing_more(special):
    bands = [NPROCBand.from_scores(*normal_scores(1000, seed)) for seed in (1, 2)]
    compare(*bands)
    together = spent(special)
    for seed in (1, 2):
        band = NPROCBand.from_scores(*normal_scores(1000, seed))
        _ = band.alpha, band.type2_lower
    assert spent(special) == together
    compare(*bands)
    assert spent(special) == (0, 0)


def test_a_second_simultaneous_band_of_the_same_sizes_finds_no_level_again(monkeypatch):
    evaluated = []
    inside = locallevel.inside_probability

    def counted(*arguments, **named):
        evaluated.append(1)
        return inside(*arguments, **named)

    monkeypatch.setattr(locallevel, "inside_probability", counted)
    locallevel._log_level.cache_clear()
    for seed, most in ((1, 16), (2, 0)):
        NPROCBand.from_scores(*normal_scores(307, seed), band="simultaneous").at(LEVELS)
        assert len(evaluated) <= most
        # so that the next number tells
        assert bool(evaluated) == bool(most)
        evaluated.clear()


def test_predictions_ask_for_no_tail_and_no_quantile(special, data):
    fit = npc(*data, CountingScorer(), n_splits=N_SPLITS, **CALL)
    spent(special)
    fit.predict(data[0])
    fit.votes(data[0])
    assert spent(special) == (0, 0)


# scores sorted and selected from


@pytest.fixture
def ordered():
    """Count the scores in arrays of 100 and more that are sorted or selected from: {"sort": [sizes], ...}.

    A profiler sees the methods of arrays, which numpy's functions call too.
    """
    sizes = {"sort": [], "argsort": [], "partition": []}

    def seen(_, event, called):
        if event != "c_call" or getattr(called, "__name__", "") not in sizes:
            return
        owner = called.__self__
        if isinstance(owner, np.ndarray) and owner.size >= 100:
            sizes[called.__name__].append(owner.size)

    before = sys.getprofile()
    sys.setprofile(seen)
    yield sizes
    sys.setprofile(before)


def of_size(sizes, least):
    """Return the entries of `ordered` of at least so many scores: the levels of a grid are sorted as well."""
    return {name: [size for size in found if size >= least] for name, found in sizes.items()}


def test_the_profiler_sees_functions_and_methods(ordered):
    values = np.arange(300.0)
    values.sort()
    np.sort(values)
    np.argsort(values)
    np.partition(values, 3)
    assert ordered == {"sort": [300, 300], "argsort": [300], "partition": [300]}


def test_a_threshold_is_one_selection_and_no_sort(ordered):
    np_threshold(normal_scores(5000)[0])
    assert ordered == {"sort": [], "argsort": [], "partition": [5000]}


def test_a_band_sorts_each_class_once_and_never_again(ordered):
    band = NPROCBand.from_scores(*normal_scores(5000))
    # and once before, to see whether larger scores mean class 1
    assert of_size(ordered, 5000) == {"sort": [5000] * 4, "argsort": [], "partition": []}
    band.at(LEVELS)
    _ = band.alpha, band.type2_lower, band.auc_upper
    # of all knots the counts of class 1 scores below, to bound the distinct ones
    assert of_size(ordered, 5000) == {"sort": [5000] * 4, "argsort": [5000], "partition": []}


def test_npc_selects_once_a_split_among_its_left_out_scores(ordered, data):
    fit = npc(*data, CountingScorer(), n_splits=N_SPLITS, **CALL)
    assert ordered["partition"] == [fit.n0_left_out] * N_SPLITS
    # the labels, and the keys of all rows, which tell copies of rows
    assert ordered["argsort"] == [N0 + N1] * 2


# rows copied, in bytes


@pytest.fixture
def copied(monkeypatch):
    """Count the bytes of rows that are copied: a list with an entry for each copy of a part of a table."""
    sizes, take = [], rows.take_rows

    def counted(X, idx):
        taken = take(X, idx)
        sizes.append(taken.nbytes)
        return taken

    for module in [m for key, m in sys.modules.items() if key.partition(".")[0] == package.__name__]:
        if vars(module).get("take_rows") is take:
            monkeypatch.setattr(module, "take_rows", counted)
    return sizes


@pytest.mark.parametrize("n_splits", [1, N_SPLITS])
def test_npc_and_nproc_copy_each_row_once_a_split_and_roc_cv_once_a_fold(copied, data, n_splits):
    X, y = data
    npc(X, y, CountingScorer(), n_splits=n_splits, **CALL, split_ratio=0.5)
    row = X.nbytes // len(X)
    assert sum(copied) == n_splits * X.nbytes + COMPARED * row
    copied.clear()
    nproc(X, y, CountingScorer(), delta=0.1, class0=0, n_splits=n_splits, random_state=1)
    assert sum(copied) == n_splits * X.nbytes + COMPARED_BAND * row
    copied.clear()
    roc_cv(X, y, CountingScorer(), n_folds=N_FOLDS, class0=0, random_state=1)
    assert sum(copied) == N_FOLDS * X.nbytes


def test_a_model_of_scikit_learn_sees_the_rows_themselves_and_no_copy(copied, monkeypatch):
    n, seen, scores = 60_000, [], GaussianNB.predict_log_proba
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = np.arange(n) % 2

    def watching(self, X):
        seen.append(X)
        return scores(self, X)

    monkeypatch.setattr(GaussianNB, "predict_log_proba", watching)
    fit = npc(X, y, GaussianNB().fit(X, y), prefit=True, **CALL)
    fit.predict(X)
    fit.predict(np.asfortranarray(X))
    fit.votes(X[::2])
    assert [len(table) for table in seen] == [n, ALONE, n, n, n // 2]
    assert [np.shares_memory(table, X) for table in seen] == [True, False, True, False, True]
    assert sum(copied) == ALONE * (X.nbytes // len(X))


# bytes held at the peak, as multiples of what was given


def peak(task, given):
    """Return the most memory that a call holds at one time, beside its arguments, as a multiple of `given` bytes."""
    # what is loaded or kept once is not counted
    task()
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1] / given
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def many_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10_000)
    return rng.normal(size=(20_000, 10)) + 0.5 * y[:, None], y


def test_a_threshold_holds_one_copy_of_its_scores():
    scores0 = normal_scores(200_000)[0]
    assert peak(lambda: np_threshold(scores0), scores0.nbytes) < 1.1


def test_a_band_holds_its_sorted_scores_and_the_ranks_of_one_class():
    scores0, scores1 = normal_scores(200_000)
    given = scores0.nbytes + scores1.nbytes
    assert peak(lambda: NPROCBand.from_scores(scores0, scores1).at(LEVELS), given) < 2.7


class LeanScorer(ClassifierMixin, BaseEstimator):
    """A scorer whose training holds nothing but its rows, so that what remains is the package's own."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.direction_ = (y - y.mean()) @ X
        return self

    def decision_function(self, X):
        return X @ self.direction_


def test_npc_holds_the_training_rows_of_one_split_and_of_the_others_positions_and_scores(many_rows):
    X, y = many_rows
    one, several = (peak(lambda m=m: npc(X, y, LeanScorer(), n_splits=m, **CALL), X.nbytes) for m in (1, 7))
    # three quarters of the rows train
    assert 0.75 < one < 1.3
    # positions and scores of each split, a fortieth of rows with 10 columns
    assert several - one < 6 * 0.035


def test_nproc_holds_the_training_rows_of_one_split_and_of_the_others_positions_and_scores(many_rows):
    X, y = many_rows
    call = {"delta": 0.1, "class0": 0, "random_state": 1}
    one, several = (peak(lambda m=m: nproc(X, y, LeanScorer(), n_splits=m, **call), X.nbytes) for m in (1, 7))
    assert 0.5 < one < 1.0
    # positions, and the scores of both classes, sorted and not
    assert several - one < 6 * 0.065


def test_roc_cv_holds_the_training_rows_of_one_fold(many_rows):
    X, y = many_rows
    assert peak(lambda: roc_cv(X, y, LeanScorer(), class0=0, random_state=1), X.nbytes) < 1.7


def test_predictions_hold_a_block_beside_their_labels_for_any_number_of_rows(many_rows):
    fit = npc(*many_rows, "logistic", n_splits=7, **CALL)
    beside = []
    for n in (50_000, 150_000):
        X = np.random.default_rng(n).normal(size=(n, 10))
        labels = fit.labels.dtype.itemsize * n
        beside.append(peak(lambda X=X: fit.predict(X), 1) - labels)
    # margins of a block of 2^14 rows, 0.9 MB, and what makes them; the tables have 4 and 12 MB
    assert beside[0] < 1.6e6
    assert beside[1] < 1.1 * beside[0]


class CountedName(str):
    """A name of a column that counts how often it is compared."""

    n_compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        type(self).n_compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("how", ["features", "drop"])
@pytest.mark.parametrize("reader", ["chunks", "table"])
def test_columns_are_chosen_by_a_few_comparisons_of_each_name(monkeypatch, how, reader):
    columns = [CountedName(f"x{j}") for j in range(2000)]
    # equal names that are other objects, so that they must be compared
    options = {"features": None, "drop": (), how: [CountedName(name) for name in columns[::2]]}
    frame = pd.DataFrame(np.repeat([[0.0], [1.0]], 2000, axis=1), columns=columns)
    monkeypatch.setattr(CountedName, "n_compared", 0)
    if reader == "chunks":
        chosen = choose_columns(columns, "x1", options["features"], options["drop"], "a file")
    else:
        chosen = choose_predictors(frame, "x1", **options)[0].columns
    assert len(chosen) in (999, 1000)
    assert CountedName.n_compared < 20 * 2000


def test_a_repeated_name_among_many_is_found_by_a_few_comparisons_of_each(monkeypatch):
    columns = [CountedName(f"x{j}") for j in range(1999)] + [CountedName("x8")]
    frame = pd.DataFrame(np.zeros((2, 2000)), columns=columns)
    for call in (
        lambda: choose_columns(columns, "x1", None, (), "a file"),
        lambda: build_design(frame, [0, 1], numeric=True),
    ):
        monkeypatch.setattr(CountedName, "n_compared", 0)
        with pytest.raises(InvalidInputError, match=r"several columns of the name\(s\) \['x8'\]"):
            call()
        assert CountedName.n_compared < 20 * 2000
