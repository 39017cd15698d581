"""What has no order of its own, or can be read only once, where the order of the values means something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set, ValuesView

from nproc.errors import InvalidInputError


def refuse_unordered(value, name):
    """Raise for a set, a dict, a view of a dict or an iterator such as a generator; all else passes.

    The order of a set of texts differs from one run of Python to the next, a dict would give its keys, and an iterator
    has nothing left for whoever reads it second.

    Examples
    --------
    >>> from nproc.sequences import refuse_unordered
    >>> refuse_unordered(["b", "a"], "priority")
    >>> refuse_unordered({"b", "a"}, "priority")
    Traceback (most recent call last):
    nproc.errors.InvalidInputError: priority is a set, which has no order, and its order means something: give a list.
    """
    kind = type(value).__name__
    if isinstance(value, Iterator):
        raise InvalidInputError(f"{name} is a {kind}, which can be read only once: give list({name}).")
    if isinstance(value, Mapping | ValuesView):
        # a Dataset of xarray is one too
        raise InvalidInputError(
            f"{name} is a {kind}, which holds values by name, and here their order means something: give a list or an "
            "array of the values."
        )
    if isinstance(value, Set):
        raise InvalidInputError(f"{name} is a {kind}, which has no order, and its order means something: give a list.")
