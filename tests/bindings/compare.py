#!/usr/bin/env python3
"""A binding plays a trace, and every event is that of pharos-replay.

usage: compare.py PHAROS_REPLAY PROGRAM [ARGUMENT ...]

The program reads the trace from its standard input and writes events as pharos-replay --events does, with causes and
positions if its header has them. Rows of one tick have no order. Three seeds; each trace has 200 entities that walk,
jump, leave and enter again.
"""
import random
import subprocess
import sys
import tempfile

SEEDS, ENTITIES, TICKS = (1, 2, 3), 200, 60


def make_trace(seed):
    rng = random.Random(seed)
    rows, places = ["tick,op,id,x,y,view"], {}
    for tick in range(1, TICKS + 1):
        for entity in range(1, ENTITIES + 1):
            if entity not in places:
                if rng.random() < 0.2:
                    places[entity] = [rng.uniform(0, 1000), rng.uniform(0, 1000)]
                    view = rng.choice(["", "", "40", "80.5"])
                    rows.append("%d,enter,%d,%.3f,%.3f,%s" % (tick, entity, *places[entity], view))
            elif rng.random() < 0.02:
                rows.append(f"{tick},leave,{entity},,,")
                del places[entity]
            elif rng.random() < 0.7:
                step = 500 if rng.random() < 0.02 else 15
                places[entity] = [min(max(at + rng.uniform(-step, step), 0), 1000) for at in places[entity]]
                rows.append("%d,move,%d,%.3f,%.3f," % (tick, entity, *places[entity]))
    return "\n".join(rows) + "\n"


def main():
    replay, *program = sys.argv[1:]
    for seed in SEEDS:
        trace = make_trace(seed)
        got = subprocess.run(program, check=True, input=trace, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        shown = ["--causes", "--positions"] if got and got[0].endswith(",cause,x,y,z") else []
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(trace)
            file.flush()
            wanted = subprocess.run([replay, file.name, "--set", "world_size=1000,1000", "--events", "-", *shown],
                                    check=True, capture_output=True, text=True).stdout.splitlines()
        if sorted(got) != sorted(wanted):
            differing = sorted(set(got) ^ set(wanted))
            sys.exit(f"seed {seed}: {len(got)} rows, pharos-replay has {len(wanted)}; different: {differing[:10]}")
        if len(wanted) < 1000:
            sys.exit(f"seed {seed}: {len(wanted)} events are too few to prove anything")
        print(f"seed {seed}: {len(wanted) - 1} events, the same")


main()
