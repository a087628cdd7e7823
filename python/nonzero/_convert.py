"""In and out: SciPy, NumPy, CuPy, torch, NetworkX, files and generators."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import warnings

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._arguments import explained, pair, type_of
from ._context import Context, chosen
from ._core import DiaMatrix, Matrix, Vector
from ._exchange import as_array, contiguous, dtype_name, has_other_order, on_gpu, places, type_name
from .errors import DimensionMismatch, DomainError, Error, FileError, FileNotFound, InvalidFormat, NotSupported, PermissionDenied

_NUMBERS = {os.strerror(number): number for number in errno.errorcode}
_FILE_ERRORS = {errno.ENOENT: FileNotFound, errno.EACCES: PermissionDenied, errno.EPERM: PermissionDenied}


def _path(given):
    path = os.fsdecode(given)
    if "\0" in path:
        raise DomainError(f"{path!a}: a path holds no null character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise NotSupported(f"{path!a}: paths are read as UTF-8, which this one is not") from None
    return path


@contextlib.contextmanager
def _of_file(path):
    """Within it, an error whose text ends with the operating system's words for a failure becomes a FileError of `path`."""
    try:
        yield
    except Error as why:
        number = _NUMBERS.get(str(why).rpartition(": ")[2]) if type(why) in (Error, InvalidFormat) else None
        if number is None:
            raise
        raise _FILE_ERRORS.get(number, FileError)(number, str(why).removeprefix(f"{path}: "), path) from None


@explained
def from_csr(indptr: ArrayLike, indices: ArrayLike, data: ArrayLike | float | None, shape: tuple[int, int], *, copy: bool = True,
             ctx: Context | None = None) -> Matrix:
    """A matrix from CSR arrays: row i holds positions indptr[i] to indptr[i+1]-1 of `indices` and `data`.

    indptr: rows + 1 offsets, int32 or int64. indices: nnz column numbers. data: nnz values, one for all entries, or None
    for a pattern (every entry is 1). With copy=False the matrix borrows the arrays, which must be contiguous, int32
    (indptr int64 from 2^31 entries on) and stay as they are, `data` until Matrix.invalidate(); columns need not be sorted then.
    Arrays in the memory of the context's GPU (CuPy, torch, all that speak DLPack) are copied, or borrowed, there; borrowed
    columns have to ascend. Raises InvalidFormat, IndexOutOfBounds, DomainError where only some of them lie there.

    >>> a = from_csr([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2))
    >>> a.nnz, a.get(0, 1)
    (3, 2.0)
    """
    c = chosen(ctx)
    m, n = pair(shape)
    if not copy and any(has_other_order(x) for x in (indptr, indices, data)):
        raise DomainError("arrays that are borrowed need this machine's byte order; leave copy=True")
    indptr = contiguous(indptr, c)
    if isinstance(indptr, np.ndarray) and indptr.dtype not in (np.int32, np.int64):
        if indptr.size and indptr.dtype.kind not in "iu":
            raise DomainError(f"offsets must be integers, not {indptr.dtype}")
        indptr = indptr.astype(np.int64)
    if not copy:
        indices = contiguous(indices, c)
        if type_name(indices) != "int32":
            raise DomainError("arrays that are borrowed need int32 column numbers; leave copy=True")
    indices = places(indices, c)
    if data is not None:
        given, data = data, contiguous(data, c, or_number=True)
        if len(data) == 0 and len(indices) > 0:
            raise DimensionMismatch(f"0 values were given for {len(indices)} entries: None is for a pattern")
        if not copy and len(data) and type_name(data) == "bool" and isinstance(given, np.ndarray) and not np.may_share_memory(given, data):
            raise DomainError("arrays of truth values that are borrowed hold the bytes 0 and 1 alone; leave copy=True")
    owner = None if copy else (indptr, indices, data)
    return Matrix._from_csr(c, m, n, indptr, indices, data, bool(copy), owner)


@explained
def from_coo(rows: ArrayLike, columns: ArrayLike, values: ArrayLike | float, shape: tuple[int, int], *,
             duplicates: str = "plus", ctx: Context | None = None) -> Matrix:
    """A matrix from coordinates in any order; entries of one place are combined with `duplicates`, in their order.

    values: as many as coordinates, or one number for all of them. Arrays in the memory of the context's GPU are sorted there,
    where the matrix stays (duplicates: plus, times, min, max, first, second, any; others go by way of the host). Raises
    IndexOutOfBounds, DomainError where only some of them lie there.

    >>> from_coo([0, 0], [1, 1], [2, 3], (1, 2)).get(0, 1)
    5
    """
    c = chosen(ctx)
    m, n = pair(shape)
    rows, columns, values = places(rows, c), places(columns, c), contiguous(values, c, or_number=True)
    return Matrix._from_coo(c, m, n, rows, columns, values, duplicates)


@explained
def from_edges(sources: ArrayLike, targets: ArrayLike, weights: ArrayLike | None = None, *, symmetrize: bool = False,
               ctx: Context | None = None) -> tuple[Matrix, np.ndarray]:
    """The graph of edges between vertices of any names, and the names: vertex k is the one that names[k] stands for.

    sources, targets: a name each for every edge: ints, strings or what else NumPy sorts; the names come back ascending, each
    once. weights: as many; None for a pattern. An edge that is repeated counts once and keeps its first weight, as in files
    of edges; symmetrize adds the directions that are missing, each with the other's weight. Raises DimensionMismatch where
    they are not equally many, DomainError for ints with strings, and for ints whose common type is none (int64 with uint64).

    >>> from nonzero import bfs
    >>> graph, names = from_edges(["ann", "bob"], ["bob", "eve"], [2.0, 3.0])
    >>> names[bfs(graph, int(np.searchsorted(names, "ann"))).levels == 2].tolist()
    ['eve']
    """
    ends = [np.asarray(x) for x in (sources, targets)]
    if any(x.ndim != 1 for x in ends):
        raise DomainError(f"names of sources and targets are arrays of one dimension, not of {ends[0].ndim} and {ends[1].ndim}")
    if len(ends[0]) != len(ends[1]):
        raise DimensionMismatch(f"{len(ends[0])} sources and {len(ends[1])} targets were given")
    values = np.empty(0, dtype=bool) if weights is None else as_array(weights)
    if weights is not None and values.shape != ends[0].shape:
        raise DimensionMismatch(f"{len(ends[0])} edges and weights of shape {values.shape} were given")
    if len(ends[0]) == 0:
        ends = [np.empty(0, dtype=np.int64)] * 2
    numbers = [x.dtype.kind in "biuf" for x in ends]
    if numbers[0] != numbers[1] or np.result_type(*ends).kind == "f" and any(x.dtype.kind != "f" for x in ends):
        raise DomainError(f"names of {ends[0].dtype} and {ends[1].dtype} are not of one kind: give both as ints of one type, or as strings")
    try:
        names, found = np.unique(np.concatenate(ends), return_inverse=True)
    except TypeError as why:  # None among strings
        raise DomainError(f"names are of one kind, which sorts: {why}") from None
    i, j = found.reshape(2, -1)
    if symmetrize:  # the first of a place stays: an edge's own weight before that of its other direction
        i, j, values = np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([values, values])
    n = len(names)
    return Matrix._from_coo(chosen(ctx), n, n, places(i), places(j), contiguous(values), "first"), names


@explained
def from_scipy(a, *, copy: bool | None = None, ctx: Context | None = None) -> Matrix:
    """A matrix with the entries of a SciPy sparse array; explicit zeros are entries.

    A csr_array in canonical form with int32 indices is borrowed, not copied: change its arrays and the matrix changes
    (call Matrix.invalidate()). copy=True always copies; copy=False raises DomainError where a copy would be needed. The
    sparse matrices of cupyx are taken on the context's GPU, in the same way.

    >>> import scipy.sparse
    >>> from_scipy(scipy.sparse.eye_array(3).tocsr()).nnz
    3
    """
    if not hasattr(a, "tocoo"):
        raise TypeError(f"from_scipy takes a sparse array of SciPy or cupyx, not an object of type {type_of(a)}: "
                        "scipy.sparse.csr_array(a) makes one of an array of two dimensions")
    if len(a.shape) != 2:
        raise DomainError(f"a sparse array of two dimensions is needed, not one of shape {a.shape}")
    copy = None if copy is None else bool(copy)
    if a.format == "csr":
        borrows = bool(a.has_canonical_format) and a.indices.dtype == np.int32 and a.indptr.dtype == np.int32
        borrows = borrows and not has_other_order(a.data)
        if copy is False and not borrows:
            raise DomainError("only csr arrays in canonical form with int32 indices, in this machine's byte order, can be borrowed")
        return from_csr(a.indptr, a.indices, a.data, a.shape, copy=copy is True or not borrows, ctx=ctx)
    if copy is False:
        raise DomainError(f"a {a.format} array is no csr array: it has to be copied")
    if a.format != "coo" and hasattr(a, "tocsr"):  # by counting, where coordinates would be sorted
        a = a.tocsr()
        return from_csr(a.indptr, a.indices, a.data, a.shape, ctx=ctx)
    a = a.tocoo()
    return from_coo(a.row, a.col, a.data, a.shape, ctx=ctx)


@explained
def to_scipy(a: Matrix):
    """A scipy.sparse.csr_array over the matrix's own memory, read-only; values of iso and pattern matrices are
    written out, which copies.

    >>> to_scipy(from_coo([0, 1], [1, 0], [1.0, 2.0], (2, 2))).toarray()
    array([[0., 1.],
           [2., 0.]])
    """
    import scipy.sparse

    indptr, indices, data = a.csr_arrays()
    data = _each_value(a, data)
    if indptr.dtype != indices.dtype:
        indices = indices.astype(indptr.dtype)
    result = scipy.sparse.csr_array((data, indices, indptr), shape=a.shape, copy=False)
    result.has_canonical_format = True
    return result


@explained
def to_cupy(a: Matrix, *, ctx: Context | None = None):
    """A cupyx.scipy.sparse.csr_matrix of float32, float64 or bool over the matrix's own memory on the context's GPU, copied there
    only where it is not: write nothing into it. Values of iso and pattern matrices are written out.

    Raises NotSupported where the context has no GPU.
    """
    import cupy
    import cupyx.scipy.sparse

    indptr, indices, data = (cupy.from_dlpack(x) for x in a.csr_arrays_on(chosen(ctx)))
    if a.values_held != "full":
        data = cupy.full(a.nnz, data[0])
    result = cupyx.scipy.sparse.csr_matrix((data, indices, indptr), shape=a.shape, copy=False)
    result.has_canonical_format = True
    return result


@explained
def from_torch(a, *, copy: bool = True, ctx: Context | None = None) -> Matrix:
    """A matrix with the entries of a torch sparse CSR tensor, on the host or on the context's GPU; with copy=False over its
    memory, which takes int32 indices."""
    layout = getattr(a, "layout", type_of(a))
    if str(layout) != "torch.sparse_csr":
        raise DomainError(f"a tensor of layout torch.sparse_csr is needed, not {layout}: to_sparse_csr() makes one")
    return from_csr(a.crow_indices(), a.col_indices(), a.values(), tuple(a.shape), copy=copy, ctx=ctx)


@explained
def to_torch(a: Matrix, *, ctx: Context | None = None):
    """A torch sparse CSR tensor: on the GPU, where the context has one, over the matrix's own memory (write nothing into it),
    else a copy on the host. Values of iso and pattern matrices are written out."""
    import torch

    c = chosen(ctx)
    arrays = a.csr_arrays_on(c) if c.backend == "cuda" else tuple(x.copy() for x in a.csr_arrays())
    indptr, indices, data = (torch.from_dlpack(x) for x in arrays)
    if a.values_held != "full":
        data = torch.ones(a.nnz, dtype=data.dtype, device=indptr.device) * (data[0] if len(data) else 1)
    if indptr.dtype != indices.dtype:
        indices = indices.to(indptr.dtype)
    return torch.sparse_csr_tensor(indptr, indices, data, size=a.shape)


def _is_weight(x, dtype):
    try:
        return not (x is None or isinstance(x, (str, bytes))) and (dtype[0] not in "iu" or np.array(x, dtype=dtype) == x) and np.array(x, dtype=dtype).ndim == 0
    except (TypeError, ValueError, OverflowError):
        return False


def _weights(edges, nodes, weight, dtype):
    found = [x for _, _, x in edges]
    try:
        values = np.array(found, dtype=dtype)
        wrong = any(x is None or isinstance(x, (str, bytes)) for x in found)
        wrong = wrong or values.ndim != 1 or dtype[0] in "iu" and any(x != y for x, y in zip(found, values.tolist()))
    except (TypeError, ValueError, OverflowError):
        wrong = True
    if wrong:
        u, v, x = next(e for e in edges if not _is_weight(e[2], dtype))
        raise DomainError(f"the edge from {nodes[u]!r} to {nodes[v]!r} has {x!r} for {weight}, which is no value of {dtype}")
    return values


@explained
def from_networkx(graph, *, weight: str | None = "weight", dtype: DTypeLike = "float64", nodelist=None,
                  ctx: Context | None = None) -> Matrix:
    """The adjacency matrix of a networkx graph, vertices in the order of `nodelist` (or of the graph); an edge without
    the attribute `weight` counts 1, and every edge with weight=None. Both directions of undirected edges are stored.

    nodelist: some of the graph's nodes, each once: row k is that of nodelist[k], and edges to others are left out, as in
    networkx.to_scipy_sparse_array. Raises DomainError for a node that is not in the graph, or there twice.

    >>> import networkx
    >>> from_networkx(networkx.path_graph(3)).nnz
    4
    """
    if not hasattr(graph, "edges"):
        raise TypeError(f"from_networkx takes a networkx graph, not an object of type {type_of(graph)}")
    dtype = dtype_name(dtype)
    nodes = list(graph) if nodelist is None else list(nodelist)
    place = {node: k for k, node in enumerate(nodes) if node in graph}
    for k, node in enumerate(nodes):
        if node not in graph:
            raise DomainError(f"nodelist: {node!r} is no node of the graph")
        if place[node] != k:
            raise DomainError(f"nodelist: {node!r} is there more than once")
    edges = [(place[u], place[v], d.get(weight, 1)) for u, v, d in graph.edges(data=True) if u in place and v in place]
    rows = np.array([e[0] for e in edges], dtype=np.int32)
    columns = np.array([e[1] for e in edges], dtype=np.int32)
    values = _weights(edges, nodes, weight, dtype)
    if not graph.is_directed():
        other = rows != columns
        rows, columns, values = (
            np.concatenate([rows, columns[other]]),
            np.concatenate([columns, rows[other]]),
            np.concatenate([values, values[other]]),
        )
    return from_coo(rows, columns, values, (len(nodes), len(nodes)), ctx=ctx)


@explained
def dense(values: ArrayLike, *, ctx: Context | None = None) -> Vector:
    """A vector with every entry present, copied from a one-dimensional array: on the host, or from and to the memory of the
    context's GPU.

    >>> dense([1.0, 2.0]).form
    'dense'
    """
    c = chosen(ctx)
    return Vector._from_array(c, contiguous(values, c))


@explained
def build(size: int, indices: ArrayLike, values: ArrayLike, *, duplicates: str = "plus", ctx: Context | None = None) -> Vector:
    """A vector of `size` places from (index, value) pairs in any order; repeats are combined with `duplicates`. Arrays in the
    memory of the context's GPU are sorted there, where the vector stays.

    >>> build(5, [3, 1], [1.0, 2.0]).count
    2
    """
    c = chosen(ctx)
    if not (on_gpu(indices, c) or on_gpu(values, c)):
        return Vector._build(c, size, places(indices), contiguous(values), duplicates)
    columns = places(indices, c)
    row = from_coo(columns - columns, columns, values, (1, size), duplicates=duplicates, ctx=c)
    from ._operations import extract_column  # which imports this module

    return extract_column(row, 0, transpose=True, ctx=c)


@explained
def full(size: int, value, *, dtype: DTypeLike = None, ctx: Context | None = None) -> Vector:
    """A vector of `size` entries, all equal to `value`; of type `dtype`, or bool, int64 (uint64 from 2^63 on) or float64 as `value` is.

    dtype: what NumPy takes for one of the eleven types: np.float32, "float32", int. Raises DomainError for others, and for a
    value that the type does not have.

    >>> full(3, 2).get(1)
    2
    """
    return Vector._full(chosen(ctx), size, value, None if dtype is None else dtype_name(dtype))


def _loaded(source, symmetrize, complex_modulus, seed, ctx):
    path = _path(source)
    try:
        with _of_file(path):
            return _core.load(chosen(ctx), path, bool(symmetrize), bool(complex_modulus), seed)
    except FileNotFound as why:
        names = [line.partition(":")[0] for line in _core.generators()] if ":" in path else []
        for meant in difflib.get_close_matches(path.partition(":")[0].lower(), names, 1):
            hint = f"{why.strerror}, and no generator: did you mean {meant}:{path.partition(':')[2]}?"
            raise FileNotFound(why.errno, hint, path) from None
        raise


@explained
def load(source: str | os.PathLike, *, symmetrize: bool = False, complex_modulus: bool = False, seed: int = 1,
         ctx: Context | None = None) -> Matrix:
    """The matrix in a file (.mtx, .mtx.gz, edge lists, .el, .wel, .npz, .nzb, .bsp.h5) or of a generator ("rmat:20,16";
    see generators()).

    symmetrize: edge lists get both directions of every edge. complex_modulus: complex files are read as |z|. Warns where
    vertices of an edge list have ids of their own, which load_graph returns. Raises InvalidFormat with file, line and reason,
    FileNotFound and other FileErrors, which are OSErrors.

    >>> load("grid2d:3").shape
    (9, 9)
    """
    found, ids = _loaded(source, symmetrize, complex_modulus, seed, ctx)
    if len(ids):
        warnings.warn(f"{source}: the vertices have ids of their own, {ids[0]} to {ids[-1]}: load_graph returns them", stacklevel=3)
    return found


@explained
def load_graph(source: str | os.PathLike, *, symmetrize: bool = False, complex_modulus: bool = False, seed: int = 1,
               ctx: Context | None = None) -> tuple[Matrix, np.ndarray]:
    """The graph that load() reads, and its vertices' ids in the file, ascending: vertex k is ids[k] there.

    They are 0 to n - 1 but for edge lists with others. Raises as load() does, and DimensionMismatch for a matrix that is not
    square.

    >>> graph, ids = load_graph("grid2d:3")
    >>> ids[-1]
    np.int64(8)
    """
    graph, ids = _loaded(source, symmetrize, complex_modulus, seed, ctx)
    m, n = graph.shape
    if m != n:
        raise DimensionMismatch(f"{source} is {m} x {n}: a graph's matrix is square")
    return graph, ids if len(ids) else np.arange(n)


@explained
def load_vector(source: str | os.PathLike, *, complex_modulus: bool = False, ctx: Context | None = None) -> Vector:
    """The vector in a file that load() reads as a matrix of one column: dense where every entry is there, else sparse.

    Raises DimensionMismatch for other shapes.

    >>> load_vector("dense:4,1").form
    'dense'
    """
    path = _path(source)
    with _of_file(path):
        return _core.load_vector(chosen(ctx), path, bool(complex_modulus))


@explained
def generators() -> list[str]:
    """One line of help a generator."""
    return _core.generators()


@explained
def save(a: Matrix | Vector, path: str | os.PathLike, *, layout: str = "csr", ctx: Context | None = None) -> None:
    """Writes a matrix, or a vector as one column, by suffix (.mtx, .mtx.gz, .el, .wel, .npz, .nzb, .bsp.h5): beside the
    file first, then renamed.

    layout: "csr", "csc" or "coo", how a Binsparse file (.bsp.h5) lays a matrix out; other files know the first alone. Raises
    DomainError for other suffixes and for layouts that a file has not, FileNotFound where the folder is not there, other
    FileErrors (OSErrors).
    """
    path = _path(path)
    if isinstance(a, Vector) and layout != "csr":
        raise DomainError(f"a vector is not laid out as {layout}")
    with _of_file(path):
        a._save(chosen(ctx), path, *([] if isinstance(a, Vector) else [layout]))


@explained
def spy(a: Matrix, path: str | os.PathLike, *, pixels: int = 800, ctx: Context | None = None) -> None:
    """Draws where the entries are, as a PNG (.png, no other type) whose longer side is about `pixels` pixels.

    Raises DomainError for other suffixes, FileNotFound where the folder is not there.
    """
    path = _path(path)
    if not path.lower().endswith(".png"):
        raise DomainError(f"{path}: pictures of matrices are PNG files: give a path that ends in .png")
    with _of_file(path):
        a._spy(chosen(ctx), path, pixels)


@explained
def with_random_weights(a: Matrix, lowest: int, highest: int, *, seed: int = 1, ctx: Context | None = None) -> Matrix:
    """The same entries with whole random values from `lowest` to `highest` (int32), the same for (i, j) and (j, i)."""
    return _core.with_random_weights(chosen(ctx), a, lowest, highest, seed)


def _each_value(a, data):
    """The values of all entries, of which an iso matrix holds one and a pattern none."""
    return data if a.values_held == "full" else np.full(a.nnz, data[0] if a.values_held == "iso" else 1, dtype=np.dtype(a.dtype))


def entries(a):
    indptr, indices, data = a.csr_arrays()
    rows = np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(indptr))
    return rows, indices, _each_value(a, data)


def filled(a, missing):
    out = np.full(a.shape, full(1, missing, dtype=a.dtype).values()[0])
    rows, columns, values = entries(a)
    out[rows, columns] = values
    return out


def as_whole_array(a, dtype, copy):
    if a.nnz != a.shape[0] * a.shape[1]:
        raise TypeError("a Matrix with absent entries is no NumPy array: to_numpy(missing=0) writes them out, to_scipy keeps them "
                        "absent, from_scipy makes a Matrix of what it is joined with")
    if copy is False:
        raise ValueError("an array of a matrix is a copy, which copy=False forbids")
    return filled(a, 0).astype(dtype or a.dtype, copy=False)


def _matrix_again(indptr, indices, data, shape, dtype=None):
    made = from_csr(indptr, indices, data, shape)
    return made if dtype in (None, made.dtype) else made.astype(dtype)


def _vector_again(size, indices, values):
    return build(size, indices, values)


def _reduced_dia(a):
    return _dia_again, (a.shape, np.array(a.offsets), np.array(a.values), np.array(a.first_rows), np.array(a.last_rows))


def _dia_again(shape, offsets, values, first_rows, last_rows):
    return DiaMatrix._from_parts(chosen(None), *shape, offsets, values, first_rows, last_rows)


def _reduced(a):
    """What pickle and copy.deepcopy keep of a matrix or a vector: its arrays, which become an object of the default context."""
    if isinstance(a, Vector):
        return (dense, (a.values(),)) if a.form == "dense" else (_vector_again, (a.size, *a.entries()))
    indptr, indices, data = a.csr_arrays()
    if a.values_held != "full":
        data = None if a.values_held == "pattern" else np.repeat(data, a.nnz)
    return _matrix_again, (indptr, indices, data, a.shape, a.dtype)
