"""What the words after an option mean: texts of the command line become values."""

import argparse
import ast
import csv
import io
import re

# no list of numbers has a whole one after 0, or one that begins with 0
_DECIMAL_COMMA = re.compile(r"(?<![\w.])(?:0,\d+|\d+,0\d+)(?![\w.])")
# inches of a side of a picture
LEAST_SIDE, LARGEST_SIDE = 1, 100


def separator(text):
    r"""Return the separator that is meant: a tab is ``tab`` or ``\t``, also with its backslash doubled."""
    return "\t" if text in ("tab", r"\t", r"\\t") else text


def names(text):
    """Return the names in a list separated by commas; those with a comma stand within quotation marks, as in CSV.

    Examples
    --------
    >>> names("id, ward"), names('id,"Age, years"')
    (['id', 'ward'], ['id', 'Age, years'])
    """
    try:
        pieces = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise argparse.ArgumentTypeError(
            f"give names on one line, separated by commas, not {text!r}; write a name with a line break within "
            "quotation marks"
        ) from None
    found = [name.strip() for name in pieces if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError("give names, separated by commas")
    return found


def as_list(names):
    """Return the text that `names` reads as these names.

    Examples
    --------
    >>> as_list(["id", "Age, years"])
    'id,"Age, years"'
    """
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(names)
    return written.getvalue()


def number(text):
    """Return the one number that is given."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"give one number, not {text!r}{decimal_point(text)}") from None


def decimal_point(text):
    """Return the end of a message that tells to write a number with a point; empty unless it has a decimal comma."""
    return f"; write {text.replace(',', '.')}" if re.fullmatch(r"[+-]?\d*,\d+", text) else ""


def numbers(text):
    """Return the numbers in a list separated by commas or blanks."""
    _refuse_decimal_comma(text)
    found = _floats(text)
    if not found:
        raise argparse.ArgumentTypeError(f"give numbers separated by commas, not {text!r}")
    return found


def figsize(text):
    """Return width and height in inches, as in 3.35x3."""
    sides = _floats(text.lower().replace("x", " "))
    if len(sides) != 2 or not all(LEAST_SIDE <= side <= LARGEST_SIDE for side in sides):
        raise argparse.ArgumentTypeError(
            f"give width and height in inches, each from {LEAST_SIDE} to {LARGEST_SIDE}, such as 3.35x3, not {text!r}"
        )
    return sides


def limits(text):
    """Return the ends of an axis of levels or errors, as in 0,0.2."""
    ends = _floats(text)
    if len(ends) != 2 or not 0 <= ends[0] < ends[1] <= 1:
        raise argparse.ArgumentTypeError(
            f"give the smallest and the largest value that the axis shows, from 0 to 1, such as 0,0.2, not {text!r}"
        )
    return tuple(ends)


def _refuse_decimal_comma(text):
    comma = _DECIMAL_COMMA.search(text)
    if comma:
        raise argparse.ArgumentTypeError(
            f"a comma separates several numbers, and {comma[0]!r} looks like one with a decimal comma; write "
            f"{comma[0].replace(',', '.')}"
        )


def _floats(text):
    try:
        return [float(piece) for piece in text.replace(",", " ").split()]
    except ValueError:
        return []


def one_or_more(text):
    """Return the number, or the list of several."""
    found = numbers(text)
    return found if len(found) > 1 else found[0]


def pairs(text):
    """Return the dict of a list such as ``a=0.1,b=0.2``."""
    _refuse_decimal_comma(text)
    found = {}
    for piece in names(text):
        label, _, number = piece.rpartition("=")
        try:
            found[label.strip()] = float(number)
        except ValueError:
            label = ""
        if not label.strip():
            raise argparse.ArgumentTypeError(f"give label=number, separated by commas, not {piece!r}")
    return found


def prevalence(text):
    """Return whose share it is, or None, and the share: a number between 0 and 1, or the two that bound it."""
    label, equals, share = text.rpartition("=")
    _refuse_decimal_comma(share)
    found = _floats(share)
    if len(found) not in (1, 2) or not all(0 < end < 1 for end in found) or found != sorted(found):
        raise argparse.ArgumentTypeError(
            "give a share between 0 and 1, or two in increasing order, with the label that it is the share of, such as "
            f"ill=0.1 or ill=0.05,0.1; not {text!r}"
        )
    return label.strip() if equals else None, one_or_more(share)


def split_ratio(text):
    """Return a number, or one of the words that choose one."""
    try:
        return text if text in ("auto", "adaptive") else float(text)
    except ValueError:
        way_out = decimal_point(text)
        raise argparse.ArgumentTypeError(f"give a number, 'auto' or 'adaptive', not {text!r}{way_out}") from None


def method_param(text):
    """Return (key, value) with the value read as None, a truth value, a number, a list in brackets, or text."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"give it as key=value, not {text!r}")
    words = {"none": None, "true": True, "false": False}
    if value.lower() in words:
        return key, words[value.lower()]
    if value[:1] in ("[", "("):
        try:
            return key, ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise argparse.ArgumentTypeError(f"write a list as [1, 10], not {value!r}") from None
    if decimal_point(value):
        raise argparse.ArgumentTypeError(
            f"give one number, not {value!r}; write {key}={value.replace(',', '.')}, or {key}=[{value}] for a list"
        )
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
