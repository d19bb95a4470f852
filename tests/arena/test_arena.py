#!/usr/bin/env python3
"""browser_arena with clients that are no browsers: every list of every tick against brute force; bad messages and
frames; a client that does not read; more clients than slots. usage: test_arena.py PAGE SERVER-COMMAND ..."""
import math
import os
import random
import re
import socket
import sys
import threading
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
import arena
import web_socket

SEED = 20261126
SLOTS, ERRORS_MAX = 64, 20


class Player:
    """A client that reads in a thread of its own and keeps what it was told, tick by tick."""

    def __init__(self, port, reads=True, **options):
        self.socket = web_socket.WebSocket(port, **options)
        self.list, self.kinds = set(), {}
        self.history = {}  # tick -> (first tick of the packet, list)
        self.id, self.tick = 0, 0
        self.answers, self.errors, self.closed = [], [], None
        self.thread = threading.Thread(target=self.read, daemon=True)
        if reads:
            self.thread.start()

    def read(self):
        try:
            while True:
                self.obey(self.socket.receive())
        except web_socket.Closed as closed:
            self.closed = closed
        except OSError:
            self.closed = web_socket.Closed()

    def obey(self, message):
        first = None
        for line in message.splitlines():
            verb, *words = line.split(" ")
            if verb == "tick":
                self.tick, first = int(words[0]), int(words[1])
            elif verb == "you":
                self.id = int(words[0])
            elif verb == "clear":
                self.list.clear()
            elif verb == "why":
                self.answers.append((self.tick, int(words[0]), " ".join(words[1:])))
            elif verb == "error":
                self.errors.append(" ".join(words))
            elif verb[0] == "+":
                assert int(verb[1:]) not in self.list, f"{line} twice"
                self.list.add(int(verb[1:]))
                self.kinds[int(verb[1:])] = int(words[0])
            elif verb[0] == "-":
                self.list.remove(int(verb[1:]))
            else:
                assert verb[0] == "@" and int(verb[1:]) in self.list, f"{line}: not in the list"
        if first is not None:
            self.history[self.tick] = (first, frozenset(self.list))

    def leave(self):
        self.socket.close()
        self.thread.join()

    def send(self, text):
        self.socket.send(text)

    def wait_tick(self, tick):
        arena.wait_for(f"tick {tick}", lambda: self.tick >= tick or self.closed)
        assert not self.closed, self.closed

    def wait_closed(self):
        arena.wait_for("the end of a connection", lambda: self.closed)
        return self.closed.code, self.closed.reason


def check_page(server, page):
    with urllib.request.urlopen(server.url) as answer, open(page, "rb") as file:
        assert answer.read() == file.read(), "the page is another one"
    try:
        urllib.request.urlopen(server.url + "../etc/passwd")
        raise AssertionError("a page that is not there")
    except urllib.error.HTTPError as error:
        assert error.code in (403, 404), error


def play(server, rng):
    """Players come, walk, hide, ask and go, for 100 ticks; -> all of them."""
    players, present = [], []
    for _ in range(10):
        if len(present) < 3 or (len(present) < 9 and rng.random() < 0.6):
            players.append(Player(server.port))
            present.append(players[-1])
            present[-1].wait_tick(1)
        elif rng.random() < 0.5:
            present.pop(rng.randrange(len(present))).leave()
        for player in present:
            angle = rng.random() * 2 * math.pi
            player.send(f"walk {math.cos(angle):.3f} {math.sin(angle):.3f}")
            if rng.random() < 0.2:
                player.send(f"sneak {rng.randrange(2)}")
            known = sorted(player.kinds)
            for target in rng.sample(known, min(len(known), 5)):
                player.send(f"why {target}")
        present[0].wait_tick(present[0].tick + 10)
    for player in present:
        player.leave()
    return players


def bad_messages(server):
    """-> the number of refused messages."""
    walk, why, no = "walk needs two numbers from -1 to 1", "why needs the id of an entity", "no such message"
    table = [("walk nan 0", walk), ("walk 0 inf", walk), ("walk 1.001 0", walk), ("walk 1", walk), ("walk 1 0 x", walk),
             ("walk a b", walk), ("walk 1e999 0", walk), ("sneak 2", "sneak needs 0 or 1"), ("sneak 0.5", "sneak needs 0 or 1"),
             ("why 0", why), ("why -1", why), ("why 1.5", why), ("why 99999999999", why), ("why", no), ("fly 1 0", no),
             ("walk 0 0\0", "a message is text")]
    player = Player(server.port)
    for text, _ in table:
        player.wait_tick(player.tick + 1)
        player.send(text)
    player.socket.send_frame(web_socket.BINARY, b"walk 0 0")
    player.socket.send_frame(web_socket.TEXT, b"wal", final=False)  # a message in pieces is one message
    player.socket.send_frame(web_socket.CONTINUED, b"k 0 0")
    player.send("why 777")
    arena.wait_for("an answer", lambda: player.answers or player.closed)
    assert player.answers[0][1:] == (777, "no entity of this id is in the world"), player.answers
    expected = [error for _, error in table] + ["a message is text"]
    assert player.errors == expected, player.errors
    for _ in range(ERRORS_MAX - len(expected)):
        player.send("jump !")
    assert player.wait_closed() == (1008, "too many errors"), player.closed
    flood = Player(server.port)
    flood.wait_tick(1)
    try:
        while not flood.closed:
            flood.send("walk 0 0")
    except web_socket.Closed:
        pass
    flood.wait_closed()
    assert set(flood.errors) <= {"too many messages in a tick"}, flood.errors
    long = Player(server.port)
    long.send("walk " + "0" * 60)
    assert long.wait_closed() == (1009, "a message has at most 63 bytes"), long.closed
    return ERRORS_MAX + ERRORS_MAX + 1


def bad_frames(server):
    """Each ends its connection, and no other one."""
    for kind, payload in ((3, b"x"), (11, b"x"), (web_socket.TEXT, b"walk \xff\xfe"), (web_socket.CONTINUED, b"x"),
                          (web_socket.PING, b"x" * 126), (web_socket.CLOSE, b"\x03")):
        player = Player(server.port)
        player.wait_tick(1)
        player.socket.send_frame(kind, payload)
        player.wait_closed()
    try:
        web_socket.WebSocket(server.port, headers=["Origin: http://elsewhere.example"])
        raise AssertionError("a foreign page may connect")
    except web_socket.Closed:
        pass
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(os.urandom(4096))


def fill_slots(server):
    own_page = [f"Origin: http://127.0.0.1:{server.port}"]
    players = [arena.wait_for("a free slot", lambda: take_slot(server, headers=own_page)) for _ in range(SLOTS)]
    assert Player(server.port).wait_closed() == (1011, "all slots are taken")
    players[0].leave()
    late = arena.wait_for("a free slot", lambda: take_slot(server))
    return [*players, late]


def take_slot(server, **options):
    player = Player(server.port, **options)
    arena.wait_for("an answer", lambda: player.closed or player.tick)
    return None if player.closed else player


def sleep_long(server):
    """A client that does not read while others move around it: the net difference, then tick by tick again."""
    others = [Player(server.port) for _ in range(12)]
    sleeper = Player(server.port, reads=False, receive_bytes=1024)
    others[0].wait_tick(1)
    for step in range(12):
        for place, player in enumerate(others):
            player.send(f"walk {math.cos(place + step // 3 * 3.14):.3f} {math.sin(place + step // 3 * 3.14):.3f}")
        others[0].wait_tick(others[0].tick + 10)
    sleeper.thread.start()
    sleeper.wait_tick(others[0].tick + 20)
    merged = [tick for tick, (first, _) in sleeper.history.items() if first < tick]
    assert merged, "no packet has several ticks"
    assert len(sleeper.history) < max(sleeper.history) - min(sleeper.history), "no tick was left out"
    return [*others, sleeper]


def check_lists(players, record):
    compared, changes = 0, 0
    for player in players:
        before = None
        for tick, (_, told) in player.history.items():
            right = record.lists[tick].get(player.id)
            if right is None:
                continue  # the server knew already that it had gone
            assert told == right, f"seed {SEED}: player {player.id}, tick {tick}: told {sorted(told)}, is {sorted(right)}"
            compared += 1
            changes += before is not None and before != told
            before = told
        for target, kind in player.kinds.items():
            found = next(now[target].kind for now in record.ticks.values() if target in now)
            assert kind == found, f"{target} is of kind {found}, told {kind}"
    return compared, changes


def check_answers(players, record):
    """An answer is about the tick of the packet before it, or about the next one."""
    reasons = {}
    for player in players:
        for tick, target, text in player.answers:
            match = re.match(r"(seen|not seen): ([^(]*?)(?: \((?:distance ([0-9.e+-]+),)?.*\))?$", text)
            if not match:
                assert all(target not in record.ticks[t] for t in (tick, tick + 1)) or \
                    player.id not in record.ticks[tick], text
                continue
            fits = False
            for t in (tick, tick + 1):
                now = record.ticks.get(t, {})
                if target in now and player.id in now:
                    distance = math.sqrt(arena.square_of(now[player.id], now[target]))
                    fits |= (match[1] == "seen") == (target in record.lists[t][player.id]) and (
                        match[3] is None or abs(float(match[3]) - distance) <= 1e-6 * distance)
            assert fits, f"player {player.id}, tick {tick}, {target}: {text}"
            reasons[match[2]] = reasons.get(match[2], 0) + 1
    return reasons


def main():
    page, *command = sys.argv[1:]
    with arena.Server([*command, page]) as server:
        run(server, page)


def run(server, page):
    check_page(server, page)
    players = play(server, random.Random(SEED))
    refused = bad_messages(server)
    bad_frames(server)
    players += sleep_long(server)
    for player in players:
        player.leave()
    players += fill_slots(server)
    (_, refused_told, merged), record = server.stop()
    assert refused_told == refused, f"{refused} bad messages, the server counted {refused_told}"
    assert merged > 0
    compared, changes = check_lists(players, record)
    reasons = check_answers(players, record)
    assert compared > 1000 and changes > 100 and len(reasons) >= 4, (compared, changes, reasons)
    print(f"{compared} lists of {len(players)} players are as the positions say, {changes} of them changed; "
          f"{sum(reasons.values())} reasons of {len(reasons)} kinds; {refused} bad messages refused")
    for reason, count in sorted(reasons.items()):
        print(f"  {count:4} {reason}")


main()
