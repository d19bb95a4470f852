#!/usr/bin/env python3
"""What a host answers is for the connection that asked: a page that takes the place of one that went gets none of it.
usage: test_connections.py HOST-COMMAND ... (host.c)"""
import subprocess
import sys

sys.dont_write_bytecode = True
import program

PLACES = 4  # of pages


class Host(program.Program):
    def __init__(self):
        super().__init__(sys.argv[1:], stdin=subprocess.PIPE)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return int(self.process.stdout.readline())


def asking(host):
    """A page that has asked for a slice, and its number."""
    page = program.Page(host)
    page.until(lambda: page.hello)
    page.tell(type="do", what="slice", value=7)
    while not (number := host.ask("next")):
        pass
    return page, number


def main():
    with Host() as host:
        gone = [asking(host) for _ in range(PLACES)]
        numbers = [number for _, number in gone]
        for page, _ in gone:
            page.close()
        while host.ask("pages") > 0:
            pass
        others = [asking(host) for _ in range(PLACES)]
        assert len(set(numbers + [number for _, number in others])) == 2 * PLACES, (numbers, others)
        for number in numbers:
            host.tell(f"say {number} another's word")
        for page, number in others:  # a slice is sent behind all words
            host.tell(f"slice {number} first")
            page.until(lambda page=page: page.slice)
            assert page.slice == "first" and page.refused == [], (page.slice, page.refused)
        for number in numbers:
            host.tell(f"slice {number} another's slice")
        for page, number in others:
            page.slice = None
            host.tell(f"say {number} mine")
            page.until(lambda page=page: page.refused)
            host.tell(f"slice {number} second")
            page.until(lambda page=page: page.slice)
            assert page.slice == "second" and page.refused == ["mine"], (page.slice, page.refused)
            page.close()
        host.process.stdin.close()
        assert host.process.wait(60) == 0, host.process.stderr.read()
        host.process.stdin = None


main()
