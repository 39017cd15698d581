"""Files that are written: whole or not at all, and never over a file that is read by the same command.

A file that this package wrote is known by its contents, so that an error about a wrong file says what reads it.
"""

import contextlib
import csv
import errno
import glob
import json
import os
import secrets
import stat
import zipfile
from contextlib import contextmanager
from pathlib import Path

from nproc.errors import InvalidInputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# what the operating system says of a disk that takes no more
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

# The first line of a saved model: this mark, then the versions as JSON. What follows is a joblib pickle.
MARK = b"nproc-py model 1 "
# The file within a saved model in the format of skops that has the versions.
HEAD = "nproc.json"
# What the entry format of a rule's JSON file says.
RULE = "nproc-rule"
MODEL = "model"
REPORT = "report"
# near the beginning of a report in either format
REPORT_TITLE = "Report on a Neyman-Pearson classifier"

# Each kind in words, and what reads it. The other JSON files are found by their entry format too.
_IN_WORDS = {
    MODEL: "a saved model or comparison. `npc predict` labels new rows by a saved classifier or band. In Python "
    "nproc.load reads the file.",
    REPORT: "a report on a classifier, for people to read.",
    RULE: "a rule on a column of scores. `npc apply` labels new rows by it, and `npc certify` and `npc monitor` take "
    "it too. nproc.serving.read_rule reads it.",
    "nproc-linear-rule": "a linear rule, written for programs other than this package.",
    "nproc-monitor": "the state of a monitor, for `npc monitor --state`. nproc.monitoring.Type1Monitor.read reads it.",
    "nproc-change-detector": "the state of a detector of changes, for `npc monitor --state` with --run-length. "
    "nproc.monitoring.Type1ChangeDetector.read reads it.",
}
# Of the files that replace only others of their kind: what these are, and a name for one.
_REPLACED = {MODEL: ("a saved model", "model.joblib"), REPORT: ("a report of this package", "report.html")}
# A JSON file of this package is small. Of a larger one, such as a table in JSON lines, only so many bytes are read.
_MOST_BYTES = 2**24
# the title of a report stands before so many
_TO_TITLE = 200


def check_output(path, option="", way_out=""):
    """Return the resolved path of a file that can be written; InvalidInputError says why it cannot.

    Messages name the `option` that gives the path. Where the path is that of a stream, `way_out` ends them.
    """
    told = f"cannot write {option} {path}" if option else f"cannot write {path}"
    if not os.fspath(path):
        raise InvalidInputError("the name of the file to write is empty; give one.")
    if _is_null(path):
        return Path(path)
    if str(Path(path).absolute()).startswith(("/dev/", "/proc/")):
        # the file behind it would be replaced, a log for one
        raise InvalidInputError(f"{told}: it is a device or a stream, and not a regular file.{way_out}")
    target, is_there, is_file = _looked_up(path)
    if not target.parent.is_dir():
        raise InvalidInputError(f"{told}: there is no folder {target.parent}.")
    if is_there and not is_file:
        raise InvalidInputError(f"{told}: it is not a regular file.")
    if is_there and not os.access(target, os.W_OK):
        raise InvalidInputError(f"{told}: the file is protected against writing.")
    if not os.access(target.parent, os.W_OK):
        raise InvalidInputError(f"{told}: no permission to write in the folder {target.parent}.")
    return target


def refuse_other_file(path, kind, option=""):
    """Raise if a `MODEL` or a `REPORT` would replace a file of another kind that is not empty.

    The `option` is as in `check_output`.
    """
    target = check_output(path, option)
    if target.is_file() and target.stat().st_size and kind_of_file(target) != kind:
        what, name = _REPLACED[kind]
        raise InvalidInputError(
            f"cannot write {f'{option} {path}' if option else path}: this file exists and is not {what}, so its "
            f"contents would be lost. Give another name, such as {name}, or delete the file first."
        )


def _is_null(path):
    """Return whether a path is the device that takes everything and keeps nothing."""
    return str(Path(path).absolute()) == os.devnull


def csv_text(frame, *, header=True, sep=",", decimal="."):
    """Return a DataFrame as CSV with line feeds, without its index.

    Python puts a cell within quotation marks if it holds the sign that ends the lines. Readers end a line at a bare
    carriage return too, so that a table that holds one has all its texts within marks.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_text(pd.DataFrame({"id": ["a", "b"], "n": [1, 2]})), csv_text(pd.DataFrame({"id": ["a\\rb"]}), header=False)
    ('id,n\\na,1\\nb,2\\n', '"a\\rb"\\n')
    """
    form = {"index": False, "header": header, "lineterminator": "\n", "sep": sep, "decimal": decimal}
    text = frame.to_csv(**form)
    return text if "\r" not in text else frame.to_csv(**form, quoting=csv.QUOTE_NONNUMERIC)


def check_outputs(outputs, inputs, *, to_standard=()):
    """Raise unless all `outputs` can be written, each is a file of its own, and none of them is one of the `inputs`.

    Parameters
    ----------
    outputs, inputs : dict of str to str
        What messages call a file, and its path. The same file under another path, by a link of either kind, counts as
        the same.
    to_standard : collection of str
        Those of the outputs for which "-" would be the standard output.

    Examples
    --------
    >>> check_outputs({"--out": "rows.csv"}, {"DATA": "./rows.csv"})
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: --out and DATA are the same file, rows.csv, which would be overwritten. Give ...
    """
    taken = [(name, path, _looked_up(path)[0]) for name, path in inputs.items()]
    for name, path in outputs.items():
        way_out = f" {name} - is the standard output." if name in to_standard else ""
        target = check_output(path, name, way_out)
        if _is_null(path):
            continue
        for other, _, place in taken:
            if target == place or (target.exists() and place.exists() and target.samefile(place)):
                raise InvalidInputError(
                    f"{name} and {other} are the same file, {path}, which would be overwritten. Give {name} another "
                    "name."
                )
        taken.append((name, path, target))


def _looked_up(path):
    """Return the resolved path, and whether something is there and is a file."""
    try:
        target = Path(path).expanduser().resolve()
        return target, target.exists(), target.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        # links in a circle, a zero byte, a name that is too long
        raise InvalidInputError(f"{str(path)!r} cannot be the name of a file: {error}.") from error


@contextmanager
def replaced_file(path):
    """Give the path of a new file that takes the place of `path` when the block ends well, and goes away otherwise.

    Parameters
    ----------
    path : str or path
        The file to replace, which keeps its permissions. A link is followed; anything but a regular file is refused,
        except /dev/null.

    Yields
    ------
    Path
        An empty file in the same folder, or /dev/null itself.

    Raises
    ------
    InvalidInputError
        As `check_output`, and if the disk is full or takes no files.

    Notes
    -----
    The file is on the disk before it takes its place. What a program that was killed has left half-written is removed
    when the same file is written again.
    """
    target = check_output(path)
    if _is_null(path):
        yield target
        return
    remove_abandoned(target.parent, f".{glob.escape(target.name)}.*.part")
    try:
        with written_whole(target) as part:
            yield part
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise InvalidInputError(f"cannot write {path}: {error.strerror}. The existing file was not changed.") from error


def write_json(path, content, **layout):
    """Write plain values as a JSON file, with numbers to the last digit; `layout` is for `json.dumps`."""
    with replaced_file(path) as part:
        part.write_text(json.dumps(content, allow_nan=False, **layout) + "\n", encoding="utf-8")


@contextmanager
def written_whole(target):
    """Give the path of a new file that takes the place of a resolved path when the block ends well.

    As long as it is written it is locked, so that `remove_abandoned` of another process leaves it.
    """
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    part, lock = _new_part(target, 0o666 if mode is None else 0o600)
    try:
        yield part
        if mode is not None:
            part.chmod(mode)
        with open(part, "rb") as file:
            os.fsync(file)
        os.replace(part, target)
        _sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _new_part(target, mode):
    """Return the path of a new empty file beside `target`, and a descriptor that holds a lock on it, or None."""
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        # not mkstemp, whose files nobody but the owner may read
        lock = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        if fcntl is None:
            os.close(lock)
            return part, None
        # a file system may have no locks; nobody can take this one then, either
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # another process may have taken it for an abandoned one before it was locked
        if os.fstat(lock).st_nlink:
            return part, lock
        os.close(lock)


def _sync_folder(folder):
    # not every system opens folders, nor syncs them
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_abandoned(folder, pattern):
    """Remove the half-written files in a folder that no living process writes; without locks none can be told."""
    for part in folder.glob(pattern) if fcntl is not None else ():
        with contextlib.suppress(OSError):
            lock = os.open(part, os.O_WRONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
            finally:
                os.close(lock)


@contextmanager
def hold_lock(path):
    """Make a file that is locked as long as the block runs, or the process lives; without locks nothing is made."""
    if fcntl is None:
        yield
        return
    lock = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def is_abandoned(path):
    """Return whether a file of this user that `hold_lock` made is locked by no living process."""
    try:
        lock = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    except (OSError, AttributeError):  # it is not there or another user's, or there are no locks
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(lock).st_uid == os.getuid()
    except OSError:
        return False
    finally:
        os.close(lock)


def kind_of_file(path):
    """Return `MODEL`, `REPORT`, the format of a JSON file of this package, or None for any other file.

    Nothing in the file is run.

    Examples
    --------
    >>> import tempfile
    >>> from nproc.serving import score_rule
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     score_rule(range(100)).write(f"{folder}/rule.json")
    ...     kind_of_file(f"{folder}/rule.json")
    'nproc-rule'
    """
    try:
        # a pipe can be read only once
        if not Path(path).is_file():
            return None
        with open(path, "rb") as file:
            start = file.read(len(MARK))
            if start == MARK:
                return MODEL
            if start.startswith(b"PK"):
                with zipfile.ZipFile(file) as archive:
                    return MODEL if HEAD in archive.namelist() else None
            if not start.lstrip().startswith(b"{"):
                return REPORT if REPORT_TITLE.encode() in start + file.read(_TO_TITLE) else None
            known = json.loads(start + file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError, zipfile.BadZipFile, NotImplementedError):
        return None
    found = known.get("format") if isinstance(known, dict) else None
    return found if isinstance(found, str) and found in _IN_WORDS else None


def wrong_file(path, wanted, otherwise):
    """Return the error for a file that is not what is wanted; `otherwise` is said of a file of no known kind."""
    kind = kind_of_file(path)
    return InvalidInputError(
        f"{path} {otherwise}" if kind is None else f"{path} must be {wanted}, and it is {_IN_WORDS[kind]}"
    )
