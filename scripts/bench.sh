#!/bin/sh
# From a fresh clone to figures: installs missing packages, builds the Release programs in
# build/bench, replays a small trace and shows its events, then runs the load bench.
# usage: bench.sh [ARGUMENTS OF pharos-bench]    without any: five scenarios beside two baselines, half a minute;
#                                                `--scenario all`: every scenario
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
    # its log has a warning, as the trace ends without an observer
    if ! "$folder/src/tools/pharos-replay" tests/data/replay_small.csv --set view=10 --set margin=2 \
        --set world_size=100,100 --set tower_size=10 --workers 2 --shards 2x2 --events - 2>"$folder/replay.log"; then
        cat "$folder/replay.log"
        exit 1
    fi
    echo
    workers=1
    [ "$(nproc)" -eq 1 ] || workers=1,$(nproc)
    cat <<'LEGEND'
The load bench, five scenarios: entities that walk in a wide land (walk-10k, walk-100k), with 30 others in view
(dense-100k), 75 (hotspot) and 525 (crowd). All of them observe, and all of them move in every tick.

  pharos    on one worker, and on one for each CPU
  batch     a tuned program for this one purpose, on one thread
  rescan    a plain program of one day's work, on one thread
  ns/move   time of a tick for each entity: the shortest tick, and the median

What you should see: one event hash for all rows of a scenario, as all engines find the same enters and leaves; `batch`
takes two to twelve times as long as pharos, `rescan` ten to seventy times. Two workers take 0.6 to 0.9 of the time of one;
they gain little or nothing in walk-10k and hotspot, whose ticks are 0.2 and 0.5 ms long. A machine that is busy with other work shows less: a worker then
waits for a CPU in every tick.

LEGEND
    set -- --scenario walk-10k,walk-100k,dense-100k,hotspot,crowd --engine pharos,batch,rescan --shards 1x1 \
        --workers "$workers" --ticks 30 --warmup 5
fi
echo "pharos-bench $*"
exec "$folder/bench/pharos-bench" "$@"
