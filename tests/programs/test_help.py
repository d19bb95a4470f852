#!/usr/bin/env python3
"""--help of the programs: -h is the same, and no line of an example or a table is folded, as its rest would lose its indent.

usage: test_help.py PROGRAM ...
"""
import subprocess
import sys

COLUMNS_MAX = 78  # argp folds longer lines


def output(program, option, margin=None):
    environment = {"ARGP_HELP_FMT": f"rmargin={margin}"} if margin else {}
    return subprocess.run([program, option], stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout


def main():
    failures = []
    for program in sys.argv[1:]:
        if output(program, "-h") != output(program, "--help"):
            failures.append(f"{program}: -h is not --help")
        lines = output(program, "--help", 4000).splitlines()
        behind = next(at for at, line in enumerate(lines) if line.startswith("  -V, --version"))
        failures += [f"{program}: longer than {COLUMNS_MAX} columns: {line}"
                     for line in lines[behind + 1:] if line.startswith(" ") and len(line) > COLUMNS_MAX]
    print(*failures, sep="\n")
    return 1 if failures else 0


sys.exit(main())
