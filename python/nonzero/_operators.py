"""What A @ B, A[i, j], A[i, j] = x and del A[i, j] mean, for the compiled half: products over (plus, times), get, set and remove,
extract and assign."""

from __future__ import annotations

from operator import index

import numpy as np

from ._arguments import type_of, way_out
from ._core import DiaMatrix, Matrix, Vector
from ._dense import mxd
from ._exchange import is_array
from ._operations import assign, assign_column, assign_row, extract, extract_column, is_number, mxm, mxv, vxm
from .errors import IndexOutOfBounds

_RING = "plus_times"
_OURS = (Matrix, Vector)


def product(left, right):
    """left @ right: mxm, mxv, vxm or mxd with their defaults; of a dense matrix on the left, mxd's of the transposes."""
    if isinstance(left, _OURS) and isinstance(right, _OURS):
        if isinstance(left, Vector) and isinstance(right, Vector):
            raise TypeError("u @ v of two vectors is not defined: reduce('plus', ewise_mult('times', u, v)) is their inner product")
        return (mxv if isinstance(right, Vector) else vxm if isinstance(left, Vector) else mxm)(_RING, left, right)
    a, other = (left, right) if isinstance(left, _OURS) else (right, left)
    if isinstance(a, Vector):
        return NotImplemented  # NumPy takes a dense one as an array
    if isinstance(other, DiaMatrix) or hasattr(other, "tocsr"):
        raise TypeError(f"@ of a Matrix does not take an object of type {type_of(other)}" + way_out("it", other, ("Matrix",)))
    dimensions = np.ndim(other) if isinstance(other, (list, tuple)) else getattr(other, "ndim", 0)
    if dimensions == 1:
        return mxv(_RING, a, other) if a is left else vxm(_RING, other, a)
    if dimensions == 2:
        return mxd(_RING, a, other) if a is left else mxd(_RING, a, other, transpose_a=True, transpose_b=True).T
    if dimensions > 2:
        raise TypeError(f"@ of a Matrix takes arrays of one or two dimensions, not of {dimensions}")
    return NotImplemented


def _places(key, size):
    """An int as it is; what extract and assign take of a list, an array or a slice."""
    if not isinstance(key, slice):
        if isinstance(key, (list, tuple)) or getattr(key, "ndim", 0) > 0 or is_array(key) and not hasattr(key, "__float__"):
            return key
        if not hasattr(key, "__index__") or isinstance(key, bool):
            raise TypeError(f"a place is an int, a slice, a list or an array of ints or bools, not a {type_of(key)}")
        return index(key)
    if any(end is not None and index(end) < 0 for end in (key.start, key.stop)):
        raise IndexOutOfBounds(f"places {key.start}:{key.stop}: they are not counted from the end")
    return None if key == slice(None) else np.arange(*key.indices(size), dtype=np.int32)


def _pair(a, keys):
    if type(keys) is tuple and [*map(type, keys)] == [int, int]:
        return keys  # without the shape, which takes as long as the rest
    if not isinstance(keys, tuple) or len(keys) != 2:
        raise TypeError("a matrix takes a row and a column: A[i, j], A[i, :], A[:, j] or A[rows, columns]")
    return _places(keys[0], a.shape[0]), _places(keys[1], a.shape[1])


def _lists(*places):
    return ([k] if isinstance(k, int) else k for k in places)


def read(x, key):
    """x[key]: a number, or None where there is no entry, at one place; a Vector or a Matrix of several."""
    if isinstance(x, Vector):
        i = key if type(key) is int else _places(key, x.size)
        return x.get(i) if isinstance(i, int) else extract(x, i)
    i, j = _pair(x, key)
    if isinstance(i, int) and isinstance(j, int):
        return x.get(i, j)
    if isinstance(i, int) and j is None:
        return extract_column(x, i, transpose=True)
    if isinstance(j, int):
        return extract_column(x, j, i)
    part = extract(x, *_lists(i, j))
    if isinstance(i, int):
        return extract_column(part, 0, transpose=True)
    return part


def write(x, key, value):
    """x[key] = value: set at one place, assign at several."""
    if isinstance(x, Vector):
        i = key if type(key) is int else _places(key, x.size)
        x.set(i, value) if isinstance(i, int) else assign(x, value, i)
        return
    i, j = _pair(x, key)
    if isinstance(i, int) and isinstance(j, int):
        x.set(i, j, value)
    elif isinstance(i, int) and not is_number(value):
        assign_row(x, value, i, j)
    elif isinstance(j, int) and not is_number(value):
        assign_column(x, value, j, i)
    else:
        assign(x, value, *_lists(i, j))


def erase(x, key):
    """del x[key]: remove, at one place."""
    places = (_places(key, x.size),) if isinstance(x, Vector) else _pair(x, key)
    if not all(isinstance(k, int) for k in places):
        raise TypeError("del removes the entry of one place: select keeps some of several, and clear() removes all")
    x.remove(*places)
