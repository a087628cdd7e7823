"""The graph algorithms. Edges run i -> j for A(i,j)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

import numpy as np

from . import _core
from ._arguments import explained, vertices
from ._context import Context, chosen
from ._core import Matrix


@dataclass
class BfsResult:
    """levels: int32, -1 where not reached. parents: int32, -1 where not reached, the source its own; None unless asked
    for. reached: vertices, source included. edges: entries in their rows. iterations: how each level was done."""

    levels: np.ndarray
    parents: "np.ndarray | None"
    reached: int
    edges: int
    iterations: list
    backend: str


@explained
def bfs(a: Matrix, source: int, *, parents: bool = True, max_depth: int = -1, kernel: str = "", fast: bool = False,
        switches: str = "", hub_first: bool = False, tile_size: int = 0, ctx: Context | None = None) -> BfsResult:
    """Breadth-first search from `source`, direction-optimised (yang2018).

    The parent is the smallest neighbour in the level above; fast=True takes any. max_depth: levels to go at most, -1 for
    no limit. kernel: push_pull_fused, push_pull_loop or tile. switches: "none", or a comma-separated list of
    change_direction, masking, early_exit, operand_reuse, structure_only, "all" (these five) and duplicates, with which push
    claims no vertex and what is told of each level counts repeats. hub_first: pull over lists of neighbours that are ordered
    by falling degree, which are made once; parents are then any. tile_size: 32 or 64 for kernel "tile", 0 for the one that
    takes fewer bytes. Raises IndexOutOfBounds when the source is not a vertex, DomainError for another tile_size,
    DimensionMismatch when A is not square, NotSupported where the kernel lacks a switch. Ctrl-C ends it between levels.

    >>> import nonzero as nz
    >>> nz.bfs(nz.load("grid2d:3"), 0).levels
    array([0, 1, 2, 1, 2, 3, 2, 3, 4], dtype=int32)
    """
    return BfsResult(**_core.bfs(chosen(ctx), a, source, bool(parents), max_depth, kernel, bool(fast), switches,
                                 bool(hub_first), tile_size))


@dataclass
class BfsManyResult:
    """levels: for each source an int32 array, -1 where not reached; None unless asked for. reached, level_sums, depths:
    for each source the vertices reached, the sum of their levels and the greatest. of_vertices: a dict of the same three
    names, for each vertex the sources that reach it, the sum of its levels and the greatest, -1 where none does; None
    unless asked for."""

    levels: "list | None"
    reached: np.ndarray
    level_sums: np.ndarray
    depths: np.ndarray
    of_vertices: "dict | None"
    edges: int
    backend: str


@explained
def bfs_many(a: Matrix, sources: Iterable[int], *, levels: bool = False, of_vertices: bool = False, max_depth: int = -1,
             kernel: str = "", hub_first: bool = False, ctx: Context | None = None) -> BfsManyResult:
    """Breadth-first searches from all of `sources`, 64 at a time. levels: 4 bytes a source and vertex; of_vertices: 20
    bytes a vertex. kernel: bit_parallel or one_by_one. hub_first: as in bfs.

    >>> import nonzero as nz
    >>> nz.bfs_many(nz.load("grid2d:3"), [0, 4]).depths
    array([4, 2], dtype=int32)
    """
    return BfsManyResult(**_core.bfs_many(chosen(ctx), a, vertices(sources), bool(levels), bool(of_vertices), max_depth, kernel,
                                      bool(hub_first)))


@dataclass
class SsspResult:
    """distances: a Vector without entries where no path leads. parents: int32, -1 where no path leads, the source its
    own; None unless asked for. relaxations: edges looked at; rounds: steps that wait for each other."""

    distances: _core.Vector
    parents: "np.ndarray | None"
    reached: int
    edges: int
    relaxations: int
    rounds: int
    delta: float
    kernel: str
    backend: str


@explained
def sssp(a: Matrix, source: int, *, parents: bool = True, delta: float = -1.0, kernel: str = "",
         ctx: Context | None = None) -> SsspResult:
    """Shortest paths from `source`; A(i,j) is the edge's length, not negative. By delta-stepping.

    delta: the width of a bucket in the unit of the weights; negative: the plan's own. kernel: delta_stepping or
    relax_loop. Raises DomainError for a weight that is negative or not a number, NotSupported for a distance that does not
    fit its type, IndexOutOfBounds, DimensionMismatch.

    >>> import nonzero as nz
    >>> road = nz.from_coo([0, 0, 1], [1, 2, 2], [1, 5, 2], (3, 3))
    >>> nz.sssp(road, 0).distances.get(2)
    3
    """
    return SsspResult(**_core.sssp(chosen(ctx), a, source, bool(parents), delta, kernel))
