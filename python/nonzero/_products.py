"""Sparse products beside mxm: what one will take, products whose places are known, and alpha A x + beta y."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arguments import accumulator, explained
from ._context import Context, chosen
from ._core import Matrix, MxmPattern, Vector
from ._exchange import dtype_name
from ._operations import _flags, _given, _vector
from ._plan import Plan


@dataclass
class MxmEstimate:
    """products: entries of A with entries of their row of B. most_entries: no more can come out. expected_entries: from
    `sampled_rows` rows drawn by their products; exact where all were. most_bytes, expected_bytes: of the result's CSR."""

    products: int
    most_entries: int
    expected_entries: float
    sampled_rows: int
    most_bytes: int
    expected_bytes: float

    def error(self, entries: int) -> float:
        """How far off the expectation was once `entries` came out: 0.1 when it was 10% too many."""
        return self.expected_entries / entries - 1 if entries else 0.0


@explained
def estimate_mxm(semiring: str, a: Matrix, b: Matrix, *, transpose_a: bool = False, transpose_b: bool = False,
                 ctx: Context | None = None) -> MxmEstimate:
    """What mxm would take and give, without computing it. The same for every number of threads.

    >>> import nonzero as nz
    >>> a = nz.load("grid2d:10")
    >>> nz.estimate_mxm("plus_times", a, a).products
    1328
    """
    flags = _flags(False, False, False, False, transpose_a, transpose_b)
    return MxmEstimate(**_core.estimate_mxm(chosen(ctx), semiring, a, b, flags))


@explained
def find_pattern(semiring: str, a: Matrix, b: Matrix, *, transpose_a: bool = False, transpose_b: bool = False,
                 kernel: str = "", ctx: Context | None = None) -> MxmPattern:
    """The places of A B, counted once where the context computes, for products of matrices with the same places and other values:
    mxm(..., pattern=...) fills them, bit for bit as mxm alone.

    Raises NotSupported for semirings that are not compiled, DimensionMismatch.

    >>> import nonzero as nz
    >>> graph = nz.load("grid2d:10")
    >>> a, b = nz.with_random_weights(graph, 1, 9), nz.with_random_weights(graph, 1, 9, seed=2)
    >>> places = nz.find_pattern("plus_times", a, a)
    >>> places.shape, places.entries
    ((100, 100), 744)
    >>> nz.mxm("plus_times", b, b, pattern=places).nnz  # the same places, other values
    744
    """
    flags = _flags(False, False, False, False, transpose_a, transpose_b)
    return _core.find_pattern(chosen(ctx), semiring, a, b, flags, kernel)


@dataclass
class HybridProduct:
    """matrix: the product. cpu_share: of the products of entries, those that the CPU added. cpu_ms, gpu_ms: from where
    both begin to fill rows until each had none left. on_cpu, on_gpu: what each side decided."""

    matrix: Matrix
    cpu_share: float
    cpu_ms: float
    gpu_ms: float
    on_cpu: Plan
    on_gpu: Plan


@explained
def mxm_hybrid(semiring: str, a: Matrix, b: Matrix, *, cpu_share: float | None = None, out: Matrix | None = None,
               mask: Matrix | None = None, accum: str | None = None, transpose_a: bool = False,
               transpose_b: bool = False, complement: bool = False, structure: bool = False, replace: bool = False,
               kernel: str = "", ctx: Context | None = None) -> HybridProduct:
    """mxm by a CPU and a GPU together, for a result that is wanted on the host (matam2012): rows are divided as it goes, or
    by `cpu_share`: the first rows, with so much of the products, 0 to 1, are the CPU's. Where the factors go to the GPU in
    parts it takes all rows unless a share is given, and on_cpu has no kernel.

    The result is mxm's bit for bit. Kernels: hash, dia_dia. Raises NotSupported without a GPU and for semirings that are not
    compiled, DomainError, DimensionMismatch.

    >>> import nonzero as nz
    >>> a = nz.load("grid2d:100")
    >>> nz.mxm_hybrid("plus_times", a, a).matrix.nnz  # doctest: +SKIP
    88404
    """
    flags = _flags(complement, structure, replace, False, transpose_a, transpose_b)
    share = -1.0 if cpu_share is None else float(cpu_share)
    found, report = _core.mxm_hybrid(chosen(ctx), out, semiring, a, b, share, mask, accumulator(accum, out), flags, kernel)
    return HybridProduct(_given(out, found), **report)


@explained
def spmv(a: Matrix, x: Vector | ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, y: Vector | None = None, transpose: bool = False,
         kernel: str = "", fast: bool = False, dtype: DTypeLike = None, ctx: Context | None = None) -> Vector:
    """y = alpha A x + beta y, in the arithmetic of y's type: float32 or float64.

    A is m x n, x has n entries, y has m; absent entries count as 0. y: a Vector, changed in place and returned; without
    it a new one of type `dtype` (np.float32, "float32"...; float64 unless A and x are float32). y is dense: 0 where A's row has no
    entry. Kernels as of mxv. Raises DomainError for other types of y, DimensionMismatch.

    >>> import nonzero as nz
    >>> a = nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 2))
    >>> nz.spmv(a, [10.0, 1.0], alpha=2).values()
    array([ 4., 60.])
    """
    c = chosen(ctx)
    x = _vector(x, c)
    if y is None and beta != 0:
        raise TypeError("beta scales what `y` holds: give y")
    if dtype is None:
        dtype = "float32" if a.dtype == x.dtype == "float32" else "float64"
    flags = _flags(False, False, False, fast, transpose)
    return _given(y, _core.spmv(c, y, alpha, a, x, beta, dtype_name(dtype), flags, kernel))
