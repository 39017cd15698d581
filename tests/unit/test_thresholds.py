"""Tests of `nproc.thresholds`: the order statistic itself, ties, and the randomised rule."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from dask.callbacks import Callback
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit

from nproc import np_order, np_threshold, violation_rate
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.orderstat import type1_upper
from nproc.score_chunks.sources import ScoreChunks
from nproc.score_chunks.top_scores import TopScores
from nproc.thresholds import guard_of, middle_range, rounding_guard, surely_same_within

STEADY = settings(deadline=None, derandomize=True, max_examples=100)
# a drawn -1 far below all others is such a score, and changes no threshold
pytestmark = pytest.mark.filterwarnings("ignore:scores0? has -1 .*code for a missing value")
FINITE = st.floats(allow_nan=False, allow_infinity=False)
# few values: most samples have ties
SAMPLES = hnp.arrays(np.float64, st.integers(5, 80), elements=st.one_of(FINITE, st.sampled_from([-1.0, 0.0, 0.5])))


@given(scores0=SAMPLES)
@STEADY
def test_the_value_is_the_order_statistic_and_the_sample_is_not_changed(scores0):
    given_scores = scores0.copy()
    rule = np_threshold(np.append(scores0, np.nextafter(scores0[0], 1)), alpha=0.3, delta=0.2)
    in_order = np.sort(np.append(scores0, np.nextafter(scores0[0], 1)))
    assert rule.value == in_order[rule.order - 1]
    assert rule.order == np_order(scores0.size + 1, 0.3, 0.2)
    np.testing.assert_array_equal(scores0, given_scores)


@given(scores0=SAMPLES, seed=st.integers(0, 2**32))
@STEADY
def test_a_monotone_change_of_the_scores_moves_the_threshold_with_them(scores0, seed):
    rank = np.unique(scores0, return_inverse=True)[1].astype(float)
    if np.ptp(rank) == 0:
        return
    rule, ranked = (np_threshold(s, alpha=0.3, delta=0.2, ties="randomize", random_state=seed) for s in (scores0, rank))
    assert ranked.value == rank[scores0 == rule.value][0]
    assert ranked.tie_cut == rule.tie_cut


@given(scores0=SAMPLES)
@STEADY
def test_at_most_n_minus_k_class0_scores_are_called_class1_with_ties_too(scores0):
    rule = np_threshold(np.append(scores0, [0.0, 1.0]), alpha=0.3, delta=0.2)
    called = rule.predict(np.append(scores0, [0.0, 1.0])).sum()
    assert called <= rule.n0 - rule.order


def test_the_rule_is_strict_so_that_the_threshold_itself_is_class0():
    rule = np_threshold(np.arange(100.0))
    assert rule.predict([rule.value, np.nextafter(rule.value, np.inf)]).tolist() == [0, 1]


def test_the_threshold_carries_the_rate_and_bound_of_its_rank():
    rule = np_threshold(np.arange(100.0), alpha=0.1, delta=0.2)
    assert rule.violation_rate == violation_rate(rule.order, 100, 0.1) <= 0.2
    assert rule.type1_upper == type1_upper(rule.order, 100, 0.2) <= 0.1
    assert (rule.alpha, rule.delta, rule.n0, rule.tie_cut) == (0.1, 0.2, 100, None)


@given(scores0=SAMPLES, seed=st.integers(0, 1000))
@STEADY
def test_a_randomised_rule_differs_from_the_conservative_one_at_exact_ties_only(scores0, seed):
    scores0 = np.append(scores0, [0.0, 1.0])
    plain = np_threshold(scores0, alpha=0.3, delta=0.2)
    random = np_threshold(scores0, alpha=0.3, delta=0.2, ties="randomize", random_state=seed)
    assert (random.value, random.order) == (plain.value, plain.order)
    differ = random.predict(scores0, random_state=seed) != plain.predict(scores0)
    assert np.all(scores0[differ] == plain.value)
    assert 0 <= random.tie_cut <= 1


@pytest.mark.slow
def test_a_randomised_rule_on_constant_scores_has_the_violation_rate_of_continuous_ones():
    # every score is tied, so that the type I error is 1 - tie_cut and its law can be compared with v(k)
    n0, alpha, delta, runs = 60, 0.05, 0.05, 1000
    rng = np.random.default_rng(0)
    rules = [
        np_threshold(np.zeros(n0), alpha=alpha, delta=delta, ties="randomize", random_state=rng) for _ in range(runs)
    ]
    exceed = np.mean([1 - rule.tie_cut > alpha for rule in rules])
    expected = violation_rate(60, n0, alpha)
    # two-sided, four standard errors: false alarm 6e-5, with the seed fixed in any case
    assert abs(exceed - expected) < 4 * np.sqrt(expected * (1 - expected) / runs)


def test_a_randomised_rule_calls_tied_points_class1_as_often_as_its_cut_says():
    rule = np_threshold(np.zeros(60), ties="randomize", random_state=1)
    called = rule.predict(np.zeros(100_000), random_state=2).mean()
    # four standard errors of a share of 100 000
    assert called == pytest.approx(1 - rule.tie_cut, abs=4 * 0.5 / np.sqrt(100_000))


def test_the_same_seed_gives_the_same_randomised_rule():
    rules = [np_threshold(np.zeros(60), ties="randomize", random_state=5) for _ in range(2)]
    assert rules[0] == rules[1]


def test_ties_below_the_threshold_do_not_matter():
    rule = np_threshold(np.r_[np.zeros(50), np.arange(1.0, 51.0)], ties="randomize", random_state=0)
    assert rule.value == np.sort(np.r_[np.zeros(50), np.arange(1.0, 51.0)])[rule.order - 1]


def test_all_scores_tied_warns_and_says_what_remains():
    with pytest.warns(NPWarning, match=r"all 60 left-out class 0 scores are tied at 2, .* or ties='randomize'"):
        rule = np_threshold(np.full(60, 2.0))
    assert rule.predict([2.0, 2.5]).tolist() == [0, 1]


def test_too_few_scores_are_an_error():
    with pytest.raises(
        TooFewSamplesError, match=r"n0=58 left-out class 0 scores cannot meet .* at least 59 are needed"
    ):
        np_threshold(np.arange(58.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "random"}, "ties must be one of 'conservative', 'randomize', got 'random'"),
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1, got 0"),
        ({"delta": 1.5}, r"delta must lie strictly between 0 and 1, got 1\.5"),
        ({"scores0": np.r_[np.arange(99.0), np.nan]}, "scores0 must be finite, got 1 NaN and 0 infinite"),
        ({"ties": "randomize", "random_state": "x"}, "random_state must be None"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        np_threshold(**{"scores0": np.arange(100.0), **arguments})


def test_scores_to_predict_must_be_finite():
    with pytest.raises(InvalidInputError, match="scores must be finite, got 1 NaN"):
        np_threshold(np.arange(100.0)).predict([np.nan])


class Parts:
    """An iterable of chunks that can be read again, and counts how often."""

    def __init__(self, parts, later=None):
        self.parts, self.later, self.passes = parts, later, 0

    def __iter__(self):
        self.passes += 1
        return iter(self.parts if self.passes == 1 or self.later is None else self.later)


class TestChunks:
    """The threshold from chunks is that of the whole sample, exactly."""

    @pytest.mark.slow
    @given(
        scores0=SAMPLES,
        cuts=st.lists(st.integers(0, 80), max_size=6),
        alpha=st.sampled_from([0.1, 0.3, 0.7]),
        ties=st.sampled_from(["conservative", "randomize"]),
        seed=st.integers(0, 99),
    )
    @STEADY
    def test_any_chunks_in_any_form_give_the_threshold_of_the_whole(self, scores0, cuts, alpha, ties, seed):
        scores0 = np.append(np.tile(scores0, 3), [0.0, 1.0])
        levels = {"alpha": alpha, "delta": 0.3, "ties": ties, "random_state": seed}
        parts = np.split(scores0, sorted(cuts))
        whole = np_threshold(scores0, **levels)
        assert np_threshold(ScoreChunks(parts), **levels) == whole
        assert np_threshold(ScoreChunks(parts[::-1]), **levels) == whole
        assert np_threshold((part for part in parts), n0=scores0.size, **levels) == whole
        assert np_threshold(Parts(parts), **levels) == whole

    @pytest.mark.parametrize("order", ["random", "ascending", "descending", "largest last", "tied"])
    def test_a_large_memmap_gives_the_threshold_of_the_array_in_any_order(self, order, tmp_path):
        n = 2**20 + 4321
        scores0 = np.random.default_rng(0).normal(size=n)
        if order == "tied":
            scores0 = np.round(scores0, 1)
        elif order != "random":
            scores0 = np.sort(scores0)[:: -1 if order == "descending" else 1].copy()
        if order == "largest last":
            # the sample of all parts sees nothing of what a run between two of its own holds
            scores0[: n // 2] += 10 * (np.arange(n // 2) % 4096 > 2048)
        scores0.tofile(tmp_path / "scores")
        on_disk = np.memmap(tmp_path / "scores", dtype=np.float64, mode="r")
        for ties in ("conservative", "randomize"):
            levels = {"ties": ties, "random_state": 1}
            assert np_threshold(on_disk, **levels) == np_threshold(scores0, **levels)

    def test_a_guess_that_misleads_costs_a_second_pass_and_no_more(self, tmp_path, monkeypatch):
        # all that the sample sees is large, and nothing else is
        n = 2**20
        scores0 = np.zeros(n)
        large = ScoreChunks(np.arange(float(n))).sample().astype(np.int64)
        scores0[large] = 1.0 + np.arange(large.size)
        scores0.tofile(tmp_path / "scores")
        on_disk = np.memmap(tmp_path / "scores", dtype=np.float64, mode="r")
        folds = []
        fold = ScoreChunks.fold
        monkeypatch.setattr(ScoreChunks, "fold", lambda *args: (folds.append(1), fold(*args))[1])
        assert np_threshold(on_disk, alpha=0.2) == np_threshold(scores0, alpha=0.2)
        assert len(folds) == 2

    def test_an_iterable_is_counted_by_a_pass_of_its_own_unless_the_number_is_given(self):
        for n0, passes in ((None, 2), (100, 1)):
            parts = Parts(np.split(np.arange(100.0), 4))
            assert np_threshold(parts, n0=n0) == np_threshold(np.arange(100.0))
            assert parts.passes == passes

    def test_an_iterator_without_its_number_is_an_error_that_names_n0(self):
        with pytest.raises(InvalidInputError, match=r"scores0 is an iterator, .* Give this number as n0="):
            np_threshold(part for part in [np.arange(100.0)])

    @pytest.mark.parametrize("found", [80, 120])
    def test_a_wrong_number_is_an_error_that_names_both(self, found):
        scores0 = np.arange(float(found))
        with pytest.raises(InvalidInputError, match=f"scores0 held {found} scores, but 100 were announced by n0="):
            np_threshold((part for part in np.split(scores0, 4)), n0=100)
        with pytest.raises(InvalidInputError, match=f"n0=100 was given, but scores0 has {found} scores"):
            np_threshold(scores0, n0=100)
        with pytest.raises(InvalidInputError, match=f"scores0 held {found} scores, but 100 were counted first"):
            np_threshold(Parts([np.arange(100.0)], later=[scores0]))

    @pytest.mark.parametrize("n0", [0, -3, 2.5, "many"])
    def test_a_number_that_is_none_is_refused(self, n0):
        with pytest.raises(InvalidInputError, match="n0 must be a"):
            np_threshold(np.arange(100.0), n0=n0)

    def test_no_scores_and_too_few_are_the_errors_of_arrays(self):
        for source in (ScoreChunks([[], []]), Parts([])):
            with pytest.raises(InvalidInputError, match="scores0 is empty; at least one score is needed"):
                np_threshold(source)
        messages = []
        for source in (np.arange(58.0), ScoreChunks([np.arange(58.0)])):
            with pytest.raises(TooFewSamplesError) as caught:
                np_threshold(source)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]

    def test_tied_chunks_warn_as_a_tied_array_does(self):
        with pytest.warns(NPWarning, match=r"all 60 left-out class 0 scores are tied at 2, .* or ties='randomize'"):
            rule = np_threshold(ScoreChunks([np.full(20, 2.0)] * 3))
        assert rule.value == 2.0

    def test_a_list_of_arrays_is_no_sample(self):
        # it could be splits as well; of a band it is
        with pytest.raises(InvalidInputError, match="one-dimensional"):
            np_threshold([np.arange(50.0), np.arange(50.0)])

    def test_no_more_is_held_than_twice_the_scores_above_the_threshold(self, monkeypatch):
        sizes = []
        copy = TopScores._copy

        def measured(top, scores):
            copy(top, scores)
            sizes.append(top._buffer.size)

        monkeypatch.setattr(TopScores, "_copy", measured)
        rule = np_threshold(ScoreChunks(np.split(np.arange(100_000.0), 100)))
        assert max(sizes) == 2 * (rule.n0 - rule.order + 1)
        assert max(sizes) < 2 * 0.05 * rule.n0


class TestDask:
    """Blocks are reduced where they are."""

    @pytest.mark.parametrize("chunks", [700, 60, 1000])
    @pytest.mark.parametrize("digits", [0, 9])
    @pytest.mark.parametrize("ties", ["conservative", "randomize"])
    def test_the_threshold_of_a_dask_array_is_that_of_the_array(self, chunks, digits, ties):
        scores0 = np.round(np.random.default_rng(0).normal(size=1000), digits)
        levels = {"ties": ties, "random_state": 1}
        array = da.from_array(scores0, chunks=chunks)
        whole = np_threshold(scores0, **levels)
        for scheduler in ("synchronous", "threads"):
            with dask.config.set(scheduler=scheduler):
                assert np_threshold(array, **levels) == np_threshold(array[array > -np.inf], **levels) == whole

    def test_no_task_but_the_blocks_own_gives_more_than_the_scores_asked_for(self):
        scores0 = np.random.default_rng(0).normal(size=20_000)
        sizes = []

        class Measured(Callback):
            def _posttask(self, key, result, dsk, state, worker_id):
                if isinstance(result, TopScores):
                    sizes.append(len(pickle.dumps(result)))

        with dask.config.set(scheduler="synchronous"), Measured():
            rule = np_threshold(da.from_array(scores0, chunks=1000))
        n_keep = rule.n0 - rule.order + 1
        # 20 blocks, then merges of at most 4: 5, 2 and the last
        assert len(sizes) == 28
        assert max(sizes) < 8 * n_keep + 1000
        assert n_keep < 1000


class TestRoundingGuard:
    SCORES0 = np.random.default_rng(4).normal(size=500)

    @pytest.mark.parametrize("offset", [0.0, 1e6, -1e9, 1e11, 1e13, 1e14, 1e15])
    def test_an_offset_adds_no_more_than_units_in_the_last_place(self, offset):
        moved = self.SCORES0 + offset
        value = np.sort(moved)[480]
        plain = rounding_guard(self.SCORES0, np.sort(self.SCORES0)[480])
        assert 1e-10 < rounding_guard(moved, value) <= 1.01 * plain + 4.001 * np.spacing(abs(value))

    @pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e-6, 1e6, 1e100, 1e200])
    def test_it_grows_with_the_scale(self, scale):
        value = np.sort(self.SCORES0)[480]
        assert rounding_guard(self.SCORES0 * scale, value * scale) == pytest.approx(
            scale * rounding_guard(self.SCORES0, value), rel=1e-6
        )

    def test_many_values_are_those_one_by_one(self):
        values = np.sort(self.SCORES0)
        one_by_one = [rounding_guard(self.SCORES0, value) for value in values]
        np.testing.assert_array_equal(guard_of(self.SCORES0)(values), one_by_one)

    def test_one_score_far_out_is_counted_by_its_own_size_alone(self):
        usual, within = self.SCORES0, surely_same_within(np.append(self.SCORES0, 1e11))
        np.testing.assert_allclose(within(usual), surely_same_within(usual)(usual), rtol=0.02)
        assert within(1e11) == pytest.approx(1.0, rel=0.01)
        assert middle_range(np.append(usual, 1e11)) == pytest.approx(middle_range(usual), rel=0.02)

    def test_constant_scores_and_mostly_tied_scores_have_a_guard(self):
        assert rounding_guard(np.full(50, 3.0), 3.0) == 4 * np.spacing(3.0)
        mostly = np.r_[np.zeros(400), self.SCORES0[:100]]
        assert 1e-10 < rounding_guard(mostly, 0.0) < 1e-8

    @pytest.mark.parametrize("seed", range(60))
    def test_cuts_keep_the_order_of_thresholds_and_pass_no_next_score(self, seed):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 300))
        scores0 = rng.normal(size=n) * 10.0 ** rng.integers(-14, 3, size=n)
        scores0[: n // 3] = np.round(scores0[: n // 3], int(rng.integers(0, 14)))
        scores0 = np.sort(scores0 + rng.choice([0.0, 1.0, 1e6, -1e12]))
        guards = guard_of(scores0)(scores0)
        cuts = scores0 + guards
        assert np.all(np.diff(cuts) >= 0)
        # a class 0 score below a cut is the same as the threshold but for rounding
        centre = np.median(scores0)
        away = np.abs(scores0 - centre)
        clear = away[away > 64 * np.spacing(abs(centre))]
        least = 1e-11 * (away + (np.median(clear) if clear.size else 0)) + 4 * np.spacing(np.abs(scores0))
        last_passed = scores0[np.searchsorted(scores0, cuts, side="right") - 1]
        assert np.all(last_passed - scores0 <= least + np.spacing(np.abs(cuts)))

    @pytest.mark.parametrize("far", [1e6, 1e9, 1e11])
    def test_a_far_mode_of_class_0_costs_little_power(self, far):
        rng = np.random.default_rng(0)
        scores0 = rng.normal(size=400) - far * (rng.random(400) < 0.6)
        scores1 = rng.normal(size=2000) + 3
        value = np_threshold(scores0).value
        plain, guarded = (np.mean(scores1 <= cut) for cut in (value, value + rounding_guard(scores0, value)))
        assert guarded - plain <= (0.01 if far < 1e10 else 1)
        assert (guarded - plain <= 0.01) == (far < 1e10)

    @pytest.mark.parametrize("n0", [59, 93, 600])
    def test_probabilities_close_to_1_are_told_apart(self, n0):
        rng = np.random.default_rng(n0)
        scores0, scores1 = expit(rng.normal(size=n0) + 22), expit(rng.normal(size=2000) + 25)
        value = np_threshold(scores0).value
        plain, guarded = (np.mean(scores1 <= cut) for cut in (value, value + rounding_guard(scores0, value)))
        assert plain <= guarded <= plain + 0.15


# a rank drawn by a coin


@pytest.mark.slow
def test_the_coin_chooses_between_two_neighbouring_ranks_with_the_probability_that_spends_delta():
    scores0 = np.arange(90.0)
    rules = [np_threshold(scores0, rank="randomize", random_state=seed) for seed in range(2000)]
    order = np_order(90, 0.05, 0.05)
    assert {rule.order for rule in rules} == {order - 1, order}
    coin = rules[0].coin
    rates = [violation_rate(k, 90, 0.05) for k in (order - 1, order)]
    np.testing.assert_allclose(coin * rates[0] + (1 - coin) * rates[1], 0.05, rtol=1e-12)
    n_lower = sum(rule.order == order - 1 for rule in rules)
    # four standard errors
    assert abs(n_lower - 2000 * coin) < 4 * np.sqrt(2000 * coin * (1 - coin))
    assert {rule.value for rule in rules} == {float(order - 2), float(order - 1)}


def test_the_drawn_rank_is_that_of_the_seed_also_from_chunks():
    scores0 = np.random.default_rng(0).normal(size=90)
    whole = [np_threshold(scores0, rank="randomize", random_state=seed) for seed in range(20)]
    parts = [
        np_threshold(ScoreChunks([scores0[:50], scores0[50:]]), rank="randomize", random_state=s) for s in range(20)
    ]
    assert whole == parts


def test_where_the_only_rank_is_the_first_no_coin_lowers_it():
    rule = np_threshold(np.arange(5.0), alpha=0.9, delta=0.5, rank="randomize", random_state=1)
    assert (rule.order, rule.coin, rule.violation_rate) == (1, 0.0, violation_rate(1, 5, 0.9))


def test_the_summary_and_the_table_tell_of_the_coin():
    rule = np_threshold(np.arange(90.0), rank="randomize", random_state=1)
    assert "The rank was chosen at random" in " ".join(str(rule.summary()).split())
    assert "class 0 scores and the random choice between two ranks" in " ".join(str(rule.summary()).split())
    assert rule.to_frame()["coin"].tolist() == [rule.coin]
    assert np.isnan(np_threshold(np.arange(90.0)).to_frame()["coin"][0])
    assert f"coin={rule.coin:.4g}" in repr(rule)
    with pytest.raises(InvalidInputError, match="rank must be one of 'conservative', 'randomize', got 'fixed'"):
        np_threshold(np.arange(90.0), rank="fixed")
