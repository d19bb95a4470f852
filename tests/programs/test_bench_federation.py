#!/usr/bin/env python3
"""pharos-bench --federation, short: all figures are there and no node is left out; other options are refused.

usage: test_bench_federation.py PHAROS-BENCH
"""
import re
import subprocess
import sys

bench = sys.argv[1]


def run(words, status):
    result = subprocess.run([bench] + words, capture_output=True, text=True, timeout=100)
    if result.returncode != status:
        sys.exit(f"{words}: status {result.returncode}, not {status}: {result.stdout}{result.stderr}")
    return result


text = run(["--federation", "--entities", "3000", "--rounds", "2"], 0).stdout
figures = {name: float(figure) for name, figure in re.findall(r"^  (\S.*?\S) {2,}(-?[\d.]+)", text, re.M)}
for name in ("entities near a border", "copies of them", "bytes of halos a tick, of all nodes", "... for a copy",
             "hand-overs a second of CPU", "ticks from a crossing to the last entity that has come"):
    if figures.get(name, 0) <= 0:
        sys.exit(f"{name}: {figures.get(name)}: {text}")
for name in ("cost for an entity near a border", "cost for an entity elsewhere",
             "cost for a lingerer, above one beside the border"):
    if name not in figures:
        sys.exit(f"{name} is missing: {text}")
rows = re.findall(r"^  (\S.*?\S) {2,}(-?[\d.]+) +(-?[\d.]+) +(-?[\d.]+) (ms|ns a tick)$", text, re.M)
if len(rows) != 12 or any(not 0 < float(least) <= float(period) <= float(mean) for _, least, period, mean, unit in rows
                          if unit == "ms"):
    sys.exit(f"of a period there is the least, the least of each tick and the mean, in this order: {rows}: {text}")
if figures["lingerers"] != 30 or not 10 <= figures["... of them beyond their border, in a tick"] <= 20:
    sys.exit(f"lingerers are one of a hundred, half of the time beyond: {text}")
if not 0.5 < figures["copies of them"] / figures["entities near a border"] < 1.5:
    sys.exit(f"copies: {text}")
for more in (["--hz", "5"], ["--advise"], ["--set", "view=3"], ["--scenario", "mmo"], ["--workers", "1"], ["--rounds", "65"]):
    if "--federation goes with" not in run(["--federation"] + more, 2).stderr:
        sys.exit(f"{more}: it is refused without a reason")
if "--nats goes with --federation" not in run(["--nats", "nats://127.0.0.1:1"], 2).stderr:
    sys.exit("--nats alone")
if "http://a:1" not in run(["--federation", "--entities", "300", "--rounds", "1", "--nats", "http://a:1"], 1).stderr:
    sys.exit("an address that is none")
print("ok")
