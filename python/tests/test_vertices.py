"""Ranks, components, triangles, centrality and core numbers against networkx and NumPy."""

import signal
import time

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonzero as nz

NAMES = ["grid2d:12,0.3", "rmat:7,4", "uniform:200,2"]


@pytest.fixture(params=NAMES)
def graph(request):
    return nz.load(request.param)


def networkx_of(a, kind=networkx.Graph):
    indptr, indices, _ = a.csr_arrays()
    g = kind()
    g.add_nodes_from(range(a.shape[0]))
    g.add_edges_from(zip(np.repeat(np.arange(a.shape[0]), np.diff(indptr)).tolist(), indices.tolist()))
    return g


@st.composite
def edges(draw, n=9):
    """Directed edges without repeats."""
    place = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return n, sorted(draw(st.sets(place, max_size=30)))


def matrix(n, pairs):
    return nz.from_coo([i for i, _ in pairs], [j for _, j in pairs], np.ones(len(pairs), dtype=bool), (n, n))


def both_ways(pairs):
    return sorted({p for i, j in pairs for p in ((i, j), (j, i)) if i != j})


def solved_ranks(n, pairs, damping, p):
    """The linear system of PageRank: what vertices without edges out hold goes where p says, as the rest does."""
    share = np.zeros((n, n))
    for i, j in pairs:
        share[j, i] = 1
    out = share.sum(axis=0)
    share = np.where(out > 0, share / np.maximum(out, 1), p[:, None])
    return np.linalg.solve(np.eye(n) - damping * share, (1 - damping) * p)


@given(edges(), st.sampled_from([0.5, 0.85]), st.none() | st.lists(st.integers(0, 5), min_size=9, max_size=9))
def test_ranks_solve_the_equation(graph, damping, weights):
    n, pairs = graph
    if weights is not None and not any(weights):
        weights[4] = 1
    p = np.full(n, 1 / n) if weights is None else np.array(weights) / sum(weights)
    a = matrix(n, pairs)
    expected = solved_ranks(n, pairs, damping, p)
    given_weights = None if weights is None else np.array(weights, dtype=float)
    for adaptive in (False, True):
        found = nz.pagerank(a, damping=damping, tolerance=1e-12, max_iterations=1000, personalisation=given_weights,
                            adaptive=adaptive)
        assert found.converged and found.change <= 1e-12
        np.testing.assert_allclose(found.ranks, expected, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_ranks_by_weight_are_networkxs(dtype):
    g = networkx.gnp_random_graph(60, 0.08, seed=3, directed=True)
    for i, j in g.edges:
        g.edges[i, j]["weight"] = 0 if i % 7 == 0 else (i + 2 * j) % 5
    a = nz.from_scipy(networkx.to_scipy_sparse_array(g, dtype=dtype))
    expected = networkx.pagerank(g, tol=1e-12, max_iter=1000)
    found = nz.pagerank(a, weighted=True, tolerance=1e-10, max_iterations=1000)
    np.testing.assert_allclose(found.ranks, [expected[v] for v in g], atol=1e-8)
    assert abs(found.ranks - nz.pagerank(a).ranks).max() > 1e-3
    with pytest.raises(nz.errors.DomainError, match="not negative"):
        nz.pagerank(nz.from_coo([0, 1], [1, 0], [1.0, -2.0], (2, 2)), weighted=True)


def test_ranks_are_networkxs(graph):
    found = nz.pagerank(graph, tolerance=1e-10, max_iterations=500)
    expected = networkx.pagerank(networkx_of(graph, networkx.DiGraph), tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(found.ranks, [expected[v] for v in range(graph.shape[0])], atol=1e-8)
    assert len(found.changes) == len(found.active) == found.iterations
    assert found.changes[-1] == found.change
    assert found.plan.startswith("step") == ("mxv" in found.plan), found.plan  # short_rows, on a GPU, has no product
    single = nz.pagerank(graph, dtype="float32")
    assert single.ranks.dtype == np.float32
    np.testing.assert_allclose(single.ranks, found.ranks, atol=1e-5)


def test_ranks_that_do_not_converge_say_so():
    found = nz.pagerank(nz.load("rmat:7,4"), tolerance=1e-14, max_iterations=2)
    assert found.iterations == 2 and not found.converged


def test_senseless_options_are_refused():
    a = nz.load("grid2d:3")
    with pytest.raises(nz.errors.DomainError):
        nz.pagerank(a, damping=1.5)
    with pytest.raises(nz.errors.DomainError):
        nz.pagerank(a, dtype="int32")
    with pytest.raises(nz.errors.DomainError):
        nz.pagerank(a, personalisation=np.zeros(9))
    with pytest.raises(nz.errors.DimensionMismatch):
        nz.pagerank(a, personalisation=np.ones(4))
    for call in (nz.pagerank, nz.components, nz.triangles, nz.betweenness, nz.cores):
        with pytest.raises(nz.errors.DimensionMismatch):
            call(nz.load("dense:3,4"))
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.betweenness(a, [9])
    for call in (nz.triangles, nz.cores):
        with pytest.raises(nz.errors.DomainError, match="one direction"):
            call(matrix(3, [(0, 1), (1, 2)]))


@given(edges(), st.sampled_from(["", "afforest", "label_loop", "reference"]))
def test_components_are_networkxs(graph, kernel):
    n, pairs = graph
    found = nz.components(matrix(n, pairs), kernel=kernel)
    g = networkx.Graph(pairs)
    g.add_nodes_from(range(n))
    parts = list(networkx.connected_components(g))
    assert found.count == len(parts)
    for part in parts:
        assert {int(found.labels[v]) for v in part} == {min(part)}
    assert found.labels.dtype == np.int32


@given(edges(), st.sampled_from(["", "masked_row", "masked_dot"]))
def test_triangles_and_clustering_are_networkxs(graph, kernel):
    n, pairs = graph
    a = matrix(n, both_ways(pairs))
    g = networkx.Graph(both_ways(pairs))
    g.add_nodes_from(range(n))
    counts, clustering = networkx.triangles(g), networkx.clustering(g)
    found = nz.triangles(a, per_vertex=True, kernel=kernel)
    assert found.counts.tolist() == [counts[v] for v in range(n)]
    np.testing.assert_allclose(found.clustering, [clustering[v] for v in range(n)], atol=1e-15)
    assert found.total == sum(counts.values()) // 3
    plain = nz.triangles(a)
    assert plain.total == found.total and plain.counts is None and plain.clustering is None


@given(edges(), st.booleans())
def test_betweenness_is_networkxs(graph, normalise):
    n, pairs = graph
    pairs = [p for p in pairs if p[0] != p[1]]
    g = networkx.DiGraph(pairs)
    g.add_nodes_from(range(n))
    expected = networkx.betweenness_centrality(g, normalized=normalise)
    found = nz.betweenness(matrix(n, pairs), normalise=normalise)
    np.testing.assert_allclose(found.centrality, [expected[v] for v in range(n)], atol=1e-12)


def test_betweenness_from_some_sources_sums_up_to_that_from_all(graph):
    n = graph.shape[0]
    parts = [nz.betweenness(graph, range(k, n, 3)).centrality for k in range(3)]
    np.testing.assert_allclose(sum(parts), nz.betweenness(graph).centrality, rtol=1e-9, atol=1e-9)
    assert nz.betweenness(graph, []).centrality.max() == 0


@given(edges())
def test_core_numbers_are_networkxs(graph):
    n, pairs = graph
    g = networkx.Graph(both_ways(pairs))
    g.add_nodes_from(range(n))
    expected = networkx.core_number(g)
    found = nz.cores(matrix(n, both_ways(pairs)))
    assert found.numbers.tolist() == [expected[v] for v in range(n)]
    assert found.greatest == max(expected.values())


def test_results_of_larger_graphs_are_networkxs(graph):
    g = networkx_of(graph)
    everyone = range(graph.shape[0])
    assert nz.components(graph).count == networkx.number_connected_components(g)
    assert nz.triangles(graph).total == sum(networkx.triangles(g).values()) // 3
    core = networkx.core_number(g)
    assert nz.cores(graph).numbers.tolist() == [core[v] for v in everyone]
    between = networkx.betweenness_centrality(g, normalized=False)  # counts each pair once
    np.testing.assert_allclose(nz.betweenness(graph).centrality / 2, [between[v] for v in everyone], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("generator", "work"),
    [
        # Each takes minutes, 3,600 sources of two products a level, or 90,000 of a millisecond; shortest paths half a second.
        ("grid2d:60", lambda graph: nz.betweenness(graph, kernel="sweep_loop")),
        ("banded:5000000,3", lambda graph: nz.sssp(nz.with_random_weights(graph, 1, 50), 0, ctx=nz.Context("cpu"))),
        ("grid2d:300", nz.betweenness),
        ("grid2d:300", lambda graph: nz.betweenness(graph, kernel="batched")),
        ("grid2d:300", nz.closeness),
        ("rmat:16,16", lambda graph: nz.closeness(graph, ctx=nz.Context("cpu"))),  # a GPU takes less than half a second
    ],
    ids=["sweep_loop", "shortest paths", "queue", "batched", "closeness of a grid", "closeness"],
)
def test_ctrl_c_ends_an_algorithm_between_its_sources(generator, work):
    graph = nz.load(generator)

    def interrupt(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    begin = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            work(graph)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert time.monotonic() - begin < 5
