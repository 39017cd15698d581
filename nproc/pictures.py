"""Pictures into files, without a screen and without touching matplotlib's global state."""

from __future__ import annotations

from pathlib import Path

from nproc.errors import InvalidInputError
from nproc.outputs import replaced_file


def check_picture(path):
    """Raise InvalidInputError unless the name of a picture ends in a known kind; None is fine."""
    if path is not None:
        from matplotlib.figure import Figure

        known = sorted(Figure().canvas.get_supported_filetypes())
        if _extension(path) not in known:
            raise InvalidInputError(f"{path} is no known kind of picture; use one of .{', .'.join(known)}.")


def blank_axes(*, width=5.2, height=5.2):
    """Return the Axes of a new figure that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def write_picture(ax, path, *, dpi=200):
    """Write the figure of some Axes to `path`, in the format of its extension."""
    with replaced_file(path) as part:
        ax.figure.savefig(part, format=_extension(path), dpi=dpi)


def _extension(path):
    return Path(path).suffix.lower().lstrip(".")
