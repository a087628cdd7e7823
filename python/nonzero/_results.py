"""What `nz bench SUITE -o FILE`, bench/records/*.json and `nz VERB --json` wrote, read back."""

from __future__ import annotations

import json
import math
import pathlib
import re
from dataclasses import dataclass, field

# Variants whose names begin so are other libraries.
PEERS = {"cusparse": "cuSPARSE", "graphblas": "SuiteSparse:GraphBLAS", "eigen": "Eigen", "scipy": "SciPy"}
# The variant that stands for nonzero where a suite has several, the first that is there.
MAIN = ("planned", "nonzero", "levels", "distances", "counts", "balanced_path", "hash", "float64")
# They measure something else than the result.
_ASIDE = ("estimate", "single", "call_of_ten_vertices", "streamed")
# Benches of a paper's tables and figures: the next part of a name is the table's.
PAPERS = ("papers", "dalton2015", "ji2022", "matam2012", "yang2015", "yang2018")
# What a time is held against, the first that is there.
_WORK = {"work": "entries read", "products": "products", "entries": "entries"}
_INTERNAL = {"family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
             "threads", "iterations", "cpu_time", "time_unit", "real_time", "name", "aggregate_name", "aggregate_unit"}
_FILE = re.compile(r"^(?:.*/)?([^/]+\.(?:mtx|mtx\.gz|npz|nzb|bsp\.h5|h5|hdf5|el|wel|txt|tsv|csv|edges))(?=/|$)")
_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


class UnreadableResults(ValueError):
    """A file that holds none of the three; the message says which and why."""


@dataclass(frozen=True)
class Measurement:
    """One time, in ms, of `operation` on `input` by `variant`: a kernel, or another library. facet: what else the name
    says (a type, a density). counters: numbers that explain the time."""

    operation: str
    input: str
    facet: str
    variant: str
    ms: float
    counters: dict = field(default_factory=dict, hash=False)

    @property
    def peer(self) -> str:
        """The other library's name; empty for our own."""
        return next((name for start, name in PEERS.items() if self.variant.startswith(start)), "")

    @property
    def share_of_floor(self) -> float | None:
        found = self.counters.get("share_of_floor", self.counters.get("share_of_copy"))
        return found if found is not None and math.isfinite(found) else None

    @property
    def compared(self) -> bool:
        """Whether its time stands beside those of other variants."""
        return self.variant not in _ASIDE and self.input not in _ASIDE and self.operation != "limits"


@dataclass
class Source:
    """A file. kind: "benchmarks", "picture", or the verb that wrote it. about: device, date and the like, to be printed. objects: what
    verbs printed."""

    path: pathlib.Path
    kind: str
    about: dict
    measurements: list = field(default_factory=list)
    objects: list = field(default_factory=list)


def split_name(name: str) -> tuple[str, str, str, str]:
    """Operation, input, facet and variant of a benchmark's name.

    >>> split_name("spmv/laplace3d:160/float64/csr_row/iterations:1/manual_time")
    ('spmv', 'laplace3d:160', 'float64', 'csr_row')
    >>> split_name("spgemm//data/cage10.mtx.gz/eigen")
    ('spgemm', 'cage10.mtx.gz', '', 'eigen')
    >>> split_name("dalton2015/union/1000000/int64/manual_time")
    ('dalton2015 union', '1000000', '', 'int64')
    >>> split_name("ji2022/spmspv/laplace3d:100/1/csr_merge")
    ('ji2022 spmspv', 'laplace3d:100', '1', 'csr_merge')
    """
    name = re.sub(r"/(iterations:\d+|manual_time|real_time|process_time)", "", name)
    operation, _, rest = name.partition("/")
    if operation in PAPERS:
        more, _, rest = rest.partition("/")
        operation += " " + more
    if operation == "gap":  # gap/SCALE/GRAPH/KERNEL
        scale, _, rest = rest.partition("/")
        graph, _, kernel = rest.partition("/")
        return operation, graph, f"{kernel}, 2^{scale} vertices", "nonzero"
    file = _FILE.match(rest)
    source, _, rest = (file[1], "", rest[file.end() + 1 :]) if file else rest.partition("/")
    facet, _, variant = rest.rpartition("/")
    return operation, source, facet, variant or "nonzero"


def work_of(m: Measurement, others) -> tuple[float, str] | None:
    """What m's input takes, by its own counters or those of another variant, and what that counts."""
    for same in [m, *(o for o in others if (o.operation, o.input, o.facet) == (m.operation, m.input, m.facet))]:
        for counter, name in _WORK.items():
            if same.counters.get(counter, 0) > 0:
                return same.counters[counter], name
    return None


def _counters(entry):
    return {k: v for k, v in entry.items() if k not in _INTERNAL and isinstance(v, (int, float)) and k != "ms"}


def _from_benchmarks(path, content):
    context = content.get("context", {})
    about = {"date": context.get("date"), "machine": f"{context.get('num_cpus', '?')} processors"}
    found = [
        Measurement(*split_name(b["name"]), b["real_time"] * _MS[b.get("time_unit", "ns")], _counters(b))
        for b in content["benchmarks"]
        if b.get("run_type", "iteration") == "iteration" and not b.get("error_occurred")
    ]
    return Source(path, "benchmarks", about, found)


def _from_record(path, content):
    about = {k: content.get(k) for k in ("device", "date", "commit")}
    found = [Measurement(*split_name(n), r["ms"], _counters(r)) for n, r in content["results"].items()]
    return Source(path, "benchmarks", about, found)


def _from_verbs(path, objects):
    first = objects[0]
    about = {"device": first.get("device"), "input": first.get("input", {}).get("name")}
    return Source(path, first["command"], about, objects=objects)


def read(path) -> Source:
    """Reads one file. Raises UnreadableResults, OSError."""
    path = pathlib.Path(path)
    content = path.read_bytes()
    if content.startswith(b"\x89PNG\r\n"):
        return Source(path, "picture", {})
    text = content.decode(errors="replace")
    try:
        content = json.loads(text)
    except ValueError:
        try:  # verbs print one object a line; several runs may share a file
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as why:
            raise UnreadableResults(f"{path}: no JSON: {why}") from None
    objects = content if isinstance(content, list) else [content]
    try:
        if isinstance(content, dict) and "benchmarks" in content:
            return _from_benchmarks(path, content)
        if isinstance(content, dict) and "results" in content:
            return _from_record(path, content)
        if objects and all(isinstance(o, dict) and "command" in o for o in objects):
            return _from_verbs(path, objects)
    except (KeyError, TypeError, AttributeError) as why:
        raise UnreadableResults(f"{path}: {type(why).__name__}: {why}") from None
    raise UnreadableResults(
        f"{path}: neither what `nz bench SUITE -o FILE` writes, nor a record of bench/records, nor what `nz VERB --json` prints"
    )
