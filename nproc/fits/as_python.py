"""An object as Python that makes it again: estimators, and what they take as parameters."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import sys
import textwrap
from typing import Any

import numpy as np

WIDTH = 90


class NotWritableError(Exception):
    """An object, or a part of it, has no such text."""


class AsPython:
    """Writes objects, and gathers the imports that the text needs.

    What cannot be made again by its text, such as a function of the user's script, is an error.

    Attributes
    ----------
    imports : set of str
        Lines that the objects written so far need.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> writer = AsPython()
    >>> writer(LogisticRegression(C=np.float64(2), l1_ratio=np.nan))
    "LogisticRegression(C=2.0, l1_ratio=float('nan'))"
    >>> writer.imports
    {'from sklearn.linear_model import LogisticRegression'}
    """

    def __init__(self):
        self.imports = set()

    def __call__(self, value: Any) -> str:
        """Return the expression that makes `value`; raise `NotWritableError` if there is none."""
        if isinstance(value, np.generic):
            return self(value.item())
        if isinstance(value, float) and not math.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or type(value) in (bool, int, float, str, bytes, slice):
            return repr(value)
        if type(value) in (list, tuple, set, dict) and value:
            return self._collection(value)
        if type(value) in (list, tuple, dict):
            return repr(value)
        if isinstance(value, np.ndarray) and value.dtype in (np.float64, np.int64, np.bool_, np.object_):
            self.imports.add("import numpy as np")
            return _laid_out("np.array(", [self(value.tolist())], ")")
        if isinstance(value, type | np.ufunc) or inspect.isroutine(value):
            return self._public(value)
        return self._call(value)

    def _collection(self, value):
        if isinstance(value, dict):
            parts = [f"{self(key)}: {self(one)}" for key, one in value.items()]
            return _laid_out("{", parts, "}")
        first, last = {list: "[]", tuple: "()", set: "{}"}[type(value)]
        parts = [self(one) for one in value]
        return _laid_out(first, parts, ",)" if isinstance(value, tuple) and len(parts) == 1 else last)

    def _public(self, value):
        """Return the name of a class or function, which is imported from where it is public."""
        name = value.__name__
        module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None) or ""
        place = ".".join(itertools.takewhile(lambda part: not part.startswith("_"), module.split(".")))
        if module == "builtins":
            return name
        if getattr(sys.modules.get(place), name, None) is not value:
            raise NotWritableError(name)
        self.imports.add(f"from {place} import {name}")
        return name

    def _call(self, value):
        kind = type(value)
        if hasattr(value, "get_params"):
            if hasattr(value, "_metadata_request"):
                raise NotWritableError(kind.__name__)
            given = _changed(kind, value.get_params(deep=False))
        elif dataclasses.is_dataclass(value):
            given = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        elif hasattr(value, "_score_func"):
            return self._scorer(value)
        elif hasattr(value, "dist") and kind.__module__.startswith("scipy.stats"):
            return self._distribution(value)
        else:
            given = _attributes(value)
        text = _laid_out(f"{self._public(kind)}(", self._arguments(given), ")")
        output = getattr(value, "_sklearn_output_config", {})
        return text + (f".set_output(transform={output['transform']!r})" if output.get("transform") else "")

    def _arguments(self, given):
        return [f"{name}={self(value)}" for name, value in given.items()]

    def _scorer(self, value):
        """Return the call of a scorer by scikit-learn's make_scorer."""
        self.imports.add("from sklearn.metrics import make_scorer")
        given = {"response_method": value._response_method} | value._kwargs
        given |= {} if value._sign > 0 else {"greater_is_better": False}
        return _laid_out("make_scorer(", [self(value._score_func), *self._arguments(given)], ")")

    def _distribution(self, value):
        """Return the call of one of scipy's distributions with its parameters."""
        from scipy import stats

        name = value.dist.name
        if type(getattr(stats, name, None)) is not type(value.dist):
            raise NotWritableError(name)
        self.imports.add(f"from scipy.stats import {name}")
        return _laid_out(f"{name}(", [*map(self, value.args), *self._arguments(value.kwds)], ")")


def _changed(kind, given):
    """Return the parameters of an estimator that are not the usual ones of its class."""
    usual = {name: known.default for name, known in inspect.signature(kind).parameters.items()}

    def same(one, other):
        if type(one) is not type(other):
            return False
        return one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))

    plain = (type(None), bool, int, float, str, type)
    return {
        name: value
        for name, value in given.items()
        if not (name in usual and isinstance(value, plain) and same(value, usual[name]))
    }


def _attributes(value):
    """Return the arguments of an object that keeps each of them under its name, as splitters and selectors do."""
    try:
        known = inspect.signature(type(value)).parameters.values()
    except ValueError as error:
        # of classes in C
        raise NotWritableError(type(value).__name__) from error
    # scikit-learn's repeated splitters keep some apart
    kept = {**getattr(value, "cvargs", {}), **getattr(value, "__dict__", {})}
    if not kept or any(one.name not in kept for one in known):
        raise NotWritableError(type(value).__name__)
    return {one.name: kept[one.name] for one in known}


def _laid_out(first, parts, last):
    """Return parts between brackets on one line, or each on a line of its own where that would be long."""
    line = f"{first}{', '.join(parts)}{last}"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return first + "\n" + "".join(textwrap.indent(part, "    ") + ",\n" for part in parts) + last.lstrip(",")
