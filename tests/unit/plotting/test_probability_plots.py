"""Pictures of probabilities: quantiles where they belong, and the parts outside the interval hatched."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from nproc.plotting.bounds import plot_calibration

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure(figsize=(4, 4)).subplots()


def found(ax, gid):
    artists = ax.findobj(lambda artist: artist.get_gid() == gid)
    assert len(artists) == 1, f"{len(artists)} artists with gid {gid}"
    return artists[0]


def test_the_shares_stand_against_the_estimates(ax):
    estimate, share, lower, upper = np.array([[0.1, 0.5], [0.12, 0.4], [0.05, 0.3], [0.2, 0.5]])
    plot_calibration(estimate, share, lower, upper, 0.2, 0.6, ax=ax, label="ill")
    x, y = found(ax, "nproc-calibration").get_data()
    assert x.tolist() == [0.1, 0.5]
    assert y.tolist() == [0.12, 0.4]
    assert ax.get_ylabel() == "observed share of ill"
    below, above = (found(ax, f"nproc-probability-{side}") for side in ("below", "above"))
    assert (below.get_x(), below.get_width()) == (0.0, 0.2)
    assert (above.get_x(), above.get_width()) == pytest.approx((0.6, 0.4))
    assert below.get_hatch() == above.get_hatch() == "///"
    texts = [handle.get_label() for handle in ax.get_legend_handles_labels()[0]]
    assert texts.count("outside the interval: only a side is estimated") == 1


def test_the_legend_covers_no_interval_at_another_size_of_the_figure():
    estimate = np.linspace(0.05, 0.95, 8)
    shares = estimate, np.maximum(estimate - 0.13, 0), np.minimum(estimate + 0.13, 1)
    ax = plot_calibration(estimate, *shares, 0.0, 1.0, label="benign", figsize=(6, 5))
    ax.figure.canvas.draw()
    assert ax.get_legend().get_frame_on()
    ax.figure.set_size_inches(3.35, 3)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    paths = [area.get_transform().transform_path(path) for area in ax.collections for path in area.get_paths()]
    assert not any(path.intersects_bbox(box, filled=False) for path in paths)


def test_both_axes_end_alike_and_soon_behind_what_they_show(ax):
    estimate, share, lower, upper = np.array([[0.6, 0.9, 0.98], [0.55, 0.92, 1.0], [0.5, 0.85, 0.95], [0.65, 0.96, 1]])
    plot_calibration(estimate, share, lower, upper, 0.0, 1.0, ax=ax)
    assert ax.get_xlim() == ax.get_ylim() == pytest.approx((0.475, 1.02))
    # a second one keeps the first in sight, and so does an interval outside which only a side is estimated
    plot_calibration(estimate / 2, share / 2, lower / 2, upper / 2, 0.0, 1.0, ax=ax)
    assert ax.get_xlim() == ax.get_ylim() == pytest.approx((0.2375, 1.02))
    alone = plot_calibration(estimate, share, lower, upper, 0.3, 1.0, ax=Figure().subplots())
    assert alone.get_xlim()[0] == pytest.approx(0.265)


def test_with_the_whole_interval_nothing_is_hatched(ax):
    p = np.linspace(0.1, 0.9, 5)
    plot_calibration(p, p, p, p, 0.0, 1.0, ax=ax)
    gids = ("nproc-probability-below", "nproc-probability-above")
    assert not ax.findobj(lambda artist: (artist.get_gid() or "") in gids)
