#!/usr/bin/env python3
"""The shared libraries export exactly the functions that the public headers declare.

usage: exports.py NM INCLUDE_DIR LIBRARY HEADER... [-- LIBRARY HEADER...]
"""
import re
import subprocess
import sys


def exported(nm, library):
    """The exported symbols: each has a version, and the version itself stands among them as an absolute symbol."""
    text = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    for row in rows:
        if row[-2] != "A" and "@@PHAROS_" not in row[-1]:
            print(f"{library} exports {row[-1]} without a version")
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def declared(headers):
    names = set()
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M) # PH_API's own definition
        names |= set(re.findall(r"\bPH_API\b[^;(]*?\b(\w+)\s*\(", text))
    return names


def check(nm, include, library, headers):
    found = exported(nm, library)
    wanted = declared(f"{include}/pharos/{header}" for header in headers)
    failed = False
    for name in sorted(found - wanted):
        print(f"{library} exports {name}, which no public header declares")
        failed = True
    for name in sorted(wanted - found):
        print(f"{library} does not export {name}, which a public header declares")
        failed = True
    if not wanted:
        print(f"no function found in {headers}")
        failed = True
    print(f"{library}: {len(found)} exported, {len(wanted)} declared")
    return not failed


def main():
    nm, include, *rest = sys.argv[1:]
    groups = " ".join(rest).split(" -- ")
    results = [check(nm, include, *(lambda words: (words[0], words[1:]))(group.split())) for group in groups]
    sys.exit(0 if all(results) else 1)


main()
