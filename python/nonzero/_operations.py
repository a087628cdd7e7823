"""The operations, with GraphBLAS meaning: out<mask, replace> = accum(out, result).

All take these by name (assign works in place, without out and kernel; fast is for products alone):

out       the object that the result goes into; without it a new one is made, of the type of the result. It is returned.
mask      of the output's shape: an entry may be written where the mask has one that is not 0 (structure=True: where it
          has one; complement=True: where it has not). Elsewhere the old entry stays, or goes with replace=True.
accum     a binary operator: combines old entries of out with those of the result ("plus", "min"...); needs out.
kernel    a kernel's id ("csr_merge"); without it the plan chooses. One that cannot serve raises NotSupported.
fast      of products: any valid answer in any order of summation; without it results are the same bit for bit in every run.
ctx       the context; without it default_context().

A NumPy array in place of the vector operand of mxv and vxm, or of what assign writes into a vector, stands for dense(array);
other operands and masks are a Matrix or a Vector (from_scipy and dense make them). Shapes that do not fit raise DimensionMismatch, operators on
types that they are not defined for DomainError.
"""

from __future__ import annotations

from operator import index
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arguments import accumulator, explained, type_of
from ._context import Context, chosen
from ._convert import dense
from ._core import DiaMatrix, Matrix, MxmPattern, Vector
from ._exchange import dtype_name, is_array, on_gpu, places
from .errors import NotSupported

Operand = TypeVar("Operand", Matrix, Vector)
Factor = TypeVar("Factor", Matrix, DiaMatrix)

_COMPLEMENT, _STRUCTURE, _REPLACE, _TRANSPOSE_A, _TRANSPOSE_B, _FAST = 1, 2, 4, 8, 16, 32


def _flags(complement, structure, replace, fast=False, transpose_a=False, transpose_b=False):
    return (
        _COMPLEMENT * bool(complement)
        | _STRUCTURE * bool(structure)
        | _REPLACE * bool(replace)
        | _TRANSPOSE_A * bool(transpose_a)
        | _TRANSPOSE_B * bool(transpose_b)
        | _FAST * bool(fast)
    )


def is_number(x):
    """Whether x is no object of the library and has no dimensions: a number, or what is refused as one."""
    return not isinstance(x, (Matrix, Vector, list, tuple)) and getattr(x, "ndim", 0) == 0


def _vector(u, ctx):
    return u if isinstance(u, Vector) else dense(u, ctx=ctx)


def _given(out, result):
    """The caller's own object with the result in it, or the result."""
    if out is None:
        return result
    out._take(result)
    return out


@explained
def mxv(semiring: str, a: Matrix, u: Vector | ArrayLike, *, out: Vector | None = None, mask: Vector | None = None,
        accum: str | None = None, transpose: bool = False, complement: bool = False, structure: bool = False, replace: bool = False,
        kernel: str = "", fast: bool = False, ctx: Context | None = None) -> Vector:
    """w(i) = sum over k of A(i,k) x u(k) over a semiring: A is m x n, u has n entries, w has m.

    Kernels: csr_row, csr_merge (dalton2015), csr_row_masked (yang2018), csc_gather_scatter, csc_gather_radix,
    csc_gather_merge, csc_gather_bucket (yang2015), csr_ranked, csr_binned, dia_slice, bsr_row, ell_slice, tile_row,
    tile_column (ji2022), reference: docs/operations/mxv.md says when the plan takes each.

    >>> import nonzero as nz
    >>> a = nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 2))
    >>> nz.mxv("plus_times", a, np.array([10.0, 1.0])).values()
    array([ 2., 30.])
    """
    c = chosen(ctx)
    flags = _flags(complement, structure, replace, fast, transpose)
    return _given(out, _core.mxv(c, out, semiring, a, _vector(u, c), mask, accumulator(accum, out), flags, kernel))


@explained
def vxm(semiring: str, u: Vector | ArrayLike, a: Matrix, *, out: Vector | None = None, mask: Vector | None = None,
        accum: str | None = None, transpose: bool = False, complement: bool = False, structure: bool = False, replace: bool = False,
        kernel: str = "", fast: bool = False, ctx: Context | None = None) -> Vector:
    """w(j) = sum over k of u(k) x A(k,j) over a semiring. `transpose` is of A. Kernels as of mxv."""
    c = chosen(ctx)
    flags = _flags(complement, structure, replace, fast, transpose)
    return _given(out, _core.vxm(c, out, semiring, _vector(u, c), a, mask, accumulator(accum, out), flags, kernel))


@explained
def mxm(semiring: str, a: Factor, b: Factor, *, out: Matrix | None = None, mask: Matrix | None = None,
        accum: str | None = None, transpose_a: bool = False, transpose_b: bool = False, complement: bool = False,
        structure: bool = False, replace: bool = False, kernel: str = "", fast: bool = False,
        pattern: MxmPattern | None = None, ctx: Context | None = None) -> Factor:
    """C(i,j) = sum over k of A(i,k) x B(k,j) over a semiring, added in the order of k.

    Kernels: hash, dense_row, row_row, column_row, column_column (matam2012), two_level_sort (dalton2015), masked_dot,
    masked_row, dia_dia (matam2012), reference. pattern: what find_pattern gave for matrices with these places, this semiring and
    these transposes (DomainError otherwise): then nothing is counted.

    Of two DiaMatrix it is a third, the same bits, and takes `fast` and `ctx` alone; a product one of whose diagonals would
    have a gap raises NotSupported.

    >>> import nonzero as nz
    >>> path = nz.from_coo([0, 1], [1, 2], [1, 1], (3, 3))
    >>> nz.mxm("plus_times", path, path).get(0, 2)
    1
    >>> band = nz.DiaMatrix.from_matrix(path)
    >>> nz.mxm("plus_times", band, band)
    <nonzero.DiaMatrix 3 x 3, 1 diagonal, 1 entry, int64>
    """
    flags = _flags(complement, structure, replace, fast, transpose_a, transpose_b)
    if isinstance(a, DiaMatrix) or isinstance(b, DiaMatrix):
        if not (isinstance(a, DiaMatrix) and isinstance(b, DiaMatrix)):
            raise TypeError("mxm takes two Matrix or two DiaMatrix: to_matrix() or DiaMatrix.from_matrix() makes them alike")
        if flags & ~_FAST or kernel or any(x is not None for x in (out, mask, accum, pattern)):
            raise NotSupported("mxm of two DiaMatrix takes fast and ctx alone: multiply the matrices (to_matrix)")
        return _core.mxm_dia(chosen(ctx), semiring, a, b)
    if pattern is not None:
        return _given(out, _core.mxm_fill(chosen(ctx), out, pattern, semiring, a, b, mask, accumulator(accum, out), flags, kernel))
    return _given(out, _core.mxm(chosen(ctx), out, semiring, a, b, mask, accumulator(accum, out), flags, kernel))


@explained
def ewise_add(op: str, a: Operand, b: Operand, *, out: Operand | None = None, mask: Operand | None = None,
              accum: str | None = None, transpose_a: bool = False, transpose_b: bool = False, complement: bool = False,
              structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """Union of two matrices or vectors: op where both have an entry, elsewhere the one that is there.

    >>> import nonzero as nz
    >>> nz.ewise_add("plus", nz.build(3, [0, 1], [1, 2]), nz.build(3, [1, 2], [10, 20])).to_numpy().tolist()
    [1, 12, 20]
    """
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    return _given(out, _core.ewise_add(chosen(ctx), out, op, a, b, mask, accumulator(accum, out), flags, kernel))


@explained
def ewise_mult(op: str, a: Operand, b: Operand, *, out: Operand | None = None, mask: Operand | None = None,
               accum: str | None = None, transpose_a: bool = False, transpose_b: bool = False, complement: bool = False,
               structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """Intersection of two matrices or vectors: op where both have an entry.

    >>> import nonzero as nz
    >>> nz.ewise_mult("times", nz.build(3, [0, 1], [1, 2]), nz.build(3, [1, 2], [10, 20])).entries()[1].tolist()
    [20]
    """
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    return _given(out, _core.ewise_mult(chosen(ctx), out, op, a, b, mask, accumulator(accum, out), flags, kernel))


@explained
def difference(a: Operand, b: Operand, *, out: Operand | None = None, mask: Operand | None = None, accum: str | None = None,
               transpose_a: bool = False, transpose_b: bool = False, complement: bool = False, structure: bool = False,
               replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """A without B: the entries of the matrix or vector A at places where B has none.

    >>> import nonzero as nz
    >>> nz.difference(nz.dense([1.0, 2.0, 3.0]), nz.build(3, [1], [5.0])).entries()[0].tolist()
    [0, 2]
    """
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    return _given(out, _core.difference(chosen(ctx), out, a, b, mask, accumulator(accum, out), flags, kernel))


@explained
def symmetric_difference(a: Operand, b: Operand, *, out: Operand | None = None, mask: Operand | None = None,
                         accum: str | None = None, transpose_a: bool = False, transpose_b: bool = False,
                         complement: bool = False, structure: bool = False, replace: bool = False, kernel: str = "",
                         ctx: Context | None = None) -> Operand:
    """The entries at places that exactly one of the matrices or vectors A and B has."""
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    return _given(out, _core.symmetric_difference(chosen(ctx), out, a, b, mask, accumulator(accum, out), flags, kernel))


@explained
def apply(op: str, a: Operand, *, left=None, right=None, thunk=None, out: Operand | None = None,
          mask: Operand | None = None, accum: str | None = None, transpose: bool = False, complement: bool = False,
          structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """Each entry x becomes op(x); with left=y op(y, x), with right=y op(x, y); with thunk=t op(x, i, j, t), i and j its row and
    column: "rowindex", "colindex", "diagindex", "valuegt"...

    >>> import nonzero as nz
    >>> nz.apply("times", nz.dense([1.0, 2.0]), right=3).values()
    array([3., 6.])
    >>> nz.apply("rowindex", nz.dense([1.0, 2.0]), thunk=10).values().tolist()
    [10, 11]
    """
    if sum(x is not None for x in (left, right, thunk)) > 1:
        raise TypeError("apply takes one of left, right and thunk")
    flags = _flags(complement, structure, replace, False, transpose)
    if thunk is not None:
        return _given(out, _core.apply_indexed(chosen(ctx), out, op, a, thunk, mask, accumulator(accum, out), flags, kernel))
    if left is None and right is None:
        return _given(out, _core.apply(chosen(ctx), out, op, a, mask, accumulator(accum, out), flags, kernel))
    fixed = right if left is None else left
    return _given(out, _core.apply_with(chosen(ctx), out, op, a, fixed, left is not None, mask, accumulator(accum, out), flags, kernel))


@explained
def select(op: str, a: Operand, thunk=0, *, out: Operand | None = None, mask: Operand | None = None,
           accum: str | None = None, transpose: bool = False, complement: bool = False, structure: bool = False,
           replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """Keeps the entries for which op(x, i, j, thunk) holds: "tril", "triu", "diag", "offdiag", "valuegt"...

    >>> import nonzero as nz
    >>> nz.select("valuegt", nz.dense([1.0, 5.0]), 2).count
    1
    """
    flags = _flags(complement, structure, replace, False, transpose)
    return _given(out, _core.select(chosen(ctx), out, op, a, thunk, mask, accumulator(accum, out), flags, kernel))


@explained
def reduce(monoid: str, a: Matrix | Vector, *, ctx: Context | None = None) -> bool | int | float:
    """The sum of all entries over a monoid ("plus", "max"...) in a's type, as a Python number; its identity where there is none.

    Of truth values "plus" is "lor": a.astype(int) has them counted.

    >>> import nonzero as nz
    >>> nz.reduce("plus", nz.dense([1.0, 2.0]))
    3.0
    """
    return _core.reduce(chosen(ctx), monoid, a)


@explained
def reduce_rows(monoid: str, a: Matrix, *, out: Vector | None = None, mask: Vector | None = None,
                accum: str | None = None, transpose: bool = False, complement: bool = False, structure: bool = False,
                replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Vector:
    """w(i) = sum of row i of A over a monoid, in A's type (of column i with transpose=True); empty rows have no entry.

    Of truth values, and so of patterns, "plus" is "lor": A.astype(int) has entries counted.

    >>> import nonzero as nz
    >>> nz.reduce_rows("plus", nz.load("grid2d:2").astype(int)).values().tolist()
    [2, 2, 2, 2]
    """
    flags = _flags(complement, structure, replace, False, transpose)
    return _given(out, _core.reduce_rows(chosen(ctx), out, monoid, a, mask, accumulator(accum, out), flags, kernel))


def _has(op, a, thunk, ctx):
    kept = select(op, a, thunk, ctx=ctx)
    return (kept.count if isinstance(a, Vector) else kept.nnz) > 0


def _in_one_type(a, b, ctx):
    """Pairs of the two in a type, all of which are equal where the values are; none where some value of one is none of the other's."""
    if a.dtype == b.dtype:
        return [(a, b)]
    if "float" not in a.dtype + b.dtype:
        signed = [x for x in (a, b) if x.dtype.startswith("int")]
        if len(signed) == 1 and _has("valuelt", signed[0], 0, ctx):
            return []
        return [(a.astype("int64"), b.astype("int64"))] if len(signed) == 2 else [(a.astype("uint64"), b.astype("uint64"))]
    pairs = [(a.astype("float64"), b.astype("float64"))]
    for whole, other in ((a, b), (b, a)):
        if whole.dtype in ("int64", "uint64"):  # which float64 rounds; and a number beyond it would become its greatest
            if _has("valuege", other, 2.0**63 if whole.dtype == "int64" else 2.0**64, ctx):
                return []
            pairs.append((whole, other.astype(whole.dtype)))
    return pairs


@explained
def isequal(a: Operand, b: Operand, *, ctx: Context | None = None) -> bool:
    """Whether a and b have one shape, entries at the same places and equal values there, of whatever types; NaN equals nothing.
    a == b asks whether they are one object.

    >>> import nonzero as nz
    >>> nz.isequal(nz.dense([1.0, 2.0]), nz.dense([1, 2]))
    True
    """
    if isinstance(a, Vector) != isinstance(b, Vector):
        raise TypeError(f"isequal: a is of type {type_of(a)}, b of type {type_of(b)}: two matrices or two vectors are compared")
    if (a.size, a.count) != (b.size, b.count) if isinstance(a, Vector) else (a.shape, a.nnz) != (b.shape, b.nnz):
        return False
    pairs = _in_one_type(a, b, ctx)
    if not pairs:
        return False
    for x, y in pairs:
        both = ewise_mult("eq", x, y, ctx=ctx)
        entries = both.count if isinstance(a, Vector) else both.nnz
        if entries != (a.count if isinstance(a, Vector) else a.nnz) or not reduce("land", both, ctx=ctx):
            return False
    return True


@explained
def transpose(a: Matrix, *, out: Matrix | None = None, mask: Matrix | None = None, accum: str | None = None,
              complement: bool = False, structure: bool = False, replace: bool = False, kernel: str = "",
              ctx: Context | None = None) -> Matrix:
    """C = A^T.

    >>> import nonzero as nz
    >>> nz.transpose(nz.from_coo([0], [2], [1.0], (1, 3))).shape
    (3, 1)
    """
    flags = _flags(complement, structure, replace)
    return _given(out, _core.transpose(chosen(ctx), out, a, mask, accumulator(accum, out), flags, kernel))


def kept_transpose(a: Matrix) -> Matrix:
    return _core.transposed(chosen(None), a)


@explained
def diag(v: Vector | ArrayLike, k: int = 0, *, ctx: Context | None = None) -> Matrix:
    """The square matrix with v on its k-th diagonal: D(i, i + k) = v(i) for k >= 0, D(i - k, i) = v(i) below.

    >>> import nonzero as nz
    >>> (nz.diag([2.0, 3.0]) @ nz.dense([1.0, 1.0])).values()
    array([2., 3.])
    """
    c = chosen(ctx)
    return _core.diag(c, _vector(v, c), index(k))


@explained
def diagonal(a: Matrix, k: int = 0, *, ctx: Context | None = None) -> Vector:
    """The k-th diagonal of A: d(i) = A(i, i + k) for k >= 0, A(i - k, i) below; absent entries stay absent.

    >>> import nonzero as nz
    >>> nz.diagonal(nz.from_coo([0, 1], [0, 1], [2.0, 3.0], (2, 2))).values()
    array([2., 3.])
    """
    return _core.diagonal(chosen(ctx), a, index(k))


def converted(a: Operand, dtype) -> Operand:
    return _core.converted(chosen(None), a, dtype_name(dtype))


@explained
def kronecker(op: str, a: Matrix, b: Matrix, *, out: Matrix | None = None, mask: Matrix | None = None,
              accum: str | None = None, transpose_a: bool = False, transpose_b: bool = False, complement: bool = False,
              structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Matrix:
    """Block (i,j) of C is op(A(i,j), B): C is (rows A * rows B) x (columns A * columns B).

    >>> import nonzero as nz
    >>> nz.kronecker("times", nz.diag([1.0, 2.0]), nz.diag([3.0])).to_numpy().tolist()
    [[3.0, 0.0], [0.0, 6.0]]
    """
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    return _given(out, _core.kronecker(chosen(ctx), out, op, a, b, mask, accumulator(accum, out), flags, kernel))


def _list(indices, ctx, size):
    """Places among `size`, on the host: the library checks them there, and takes them to the GPU where it needs them."""
    if indices is None:
        return None
    return places(dense(indices, ctx=ctx).values() if on_gpu(indices, ctx) else indices, size=size)


@explained
def extract(a: Operand, rows: ArrayLike | None = None, columns: ArrayLike | None = None, *, out: Operand | None = None,
            mask: Operand | None = None, accum: str | None = None, transpose: bool = False, complement: bool = False,
            structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Operand:
    """A(rows, columns) of a matrix, u(rows) of a vector; None stands for all, and a place may be named twice. An array of bool, one
    for each row or column, stands for those that are True.

    >>> import nonzero as nz
    >>> nz.extract(nz.dense([1.0, 2.0, 3.0]), [2, 0]).values()
    array([3., 1.])
    >>> nz.extract(nz.dense([1.0, 2.0, 3.0]), [True, False, True]).values()
    array([1., 3.])
    """
    c, flags = chosen(ctx), _flags(complement, structure, replace, False, transpose)
    accum = accumulator(accum, out)
    if isinstance(a, Vector):
        if columns is not None:
            raise TypeError("a vector has no columns")
        return _given(out, _core.extract(c, out, a, _list(rows, c, a.size), mask, accum, flags, kernel))
    high, wide = a.shape[::-1] if transpose else a.shape
    return _given(out, _core.extract(c, out, a, _list(rows, c, high), _list(columns, c, wide), mask, accum, flags, kernel))


@explained
def extract_column(a: Matrix, column: int, rows: ArrayLike | None = None, *, out: Vector | None = None,
                   mask: Vector | None = None, accum: str | None = None, transpose: bool = False, complement: bool = False,
                   structure: bool = False, replace: bool = False, kernel: str = "", ctx: Context | None = None) -> Vector:
    """A(rows, column) as a vector (of a row with transpose=True); None stands for all rows."""
    c, flags = chosen(ctx), _flags(complement, structure, replace, False, transpose)
    rows = _list(rows, c, a.shape[1 if transpose else 0])
    return _given(out, _core.extract_column(c, out, a, column, rows, mask, accumulator(accum, out), flags, kernel))


@explained
def assign(out: Operand, x, rows: ArrayLike | None = None, columns: ArrayLike | None = None, *,
           mask: Operand | None = None, accum: str | None = None, complement: bool = False,
           structure: bool = False, replace: bool = False, ctx: Context | None = None) -> Operand:
    """out(rows, columns) = x, in place: x is a matrix (into a matrix), a vector or an array (into a vector) or a number; None
    stands for all places, an array of bool for those that are True.

    Entries of x that are absent delete; a number is written to every place named. Returns out.

    >>> import nonzero as nz
    >>> nz.assign(nz.dense([1.0, 2.0]), 7, [1]).values()
    array([1., 7.])
    """
    c, flags = chosen(ctx), _flags(complement, structure, replace)
    if isinstance(out, Matrix):
        if not (isinstance(x, Matrix) or is_number(x)):
            raise TypeError(f"assign into a matrix takes a Matrix or a number, not a {type_of(x)}: "
                            "assign_row and assign_column take vectors")
        call = _core.assign if isinstance(x, Matrix) else _core.assign_scalar
        return _given(out, call(c, out, x, _list(rows, c, out.shape[0]), _list(columns, c, out.shape[1]), mask, accum, flags))
    if columns is not None:
        raise TypeError("a vector has no columns")
    if is_number(x):
        return _given(out, _core.assign_scalar(c, out, x, _list(rows, c, out.size), mask, accum, flags))
    if not (isinstance(x, Vector) or is_array(x)):
        raise TypeError(f"assign into a vector takes a Vector, an array or a number, not a {type_of(x)}")
    return _given(out, _core.assign(c, out, _vector(x, c), _list(rows, c, out.size), mask, accum, flags))


@explained
def assign_row(out: Matrix, u: Vector | ArrayLike, row: int, columns: ArrayLike | None = None, *,
               mask: Vector | None = None, accum: str | None = None, complement: bool = False,
               structure: bool = False, replace: bool = False, ctx: Context | None = None) -> Matrix:
    """out(row, columns) = u, in place; None stands for the whole row. The mask is a vector over the whole row. Returns out.

    >>> import nonzero as nz
    >>> nz.assign_row(nz.Matrix(nz.default_context(), "float64", 2, 3), [1.0, 2.0], 1, [2, 0]).get(1, 0)
    2.0
    """
    c, flags = chosen(ctx), _flags(complement, structure, replace)
    return _given(out, _core.assign_row(c, out, _vector(u, c), row, _list(columns, c, out.shape[1]), mask, accum, flags))


@explained
def assign_column(out: Matrix, u: Vector | ArrayLike, column: int, rows: ArrayLike | None = None, *,
                  mask: Vector | None = None, accum: str | None = None, complement: bool = False,
                  structure: bool = False, replace: bool = False, ctx: Context | None = None) -> Matrix:
    """out(rows, column) = u, in place; None stands for the whole column. The mask is a vector over the whole column.
    Returns out."""
    c, flags = chosen(ctx), _flags(complement, structure, replace)
    return _given(out, _core.assign_column(c, out, _vector(u, c), column, _list(rows, c, out.shape[0]), mask, accum, flags))
