"""DiaMatrix: to and from SciPy's diagonals and matrices, and products, against SciPy and against mxm of the matrices."""

import copy
import doctest
import gc
import math
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from model import read

import nonzero as nz

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def stored(s):
    """The places that SciPy stores inside the matrix, by its documentation."""
    rows, columns = s.shape
    places = ((k, j, j - int(o)) for k, o in enumerate(s.offsets) for j in range(min(s.data.shape[1], columns)))
    return {(i, j): s.data[k, j].item() for k, j, i in places if 0 <= i < rows}


@st.composite
def dia_arrays(draw, rows, columns, dtype="int64", least=0):
    """Offsets in any order, some outside; data wider and narrower than the matrix; zeros among the values."""
    offsets = draw(st.lists(st.integers(-rows - 2, columns + 2), unique=True, min_size=least, max_size=6))
    data = np.array(draw(st.lists(st.integers(0, 3), min_size=1, max_size=1 + len(offsets) * (columns + 3))))
    data = np.resize(data, (len(offsets), draw(st.integers(0, columns + 3)))).astype(dtype)
    return scipy.sparse.dia_array((data, np.array(offsets, dtype=np.int32)), shape=(rows, columns))


def band(rows, columns, offsets, seed=1):
    """Whole numbers, so that sums are the same in any order; every diagonal as long as it can be."""
    data = np.random.default_rng(seed).integers(1, 9, (len(offsets), columns)).astype(float)
    return scipy.sparse.dia_array((data, offsets), shape=(rows, columns))


@given(st.data(), st.integers(1, 8), st.integers(1, 8), st.sampled_from(TYPES))
def test_what_scipy_stores_inside_the_matrix_is_an_entry(data, rows, columns, dtype):
    s = data.draw(dia_arrays(rows, columns, dtype))
    a = nz.DiaMatrix.from_scipy(s)
    assert (a.shape, a.dtype, a.nnz) == ((rows, columns), dtype, s.nnz)
    assert read(a.to_matrix()) == stored(s)
    assert a.offsets.tolist() == sorted({j - i for i, j in stored(s)})
    found = {(i, i + o): a.values[d, i].item() for d, o in enumerate(a.offsets.tolist())
             for i in range(a.first_rows[d], a.last_rows[d])}
    assert found == stored(s)
    back = a.to_scipy()
    assert isinstance(back, scipy.sparse.dia_array) and back.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(back.toarray(), s.toarray())
    again = nz.DiaMatrix.from_matrix(a.to_matrix())
    assert read(again.to_matrix()) == stored(s) and again.offsets.tolist() == a.offsets.tolist()


@pytest.mark.parametrize("make", [scipy.sparse.dia_array, scipy.sparse.dia_matrix])
def test_diagonals_are_shifted_from_columns_to_rows(make):
    s = make(([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [2, -1, 0]), shape=(3, 4))
    a = nz.DiaMatrix.from_scipy(s)
    assert a.offsets.tolist() == [-1, 0, 2]
    assert a.first_rows.tolist() == [1, 0, 0] and a.last_rows.tolist() == [3, 3, 2]
    assert a.values.shape == (3, 3)
    assert a.values[0, 1:].tolist() == [5, 6] and a.values[1].tolist() == [9, 10, 11] and a.values[2, :2].tolist() == [3, 4]
    assert repr(a) == f"<nonzero.DiaMatrix 3 x 4, 3 diagonals, 7 entries, {s.dtype}>"


def test_data_of_any_layout_is_read():
    s = band(50, 60, [3, -7, 20])
    wide = np.repeat(s.data, 2, axis=1)[:, ::2]
    for data in (np.asfortranarray(s.data), wide, s.data[:, ::-1].copy()[:, ::-1]):
        data.flags.writeable = False
        a = nz.DiaMatrix.from_scipy(scipy.sparse.dia_array((data, s.offsets.astype(np.int64)), shape=s.shape))
        np.testing.assert_array_equal(a.to_scipy().toarray(), s.toarray())


def test_values_are_copied_in_and_stay_alive():
    s = band(1000, 1000, [-1, 0, 1])
    a = nz.DiaMatrix.from_scipy(s)
    expected = s.diagonal(1).copy()
    s.data[:] = 0
    values, offsets, back = a.values, a.offsets, a.to_scipy()
    del a
    gc.collect()
    np.testing.assert_array_equal(values[2, :999], expected)
    np.testing.assert_array_equal(back.diagonal(1), expected)
    assert offsets.tolist() == [-1, 0, 1] and not values.flags.writeable and not offsets.flags.writeable
    back.data[:] = 0  # SciPy's own
    assert values[2, 0] == expected[0]


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (4, 6)])
def test_a_matrix_may_have_no_diagonals(shape):
    made = nz.DiaMatrix(nz.default_context(), "float32", *shape)
    read_in = nz.DiaMatrix.from_scipy(scipy.sparse.dia_array(shape, dtype="float32"))
    outside = nz.DiaMatrix.from_scipy(
        scipy.sparse.dia_array((np.ones((2, 5), dtype="float32"), [-9, 9]), shape=shape))
    for a in (made, read_in, outside, nz.DiaMatrix.from_matrix(made.to_matrix())):
        assert (a.shape, a.nnz, a.dtype, a.offsets.size, a.values.shape) == (shape, 0, "float32", 0, (0, shape[0]))
        assert a.to_scipy().shape == shape and a.to_scipy().nnz == 0
    assert repr(made) == f"<nonzero.DiaMatrix {shape[0]} x {shape[1]}, 0 diagonals, 0 entries, float32>"
    c = nz.mxm("plus_times", made, nz.DiaMatrix(nz.default_context(), "float64", shape[1], 3))
    assert (c.shape, c.nnz, c.dtype) == ((shape[0], 3), 0, "float64")


@given(st.data(), st.integers(1, 7), st.integers(1, 7), st.integers(1, 7), st.sampled_from(["plus_times", "min_plus", "plus_pair"]))
def test_a_product_is_that_of_the_matrices(data, rows, inner, columns, ring):
    s, t = data.draw(dia_arrays(rows, inner, least=1)), data.draw(dia_arrays(inner, columns, least=1))
    a, b = nz.DiaMatrix.from_scipy(s), nz.DiaMatrix.from_scipy(t)
    expected = nz.mxm(ring, a.to_matrix(), b.to_matrix())
    try:
        c = nz.mxm(ring, a, b)
    except nz.errors.NotSupported as why:
        assert "multiply the matrices" in str(why)
        with pytest.raises(nz.errors.NotSupported, match="none in row"):
            nz.DiaMatrix.from_matrix(expected)
        return
    assert (c.shape, c.dtype, c.nnz) == (expected.shape, expected.dtype, expected.nnz)
    assert read(c.to_matrix()) == read(expected)
    if ring == "plus_times":
        np.testing.assert_array_equal(c.to_scipy().toarray(), s.toarray() @ t.toarray())


@pytest.mark.parametrize(
    "shapes, offsets",
    [
        (((700, 700), (700, 700)), (range(-10, 11), range(-10, 11))),
        (((400, 600), (600, 300)), (range(90, 101), range(-200, -180))),
        (((500, 500), (500, 500)), ([-3], [7])),
        (((800, 800), (800, 800)), ([-700, -3, 0, 1, 650], [0])),
        (((50, 40), (40, 50)), ([-45, 39], [30])),
    ],
)
@pytest.mark.parametrize("ring", ["plus_times", "min_plus"])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_bands_multiply_like_scipys(shapes, offsets, ring, dtype):
    s, t = (band(*shape, list(o), seed).astype(dtype) for shape, o, seed in zip(shapes, offsets, (1, 2)))
    a, b = nz.DiaMatrix.from_scipy(s), nz.DiaMatrix.from_scipy(t)
    expected = nz.mxm(ring, a.to_matrix(), b.to_matrix())
    for ctx in (nz.Context(backend="cpu", threads=2), nz.default_context()):
        c = nz.mxm(ring, a, b, ctx=ctx)
        assert c.dtype == expected.dtype and read(c.to_matrix()) == read(expected)
        assert (c.plan.operation, c.plan.kernel, c.plan.tier) == ("mxm_dia", "stored", "compiled")
        assert c.plan.on_device == c.on_device == (ctx.backend == "cuda")
        assert set(c.offsets.tolist()) <= {int(o) + int(p) for o in s.offsets for p in t.offsets}
        if ring == "plus_times":
            np.testing.assert_array_equal(c.to_scipy().toarray(), (s @ t).toarray())


def test_matrices_without_values_of_their_own_are_written_out():
    pattern = nz.from_csr([0, 2, 4, 5], [0, 1, 1, 2, 2], None, (3, 3))
    iso = nz.from_coo([0, 1, 2], [0, 1, 2], 5, (3, 3))
    for a in (pattern, iso):
        d = nz.DiaMatrix.from_matrix(a)
        assert d.dtype == a.dtype and read(d.to_matrix()) == read(a)


def test_absent_is_not_zero():
    s = scipy.sparse.dia_array((np.array([[0.0, 3.0]]), [0]), shape=(2, 2))
    a = nz.DiaMatrix.from_scipy(s)
    assert read(nz.mxm("min_plus", a, a).to_matrix()) == {(0, 0): 0.0, (1, 1): 6.0}
    infinite = nz.DiaMatrix.from_scipy(scipy.sparse.dia_array((np.full((1, 2), math.inf), [0]), shape=(2, 2)))
    found = read(nz.mxm("plus_times", a, infinite).to_matrix())
    assert math.isnan(found[0, 0]) and found[1, 1] == math.inf and len(found) == 2


def test_a_semiring_that_is_not_compiled_goes_by_way_of_matrices():
    a = nz.DiaMatrix.from_scipy(band(20, 20, [0, 1]))
    c = nz.mxm("min_times", a, a)
    assert c.plan.tier == "generic" and read(c.to_matrix()) == read(nz.mxm("min_times", a.to_matrix(), a.to_matrix()))
    assert a.plan == ""


def test_a_gap_is_refused():
    with pytest.raises(nz.errors.NotSupported, match="none in row 1,"):
        nz.DiaMatrix.from_matrix(nz.from_coo([0, 2], [0, 2], [1.0, 1.0], (3, 3)))
    with pytest.raises(nz.errors.NotSupported, match="times the .* bytes of the CSR"):
        nz.DiaMatrix.from_matrix(nz.from_coo([0, 99], [99, 0], [1.0, 1.0], (1000, 1000)))
    # Diagonal 0 of the product: rows 0 and 1 by A's diagonal 0, rows 4 and 5 by its diagonal -4.
    a, b = (nz.DiaMatrix.from_scipy(band(*shape, o)) for shape, o in (((6, 2), [0, -4]), ((2, 6), [0, 4])))
    with pytest.raises(nz.errors.NotSupported, match="diagonal 0 of the result"):
        nz.mxm("plus_times", a, b)
    assert nz.mxm("plus_times", a.to_matrix(), b.to_matrix()).nnz == 8


def test_what_does_not_fit_says_so():
    a = nz.DiaMatrix.from_scipy(band(4, 5, [0]))
    with pytest.raises(nz.errors.DimensionMismatch, match="4 x 5"):
        nz.mxm("plus_times", a, a)
    with pytest.raises(nz.errors.DomainError):
        nz.mxm("plus_nothing", a, a)
    with pytest.raises(TypeError, match="two Matrix or two DiaMatrix"):
        nz.mxm("plus_times", a, a.to_matrix())
    for more in ({"out": a.to_matrix()}, {"mask": a.to_matrix()}, {"accum": "plus"}, {"transpose_b": True}, {"replace": True},
                 {"kernel": "hash"}):
        with pytest.raises(nz.errors.NotSupported, match="to_matrix"):
            nz.mxm("plus_times", a, a, **more)


def test_work_is_of_the_context_that_is_given():
    s = band(10000, 10000, [-1, 0, 1])
    small = nz.Context(backend="cpu", memory_limit=100000)
    a = nz.DiaMatrix.from_scipy(s, ctx=nz.Context(backend="cpu"))
    for work in (lambda: nz.DiaMatrix.from_scipy(s, ctx=small), lambda: nz.DiaMatrix.from_matrix(nz.from_scipy(s), ctx=small),
                 lambda: a.to_matrix(ctx=small), lambda: nz.mxm("plus_times", a, a, ctx=small)):
        with pytest.raises(nz.errors.OutOfMemory):
            work()
    assert not a.on_device and small.bytes_in_use == 0


def test_what_scipy_has_and_a_dia_matrix_cannot_hold_says_so():
    s = band(4, 4, [0, 1])
    with pytest.raises(nz.errors.DomainError, match="not csr"):
        nz.DiaMatrix.from_scipy(s.tocsr())
    for dtype in ("complex128", "float16"):
        with pytest.raises(nz.errors.DomainError):
            nz.DiaMatrix.from_scipy(scipy.sparse.dia_array((s.data.astype(dtype), s.offsets), shape=s.shape))
    s.offsets = np.array([1, 1])
    with pytest.raises(nz.errors.InvalidFormat, match="diagonal 1 is out of order or repeated"):
        nz.DiaMatrix.from_scipy(s)
    s.offsets = np.array([0])
    with pytest.raises(nz.errors.InvalidFormat, match="1 offsets of 2 diagonals"):
        nz.DiaMatrix.from_scipy(s)
    with pytest.raises(nz.errors.NotSupported, match="the largest dimension"):
        nz.DiaMatrix.from_scipy(scipy.sparse.dia_array((np.ones((1, 1)), [0]), shape=(2**31, 4)))


def test_the_example_of_the_class_runs():
    example = doctest.DocTestParser().get_doctest(nz.DiaMatrix.__doc__, {}, "DiaMatrix", None, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted == 9 and result.failed == 0


def test_pickles_and_copies_have_the_same_diagonals():
    s = scipy.sparse.dia_array(([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0]], [-1, 1]), shape=(3, 4))
    for a in (nz.DiaMatrix.from_scipy(s), nz.DiaMatrix(nz.Context("cpu"), "int8", 3, 2), nz.DiaMatrix.from_matrix(nz.load("banded:9,3"))):
        for b in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a)):
            assert (b.shape, b.dtype, b.nnz) == (a.shape, a.dtype, a.nnz)
            for part in ("offsets", "first_rows", "last_rows"):
                np.testing.assert_array_equal(getattr(a, part), getattr(b, part))
            assert nz.isequal(a.to_matrix(), b.to_matrix())
