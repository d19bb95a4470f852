#!/usr/bin/env python3
"""Black-box test of pharos-replay on images and journals: a recorded trace replayed gives the files of the trace, in
each layout; a shadow follows a recording that goes on; other worlds, damage and wrong use are told.

usage: test_replay_store.py PHAROS-REPLAY [--seed N] [NAME ...]   NAME: only the tests of these names
"""
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import test_replay as base
from test_replay import Run, expect, read, write

OUTPUTS = ["--events", "events.csv", "--heard", "heard.csv", "--updates", "updates.csv", "--causes", "--positions"]
CONFIG = ("world_size = {200, 200}\ntower_size = 20\nshape = cylinder\nheight = 8\nconsumers = 3\nactivation_linger = 1\n"
          "class player { view = 45 margin = 4 wakes = true band { radius = 30 every = 1 } band { radius = 100 every = 3 } }\n"
          "class npc { view = 20 sleeps = true }\nclass item { view = 0 visible = 30 veiled = true }\n")
TICKS = 61
RECORD_FORMATS = (1, 2)


def image(tick, store="s/w"):
    return f"{store}.{tick:020}.phs"


def journal(tick, store="s/w"):
    return f"{store}.{tick:020}.phj"


def trace_from_one(seed):
    """Every op and column, in ticks 1 to 61: the ticks of the recorded world."""
    lines = base.every_column_trace(random.Random(seed)).splitlines()
    return "\n".join([lines[0]] + [f"{int(line.split(',', 1)[0]) + 1},{line.split(',', 1)[1]}" for line in lines[1:]]) + "\n"


def outputs(folder):
    return {name: read(folder, f"{name}.csv") for name in ("events", "heard", "updates")}


def record(folder, seed, store="s"):
    """The outputs of a trace, which is recorded into the folder."""
    os.makedirs(os.path.join(folder, store))
    write(folder, "every.conf", CONFIG)
    write(folder, "every.csv", trace_from_one(seed))
    Run(folder, ["every.csv", "--config", "every.conf", "--skip-bad", "--record", f"{store}/w"] + OUTPUTS).ends(0)
    return outputs(folder)


def test_recorded_trace(folder, seed):
    whole = record(folder, seed)
    for layout in base.LAYOUTS + [["--index", "brute"]]:
        run = Run(folder, [image(0), "--verify", "--json"] + OUTPUTS + layout).ends(0)
        got = outputs(folder)
        for name, text in got.items():
            if text != whole[name]:
                run.complain(f"seed {seed}: {name} of the trace: {whole[name][:3000]}\nof the journal: {text[:3000]}")
        expect(run.summary()["ticks"] == TICKS and "the journal ends" not in run.err, f"seed {seed}: {run.out} {run.err}")


def test_config_of_a_store(folder, seed):
    """--record takes the section store of the config, but for the place."""
    record(folder, seed)
    os.makedirs(os.path.join(folder, "t"))
    write(folder, "small.conf", CONFIG + 'store { folder = "/nowhere" name = x file_bytes = 4096 }\n')
    Run(folder, ["every.csv", "--config", "small.conf", "--skip-bad", "--record", "t/w"]).ends(0)
    files = {store: [name for name in os.listdir(os.path.join(folder, store)) if name.endswith(".phj")] for store in "st"}
    expect(len(files["s"]) == 1 and len(files["t"]) > 1, f"seed {seed}: {files}")
    Run(folder, [image(0, "t/w"), "--json", "--verify"]).ends(0)
    Run(folder, ["every.csv", "--set", "store.level=20", "--record", "t/w"]).ends(2, "level = 20 is outside [1, 19]")


def test_golden(folder, _):
    """Each format of records, and of an image's file, for ever: replay_small.csv, whose first tick is 5."""
    with open(os.path.join(base.DATA, "replay_small.events.csv")) as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith(("#", "tick"))]
    wanted = [f"{int(line.split(',', 1)[0]) - 4},{line.split(',', 1)[1]}" for line in lines]
    for form in RECORD_FORMATS:
        shutil.copytree(os.path.join(base.DATA, f"journal.{form}"), os.path.join(folder, f"s{form}"))
        for layout in base.LAYOUTS[:2]:
            first = image(0, f"s{form}/w")
            run = Run(folder, [first, "--events", "events.csv", "--json", "--verify"] + layout).ends(0)
            got = read(folder, "events.csv").splitlines()[1:]
            expect(got == wanted and run.summary()["ticks"] == 20, f"format {form}: {run.out}: {got}")


def replay_csv(folder, arguments=()):
    """By the definition in its head, unless arguments have another one."""
    return Run(folder, ["t.csv", "--skip-bad", "--json"] + OUTPUTS + list(arguments)).ends(0)


def behind(text, tick):
    return [line for line in text.splitlines()[1:] if int(line.split(",", 1)[0]) > tick]


def test_csv(folder, seed):
    """A trace of a journal from its begin: the same files, updates too; and the trace of its own journal is itself."""
    whole = record(folder, seed)
    Run(folder, [image(0), "--csv", "t.csv", "--definition", "t.conf"]).ends(0)
    for layout in (*base.LAYOUTS[:2], ["--config", "t.conf"]):
        run = replay_csv(folder, layout)
        got = outputs(folder)
        for name, text in got.items():
            if text != whole[name]:
                run.complain(f"seed {seed}: {name} of the journal: {whole[name][:3000]}\nof its trace: {text[:3000]}")
    expect(",config," in read(folder, "t.csv"), f"seed {seed}: no live key was changed")
    os.makedirs(os.path.join(folder, "again"))
    replay_csv(folder, ["--record", "again/w"])
    Run(folder, [image(0, "again/w"), "--csv", "again.csv"]).ends(0)
    expect(read(folder, "again.csv") == read(folder, "t.csv"), f"seed {seed}: the trace of a trace is another one")
    Run(folder, [image(0), "--csv", "-", "--to", "0"]).ends(0)
    Run(folder, ["t.csv", "--csv", "x.csv"]).ends(2, "--csv and --definition are for images")
    Run(folder, [image(0), "--csv", "no/folder/t.csv"]).ends(1, "no/folder/t.csv: ")
    Run(folder, [image(0), "--definition", "no/folder/t.conf"]).ends(1, "no/folder/t.conf: ")
    Run(folder, [image(0), "--csv", "-", "--definition", "-"]).ends(2, "csv and definition into one file")
    Run(folder, [image(0), "--csv", "x.csv", "--events", "x.csv"]).ends(2, "events and csv into one file")
    for option in ("--csv", "--definition", "--events"):
        Run(folder, [image(0), option, f"./{image(0)}"]).ends(2, "that is the image itself")
    records = next(os.path.join("s", name) for name in os.listdir(os.path.join(folder, "s")) if name.endswith(".phj"))
    os.symlink(records, os.path.join(folder, "link"))
    before = os.stat(os.path.join(folder, records)).st_ino
    for path in (records, "link", "new.phs"):
        Run(folder, [image(0), "--csv", path]).ends(2, "only a store writes files of this ending")
        Run(folder, ["t.csv", "--config", "t.conf", "--updates", path]).ends(2, "only a store writes files of this ending")
    expect(os.stat(os.path.join(folder, records)).st_ino == before, "the journal is another file")
    Run(folder, ["t.csv", "--config", "t.conf", "--events", "./t.csv"]).ends(2, "that is the trace itself")
    run = Run(folder, [image(0), "--definition", "-", "--json"]).ends(0)
    expect("{\"trace\"" not in run.out and "{\"trace\"" in run.err, "the summary is in the definition")


def without_remote(trace):
    lines = [line.split(",") for line in trace.splitlines()]
    place = lines[0].index("remote")
    return "\n".join(",".join([*line[:place], "", *line[place + 1:]] if line is not lines[0] else line) for line in lines) + "\n"


def test_csv_of_a_later_image(folder, seed):
    """Its entities come as capsules: lists, awake NPCs and areas go on, so the events behind the image are the same."""
    os.makedirs(os.path.join(folder, "s"))
    write(folder, "every.conf", CONFIG)
    write(folder, "every.csv", without_remote(trace_from_one(seed)))
    Run(folder, ["every.csv", "--config", "every.conf", "--skip-bad", "--record", "s/w"]).ends(0)
    later = {}
    for every in (1, 7, 13, 20): # the newest three of each are kept
        store = f"every{every}"
        os.makedirs(os.path.join(folder, store))
        Run(folder, [image(0), "--save", f"{store}/w", "--save-every", str(every), "--to", "41", "--verify"]).ends(0)
        shutil.copy(os.path.join(folder, journal(1)), os.path.join(folder, journal(1, f"{store}/w")))
        images = sorted(int(name.split(".")[1]) for name in os.listdir(os.path.join(folder, store)) if name.endswith(".phs"))
        expect(images == list(range(1, 42, every))[-3:], f"seed {seed}, --save-every {every}: images {images}")
        later |= {tick: store for tick in images}
    later = sorted(later.items())
    Run(folder, [image(1, f"{later[0][1]}/w"), "--csv", "t.csv", "--to", "1"]).ends(0)
    expect(",import," in read(folder, "t.csv"), "an image without a record behind it is no trace")
    for tick, store in later[:2] + later[2::max(1, len(later) // 6)]:
        name = image(tick, f"{store}/w")
        asked = [word for n in range(8) for word in ("--explain", f"{n + 1},{n * 5 % 39 + 1}@{tick + 1 + n}")]
        first = Run(folder, [name, "--csv", "t.csv", "--definition", "t.conf"] + OUTPUTS + asked).ends(0)
        wanted = outputs(folder)
        run = replay_csv(folder, ["--verify", "--shards", "2x2"] + asked)
        told = [line for line in (first.out + first.err).splitlines() if line.startswith("tick ") and "observer" in line]
        expect(len(told) == 8 and all(line in run.out + run.err for line in told),
               f"seed {seed}, {name}: {told}\n{run.out}\n{run.err}")
        expect(",import," in read(folder, "t.csv"), "no capsule")
        got = outputs(folder)
        for kind in ("events", "heard"):
            first, second = behind(wanted[kind], tick), behind(got[kind], tick)
            if first != second:
                run.complain(f"seed {seed}, {name}: {kind} of the journal: {first[:40]}\nof its trace: {second[:40]}")


def test_questions(folder, seed):
    record(folder, seed)
    asked = [word for n in range(12) for word in ("--explain", f"{n + 1},{n * 5 % 39 + 1}@{n * 5 + 1}")]
    told = Run(folder, ["every.csv", "--config", "every.conf", "--skip-bad"] + asked).ends(0).out
    lines = [line for line in told.splitlines() if line.startswith("tick ") and "observer" in line]
    run = Run(folder, [image(0)] + asked).ends(0)
    expect(len(lines) == 12 and all(line in run.out for line in lines), f"seed {seed}: {lines}\n{run.out}")
    run = Run(folder, [image(0), "--to", "20", "--explain", "1,2@21"]).ends(2, "the run had 20 ticks, from 1 on")
    expect(Run(folder, [image(0), "--to", "20", "--json"]).summary()["ticks"] == 20, "--to")
    expect(Run(folder, [image(0), "--ticks", "7", "--json"]).summary()["ticks"] == 7, "--ticks")


def test_later_images(folder, seed):
    """Images of a shadow are the world; the replay from one of them goes on as the whole one does."""
    whole = record(folder, seed)
    os.makedirs(os.path.join(folder, "shadow"))
    Run(folder, [image(0), "--save", "shadow/w", "--save-every", "10", "--to", "41"]).ends(0)
    later = sorted(name for name in os.listdir(os.path.join(folder, "shadow")) if name.endswith(".phs"))
    expect(len(later) == 3, f"seed {seed}: images of the shadow: {later}")
    for name in later:
        shutil.copy(os.path.join(folder, "shadow", name), os.path.join(folder, "s", name))
    later = [name for name in later if name != "w.00000000000000000000.phs"]
    run = Run(folder, [image(0), "--compare", "--json", "--shards", "3x2"]).ends(0)
    expect(run.summary()["compared_images"] == len(later), f"{later}: {run.out}")
    for name in later:
        tick = int(name.split(".")[1])
        Run(folder, [f"s/{name}", "--events", "late.csv", "--causes", "--positions"]).ends(0)
        wanted = [line for line in whole["events"].splitlines()[1:] if int(line.split(",")[0]) > tick]
        expect(read(folder, "late.csv").splitlines()[1:] == wanted, f"seed {seed}: events behind {name}")


def test_other_world(folder, seed):
    """The image of a world that has one entity more, among the records of another one."""
    record(folder, seed)
    lines = read(folder, "every.csv").splitlines(True)
    more = next(line for line in lines if line.startswith("1,enter,1,")).replace("1,enter,1,", "1,enter,99,", 1)
    write(folder, "more.csv", "".join([lines[0], more] + lines[1:]))
    for store in ("t", "shadow"):
        os.makedirs(os.path.join(folder, store))
    Run(folder, ["more.csv", "--config", "every.conf", "--skip-bad", "--record", "t/w"]).ends(0)
    Run(folder, [image(0, "t/w"), "--save", "shadow/w", "--save-every", "1", "--to", "30"]).ends(0)
    name = sorted(name for name in os.listdir(os.path.join(folder, "shadow")) if name.endswith(".phs"))[-1]
    shutil.copy(os.path.join(folder, "shadow", name), os.path.join(folder, "s", name))
    Run(folder, [image(0), "--compare"]).ends(1, "it is another world than the replayed one")
    Run(folder, [f"s/{name}"]).ends(1, "diverged in tick ")


def test_damage(folder, seed):
    record(folder, seed)
    path = os.path.join(folder, journal(1))
    size = os.path.getsize(path)
    os.truncate(path, size * 2 // 3)
    run = Run(folder, [image(0), "--json"]).ends(0, "the journal ends behind tick ")
    expect(0 < run.summary()["ticks"] < TICKS and "byte " in run.err, f"{run.out} {run.err}")
    os.remove(path)
    expect(Run(folder, [image(0), "--json"]).ends(0).summary()["ticks"] == 0, "without a journal")
    os.truncate(os.path.join(folder, image(0)), 200)
    Run(folder, [image(0)]).ends(2, "it does not end with its sum")
    Run(folder, ["s/other.phs"]).ends(2, "an image of a store has a name like arena.")
    Run(folder, [image(7)]).ends(2, "it can not be opened")


def test_gap(folder, seed):
    """A journal whose first tick is lost: a run ends there, and a shadow too, as no more can come."""
    head, frame_head = 32, struct.Struct("<IHHQQ")
    record(folder, seed)
    path = os.path.join(folder, journal(1))
    with open(path, "rb") as file:
        whole = file.read()
    at, tick = head, 1
    while tick == 1:
        _, _, _, tick, size = frame_head.unpack_from(whole, at)
        start, at = at, at + frame_head.size + size + 8
    with open(path, "wb") as file:
        file.write(whole[:head] + whole[start:])
    Run(folder, [image(0)]).ends(0, "the journal ends behind tick 0")
    Run(folder, [image(0), "--follow"]).ends(2, "behind tick 0 there is a gap")


def await_handler(process, number):
    """Until the process has a handler for that signal, which would end it before."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.005)


def test_follow(folder, seed):
    """A recording that goes on, line by line, and a shadow that runs beside it until it is told to stop."""
    os.makedirs(os.path.join(folder, "s"))
    write(folder, "every.conf", CONFIG)
    lines = trace_from_one(seed).splitlines(True)
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    server = subprocess.Popen([base.program, "pipe", "--config", "every.conf", "--skip-bad", "--record", "s/w",
                               "--events", "events.csv"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rng = random.Random(seed)
    shadows = []
    with open(pipe, "w") as to:
        for number, line in enumerate(lines):
            to.write(line)
            if rng.randrange(40) == 0:
                to.flush()
                time.sleep(0.005)
            if not shadows and os.path.exists(os.path.join(folder, image(0))):
                for name, more in (("one", ["--to", str(TICKS)]), ("two", [])):
                    shadows.append(subprocess.Popen(
                        [base.program, image(0), "--follow", "--verify", "--events", f"{name}.csv", "--json"] + more,
                        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            elif not shadows and number == 200:
                to.flush()
                while not os.path.exists(os.path.join(folder, image(0))):
                    time.sleep(0.005)
    expect(server.wait(60) == 0, "the server ended badly")
    out, err = shadows[0].communicate(timeout=60)
    expect(shadows[0].returncode == 0, f"seed {seed}: {err.decode()}")
    expect(read(folder, "one.csv") == read(folder, "events.csv"), f"seed {seed}: the shadow's events are others")
    await_handler(shadows[1], signal.SIGTERM)
    shadows[1].send_signal(signal.SIGTERM)
    out, err = shadows[1].communicate(timeout=60)
    expect(shadows[1].returncode == 0 and b'"ticks":' in out, f"seed {seed}: a signal: {shadows[1].returncode} {err.decode()}")
    expect(read(folder, "events.csv").startswith(read(folder, "two.csv")), f"seed {seed}: events up to the signal")


def test_record_fails(folder, seed):
    """The first image or the journal is lost: a recording that waits for the disk ends."""
    def bounded():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    rows = ["tick,op,id,x,y", "1,enter,1,3,3"] + [f"{tick},move,1,{tick % 90},5" for tick in range(2, 1000)]
    write(folder, "long.csv", "\n".join(rows) + "\n")
    os.makedirs(os.path.join(folder, image(0))) # no file takes the place of a folder
    os.makedirs(os.path.join(folder, "t"))
    command = ["long.csv", *base.SMALL_WORLD, "--record"]
    Run(folder, command + ["s/w"]).ends(1, "the image of tick 0 is lost").ends(1, "--record: a tick has more than fits")
    Run(folder, command + ["t/w"], preexec_fn=bounded).ends(1, "File too large").ends(1, "--record: a tick has more than")


def test_usage(folder, seed):
    for arguments, reason in ((["x.phs", "--config", "a"], "--config and --set are for traces"),
                              (["x.phs", "--set", "view=3"], "--config and --set are for traces"),
                              (["x.phs", "--record", "a"], "--record and --skip-bad are for traces"),
                              (["x.phs", "--skip-bad"], "--record and --skip-bad are for traces"),
                              ([base.SMALL, "--follow"], "--follow, --compare and --save are for images"),
                              ([base.SMALL, "--compare"], "--follow, --compare and --save are for images"),
                              ([base.SMALL, "--save", "a"], "--follow, --compare and --save are for images"),
                              (["x.phs", "--save-every", "3"], "--save-every needs --save"),
                              (["x.phs", "--to", "x"], "--to: 'x' is not a tick"),
                              (["x.phs", "--to", "1", "--to", "2"], "--to is given twice"),
                              ([base.SMALL, "--record", "no/folder/w"], "--record no/folder/w: no/folder: "),
                              ([base.SMALL, "--record", "a b"], "--record a b: name: ")):
        Run(folder, arguments).ends(2, reason)
    record(folder, seed)
    Run(folder, [image(0), "--save", "s/w"]).ends(0)
    held = subprocess.Popen([base.program, image(0), "--save", "s/x", "--follow"], cwd=folder,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_handler(held, signal.SIGINT) # behind the opening of its store
    Run(folder, [image(0), "--save", "s/x"]).ends(2, "--save s/x: ")
    held.send_signal(signal.SIGINT)
    expect(held.wait(60) == 0, "SIGINT")


if __name__ == "__main__":
    sys.exit(base.run_tests(globals(), "pharos_replay_store_"))
