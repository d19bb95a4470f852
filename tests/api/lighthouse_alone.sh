#!/bin/sh
# Builds the library without the classical indexes, in a host's tree: they are refused, and the rest works.
# usage: lighthouse_alone.sh SOURCE CMAKE CC CXX WORK
set -eu
source=$1 cmake=$2 cc=$3 cxx=$4 work=$5

rm -rf "$work"
mkdir -p "$work"
if ! { "$cmake" -S "$source/tests/api/consumer" -B "$work/build" -DPHAROS_SOURCE="$source" \
    -DPHAROS_CLASSICAL_INDEXES=OFF -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" &&
    "$cmake" --build "$work/build" --target consumer_static lighthouse_alone; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
"$work/build/consumer_static"
"$work/build/lighthouse_alone"
