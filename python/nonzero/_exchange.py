"""Arrays of other libraries, as NumPy arrays over the same memory."""

from __future__ import annotations

import numpy as np

from .errors import DomainError, NotSupported

# DLPack's device types whose memory the CPU reads: its own, and pinned memory of CUDA and ROCm.
_CPU_READS = (1, 3, 11)
_DEVICES = {2: "a CUDA GPU", 7: "a Vulkan device", 8: "Metal", 10: "a ROCm GPU", 13: "CUDA's managed memory"}


def _refuse_gpu(x, where):
    raise NotSupported(
        f"the {type(x).__module__}.{type(x).__qualname__} is in the memory of {where}, which Python's operands cannot be in "
        "yet: copy it to the host first (cupy.asnumpy(x), tensor.cpu(), jax.device_get(x))"
    )


def as_array(x) -> np.ndarray:
    """`x` as a NumPy array: over the memory of `x` where it is a NumPy array, speaks DLPack (torch, CuPy, JAX...) or has
    __array_interface__; a new array for lists and numbers. Shape and strides stay as they are.

    Raises NotSupported for arrays in a GPU's memory, DomainError for what is no array of real numbers.

    >>> class Tensor:  # what another library's array looks like from outside
    ...     data = np.arange(3.0)
    ...     def __dlpack_device__(self): return self.data.__dlpack_device__()
    ...     def __dlpack__(self, **how): return self.data.__dlpack__(**how)
    >>> a = as_array(Tensor())
    >>> a.ctypes.data == Tensor.data.ctypes.data
    True
    """
    found = _over_memory(x)
    if found.dtype.kind not in "biuf":
        raise DomainError(f"an array of real numbers is needed, not a {type(x).__qualname__} of {found.dtype}")
    return found


def _over_memory(x):
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "__dlpack_device__"):
        kind, number = (int(k) for k in x.__dlpack_device__())
        if kind not in _CPU_READS:
            _refuse_gpu(x, f"{_DEVICES.get(kind, f'a device of DLPack type {kind}')} (number {number})")
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as why:
            if not (hasattr(x, "__array_interface__") or hasattr(x, "__array__")):
                raise DomainError(f"the {type(x).__qualname__} cannot be handed over by DLPack: {why}") from why
    elif getattr(x, "__cuda_array_interface__", None) is not None:
        _refuse_gpu(x, _DEVICES[2])
    return np.asarray(x)


def contiguous(x) -> np.ndarray:
    """as_array(x) of one dimension, or a number; copied where its elements have gaps between them."""
    a = as_array(x)
    if a.ndim > 1:
        raise DomainError(f"an array of one dimension is needed, not one of shape {a.shape}")
    return a if a.ndim == 0 else np.ascontiguousarray(a)


def _lies_in_lines(a, lines, length):
    size = a.itemsize
    along, across = a.strides[length], a.strides[lines]
    return (a.shape[length] < 2 or along == size) and (
        a.shape[lines] < 2 or (across % size == 0 and across >= size * a.shape[length])
    )


def dense_operand(x, name) -> np.ndarray:
    """A two-dimensional array whose rows, or whose columns, have no gaps; a copy by rows where neither holds."""
    a = as_array(x)
    if a.ndim != 2:
        raise DomainError(f"{name} must have two dimensions, not {a.ndim}" + (": mxv takes vectors" if a.ndim == 1 else ""))
    return a if a.size == 0 or lies_by_rows(a) or _lies_in_lines(a, 1, 0) else np.ascontiguousarray(a)


def lies_by_rows(a) -> bool:
    return _lies_in_lines(a, 0, 1)


def dense_target(out) -> np.ndarray:
    """A two-dimensional array that results are written into where it is: never copied."""
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
