"""Columns of a table that tell rows or their owners apart, and are no measurement."""

import re
import unicodedata

import numpy as np

from nproc.checks import count_of
from nproc.errors import InvalidInputError, NPWarning, warn_of_data

_NAME = re.compile(r"(?:^|[\W_])(?:id|ID|Id|uuid|guid|mrn|MRN)(?:[\W_]|$)|[a-z0-9]I[Dd]$")


def _set(words):
    return frozenset(words.split())


# as parts of German names they stand for one; in other names they may be counted
_PLURALS = _set(
    "akten cases clients kunden mitglieder pacientes participants patienten patients pazienti personen persons "
    "probanden proben subjects versicherten"
)
_PATIENTS = _set(
    "paciente pacientes partecipante participant participante participants pat patient patienten patients paziente "
    "pazienti proband probanden teilnehmer"
)
_WHOSE = _PATIENTS | _set(
    "animal client cliente clients customer donante donatore donneur donor kunde kunden mitglied mitglieder person "
    "persona personen personne persons soggetto spender subj subject subjects sujet sujeto versicherten"
)
# names that are those of an identifier only where all values differ and are whole numbers or texts, or where many do
_ALONE = (_WHOSE - _PLURALS - _set("mitglied spender teilnehmer")) | _set(
    "accession aktenzeichen barcode case dni identifiant identifier ipp kennung matricule nhc nif nr nummer pseudonym "
    "record ssn"
)
_OWNERS = _ALONE | _set(
    "account admission aufnahme campione cartella cas caso chart dossier echantillon encounter expediente fall fiscale "
    "historia hospital kv lauf laufende lfd member mitglied muestra nhs probe sample sejour specimen spender study "
    "teilnehmer"
)
_CERTAIN_NUMBERS = _set("code codice codigo id kennung kurzel nr numero nummer pseudonym")
_OTHER_NUMBERS = _set("no num number")
_NUMBERS = _CERTAIN_NUMBERS | _OTHER_NUMBERS
_OF_ROWS = _NUMBERS | _set("index lauf laufende lfd line row running zeile")
_ALONE_OR_COUNTS = _OTHER_NUMBERS | _PLURALS | {"numero"}
# the English falls are counted, and Hausnummer is part of an address
_NUMBERS_OF_FALL = _set("kennung kurzel nr nummer pseudonym")
_NO_OWNERS = _set("haus telefon zimmer")
_PARTICLES = _set("d da de del della der des di do du l la le of")
# numbers of owners leave out few of the whole numbers between the first and the last
LEAST_FILLED = 0.9
# of so many different values at least, and so many for each row, a column with such a name holds no categories; where
# the name says whose a row is, the rows do not count, and of patients fewer are enough
MANY_OWNERS, OWNERS_PER_ROW, MANY_PATIENTS = 50, 0.25, 20
# of more values a formula makes no columns unless it names them
MANY_TEXTS = 50
# the least share of rows with a text of their own, where texts tell rows apart
LEAST_OF_ONE = 0.9
# the least share of rows that share their value, and the least probability that two rows differ in a column beside it
LEAST_SHARING, LEAST_DIFFERING = 0.25, 0.2
# rows of one owner on average
MOST_OF_ONE = 20
# with more columns the search among all pairs of them takes long
MOST_COLUMNS = 100
FEW_PAIRS = 20
# where ordinary columns show that they are no owners, and how many others are looked at in all rows
HEAD_ROWS, MOST_OWNERS = 10_000, 10
# a measurement looks like numbers of rows with a probability below 1e-6
LARGEST_LOG = np.log(1e-6)
# of so few rows 2 / n! is far below that already
FEWEST_ORDERED = 20
_AS_MEASUREMENT = (
    "Until then nothing is guaranteed. To keep it as a measurement, give the column another name, or name it in a "
    "formula where one can be given."
)


def why_identifier(values, n_distinct=None):
    """Return why a column of a table looks like an identifier of rows or of their owners; None if it does not.

    Parameters
    ----------
    values : pandas.Series
        The column, with its name.
    n_distinct : int, optional
        The number of its different values, if it is known.

    Notes
    -----
    Names such as id, uuid and MRN are those of an identifier. Names such as NHS number, PatNr, case_number, subject
    and numéro de dossier are so only of whole numbers or texts that differ in all rows, or of which there are at least
    50, and at least one for every four rows. A name that says whose a row is, such as patient or customer number, does
    not need the latter, since each of them may have many rows. Of patients 20 are enough. Fewer than 50 customers or
    subjects may be types of customers or fields of study. Counts may have a name such as Patienten or number too. It is
    that of an identifier only of texts, and of numbers that leave out at most a tenth of those between the first and
    the last.

    A column without the name of an identifier looks like one if it has another text in nearly each row, gaps aside.
    So it does if it has another whole number in each row, and either these are sorted or there is little room for so
    many different ones. Of n independent draws from s whole numbers all are different with a probability of at most
    exp(-n (n - 1) / (2 s)), whatever their distribution is. In the order of size they come with a probability of at
    most 2 / n!. Both are kept below 1e-6.

    Examples
    --------
    >>> import pandas as pd
    >>> why_identifier(pd.Series(range(101, 141), name="entry"))
    'it has another whole number in each row'
    >>> why_identifier(pd.Series(["P-04f2", "P-0c11", "P-0a90"], name="probe"))
    'it has another text in each row'
    >>> why_identifier(pd.Series([31250, 28100, 40775, 52400], name="income"))
    """
    named, n_distinct = _is_named(values, n_distinct)
    if n_distinct <= 2:
        # such as a mark of one of two groups
        return None
    if not named:
        known = values.dropna()
        distinct = n_distinct == len(known) and _numbers_rows(known)
        found = "another whole number in each row" if distinct else text_of_each_row(known, n_distinct)
        return f"it has {found}" if found else None
    if len(values.dropna()) == n_distinct:
        return "its name is that of an identifier"
    return "its name is that of an identifier, and some rows share their value"


def text_of_each_row(values, n_distinct):
    """Return in a few words that a column of `n_distinct` texts has another one in nearly each row; "" if it has not.

    Examples
    --------
    >>> import pandas as pd
    >>> text_of_each_row(pd.Series(["Ann", "Bob", "Cleo", None]), 3), text_of_each_row(pd.Series(["a", "b", "a"]), 2)
    ('another text in each row', '')
    """
    known = values.dropna()
    if n_distinct <= 2 or not tells_apart(n_distinct, len(known)) or not all(isinstance(text, str) for text in known):
        return ""
    return f"another text in {'each' if n_distinct == len(known) else 'nearly each'} row"


def tells_apart(n_distinct, n):
    """Return whether so many different texts in `n` rows tell nearly all of these apart."""
    return n_distinct >= LEAST_OF_ONE * n


def names_owners(values):
    """Return whether a column is named as an identifier, however few values it has.

    Examples
    --------
    >>> import pandas as pd
    >>> names_owners(pd.Series([7, 8], name="patient_id")), names_owners(pd.Series([7, 8], name="visits"))
    (True, False)
    """
    return may_name_owners(str(values.name)) and _is_named(values, None)[0]


def numbers_rows_anew(values):
    """Return whether a column of a file numbers its rows from 0 or 1, and its name does not say of whom.

    The index has the places of the rows in the file, of which some may have been left out.

    Examples
    --------
    >>> import pandas as pd
    >>> [numbers_rows_anew(pd.Series([1, 2, 3], name=name)) for name in ("id", "row_id", "patient_id")]
    [True, True, False]
    >>> numbers_rows_anew(pd.Series([1, 2, 3, 4], name="id")[[0, 1, 3]])
    True
    """
    counts = values.index.tolist(), [*range(len(values))]
    counted = any(values.tolist() in (count, [number + 1 for number in count]) for count in counts)
    return counted and _OF_ROWS.issuperset(_words(str(values.name)))


def n_sharing_owners(values, n_distinct=None):
    """Return how many rows share their value with another row, in a column that is named as an identifier; else 0.

    Examples
    --------
    >>> import pandas as pd
    >>> n_sharing_owners(pd.Series([7, 7, 8, 9], name="patient_id"))
    2
    >>> n_sharing_owners(pd.Series([7, 7, 8, 9], name="visits"))
    0
    """
    if not may_name_owners(str(values.name)):
        return 0
    named, n_distinct = _is_named(values, n_distinct)
    if not named or n_distinct <= 2:
        return 0
    return int(values.dropna().duplicated(keep=False).sum())


def owners_within(table, parts, besides, known=()):
    """Return how many rows of some parts of a table share an owner with another row of their part, by the columns.

    Parameters
    ----------
    table : DataFrame
        All rows, by which a column is judged as an identifier.
    parts : sequence of DataFrame
        Rows of the table that are counted together, such as those of each class.
    besides : collection of str
        Columns that name no owners, such as that of the labels.
    known : collection of str
        Columns that named owners in the rows of a fit or rule, and do so here, however few owners there are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"ID": [7, 7, 8, 8, 9], "ill": [0, 0, 0, 1, 1]})
    >>> owners_within(table, [table], ["ill"]), owners_within(table, [table[:3], table[3:]], ["ill"])
    ({'ID': 4}, {'ID': 2})
    >>> few = table.rename(columns={"ID": "patient"})
    >>> owners_within(few, [few], ["ill"]), owners_within(few, [few], ["ill"], known=["patient"])
    ({}, {'patient': 4})
    """
    others = [column for column in table.columns if column not in besides]
    named = [column for column in others if column in known or n_sharing_owners(table[column])]
    counts = {
        column: sum(int(part[column].dropna().duplicated(keep=False).sum()) for part in parts) for column in named
    }
    return {column: count for column, count in counts.items() if count}


def shared_owners(table, clusters=None):
    """Return how many rows of a table share an owner with another row, in another cluster if there are any.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"patient_id": [7, 7, 8, 8, 9]})
    >>> shared_owners(table), shared_owners(table, table["patient_id"]), shared_owners(table, list("aabcd"))
    ({'patient_id': 4}, {}, {'patient_id': 2})
    """
    counts = owners_within(table, [table], ())
    if clusters is None or not counts:
        return counts
    counts = {column: _n_across(table[column], clusters) for column in counts}
    return {column: count for column, count in counts.items() if count}


def owners_told(counts, n_rows, other="another row", earlier=None):
    """Return in a few words which rows depend on each other by their owners, as identifiers say; "" if none do.

    Parameters
    ----------
    counts : dict of int
        What `n_sharing_owners` says of some columns of a table, by their names.
    n_rows : int
        The number of rows of the table.
    other : str
        With what they share it.
    earlier : dict of int, optional
        How many rows share their value with a row that was counted earlier, by the names of the columns.

    Examples
    --------
    >>> owners_told({"age": 0, "ID": 2}, 4)
    "rows of one patient, country or other unit are not independent: 2 of the 4 rows share their 'ID' with another row"
    """
    found = [(counts, other), (earlier or {}, "a row of an earlier file")]
    shared = [
        f"{count_of(count, n_rows)} {'shares its' if count == 1 else 'share their'} {column!r} with {whom}"
        for of_columns, whom in found
        for column, count in of_columns.items()
        if count
    ]
    return f"rows of one patient, country or other unit are not independent: {'; '.join(shared)}" if shared else ""


def settled_columns(frame, column, known=None):
    """Return two columns that are the same in all rows that share a whole number, if that looks like an owner's.

    Such are age and sex beside a number of patients whose name says nothing. At least 50 values must be shared, and one
    for every 20 rows, by a quarter of the rows or more. A column counts if two rows drawn at random differ in it with a
    probability of at least 0.2, so that it agrees in that many pairs of rows with a probability of at most 0.8^50 by
    chance. Two columns must count. One of numbers that rise or fall with the values does not, as the square of an age,
    nor one of few categories for ranges of them. `known` keeps the codes of columns for further calls.

    Examples
    --------
    >>> import pandas as pd
    >>> who = pd.Series(range(60)).repeat(2)
    >>> settled_columns(pd.DataFrame({"w": who, "age": who * 7 % 11, "sex": who * 5 % 3, "row": range(120)}), "w")
    ['age', 'sex']
    """
    values, known = frame[column], {} if known is None else known
    if values.dtype.kind not in "iuf" or frame.shape[1] > MOST_COLUMNS or not _whole_or_text(values):
        return []
    counts = values.value_counts()
    shared = counts[counts > 1]
    if len(shared) < max(MANY_OWNERS, len(values) / MOST_OF_ONE) or shared.sum() < LEAST_SHARING * len(values):
        return []
    before, behind, first = _sharing(values)
    found = []
    for other in _agreeing(frame, before[:FEW_PAIRS], behind[:FEW_PAIRS]).drop(column):
        if other not in known:
            known[other] = _codes(frame[other]).astype(np.int32)
        codes = known[other]
        if np.array_equal(codes[before], codes[behind]):
            shares = np.bincount(codes) / len(codes)
            n_runs = 1 + np.count_nonzero(np.diff(codes[first]))
            ranks = np.corrcoef(np.arange(len(first)), codes[first])[0, 1] if len(shares) > 1 else 1
            if 1 - np.sum(shares**2) >= LEAST_DIFFERING and abs(ranks) < 0.5 and n_runs > 2 * min(len(shares), 10):
                found.append(other)
                if len(found) == 2:
                    return found
    return []


def _owner_by_values(frame, columns):
    """Return that of some columns with most values of which `settled_columns` finds any, and these; None if none is."""
    likely, known = [], {}
    for column in columns:
        head = frame.iloc[:HEAD_ROWS]
        if head[column].dtype.kind in "iuf" and frame.shape[1] <= MOST_COLUMNS:
            before, behind, _ = _sharing(head[column])
            # two columns must agree in all pairs, so in these
            if len(_agreeing(head, before[:FEW_PAIRS], behind[:FEW_PAIRS])) > 2:
                likely.append(column)
    # an owner has at least as many values as what is the same in all of its rows
    for column in sorted(likely, key=lambda column: -frame[column].nunique())[:MOST_OWNERS]:
        settled = settled_columns(frame, column, known)
        if settled:
            return column, settled
    return None


def _sharing(values):
    """Return each row behind another one of the same number, that one, and the first row of each number."""
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    order = np.argsort(numbers, kind="stable")
    same = np.diff(numbers[order]) == 0
    return order[:-1][same], order[1:][same], order[np.r_[True, ~same]]


def _agreeing(frame, before, behind):
    """Return the columns that are the same in some rows as in others; gaps are one value."""
    few = frame.iloc[np.r_[before, behind]]
    cells = few.to_numpy(dtype=object, copy=True)
    cells[few.isna().to_numpy()] = None
    return frame.columns[(cells[: len(before)] == cells[len(before) :]).astype(bool).all(axis=0)]


def _codes(values):
    """Return the values of a column as whole numbers from 0, in their order; gaps are one value."""
    import pandas as pd

    codes, known = pd.factorize(values, sort=values.dtype.kind in "biufM")
    return np.where(codes < 0, len(known), codes)


def rows_across(frame, column, clusters):
    """Return how many rows of a frame have a value in `column` that rows of other clusters have too.

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"patient_id": [1, 1, 2, 2], "visit_id": [7, 8, 9, 9]})
    >>> rows_across(visits, "patient_id", "visit_id"), rows_across(visits, "visit_id", "patient_id")
    (2, 0)
    """
    return int((frame.groupby(column)[clusters].transform("nunique") > 1).sum())


def _n_across(values, clusters):
    import pandas as pd

    return rows_across(pd.DataFrame({0: np.asarray(values), 1: np.asarray(clusters)}), 0, 1)


def holds_all(frame, columns):
    """Return the column within whose values all those of the other columns lie; None if they cross.

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"visit_id": [7, 8, 9, 9], "patient_id": [1, 1, 2, 2], "room_id": [3, 4, 3, 4]})
    >>> holds_all(visits, ["visit_id", "patient_id"]), holds_all(visits, ["visit_id", "patient_id", "room_id"])
    ('patient_id', None)
    """
    for candidate in columns:
        if not any(rows_across(frame, other, candidate) for other in columns if other != candidate):
            return candidate
    return None


def may_name_owners(name):
    """Return whether a column of this name may have identifiers of owners; its values tell whether it has."""
    return _NAME.search(name) is not None or _names_owner(name) is not None


def _is_named(values, n_distinct):
    """Return whether a column has the name of an identifier and values to match, and its number of different values."""
    n_distinct = values.nunique() if n_distinct is None else n_distinct
    if _NAME.search(str(values.name)) is not None:
        return True, n_distinct
    kind = _names_owner(str(values.name))
    if kind is None or not _whole_or_text(values) or (kind == "or counts" and _may_count(values, n_distinct)):
        return False, n_distinct
    n = int(values.notna().sum())
    many = max(MANY_OWNERS, OWNERS_PER_ROW * n)
    # in numbers a name such as patients may still be that of counts
    if kind == "certain" or values.dtype.kind == "O":
        words = _words(str(values.name))
        if not _PATIENTS.isdisjoint(words):
            many = MANY_PATIENTS
        elif words == ["case"] or not (_WHOSE | {"fall"}).isdisjoint(words):
            many = MANY_OWNERS
    return n_distinct == n or n_distinct >= many, n_distinct


def _may_count(values, n_distinct):
    """Return whether values are whole numbers with such holes between them that they may be counts."""
    if values.dtype.kind == "O" or n_distinct == 0:
        return False
    return n_distinct < LEAST_FILLED * (float(values.max()) - float(values.min()) + 1)


def _names_owner(name):
    """Return "certain" for a name such as NHS number, PatNr, Fallnummer or numéro de dossier, and None for others.

    A name that counts may have as well, such as Patienten or number patient, is "or counts".
    """
    words = _words(name)
    numbers = [place for place, word in enumerate(words) if word in _NUMBERS]
    if len(words) == 1:
        of_german = words[0].endswith("nummer") and words[0].removesuffix("nummer") not in _NO_OWNERS
        if words[0] in _ALONE or of_german:
            return "certain"
        return "or counts" if words[0] in _ALONE_OR_COUNTS else None
    kinds = set()
    for place in numbers:
        number, before, after = words[place], words[place - 1 : place], words[place + 1 :]
        if "fall" in before + after and number not in _NUMBERS_OF_FALL:
            continue
        # nothing is counted after it, as in patient number of visits
        if before and before[0] in _OWNERS | _PLURALS and not after:
            kinds.add(number in _CERTAIN_NUMBERS or before[0] in _OWNERS)
        # such as numéro du dossier patient, but not number of patients or of patient visits
        if after and _OWNERS.issuperset(after):
            kinds.add(number in _CERTAIN_NUMBERS)
    if words[:1] == ["n"] and _OWNERS.issuperset(words[1:]):
        kinds.add(False)
    return "certain" if True in kinds else "or counts" if kinds else None


def _words(name):
    """Return the words of a name without accents and particles, in small letters; those written as one are parted."""
    name = unicodedata.normalize("NFKD", re.sub(r"\b[nN]\s?[°º]|№", " nr ", name))
    name = "".join(sign for sign in name if not unicodedata.combining(sign))
    words = [word.lower() for word in re.findall(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_a-z]?[a-z]+", name)]
    return [part for word in words if word not in _PARTICLES for part in _parted(word)]


def _parted(word):
    owners = _OWNERS | _PLURALS
    for number in _NUMBERS:
        if word.endswith(number) and word.removesuffix(number) in owners:
            return [word.removesuffix(number), number]
        if word.startswith(number) and word.removeprefix(number) in owners:
            return [number, word.removeprefix(number)]
    return [word]


def _whole_or_text(values):
    if values.dtype.kind not in "iuf":
        return values.dtype.kind == "O"
    known = values.dropna()
    return bool(np.all(known == np.floor(known)))


def _numbers_rows(values):
    """Return whether numbers, if they are all different, look like numbers of rows, and not like a measurement."""
    if values.dtype.kind not in "iuf" or len(values) == 0 or np.any(values != np.floor(values)):
        return False
    n, span = len(values), float(values.max()) - float(values.min()) + 1
    ordered = values.is_monotonic_increasing or values.is_monotonic_decreasing
    return (ordered and n >= FEWEST_ORDERED) or -n * (n - 1) / (2 * span) < LARGEST_LOG


def warn_of_identifiers(frame, clusters=None):
    """Warn of the predictors in a pandas frame that look like identifiers.

    Where the clusters are not given, an owner is looked for among the other columns, too; it is told once a table.
    Returns what is said of the table, as a list of texts.
    """
    told: list[str] = []
    others, owner_told = [], clusters is not None
    for column in frame.columns:
        reason = why_identifier(frame[column])
        if reason is None:
            others.append(column)
            continue
        fault, way_out = "identifier", "If it is one, leave it out."
        if n_sharing_owners(frame[column]):
            (fault, way_out), owner_told = fault_of_owners(frame[column], clusters), True
            if shared_owners(frame[[column]], clusters):
                way_out += f" {_AS_MEASUREMENT}"
        told.append(_warn_of_identifier(column, reason, fault, way_out))
    owner = None if owner_told else _owner_by_values(frame, others)
    if owner is not None:
        column, (one, other) = owner
        reason = f"all rows that share its value agree in {one!r} and {other!r} too"
        told.append(_warn_of_identifier(column, reason, "owners by values", _way_of_clusters(column, "ignore this")))
    return told


def _warn_of_identifier(column, reason, fault, way_out):
    warning = NPWarning(
        f"{column!r} is used as a predictor, but {_looks(reason)}.",
        fault=fault,
        value=column,
        way_out=way_out,
    )
    warn_of_data(warning, NPWarning)
    return warning.fact


def _looks(reason):
    """Return what speaks for an identifier as a clause, which says so itself where it is about the name."""
    return reason if reason.startswith("its name ") else f"it looks like an identifier: {reason}"


def refuse_texts_of_owners(frame, clusters=None):
    """Raise if a pandas frame of predictors has a text column that looks like an identifier with shared values."""
    for column in frame.select_dtypes(exclude="number").columns:
        if n_sharing_owners(frame[column]):
            fault, way_out = fault_of_owners(frame[column], clusters, otherwise="leave it out or encode it")
            raise InvalidInputError(
                f"X has columns that are not numbers: [{column!r}]. It looks like an identifier: "
                f"{why_identifier(frame[column])}.",
                argument="X",
                fault=fault,
                value=column,
                way_out=way_out,
            )


def refuse_many_texts(columns, n_rows, named, formula, clusters=None):
    """Raise for a column of text with a value for more than half of the rows that enters a formula by its dot alone.

    The formula would make a column of each value, which takes minutes for some thousands of rows and tells nothing of
    new ones. Of a column that the formula names, and of one that was declared categorical, a warning says so before
    that begins. As in a table without a formula, fewer values of owners are refused too.

    Parameters
    ----------
    columns : DataFrame
        The columns of text or categories that enter the formula as they are.
    n_rows : int
    named : collection of str
        The columns that the formula names.
    formula : str
    clusters : array-like, shape (n_rows,), optional
        The cluster of each row, if clusters were given.
    """
    for column in columns.columns:
        n_distinct = columns[column].nunique()
        n_sharing = n_sharing_owners(columns[column], n_distinct)
        if n_distinct <= MANY_TEXTS or (2 * n_distinct <= n_rows and not n_sharing):
            continue
        declared = hasattr(columns[column].dtype, "categories")
        what = "is categorical" if declared else "is text"
        fact = f"column {column!r} {what} with {n_distinct} different values in {n_rows} rows"
        refused = not declared and column not in named
        leave_out = "leave it out"
        if refused:
            leave_out += f", as in {f'{formula.strip()} - {_in_formula(column)}'!r}"
        way_out = f"If it tells rows apart, {leave_out}."
        if n_distinct < n_rows:
            _, way_out = fault_of_owners(columns[column], clusters, leave_out)
        if refused:
            raise InvalidInputError(
                f"{fact}, and '.' in the formula {formula!r} would make a column of each value.",
                value=column,
                way_out=way_out,
            )
        told = f"{fact}, and the formula makes a column of each value, which may take long."
        warn_of_data(NPWarning(told, value=column, way_out=way_out), NPWarning)


def _in_formula(column):
    return column if column.isidentifier() else f"`{column}`"


def fault_of_owners(values, clusters=None, leave_out="leave it out", otherwise=None):
    """Return the kind of fault of a column of owners, and what to do about it.

    Beside clusters that were given, it must not seem that any such column should be the clusters.
    """
    if clusters is None:
        return "owners", _way_of_clusters(values.name, otherwise or leave_out)
    n_across = _n_across(values, clusters)
    if not n_across:
        told = "Keep the clusters that you gave: each value of this column lies in one of them."
    else:
        joined = f"give clusters={values.name!r}, in whose values they lie"
        if _n_across(clusters, values):
            joined = "give clusters that join both, if there are such"
        told = (
            f"{count_of(n_across, len(values), first=True)} share their {values.name!r} with a row of another cluster. "
            f"If such rows belong together, the clusters that you gave guarantee nothing: {joined}."
        )
    return "owners beside clusters", f"If it is none of the measurements, {leave_out}. {told}"


def _way_of_clusters(column, otherwise):
    return (
        f"If rows with the same value belong together, such as those of one patient, give npc clusters={column!r}. If "
        f"they do not, {otherwise}."
    )
