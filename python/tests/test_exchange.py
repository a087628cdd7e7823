"""Arrays in and out: without copies where the layout allows, and said where not."""

import copy
import errno
import gc
import multiprocessing
import os
import pickle
import threading

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import nonzero as nz

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def pointer(a):
    return a.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", TYPES)
def test_all_types_go_in_and_out(dtype):
    values = np.array([1, 0, 1], dtype=dtype)
    a = nz.from_csr([0, 2, 2, 3], [1, 4, 0], values, (3, 5))
    assert a.dtype == dtype and a.shape == (3, 5)
    np.testing.assert_array_equal(a.csr_arrays()[2], values)
    assert a.csr_arrays()[2].dtype == np.dtype(dtype)
    v = nz.dense(values)
    np.testing.assert_array_equal(v.values(), values)
    indices, found = nz.build(9, [7, 2, 4], values).entries()
    np.testing.assert_array_equal(indices, [2, 4, 7])
    np.testing.assert_array_equal(found, values[[1, 2, 0]])


def test_a_canonical_csr_array_is_borrowed_and_read_back_at_the_same_address():
    s = scipy.sparse.random_array((50, 40), density=0.1, format="csr", rng=3)
    s.sum_duplicates()
    a = nz.from_scipy(s)
    indptr, indices, data = a.csr_arrays()
    assert pointer(data) == pointer(s.data)
    assert pointer(indices) == pointer(s.indices)
    assert pointer(indptr) == pointer(s.indptr)
    assert not data.flags.writeable
    back = nz.to_scipy(a)
    assert pointer(back.data) == pointer(s.data)
    assert pointer(nz.from_scipy(s, copy=True).csr_arrays()[2]) != pointer(s.data)


def test_borrowed_arrays_stay_alive():
    a = nz.from_scipy(scipy.sparse.eye_array(1000, format="csr") * 2.0)
    gc.collect()
    assert nz.reduce("plus", a) == 2000.0
    data = a.csr_arrays()[2]
    del a
    gc.collect()
    assert data.sum() == 2000.0


def test_what_cannot_be_borrowed_says_so():
    s = scipy.sparse.eye_array(4, format="csr")
    with pytest.raises(nz.errors.DomainError, match="csc"):
        nz.from_scipy(s.tocsc(), copy=False)
    s.indices = s.indices.astype(np.int64)
    s.indptr = s.indptr.astype(np.int64)
    with pytest.raises(nz.errors.DomainError, match="int32"):
        nz.from_scipy(s, copy=False)
    assert nz.from_scipy(s).nnz == 4


@given(st.sampled_from(["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]), st.integers(0, 2**31))
def test_scipy_formats_round_trip(format, seed):
    s = scipy.sparse.random_array((7, 9), density=0.3, format="coo", rng=np.random.default_rng(seed))
    assert abs(nz.to_scipy(nz.from_scipy(s.asformat(format))) - s.tocsr()).sum() == 0


def test_column_numbers_that_do_not_fit_are_refused_not_wrapped():
    with pytest.raises(nz.errors.IndexOutOfBounds, match="4294967296 at position 0"):
        nz.from_coo([0], np.array([2**32], dtype=np.int64), [1.0], (1, 5))
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.from_coo([0], [5], [1.0], (1, 5))
    with pytest.raises(IndexError):
        nz.from_csr([0, 1], [5], [1.0], (1, 5))


def test_a_changed_matrix_leaves_arrays_that_were_handed_out_as_they_were():
    a = nz.from_coo([0, 1], [0, 1], [1.0, 2.0], (2, 2))
    data = a.csr_arrays()[2]
    a.set(0, 0, 7.0)
    assert data.tolist() == [1.0, 2.0]
    assert a.csr_arrays()[2].tolist() == [7.0, 2.0]
    v = nz.dense([1.0, 2.0])
    values = v.values()
    v.set(0, 5.0)
    assert values.tolist() == [1.0, 2.0] and v.get(0) == 5.0


def test_networkx_graphs_come_in_with_their_weights():
    g = networkx.gnp_random_graph(40, 0.1, seed=1)
    for u, v, d in g.edges(data=True):
        d["weight"] = (u * 7 + v) % 5 + 1
    a = nz.from_networkx(g)
    assert abs(nz.to_scipy(a) - networkx.to_scipy_sparse_array(g)).sum() == 0
    directed = networkx.gnp_random_graph(20, 0.2, seed=2, directed=True)
    assert abs(nz.to_scipy(nz.from_networkx(directed)) - networkx.to_scipy_sparse_array(directed)).sum() == 0


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph, networkx.MultiGraph])
def test_nodelist_is_that_of_networkx(kind):
    g = kind([(u, v, {"weight": 1 + (u * 7 + v) % 5}) for u, v in networkx.gnp_random_graph(30, 0.2, seed=3).edges])
    g.add_edges_from([(4, 4, {"weight": 9.0}), (4, 5, {"weight": 2.0})])
    some = [7, 4, 29, 5, 0, 11, 12]
    for given in ({}, {"nodelist": some}, {"nodelist": some, "weight": None}):
        found = nz.to_scipy(nz.from_networkx(g, **given))
        assert abs(found - networkx.to_scipy_sparse_array(g, **given)).sum() == 0
    for wrong, words in (([1, 99], "99 is no node"), ([3, 4, 3], "3 is there more than once")):
        with pytest.raises(nz.errors.DomainError, match=words):
            nz.from_networkx(g, nodelist=wrong)


def test_files_round_trip(tmp_path):
    a = nz.load("random:50,4")
    for suffix in ["mtx", "mtx.gz", "npz", "nzb"]:
        nz.save(a, tmp_path / f"a.{suffix}")
        back = nz.load(tmp_path / f"a.{suffix}")
        assert abs(nz.to_scipy(back).astype(float) - nz.to_scipy(a).astype(float)).sum() == 0
    nz.spy(a, tmp_path / "a.png", pixels=100)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_are_png_files_alone(tmp_path):
    with pytest.raises(nz.errors.DomainError, match=r"\.png"):
        nz.spy(nz.load("grid2d:3"), tmp_path / "a.pdf")
    assert list(tmp_path.iterdir()) == []


def test_what_the_operating_system_refuses_is_its_kind_of_error(tmp_path):
    a, v = nz.load("grid2d:3"), nz.full(3, 1.0)
    nowhere = tmp_path / "none"
    calls = [lambda: nz.load_vector(nowhere / "a.mtx"), lambda: nz.spy(a, nowhere / "a.png")]
    for suffix in ("mtx", "mtx.gz", "npz", "nzb", "el", "bsp.h5"):
        path = nowhere / f"a.{suffix}"
        calls += [lambda p=path: nz.load(p), lambda p=path: nz.save(a, p), lambda p=path: nz.save(v, p)]
    for call in calls:
        with pytest.raises(FileNotFoundError) as e:
            call()
        assert isinstance(e.value, nz.errors.FileNotFound) and isinstance(e.value, nz.Error)
        assert e.value.errno == errno.ENOENT and e.value.filename.startswith(str(nowhere))
        again = pickle.loads(pickle.dumps(e.value))
        assert type(again) is type(e.value) and str(again) == str(e.value)
    with pytest.raises(OSError) as e:
        nz.load(tmp_path / ("a" * 300 + ".mtx"))
    assert type(e.value) is nz.errors.FileError and e.value.errno == errno.ENAMETOOLONG
    if os.getuid() != 0:
        (tmp_path / "a.mtx").touch(0)
        with pytest.raises(PermissionError):
            nz.load(tmp_path / "a.mtx")
    (tmp_path / "b.mtx").write_text("No such file or directory")
    with pytest.raises(nz.errors.InvalidFormat):
        nz.load(tmp_path / "b.mtx")


def test_errors_are_pythons_own_kinds_with_the_librarys_text(tmp_path):
    a = nz.load("grid2d:3")
    with pytest.raises(nz.errors.DimensionMismatch, match="9 x 9") as e:
        nz.mxv("plus_times", a, np.ones(4))
    assert isinstance(e.value, ValueError)
    with pytest.raises(nz.errors.DomainError, match="semiring"):
        nz.mxv("plus_plenty", a, np.ones(9))
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.bfs(a, 9)
    with pytest.raises(nz.errors.NotSupported):
        nz.mxv("plus_times", a, nz.build(9, [1], [1.0]), kernel="csc_gather_bucket", ctx=nz.Context(backend="cpu"))
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n")
    with pytest.raises(nz.errors.InvalidFormat, match="bad.mtx:3"):
        nz.load(tmp_path / "bad.mtx")
    small = nz.Context(backend="cpu", memory_limit=1 << 16)
    with pytest.raises(nz.errors.OutOfMemory) as e:
        nz.load("grid2d:500", ctx=small)
    assert isinstance(e.value, MemoryError)


@pytest.mark.parametrize("dtype", TYPES)
def test_pickles_and_copies_have_the_same_entries(dtype):
    a = nz.from_coo([0, 2, 2], [1, 0, 3], np.array([1, 0, 1], dtype), (3, 4))
    pattern = nz.apply("identity", a) if dtype != "bool" else nz.load("grid2d:3")
    for m in (a, pattern):
        for other in (pickle.loads(pickle.dumps(m)), copy.copy(m), copy.deepcopy(m)):
            assert other.shape == m.shape
            assert other.dtype == m.dtype
            assert (nz.to_scipy(other) != nz.to_scipy(m)).nnz == 0
    for v in (nz.dense(np.array([1, 0, 1], dtype)), nz.build(4, [3, 1], np.array([1, 0], dtype)), nz.build(2, [], np.array([], dtype))):
        for other in (pickle.loads(pickle.dumps(v)), copy.copy(v), copy.deepcopy(v)):
            assert (other.size, other.dtype) == (v.size, v.dtype)
            for x, y in zip(other.entries(), v.entries(), strict=True):
                assert np.array_equal(x, y)


def test_a_deep_copy_of_borrowed_arrays_has_its_own():
    s = scipy.sparse.csr_array(np.eye(3))
    a = nz.from_scipy(s, copy=False)
    b = copy.deepcopy(a)
    s.data[:] = 7
    a.invalidate()
    assert a.get(0, 0) == 7
    assert b.get(0, 0) == 1


def _reached_by(k):
    return nz.bfs(_shared, k).reached


def test_forked_children_go_on_alone():
    global _shared
    _shared = nz.load("rmat:12,8")
    nz.mxm("plus_pair_int64", _shared, _shared)  # threads have begun
    expected = [nz.bfs(_shared, k).reached for k in range(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_reached_by, range(3)).get(timeout=60) == expected


def test_first_and_second_keep_what_the_other_type_does_not_hold():
    odd = 2**53 + 1
    u, v = nz.dense(np.array([odd])), nz.dense(np.array([0.5]))
    for w in (nz.ewise_mult("first", u, v), nz.ewise_mult("second", v, u)):
        assert w.dtype == "int64"
        assert w.to_numpy()[0] == odd
    w = nz.build(1, [0], np.array([2**64 - 2], "u8"))
    nz.apply("identity", nz.build(1, [0], np.array([-1], "i1")), out=w, accum="first")
    assert w.to_numpy()[0] == 2**64 - 2
    assert nz.ewise_add("first", u, v).dtype == "float64"


def test_threads_call_at_the_same_time():
    a = nz.load("random:20000,8")
    x = np.ones(20000)
    expected = nz.mxv("plus_times", a, x).values()
    results = [None] * 4

    def work(k):
        for _ in range(5):
            results[k] = nz.mxv("plus_times", a, x).values()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for r in results:
        np.testing.assert_array_equal(r, expected)


class Foreign:
    """An array of another library, as its protocols show it."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **how):
        assert self.device[0] == 1
        return self.array.__dlpack__(**how)


class Interface:
    """An array that has __array_interface__ alone."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class OnGpu:
    __cuda_array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (4096, False), "version": 3}


@pytest.mark.parametrize("wrap", [Foreign, Interface])
def test_arrays_of_other_libraries_come_in_over_their_memory(wrap):
    from nonzero._exchange import as_array

    for array in (np.arange(6.0), np.arange(12, dtype=np.int32).reshape(3, 4), np.arange(12.0).reshape(3, 4).T):
        found = as_array(wrap(array))
        assert pointer(found) == pointer(array) and found.strides == array.strides
        np.testing.assert_array_equal(found, array)
    a = nz.load("laplace2d:3")
    x, b = np.arange(9.0), np.arange(18.0).reshape(2, 9).T
    np.testing.assert_array_equal(nz.mxv("plus_times", a, wrap(x)).values(), nz.mxv("plus_times", a, x).values())
    np.testing.assert_array_equal(nz.mxd("plus_times", a, wrap(b)), nz.mxd("plus_times", a, b))
    s = scipy.sparse.random_array((5, 6), density=0.5, format="csr", rng=1)
    borrowed = nz.from_csr(wrap(s.indptr), wrap(s.indices), wrap(s.data), s.shape, copy=False)
    assert pointer(borrowed.csr_arrays()[2]) == pointer(s.data)
    coo = s.tocoo()
    assert abs(nz.to_scipy(nz.from_coo(wrap(coo.row), wrap(coo.col), wrap(coo.data), s.shape)) - s).sum() == 0


def test_results_are_written_into_arrays_of_other_libraries():
    a = nz.load("laplace2d:3")
    b, c = np.arange(18.0).reshape(9, 2), np.zeros((9, 2))
    target = Foreign(c)
    assert nz.mxd("plus_times", a, b, out=target) is target
    np.testing.assert_array_equal(c, nz.mxd("plus_times", a, b))


@pytest.mark.parametrize(
    "array, where",
    [
        (OnGpu(), "a CUDA GPU"),
        (Foreign(None, (2, 1)), r"a CUDA GPU \(number 1\)"),
        (Foreign(None, (10, 0)), "a ROCm GPU"),
        (Foreign(None, (99, 0)), "DLPack type 99"),
    ],
)
def test_arrays_on_a_gpu_are_refused_with_the_way_out(array, where):
    cpu = nz.Context(backend="cpu")
    a = nz.load("laplace2d:3", ctx=cpu)
    for call in (
        lambda: nz.dense(array, ctx=cpu),
        lambda: nz.mxv("plus_times", a, array, ctx=cpu),
        lambda: nz.mxd("plus_times", a, array, ctx=cpu),
        lambda: nz.mxd("plus_times", a, np.ones((9, 1)), out=array, ctx=cpu),
        lambda: nz.from_csr(array, array, array, (2, 2), ctx=cpu),
        lambda: nz.pagerank(a, personalisation=array, ctx=cpu),
    ):
        with pytest.raises(nz.errors.NotSupported, match=where + ".*cupy.asnumpy.*tensor.cpu"):
            call()


def test_what_is_no_array_of_numbers_is_refused():
    with pytest.raises(nz.errors.DomainError, match="numbers"):
        nz.dense([object()])
    with pytest.raises(nz.errors.DomainError, match="numbers"):
        nz.dense(["a", "b"])
    with pytest.raises(nz.errors.DomainError, match="one dimension"):
        nz.dense(np.ones((2, 2)))
    with pytest.raises(nz.errors.DomainError, match="integers"):
        nz.build(5, [0.5], [1.0])
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.extract(nz.dense([1.0]), np.array([2**32]))


def test_arrays_of_the_other_byte_order_are_converted():
    s = scipy.sparse.random_array((9, 9), density=0.3, format="csr", rng=1)
    x = np.arange(9.0)
    other = [v.astype(v.dtype.newbyteorder()) for v in (s.indptr, s.indices, s.data)]
    a = nz.from_csr(*other, s.shape)
    assert abs(nz.to_scipy(a) - s).sum() == 0
    swapped = scipy.sparse.csr_array((other[2], s.indices, s.indptr), shape=s.shape)
    assert abs(nz.to_scipy(nz.from_scipy(swapped)) - s).sum() == 0
    assert nz.dense(x.astype(">f8")).values().tolist() == nz.dense(x.astype("<f8")).values().tolist() == x.tolist()
    for b in (np.ones((9, 2), ">f4"), np.ones((9, 2), "<f4")):
        np.testing.assert_allclose(nz.mxd("plus_times", a, b), s @ np.ones((9, 2)))
    for copies in (lambda: nz.from_csr(*other, s.shape, copy=False), lambda: nz.from_scipy(swapped, copy=False),
                   lambda: nz.mxd("plus_times", a, np.ones((9, 2)), out=np.ones((9, 2), np.dtype("f8").newbyteorder()))):
        with pytest.raises(nz.errors.DomainError, match="byte order"):
            copies()


def test_vectors_go_out_by_numpys_protocol_and_dlpack():
    v = nz.dense([1.0, 2.0])
    assert pointer(np.asarray(v)) == pointer(v.values())
    assert np.array(v, dtype="int32").tolist() == [1, 2]
    assert pointer(np.array(v)) != pointer(v.values())
    with pytest.raises(nz.errors.Error):
        np.asarray(nz.build(5, [1], [1.0]))
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # earlier ones do not export what is read-only
        assert pointer(np.from_dlpack(v)) == pointer(v.values())

    class Older:  # a consumer that asks for no version of the protocol
        def __dlpack_device__(self):
            return v.__dlpack_device__()

        def __dlpack__(self, **how):
            return v.__dlpack__()

    assert np.from_dlpack(Older()).tolist() == [1.0, 2.0]
    assert pointer(np.from_dlpack(Older())) != pointer(v.values())
    with pytest.raises(BufferError):
        v.__dlpack__(copy=False)


@pytest.mark.parametrize("dtype", TYPES)
def test_absent_entries_are_written_out_as_the_caller_says(dtype):
    v = nz.build(5, [3, 1], np.array([1, 1], dtype=dtype))
    assert v.to_numpy().tolist() == [0, 1, 0, 1, 0] and v.to_numpy().dtype == np.dtype(dtype)
    assert v.to_numpy(missing=1).tolist() == [1] * 5
    u = nz.dense(np.array([1, 0], dtype=dtype))
    assert pointer(u.to_numpy(7)) == pointer(u.values())


def test_arrays_that_were_handed_out_outlive_what_is_invalidated():
    x = np.array([1.0, 2.0, 3.0])
    a = nz.from_csr(np.array([0, 2, 3], "i4"), np.array([1, 0, 1], "i4"), x, (2, 2), copy=False)
    indptr, indices, data = a.csr_arrays()  # sorted: a copy of the matrix's own
    x[0] = 9.0
    a.invalidate()
    again = [a.csr_arrays() for _ in range(50)]
    assert data.tolist() == [2.0, 1.0, 3.0] and indices.tolist() == [0, 1, 1] and indptr.tolist() == [0, 2, 3]
    assert again[-1][2].tolist() == [2.0, 9.0, 3.0]


def test_paths_with_null_characters_are_refused():
    for call in (lambda: nz.load("a\0b"), lambda: nz.save(nz.load("grid2d:3"), "q\0.mtx")):
        with pytest.raises(nz.errors.DomainError, match="null"):
            call()


def test_true_is_true_whatever_byte_it_is():
    two, one = np.array([2, 255, 0], "u1").view(bool), np.array([1, 1, 0], bool)
    x, y = nz.dense(two), nz.dense(one)
    assert nz.isequal(x, y) and nz.ewise_mult("land", x, y).values().tolist() == [True, True, False]
    a = nz.from_csr([0, 2, 3], [0, 1, 1], two, (2, 2))
    assert nz.isequal(a, nz.from_csr([0, 2, 3], [0, 1, 1], one, (2, 2))) and nz.reduce("plus", a.astype("int64")) == 2
    assert nz.reduce("plus", nz.from_coo([0, 1, 1], [0, 0, 1], two, (2, 2)).astype("int64")) == 2
    with pytest.raises(nz.errors.DomainError, match="bytes 0 and 1"):
        nz.from_csr(*(np.array(x, "i4") for x in ([0, 2, 3], [0, 1, 1])), two, (2, 2), copy=False)
    borrowed = nz.from_csr(*(np.array(x, "i4") for x in ([0, 2, 3], [0, 1, 1])), one, (2, 2), copy=False)
    assert nz.isequal(a, borrowed)


def test_no_values_are_none_for_entries():
    with pytest.raises(nz.errors.DimensionMismatch, match="0 values were given for 2 entries"):
        nz.from_csr([0, 1, 2], [0, 1], np.array([]), (2, 2))
    empty = nz.from_csr([0, 0], [], np.array([]), (1, 2))
    assert empty.nnz == 0 and empty.dtype == "float64"
    assert not any(x.flags.writeable for x in empty.csr_arrays())


def test_numpys_protocol_copies_only_where_it_may():
    v = nz.dense([1.5, 2.0])
    assert pointer(np.array(v, copy=False)) == pointer(v.values()) == pointer(np.asarray(v, dtype="f8"))
    assert pointer(np.array(v, copy=True)) != pointer(v.values()) and np.array(v, copy=True).flags.writeable
    assert np.asarray(v, dtype="f4").dtype == np.float32
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="copy"):
            np.array(v, dtype="f4", copy=False)


def test_large_ints_are_numbers_of_floating_types():
    assert nz.full(2, 2**70, dtype="f8").get(1) == 2.0**70
    assert nz.apply("plus", nz.full(2, 1.0), right=-(2**64)).get(0) == 1 - 2.0**64
    with pytest.raises(nz.errors.DomainError, match="64 bits"):
        nz.full(2, 2**70)
    with pytest.raises(nz.errors.DomainError, match="64 bits"):
        nz.full(2, 2**70, dtype="int64")


@pytest.mark.parametrize(("weight", "dtype"), [(None, "float64"), ("3", "float64"), (1j, "float64"), (300, "uint8"), (2**70, "int64"), (1.5, "int32"), ([1, 2], "float64")])
def test_weights_of_networkx_that_are_no_numbers_are_named(weight, dtype):
    g = networkx.path_graph(3)
    g.add_edge("a", 2, weight=weight)
    with pytest.raises(nz.errors.DomainError, match="the edge from 2 to 'a' has .* for weight, which is no value of"):
        nz.from_networkx(g, dtype=dtype)


def test_misspelt_generators_are_answered_with_the_nearest():
    with pytest.raises(nz.errors.FileNotFound, match="did you mean grid2d:3?"):
        nz.load("grd2d:3")
    with pytest.raises(FileNotFoundError):
        nz.load("no/such:file")


def test_edges_of_named_vertices():
    graph, names = nz.from_edges(["bob", "ann", "bob", "bob"], ["eve", "bob", "eve", "bob"], [2, 3, 9, 4])
    assert names.tolist() == ["ann", "bob", "eve"]
    rows, columns, values = graph.entries()
    assert list(zip(names[rows], names[columns], values.tolist())) == [("ann", "bob", 3), ("bob", "bob", 4), ("bob", "eve", 2)]
    both, ids = nz.from_edges([10**12, 7], [7, 10**12], [1.5, 2.5], symmetrize=True)
    assert ids.tolist() == [7, 10**12] and both.get(0, 1) == 2.5 and both.get(1, 0) == 1.5  # each keeps its own
    one, _ = nz.from_edges([4, 4, 9], [9, 9, 4], [1, 5, 7], symmetrize=True)
    assert one.get(0, 1) == 1 and one.get(1, 0) == 7
    other, _ = nz.from_edges([4, 4], [9, 9], [1, 5], symmetrize=True)
    assert other.get(0, 1) == other.get(1, 0) == 1  # what is missing has the other one's
    pattern, _ = nz.from_edges(np.array([3, 3, 5], dtype=np.int16), [5, 5, 9])
    assert (pattern.values_held, pattern.nnz, pattern.dtype) == ("pattern", 2, "bool")
    nothing, none = nz.from_edges([], [])
    assert nothing.shape == (0, 0) and len(none) == 0


@pytest.mark.parametrize(
    "ends, error",
    [
        (([1, 2], [3]), nz.errors.DimensionMismatch),
        (([1, 2], ["a", "b"]), nz.errors.DomainError),
        ((np.array([1], dtype=np.int64), np.array([2**63], dtype=np.uint64)), nz.errors.DomainError),
        (([[1]], [[2]]), nz.errors.DomainError),
    ],
)
def test_edges_that_do_not_fit_are_refused(ends, error):
    with pytest.raises(error):
        nz.from_edges(*ends)
    with pytest.raises(nz.errors.DimensionMismatch):
        nz.from_edges([1], [2], [1.0, 2.0])


def test_ids_of_a_file_are_not_lost_in_silence(tmp_path):
    path = tmp_path / "gaps.txt"
    path.write_text("10 20\n20 1000000\n")
    with pytest.warns(UserWarning, match="10 to 1000000: load_graph"):
        assert nz.load(path).shape == (3, 3)
    graph, ids = nz.load_graph(path)
    assert ids.tolist() == [10, 20, 1000000]
    assert ids[graph.entries()[1]].tolist() == [20, 1000000]
    path.write_text("0 1\n1 2\n")
    graph, ids = nz.load_graph(path)
    assert ids.tolist() == [0, 1, 2]
    with pytest.raises(nz.errors.DimensionMismatch):
        nz.load_graph("lp:3,5,6")


@pytest.mark.parametrize("held", ["full", "iso", "pattern"])
def test_a_matrix_as_arrays(held):
    data = {"full": [5, 6, 7], "iso": [4], "pattern": None}[held]
    a = nz.from_csr([0, 2, 2, 3], [1, 3, 0], None if data is None else np.array(data, dtype=np.int16), (3, 4))
    rows, columns, values = a.entries()
    expected = {"full": [5, 6, 7], "iso": [4] * 3, "pattern": [1] * 3}[held]
    assert (rows.tolist(), columns.tolist(), values.tolist()) == ([0, 0, 2], [1, 3, 0], expected)
    assert nz.isequal(nz.from_coo(rows, columns, values, a.shape), a)
    filled = a.to_numpy(missing=-1 if held != "pattern" else False)
    assert filled.shape == (3, 4) and filled.dtype == np.dtype(a.dtype)
    assert filled[rows, columns].tolist() == expected and (filled != filled[1, 1]).sum() == 3
    with pytest.raises(TypeError, match="to_numpy"):
        np.asarray(a)
    whole = nz.from_csr([0, 2, 4], [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], (2, 2))
    assert np.asarray(whole).tolist() == [[1, 2], [3, 4]] and np.array(whole, dtype=np.float32).dtype == np.float32
    if held == "full":
        with pytest.raises(nz.errors.DomainError):
            a.to_numpy(missing=0.5)


def test_one_value_for_all_stays_one():
    assert nz.from_coo([0, 1], [1, 0], 2.0, (2, 2)).values_held == "iso"
    assert nz.from_coo([0, 0], [1, 1], 2.0, (2, 2)).get(0, 1) == 4.0
    assert nz.from_scipy(scipy.sparse.csr_array((2, 2), dtype=bool)).shape == (2, 2)  # borrowed, with nothing to borrow
