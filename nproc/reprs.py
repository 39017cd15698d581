"""How results show themselves: a line or two in a REPL, their summary in a notebook."""

from __future__ import annotations

import dataclasses
import numbers

import numpy as np

# numbers of a short array that are all shown
FEW = 4


class InNotebook:
    """A result that a notebook shows as its summary: the table and the notes, with labels escaped."""

    def _repr_html_(self):
        return self.summary().as_html()


class ShortRepr:
    """A dataclass whose repr is its fields in short form; for a ``@dataclass(repr=False)``."""

    def __repr__(self):
        shown = ", ".join(
            f"{field.name}={short(getattr(self, field.name))}" for field in dataclasses.fields(self) if field.repr
        )
        return f"{type(self).__name__}({shown})"


def short(value):
    """Return a value as text of some 50 characters at most, numbers with four significant digits.

    Parameters
    ----------
    value : object
        A number, array, text, or a dict of these. An array of more than four numbers becomes its shape and range; of
        another object only the class is told.

    Returns
    -------
    str

    Examples
    --------
    >>> short(2 / 3), short(59), short("lda"), short(None)
    ('0.6667', '59', "'lda'", 'None')
    >>> short(np.array([1.0, 1 / 3])), short(np.linspace(0, 1, 201))
    ('[1, 0.3333]', '<201 numbers, 0 to 1>')
    """
    if isinstance(value, bool | np.bool_ | type(None)):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return f"{float(value):.4g}"
    if isinstance(value, str):
        return repr(value if len(value) <= 50 else value[:47] + "...")
    if isinstance(value, np.ndarray):
        return _short_array(value)
    if isinstance(value, dict):
        return f"<{', '.join(str(key) for key in value)}>" if value else "<>"
    if isinstance(value, list | tuple):
        return f"<{len(value)} entries>" if len(value) > FEW else f"[{', '.join(short(entry) for entry in value)}]"
    return repr(value) if isinstance(value, ShortRepr) else f"<{type(value).__name__}>"


def _short_array(values):
    if values.size <= FEW and values.ndim <= 1:
        return short(values.item()) if values.ndim == 0 else f"[{', '.join(short(v) for v in values.tolist())}]"
    what = f"{values.size} numbers" if values.ndim == 1 else f"{' x '.join(map(str, values.shape))} numbers"
    if values.dtype.kind == "b":
        return f"<{what.replace('numbers', 'flags')}, {int(values.sum())} true>"
    if values.dtype.kind not in "iuf" or values.size == 0:
        return f"<{what.replace('numbers', 'entries')}>"
    return f"<{what}, {short(values.min())} to {short(values.max())}>"
