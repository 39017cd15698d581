"""Tests of `nproc.plotting.comparison`."""

from matplotlib.colors import same_color
from matplotlib.figure import Figure

from nproc.plotting import plot_differences

ROWS = [("a - b", 0.1, -0.1, 0.3), ("a - c", 0.2, 0.1, 0.3)]


def test_each_row_has_its_interval_and_a_filled_point_where_it_is_marked():
    ax = Figure().subplots()
    assert plot_differences(ROWS, [False, True], ax=ax, note="approximate") is ax
    lines = {line.get_gid(): line for line in ax.lines}
    assert lines["nproc-difference-zero"].get_xdata() == [0, 0]
    for row, (_, value, lower, upper) in enumerate(ROWS):
        assert list(lines[f"nproc-difference-{row}-interval"].get_xdata()) == [lower, upper]
        assert list(lines[f"nproc-difference-{row}-point"].get_xdata()) == [value]
    fills = [lines[f"nproc-difference-{row}-point"].get_markerfacecolor() for row in (0, 1)]
    assert [same_color(fill, "white") for fill in fills] == [True, False]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a - b", "a - c"]
    assert ax.get_title(loc="right") == "approximate"
