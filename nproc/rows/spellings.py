"""Values of a column that differ only in capital letters or in spaces, and probably mean the same."""

# distinct values of a column that are searched for one word in several spellings
MOST_SPELLINGS = 200
# words that are named
WORDS_SHOWN = 5


def _one_space(text):
    """Return a text without spaces at its ends, and with single ones between its words."""
    return " ".join(text.split())


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
            found.setdefault(_one_space(value).casefold(), []).append(value)
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
    case = any(len({value.casefold() for value in values}) < len(values) for values in alike)
    spaces = any(len({_one_space(value) for value in values}) < len(values) for values in alike)
    # in a pair such as "Yes " and "yes" both at once
    what = {(True, False): "capital letters", (False, True): "spaces"}.get((case, spaces), "capital letters or spaces")
    shown = [f"{', '.join(map(repr, values[:-1]))} and {values[-1]!r}" for values in alike[:WORDS_SHOWN]]
    more = f"; and {len(alike) - len(shown)} more" if len(alike) > len(shown) else ""
    return f"differ only in {what}: {'; '.join(shown)}{more}"


def categories_alike_told(frame, columns):
    """Return which categories of some columns differ only in capital letters or in spaces, a sentence for each column.

    Examples
    --------
    >>> import pandas as pd
    >>> categories_alike_told(pd.DataFrame({"sex": ["w", "W", "m"], "job": ["a", "b", "c"]}), ["sex", "job"])
    ["Categories of 'sex' differ only in capital letters: 'W' and 'w'. Spell those that are the same in one way in the \
file."]
    """
    found = {column: alike_told(values_alike(frame[column].dropna().unique().tolist())) for column in columns}
    way_out = "Spell those that are the same in one way in the file."
    return [f"Categories of {column!r} {told}. {way_out}" for column, told in found.items() if told]
