"""Reordering: the vertices of a square matrix renumbered so that rows that meet lie near each other, and results in the caller's
own numbers again. Orders are arrays with order[new] = old."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arguments import explained
from ._context import Context, chosen
from ._convert import dense
from ._core import Matrix, Vector
from ._exchange import contiguous, places
from ._operations import _vector


@explained
def order(a: Matrix, how: str = "rcm", *, ctx: Context | None = None) -> np.ndarray:
    """The order of A's vertices, int32: order[new] = old.

    how: "rcm" (reverse Cuthill-McKee: meshes, roads, bands), "degree" (falling) or "cluster" (groups around hubs: social
    graphs). Edges count in both directions, values are not looked at; the same in every run. Linear in entries and vertices,
    one thread. Raises DimensionMismatch when A is not square, DomainError for other words.

    >>> import nonzero as nz
    >>> path = nz.from_coo([0, 3, 3, 1, 1, 2], [3, 0, 1, 3, 2, 1], [1.0] * 6, (4, 4))
    >>> nz.order(path)
    array([0, 3, 1, 2], dtype=int32)
    """
    return _core.order(chosen(ctx), a, how)


def _order(order, c):
    """An order as a vector of int32 or int64, whatever whole numbers it is given in; an empty list has none of floats."""
    if isinstance(order, Vector):
        return order
    a = contiguous(order, c)
    whole = isinstance(a, np.ndarray) and (a.size == 0 or a.dtype.kind in "iu")
    return dense(places(a) if whole and a.dtype not in (np.int32, np.int64) else a, ctx=c)


@explained
def permute(x: Matrix | Vector | ArrayLike, order: Vector | ArrayLike, *, ctx: Context | None = None):
    """B = P A P^T for a Matrix, B(i,j) = A(order[i], order[j]); w(i) = v(order[i]) for a Vector, and for an array, which gives
    an array.

    Raises DimensionMismatch where the sizes differ or A is not square, DomainError where `order` does not name every vertex
    once.

    >>> import nonzero as nz
    >>> graph = nz.load("rmat:8,4")
    >>> denser = nz.permute(graph, nz.order(graph, "cluster"))
    >>> denser.nnz == graph.nnz
    True
    >>> nz.permute([5.0, 6.0, 7.0], [2, 0, 1])
    array([7., 5., 6.])
    """
    c = chosen(ctx)
    o = _order(order, c)
    if isinstance(x, Matrix):
        return _core.permute_matrix(c, x, o)
    moved = _core.permute_vector(c, _vector(x, c), o)
    return moved if isinstance(x, Vector) else moved.values()


@explained
def restore(v: Vector | ArrayLike, order: Vector | ArrayLike, *, vertices: bool = False, ctx: Context | None = None):
    """w(order[i]) = v(i): a result on the reordered matrix by the caller's own numbers, a Vector or an array as v is one.

    vertices: the values are vertices too, such as the parents of a search: w(order[i]) = order[v(i)]; those below 0 stay.
    Raises as permute does, IndexOutOfBounds for a value that is no vertex.

    >>> import nonzero as nz
    >>> graph = nz.load("grid2d:10,0.2")
    >>> order = nz.order(graph)
    >>> search = nz.bfs(nz.permute(graph, order), int((order == 0).argmax()))
    >>> bool((nz.restore(search.levels, order) == nz.bfs(graph, 0).levels).all())
    True
    >>> int(nz.restore(search.parents, order, vertices=True)[0])
    0
    """
    c = chosen(ctx)
    moved = _core.restore(c, _vector(v, c), _order(order, c), bool(vertices))
    return moved if isinstance(v, Vector) else moved.values()
