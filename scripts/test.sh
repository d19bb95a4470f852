#!/bin/sh
# Builds and runs the tests, once per build that finds bugs which the others miss. Each leg
# ends with a line "LEG: N passed, N failed"; the exit status is 0 when nothing failed. Else the last lines of all say why.
# usage: test.sh [--quick] [--jobs N] [LEG ...]
#   --quick   the release leg alone
#   LEG       release asan tsan bindings view tidy determinism fuzz packages; all of these when none is named. By name alone
#             cluster: of release, what tests the cluster, with nodes and servers as processes, which want a machine that is
#             not busy (label live), and its decoders with the inputs of their corpora (leg fuzz has new ones);
#             coverage: branches that no test reaches, which no share of fails
set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc)
legs=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) legs=release ;;
    --jobs) jobs=$2; shift ;;
    release | asan | tsan | bindings | view | tidy | fuzz | coverage | determinism | packages | cluster) legs="$legs $1" ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
# The finds of each leg alone:
#   release      the users' build: optimised, assertions off; also installing, and the lint; but pharos-view (leg view)
#   asan         memory errors, leaks, undefined behaviour; the other compiler's warnings and code, with assertions and
#                whole-structure checks (clang)
#   tsan         data races; threads held up at random
#   bindings     other languages: their traces, pages and costs; a language that is not installed is named and skipped
#   cluster      servers and nodes that die or stand still, with bounds of time; without servers it fails
#   view         pharos-view: the page rebuilt to its bytes, and in chromium (npm packages, 250 MB on a bare machine); a test of
#                it that is skipped fails
#   tidy         mistakes that clang-tidy knows and its analyser finds on paths that no test takes
#   fuzz         inputs that no test has, a bounded run of each fuzzer (clang)
#   determinism  one event hash over compilers and optimisation levels, the two that differ most (soak.sh: all eight)
#   packages     the Debian packages: lintian, and on a bare Debian the tutorial's first step; that part is left out without
#                root, debootstrap or a mirror
legs=${legs:-release asan tsan bindings view tidy determinism fuzz packages}

scripts/install_deps.sh --tests
mkdir -p build

# The python3 of the packages above, before one of another place, whose shims may take ten times as long to start.
if [ -x /usr/bin/python3 ]; then
    mkdir -p build/bin
    ln -sf /usr/bin/python3 build/bin/python3
    export PATH="$PWD/build/bin:$PATH"
fi
# Make starts several processes for a file, Ninja one. A folder that is configured keeps its own.
command -v ninja >/dev/null && export CMAKE_GENERATOR=Ninja
# A freed block is used again, and not given back to the kernel: on a virtual machine a fresh page costs up to 50 us, and tests
# that make worlds by the thousand took half as long again.
export GLIBC_TUNABLES="glibc.malloc.mmap_threshold=$((32 << 20)):glibc.malloc.trim_threshold=$((1 << 30))" # 32 MiB: the most
# Tests wait for threads, processes and their waking: one more of them than processors keeps those busy.
tests_at_once=$((jobs + 1))

summary=build/summary.txt
reasons=build/reasons.txt # of legs that failed
: >"$summary"
: >"$reasons"
failed_legs=
view_missing= # the browser or its packages can not be installed here
untested=

tell() # tell LEG PASSED FAILED SECONDS
{
    echo "$1: $2 passed, $3 failed ($4 s)" | tee -a "$summary"
    [ "$3" -eq 0 ] || failed_legs="$failed_legs $1"
}

# CI shows the last lines alone, so these say why a leg failed. Lines come from standard input.
note_reason() # note_reason LEG
{
    head -n 5 | sed "s/^/$1: /" | cut -c1-200 >>"$reasons"
}

# Each failed test in a log of ctest, with the first line of it that names a fault, else its last one.
failed_tests() # failed_tests LOG
{
    awk '
    /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
        is_failed = /\*\*\*/ && !/\*\*\*Skipped/
        if (!is_failed) next
        name = how = $0
        sub(/^.* Test +#[0-9]+: /, "", name)
        sub(/ .*/, "", name)
        sub(/.*\*\*\*/, "", how)
        sub(/ +([0-9.]+ sec|Error regular expression).*/, "", how)
        names[++count] = name " (" how ")"
        next
    }
    /^[0-9]+% tests passed/ { is_failed = 0 }
    { sub(/^\[[^]]*\] */, "") } # of criterion
    !is_failed || /^ *Start +[0-9]+: / || !/[^ ]/ { next }
    /^[^ ]/ { last[count] = $0 }
    wants_more { fault[count] = fault[count] " " $0; wants_more = 0 }
    !(count in fault) && /:[0-9]+: |ERROR: |WARNING: ThreadSanitizer|Error|FAILED|signal/ {
        fault[count] = $0
        wants_more = /Assertion [Ff]ailed$/ # the next line has the condition
    }
    END {
        shown = count > 5 ? 4 : count
        for (i = 1; i <= shown; i++) print names[i] ": " (i in fault ? fault[i] : last[i])
        for (rest = "and"; i <= count; i++) rest = rest " " names[i]
        if (count > shown) print rest
    }' "$1"
}

# A test of the leg view that is skipped, for want of node, chromium or npm packages, passes for ctest. Here it fails: the packages
# were installed for it, so a test that lacks them is a fault of this leg, and would stay unseen for ever. Where they can not
# be installed (no apt-get, no root, no network) no change of the source would make it green: the rest of the leg is
# judged, and the last lines of all say what was not tested.
judge_skipped() # judge_skipped LOG: adds to failed
{
    skipped=$(grep -c -E '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$1") || return 0
    if [ -n "$view_missing" ]; then
        untested="${untested:+$untested; }view: $skipped tests were skipped: $view_missing"
    else
        echo "view: $skipped tests were skipped, though scripts/install_deps.sh --view has installed what they need: see $1"
        failed=$((failed + skipped))
        echo "$skipped tests were skipped" | note_reason view
    fi
}

# Real servers are the subject of the leg cluster: without them it fails, whether a test is skipped or was never built. Cables
# between machines need root and namespaces of networks, which containers may not allow: these the last lines name.
judge_servers() # judge_servers LOG: adds to failed, and to total
{
    skipped=$(sed -n -E 's/^.*Test +#[0-9]+: ([a-z_]+) .*\*\*\*Skipped.*/\1/p' "$1" | sort -u)
    left_out=$(sed -n -E 's/^.*-- (cluster_[a-z_]+) is left out.*/\1/p' "$1" | sort -u)
    for name in $skipped; do
        if [ "$name" = cluster_cables ]; then
            untested="${untested:+$untested; }cluster: $name, which needs root and namespaces of networks"
        else
            failed=$((failed + 1))
            echo "$name was skipped: see $1" | note_reason cluster
        fi
    done
    for name in $left_out; do
        total=$((total + 1)) failed=$((failed + 1))
        echo "$name was not built, as servers or libraries are missing: scripts/install_deps.sh --cluster" | note_reason cluster
    done
}

# The packages that a leg needs beside --tests: an option of install_deps.sh, or nothing.
packages_of() # packages_of LEG
{
    case $1 in
    bindings | view) echo "--$1" ;;
    fuzz | cluster) echo --cluster ;; # fuzz has decoders of etcd and of nodes, which need libraries of a cluster
    esac
}

# The packages of the next leg are installed beside the tests of this one: that takes a minute or two on a bare machine,
# mostly of waiting. The build of this leg has been configured, so it finds none of them.
next=     # the leg behind this one
installs= # the process that installs for it
begin_installs()
{
    [ -n "$(packages_of "$next")" ] || return 0
    scripts/install_deps.sh "$(packages_of "$next")" >build/installs.output 2>&1 &
    installs=$!
}

# Installs the packages of a leg, or waits for the process that does. Its status is that of install_deps.sh.
end_installs() # end_installs LEG
{
    if [ -z "$installs" ]; then
        scripts/install_deps.sh "$(packages_of "$1")"
        return
    fi
    status=0
    wait "$installs" || status=$?
    installs=
    cat build/installs.output
    return "$status"
}

# Runs one leg: configures its preset, builds the target, runs ctest.
run_leg() # run_leg LEG TARGET CTEST_ARGUMENTS...
{
    leg=$1 target=$2
    shift 2
    log=build/$leg.log
    begin=$(date +%s)
    echo "=== $leg"
    case $leg in # some legs are of the release build: they add to its folder
    release) preset=release option="-DPHAROS_BINDINGS=OFF -DPHAROS_ALL_SCHEDULES=OFF" ;;
    cluster) preset=release option=-DPHAROS_ALL_SCHEDULES=ON ;;
    bindings) preset=release option=-DPHAROS_BINDINGS=ON ;;
    view) preset=release option=-DPHAROS_BUILD_VIEW=ON ;;
    *) preset=$leg option= ;;
    esac
    # shellcheck disable=SC2086
    if ! { cmake --preset "$preset" $option && cmake --build --preset "$preset" -j "$jobs" --target "$target"; } >"$log" 2>&1; then
        grep -E -m 40 'error|warning|Error|\*\*\*' "$log" || tail -n 40 "$log"
        echo "$leg: does not build; all of it in $log"
        { grep -E -m 5 'error: |CMake Error|undefined reference' "$log" || tail -n 5 "$log"; } | note_reason "$leg"
        tell "$leg" 0 1 $(($(date +%s) - begin))
        return
    fi
    grep -E -o '[a-z_]+ is left out[:,] .*' "$log" || true
    begin_installs
    ctest --test-dir "build/$preset" -j "$tests_at_once" --no-tests=error --output-on-failure "$@" 2>&1 | tee -a "$log" || true
    # ctest's closing line: "97% tests passed, 1 tests failed out of 33"
    line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1)
    failed=$(echo "$line" | sed -E 's/.*, ([0-9]+) tests failed.*/\1/')
    total=$(echo "$line" | sed -E 's/.*out of ([0-9]+).*/\1/')
    if [ -z "$line" ]; then
        failed=1
        total=1
        tail -n 5 "$log" | note_reason "$leg"
    fi
    failed_tests "$log" | note_reason "$leg"
    case $leg in
    view) judge_skipped "$log" ;;
    cluster) judge_servers "$log" ;;
    esac
    tell "$leg" $((total - failed)) "$failed" $(($(date +%s) - begin))
}

# Runs one leg that is a script.
run_script() # run_script LEG COMMAND...
{
    leg=$1
    shift
    begin=$(date +%s)
    echo "=== $leg"
    echo 0 >build/status
    { "$@" --jobs "$jobs" || echo 1 >build/status; } 2>&1 | tee "build/$leg.output"
    end_script "$leg" "$(cat build/status)" $(($(date +%s) - begin))
}

# The findings of tidy and errors of compilers, else the last lines.
end_script() # end_script LEG STATUS SECONDS
{
    if [ "$2" -ne 0 ]; then
        { grep -E -m 5 'error: |warning: .*\[[a-z]' "build/$1.output" || tail -n 5 "build/$1.output"; } | note_reason "$1"
    fi
    tell "$1" $((1 - $2)) "$2" "$3"
}

# The leg packages waits for one process or another half of its time, and nothing in it has a short limit: it runs beside
# the legs tidy and determinism, which have no times.
packages= # its process, or "ended"
begin_packages()
{
    rm -f build/packages.status
    begin=$(date +%s)
    {
        status=0
        scripts/packaging/check --make --jobs "$jobs" || status=1
        echo "$status $(($(date +%s) - begin))" >build/packages.status
    } >build/packages.output 2>&1 &
    packages=$!
}

end_packages()
{
    wait "$packages" || true
    echo "=== packages"
    cat build/packages.output
    read -r status seconds <build/packages.status || status=1 seconds=0
    end_script packages "$status" "$seconds"
    packages=ended
}

# shellcheck disable=SC2086
set -- $legs
for leg in $legs; do
    shift
    next=${1:-}
    case $leg in
    tidy | determinism) case "$packages $legs " in " "*" packages "*) begin_packages ;; esac ;;
    *) [ -z "$packages" ] || [ "$packages" = ended ] || end_packages ;;
    esac
    case $leg in
    bindings)
        end_installs bindings || echo "some languages can not be installed here"
        run_leg bindings bindings -L binding
        ;;
    cluster)
        end_installs cluster || echo "servers or libraries of a cluster can not be installed here"
        run_leg cluster cluster_tests -R 'cluster|^federation$|^fuzz_(capsule|client|halo|etcd|membership|node)$|^program_(node|bench_federation)$|^unit_(client_feed|node_gateway)$'
        ;;
    view)
        end_installs view || view_missing="the browser or its packages can not be installed here"
        run_leg view view_tests -L 'view|browser'
        ;;
    fuzz)
        end_installs fuzz || echo "libraries of a cluster can not be installed here"
        run_leg fuzz fuzzers -L 'fuzz|canary'
        ;;
    tidy) run_script tidy scripts/tidy ;;
    coverage) run_script coverage scripts/coverage ;;
    determinism) run_script determinism scripts/determinism.sh --quick ;;
    packages)
        [ -n "$packages" ] || run_script packages scripts/packaging/check --make
        packages=ended
        ;;
    release) run_leg release all -LE '^(live|view)$' ;; # the leg view is of the same build
    *) run_leg "$leg" all -LE '^live$' ;;
    esac
done

echo "=== summary"
cat "$summary"
awk '{ passed += $2; failed += $4 } END { printf "all legs: %d passed, %d failed\n", passed, failed }' "$summary"
[ -z "$untested" ] || echo "NOT TESTED: $untested"
if [ -n "$failed_legs" ]; then
    cat "$reasons"
    echo "FAILED:$failed_legs"
    exit 1
fi
