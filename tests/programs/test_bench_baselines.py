#!/usr/bin/env python3
"""pharos-bench with its baselines, small: the same events from all of them; no times are judged.

usage: test_bench_baselines.py PHAROS-BENCH

Every engine that can run a scenario does, with every interest list compared with brute force
after every tick, and all must tell the same events. Then the output for several engines: the
table of ratios, the engines that are skipped, --hz and --plot. Prints each failure and how to
run it again.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CIRCLES = {"pharos", "batch", "rescan-simd", "rescan"}
TOWERS = {"pharos", "towers"}
LIMITED = {"pharos", "batch"}
SCENARIOS = "walk-10k,walk-100k-10pct,hotspot,crowd,dense-100k,border-pingpong,teleport-storm,login-flood,idle"
SMALL = ["--entities", "300", "--warmup", "3", "--set", "tower_size=30"]
PLOTS = ("engines", "entities", "density", "workers")
SHOWN_BYTES = 1000

failures = []


def fail(command, what):
    failures.append(f"{what}\n    {' '.join(command)}")


def run(command, status=0, env=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode != status:
        fail(command, f"exit status {done.returncode}, expected {status}: {done.stderr.strip()[-SHOWN_BYTES:]}")
    return done


def json_lines(command):
    done = run(command + ["--json", "-"])
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


def check_same_events(command, engines, scenarios):
    lines = json_lines(command)
    for scenario in scenarios.split(","):
        same = [line for line in lines if line["scenario"] == scenario]
        if {line["engine"] for line in same} != engines or len(same) != len(engines):
            fail(command, f"{scenario}: run by {sorted(line['engine'] for line in same)}, not {sorted(engines)}")
        figures = {(line["event_hash"], line["enter"], line["leave"], line["entities"], line["list_entries"])
                   for line in same}
        if len(figures) != 1:
            fail(command, f"{scenario}: events or lists differ: {figures}")
        if any(line["faults"] or (line["enter"] + line["leave"] == 0) != (scenario == "idle") for line in same):
            fail(command, f"{scenario}: faults, or no events")
        if "--verify=1" in command and any(line["lists_compared"] == 0 for line in same):
            fail(command, f"{scenario}: no lists compared")


def check_events(bench):
    # 62 ticks of login-flood: the ids and the places of a wave are used again
    check_same_events([bench, "--engine", "all", "--scenario", SCENARIOS, "--ticks", "62", "--verify=1"] + SMALL,
                      CIRCLES, SCENARIOS)
    check_same_events([bench, "--engine", "all", "--scenario", SCENARIOS, "--ticks", "62", "--verify=1",
                       "--set", "range=towers"] + SMALL, TOWERS, SCENARIOS)
    # a margin, a cap that bites, and both; once with stickiness; newcomers and jumps among them
    for keys in (["margin=15"], ["cap=7"], ["margin=20", "cap=12", "sticky=1.5"], ["margin=5", "cap=1"]):
        sets = [word for key in keys for word in ("--set", key)]
        check_same_events([bench, "--engine", "pharos,batch", "--scenario", SCENARIOS, "--ticks", "32",
                           "--verify=1"] + SMALL + sets, LIMITED, SCENARIOS)
    check_same_events([bench, "--engine", "pharos,batch", "--scenario", "crowd", "--ticks", "8", "--warmup", "2",
                       "--entities", "1500", "--set", "margin=15", "--set", "cap=100"], LIMITED, "crowd")
    # many cells, runs longer than a vector
    check_same_events([bench, "--engine", "all", "--scenario", "hotspot,teleport-storm", "--ticks", "8", "--warmup",
                       "2", "--entities", "3000", "--rounds", "2"], CIRCLES, "hotspot,teleport-storm")


def check_kept_lists(bench):
    """A consumer that keeps whole lists ends the run if a leave is of no target in one, or their entries are other than the
    world's."""
    scenarios = SCENARIOS + ",churn,mmo,cornell-50k"
    check_same_events([bench, "--engine", "pharos,kept", "--scenario", scenarios, "--ticks", "32"] + SMALL,
                      {"pharos", "kept"}, scenarios)
    for keys in (["cap=7"], ["margin=20", "adds_max=5"], ["range=towers"]):
        sets = [word for key in keys for word in ("--set", key)]
        check_same_events([bench, "--engine", "pharos,kept", "--scenario", SCENARIOS, "--ticks", "32"] + SMALL + sets,
                          {"pharos", "kept"}, SCENARIOS)


def check_table(bench):
    command = [bench, "--engine", "pharos,batch,towers", "--scenario", "walk-10k,mmo", "--ticks", "3"] + SMALL
    done = run(command)
    ratios = done.stdout.partition("Pharos against the baselines")[2].splitlines()
    row = [line for line in ratios if line.startswith("walk-10k")]
    if len(row) != 1 or len(re.findall(r" \d+\.\d\dx", row[0])) != 2:
        fail(command, f"no median and minimum of batch in the row of walk-10k: {row}")
    if any("towers" in line for line in ratios):
        fail(command, "a column for an engine that ran nothing")
    for engine, scenarios in (("towers", "walk-10k, mmo"), ("batch", "mmo")):
        if f"{engine} skipped in {scenarios}: " not in done.stderr:
            fail(command, f"not told: {engine} skipped in {scenarios}")
    alone = run([bench, "--scenario", "walk-10k", "--ticks", "3"] + SMALL)
    if "against the baselines" in alone.stdout:
        fail(command, "ratios without a baseline")


def check_refusals(bench, folder):
    for words in (["--engine", "batch", "--scenario", "mmo"], ["--engine", "towers", "--scenario", "crowd"],
                  ["--engine", "rescan-simd", "--scenario", "crowd", "--set", "margin=5"],
                  ["--engine", "batch", "--scenario", "crowd", "--set", "adds_max=5"],
                  ["--engine", "towers", "--scenario", "crowd", "--set", "range=towers", "--set", "cap=9"],
                  ["--engine", "rescan", "--scenario", "crowd", "--set", "cap=5"],
                  ["--engine", "towers", "--scenario", "crowd", "--set", "range=towers", "--set", "span=2"]):
        done = run([bench] + words, status=2)
        if "skipped in" not in done.stderr or done.stdout:
            fail([bench] + words, "the reason is not told")
    trace = os.path.join(folder, "trace.csv")
    with open(trace, "w", encoding="ascii") as file:
        file.write("tick,op,id,x,y\n1,enter,1,5,5\n2,move,1,6,6\n")
    run([bench, "--engine", "batch", "--trace", trace], status=2)


def check_hz(bench):
    command = [bench, "--engine", "pharos,batch", "--scenario", "walk-10k", "--ticks", "20", "--hz", "400"] + SMALL
    for line in json_lines(command):
        rising = [line["latency_us_p50"], line["latency_us_p99"], line["latency_us_max"]]
        if None in rising or rising != sorted(rising) or line["hz"] != 400:
            fail(command, f"latencies {rising} at {line['hz']} Hz")
        elif line["latency_us_max"] < line["tick_us_max"] - 1 or line["latency_us_p50"] < line["tick_us_min"] - 1:
            fail(command, "a tick ends sooner after it was due than it takes")
    plain = [bench, "--scenario", "walk-10k", "--ticks", "3"] + SMALL
    if any(line["latency_us_p50"] is not None or line["hz"] != 0 for line in json_lines(plain)):
        fail(command, "a latency without --hz")


def check_plot(bench, folder):
    plots = os.path.join(folder, "plots")
    command = [bench, "--plot", plots, "--ticks", "3", "--engine", "pharos,batch", "--workers", "1,2"] + SMALL
    nowhere = dict(os.environ, PATH=folder)
    if "gnuplot" not in run(command, status=1, env=nowhere).stderr:
        fail(command, "does not say that gnuplot is missing")
    file = os.path.join(folder, "file")
    with open(file, "w", encoding="ascii"):
        pass
    if shutil.which("gnuplot") is None:
        return
    if "file" not in run([bench, "--plot", file], status=1).stderr:
        fail(command, "a file for a folder is not named")
    run(command)
    for name in PLOTS:
        for ending, first in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("gp", b"set label")):
            path = os.path.join(plots, f"{name}.{ending}")
            if not os.path.exists(path):
                fail(command, f"no {path}")
                continue
            with open(path, "rb") as picture:
                content = picture.read()
            if not content.startswith(first) or len(content) < 200:
                fail(command, f"{path}: {len(content)} bytes that do not begin with {first}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    bench = sys.argv[1]
    check_events(bench)
    check_kept_lists(bench)
    check_table(bench)
    check_hz(bench)
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(bench, folder)
        check_plot(bench, folder)
    for what in failures:
        print(what)
    sys.exit(1 if failures else 0)


main()
