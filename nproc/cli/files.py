"""Tables from files for the command line: CSV, Parquet and JSON lines, the columns that predict, labels as text."""

import bisect
import codecs
import difflib
import gzip
import itertools
import json
import re
import sys
import warnings
import zlib
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from nproc.checks import check_path, count_of
from nproc.cli.wording import option_with, rows_counted
from nproc.errors import FirstRowError, InvalidInputError, NPError
from nproc.outputs import replaced_file
from nproc.row_chunks import (
    CSV_ENDINGS,
    MISSING,
    PARQUET_ENDINGS,
    REFUSED_BY_METHOD,
    CSVTable,
    RefusedValuesError,
    check_encoding,
    check_format,
    may_be_rounded,
    refusing,
    score_new_rows,
    unknown_extension,
    whole_numbers,
)
from nproc.rows import (
    NEW_CATEGORY,
    UnseenCategoriesError,
    are_numbers,
    counting_rows,
    distinct_labels,
    doubtful_categories_told,
    few_texts,
    is_alike,
    n_sharing_owners,
    other_signs,
    refuse_as_categories,
    refuse_commas,
    refuse_other_spellings,
    refuse_points_in_doubt,
    refuse_two_signs,
    take_rows,
    times_among,
)

MAX_LEVELS = 50
# columns of a single value told one by one
MOST_SINGLE = 4
JSON_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def read_table(path, *, sep=None, decimal=None, encoding=None, texts=None, tell=None):
    """Return the DataFrame in a file of CSV, Parquet or JSON lines, told apart by the extension.

    Numbers are read to the last digit. A first column without a name holds row names and is left out. If `decimal` is
    None, it is a point, and columns of a CSV file whose points may stand between thousands are text. So are columns
    with leading zeros, as in 007, which show codes. `texts` are columns of a CSV file that hold text, as
    `nproc.rows.Design.texts` has them, and None for a column whose leading zeros show no codes.

    Rows of a CSV file of which every field is empty are skipped; the index has the places of the others in the file.
    `tell` is called with a sentence on them, which begins with how many they are.

    Raises
    ------
    InvalidInputError
        The file is not there, cannot be read as a table, is empty, or pyarrow is missing; a line of a CSV file is
        blank, or has more or fewer fields than its header.
    """
    path = check_path(path, "path")
    if not path.is_file():
        raise InvalidInputError(f"there is no file {path}." if not path.exists() else f"{path} is not a file.")
    kind = kind_of_file(path)
    if kind == "parquet":
        import pandas as pd

        with _refusing_parquet(path):
            # rows are known by their place, as in any other file
            frame = pd.read_parquet(path, engine="pyarrow").reset_index(drop=True)
            if rounded := [name for name in frame.columns if may_be_rounded(frame[name])]:
                exact = pd.read_parquet(path, engine="pyarrow", columns=rounded, dtype_backend="numpy_nullable")
                frame = frame.assign(**{name: whole_numbers(exact[name], frame[name]) for name in rounded})
    elif kind == "csv":
        with refusing(path):
            table = CSVTable(path, sep, decimal, encoding=encoding, texts=texts)
            frame, _ = table.look(None)
        if table.empty.size and tell is not None:
            tell(_empty_note(table))
    elif kind == "jsonl":
        frame = next(_jsonl_parts(path, None))
    else:
        raise InvalidInputError(unknown_extension(path, CSV_ENDINGS + PARQUET_ENDINGS + JSON_ENDINGS))
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has no rows.")
    return frame


def _empty_note(table):
    fate = {"one": "is skipped", "several": "are skipped"}
    return omitted_note(table.empty.size, table.n_rows, "the file", "nothing in any column", **fate)


def say_note(text):
    """Write a note to the standard error."""
    sys.stderr.write(f"note: {text}\n")


def count_outside(fit, rows):
    """Return for each column how many values of rows lie outside its range at the fit, and how many there are."""
    ranges = getattr(getattr(fit, "design", None), "ranges", None)
    return 0 if ranges is None else ranges.count_outside(rows)


def warn_of_ranges(fit, counts, file):
    """Warn where most values of a column of a file lie outside its range at the fit; `count_outside` counts them."""
    ranges = getattr(getattr(fit, "design", None), "ranges", None)
    if told := "" if ranges is None else ranges.told(counts):
        sys.stderr.write(f"warning: {Path(file).name}: {told}\n")


def texts_of(fit):
    """Return the columns of a fit as `read_table` takes them, None for numbers; None for what knows no columns."""
    texts = getattr(getattr(fit, "design", None), "texts", None)
    return texts if texts is None else {**dict.fromkeys(fit.feature_names or ()), **texts}


def kind_of_file(path):
    """Return "csv", "parquet" or "jsonl" for a file with a known extension, else None."""
    path = Path(path)
    name = path.name.lower()
    if not path.is_file():
        return None
    endings = {"parquet": PARQUET_ENDINGS, "csv": CSV_ENDINGS, "jsonl": JSON_ENDINGS}
    return next((kind for kind, known in endings.items() if name.endswith(known)), None)


def _jsonl_parts(path, n_rows):
    """Return an iterator over tables of `n_rows` objects each of a file of JSON lines, or over one of all, if None.

    Numbers are read to the last digit. A name that an object lacks is a missing value there.
    """
    import pandas as pd

    found = False
    try:
        with gzip.open(path, "rb") if str(path).lower().endswith(".gz") else open(path, "rb") as file:
            records = _jsonl_records(path, file)
            while part := list(itertools.islice(records, n_rows)):
                found = True
                frame = pd.DataFrame(part)
                for name in [name for name in frame.columns if may_be_rounded(frame[name])]:
                    exact = pd.Series([record.get(name) for record in part], dtype=object)
                    frame[name] = whole_numbers(exact, frame[name])
                yield frame
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}.") from error
    if not found:
        raise InvalidInputError(f"{path} has no rows.")


def _jsonl_records(path, lines):
    empty = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            empty = empty or number
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InvalidInputError(f"line {number} of {path} cannot be read as JSON: {error}.") from error
        if not isinstance(record, dict):
            raise InvalidInputError(
                f'line {number} of {path} is not a JSON object; each line must be one, such as {{"score": 0.5}}.'
            )
        if empty:
            raise InvalidInputError(f"line {empty} of {path} is blank; every line must be one row.")
        yield record


@contextmanager
def _refusing_parquet(path):
    try:
        import pyarrow
    except ImportError:
        raise InvalidInputError(f"reading {path} requires pyarrow: pip install 'nproc-py[parquet]'.") from None
    try:
        yield
    except NPError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read as Parquet: {error}") from error


def require_columns(frame, columns, what):
    """Raise unless `frame` has all `columns`; `what` begins the message."""
    lost = [column for column in columns if column not in frame.columns]
    if lost:
        meant = near_names(columns, frame.columns)
        raise InvalidInputError(
            f"{what} {listed(lost)} is not in the data. {meant}The columns are {listed(frame.columns)}."
        )


def complete_column(frame, column, what, way_out="fill them in, or leave out these rows"):
    """Return a column of groups or clusters; without it, or with a gap in it, is an error, which `what` begins."""
    require_columns(frame, [column], what)
    missing = np.flatnonzero(frame[column].isna().to_numpy())
    if missing.size:
        raise InvalidInputError(
            f"{what} {column!r} has {missing.size} missing value(s), the first in row {frame.index[missing[0]] + 1}; "
            f"{way_out}."
        )
    return frame[column]


def near_names(wanted, names, most=12):
    """Return a question that gives for each of the first wanted names that are not there the nearest other, or "".

    Examples
    --------
    >>> near_names(["age", "bmi", "sex"], ["sex", "Age", "BMI"])
    "Did you mean 'Age' for 'age', 'BMI' for 'bmi'? "
    """
    there, asked = set(names), set(wanted)
    lost = [name for name in wanted if name not in there]
    # names that differ by capitals alone are the closest, and no name stands for two
    known, found = {str(name).lower(): name for name in names if name not in asked}, {}
    for name in sorted(lost[:most], key=lambda name: str(name).lower() not in known):
        for close in difflib.get_close_matches(str(name).lower(), known, n=1):
            found[name] = known.pop(close)
    if not found:
        return ""
    pairs = (f"{found[name]!r} for {name!r}" for name in lost if name in found)
    return f"Did you mean {', '.join(pairs) if len(lost) > 1 else repr(found[lost[0]])}? "


def label_values(frame, label, na_action=None):
    """Return the label column as an array; missing labels are an error, unless `na_action` says to omit the rows."""
    require_columns(frame, [label], "the label")
    values = frame[label]
    missing = np.flatnonzero(values.isna().to_numpy())
    if missing.size and na_action == "omit":
        # a gap makes whole numbers decimal
        return values.convert_dtypes().to_numpy(dtype=object)
    if missing.size:
        omit = "" if na_action is None else " With --na-action omit they are left out of the fit."
        raise InvalidInputError(
            f"the label column {label!r} has {missing.size} missing value(s), the first in row "
            f"{frame.index[missing[0]] + 1}; "
            f"remove those rows or label them (empty, NA, NaN, NULL and None count as missing).{omit}"
        )
    plain = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    return values.to_numpy() if plain in "biuf" else np.array(values.tolist())


def match_label(text, values, *, where="the label column"):
    """Return the one of `values` that the user means by `text`: the same text, the same number, or true and false.

    Examples
    --------
    >>> match_label("1", [0.0, 1.0]), match_label("0", ["0", "1"]), match_label("1", [False, True])
    (1.0, '0', True)
    """
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    found = _same_labels(text, values)
    if found:
        return found[0]
    meant = [value for value in values if is_alike(value, text)]
    hint = f" Did you mean {meant[0]!r}?" if meant else ""
    many = f" It has {len(values)} different values: is it the column of labels?" if len(values) > 20 else ""
    raise InvalidInputError(f"{str(text)!r} is not a label in {where}, which has {listed(values)}.{many}{hint}")


def is_label(value, labels):
    """Return whether a value is one of some labels, as the same text or number."""
    return bool(_same_labels(value, labels))


def _same_labels(text, values):
    for same in (str, _as_number):
        wanted = same(text)
        found = [value for value in values if wanted is not None and same(value) == wanted]
        if found:
            return found
    return []


def prevalence_of(given, labels):
    """Return a prevalence as the library takes it: a dict by one of the labels; without a label it is that of class 1.

    Examples
    --------
    >>> prevalence_of(("1", 0.25), [0, 1]), prevalence_of((None, 0.25), [0, 1])
    ({1: 0.25}, {1: 0.25})
    """
    label, share = given
    if label is not None:
        return {match_label(label, labels): share}
    if list(labels) != [0, 1]:
        sys.stderr.write(
            f"note: --prevalence without a label is the share of {labels[1]}; for that of {labels[0]}, give "
            f"{option_with('--prevalence', f'{labels[0]}=P')}\n"
        )
    return {labels[1]: share}


def distinct(values):
    """Return the different labels in the order of their texts."""
    return sorted(set(present(values).tolist()), key=str)


def present(labels):
    """Return the labels that are there, where rows without one are to be omitted."""
    import pandas as pd

    return labels if labels.dtype != object else labels[~pd.isna(labels)]


def first_label(values):
    """Return the first label in sorted order, which is class 0 unless another is named; None unless there are two."""
    found = distinct_labels(present(values), "the label column")[0].tolist()
    return found[0] if len(found) == 2 else None


def _as_number(value):
    """Return the number that a label is or reads as, with 1 for true and 0 for false; None for other text."""
    word = str(value).strip().lower()
    try:
        return float({"true": 1, "false": 0}.get(word, word))
    except ValueError:
        return None


def labels_for(fit, frame, label, file):
    """Return the label column of a file as the labels of a fit: text "1" from one file is the number 1 of another."""
    distinct, codes = np.unique(label_values(frame, label), return_inverse=True)
    distinct, labels = distinct.tolist(), np.asarray(fit.labels).tolist()
    unknown = [value for value in distinct if not _same_labels(value, labels)]
    if unknown:
        many = f" It has {len(distinct)} different values: is it the column of labels?" if len(distinct) > 20 else ""
        raise InvalidInputError(
            f"the labels of the fit are {listed(labels)}, and the column {label!r} of {file} has {listed(unknown)}."
            f"{many}",
            fault="unknown labels",
            way_out="Write the labels in this file as in the fit.",
        )
    return np.array([_same_labels(value, labels)[0] for value in distinct])[codes]


def class0_rows(labels, column, class0, class1=None):
    """Return which labels of a column are class 0: text "1" is the number 1 of another file.

    A label that is neither of the two classes is an error, and so is another spelling of class 0 where `class1` is
    None, which lets all other labels be. A class 0 row with a typing error would else be left out in silence.

    Examples
    --------
    >>> class0_rows(np.array(["bad", "fine"]), "label", "bad")
    array([ True, False])
    """
    found, codes = np.unique(labels, return_inverse=True)
    known = [class0] if class1 is None else [class0, class1]
    meant = [_same_labels(value, known) for value in found.tolist()]
    unknown = [value for value, same in zip(found.tolist(), meant, strict=True) if not same]
    refuse_other_spellings(class0, unknown, f"the column {column!r}")
    if unknown and class1 is not None:
        many = f" It has {len(found)} different values: is it the column of labels?" if len(found) > 20 else ""
        raise InvalidInputError(
            f"the classes are {listed(known)}, and the column {column!r} also has {listed(unknown)}.{many}",
            fault="unknown labels",
            way_out="Write the labels as these two, or leave out the rows of other classes.",
        )
    return np.array([same[:1] == [class0] for same in meant], dtype=bool)[codes]


def choose_predictors(frame, label, *, features=None, drop=(), decimal=None):
    """Return the predictors, and the names of those that are text, which need coding as categories."""
    import pandas as pd

    require_columns(frame, [label], "the label")
    require_columns(frame, drop, "the column to drop")
    if features is not None:
        require_columns(frame, features, "the feature")
        if label in features:
            raise InvalidInputError(f"the label {label!r} is among the columns that predict; leave it out of them.")
    besides = {label, *drop}
    kept = [column for column in (frame.columns if features is None else features) if column not in besides]
    if not kept:
        raise InvalidInputError(f"no predictor is left beside the label {label!r}.")
    refuse_two_signs(frame[kept], decimal)
    texts = [column for column in kept if not pd.api.types.is_numeric_dtype(frame[column])]
    floats = [frame[column].dropna() for column in kept if pd.api.types.is_float_dtype(frame[column])]
    # a sign that was given, and that numbers of other columns have
    is_sure = decimal is not None and any((numbers % 1 != 0).any() for numbers in floats)
    refused = {}
    for column in texts:
        try:
            refuse_commas(frame[column], f"column {column!r}", decimal)
            _check_categories(frame[column], column, decimal)
        except InvalidInputError as error:
            if error.fault in ("decimal commas", "decimal points", "points in doubt", "both signs") and not is_sure:
                # with the right sign the other columns may be numbers
                raise
            is_other_sign = error.fault in ("decimal commas", "decimal points")
            refused[column] = InvalidInputError(error.fact) if is_other_sign else error
    if refused:
        raise _all_refused(refused)
    if features is None:
        kept, texts = _leave_out_single(frame, kept, texts, label)
    return frame[kept], texts


def _all_refused(refused):
    """Return one error for all columns that cannot be used, of `{column: error}`."""
    errors = list(refused.values())
    if len(errors) == 1:
        return errors[0]
    # of these the way out is by what their rows share
    owners = {column: error for column, error in refused.items() if error.fault in ("owners", "many categories")}
    last = next(iter(owners.values()), None)
    facts = [str(error) for error in errors if error is not last]
    said = " ".join(fact[0].upper() + fact[1:] for fact in facts)
    others = ",".join(str(column) for column in refused if column not in owners)
    drop = f" You can leave columns out by {option_with('--drop', others)}, or name the predictors by --features."
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
    single = _single_values(frame, texts, texts)
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
            f"column {column!r} is text with {n_distinct} different values (such as {values.iloc[0]!r}). If rows with "
            "the same value belong together, such as those of one patient, leave it out of the formula and give "
            f"{option_with('--clusters', column)}. If the values are categories, write "
            f"C({_in_formula(column)}) in the formula."
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
    single = _single_values(frame, kept, texts)
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


def _single_values(frame, columns, texts):
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


def repeated_note(train, test, columns):
    """Return a line that says how many rows of `test` equal a row of `train` in some columns, or "".

    It is "" if all of them equal rows that occur several times in `train`. These are common values, as where all
    columns are categories, and no sign that one table was copied from the other.
    """
    times = times_among(test[list(columns)], train[list(columns)])
    if not np.any(times == 1):
        return ""
    n_repeated = int(np.sum(times > 0))
    equal = "equals" if n_repeated == 1 else "equal"
    return (
        f"warning: {count_of(n_repeated, len(test), 'test rows')} {equal} a row of the fit in all predictors; if they "
        "are the same observations, the errors are not those of new rows\n"
    )


@contextmanager
def places_of(tables):
    """Count the first row that is refused inside by its place in the file: that in the index of its table.

    `tables` has them by the argument as which their rows are given.
    """
    try:
        yield
    except FirstRowError as error:
        if error.argument not in tables:
            raise
        places = tables[error.argument].index
        raise error.counted(lambda row: int(places[row])) from error
    except UnseenCategoriesError as error:
        if not tables:
            raise
        # those of the new rows: the fit knows its own
        places = [table.index for table in tables.values()][-1]
        with counting_rows(lambda row: int(places[row])):
            raise error


@contextmanager
def refusals_in_words(model, rows):
    """Within it, an error of a library that a fit was made with names the file of the fit, the rows, and a way out."""
    try:
        yield
    except NPError as error:
        if error.fault != REFUSED_BY_METHOD:
            raise
        said = str(error.value).rstrip(".")
        raise InvalidInputError(f"the method of {model} refuses {rows}: {said}.", way_out=error.way_out) from error


def rows_for(fit, frame, *, besides=()):
    """Return the rows of a table as a fit wants them: its columns by name, or by position if it knows no names."""
    names = fit.feature_names
    if names is None:
        return frame.drop(columns=list(besides)).to_numpy()
    lost = [name for name in names if name not in frame.columns]
    if lost:
        meant = near_names(names, [name for name in frame.columns if name not in besides])
        rename = "Columns must have the names that they had in training. " * bool(meant)
        raise InvalidInputError(
            f"the new data lack {listed(lost)}, which the model needs. {meant}{rename}They have "
            f"{listed(frame.columns)}."
        )
    for name in names:
        if not _holds_categories(fit, name):
            # text in place of numbers is refused in any case; the points are the better reason
            refuse_points_in_doubt(frame[name], f"column {name!r} of the new data")
    return _flags_as_numbers(frame[list(names)]) if fit.design.numeric else frame[list(names)]


def _flags_as_numbers(rows):
    """Return rows in which true and false are numbers where a gap among them has made objects of them."""
    import pandas as pd

    objects = [name for name in rows.columns if rows[name].dtype == object]
    flags = [name for name in objects if pd.api.types.infer_dtype(rows[name], skipna=True) == "boolean"]
    return rows.astype(dict.fromkeys(flags, np.float64))


def _holds_categories(fit, name):
    kinds = getattr(getattr(getattr(fit, "design", None), "coding", None), "kinds", {})
    return kinds.get(name) == "categories"


def as_fitted(fit, frame, decimal):
    """Return rows of a file as a fit reads them; raise if its columns of numbers have two decimal signs."""
    texts = texts_of(fit) or {}
    names = [name for name in fit.feature_names or () if name in frame.columns and texts.get(name) is None]
    refuse_two_signs(frame[names], decimal)
    return _with_decimal_points(fit, frame) if decimal == "," else frame


def refuse_text_among_numbers(fit, frame, decimal, *, omitted=False):
    """Raise for text in columns of numbers of a fit; the index of rows of `as_fitted` has their places in the file.

    Where rows with text were `omitted` already, nobody is told to omit them.
    """
    for name, is_text in _texts_among_numbers(fit, frame, decimal).items():
        if is_text.any():
            place = int(np.argmax(is_text))
            raise InvalidInputError(
                f"column {name!r} held numbers in training, and the new data have text there, such as "
                f"{frame[name].iloc[place]!r} in row {frame.index[place] + 1}.",
                fault=None if omitted else "text among numbers",
                way_out="Correct it, or leave the cell empty where the value is missing.",
            )


def _texts_among_numbers(fit, frame, decimal):
    """Return which rows have text, for each column that a fit has as numbers and that was read as text."""
    import pandas as pd

    design = getattr(fit, "design", None)
    kinds = getattr(getattr(design, "coding", None), "kinds", None)
    found = {}
    for name in fit.feature_names or ():
        is_number = getattr(design, "numeric", False) if kinds is None else kinds.get(name) == "numbers"
        if name not in frame.columns or not is_number or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        if decimal != ",":
            refuse_commas(frame[name], f"column {name!r} of the new data", decimal)
        found[name] = np.array([isinstance(value, str) for value in frame[name]], dtype=bool)
        found[name][found[name]] = ~are_numbers(frame[name][found[name]], ".")
    return found


def rows_of_numbers(fit, frame, decimal):
    """Return the rows of a table that have no text in the columns of numbers of a fit, and where others have, or None.

    With them go the index of the others by column. A column without any number is none of those of the fit, and stays
    as it is.
    """
    wrong, where = np.zeros(len(frame), dtype=bool), []
    texts = _texts_among_numbers(fit, frame, decimal)
    texts = {name: rows for name, rows in texts.items() if (frame[name].notna() & ~rows).any()}
    for name, rows in texts.items():
        if rows.any():
            values = frame[name][rows]
            more = f" and {values.nunique() - 1} more" if values.nunique() > 1 else ""
            first = "first " if len(values) > 1 else ""
            where.append(f"column {name!r} has {values.iloc[0]!r}{more} ({first}in row {values.index[0] + 1})")
            wrong |= rows
    kept = frame[~wrong]
    numbers = {name: [float(v) if isinstance(v, str) else v for v in kept[name]] for name in texts}
    return kept.assign(**numbers), "; ".join(where) or None, {name: frame.index[rows] for name, rows in texts.items()}


def _with_decimal_points(fit, frame):
    """Return rows of a file with decimal commas, in which columns with other text hold their numbers with points.

    What refuses the text then names that, and no number. Columns of categories stay as they are.
    """
    import pandas as pd

    found = {}
    for name in fit.feature_names or ():
        if name not in frame.columns or pd.api.types.is_numeric_dtype(frame[name]) or _holds_categories(fit, name):
            continue
        texts = frame[name].astype(str)
        found[name] = frame[name].mask(are_numbers(texts, ","), texts.str.replace(",", "."))
    return frame.assign(**found)


def complete_rows(fit, frame, besides):
    """Return the rows of a table that a fit can predict: those without gaps, or with gaps that it takes.

    The columns `besides` are no predictors of a fit that knows no names.
    """
    import pandas as pd

    rows = pd.DataFrame(rows_for(fit, frame, besides=besides))
    complete = frame[~rows[fit.design.columns_without_gaps(rows.columns)].isna().any(axis=1).to_numpy()]
    if fit.design.coding is not None:
        return complete
    # a method that takes gaps in some columns may refuse them in others, which is known once it is asked
    with_gaps = complete[rows.set_axis(frame.index).loc[complete.index].isna().any(axis=1).to_numpy()]
    for error, refused in _refusals(fit, with_gaps, besides):
        if isinstance(error, RefusedValuesError) and error.faults[0].kind == MISSING:
            complete = complete.drop(index=refused)
    return complete


def known_rows(fit, complete, besides=()):
    """Return those of complete rows whose categories a fit knows, and in words where others are, or None.

    With them go the index of the others by column; those in which none is known to be at fault are in None.
    """
    where, at_fault = [], []
    for error, refused in _refusals(fit, complete, besides):
        if error.fault != NEW_CATEGORY:
            break
        at_fault.append(_columns_at_fault(complete.loc[refused], getattr(error, "found", ())))
        complete = complete.drop(index=refused)
        where += [error.where] if isinstance(error, UnseenCategoriesError) else []
    names = dict.fromkeys(name for columns in at_fault for name in columns)
    unseen = {name: [row for columns in at_fault for row in columns.get(name, ())] for name in names}
    return complete, "; ".join(where) or None, unseen


def _columns_at_fault(rows, unseen):
    """Return the index of rows with new categories by column, and of those in no known column by None."""
    found = {}
    for one in unseen:
        # a fit may know its columns by their places alone
        if one.column not in rows.columns:
            continue
        values = rows[one.column]
        if len(unseen) == 1:
            found[one.column] = rows.index
        elif one.known:
            found[one.column] = rows.index[(values.notna() & ~values.isin(one.known)).to_numpy()]
        elif one.n_others == 0:
            # what a method knows is not said, but what it does not
            found[one.column] = rows.index[(values == one.value).to_numpy(dtype=bool)]
    others = rows.index[~np.any([np.zeros(len(rows), dtype=bool), *map(rows.index.isin, found.values())], axis=0)]
    return found | {None: others}


def _refusals(fit, frame, besides):
    """Yield what a fit refuses of the rows of a table, and the index of these rows, until it takes the others."""
    design = fit.design
    if frame.empty or (design.coding is None and design.numeric):
        return
    rows, index = rows_for(fit, frame, besides=besides), frame.index
    while len(index):
        try:
            with counting_rows(lambda row, index=index: int(index[row])):
                _ask(fit, rows)
            return
        except (UnseenCategoriesError, RefusedValuesError) as error:
            if error.rows is None:
                return
            yield error, index[error.rows]
            rows, index = take_rows(rows, np.flatnonzero(~error.rows)), index[~error.rows]


def _ask(fit, rows):
    """Raise for rows that a fit refuses; what else there is to say is said where they are predicted."""
    if fit.design.coding is not None:
        fit.design.coding.plain(rows)
        return
    table = fit.design.transform(rows)
    if len(fit.labels) > 2:
        fit.predict(rows)
        return
    from nproc.scorers import score_rows

    values = fit.labels if fit.prefit else None
    for scorer in fit.scorers:
        score_new_rows(partial(score_rows, scorer, values=values), table)


def first_refused(fit, frame):
    """Return the place of the first row that the formula of a fit cannot code; None where no row is at fault."""
    if getattr(getattr(fit, "design", None), "coding", None) is None:
        return None
    try:
        rows = rows_for(fit, frame)
    except InvalidInputError:
        return None

    def is_refused(n):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit.design.transform(rows.iloc[:n])
        except InvalidInputError:
            return True
        return False

    before = bisect.bisect_left(range(1, len(rows) + 1), True, key=is_refused)
    return None if before == len(rows) else int(frame.index[before])


GAPS = "missing values"
TEXT = "text in a column of numbers"
# as many rows with gaps a note names
MOST_ROWS = 5
UNSEEN = "a category that was not in the training data"


def omitted_note(n, n_rows, file, what=GAPS, where=None, *, one="is left out", several="are left out"):
    """Return how many rows of a file are not used, and what they have and where, as a sentence; None for none."""
    have = f"has {what} and {one}" if n == 1 else f"have {what} and {several}"
    return f"{count_of(n, n_rows, first=True)} of {file} {have}{f': {where}' if where else ''}." if n else None


def places_of_gaps(gaps, n):
    """Return in words in which of `n` rows of a file values are missing, the first few, and in which columns of all.

    Parameters
    ----------
    gaps : list of (Index, Series of bool)
        Of each part of the file the places of its first such rows, and whether each column has a gap in one of them.
    n : int
        How many there are.

    Returns
    -------
    str
    """
    if not gaps:
        return ""
    first = [str(place + 1) for places, _ in gaps for place in places][:MOST_ROWS]
    *others, last = first
    more = n - len(first)
    rows = f"rows {', '.join([*others, last])} and {more} more" if more else f"rows {', '.join(others)} and {last}"
    missing = np.any([missing for _, missing in gaps], axis=0)
    return f"{rows if others else f'row {last}'}, in {listed(list(gaps[0][1].index[missing]))}"


def rows_of_fit(fit, frame, label, besides, file):
    """Return the rows of the table of a fit that it used, and what is said of those with gaps; None where none are.

    The columns `besides` are, like that of the labels, no predictors of a fit that knows no names.
    """
    if not fit.design.n_omitted:
        return frame, None
    of_fit = [getattr(fit, name, None) for name in ("group_column", "cluster_column")]
    known = frame.dropna(subset=[label, *(column for column in of_fit if column in frame.columns)])
    known = complete_rows(fit, known, dict.fromkeys([label, *besides]))
    fate = {"one": "is left out, as in the fit", "several": "are left out, as in the fit"}
    note = omitted_note(len(frame) - len(known), len(frame), file, **fate)
    return known, note


ERRORS_OF_OTHERS = "The errors below are those of the other rows."


def rows_with_errors(
    fit, frame, label, file, decimal, *, by=(), beside=(), done="count errors on", rest=ERRORS_OF_OTHERS
):
    """Return the rows of a table on which errors are counted, what is said of the others, and how many had what.

    Nothing is said, None, where there are no others. The table is as `as_fitted` returns it.

    A row with a gap in one of the columns `by`, those of its group or cluster, is left out too. The columns `beside`
    are, like that of the labels, no predictors of a fit that knows no names. What else than errors comes of the rows is
    told by `done`, with them, and by `rest`, a sentence on the rows that are returned.
    """
    besides = dict.fromkeys([*([] if label is None else [label]), *beside])
    complete = complete_rows(fit, frame, besides).dropna(subset=list(by))
    numbers, text, _ = rows_of_numbers(fit, complete, decimal)
    # a column without any number is not the one of the fit
    refuse_text_among_numbers(fit, numbers, decimal, omitted=True)
    known, unseen, _ = known_rows(fit, numbers, besides)
    counts = {GAPS: len(frame) - len(complete), TEXT: len(complete) - len(numbers), UNSEEN: len(numbers) - len(known)}
    where = {TEXT: text, UNSEEN: unseen}
    told = [omitted_note(n, len(frame), file, what, where.get(what)) for what, n in counts.items() if n]
    if known.empty:
        raise InvalidInputError(f"no row is left to {done}. {' '.join(told)}")
    note = " ".join([*told, rest])
    return known, f"{note} {rows_counted(note, [file])}".rstrip() if told else None, counts


def listed(values, most=12):
    """Return the first of some names or labels as text."""
    return ", ".join(map(repr, values[:most])) + (", ..." if len(values) > most else "")


PART_ROWS = 100_000
_OF_KIND = {"integer": "int64", "floating": "float64", "boolean": "bool", "string": "str", "empty": "float64"}


def common_types(path, columns, **form):
    """Return the types that columns have in a whole file, or None where only reading it as a whole would tell.

    Parameters
    ----------
    path : str or path
        A file that `nproc.cli.files.read_table` reads.
    columns : collection of str or None
        The columns that matter; None for all.
    **form : object
        How a CSV file is written; see `read_table`.

    Returns
    -------
    dict or None
        Name to type. None for a file of at most `PART_ROWS` rows, for what is no file, and for columns of dates,
        categories or a mixture of true, false and gaps, which are written according to all of their values.

    Notes
    -----
    One pass over the file. pandas takes a column for numbers if all of its values are: whole ones in one part and a gap
    in another make it decimal throughout, and text anywhere makes it text.
    """
    kind = kind_of_file(path)
    if kind is None:
        return None
    found, n_parts = {}, 0
    for part in read_parts(path, **form):
        n_parts += 1
        for name in part.columns if columns is None else [c for c in part.columns if c in columns]:
            found.setdefault(name, set()).add(_kind_of(part[name]))
    if n_parts < 2:
        return None
    types = {name: _common(kinds, kind) for name, kinds in found.items()}
    return None if None in types.values() else types


def read_in_parts(path, columns, **form):
    """Return the tables of some rows each that a file is read in: one of all where only the whole can be judged.

    `columns` are those that matter, None for all.
    """
    types = common_types(path, columns, **form)
    if types is None:
        return [read_table(path, **form, tell=say_note)]
    return read_parts(path, types, **form, tell=say_note)


def columns_to_type(path, columns):
    """Return those of the columns to keep whose types matter: none of a CSV file, where they are kept as text."""
    return () if kind_of_file(path) == "csv" else columns


def with_kept(frames, path, columns, **form):
    """Yield each of the tables that a file is read in with its `columns` to keep, in a CSV file as they stand there."""
    import pandas as pd

    what = "the column to keep"
    if not columns or kind_of_file(path) != "csv":
        for frame in frames:
            require_columns(frame, columns, what)
            yield frame, frame[columns]
        return
    with refusing(path):
        table = CSVTable(Path(path), **form)
        require_columns(pd.DataFrame(columns=table.columns), columns, what)
        # no text stands for a missing value
        options = {"usecols": list(dict.fromkeys(columns)), "dtype": "str", "na_filter": False}
        with table.read(**options, iterator=True, **table.without_empty) as reader:
            for frame in frames:
                yield frame, reader.get_chunk(len(frame))[columns].set_axis(frame.index)


def read_parts(path, types=None, *, tell=None, **form):
    """Return an iterator over parts of a table of `PART_ROWS` rows, with the `types` that `common_types` found.

    The index has the places of the rows in the file. For `tell` see `read_table`.
    """
    kind = kind_of_file(path)
    if kind == "csv":
        yield from csv_parts(path, PART_ROWS, types, tell=tell, **form)
        return
    first = 0
    if kind == "jsonl":
        for part in _jsonl_parts(path, PART_ROWS):
            # a name that no object of this part has is missing in all of them
            part = part.reindex(columns=list(dict.fromkeys([*part.columns, *(types or {})]))).astype(types or {})
            yield part.set_axis(range(first, first + len(part)))
            first += len(part)
        return
    # a gap makes whole numbers decimal in its part alone
    gaps = {name: kind for name, kind in (types or {}).items() if kind == "float64"}
    with _refusing_parquet(path):
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PART_ROWS):
                part = batch.to_pandas().astype(gaps)
                yield part.set_axis(range(first, first + len(part)))
                first += len(part)


def csv_parts(path, part_rows, types, *, decimal=None, tell=None, **form):
    """Return an iterator over the rows of a CSV file as `read_table` reads them, with the `types` of some columns."""
    with refusing(path):
        table = CSVTable(Path(path), decimal=decimal, **form)
        if decimal is None:
            # the first rows tell of the points, as for `read_in_chunks`
            _, doubtful = table.look()
            types = {**(types or {}), **dict.fromkeys(doubtful, "str")}
        if table.empty.size and tell is not None:
            tell(_empty_note(table))
        with table.read(chunksize=part_rows, dtype=types, **table.without_empty) as reader:
            yield from map(table.numbered, reader)


def signs_written(path, *, sep=None, decimal=None):
    """Return the separator and the decimal sign of a CSV file that a command writes; None is the standard output.

    Its options read the file, with a semicolon for `sep` where that was left out beside a decimal comma.

    Examples
    --------
    >>> signs_written("rows.csv"), signs_written("rows.csv", decimal=",")
    ({'sep': ',', 'decimal': '.'}, {'sep': ';', 'decimal': ','})
    """
    name = Path("the standard output" if path is None else path)
    if sep is None and decimal == "," and ".tsv" not in name.name.lower():
        sep = ";"
    sep, decimal = check_format(name, sep, decimal)
    return {"sep": sep, "decimal": decimal}


def write_texts(path, texts, *, sep=None, decimal=None, encoding=None):
    """Write texts to a file one after the other, compressed if its name ends in .gz; None is the standard output.

    The file is UTF-8. If the options of the command say other than a comma, a point and UTF-8, it begins with the
    mark of UTF-8: it is then read as such whatever the encoding of those is, and by spreadsheets too.
    """
    if path is None:
        sys.stdout.write("".join(texts))
        return
    usual = (sep or ",", decimal or ".", check_encoding(encoding)) == (",", ".", "utf-8")
    opened = gzip.open if str(path).lower().endswith(".gz") else open
    with replaced_file(path) as part, opened(part, "wb") as file:
        if not usual:
            file.write(codecs.BOM_UTF8)
        for text in texts:
            file.write(text.encode("utf-8"))


def _kind_of(values):
    import pandas as pd

    if not isinstance(values.dtype, np.dtype) and not pd.api.types.is_string_dtype(values.dtype):
        return "other"
    if values.dtype.kind in "Mmu":
        return "other"
    if values.isna().all():
        return "empty"
    found = pd.api.types.infer_dtype(values, skipna=True)
    if values.dtype == object and found != "string":
        # such as whole numbers of more than 64 bits, which no plain dtype holds
        return "other"
    # gaps in whole numbers make them decimal at once, and true and false a mixture
    complete = found != "boolean" or not values.isna().any()
    return found if found in _OF_KIND and complete else "other"


def _common(kinds, file):
    numbers = {"integer", "floating", "empty"}
    if len(kinds) == 1 and kinds <= set(_OF_KIND):
        return _OF_KIND[next(iter(kinds))]
    if kinds <= numbers:
        return "float64"
    # of a CSV file the text itself is there; a gap is one in text, too
    if "string" in kinds and kinds <= ({"string", "empty"} if file == "parquet" else set(_OF_KIND)):
        return "str"
    return None
