#!/bin/sh
# The same events on 64-bit ARM? Builds for it by gcc's cross compiler and runs under qemu: the hash over all events of
# one seeded run has to be that of a build of this machine, and the engine has to equal its model. Installs the
# compiler and qemu (Debian; as root or by sudo), and takes the libraries for ARM from Debian's archive into build/arm;
# the machine's own packages stay as they are. Some minutes. usage: arm.sh [--jobs N]
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
--jobs) jobs=$2 ;;
"") jobs=$(nproc) ;;
*)
    sed -n '2,5s/^# //p' "$0"
    [ "$1" = --help ] || [ "$1" = -h ]
    exit
    ;;
esac
scripts=200 # of the model: qemu takes ten times as long
work=$PWD/build/arm
root=$work/root
triple=aarch64-linux-gnu

if ! command -v $triple-gcc >/dev/null || ! command -v qemu-aarch64-static >/dev/null; then
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get install --yes --no-install-recommends gcc-$triple libc6-dev-arm64-cross qemu-user-static
fi

# Lists of packages of its own, so that the machine does not learn of another architecture.
apt_arm() {
    apt-get --quiet --quiet -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::lists="$work/lists" \
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
if [ ! -d "$root" ]; then
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
    apt_arm update
    (cd "$work/packages" && apt_arm download libck-dev libck0 libconfuse-dev libcriterion-dev)
    for package in "$work"/packages/*.deb; do dpkg-deb --extract "$package" "$root.new"; done
    # their presence alone is asked for
    sed -i '/^Requires/d' "$root.new/usr/lib/$triple/pkgconfig/criterion.pc"
    mv "$root.new" "$root"
fi

# build FOLDER OPTIONS...
build() {
    folder=$1
    shift
    cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O2 -DPHAROS_BUILD_TOOLS=OFF \
        -DPHAROS_BUILD_BENCH=OFF -DPHAROS_HARDEN=OFF "$@" >"$folder.log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" --target event_hash_run --target diff_model >>"$folder.log" 2>&1 ||
        { tail -n 20 "$folder.log"; echo "$folder: does not build"; exit 1; }
}
on_arm() {
    qemu-aarch64-static -L /usr/$triple -E LD_LIBRARY_PATH="$root/usr/lib/$triple" "$@"
}

build "$work/here"
PKG_CONFIG_LIBDIR=$root/usr/lib/$triple/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
build "$work/there" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=$triple-gcc

here=$("$work/here/tests/event_hash_run")
there=$(on_arm "$work/there/tests/event_hash_run")
echo "here: $here"
echo "ARM:  $there"
[ -n "$here" ] && [ "$here" = "$there" ] || { echo "the events differ"; exit 1; }
on_arm "$work/there/tests/diff_model" --count $scripts
