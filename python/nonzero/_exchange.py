"""Arrays of other libraries: as NumPy arrays over the same memory, or as they are where they lie on a GPU."""

from __future__ import annotations

import numpy as np

from ._context import Context
from ._core import Matrix
from .errors import DimensionMismatch, DomainError, IndexOutOfBounds, NotSupported

# DLPack's device types whose memory the CPU reads: its own, and pinned memory of CUDA and ROCm.
_CPU_READS = (1, 3, 11)
_CUDA = (2, 13)
_DEVICES = {2: "a CUDA GPU", 7: "a Vulkan device", 8: "Metal", 10: "a ROCm GPU", 13: "CUDA's managed memory"}


_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
LARGEST_PLACE = 2**31 - 2


def dtype_name(dtype) -> str:
    """The name of an element type: NumPy's dtypes, its scalar types and Python's bool, int and float, as NumPy understands them.

    Raises DomainError for what no matrix or vector holds.

    >>> dtype_name(np.float32), dtype_name("f4"), dtype_name(int)
    ('float32', 'float32', 'int64')
    """
    try:
        name = repr(dtype) if dtype is None else np.dtype(dtype).name
    except (TypeError, ValueError):
        name = repr(dtype)
    if name not in _DTYPES:
        raise DomainError(f"{name} is no type of entries; these are {', '.join(_DTYPES)}")
    return name


def _refuse_gpu(x, where, why):
    raise NotSupported(
        f"the {type(x).__module__}.{type(x).__qualname__} is in the memory of {where}, {why} copy it to the host first "
        "(cupy.asnumpy(x), tensor.cpu(), jax.device_get(x))"
    )


def _device(x):
    """DLPack's type and number of the device that `x` lies on, or None for what the CPU reads."""
    if isinstance(x, np.ndarray):
        return None
    if hasattr(x, "__dlpack_device__"):
        kind, number = (int(k) for k in x.__dlpack_device__())
        return None if kind in _CPU_READS else (kind, number)
    return (2, None) if getattr(x, "__cuda_array_interface__", None) is not None else None


def _where(device):
    kind, number = device
    return _DEVICES.get(kind, f"a device of DLPack type {kind}") + ("" if number is None else f" (number {number})")


def on_gpu(x, ctx: Context) -> bool:
    """Whether `x` is an array in the memory of the context's GPU.

    Raises NotSupported for one that the context cannot read: it computes on the CPU, or the device is another kind.
    """
    device = _device(x)
    if device is None:
        return False
    if device[0] not in _CUDA or not hasattr(x, "__dlpack__"):
        _refuse_gpu(x, _where(device), "which is not read here: give an array that speaks DLPack, or")
    if ctx.backend != "cuda":
        _refuse_gpu(x, _where(device), "and this context computes on the CPU: make a Context(backend='cuda'), or")
    return True


def type_name(x) -> str:
    """"float64" of NumPy's, CuPy's and torch's arrays alike."""
    return str(x.dtype).rpartition(".")[2]


def _gpu_line(x):
    """A GPU's array of one dimension without gaps, copied there where it has some."""
    if getattr(x, "ndim", 1) != 1:
        raise DomainError(f"an array of one dimension is needed, not one of shape {tuple(x.shape)}")
    if hasattr(x, "is_contiguous"):
        return x.detach().contiguous()
    return x if getattr(getattr(x, "flags", None), "c_contiguous", True) else x.copy()


def as_int32(x):
    """A GPU's array of whole numbers as int32, converted there; larger ones are an error, never wrapped."""
    if type_name(x) == "int32":
        return x
    if len(x) and not type_name(x).lstrip("u").startswith("int"):
        raise DomainError(f"row and column numbers must be integers, not {type_name(x)}")
    if len(x) and (int(x.max()) >= 2**31 or int(x.min()) < 0):
        raise IndexOutOfBounds(f"row and column numbers must lie in 0..{LARGEST_PLACE}")
    return x.int() if hasattr(x, "is_contiguous") else x.astype("int32")


def refuse_place(place, k):
    """Raises the error of a place that no matrix and no vector has, the k-th of several."""
    raise IndexOutOfBounds(f"{place} at position {k}: row and column numbers must lie in 0..{LARGEST_PLACE}")


def _refuse_beyond(x):
    """Raises IndexOutOfBounds where ints of more than 64 bits made NumPy take another type."""
    if getattr(x, "ndim", 1) != 1 or not isinstance(x, (list, tuple)) and getattr(x, "dtype", None) != object:
        return
    for k, place in enumerate(x):
        if isinstance(place, int) and not -(2**63) <= place < 2**63:
            refuse_place(place, k)


def places(x, ctx: Context | None = None, *, size: int | None = None):
    """Row or column numbers as int32; with `size` also the numbers of what is True among so many bools. Raises IndexOutOfBounds for
    what int32 does not hold (they are never wrapped), DimensionMismatch for more bools or fewer."""
    try:
        a = contiguous(x, ctx)
    except DomainError:
        _refuse_beyond(x)
        raise
    if not isinstance(a, np.ndarray):
        return as_int32(a)
    if size is not None and a.dtype == np.bool_ and a.ndim == 1:
        if a.size != size:
            raise DimensionMismatch(f"{a.size} bools choose among {size} rows or columns: one for each is needed")
        return np.flatnonzero(a).astype(np.int32)
    if a.size and a.dtype.kind not in "iu":
        _refuse_beyond(x)
        raise DomainError(f"row and column numbers must be integers, not {a.dtype}")
    if a.size and a.dtype != np.int32:
        for k in (int(a.argmin()), int(a.argmax())):
            if not -(2**31) <= int(a[k]) <= LARGEST_PLACE:
                refuse_place(a[k], k)
    return a.astype(np.int32, copy=False)


def has_other_order(x) -> bool:
    """Whether `x` is a NumPy array of the byte order that this machine has not."""
    return isinstance(x, np.ndarray) and not x.dtype.isnative


def is_array(x) -> bool:
    """Whether `x` is an array, a list or a number: what NumPy may make an array of. A Matrix, a sparse array and text are none."""
    if hasattr(x, "tocsr") or isinstance(x, (str, bytes, dict, Matrix)):
        return False
    protocols = ("__array__", "__dlpack__", "__array_interface__", "__cuda_array_interface__", "__float__")
    return any(hasattr(x, p) for p in protocols) or hasattr(x, "__len__") and hasattr(x, "__getitem__")


def as_array(x) -> np.ndarray:
    """`x` as a NumPy array: over the memory of `x` where it is a NumPy array, speaks DLPack (torch, CuPy, JAX...) or has
    __array_interface__; a new array for lists, numbers and the other byte order. Shape and strides stay as they are.

    Raises NotSupported for arrays in a GPU's memory (on_gpu tells), TypeError for what is no array, DomainError for one of
    other things than real numbers.

    >>> class Tensor:  # what another library's array looks like from outside
    ...     data = np.arange(3.0)
    ...     def __dlpack_device__(self): return self.data.__dlpack_device__()
    ...     def __dlpack__(self, **how): return self.data.__dlpack__(**how)
    >>> a = as_array(Tensor())
    >>> a.ctypes.data == Tensor.data.ctypes.data
    True
    """
    if not (isinstance(x, np.ndarray) or is_array(x)):
        raise TypeError(f"an array of numbers is needed, not an object of type {type(x).__qualname__}")
    found = _over_memory(x)
    if found.dtype.name not in _DTYPES:
        raise DomainError(
            "an array of numbers is needed (bool, int8 to int64, uint8 to uint64, float32 or float64), "
            f"not a {type(x).__qualname__} of {found.dtype}"
        )
    return found.astype(found.dtype.newbyteorder("=")) if has_other_order(found) else found


def _over_memory(x):
    if isinstance(x, np.ndarray):
        return x
    device = _device(x)
    if device is not None:
        _refuse_gpu(x, _where(device), "and this operand is read on the host:")
    if hasattr(x, "__dlpack_device__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as why:
            if not (hasattr(x, "__array_interface__") or hasattr(x, "__array__")):
                raise DomainError(f"the {type(x).__qualname__} cannot be handed over by DLPack: {why}") from why
    return np.asarray(x)


def _with_truth(a):
    """An array of bool whose True is the byte 1: a copy where some memory, seen as bool, holds others."""
    if a.dtype != np.bool_ or a.size == 0 or a.view(np.uint8).max() <= 1:
        return a
    return a.view(np.uint8) != 0


def contiguous(x, ctx: Context | None = None, *, or_number: bool = False):
    """as_array(x) of one dimension; copied where its elements have gaps between them. With a context whose GPU holds x, x
    itself or a copy without gaps there. or_number: a number stands for an array of one element."""
    if ctx is not None and on_gpu(x, ctx):
        return _gpu_line(x)
    a = as_array(x)
    if a.ndim != 1 and not (or_number and a.ndim == 0):
        raise DomainError(f"an array of one dimension is needed, not {f'one of shape {a.shape}' if a.ndim else 'a number'}")
    return _with_truth(np.ascontiguousarray(a.reshape(1) if a.ndim == 0 else a))


def _lies_in_lines(a, lines, length):
    size = a.itemsize
    along, across = a.strides[length], a.strides[lines]
    return (a.shape[length] < 2 or along == size) and (
        a.shape[lines] < 2 or (across % size == 0 and across >= size * a.shape[length])
    )


def dense_operand(x, name, ctx: Context | None = None):
    """A two-dimensional array whose rows, or whose columns, have no gaps; a copy by rows where neither holds. With a
    context whose GPU holds x, x itself."""
    a = x if ctx is not None and on_gpu(x, ctx) else as_array(x)
    if a.ndim != 2:
        raise DomainError(f"{name} must have two dimensions, not {a.ndim}" + (": mxv takes vectors" if a.ndim == 1 else ""))
    if not isinstance(a, np.ndarray):
        return a.detach() if hasattr(a, "detach") else a
    return _with_truth(a if a.size == 0 or lies_by_rows(a) or _lies_in_lines(a, 1, 0) else np.ascontiguousarray(a))


def empty_beside(x, shape, dtype: str, by_rows: bool):
    """A new array of the library and on the device of `x`. Raises TypeError where that library is not known."""
    module = type(x).__module__.partition(".")[0]
    if isinstance(x, np.ndarray):
        return np.empty(shape, dtype, "C" if by_rows else "F")
    if module == "cupy":
        import cupy

        return cupy.empty(shape, dtype, "C" if by_rows else "F")
    if module == "torch":
        import torch

        made = torch.empty(shape if by_rows else shape[::-1], dtype=getattr(torch, dtype), device=x.device)
        return made if by_rows else made.T
    raise TypeError(f"new arrays of {module} cannot be made here: give out")


def lies_by_rows(a) -> bool:
    if isinstance(a, np.ndarray):
        return _lies_in_lines(a, 0, 1)
    return a.is_contiguous() if hasattr(a, "is_contiguous") else bool(a.flags.c_contiguous)


def dense_target(out, ctx: Context):
    """A two-dimensional array that results are written into where it is, on the host or on the context's GPU: never copied."""
    if on_gpu(out, ctx):
        return out
    if isinstance(out, (list, tuple)):
        raise TypeError(f"out is written in place: give an array, not a {type(out).__qualname__}")
    if has_other_order(out):
        raise DomainError("out is written in place: give an array of this machine's byte order")
    a = as_array(out)
    if a.ndim != 2:
        raise DomainError(f"out must have two dimensions, not {a.ndim}")
    if not a.flags.writeable:
        raise DomainError("out is read-only")
    if a.size and not (lies_by_rows(a) or _lies_in_lines(a, 1, 0)):
        raise DomainError(
            f"out has gaps between the values of its rows and of its columns (strides of {a.strides} bytes): "
            "give an array by rows or by columns"
        )
    return a
