# Sourced by ./nz and ./check: installs Debian packages that are missing, builds what is out of date.
# Everything here talks on standard error; standard output belongs to the program that runs afterwards.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Package names that Debian 12 and Ubuntu 24.04 share (Ubuntu has some of them in 'universe').
packages_build=(g++ cmake ninja-build pkg-config ccache zlib1g-dev libpng-dev libminizip-dev libisal-dev libhdf5-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev)
packages_bench=(libbenchmark-dev libgraphblas-dev libeigen3-dev)
packages_test=(libgtest-dev git python3-venv python3-dev dpkg-dev file)

say() { printf '%s\n' "$*" >&2; }

# What ./nz or the release suite compiled serves the Python package too, from a folder of the same depth.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Builds and tests get as many jobs as there are processors: compiling templates takes memory.
jobs=$(nproc)

# Prints those of the given packages that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
    done
}

# install_packages PACKAGE...: installs what is missing, or prints the command for it and exits 2.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "nonzero: not a Debian or Ubuntu machine; going on with what is here (needed: $*)"
        return 0
    fi
    local missing as_root=()
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            say "nonzero: packages are missing. As root, run:"
            say "  $by_hand"
            exit 2
        fi
        as_root=(sudo -n)
    fi
    say "nonzero: installing ${missing[*]}"
    # The lists may be absent or old. A failed update alone is no reason to stop: the packages may still be at hand.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update </dev/null >&2 || say "nonzero: apt-get update failed; trying to install anyway"
    if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >&2; then
        say "nonzero: could not install the packages. As root, run (on Ubuntu, with 'universe' enabled):"
        say "  $by_hand"
        exit 2
    fi
}

# ensure_packages SET...: asks dpkg once per set, and again only when this file has changed.
ensure_packages() {
    local name wanted=() stamps=()
    for name in "$@"; do
        [ "$root/build/.packages-$name" -nt "$root/scripts/setup.sh" ] && continue
        local -n packages=packages_$name
        wanted+=("${packages[@]}")
        stamps+=("$root/build/.packages-$name")
    done
    [ "${#wanted[@]}" -gt 0 ] || return 0
    install_packages "${wanted[@]}"
    touch "${stamps[@]}"
}

# locked COMMAND...: one build at a time in this tree. The lock is let go of before a program runs.
locked() {
    mkdir -p "$root/build"
    (
        if ! flock -n 9; then
            say "nonzero: waiting for another build in $root/build"
            flock 9
        fi
        "$@" 9>&-
    ) 9>"$root/build/.lock"
}

# up_to_date TARGET PATH...: the program is there, and no source (nor folder, so deletions count) is newer than its build.
up_to_date() {
    local stamp=$root/build/release/.built-$1
    [ -x "$root/build/release/bin/$1" ] && [ -e "$stamp" ] || return 1
    shift
    [ -z "$(cd "$root" && find "$@" -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# build_program TARGET PATH...: configures and builds one program of the release preset unless it is up to date.
# Ends the script where that fails: with 2 where packages are missing (told already), else with 1.
build_program() {
    up_to_date "$@" && return 0
    local status=0
    locked build_program_locked "$@" || status=$?
    [ "$status" != 1 ] || say "nonzero: the build of $1 failed"
    [ "$status" = 0 ] || exit "$status"
}

build_program_locked() {
    up_to_date "$@" && return 0   # whoever held the lock has built it
    local target=$1 tree=$root/build/release sets=(build) options=()
    if [ "$target" = nz-bench ]; then
        sets+=(bench)
        options=(-DNONZERO_BUILD_BENCH=ON)
    fi
    ensure_packages "${sets[@]}"
    mkdir -p "$tree"
    # The stamp's time is from before the build: a file saved while it runs is built next time.
    touch "$tree/.start-$target"
    if [ ! -e "$tree/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$tree/.built-$target" ]; then
        (cd "$root" && cmake --preset release "${options[@]}") >&2 || return 1
    fi
    cmake --build "$tree" --target "$target" -j "$jobs" >&2 || return 1
    mv "$tree/.start-$target" "$tree/.built-$target"
}
