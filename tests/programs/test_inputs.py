#!/usr/bin/env python3
"""Files that do not end, that unpack to more than is honest, that nothing is written to; disks that are full.

usage: test_inputs.py PHAROS-REPLAY PHAROS-CONFIG PHAROS-BENCH [NAME ...]   NAME: only the tests of these names

Every program has to end by itself, with an exit status for the kind of error and a message that names the file.
Nothing here measures time: a program that does not end runs into PATIENCE_S, which is far more than it needs.
"""
import gzip
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 60
LINE_MAX = 132 << 10  # src/tools/text_input.h: the longest line, and how much of a longer one is passed over
SKIP_MAX = 1 << 20
HEAD = "tick,op,id,x,y\n1,enter,1,5,5\n1,enter,2,6,6\n"
GOOD = HEAD + "2,leave,2\n"
VIEW = ["--set", "view=10"]

replay = config = bench = None
failures = 0


def fail(what):
    global failures
    failures += 1
    print(f"FAILED: {what}")


class Run:
    """One run to its end; knows how to complain. feed: bytes for standard input, again and again if endless."""

    def __init__(self, folder, command, feed=b"", endless=False, stdout=subprocess.PIPE):
        self.command = command
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=stdout, stderr=subprocess.PIPE)
        try:
            if endless:
                self.pour(child, feed)
                feed = None
            out, err = child.communicate(feed, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            fail(f"it does not end: {' '.join(command)}")
        self.status, self.out, self.err = child.returncode, (out or b"").decode(), err.decode(errors="replace")

    @staticmethod
    def pour(child, feed):
        until = time.monotonic() + PATIENCE_S
        try:
            child.stdin.write(feed)
            while child.poll() is None and time.monotonic() < until:
                child.stdin.write(b"x" * LINE_MAX)
        except BrokenPipeError:
            pass
        child.stdin = None

    def ends(self, status, err):
        if self.status != status or err not in self.err or (err == "" and self.err != ""):
            fail(f"exit status {status} and on stderr {err!r} expected\n  command: {' '.join(self.command)}\n"
                 f"  status: {self.status}\n  out: {self.out[:1000]}\n  err: {self.err[:1000]}")
        return self


class Terminal:
    """A run whose standard error is a terminal; said() waits for a text on it."""

    def __init__(self, folder, command):
        self.command = command
        self.text = b""
        self.screen, inner = pty.openpty()
        self.child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=inner)
        os.close(inner)

    def said(self, what):
        until = time.monotonic() + PATIENCE_S / 3
        while what.encode() not in self.text and time.monotonic() < until:
            if select.select([self.screen], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.screen, 4096)
                except OSError:  # all writers have ended
                    break
        if what.encode() not in self.text:
            fail(f"not said: {what!r}, but {self.text!r}: {' '.join(self.command)}")

    def ends(self, status):
        try:
            if self.child.wait(PATIENCE_S) != status:
                fail(f"exit status {status} expected, not {self.child.returncode}: {' '.join(self.command)}")
        except subprocess.TimeoutExpired:
            fail(f"it does not end: {' '.join(self.command)}")
        self.kill()

    def kill(self):
        self.child.kill()
        self.child.wait()
        os.close(self.screen)


def write(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def with_trace(name, *more):
    """The two programs that read traces, with this one."""
    return [[replay, name] + VIEW + list(more), [bench, "--trace", name, "--warmup", "0"] + VIEW + list(more)]


# ---- lines and files without an end ----

def test_a_trace_without_an_end(folder):
    for command in with_trace("/dev/zero"):
        Run(folder, command).ends(2, f"/dev/zero:1: the line has more than {LINE_MAX} bytes")
    Run(folder, [replay, "/dev/zero", "--skip-bad"]).ends(2, "/dev/zero:1: the line has more than")
    for command in with_trace("/dev/stdin"):
        Run(folder, command, HEAD.encode(), endless=True).ends(2, f"/dev/stdin:4: the line has more than {LINE_MAX}")
    run = Run(folder, [replay, "/dev/stdin", "--skip-bad"] + VIEW, HEAD.encode(), endless=True)
    run.ends(2, f"/dev/stdin:4: no line end in {SKIP_MAX} bytes: such a line is not passed over")


def test_long_lines_are_passed_over_up_to_a_bound(folder):
    for extra, passed in ((LINE_MAX, True), (SKIP_MAX - 3 * LINE_MAX, True), (SKIP_MAX + 3 * LINE_MAX, False)):
        text = HEAD.encode() + b"x" * extra + b"x\n2,leave,2\n"
        write(folder, "t.csv", text)
        write(folder, "t.csv.gz", gzip.compress(text))
        for name in ("t.csv", "t.csv.gz"):
            run = Run(folder, [replay, name, "--skip-bad"] + VIEW)
            run.ends(0 if passed else 2, f"{name}:4: " + ("the line has" if passed else "no line end in"))


def test_a_config_without_an_end(folder):
    write(folder, "t.csv", GOOD)
    write(folder, "long.conf", b"tower_size = 100 #" + b"x" * (17 << 20))
    for name in ("/dev/zero", "long.conf"):
        for command in ([config, "check", name], [config, "dump", name], [replay, "t.csv", "--config", name],
                        [bench, "--trace", "t.csv", "--config", name]):
            Run(folder, command).ends(2, f"{name}: longer than 16 MiB")


# ---- small files that unpack to much ----

def test_what_unpacks_to_too_much(folder):
    size = 9 << 20
    text = (GOOD + "#" * 1023 + "\n").encode()
    text += (b"#" * 1023 + b"\n") * ((size - len(text)) // 1024)
    text += b"#" * (size - len(text))
    write(folder, "t.csv", text)
    write(folder, "t.csv.gz", gzip.compress(text))
    write(folder, "two.csv.gz", gzip.compress(text[:size // 2]) + gzip.compress(text[size // 2:]))
    for name in ("t.csv.gz", "two.csv.gz"):
        for bound in ("9M", str(size), "9216K", "1G"):
            for command in with_trace(name, "--unpack-max", bound):
                Run(folder, command).ends(0, "")
        for bound in (str(size - 1), "8M", "100000"):
            for command in with_trace(name, "--unpack-max", bound):
                Run(folder, command).ends(2, f"{name}:").ends(2, "(--unpack-max)")
            Run(folder, [replay, name, "--skip-bad", "--unpack-max", bound]).ends(2, "(--unpack-max)")
    Run(folder, [replay, "t.csv.gz", "--unpack-max=8M"]).ends(2, "the gzip data unpacks to more than 8388608 bytes")
    for command in with_trace("t.csv", "--unpack-max", "1"):
        Run(folder, command).ends(0, "")  # a plain file is as large as it is
    for text in ("0", "x", "-1", "1T", "K", "1KK", "18446744073709551615K", ""):
        for command in with_trace("t.csv", "--unpack-max=" + text):
            Run(folder, command).ends(2, f"--unpack-max: '{text}' is not")
    Run(folder, [replay, "--unpack-max=1", "--unpack-max=2", "t.csv"]).ends(2, "--unpack-max is given twice")


def test_the_default_of_what_unpacks(folder):
    part = gzip.compress((b"#" * 1023 + b"\n") * 1024)  # 1 MiB
    head = gzip.compress((GOOD + "#" * 1023)[:1023].encode() + b"\n")
    write(folder, "full.csv.gz", head + part * 255)
    write(folder, "more.csv.gz", head + part * 256)
    for command in with_trace("full.csv.gz"):
        Run(folder, command).ends(0, "")
    for command in with_trace("more.csv.gz"):
        Run(folder, command).ends(2, "the gzip data unpacks to more than 268435456 bytes (--unpack-max)")


# ---- the standard input, as "-" ----

def test_the_standard_input(folder):
    write(folder, "t.csv", GOOD)
    write(folder, "c.conf", "class default { view = 10 }\n")
    hashes = set()
    for text in (GOOD.encode(), gzip.compress(GOOD.encode())):
        run = Run(folder, [replay, "-", "--json"] + VIEW, text).ends(0, "")
        hashes.add(json.loads(run.out)["event_hash"])
    for path, text in (("-", b"class default { view = 10 }"), ("c.conf", b"")):
        run = Run(folder, [replay, "t.csv", "--json", "--config", path], text).ends(0, "")
        hashes.add(json.loads(run.out)["event_hash"])
    # Several cases and rounds: the standard input is read by each of them.
    many = ["--warmup", "0", "--rounds", "2", "--workers", "1,2", "--json", "-"]
    for text in (GOOD.encode(), gzip.compress(GOOD.encode())):
        run = Run(folder, [bench, "--trace", "-"] + VIEW + many, text)
        hashes |= {json.loads(line)["event_hash"] for line in run.out.splitlines()}
        if run.status != 0 or len(run.out.splitlines()) != 2:
            fail(f"two cases on a trace from the standard input: {run.err}")
    run = Run(folder, [bench, "--trace", "t.csv", "--config", "-"] + many, b"class default { view = 10 }")
    hashes |= {json.loads(line)["event_hash"] for line in run.out.splitlines()}
    if len(hashes) != 1:
        fail(f"other events from the standard input: {hashes}")
    with open(os.path.join(folder, "t.csv"), "rb") as file:  # a file, not a pipe
        child = subprocess.run([bench, "--trace", "-"] + VIEW + many, cwd=folder, stdin=file, capture_output=True)
        if child.returncode != 0 or len(child.stdout.splitlines()) != 2:
            fail(f"a trace from a file as the standard input: {child.stderr}")
    Run(folder, [config, "check", "-"], b"span = 5\n").ends(0, "")
    run = Run(folder, [config, "dump", "-"], b"\nspan = 5\n").ends(0, "")
    if "span = 5                                 # /dev/stdin:2\n" not in run.out:
        fail(f"the dump does not name the standard input: {run.out}")
    Run(folder, [config, "check", "-"], b"\nspan = x\n").ends(2, "/dev/stdin:2: span = 'x'")
    Run(folder, [replay, "-"] + VIEW, HEAD.encode() + b"x\n").ends(2, "/dev/stdin:4: ")
    for command in ([replay, "-", "--config", "-"], [bench, "--trace", "-", "--config", "-"]):
        Run(folder, command).ends(2, "are both the standard input")


# ---- what a spreadsheet or an editor puts in front ----

def test_byte_order_marks(folder):
    mark = b"\xef\xbb\xbf"
    write(folder, "plain.csv", GOOD)
    want = Run(folder, [replay, "plain.csv", "--events", "-"] + VIEW).out
    for name, text in (("mark.csv", mark + GOOD.encode()), ("comment.csv", mark + b"# about\r\n\n" + GOOD.encode()),
                       ("behind.csv", b"# about\n" + mark + GOOD.encode())):
        write(folder, name, text)
        if Run(folder, [replay, name, "--events", "-"] + VIEW).out != want:
            fail(f"other events with a byte order mark: {name}")
    write(folder, "mark.conf", mark + b"span = 5\n")
    Run(folder, [config, "check", "mark.conf"]).ends(0, "")


# ---- the help, and ranges in messages ----

def test_help(folder):
    for command in (replay, config, bench):
        short, long = (Run(folder, [command, option]).ends(0, "").out for option in ("-h", "--help"))
        if short != long or "The same as --help" not in short:
            fail(f"-h is not --help: {command}")


def test_ranges_are_what_a_person_writes(folder):
    write(folder, "t.csv", GOOD)
    for command, said in (
            ([replay, "t.csv", "--workers", "0"], "--workers: '0' is not a whole number from 1 to 256\n"),
            ([replay, "t.csv", "--ticks", "0"], "--ticks: '0' is not a whole number of at least 1\n"),
            ([replay, "t.csv", "--ticks", "4294967296"], "--ticks: '4294967296' is not a whole number of at least 1"),
            ([bench, "--entities", "0"], "--entities: '0' is not a whole number from 1 to 2^30\n"),
            ([bench, "--seed", "x"], "--seed: 'x' is not a whole number of at least 0\n"),
            ([config, "dump", "--set", "tower_size=-1"], "tower_size = -1 is outside [0, 1e18]\n"),
            ([config, "dump", "--set", "cap=-1"], "cap = -1 is outside [0, 2^31-1]\n"),
            ([config, "dump", "--set", "sees=x"], "in [0, 2^64-1]\n"),
            ([config, "dump", "--set", "span=-1"], "span = -1 is outside [0, 65535]\n")):
        Run(folder, command).ends(2, said)
    for number in ("4294967295", "1.8446744073709552e", "18446744073709551615"):
        if number in Run(folder, [config, "reference"]).out:
            fail(f"the reference has {number}")


# ---- pipes without the other end ----

def test_a_pipe_without_a_writer(folder):
    pipe = os.path.join(folder, "pipe")
    write(folder, "t.csv", GOOD)
    os.mkfifo(pipe)
    asked = [(command, GOOD) for command in with_trace("pipe")]
    asked += [(command, "tower_size = 100\n") for command in
              ([config, "check", "pipe"], [replay, "t.csv", "--config", "pipe"],
               [bench, "--trace", "t.csv", "--warmup", "0", "--config", "pipe"] + VIEW)]
    for command, text in asked:
        run = Terminal(folder, command)
        run.said("waiting for a writer of pipe\r\n")
        if b"waiting" in run.text:
            with open(pipe, "w", encoding="ascii") as writer:
                writer.write(text)
            run.ends(0)
        else:
            run.kill()
        # A log has no use for it: the other end comes, or the supervisor knows its programs.
        child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open(pipe, "w", encoding="ascii") as writer:
            writer.write(text)
        if b"waiting" in child.communicate(timeout=PATIENCE_S)[1] or child.returncode != 0:
            fail(f"without a terminal: {' '.join(command)}")


def test_a_pipe_without_a_reader(folder):
    pipe = os.path.join(folder, "pipe")
    write(folder, "t.csv", GOOD)
    os.mkfifo(pipe)
    for command in ([replay, "t.csv", "--events", "pipe"] + VIEW,
                    [bench, "--trace", "t.csv", "--warmup", "0", "--json", "pipe"] + VIEW):
        run = Terminal(folder, command)
        run.said("waiting for a reader of pipe\r\n")
        if b"waiting" in run.text:
            with open(pipe, encoding="ascii") as reader:
                if not reader.read():
                    fail(f"nothing was written: {' '.join(command)}")
            run.ends(0)
        else:
            run.kill()


# ---- disks that are full ----

def test_a_full_disk(folder):
    write(folder, "t.csv", GOOD)
    write(folder, "good.conf", "tower_size = 100\n")
    trace = [bench, "--trace", "t.csv", "--warmup", "0"] + VIEW
    for option in ("--events", "--updates", "--heard"):
        Run(folder, [replay, "t.csv", option, "/dev/full"] + VIEW).ends(1, "/dev/full: No space left")
    for option in ("--json", "--csv"):
        Run(folder, trace + [option, "/dev/full"]).ends(1, "/dev/full: No space left")
    with open("/dev/full", "wb") as full:
        for command in ([replay, "t.csv"] + VIEW, [replay, "t.csv", "--events", "-"] + VIEW,
                        [replay, "t.csv", "--explain", "1,2@1"] + VIEW, [config, "dump"], [config, "reference"],
                        [config, "check", "good.conf"], trace, trace + ["--json", "-"], [bench, "--list"],
                        [bench, "--advise", "--trace", "t.csv", "--warmup", "0", "--ticks", "1"] + VIEW):
            Run(folder, command, stdout=full).ends(1, "No space left on device")


# ---- a bench that is stopped ----

MANY = ["--scenario", "walk-10k,crowd,hotspot,churn,dense-100k", "--ticks", "40", "--rounds", "4"]


def stopped_bench(folder, signals):
    """Ends a bench by these signals when its first scenario has run; the run's status, stdout and stderr, and the two files."""
    paths = [os.path.join(folder, name) for name in ("out.json", "out.csv")]
    command = [bench] + MANY + ["--json", paths[0], "--csv", paths[1]]
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    temporary = f"{paths[1]}.tmp-{child.pid}"
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not (os.path.exists(temporary) and os.path.getsize(temporary) > 0):
        time.sleep(0.01)
    for number in signals:
        child.send_signal(number)
        time.sleep(0.05)  # two at once are one
    try:
        out, err = child.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        fail(f"it does not end on {signals}")
    suffix = f".tmp-{child.pid}" if signals == [signal.SIGKILL] else ""
    texts = []
    for path in paths:
        if os.path.exists(path + suffix):
            with open(path + suffix, encoding="ascii") as file:
                texts.append(file.read())
        else:
            fail(f"{path + suffix} is not there after {signals}")
            texts.append("")
    if not suffix and set(os.listdir(folder)) != {"out.json", "out.csv"}:
        fail(f"left over after {signals}: {os.listdir(folder)}")
    return child.returncode, out.decode(), err.decode(), texts


def test_a_bench_that_is_stopped(folder):
    for i, (signals, status) in enumerate((([signal.SIGINT], 1), ([signal.SIGINT] * 2, -signal.SIGINT),
                                           ([signal.SIGTERM], -signal.SIGTERM), ([signal.SIGKILL], -signal.SIGKILL))):
        own = os.path.join(folder, str(i))
        os.mkdir(own)
        got, out, err, (text, table) = stopped_bench(own, signals)
        runs = [json.loads(line) for line in text.splitlines()]
        if not 1 <= len(runs) < 5 or runs[0]["scenario"] != "walk-10k" or runs[0]["rounds"] != 4:
            fail(f"{signals}: the runs that ended are not kept: {text}")
        rows = table.splitlines()
        if len(rows) != 1 + len(runs) or any(row.count(",") != rows[0].count(",") for row in rows):
            fail(f"{signals}: the CSV is not whole: {table}")
        if got != status and not (len(signals) == 2 and got == 1):  # it may be over before the second
            fail(f"{signals}: exit status {got}")
        if got == 1 and ("stopped by Ctrl-C" not in err or "not run, because of Ctrl-C: " not in out or "dense-100k" not in out):
            fail(f"{signals}: it does not say so: {err}, {out}")


def main():
    global replay, config, bench
    arguments = sys.argv[1:]
    if len(arguments) < 3:
        sys.exit(__doc__)
    replay, config, bench = (os.path.abspath(path) for path in arguments[:3])
    names = arguments[3:]
    ran = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (names and name not in names):
            continue
        ran += 1
        before = failures
        with tempfile.TemporaryDirectory(prefix="pharos_inputs_") as folder:
            test(folder)
        print(f"{'ok' if failures == before else 'NOT OK'} {name}", flush=True)
    print(f"{ran} tests, {failures} failures")
    return 1 if failures or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
