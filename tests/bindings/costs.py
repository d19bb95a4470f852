#!/usr/bin/env python3
"""A binding's cost program has the events of the C program; both times are printed.

usage: costs.py C_PROGRAM PROGRAM [ARGUMENT ...]

Each program prints two lines: "events N sum N", then its times. No time is judged.
"""
import subprocess
import sys


def run(command):
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    if len(lines) != 2:
        sys.exit(f"{command}: two lines are expected, not {lines}")
    return lines


def main():
    in_c, of_binding = run(sys.argv[1:2]), run(sys.argv[2:])
    print(in_c[1])
    print(of_binding[1])
    if in_c[0] != of_binding[0]:
        sys.exit(f"events differ: {in_c[0]} in C, {of_binding[0]} through the binding")


main()
