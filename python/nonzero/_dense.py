"""Products with dense matrices: NumPy arrays, and those of other libraries (see the guide), by rows or by columns, read
and written where they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arguments import accumulator, explained
from ._context import Context, chosen
from ._core import Matrix
from ._exchange import dense_operand, dense_target, empty_beside, lies_by_rows, type_name
from ._operations import _flags, _given
from .errors import DomainError


def _by_rows(order):
    if order not in ("C", "F"):
        raise DomainError(f"order is 'C' or 'F', not {order!r}")
    return order == "C"


@explained
def mxd(semiring: str, a: Matrix, b: ArrayLike, *, out: ArrayLike | None = None, accum: str | None = None, transpose_a: bool = False,
        transpose_b: bool = False, order: str | None = None, kernel: str = "", fast: bool = False,
        with_plan: bool = False, ctx: Context | None = None):
    """C(i,j) = sum over k of A(i,k) x B(k,j) over a semiring, for a sparse A and dense B and C, added in the order of k.

    A is m x n, B n x p, C m x p. B: a two-dimensional array by rows or by columns, with gaps between them or not, which
    is not copied; one with other strides is. On a context's GPU: an array of CuPy, torch or another library that speaks
    DLPack; C is of the same library then. Where row i of A has no entry, C(i,j) is the sum of nothing: the monoid's
    identity (0 for plus, infinity for min).

    out: an array that takes C where it is, of any type; it is returned, and may not overlap B. accum: a binary operator;
    C = accum(out, A B), and needs `out`. order: "C" or "F", of a new array; B's own unless given. kernel: csr_tiled,
    csr_merge or reference (csrmm of matam2012, section V). with_plan=True returns (C, plan), a nonzero.Plan.

    Raises DimensionMismatch, DomainError (overlap, strides), NotSupported (an array on a GPU that the context does not
    compute on).

    >>> import nonzero as nz
    >>> a = nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 2))
    >>> nz.mxd("plus_times", a, np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[6., 8.],
           [3., 6.]])
    """
    c, accum = chosen(ctx), accumulator(accum, out)
    b = dense_operand(b, "b", c)
    if out is None:
        shape = a.shape[1 if transpose_a else 0], b.shape[0 if transpose_b else 1]
        by_rows = lies_by_rows(b) if order is None else _by_rows(order)
        out = target = empty_beside(b, shape, _core.product_type(semiring, a.dtype, type_name(b)), by_rows)
    else:
        target = dense_target(out, c)
    flags = _flags(False, False, False, fast, transpose_a, transpose_b)
    plan = _core.mxd(c, target, semiring, a, b, accum, flags, kernel)
    return (out, plan) if with_plan else out


@explained
def sddmm(semiring: str, x: ArrayLike, y: ArrayLike, m: Matrix, *, out: Matrix | None = None, accum: str | None = None,
          structure: bool = False, replace: bool = False, transpose_x: bool = False, transpose_y: bool = False,
          kernel: str = "", fast: bool = False, ctx: Context | None = None) -> Matrix:
    """C(i,j) = sum over k of X(i,k) x Y(k,j) over a semiring for dense X and Y, at the places of the sparse M alone.

    X is m x p, Y p x n, M and C m x n. A place counts where M has a value other than 0 there (structure=True: any
    entry); M's values do not scale the result. X and Y: arrays as in mxd, each on the host or on the context's GPU; there C
    stays on the GPU. kernel: row_dot or reference.

    Raises DimensionMismatch, DomainError, NotSupported (an array on a GPU that the context does not compute on).

    >>> import nonzero as nz
    >>> m = nz.from_coo([0], [1], [True], (2, 2))
    >>> nz.sddmm("plus_times", np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[0.0, 3.0], [0.0, 4.0]]), m).get(0, 1)
    11.0
    """
    c = chosen(ctx)
    x, y = dense_operand(x, "x", c), dense_operand(y, "y", c)
    flags = _flags(False, structure, replace, fast, transpose_x, transpose_y)
    return _given(out, _core.sddmm(c, out, semiring, x, y, m, accumulator(accum, out), flags, kernel))
