#!/bin/sh
# Builds a host that has Pharos as a part of its own tree (add_subdirectory): the library
# alone, without tests, programs, install rules of ours or the classical indexes, which are refused.
# usage: embedded.sh SOURCE CMAKE CC CXX WORK
set -eu
source=$1 cmake=$2 cc=$3 cxx=$4 work=$5

rm -rf "$work"
mkdir -p "$work"
if ! { "$cmake" -S "$source/tests/api/consumer" -B "$work/build" -DPHAROS_SOURCE="$source" \
    -DPHAROS_CLASSICAL_INDEXES=OFF -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" &&
    "$cmake" --build "$work/build" --target all lighthouse_alone; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
for program in consumer_shared consumer_static consumer_shared_cpp consumer_static_cpp lighthouse_alone; do
    "$work/build/$program"
done
# The lines of docs/packages.md: configured alone, as they build the same.
mkdir "$work/page"
cp "$source/tests/examples/hello.c" "$work/page"
sed -n '/the test api_embedded configures/{n;:line;n;/^```$/q;p;b line}' "$source/docs/packages.md" |
    sed "s|/path/to/pharos|$source|" >"$work/page/CMakeLists.txt"
grep -q FetchContent_MakeAvailable "$work/page/CMakeLists.txt"
"$cmake" -S "$work/page" -B "$work/page/build" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
"$cmake" --install "$work/build" --prefix "$work/prefix" >"$work/log"
if [ -n "$(find "$work/prefix" -type f 2>/dev/null)" ]; then
    find "$work/prefix" -type f
    echo "FAILED: a host's install installs Pharos"
    exit 1
fi
echo "the embedded consumers run"
