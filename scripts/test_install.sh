#!/usr/bin/env bash
# scripts/test_install.sh BUILD_DIR: installs a build to a temporary prefix, then configures, builds and runs
# tests/build/consumer against that prefix, as a user would.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:?usage: scripts/test_install.sh BUILD_DIR}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix"
cmake -S "$root/tests/build/consumer" -B "$work/consumer" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/consumer"
"$work/consumer/consumer"
if [ -e "$build/bin/nz" ]; then "$work/prefix/bin/nz" --version; fi
