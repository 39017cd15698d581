"""A folder that keeps the trained scorers and folds of a long run, for the next run of the same."""

import hashlib
import io
import os
import pickle
import sys

import numpy as np

from nproc.checks import check_path
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.outputs import remove_abandoned, written_whole
from nproc.rows import is_frame
from nproc.scorers import fresh_copy

# The first line of a file: this mark, then a digest of the run, the key and what follows, which is a joblib pickle.
MARK = b"nproc-py checkpoint 2 "
NOTE = "about.txt"


def check_checkpoint(checkpoint, random_state, prefit):
    """Return the folder as a Path, or None; InvalidInputError where a later run could not make use of it."""
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, str | os.PathLike) or not os.fspath(checkpoint):
        raise InvalidInputError(f"checkpoint must be None or the name of a folder, got {checkpoint!r}.")
    folder = check_path(checkpoint, "checkpoint")
    if folder.exists() and not folder.is_dir():
        raise InvalidInputError(f"checkpoint must be a folder, and {folder} is a file.")
    if prefit:
        raise InvalidInputError("prefit=True trains nothing, so there is nothing to save; leave out checkpoint.")
    if random_state is None:
        raise InvalidInputError(
            "checkpoint requires random_state. Without it every run draws new splits, and the splits saved by an "
            "earlier run would never be used.",
            argument="checkpoint",
            fault="no seed",
            way_out="Give random_state=1, say.",
        )
    return folder


class Checkpoint:
    """The outcomes of the tasks of one run, one file each; made by `open_checkpoint`.

    Parameters
    ----------
    folder : Path
        Of this run; it is made if need be.
    run : str
        The digest of all that decides its outcomes. It is part of what every file is checked by, as is the key, so that
        a file of another run or of another task is no file of this one, whatever its name.
    note : str
        What the run is, for those who look into the folder.
    """

    def __init__(self, folder, run, note):
        self.folder = folder
        self._run = run
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_abandoned(folder, ".*.part")
            if not (folder / NOTE).exists():
                _write_whole(folder / NOTE, note.encode("utf-8"))
        except OSError as error:
            raise InvalidInputError(f"checkpoint: no files can be written to {folder} ({error}).") from error

    def read(self, key):
        """Return what was written under `key`, or None; a file that is damaged or of other tasks is told of."""
        import joblib

        path = self.folder / f"{key}.joblib"
        try:
            head, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInputError(f"checkpoint: {path} cannot be read ({error}).") from error
        if head != self._head(key, body):
            warn_at_call(
                f"checkpoint: {path} is damaged, or was not written by this run for this part; the part is computed "
                "again.",
                NPWarning,
            )
            return None
        try:
            return joblib.load(io.BytesIO(body))
        except (ImportError, AttributeError) as error:
            raise InvalidInputError(
                f"checkpoint: {path} cannot be loaded because a module is missing ({error}). Run this where the "
                "scorer's class can be imported, or give another folder."
            ) from error

    def write(self, key, outcome):
        """Write a task's outcome under `key`, whole or not at all."""
        import joblib

        body = io.BytesIO()
        try:
            joblib.dump(outcome, body)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidInputError(
                f"checkpoint: the trained scorer cannot be written to a file ({error}); use objects and functions "
                "defined in a module, or leave out checkpoint."
            ) from error
        data = body.getvalue()
        try:
            _write_whole(self.folder / f"{key}.joblib", self._head(key, data) + b"\n" + data)
        except OSError as error:
            raise InvalidInputError(
                f"checkpoint: no file can be written to {self.folder} ({error}); what was written before is kept "
                "there, and the same call resumes from it."
            ) from error

    def _head(self, key, data):
        digest = hashlib.sha256(f"{self._run} {key}\n".encode())
        digest.update(data)
        return MARK + digest.hexdigest().encode("ascii")


def open_checkpoint(run, inputs, *, what, settings, arrays=()):
    """Return the `Checkpoint` of one run, or None without a folder.

    Two runs have the same files exactly if all that decides the outcome of a task is the same: rows with their column
    names and types, labels, weights, scorer and resampler with their parameters, versions, and how the rows are split.
    What a run does with the outcomes, such as thresholds at some alpha, is no part of it, nor is the number of splits.

    Parameters
    ----------
    run : RunSettings
        Folder, resampler and root seed.
    inputs : Inputs
        Rows, labels, weights and scorer.
    what : str
        What the tasks compute.
    settings : tuple
        Plain values that decide how rows are split.
    arrays : tuple of ndarray or None
        Arrays that do so.
    """
    if run.checkpoint is None:
        return None
    scorer = fresh_copy(inputs.method.scorer, 0)
    resampler = None if run.resample is None else fresh_copy(run.resample, 0)
    versions = {**package_versions(), **_versions_of_models(scorer, resampler)}
    digest = hashlib.sha256()
    for part in (inputs.X, inputs.y, inputs.sample_weight, *arrays, scorer, resampler):
        digest.update(digest_of(part).encode("ascii"))
    told = {
        "what": what,
        "method": inputs.method.name,
        "rows": f"{inputs.y.size}, {inputs.labels.n0} of class 0",
        "columns": inputs.design.n_features,
        "split": ", ".join(map(repr, settings)),
        "seed": run.seed,
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }
    note = "".join(f"{name}: {value}\n" for name, value in told.items())
    digest.update(note.encode("utf-8"))
    name = digest.hexdigest()
    return Checkpoint(run.checkpoint / name[:32], name, note)


def digest_of(part):
    """Return a hash of a table, an array, an object or None: of its kind, shape, types and all values, bit by bit.

    Examples
    --------
    >>> digest_of(np.array([1.0, 2.0])) == digest_of(np.array([1, 2]))
    False
    """
    import joblib

    if is_frame(part):
        # column by column: the blocks in which a frame keeps its columns say nothing of its values
        columns = part.items() if hasattr(part, "columns") else [(part.name, part)]
        part = [digest_of(part.index.to_numpy()), *(_digests_of(*column) for column in columns)]
    elif isinstance(part, np.ndarray) and not part.flags.forc:
        # a part of a larger array; the order in memory counts, since a sum in another order may have another last bit
        part = np.ascontiguousarray(part)
    try:
        return joblib.hash(part)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidInputError(
            f"checkpoint: {type(part).__name__} cannot be identified for the checkpoint ({error}); use objects and "
            "functions defined in a module, or leave out checkpoint."
        ) from error


def _digests_of(name, column):
    """Return what tells a column from others: its name, its type, and a hash of its values."""
    kinds = getattr(column.dtype, "categories", None)
    values = column.to_numpy() if isinstance(column.dtype, np.dtype) else column.to_numpy(dtype=object)
    return f"{name!r} {column.dtype!r}", None if kinds is None else kinds.tolist(), digest_of(values)


def _versions_of_models(*models):
    """Return the versions of the packages of estimators and of those inside of them, beside this package."""
    parts = [part for model in models if model is not None for part in (model, *_parameters(model))]
    names = {type(part).__module__.partition(".")[0] for part in parts} - {"nproc", "sklearn", "numpy", "builtins"}
    found = {name: getattr(sys.modules.get(name), "__version__", None) for name in sorted(names)}
    return {name: number for name, number in found.items() if number is not None}


def _parameters(model):
    return model.get_params(deep=True).values() if hasattr(model, "get_params") else ()


def _write_whole(path, data):
    with written_whole(path) as part:
        part.write_bytes(data)
