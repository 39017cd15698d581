"""The errors and warnings of the package.

Every message names the argument, the rule, what was found and a way out.
"""


class NPError(Exception):
    """Base class of all errors raised by this package."""


class InvalidInputError(NPError, ValueError):
    """An argument breaks a stated rule."""


class InvalidTypeError(InvalidInputError, TypeError):
    """A value is of a type that cannot become a number."""


class TooFewSamplesError(NPError, ValueError):
    """The sample is too small for the levels asked for."""


class LostWorkerError(NPError, RuntimeError):
    """Worker processes died again and again, or a Dask cluster is gone, so that some tasks have no result."""


class NPWarning(UserWarning):
    """The result stands, but the user should know something about it."""


class NotConvergedWarning(NPWarning):
    """A solver stopped before its certificate was small enough."""


class SeparationWarning(NPWarning):
    """The classes are separated, so that a maximum likelihood fit does not exist."""


class PlainPythonWarning(NPWarning):
    """A solver runs as plain Python, much slower, since numba is not installed."""
