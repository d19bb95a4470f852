#!/usr/bin/env python3
"""pharos-view --trace beside pharos-replay: at ticks in any order, back and forth over key images, the page's answers are
the sentences of --explain; and a slice is a trace with the same events. The same of an image and its journal.
usage: test_trace.py PHAROS-REPLAY PHAROS-VIEW-COMMAND ...; PHAROS_TEST_SEED;
PHAROS_TEST_THREADS: only the parts in which the server's thread does something of its own"""
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import program

REPLAY, *COMMAND = sys.argv[1:]
# Memory that was freed goes back at once, or a test of it sees what malloc() keeps.
os.environ.pop("GLIBC_TUNABLES", None)
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1")))
THREADS_ALONE = "PHAROS_TEST_THREADS" in os.environ
SEED = int(os.environ.get("PHAROS_TEST_SEED", "32"))
SETTINGS = ["--set", "view=140", "--set", "margin=25", "--set", "cap=9", "--set", "sticky=1.3", "--set", "shards=2,2", "--set", "crowd_entities=12", "--set", "consumers=3"]
IDS, FIRST, TICKS, CONSUMERS = 60, 5, 160, 3
SEEKS, QUESTIONS = 24, 4  # of check_answers: questions at each tick


def make_trace(path, rng):
    """Walks, jumps, comings and goings, and relations that decide about lists."""
    inside = set()
    lines = ["tick,op,id,x,y,other,view,margin,stealth,layers,instance,consumer"]
    for tick in range(FIRST, FIRST + TICKS):
        for number in range(1, IDS + 1):
            draw = rng.random()
            x, y = f"{rng.uniform(0, 400):.3f}", f"{rng.uniform(0, 400):.3f}"
            if number not in inside:
                if draw < 0.3:
                    inside.add(number)
                    lines.append(f"{tick},enter,{number},{x},{y},,,,,,,{number % CONSUMERS}")
            elif draw < 0.5:
                lines.append(f"{tick},move,{number},{x},{y}")
            elif draw < 0.52:
                inside.discard(number)
                lines.append(f"{tick},leave,{number}")
            elif draw < 0.56:
                op, other = rng.choice(("hide", "unhide", "link", "unlink")), rng.randint(1, IDS)
                if other != number:
                    lines.append(f"{tick},{op},{number},,,{other}")
            elif draw < 0.58:
                lines.append(f"{tick},set,{number},,,,{rng.uniform(20, 200):.2f},,{rng.randint(0, 1)},,{rng.randint(0, 1)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def replay(path, *options, settings=tuple(SETTINGS)):
    run = subprocess.run([REPLAY, path, "--skip-bad", *settings, *options], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run
    return run.stdout


def sentences(path, questions):
    """(observer, target, tick) -> the line behind --explain."""
    options = []
    for observer, target, tick in questions:
        options += ["--explain", f"{observer},{target}@{tick}"]
    found = re.findall(r"^tick (\d+): observer (\d+), target (\d+): (.*)$", replay(path, *options), re.M)
    return {(int(observer), int(target), int(tick)): text for tick, observer, target, text in found}


def ask(page, pairs, tag):
    """The sentences for pairs of observer and target, in their order, by tags from this one on."""
    for number, (observer, target) in enumerate(pairs, tag):
        page.tell(type="ask", kind="explain", id=str(observer), other=str(target), tag=str(number))
    answers = {}
    while len(answers) < len(pairs):
        answers.update(answers_of(page.frame()))
    return [answers[number] for number in range(tag, tag + len(pairs))]


def answers_of(frame):
    """Tag and sentence of the explanations in it; "" of an unknown id: docs/monitor-frames.md."""
    answers = {}
    number = lambda at, size: int.from_bytes(frame[at:at + size], "little")
    at = 32
    for _ in range(number(6, 2)):
        kind, count, size = number(at, 2), number(at + 4, 4), number(at + 8, 4)
        item = at + 16
        for _ in range(count if kind == 8 else 0):
            status, hits = number(item + 28, 4), number(item + 32, 4)
            text = item + 40 + 16 * hits + 344 - 256
            answers[number(item, 8)] = frame[text:text + 256].split(b"\0")[0].decode() if status == 0 else ""
            item += 40 + 16 * hits + (344 if number(item + 24, 4) == 2 and status == 0 else 0)
        at += 16 + size
    return answers


def check_answers(path, rng):
    ticks = [rng.randint(FIRST, FIRST + TICKS - 1) for _ in range(SEEKS)]
    pairs = {tick: [(rng.randint(1, IDS), rng.randint(1, IDS)) for _ in range(QUESTIONS)] for tick in ticks}
    said = sentences(path, [(*pair, tick) for tick in ticks for pair in pairs[tick]])
    known = 0
    with program.Program([*COMMAND, "--trace", path, *SETTINGS], "--paused") as one:
        page = program.Page(one)
        page.until(lambda: page.state)
        assert (page.state["first"], page.state["last"]) == (FIRST, FIRST + TICKS - 1), page.state
        page.watch(0, 0, 1000, 1000)
        for number, tick in enumerate(ticks):
            seek(page, tick)  # a question that waits while the world is replaced has no answer
            for (observer, target), got in zip(pairs[tick], ask(page, pairs[tick], 1 + number * QUESTIONS)):
                right = said[observer, target, tick]
                if got:
                    assert got == right, f"seed {SEED}: {observer},{target}@{tick}: the page has {got!r}, pharos-replay {right!r}"
                    known += 1
                else:
                    assert "not in the world" in right, (right, observer, target, tick)
        slices = check_slices(page, path, rng)
        page.close()
    return known, slices


def check_slices(page, path, rng):
    whole = replay(path, "--events", "-").splitlines()
    end, compared = FIRST + TICKS - 1, 0
    slices = [(0, FIRST), (0, end), (0, rng.randint(FIRST + 1, end - 1)), (FIRST + 1, end), (FIRST + 2, FIRST + 3), (end, end)]
    slices += [(FIRST + at, FIRST + at + 5) for at in (20, 40, 60, 80, 100)]  # ticks of key images
    slices += [(first, rng.randint(first, end)) for first in (rng.randint(FIRST + 1, end) for _ in range(6))]
    for first, last in slices:
        part = save_slice(page, path + ".part.csv", first, last)
        right = [whole[0]] + [line for line in whole[1:] if first <= int(line.split(",")[0]) <= last]
        got = replay(part, "--events", "-", settings=()).splitlines()
        assert got == right, f"seed {SEED}: the slice of ticks {first} to {last} has other events"
        compared += len(right)
    assert compared > 1000, compared
    return len(slices)


def save_slice(page, part, first, last):
    """What the page exports of these ticks; first 0: from the begin."""
    page.slice = None
    page.tell(type="do", what="slice", value=last, **({"from": first} if first else {}))
    page.until(lambda: page.slice)
    with open(part, "w", encoding="utf-8") as file:
        file.write(page.slice)
    return part


def check_lost(path):
    """Each question has an answer, or is named as lost: here all, as the page takes no frame until the world is another one."""
    with program.Program([*COMMAND, "--trace", path, *SETTINGS], "--paused", "--at", str(FIRST + 50)) as one:
        page = program.Page(one)
        page.tell(type="ask", kind="entity", id="1", tag="early")
        page.until(lambda: page.refused)
        page.tell(type="ask", kind="entity", id="1", tag="700")  # before a view: it waits for the world
        page.watch(0, 0, 1000, 1000)
        page.until(lambda: page.lost == ["700"])
        ask(page, [(1, 2)], 800)  # answered, so not lost
        page.frames = 0
        while page.frames < 2:
            page.next()  # and no acknowledgement
        for tag in range(1, 101):
            page.tell(type="ask", kind="entity", id="1", tag=str(tag))
        page.tell(type="do", what="seek", value=FIRST)
        page.until(lambda: len(page.lost) == 101)
        assert page.lost[1:] == [str(tag) for tag in range(1, 101)], page.lost
        ask(page, [(1, 2)], 900)
        page.close()


def check_long(folder):
    """A slice that is too long is refused with its reason, from the begin or from a later tick on; the memory of one that
    is not goes back."""
    path, ticks, rows, text = os.path.join(folder, "long.csv"), 60, 600, "x" * 1000  # 36 MB; a slice has 32 MiB
    with open(path, "w", encoding="ascii") as file:
        file.write(f"tick,op,id,x,y,radius,text\n{FIRST},enter,1,10,10,,\n")
        for tick in range(FIRST + 1, FIRST + ticks):
            file.write(f"{tick},broadcast,1,,,1,{text}\n" * rows)
    with program.Program([*COMMAND, "--trace", path, "--set", "view=140"], "--paused") as one:
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        page.frame()
        for first in (0, FIRST + 1):
            page.tell(type="do", what="slice", value=FIRST + ticks - 1, **({"from": first} if first else {}))
            page.until(lambda: page.refused or page.slice)
            assert page.refused and page.refused.pop() == "a slice has at most 32 MiB, with the state that it begins with: take fewer ticks" and not page.slice, page.refused
        before = one.bytes()
        for first, last in ((0, FIRST + ticks // 2), (FIRST + 30, FIRST + ticks - 1)):
            save_slice(page, path + ".part.csv", first, last)
            assert len(page.slice) > 16 << 20, len(page.slice)
        page.frame()
        grown = one.bytes() - before
        assert grown < 12 << 20, f"{grown} bytes more after a long slice"
        page.close()


def check_no_scratch(path):
    """Why there is no slice is told on the page."""
    with program.Program(["env", "TMPDIR=/nowhere", *COMMAND, "--trace", path, *SETTINGS], "--paused") as one:
        page = program.Page(one)
        page.tell(type="do", what="slice", value=FIRST + 9, **{"from": FIRST + 5})
        page.until(lambda: page.refused)
        assert page.refused[0] == "no file for the slice is to be had in TMPDIR", page.refused
        page.close()
        assert one.stop() == (0, ""), "a line of its own"


def write_over(path, data):
    """In place, as a program that has it open sees it."""
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate()


def check_broken(folder):
    """A trace that can not be read on is no slice that ends there: the page is told why, and at which line."""
    plain, path = os.path.join(folder, "broken.csv"), os.path.join(folder, "broken.csv.gz")
    make_trace(plain, random.Random(SEED))
    with open(plain, "rb") as file:
        whole = gzip.compress(file.read())
    with open(path, "wb") as file:
        file.write(whole)
    half = len(whole) // 2
    with program.Program([*COMMAND, "--trace", path, *SETTINGS], "--paused") as one:
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        save_slice(page, path + ".part.csv", 0, FIRST + TICKS)
        right = page.slice
        for data in (whole[:half], whole[:half] + bytes(64) + whole[half + 64:], whole[:-8] + bytes(8)):
            write_over(path, data)
            page.slice = None
            page.tell(type="do", what="slice", value=FIRST + TICKS)
            page.until(lambda: page.refused or page.slice)
            assert not page.slice and re.fullmatch(re.escape(path) + r":\d{2,}: .+", page.refused[0]), (page.refused, page.slice and len(page.slice))
            page.refused.clear()
        write_over(path, whole)
        save_slice(page, path + ".part.csv", 0, FIRST + TICKS)
        assert page.slice == right and len(right.splitlines()) > TICKS
        os.remove(path)
        page.tell(type="do", what="slice", value=FIRST + TICKS)
        page.until(lambda: page.refused)
        assert page.refused == [f"{path}: No such file or directory"], page.refused
        page.close()


def check_bad_lines(folder):
    """A slice has the lines in front of the first row behind its last tick, and none behind it: the player passes over a
    row with a tick that goes down, and a tick that is too high ends nothing. A line with a zero byte is none."""
    path = os.path.join(folder, "bad.csv")
    head, part, later = ("tick,op,id,x,y", "1,enter,1,10,10"), ("# a word", "1,nonsense,1", "9000000,move,1,5,5", "2,move,1,20,20"), ("5,move,1,30,30", "# another", "2,enter,2,10,10")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join((*head, "1,enter,3\0,10,10", *part, *later)) + "\n")
    with program.Program([*COMMAND, "--trace", path, "--set", "view=140"], "--paused") as one:
        page = program.Page(one)
        page.until(lambda: page.state)
        for last, right in ((1, (*head, *part[:-1])), (2, head + part), (4, head + part), (5, head + part + later)):
            save_slice(page, path + ".part.csv", 0, last)
            got = tuple(line for line in page.slice.splitlines() if not line.startswith("#config"))
            assert got[-len(right):] == right and len(got) <= len(right) + 1, (last, got)
        page.close()


def check_images(path):
    """Without room for a key image the trace is refused; with room for the first alone the way back is as right."""
    room = 1024
    while (run := subprocess.Popen([*COMMAND, "--trace", path, *SETTINGS, "--images-max", str(room)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)).stdout.readline() == "":
        errors = run.communicate(timeout=60)[1]
        assert run.returncode == 2 and f"takes more than {room} bytes" in errors and "--images-max" in errors, (run.returncode, errors)
        room *= 2
    run.terminate()
    run.communicate(timeout=60)
    assert room > 1024, room
    ticks, pairs = (FIRST + 90, FIRST + 20, FIRST + 150, FIRST), [(observer, 7) for observer in range(1, IDS, 3) if observer != 7]
    said = sentences(path, [(*pair, tick) for tick in ticks for pair in pairs])
    with program.Program([*COMMAND, "--trace", path, *SETTINGS, "--images-max", str(room)], "--paused") as one:
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        for number, tick in enumerate(ticks):
            seek(page, tick)
            for pair, got in zip(pairs, ask(page, pairs, 1 + number * len(pairs))):
                assert not got or got == said[(*pair, tick)], (pair, tick, got)
        page.close()


def check_late(path):
    """A page that comes when the trace has ended is shown its last tick, and a question is answered."""
    with program.Program([*COMMAND, "--trace", path, *SETTINGS], "--speed", "1000") as one:
        first = program.Page(one)
        first.until(lambda: first.state and first.state["over"])
        first.close()
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        assert program.tick_of(page.frame()) == TICKS, page.state
        ask(page, [(1, 2)], 1)
        page.close()


FLAGS, DIVERGED = 20, 1 << 17


def diverged(page):
    return int.from_bytes(page.frame()[FLAGS:FLAGS + 4], "little") & DIVERGED != 0


def check_diverged(path, options, shift=0):
    """A live key that is changed makes another world than the recorded one; before that tick it is the recorded one.
    The source's ticks are the ticks of the trace at `path`, less `shift`."""
    questions = [(observer, 7, 60 + shift) for observer in range(1, IDS, 3) if observer != 7]
    said = sentences(path, questions)
    with program.Program([*COMMAND, *options], "--paused", "--allow-set") as one:
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        for at, sets, expected in ((150, False, False), (20, True, True), (70, False, True), (150, False, True), (10, False, False), (100, False, False)):
            page.tell(type="do", what="seek", value=at)
            page.until(lambda at=at: page.state and page.state["at"] == at)
            if sets:
                page.tell(type="set", key="crowd_entities", value="0")
                page.tell(type="do", what="step")
                page.until(lambda at=at: page.state["at"] == at + 1)
            for _ in range(20):
                if diverged(page) == expected:
                    break
            assert diverged(page) == expected, (at, expected, page.state, page.refused)
        page.tell(type="do", what="seek", value=60)
        page.until(lambda: page.state["at"] == 60)
        for question, got in zip(questions, ask(page, [question[:2] for question in questions], 1)):
            assert not got or got == said[question], (question, got, said[question])
        page.close()


def seek(page, tick):
    if not page.state or page.state["at"] != tick:
        page.tell(type="do", what="seek", value=tick)
        page.until(lambda: page.state and page.state["at"] == tick)


def run_replay(*arguments):
    run = subprocess.run([REPLAY, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run


def images(folder, name):
    return sorted(os.path.join(folder, file) for file in os.listdir(folder) if file.startswith(name + ".") and file.endswith(".phs"))


SHIFT = FIRST - 1  # the store's first tick is 1


def check_world(path, options, ticks, then=lambda page: None):
    """A source with the store's ticks is shown as the world that it was, back and forth."""
    pairs = [(observer, 7) for observer in range(1, IDS, 3) if observer != 7]
    said = sentences(path, [(*pair, tick) for tick in ticks for pair in pairs])
    with program.Program([*COMMAND, *options], "--paused") as one:
        page = program.Page(one)
        page.watch(0, 0, 1000, 1000)
        answered = 0
        for number, tick in enumerate(ticks):
            seek(page, tick - SHIFT)
            for pair, got in zip(pairs, ask(page, pairs, 1 + number * len(pairs))):
                assert not got or got == said[(*pair, tick)], (pair, tick, got, said[(*pair, tick)])
                answered += bool(got)
        then(page)
        page.close()
    assert answered > len(said) // 4, answered


def check_as_trace(path, image, folder, ticks):
    """An image and its journal, made a trace."""
    trace = os.path.join(folder, "journal.csv")
    run_replay(image, "--csv", trace)
    check_world(path, ["--trace", trace], ticks)


def check_range(page, image):
    page.until(lambda: page.state)
    assert (page.state["first"], page.state["last"]) == (tick_of_image(image), TICKS), page.state


def check_slice(page, image, folder):
    """What the page exports of an image and its journal has their events."""
    begin = page.state["first"]
    for first, last in ((0, begin + 30), (begin + 1, begin + 30), (begin + 25, begin + 90)):
        part = save_slice(page, os.path.join(folder, "slice.csv"), first, last)
        events = []
        for source in ([image, "--to", str(last)], [part, "--skip-bad"]):
            run = subprocess.run([REPLAY, *source, "--events", "-"], capture_output=True, text=True, timeout=120, check=False)
            assert run.returncode == 0, run
            events.append(run.stdout.splitlines())
        right = [line for line in events[0][1:] if int(line.split(",")[0]) >= first]
        assert events[1][1:] == right and len(right) > 100, f"seed {SEED}: {image}: the slice of ticks {first} to {last} has other events"


def check_refused_images(image, folder):
    other = os.path.join(folder, "other.phs")
    shutil.copy(image, other)
    damaged = os.path.join(folder, "bad.%020d.phs" % 7)
    with open(image, "rb") as source, open(damaged, "wb") as file:
        file.write(source.read()[:-9])
    for options, reason in ((("--trace", image, "--set", "view=3"), "an image has its definition"), (("--trace", image, "--config", "x"), "an image has its definition"),
                            (("--trace", other), "has a name like"), (("--trace", damaged), "bad.0"), (("--trace", folder + "/none.%020d.phs" % 7), "none.0")):
        run = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 2 and reason in run.stderr, (options, run)


def save_later(image, folder):
    """Images of the store `later`: of tick 1, and of one from 101 on. A replay outruns the disk, so its events are not read
    until the first image is there."""
    run = subprocess.Popen([REPLAY, image, "--save", os.path.join(folder, "later"), "--save-every", "100", "--to", "150", "--events", "-"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not images(folder, "later"):
        time.sleep(0.01)
    run.communicate(timeout=120)
    assert run.returncode == 0, run.returncode
    assert len(images(folder, "later")) == 2 and tick_of_image(images(folder, "later")[1]) >= 101, os.listdir(folder)


def tick_of_image(path):
    return int(path.split(".")[-2])


def check_journal(path, folder):
    """From the first image on, and from a later one, whose entities come as capsules with their consumers."""
    replay(path, "--record", os.path.join(folder, "town"))
    (first,) = images(folder, "town")
    check_as_trace(path, first, folder, (160, 60))
    save_later(first, folder)
    for file in os.listdir(folder):
        if file.startswith("town.") and file.endswith(".phj"):
            shutil.copy(os.path.join(folder, file), os.path.join(folder, "later" + file[len("town"):]))
    check_as_trace(path, images(folder, "later")[-1], folder, (160, 155))
    later = images(folder, "later")
    for image, ticks in ((later[1], (160, 155)), (later[0], (160, 20, 60, 155))):  # of later[0]: later[1] for what lies ahead
        check_world(path, ["--trace", image], ticks, lambda page, image=image: check_range(page, image))
    check_world(path, ["--trace", later[0]], (10,), lambda page: check_slice(page, later[0], folder))
    check_diverged(path, ["--trace", later[0], "--set", "workers=2"], SHIFT)
    check_refused_images(first, folder)


def main():
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "walk.csv")
        make_trace(path, rng)
        known, slices = check_answers(path, rng)
        check_lost(path)
        check_late(path)
        check_no_scratch(path)
        if not THREADS_ALONE: # the server's thread does in these as it does above
            check_long(folder)
            check_broken(folder)
            check_bad_lines(folder)
            check_images(path)
            check_diverged(path, ["--trace", path, *SETTINGS])
            check_journal(path, folder)
    assert known > SEEKS * QUESTIONS // 3, known
    print(f"{known} of {SEEKS * QUESTIONS} sentences are pharos-replay's, others name entities that are not there; {slices} slices have the same events")


main()
