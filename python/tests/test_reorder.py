"""Orders, and matrices and vectors in them, against NumPy's indexing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonzero as nz

N = 8
pairs_of = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=25).map(sorted)
orders = st.permutations(range(N)).map(lambda p: np.array(p, dtype=np.int32))
hows = st.sampled_from(["rcm", "degree", "cluster"])


def matrix(pairs):
    return nz.from_coo([i for i, _ in pairs], [j for _, j in pairs], np.arange(1.0, len(pairs) + 1), (N, N))


def array(a):
    return nz.to_scipy(a).toarray()


@given(pairs_of, hows)
def test_orders_are_permutations_and_do_not_look_at_directions(pairs, how):
    found = nz.order(matrix(pairs), how)
    assert found.dtype == np.int32 and sorted(found.tolist()) == list(range(N))
    back = nz.order(matrix(sorted({(j, i) for i, j in pairs})), how)
    assert (found == back).all()


@given(pairs_of, orders)
def test_permuted_matrices_are_numpys(pairs, order):
    a = matrix(pairs)
    assert (array(nz.permute(a, order)) == array(a)[np.ix_(order, order)]).all()
    assert (array(nz.permute(a, order.astype(np.int64))) == array(a)[np.ix_(order, order)]).all()


@given(orders, st.lists(st.floats(-9, 9), min_size=N, max_size=N))
def test_vectors_come_back(order, values):
    v = np.array(values)
    moved = nz.permute(v, order)
    assert (moved == v[order]).all() and (nz.restore(moved, order) == v).all()
    sparse = nz.build(N, [1, 5], [2.5, 3.5])
    back = nz.restore(nz.permute(sparse, order), order)
    assert isinstance(back, nz.Vector) and [x.tolist() for x in back.entries()] == [[1, 5], [2.5, 3.5]]


@given(pairs_of, hows, st.integers(0, N - 1))
def test_searches_of_the_reordered_graph_are_those_of_the_graph(pairs, how, source):
    a = matrix(pairs)
    order = nz.order(a, how)
    inside = nz.bfs(nz.permute(a, order), int(np.argsort(order)[source]))
    assert (nz.restore(inside.levels, order) == nz.bfs(a, source).levels).all()
    levels, parents = nz.restore(inside.levels, order), nz.restore(inside.parents, order, vertices=True)
    for v in np.flatnonzero(levels > 0):
        assert (int(parents[v]), int(v)) in pairs and levels[parents[v]] == levels[v] - 1
    assert parents[source] == source


def test_wrong_orders_are_refused():
    a = matrix([(0, 1)])
    with pytest.raises(nz.errors.DomainError, match="name every vertex once"):
        nz.permute(a, np.zeros(N, dtype=np.int32))
    with pytest.raises(nz.errors.DimensionMismatch):
        nz.permute(a, np.arange(3, dtype=np.int32))
    with pytest.raises(nz.errors.DimensionMismatch, match="square"):
        nz.order(nz.from_coo([0], [1], [1.0], (2, 3)))
    with pytest.raises(nz.errors.DomainError, match="rcm, degree or cluster"):
        nz.order(a, "amd")
