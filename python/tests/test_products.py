"""Estimates of products, products whose places are known, alpha A x + beta y, and plans as values."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from model import entries, matrix, product, read

import nonzero as nz


@given(entries(5, 4), entries(4, 6))
def test_an_estimate_counts_products_and_bounds_entries(a, b):
    e = nz.estimate_mxm("plus_times", matrix(a, (5, 4)), matrix(b, (4, 6)))
    assert e.products == sum(k == k2 for _, k in a for k2, _ in b)
    c = product("plus", "times", a, b)
    assert e.most_entries >= len(c)
    assert e.expected_entries == len(c)  # so few rows are all looked at
    assert e.error(len(c)) == 0


@given(entries(5, 4), entries(4, 6), st.integers(-3, 3), st.booleans())
def test_a_pattern_is_filled_with_other_values(a, b, factor, turned):
    flags = {"transpose_a": turned}
    first = {(j, i): x for (i, j), x in a.items()} if turned else a
    shape = (4, 5) if turned else (5, 4)
    ring = "plus_times"
    places = nz.find_pattern(ring, matrix(first, shape), matrix(b, (4, 6)), **flags)
    expected = product("plus", "times", a, b)
    assert places.entries == len(expected) and places.shape == (5, 6)
    scaled = {at: x * factor for at, x in first.items()}
    found = nz.mxm(ring, matrix(scaled, shape), matrix(b, (4, 6)), pattern=places, **flags)
    straight = {at: x * factor for at, x in a.items()}
    assert read(found) == product("plus", "times", straight, b)


def test_a_pattern_keeps_the_kernel_that_it_was_found_for():
    a = nz.load("laplace2d:5")
    pattern = nz.find_pattern("plus_times", a, a)
    assert repr(pattern) == f"<nonzero.MxmPattern 25 x 25, {pattern.entries} entries, plus_times>"
    found = pattern.plan.kernel
    assert nz.mxm("plus_times", a, a, pattern=pattern, kernel=found).plan.kernel == found
    other = "hash" if found != "hash" else "dense_row"
    with pytest.raises(nz.errors.NotSupported, match=f"for kernel {found}, not {other}"):
        nz.mxm("plus_times", a, a, pattern=pattern, kernel=other)
    with pytest.raises(nz.errors.DomainError, match="not a kernel"):
        nz.mxm("plus_times", a, a, pattern=pattern, kernel="foo")
    with pytest.raises(nz.errors.NotSupported, match="leave the kernel reference out"):
        nz.find_pattern("plus_times", a, a, kernel="reference")


def test_a_pattern_is_for_its_places_semiring_and_transposes_alone():
    a = nz.with_random_weights(nz.load("grid2d:5"), 1, 9)
    places = nz.find_pattern("plus_times", a, a)
    with pytest.raises(nz.errors.DomainError, match="min_plus"):
        nz.mxm("min_plus", a, a, pattern=places)
    with pytest.raises(nz.errors.DomainError, match="transposes"):
        nz.mxm("plus_times", a, a, pattern=places, transpose_b=True)
    with pytest.raises(nz.errors.DimensionMismatch, match="25 x 25.* 9 x 9"):
        nz.mxm("plus_times", nz.load("grid2d:3"), nz.load("grid2d:3"), pattern=places)
    other = a.copy()
    other.set(0, 24, 1)
    with pytest.raises(nz.errors.NotSupported, match="compiled"):
        nz.find_pattern("min_times", a, a)
    with pytest.raises(nz.errors.DomainError):
        nz.mxm("plus_times", other, a, pattern=places)
    assert places.plan.operation == "mxm" and places.semiring == "plus_times"


@given(st.integers(0, 2**31), st.sampled_from([0.0, 1.0, -2.0]), st.sampled_from([0.0, 1.0, 0.5]), st.booleans())
def test_spmv_is_scipys(seed, alpha, beta, turned):
    rng = np.random.default_rng(seed)
    a = scipy.sparse.random_array((7, 5), density=0.4, format="csr", rng=rng)
    x, y = rng.random(7 if turned else 5), rng.random(5 if turned else 7)
    out = nz.dense(y)
    back = nz.spmv(nz.from_scipy(a), x, alpha=alpha, beta=beta, y=out, transpose=turned)
    np.testing.assert_allclose(out.to_numpy(), alpha * ((a.T if turned else a) @ x) + beta * y, atol=1e-13)
    assert back is out and "mxv" in out.plan
    fresh = nz.spmv(nz.from_scipy(a.astype("float32")), np.ones(5, dtype="float32"))
    assert fresh.dtype == "float32"
    np.testing.assert_allclose(fresh.to_numpy(), a @ np.ones(5), rtol=1e-5)


def test_spmv_wants_floating_results():
    with pytest.raises(nz.errors.DomainError):
        nz.spmv(nz.load("grid2d:3"), np.ones(9), dtype="int64")


def test_a_plan_is_a_line_and_its_fields():
    a = nz.load("laplace2d:20")
    plan = nz.mxv("plus_times", a, np.ones(400), kernel="csr_merge").plan
    assert plan.kernel == plan.fields["kernel"] == "csr_merge" and "csr_merge" in plan
    assert plan.tier == "compiled" and plan.workspace_bytes >= 0 and plan.reason in plan
    c = nz.mxm("plus_times", a, a)
    assert c.plan.products == nz.estimate_mxm("plus_times", a, a).products
    assert nz.ewise_add("plus", a, a).plan.operation == "ewise_add"
    with pytest.raises(AttributeError, match="plan of mxm has no 'direction'"):
        c.plan.direction
    assert a.plan == "" and a.plan.fields == {}
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and again.fields == plan.fields
    once_more = nz.mxv("plus_times", a, np.ones(400), kernel="csr_merge").plan
    assert once_more.fields == plan.fields | {"moved_bytes": once_more.moved_bytes}  # the matrix is on the GPU by now
    assert once_more == plan or once_more.moved_bytes < plan.moved_bytes


def test_a_product_divided_between_cpu_and_gpu_needs_a_gpu():
    a = nz.load("grid2d:5")
    with pytest.raises(nz.errors.NotSupported, match="GPU"):
        nz.mxm_hybrid("plus_times", a, a, ctx=nz.Context(backend="cpu"))


def test_what_is_not_compiled_is_composed_of_what_is():
    rng = np.random.default_rng(20261130)
    dense = np.where(rng.random((60, 50)) < 0.4, rng.random((60, 50)) - 0.3, 0)
    b = rng.random((50, 40)) - 0.5
    x = rng.random(50)
    a = nz.from_scipy(scipy.sparse.csr_array(dense))
    held = np.where(dense != 0, dense, np.nan)
    w = nz.mxv("max_times", a, x)
    assert w.plan.kernel == "composed" and np.array_equal(w.to_numpy(), np.nanmax(held * x, axis=1))
    c, plan = nz.mxd("max_times", a, b, with_plan=True)
    products = held[:, :, None] * b[None, :, :]
    assert plan.kernel == "composed" and np.array_equal(c, np.nanmax(products, axis=1))
    full = nz.mxm("max_times", a, nz.from_scipy(scipy.sparse.csr_array(b)))
    assert full.plan.kernel == "composed" and np.array_equal(nz.to_scipy(full).toarray(), np.nanmax(products, axis=1))
