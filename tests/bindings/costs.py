#!/usr/bin/env python3
"""A binding's cost program has the events of the C program; the times of both are printed.

usage: costs.py [--runs N] C_PROGRAM PROGRAM ...

Each program prints two lines: "events N sum N", then its times. With --runs all programs take turns, N times, and the
least of each time is printed: a machine that other jobs use, too, makes a run slow, and none fast. No time is judged.
"""
import argparse
import re
import subprocess
import sys

TIME = re.compile(r"(?<=[ :])\d+\.\d(?= )")


def run(program):
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    if len(lines) != 2:
        sys.exit(f"{program}: two lines are expected, not {lines}")
    return lines


def least(lines):
    """Of lines that differ in their times alone: the line with the least of each time."""
    name = lines[0].split(":")[0]
    columns = zip(*(TIME.findall(line.removeprefix(name)) for line in lines))
    times = iter([min(column, key=float) for column in columns])
    return name + TIME.sub(lambda _: next(times), lines[0].removeprefix(name))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args()
    times = {program: [] for program in args.programs}
    events_in_c = None
    for _ in range(args.runs):
        for program in args.programs:
            events, line = run(program)
            events_in_c = events_in_c or events
            if events != events_in_c:
                sys.exit(f"events differ: {events_in_c} in C, {events} by {program}")
            times[program].append(line)
    for lines in times.values():
        print(least(lines))


main()
