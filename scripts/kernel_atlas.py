#!/usr/bin/env python3
"""Writes docs/kernels.md from the essays at the heads of the kernels' files; --check says whether it is stale."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'\{\s*"(\w+)"\s*,\s*"(\w+)"\s*,\s*presence::(here|absent)\s*,\s*"([^"]*)"\s*,\s*presence::(here|absent)\s*,\s*"([^"]*)"')


def essay(path):
    """The comment lines that a file opens with, as paragraphs of text."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return "\n".join(lines)


def source_of(backend, operation, kernel):
    folder = ROOT / "src" / "kernels" / backend / operation
    for suffix in (".cpp", ".cu", ".hpp", ".cuh"):
        path = folder / (kernel + suffix)
        if path.exists() and len(essay(path).splitlines()) > 2:
            return path
    for suffix in (".hpp", ".cpp", ".cuh", ".cu"):
        path = folder / (kernel + suffix)
        if path.exists():
            return path
    return None


def atlas():
    rows = ROW.findall((ROOT / "src/kernels/kernel_ids.hpp").read_text())
    out = ["# Kernel atlas", "",
           "Made by scripts/kernel_atlas.py from the essays in the sources; do not edit. Figures are in [measurements](measurements/index.md).",
           "Every id is pinned with `--kernel ID` or `options.kernel`. `reference` is the plain specification of every operation.", "",
           "| operation | id | CPU | CUDA |", "|---|---|---|---|"]
    for operation, kernel, cpu, cpu_reason, cuda, cuda_reason in rows:
        out.append(f"| {operation} | `{kernel}` | {'yes' if cpu == 'here' else cpu_reason} | {'yes' if cuda == 'here' else cuda_reason} |")
    for operation, kernel, cpu, _, cuda, _ in rows:
        for backend, present in (("cpu", cpu), ("cuda", cuda)):
            path = source_of(backend, operation, kernel) if present == "here" else None
            if path:
                out += ["", f"## {operation}/{kernel} ({backend})", "", f"`{path.relative_to(ROOT)}`", "", "```text", essay(path), "```"]
    return "\n".join(out) + "\n"


def main():
    target, text = ROOT / "docs" / "kernels.md", atlas()
    if "--check" in sys.argv[1:]:
        if not target.exists() or target.read_text() != text:
            print("docs/kernels.md is stale: run scripts/kernel_atlas.py")
            return 1
        print("kernel atlas: current")
        return 0
    target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
