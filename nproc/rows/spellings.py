"""Values of a column that differ only in letters' case, spaces or codes of accents, or look like signs of a gap."""

import unicodedata

from nproc.errors import InvalidInputError

# distinct values of a column that are searched for one word in several spellings
MOST_SPELLINGS = 200
# what people write in place of a missing value, without spaces and in small letters
_LIKE_GAPS = frozenset(
    ("k.a.", "keineangabe", "unbekannt", "fehlend", "n.a.", "n/a", "na", "nan", "null", "none", "unknown", "missing")
) | {"?", "-", "."}
# words that are named
WORDS_SHOWN = 5
OTHER_CODES = "Texts that look the same here have other codes for an accent or umlaut (Unicode NFC and NFD). "


def composed(text):
    """Return a text in which an accent or an umlaut is one character with its letter."""
    return unicodedata.normalize("NFC", str(text))


def _one_space(text):
    """Return a text without spaces at its ends, and with single ones between its words."""
    return " ".join(text.split())


def is_alike(first, second):
    """Whether the texts of two labels differ at most in capital letters, in spaces or in the codes of an accent.

    Examples
    --------
    >>> is_alike("bad ", "Bad"), is_alike("0", 0), is_alike("bad", "ok")
    (True, True, False)
    """
    return _one_space(composed(first)).lower() == _one_space(composed(second)).lower()


def values_alike(values):
    """Return the texts among distinct values that differ only in capital letters or in spaces, those alike together.

    Examples
    --------
    >>> values_alike(["w", "m", "w ", "W"])
    (('W', 'w', 'w '),)
    """
    found = {}
    # nobody means a few words by more values
    for value in values if len(values) <= MOST_SPELLINGS else ():
        if isinstance(value, str):
            found.setdefault(_one_space(composed(value)).lower(), []).append(value)
    return tuple(tuple(sorted(texts)) for _, texts in sorted(found.items()) if len(texts) > 1)


def alike_told(alike):
    """Return which values differ only in capital letters or in spaces, as the end of a sentence; or nothing.

    Examples
    --------
    >>> alike_told(values_alike(["w", "m", "w "]))
    "differ only in spaces: 'w' and 'w '"
    """
    if not alike:
        return ""
    case = any(len({value.lower() for value in values}) < len(values) for values in alike)
    spaces = any(len({_one_space(value) for value in values}) < len(values) for values in alike)
    codes = any(len(set(map(composed, values))) < len(values) for values in alike)
    # in a pair such as "Yes " and "yes" both at once
    what = {(True, False): "capital letters", (False, True): "spaces"}.get((case, spaces), "capital letters or spaces")
    if codes:
        what = f"{f'{what}, or ' if case or spaces else ''}the codes of an accent or umlaut (Unicode NFC and NFD)"
    shown = [f"{', '.join(map(repr, values[:-1]))} and {values[-1]!r}" for values in alike[:WORDS_SHOWN]]
    more = f"; and {len(alike) - len(shown)} more" if len(alike) > len(shown) else ""
    return f"differ only in {what}: {'; '.join(shown)}{more}"


def refuse_other_spellings(label, values, where):
    """Raise if some of the distinct values differ from a label of class 0 only in capital letters or in spaces.

    Their rows would be left out as rows of another class, so that errors on them would not count.

    Examples
    --------
    >>> refuse_other_spellings("bad", ["Bad", "ok"], "y")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: y has 'Bad', and class 0 is 'bad'. They differ only in capital letters. Spell \
each label in one way, because rows with another spelling of class 0 would not count.
    """
    alike = sorted(str(value) for value in values if str(value) != str(label) and is_alike(value, label))
    if alike:
        found = " and ".join(map(repr, alike[:WORDS_SHOWN]))
        differ = alike_told((sorted([*alike, str(label)]),)).partition(":")[0]
        raise InvalidInputError(
            f"{where} has {found}, and class 0 is {str(label)!r}. They {differ}. Spell each label in one way, because "
            "rows with another spelling of class 0 would not count."
        )


def doubtful_categories_told(frame, columns):
    """Return which categories of some columns may be one in two spellings, or a missing value, each in a sentence.

    Examples
    --------
    >>> import pandas as pd
    >>> doubtful_categories_told(pd.DataFrame({"sex": ["w", "W", "m"], "job": ["a", "b", "c"]}), ["sex", "job"])
    ["Categories of 'sex' differ only in capital letters: 'W' and 'w'. Spell those that are the same in one way in the \
file."]
    """
    found = {column: alike_told(values_alike(frame[column].dropna().unique().tolist())) for column in columns}
    way_out = "Spell those that are the same in one way in the file."
    said = [f"Categories of {column!r} {told}. {way_out}" for column, told in found.items() if told]
    return said + [told for column in columns if (told := _like_gaps_told(frame[column].dropna(), column))]


def _like_gaps_told(values, column):
    words = [value for value in values.unique().tolist() if isinstance(value, str)]
    like = [word for word in words if "".join(word.split()).casefold() in _LIKE_GAPS]
    if not like:
        return ""
    counts = [(repr(word), int((values == word).sum())) for word in like[:WORDS_SHOWN]]
    named = ", ".join(f"{word} ({n} row{'s' * (n > 1)})" for word, n in counts)
    is_one = len(like) == 1
    return (
        f"In {column!r} {named} {'is taken for a category' if is_one else 'are taken for categories'}, and not for a "
        f"missing value. If {'it' if is_one else 'they'} should count as missing, leave the cell empty or write NA."
    )
