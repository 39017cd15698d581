"""Numbers that a column holds as text: with another decimal sign, signs of per cent, or a few texts among them."""

import keyword
import re

import numpy as np

from nproc.errors import InvalidInputError, at_row

# numbers with each decimal sign, and texts that are numbers with the other sign, or with signs between thousands
_NUMBERS = {sign: re.compile(rf"\s*[-+]?(\d+[{sign}]?\d*|[{sign}]\d+)([eE][-+]?\d+)?\s*") for sign in ".,"}
_OTHER_NUMBERS = {
    ".": re.compile(r"\s*[-+]?(\d[\d.]*(,\d+)+|,\d+|\d{1,3}(\.\d{3}){2,}|\d{1,3}(,\d{3})+\.\d*)([eE][-+]?\d+)?\s*"),
    ",": re.compile(
        r"\s*[-+]?(\d{1,3}(\.\d{3})+(,\d*)?|\d{1,3}(,\d{3}){2,}|\d{1,3}(,\d{3})+\.\d*|\d*\.\d+)([eE][-+]?\d+)?\s*"
    ),
}
# signs that stand between thousands without a doubt, and the decimal sign behind them
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}([.,])\d{3}(?:(?:\1\d{3})+(?:(?!\1)([.,])\d*)?|(?!\1)([.,])\d*)\s*")
# numbers that only decimal commas make, and those with a point whose points may all stand between thousands
_DECIMAL_COMMA = re.compile(r"\s*[-+]?(\d*,(\d{1,2}|\d{4,})|0,\d{3}|\d{1,3}(\.\d{3})+,\d+)\s*")
_GROUPS_OF_THREE = {sign: re.compile(rf"\s*[-+]?[1-9]\d{{0,2}}([{sign}]\d{{3}})+\s*") for sign in ".,"}
_BELOW_THOUSAND = re.compile(r"\s*[-+]?\d{1,3}\s*")
_SIGNS = {",": "commas", ".": "points"}
_BLANKS = re.compile(r"(?<=\d)[ \u00a0\u202f](?=\d{3})")
_COMMAS_IN_DOUBT = {
    "fault": "commas in doubt",
    "value": ",",
    "way_out": "If they are decimal commas, save the table with semicolons between its columns, and give decimal=','.",
}
# cells of text among numbers that are named one by one
FEW_TEXTS = 5


def columns_in_doubt(frame, sep, read_texts, decimal="."):
    """Return the columns of numbers with points, as text, whose points may stand between thousands.

    Each number with a point has groups of three digits behind it, as 1.169. That leaves a column in doubt if another
    one has decimal commas; or, with semicolons between the columns, if whole numbers below 1000 have no point, or if no
    other column has decimal points. Where commas separate the columns, too, quoted commas are in doubt if all numbers
    of the file have such groups.

    Parameters
    ----------
    frame : DataFrame
        The rows, read with this decimal sign.
    sep : str
        The separator of the file.
    read_texts : callable
        Takes names of columns, and returns a frame of them as text.
    decimal : str
        A point, or a comma where commas separate the columns.
    """
    import pandas as pd

    maybe = [name for name in frame.columns if _may_be_groups(frame[name])]
    if not maybe:
        return frame[[]]
    others = (frame[name] for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name].dtype))
    has_commas = any(map(has_decimal_commas, others))
    if not has_commas and sep != ";" and decimal == ".":
        return frame[[]]
    texts = read_texts(maybe)
    values = {name: [text for text in texts[name].dropna().unique() if isinstance(text, str)] for name in maybe}
    groups = [name for name in maybe if _are_groups(values[name], decimal)]
    has_points = any(_has_fractions(frame[name]) for name in frame.columns if name not in groups)
    if decimal == ",":
        # these fractions have commas
        return texts[[] if has_points else groups]

    def is_in_doubt(name):
        is_bare = any(_BELOW_THOUSAND.fullmatch(text) for text in values[name])
        return has_commas or (sep == ";" and (is_bare or not has_points))

    return texts[[name for name in groups if is_in_doubt(name)]]


def _may_be_groups(values):
    """Whether numbers may have been written in groups of three digits; only their texts can tell."""
    if values.dtype.kind != "f":
        return False
    numbers = np.abs(values.to_numpy(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    broken = numbers[numbers % 1 != 0]
    thousands = broken * 1000
    return bool(
        np.any(numbers >= 1)
        and np.all((broken >= 1) & (broken < 1000))
        and np.all(np.abs(thousands - np.rint(thousands)) < 1e-6)
    )


def _has_fractions(values):
    return values.dtype.kind == "f" and bool(np.any(values.dropna().to_numpy(np.float64) % 1 != 0))


def has_decimal_commas(values):
    """Whether most different texts of a column are numbers, and one of them can only have a decimal comma.

    Examples
    --------
    >>> import pandas as pd
    >>> has_decimal_commas(pd.Series(["1,5", "2,25"])), has_decimal_commas(pd.Series(["1,234", "2,345"]))
    (True, False)
    """
    plain, n_numbers = _texts_of_numbers(values)
    return 2 * n_numbers > len(plain) and any(_DECIMAL_COMMA.fullmatch(text) for text in plain)


def _has_decimal_points(values):
    plain, n_numbers = _texts_of_numbers(values)
    pointed = [text for text in plain if "." in text and _NUMBERS["."].fullmatch(text)]
    return 2 * n_numbers > len(plain) and any(not _GROUPS_OF_THREE["."].fullmatch(text) for text in pointed)


def _has_decimals(values, sign):
    """Whether a column of text has a number with a sign."""
    return any(sign in text and _NUMBERS[sign].fullmatch(text) for text in _texts_of_numbers(values)[0])


def _texts_of_numbers(values):
    """Return the different texts of a column, without blanks between thousands, and how many of them are numbers."""
    if values.dtype.kind in "biuf":
        return [], 0
    texts = [text for text in values.dropna().unique() if isinstance(text, str)]
    plain = [plain_number(text) for text in texts]
    return plain, sum(any(form.fullmatch(text) for form in (*_NUMBERS.values(), _DECIMAL_COMMA)) for text in plain)


def _are_groups(texts, sign="."):
    """Whether texts are numbers, some of them with a sign and all these in groups of three digits.

    A single number with a point is no such group.
    """
    signed = [text for text in texts if sign in text]
    return (
        len(signed) > (sign == ".")
        and all(_GROUPS_OF_THREE[sign].fullmatch(text) for text in signed)
        and all(_NUMBERS["."].fullmatch(text) for text in texts if sign not in text)
    )


def refuse_points_in_doubt(values, what):
    """Raise for text of numbers whose points may stand between thousands or be decimal; `what` has them."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values.dtype):
        return
    texts = [value for value in values.dropna().unique() if isinstance(value, str)]
    if not _are_groups(texts) or any(text.count(".") > 1 for text in texts):
        return
    text = next(text for text in texts if "." in text)
    raise InvalidInputError(
        f"{what} has numbers such as {text!r}, which may be {text.strip().replace('.', '')} or a decimal number: each "
        "number with a point has three digits behind it. If these points stand between thousands, write the numbers "
        "without them, or leave the column out.",
        fault="points in doubt",
        value=".",
        way_out="If they are decimal points, give decimal='.'.",
    )


def refuse_commas_in_doubt(values, what):
    """Raise for text of numbers whose commas may stand between thousands or be decimal; `what` has them."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values.dtype):
        return
    texts = [value for value in values.dropna().unique() if isinstance(value, str)]
    if not _are_groups(texts, ",") or any(text.count(",") > 1 for text in texts):
        return
    text = next(text for text in texts if "," in text)
    raise InvalidInputError(
        f"{what} has numbers such as {text!r}, which may be {text.strip().replace(',', '')} or a decimal number: each "
        "number with a comma has three digits behind it. If these commas stand between thousands, write the numbers "
        "without them.",
        **_COMMAS_IN_DOUBT,
    )


def refuse_two_signs(frame, decimal=None):
    """Raise if columns have decimal commas and others decimal points: a file is read with one sign for all of them.

    Those with the other sign would be text. Columns with both signs, and those whose commas or points may all stand
    between thousands, are left to `refuse_commas`. If `decimal` is None, the sign is a point.
    """
    decimal = decimal or "."
    has_other = _has_decimal_points if decimal == "," else has_decimal_commas
    read = next((name for name in frame.columns if _has_fractions(frame[name])), None)
    others = (name for name in frame.columns if has_other(frame[name]))
    other = next((name for name in others if not _has_decimals(frame[name], decimal)), None)
    if read is None or other is None:
        return
    signs = ("points", "commas") if decimal == "," else ("commas", "points")
    raise InvalidInputError(
        f"column {other!r} has decimal {signs[0]}, and column {read!r} has decimal {signs[1]}: with decimal=',' all "
        "columns are read with commas, and otherwise with points. Write the file again with one decimal sign, or leave "
        "the columns with the other one out."
    )


def are_numbers(texts, decimal="."):
    """Return which texts of a Series are numbers with a decimal sign, as an array of bool.

    Examples
    --------
    >>> import pandas as pd
    >>> are_numbers(pd.Series(["33,6", "7", "k.A.", "<0,1", "0.5"]), ",").tolist()
    [True, True, False, False, False]
    """
    import pandas as pd

    if decimal == ",":
        texts = texts.where(~texts.str.contains(".", regex=False)).str.replace(",", ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").notna().to_numpy()


def plain_number(text):
    """Return a text without blanks between thousands, and without a sign of per cent at its end.

    Examples
    --------
    >>> plain_number("5.0 %"), plain_number("12 345,6"), plain_number("k.A.")
    ('5.0', '12345,6', 'k.A.')
    """
    return _BLANKS.sub("", text).rstrip(" %\u00a0")


def refuse_commas(values, what, decimal=".", table=""):
    """Raise for text of which most values look like numbers, some of them with another decimal sign; `what` has them.

    The index of `values` numbers the rows from 0, which are those of `table`, see `nproc.errors.at_row`.

    Such a column would become categories without a word. The rest may be signs for missing values. If `decimal` is
    None, the sign is a point, and points that may stand between thousands are refused, too: see `columns_in_doubt`.
    """
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values.dtype):
        return
    texts = [value for value in values.dropna().unique() if isinstance(value, str)]
    if decimal is None:
        refuse_points_in_doubt(values, what)
    elif decimal == ",":
        refuse_commas_in_doubt(values, what)
    decimal = decimal or "."
    plain = {text: plain_number(text) for text in texts}
    others = [text for text in texts if _OTHER_NUMBERS[decimal].fullmatch(plain[text])]
    numbers = [text for text in texts if text not in others and _NUMBERS[decimal].fullmatch(plain[text])]
    if not others or 2 * (len(others) + len(numbers)) <= len(texts):
        return
    sign = "," if decimal == "." else "."
    way = {
        "fault": f"decimal {_SIGNS[sign]}",
        "value": sign,
        "way_out": f"If the column has decimal {_SIGNS[sign]}, give decimal={sign!r}.",
    }
    if sign == "," and all(_GROUPS_OF_THREE[sign].fullmatch(plain[text]) for text in others):
        way = _COMMAS_IN_DOUBT
    both = next((text for text in numbers if decimal in text), None)
    if both is not None:
        # with the other sign this number would be refused
        way = {
            "fault": "both signs",
            "way_out": f"If they are decimal {_SIGNS[sign]}, write all numbers with one decimal sign: "
            f"{both!r} has a {_SIGNS[decimal].removesuffix('s')}.",
        }
    looks, sure = f"{what} is text that looks like numbers with", {t: _THOUSANDS.fullmatch(plain[t]) for t in others}
    text = next((text for text in others if sure[text]), others[0])
    where = f"{text!r} {at_row(values.index[(values == text).to_numpy().argmax()], table)}"
    if sure[text] is None:
        raise InvalidInputError(
            f"{looks} {_SIGNS[sign]}, such as {where}. If they stand between thousands, write the numbers without "
            "them, or leave the column out.",
            **way,
        )
    between, *behind = sure[text].groups()
    raise InvalidInputError(
        f"{looks} {_SIGNS[between]} between thousands, such as {where}. Write the numbers without these "
        f"{_SIGNS[between]}, or leave the column out.",
        **(way if sign in behind else {}),
    )


def _distinct(texts):
    """Return the different ones of some texts as a Series, and for each text which of them it is."""
    import pandas as pd

    codes, distinct = pd.factorize(texts)
    return codes, pd.Series(distinct, dtype=texts.dtype)


def few_texts(texts, column, decimal, table=""):
    """Say that a column is text because of a few of its values, and where the first is; "" where it is not so."""
    sign = decimal or "."
    codes, distinct = _distinct(texts)
    are_known = are_numbers(distinct, sign)
    n_wrong = int((~are_known)[codes].sum())
    # of numbers with decimals even a few different ones are no categories
    n_fractions = int((are_known & distinct.str.contains(sign, regex=False).to_numpy()).sum())
    if not (0 < n_wrong < len(texts) / 2 or 0 < (~are_known).sum() < n_fractions):
        return ""
    wrong = texts[~are_known[codes]]
    one, every = len(wrong) == 1, len(wrong) <= FEW_TEXTS
    shown = ", ".join(f"{text!r} {at_row(row, table)}" for row, text in wrong.iloc[: FEW_TEXTS if every else 1].items())
    return (
        f"column {column!r} is text because {len(wrong)} of its {len(texts)} values "
        f"{'is not a number' if one else 'are not numbers'} ({'' if every else 'such as '}{shown}). Correct "
        f"{'it' if one else 'them'}, or leave the cell empty where the value is missing."
    )


def other_signs(texts, column, decimal, table=""):
    """Say that a column has numbers with signs of per cent, or with blanks between thousands; "" where it is not so.

    As categories they would lose their order.
    """
    sign = decimal or "."
    codes, distinct = _distinct(texts)
    are_plain = are_numbers(distinct.map(plain_number), sign)
    signed = texts[(are_plain & ~are_numbers(distinct, sign))[codes]]
    most = 2 * are_plain[codes].sum() > len(texts) or 2 * are_plain.sum() > len(distinct)
    if signed.empty or not most:
        return ""
    return (
        f"column {column!r} is text that looks like numbers, such as {signed.iloc[0]!r} "
        f"{at_row(signed.index[0], table)}. Write plain numbers."
    )


def refuse_as_categories(texts, column, decimal=None, table=""):
    """Raise for numbers with other signs, or with a few texts among them, that a formula would code as categories.

    Examples
    --------
    >>> import pandas as pd
    >>> refuse_as_categories(pd.Series(["5.0 %", "7.5 %"]), "rate")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: column 'rate' is text that looks like numbers, such as '5.0 %' in row 1. Write ...
    """
    told, fault = few_texts(texts, column, decimal, table), "few texts"
    if not told:
        told, fault = other_signs(texts, column, decimal, table), "other signs"
    if told:
        raise InvalidInputError(f"{told} If its values are categories, {as_categories(column)}.", fault=fault)


def as_categories(column):
    """Return what to do so that a formula codes a column as categories.

    Examples
    --------
    >>> as_categories("rate"), as_categories("job title")
    ('write C(rate) in the formula', 'write C(`job title`) in the formula')
    """
    if keyword.iskeyword(column) or column == "C":
        return f"rename the column, as C({column}) cannot be read, and write C() around the new name"
    return f"write C({column if column.isidentifier() else f'`{column}`'}) in the formula"
