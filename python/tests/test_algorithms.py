"""Algorithms against networkx and SciPy."""

import signal

import networkx
import numpy as np
import pytest
import scipy.sparse.csgraph

import nonzero as nz


@pytest.fixture(params=["grid2d:20,0.2", "rmat:8,4", "uniform:300,2"])
def graph(request):
    return nz.load(request.param)


def source_of(graph):
    return int(np.argmax(np.diff(graph.csr_arrays()[0])))


def test_bfs_levels_are_networkxs(graph):
    source = source_of(graph)
    g = networkx.from_scipy_sparse_array(nz.to_scipy(graph).astype(float), create_using=networkx.DiGraph)
    expected = networkx.single_source_shortest_path_length(g, source)
    found = nz.bfs(graph, source)
    assert found.reached == len(expected)
    assert {i: int(v) for i, v in enumerate(found.levels) if v >= 0} == dict(expected)
    for v, parent in enumerate(found.parents):
        if found.levels[v] > 0:
            assert g.has_edge(int(parent), v) and found.levels[parent] == found.levels[v] - 1
    assert found.iterations[0]["frontier"] == 1
    many = nz.bfs_many(graph, [source, 0], levels=True, of_vertices=True)
    np.testing.assert_array_equal(many.levels[0], found.levels)
    assert many.reached[0] == found.reached
    levels = np.array(many.levels)
    np.testing.assert_array_equal(many.of_vertices["reached"], (levels >= 0).sum(axis=0))
    np.testing.assert_array_equal(many.of_vertices["level_sums"], np.maximum(levels, 0).sum(axis=0))
    np.testing.assert_array_equal(many.of_vertices["depths"], levels.max(axis=0))
    assert nz.bfs_many(graph, [source]).of_vertices is None


def test_switches_and_kernels_change_nothing(graph):
    source = source_of(graph)
    expected = nz.bfs(graph, source)
    for options in [{"switches": "none"}, {"kernel": "push_pull_loop"}, {"switches": "masking,early_exit"}]:
        found = nz.bfs(graph, source, **options)
        np.testing.assert_array_equal(found.levels, expected.levels)
        np.testing.assert_array_equal(found.parents, expected.parents)


def test_depth_limit(graph):
    assert nz.bfs(graph, source_of(graph), max_depth=1).levels.max() == 1


def test_sssp_distances_are_scipys(graph):
    source = source_of(graph)
    weighted = nz.with_random_weights(graph, 1, 50)
    s = nz.to_scipy(weighted).astype(float)
    expected = scipy.sparse.csgraph.dijkstra(s, indices=source)
    found = nz.sssp(weighted, source)
    indices, values = found.distances.entries()
    distances = np.full(graph.shape[0], np.inf)
    distances[indices] = values
    np.testing.assert_array_equal(distances, expected)
    for v in indices:
        if v != source:
            assert distances[found.parents[v]] + s[found.parents[v], v] == distances[v]


def test_negative_weights_are_refused():
    with pytest.raises(nz.errors.DomainError, match="negative"):
        nz.sssp(nz.from_coo([0], [1], [-1.0], (2, 2)), 0)


def test_ctrl_c_ends_a_search_between_levels():
    graph = nz.load("grid2d:1500,0.3")  # about 1,500 levels and more

    def interrupt(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                nz.bfs(graph, 750 * 1500 + 750)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert nz.bfs(graph, 750 * 1500 + 750).reached > 1
