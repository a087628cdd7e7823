#!/usr/bin/env python3
"""Checks that the backends mirror each other: scripts/check_mirror.py [ROOT].

src/kernels/kernel_ids.hpp lists every variant in rows
    {"mxv", "csr_row", presence::here, "", presence::absent, "needs the CUDA backend"}
(operation, id, CPU presence and reason, CUDA presence and reason). A row that says 'here' has a file
src/kernels/{cpu,cuda}/<operation>/<id>.*; one that says 'absent' has none, and gives a reason; and every file there has
a row. Files in schedule/ and files named common* are shared by variants and need none.
Prints one line per breach and ends with status 1 if there is any.
"""

import re
import sys
from pathlib import Path

SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'   # a formatter may split a long one into several
ROW = re.compile(
    rf'\{{\s*"(\w+)"\s*,\s*"(\w+)"\s*,\s*presence::(here|absent)\s*,\s*{STRING},'
    rf"\s*presence::(here|absent)\s*,\s*{STRING},?\s*\}}"
)


def parse_rows(text):
    """The rows as (operation, id, {backend: (presence, reason)})."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    rows = []
    for operation, name, cpu, cpu_reason, cuda, cuda_reason in ROW.findall(text):
        reasons = [re.sub(r'"\s*"', "", reason).strip().strip('"') for reason in (cpu_reason, cuda_reason)]
        rows.append((operation, name, {"cpu": (cpu, reasons[0]), "cuda": (cuda, reasons[1])}))
    return rows


def find_variants(root, backend):
    """The (operation, stem) pairs that have a file in a backend."""
    found = set()
    for file in (root / "src/kernels" / backend).glob("*/*"):
        shared = file.parent.name == "schedule" or file.name.startswith("common")
        if file.suffix in SUFFIXES and not shared:
            found.add((file.parent.name, file.stem))
    return found


def check_tree(root):
    """All breaches under root; none while the list of kernels is not there yet."""
    root = Path(root)
    listing = root / "src/kernels/kernel_ids.hpp"
    if not listing.is_file():
        return []
    rows = parse_rows(listing.read_text(encoding="utf-8"))
    listed = [(operation, name) for operation, name, _ in rows]
    breaches = [f"{op}/{name}: listed twice" for op, name in sorted(set(listed)) if listed.count((op, name)) > 1]
    for backend in ("cpu", "cuda"):
        files = find_variants(root, backend)
        for operation, name, backends in rows:
            presence, reason = backends[backend]
            where = f"src/kernels/{backend}/{operation}/{name}"
            if presence == "here" and (operation, name) not in files:
                breaches.append(f"{operation}/{name}: listed as here for {backend}, but there is no {where}.*")
            if presence == "absent" and (operation, name) in files:
                breaches.append(f"{operation}/{name}: listed as absent for {backend}, but there is {where}.*")
            if presence == "absent" and not reason:
                breaches.append(f"{operation}/{name}: absent for {backend} without a reason")
        for operation, name in sorted(files - set(listed)):
            breaches.append(f"src/kernels/{backend}/{operation}/{name}.*: no row in src/kernels/kernel_ids.hpp")
    return breaches


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    breaches = check_tree(root)
    for breach in breaches:
        print(breach)
    print(f"mirror: {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
