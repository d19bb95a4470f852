#!/bin/sh
# From a fresh clone to figures: installs missing packages, builds the Release programs in
# build/bench, replays a small trace and shows its events, then runs the load bench.
# usage: bench.sh [ARGUMENTS OF pharos-bench]    without any: every scenario, a minute or two
set -eu
cd "$(dirname "$0")/.."

scripts/install_deps.sh
folder=build/bench
mkdir -p "$folder"
echo "building in $folder"
if ! { cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DPHAROS_BUILD_TESTS=OFF &&
    cmake --build "$folder" -j "$(nproc)"; } >"$folder/log" 2>&1; then
    tail -n 40 "$folder/log"
    exit 1
fi

if [ $# -eq 0 ]; then
    echo
    echo "tests/data/replay_small.csv on 2 workers and 2 x 2 shards; every enter and leave of each observer:"
    "$folder/src/tools/pharos-replay" tests/data/replay_small.csv --set view=10 --set margin=2 \
        --set world_size=100,100 --set tower_size=10 --workers 2 --shards 2x2 --events -
    echo
    workers=1
    [ "$(nproc)" -eq 1 ] || workers=1,$(nproc)
    set -- --scenario all --workers "$workers" --shards 4x4
fi
echo "pharos-bench $*"
exec "$folder/bench/pharos-bench" "$@"
