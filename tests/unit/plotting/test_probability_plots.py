"""Pictures of probabilities: quantiles where they belong, and the parts outside the interval hatched."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from nproc.errors import InvalidInputError
from nproc.plotting.bounds import plot_calibration, plot_probability_band

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure(figsize=(4, 4)).subplots()


def found(ax, gid):
    artists = ax.findobj(lambda artist: artist.get_gid() == gid)
    assert len(artists) == 1, f"{len(artists)} artists with gid {gid}"
    return artists[0]


def test_the_line_is_the_median_of_the_estimates_in_each_bin(ax):
    rng = np.random.default_rng(0)
    truth = rng.random(5000)
    estimate = np.clip(truth + 0.05 * rng.standard_normal(5000), 0, 1)
    assert plot_probability_band(truth, estimate, 0.2, 0.4, ax=ax, n_bins=10) is ax
    centres, median = found(ax, "nproc-probability-median").get_data()
    rows = (truth >= 0.3) & (truth < 0.4)
    assert centres[3] == pytest.approx(truth[rows].mean())
    assert median[3] == np.median(estimate[rows])
    # the band holds 80 % of the estimates of the bin
    corners = found(ax, "nproc-probability-band").get_paths()[0].vertices
    ends = corners[np.isclose(corners[:, 0], centres[3]), 1]
    assert np.mean((estimate[rows] >= ends.min()) & (estimate[rows] <= ends.max())) == pytest.approx(0.8, abs=0.01)


def test_the_parts_outside_the_interval_are_marked(ax):
    p = np.linspace(0, 1, 500)
    plot_probability_band(p, p, 0.2, 0.4, ax=ax)
    below, above = (found(ax, f"nproc-probability-{side}") for side in ("below", "above"))
    assert (below.get_x(), below.get_width()) == (0.0, 0.2)
    assert (above.get_x(), above.get_width()) == pytest.approx((0.4, 0.6))
    assert below.get_hatch() == above.get_hatch() == "///"
    texts = [handle.get_label() for handle in ax.get_legend_handles_labels()[0]]
    assert texts.count("outside the interval: only a side is estimated") == 1


def test_with_the_whole_interval_nothing_is_hatched(ax):
    p = np.linspace(0, 1, 500)
    plot_probability_band(p, p, 0.0, 1.0, ax=ax)
    assert not ax.findobj(
        lambda artist: (artist.get_gid() or "") in ("nproc-probability-below", "nproc-probability-above")
    )


def test_bins_of_few_rows_are_left_out(ax):
    truth = np.r_[np.full(50, 0.15), np.full(5, 0.75)]
    plot_probability_band(truth, truth, 0.2, 0.4, ax=ax, n_bins=10)
    assert found(ax, "nproc-probability-median").get_xdata().tolist() == pytest.approx([0.15])


def test_the_shares_stand_against_the_estimates(ax):
    plot_calibration([0.1, 0.5], [0.12, 0.4], [0.05, 0.3], [0.2, 0.5], 0.2, 0.6, ax=ax, label="ill")
    x, y = found(ax, "nproc-calibration").get_data()
    assert x.tolist() == [0.1, 0.5]
    assert y.tolist() == [0.12, 0.4]
    assert ax.get_ylabel() == "observed share of ill"
    assert found(ax, "nproc-probability-above").get_x() == 0.6


@pytest.mark.parametrize(
    ("truth", "estimate", "message"),
    [
        ([0.1, 0.2], [0.1], "equally long"),
        ([0.1, 1.2], [0.1, 0.2], "truth must lie between 0 and 1, got 1.2"),
        ([0.1, 0.2], [0.1, -0.2], "estimate must lie between 0 and 1, got -0.2"),
    ],
)
def test_arrays_that_are_no_probabilities_are_told_of(ax, truth, estimate, message):
    with pytest.raises(InvalidInputError, match=message):
        plot_probability_band(truth, estimate, 0.2, 0.4, ax=ax)
