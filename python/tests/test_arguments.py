"""Wrong arguments: a plain sentence that names them, and types by all the names that NumPy has for them."""

import numpy as np
import pytest
import scipy.sparse

import nonzero as nz

A = nz.from_coo([0, 0, 1, 2], [1, 2, 2, 0], [1.0, 2.0, 3.0, 4.0], (3, 3))
S = nz.to_scipy(A)
V = nz.dense([1.0, 2.0, 3.0])
X = np.ones(3)


@pytest.mark.parametrize("dtype, name", [
    ("float32", "float32"), ("f4", "float32"), (">f4", "float32"), (np.float32, "float32"), (np.dtype("f4"), "float32"),
    (float, "float64"), (int, "int64"), (bool, "bool"), (np.uint8, "uint8"), (np.dtype(np.int16), "int16"),
])
def test_types_are_what_numpy_takes_for_one(dtype, name):
    c = nz.default_context()
    assert nz.full(2, 1, dtype=dtype).dtype == name
    assert nz.Matrix(c, dtype, 2, 3).dtype == nz.Vector(c, dtype, 3).dtype == nz.DiaMatrix(c, dtype, 2, 3).dtype == name
    if name.startswith("float"):
        assert nz.spmv(A, X, dtype=dtype).dtype == nz.pagerank(A, dtype=dtype).ranks.dtype == name


@pytest.mark.parametrize("dtype", [complex, "c8", np.datetime64, "M8[s]", object, str, np.float16, np.longdouble, "flaot", "f4,f4", 7])
def test_types_that_no_vector_holds_are_refused_with_those_that_one_does(dtype):
    c = nz.default_context()
    for call in (lambda: nz.full(2, 1, dtype=dtype), lambda: nz.spmv(A, X, dtype=dtype), lambda: nz.pagerank(A, dtype=dtype),
                 lambda: nz.Matrix(c, dtype, 2, 3), lambda: nz.Vector(c, dtype, 3)):
        with pytest.raises(nz.errors.DomainError, match="no type of entries; these are bool, int8, .* float64"):
            call()


def test_from_networkx_takes_such_types():
    networkx = pytest.importorskip("networkx")
    assert nz.from_networkx(networkx.path_graph(3), dtype=np.int32).dtype == "int32"
    assert nz.from_networkx(networkx.path_graph(3), dtype=bool).dtype == "bool"


@pytest.mark.parametrize("call, words", [
    (lambda: nz.mxv("plus_times", A, X, mask=X > 0), r"mxv: mask is an array of bool, of 1 dimension; a Vector .* nonzero.dense\(mask\)"),
    (lambda: nz.ewise_add("plus", V, X), r"ewise_add: b is an array of float64, of 1 dimension; .* nonzero.dense\(b\)"),
    (lambda: nz.ewise_mult("times", np.eye(3), A), r"a is an array of float64, of 2 dimensions; .* nonzero.from_scipy\(scipy.sparse.csr_array\(a\)\)"),
    (lambda: nz.ewise_add("plus", A, S), r"b is of type scipy.csr_array; .* nonzero.from_scipy\(b\)"),
    (lambda: nz.mxm("plus_times", A, A, mask=S), r"mxm: mask is of type scipy.csr_array; .* nonzero.from_scipy\(mask\)"),
    (lambda: nz.bfs("graph.mtx", 0), r"bfs: a is of type str; a Matrix is needed: nonzero.load\(a\)"),
    (lambda: nz.ewise_add("plus", A, V), "a is a Matrix and b a Vector"),
    (lambda: nz.mxv(A, "plus_times", X), "mxv: semiring is of type Matrix; a str is needed"),
    (lambda: nz.mxv("plus_times", A, X, out=X), "out is an array of float64, of 1 dimension; a Vector or None is needed$"),
    (lambda: nz.mxv("plus_times", A, X, kernel=None), "kernel is None; a str"),
    (lambda: nz.mxv("plus_times", A, X, ctx="cpu"), "ctx is of type str; a Context"),
    (lambda: nz.bfs(A, 1.5), r"source is 1.5 \(float\); an int is needed"),
    (lambda: nz.bfs(A, 0, max_depth=2**63), r"bfs: max_depth is 9223372036854775808 \(int\); an int of 64 bits is needed"),
    (lambda: nz.Vector(nz.default_context(), "float64", 2**63), r"Vector: size is \d+ \(int\); an int of 64 bits is needed"),
    (lambda: nz.Matrix(nz.default_context(), "float64", 2, 2**63), r"Matrix: columns is \d+ \(int\); an int of 64 bits is needed"),
    (lambda: nz.full(2**63, 1), r"full: size is \d+ \(int\); an int of 64 bits is needed"),
    (lambda: nz.full(np.uint64(2**63), 1), r"full: size is \d+ \(numpy.uint64\); an int of 64 bits is needed"),
    (lambda: nz.pagerank(A, max_iterations=2**40), "pagerank: max_iterations is .*; an int of 32 bits is needed"),
    (lambda: nz.Context(threads=2**40), "Context: threads is .*; an int of 32 bits is needed"),
    (lambda: A.copy().resize(2**70, 1), r"Matrix.resize takes \(rows: int, columns: int\), not \(int, int, of more than 64 bits\)"),
    (lambda: nz.from_coo([0], [0], [1.0], (2**63, 3)), r"from_coo: shape is \(9223372036854775808, 3\); a pair of ints of 64 bits is"),
    (lambda: nz.from_coo([0], [0], [1.0], (2,)), r"from_coo: shape is \(2,\); a pair of ints is needed"),
    (lambda: nz.from_coo([0], [0], [1.0], {1: 1, 2: 2}), "from_coo: shape is of type dict; a pair of ints is needed"),
    (lambda: nz.from_csr([0, 1], [0], [1.0], (1,)), r"from_csr: shape is \(1,\); a pair of ints is needed"),
    (lambda: nz.mxv("plus_times", A, A), "mxv: u is of type Matrix; a Vector or an array is needed"),
    (lambda: nz.mxv("plus_times", A, S), "mxv: u is of type scipy.csr_array; a Vector or an array is needed"),
    (lambda: nz.mxv("plus_times", V, A), "mxv: a is of type Vector; a Matrix is needed"),
    (lambda: nz.mxd("plus_times", A, A), "mxd: b is of type Matrix; an array is needed"),
    (lambda: nz.mxd("plus_times", A, np.ones((3, 1)), out=[[1]]), "out is written in place: give an array, not a list"),
    (lambda: nz.pagerank(A, personalisation=A), "personalisation is of type Matrix; a Vector, an array or None is needed"),
    (lambda: A.copy().__setitem__((0, slice(None)), A), "assign_row: u is of type Matrix; a Vector or an array is needed"),
    (lambda: V.copy().__setitem__([0, 1], A), "assign into a vector takes a Vector, an array or a number, not a Matrix"),
    (lambda: nz.dense(A), "dense: values is of type Matrix; an array is needed"),
    (lambda: nz.dense(None), "dense: values is None; an array is needed"),
    (lambda: nz.extract(V, A), "extract: rows is of type Matrix; an array or None is needed"),
    (lambda: nz.bfs_many(A, 0), r"bfs_many: sources is 0 \(int\); a list or an array of ints is needed"),
    (lambda: nz.bfs_many(A, [1.5]), "bfs_many: sources is of type list; a list or an array of ints is needed"),
    (lambda: nz.betweenness(A, 5), r"betweenness: sources is 5 \(int\); a list or an array of ints or None is needed"),
    (lambda: nz.load(5), r"load: source is 5 \(int\); a str or a path is needed"),
    (lambda: nz.save(A, 5), r"save: path is 5 \(int\); a str or a path is needed"),
    (lambda: nz.bfs(A, 0, max_depth=None), "max_depth is None; an int"),
    (lambda: nz.pagerank(A, damping="high"), "damping is of type str; a number"),
    (lambda: nz.from_coo([0], [0], [1.0], (3.0, 3)), r"shape is \(3.0, 3\); a pair of ints"),
    (lambda: nz.from_coo([0], [0], [1.0], 3), r"shape is 3 \(int\); a pair of ints"),
    (lambda: nz.load("grid2d:3", seed=-1), r"load: seed is -1 \(int\); an int from 0 to 2\^64 - 1 is needed"),
    (lambda: nz.save(S, "a.mtx"), r"save: a is of type scipy.csr_array; .* nonzero.from_scipy\(a\)"),
    (lambda: nz.to_scipy(S), "to_scipy: a is of type scipy.csr_array"),
    (lambda: nz.from_scipy(np.eye(3)), "from_scipy takes a sparse array of SciPy or cupyx, not .* numpy.ndarray"),
    (lambda: nz.from_networkx(S), "from_networkx takes a networkx graph, not .* scipy.csr_array"),
    (lambda: nz.assign(A.copy(), V), "assign into a matrix takes a Matrix or a number, not a Vector"),
    (lambda: V.get(1.5), r"Vector.get takes \(i: int\), not \(float\)"),
    (lambda: A.get(0), r"Matrix.get takes \(i: int, j: int\), not \(int\)"),
    (lambda: V.copy().set(0, None), "a number is needed, not an object of type NoneType"),
    (lambda: V.copy().set(0, X), "a number is needed, not an object of type ndarray"),
    (lambda: nz.DiaMatrix.from_matrix(S), r"DiaMatrix.from_matrix takes \(a: Matrix,.*\), not \(scipy.*csr_array\)"),
    (lambda: nz.DiaMatrix.from_scipy(np.eye(3)), "DiaMatrix.from_scipy: a dia array of SciPy is needed"),
    (lambda: nz.Matrix(S), r"Matrix\(ctx, dtype, rows, columns\): missing .*; load, from_coo, .* make one of entries"),
    (lambda: nz.Vector(3, "bool", 1), r"Vector: ctx is 3 \(int\); a Context is needed"),
    (lambda: nz.Context(threads="2"), "Context: threads is of type str; an int is needed"),
    (lambda: nz.Context(memory_limit=1e9), r"Context: memory_limit is 1000000000.0 \(float\); an int is needed"),
    (lambda: nz.Context(cores=2), "unexpected keyword argument 'cores'"),
])
def test_a_wrong_argument_is_named_with_what_is_taken(call, words):
    with pytest.raises(TypeError, match=words) as e:
        call()
    assert "incompatible function arguments" not in str(e.value)
    assert e.value.__cause__ is None


def test_scalars_of_numpy_are_taken_where_numbers_are():
    assert nz.from_scipy(S, copy=np.bool_(True)).csr_arrays()[2].ctypes.data != S.data.ctypes.data
    assert nz.bfs(A, np.uint8(0), parents=np.bool_(False)).parents is None
    assert nz.full(np.int32(2), np.float32(1.5)).get(np.int64(1)) == 1.5
    assert nz.full(2, np.array(2.5)).get(0) == 2.5 and nz.full(2, np.float16(2.5)).get(0) == 2.5
    assert nz.full(2, np.array([2.5], ">f8")[0]).dtype == "float64"
    assert nz.triangles(nz.load("dense:3,3"), per_vertex=np.bool_(True)).counts.tolist() == [1, 1, 1]
    assert nz.Context(threads=np.int64(1), memory_limit=np.int64(10**9)).memory_limit == 10**9
    assert nz.from_csr([0, 1], [0], 2.0, (1, 1)).get(0, 0) == 2.0


def test_accum_needs_what_it_combines_with():
    b = np.ones((3, 2))
    for call in (
        lambda how: nz.mxv("plus_times", A, X, **how), lambda how: nz.vxm("plus_times", X, A, **how),
        lambda how: nz.mxm("plus_times", A, A, **how), lambda how: nz.ewise_add("plus", A, A, **how),
        lambda how: nz.mxm("plus_times", A, A, pattern=nz.find_pattern("plus_times", A, A), **how),
        lambda how: nz.ewise_mult("plus", V, V, **how), lambda how: nz.difference(A, A, **how),
        lambda how: nz.symmetric_difference(A, A, **how), lambda how: nz.apply("abs", A, **how),
        lambda how: nz.apply("plus", A, right=1, **how), lambda how: nz.apply("rowindex", A, thunk=0, **how),
        lambda how: nz.select("tril", A, **how), lambda how: nz.reduce_rows("plus", A, **how),
        lambda how: nz.transpose(A, **how), lambda how: nz.kronecker("times", A, A, **how),
        lambda how: nz.mxd("plus_times", A, b, **how), lambda how: nz.sddmm("plus_times", b, b.T, A, **how),
        lambda how: nz.mxm_hybrid("plus_times", A, A, **how),
    ):
        with pytest.raises(TypeError, match="accum combines .*: give out"):
            call({"accum": "plus"})
    with pytest.raises(TypeError, match="beta scales .*: give y"):
        nz.spmv(A, X, beta=2)


@pytest.mark.parametrize("sources, words", [
    ([False, True, False], "a list of bool"), (np.array([False, True]), "an array of bool, of 1 dimension"),
    (np.array([0.0]), "an array of float64, of 1 dimension"), (np.array([[0]]), "an array of int64, of 2 dimensions"),
])
def test_truth_values_and_other_numbers_are_no_sources(sources, words):
    for call in (nz.betweenness, nz.closeness, nz.bfs_many):
        with pytest.raises(TypeError, match=f"sources is {words}; a list or an array of ints"):
            call(nz.load("grid2d:3"), sources)


@pytest.mark.parametrize("place", [-1, 3, np.int64(-1), 2**40, -(2**40), 2**63, 2**70, -(2**70)])
def test_places_outside_are_one_kind_of_error(place):
    for call in (
        lambda: A.get(place, 0), lambda: A[0, place], lambda: A.copy().set(place, 0, 1), lambda: V.get(place), lambda: V[place],
        lambda: V.copy().remove(place), lambda: nz.bfs(A, place), lambda: nz.bfs_many(A, [place]), lambda: nz.closeness(A, [place]),
        lambda: nz.from_coo([0], [place], [1.0], (3, 3)), lambda: nz.from_csr([0, 1], [place], [1.0], (1, 3)),
        lambda: nz.build(3, [place], [1.0]), lambda: nz.extract(A, [place]), lambda: nz.extract(V, [place]),
        lambda: nz.extract_column(A, place), lambda: nz.assign(V.copy(), 1, [place]), lambda: nz.assign_row(A.copy(), X, place),
        lambda: nz.assign_column(A.copy(), X, place), lambda: A[[place], :], lambda: V[[0, place]], lambda: V.get(i=place),
        lambda: V.copy().__delitem__(place), lambda: A.copy().remove(0, place), lambda: nz.betweenness(A, [place]),
    ):
        with pytest.raises(IndexError) as e:
            call()
        assert isinstance(e.value, nz.errors.IndexOutOfBounds) and isinstance(e.value, nz.Error)


def test_ints_of_more_bits_are_taken_where_they_are_needed():
    assert nz.load("random:9,2", seed=2**64 - 1).shape == (9, 9)
    assert nz.Context(memory_limit=2**64 - 1).memory_limit == 2**64 - 1


def test_threads_are_not_cut_to_what_there_may_be():
    with pytest.raises(nz.errors.DomainError, match="-5 threads"):
        nz.Context(threads=-5)


def test_paths_that_are_no_text_are_refused():
    for call in (lambda: nz.load(b"/tmp/caf\xe9.mtx"), lambda: nz.save(A, b"/tmp/caf\xe9.mtx")):
        with pytest.raises(nz.errors.NotSupported, match=r"'/tmp/caf\\udce9.mtx': paths are read as UTF-8"):
            call()


def test_in_asks_whether_a_place_has_an_entry():
    v = nz.build(4, [1, 3], [0.0, 5.0])
    assert [i in v for i in (-1, 0, 1, 2, 3, 4, 2**80, -(2**80), np.int64(3))] == [
        False, False, True, False, True, False, False, False, True]
    for wrong in (1.0, "a", None):
        with pytest.raises(TypeError, match="a place is an int"):
            wrong in v


def test_order_of_a_dense_result_is_c_or_f():
    with pytest.raises(nz.errors.DomainError, match="'C' or 'F'"):
        nz.mxd("plus_times", A, np.ones((3, 2)), order="rows")


def test_one_function_copies():
    for x in (A, V):
        assert vars(type(x))["copy"].__wrapped__ is vars(type(x))["__copy__"]


def test_streams_are_taken_as_objects_and_kept():
    from nonzero import _arguments

    class Stream:
        ptr = 4096

    class Default:
        cuda_stream = 0

    held = Stream()
    assert _arguments._address(held) == 4096 == _arguments._address(held) and _arguments._streams.count(held) == 1
    assert _arguments._address(0) == 0
    with pytest.raises(nz.errors.DomainError, match="default stream"):
        nz.Context(stream=Default())
    with pytest.raises(TypeError):
        nz.Context(stream="0")
