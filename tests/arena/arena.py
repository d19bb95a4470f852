"""The server under test, its record, and lists by brute force from the record: positions alone, no code of the library."""
import collections
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

VIEW, MARGIN, GUARD_REACH, GUARD = 120, 15, 200, 2  # as in browser_arena.c
DEADLINE_S = 120  # of a wait: for a machine that is busy

Entity = collections.namedtuple("Entity", "x y kind stealth")


def single(value):
    """The float32 nearest to a double: of a sum, difference or product of two float32 it is the float32 one."""
    return struct.unpack("f", struct.pack("f", value))[0]


def square_of(observer, target):
    dx, dy = single(target.x - observer.x), single(target.y - observer.y)
    return single(single(dx * dx) + single(dy * dy))


class Record:
    """ticks[T][id] is an entity at the end of tick T; lists(T)[id] the ids that player id sees then."""

    def __init__(self, path):
        self.ticks = collections.defaultdict(dict)
        with open(path, encoding="ascii") as file:
            for line in file:
                tick, number, x, y, kind, stealth = line.split()
                self.ticks[int(tick)][int(number)] = Entity(float(x), float(y), int(kind), int(stealth))
        self.lists = {}
        before = {}
        for tick in sorted(self.ticks):
            now = self.ticks[tick]
            before = {o: self.list_of(now, o, before.get(o, frozenset())) for o in now if now[o].kind == 0}
            self.lists[tick] = before

    @staticmethod
    def list_of(now, observer, before):
        seen = set()
        for target in now:
            if target == observer or now[target].stealth > 0:
                continue
            radius = GUARD_REACH if now[target].kind == GUARD else VIEW
            radius += MARGIN if target in before else 0
            if square_of(now[observer], now[target]) <= radius * radius:
                seen.add(target)
        return frozenset(seen)


class Server:
    """Runs browser_arena; a fault of it is a fault of the test."""

    def __init__(self, command):
        self.folder = tempfile.TemporaryDirectory(prefix="arena_")
        self.record_path = os.path.join(self.folder.name, "record")
        self.process = subprocess.Popen([*command, "0", self.record_path], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", self.url)
        assert match, f"no address from the server: {self.url!r}"
        self.port = int(match[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def stop(self):
        """-> clients, refused, net packets; and the record."""
        self.process.send_signal(signal.SIGTERM)
        text = self.process.stdout.read()
        assert self.process.wait() == 0, f"the server ended with {self.process.returncode}"
        return [int(number) for number in re.findall(r"\d+", text)], Record(self.record_path)


def wait_for(what, question):
    """Asks until the answer is true; the deadline is no measurement."""
    end = time.monotonic() + DEADLINE_S
    while not (answer := question()):
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)
    return answer
