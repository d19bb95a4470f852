#!/usr/bin/env python3
"""Runs every scenario of pharos-bench small and checked, without looking at a time.

usage: smoke.py BENCH [REPLAY]

Each scenario runs on 1 and 2 workers and on 1x1 and 3x3 shards (where all takes five times
as long, on 2 workers alone; ingest with 1, 2 and 4 producers) with every interest list compared with brute force after every tick; the event
hashes must be equal. The same for some other worlds (margin, cap, towers, several
consumers), for a trace (its hash must be that of pharos-replay), and the command line's
refusals. Prints each failure and how to run it again. PHAROS_TEST_PERCENT below 10 in the
environment makes the worlds smaller.
"""
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

FIELDS = """scenario engine entities workers shards ticks ns_per_move_min ns_per_move_median tick_us_p50 tick_us_p99
tick_us_max moves_per_s enter leave events_per_s bytes_per_entity rss_bytes event_hash ingest_us exchange_us index_us
interest_us publish_us tick_us_min deliveries deliveries_per_s list_ns_per_id observers_ns_per_id""".split()
TIMES = [field for field in FIELDS if field.startswith("tick_us")]

LITTLE = int(os.environ.get("PHAROS_TEST_PERCENT", "100")) < 10  # where all takes five times as long
# fewer would make of the crowd one cell
ENTITIES, TICKS = (240, 12) if LITTLE else (300, 22)
SMALL = ["--entities", str(ENTITIES), "--warmup", "4", "--ticks", str(TICKS)]
LAYOUTS = ["--workers", "2" if LITTLE else "1,2", "--shards", "1x1,3x3", "--set", "tower_size=25"]
LAYOUT_COUNT = 2 if LITTLE else 4
CHURN_AWAY = 5  # one more of churn's in each of five ticks
WORLDS = {  # worlds that the scenarios' own do not reach; the scenarios that each is tried on
    "margin": (["margin=15", "player.margin=15"], "hotspot,mmo,teleport-storm"),
    "cap": (["cap=7"], "crowd,login-flood"),
    "cap and margin": (["cap=12", "margin=20", "sticky=1.5"], "hotspot"),
    "towers": (["range=towers", "span=2"], "walk-10k,login-flood,border-pingpong"),
    "square": (["shape=square"], "dense-100k"),
    "consumers": (["consumers=3"], "crowd,mmo"),
}
REFUSED = [
    (["--scenario", "nosuch"], "nosuch"),
    (["--engine", "nosuch"], "nosuch"),
    (["--index", "nosuch"], "nosuch"),
    (["--index", "grid,grid"], "twice"),
    (["--workers", "0"], "--workers"),
    (["--shards", "3"], "--shards"),
    (["--producers", "0"], "--producers"),
    (["--producers", "2", "--scenario", "crowd"], "ingest"),
    (["--producers", "5", "--scenario", "ingest", "--set", "producers_max=4"], "producers_max"),
    (["--set", "nosuch=1"], "nosuch"),
    (["--set", "consumers=0"], "consumers"),
    (["--scenario", "crowd", "--shards", "99x99"], "shards"),
    (["--scenario", "walk-10k", "--set", "entities_max=10"], "entities_max"),
    (["--config", "/nosuch/file"], "/nosuch/file"),
    (["--trace", "/nosuch/file"], "/nosuch/file"),
    (["extra"], "extra"),
]

SHOWN_BYTES = 1000  # of a program's standard error: the reason comes last

failures = []


def fail(command, what):
    failures.append(f"{what}\n    {' '.join(command)}")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(command, f"exit status {done.returncode}: {done.stderr.strip()[-SHOWN_BYTES:]}")
        return None
    return done


def lines_of(command):
    """The JSON lines of a run that must go well."""
    done = run(command + ["--json", "-"])
    if done is None:
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


# With few entities: hardly any meet; all are in view of all, which the cap of 250 decides about from 252 on.
MAYBE_QUIET = ("sparse-huge", "osrs-box")


def check_lines(command, lines, expected):
    if len(lines) != expected:
        fail(command, f"{len(lines)} JSON lines, expected {expected}")
    for line in lines:
        name = f"{line['scenario']} workers {line['workers']} shards {line['shards']}"
        missing = [field for field in FIELDS if field not in line]
        if missing:
            fail(command, f"{name}: no field {missing}")
        if line["faults"] != 0 or line["lists_compared"] == 0:
            fail(command, f"{name}: {line['faults']} faults in {line['lists_compared']} lists")
        if any(line[field] <= 0 for field in TIMES) or line["bytes_per_entity"] <= 0 or line["rss_bytes"] <= 0:
            fail(command, f"{name}: a time or size is not above 0")
        talks = line["scenario"] in ("chat-storm", "whisper", "osrs-box")
        spoken = (line["deliveries"] > 0, line["list_ns_per_id"] is not None, line["observers_ns_per_id"] is not None)
        if spoken != (talks, talks, talks):
            fail(command, f"{name}: {line['deliveries']} broadcasts delivered, or queries without a time")
        asks = line["scenario"] == "queries"
        for field in ("circle_single_k_per_s", "nearest_batched_k_per_s", "verify_ns_per_pair"):
            if (line[field] is not None) != asks:
                fail(command, f"{name}: {field} is {line[field]}")
        for field in ("turn_apply_ns", "turn_tick_ns"):
            if (line[field] is not None) != (line["scenario"] == "voxel"):
                fail(command, f"{name}: {field} is {line[field]}")
        quiet = line["scenario"] == "idle"
        if quiet != (line["moves"] == 0) or quiet != (line["ns_per_move_min"] is None):
            fail(command, f"{name}: {line['moves']} moves")
        if quiet != (line["enter"] + line["leave"] == 0) and line["scenario"] not in MAYBE_QUIET:
            fail(command, f"{name}: {line['enter']} enters and {line['leave']} leaves")
    for scenario in {line["scenario"] for line in lines}:
        same = [line for line in lines if line["scenario"] == scenario]
        figures = {(line["event_hash"], line["enter"], line["leave"], line["entities"], line["deliveries"])
                   for line in same}
        empty = "0" * 16 in {line["event_hash"] for line in same} and scenario not in MAYBE_QUIET
        if len(figures) != 1 or empty:
            fail(command, f"{scenario}: events differ: {figures}")


def scenarios_of(bench):
    """The names that --list shows, but the trace, which needs a file."""
    listed = run([bench, "--list"]).stdout.partition("Engines (--engine)")[0]
    return [name for name in re.findall(r"^  (\S+)", listed, flags=re.M) if name != "trace"]


def check_scenarios(bench):
    command = [bench, "--scenario", "all", "--verify=1"] + SMALL + LAYOUTS
    lines = lines_of(command)
    check_lines(command, lines, LAYOUT_COUNT * (len(scenarios_of(bench)) + 2)) # ingest: 1, 2 and 4 producers
    fed = sorted({line["producers"] for line in lines if line["scenario"] == "ingest"})
    if fed != [1, 2, 4] or any(not line["submit_us_min"] for line in lines if line["moves"]):
        fail(command, f"ingest by {fed} producers, or no time of submitting")
    for line in lines:
        flooded = line["scenario"] == "login-flood" and line["entities"] != ENTITIES
        expected = ENTITIES * 5 // 4 if flooded else ENTITIES
        expected -= CHURN_AWAY if line["scenario"] == "churn" else 0
        if line["entities"] != expected or line["ticks"] != TICKS:
            fail(command, f"{line['scenario']}: {line['entities']} entities, {line['ticks']} ticks")
    return {line["scenario"]: line["event_hash"] for line in lines}


def check_worlds(bench, plain):
    for name, (keys, scenarios) in WORLDS.items():
        sets = [word for key in keys for word in ("--set", key)]
        command = [bench, "--scenario", scenarios, "--verify=1"] + SMALL + LAYOUTS + sets
        lines = lines_of(command)
        check_lines(command, lines, LAYOUT_COUNT * len(scenarios.split(",")))
        for line in lines:
            if (line["event_hash"] == plain.get(line["scenario"])) != (name == "consumers"):
                fail(command, f"{line['scenario']}: the world '{name}' does not show in the events as it should")


def check_indexes(bench, plain, folder):
    """Every index tells the same events, and indexes that can not run a world are named with the reason."""
    scenarios = "walk-10k,login-flood" if LITTLE else "walk-10k,speed-50,sparse-huge,crowd,login-flood,mmo"
    drawn = ["--plot", folder] if shutil.which("gnuplot") else []
    command = [bench, "--engine", "all-indexes", "--scenario", scenarios, "--verify=1", "--set",
               "tower_size=25"] + SMALL + drawn
    lines = lines_of(command)
    names = sorted({line["engine"] for line in lines})
    if not {"pharos/lighthouse", "pharos/brute", "pharos/grid", "pharos/hash"} <= set(names):
        fail(command, f"indexes {names}")
    check_lines(command, lines, len(names) * len(scenarios.split(",")))
    if any(line["event_hash"] != plain.get(line["scenario"]) for line in lines):
        fail(command, "an index alone tells other events than Pharos as configured")
    if any(line["index_steps"] == 0 for line in lines if line["engine"] == "pharos/hash" and line["enter"] > 0):
        fail(command, "an index without work")
    if drawn and not os.path.exists(os.path.join(folder, "indexes.svg")):
        fail(command, "no indexes.svg")
    pick = lines_of([bench, "--index", "hash,brute", "--scenario", "walk-10k"] + SMALL)
    if [line["engine"] for line in pick] != ["pharos/hash", "pharos/brute"]:
        fail(command, "--index hash,brute does not run these two")
    for words, reason in ((["--set", "range=towers"], "range = towers"), (["--entities", "30000"], "every pair")):
        done = run([bench, "--index", "lighthouse,brute,grid,timer", "--scenario", "walk-10k", "--ticks", "2",
                    "--warmup", "0"] + words)
        if done is None or reason not in done.stderr or "skipped in walk-10k" not in done.stderr:
            fail(command + words, f"no index is skipped with the reason '{reason}'")
        elif reason == "every pair" and any("timer" in line and "skipped" in line for line in done.stderr.splitlines()):
            fail(command + words, "timer, which does not look at every pair, is skipped for it")


def check_rounds_and_seeds(bench, folder):
    table = os.path.join(folder, "out.csv")
    command = [bench, "--scenario", "walk-10k", "--rounds", "3", "--csv", table] + SMALL
    lines = lines_of(command)
    with open(table, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    if len(lines) != 1 or len(rows) != 1 or lines[0]["ticks"] != 3 * TICKS or rows[0]["ticks"] != str(3 * TICKS):
        fail(command, f"three rounds of {TICKS} ticks are not {3 * TICKS} in JSON and CSV")
    elif rows[0]["event_hash"] != lines[0]["event_hash"]:
        fail(command, "JSON and CSV differ")
    other = lines_of(command[:3] + SMALL + ["--seed", "2"])
    if not lines or not other or lines[0]["event_hash"] == other[0]["event_hash"]:
        fail(command, "another seed makes the same events")


def write_trace(path):
    """Walkers in a small world, some of them leave and come back."""
    rng = random.Random(7)
    here = {}
    with open(path, "w", encoding="ascii") as file:
        file.write("tick,op,id,x,y,z\n")
        for tick in range(10, 60):
            for entity in range(1, 121):
                if entity not in here:
                    here[entity] = (rng.uniform(0, 300), rng.uniform(0, 300))
                    op = "enter"
                elif rng.random() < 0.02:
                    del here[entity]
                    file.write(f"{tick},leave,{entity},,,\n")
                    continue
                else:
                    here[entity] = tuple(c + rng.uniform(-5, 5) for c in here[entity])
                    op = "move"
                file.write(f"{tick},{op},{entity},{here[entity][0]:.3f},{here[entity][1]:.3f},0\n")


def check_trace(bench, replay, folder):
    path = os.path.join(folder, "trace.csv")
    write_trace(path)
    world = ["--set", "view=40", "--set", "world_size=300,300", "--set", "tower_size=25"]
    command = [bench, "--trace", path, "--workers", "1,2", "--shards", "1x1,3x3", "--verify=1"] + world
    lines = lines_of(command)
    check_lines(command, lines, 4)
    if replay is None:
        return
    done = run([replay, path, "--json"] + world)
    if done is not None and lines and json.loads(done.stdout)["event_hash"] != lines[0]["event_hash"]:
        fail(command, "another event hash than pharos-replay's")
    with open(path, "a", encoding="ascii") as file:
        file.write("59,jump,1,,,\n")
    expect_refusal([bench, "--trace", path] + world, f"{path}:")


def expect_refusal(command, named):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 2 or named not in done.stderr or done.stdout:
        fail(command, f"exit status {done.returncode}, expected 2 and '{named}' in: {done.stderr.strip()}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    bench = sys.argv[1]
    replay = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        plain = check_scenarios(bench)
        check_worlds(bench, plain)
        check_indexes(bench, plain, folder)
        check_rounds_and_seeds(bench, folder)
        check_trace(bench, replay, folder)
        for words, named in REFUSED:
            expect_refusal([bench] + words, named)
    for what in failures:
        print(what)
    sys.exit(1 if failures else 0)


main()
