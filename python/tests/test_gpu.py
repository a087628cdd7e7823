"""Arrays of CuPy and torch in and out of a GPU's memory. Skipped where there is no GPU or neither library."""

import numpy as np
import pytest
import scipy.sparse

import nonzero as nz

cupy = pytest.importorskip("cupy")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def gpu():
    try:
        return nz.Context(backend="cuda")
    except nz.errors.NotSupported as why:
        pytest.skip(str(why))


@pytest.fixture
def host_matrix():
    s = scipy.sparse.random_array((200, 200), density=0.05, format="csr", rng=7)
    s.data = np.floor(s.data * 10) + 1  # whole numbers: sums are the same in any order
    s.sum_duplicates()
    return s


def lent(s):
    """A cupyx matrix with int32 indices."""
    import cupyx.scipy.sparse

    a = cupyx.scipy.sparse.csr_matrix(scipy.sparse.csr_matrix(s))
    a.sum_duplicates()
    return a


def pointers(arrays):
    return [cupy.from_dlpack(x).data.ptr for x in arrays]


def test_csr_arrays_are_borrowed_and_given_back_at_the_same_address(gpu, host_matrix):
    c = lent(host_matrix)
    for a in (nz.from_scipy(c, ctx=gpu), nz.from_csr(c.indptr, c.indices, c.data, c.shape, copy=False, ctx=gpu)):
        assert a.on_device
        assert pointers(a.csr_arrays_on(gpu)) == [c.indptr.data.ptr, c.indices.data.ptr, c.data.data.ptr]
        back = nz.to_cupy(a, ctx=gpu)
        assert back.data.data.ptr == c.data.data.ptr and a.on_device
        assert abs(nz.to_scipy(a) - host_matrix).sum() == 0
    copied = nz.from_scipy(c, copy=True, ctx=gpu)
    assert copied.on_device and pointers(copied.csr_arrays_on(gpu))[2] != c.data.data.ptr
    assert abs(nz.to_scipy(nz.from_scipy(c.tocsc(), ctx=gpu)) - host_matrix).sum() == 0


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_torch_tensors_come_in_and_go_out(gpu, host_matrix, dtype):
    s = host_matrix.astype(dtype)
    t = torch.sparse_csr_tensor(
        torch.tensor(s.indptr, dtype=torch.int64), torch.tensor(s.indices, dtype=torch.int64), torch.tensor(s.data),
        size=s.shape
    ).cuda()
    a = nz.from_torch(t, ctx=gpu)
    assert a.on_device and a.dtype == dtype
    assert abs(nz.to_scipy(nz.from_torch(t, ctx=gpu)) - s).sum() == 0
    back = nz.to_torch(a, ctx=gpu)
    assert back.is_cuda and a.on_device
    assert back.values().data_ptr() == pointers(a.csr_arrays_on(gpu))[2]
    assert torch.equal(back.to_dense(), t.to_dense())
    with pytest.raises(nz.errors.DomainError, match="int32"):
        nz.from_torch(t, copy=False, ctx=gpu)
    with pytest.raises(nz.errors.DomainError, match="to_sparse_csr"):
        nz.from_torch(t.to_dense(), ctx=gpu)


def test_products_take_and_leave_vectors_there(gpu, host_matrix):
    a = nz.from_scipy(lent(host_matrix), ctx=gpu)
    x = np.arange(200.0)
    expected = host_matrix @ x
    for given in (cupy.asarray(x), torch.tensor(x).cuda(), cupy.repeat(cupy.asarray(x), 2)[::2]):
        w = nz.mxv("plus_times", a, given, ctx=gpu)
        assert w.on_device and a.on_device
        assert w.__dlpack_device__() == (2, 0)
        there = cupy.from_dlpack(w)
        assert there.data.ptr == pointers([w.values_on(gpu)])[0]
        np.testing.assert_array_equal(cupy.asnumpy(there), expected)
        np.testing.assert_array_equal(torch.from_dlpack(w).cpu().numpy(), expected)
        assert w.on_device
        np.testing.assert_array_equal(np.asarray(w), expected)
        assert not w.on_device
    t = nz.mxv("plus_times", a, cupy.asarray(x), transpose=True, ctx=gpu)
    assert a.on_device
    np.testing.assert_array_equal(t.values(), host_matrix.T @ x)


def test_work_on_other_streams_is_waited_for(gpu, host_matrix):
    a = nz.from_scipy(lent(host_matrix), ctx=gpu)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        big = cupy.random.random((4000, 4000))
        for _ in range(5):
            big = big @ big
            big /= big.max()
        x = cupy.ones(200) + (big[0, 0] * 0)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = torch.ones(3000, 3000, device="cuda", dtype=torch.float64)
        for _ in range(5):
            y = y @ y / 3000
        y = y[0, :200].contiguous()
    expected = host_matrix @ np.ones(200)
    np.testing.assert_allclose(nz.mxv("plus_times", a, x, ctx=gpu).values(), expected)
    np.testing.assert_allclose(nz.mxv("plus_times", a, y, ctx=gpu).values(), expected)


def test_dense_operands_of_a_gpu_are_read_and_written_there(gpu, host_matrix):
    a = nz.from_scipy(lent(host_matrix), ctx=gpu)
    b = np.arange(200.0 * 6).reshape(200, 6)
    expected = host_matrix @ b
    found = nz.mxd("plus_times", a, cupy.asarray(b), ctx=gpu)
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(found), expected)
    found = nz.mxd("plus_times", a, torch.tensor(b).cuda(), ctx=gpu)
    assert isinstance(found, torch.Tensor) and found.is_cuda
    np.testing.assert_array_equal(found.cpu().numpy(), expected)
    by_columns = cupy.asarray(np.asfortranarray(b))
    assert nz.mxd("plus_times", a, by_columns, ctx=gpu).flags.f_contiguous
    np.testing.assert_array_equal(cupy.asnumpy(nz.mxd("plus_times", a, by_columns, ctx=gpu)), expected)
    out = torch.ones(200, 6, device="cuda", dtype=torch.float64)
    assert nz.mxd("plus_times", a, torch.tensor(b).cuda(), out=out, accum="plus", ctx=gpu) is out
    held = np.diff(host_matrix.indptr) > 0
    np.testing.assert_array_equal(out.cpu().numpy()[held], expected[held] + 1)
    assert a.on_device


@pytest.mark.parametrize("ring", ["plus_times", "min_plus", "max_times", "any_pair", "plus_times_int8", "min_secondj_int64"])
def test_dense_arrays_there_are_taken_whatever_is_asked(gpu, host_matrix, ring):
    here, cpu = nz.from_scipy(host_matrix), nz.Context(backend="cpu")
    a = nz.from_scipy(lent(host_matrix), ctx=gpu)
    rng = np.random.default_rng(5)
    for of_b, of_c in (("float64", "float64"), ("float32", "int32"), ("int8", "float32"), ("uint64", "uint8")):
        b = rng.integers(0, 5, (200, 7)).astype(of_b)
        for accum in (None, "plus", "minus"):
            c = rng.integers(0, 5, (200, 7)).astype(of_c)
            out = cupy.asarray(c)
            assert nz.mxd(ring, a, cupy.asarray(b), out=out, accum=accum, ctx=gpu) is out
            nz.mxd(ring, here, b, out=c, accum=accum, kernel="reference", ctx=cpu)
            np.testing.assert_array_equal(cupy.asnumpy(out), c, err_msg=f"{of_b} {of_c} {accum}")


def test_what_is_wrong_is_said_as_for_the_host(gpu):
    one = cupy.ones(1, dtype="int32")
    with pytest.raises(nz.errors.IndexOutOfBounds, match="column 5"):
        nz.from_csr(cupy.asarray([0, 1], dtype="int32"), 5 * one, cupy.ones(1), (1, 3), ctx=gpu)
    with pytest.raises(nz.errors.DomainError, match="memory"):
        nz.from_csr(np.array([0, 1], dtype="int32"), one, cupy.ones(1), (1, 3), ctx=gpu)
    with pytest.raises(nz.errors.IndexOutOfBounds, match="numbers"):
        nz.from_csr(cupy.asarray([0, 1], dtype="int32"), cupy.asarray([2**40]), cupy.ones(1), (1, 3), ctx=gpu)
    cpu = nz.Context(backend="cpu")
    for array in (cupy.ones(3), torch.ones(3).cuda()):
        with pytest.raises(nz.errors.NotSupported, match="backend='cuda'"):
            nz.dense(array, ctx=cpu)
    with pytest.raises(nz.errors.NotSupported, match="GPU"):
        nz.to_cupy(nz.load("grid2d:3", ctx=cpu), ctx=cpu)
    with pytest.raises(nz.errors.DomainError, match="memory"):
        nz.from_coo(cupy.arange(2), cupy.arange(2), np.ones(2), (3, 3), ctx=gpu)
    with pytest.raises(nz.errors.NotSupported, match="backend='cuda'"):
        nz.sddmm("plus_times", torch.ones(3, 3).cuda(), np.ones((3, 3)), nz.from_scipy(scipy.sparse.eye_array(3).tocsr(), ctx=cpu), ctx=cpu)


def test_graphs_that_only_a_gpu_has_are_searched_there(gpu):
    cpu = nz.Context(backend="cpu")
    graph = nz.load("rmat_directed:10,8", ctx=cpu)
    a = nz.from_scipy(lent(nz.to_scipy(graph).astype("float32")), ctx=gpu)
    there, here = nz.bfs(a, 3, ctx=gpu), nz.bfs(graph, 3, ctx=cpu)
    assert a.on_device and there.backend == "cuda"
    np.testing.assert_array_equal(there.levels, here.levels)
    np.testing.assert_array_equal(there.parents, here.parents)
    np.testing.assert_array_equal(nz.components(a, ctx=gpu).labels, nz.components(graph, ctx=cpu).labels)
    np.testing.assert_allclose(nz.pagerank(a, ctx=gpu).ranks, nz.pagerank(graph, ctx=cpu).ranks, atol=1e-7)
    square = nz.mxm("plus_times", a, a, ctx=gpu)
    assert square.on_device
    s = nz.to_scipy(graph).astype("float32")
    assert abs(nz.to_scipy(square) - s @ s).sum() == 0


@pytest.mark.parametrize("library", [cupy, torch], ids=["cupy", "torch"])
def test_sampled_products_read_dense_arrays_of_a_gpu(gpu, host_matrix, library):
    rng = np.random.default_rng(3)
    x, y = rng.integers(-5, 6, (200, 24)).astype(float), rng.integers(-5, 6, (24, 200)).astype(float)
    to = cupy.asarray if library is cupy else lambda a: torch.tensor(a).cuda()
    m = nz.from_scipy(host_matrix)
    expected = host_matrix.copy()
    expected.data = (x @ y)[expected.nonzero()]
    found = nz.sddmm("plus_times", to(x), to(y), m, structure=True, ctx=gpu)
    assert found.plan.on_device and found.on_device
    assert found.nnz == host_matrix.nnz and abs(nz.to_scipy(found) - expected).sum() == 0
    for ring in ("plus_times_fp32", "plus_times_int16", "max_minus"):  # converted there, by a wider type, at home
        found = nz.sddmm(ring, to(x), to(y), m, structure=True, ctx=gpu)
        here = nz.sddmm(ring, x, y, nz.from_scipy(host_matrix), structure=True, ctx=nz.Context(backend="cpu"))
        assert abs(nz.to_scipy(found) - nz.to_scipy(here)).sum() == 0


@pytest.mark.parametrize("share", [None, 0, 0.25, 1])
def test_a_cpu_and_a_gpu_multiply_together(gpu, host_matrix, share):
    a = nz.from_scipy(host_matrix, ctx=gpu)
    expected = nz.mxm("plus_times", a, a, ctx=nz.Context(backend="cpu"))
    found = nz.mxm_hybrid("plus_times", a, a, cpu_share=share, ctx=gpu)
    assert abs(nz.to_scipy(found.matrix) - nz.to_scipy(expected)).sum() == 0 and found.matrix.nnz == expected.nnz
    assert not found.matrix.on_device
    assert found.on_cpu.operation == found.on_gpu.operation == "mxm" and found.on_gpu.on_device
    assert share is None or abs(found.cpu_share - share) < 0.1
    with pytest.raises(nz.errors.DomainError):
        nz.mxm_hybrid("plus_times", a, a, cpu_share=1.5, ctx=gpu)


@pytest.mark.parametrize("library", [cupy, torch], ids=["cupy", "torch"])
@pytest.mark.parametrize("duplicates", ["plus", "max", "second", "minus"])
def test_coordinates_of_a_gpu_are_sorted_there(gpu, library, duplicates):
    rng = np.random.default_rng(11)
    i, j = rng.integers(0, 300, 5000), rng.integers(0, 200, 5000)
    x = rng.integers(-9, 9, 5000).astype(float)
    to = cupy.asarray if library is cupy else lambda a: torch.tensor(a).cuda()
    found = nz.from_coo(to(i), to(j), to(x), (300, 200), duplicates=duplicates, ctx=gpu)
    assert found.on_device == (duplicates != "minus")
    expected = nz.from_coo(i, j, x, (300, 200), duplicates=duplicates)
    assert found.nnz == expected.nnz and abs(nz.to_scipy(found) - nz.to_scipy(expected)).sum() == 0
    ones = nz.from_coo(to(i), to(j), 1, (300, 200), duplicates="first", ctx=gpu)
    assert ones.on_device and ones.nnz == expected.nnz and ones.get(int(i[0]), int(j[0])) == 1
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.from_coo(to(i), to(j), to(x), (299, 200), ctx=gpu)
    with pytest.raises(nz.errors.DomainError, match="arrays lie"):
        nz.from_coo(to(i), to(j), x, (300, 200), ctx=gpu)


def test_every_format_of_cupyx_comes_in(gpu, host_matrix):
    c = lent(host_matrix)
    for a in (c.tocoo(), c.tocsc(), c):
        found = nz.from_scipy(a, ctx=gpu)
        assert found.on_device and abs(nz.to_scipy(found) - host_matrix).sum() == 0


def test_places_without_an_entry_can_be_filled_there(gpu):
    a = nz.from_coo([0, 2], [1, 0], [2.0, 3.0], (3, 2), ctx=gpu)
    y = nz.mxv("plus_times", a, cupy.ones(2), ctx=gpu)
    with pytest.raises(nz.errors.DomainError):
        y.values_on(gpu)
    assert cupy.from_dlpack(y.values_on(gpu, missing=-1)).tolist() == [2.0, -1.0, 3.0]


def test_work_goes_to_the_callers_stream(gpu):
    stream = cupy.cuda.Stream(non_blocking=True)
    ctx = nz.Context(backend="cuda", stream=stream)  # which keeps it: what is left of the test goes to it after `stream` has gone
    a = nz.load("laplace2d:50", ctx=ctx)
    with stream:
        x = cupy.arange(2500, dtype=cupy.float64)
        y = nz.mxv("plus_times", a, x, ctx=ctx)
    assert abs(y.values() - nz.to_scipy(a) @ cupy.asnumpy(x)).max() < 1e-9


def test_a_gpu_has_a_memory_limit_of_its_own(gpu):
    s = scipy.sparse.random_array((4000, 4000), density=0.01, format="csr", rng=7)
    ctx = nz.Context(backend="cuda", device_memory_limit=1 << 20)
    assert (ctx.memory_limit, ctx.device_memory_limit) == (0, 1 << 20)
    a = nz.from_scipy(s, ctx=ctx)
    c = nz.mxm("plus_times", a, a, ctx=ctx)
    assert abs(nz.to_scipy(c) - s @ s).max() < 1e-12
    assert 0 < ctx.device_peak_bytes <= 1 << 20 < 12 * c.nnz  # pinned host memory has the result


@pytest.mark.parametrize("library", [cupy, torch], ids=["cupy", "torch"])
def test_lists_of_places_and_vectors_come_from_a_gpu(gpu, host_matrix, library):
    to = cupy.asarray if library is cupy else lambda a: torch.tensor(a).cuda()
    a = nz.from_scipy(host_matrix, ctx=gpu)
    at = np.array([7, 3, 3, 150])
    np.testing.assert_array_equal(
        nz.to_scipy(nz.extract(a, to(at), to(at[:2]), ctx=gpu)).toarray(), host_matrix[at][:, at[:2]].toarray())
    flags = np.zeros(200, dtype=bool)
    flags[[3, 150]] = True
    np.testing.assert_array_equal(nz.to_scipy(nz.extract(a, to(flags), ctx=gpu)).toarray(), host_matrix[[3, 150]].toarray())
    v = nz.assign(nz.dense(np.zeros(200), ctx=gpu), 2.0, to(at), ctx=gpu)
    assert v.values().sum() == 6
    built = nz.build(200, to(at), to(np.array([1.0, 2.0, 5.0, 4.0])), ctx=gpu)
    places, values = built.entries()
    np.testing.assert_array_equal(places, [3, 7, 150])
    np.testing.assert_array_equal(values, [7.0, 1.0, 4.0])
    with pytest.raises(nz.errors.DomainError, match="integers"):
        nz.extract(a, to(np.array([1.5])), ctx=gpu)
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.extract(a, to(np.array([200])), ctx=gpu)


def test_transposes_and_converted_values_stay_there(gpu, host_matrix):
    a = nz.from_scipy(lent(host_matrix), ctx=gpu)
    before = nz.default_context()
    nz.set_default_context(gpu)
    try:
        assert a.T.on_device and a.astype("float32").on_device and a.on_device
        assert abs(nz.to_scipy(a.T) - host_matrix.T).sum() == 0
        np.testing.assert_array_equal((a.T @ np.ones(200)).values(), host_matrix.T @ np.ones(200))
        np.testing.assert_array_equal(nz.diagonal(a).to_numpy(missing=0), host_matrix.diagonal())
        np.testing.assert_allclose(nz.to_scipy(nz.apply("sqrt", a)).data, np.sqrt(host_matrix.data), rtol=1e-15)
    finally:
        nz.set_default_context(before)
