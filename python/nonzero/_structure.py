"""Algorithms that divide a graph, and closeness. Edges run i -> j for A(i,j); vertices are 0 to n - 1, and arrays of results
have one element for each. Undirected graphs have both directions of every edge; values are not looked at where nothing
else is said, and loops in label_propagation alone, where a vertex with one counts among its own neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

import numpy as np

from . import _core
from ._arguments import explained, vertices
from ._context import Context, chosen
from ._core import Matrix


@dataclass
class StrongComponentsResult:
    """labels: int32, of each vertex the smallest vertex of its component. count: components. trimmed, searched, walked:
    vertices settled by trimming, by searches, by the walk over what was left. plan: of the last product."""

    labels: np.ndarray
    count: int
    trimmed: int
    searched: int
    walked: int
    plan: str


@explained
def strong_components(a: Matrix, *, trim: bool = True, searches: int = 8, ctx: Context | None = None) -> StrongComponentsResult:
    """Strongly connected components: vertices from each of which a path leads to the other have one label.

    By trimming, searches forward and backward from vertices of high degree, and a depth-first walk over the rest; trim and
    searches bound the first two, which changes no label. Raises DimensionMismatch when A is not square. At most 32 bytes a
    vertex, and A^T.

    >>> import nonzero as nz
    >>> nz.strong_components(nz.from_coo([0, 1, 2, 2], [1, 0, 0, 3], [1, 1, 1, 1], (4, 4))).labels
    array([0, 0, 2, 3], dtype=int32)
    """
    return StrongComponentsResult(**_core.strong_components(chosen(ctx), a, bool(trim), searches))


@dataclass
class IndependentSetResult:
    """members: bool, whether a vertex is in the set. count: members. rounds: until all vertices were decided. plan: of the
    last product."""

    members: np.ndarray
    count: int
    rounds: int
    plan: str


@explained
def independent_set(a: Matrix, *, order: str = "hashed", seed: int = 1, ctx: Context | None = None) -> IndependentSetResult:
    """A maximal independent set of an undirected graph: no two members are joined, every other vertex is joined to one.

    order: of the walk whose set it is: "hashed" (by seed), "small" or "large" degrees first, by their numbers of bits, hashed
    among equal ones. The same for any number of
    threads. Raises DimensionMismatch when A is not square, DomainError when its pattern is not symmetric. O(log^2 n) rounds
    of two products expected; 48 bytes a vertex.

    >>> import nonzero as nz
    >>> path = nz.from_coo([0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 1, 1], (3, 3))
    >>> nz.independent_set(path, order="small").members
    array([ True, False,  True])
    """
    return IndependentSetResult(**_core.independent_set(chosen(ctx), a, order, seed))


@dataclass
class ColouringResult:
    """colours: int32, from 0. count: colours. rounds: summed over the colours. plan: of the last product."""

    colours: np.ndarray
    count: int
    rounds: int
    plan: str


@explained
def colouring(a: Matrix, *, order: str = "large", seed: int = 1, ctx: Context | None = None) -> ColouringResult:
    """A colouring of an undirected graph in which no edge joins equal colours: that of the greedy walk in `order` ("large" or
    "small" degrees first, by their numbers of bits, hashed among equal ones, or "hashed" by seed), at most the largest degree and one.

    The same for any number of threads. Raises DimensionMismatch when A is not square, DomainError when its pattern is not
    symmetric. A maximal independent set a colour, and a copy of the edges that are left.

    >>> import nonzero as nz
    >>> nz.colouring(nz.load("dense:3,3")).count
    3
    """
    return ColouringResult(**_core.colouring(chosen(ctx), a, order, seed))


@dataclass
class PropagationResult:
    """labels: int32, each the number of a vertex. count: labels in use. iterations: steps taken. converged: the last one
    changed nothing. plan: of the last product."""

    labels: np.ndarray
    count: int
    iterations: int
    converged: bool
    plan: str


@explained
def label_propagation(a: Matrix, *, max_iterations: int = 10, ctx: Context | None = None) -> PropagationResult:
    """Communities by the rule of LDBC Graphalytics: every vertex begins with its own number, and each step gives all of them at
    once the most frequent label among their neighbours, the smallest of such. Edges count at both ends.

    Raises DimensionMismatch when A is not square, DomainError for a negative number of steps. A product of nnz pairs a step
    (2 nnz where the pattern is not symmetric).

    >>> import nonzero as nz
    >>> nz.label_propagation(nz.load("dense:4,4")).labels
    array([0, 0, 0, 0], dtype=int32)
    """
    return PropagationResult(**_core.label_propagation(chosen(ctx), a, max_iterations))


@dataclass
class TrussResult:
    """edges: a Matrix of int64 with both directions of the edges left and the triangles of each there. degrees: int64, edges
    left at each vertex. k: as asked, or found. count: edges left, each once. vertices: with an edge left. rounds: times
    that triangles were counted. plan: of the last masked product."""

    edges: Matrix
    degrees: np.ndarray
    k: int
    count: int
    vertices: int
    rounds: int
    plan: str


@explained
def truss(a: Matrix, k: int = 0, *, kernel: str = "", ctx: Context | None = None) -> TrussResult:
    """The k-truss of an undirected graph: the largest set of edges each in k - 2 or more triangles of the set; with k = 0 for
    the largest k that has one.

    kernel: of the masked products, an id of mxm. Raises DimensionMismatch when A is not square, DomainError when its pattern
    is not symmetric and for k = 1. Three masked products a round; 40 bytes an edge.

    >>> import nonzero as nz
    >>> found = nz.truss(nz.load("dense:5,5"))
    >>> found.k, found.count
    (5, 10)
    """
    return TrussResult(**_core.truss(chosen(ctx), a, k, kernel))


@dataclass
class ClosenessResult:
    """closeness: float64. reached: int64, r, sources other than the vertex with a path to it. distances: int64, t, the sum of
    their distances. eccentricity: int32, the greatest of them, 0 without any. sources: different ones. diameter: the
    greatest distance met. edges: entries looked at, summed over the sources."""

    closeness: np.ndarray
    reached: np.ndarray
    distances: np.ndarray
    eccentricity: np.ndarray
    sources: int
    diameter: int
    edges: int


@explained
def closeness(a: Matrix, sources: Iterable[int] | None = None, *, outward: bool = False, ctx: Context | None = None) -> ClosenessResult:
    """Closeness and eccentricity: with r of the s sources other than v having a path to v, over t edges in all,
    closeness(v) = (r / s) (r / t), and eccentricity(v) is the longest of these paths. outward: paths from v to the sources.

    sources: vertices; None for all, which is exact (Wasserman and Faust's closeness), a sample is an estimate and a lower
    bound. Raises IndexOutOfBounds, DimensionMismatch when A is not square. A search for each 64 sources; 80 bytes a
    vertex.

    >>> import nonzero as nz
    >>> path = nz.from_coo([0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 1, 1], (3, 3))
    >>> nz.closeness(path).eccentricity
    array([2, 1, 2], dtype=int32)
    """
    given = None if sources is None else vertices(sources)
    return ClosenessResult(**_core.closeness(chosen(ctx), a, given, bool(outward)))


@dataclass
class MatchingResult:
    """of_rows: int32, the column matched with each row, -1 without one. of_columns: the row matched with each column. count:
    edges of the matching. rounds: of proposals. plan: of the last product."""

    of_rows: np.ndarray
    of_columns: np.ndarray
    count: int
    rounds: int
    plan: str


@explained
def matching(a: Matrix, *, seed: int = 1, ctx: Context | None = None) -> MatchingResult:
    """A maximal matching of the bipartite graph that joins row i and column j for A(i,j), of any shape: entries no two of
    which share a row or a column, and to which none can be added. At least half as many as the most possible.

    seed: of the hashes by which edges are preferred. The same for any number of threads. About log n rounds expected; 12
    bytes an edge.

    >>> import nonzero as nz
    >>> nz.matching(nz.from_coo([0, 1, 1], [1, 0, 2], [1, 1, 1], (2, 3))).of_rows[0]
    np.int32(1)
    """
    return MatchingResult(**_core.matching(chosen(ctx), a, seed))


@dataclass
class ClosureResult:
    """reach: a Matrix of bool, (i, j) where a path leads from i to j. steps: squarings. complete: the last one added nothing.
    products: of all squarings. plan: of the last one."""

    reach: Matrix
    steps: int
    complete: bool
    products: int
    plan: str


@explained
def transitive_closure(a: Matrix, *, reflexive: bool = False, max_steps: int = 64, kernel: str = "",
                       ctx: Context | None = None) -> ClosureResult:
    """The transitive closure: (i, j) where a path of one edge or more leads from i to j, with reflexive of none.

    max_steps: squarings at most, for paths of up to 2^max_steps edges. kernel: of the products, an id of mxm. Raises
    DimensionMismatch when A is not square, DomainError for a negative number of steps, MemoryError where the closure, of up
    to n^2 entries, does not fit.

    >>> import nonzero as nz
    >>> nz.transitive_closure(nz.from_coo([0, 1], [1, 2], [1, 1], (3, 3))).reach.nnz
    3
    """
    return ClosureResult(**_core.transitive_closure(chosen(ctx), a, bool(reflexive), max_steps, kernel))


@dataclass
class MarkovResult:
    """labels: int32, of each vertex the smallest vertex of its cluster. count: clusters. iterations: expansions. unevenness:
    the largest over the vertices of (largest flow - sum of squares), after the last. converged: it is at most the
    tolerance. products: of all expansions. plan: of the last one."""

    labels: np.ndarray
    count: int
    iterations: int
    unevenness: float
    converged: bool
    products: int
    plan: str


@explained
def markov_clustering(a: Matrix, *, inflation: float = 2, threshold: float = 1e-3, tolerance: float = 1e-6,
                      max_iterations: int = 100, kernel: str = "", ctx: Context | None = None) -> MarkovResult:
    """Clusters of an undirected graph by the Markov process: flows along the edges, weighted by their values, are squared,
    pruned below `threshold` and raised to the power `inflation`, each vertex's scaled to 1, until they are even.

    inflation: above 1, more makes smaller clusters. Values must be above 0. Raises DimensionMismatch when A is not square,
    DomainError for other graphs and options. Rows have at most 1 / threshold entries after the first step, which takes A A.

    >>> import nonzero as nz
    >>> two = nz.from_coo([0, 1, 2, 3], [1, 0, 3, 2], [1.0, 1.0, 1.0, 1.0], (4, 4))
    >>> nz.markov_clustering(two).labels
    array([0, 0, 2, 2], dtype=int32)
    """
    return MarkovResult(**_core.markov_clustering(chosen(ctx), a, inflation, threshold, tolerance, max_iterations, kernel))
