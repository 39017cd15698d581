"""The figure of cost against n: a panel for functions of scores and one for functions of rows."""

import statistics
from string import ascii_uppercase

import numpy as np
from scaling import DECADES, fit_exponent

# dark to light, so that they differ in grey as well; each with a marker and a line of its own
STYLES = (
    ("#111111", "o", "-"),
    ("#004488", "s", "-"),
    ("#AA3377", "^", "--"),
    ("#D07010", "D", "-"),
    ("#44AA99", "v", "-."),
    ("#66BBDD", "P", "--"),
    ("#BBAA33", "X", "-"),
    ("#CC88BB", "*", ":"),
)
PEERS = (("0.45", "o", (0, (1, 1.2))), ("0.65", "s", (0, (4, 1.5, 1, 1.5))))


def draw(parts, path):
    """Draw medians with their range against n, one panel for each of ``{title: {curve: seconds}}``; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(parts), figsize=(6.1 * len(parts), 6.9), layout="constrained", squeeze=False)
    for ax, letter, (title, found) in zip(axes.flat, ascii_uppercase, parts.items(), strict=False):
        own, peers = iter(STYLES), iter(PEERS)
        for curve, seconds in found.items():
            colour, marker, line = next(peers if curve.peer else own)
            _draw_curve(ax, curve, seconds, {"color": colour, "marker": marker, "ls": line})
        _draw_guides(ax, found)
        ax.set(xscale="log", yscale="log", xlabel=title, ylabel="processor seconds of one call")
        ax.set_title(letter, loc="left", fontweight="bold")
        ax.grid(which="major", color="0.9", lw=0.6)
        ax.set_axisbelow(True)
        ax.set_xlim(None, ax.get_xlim()[1] * 1.15)
        drawn = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda pair: pair[1].startswith("slope"))
        ax.legend(
            *zip(*drawn, strict=True),
            title=f"function: exponent fitted over its last {DECADES} decades",
            loc="upper center",
            bbox_to_anchor=(0.5, -0.1),
            ncols=2,
            fontsize=8.5,
            title_fontsize=8.5,
            frameon=False,
            handlelength=3.4,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def _draw_curve(ax, curve, seconds, style):
    sizes = sorted(seconds)
    middle = np.array([statistics.median(seconds[n]) for n in sizes])
    low, high = (np.array([edge(seconds[n]) for n in sizes]) for edge in (min, max))
    exponent = fit_exponent(seconds, curve.law).exponent
    label = f"{curve.name}: {exponent:.2f}" + " (peer)" * curve.peer
    ax.errorbar(sizes, middle, (middle - low, high - middle), label=label, ms=4.5, lw=1.3, elinewidth=0.9, **style)


def _draw_guides(ax, found):
    """Draw the slopes of n and n log n below all curves that grow, from one point."""
    sizes = np.array(sorted({n for seconds in found.values() for n in seconds}), dtype=np.float64)
    cheapest = min(
        statistics.median(seconds[max(seconds)]) / (max(seconds) * np.log(max(seconds)))
        for curve, seconds in found.items()
        if curve.law != "1"
    )
    start = cheapest * sizes[0] * np.log(sizes[0]) / 4
    for values, name, line in ((sizes, "n", "-"), (sizes * np.log(sizes), r"n \log n", (0, (6, 3)))):
        ax.plot(sizes, values / values[0] * start, color="0.6", lw=0.9, ls=line, zorder=0, label=f"slope of ${name}$")
