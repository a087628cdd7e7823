"""Every operation against a dictionary model, or against SciPy and NumPy."""

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from model import ADD, MULTIPLY, entries, matrix, product, read, vector, written

import nonzero as nz

settings = st.fixed_dictionaries(
    {
        "accum": st.sampled_from([None, "plus", "min"]),
        "complement": st.booleans(),
        "structure": st.booleans(),
        "replace": st.booleans(),
    }
)
adds, multiplies = st.sampled_from(sorted(ADD)), st.sampled_from(sorted(MULTIPLY))


@given(adds, multiplies, entries(5, 4), entries(4, 1))
def test_mxv_and_vxm_sum_products_over_any_semiring(add, multiply, a, u):
    ring = f"{add}_{multiply}"
    assert read(nz.mxv(ring, matrix(a, (5, 4)), vector(u, 4))) == product(add, multiply, a, u)
    at = {(j, i): x for (i, j), x in a.items()}
    turned = nz.mxv(ring, matrix(at, (4, 5)), vector(u, 4), transpose=True)
    assert read(turned) == product(add, multiply, a, u)
    row = {(0, i): x for (i, _), x in u.items()}
    expected = {(j, 0): x for (_, j), x in product(add, multiply, row, at).items()}
    assert read(nz.vxm(ring, vector(u, 4), matrix(at, (4, 5)))) == expected


@given(adds, multiplies, entries(4, 3), entries(3, 5))
def test_mxm_sums_products_over_any_semiring(add, multiply, a, b):
    ring = f"{add}_{multiply}"
    expected = product(add, multiply, a, b)
    assert read(nz.mxm(ring, matrix(a, (4, 3)), matrix(b, (3, 5)))) == expected
    bt = {(j, i): x for (i, j), x in b.items()}
    assert read(nz.mxm(ring, matrix(a, (4, 3)), matrix(bt, (5, 3)), transpose_b=True)) == expected
    at = {(j, i): x for (i, j), x in a.items()}
    assert read(nz.mxm(ring, matrix(at, (3, 4)), matrix(b, (3, 5)), transpose_a=True)) == expected


@given(entries(4, 3), entries(3, 5), entries(4, 5), st.none() | entries(4, 5), settings)
def test_mxm_writes_through_mask_accumulator_and_replace(a, b, old, mask, how):
    out = matrix(old, (4, 5))
    m = None if mask is None else matrix(mask, (4, 5))
    back = nz.mxm("plus_times", matrix(a, (4, 3)), matrix(b, (3, 5)), out=out, mask=m, **how)
    assert back is out
    assert read(out) == written(old, product("plus", "times", a, b), mask, **how)


@given(entries(5, 4), entries(4, 1), entries(5, 1), st.none() | entries(5, 1), settings)
def test_mxv_writes_through_mask_accumulator_and_replace(a, u, old, mask, how):
    out = vector(old, 5)
    m = None if mask is None else vector(mask, 5)
    nz.mxv("plus_times", matrix(a, (5, 4)), vector(u, 4), out=out, mask=m, **how)
    assert read(out) == written(old, product("plus", "times", a, u), mask, **how)


@given(st.sampled_from(["plus", "times", "min", "max", "first", "second"]), entries(4, 5), entries(4, 5))
def test_unions_intersections_and_differences(op, a, b):
    f = (ADD | MULTIPLY)[op]
    both = {at: f(a[at], b[at]) for at in a.keys() & b.keys()}
    x, y = matrix(a, (4, 5)), matrix(b, (4, 5))
    assert read(nz.ewise_add(op, x, y)) == a | b | both
    assert read(nz.ewise_mult(op, x, y)) == both
    assert read(nz.difference(x, y)) == {at: v for at, v in a.items() if at not in b}
    assert read(nz.symmetric_difference(x, y)) == {at: v for at, v in (a | b).items() if at not in both}
    u = {(i, 0): v for (i, j), v in a.items() if j == 0}
    w = {(i, 0): v for (i, j), v in b.items() if j == 0}
    pairs = {at: f(u[at], w[at]) for at in u.keys() & w.keys()}
    assert read(nz.ewise_add(op, vector(u, 4), vector(w, 4))) == u | w | pairs
    assert read(nz.ewise_mult(op, vector(u, 4), vector(w, 4))) == pairs
    assert read(nz.difference(vector(u, 4), vector(w, 4))) == {at: v for at, v in u.items() if at not in w}
    assert read(nz.symmetric_difference(vector(u, 4), vector(w, 4))) == {at: v for at, v in (u | w).items() if at not in pairs}


@given(entries(4, 5), st.integers(-2, 2))
def test_apply_select_reduce_and_transpose(a, thunk):
    x = matrix(a, (4, 5))
    assert read(nz.apply("ainv", x)) == {at: -v for at, v in a.items()}
    assert read(nz.apply("minus", x, left=thunk)) == {at: thunk - v for at, v in a.items()}
    assert read(nz.apply("minus", x, right=thunk)) == {at: v - thunk for at, v in a.items()}
    assert read(nz.select("tril", x, thunk)) == {(i, j): v for (i, j), v in a.items() if j <= i + thunk}
    assert read(nz.select("valuegt", x, thunk)) == {at: v for at, v in a.items() if v > thunk}
    assert nz.reduce("plus", x) == sum(a.values())
    rows = {}
    for (i, _), v in a.items():
        rows[i, 0] = rows.get((i, 0), 0) + v
    assert read(nz.reduce_rows("plus", x)) == rows
    assert read(nz.transpose(x)) == {(j, i): v for (i, j), v in a.items()}


@given(entries(3, 2), entries(2, 3))
def test_kronecker_is_numpys(a, b):
    c = nz.kronecker("times", matrix(a, (3, 2)), matrix(b, (2, 3)))
    assert c.shape == (6, 6)
    expected = {(i * 2 + k, j * 3 + m): x * y for (i, j), x in a.items() for (k, m), y in b.items()}
    assert read(c) == expected


@given(entries(4, 5), st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 4), max_size=6))
def test_extract_takes_rows_and_columns_in_any_order_and_twice(a, rows, columns):
    x = matrix(a, (4, 5))
    expected = {(p, q): a[i, j] for p, i in enumerate(rows) for q, j in enumerate(columns) if (i, j) in a}
    assert read(nz.extract(x, rows, columns)) == expected
    assert read(nz.extract(x, None, None)) == a
    assert read(nz.extract_column(x, 2)) == {(i, 0): v for (i, j), v in a.items() if j == 2}


@given(entries(6, 1), entries(3, 1), st.permutations(range(6)))
def test_assign_writes_places_and_deletes_what_is_absent(w, u, order):
    places = order[:3]
    out = vector(w, 6)
    nz.assign(out, vector(u, 3), places)
    expected = {at: v for at, v in w.items() if at[0] not in places}
    expected |= {(places[k], 0): v for (k, _), v in u.items()}
    assert read(out) == expected
    nz.assign(out, 9, places)
    assert read(out) == {at: v for at, v in expected.items() if at[0] not in places} | {(p, 0): 9 for p in places}


@given(entries(4, 5), entries(5, 1), st.integers(0, 3), st.permutations(range(5)), st.none() | st.just("plus"))
def test_rows_and_columns_are_assigned(c, u, line, order, accum):
    places = order[:3]
    short = {(k, 0): u[p, 0] for k, p in enumerate(places) if (p, 0) in u}
    expected = {at: v for at, v in c.items() if accum or at[0] != line or at[1] not in places}
    for (k, _), v in short.items():
        at = (line, places[k])
        expected[at] = v + (c.get(at, 0) if accum else 0)
    out = matrix(c, (4, 5))
    assert nz.assign_row(out, vector(short, 3), line, places, accum=accum) is out
    assert read(out) == expected
    turned = matrix({(j, i): v for (i, j), v in c.items()}, (5, 4))
    nz.assign_column(turned, vector(short, 3), line, places, accum=accum)
    assert read(turned) == {(j, i): v for (i, j), v in expected.items()}


@given(entries(4, 5), st.lists(st.integers(0, 3), max_size=3), st.lists(st.integers(0, 4), max_size=3))
def test_a_number_is_assigned_to_every_place_named(c, rows, columns):
    out = matrix(c, (4, 5))
    nz.assign(out, 9, rows, columns)
    assert read(out) == c | {(i, j): 9 for i in rows for j in columns}


@given(entries(4, 5), st.integers(-2, 2))
def test_apply_takes_rows_and_columns(a, thunk):
    x = matrix(a, (4, 5))
    assert read(nz.apply("rowindex", x, thunk=thunk)) == {(i, j): i + thunk for i, j in a}
    assert read(nz.apply("diagindex", x, thunk=thunk)) == {(i, j): j - i + thunk for i, j in a}
    assert read(nz.apply("valuegt", x, thunk=thunk)) == {at: v > thunk for at, v in a.items()}
    with pytest.raises(TypeError):
        nz.apply("plus", x, left=1, thunk=1)


def test_objects_say_what_they_are():
    assert repr(nz.load("grid2d:3")) == "<nonzero.Matrix 9 x 9, 24 entries, bool, pattern>"
    assert repr(nz.from_coo([0], [1], [2.5], (1, 2))) == "<nonzero.Matrix 1 x 2, 1 entry, float64>"
    assert repr(nz.build(5, [3], [1])) == "<nonzero.Vector of 5, 1 entry, int64, sparse>"
    assert repr(nz.Context(backend="cpu", threads=1)) == "<nonzero.Context cpu, 1 thread>"


@pytest.mark.parametrize("kernel", ["", "csr_row", "csr_merge", "csr_row_masked", "csc_gather_radix", "reference"])
def test_large_products_are_scipys(kernel):
    a = scipy.sparse.random_array((3000, 2000), density=0.01, format="csr", rng=1)
    x = np.random.default_rng(2).random(2000)
    y = nz.mxv("plus_times", nz.from_scipy(a), x, kernel=kernel)
    np.testing.assert_allclose(nz.ewise_add("plus", y, nz.full(3000, 0.0)).values(), a @ x, rtol=1e-12)
    c = nz.to_scipy(nz.mxm("plus_times", nz.from_scipy(a), nz.from_scipy(a.T.tocsr())))
    assert abs(c - a @ a.T).max() < 1e-12


def test_a_plan_says_what_ran():
    a = nz.load("laplace2d:20")
    cpu = nz.Context(backend="cpu")
    assert nz.mxv("plus_times", a, np.ones(400), ctx=cpu).plan.startswith("mxv/csr_row")
    assert "csr_merge" in nz.mxv("plus_times", a, np.ones(400), kernel="csr_merge").plan


def test_products_that_are_expected_go_by_slices():
    a = nz.load("laplace2d:500")  # enough entries for a GPU too
    x = np.arange(a.shape[1], dtype=np.float64)
    before = nz.mxv("plus_times", a, x)
    a.expect_products(1000)
    first, second = nz.mxv("plus_times", a, x), nz.mxv("plus_times", a, x)
    assert before.plan.kernel != "dia_slice" and first.plan.kernel == second.plan.kernel == "dia_slice"
    assert first.plan.builds_slices and not second.plan.builds_slices
    np.testing.assert_array_equal(np.asarray(before), np.asarray(first))  # whole numbers
    with pytest.raises(nz.errors.DomainError):
        a.expect_products(-1)


def test_scalars_are_taken_as_they_are():
    """NumPy's numbers count as Python's; what a type of whole numbers does not have is refused."""
    big = 2**53 + 1
    assert nz.apply("plus", nz.dense([0]), right=np.int64(big)).get(0) == big
    assert nz.full(2, np.int64(3)).dtype == "int64"
    assert nz.full(2, np.bool_(True)).dtype == "bool"
    assert nz.full(1, 2**63, dtype="uint64").get(0) == 2**63
    assert nz.apply("plus", nz.dense([0.5]), right=1).get(0) == 1.5
    x = nz.dense([0, 1, 2])
    for wrong in (2.5, math.nan, 2**63, -(2**70)):
        with pytest.raises(nz.errors.DomainError):
            nz.apply("times", x, right=wrong)
    with pytest.raises(nz.errors.DomainError, match="1000 is no value of int8"):
        nz.select("valuegt", nz.dense(np.array([100], np.int8)), 1000)
    with pytest.raises(TypeError):
        nz.apply("times", x, right="two")
    with pytest.raises(TypeError):
        nz.apply("times", x, right=x)


def test_whole_numbers_are_asked_for_where_they_are_meant():
    with pytest.raises(nz.errors.DomainError, match="offsets must be integers"):
        nz.from_csr([0.0, 1.5], [0], [1.0], (1, 1))
    with pytest.raises(TypeError):
        nz.bfs_many(nz.load("grid2d:3"), [0.7])


def test_pagerank_of_no_vertices_is_no_ranks():
    assert nz.pagerank(nz.from_coo([], [], [], (0, 0))).ranks.shape == (0,)


def test_a_vector_has_no_columns():
    with pytest.raises(TypeError):
        nz.extract(nz.dense([1.0, 2.0]), [0], [1])


def test_any_takes_the_operand_that_comes_first():
    a = nz.from_coo([0, 1], [1, 0], [2.0, 3.0], (2, 2))
    for kernel in ("", "reference"):
        np.testing.assert_array_equal(nz.vxm("plus_any", [10.0, 20.0], a, kernel=kernel).to_numpy(), [20.0, 10.0])
        np.testing.assert_array_equal(nz.mxv("plus_any", a, [10.0, 20.0], kernel=kernel).to_numpy(), [2.0, 3.0])


def test_what_is_wide_and_sparse_stays_small_under_a_mask():
    small = nz.Context(backend="cpu", threads=2, memory_limit=64 << 20)
    wide = 10_000_000
    a = nz.from_coo([0, 0, 1], [0, 1, 1], [1.0, 1.0, 1.0], (2, 2))
    b = nz.from_coo([0, 1], [wide - 1, 5], [1.0, 4.0], (2, wide))
    assert nz.mxm("plus_times", a, b, mask=b, ctx=small).nnz == 2
    assert nz.mxm("plus_times", a, b, mask=b, complement=True, ctx=small).nnz == 1
    u, mask = nz.build(wide, [3], [1.0]), nz.build(wide, [4, 9], [True, False])
    nz.assign(u, 8.0, mask=mask, ctx=small)
    assert [x.tolist() for x in u.entries()] == [[3, 4], [1.0, 8.0]]
    nz.assign(u, 7, mask=mask, structure=True, replace=True, ctx=small)
    assert [x.tolist() for x in u.entries()] == [[4, 9], [7.0, 7.0]]
    nz.assign(u, 1.0, mask=mask, accum="plus", ctx=small)
    assert [x.tolist() for x in u.entries()] == [[4, 9], [8.0, 7.0]]


def test_operators_that_no_repeat_calls_for_are_checked_all_the_same():
    for wrong in ("bor", "firsti"):
        with pytest.raises(nz.errors.DomainError):
            nz.from_coo([0], [0], [1.0], (1, 1), duplicates=wrong)


def test_a_few_places_are_assigned_in_place_and_only_there():
    x = nz.dense(np.zeros(1000))
    held = x.values()
    x[[3, 900]] = 2.0  # `held` keeps the old values
    assert not held.any() and x.values().sum() == 4.0
    other = nz.apply("identity", x)
    del held
    nz.assign(x, nz.dense([5.0, 7.0]), [3, 4])
    assert (x[3], x[4], x[900], other[3], other[4]) == (5.0, 7.0, 2.0, 2.0, 0.0)
    nz.assign(x, nz.dense([1.0]), [3], accum="plus")
    assert x[3] == 6.0
    nz.assign(x, nz.build(2, [0], [9.0]), [3, 4])  # the second is absent, and goes
    assert (x[3], x[4], x.count) == (9.0, None, 999)
    nz.assign(x, 8.0, [4])
    assert (x[4], x.count) == (8.0, 1000)
    with pytest.raises(nz.errors.IndexOutOfBounds):
        nz.assign(x, 1.0, [1000])
    assert x.count == 1000 and x[4] == 8.0
