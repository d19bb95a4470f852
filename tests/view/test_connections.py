#!/usr/bin/env python3
"""What a host answers is for the connection that asked: a page that takes the place of one that went gets none of it.
Keys of a class are told with the number of that class. A page that finds no room for its monitor waits for it.
usage: test_connections.py HOST-COMMAND ... (host.c)"""
import select
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import program

PLACES = 4  # of pages
VIEWS = (10, 20)  # of the classes
WAIT_S, LOOK_S = 60, 0.01  # for what a page has sent, or that it went


class Host(program.Program):
    def __init__(self):
        super().__init__(sys.argv[1:], stdin=subprocess.PIPE)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return int(self.process.stdout.readline())

    def until(self, line, found):
        """Asks until found(answer) holds, and returns it."""
        end = time.monotonic() + WAIT_S
        while not found(number := self.ask(line)):
            assert time.monotonic() < end, (line, number)
            time.sleep(LOOK_S)
        return number


def asking(host, **more):
    """A page that has asked for a slice, and its number."""
    page = program.Page(host, **more)
    page.until(lambda: page.hello)
    return page, ask_slice(host, page)


def ask_slice(host, page):
    """The page's number, when the host has all that it sent."""
    page.tell(type="do", what="slice", value=7)
    return host.until("next", lambda number: number)


def check_class(host):
    """A page chooses another class while keys of the one before wait behind a slice that it does not read."""
    (page, number), (good, _) = asking(host, receive_bytes=2048), asking(host)
    host.tell(f"slice {number} {'x' * (7 << 20)}")
    for one in (page, good):
        one.watch(**{"class": 0})
        ask_slice(host, one)
    for _ in range(3):  # the other page's frames: this one's is taken, too
        host.tell("tick")
        good.frame()
    page.watch(**{"class": 1})
    ask_slice(host, page)
    page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    page.until(lambda: page.slice)
    host.tell("tick")
    # keys that were sent before the slice are of the class before
    told = page.until(lambda: (one := getattr(page, "class", None)) and one["kind"] == 1 and one)
    assert told["view"] == VIEWS[1], told
    for one in (page, good):
        one.close()


def check_room(host):
    """A page that comes while there is no room for its monitor is told, and has frames once there is."""
    host.tell("fill")
    page, _ = asking(host)
    page.watch()
    page.until(lambda: page.refused)
    host.tell("free")
    end = time.monotonic() + WAIT_S
    while not page.frames:
        assert time.monotonic() < end, "no frame"
        host.tell("tick")
        if select.select([page.socket], [], [], LOOK_S)[0]:
            page.next()
    page.close()


def main():
    with Host() as host:
        gone = [asking(host) for _ in range(PLACES)]
        numbers = [number for _, number in gone]
        for page, _ in gone:
            page.close()
        host.until("pages", lambda count: count == 0)
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
        host.until("pages", lambda count: count == 0)
        check_class(host)
        host.until("pages", lambda count: count == 0)
        check_room(host)
        host.process.stdin.close()
        assert host.process.wait(60) == 0, host.process.stderr.read()
        host.process.stdin = None


main()
