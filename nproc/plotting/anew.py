"""Texts and legends that are placed by the size of a figure are placed anew where it is drawn in another size."""

from dataclasses import dataclass
from typing import Any

# what a picture looks like at the time of the call holds for it later on too
SETTINGS = ("font.", "mathtext.", "text.", "legend.", "axes.", "lines.", "xtick.", "ytick.", "figure.figsize")


@dataclass
class _Placed:
    """Something that was placed on some Axes, how to place it anew, and the sizes and limits for which it stands."""

    place: Any
    by_limits: bool
    state: tuple


def placed(ax, kind, place, *, by_limits=False):
    """Note that something was placed on these Axes, and that `place(ax=ax)` does so anew.

    It is called before these Axes are drawn in a figure of another size, or with `by_limits` for other limits too, with
    the settings of matplotlib that hold now. Axes within others are drawn by those.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The Axes.
    kind : str
        What was placed; what was noted before under this name is forgotten.
    place : callable
        Places it for the size that the figure has then. It is pickled with the figure.
    by_limits : bool
        Whether the limits of the horizontal axis matter too.
    """
    import matplotlib as mpl

    if ax not in ax.figure.axes:
        return
    watch = ax.get_axes_locator()
    if not isinstance(watch, _Watch):
        watch = _Watch(ax, watch)
        ax.set_axes_locator(watch)
    watch.placed.pop(kind, None)
    watch.placed[kind] = _Placed(place, by_limits, _state(ax, by_limits))
    watch.settings = {name: mpl.rcParams[name] for name in mpl.rcParams if name.startswith(SETTINGS)}


def set_room(ax, locator):
    """Set what leaves a part of their room to these Axes."""
    watch = ax.get_axes_locator()
    if isinstance(watch, _Watch):
        watch.inner = locator
    else:
        ax.set_axes_locator(locator)


def room_locator(ax):
    """Return what leaves a part of their room to these Axes, or None."""
    watch = ax.get_axes_locator()
    return watch.inner if isinstance(watch, _Watch) else watch


def in_settings_of(ax, place):
    """Call `place(ax)` with the settings of matplotlib that held when these Axes were drawn on."""
    import matplotlib as mpl

    watch = ax.get_axes_locator()
    with mpl.rc_context(watch.settings if isinstance(watch, _Watch) else {}):
        place(ax)


def size_of(ax):
    """Return the width and the height of the figure of these Axes, in inches."""
    return tuple((ax.figure.bbox.size / ax.figure.dpi).round(6).tolist())


def _state(ax, by_limits):
    # another line of the name of the axis moves what stands below it
    return *size_of(ax), *((*ax.get_xlim(), ax.get_xlabel().count("\n")) if by_limits else ())


def _place_anew(figure):
    """Place anew what stands on the Axes of a figure for another size or other limits, as in a new figure."""
    watched = [ax for ax in figure.axes if isinstance(ax.get_axes_locator(), _Watch)]
    figure._nproc_placing = True
    try:
        for ax in watched:
            spec = ax.get_subplotspec()
            if spec is not None and figure.get_layout_engine() is not None:
                # the place before any layout
                ax.set_subplotspec(spec)
            else:
                ax.reset_position()
        for ax in watched:
            for one in list(ax.get_axes_locator().placed.values()):
                state = _state(ax, one.by_limits)
                if one.state != state:
                    one.state = state
                    in_settings_of(ax, lambda ax, place=one.place: place(ax=ax))
    finally:
        figure._nproc_placing = False


class _Watch:
    """Locator of Axes that is asked for their place before each drawing, and then sees that a size has changed."""

    def __init__(self, axes, inner):
        self.axes, self.inner = axes, inner
        self.placed, self.settings = {}, {}

    def get_subplotspec(self):
        """Tell tight_layout which cell of a grid these Axes fill."""
        return self.axes.get_subplotspec()

    def __call__(self, axes, renderer):
        own = self.axes
        # outside of a drawing nothing is placed
        is_drawing = renderer is not None and not getattr(own.figure, "_nproc_placing", False)
        if is_drawing and any(one.state != _state(own, one.by_limits) for one in self.placed.values()):
            _place_anew(own.figure)
        return own.get_position(original=True) if self.inner is None else self.inner(axes, renderer)
