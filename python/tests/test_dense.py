"""Products with dense matrices against NumPy and plain loops; what is and what is not copied."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from model import ADD, MULTIPLY, entries, matrix, read

import nonzero as nz

IDENTITY = {"plus": 0, "times": 1, "min": np.iinfo(np.int64).max, "max": np.iinfo(np.int64).min}
adds, multiplies = st.sampled_from(sorted(ADD)), st.sampled_from(sorted(MULTIPLY))


def laid_out(b, layout):
    """The same numbers by rows, by columns, with gaps, or as no dense matrix may lie."""
    rows, columns = b.shape
    if layout == "rows":
        return np.ascontiguousarray(b)
    if layout == "columns":
        return np.asfortranarray(b)
    if layout == "rows with gaps":
        home = np.full((rows, columns + 3), 77, dtype=b.dtype)
        home[:, :columns] = b
        return home[:, :columns]
    if layout == "columns with gaps":
        return laid_out(b.T, "rows with gaps").T
    home = np.full((2 * rows, 2 * columns), 77, dtype=b.dtype)  # every other one
    home[::2, ::2] = b
    return home[::2, ::2]


LAYOUTS = ["rows", "columns", "rows with gaps", "columns with gaps", "every other"]


def grid(rows, columns):
    whole = st.integers(-3, 3)
    line = st.lists(whole, min_size=columns, max_size=columns)
    return st.lists(line, min_size=rows, max_size=rows).map(
        lambda v: np.array(v, dtype=np.int64).reshape(rows, columns)
    )


def model(add, multiply, a, b, rows):
    c = np.full((rows, b.shape[1]), IDENTITY[add], dtype=object)
    for j in range(b.shape[1]):
        for i in range(rows):
            terms = [MULTIPLY[multiply](x, int(b[k, j])) for (at, k), x in sorted(a.items()) if at == i]
            for n, x in enumerate(terms):
                c[i, j] = x if n == 0 else ADD[add](c[i, j], x)
    return c.astype(np.int64)


@given(adds, multiplies, entries(4, 3), st.integers(0, 3).flatmap(lambda p: grid(3, p)), st.sampled_from(LAYOUTS))
def test_mxd_sums_products_over_any_semiring(add, multiply, a, b, layout):
    expected = model(add, multiply, a, b, 4)
    ring = f"{add}_{multiply}"
    found = nz.mxd(ring, matrix(a, (4, 3)), laid_out(b, layout))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected)
    at = {(j, i): x for (i, j), x in a.items()}
    turned = nz.mxd(ring, matrix(at, (3, 4)), laid_out(b.T, layout), transpose_a=True, transpose_b=True)
    np.testing.assert_array_equal(turned, expected)


@given(entries(4, 3), grid(3, 2), grid(4, 2), st.sampled_from(LAYOUTS[:4]), st.sampled_from([None, "plus", "min"]))
def test_mxd_writes_into_the_callers_array(a, b, old, layout, accum):
    out = laid_out(old.copy(), layout)
    address = out.ctypes.data
    back = nz.mxd("plus_times", matrix(a, (4, 3)), b, out=out, accum=accum)
    product = model("plus", "times", a, b, 4)
    rows_with = {i for i, _ in a}
    expected = product if accum is None else old + product if accum == "plus" else np.minimum(old, product)
    for i in range(4):
        if accum and i not in rows_with:
            expected[i] = old[i]
    assert back is out and out.ctypes.data == address
    np.testing.assert_array_equal(out, expected)
    if out.base is not None and "gaps" in layout:
        home = out.base if layout.startswith("rows") else out.base.T if out.base.shape[0] == 4 else out.base
        assert (home == 77).sum() == home.size - out.size or old.size == 0


@pytest.mark.parametrize("kernel", ["", "csr_tiled", "csr_merge", "reference"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_products_are_scipys(kernel, dtype, order):
    a = scipy.sparse.random_array((700, 500), density=0.02, format="csr", rng=1)
    a.data = np.round(a.data * 9).astype(dtype)
    b = np.asarray(np.random.default_rng(2).integers(-5, 5, (500, 17)), dtype=dtype, order=order)
    c, plan = nz.mxd("plus_times", nz.from_scipy(a), b, kernel=kernel, with_plan=True)
    np.testing.assert_array_equal(c, a @ b)  # whole numbers: exact in any order
    assert c.dtype == dtype
    assert c.flags.c_contiguous if order == "C" else c.flags.f_contiguous
    assert plan.operation == "mxd" and (not kernel or plan.kernel == kernel)
    other = nz.mxd("plus_times", nz.from_scipy(a), b, order="F" if order == "C" else "C")
    assert other.flags.f_contiguous if order == "C" else other.flags.c_contiguous
    np.testing.assert_array_equal(other, c)


def test_dense_operands_are_not_copied():
    """Under a memory limit that leaves no room for a copy of B or C."""
    a = scipy.sparse.eye_array(1000, format="csr")
    small = nz.Context(backend="cpu", memory_limit=1 << 20)
    b = np.ones((1000, 1000))
    c = nz.mxd("plus_times", nz.from_scipy(a, ctx=small), b, kernel="csr_tiled", ctx=small)
    np.testing.assert_array_equal(c, b)
    assert small.peak_bytes < b.nbytes / 4


def test_rows_without_entries_are_the_identity():
    a = nz.from_coo([0], [0], [1.0], (2, 2))
    assert nz.mxd("plus_times", a, np.ones((2, 1))).tolist() == [[1.0], [0.0]]
    assert nz.mxd("min_plus", a, np.ones((2, 1))).tolist() == [[2.0], [np.inf]]


def test_wrong_dense_operands_say_what_is_wrong():
    a = nz.load("grid2d:3")
    b = np.ones((9, 4))
    with pytest.raises(nz.errors.DimensionMismatch, match="9 x 9"):
        nz.mxd("plus_times", a, np.ones((8, 4)))
    with pytest.raises(nz.errors.DimensionMismatch):
        nz.mxd("plus_times", a, b, out=np.empty((9, 3)))
    with pytest.raises(nz.errors.DomainError, match="mxv"):
        nz.mxd("plus_times", a, np.ones(9))
    with pytest.raises(nz.errors.DomainError, match="overlap"):
        nz.mxd("plus_times", a, b, out=b)
    with pytest.raises(nz.errors.DomainError, match="gaps"):
        nz.mxd("plus_times", a, b, out=np.empty((18, 8))[::2, ::2])
    frozen = np.empty((9, 4))
    frozen.flags.writeable = False
    with pytest.raises(nz.errors.DomainError, match="read-only"):
        nz.mxd("plus_times", a, b, out=frozen)
    with pytest.raises(nz.errors.DomainError):
        nz.mxd("plus_times", a, b.astype(complex))
    with pytest.raises(TypeError, match="out"):
        nz.mxd("plus_times", a, b, accum="plus")
    with pytest.raises(nz.errors.NotSupported):
        nz.mxd("plus_times", a, b > 0, kernel="csr_tiled")


@given(adds, multiplies, entries(4, 5), grid(4, 3), grid(3, 5), st.sampled_from(LAYOUTS), st.booleans())
def test_sddmm_computes_the_places_of_the_mask_alone(add, multiply, m, x, y, layout, structure):
    rows = {(i, k): int(x[i, k]) for i in range(4) for k in range(3)}
    whole = model(add, multiply, rows, y, 4)
    expected = {(i, j): whole[i, j] for (i, j), v in m.items() if structure or v}
    ring = f"{add}_{multiply}"
    found = nz.sddmm(ring, laid_out(x, layout), laid_out(y, layout), matrix(m, (4, 5)), structure=structure)
    assert read(found) == expected and found.plan.operation == "sddmm"
    turned = nz.sddmm(ring, laid_out(x.T, layout), laid_out(y.T, layout), matrix(m, (4, 5)), structure=structure,
                      transpose_x=True, transpose_y=True)
    assert read(turned) == expected


@given(entries(4, 5), entries(4, 5), grid(4, 3), grid(3, 5), st.booleans(), st.sampled_from([None, "plus"]))
def test_sddmm_writes_through_accumulator_and_replace(m, old, x, y, replace, accum):
    whole = x @ y
    out = matrix(old, (4, 5))
    back = nz.sddmm("plus_times", x, y, matrix(m, (4, 5)), out=out, replace=replace, accum=accum)
    inside = {at for at, v in m.items() if v}
    expected = {} if replace else {at: v for at, v in old.items() if at not in inside}
    for at in inside:
        expected[at] = whole[at] + (old.get(at, 0) if accum else 0)
    assert back is out and read(out) == expected
