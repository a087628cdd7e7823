#!/usr/bin/env bash
# scripts/test_install.sh BUILD_DIR: what a user gets of a build. Installs it to a temporary prefix and builds
# tests/build/consumer against it, by find_package and by pkg-config; runs the examples of the documents; then the same
# of a shared library (from the same objects, so that ccache has them), whose exported symbols are checked, and of the .deb.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?usage: scripts/test_install.sh BUILD_DIR}" && pwd)
shared=$build/shared

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

said() { printf -- '-- %s: %d s\n' "$1" $((SECONDS - start)); start=$SECONDS; }
start=$SECONDS

# consumer PREFIX NAME: by find_package, then by pkg-config.
consumer() {
    local prefix=$1 at=$work/$2
    cmake -S "$root/tests/build/consumer" -B "$at" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$at"
    "$at/consumer"
    local pc
    pc=$(dirname "$(find "$prefix" -name nonzero.pc)")
    # shellcheck disable=SC2046
    "${CXX:-c++}" -std=c++20 "$root/tests/build/consumer/main.cpp" -o "$at/by_pkg_config" \
        $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs nonzero)
    LD_LIBRARY_PATH=$(dirname "$pc") "$at/by_pkg_config"
}

cmake --install "$build" --prefix "$work/static" >"$work/log"
consumer "$work/static" consumer
said 'static library, by find_package and pkg-config'
if [ -e "$build/bin/nz" ] && [ -e "$build/bin/nz-bench" ]; then
    "$work/static/bin/nz" --version
    python3 "$root/scripts/run_documents.py" "$work/static"
    said 'examples of the documents'
else
    echo '-- examples of the documents: not run, this build has no nz or no nz-bench'
fi

of_build() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
cmake -S "$root" -B "$shared" -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE="$(of_build CMAKE_BUILD_TYPE)" \
    -DNONZERO_NATIVE="$(of_build NONZERO_NATIVE)" -DNONZERO_CUDA=OFF -DNONZERO_BUILD_TESTS=OFF -DNONZERO_BUILD_BENCH=OFF
cmake --build "$shared" -j "$(nproc)" >"$work/log" || { cat "$work/log"; exit 1; }
library=$(find "$shared/lib" -name 'libnonzero.so.*.*.*')
readelf -d "$library" | grep SONAME
python3 "$root/scripts/exports.py" --of "$library"
said 'shared library and its symbols'

(cd "$shared" && cpack -G DEB -B "$work/deb" >"$work/log") || { cat "$work/log"; exit 1; }
dpkg-deb --info "$work"/deb/*.deb | grep -E 'Package|Version|Depends'
dpkg -x "$work"/deb/*.deb "$work/root"
consumer "$work/root/usr" consumer_of_deb
"$work/root/usr/bin/nz" bfs grid2d:20 --validate
python3 "$root/scripts/run_documents.py" "$work/root/usr" cpp
said '.deb'
