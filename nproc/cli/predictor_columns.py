"""The columns of a file that predict in a fit of the command line, and those of text among them, as categories."""

import re

import numpy as np

from nproc.cli.files import listed, require_columns, say_note
from nproc.cli.values import as_list
from nproc.cli.wording import option_with
from nproc.errors import InvalidInputError
from nproc.rows import (
    are_numbers,
    doubtful_categories_told,
    few_texts,
    n_sharing_owners,
    other_signs,
    refuse_as_categories,
    refuse_commas,
    refuse_two_signs,
)

MAX_LEVELS = 50
MANY_OF_FORMULA = "many categories of a formula"
# columns of a single value told one by one
MOST_SINGLE = 4


def choose_predictors(frame, label, *, features=None, drop=(), besides=(), decimal=None):
    """Return the predictors, and the names of those that are text, which need coding as categories.

    The columns of `drop` and `besides` are no predictors; the user dropped the former.
    """
    import pandas as pd

    require_columns(frame, [label], "the label")
    require_columns(frame, drop, "the column to drop")
    if features is not None:
        require_columns(frame, features, "the feature")
        if label in features:
            raise InvalidInputError(f"the label {label!r} is among the columns that predict; leave it out of them.")
    besides = {label, *drop, *besides}
    kept = [column for column in (frame.columns if features is None else features) if column not in besides]
    if not kept:
        raise InvalidInputError(f"no predictor is left beside the label {label!r}.")
    refuse_two_signs(frame[kept], decimal)
    texts = [column for column in kept if not pd.api.types.is_numeric_dtype(frame[column])]
    floats = [frame[column].dropna() for column in kept if pd.api.types.is_float_dtype(frame[column])]
    # a sign that was given, and that numbers of other columns have
    is_sure = decimal is not None and any((numbers % 1 != 0).any() for numbers in floats)
    empty = frame[kept].isna().all()
    refused = {}
    for column in kept:
        if empty[column]:
            refused[column] = InvalidInputError(
                f"column {column!r} is empty.", fault="empty column", value=[*drop, column]
            )
        if empty[column] or column not in texts:
            continue
        try:
            refuse_commas(frame[column], f"column {column!r}", decimal)
            _check_categories(frame[column], column, decimal)
        except InvalidInputError as error:
            is_other_sign = error.fault in ("decimal commas", "commas in doubt", "decimal points")
            if (is_other_sign or error.fault in ("points in doubt", "both signs")) and not is_sure:
                # with the right sign the other columns may be numbers
                raise
            refused[column] = InvalidInputError(error.fact) if is_other_sign else error
    if refused:
        raise _all_refused(refused, drop)
    if features is None:
        kept, texts = _leave_out_single(frame, kept, texts, label)
    return frame[kept], texts


def _all_refused(refused, drop):
    """Return one error for all columns that cannot be used, of `{column: error}`; those of `drop` are left out."""
    errors = list(refused.values())
    if len(errors) == 1:
        return errors[0]
    # of these the way out is by what their rows share
    owners = {column: error for column, error in refused.items() if error.fault in ("owners", "many categories")}
    last = next(iter(owners.values()), None)
    empty = [column for column, error in refused.items() if error.fault == "empty column"]
    together = empty if len(empty) > 1 else []
    facts = [f"columns {listed(empty)} are empty."] if together else []
    facts += [str(error) for column, error in refused.items() if error is not last and column not in together]
    said = " ".join(fact[0].upper() + fact[1:] for fact in facts)
    others = [column for column in refused if column not in owners]
    option = option_with("--drop", as_list([*drop, *others]))
    drop = f" You can leave columns out by {option}, or name the predictors by --features."
    told = f"{len(errors)} columns cannot be used as they are. {said}{drop if others else ''}"
    if last is None:
        return InvalidInputError(told)
    fact = last.fact[0].upper() + last.fact[1:]
    return InvalidInputError(f"{told} {fact}", fault=last.fault, value=last.value)


def check_texts_of_formula(frame, formula, decimal):
    """Refuse numbers among which a few texts stand, unless the formula has them in C(...); tell of other texts."""
    import pandas as pd

    texts, refused = [], []
    for column in frame.columns:
        values = frame[column].dropna()
        if values.empty:
            way_out = f"Leave it out: write '- {_in_formula(column)}' at the end of the formula."
            refused.append(InvalidInputError(f"column {column!r} is empty.", way_out=way_out))
            continue
        if pd.api.types.is_numeric_dtype(values) or not all(isinstance(value, str) for value in values):
            continue
        refuse_commas(frame[column], f"column {column!r}", decimal)
        if isinstance(values.dtype, pd.CategoricalDtype):
            continue
        if re.search(rf"\bC\(\s*(`?){re.escape(column)}\1\s*[,)]", formula):
            continue
        try:
            refuse_as_categories(values, column, decimal)
            _refuse_many_of_formula(values, column)
            texts.append(column)
        except InvalidInputError as error:
            refused.append(error)
    if len(refused) > 1:
        said = " ".join(str(error)[0].upper() + str(error)[1:] for error in refused)
        raise InvalidInputError(f"{len(refused)} columns cannot be used as they are. {said}")
    if refused:
        raise refused[0]
    single = single_values(frame, texts, texts)
    for column, value in single.items():
        say_note(
            f"column {column!r} has no value but {value!r}, so that rows with another value cannot be predicted; to "
            f"leave it out, write '- {_in_formula(column)}' at the end of the formula"
        )
    tell_categories(frame, [column for column in texts if column not in single])


def _in_formula(column):
    return column if column.isidentifier() else f"`{column}`"


def _refuse_many_of_formula(values, column):
    n_distinct = values.nunique()
    if n_distinct > MAX_LEVELS:
        raise InvalidInputError(
            f"column {column!r} is text with {n_distinct} different values (such as {values.iloc[0]!r}). If the "
            f"values are categories, write C({_in_formula(column)}) in the formula.",
            fault=MANY_OF_FORMULA,
            value=column,
            way_out="Otherwise leave it out of the formula.",
        )


def tell_categories(frame, texts):
    """Tell which columns of text are coded as categories, and how many each has."""
    if texts:
        counts = (f"{column} ({frame[column].nunique()} values)" for column in texts)
        say_note(f"coded as categories: {', '.join(counts)}")
    for told in doubtful_categories_told(frame, texts):
        say_note(told)


def _leave_out_single(frame, kept, texts, label):
    """Return columns, and those of text among them, without those of a single value, and say which these are.

    They tell nothing of the label, and a model with such a text would refuse the rows of another hospital, whose value
    differs. Gaps among numbers may tell something, and some methods take them.
    """
    single = single_values(frame, kept, texts)
    if len(single) > MOST_SINGLE:
        say_note(
            f"{len(single)} columns have a single value and are left out of the predictors: {listed(list(single))}"
        )
    else:
        for column, value in single.items():
            say_note(f"column {column!r} has no value but {value!r} and is left out of the predictors")
    if len(single) == len(kept):
        raise InvalidInputError(f"no predictor with two values is left beside the label {label!r}.")
    return [column for column in kept if column not in single], [column for column in texts if column not in single]


def single_values(frame, columns, texts):
    """Return {column: value} of those columns that have a single value, and no gaps unless they are among `texts`."""
    of_text = set(texts)
    numbers = [column for column in columns if column not in of_text]
    # a look at each of thousands of columns takes seconds
    head = frame.iloc[:20][numbers].to_numpy(np.float64, na_value=np.nan)
    likely = {column for column, same in zip(numbers, (head == head[:1]).all(axis=0), strict=True) if same}
    single = {}
    for column in columns:
        values = frame[column] if column in likely or column in of_text else None
        if values is None or values.nunique() != 1:
            continue
        if column in of_text or values.notna().all():
            single[column] = values.dropna().iloc[:1].tolist()[0]
    return single


def _check_categories(values, column, decimal):
    import pandas as pd

    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    present = values.dropna().astype(object)
    texts = present[[isinstance(value, str) for value in present]]
    if len(texts) < len(present):
        if is_category:
            return
        raise InvalidInputError(
            f"column {column!r} holds {values.dtype} values, neither numbers nor text.", fault="unusable column"
        )
    n_distinct = texts.nunique()
    told = few_texts(texts, column, decimal)
    if told:
        # as categories more of them would be refused as well
        codes = (
            " If the values are codes, such as the stages of a disease, write a word before every one of them, as in "
            "'stage 1' and 'stage 4S'. The column is then read as categories."
        ) * (n_distinct <= MAX_LEVELS)
        raise InvalidInputError(f"{told}{codes}", fault="mendable column")
    n_sharing = n_sharing_owners(values, n_distinct)
    # numbers of patients or other owners of rows, such as 943 479 5195, whose blanks are between no thousands
    are_names = n_distinct > MAX_LEVELS and (n_sharing or texts.str.contains(r"\d\s\d{4}").any())
    told = "" if are_names else other_signs(texts, column, decimal)
    if told:
        raise InvalidInputError(told, fault="mendable column")
    if n_distinct > MAX_LEVELS and not is_category:
        may_belong_together = n_distinct < len(texts) and not _are_dates(texts)
        fault = "many categories" if may_belong_together else "unusable column"
        codes = texts[texts.str.match(r"\s*[-+]?0\d")]
        zeros = len(codes) > 0 and are_numbers(texts, decimal or ".").all()
        way_out = ""
        if zeros:
            way_out = (
                f" Leading zeros, as in {codes.iloc[0]!r}, show codes, such as ZIP codes or case numbers, and no "
                f"numbers: leave the column out, or make at most {MAX_LEVELS} categories of it, as by the first digits."
            )
        raise InvalidInputError(
            f"column {column!r} is text with {n_distinct} different values (such as {texts.iloc[0]!r}), too many "
            f"to be categories (at most {MAX_LEVELS}).{way_out}",
            fault="owners" if n_sharing else fault,
            value=column,
        )


def _are_dates(texts):
    import pandas as pd

    return pd.to_datetime(texts.iloc[:100], errors="coerce", format="mixed").notna().all()


def rows_as_arguments(rows, label, labels, formula=None):
    """Return predictors and labels as arguments of `npc`: a matrix, or a table for a formula."""
    return {"X": rows, "y": labels} if formula is None else {"X": formula, "data": rows.assign(**{label: labels})}
