"""The Python code of the README and of the guide runs as it stands."""

import pathlib
import re

import numpy as np
import pytest
import scipy.sparse

import nonzero as nz

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks():
    for document in ("README.md", "docs/guide.md"):
        text = (ROOT / document).read_text()
        for found in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield pytest.param(found[1], id=f"{document}:{text.count(chr(10), 0, found.start()) + 1}")


@pytest.mark.parametrize("code", list(blocks()))
def test_code_of_the_documents_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s = scipy.sparse.random_array((30, 30), density=0.2, format="csr", rng=1)
    names = {"nz": nz, "np": np, "s": s, "x": np.ones(30), "m": nz.build(30, [3, 4], [True, True])}
    exec(compile(code, "document", "exec"), names)


def test_there_is_code():
    assert len(list(blocks())) >= 2
