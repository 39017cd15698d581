"""Arguments of all tasks for processes of this machine: written down once, and not again for every task.

joblib writes an array of more than 1 MB to a file that all processes map, and pickles all else with each task. Here
smaller arrays, and what a table has beside its numbers, such as text, are put together into one array that is mapped.
"""

import io
import pickle
from types import FunctionType

import numpy as np
from scipy import sparse

# joblib's own limit; an array of more bytes is mapped
MAPPED_ABOVE = 2**20
# not worth a file
SMALL = 2**14
_ALIGNED = 64


class PackedArguments:
    """Arguments whose data joblib maps, whatever they are.

    Parameters
    ----------
    arguments : tuple
        Arrays, tables and lists are packed, other objects are kept.

    Notes
    -----
    Text and numbers that lie in one piece of memory of more than 1 MB are not copied here, and nowhere in a process.
    Other Python objects, as in a column of dtype object, are pickled here and read again by every task.

    Examples
    --------
    >>> PackedArguments((np.arange(3), "name", ["one", "two"])).unpacked()
    [array([0, 1, 2]), 'name', ['one', 'two']]
    """

    def __init__(self, arguments):
        self._others = list(arguments)
        tables = {j: part for j, part in enumerate(arguments) if _is_packed(part)}
        try:
            pickled, buffers = _pickled(tables)
        except (pickle.PicklingError, AttributeError, TypeError):
            # objects that only joblib can send, or which it tells the user that it cannot
            tables, (pickled, buffers) = {}, _pickled({})
        for j in tables:
            self._others[j] = None
        self._large = [buffer if buffer.nbytes > MAPPED_ABOVE else None for buffer in (pickled, *buffers)]
        rest = [buffer for buffer in (pickled, *buffers) if buffer.nbytes <= MAPPED_ABOVE]
        self._stops = np.cumsum([-(-buffer.nbytes // _ALIGNED) * _ALIGNED for buffer in rest], dtype=np.int64).tolist()
        self._sizes = [buffer.nbytes for buffer in rest]
        n_bytes = self._stops[-1] if rest else 0
        # long enough to be mapped
        self._joined = np.zeros(n_bytes if n_bytes <= SMALL else max(n_bytes, MAPPED_ABOVE + 1), dtype=np.uint8)
        for start, buffer in zip([0, *self._stops], rest, strict=False):
            self._joined[start : start + buffer.nbytes] = buffer

    def unpacked(self):
        """Return the arguments as a list; what is mapped may not be written into."""
        places = zip([0, *self._stops], self._sizes, strict=False)
        joined = (self._joined[start : start + size] for start, size in places)
        pickled, *buffers = [next(joined) if buffer is None else buffer for buffer in self._large]
        arguments = list(self._others)
        for j, part in pickle.loads(pickled, buffers=buffers).items():
            arguments[j] = part
        return arguments


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj):
        if getattr(obj, "__module__", None) == "__main__" and isinstance(obj, type | FunctionType):
            raise pickle.PicklingError("another process has another __main__")
        if type(obj) is np.ndarray and not obj.dtype.hasobject and not obj.flags.forc:
            # numpy would put a copy of such an array among the objects
            return np.ascontiguousarray(obj).__reduce_ex__(5)
        return NotImplemented


def _pickled(tables):
    """Return arrays of bytes: the pickle, and the memory that it leaves out."""
    buffers, stream = [], io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(tables)
    return np.asarray(stream.getbuffer()), [np.asarray(buffer.raw()) for buffer in buffers]


def _is_packed(part):
    if isinstance(part, np.ndarray):
        # large arrays of numbers are for joblib, which knows those that are mapped already
        return part.dtype.hasobject or part.nbytes <= MAPPED_ABOVE
    return isinstance(part, list) or hasattr(part, "iloc") or sparse.issparse(part)
