"""Binsparse files: ours read back, ours by the format's own reference implementation, and its files by us."""

import json

import numpy as np
import pytest
import scipy.sparse

import nonzero as nz

h5py = pytest.importorskip("h5py")
binsparse = pytest.importorskip("binsparse")
from binsparse.conversions.scipy import from_scipy, to_scipy  # noqa: E402

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
LAYOUTS = ["csr", "csc", "coo"]


def sample(dtype):
    a = scipy.sparse.random(30, 20, 0.2, format="csr", random_state=1)
    a.data = np.arange(1, a.nnz + 1) % 100
    return scipy.sparse.csr_array(a.astype(dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_matrices_round_trip_here_and_through_the_reference(tmp_path, dtype, layout):
    path = tmp_path / "a.bsp.h5"
    a = sample(dtype)
    nz.save(nz.from_scipy(a), path, layout=layout)
    back = nz.load(path)
    assert back.dtype == dtype and (nz.to_scipy(back) != a).nnz == 0
    theirs = to_scipy(binsparse.load_binsparse(path))
    assert theirs.dtype == a.dtype and theirs.format == layout and (theirs.tocsr() != a).nnz == 0
    binsparse.save_binsparse(from_scipy(a.asformat(layout)), tmp_path / "theirs.h5")
    found = nz.load(tmp_path / "theirs.h5")
    assert found.dtype == dtype and (nz.to_scipy(found) != a).nnz == 0


def test_one_value_for_all_stays_one_value(tmp_path):
    grid = nz.load("grid2d:5")
    nz.save(grid, tmp_path / "p.bsp.h5")
    with h5py.File(tmp_path / "p.bsp.h5") as f:
        about = json.loads(f.attrs["binsparse"])["binsparse"]
        assert about["data_types"]["values"] == f"iso[{'bint8' if grid.dtype == 'bool' else grid.dtype}]"
        assert f["values"].shape == (1,) and about["number_of_stored_values"] == grid.nnz
    assert nz.load(tmp_path / "p.bsp.h5").values_held == "pattern"
    assert to_scipy(binsparse.load_binsparse(tmp_path / "p.bsp.h5")).nnz == grid.nnz


@pytest.mark.parametrize("dtype", TYPES)
def test_vectors_round_trip_here_and_through_the_reference(tmp_path, dtype):
    values = np.array([1, 0, 3], dtype=dtype)
    nz.save(nz.dense(values), tmp_path / "d.bsp.h5")
    nz.save(nz.build(9, [2, 4, 8], values), tmp_path / "s.bsp.h5")
    dense, sparse = nz.load_vector(tmp_path / "d.bsp.h5"), nz.load_vector(tmp_path / "s.bsp.h5")
    assert (dense.form, dense.dtype, dense.values().tolist()) == ("dense", dtype, values.tolist())
    assert (sparse.form, sparse.size, sparse.entries()[0].tolist()) == ("sparse", 9, [2, 4, 8])
    assert sparse.entries()[1].tolist() == values.tolist()
    theirs = binsparse.load_binsparse(tmp_path / "d.bsp.h5")
    assert isinstance(theirs, binsparse.DVECVector) and theirs.values.tolist() == values.tolist()
    theirs = binsparse.load_binsparse(tmp_path / "s.bsp.h5")
    assert isinstance(theirs, binsparse.CVECVector) and theirs.indices_0.tolist() == [2, 4, 8]
    assert nz.load(tmp_path / "s.bsp.h5").shape == (9, 1)


def test_complex_files_of_the_reference(tmp_path):
    a = sample("float64") * (3 + 4j)
    binsparse.save_binsparse(from_scipy(scipy.sparse.csr_array(a)), tmp_path / "c.h5")
    with pytest.raises(nz.errors.InvalidFormat, match="complex_modulus"):
        nz.load(tmp_path / "c.h5")
    found = nz.to_scipy(nz.load(tmp_path / "c.h5", complex_modulus=True))
    assert abs(found - abs(a)).max() < 1e-12


def test_errors_are_pythons_own_kinds(tmp_path):
    a = nz.load("grid2d:3")
    with pytest.raises(nz.errors.DomainError, match="only Binsparse files"):
        nz.save(a, tmp_path / "a.npz", layout="csc")
    with pytest.raises(nz.errors.DomainError, match="no layout of a file"):
        nz.save(a, tmp_path / "a.bsp.h5", layout="dia")
    with pytest.raises(nz.errors.DomainError, match="a vector is not laid out"):
        nz.save(nz.full(3, 1), tmp_path / "a.bsp.h5", layout="csc")
    with pytest.raises(nz.errors.DimensionMismatch, match="9 x 9"):
        nz.save(a, tmp_path / "a.bsp.h5")
        nz.load_vector(tmp_path / "a.bsp.h5")
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = [1, 2, 3]
    with pytest.raises(nz.errors.InvalidFormat, match="no Binsparse"):
        nz.load(tmp_path / "other.h5")


def test_other_formats_hold_vectors_as_one_column(tmp_path):
    v = nz.build(6, [1, 5], [2.0, 3.0])
    for suffix in ["mtx", "npz", "nzb"]:
        nz.save(v, tmp_path / f"v.{suffix}")
        assert nz.load_vector(tmp_path / f"v.{suffix}").entries()[0].tolist() == [1, 5]
