#!/bin/sh
# The long run: all builds' event hashes, clang-tidy's long way, the port of vcpkg and the recipe of Conan, Debian 11's
# CMake, the ABI check with seeded breaks, then seeded tests with ever new seeds, and the fuzzers, until the time is up.
# Stops at the first failure and prints the command that repeats it.
# usage: soak.sh [--cluster] [MINUTES]    default 60
#   --cluster   tests of the cluster alone, in their longest forms: schedules without end (a night has a million),
#               federations by the thousand, processes, none of which may grow; and 100,000 walkers with a kill in each
#               minute of their clock, 480 of them. One takes five minutes or more of a slow core, so a night of 480
#               minutes on two cores comes to 50 .. 90: it says how far it came, and fails below 24. All 480 take two
#               days, or a faster machine. An hour goes once through each part, which has its share of it and ever new
#               seeds; fewer minutes too, with smaller shares, but no part has less than one run
set -eu
cd "$(dirname "$0")/.."

only=all
if [ "${1:-}" = --cluster ]; then
    only=cluster
    shift
fi
minutes=${1:-60}
case $minutes in
*[!0-9]* | "")
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
jobs=$(nproc)

scripts/install_deps.sh --tests
scripts/install_deps.sh --cluster || echo "libraries of a cluster can not be installed here"
mkdir -p build/soak
legs="relassert asan tsan fuzz" target=all
[ $only = all ] || legs="relassert asan" target=cluster_tests
for leg in $legs; do
    echo "building $leg"
    [ "$leg" != fuzz ] || target=fuzzers
    if ! { cmake --preset "$leg" && cmake --build --preset "$leg" -j "$jobs" --target $target; } \
        >"build/soak/$leg.build.log" 2>&1; then
        tail -n 40 "build/soak/$leg.build.log"
        exit 1
    fi
done

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:history_size=7

run_s=3600 # that one run may take: each is to end in half of it on a machine that is not busy
end=$(($(date +%s) + 60 * minutes))
ran=0
missed= # what was left out, each said once
leave_out() # leave_out PROGRAM REASON
{
    case " $missed " in *" $1 "*) return 0 ;; esac
    missed="$missed $1"
    echo "left out: $1, $2"
}

say_runs()
{
    [ $ran -gt 0 ] || {
        echo "nothing was run${missed:+; left out:$missed}"
        exit 1
    }
    echo "$ran runs passed, 0 failed${missed:+; left out:$missed}"
}

run() # run BUILD PROGRAM ARGUMENTS...
{
    command="build/$1/tests/$2"
    log=build/soak/$1.$2.log
    percent=100
    [ "$1" != tsan ] || percent=10 # of tests without a count of their own: TSan is 25 times slower
    export PHAROS_TEST_PERCENT=$percent
    shift 2
    status=0
    [ "$(date +%s)" -lt "$end" ] || return 0
    timeout $run_s "$command" "$@" >"$log" 2>&1 || status=$?
    if [ $status -eq 77 ]; then # it needs something that this machine has not
        leave_out "$command" "$(tail -n 1 "$log")"
        return 0
    fi
    if [ $status -ne 0 ]; then
        tail -n 40 "$log"
        [ $status -ne 124 ] || echo "it was ended after $run_s s"
        echo "FAILED: PHAROS_TEST_PERCENT=$percent $command $*"
        exit 1
    fi
    ran=$((ran + 1))
}

# One part of a round: runs of so many seeds each, the next ones each time, until its share of the round's time is over.
part() # part PERCENT BUILD PROGRAM SEEDS ARGUMENTS...
{
    until=$(($(date +%s) + 60 * round * $1 / 100))
    part_build=$2 part_program=$3 part_seeds=$4 first=$round_seed
    shift 4
    if [ ! -x "build/$part_build/tests/$part_program" ]; then
        leave_out "build/$part_build/tests/$part_program" "which is not built here"
        return 0
    fi
    while true; do
        run "$part_build" "$part_program" --seed "$first" --count "$part_seeds" "$@"
        [ $status -ne 77 ] || return 0
        first=$((first + part_seeds))
        [ "$(date +%s)" -lt $((until < end ? until : end)) ] || return 0
    done
}

# All parts of the cluster, in so many minutes of a machine that is not busy. cluster_oom and cluster_soak know no count: one
# seed each time. Sanitizers take ten times as long: relassert makes 200 schedules of cluster_sim a second, 90 of
# cluster_sim_members, one or two federations.
run_cluster() # run_cluster SEED MINUTES
{
    round_seed=$1 round=$2
    for leg in relassert asan; do
        many=$([ $leg = relassert ] && echo 10 || echo 1)
        part 3 $leg cluster_says $((3 * many))
        part 2 $leg cluster_oom 1 --every $((10 / many))
        part 2 $leg cluster_doubles $((20 * many))
        part 12 $leg cluster_sim $((200 * many))
        part 10 $leg cluster_sim_members $((50 * many))
    done
    part 9 relassert federation 20 # worlds beside one world, a night has some thousands
    part 8 relassert cluster_hosts 20
    part 5 asan cluster_soak 1 --walkers 2000 --kills 2
    for test in cluster_live cluster_cables; do # they take turns with all else: their bounds want a machine that is not busy
        part 10 relassert $test 1 --faults 4 --node build/relassert/src/tools/pharos-node \
            --nats "$(command -v nats-server || echo /usr/sbin/nats-server)" --etcd "$(command -v etcd)"
    done
}

# Every round has seeds of its own; the first ones are past the seeds of the ordinary tests.
seed=1000000

if [ $only = cluster ]; then
    # Beside the others, until the time is up: a minute of its clock takes five on a slow processor. The least is a
    # quarter of that. It has the lowest priority, as the others' bounds want a machine that is not busy: so other work
    # may leave it less, and then it goes on behind them, until it has had the least, or as much time of processors;
    # fewer come only where each costs ever more.
    long="build/relassert/tests/cluster_soak --walkers 100000 --period 1200 --kills 480 --minutes $minutes"
    long="$long --least $((minutes < 20 ? 1 : minutes < 9600 ? minutes / 20 : 480))"
    # shellcheck disable=SC2086
    nice -n 19 $long >build/soak/cluster_soak.log 2>&1 &
    soak=$!
    trap 'kill $soak 2>/dev/null || true' EXIT
    last=$end end=$((end + 60 * minutes)) # the last round is whole
    # Once, in a tenth of the time: what leaks, and little of it, leaks for long.
    memory_minutes=$((minutes < 20 ? 2 : minutes < 500 ? minutes / 10 : 50))
    [ ! -x build/relassert/tests/cluster_memory ] || run relassert cluster_memory --seed $seed --minutes $memory_minutes \
        --node build/relassert/src/tools/pharos-node --nats "$(command -v nats-server || echo /usr/sbin/nats-server)" \
        --etcd "$(command -v etcd)"
    while [ "$(date +%s)" -lt "$last" ]; do
        run_cluster $seed $((minutes < 60 ? minutes : 60))
        kill -0 $soak 2>/dev/null || grep -q '^cluster_soak: passed' build/soak/cluster_soak.log || break
        seed=$((seed + 200000))
        echo "$(date +%T): $ran runs, 0 failed; next seed $seed"
    done
    echo "waiting for the last period of 100,000 walkers"
    renice -n 0 -p $soak >/dev/null 2>&1 || true # others than root may not: it only takes longer
    status=0
    wait $soak || status=$? # it ends with its period
    if [ $status -ne 0 ]; then
        tail -n 40 build/soak/cluster_soak.log
        echo "FAILED: $long"
        exit 1
    fi
    tail -n 3 build/soak/cluster_soak.log
    say_runs
    exit 0
fi

scripts/determinism.sh --jobs "$jobs" # over all compilers and levels
scripts/tidy --deep --jobs "$jobs"
scripts/coverage --jobs "$jobs" # names what no test reaches
scripts/packaging/recipes --jobs "$jobs" # the port of vcpkg and the recipe of Conan
scripts/install_deps.sh --packages
scripts/packaging/oldest_cmake --jobs "$jobs" || [ $? -eq 77 ] # 77: left out, which it says
scripts/packaging/abi --self-test --jobs "$jobs"

while [ "$(date +%s)" -lt "$end" ]; do
    run relassert diff_model --seed "$seed" --count 20000
    run asan diff_model --seed $((seed + 20000)) --count 4000
    run relassert diff_layout --seed "$seed" --count 6
    run relassert save_load --seed "$seed" --count 10000
    run relassert journal_replay --seed "$seed" --count 2000
    run relassert journal_short --seed "$seed" --count 10000
    run asan diff_simd --seed "$seed" --count 400
    run tsan diff_layout --seed $((seed + 6)) --count 2 --entities 600
    for stress in stress_ring stress_workers stress_directory stress_command_queue stress_consumer stress_world; do
        run relassert $stress --seed "$seed"
        run tsan $stress --seed "$seed"
    done
    for leg in relassert asan; do
        [ ! -x "build/$leg/tests/store_journal" ] || run "$leg" store_journal --seed "$seed" --count 1000
        [ ! -x "build/$leg/tests/store_follow" ] || run "$leg" store_follow --seed "$seed"
    done
    run_cluster "$seed" 15
    # The balancer, and all that a member asks of etcd, with the threads of the store and of the transport.
    [ ! -x build/tsan/tests/cluster_operator ] || run tsan cluster_operator --seed "$seed" \
        --tool build/tsan/src/tools/pharos-cluster --node build/tsan/src/tools/pharos-node \
        --nats "$(command -v nats-server || echo /usr/sbin/nats-server)" --etcd "$(command -v etcd)"
    [ ! -x build/relassert/tests/cluster_soak ] || run relassert cluster_soak --seed "$seed" --walkers 20000 --kills 20
    for fuzzer in build/fuzz/tests/fuzz_*; do
        name=$(basename "$fuzzer")
        case $name in *.*) continue ;; esac
        mkdir -p "build/soak/$name.found"
        run fuzz "$name" -seed=$((seed % 2147483647)) -max_total_time=120 -timeout=20 -rss_limit_mb=2048 \
            -artifact_prefix=build/soak/ "build/soak/$name.found" "tests/fuzz/corpus_${name#fuzz_}"
    done
    seed=$((seed + 100000))
    echo "$(date +%T): $ran runs, 0 failed; next seed $seed"
done
say_runs
