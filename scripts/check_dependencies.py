#!/usr/bin/env python3
"""Checks the rules of the house that a compiler does not: scripts/check_dependencies.py [ROOT].

Arrows point down only. A file may include its own folder and folders of a lower level, and:
  - the backends (kernels/reference, kernels/cpu, kernels/cuda) do not include each other, and not io;
  - src/kernels/*.hpp is common ground and includes no backend; kernel_ids.hpp is plain data, open to plan as well;
  - algorithms name no kernel: they include neither kernels nor instantiate;
  - public headers include the standard library and each other, nothing else; anyone may include them.
Besides: CUDA headers, '#if', printing and the length of files. tests, bench and examples are free.
Prints one line per breach and ends with status 1 if there is any.
"""

import re
import sys
from pathlib import Path

LEVELS = {
    "core": 0,
    "algebra": 1,
    "storage": 2,
    "io": 3,
    "plan": 3,
    "kernels": 4,
    "kernels/reference": 4,
    "kernels/cpu": 4,
    "kernels/cuda": 4,
    "instantiate": 5,
    "ops": 6,
    "algorithms": 7,
    "cli": 8,
}
BACKENDS = {"kernels/reference", "kernels/cpu", "kernels/cuda"}
CUDA_FOLDERS = {"core", "storage", "kernels/cuda", "instantiate"}
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".inc"}
HEADERS = {".hpp", ".cuh", ".h"}
MAX_LINES = 600

STANDARD = set(
    """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
    climits clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
    valarray variant vector version""".split()
)

CUDA_HEADER = re.compile(
    r"^(cuda(_|/|\.h)|cub/|thrust/|cooperative_groups|cusparse|cublas|curand|nvrtc|nvtx|device_|mma\.h|sm_\d|vector_types)"
)
PRINTING = re.compile(
    r"(?<![\w.>])(?:std::)?(?:v?printf|puts|putchar|perror)\s*\("
    r"|\bstd::(?:cout|cerr|clog|print|println)\b|\b(?:stdout|stderr)\b|\bfmt::print(?:ln)?\s*\(\s*\""
)
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# What is not code: raw strings, comments, strings and characters (a quote after a digit separates digits).
NOT_CODE = re.compile(
    r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"'
    r"|//(?:\\\n|[^\n])*|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


def blank(text, keep_strings):
    """The text with comments (and the insides of strings) emptied; line numbers stay."""

    def replace(match):
        found = match.group()
        is_comment = found.startswith(("//", "/*"))
        if not is_comment and keep_strings:
            return found
        return ("" if is_comment else '""') + "\n" * found.count("\n")

    return NOT_CODE.sub(replace, text)


def room_of(path):
    """The room that a path relative to the root belongs to: 'kernels/cpu', 'public', 'cli', 'tests'... or None."""
    parts = path.parts
    if parts[0] == "include":
        return "public"
    if parts[0] == "src":
        return src_room(parts[1:])
    return parts[0]


def src_room(parts):
    if len(parts) < 2:
        return None
    if parts[0] == "kernels" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def included_room(root, path, target):
    """The room of an included file, or None for the standard library and other people's headers."""
    beside = (root / path).parent / target
    if beside.is_file():
        resolved = beside.resolve()
        if resolved.is_relative_to(root):
            return room_of(resolved.relative_to(root))
    parts = Path(target).parts
    if parts[0] == "nonzero":
        return "public"
    room = src_room(parts)
    if room in LEVELS or parts[0] in {"tests", "bench", "examples"}:
        return room or parts[0]
    return None


def include_breach(path, room, target, other):
    """Why a file of a room may not include target (which lives in other), or None."""
    if room == "public":
        if other == "public" or (other is None and target in STANDARD):
            return None
        return "a public header includes only public headers and the standard library"
    if other is None and CUDA_HEADER.match(target) and room not in CUDA_FOLDERS:
        return "CUDA headers belong in src/core, src/kernels/cuda and src/instantiate"
    if other in (None, "public", room):
        return None
    if other not in LEVELS:
        return f"{room} must not include {other}"
    if room == "plan" and target.endswith("kernels/kernel_ids.hpp"):
        return None
    if room in BACKENDS:
        if other in BACKENDS:
            return "backends do not include each other"
        if other == "kernels":
            return None
    if room.startswith("kernels") and other == "io":
        return "kernels must not include io"
    if room == "algorithms" and (other.startswith("kernels") or other == "instantiate"):
        return "algorithms name no kernel: go through ops"
    if LEVELS[other] >= LEVELS[room]:
        return f"arrows point down only: {room} (level {LEVELS[room]}) must not include {other} (level {LEVELS[other]})"
    return None


def check_file(root, path):
    """Yields (line, message) for each breach in one file; path is relative to root."""
    room = room_of(path)
    if room is None or (room != "public" and room not in LEVELS):
        yield 1, f"{path.parent} is no folder of the house: see LEVELS in scripts/check_dependencies.py"
        return
    text = (root / path).read_text(encoding="utf-8")
    count = len(text.splitlines())
    if count > MAX_LINES:
        yield count, f"{count} lines; a file has at most {MAX_LINES}"
    if path.suffix in HEADERS and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield 1, "a header without '#pragma once'"

    for number, line in enumerate(blank(text, keep_strings=True).split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            target = match.group(2)
            why = include_breach(path, room, target, included_room(root, path, target))
            if why:
                yield number, f'#include "{target}": {why}'
    for number, line in enumerate(blank(text, keep_strings=False).split("\n"), 1):
        if room != "core" and CONDITIONAL.match(line):
            yield number, "conditional compilation belongs in src/core and cmake/"
        if path.parts[0] == "src" and PRINTING.search(line) and not INCLUDE.match(line):
            yield number, "printing belongs in the front-ends"


def check_tree(root):
    """All breaches under root, as 'path:line: message'."""
    root = Path(root).resolve()
    breaches = []
    for top in ("src", "include", "cli"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                path = file.relative_to(root)
                breaches += [f"{path}:{line}: {message}" for line, message in check_file(root, path)]
    return breaches


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    breaches = check_tree(root)
    for breach in breaches:
        print(breach)
    print(f"dependencies: {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
