"""Where an axis has its numbers; imported by the functions that draw, since it needs matplotlib."""

import numpy as np
from matplotlib.ticker import AutoLocator, LogLocator, MaxNLocator, MultipleLocator

# parts of a decade that get a number, from few to many, and those that are tried where these leave too few numbers
USUAL = ((1,), (1, 3), (1, 2, 5))
MORE = ((1, 2, 3, 5, 7), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9))
# width of a digit and room between two numbers, in units of the font size
DIGIT, APART = 0.62, 0.8
# height of a power of ten with the room above it, in the same units
HIGH_POWER = 1.7
# with fewer numbers than this an axis cannot be read
FEWEST = 3


class LogNumbers(LogLocator):
    """Numbers 1, 2, 5, 10 and so on of a logarithmic axis: as many as can be read at the width that it has."""

    def tick_values(self, vmin, vmax):
        """Return the places of the numbers between two ends."""
        low, high = sorted((vmin, vmax))
        if not 0 < low < high < np.inf:
            return super().tick_values(vmin, vmax)
        room = np.inf if self.axis is None else self._digits()
        first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
        steps = [(start, step) for step in range(last - first, 0, -1) for start in range(step)]
        every = [10.0 ** np.arange(first + start, last + 1, step) for start, step in steps]
        usual, more = ([np.outer(every[-1], parts).ravel() for parts in kind] for kind in (USUAL, MORE))
        kept = _best([*every, *usual], low, high, room)
        if kept.size >= FEWEST:
            return kept
        even = [linear_numbers(most).tick_values(low, high) for most in range(2, 6)]
        return _best([kept, *more, *even], low, high, room)

    def _digits(self):
        """Return how many digits have room beside each other."""
        axis = self.axis
        label = axis.get_major_ticks(1)[0].label1
        return axis.axes.bbox.width / (label.get_fontsize() * axis.axes.figure.dpi / 72 * DIGIT)


def _best(choices, low, high, room):
    """Return the most numbers between two ends that lie apart."""
    shown = [ticks[(ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))] for ticks in choices]
    return max((ticks for ticks in shown if _fit(ticks, low, high, room)), key=len, default=shown[0][:1])


def _fit(ticks, low, high, room):
    """Whether the numbers at ticks lie apart on an axis with room for so many digits."""
    places = np.log(ticks / low) / np.log(high / low) * room
    # a point is half as wide as a digit
    widths = np.array([len(text) - 0.5 * ("." in text) for text in map(plain, ticks)])
    return bool(np.all(np.diff(places) >= (widths[1:] + widths[:-1]) / 2 + APART / DIGIT))


def plain(number):
    """Return a number without a power of ten, up to ten digits, such as 2000000."""
    return f"{number:.10g}"


class LinearNumbers(MaxNLocator):
    """Numbers of a linear axis, in steps of 1, 2 or 5: three at least, however low the axis is."""

    def __init__(self):
        super().__init__("auto", steps=[1, 2, 5, 10])

    def tick_values(self, vmin, vmax):
        """Return the places of the numbers between two ends."""
        more = (linear_numbers(most).tick_values(vmin, vmax) for most in range(2, 7))
        choices = [super().tick_values(vmin, vmax), *more]
        low, high = sorted((vmin, vmax))
        return next((ticks for ticks in choices if np.sum((ticks >= low) & (ticks <= high)) >= FEWEST), choices[0])


def linear_numbers(most="auto"):
    """Return the locator of a linear axis, with steps of 1, 2 or 5: 0.05, 0.10, 0.15, not 0.025, 0.050, 0.075."""
    return MaxNLocator(most, steps=[1, 2, 5, 10])


def counts(ax, room):
    """Return the locator of numbers of rows that lie apart where the horizontal axis is so many pixels wide."""
    letter = ax.xaxis.get_major_ticks(1)[0].label1.get_fontsize() * ax.figure.dpi / 72
    width = (DIGIT * len(plain(int(ax.get_xlim()[1]))) + APART) * letter
    return linear_numbers(int(np.clip(room / width - 1, 1, 9)))


class Powers(MultipleLocator):
    """Whole numbers of a vertical axis whose texts are powers of ten: eight at most, fewer where these would touch."""

    def __call__(self):
        """Return the places of the numbers on the axis."""
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin, vmax):
        """Return the places of the numbers between two ends."""
        low, high = sorted((vmin, vmax))
        label = self.axis.get_major_ticks(1)[0].label1
        line = HIGH_POWER * label.get_fontsize() * self.axis.axes.figure.dpi / 72
        height, first, last = self.axis.axes.bbox.height, int(np.ceil(low)), int(np.floor(high))
        step = max(1, int(np.ceil((high - low) / np.clip(height / line, 1, 7))))
        found = np.arange(int(np.ceil(low / step)) * step, last + 1, step)
        # two numbers tell what one does not
        ends_lie_apart = (last - first) * height >= line * (high - low)
        return np.array([first, last]) if found.size < 2 and ends_lie_apart else found


class ScoreNumbers(AutoLocator):
    """Numbers of an axis of scores, which has none beyond two places; fewer where they would cover each other."""

    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def tick_values(self, vmin, vmax):
        """Return the places of the numbers between two ends."""
        choices = [super().tick_values(vmin, vmax), *(MaxNLocator(most).tick_values(vmin, vmax) for most in (4, 3, 2))]
        low, high = sorted((vmin, vmax))
        shown = [ticks[(ticks >= max(low, self.low)) & (ticks <= min(high, self.high))] for ticks in choices]
        return next((ticks for ticks in shown if self._lie_apart(ticks, high - low)), shown[-1])

    def _lie_apart(self, ticks, length):
        if self.axis is None or ticks.size < 2:
            return True
        widest = max(map(len, self.axis.get_major_formatter().format_ticks(ticks)))
        label = self.axis.get_major_ticks(1)[0].label1
        letter = label.get_fontsize() * self.axis.axes.figure.dpi / 72
        return bool(np.diff(ticks).min() / length * self.axis.axes.bbox.width >= (DIGIT * widest + APART) * letter)
