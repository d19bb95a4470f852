#!/bin/sh
# One seeded run, built by every compiler at every level: the hash over all its events must
# be the same. usage: determinism.sh [--quick] [--jobs N] [ARGUMENTS OF event_hash_run...]
#   --quick   the two builds that differ most, instead of eight
set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc)
builds="gcc:-O0 gcc:-O2 gcc:-O3 gcc:-O3,-march=native clang:-O0 clang:-O2 clang:-O3 clang:-O3,-march=native"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) builds="gcc:-O0 clang:-O3,-march=native" ;;
    --jobs) jobs=$2; shift ;;
    *) break ;;
    esac
    shift
done

first=
failed=0
count=0
for build in $builds; do
    compiler=${build%%:*}
    flags=$(echo "${build#*:}" | tr ',' ' ')
    folder=build/determinism/$compiler$(echo "$flags" | tr -d ' =')
    mkdir -p "$folder"
    if ! { cmake -S . -B "$folder" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" \
        -DPHAROS_BUILD_TOOLS=OFF -DPHAROS_BUILD_BENCH=OFF -DPHAROS_HARDEN=OFF &&
        cmake --build "$folder" -j "$jobs" --target event_hash_run; } >"$folder/log" 2>&1; then
        tail -n 20 "$folder/log"
        echo "$build: does not build"
        failed=1
        continue
    fi
    if ! hash=$("$folder/tests/event_hash_run" "$@") || [ -z "$hash" ]; then
        echo "$build: the run failed"
        failed=1
        continue
    fi
    echo "$hash" | sed "s/^/$compiler $flags: /"
    first=${first:-$hash}
    if [ "$hash" != "$first" ]; then
        echo "$build: differs"
        failed=1
    fi
    count=$((count + 1))
done
echo "$count builds compared"
[ "$failed" -eq 0 ] && [ "$count" -gt 1 ]
