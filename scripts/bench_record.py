#!/usr/bin/env python3
"""Keeps the last full benchmark of a device: bench/records/DEVICE.json.

  bench_record.py make DEVICE FILE.json...   writes the record from one run's files (Google Benchmark's and GoogleTest's)
  bench_record.py check                      says of each record whether the sources have changed since
A record holds the machine, the commit, a hash of the sources that it measured, the outcome of the tests on that device and the
figures, with the kernel that the plan took where it chose. A stale record is no error: it says that the figures are of other sources."""
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = ROOT / "bench/records"
MEASURED = ("include", "src/core", "src/kernels", "src/ops", "src/plan", "src/storage")


def source_hash(root=ROOT):
    """Of every file that can change what the benches measure."""
    digest = hashlib.sha256()
    for folder in MEASURED:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file():
                digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def machine_of(benches):
    """What all files say of the machine; files of several machines are no record."""
    said = {}
    for bench in benches:
        for key, value in bench["context"].items():
            if key != "num_cpus" and not key.startswith("gpu"):
                continue
            if said.setdefault(key, value) != value:
                sys.exit(f"files of different machines: {key} is {said[key]} and {value}; give those of one")
    for bench in benches:  # a clock, which is not a machine's own
        if "mhz_per_cpu" in bench["context"]:
            said["mhz_per_cpu"] = bench["context"]["mhz_per_cpu"]
    return said


def make(device, files):
    contents = [json.loads(pathlib.Path(f).read_text()) for f in files]
    benches = [c for c in contents if "benchmarks" in c]
    tests = [c for c in contents if "testsuites" in c]
    skipped = sum(t.get("result") == "SKIPPED" for c in tests for suite in c["testsuites"] for t in suite["testsuite"])
    # A label is the kernel that the plan took.
    internal = {"family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
                "threads", "iterations", "cpu_time", "time_unit", "real_time", "name"}
    record = {
        "device": device,
        "date": min(b["context"]["date"] for b in benches),
        "machine": machine_of(benches),
        "commit": subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                                 check=True).stdout.strip(),
        "sources": source_hash(),
        "tests": {"run": sum(c["tests"] for c in tests) - skipped, "failed": sum(c["failures"] for c in tests),
                  "skipped": skipped},
        "results": {b["name"].split("/iterations")[0]:
                    {"ms": round(b["real_time"], 5)} |
                    {"plan" if k == "label" else k: v for k, v in b.items() if k not in internal}
                    for bench in benches for b in bench["benchmarks"] if not b.get("error_occurred")},
    }
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{device}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{path.relative_to(ROOT)}: {len(record['results'])} results")


def check():
    now = source_hash()
    for path in sorted(RECORDS.glob("*.json")):
        record = json.loads(path.read_text())
        state = "of these sources" if record["sources"] == now else f"stale: of commit {record['commit'][:10]}"
        print(f"record {path.stem}: {state}; tests there: {record['tests']['run']} run, "
              f"{record['tests']['failed']} failed")


def main(arguments):
    if len(arguments) > 2 and arguments[0] == "make":
        make(arguments[1], arguments[2:])
    elif arguments == ["check"]:
        check()
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
