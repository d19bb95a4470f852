"""pharos-view as a process, and its page's side of the protocol, for tests."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "arena"))
import web_socket

TOKEN = "0123456789abcdefABCDEF"
ALL_PARTS = "points,grid,shards,areas,stats,keys"


class Program:
    """Begins at once; `port` or `unix`, and `token`, are of the address that it prints."""

    def __init__(self, command, *options, **more):
        self.process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(?:http://127\.0\.0\.1:(\d+)/|(/.+))#token=([0-9A-Za-z]+)", self.address)
        assert found, f"{self.address!r}: {self.process.stderr.read()}"
        self.port, self.unix, self.token = int(found[1] or 0), found[2], found[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=60)

    def stop(self):
        """By SIGTERM: exit status and standard error."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def bytes(self):
        """Resident memory."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Page(web_socket.WebSocket):
    """A page that acknowledges each frame, unless told otherwise."""

    def __init__(self, program, token=None, headers=(), hello=True, **more):
        super().__init__(program.port, "/", ["Sec-WebSocket-Protocol: pharos-view", *headers], unix=program.unix, **more)
        self.hello, self.state, self.refused, self.slice, self.lost = None, None, [], None, []
        self.frames = self.texts = 0
        if hello:
            self.tell(type="hello", token=token or program.token)

    def tell(self, **message):
        self.send(json.dumps(message))

    def watch(self, x0=0, y0=0, x1=4000, y1=4000, **more):
        self.tell(type="view", x0=x0, y0=y0, x1=x1, y1=y1, parts=more.pop("parts", ALL_PARTS), hz=more.pop("hz", 60), **more)

    def next(self):
        """The next message: the bytes of a frame, or None for a text, which is kept."""
        kind, data = self.message()
        if kind == web_socket.BINARY:
            assert data[:4] == b"PHV1", data[:8]
            self.frames += 1
            return data
        self.texts += 1
        message = json.loads(data)
        if message["type"] == "refused":
            self.refused.append(message["text"])
        elif message["type"] == "lost":
            self.lost += message["tags"]
        elif message["type"] == "slice":
            self.slice = message["text"]
        else:
            setattr(self, message["type"], message)
        return None

    def ack(self, frame):
        self.tell(type="ack", sequence=int.from_bytes(frame[16:20], "little"))

    def frame(self):
        """The next frame, acknowledged."""
        while (data := self.next()) is None:
            pass
        self.ack(data)
        return data

    def until(self, found):
        """Goes on until found() holds, and returns it."""
        while not (result := found()):
            data = self.next()
            if data:
                self.ack(data)
        return result


def tick_of(frame):
    return int.from_bytes(frame[8:16], "little")


def entities_of(frame):
    return int.from_bytes(frame[28:32], "little")
