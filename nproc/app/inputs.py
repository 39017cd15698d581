"""What a browser sends, in the form that the page gives it; anything else is as good as nothing."""

import functools
import stat
import sys
from pathlib import Path

from shiny import req

from nproc.app.data import ASIDE, SAMPLES
from nproc.app.page import WIDTHS_TOLD, ZOOMS
from nproc.errors import InvalidInputError

# of each side of a picture: a screen has fewer, and a larger picture would take the memory of the server
MOST_PIXELS = 8000


def _text(value):
    return isinstance(value, str)


def _texts(value):
    return isinstance(value, list | tuple) and all(map(_text, value))


def _number(value):
    # comparing an int of any size with a float is exact; NaN fails
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _flag(value):
    return isinstance(value, bool)


def _one_of(choices):
    return lambda value: _text(value) and value in choices


def _record(**fields):
    return lambda value: isinstance(value, dict) and all(good(value.get(name)) for name, good in fields.items())


def _files(value):
    return isinstance(value, list | tuple) and len(value) > 0 and all(map(_record(name=_text, datapath=_text), value))


def _empty_or(good):
    return lambda value: value is None or good(value)


_FORMS = {
    "kind": _one_of(("sample", "upload")),
    "sample": _one_of(SAMPLES),
    "file": _files,
    "refused": _record(name=_text, size=_number),
    "label": _text,
    # no radio button is marked until the user chooses
    "class0": _empty_or(_text),
    "features": _empty_or(_texts),
    "methods": _empty_or(_texts),
    "alpha": _empty_or(_number),
    "delta": _empty_or(_number),
    "n_splits": _empty_or(_number),
    "seed": _empty_or(_number),
    "review_beta": _empty_or(_number),
    "omit": _flag,
    "aside": _one_of(ASIDE),
    "method_shown": _text,
    "alpha_moved": _number,
    "bands_click": _record(x=_empty_or(_number)),
    "target": _empty_or(_number),
    "prevalence": _empty_or(_number),
    "zoom": _one_of(ZOOMS),
    "picture_width": _one_of(WIDTHS_TOLD),
    "new_file": _files,
}
BUTTONS = (
    "fit",
    "cancel",
    "find",
    "planned",
    "smallest",
    "carried",
    "carried_beta",
    "carried_above",
    "carried_beta_above",
    "all_features",
    "no_features",
    "labelled",
)


class Inputs:
    """The inputs of a session, each a function that returns its value.

    Any program that speaks with the server may send any value under any name. Where a value has not the form that the
    page gives it, whatever asks for it stops without an effect, as for an input that is not there yet.

    Parameters
    ----------
    raw : shiny.session.Inputs
        The inputs as they came.
    """

    def __init__(self, raw):
        for name in BUTTONS:
            setattr(self, name, raw[name])
        for name, good in _FORMS.items():
            setattr(self, name, functools.partial(_of_form, raw[name], good))


def _of_form(read, good):
    value = read()
    req(good(value))
    return value


def picture_fits(client, output):
    """Return whether the picture that a browser asks for has a size that a screen can have.

    Parameters
    ----------
    client : shiny.session.ClientData
        What the browser says of itself.
    output : str
        The name of the picture.
    """
    ratio, *sides = client.pixelratio(), client.output_width(output), client.output_height(output)
    return all(map(_number, (ratio, *sides))) and all(1 <= side * ratio <= MOST_PIXELS for side in sides)


def upload_folder(session):
    """Return the folder in which Shiny keeps the uploads of one session, and nothing else."""
    return Path(session._file_upload_manager._basedir)


def own_upload(datapath, folder):
    """Return the path of an upload that lies in a folder.

    Any program that speaks with the server may say that a file was uploaded and lies at any path. Nothing is opened
    here.

    Parameters
    ----------
    datapath : str
        Where the file is said to lie.
    folder : Path
        The upload folder of the session.

    Raises
    ------
    InvalidInputError
        It is no regular file, or lies elsewhere; links count as elsewhere.
    """
    try:
        path = Path(datapath)
        # a regular file first: what is a link itself is not followed
        own = stat.S_ISREG(path.lstat().st_mode) and path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):  # there is no such file, or no file can have such a name
        own = False
    if not own:
        raise InvalidInputError("that file was not uploaded here, and was not read; choose it again on this page.")
    return path
