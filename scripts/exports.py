#!/usr/bin/env python3
"""Writes cmake/exports.map, the names that a shared libnonzero lets out: those that the public headers declare in
namespace nz. --check says whether it is stale; --of LIBRARY whether the library exports these and nothing else."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cpp_reference import HEADERS, items, name_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAP = ROOT / "cmake/exports.map"


def public_names():
    """The classes and the functions of the public headers, and those of the classes that are thrown or have virtual functions.
    Functions that the headers define themselves are left out."""
    classes, functions, typed = set(), set(), set()
    for path in HEADERS.glob("*.hpp"):
        for _, declaration in items(path.read_text()):
            name = name_of(declaration)
            code = re.sub(r"^template <[^\n]*>\n", "", declaration)
            if not name or code.startswith(("enum", "using", "concept", "inline constexpr")):
                continue
            if code.startswith(("class", "struct")):
                classes.add(name)
                if re.search(r"\bvirtual\b|^class \w+ : public", declaration):
                    typed.add(name)
            elif not declaration.startswith(("template", "constexpr", "inline")):
                functions.add(name)
    return sorted(classes), sorted(functions), sorted(typed)


def exports():
    classes, functions, typed = public_names()
    lines = ["/* Made by scripts/exports.py from the public headers; do not edit. */", "{", "  global:", '    extern "C++" {']
    lines += [f"      nz::{name}::*;" for name in classes]
    lines += [f'      "typeinfo for nz::{name}"; "typeinfo name for nz::{name}"; "vtable for nz::{name}";' for name in typed]
    # Behind the name stands a bracket: of the parameters, or of [abi:cxx11] where a std::string is returned.
    lines += [f"      nz::{name}[!a-z0-9_]*;" for name in functions]
    return "\n".join([*lines, "    };", "  local: *;", "};"]) + "\n"


def wrong_exports(library):
    """What the library exports beside the public names."""
    classes, functions, typed = public_names()
    table = subprocess.run(["nm", "-D", "-C", "--defined-only", library], text=True, stdout=subprocess.PIPE, check=True).stdout
    found = [line.split(" ", 2)[2] for line in table.splitlines()]
    allowed = re.compile(
        rf"(typeinfo|typeinfo name|vtable) for nz::({'|'.join(typed)})$|nz::({'|'.join(classes)})::\S"
        rf"|nz::({'|'.join(functions)})(\[abi:cxx11\])?\("
    )
    missing = [f for f in functions if not any(re.match(rf"nz::{f}[(\[]", n) for n in found)]
    return [n for n in found if not allowed.match(n)], missing, len(found)


def main():
    if sys.argv[1:2] == ["--of"]:
        wrong, missing, count = wrong_exports(sys.argv[2])
        for name in wrong:
            print(f"not public, but exported: {name}")
        for name in missing:
            print(f"public, but not exported: {name}")
        print(f"{count} symbols exported")
        return 1 if wrong or missing else 0
    if "--check" in sys.argv[1:]:
        if not MAP.exists() or MAP.read_text() != exports():
            print("cmake/exports.map is stale: run scripts/exports.py")
            return 1
        print("exports: current")
        return 0
    MAP.write_text(exports())
    return 0


if __name__ == "__main__":
    sys.exit(main())
