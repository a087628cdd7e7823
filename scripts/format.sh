#!/usr/bin/env bash
# scripts/format.sh [--check]: formats every C++ and CUDA file that git knows, or only says which ones differ.
# One version for everyone (another one formats differently), from PyPI, kept in .cache/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=18.1.8
home=.cache/clang-format-$version
if ! "$home/bin/clang-format" --version >/dev/null 2>&1; then
    rm -rf "$home"
    python3 -m venv "$home" >&2
    "$home/bin/pip" install --quiet --disable-pip-version-check "clang-format==$version" >&2
fi

mode=(-i)
if [ "${1-}" = --check ]; then mode=(--dry-run --Werror); fi
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.h' | xargs -0 -r -n 20 -P "$(nproc)" "$home/bin/clang-format" "${mode[@]}"
