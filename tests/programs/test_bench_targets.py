#!/usr/bin/env python3
"""scripts/bench_targets: its verdicts on canned figures, and that all its runs are ones that pharos-bench knows.

usage: test_bench_targets.py BENCH_TARGETS PHAROS-BENCH
"""
import json
import os
import subprocess
import sys
import tempfile

# Stands for pharos-bench: tells canned times, by scenario, engine, workers and the round that it is in.
FAKE = """#!{python}
import json, sys
if {broken}:
    sys.exit("pharos-bench: other events")
def given(option, default):
    return sys.argv[sys.argv.index(option) + 1] if option in sys.argv else default
scenario = given("--scenario", "")
key = scenario + ("/margin" if "margin=15" in sys.argv else "")
for engine in given("--engine", "pharos").split(","):
    for workers in given("--workers", "1").split(","):
        low, median = {times}.get((key, engine, int(workers)), (100.0, 110.0))
        print(json.dumps(dict(scenario=scenario, engine=engine, workers=int(workers), tick_us_min=low,
                              tick_us_p50=median, entities=1000, list_entries=3000, bytes_per_entity=100.0,
                              rss_bytes=299e6, cpu="X", cpus=2, compiler="gcc", build="Release")))
"""

TIMES = {
    ("crowd", "batch", 1): (1000.0, 1000.0),     # 10 by minimum, 9.1 by median: unclear
    ("walk-10k", "batch", 1): (250.0, 250.0),    # 2.5, 2.3 of 2: reached
    ("hotspot", "batch", 1): (499.0, 499.0),     # just short of 5 times: missed
    ("walk-100k/margin", "pharos", 1): (251.0, 280.0), # 2.51 and 2.55 of at most 2.5: missed
    ("dense-100k", "pharos", 2): (50.0, 55.0),   # twice as fast as one worker
    ("walk-1m", "pharos", 1): (2500.0, 2750.0),  # 2.5 of ten: at the bound is reached
    ("idle", "pharos", 1): (4.0, 4.4),           # 4 %
    ("walk-100k", "spread", 1): (103.5, 113.0),  # 103.5 % by minimum, 102.7 % by median: unclear
}
VERDICTS = {
    "crowd: faster than batch": "unclear",
    "walk-10k: faster than batch": "reached",
    "hotspot: faster than batch": "missed",
    "walk-10k, events only: faster than batch": "missed", # by the same runs: 2.5, 2.3 of 3
    "walk-100k, margin 15 % of view: against none": "missed",
    "dense-100k, 3x2 shards: two workers against one": "reached",
    "walk-1m: in ticks of ten walk-100k": "reached",
    "idle: of walk-100k": "reached",
    "walk-100k, a monitor's frame in parts in each tick: of none": "unclear",
    "walk-100k-10pct: of walk-100k": "missed",
    "walk-1m: resident memory of the program": "reached",
    "walk-100k: bytes per entity, without 8 per list entry": "reached",
}
TINY = ["--", "--entities", "200", "--ticks", "2", "--warmup", "1", "--set", "tower_size=20"]

failures = []


def fail(command, what):
    failures.append(f"{what}\n    {' '.join(command)}")


def run(command, status, held=""):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != status or held not in done.stdout + done.stderr or "Traceback" in done.stderr:
        fail(command, f"exit status {done.returncode}, expected {status} and '{held}' in:\n{done.stdout}{done.stderr}")
    return done


def write_fake(folder, name, broken):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(FAKE.format(python=sys.executable, times=TIMES, broken=broken))
    os.chmod(path, 0o755)
    return path


def rows_of(path):
    with open(path, encoding="ascii") as file:
        return {row["name"]: row for row in map(json.loads, file)}


def check_canned(tool, folder):
    path = os.path.join(folder, "rows.jsonl")
    command = tool + ["--bench", write_fake(folder, "plain", False), "--shards", "3x2", "--json", path]
    run(command, 0, "0 not measured" if len(os.sched_getaffinity(0)) > 1 else "one processor")
    rows = rows_of(path)
    for name, verdict in VERDICTS.items():
        single = "two workers" in name and rows[name]["why"] == "one processor"
        if not single and rows[name]["verdict"] != verdict:
            fail(command, f"{name}: {rows[name]}, expected {verdict}")
    if rows["walk-100k: bytes per entity, without 8 per list entry"]["min"] != 76.0:
        fail(command, "other bytes")
    command += ["--only", "hotspot*batch"]
    run(command, 0)
    if len(rows_of(path)) != 2:
        fail(command, f"with --only: {rows_of(path)}")
    broken = write_fake(folder, "broken", True)
    run(tool + ["--bench", broken], 1, "other events")
    run(tool + ["--bench", broken, "--rounds", "0"], 2, "--rounds")
    run(tool + ["--bench", broken, "--shards", "4"], 2, "--shards")
    run(tool + ["--bench", broken, "--only", "nosuch"], 2, "nosuch")
    run(tool + ["--bench", os.path.join(folder, "nosuch")], 1, "nosuch")
    run(tool + ["--help"], 0, "exit status")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool = [sys.executable, sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        check_canned(tool, folder)
        path = os.path.join(folder, "rows.jsonl")
        command = tool + ["--bench", sys.argv[2], "--rounds", "2", "--json", path] + TINY
        run(command, 0, " reached, ")
        if not os.path.exists(path) or any((row["verdict"] is None) != (row["why"] is not None)
                                           for row in rows_of(path).values()):
            fail(command, "a target without a verdict")
    for what in failures:
        print(what)
    sys.exit(1 if failures else 0)


main()
