#!/usr/bin/env python3
"""Black-box test of pharos-replay: events, the same for every layout; bad input; files.

usage: test_replay.py PHAROS-REPLAY [--seed N] [NAME ...]   NAME: only the tests of these names

The random traces are checked against a brute force written here, which shares nothing
with the library. A failure prints the command that shows it again; the seed is printed.
"""
import gzip
import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
SMALL = os.path.join(DATA, "replay_small.csv")
SMALL_WORLD = ["--set", "view=10", "--set", "margin=2", "--set", "world_size=100,100", "--set", "tower_size=20"]
LAYOUTS = [[], ["--workers", "2"], ["--shards", "2x1"], ["--workers", "3", "--shards", "4x4"],
           ["--workers", "2", "--shards", "1x5"]]
INDEXES = ["lighthouse", "brute", "grid", "hash", "crosslist", "towers", "quadtree", "hex", "timer"]
HEADER = "tick,observer,event,target\n"
ALL = "tick,op,id,other,x,y,z,kind,view,margin,reach,instance,layers,sees,stealth,detect,global,ready,cap,priority,visible,veiled,remote\n"

program = None
failures = 0


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


def expect(condition, what):
    if not condition:
        fail(what)
    return condition


class Run:
    """One run of the program in an own folder; knows how to complain."""

    def __init__(self, folder, arguments, **options):
        self.command = [program] + arguments
        self.folder = folder
        done = subprocess.run(self.command, cwd=folder, stdin=subprocess.DEVNULL, timeout=120,
                              stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options)
        self.status = done.returncode
        self.out = (done.stdout or b"").decode()
        self.err = done.stderr.decode(errors="replace")

    def complain(self, what):
        fail(f"{what}\n  command: {' '.join(self.command)}\n  status: {self.status}\n  out: {self.out[:2000]}\n"
             f"  err: {self.err[:2000]}")

    def ends(self, status, err=None):
        if self.status != status:
            self.complain(f"exit status {status} expected")
        if err is not None and err not in self.err:
            self.complain(f"expected on stderr: {err}")
        return self

    def left_over(self, *names):
        """Only these files are in the folder."""
        there = sorted(os.listdir(self.folder))
        if there != sorted(names):
            self.complain(f"files {sorted(names)} expected, there are {there}")
        return self

    def summary(self):
        return json.loads(self.out)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read().decode()


# ---- the event hash, by its definition ----

def mix64(value):
    mask = 2**64 - 1
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return value ^ value >> 31


def event_hash(events):
    total = 0
    for line in events.splitlines()[1:]:
        tick, observer, event, target = line.split(",")
        chain = mix64((int(tick) + 0x9e3779b97f4a7c15) % 2**64)
        for part in (int(observer), int(event == "enter"), int(target)):
            chain = mix64(chain ^ part)
        total += chain
    return f"{total % 2**64:016x}"


# ---- events ----

def test_small_trace_by_hand(folder):
    expected = read(DATA, "replay_small.events.csv")
    for layout in LAYOUTS:
        run = Run(folder, [SMALL, "--events", "out.csv", "--json"] + SMALL_WORLD + layout).ends(0, "")
        if expect(os.path.exists(os.path.join(folder, "out.csv")), f"no events file: {run.command} {run.err}"):
            if read(folder, "out.csv") != expected:
                run.complain("events differ from the ones by hand")
        summary = run.summary()
        for key, value in {"ticks": 20, "commands": 24, "bad_lines": 0, "bad_lines_by_reason": {}, "enters": 11,
                           "leaves": 7, "entities": 2, "event_hash": event_hash(expected)}.items():
            if summary[key] != value:
                run.complain(f"{key} {summary[key]}, expected {value}")
        run.left_over("out.csv")


def test_areas_and_activation_by_hand(folder):
    trace = ("tick,op,id,x,y,kind,radius,x2,y2,corners\n"
             "1,enter,1,5,5,player\n1,enter,2,15,5,wolf\n1,area,7,5,5,,1\n1,area,8,0,0,wolf,,20,20\n"
             "1,area,9,,,,,,,14:4;16:4;15:6\n"
             "2,move,1,8,5\n3,area,7,8,5,,1\n4,move,1,95,95\n5,unarea,8\n6,leave,2\n")
    with open(os.path.join(folder, "t.csv"), "w", encoding="ascii") as out:
        out.write(trace)
    with open(os.path.join(folder, "t.conf"), "w", encoding="ascii") as out:
        out.write("world_size = {100, 100}\ntower_size = 10\nactivation_linger = 1\n"
                  "class player { view = 1 wakes = true }\nclass wolf { }\n")
    expected = (HEADER + "1,1,in,7\n1,2,in,8\n1,2,in,9\n1,2,awake,0\n2,1,out,7\n3,1,in,7\n4,1,out,7\n"
                "5,2,out,8\n5,2,asleep,0\n6,2,out,9\n")
    for layout in LAYOUTS:
        run = Run(folder, ["t.csv", "--config", "t.conf", "--events", "out.csv"] + layout).ends(0, "")
        if read(folder, "out.csv") != expected:
            run.complain(f"events differ from the ones by hand: {read(folder, 'out.csv')}")


def random_trace(rng):
    """Walkers with two kinds of view; some are let in and out. Coordinates are whole, so float32 is exact."""
    lines, ids, ticks = ["tick,op,id,x,y,kind"], {}, []
    for tick in range(30):
        lists = []
        for _ in range(rng.randrange(12)):
            entity = rng.randrange(1, 60)
            place = (rng.randrange(-20, 220), rng.randrange(-20, 220))
            if entity not in ids:
                kind = rng.choice(["far", "near", "stone"])
                lists.append(f"{tick},enter,{entity},{place[0]},{place[1]},{kind}")
                ids[entity] = [place, kind, object()]
            elif rng.random() < 0.3:
                lists.append(f"{tick},leave,{entity}")
                del ids[entity]
            else:
                lists.append(f"{tick},move,{entity},{place[0]},{place[1]}")
                ids[entity][0] = place
        for entity, state in ids.items():
            if rng.random() < 0.5:
                state[0] = (state[0][0] + rng.randrange(-9, 10), state[0][1] + rng.randrange(-9, 10))
                lists.append(f"{tick},move,{entity},{state[0][0]},{state[0][1]}")
        if lists or tick == 29 or not ticks:
            lines += lists or [f"{tick},enter,{1000 + tick},0,0,stone"]
            if not lists:
                ids[1000 + tick] = [(0, 0), "stone", object()]
        ticks.append((tick, {entity: tuple(state) for entity, state in ids.items()}))
    return "\n".join(lines) + "\n", ticks


def brute_force(ticks, views, margin):
    """The events of circles: each observer's targets now against its targets before."""
    events, before, stays = [HEADER], {}, {}
    for tick, world in ticks:
        now = {}
        for observer, (place, kind, stay) in world.items():
            old = before.get(observer, {}) if stays.get(observer) is stay else {}
            now[observer] = {}
            for target, (other, _, other_stay) in world.items():
                radius = views[kind] + (margin if old.get(target) is other_stay else 0)
                square = (place[0] - other[0])**2 + (place[1] - other[1])**2
                if target != observer and views[kind] > 0 and square <= radius**2:
                    now[observer][target] = other_stay
            left = sorted(target for target in old if now[observer].get(target) is not old[target])
            came = sorted(target for target in now[observer] if old.get(target) is not now[observer][target])
            for event, targets in (("leave", left), ("enter", came)):
                events += [(tick, observer, event, target) for target in targets]
        before, stays = now, {observer: state[2] for observer, state in world.items()}
    rows = sorted(events[1:], key=lambda e: (e[0], e[1], e[2] == "enter", e[3]))
    return HEADER + "".join(f"{t},{o},{e},{g}\n" for t, o, e, g in rows)


def test_random_traces(folder, seed):
    write(folder, "world.conf", "world_size = {200, 200}\ntower_size = 17\n"
          "class far { view = 50 margin = 6 }\nclass near { view = 20 margin = 6 }\nclass stone { view = 0 }\n")
    for number in range(12):
        rng = random.Random(seed + number)
        text, ticks = random_trace(rng)
        expected = brute_force(ticks, {"far": 50, "near": 20, "stone": 0}, 6)
        write(folder, "trace.csv", text)
        with gzip.open(os.path.join(folder, "trace.csv.gz"), "wb") as file:
            file.write(text.replace("\n", "\r\n").encode())
        for layout in LAYOUTS:
            name = rng.choice(["trace.csv", "trace.csv.gz"])
            run = Run(folder, [name, "--config", "world.conf", "--events", "out.csv", "--json"] + layout).ends(0)
            if run.status == 0 and read(folder, "out.csv") != expected:
                write(folder, "expected.csv", expected)
                run.complain(f"events differ from the brute force, seed {seed + number}")
                return
            if run.status == 0 and run.summary()["event_hash"] != event_hash(expected):
                run.complain("event hash")


def test_ticks(folder):
    """Ticks begin with the first line's, run where there is no line, and stop when asked to."""
    write(folder, "t.csv", "tick,op,id,x,y\n100,enter,1,0,0\n100,enter,2,5,0\n150,move,2,50,0\n1000,leave,2\n")
    for ticks, count, events in ((None, 901, 4), (1, 1, 2), (50, 50, 2), (51, 51, 4), (901, 901, 4), (5000, 901, 4)):
        limit = ["--ticks", str(ticks)] if ticks else []
        run = Run(folder, ["t.csv", "--json", "--events", "e.csv", "--set", "view=10"] + limit).ends(0)
        summary = run.summary()
        if summary["ticks"] != count or summary["enters"] + summary["leaves"] != events:
            run.complain(f"{count} ticks and {events} events expected")
    expected = HEADER + "100,1,enter,2\n100,2,enter,1\n150,1,leave,2\n150,2,leave,1\n"
    expect(read(folder, "e.csv") == expected, f"ticks of the trace: {read(folder, 'e.csv')}")
    write(folder, "none.csv", "tick,op,id\n# nothing\n")
    run = Run(folder, ["none.csv", "--json", "--events", "none.out"]).ends(0)
    expect(run.summary()["ticks"] == 0 and read(folder, "none.out") == HEADER, "a trace of no line runs no tick")


def test_height(folder):
    """z: kept where it is empty, 0 where there is no column."""
    sphere = ["--set", "shape=sphere", "--set", "view=10", "--events", "-"]
    write(folder, "z.csv", "tick,op,id,x,y,z\n0,enter,1,0,0,100\n0,enter,2,0,0,100\n1,move,2,1,1\n2,move,2,1,1,0\n"
          "3,move,2,,,95\n")
    expected = HEADER + "".join(f"{tick},{a},{event},{b}\n" for tick, event in ((0, "enter"), (2, "leave"), (3, "enter"))
                                for a, b in ((1, 2), (2, 1)))
    run = Run(folder, ["z.csv"] + sphere).ends(0, "event hash")
    if run.out != expected:
        run.complain("events with heights")
    write(folder, "flat.csv", "tick,op,id,x,y\n0,enter,1,0,0\n0,enter,2,0,0\n1,move,2,1,1\n")
    run = Run(folder, ["flat.csv"] + sphere).ends(0)
    if run.out != HEADER + "0,1,enter,2\n0,2,enter,1\n":
        run.complain("events without heights")


def test_wide_ids(folder):
    top = 2**64 - 1
    write(folder, "t.csv", f"tick,op,id,x,y\n{top - 1},enter,{top},0,0\n{top},enter,{top - 1},1,1\n")
    run = Run(folder, ["t.csv", "--set", "view=10", "--events", "-"]).ends(0)
    if run.out != HEADER + f"{top},{top - 1},enter,{top}\n{top},{top},enter,{top - 1}\n":
        run.complain("ticks and ids near 2^64")


def test_kinds(folder):
    write(folder, "t.csv", "tick,op,id,x,y,kind\n0,enter,1,0,0,guard\n0,enter,2,5,0,nobody-knows\n0,enter,3,0,5\n")
    run = Run(folder, ["t.csv", "--set", "guard.view=10", "--events", "-"]).ends(0)
    if run.out != HEADER + "0,1,enter,2\n0,1,enter,3\n":
        run.complain("a kind that is not there is class default")
    run.ends(0, "1 lines name a class that the config has not, 'nobody-knows' first")
    run = Run(folder, ["t.csv", "--set", "guard.view=10", "--set", "nobody-knows.view=0"]).ends(0)
    if "name a class" in run.err:
        run.complain("each class is known")


def test_settings_in_any_order(folder):
    """The definition is checked once, behind all options: settings that need each other come in any order."""
    write(folder, "t.csv", "tick,op,id,x,y\n0,enter,1,0,0\n0,enter,2,5,0\n")
    write(folder, "wide.conf", "tower_size = 100 shards = {200, 1}\nclass default { view = 10 }\n")
    for options in (["--set", "shards=200,1", "--set", "tower_size=50"], ["--set", "tower_size=50", "--shards", "200x1"],
                    ["--shards", "200x1", "--set", "tower_size=50"], ["--config", "wide.conf", "--set", "tower_size=50"]):
        Run(folder, ["t.csv", "--set", "view=10"] + options).ends(0)
    Run(folder, ["t.csv", "--set", "tower_size=100", "--shards", "200x1"]).ends(2, "--set shards: shards = {200, 1}: 200 along x is outside")
    Run(folder, ["t.csv", "--config", "wide.conf"]).ends(2, "wide.conf:1: shards = {200, 1}: 200 along x is outside")


def test_instances(folder):
    """Entities of different instances do not meet; children follow; one event file in each index and layout."""
    write(folder, "t.csv", "tick,op,id,other,x,y,instance,global\n0,enter,1,,10,10\n0,enter,2,,11,10,7\n"
          "0,enter,3,,90,90,7,1\n0,link,1,2\n1,set,1,,,,7\n2,attach,4,1\n2,enter,5,,12,10\n3,attach,5,1\n"
          "3,set,5,,,,1\n4,set,1,,,,0\n")
    events = ("0,2,enter,3\n1,1,enter,2\n1,1,enter,3\n1,2,enter,1\n3,1,enter,5\n3,2,enter,5\n3,5,enter,1\n"
              "3,5,enter,2\n3,5,enter,3\n4,1,leave,2\n4,1,leave,3\n4,2,leave,1\n4,2,leave,5\n4,5,leave,2\n"
              "4,5,leave,3\n")
    world = ["t.csv", "--skip-bad", "--events", "-", "--set", "view=10", "--set", "world_size=100,100", "--set",
             "tower_size=20"]
    for index in INDEXES:
        for layout in LAYOUTS:
            run = Run(folder, world + ["--index", index] + layout).ends(0, "(PH_ATTACHED)")
            if run.out != HEADER + events:
                run.complain("instances")
    Run(folder, world + ["--explain", "1,2@0"]).ends(0)


EVERY = ("tick op id other x y z kind view margin reach visible instance layers sees veiled stealth detect global ready "
         "remote cap priority user_data consumer radius x2 z2 y2 corners follow text bytes self seen").split()


def every_attribute(rng, row, many):
    """Some attributes, each in a few values that matter."""
    values = {"kind": ["player", "npc", "item"], "view": [0, 20, 45, 80], "margin": [0, 6], "reach": [0, 0, 120],
              "visible": [15, 40, 1e18], "instance": [0, 0, 1, 2, 4294967295], "layers": [1, 2, 3], "sees": [1, 3, "0xff"],
              "veiled": [0, 0, 1], "stealth": [0, 0, 3], "detect": [0, 3, 255], "global": [0, 0, 0, 1],
              "ready": [0, 1, 1, 1], "remote": [0, 0, 1], "cap": [0, 0, 2, 5], "priority": [0, 1, 9], "z": [0, 4, 9],
              "user_data": [0, 18446744073709551615], "consumer": [0, 1, 2]}
    for name in rng.sample(sorted(values), rng.randrange(1, many)):
        row[name] = rng.choice(values[name])


def every_area(rng, row):
    """A circle, a box or a polygon, with some of the filters."""
    x, y, r = rng.randrange(150), rng.randrange(150), rng.randrange(20, 120)
    shape = rng.choice(["circle", "box", "polygon"])
    if shape == "polygon":
        row["corners"] = f"{x}:{y};{x + r}:{y};{x + r // 2}:{y + r}"
    else:
        row.update({"x": x, "y": y}, **({"radius": r} if shape == "circle" else {"x2": x + r, "y2": y + r}))
        if rng.random() < 0.4:
            row["margin"] = rng.randrange(9)
    if rng.random() < 0.4:
        row.update({"z": rng.randrange(5), "z2": rng.randrange(5, 10)})
    for name, values in (("instance", [0, 1, 2]), ("layers", [1, 2, 3]), ("kind", ["player", "npc", "item;npc"])):
        if rng.random() < 0.2:
            row[name] = rng.choice(values)
    if "instance" not in row and rng.random() < 0.4:
        row["follow"] = rng.randrange(1, 40)


def every_broadcast(rng, row):
    row["text"] = f"words {rng.randrange(1000)}"
    if rng.random() < 0.3:
        row["bytes"], row["text"] = rng.choice([row["text"].encode().hex(), "002cFF0a"]), ""
    if rng.random() < 0.3:
        row["kind"] = rng.choice(["player", "npc", "#0;player", "#77"])
    if row["op"] == "broadcast_at":
        row.update({"x": rng.randrange(200), "y": rng.randrange(200), "radius": rng.choice([0, 30, 90])})
        row.update({"instance": rng.choice([0, 1, 2]), "layers": rng.choice([1, 2, 255])})
        return
    row["self"] = rng.choice(["", 0, 1])
    if rng.random() < 0.5:
        row.update({"radius": rng.choice([10, 50, 150]), "seen": rng.choice(["", 0, 1])})


def every_row(rng, tick, op, number):
    row = {"tick": tick, "op": op, "id": number}
    if op == "enter":
        row.update({"x": rng.randrange(-20, 220), "y": rng.randrange(-20, 220)})
        every_attribute(rng, row, 8)
    elif op == "set":
        every_attribute(rng, row, 4)
    elif op == "move":
        row.update({name: rng.randrange(200) for name in rng.choice(["x", "xy", "xyz"])})
    elif op == "pair":
        row.update({"other": rng.randrange(1, 40), "view": rng.choice([0, 30, 150]), "margin": rng.choice([0, 9])})
    elif op in ("broadcast", "broadcast_at"):
        every_broadcast(rng, row)
    elif op == "area":
        every_area(rng, row)
    elif op == "config":
        text = rng.choice(["activation_linger=3", "activation_linger=1", "sticky=1.5", "height=9", "npc.view=25",
                           "npc.view=20", "player.margin=6", "player.band=30:1,100:4", "guest.view=30", "nothing=1"])
        row["bytes" if "," in text else "text"] = text.encode().hex() if "," in text else text
    elif op not in ("leave", "detach", "resend", "unarea", "apply"):
        row["other"] = rng.randrange(1, 40)
    return ",".join(str(row.get(name, "")) for name in EVERY)


def every_column_trace(rng):
    ops = {"enter": 9, "leave": 2, "move": 30, "set": 14, "pair": 3, "unpair": 1, "link": 3, "unlink": 1, "hide": 4,
           "unhide": 2, "reveal": 5, "unreveal": 2, "attach": 4, "detach": 2, "resend": 2, "broadcast": 6,
           "broadcast_at": 3, "area": 5, "unarea": 1, "apply": 2, "config": 1}
    lines = [",".join(EVERY)] + [every_row(rng, 0, "enter", number) for number in range(1, 40)]
    for tick in range(1, 61): # with 24 ticks, one seed in 25 has fewer than 20 updates
        for op in rng.choices(list(ops), list(ops.values()), k=40):
            lines.append(every_row(rng, tick, op, rng.randrange(1, 9 if op in ("area", "unarea") else 40)))
    return "\n".join(lines) + "\n"


def test_every_column(folder, seed):
    """All columns and ops there are: the same three files in each index and layout, and lists by the rule."""
    write(folder, "none.csv", "tick,op,id,wing\n")
    there_are = Run(folder, ["none.csv"]).ends(2).err.split("there are: ")[-1].split()
    expect(sorted(there_are) == sorted(EVERY), f"columns of this test: {EVERY}, of the program: {there_are}")
    write(folder, "every.conf", "world_size = {200, 200}\ntower_size = 20\nshape = cylinder\nheight = 8\nconsumers = 3\n"
          "activation_linger = 1\nclass player { view = 45 margin = 4 wakes = true band { radius = 30 every = 1 } "
          "band { radius = 100 every = 3 } }\nclass npc { view = 20 sleeps = true }\n"
          "class item { view = 0 visible = 30 veiled = true }\n")
    write(folder, "every.csv", every_column_trace(random.Random(seed)))
    files, first = ["events", "heard", "updates"], None
    outputs = [word for name in files for word in (f"--{name}", f"{name}.csv")] + ["--causes", "--positions"]
    for index in INDEXES:
        for layout in LAYOUTS[:4]:
            run = Run(folder, ["every.csv", "--config", "every.conf", "--skip-bad", "--verify", "--json", "--index", index]
                      + outputs + layout).ends(0)
            got = {name: read(folder, f"{name}.csv") for name in files}
            got["bad"] = run.summary()["bad_lines_by_reason"]
            first = first or got
            for name, value in got.items():
                if value != first[name]:
                    run.complain(f"seed {seed}: {name} of the first run: {first[name]}\nof this one: {value}")
    told = {line.split(",")[2] for line in first["events"].splitlines()}
    expect(told >= {"enter", "leave", "in", "out", "awake", "asleep"}, f"seed {seed}: too little happens: {told}")
    expect(all(first[name].count("\n") > 20 for name in files), f"seed {seed}: hardly anything heard or told")


def test_many_commands_in_one_tick(folder):
    """More than a producer's queue holds is still one tick, in order; more than all hold is refused by name."""
    count = 4000
    lines = ["tick,op,id,x,y"] + [f"3,enter,{i},{i % 60},{i // 60}" for i in range(1, count)]
    lines += [f"3,move,{i},{i // 60},{i % 60}" for i in range(1, count)] + ["4,leave,7", "5,leave,8"]
    write(folder, "t.csv", "\n".join(lines) + "\n")
    world = ["t.csv", "--set", "view=2", "--json", "--set", "world_size=200,200"]
    wide = Run(folder, world + ["--events", "wide.csv"]).ends(0)
    tight = Run(folder, world + ["--events", "tight.csv", "--set", "producer_bytes=131072", "--set",
                                 "producers_max=256", "--shards", "2x2"]).ends(0)
    expect(wide.summary()["ticks"] == 3 and wide.summary()["bad_lines"] == 0, f"wide queue: {wide.out}")
    expect(read(folder, "wide.csv") == read(folder, "tight.csv"), "the events depend on the size of the queues")
    run = Run(folder, world + ["--events", "no.csv", "--set", "producer_bytes=131072", "--set", "producers_max=2"])
    run.ends(2, "raise producer_bytes (or producers_max)").left_over("t.csv", "wide.csv", "tight.csv")


def test_endless_ticks_are_refused(folder):
    write(folder, "t.csv", "tick,op,id\n0,set,1\n99999999999,set,1\n")
    Run(folder, ["t.csv"]).ends(2, "t.csv:")


# ---- bad lines ----

BAD_LINES = [
    ("x,leave,1", "tick: \"x\" is not a whole number"),
    ("4,leave,1", "tick goes down, from 5 to 4"),
    ("5,hop,1", "op: \"hop\" is unknown"),
    ("5,leave,0", "id: \"0\" is not a whole number from 1"),
    ("5,enter,2,,1", "enter needs y"),
    ("5,enter,2,,nan,1", "x: \"nan\" is not a number"),
    ("5,enter,2,,1e99,1", "x: \"1e99\" does not fit into a 32-bit float"),
    ("5,move,1", "move needs x, y or z"),
    ("5,pair,1,2", "pair needs view"),
    ("5,leave,1,9", "leave takes no other"),
    ("5,leave,1" + "," * 22, "more fields than the 23 columns"),
    ("5,leave,1\0", "zero byte"),
    ("5,leave," + "1" * 140000, "more than 135168 bytes"),
    # refused by the engine at once ...
    ("5,set,1,,,,,,-1", "(PH_BAD_RADIUS)"),
    ("5,pair,1,2,,,,,-1", "(PH_BAD_RADIUS)"),
    ("5,set,1,,,,,,1.1e18", "not a number from 0 to 1e18 (PH_BAD_RADIUS)"),
    ("5,enter,2,,-1.1e18,1", "not a number from -1e18 to 1e18 (PH_BAD_POSITION)"),
    ("5,move,1,,1,1e38", "(PH_BAD_POSITION)"),
    ("5,link,1,1", "(PH_SAME_ID)"),
    ("5,set,1,,,,,,,,,,,,,,,,2147483648", "(PH_BAD_VALUE)"),
    # ... and in the tick
    ("5,leave,77", "entity 77: no entity of this id is in the world (PH_UNKNOWN_ID)"),
    ("5,enter,1,,2,2", "entity 1: an entity of this id is in the world already (PH_EXISTS)"),
    ("5,unlink,1,2", "(PH_ABSENT)"),
    ("5,attach,1,1", "(PH_CYCLE)"),
]


def test_bad_lines(folder):
    for line, reason in BAD_LINES:
        write(folder, "t.csv", ALL + "5,enter,1,,1,1\n5,enter,2,,2,2\n# about\n" + line + "\n6,leave,1\n")
        run = Run(folder, ["t.csv", "--set", "view=10", "--events", "out.csv"])
        run.ends(2, "t.csv:5: ").ends(2, reason).left_over("t.csv")
        expect(run.out == "", f"a failed run prints no summary: {run.out}")
        run = Run(folder, ["t.csv", "--set", "view=10", "--json", "--skip-bad"]).ends(0, "t.csv:5: ").ends(0, reason)
        summary = run.summary()
        by_reason = sum(summary["bad_lines_by_reason"].values())
        if (summary["bad_lines"], by_reason, summary["commands"], summary["entities"]) != (1, 1, 3, 1):
            run.complain("one bad line, three commands and one entity expected")


def test_bad_lines_change_nothing(folder):
    """All of them between good ones: the events of the good ones alone."""
    bad = "".join(line + "\n" for line, _ in BAD_LINES)
    write(folder, "t.csv", ALL + "5,enter,1,,1,1\n5,enter,2,,2,2\n" + bad + "6,leave,1\n")
    run = Run(folder, ["t.csv", "--set", "view=10", "--events", "-", "--skip-bad", "--json"]).ends(0)
    if run.out != HEADER + "5,1,enter,2\n5,2,enter,1\n6,2,leave,1\n":
        run.complain("bad lines left a trace")
    lines = run.err.splitlines()
    shown = [line for line in lines if line.startswith("t.csv:")]
    summary = json.loads(lines[-1])
    expect(len(shown) == 10, f"10 bad lines are shown: {run.err}")
    expect(summary["bad_lines"] == len(BAD_LINES), f"all are counted: {summary}")
    expect(summary["bad_lines_by_reason"]["PH_BAD_RADIUS"] == 3, f"by reason: {summary}")
    text = Run(folder, ["t.csv", "--set", "view=10", "--skip-bad"]).ends(0).out
    expect(f"bad lines      {len(BAD_LINES)}, by reason:\n" in text, text)
    for said in (" targets came into an observer's list\n", " targets left one\n", " applied\n",
                 ": the same on every layout and machine\n", " (p50), 99 of 100 within "):
        expect(said in text, f"the summary says what its figures are: {said!r} is not in\n{text}")
    expect("  3            a radius, margin, reach or visible is not a number from 0 to 1e18\n" in text, text)


def test_visible(folder):
    """A target visible from 3 only is not seen from 5 off, though the view is 10."""
    write(folder, "t.csv", "tick,op,id,x,y,visible\n1,enter,1,50,50\n1,enter,2,55,50,3\n2,set,2,,,5\n3,set,2,,,4\n")
    run = Run(folder, ["t.csv", "--set", "view=10", "--events", "-"]).ends(0)
    expect(run.out == HEADER + "1,2,enter,1\n2,1,enter,2\n3,1,leave,2\n", run.out)


def test_hide_and_reveal(folder):
    """A veil, lifted for one observer; a wall, stronger than a link; both end."""
    write(folder, "t.csv", "tick,op,id,other,x,y,veiled\n1,enter,1,,50,50\n1,enter,2,,55,50,yes\n1,enter,3,,50,55\n"
          "2,reveal,1,2\n3,hide,1,2\n3,hide,3,1\n4,link,1,2\n5,unhide,1,2\n6,unlink,1,2\n7,unreveal,1,2\n8,unhide,3,1\n")
    run = Run(folder, ["t.csv", "--set", "view=10", "--events", "-", "--verify"]).ends(0)
    expect(run.out == HEADER + "1,1,enter,3\n1,2,enter,1\n1,2,enter,3\n1,3,enter,1\n2,1,enter,2\n3,1,leave,2\n"
           "3,3,leave,1\n5,1,enter,2\n7,1,leave,2\n8,3,enter,1\n", run.out)
    for tick, reason in ((1, "veiled"), (3, "hidden"), (7, "veiled")):
        why = Run(folder, ["t.csv", "--set", "view=10", "--explain", f"1,2@{tick}"]).ends(0)
        expect(reason in why.out, why.out)


def test_causes_and_positions(folder):
    """Each cause once, by hand; positions of enters, at the tick's end; edges have neither."""
    write(folder, "t.csv", "tick,op,id,x,y,z,view,cap,instance,layers\n1,enter,1,50,50,,10\n1,enter,2,55,50,1\n"
          "2,move,2,50,50.5,2\n2,move,1,20,20\n3,move,1,50,50\n4,set,2,,,,,,,2\n5,set,2,,,,,,7,1\n6,set,2,,,,,,0\n"
          "7,set,1,,,,,1\n7,enter,3,50,50\n8,leave,3\n9,enter,4,50,50.25\n9,leave,2\n9,enter,2,50,51\n10,set,1,,,,0\n")
    rows = ["1,1,enter,2,appeared,55,50,1", "2,1,leave,2,range,,,", "3,1,enter,2,came,50,50.5,2",
            "4,1,leave,2,hidden,,,", "6,1,enter,2,came,50,50.5,2", "7,1,leave,2,outranked,,,",
            "7,1,enter,3,appeared,50,50,0", "8,1,leave,3,gone,,,", "8,1,enter,2,came,50,50.5,2",
            "9,1,leave,2,gone,,,", "9,1,enter,4,appeared,50,50.25,0", "10,1,leave,4,range,,,"]
    every = ["t.csv", "--set", "sees=1", "--events", "-"]
    run = Run(folder, every + ["--causes", "--positions"]).ends(0)
    expect(run.out == HEADER[:-1] + ",cause,x,y,z\n" + "\n".join(rows) + "\n", run.out)
    run = Run(folder, every + ["--causes", "--set", "positions=no"]).ends(0)
    expect(run.out == HEADER[:-1] + ",cause\n" + "".join(",".join(row.split(",")[:5]) + "\n" for row in rows), run.out)
    Run(folder, every + ["--positions", "--set", "positions=no"]).ends(2, "the config has positions = false")
    Run(folder, ["t.csv", "--causes"]).ends(2, "need --events")


def test_more_refusals_than_are_told(folder):
    write(folder, "t.csv", "tick,op,id\n" + "".join(f"1,leave,{i}\n" for i in range(1, 101)))
    run = Run(folder, ["t.csv", "--set", "refusals_max=10", "--skip-bad", "--json"]).ends(0)
    summary = run.summary()
    expect(summary["bad_lines"] == 100 and summary["commands"] == 0, f"all are counted: {summary}")
    told = summary["bad_lines_by_reason"]["PH_UNKNOWN_ID"]
    expect(10 <= told < 100, f"about refusals_max are told: {summary}") # a queue may hold a little more than asked for
    expect(told + summary["bad_lines_by_reason"]["refused beyond refusals_max"] == 100, f"{summary}")
    Run(folder, ["t.csv", "--set", "refusals_max=10"]).ends(2, "t.csv:2: ")


def test_bad_headers(folder):
    for text, reason in (("", "t.csv: the file ends without a header"), ("tick,op\n", "t.csv:1: the header has no column id"),
                         ("# x\ntick,op,id,id\n", "t.csv:2: column id stands twice"),
                         ("tick,op,id,speed\n", "t.csv:1: unknown column \"speed\""),
                         (b"\x28\xb5\x2f\xfd\x00\x01\n", "t.csv:1: unknown column \"(\\xb5/\\xfd\\x00\\x01\"")):
        write(folder, "t.csv", text)
        run = Run(folder, ["t.csv", "--events", "out.csv"]).ends(2, reason).left_over("t.csv")
        expect("\n" not in run.err.rstrip("\n"), f"one line of error: {run.err}")


def test_damaged_gzip(folder):
    text = "tick,op,id,x,y\n" + "".join(f"0,enter,{i},0,0\n" for i in range(1, 20))
    text += "".join(f"{i // 100},move,{i % 19 + 1},{i * 7 % 101},{i * 13 % 103}\n" for i in range(1, 20000))
    whole = gzip.compress(text.encode())
    for data, reason in ((whole[:len(whole) // 2], "the gzip data ends too early"),
                         (whole[:-1], "the gzip data ends too early"),
                         (whole[:5000] + bytes([whole[5000] ^ 64]) + whole[5001:], "t.csv.gz:"),
                         (whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:], "damaged"),
                         (whole + b"more", "damaged")):
        write(folder, "t.csv.gz", data)
        for skip in ([], ["--skip-bad"]):
            run = Run(folder, ["t.csv.gz", "--events", "out.csv"] + skip)
            run.ends(2, "t.csv.gz:").ends(2, reason).left_over("t.csv.gz")
    write(folder, "t.csv.gz", whole)
    Run(folder, ["t.csv.gz"]).ends(0)


# ---- command line and config ----

def explain_remote(folder):
    """A remote entity is seen as any other, and is not ready as an observer; 2 enters so, 3 becomes so, 2 is own again."""
    write(folder, "remote.csv", "tick,op,id,x,y,remote\n0,enter,1,0,0,\n0,enter,2,1,0,1\n0,enter,3,2,0,0\n"
                                "1,set,3,,,1\n2,set,2,,,0\n")
    seen = "seen: the target is within the observer's view (distance "
    answers = (("1,2@0", seen), ("2,1@0", "not seen: the observer is not ready\n"), ("3,1@0", seen), ("3,2@0", seen),
               ("3,1@1", "not seen: the observer is not ready\n"), ("1,3@1", seen),
               ("2,3@1", "not seen: the observer is not ready\n"), ("2,3@2", seen), ("2,1@2", seen))
    for layout in LAYOUTS:
        asked = [part for question, _ in answers for part in ("--explain", question)]
        run = Run(folder, ["remote.csv", "--set", "view=10"] + asked + layout).ends(0)
        for question, sentence in answers:
            observer, target, tick = question.replace("@", ",").split(",")
            if f"tick {tick}: observer {observer}, target {target}: {sentence}" not in run.out:
                run.complain(f"expected {question}: {sentence}")


def test_explain(folder):
    """By hand, from the comments in the trace; the same for every layout."""
    away = "distance 12.5, radius 10, margin 2"
    answers = (("1,2@5", "seen: the target is within the observer's view (distance 5, radius 10, margin 2)"),
               ("2,1@5", "not seen: the observer has no view"), ("1,1@6", "not seen: an entity does not see itself"),
               ("1,2@7", "seen: the target is beyond the radius, but was in the list and is within the margin "
                         "(distance 11, radius 10, margin 2)"),
               ("1,2@8", f"not seen: the target is beyond the radius ({away})"),
               ("3,1@9", "seen: the observer has a link to the target (distance "),
               ("1,3@9", "seen: the target is within the view of their pair (distance "),
               ("1,99@9", "entity 99 is not in the world"), ("98,1@9", "entity 98 is not in the world"))
    asked = [part for question, _ in answers for part in ("--explain", question)]
    for layout in LAYOUTS:
        for json_too in ([], ["--json"], ["--events", "-"]):
            run = Run(folder, [SMALL] + asked + json_too + SMALL_WORLD + layout).ends(0)
            lines = [line for line in (run.err if json_too else run.out).splitlines() if ": observer" in line]
            for (question, sentence), line in zip(answers, lines):
                observer, target, tick = question.replace("@", ",").split(",")
                if not line.startswith(f"tick {tick}: observer {observer}, target {target}: {sentence}"):
                    run.complain(f"expected {question}: {sentence}")
            if len(lines) != len(answers):
                run.complain(f"{len(answers)} answers expected")
    cap = ["tick,op,id,x,y,cap"] + [f"0,enter,{i},{i},0,{2 if i == 1 else 0}" for i in range(1, 6)]
    write(folder, "cap.csv", "\n".join(cap) + "\n")
    run = Run(folder, ["cap.csv", "--explain", "1,4@0", "--explain", "1,2@0", "--set", "view=10"]).ends(0)
    for sentence in ("not seen: the target is in range, but others come first at the cap (distance 3, radius 10; "
                     "rank 3 of 4, cap 2)\n", "within the observer's view (distance 1, radius 10; rank 1 of 4, cap 2)\n"):
        if sentence not in run.out:
            run.complain(f"expected: {sentence}")
    explain_remote(folder)
    Run(folder, [SMALL, "--explain", "1,2@4"] + SMALL_WORLD).ends(2, "--explain 1,2@4: the run had 20 ticks, from 5 on")
    Run(folder, [SMALL, "--explain", "1,2@25"] + SMALL_WORLD).ends(2, "--explain 1,2@25")
    Run(folder, [SMALL, "--explain", "1,2@24"] + SMALL_WORLD).ends(0)
    for text in ("1,2", "1@5", "0,2@5", "1,2@", "1,2@5x", "a,2@5"):
        Run(folder, [SMALL, "--explain", text] + SMALL_WORLD).ends(2, "is not like 3,7@12")


def test_verify(folder):
    """Lists of all observers after every tick: 1 and 3 look in this trace, 3 for part of it."""
    write(folder, "v.csv", "tick,op,id,x,y,view\n0,enter,1,5,5,10\n0,enter,2,6,6,0\n1,enter,3,7,7,3\n3,leave,3,,,\n")
    for layout in LAYOUTS:
        run = Run(folder, ["v.csv", "--verify", "--json", "--set", "world_size=100,100", "--set", "tower_size=10"] + layout).ends(0, "")
        if run.summary()["verified_lists"] != 6:
            run.complain("6 lists expected: 1 in four ticks, 3 in two")
    if "verified       6 lists\n" not in Run(folder, ["v.csv", "--verify"]).ends(0, "").out:
        expect(False, "the summary should tell of 6 lists")


def test_heard_file(folder):
    """By hand: the recipients have the source in the list at the tick's end; by kind, in order, itself if asked."""
    write(folder, "kinds.conf", "class default { view = 10 }\nclass cat { view = 10 }\n"
          "world_size = {100, 100}\ntower_size = 20\n")
    write(folder, "said.csv", "tick,op,id,x,y,kind,text,self\n"
          "1,enter,1,50,50\n1,enter,2,55,50,cat\n1,enter,3,50,58\n1,broadcast,2,,,,hello all\n"
          "2,broadcast,2,,,,second: a\n2,broadcast,1,,,cat,cats only,1\n2,broadcast,2,,,,,true\n"
          "3,move,2,90,90\n3,broadcast,2,,,,nobody,0\n4,broadcast,1,,,,to the end,yes\n4,leave,3\n")
    want = ("tick,observer,source,text\n1,1,2,hello all\n1,3,2,hello all\n"
            "2,1,2,second: a\n2,1,2,\n2,2,1,cats only\n2,2,2,\n2,3,2,second: a\n2,3,2,\n"
            "4,1,1,to the end\n")
    for layout in LAYOUTS:
        Run(folder, ["said.csv", "--config", "kinds.conf", "--heard", "heard.csv"] + layout).ends(0)
        got = read(folder, "heard.csv")
        expect(got == want, f"heard with {layout}: {got!r}")
    write(folder, "near.csv", "tick,op,id,x,y,kind,text,self,radius,seen,layers,sees\n"
          "1,enter,1,10,50\n1,enter,2,15,50,cat\n1,enter,3,90,50\n1,enter,4,50,50,,,,,,,2\n"
          "1,broadcast,2,,,,aloud,,75\n1,broadcast,2,,,,to my friends,1,75,1\n"
          "1,broadcast_at,9,90,50,,boom,,40\n1,broadcast_at,9,90,50,,hush,,40,,2\n1,broadcast_at,9,14,50,cat,cats,,2\n")
    want = ("tick,observer,source,text\n1,1,2,aloud\n1,1,2,to my friends\n1,2,2,to my friends\n1,2,0,cats\n"
            "1,3,2,aloud\n1,3,0,boom\n1,3,0,hush\n1,4,0,boom\n1,4,0,hush\n")
    for layout in LAYOUTS:
        Run(folder, ["near.csv", "--config", "kinds.conf", "--heard", "heard.csv"] + layout).ends(0)
        got = read(folder, "heard.csv")
        expect(got == want, f"heard within a radius with {layout}: {got!r}")
    write(folder, "seen.csv", "tick,op,id,x,y,text,seen\n1,enter,1,5,5\n1,broadcast,1,,,hello,1\n")
    Run(folder, ["seen.csv"]).ends(2, "seen.csv:3: ")
    long = "a long story " * 4000
    write(folder, "long.csv", "tick,op,id,x,y,text\n1,enter,1,5,5\n1,enter,2,6,5\n1,broadcast,2,,," + long + "\n")
    run = Run(folder, ["long.csv", "--config", "kinds.conf", "--heard", "-"]).ends(0)
    expect(run.out == f"tick,observer,source,text\n1,1,2,{long}\n", "a long text")
    write(folder, "bad.csv", "tick,op,id,x,y,text\n1,enter,1,5,5,hello\n")
    Run(folder, ["bad.csv"]).ends(2, "bad.csv:2: enter takes no text")
    write(folder, "gone.csv", "tick,op,id,x,y,text\n1,broadcast,9,,,hello\n")
    Run(folder, ["gone.csv"]).ends(2, "gone.csv:2: entity 9: ")
    Run(folder, ["said.csv", "--heard", "same.csv", "--updates", "same.csv"]).ends(2, "into one file")


def test_area_extent(folder):
    """By hand: heights, layers, and a margin that keeps entities inside."""
    write(folder, "extent.csv", "tick,op,id,x,y,z,radius,z2,margin,layers\n"
          "1,enter,1,50,50,0\n1,enter,2,50,50,9\n1,enter,3,50,50,0,,,,2\n1,area,7,50,50,0,10,5,4,1\n"
          "2,move,1,63,50,0\n2,move,2,50,50,5\n3,move,1,65,50,0\n4,move,1,63,50,0\n4,move,2,50,50,5.5\n")
    want = "1,1,in,7\n2,2,in,7\n3,1,out,7\n4,2,out,7\n"
    for layout in LAYOUTS:
        Run(folder, ["extent.csv", "--set", "world_size=100,100", "--set", "tower_size=20", "--events", "e.csv"] + layout).ends(0)
        got = "".join(line + "\n" for line in read(folder, "e.csv").splitlines() if ",in," in line or ",out," in line)
        expect(got == want, f"areas with {layout}: {got!r}")
    write(folder, "half.csv", "tick,op,id,x,y,z,radius\n1,area,7,50,50,0,10\n")
    Run(folder, ["half.csv"]).ends(2, "half.csv:2: area needs both of z and z2")


def test_updates_file(folder):
    """Two in sight of each other: one walks, the other stands; told as they enter, then by the band."""
    with open(os.path.join(folder, "two.csv"), "w") as out:
        out.write("tick,op,id,x,y\n1,enter,1,50,50\n1,enter,2,55,50\n2,move,2,56,50\n3,move,2,57,50\n4,set,1,,\n")
    bands = ["--set", "view=10", "--set", "band=20:1", "--set", "world_size=100,100", "--set", "tower_size=20"]
    want = ("tick,observer,target,x,y,z,band\n1,1,2,55,50,0,0\n1,2,1,50,50,0,0\n"
            "2,1,2,56,50,0,0\n3,1,2,57,50,0,0\n")
    for layout in LAYOUTS:
        Run(folder, ["two.csv", "--updates", "told.csv"] + bands + layout).ends(0)
        with open(os.path.join(folder, "told.csv")) as told:
            got = told.read()
        expect(got == want, f"updates with {layout}: {got!r}")
    Run(folder, ["two.csv", "--updates", "same.csv", "--events", "same.csv"] + bands).ends(2, "into one file")


def test_bands(folder):
    """A target that stands still is told where its observer comes into another band of it, or becomes another kind."""
    write(folder, "t.csv", "tick,op,id,x,y,kind\n1,enter,1,50,50,player\n1,enter,2,52,50,item\n2,move,1,46,50\n"
          "3,move,1,46.5,50\n4,set,1,,,eagle\n5,move,1,48,50\n6,move,1,44,50\n")
    write(folder, "t.conf", "class player { view = 10 band { radius = 5 every = 1 } band { radius = 9 every = 9 } }\n"
          "class item {}\nclass eagle { view = 10 band { radius = 7 every = 1 } }\n")
    want = ("tick,observer,target,x,y,z,band\n1,1,2,52,50,0,0\n2,1,2,52,50,0,1\n4,1,2,52,50,0,0\n")
    for layout in LAYOUTS:
        run = Run(folder, ["t.csv", "--config", "t.conf", "--updates", "-"] + layout).ends(0)
        expect(run.out == want, f"bands with {layout}: {run.out!r}")
    # 1 jumps from shard to shard, and 3, which has never moved, is in one more: in the last band, before and now
    write(folder, "far.csv", "tick,op,id,x,y,kind,other\n1,enter,1,2,2,player,\n1,enter,3,95,2,item,\n1,link,1,,,,3\n"
          "2,move,1,2,60,,\n3,move,1,93,2,,\n")
    world = ["--set", "world_size=100,100", "--set", "tower_size=20"]
    for layout in LAYOUTS:
        run = Run(folder, ["far.csv", "--config", "t.conf", "--updates", "-"] + world + layout).ends(0)
        expect(run.out == "tick,observer,target,x,y,z,band\n1,1,3,95,2,0,1\n3,1,3,95,2,0,0\n",
               f"bands of a copy with {layout}: {run.out!r}")


def test_usage(folder):
    small = ["--", SMALL]
    for arguments, reason in (([], "which trace?"), ([SMALL, SMALL], "one trace at a time"), (["--fast"] + small, "--fast"),
                              (["--workers", "x"] + small, "--workers: 'x'"), (["--workers", "0"] + small, "--workers: '0'"),
                              (["--workers", "99999"] + small, "workers"), (["--shards", "4"] + small, "not like 4x2"),
                              (["--shards", "0x4"] + small, "not like 4x2"), (["--index", "magic"] + small, "magic"),
                              (["--index", "x" * 500] + small, "is no index"),
                              (["--ticks", "0"] + small, "--ticks: '0'"), (["--ticks", "-1"] + small, "--ticks: '-1'"),
                              (["--ticks", "1", "--ticks", "2"] + small, "--ticks is given twice"),
                              (["--events", "a", "--events", "b"] + small, "--events is given twice"),
                              (["--set", "speed=1"] + small, "speed"), (["--set", "view=-1"] + small, "view"),
                              (["--set", "view"] + small, "view"), (["--config", "none.conf"] + small, "none.conf"),
                              (["none.csv"], "none.csv: No such file"), (["."], ".: Is a directory"),
                              (["--shards", "9x9", "--set", "world_size=100,100", "--set", "tower_size=50"] + small,
                               "shards")):
        run = Run(folder, arguments).ends(2, reason).left_over()
        expect(run.out == "", f"nothing on stdout: {run.command}")
    write(folder, "bad.conf", "class default { view = 10 }\nspeed = 3\n")
    Run(folder, ["--config", "bad.conf", SMALL]).ends(2, "bad.conf:2:")


def test_help(folder):
    run = Run(folder, ["--help"]).ends(0)
    for word in ("Examples:", "--skip-bad", "--events=", "Exit status: 0 ", "leave before enter"):
        expect(word in run.out, f"--help says {word}")
    version = Run(folder, ["--version"]).ends(0).out
    expect(version.startswith("pharos-replay ") and len(version.split()) == 2, f"--version: {version}")


def test_assignments_in_order(folder):
    write(folder, "t.csv", "tick,op,id,x,y\n0,enter,1,0,0\n0,enter,2,5,0\n")
    write(folder, "a.conf", "class default { view = 10 }\nshards = {2, 2}\nworkers = 2\n")
    for arguments, enters, workers, shards in (([], 2, 2, [2, 2]), (["--set", "view=1", "--workers", "1"], 0, 1, [2, 2]),
                                               (["--set", "view=1", "--set", "view=9", "--shards", "1x3"], 2, 2, [1, 3]),
                                               (["--workers", "3", "--set", "workers=1"], 2, 1, [2, 2])):
        run = Run(folder, ["t.csv", "--json", "--config", "a.conf"] + arguments).ends(0)
        summary = run.summary()
        if (summary["enters"], summary["workers"], summary["shards"]) != (enters, workers, shards):
            run.complain(f"{enters} enters, {workers} workers, {shards} shards expected")


def test_nobody_observes(folder):
    Run(folder, [SMALL, "--ticks", "1"]).ends(0, "no entity observes")
    run = Run(folder, [SMALL, "--ticks", "1"] + SMALL_WORLD).ends(0)
    expect("no entity observes" not in run.err, "one does observe")


# ---- files ----

def bounded():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))


def test_events_file(folder):
    expected = read(DATA, "replay_small.events.csv")
    small = [SMALL] + SMALL_WORLD
    run = Run(folder, small + ["--events", "-"]).ends(0, "event hash").left_over()
    if run.out != expected:
        run.complain("events on stdout")
    write(folder, "old.csv", "old")
    Run(folder, small + ["--events", "old.csv"], preexec_fn=bounded).ends(1, "old.csv: File too large")
    Run(folder, small + ["--events", "new.csv"], preexec_fn=bounded).ends(1, "new.csv: File too large").left_over("old.csv")
    expect(read(folder, "old.csv") == "old", "the old file stays when the run fails")
    Run(folder, small + ["--events", "old.csv"]).ends(0).left_over("old.csv")
    expect(read(folder, "old.csv") == expected, "the old file is replaced when the run ends well")
    Run(folder, small + ["--events", "none/new.csv"]).ends(1, "none/new.csv: No such file").left_over("old.csv")
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    Run(folder, small + ["--events", "pipe"]).ends(0).left_over("old.csv", "pipe")
    if expect(stat.S_ISFIFO(os.lstat(pipe).st_mode), "a pipe is written, not replaced"): # or root would lose devices
        expect(os.read(reader, 10000).decode() == expected, "events through a pipe")
        Run(folder, small + ["--events", "/dev/full"]).ends(1, "/dev/full: No space left")
    os.close(reader)
    os.remove(pipe)
    write(folder, "trace.csv", "tick,op,id\n")
    Run(folder, ["trace.csv", "--events", "./trace.csv"]).ends(2, "that is the trace itself")
    expect(read(folder, "trace.csv") == "tick,op,id\n", "the trace is as it was")


def test_summary_that_can_not_be_written(folder):
    with open("/dev/full", "wb") as full:
        for more in ([], ["--json"]):
            Run(folder, [SMALL] + SMALL_WORLD + more, stdout=full).ends(1, "the summary: No space left")


def run_tests(tests, prefix):
    """Runs the functions named test_...: all, or the ones of the command line. Returns the exit status."""
    global program
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(sys.modules["__main__"].__doc__)
    program = os.path.abspath(arguments.pop(0))
    seed = random.SystemRandom().randrange(10**9)
    if "--seed" in arguments:
        place = arguments.index("--seed")
        seed = int(arguments[place + 1])
        del arguments[place:place + 2]
    print(f"seed {seed}")
    unknown = [name for name in arguments if not callable(tests.get(name))]
    if unknown:
        sys.exit(f"no tests: {unknown}")
    ran = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_") or not callable(test) or (arguments and name not in arguments):
            continue
        ran += 1
        before = failures
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            try:
                test(*(folder, seed)[:test.__code__.co_argcount])
            except (OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
                fail(f"{name}: {error!r}")
        print(f"{'ok' if failures == before else 'NOT OK'} {name}", flush=True)
    print(f"{ran} tests, {failures} failures")
    return 1 if failures or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(run_tests(globals(), "pharos_replay_"))
