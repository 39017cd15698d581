"""Pictures in files, drawn without a window."""

from pathlib import Path

from nproc.errors import InvalidInputError
from nproc.outputs import replaced_file


def check_picture(path):
    """Raise InvalidInputError unless the name of a picture, that of ``--plot``, ends in a known kind."""
    from matplotlib.figure import Figure

    known = sorted(Figure().canvas.get_supported_filetypes())
    if _extension(path) not in known:
        raise InvalidInputError(
            f"--plot must end as the name of a picture does, got {str(path)!r}. Name it picture.png, say; the known "
            f"endings are .{', .'.join(known)}."
        )


def draw(path, plot, *, figsize=None, width=5.2, height=5.2, heights=(1,), sharex=True):
    """Write what `plot` draws on the Axes that it is given, in the format of the extension of `path`, if there is one.

    Parameters
    ----------
    path : str or path or None
        The file; without one nothing is drawn.
    plot : callable
        It takes the Axes as `ax`, or an array of Axes where `heights` has several numbers.
    figsize : (float, float), optional
        Size in inches; None takes the next two. In a picture of one column letters are smaller.
    width, height : float
        Size in inches that the picture needs.
    heights : tuple of float
        Of panels below each other, as shares of one another.
    sharex : bool
        Whether these have one horizontal axis.
    """
    if path is None:
        return
    from nproc.plotting import column_letters, figure_for_file

    with column_letters(figsize), replaced_file(path) as part:
        figure = figure_for_file((width, height) if figsize is None else figsize)
        plot(ax=figure.subplots(len(heights), 1, sharex=sharex, gridspec_kw={"height_ratios": heights}))
        figure.savefig(part, format=_extension(path), dpi=300)


def _extension(path):
    return Path(path).suffix.lower().lstrip(".")
