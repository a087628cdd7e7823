"""A @ B, A.T, A[i, j] and x[i]: other words for operations, with their defaults."""

import array
import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from model import entries, matrix, read, vector

import nonzero as nz


@given(entries(4, 3), entries(3, 5), entries(3, 1), entries(4, 1))
def test_products_are_those_over_plus_and_times(a, b, u, v):
    x, y, right, left = matrix(a, (4, 3)), matrix(b, (3, 5)), vector(u, 3), vector(v, 4)
    assert read(x @ y) == read(nz.mxm("plus_times", x, y))
    assert read(x @ right) == read(nz.mxv("plus_times", x, right))
    assert read(left @ x) == read(nz.vxm("plus_times", left, x))
    assert read(x.T) == read(nz.transpose(x)) and x.T.shape == (3, 4)


@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_leaves_products_to_the_matrix(order):
    s = scipy.sparse.random_array((5, 4), density=0.5, format="csr", rng=1)
    a, rng = nz.from_scipy(s), np.random.default_rng(2)
    right, left = np.asarray(rng.random((4, 3)), order=order), np.asarray(rng.random((3, 5)), order=order)
    assert isinstance(a @ right, np.ndarray)
    np.testing.assert_allclose(a @ right, s @ right)
    np.testing.assert_array_equal(a @ right, nz.mxd("plus_times", a, right))
    np.testing.assert_allclose(left @ a, left @ s)
    for result, expected in ((a @ right[:, 0], s @ right[:, 0]), (left[0] @ a, left[0] @ s), (a @ [1, 2, 3, 4], s @ [1, 2, 3, 4])):
        assert isinstance(result, nz.Vector)
        np.testing.assert_allclose(result.to_numpy(missing=0), expected)
    with pytest.raises(nz.errors.DimensionMismatch):
        np.ones(4) @ a
    with pytest.raises(TypeError, match="ufunc"):
        np.exp(a)


def test_products_that_are_not_there_say_so():
    a, v = nz.load("grid2d:3"), nz.full(9, 1.0)
    s = nz.to_scipy(a)
    for call, words in ((lambda: a @ s, "from_scipy"), (lambda: s @ a, "from_scipy"), (lambda: v @ v, "ewise_mult"),
                        (lambda: a @ nz.DiaMatrix.from_matrix(nz.load("banded:9,1")), "DiaMatrix"),
                        (lambda: a @ 2, "unsupported operand"), (lambda: a @ None, "unsupported operand"),
                        (lambda: a + a, "unsupported operand"), (lambda: a * 2, "unsupported operand"),
                        (lambda: np.ones((9, 9)) * a, "unsupported operand"), (lambda: a @ np.ones((9, 9, 9)), "one or two dimensions")):
        with pytest.raises(TypeError, match=words):
            call()
    assert np.ones(9) @ v == v @ np.ones(9) == 9  # NumPy's, of a dense vector


@given(entries(4, 5), st.integers(0, 3), st.integers(0, 4), st.lists(st.integers(0, 3), max_size=5), st.lists(st.integers(0, 4), max_size=5))
def test_reading_is_get_and_extract(a, i, j, rows, columns):
    x = matrix(a, (4, 5))
    assert x[i, j] == x.get(i, j) == a.get((i, j))
    assert read(x[i, :]) == {(q, 0): v for (p, q), v in a.items() if p == i}
    assert read(x[:, j]) == {(p, 0): v for (p, q), v in a.items() if q == j}
    assert read(x[rows, columns]) == read(nz.extract(x, rows, columns))
    assert read(x[i, columns]) == {(k, 0): a[i, q] for k, q in enumerate(columns) if (i, q) in a}
    assert read(x[np.array(rows, int), j]) == {(k, 0): a[p, j] for k, p in enumerate(rows) if (p, j) in a}
    assert read(x[1:3, ::2]) == {(p - 1, q // 2): v for (p, q), v in a.items() if 1 <= p < 3 and q % 2 == 0}
    assert read(x[:, :]) == a
    u = nz.extract_column(x, j)
    assert u[i] == a.get((i, j)) and read(u[rows]) == read(nz.extract(u, rows)) and read(u[::-1]) == read(u[[3, 2, 1, 0]])


@given(entries(4, 5), entries(5, 1), st.integers(0, 3), st.integers(0, 4), st.permutations(range(4)))
def test_writing_is_set_and_assign(a, u, i, j, order):
    x, line, some = matrix(a, (4, 5)), vector(u, 5), order[:2]
    x[i, j] = 7
    expected = a | {(i, j): 7}
    assert x[i, j] == 7 and read(x) == expected
    x[i, :] = line
    expected = {at: v for at, v in expected.items() if at[0] != i} | {(i, q): v for (q, _), v in u.items()}
    assert read(x) == expected
    x[some, j] = np.array([8, 9])
    expected |= {(some[0], j): 8, (some[1], j): 9}
    assert read(x) == expected
    x[:, j] = 5
    expected |= {(p, j): 5 for p in range(4)}
    assert read(x) == expected
    x[some, :2] = matrix({(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}, (2, 2))
    expected |= {(p, q): 1 for p in some for q in range(2)}
    assert read(x) == expected
    v = vector({}, 4)
    v[i] = 3
    v[some] = [1, 2]
    assert read(v) == {(i, 0): 3} | {(some[0], 0): 1, (some[1], 0): 2}
    v[:] = 0
    assert v.count == 4 and v[i] == 0


@given(entries(4, 5), st.integers(0, 3), st.integers(0, 4))
def test_deleting_is_remove(a, i, j):
    x, v = matrix(a, (4, 5)), vector({(0, 0): 1, (i, 0): 2}, 4)
    del x[i, j]
    assert read(x) == {at: value for at, value in a.items() if at != (i, j)}
    del v[np.int64(i)]
    assert read(v) == ({} if i == 0 else {(0, 0): 1})
    for y, places in ((x, (i, slice(None))), (v, [i])):
        with pytest.raises(TypeError, match="del removes the entry of one place"):
            del y[places]


@given(entries(4, 5), st.lists(st.booleans(), min_size=4, max_size=4), st.lists(st.booleans(), min_size=5, max_size=5), st.integers(0, 4))
def test_bools_name_the_places_where_they_are_true(a, rows, columns, j):
    x, high, wide = matrix(a, (4, 5)), np.flatnonzero(rows), np.flatnonzero(columns)
    assert read(x[rows, np.array(columns)]) == read(x[high, wide])
    assert read(x[np.array(rows), :]) == read(x[high, :]) and read(x[np.array(rows), j]) == read(x[high, j])
    assert read(nz.extract(x, columns, rows, transpose=True)) == read(nz.extract(x, wide, high, transpose=True))
    assert read(nz.extract_column(x, 2, columns, transpose=True)) == read(nz.extract_column(x, 2, wide, transpose=True))
    y, z = matrix(a, (4, 5)), matrix(a, (4, 5))
    y[rows, columns], z[high, wide] = 7, 7
    y[2, np.array(columns)], z[2, wide] = np.arange(len(wide)), np.arange(len(wide))
    y[rows, 3], z[high, 3] = np.arange(len(high)), np.arange(len(high))
    assert read(y) == read(z)
    u = nz.dense(np.arange(4.0))
    np.testing.assert_array_equal(u[u.values() > 1].values(), [2, 3])
    u[rows] = -1.0
    np.testing.assert_array_equal(u.values(), np.where(rows, -1, np.arange(4.0)))


def test_places_are_any_librarys_arrays():
    class Lent:
        def __init__(self, array):
            self.array, self.__array_interface__ = array, array.__array_interface__

    v, a = nz.dense([1.0, 2.0, 3.0, 4.0]), nz.load("grid2d:2")
    for places, values in ((np.array([True, False, True, True]), [1, 3, 4]), (np.array([2, 0]), [3, 1])):
        assert v[Lent(places)].to_numpy().tolist() == values
        assert read(a[Lent(places), :]) == read(a[places, :])
    assert v[array.array("i", [3, 3])].to_numpy().tolist() == [4, 4]


def test_as_many_bools_are_needed_as_there_are_places():
    x, u = nz.load("grid2d:3"), nz.full(3, 1.0)
    flags = np.ones(8, dtype=bool)
    for call in (lambda: x[flags, :], lambda: x[0, flags], lambda: u[[True, False]], lambda: nz.assign(u, 1.0, flags),
                 lambda: nz.extract(nz.Matrix(nz.default_context(), "int8", 8, 9), flags, transpose=True)):
        with pytest.raises(nz.errors.DimensionMismatch, match="one for each"):
            call()
    with pytest.raises(nz.errors.DomainError, match="must be integers, not bool"):
        nz.from_coo([True, False], [0, 1], [1, 2], (2, 2))


def test_places_that_are_none_are_refused():
    a, v = nz.load("grid2d:3"), nz.full(3, 1.0)
    for call in (lambda: a[0], lambda: a[0, 0, 0], lambda: a[None, 0, 1]):
        with pytest.raises(TypeError, match="a row and a column"):
            call()
    for call in (lambda: v[-2:], lambda: a[:-1, 0], lambda: v[-1], lambda: v[5]):
        with pytest.raises(nz.errors.IndexOutOfBounds):
            call()
    for call in (lambda: v[0.5], lambda: v["a"], lambda: v[True], lambda: v[None], lambda: a[1.0, 2]):
        with pytest.raises(TypeError, match="a place is an int"):
            call()
    with pytest.raises(TypeError, match="a number is needed"):
        v[0] = None
    for x in (a, v):
        with pytest.raises(TypeError, match="not iterable"):
            iter(x)


def test_extract_writes_through_masks_and_accumulators():
    u, w = nz.dense([1.0, 2.0, 3.0]), nz.dense([10.0, 20.0])
    assert nz.extract(u, [2, 0], out=w, accum="plus") is w and w.values().tolist() == [13.0, 21.0]
    only = nz.build(2, [1], [True])
    assert nz.extract(u, [0, 1], out=w, mask=only).values().tolist() == [13.0, 2.0]
    assert read(nz.extract(u, [0, 1], mask=only, complement=True)) == {(0, 0): 1.0}
    a = nz.from_coo([0, 0, 1], [0, 2, 1], [1.0, 2.0, 3.0], (2, 3))
    assert read(nz.extract_column(a, 0, transpose=True)) == {(0, 0): 1.0, (2, 0): 2.0} == read(a[0, :])
    assert read(nz.extract_column(a, 0, [2, 1], transpose=True)) == {(0, 0): 2.0}
    assert read(nz.extract_column(a, 1, [1], out=nz.dense([5.0]), accum="times")) == {(0, 0): 15.0}
    assert nz.extract(a, [1], [1, 0], out=nz.extract(a, [1], [1, 0]), accum="plus")[0, 0] == 6.0
    with pytest.raises(nz.errors.DomainError):
        nz.extract(u, [0], kernel="nothing")


def test_truth_values_come_out_as_arrays():
    v = nz.build(4, [0, 2], [True, False])
    assert v.to_numpy(missing=True).tolist() == [True, True, False, True]
    places, values = v.entries()
    assert places.tolist() == [0, 2] and values.tolist() == [True, False] and values.dtype == bool


def test_isequal_compares_shapes_places_and_values():
    a = nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 2))
    assert nz.isequal(a, a.copy()) and nz.isequal(a, nz.from_coo([0, 1], [1, 0], [2, 3], (2, 2)))
    for other in (nz.from_coo([0, 1], [1, 0], [2.0, 4.0], (2, 2)), nz.from_coo([0, 1], [1, 1], [2.0, 3.0], (2, 2)),
                  nz.from_coo([0], [1], [2.0], (2, 2)), nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 3))):
        assert not nz.isequal(a, other)
    u = nz.build(3, [1], [5.0])
    assert nz.isequal(u, u.copy()) and not nz.isequal(u, nz.build(3, [2], [5.0])) and not nz.isequal(u, nz.build(4, [1], [5.0]))
    assert nz.isequal(nz.build(3, [], np.array([], dtype=float)), nz.build(3, [], np.array([], dtype=float)))
    assert not nz.isequal(nz.dense([float("nan")]), nz.dense([float("nan")]))
    with pytest.raises(TypeError, match="two matrices or two vectors"):
        nz.isequal(a, u)


def test_the_transpose_is_kept_until_the_matrix_changes():
    a = nz.from_coo([0, 1], [2, 0], [1.0, 2.0], (2, 3))
    t = a.T
    t.set(1, 1, 5.0)
    assert read(a.T) == {(2, 0): 1.0, (0, 1): 2.0} and read(a) == {(0, 2): 1.0, (1, 0): 2.0}
    a[0, 2] = 3.0
    assert read(a.T) == {(2, 0): 3.0, (0, 1): 2.0} and read(t)[2, 0] == 1.0
    assert read(a.T.T) == read(a)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", np.float64, np.dtype("int32"), bool])
def test_astype_converts_values(dtype):
    x = np.array([0.0, 1.0, 2.5])
    v, a = nz.dense(x), nz.from_coo([0, 0, 1], [0, 1, 1], x, (2, 2))
    for given, values in ((v, lambda of: of.values()), (a, lambda of: of.csr_arrays()[2])):
        out = given.astype(dtype)
        assert type(out) is type(given) and np.dtype(out.dtype) == np.dtype(dtype)
        np.testing.assert_array_equal(values(out), x.astype(dtype))
    assert np.dtype(a.dtype) == np.float64
    with pytest.raises(nz.errors.DomainError):
        a.astype("complex64")


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, -1, -2, -4, -9])
def test_diagonals_in_and_out(k):
    s = scipy.sparse.random_array((4, 5), density=0.6, format="csr", rng=3)
    a = nz.from_scipy(s)
    np.testing.assert_array_equal(nz.diagonal(a, k).to_numpy(missing=0), s.diagonal(k))
    v = nz.build(3, [0, 2], [2.0, -0.0])
    d = nz.diag(v, k)
    assert d.shape == (3 + abs(k), 3 + abs(k)) and d.nnz == 2
    assert read(nz.diagonal(d, k)) == {(0, 0): 2.0, (2, 0): 0.0} and np.signbit(nz.diagonal(d, k).get(2))
    np.testing.assert_array_equal(nz.to_scipy(nz.diag([1, 2], k)).toarray(), np.diag([1, 2], k))


def test_square_roots_and_logarithms():
    x = np.array([0.25, 1.0, 7.0])
    for name in ("sqrt", "exp", "expm1", "log", "log1p", "floor", "ceil", "trunc"):
        np.testing.assert_allclose(nz.apply(name, nz.dense(x)).values(), getattr(np, name)(x), rtol=1e-15)
    np.testing.assert_array_equal(nz.apply("round", nz.dense([0.5, -0.5, 1.4])).values(), [1.0, -1.0, 1.0])
    np.testing.assert_array_equal(nz.apply("signum", nz.dense([-3, 0, 2])).values(), [-1, 0, 1])
    with pytest.raises(nz.errors.DomainError, match="sqrt is not defined on int64"):
        nz.apply("sqrt", nz.dense([4]))


@pytest.mark.parametrize(
    ("x", "t", "y", "u"),
    [(255, "u1", -1, "i1"), (2**64 - 1, "u8", -1, "i8"), (65535, "u2", -1, "i1"), (2**63 - 1, "i8", 2.0**63, "f8"),
     (2**64 - 1, "u8", 2.0**64, "f8"), (2**31 - 1, "i4", 2.0**31, "f4"), (2, "i4", True, "?"), (2**53 + 1, "i8", 2.0**53, "f4"),
     (0, "u8", -1.0, "f8"), (1, "i8", 1.5, "f8")],
)
def test_isequal_of_two_types_is_of_the_numbers(x, t, y, u):
    one, other = nz.dense(np.array([x], t)), nz.dense(np.array([y], u))
    assert not nz.isequal(one, other) and not nz.isequal(other, one)
    for v in (0, 1):
        same = nz.from_coo([0], [0], np.array([v], t), (1, 1)), nz.from_coo([0], [0], np.array([v], u), (1, 1))
        assert nz.isequal(*same) and nz.isequal(*same[::-1])


def test_isequal_compares_in_both_types():
    big = 2**53 + 1
    assert not nz.isequal(nz.dense(np.array([big], np.uint64)), nz.dense(np.array([big - 1], np.int64)))
    assert not nz.isequal(nz.dense(np.array([big])), nz.dense([2.0**53]))
    assert nz.isequal(nz.dense(np.array([big - 1])), nz.dense([2.0**53]))
    assert not nz.isequal(nz.dense([1.5]), nz.dense([1])) and not nz.isequal(nz.dense([2]), nz.dense([True]))


def test_patterns_keep_their_type_in_pickles_and_deep_copies():
    pattern = nz.from_csr([0, 1, 2], [1, 0], None, (2, 2))
    kept = nz.transpose(pattern, out=nz.Matrix(nz.default_context(), "float64", 2, 2))
    for again in (copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
        assert str(again.dtype) == "float64" and nz.reduce("plus", again) == 2.0
