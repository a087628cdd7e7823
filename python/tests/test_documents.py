"""The Python examples of the README and of docs/ run as they stand, those of one page in their order."""

import contextlib
import io
import pathlib
import sys

import numpy as np
import pytest
import scipy.sparse

import nonzero as nz

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from documents import blocks, prints

FOUND = blocks("python")


@pytest.mark.parametrize("page", sorted({b.document for b in FOUND}))
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s = scipy.sparse.random_array((30, 30), density=0.2, format="csr", rng=1)
    names = {"nz": nz, "np": np, "s": s, "x": np.ones(30), "m": nz.build(30, [3, 4], [True, True])}
    for block in (b for b in FOUND if b.document == page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (block.line - 1) + block.code, block.document, "exec"), names)
        assert block.output is None or prints(block.output, printed.getvalue()), (block.name, printed.getvalue())


def test_there_are_examples():
    assert len(FOUND) >= 20


def test_what_is_printed_is_compared():
    assert prints("a ... c\n", "a b c \n") and prints("a\n...\nd", "a\nb\nc\nd")
    assert not prints("a ... c\n", "a b d\n") and not prints("a\n", "a\nb\n")
