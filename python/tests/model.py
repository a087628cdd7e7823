"""A plain model of GraphBLAS over dictionaries, and strategies that draw matrices and vectors. Independent of the library."""

import numpy as np
from hypothesis import strategies as st

import nonzero as nz

ADD = {"plus": lambda x, y: x + y, "min": min, "max": max, "times": lambda x, y: x * y}
MULTIPLY = {
    "times": lambda x, y: x * y,
    "plus": lambda x, y: x + y,
    "first": lambda x, y: x,
    "second": lambda x, y: y,
    "pair": lambda x, y: 1,
    "min": min,
    "max": max,
}


@st.composite
def entries(draw, rows, columns):
    """A dictionary {(i, j): small int}."""
    places = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return draw(st.dictionaries(places, st.integers(-3, 3), max_size=min(40, rows * columns)))


def matrix(d, shape, dtype="int64"):
    rows = np.array([i for i, _ in d], dtype=np.int32)
    columns = np.array([j for _, j in d], dtype=np.int32)
    return nz.from_coo(rows, columns, np.array(list(d.values()), dtype=dtype), shape)


def vector(d, size, dtype="int64"):
    return nz.build(size, [i for i, _ in d], np.array(list(d.values()), dtype=dtype))


def read(x):
    """The entries of a matrix or vector (as a column) as a dictionary."""
    if isinstance(x, nz.Vector):
        indices, values = x.entries()
        return {(int(i), 0): v.item() for i, v in zip(indices, values)}
    indptr, indices, data = x.csr_arrays()
    if x.values_held != "full":
        data = np.full(x.nnz, data[0] if x.values_held == "iso" else 1, dtype=x.dtype)
    rows = np.repeat(np.arange(x.shape[0]), np.diff(indptr))
    return {(int(i), int(j)): v.item() for i, j, v in zip(rows, indices, data)}


def product(add, multiply, a, b):
    c = {}
    for (i, k), x in sorted(a.items()):
        for (k2, j), y in sorted(b.items()):
            if k == k2:
                z = MULTIPLY[multiply](x, y)
                c[i, j] = ADD[add](c[i, j], z) if (i, j) in c else z
    return c


def written(old, result, mask=None, *, accum=None, complement=False, structure=False, replace=False):
    """old<mask, replace> = accum(old, result)."""
    if accum:
        z = dict(old)
        for at, y in result.items():
            z[at] = ADD[accum](old[at], y) if at in old else y
    else:
        z = result
    if mask is None and not complement:
        return dict(z)

    def allowed(at):
        inside = mask is None or at in mask and (structure or bool(mask[at]))
        return inside != complement

    kept = {} if replace else {at: x for at, x in old.items() if not allowed(at)}
    return kept | {at: x for at, x in z.items() if allowed(at)}
