"""Files of saved models with other numbers in them; as a script, loads and uses such files one after the other.

``python tampered_files.py FOLDER FIRST_SEED N_SEEDS`` takes every ``*.skops`` in the folder. Before each file it prints
what comes, so that whoever finds it dead knows of what it died.
"""

import io
import re
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np

EXTREMES = [-(2**31), -1000, -1, 0, 1, 2, 7, 1000, 10**6, 2**31 - 1]
# plain numbers, such as the settings of a model
_WORDS = re.compile(r'"content": "(-?\d[^"]*)"')


def tampered(source, target, rng):
    """Write a file whose arrays or plain numbers are not those of `source`; return in words what was done."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    arrays = sorted(name for name in entries if name.endswith(".npy"))
    done = []
    for _ in range(1 + rng.integers(3)):
        draw = rng.random()
        if arrays and draw > 0.7:
            done.append(_other_length(entries, arrays, rng))
            continue
        if not arrays or draw < 0.2:
            text, said = _other_number(entries["schema.json"].decode(), rng)
            entries["schema.json"] = text.encode()
        else:
            name = arrays[rng.integers(len(arrays))]
            array, said = _other_array(np.load(io.BytesIO(entries[name])), rng)
            stream = io.BytesIO()
            np.save(stream, array)
            entries[name] = stream.getvalue()
        done.append(said)
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return "; ".join(done)


def _other_length(entries, arrays, rng):
    """Change all axes of one length, so that arrays still fit one another."""
    held = {name: np.load(io.BytesIO(entries[name])) for name in arrays}
    lengths = sorted({n for array in held.values() for n in array.shape})
    if not lengths:
        return "nothing"
    old, new = lengths[rng.integers(len(lengths))], int(rng.choice([0, 1, 3, 100_000]))
    # all but one, or all
    left_out = arrays[rng.integers(len(arrays))] if rng.random() < 0.6 else None
    for name, array in held.items():
        if name != left_out and array.size < 10**5:
            for axis in [j for j, n in enumerate(array.shape) if n == old]:
                if array.size // max(1, old) * new > 10**7:
                    continue
                array = np.resize(np.moveaxis(array, axis, 0), (new, *np.delete(array.shape, axis)))
                array = np.ascontiguousarray(np.moveaxis(array, 0, axis))
            stream = io.BytesIO()
            np.save(stream, array)
            entries[name] = stream.getvalue()
    return f"axes of {old} have {new}"


def _other_number(text, rng):
    places = list(_WORDS.finditer(text))
    place = places[rng.integers(len(places))]
    new = str(EXTREMES[rng.integers(len(EXTREMES))])
    return text[: place.start(1)] + new + text[place.end(1) :], f"{place.group(1)[:20]} is {new}"


def _other_array(array, rng):
    kind = rng.choice(["values", "one value", "empty", "shorter", "longer", "another type", "turned", "in one row"])
    if array.ndim == 0 and kind not in ("values", "one value", "another type"):
        kind = "one value"
    changed = array.copy()
    if kind in ("values", "one value") and array.size and array.dtype.kind in "iuf":
        size = array.size if kind == "values" else 1
        new = rng.choice(EXTREMES, size=size).astype(np.float64)
        info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        if info is not None:
            new = np.clip(new, info.min, info.max)
        with np.errstate(over="ignore"):
            changed.reshape(-1)[rng.choice(array.size, size=size, replace=False)] = new.astype(array.dtype)
    elif kind == "empty":
        changed = array[:0]
    elif kind == "shorter":
        changed = array[: len(array) // 2] if rng.random() < 0.5 or array.ndim < 2 else array[:, : array.shape[1] // 2]
    elif kind == "longer":
        changed = np.concatenate([array, array], axis=int(rng.integers(array.ndim)))
    elif kind == "another type" and array.dtype.kind in "iuf":
        changed = array.astype(rng.choice(["f4", "f8", "i4", "i8"]))
    elif kind == "turned":
        changed = np.ascontiguousarray(array.T)
    elif kind == "in one row":
        changed = array.reshape(1, -1)
    return changed, f"array {array.dtype} {array.shape}: {kind}"


def use(path, X):
    """Return in words how a file is taken: an error, or finite scores, or scores that are not."""
    from nproc import load
    from nproc.errors import NPError

    try:
        fit = load(path)
    except NPError as error:
        return f"refused {error}"
    try:
        scores = fit.decision_function(X)
        fit.predict(X)
        # training may go on, too
        for scorer in fit.scorers:
            last = scorer[-1] if hasattr(scorer, "steps") else scorer
            if hasattr(last, "partial_fit"):
                last.partial_fit(X, np.arange(len(X)) % 2)
    except Exception as error:
        # a model of nonsense may say so in any words, but Python lives
        return f"{type(error).__name__} {error}"
    return "finite" if np.isfinite(np.asarray(scores, dtype=float)).all() else "not finite"


def tell(words):
    """Print at once: what comes next may be the end."""
    sys.stdout.write(words)
    sys.stdout.flush()


def main(folder, first, n_seeds):
    warnings.simplefilter("ignore")
    X = np.load(folder / "rows.npy")
    for source in sorted(folder.glob("*.skops")):
        for seed in range(first, first + n_seeds):
            tell(f"{source.stem} {seed} ")
            target = folder / "tampered" / "model.skops"
            target.parent.mkdir(exist_ok=True)
            done = tampered(source, target, np.random.default_rng([seed, len(source.stem)]))
            tell(f"[{done}] ")
            tell(" ".join(use(target, X).split()) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
