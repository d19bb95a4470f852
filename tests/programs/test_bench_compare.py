#!/usr/bin/env python3
"""scripts/bench_compare on canned files: its verdicts and exit statuses.

usage: test_bench_compare.py BENCH_COMPARE
"""
import json
import os
import subprocess
import sys
import tempfile

failures = []


def line(**changes):
    made = {"scenario": "crowd", "engine": "pharos", "shards": [1, 1], "entities": 5000, "workers": 1, "hz": 0,
            "ticks": 100, "rounds": 1, "warmup": 10, "seed": 1, "tick_us_min": 900.0, "tick_us_p50": 1000.0,
            "event_hash": "00000000000000aa", "cpu": "X", "cpus": 2, "compiler": "gcc", "build": "Release"}
    made.update(changes)
    return made


BATCH = line(engine="batch", tick_us_p50=4000.0, tick_us_min=3600.0)
SLOW_BATCH = line(engine="batch", tick_us_p50=4800.0, tick_us_min=4320.0)
OTHER = line(scenario="walk-10k")

CASES = [  # name, before, after, options, exit status, text that the output must hold
    ("same", [line()], [line()], [], 0, "not slower"),
    ("within the threshold", [line()], [line(tick_us_p50=1040.0, tick_us_min=936.0)], [], 0, " same"),
    ("slower", [line()], [line(tick_us_p50=1100.0, tick_us_min=990.0)], [], 1, "SLOWER"),
    ("slower, allowed", [line()], [line(tick_us_p50=1100.0, tick_us_min=990.0)], ["--threshold", "12"], 0, " same"),
    ("only the median", [line()], [line(tick_us_p50=1500.0)], [], 0, "unclear"),
    ("only the minimum", [line()], [line(tick_us_min=950.0)], [], 0, "unclear"),
    ("faster", [line()], [line(tick_us_p50=500.0, tick_us_min=450.0)], [], 0, "faster"),
    ("ratio", [line()], [line(tick_us_p50=500.0, tick_us_min=450.0)], [], 0, "medians: 0.500"),
    ("too short", [line(tick_us_p50=0.5, tick_us_min=0.4)], [line(tick_us_p50=0.9, tick_us_min=0.8)], [], 0,
     "too short"),
    ("other events", [line()], [line(event_hash="00000000000000bb")], [], 1, "OTHER EVENTS"),
    ("another seed", [line()], [line(event_hash="00000000000000bb", seed=2)], [], 0, "not slower"),
    ("producers", [line(), line(producers=2, tick_us_p50=700.0)], [line(producers=1), line(producers=2)], [], 0,
     "producers 2"),
    ("missing", [line(), OTHER], [line()], [], 1, "missing after"),
    ("new", [line()], [line(), OTHER], [], 0, " new"),
    ("another machine", [line()], [line(cpu="Y")], [], 0, "note: cpu differs"),
    ("machine was slower", [line(), BATCH], [line(tick_us_p50=1200.0, tick_us_min=1080.0), SLOW_BATCH], [], 1,
     "SLOWER"),
    ("yardstick", [line(), BATCH], [line(tick_us_p50=1200.0, tick_us_min=1080.0), SLOW_BATCH],
     ["--yardstick", "batch"], 0, " same"),
    ("yardstick of another scenario", [OTHER, BATCH], [line(scenario="walk-10k", tick_us_p50=1200.0,
                                                            tick_us_min=1080.0), SLOW_BATCH],
     ["--yardstick", "batch"], 0, " same"),
    ("hidden by a slow machine", [line(), BATCH], [line(), line(engine="batch", tick_us_p50=2000.0,
                                                                tick_us_min=1800.0)],
     ["--yardstick", "batch"], 1, "SLOWER"),
    ("no yardstick", [line()], [line()], ["--yardstick", "batch"], 2, "no batch"),
    ("twice", [line(), line()], [line()], [], 2, ":2: crowd"),
    ("empty", [], [line()], [], 2, "no cases"),
    ("no figure", [line(tick_us_p50=None)], [line()], [], 2, "tick_us_p50"),
    ("zero", [line(tick_us_min=0)], [line()], [], 2, "tick_us_min"),
    ("no key", [{"scenario": "crowd"}], [line()], [], 2, "engine"),
    ("no object", [3], [line()], [], 2, "not a JSON object"),
    ("threshold", [line()], [line()], ["--threshold", "-1"], 2, "--threshold"),
    ("option", [line()], [line()], ["--nosuch"], 2, "--nosuch"),
]


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def check(name, command, status, held):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != status or held not in done.stdout + done.stderr or "Traceback" in done.stderr:
        failures.append(f"{name}: exit status {done.returncode}, expected {status} and '{held}' in:\n"
                        f"{done.stdout}{done.stderr}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tool = [sys.executable, sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        for name, before, after, options, status, held in CASES:
            files = [write(folder, "before.jsonl", before), write(folder, "after.jsonl", after)]
            check(name, tool + files + options, status, held)
        torn = os.path.join(folder, "torn.jsonl")
        with open(torn, "w", encoding="ascii") as file:
            file.write('{"scenario":\n')
        check("torn file", tool + [torn, torn], 2, "torn.jsonl:1:")
        check("no file", tool + [os.path.join(folder, "nosuch"), torn], 2, "nosuch")
        check("no arguments", tool, 2, "usage")
        check("help", tool + ["--help"], 0, "exit status")
    for what in failures:
        print(what)
    sys.exit(1 if failures else 0)


main()
