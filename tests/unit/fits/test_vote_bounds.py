import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import integrate, stats

from nproc import InvalidInputError, TooFewSamplesError, np_order, npc, nproc, violation_rate
from nproc.fits import vote_bound
from nproc.fits.vote_bounds import chance_by_convexity, chance_by_counting, upper_at
from nproc.orderstat import type1_upper
from nproc.simulate import GaussianWorld

SAMPLE = GaussianWorld([0, 0], [1.5, 1]).sample_classes(240, 100, 1)


@pytest.mark.parametrize(
    ("n_splits", "least", "factor"), [(1, 1, 1), (2, 2, 1), (3, 2, 1.5), (4, 3, 4 / 3), (11, 6, 11 / 6)]
)
def test_the_factor_is_the_number_of_splits_over_the_votes_that_make_class_1(n_splits, least, factor):
    bound = vote_bound(n_splits, 0.1, 0.05)
    assert bound.least_votes == least
    assert bound.factor == pytest.approx(factor)
    assert bound.type1_upper == pytest.approx(factor * 0.1)
    if n_splits % 2:
        assert bound.factor == pytest.approx(2 * n_splits / (n_splits + 1))


def test_without_a_rank_the_union_bound_is_all():
    bound = vote_bound(11, 0.05, 0.02)
    assert bound.failure == bound.failure_union == pytest.approx(0.22)
    assert bound.type1_upper_at_delta is None
    assert bound.mean_type1_upper is None
    assert vote_bound(31, 0.05, 0.05).failure == 1


def test_the_sum_of_the_violation_rates_is_taken_where_the_rank_is_known():
    bound = vote_bound(5, 0.05, 0.05, n0_left_out=250)
    assert bound.order == np_order(250, 0.05, 0.05)
    assert bound.failure_union == pytest.approx(5 * violation_rate(bound.order, 250, 0.05))
    assert bound.failure < bound.failure_union < 5 * 0.05


@pytest.mark.parametrize("n_splits", [1, 2])
def test_one_split_and_two_keep_the_promise_of_one(n_splits):
    bound = vote_bound(n_splits, 0.05, 0.05, n0_left_out=100)
    assert bound.type1_upper == 0.05
    assert bound.failure == pytest.approx(violation_rate(bound.order, 100, 0.05))
    assert bound.type1_upper_at_delta == pytest.approx(type1_upper(bound.order, 100, 0.05))
    assert "has the same guarantee as a single split" in str(bound.summary())


@pytest.mark.slow
@pytest.mark.parametrize(("n", "order"), [(59, 59), (250, 244), (1000, 963)])
@pytest.mark.parametrize("y", [0.06, 0.1])
def test_the_bound_by_convexity_is_the_least_of_a_fine_grid_of_cuts(n, order, y):
    law = stats.beta(n + 1 - order, order)
    cuts = np.linspace(0, y, 4001)[:-1]
    excess = [integrate.quad(law.sf, t, 1, limit=200, points=[min(0.2, t + 0.01)])[0] / (y - t) for t in cuts[::40]]
    found = chance_by_convexity(y, n, order)
    assert found <= min(excess) * (1 + 1e-9)
    assert found == pytest.approx(min(excess), rel=0.02)


def test_a_mean_error_at_most_the_expected_one_has_no_bound():
    assert chance_by_convexity(1 / 60, 59, 59) == 1.0
    assert chance_by_convexity(1 / 60 + 1e-9, 59, 59) <= 1.0


@pytest.mark.parametrize("n_splits", [2, 3, 4, 5, 11, 101])
@pytest.mark.parametrize("p", [0.001, 0.05, 0.3])
def test_the_bound_at_a_level_and_the_level_of_a_bound_are_inverse(n_splits, p):
    order = np_order(250, 0.05, 0.05)
    upper = upper_at(p, n_splits, 250, order)
    bound = vote_bound(n_splits, 0.05, 0.05, n0_left_out=250)
    assert bound.exceedance(upper) == pytest.approx(p, rel=1e-6)
    assert bound.exceedance(0.99 * upper) > p


def test_the_bound_falls_with_the_error_and_never_leaves_the_unit_interval():
    bound = vote_bound(11, 0.05, 0.05, n0_left_out=100)
    chances = bound.exceedance(np.linspace(0.001, 0.999, 200))
    assert np.all(np.diff(chances) <= 1e-12)
    assert chances.max() == 1.0
    assert 0 <= chances.min() < 1e-12
    assert bound.exceedance([[0.1, 0.2]]).shape == (1, 2)
    assert isinstance(bound.exceedance(0.1), float)


def test_many_splits_have_a_bound_where_the_union_has_none():
    bound = vote_bound(101, 0.05, 0.05, n0_left_out=250)
    assert bound.failure_union == 1
    assert bound.failure < 0.1
    assert bound.sentence().startswith("Proved: the vote's type I error is at most")


def test_putting_splits_aside_is_never_worse_than_the_union():
    for n_splits in (3, 4, 8, 15):
        union = n_splits * violation_rate(99, 100, 0.05)
        assert chance_by_counting(0.05 * n_splits / (n_splits // 2 + 1), n_splits, 100, 99) <= union * (1 + 1e-12)


# --- of a fit ---


def fit_of(n_splits, **arguments):
    return npc(
        SAMPLE.X, SAMPLE.y, "lda", alpha=0.1, delta=0.1, n_splits=n_splits, random_state=2, **arguments, split_ratio=0.5
    )


def test_a_fit_states_its_bound_in_the_summary():
    fit = fit_of(5)
    bound = fit.vote_bound()
    assert (bound.n_splits, bound.n0_left_out, bound.order) == (5, 120, fit.orders[0])
    assert bound.violation_rate == fit.violation_rates[0]
    text = " ".join(str(fit.summary()).split())
    assert bound.sentence() in text
    assert (
        "For the majority vote of 5 splits the same bound is not proved. It held in experiments with useful scores, "
        "but it can fail if the scores of the splits disagree."
    ) in text
    assert "Proved" not in str(fit_of(1).summary())


def test_a_level_chosen_on_the_rows_of_the_threshold_has_no_bound():
    import dataclasses

    fit = dataclasses.replace(fit_of(3), alpha_chosen=True)
    with pytest.raises(InvalidInputError, match="alpha was chosen on the rows that set the thresholds"):
        fit.vote_bound()
    assert "Proved" not in str(fit.summary())


@pytest.mark.filterwarnings("ignore:n_splits=2 is even")
@pytest.mark.parametrize("n_splits", [2, 3])
def test_on_a_simultaneous_band_the_union_bound_holds_however_alpha_was_chosen(n_splits):
    sample = GaussianWorld([0, 0], [1.5, 1]).sample_classes(400, 400, 1)
    band = nproc(sample.X, sample.y, "lda", n_splits=n_splits, random_state=1, band="simultaneous")
    share = 1 - np.sqrt(1 - band.delta)
    for alpha in (band.choose_alpha("youden"), 0.4):
        fit = band.classifier(alpha)
        bound = fit.vote_bound()
        assert bound.type1_upper == pytest.approx(fit.alpha * n_splits / 2)
        assert bound.failure == pytest.approx(share if n_splits == 2 else n_splits * share)
        # the law of the rank is that of an alpha fixed beforehand
        assert bound.order is None
        assert (bound.sentence() in " ".join(str(fit.summary()).split())) == (n_splits > 2)


# --- how it shows itself ---


def test_sentences_say_what_holds_and_where_nothing_does():
    assert vote_bound(11, 0.05, 0.05).sentence() == (
        "Proved: the vote's type I error is at most 11/6 alpha = 0.09167 with probability at least 0.45."
    )
    assert vote_bound(11, 0.05, 0.05, n0_left_out=250).sentence() == (
        "Proved: the vote's type I error is at most 0.09768 with probability at least 0.95."
    )
    assert vote_bound(31, 0.05, 0.05).sentence() == (
        "No bound on the vote is proved here, because delta is too large for 31 splits."
    )
    # a bound on the average over samples is below 1 here
    assert vote_bound(11, 0.45, 0.6, n0_left_out=1).sentence() == (
        "No bound on the vote below 1 is proved with probability at least 0.4."
    )


def test_the_table_explains_a_probability_of_0_where_there_is_one():
    for n_splits in (11, 51):
        bound = vote_bound(n_splits, 0.05, 0.05, n0_left_out=250)
        assert ("A probability of 0 means" in " ".join(str(bound.summary()).split())) == (n_splits == 51)


def test_the_table_and_the_frame_hold_the_same_statements():
    bound = vote_bound(11, 0.05, 0.05, n0_left_out=250)
    frame, text = bound.to_frame(), str(bound.summary())
    assert frame["type1_upper"].tolist() == [bound.type1_upper, bound.type1_upper, bound.type1_upper_at_delta]
    assert frame["probability"].tolist() == pytest.approx([1 - bound.failure_union, 1 - bound.failure, 0.95])
    assert all(statement in text for statement in frame["statement"])
    assert "0.09768" in text
    assert repr(bound) == f"VoteBound(n_splits=11, alpha=0.05, delta=0.05)\n  {bound.sentence()}"
    assert len(vote_bound(11).to_frame()) == 1
    assert "<table" in bound._repr_html_()


def test_a_rank_above_the_least_may_keep_alpha_and_the_summary_says_so():
    keeps, nothing = (
        "the vote is at most alpha with probability at least",
        "It is not proved that the type I error of the vote",
    )
    high, least = (vote_bound(3, n0_left_out=1000, order=order) for order in (990, 963))
    assert high.type1_upper_at_delta < 0.05 < least.type1_upper_at_delta
    for bound, said, not_said in ((high, keeps, nothing), (least, nothing, keeps)):
        text = " ".join(str(bound.summary()).split())
        assert said in text
        assert not_said not in text


def test_a_bound_of_1_or_more_says_nothing():
    assert vote_bound(3, 0.7, n0_left_out=100).sentence() == "Nothing is proved about the vote: 3/2 alpha is 1 or more."


def test_a_shown_bound_is_never_below_the_bound():
    bound = vote_bound(11, 1e-5, n0_left_out=10**6)
    shown = float(bound.sentence().split("at most ")[1].split()[0])
    assert bound.type1_upper_at_delta <= shown < 1.001 * bound.type1_upper_at_delta


def test_probabilities_are_shown_rounded_down():
    bound = vote_bound(3, 0.05, 0.0333)
    assert bound.failure == pytest.approx(0.0999)
    assert bound.sentence().endswith("with probability at least 0.9.")


def test_the_picture_has_the_bounds_and_the_levels():
    bound = vote_bound(11, 0.05, 0.05, n0_left_out=250)
    ax = bound.plot(ax=Figure().subplots())
    lines = {line.get_gid(): line for line in ax.lines}
    best, counting = (lines[f"nproc-votebound-{name}"].get_ydata() for name in ("best", "counting"))
    assert np.all(best <= counting)
    x = lines["nproc-votebound-single"].get_xdata()
    np.testing.assert_allclose(
        lines["nproc-votebound-single"].get_ydata(), [violation_rate(244, 250, v) for v in x], rtol=1e-9
    )
    assert lines["nproc-votebound-alpha"].get_xdata()[0] == 0.05
    assert ax.get_ylabel().split() == ["bound", "on", "P(type", "I", "error", ">", "x)"]
    # inside the axes, so that no figure cuts it off
    assert ax.get_legend().get_bbox_to_anchor().bounds == ax.bbox.bounds
    with pytest.raises(InvalidInputError, match="the rank is not known; give n0_left_out"):
        vote_bound(11).plot()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_splits": 0}, "n_splits must be at least 1"),
        ({"n_splits": 3, "alpha": 1.2}, "alpha must lie strictly between 0 and 1"),
        ({"n_splits": 3, "delta": 0}, "delta must lie strictly between 0 and 1"),
        ({"n_splits": 3, "order": 59}, "order is a rank among left-out class 0 scores; give n0_left_out with it"),
        ({"n_splits": 3, "n0_left_out": 100, "order": 90}, r"order=90 has a violation rate of 0.9886, above delta"),
        ({"n_splits": 3, "n0_left_out": 100, "order": 101}, "order must hold whole numbers from 1 to n0=100"),
    ],
)
def test_arguments_out_of_their_range_are_errors(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        vote_bound(**arguments)


def test_too_few_rows_are_an_error_that_names_the_smallest_number():
    with pytest.raises(TooFewSamplesError, match="at least 59 are needed"):
        vote_bound(3, 0.05, 0.05, n0_left_out=58)


def test_a_chance_needs_a_rank_and_a_level():
    with pytest.raises(InvalidInputError, match="the rank is not known"):
        vote_bound(3).exceedance(0.1)
    with pytest.raises(InvalidInputError, match="type1 must lie strictly between 0 and 1"):
        vote_bound(3, n0_left_out=100).exceedance(1.0)


@pytest.mark.filterwarnings("ignore:n_splits=2 is even")
def test_the_vote_of_two_splits_has_the_bound_of_each_and_the_summary_says_so():
    fit = fit_of(2)
    assert fit.guaranteed
    text = " ".join(str(fit.summary()).split())
    assert "Both splits must call a row class 1, so the majority vote has the same bound as each of them." in text
    assert "not proved" not in text
