#!/usr/bin/env python3
"""pharos-bench --saving, short: it prints each goal with a figure, leaves no file, and refuses other options.

usage: test_bench_saving.py PHAROS-BENCH
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

GOALS = 7 # two gates, the file, two loads, the journal, its allocations
bench = sys.argv[1]


def run(words, status, folder):
    result = subprocess.run([bench] + words, env=dict(os.environ, TMPDIR=folder), capture_output=True, text=True)
    if result.returncode != status:
        sys.exit(f"{words}: status {result.returncode}, not {status}: {result.stdout}{result.stderr}")
    return result


with tempfile.TemporaryDirectory() as folder:
    text = run(["--saving", "--entities", "3000", "--rounds", "1", "--workers", "1"], 0, folder).stdout
    lines = re.findall(r"^  (\S.*\S) +([\d.]+) +(-?[\d.]+) (\S*) +(met|MISSED)$", text, re.M)
    if len(lines) != GOALS or not re.search(r"^\d goals missed$", text, re.M):
        sys.exit(f"{len(lines)} goals: {text}")
    for name, goal, figure, _, verdict in lines:
        if (float(figure) <= float(goal)) != (verdict == "met") and abs(float(figure) - float(goal)) > 0.01:
            sys.exit(f"{name}: {goal} {figure} {verdict}")
        if "allocate" in name and float(figure) != 0:
            sys.exit(f"{name}: {figure}")
    entries = [int(number) for number in re.findall(r"(\d+) list entries", text)]
    if len(entries) != 2 or entries[0] != entries[1] or not 15 * 3000 < entries[0] < 25 * 3000:
        sys.exit(f"list entries: {entries}")
    if os.listdir(folder):
        sys.exit(f"files are left: {os.listdir(folder)}")
    for more in (["--hz", "5"], ["--advise"], ["--set", "view=3"], ["--scenario", "mmo"], ["--json", "-"],
                 ["--workers", "1,2"], ["--ticks", "3"], ["--rounds", "65"]):
        if "--saving goes with" not in run(["--saving"] + more, 2, folder).stderr:
            sys.exit(f"{more}: it is refused without a reason")
    gone = os.path.join(folder, "none")
    if "the folder can not be made" not in run(["--saving", "--entities", "100", "--rounds", "1"], 1, gone).stderr:
        sys.exit("no folder, and no reason")
    for number in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen([bench, "--saving", "--entities", "20000", "--workers", "1", "--rounds", "60"],
                                 env=dict(os.environ, TMPDIR=folder), stdout=subprocess.DEVNULL)
        while not os.listdir(folder) and child.poll() is None:
            time.sleep(0.001)
        child.send_signal(number)
        if child.wait(60) != -number or os.listdir(folder):
            sys.exit(f"signal {number}: status {child.returncode}, left: {os.listdir(folder)}")
print("ok")
