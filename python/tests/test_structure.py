"""Strong components, sets, colours, communities, trusses, matchings, closures and closeness against networkx, or by what
makes a result one."""

import collections

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonzero as nz

N = 9
directed = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=30).map(sorted)
undirected = directed.map(lambda pairs: sorted({p for i, j in pairs for p in ((i, j), (j, i)) if i != j}))
orders = st.sampled_from(["hashed", "small", "large"])


def matrix(pairs, shape=(N, N), dtype=bool):
    return nz.from_coo([i for i, _ in pairs], [j for _, j in pairs], np.ones(len(pairs), dtype=dtype), shape)


def entries_of(a):
    coo = nz.to_scipy(a).tocoo()
    return list(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist()))


def graph_of(pairs, kind=networkx.Graph):
    g = kind(pairs)
    g.add_nodes_from(range(N))
    return g


@given(directed, st.booleans(), st.integers(0, 3))
def test_strong_components_are_networkxs(pairs, trim, searches):
    found = nz.strong_components(matrix(pairs), trim=trim, searches=searches)
    parts = list(networkx.strongly_connected_components(graph_of(pairs, networkx.DiGraph)))
    assert found.count == len(parts)
    for part in parts:
        assert {int(found.labels[v]) for v in part} == {min(part)}
    assert found.trimmed + found.searched + found.walked in (0, N)  # none where every edge has its reverse


@given(undirected, orders, st.integers(0, 5))
def test_independent_sets_are_independent_and_maximal(pairs, order, seed):
    found = nz.independent_set(matrix(pairs), order=order, seed=seed)
    members = set(np.flatnonzero(found.members).tolist())
    assert found.members.dtype == bool and found.count == len(members)
    assert not any(i in members and j in members for i, j in pairs)
    assert all(v in members or any(i == v and j in members for i, j in pairs) for v in range(N))


@given(undirected, orders)
def test_colours_differ_along_edges_and_are_few(pairs, order):
    found = nz.colouring(matrix(pairs), order=order)
    assert all(found.colours[i] != found.colours[j] for i, j in pairs)
    degrees = collections.Counter(i for i, _ in pairs)
    assert sorted(set(found.colours.tolist())) == list(range(found.count))
    assert found.count <= max(degrees.values(), default=0) + 1


@given(undirected, st.integers(0, 4))
def test_labels_are_those_of_plain_steps(pairs, steps):
    labels = list(range(N))
    for _ in range(steps):
        around = [collections.Counter(labels[j] for i, j in pairs if i == v) for v in range(N)]
        labels = [min(c, key=lambda x: (-c[x], x)) if c else labels[v] for v, c in enumerate(around)]
    found = nz.label_propagation(matrix(pairs), max_iterations=steps)
    assert found.labels.tolist() == labels and found.count == len(set(labels)) and found.iterations <= steps


@given(undirected, st.integers(2, 5), st.sampled_from(["", "masked_row", "masked_dot"]))
def test_trusses_are_networkxs(pairs, k, kernel):
    found = nz.truss(matrix(pairs), k, kernel=kernel)
    expected = networkx.k_truss(graph_of(pairs), k)
    assert found.k == k and found.count == expected.number_of_edges()
    triangles = {(i, j): x for i, j, x in entries_of(found.edges)}
    for i, j in expected.edges:
        common = len(list(networkx.common_neighbors(expected, i, j)))
        assert triangles[i, j] == triangles[j, i] == common
    assert found.degrees.tolist() == [expected.degree(v) if v in expected else 0 for v in range(N)]


@given(directed, st.booleans())
def test_closeness_is_networkxs(pairs, outward):
    g = graph_of([(i, j) for i, j in pairs if i != j], networkx.DiGraph)
    found = nz.closeness(matrix(pairs), outward=outward)
    expected = networkx.closeness_centrality(g.reverse() if outward else g)
    np.testing.assert_allclose(found.closeness, [expected[v] for v in range(N)], atol=1e-12)
    paths = dict(networkx.all_pairs_shortest_path_length(g))
    far = [[d for s in range(N) for d in [paths[v].get(s) if outward else paths[s].get(v)] if d and s != v] for v in range(N)]
    assert found.eccentricity.tolist() == [max(d, default=0) for d in far]
    assert found.reached.tolist() == [len(d) for d in far] and found.distances.tolist() == [sum(d) for d in far]


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=20).map(sorted), st.integers(0, 3))
def test_matchings_are_matchings_and_maximal(pairs, seed):
    found = nz.matching(matrix(pairs, (5, 7)), seed=seed)
    mates = [(i, j) for i, j in enumerate(found.of_rows.tolist()) if j >= 0]
    assert len(mates) == found.count and all(p in pairs and found.of_columns[p[1]] == p[0] for p in mates)
    assert all(found.of_rows[i] >= 0 or found.of_columns[j] >= 0 for i, j in pairs)


@given(directed, st.booleans())
def test_closures_are_networkxs(pairs, reflexive):
    found = nz.transitive_closure(matrix(pairs), reflexive=reflexive)
    expected = networkx.transitive_closure(graph_of(pairs, networkx.DiGraph), reflexive=reflexive)
    assert found.complete and {(i, j) for i, j, _ in entries_of(found.reach)} == set(expected.edges)


@given(undirected)
def test_clusters_are_within_components(pairs):
    found = nz.markov_clustering(matrix(pairs, dtype=float))
    parts = nz.components(matrix(pairs)).labels
    assert all(parts[v] == parts[found.labels[v]] for v in range(N))
    assert found.count == len(set(found.labels.tolist())) and all(found.labels <= np.arange(N))


def test_two_cliques_with_a_bridge_are_two_clusters():
    pairs = [(i, j) for part in (range(5), range(5, 9)) for i in part for j in part if i != j] + [(0, 5), (5, 0)]
    found = nz.markov_clustering(matrix(pairs, dtype=float))
    assert found.converged and found.labels.tolist() == [0] * 5 + [5] * 4


def test_senseless_arguments_are_refused():
    square = nz.load("grid2d:3")
    for call in (nz.strong_components, nz.independent_set, nz.colouring, nz.label_propagation, nz.truss, nz.closeness,
                 nz.transitive_closure, nz.markov_clustering):
        with pytest.raises(nz.errors.DimensionMismatch):
            call(nz.load("dense:3,4"))
    for call in (nz.independent_set, nz.colouring, nz.truss):
        with pytest.raises(nz.errors.DomainError):
            call(matrix([(0, 1)]))
    with pytest.raises(nz.errors.DomainError):
        nz.colouring(square, order="alphabetical")
    with pytest.raises(nz.errors.DomainError):
        nz.truss(square, 1)
    with pytest.raises(nz.errors.DomainError):
        nz.markov_clustering(square, inflation=1)
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.closeness(square, [9])
