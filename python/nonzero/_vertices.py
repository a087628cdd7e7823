"""Algorithms that say something of each vertex. Edges run i -> j for A(i,j); vertices are 0 to n - 1, and arrays of
results have one element for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arguments import explained, vertices
from ._context import Context, chosen
from ._core import Matrix, Vector
from ._exchange import dtype_name
from ._operations import _vector


@dataclass
class PagerankResult:
    """ranks: float64 or float32, they sum up to 1. iterations: steps taken. change: of the last step, sum over the
    vertices of |new rank - old rank|. converged: it is at most the tolerance. changes, active: for each step its change
    and the vertices computed anew. plan: of the products."""

    ranks: np.ndarray
    iterations: int
    change: float
    converged: bool
    changes: np.ndarray
    active: np.ndarray
    plan: str


@explained
def pagerank(a: Matrix, *, damping: float = 0.85, tolerance: float = 1e-6, max_iterations: int = 100,
             personalisation: Vector | ArrayLike | None = None, weighted: bool = False, adaptive: bool = False,
             dtype: DTypeLike = "float64", kernel: str = "", ctx: Context | None = None) -> PagerankResult:
    """PageRank by power iteration: r = d A^T D^-1 r + (1 - d m) p, where D holds out-degrees, d is `damping`, m the ranks of
    vertices with edges out, and p is 1/n or the personalisation; what vertices without edges out hold is spread as the
    rest is. Values of A are read only if weighted: ranks then follow edges in proportion to them, and D holds the sums of
    rows; weights are finite and not negative, and rows sum up to 0 or 1e-290 to 1e290 (float32: 1e-27 to 1e27).

    tolerance: stops once a step changes the ranks by no more, summed up. personalisation: n weights, a Vector or an
    array, none negative and one positive; they are scaled to sum up to 1. adaptive: leaves out vertices that have
    settled, and looks at all again before the end. dtype: of the ranks, float64 or float32. kernel: step, or
    short_rows on a GPU, a kernel a step.

    Raises DimensionMismatch when A is not square, DomainError for options that make no sense. nnz products a step, 6
    vectors of n.

    >>> import nonzero as nz
    >>> star = nz.from_coo([1, 2, 3], [0, 0, 0], [1, 1, 1], (4, 4))
    >>> nz.pagerank(star).ranks.round(3)
    array([0.542, 0.153, 0.153, 0.153])
    """
    c = chosen(ctx)
    p = None if personalisation is None else _vector(personalisation, c)
    return PagerankResult(**_core.pagerank(c, a, damping, tolerance, max_iterations, dtype_name(dtype), p, bool(weighted), bool(adaptive), kernel))


@dataclass
class ComponentsResult:
    """labels: int32, of each vertex the smallest vertex of its component. count: components. rounds: of label_loop,
    products until no label changed. plan: kernel and reason."""

    labels: np.ndarray
    count: int
    rounds: int
    plan: str


@explained
def components(a: Matrix, *, kernel: str = "", ctx: Context | None = None) -> ComponentsResult:
    """Weakly connected components: vertices joined by a path, whatever the direction of its edges, have one label.

    kernel: afforest, label_loop (products over (min, second)) or reference. Raises DimensionMismatch when A is not
    square.

    >>> import nonzero as nz
    >>> nz.components(nz.from_coo([0, 3], [1, 2], [1, 1], (5, 5))).labels
    array([0, 0, 2, 2, 4], dtype=int32)
    """
    return ComponentsResult(**_core.components(chosen(ctx), a, kernel))


@dataclass
class TrianglesResult:
    """total: triangles in the graph. counts: int64, of each vertex; clustering: float64, its local clustering coefficient;
    both None unless asked for. wedges: products looked at. plan: of the masked product."""

    total: int
    counts: np.ndarray | None
    clustering: np.ndarray | None
    wedges: int
    plan: str


@explained
def triangles(a: Matrix, *, per_vertex: bool = False, kernel: str = "", ctx: Context | None = None) -> TrianglesResult:
    """Triangles of an undirected graph, sets of three vertices joined to each other, from `C<U> = U U` over (plus, pair),
    U the edges from smaller to larger degree.

    A has both directions of every edge; values and the diagonal are not looked at. per_vertex: the triangles t of each
    vertex of degree d too, and its clustering coefficient 2 t / (d (d - 1)), 0 for d < 2. kernel: of the masked
    product, an id of mxm. Raises DimensionMismatch when A is not square, DomainError when its pattern is not symmetric. At most
    m sqrt(2 m) products for m edges.

    >>> import nonzero as nz
    >>> found = nz.triangles(nz.load("dense:4,4"), per_vertex=True)
    >>> found.total, found.counts.tolist(), found.clustering.tolist()
    (4, [3, 3, 3, 3], [1.0, 1.0, 1.0, 1.0])
    """
    return TrianglesResult(**_core.triangles(chosen(ctx), a, bool(per_vertex), kernel))


@dataclass
class BetweennessResult:
    """centrality: float64, of each vertex. iterations: levels of the batches. plan: kernel and reason, one line."""

    centrality: np.ndarray
    iterations: int
    plan: str


@explained
def betweenness(
    a: Matrix, sources: Iterable[int] | None = None, *, normalise: bool = False, kernel: str = "", ctx: Context | None = None
) -> BetweennessResult:
    """Betweenness centrality: for each vertex v the sum over `sources` s and all targets t, both other than v, of the share
    of the shortest paths from s to t that pass through v. Paths count edges. By Brandes's two sweeps.

    sources: vertices, counted as often as given; None for all, which is exact (of an undirected graph twice what counts
    each pair once), a sample is an estimate up to the factor n / sources. normalise: divide by (n - 1) (n - 2). kernel:
    batched (16 sources at once, 64 on a GPU), queue (a source a thread or a cluster of a GPU's blocks) or sweep_loop (two
    products a level and source). Raises IndexOutOfBounds, DimensionMismatch when A is not square. 8 bytes a vertex and
    source of a batch, 32 of queues.

    >>> import nonzero as nz
    >>> path = nz.from_coo([0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 1, 1], (3, 3))
    >>> nz.betweenness(path).centrality
    array([0., 2., 0.])
    """
    given = None if sources is None else vertices(sources)
    return BetweennessResult(**_core.betweenness(chosen(ctx), a, given, bool(normalise), kernel))


@dataclass
class CoresResult:
    """numbers: int64, the core number of each vertex. greatest: the degeneracy of the graph. rounds: sets of vertices
    that were peeled off. plan: of the last product."""

    numbers: np.ndarray
    greatest: int
    rounds: int
    plan: str


@explained
def cores(a: Matrix, *, ctx: Context | None = None) -> CoresResult:
    """Core numbers of an undirected graph: the largest k for which the vertex is left when vertices of fewer than k
    neighbours are taken away until there is none. By peeling.

    A has both directions of every edge; values and the diagonal are not looked at. Raises DimensionMismatch when A is
    not square, DomainError when its pattern is not symmetric. 2 nnz, and passes over n numbers a round.

    >>> import nonzero as nz
    >>> nz.cores(nz.load("grid2d:3")).numbers.tolist()
    [2, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    return CoresResult(**_core.cores(chosen(ctx), a))
