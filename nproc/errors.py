"""The errors and warnings of the package.

Every message names the argument, the rule, what was found and a way out.
"""

import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self, TypeVar

T = TypeVar("T", bound="_Told")


class _Told(Exception):
    """What errors and warnings of the package share: a text with its parts, see `NPError`."""

    def __init__(
        self,
        fact: object = "",
        *,
        argument: str | None = None,
        value: object = None,
        limit: object = None,
        fault: str | None = None,
        way_out: str = "",
        about: str = "",
    ) -> None:
        super().__init__(f"{about}{fact} {way_out}".rstrip())
        self.fact, self.argument, self.value, self.limit = str(fact), argument, value, limit
        self.fault, self.way_out, self.about = fault, way_out, about

    def worded(self, *, argument: str | None = None, way_out: str | None = None) -> str:
        """Return the text with another name for the argument, and another way out."""
        fact = self.fact
        if argument is not None and self.argument is not None:
            fact = argument + fact.removeprefix(self.argument)
        return f"{self.about}{fact} {self.way_out if way_out is None else way_out}".rstrip()

    def told(self, about: str) -> Self:
        """Return the same with what it is about before its text, such as a method or a file."""
        again = self.as_kind(type(self), about)
        # such as the columns at fault, which a subclass keeps
        again.__dict__.update({name: value for name, value in vars(self).items() if name not in vars(again)})
        return again

    def as_kind(self, kind: type[T], about: str = "") -> T:
        """Return the same as an error of another kind."""
        fields = {name: getattr(self, name) for name in ("argument", "value", "limit", "fault", "way_out")}
        return kind(self.fact, about=f"{about}{self.about}", **fields)


class NPError(_Told):
    """Base class of all errors raised by this package.

    Its text is for users of Python. The command line and the page word an error from its fields.

    Parameters
    ----------
    fact : str
        What is wrong. If there is an `argument`, it begins with its name.
    argument : str, optional
        The argument at fault.
    value, limit : object, optional
        What was found, and what it had to keep to.
    fault : str, optional
        A short name of the kind of fault, by which a face finds its own way out.
    way_out : str
        What a user of Python can do; the last part of the text.
    about : str
        What it is about, such as the name of a method or a file; the first part of the text.

    Examples
    --------
    >>> error = InvalidInputError("alpha must lie below 1, got 2.", argument="alpha", way_out="Take 0.05, say.")
    >>> str(error)
    'alpha must lie below 1, got 2. Take 0.05, say.'
    >>> error.worded(argument="--alpha", way_out="")
    '--alpha must lie below 1, got 2.'
    """


class InvalidInputError(NPError, ValueError):
    """An argument breaks a stated rule."""


class InvalidTypeError(InvalidInputError, TypeError):
    """A value is of a type that cannot become a number."""


def at_row(row: int, table: str = "") -> str:
    """Return where a row is: as code that shows it, by the text before the brackets, or by its number in a file.

    Examples
    --------
    >>> at_row(2, "X.iloc"), at_row(2, "weights"), at_row(2)
    ('at X.iloc[2]', 'at weights[2]', 'in row 3')
    """
    return f"at {table}[{row}]" if table else f"in row {row + 1}"


class FirstRowError(InvalidInputError):
    """Some rows have a fault; the text names the first of them, which another place of the rows may count anew.

    Attributes
    ----------
    row : int
        The first such row, from 0.
    before, after : str
        What the text says before and after the place of the row.
    table : str
        Code that has the rows in brackets behind it, such as "X.iloc"; empty for rows of a file.

    Examples
    --------
    >>> error = FirstRowError.at(4, "X has 2 gaps", "; none is allowed.", table="X.iloc")
    >>> str(error)
    'X has 2 gaps, the first at X.iloc[4]; none is allowed.'
    >>> str(error.counted(lambda row: row + 10))
    'X has 2 gaps, the first in row 15; none is allowed.'
    """

    row: int = 0
    before: str = ""
    after: str = ""
    table: str = ""

    @classmethod
    def at(cls, row: int, before: str, after: str, *, table: str = "", **fields: object) -> Self:
        """Return the error about a first row, from 0; `fields` are those of `NPError`."""
        error = cls(f"{before}, the first {at_row(row, table)}{after}", **fields)  # type: ignore[arg-type]
        error.row, error.before, error.after, error.table = row, before, after, table
        return error

    def counted(self, row_of: Callable[[int], int], *, in_table: bool = False) -> Self:
        """Return the same with the row counted as `row_of` does: that of a file, or another one `in_table`."""
        fields = {name: getattr(self, name) for name in ("argument", "value", "limit", "fault", "way_out", "about")}
        table = self.table if in_table else ""
        return self.at(row_of(self.row), self.before, self.after, table=table, **fields)


class TooFewSamplesError(NPError, ValueError):
    """The sample is too small for the levels asked for."""


class LostWorkerError(NPError, RuntimeError):
    """Worker processes died again and again, or a Dask cluster is gone, so that some tasks have no result."""


class NPWarning(_Told, UserWarning):
    """The result stands, but the user should know something about it; it has the fields of `NPError`."""


class NotConvergedWarning(NPWarning):
    """A solver stopped before its certificate was small enough."""


class SeparationWarning(NPWarning):
    """The classes are separated, so that a maximum likelihood fit does not exist."""


class PlainPythonWarning(NPWarning):
    """A solver runs as plain Python, much slower, since numba is not installed."""


# scikit-learn, imbalanced-learn and joblib call the estimators, numpy's errstate the functions that it decorates, scipy
# and pandas what they are given; the standard library starts threads, processes and modules
PASSED_OVER = {__name__.partition(".")[0], "sklearn", "imblearn", "joblib", "numpy", "scipy", "pandas"}
PASSED_OVER |= sys.stdlib_module_names
# joblib's errors are about lost processes
_OF_NO_MODEL = {__name__.partition(".")[0], "__main__", "joblib", *sys.stdlib_module_names}

# what was told, and the file and number of the user's line
_TOLD: set[tuple[str, str, int]] = set()
_TOLD_ROWS: set[int] = set()


# the filters of warnings belong to the whole process: of two threads that changed them at once, the last to end would
# leave those of the other one
_FILTERS = threading.RLock()


@contextmanager
def changed_filter(action, category, message=""):
    """Within it warnings of a category are ignored, or are errors; other threads that ask for the same wait meanwhile.

    Parameters
    ----------
    action, category, message
        As of `warnings.filterwarnings`.

    Examples
    --------
    >>> with changed_filter("error", UserWarning):
    ...     warnings.warn("few rows")
    Traceback (most recent call last):
    ...
    UserWarning: few rows
    """
    with _FILTERS, warnings.catch_warnings():
        warnings.filterwarnings(action, message, category)
        yield


# what was said within `each_warning_once`, or None outside
_SAID = ContextVar("_SAID", default=None)
# the list of `warnings_heard`, or None outside
_HEARD: ContextVar[list[Warning] | None] = ContextVar("_HEARD", default=None)


@contextmanager
def warnings_heard() -> Iterator[list[Warning]]:
    """Give a list that takes the warnings of `warn_at_call` within a block, which are then shown nowhere else.

    Unlike those of `warnings.catch_warnings`, the blocks of two threads do not disturb each other.

    Examples
    --------
    >>> with warnings_heard() as heard:
    ...     warn_at_call("the result stands, but", NPWarning)
    >>> heard
    [NPWarning('the result stands, but')]
    """
    heard: list[Warning] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


@contextmanager
def giving_ways_out(ways_out):
    """Put the ways out that a caller has in place of those of the errors inside, by the kind of fault.

    Examples
    --------
    >>> with giving_ways_out({"sparse": "Use X.toarray()."}):
    ...     raise InvalidInputError("X is sparse.", fault="sparse", way_out="Use another method.")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: X is sparse. Use X.toarray().
    """
    try:
        yield
    except InvalidInputError as error:
        if error.fault not in ways_out:
            raise
        error.way_out = ways_out[error.fault]
        raise error.told("") from error.__cause__


def is_of_library(error):
    """Return whether the class of an error is that of a library of models, as CatBoost's is.

    It is then neither of Python, of this package, of the user's script nor of joblib, and is not about memory, of which
    numpy has a class.

    Examples
    --------
    >>> class CatBoostError(Exception):
    ...     __module__ = "_catboost"
    >>> is_of_library(KeyError("age")), is_of_library(InvalidInputError("X is empty.")), is_of_library(CatBoostError())
    (False, False, True)
    """
    if isinstance(error, Warning | MemoryError):
        return False
    return type(error).__module__.partition(".")[0] not in _OF_NO_MODEL


def with_kind(error):
    """Return what an error says, with its class where the text alone is a key.

    Examples
    --------
    >>> with_kind(KeyError("age")), with_kind(ValueError("too few rows"))
    ("KeyError: 'age'", 'too few rows')
    """
    return f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else str(error)


@contextmanager
def calling_it(name, argument="X"):
    """Call an argument by the name that it has in the function called, in errors that name it otherwise.

    Examples
    --------
    >>> with calling_it("X0"):
    ...     raise InvalidInputError("X is empty: 0 rows.", argument="X")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: X0 is empty: 0 rows.
    """
    try:
        yield
    except InvalidInputError as error:
        # code that shows a row or corrects a column has the name, too
        in_code = rf"(?<![\w'\"]){argument}(?=\[|\.(?:iloc|tocsr|to_pandas)\b|$)"
        if error.argument not in (argument, None) or not error.fact.startswith(f"{argument} "):
            if not re.search(rf"\bat {argument}(?:\[|\.\w)", error.fact):
                raise
            error.fact = re.sub(in_code, name, error.fact)
            raise error.told("") from error.__cause__
        error.argument = name
        for part in ("fact", "way_out", "before", "after", "table"):
            if not hasattr(error, part):
                continue
            text = getattr(error, part)
            begins = text.startswith(f"{argument} ")
            text = re.sub(in_code, name, text)
            setattr(error, part, f"{name}{text.removeprefix(argument)}" if begins else text)
        raise error.told("") from error.__cause__


@contextmanager
def each_warning_once(before=None):
    """Let `warn_at_call` say the same text only once within a block that looks at the same rows several times.

    Parameters
    ----------
    before : set, optional
        Of a call that is no single block, such as a generator: the empty set that all its blocks share.

    Examples
    --------
    >>> import warnings
    >>> from nproc.errors import NPWarning
    >>> with warnings.catch_warnings(record=True) as heard, each_warning_once():
    ...     warnings.simplefilter("always")
    ...     for _ in range(3):
    ...         warn_at_call("these rows are known", NPWarning)
    >>> len(heard)
    1
    """
    said = _SAID.get()
    # within another such block, what that one has said counts
    token = _SAID.set((set() if before is None else before) if said is None else said)
    try:
        yield
    finally:
        _SAID.reset(token)


def warn_at_call(message, category, what=None):
    """Warn at the innermost line of code that is not of the package nor of a library that calls it, see `PASSED_OVER`.

    A filter that shows a warning once for each location then counts the user's lines, and not those of the package,
    which are the same for all his fits. Where there is no such line, as in a worker process, the warning points at the
    caller of this function.

    Parameters
    ----------
    message : str or NPWarning
        The text, or the warning itself, where it has fields.
    category : type
        A class of warnings.
    what : str, optional
        What `each_warning_once` takes for the text, where parts of the same rows have texts with other figures.

    Examples
    --------
    >>> import warnings
    >>> from nproc.errors import NPWarning
    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     warn_at_call("the result stands, but", NPWarning)
    >>> str(heard[0].message)
    'the result stands, but'
    """
    said = _SAID.get()
    if said is not None:
        if (what or str(message)) in said:
            return
        said.add(what or str(message))
    heard = _HEARD.get()
    if heard is not None:
        heard.append(message if isinstance(message, Warning) else category(message))
        return
    # 1 is the line below, 2 the caller of this function
    level, frame = 2, sys._getframe(1)
    while frame is not None and _passed_over(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=2 if frame is None else level)


def _line_of_user():
    """Return the file and the number of the line at which `warn_at_call` warns; "" and 0 where there is none."""
    frame = sys._getframe(1)
    while frame is not None and _passed_over(frame):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def warn_of_rows(message, category, keys):
    """Warn as `warn_at_call` does, but where scikit-learn calls, such as cross-validation, once for the same rows.

    Each fit of a cross-validation sees other rows of one table, and its text has other figures. Two sets of rows count
    as rows of one table if they share at least half of the keys.

    Parameters
    ----------
    message : str
        The text.
    category : type
        A class of warnings.
    keys : list of int
        A few keys of the rows, such as the smallest, see `nproc.rows.row_keys`.
    """
    known = 2 * len(_TOLD_ROWS.intersection(keys)) >= len(keys)
    _TOLD_ROWS.update(keys)
    if not (known and called_by("sklearn")):
        warn_at_call(message, category)


def called_by(module):
    """Return whether code of a module, such as ``"sklearn"``, stands between the user's line and this call."""
    return any(True for _ in frames_of(module))


def frames_of(module):
    """Yield the frames of a module between this call and the user's line, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None and _passed_over(frame):
        if f"{_module_of(frame)}.".startswith(f"{module}."):
            yield frame
        frame = frame.f_back


def warn_of_data(message, category, what=None):
    """Warn as `warn_at_call` does, but where scikit-learn calls, such as cross-validation, once for each user's line.

    For what is as true of each part of the data as of the whole, such as what their labels are. Each call of the user's
    is told, since the next may have other data. On a line it comes once for the same text, or for the same `what`
    where the text has figures that change within one call.

    Examples
    --------
    >>> import warnings
    >>> from nproc.errors import NPWarning
    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     for _ in range(3):
    ...         warn_of_data("these labels do not say which is class 0", NPWarning)
    >>> len(heard)
    3
    """
    key = (what or str(message), *_line_of_user())
    known = key in _TOLD
    _TOLD.add(key)
    if not (known and called_by("sklearn")):
        warn_at_call(message, category)


def _passed_over(frame):
    return _module_of(frame).partition(".")[0] in PASSED_OVER


def _module_of(frame):
    return str(frame.f_globals.get("__name__", ""))
