"""Kinds of objects that people put in the place of an argument, by what the argument means.

A `Kind` makes an object of its kind from the clean value of an argument, and says what may come of it:

- EQUAL: it holds what the clean value holds, so that the result is the clean one, or it is refused.
- RELABEL: the same for labels of other values; the result may differ in the labels.
- REFUSED: no right result exists, so that any result is a fault.
- FREE: it means something else that may be right, so that no result is known to compare with.
"""

import array
import datetime
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

EQUAL, RELABEL, REFUSED, FREE = "equal", "relabel", "refused", "free"
HUGE = 10**400


@dataclass(frozen=True)
class Kind:
    """One kind of object: its name, what makes it of a clean value, and what may come of it.

    `partner` makes what stands beside it, in the arguments with as many rows; `like` is the plain object that must
    give the same result, where that is not the clean value.
    """

    name: str
    make: Callable
    sort: str
    partner: Callable | None = None
    like: Callable | None = None


def kinds_of(role, clean, *, optional=False, aligned=False, free=()):
    """Return the kinds for an argument of a role and a clean value.

    `optional`: None means that it is left out. `aligned`: others have as many rows. `free` names kinds that mean
    something in this place.
    """
    given = [] if clean is None or role not in _GIVEN else _GIVEN[role](clean)
    if aligned and isinstance(clean, np.ndarray):
        given += paired_kinds(clean)
    meant = MEANT.get(role, set())
    for name, make in FOREIGN.items():
        sort = FREE if name in meant or (optional and name == "None") else REFUSED
        if sort == REFUSED and name in _PLAIN and _is_clean(name, clean):
            sort = FREE
        if role == "path" and name in ("3", "True", "0", "0-d array", "numpy -1"):
            # small whole numbers are files that this process has open
            continue
        if role == "jobs" and name in ("3", "-1", "numpy -1", "10**400", "-10**400"):
            # these start processes
            continue
        given.append(Kind(name, lambda value, make=make: make(), sort))
    return [replace(kind, sort=FREE) if kind.name in free else kind for kind in given]


# ---- what has nothing to do with the clean value


class Unreadable:
    """An object that cannot become an array, as a tensor on another device."""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error("this cannot become an array")


class Sub(np.ndarray):
    """A child of ndarray that adds nothing."""


class Readable:
    """An object that is no array, and becomes one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def list_in_itself():
    inner = [1.0]
    inner.append(inner)
    return inner


FOREIGN = {
    "None": lambda: None,
    "True": lambda: True,
    "3": lambda: 3,
    "3.5": lambda: 3.5,
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "-1": lambda: -1,
    "0": lambda: 0,
    "10**400": lambda: HUGE,
    "-10**400": lambda: -HUGE,
    "1e-320": lambda: 1e-320,
    "complex": lambda: 1 + 1j,
    "Fraction 7/2": lambda: Fraction(7, 2),
    "Fraction beyond floats": lambda: Fraction(HUGE, 3),
    "Decimal 3.5": lambda: Decimal("3.5"),
    "Decimal NaN": lambda: Decimal("NaN"),
    "Decimal sNaN": lambda: Decimal("sNaN"),
    "float32 nan": lambda: np.float32("nan"),
    "numpy -1": lambda: np.int64(-1),
    "text": lambda: "text",
    "no text": lambda: "",
    "text 3": lambda: "3",
    "text with NUL": lambda: "a\0b",
    "bytes": lambda: b"text",
    "pandas.NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "date": lambda: datetime.date(2020, 1, 1),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "timedelta64": lambda: np.timedelta64(1, "D"),
    "masked": lambda: np.ma.masked,
    "empty list": lambda: [],
    "empty tuple": lambda: (),
    "list of an empty list": lambda: [[]],
    "ragged lists": lambda: [[1.0], [1.0, 2.0]],
    "list in itself": list_in_itself,
    "list of None": lambda: [None, None],
    "list of text": lambda: ["a", "b", "c"],
    "set": lambda: {0.25, 0.5},
    "dict": lambda: {"a": 1},
    "empty dict": dict,
    "generator": lambda: (v for v in (0.25, 0.5, 0.75)),
    "range": lambda: range(3),
    "object": object,
    "type": lambda: float,
    "function": lambda: len,
    "lambda": lambda: lambda *given: given,
    "Ellipsis": lambda: ...,
    "slice": lambda: slice(None),
    "0-d array": lambda: np.array(7),
    "0-d text array": lambda: np.array("text"),
    "empty array": lambda: np.empty(0),
    "empty matrix": lambda: np.empty((0, 2)),
    "3-d array": lambda: np.zeros((2, 2, 2)),
    "array of objects": lambda: np.array([object(), object()]),
    "empty frame": pd.DataFrame,
    "empty series": lambda: pd.Series(dtype=float),
    # of three columns, where the rows have two: methods that take sparse rows would take those
    "sparse matrix": lambda: sparse.csr_array(np.ones((2, 3))),
    "missing file": lambda: Path("no such folder", "no such file.csv"),
    "raises TypeError": lambda: Unreadable(TypeError),
    "raises ValueError": lambda: Unreadable(ValueError),
}

_POSITIVE = {"3", "3.5", "1e-320", "Fraction 7/2", "Decimal 3.5", "0-d array"}
_REAL = {*_POSITIVE, "0", "-1", "numpy -1"}
_WHOLE = {"3", "0", "0-d array"}
_HOLDS_NUMBERS = {
    "set",
    "generator",
    "range",
    "empty list",
    "empty tuple",
    "empty array",
    "empty series",
    "sparse matrix",
}
_EMPTY = {
    "empty list",
    "empty tuple",
    "empty array",
    "empty series",
    "empty matrix",
    "list of an empty list",
    "empty frame",
}
# kinds that a role may well take, for another result than the clean one
MEANT = {
    "level": {"1e-320"},
    "levels": {"1e-320", "0", "3-d array", *_EMPTY},
    "numbers": {*_REAL, *_EMPTY, "True", "range", "3-d array", "10**400", "-10**400", "Fraction beyond floats"},
    "counts": {*_WHOLE, *_EMPTY, "range", "3-d array"},
    "share": {"1e-320", "0"},
    "number": _REAL | {"inf", "-inf", "10**400", "-10**400", "Fraction beyond floats"},
    "count": _WHOLE | {"10**400"},
    "seed": {"None", "0-d array", "3", "0", "10**400"},
    "jobs": {"None", "-1", "numpy -1"},
    "flag": {"True", "0"},
    "verbosity": {"True", "0", "3", "0-d array", "-1", "3.5", "10**400"},
    "label": {"None", "True", "0"},
    "groups": {"range", "list of text"},
    "chunked": {"range", "generator", "3"},
    "scores": {"range"},
    "grid": _REAL | _HOLDS_NUMBERS | {"inf", "10**400", "Fraction beyond floats", "True"},
    "path": {"text"},
    "saved": {"text", "text 3", "missing file"},
    "mapping": {"None", "empty dict"},
    "names": {"None", "list of text", "empty list", "empty tuple"},
    "text": {"text", "text 3", "no text", "text with NUL"},
    "function": {"function", "lambda"},
    "objects": set(),
}


_PLAIN = {"True", "3", "3.5", "0", "-1", "text", "no text", "text 3"}


def _is_clean(name, clean):
    made = FOREIGN[name]()
    return isinstance(made, int | float | str) and isinstance(clean, int | float | str) and made == clean


# ---- scalars


def number_kinds(value):
    """Return kinds of the same number; those of few digits only if they hold it exactly."""
    if isinstance(value, str):
        return text_kinds(value)
    kinds = {
        "numpy float64": np.float64,
        "longdouble": np.longdouble,
        "0-d array of it": np.array,
        "Fraction": Fraction,
        "Decimal": lambda v: Decimal(str(v)),
        "complex without imaginary part": complex,
        "list of it": lambda v: [v],
        "array of it": lambda v: np.array([v]),
        "Series of it": lambda v: pd.Series([v]),
        "object array of it": lambda v: np.array(v, dtype=object),
        "0-d masked array": np.ma.array,
    }
    if float(np.float16(value)) == value:
        kinds |= {"float32": np.float32, "float16": np.float16, "big-endian": lambda v: np.array(v, dtype=">f8")[()]}
    if value == int(value) and 0 <= value < 128:
        kinds |= {
            "int": int,
            "float": float,
            "int64": np.int64,
            "int8": np.int8,
            "uint8": np.uint8,
            "uint64": np.uint64,
        }
    kinds = [Kind(name, make, EQUAL) for name, make in kinds.items()]
    return [
        *kinds,
        Kind("text of it", str, REFUSED),
        Kind("bytes of it", lambda v: str(v).encode(), REFUSED),
        Kind("0-d text array of it", lambda v: np.array(str(v)), REFUSED),
        Kind("imaginary", lambda v: complex(v, 1), REFUSED),
        Kind("0-d masked value", lambda v: np.ma.array(v, mask=True), REFUSED),
    ]


def flag_kinds(value):
    """Return kinds of True and False."""
    if not isinstance(value, bool):
        return []
    kinds = {"numpy bool": np.bool_, "0 or 1": int, "0-d bool array": np.array}
    return [
        *(Kind(name, make, EQUAL) for name, make in kinds.items()),
        Kind("text of it", str, REFUSED),
        Kind("list of it", lambda v: [v], REFUSED),
        Kind("array of two", lambda v: np.array([v, v]), REFUSED),
    ]


def text_kinds(value):
    """Return kinds of the same text, and what only looks alike."""
    return [
        Kind("numpy text", np.str_, EQUAL),
        Kind("0-d text array of it", np.array, EQUAL),
        Kind("list of it", lambda v: [v], EQUAL),
        Kind("bytes of it", str.encode, REFUSED),
        Kind("in capitals", str.upper, EQUAL),
        Kind("with a blank", lambda v: v + " ", EQUAL),
    ]


def choice_kinds(value):
    """Return kinds of one word of several."""
    return [] if not isinstance(value, str) else text_kinds(value)


def label_kinds(value):
    """Return kinds of the same label."""
    if not isinstance(value, int):
        return []
    kept = ("text of it", "bytes of it", "0-d text array of it", "imaginary", "0-d masked value")
    return [
        Kind("False", lambda v: False, EQUAL),
        *(k for k in number_kinds(value) if k.name in kept or k.sort == EQUAL),
    ]


# ---- arrays


def _object(values):
    out = np.empty(np.shape(values), dtype=object)
    out[...] = values
    return out


def _strided(values):
    wide = np.repeat(values, 2, axis=0)
    return wide[::2]


def _reversed_view(values):
    return values[::-1].copy()[::-1]


def _misaligned(values):
    raw = np.empty(values.nbytes + 1, dtype=np.uint8)[1:]
    out = raw.view(values.dtype).reshape(values.shape)
    out[...] = values
    return out


@cache
def _has(name):
    return importlib.util.find_spec(name) is not None


def _one_cell(cell):
    """Return a function that puts a cell in the place of the first of an array of objects."""

    def change(values):
        out = _object(values.tolist())
        out[(0,) * values.ndim] = cell() if callable(cell) else cell
        return out

    return change


def _float_cell(cell):
    def change(values):
        out = values.astype(float)
        out[(0,) * out.ndim] = cell
        return out

    return change


def _first_masked(values):
    mask = np.zeros(values.shape, dtype=bool)
    mask[(0,) * values.ndim] = True
    return np.ma.array(values.copy(), mask=mask)


def _far_value_masked(values):
    out = _first_masked(values)
    out.data[(0,) * values.ndim] = -9
    return out


def _imaginary(values):
    out = values.astype(complex)
    out[(0,) * out.ndim] += 1j
    return out


def _dates(values):
    return np.datetime64("2020-01-01", "ns") + (np.asarray(values) * 8).astype("timedelta64[D]")


def same_numbers():
    """Return kinds of arrays that hold the same numbers, of whatever dimension."""
    kinds = {
        "list": lambda a: a.tolist(),
        "tuple": lambda a: tuple(map(tuple, a.tolist())) if a.ndim == 2 else tuple(a.tolist()),
        "list of numpy values": lambda a: list(a),
        "float16": lambda a: a.astype(np.float16),
        "float32": lambda a: a.astype(np.float32),
        "longdouble": lambda a: a.astype(np.longdouble),
        "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
        "read-only": _read_only,
        "Fortran order": np.asfortranarray,
        "reversed view": _reversed_view,
        "strided view": _strided,
        "misaligned memory": _misaligned,
        "child of ndarray": lambda a: a.copy().view(Sub),
        "memoryview": lambda a: memoryview(np.ascontiguousarray(a)),
        "object with __array__": Readable,
        "objects": lambda a: _object(a.tolist()),
        "objects: Fraction": lambda a: np.vectorize(lambda v: Fraction(v), otypes=[object])(a.astype(float)),
        "objects: Decimal": lambda a: np.vectorize(lambda v: Decimal(float(v)), otypes=[object])(a),
        "masked without a mask": lambda a: np.ma.array(a),
        "masked with an empty mask": lambda a: np.ma.array(a, mask=np.zeros(a.shape, dtype=bool)),
        "complex without imaginary parts": lambda a: a.astype(complex),
        "iterator": lambda a: iter(a.tolist()),
        "generator of it": lambda a: (v for v in a.tolist()),
        "dict of places": lambda a: dict(enumerate(a.tolist())),
        "map": lambda a: map(np.float64, a.tolist()),
    }
    if _has("xarray"):
        kinds["xarray"] = _xarray
    if _has("dask"):
        kinds["dask array"] = _dask
    return [Kind(name, make, EQUAL) for name, make in kinds.items()]


def _read_only(values):
    out = values.copy()
    out.flags.writeable = False
    return out


def _xarray(values):
    import xarray

    return xarray.DataArray(values)


def _dask(values):
    import dask.array

    return dask.array.from_array(values, chunks=(max(1, len(values) // 2), *values.shape[1:]))


def broken_arrays(*, missing_only=False):
    """Return kinds of arrays with a cell that has no value, whatever the argument means."""
    kinds = {
        "one NaN": _float_cell(np.nan),
        "one inf": _float_cell(np.inf),
        "one None": _one_cell(None),
        "one pandas.NA": _one_cell(lambda: pd.NA),
        "one NaT": _one_cell(lambda: pd.NaT),
        "one Decimal NaN": _one_cell(lambda: Decimal("NaN")),
        "one Decimal sNaN": _one_cell(lambda: Decimal("sNaN")),
        "one masked": _first_masked,
        "one masked far value": _far_value_masked,
        "all masked": lambda a: np.ma.array(a, mask=True),
        "one imaginary part": _imaginary,
        "3-d": lambda a: a.reshape(*a.shape, *[1] * (2 - a.ndim), 1).repeat(2, axis=-1),
        "set of it": lambda a: set(a.ravel().tolist()),
        "one ragged row": lambda a: [*a.tolist()[:-1], [1.0, 2.0, 3.0]],
    }
    if not missing_only:
        kinds |= {
            "text numbers": lambda a: a.astype(str),
            "bytes numbers": lambda a: a.astype(str).astype(bytes),
            "objects: text numbers": lambda a: _object(a.astype(str).tolist()),
            "objects: one text number": lambda a: _one_cell(str(a.flat[0]))(a),
            "objects: one bytes number": lambda a: _one_cell(str(a.flat[0]).encode())(a),
            "list with a text number": lambda a: _one_cell(str(a.flat[0]))(a).tolist(),
            "one 10**400": _one_cell(HUGE),
            "one object": _one_cell(object),
            "one list": _one_cell(lambda: [1.0]),
            "dates": _dates,
            "objects: dates": lambda a: _object(_dates(a).astype("datetime64[s]").tolist()),
            "timedeltas": lambda a: (a * 8).astype("timedelta64[D]"),
        }
    return [Kind(name, make, REFUSED) for name, make in kinds.items()]


def vector_kinds(clean):
    """Return kinds of one-dimensional arrays of numbers."""
    same = {
        "column": lambda a: a[:, None],
        "Series": lambda a: pd.Series(a),
        "Series with text index": lambda a: pd.Series(a, index=[f"r{i}" for i in range(len(a))]),
        "Series of Float64": lambda a: pd.Series(a).astype("Float64"),
        "Series of objects": lambda a: pd.Series(a.tolist(), dtype=object),
        "Series of sparse dtype": lambda a: pd.Series(pd.arrays.SparseArray(a)),
        "Index": lambda a: pd.Index(a),
        "one-column frame": lambda a: pd.DataFrame({"v": a}),
        "categories of numbers": lambda a: pd.Series(pd.Categorical(a)),
        "array.array": lambda a: array.array("d", a.tolist()),
        "sparse column": lambda a: sparse.csr_array(a[:, None]),
        "sparse vector": lambda a: sparse.coo_array(a),
        "matrix column": lambda a: np.matrix(a).T,
        **_library_vectors(),
    }
    refused = {
        "two columns": lambda a: np.column_stack([a, a]),
        "row": lambda a: a[None, :],
        "structured": lambda a: np.array([(v,) for v in a.tolist()], dtype=[("v", float)]),
        "Series of Float64 with NA": lambda a: pd.Series(a).astype("Float64").mask(np.arange(len(a)) == 0),
        "two-column frame": lambda a: pd.DataFrame({"v": a, "w": a}),
        "nested dict": lambda a: {"v": a.tolist()},
    }
    not_numbers = {
        "Series of text": lambda a: pd.Series(a.astype(str)),
        "Series of string dtype": lambda a: pd.Series(a.astype(str), dtype="string"),
        "Series of dates": lambda a: pd.Series(_dates(a)),
        "Series of periods": lambda a: pd.Series(_dates(a)).dt.to_period("D"),
        "Series of intervals": lambda a: pd.Series(pd.arrays.IntervalArray.from_arrays(a, a + 1)),
        "Series of timedeltas": lambda a: pd.Series((a * 8).astype("timedelta64[D]").astype("timedelta64[s]")),
        "categories of text": lambda a: pd.Series(pd.Categorical(a.astype(str))),
    }
    return [
        *same_numbers(),
        *(Kind(name, make, EQUAL) for name, make in same.items()),
        *broken_arrays(),
        *(Kind(name, make, REFUSED) for name, make in (refused | not_numbers | _library_vectors_with_gaps()).items()),
        Kind("Booleans", lambda a: a > a.mean(), FREE, like=lambda a: (a > a.mean()).astype(float)),
    ]


def _library_vectors():
    kinds = {}
    if _has("polars"):
        kinds["polars Series"] = lambda a: _polars().Series("v", a)
        kinds["polars frame"] = lambda a: _polars().DataFrame({"v": a})
    if _has("pyarrow"):
        kinds["pyarrow array"] = lambda a: _arrow().array(a)
        kinds["pyarrow chunked array"] = lambda a: _arrow().chunked_array([a[:3], a[3:]])
        kinds["Series of pyarrow dtype"] = lambda a: pd.Series(pd.arrays.ArrowExtensionArray(_arrow().array(a)))
    return kinds


def _library_vectors_with_gaps():
    kinds = {}
    if _has("polars"):
        kinds["polars Series with null"] = lambda a: _polars().Series("v", [None, *a.tolist()[1:]])
    if _has("pyarrow"):
        kinds["pyarrow array with null"] = lambda a: _arrow().array([None, *a.tolist()[1:]])
    return kinds


def _polars():
    import polars

    return polars


def _arrow():
    import pyarrow

    return pyarrow


def label_vector_kinds(clean):
    """Return kinds of labels: other values are labels as good, but missing and imaginary ones are none."""
    vectors = vector_kinds(clean)
    others = {
        "text numbers",
        "bytes numbers",
        "objects: text numbers",
        "dates",
        "objects: dates",
        "timedeltas",
        "Series of text",
        "Series of string dtype",
        "Series of dates",
        "Series of periods",
        "Series of intervals",
        "Series of timedeltas",
        "categories of text",
        "structured",
    }
    # an array of the numbers' own type is a label of its own kind
    either = {"one 10**400", "one object"}
    kinds = [k for k in vectors if k.name not in others | either]
    kinds += [Kind(k.name, k.make, RELABEL) for k in vectors if k.name in others]
    names = np.array([f"g{i:02d}" for i in range(100)])
    more = {
        "text": lambda a: names[a.astype(int) % 100],
        "objects: text": lambda a: names[a.astype(int) % 100].astype(object),
        "list of text": lambda a: names[a.astype(int) % 100].tolist(),
        "list of bytes": lambda a: [b"g%02d" % v for v in a.astype(int).tolist()],
        "objects: Fraction labels": lambda a: _object([Fraction(int(v), 3) for v in a]),
        "list of tuples": lambda a: [(int(v), 0) for v in a],
        "ordered categories": lambda a: pd.Series(pd.Categorical(names[a.astype(int) % 100], ordered=True)),
        "unused category": lambda a: pd.Series(
            pd.Categorical(names[a.astype(int) % 100], categories=[*names, "unused"])
        ),
    }
    kinds += [Kind(name, make, RELABEL) for name, make in more.items()]
    same = {
        "int8": lambda a: a.astype(np.int8),
        "uint64": lambda a: a.astype(np.uint64),
        "Series of Int64": lambda a: pd.Series(a).astype("Int64"),
    }
    if clean.max() <= 1:
        same["bool labels"] = lambda a: a.astype(bool)
        same["Series of boolean"] = lambda a: pd.Series(a.astype(bool)).astype("boolean")
        same["list of bool"] = lambda a: a.astype(bool).tolist()
    kinds = [k for k in kinds if k.name != "Booleans"]
    kinds += [Kind(name, make, EQUAL) for name, make in same.items()]
    return kinds


def group_kinds(clean):
    """Return kinds of groups or clusters: as labels, but each value that is not missing is a group of its own."""
    free = {
        "one inf",
        "one imaginary part",
        # 0j is another name than 0, and two objects are two names
        "complex without imaginary parts",
        "array of objects",
        "objects: one text number",
        "objects: one bytes number",
        "list with a text number",
    }
    return [replace(k, sort=FREE) if k.name in free else k for k in label_vector_kinds(clean)]


def matrix_kinds(clean):
    """Return kinds of tables of rows."""
    columns = ["a", "b", "c", "d"][: clean.shape[1]]

    def frame(a, /, **changed):
        return pd.DataFrame(a, columns=columns).assign(**changed)

    same = {
        "matrix": np.matrix,
        "list of arrays": lambda a: list(a),
        "list of Series": lambda a: [pd.Series(row) for row in a],
        "frame": frame,
        "frame with text index": lambda a: frame(a).set_axis([f"r{i}" for i in range(len(a))], axis=0),
        "frame with repeated index": lambda a: frame(a).set_axis([0] * len(a), axis=0),
        "frame with numbers as names": pd.DataFrame,
        "frame with MultiIndex columns": lambda a: pd.DataFrame(
            a, columns=pd.MultiIndex.from_tuples([("u", c) for c in columns])
        ),
        "frame with repeated names": lambda a: pd.DataFrame(a, columns=["a"] * a.shape[1]),
        "frame of Float64": lambda a: frame(a).astype("Float64"),
        "frame of float32": lambda a: frame(a).astype(np.float32),
        "frame of objects": lambda a: frame(a).astype(object),
        "frame of sparse dtype": lambda a: frame(a).astype(pd.SparseDtype(float, 0.0)),
        "frame of categories of numbers": lambda a: frame(a).astype("category"),
        "dict of columns": lambda a: dict(zip(columns, a.T.tolist(), strict=True)),
        "list of dicts": lambda a: [dict(zip(columns, row, strict=True)) for row in a.tolist()],
    }
    for layout in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        same[f"sparse {layout}"] = lambda a, layout=layout: getattr(sparse, f"{layout}_array")(a)
    same["sparse csr matrix"] = sparse.csr_matrix
    same["sparse float32"] = lambda a: sparse.csr_array(a.astype(np.float32))
    if _has("polars"):
        same["polars frame"] = lambda a: _polars().from_pandas(frame(a)) if _has("pyarrow") else None
        same["polars lazy frame"] = lambda a: _polars().DataFrame(dict(zip(columns, a.T, strict=True))).lazy()
    if _has("narwhals"):
        same["narwhals frame"] = lambda a: _narwhals(frame(a))
    if _has("pyarrow"):
        same["pyarrow table"] = lambda a: _arrow().table(dict(zip(columns, a.T, strict=True)))
    if _has("dask"):
        same["dask frame"] = lambda a: _dask_frame(frame(a))
    refused = {
        "one row of it": lambda a: a[0],
        "one column of it": lambda a: a[:, 0],
        "structured": lambda a: np.array([tuple(row) for row in a.tolist()], dtype=[(c, float) for c in columns]),
        "no column": lambda a: a[:, :0],
        "no row": lambda a: a[:0],
        "frame of text numbers": lambda a: frame(a).astype(str),
        "frame with a text column": lambda a: frame(a, a="x"),
        "frame with a column of text numbers": lambda a: frame(a, a=a[:, 0].astype(str)),
        "frame with a column of object text numbers": lambda a: frame(
            a, a=pd.Series(list(map(str, a[:, 0])), dtype=object)
        ),
        "frame with a column of categories of text": lambda a: frame(a, a=pd.Categorical(a[:, 0].astype(str))),
        "frame with a column of dates": lambda a: frame(a, a=_dates(a[:, 0])),
        "frame with a column of timedeltas": lambda a: frame(a, a=(a[:, 0] * 8).astype("timedelta64[s]")),
        "frame with a column of periods": lambda a: frame(a, a=pd.Series(_dates(a[:, 0])).dt.to_period("D")),
        "frame with a column of intervals": lambda a: frame(
            a, a=pd.arrays.IntervalArray.from_arrays(a[:, 0], a[:, 0] + 1)
        ),
        "frame with a column of lists": lambda a: frame(a, a=pd.Series([[v] for v in a[:, 0]])),
        "frame with a complex column": lambda a: frame(a, a=a[:, 0] + 1j),
        "frame with NA": lambda a: frame(a).astype("Float64").mask(np.arange(a.size).reshape(a.shape) == 0),
        "frame with NaN": lambda a: frame(_float_cell(np.nan)(a)),
        "frame with inf": lambda a: frame(_float_cell(np.inf)(a)),
        "frame with names of two types": lambda a: pd.DataFrame(a, columns=["a", 1, 2, 3][: a.shape[1]]),
        "sparse with an imaginary part": lambda a: sparse.csr_array(_imaginary(a)),
        "sparse with NaN": lambda a: sparse.csr_array(_float_cell(np.nan)(a)),
    }
    if _has("polars"):
        refused["polars frame with null"] = lambda a: _polars().DataFrame(
            dict(zip(columns, _one_cell(None)(a).T.tolist(), strict=True))
        )
        refused["polars frame with text"] = lambda a: _polars().DataFrame({c: a[:, 0].astype(str) for c in columns})
    if _has("xarray"):
        refused["xarray with NaN"] = lambda a: _xarray(_float_cell(np.nan)(a))
    return [
        *same_numbers(),
        *(Kind(name, make, EQUAL) for name, make in same.items()),
        *broken_arrays(),
        *(Kind(name, make, REFUSED) for name, make in refused.items()),
        Kind("Booleans", lambda a: a > a.mean(), FREE, like=lambda a: (a > a.mean()).astype(float)),
    ]


def _narwhals(frame):
    import narwhals

    return narwhals.from_native(frame)


def _dask_frame(frame):
    import dask.dataframe

    return dask.dataframe.from_pandas(frame, npartitions=2)


# ---- arguments with as many rows


def _pandas_of(values, index):
    if values.ndim == 2:
        return pd.DataFrame(values, columns=[f"c{i}" for i in range(values.shape[1])], index=index)
    return pd.Series(values, index=index)


def paired_kinds(clean):
    """Return kinds of an argument beside others with as many rows, in which the rows do or do not belong together."""
    n = len(clean)
    plain = pd.RangeIndex(n)
    shuffled = pd.Index(np.random.default_rng(5).permutation(n))

    def under(index):
        return lambda a: _pandas_of(a, index)

    rows_alike = {
        "pandas, both shuffled alike": (shuffled, shuffled),
        "pandas, both with repeated labels": (pd.Index([0] * n), pd.Index([0] * n)),
        "pandas, index of other labels": (plain + 1000, plain),
    }
    rows_apart = {
        "pandas, shuffled against the others": (shuffled, plain),
        "pandas, others shuffled": (plain, shuffled),
        "pandas, moved by one row": (plain + 1, plain),
    }
    kinds = [Kind(name, under(own), EQUAL, under(other)) for name, (own, other) in rows_alike.items()]
    kinds += [Kind(name, under(own), REFUSED, under(other)) for name, (own, other) in rows_apart.items()]
    kinds += [
        Kind("pandas beside lists", under(shuffled), EQUAL, lambda a: a.tolist()),
        Kind("pandas beside tuples", under(shuffled), EQUAL, lambda a: tuple(a.tolist())),
        Kind("array beside pandas", lambda a: a, EQUAL, under(shuffled)),
        Kind("one row too few", lambda a: a[:-1], REFUSED),
        Kind("one row too many", lambda a: np.concatenate([a, a[:1]]), REFUSED),
        Kind("one row", lambda a: a[:1], REFUSED),
    ]
    if _has("pyarrow"):
        kinds.append(
            Kind(
                "pandas beside pyarrow",
                under(shuffled),
                EQUAL,
                lambda a: _arrow().array(a) if a.ndim == 1 else _arrow().table({f"c{i}": c for i, c in enumerate(a.T)}),
            )
        )
    return kinds


# ---- tables of formulas, paths, lists


def table_kinds(clean):
    """Return kinds of the table of a formula, with the label in the column y."""
    same = {
        "shuffled index": lambda f: f.set_axis(np.random.default_rng(5).permutation(len(f)), axis=0),
        "repeated index": lambda f: f.set_axis([0] * len(f), axis=0),
        "more columns": lambda f: f.assign(other="x"),
        "nullable": lambda f: f.convert_dtypes(),
        "objects": lambda f: f.astype(object),
        "float32": lambda f: f.astype({"a": np.float32}),
        "sparse dtype": lambda f: f.astype({"a": pd.SparseDtype(float, 0.0)}),
        "dict of columns": lambda f: f.to_dict("list"),
        "list of dicts": lambda f: f.to_dict("records"),
        "records": lambda f: f.to_records(index=False),
    }
    if _has("polars"):
        same["polars"] = lambda f: _polars().DataFrame(f.to_dict("list"))
    if _has("pyarrow"):
        same["pyarrow"] = lambda f: _arrow().table(f.to_dict("list"))
    if _has("narwhals"):
        same["narwhals"] = _narwhals
    refused = {
        "array": lambda f: f.to_numpy(),
        "list": lambda f: f.to_numpy().tolist(),
        "no row": lambda f: f[:0],
        "without a column": lambda f: f.drop(columns="a"),
        "without the label": lambda f: f.drop(columns="y"),
        "repeated column": lambda f: pd.concat([f, f[["a"]]], axis=1),
        "one NaN": lambda f: f.assign(a=f["a"].mask(f.index == f.index[0])),
        "one NA": lambda f: f.assign(a=f["a"].astype("Float64").mask(f.index == f.index[0])),
        "one inf": lambda f: f.assign(a=f["a"].where(f.index != f.index[0], np.inf)),
        "missing label": lambda f: f.assign(y=f["y"].astype(float).mask(f.index == f.index[0])),
        "column of dates": lambda f: f.assign(a=_dates(f["a"].to_numpy())),
        "column of timedeltas": lambda f: f.assign(a=(f["a"].to_numpy() * 8).astype("timedelta64[s]")),
        "column of intervals": lambda f: f.assign(a=pd.arrays.IntervalArray.from_arrays(f["a"], f["a"] + 1)),
        "column of periods": lambda f: f.assign(a=pd.Series(_dates(f["a"].to_numpy())).dt.to_period("D")),
        "complex column": lambda f: f.assign(a=f["a"] + 1j),
        "column of lists": lambda f: f.assign(a=[[v] for v in f["a"]]),
        "MultiIndex columns": lambda f: f.set_axis(pd.MultiIndex.from_tuples([("u", c) for c in f.columns]), axis=1),
    }
    return [
        *(Kind(name, make, EQUAL) for name, make in same.items()),
        *(Kind(name, make, REFUSED) for name, make in refused.items()),
    ]


def path_kinds(value):
    """Return kinds of a path to read from."""
    return [
        Kind("path as text", str, EQUAL),
        Kind("path as Path", Path, EQUAL),
        Kind("path as bytes", lambda v: str(v).encode(), EQUAL),
        Kind("list of the path", lambda v: [v], EQUAL),
        Kind("path with NUL", lambda v: str(v) + "\0", REFUSED),
        Kind("folder", lambda v: Path(v).parent, REFUSED),
        Kind("path far too long", lambda v: str(v) + "x" * 5000, REFUSED),
        Kind("path below a file", lambda v: Path(v) / "below", REFUSED),
        Kind("loop of links", lambda v: Path(v).parent / "loop", REFUSED),
        Kind("path that cannot be text", lambda v: str(v) + "\udcff", REFUSED),
        Kind("file of other content", lambda v: Path(v).parent / "noise", REFUSED),
        Kind("empty file", lambda v: Path(v).parent / "empty", REFUSED),
    ]


def saved_kinds(value):
    """Return kinds of a path to write to, where other files may be replaced."""
    # and bytes that are no text are the name of a file on some systems
    replaced = ("file of other content", "empty file", "path that cannot be text")
    return [replace(k, sort=FREE) if k.name in replaced else k for k in path_kinds(value)]


def list_kinds(value):
    """Return kinds of a list, of labels in order or of names, in which the order means something."""
    if isinstance(value, str | dict) or not hasattr(value, "__len__") or not len(value):
        return []
    value = list(value)
    kinds = [
        Kind("tuple", tuple, EQUAL),
        Kind("array", np.array, EQUAL),
        Kind("array of objects", lambda v: _object(list(v)), EQUAL),
        Kind("Series", lambda v: pd.Series(list(v)), EQUAL),
        Kind("generator of it", lambda v: (x for x in v), EQUAL),
        Kind("set of it", set, REFUSED),
        Kind("frozenset of it", frozenset, REFUSED),
        Kind("dict of it", lambda v: dict.fromkeys(v, 1), REFUSED),
        Kind("one too few", lambda v: list(v)[:-1], REFUSED),
        Kind("one too many", lambda v: [*v, next(iter(v))], REFUSED),
        Kind("one None", lambda v: [None, *list(v)[1:]], REFUSED),
        Kind("one NaN", lambda v: [np.nan, *list(v)[1:]], REFUSED),
        Kind("one NA", lambda v: [pd.NA, *list(v)[1:]], REFUSED),
        Kind("nested", lambda v: [list(v)], REFUSED),
    ]
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
        kinds += [
            Kind("text numbers", lambda v: [str(x) for x in v], REFUSED),
            Kind("text array", lambda v: np.array([str(x) for x in v]), REFUSED),
            Kind("imaginary part", lambda v: [complex(x, 1) for x in v], REFUSED),
            Kind("one masked", lambda v: _first_masked(np.array(v)), REFUSED),
            Kind("masked with an empty mask", lambda v: np.ma.array(list(v)), EQUAL),
            Kind("numpy numbers", lambda v: [np.float64(x) for x in v], EQUAL),
            Kind("Fractions", lambda v: [Fraction(x) for x in v], EQUAL),
            Kind("dates", lambda v: _dates(np.array(v)), REFUSED),
        ]
    return kinds


def by_label_kinds(value):
    """Return kinds of a dict of label to number."""
    return [
        Kind("Series by label", pd.Series, EQUAL),
        Kind("keys of numpy", lambda v: {np.int64(k): x for k, x in v.items()}, EQUAL),
        Kind("values of float32", lambda v: {k: np.float32(x) for k, x in v.items()}, EQUAL),
        Kind("keys of text", lambda v: {str(k): x for k, x in v.items()}, REFUSED),
        Kind("values of text", lambda v: {k: str(x) for k, x in v.items()}, REFUSED),
        Kind("values of NaN", lambda v: dict.fromkeys(v, np.nan), REFUSED),
        Kind("values of None", lambda v: dict.fromkeys(v), REFUSED),
        Kind("values of NA", lambda v: dict.fromkeys(v, pd.NA), REFUSED),
        Kind("values of 10**400", lambda v: dict.fromkeys(v, HUGE), REFUSED),
        Kind("imaginary values", lambda v: {k: complex(x, 1) for k, x in v.items()}, REFUSED),
        Kind("lists as values", lambda v: {k: [x] for k, x in v.items()}, REFUSED),
        Kind("a label that is none", lambda v: {**v, 99: 0.5}, REFUSED),
    ]


def grid_kinds(value):
    """Return kinds of a number, or of a list of numbers to try."""
    if isinstance(value, int | float):
        return number_kinds(value)
    # how many there are is free, unlike labels in order
    free = {"one too few", "one too many", "set of it", "frozenset of it"}
    kinds = [replace(k, sort=FREE) if k.name in free else k for k in list_kinds(value)]
    # so is the shape: the values to try are the same
    return [replace(k, sort=EQUAL) if k.name == "nested" else k for k in kinds]


def cell_kinds(value):
    """Return kinds of a number or an array of any shape, of which a function takes each cell by itself."""
    if not isinstance(value, np.ndarray):
        return grid_kinds(value)
    shapes = {"3-d", "two columns", "row", "two-column frame"}
    return [replace(k, sort=FREE) if k.name in shapes else k for k in vector_kinds(value)]


_GIVEN = {
    "level": number_kinds,
    "share": number_kinds,
    "number": number_kinds,
    "count": number_kinds,
    "seed": number_kinds,
    "jobs": number_kinds,
    "levels": cell_kinds,
    "numbers": cell_kinds,
    "counts": cell_kinds,
    "grid": grid_kinds,
    "flag": flag_kinds,
    "verbosity": lambda v: [],
    "choice": choice_kinds,
    "text": text_kinds,
    "label": label_kinds,
    "rows": matrix_kinds,
    "labels": label_vector_kinds,
    "groups": group_kinds,
    "scores": vector_kinds,
    "chunked": vector_kinds,
    "weights": vector_kinds,
    "table": table_kinds,
    "path": path_kinds,
    "saved": saved_kinds,
    "order": list_kinds,
    "by_label": by_label_kinds,
    "names": list_kinds,
}
