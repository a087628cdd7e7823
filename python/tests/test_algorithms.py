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
    for options in [{"hub_first": True}, {"kernel": "tile", "tile_size": 32}, {"kernel": "tile", "tile_size": 64}]:
        np.testing.assert_array_equal(nz.bfs(graph, source, **options).levels, expected.levels)
    many = nz.bfs_many(graph, [source], levels=True, hub_first=True)
    np.testing.assert_array_equal(many.levels[0], expected.levels)
    with pytest.raises(nz.errors.DomainError, match="32 or 64"):
        nz.bfs(graph, source, kernel="tile", tile_size=16)


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


def test_lengths_beyond_the_type_are_refused_by_every_kernel():
    far = np.array([2**62, 2**62])
    loop = nz.from_coo([0, 1], [1, 1], far, (3, 3))
    over = nz.from_coo([0, 1], [1, 2], far, (3, 3))
    floats = nz.from_coo([0, 1], [1, 2], [1.7e308, 1.7e308], (3, 3))
    two = nz.from_coo([0, 0, 1, 2], [1, 2, 3, 3], np.array([2**62, 1, 2**62, 1]), (4, 4))  # one way is too long
    for kernel in ("", "relax_loop", "reference"):
        assert nz.sssp(loop, 0, kernel=kernel).distances.entries()[1].tolist() == [0, 2**62]
        assert nz.sssp(two, 0, kernel=kernel).distances.entries()[1].tolist() == [0, 2**62, 1, 2]
        for a in (over, floats):
            with pytest.raises(nz.errors.NotSupported, match="beyond"):
                nz.sssp(a, 0, kernel=kernel)


def test_more_paths_than_doubles_can_say():
    def chain(k):
        b = 3 * np.arange(k)
        return nz.from_coo(np.r_[b, b, b + 1, b + 2], np.r_[b + 1, b + 2, b + 3, b + 3], 1.0, (3 * k + 1, 3 * k + 1))

    few, many = chain(40), chain(1024)
    np.testing.assert_allclose(nz.betweenness(few, [0], kernel="sweep_loop").centrality,
                               nz.betweenness(few, [0], kernel="queue").centrality)
    np.testing.assert_allclose(nz.betweenness(many, [0]).centrality[:4], [0, 1535, 1535, 3069])
    with pytest.raises(nz.errors.NotSupported, match="paths"):
        nz.betweenness(many, [0], kernel="sweep_loop")


def test_weights_of_a_personalisation_are_scaled():
    a = nz.load("rmat:5,4")
    for dtype in ("float32", "float64"):
        even = nz.pagerank(a, personalisation=[1.0] * 32, dtype=dtype).ranks
        for x in (1e308, 1e-46, 5e-324):
            np.testing.assert_allclose(nz.pagerank(a, personalisation=[x] * 32, dtype=dtype).ranks, even, rtol=1e-5)
    with pytest.raises(nz.errors.DomainError, match="no entry"):
        nz.pagerank(a, personalisation=nz.build(32, [], np.array([], dtype=float)))
    with pytest.raises(nz.errors.DomainError, match="not negative"):
        nz.pagerank(a, personalisation=[-1.0] + [1.0] * 31)


def test_empty_and_short_orders():
    assert nz.permute([], []).size == 0 and nz.restore([], []).size == 0
    assert nz.permute(nz.from_coo([], [], np.array([], dtype=float), (0, 0)), []).shape == (0, 0)
    np.testing.assert_array_equal(nz.permute([5.0, 6.0, 7.0], np.array([2, 0, 1], np.uint8)), [7.0, 5.0, 6.0])


def test_all_kernels_are_named_where_one_is_not():
    with pytest.raises(nz.errors.DomainError, match="bit_parallel, one_by_one, reference"):
        nz.bfs_many(nz.load("grid2d:3"), [0], kernel="x")
