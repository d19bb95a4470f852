#!/usr/bin/env python3
"""pharos-bench --advise, short: on a trace and on a made crowd it tries every index, and its recommendation is a
config that pharos-config takes; no times are judged.

usage: test_bench_advise.py PHAROS-BENCH PHAROS-CONFIG TRACE

Prints each failure and how to run it again.
"""
import os
import re
import subprocess
import sys
import tempfile

INDEXES = "lighthouse brute grid hash crosslist towers quadtree hex timer".split()
SHORT = ["--ticks", "3", "--warmup", "1"]
KEYS = ("index", "tower_size", "shards", "workers")

failures = []


def fail(command, what):
    failures.append(f"{what}\n    {' '.join(command)}")


def run(command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != status:
        fail(command, f"exit status {done.returncode}, expected {status}: {done.stderr.strip()[-1000:]}")
    return done


def check_advice(command, config_tool, configured="lighthouse"):
    """The text of a run, with a recommendation that is a good config."""
    text = run(command).stdout
    for index in INDEXES:
        if index != configured and f"index = {index} " not in text:
            fail(command, f"index {index} is not among the candidates")
    advice = text.partition("Recommendation")[2]
    lines = re.findall(r"^    (\w+ = .*)$", advice, flags=re.M)
    if [line.split()[0] for line in lines] != list(KEYS):
        fail(command, f"it recommends {lines}")
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write("world_size = {3000, 3000}\n" + "\n".join(lines) + "\n")
        file.flush()
        run([config_tool, "check", file.name])
    figures = [float(row.split()[-5]) for row in re.findall(r"^  (?:as configured|\w+ = ).* \d+$", text, flags=re.M)]
    best = re.search(r"a tick of ([0-9.]+) us", advice)
    if not best or float(best.group(1)) not in figures:
        fail(command, "the recommended figures are none of the candidates'")
    return text


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    bench, config_tool, trace = sys.argv[1:]
    text = check_advice([bench, "--advise", "--trace", trace, "--set", "view=30"] + SHORT[:2] + ["--warmup", "0"],
                        config_tool)
    if "as configured" not in text or f"on {trace}" not in text:
        fail([bench], "it does not name the world that it ran on")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write("world_size = {2000, 2000}\nindex = hash\nclass default { view = 100 }\nclass npc { view = 0 }\n")
        text = check_advice([bench, "--advise", "--config", path, "--entities", "500"] + SHORT, config_tool, "hash")
        if "tower_size = 200 " not in text and "index = lighthouse\n" in text:
            fail([bench], "the best is the lighthouse, and towers were not tried")
        towers = run([bench, "--advise", "--config", path, "--set", "index=lighthouse", "--set", "range=towers",
                      "--entities", "500"] + SHORT).stdout
        if not re.search(r"index = grid +not tried", towers) or re.search(r"^  tower_size", towers, flags=re.M):
            fail([bench], "in range = towers an index that does not serve it, or another tower size, is tried")
    many = run([bench, "--advise", "--set", "view=10", "--entities", "26000"] + SHORT).stdout
    if not re.search(r"index = brute +not tried: more than 25000", many):
        fail([bench], "brute is tried with 26000 entities")
    if re.search(r"index = timer +not tried", many):
        fail([bench], "timer, which does not look at every pair, is not tried with 26000 entities")
    blind = run([bench, "--advise"], 2).stderr
    if "no class has a view" not in blind:
        fail([bench, "--advise"], f"no entity observes, and it says '{blind.strip()}'")
    for words in (["--scenario", "crowd"], ["--engine", "all"], ["--workers", "2"], ["--json", "-"]):
        if "--advise chooses" not in run([bench, "--advise"] + words, 2).stderr:
            fail([bench, "--advise"] + words, "not refused")
    for what in failures:
        print(what)
    sys.exit(1 if failures else 0)


main()
