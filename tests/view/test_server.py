#!/usr/bin/env python3
"""The server of pharos-view against good pages, strangers, and pages that break the rules of the protocol.
usage: test_server.py PHAROS-VIEW-COMMAND ..."""
import os
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import program
import web_socket

COMMAND = sys.argv[1:]
# A sanitizer makes the program's ticks up to 25 times slower: fewer there.
FRAMES_FLAT = 20 * min(int(os.environ.get("PHAROS_TEST_PERCENT", "100")), 10)
# memory that was freed counts at once: a sanitized program keeps 256 MB of it otherwise
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1")))


def http(port, *lines):
    """The answer to one request, whole."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        data = b""
        while piece := connection.recv(1 << 16):
            data += piece
        return data


def status_of(answer):
    return answer.split(b"\r\n")[0].split(b" ")[1].decode()


def check_page(one):
    answer = http(one.port, "GET / HTTP/1.1", f"Host: 127.0.0.1:{one.port}", "Connection: close")
    head, body = answer.split(b"\r\n\r\n", 1)
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "view")
    with open(os.path.join(here, "page.html"), "rb") as page, open(os.path.join(here, "page.csp"), "rb") as policy:
        assert body == page.read(), "the page is not page.html"
        assert b"content-security-policy: " + policy.read().strip() in head, head
    for header in (b"x-content-type-options: nosniff", b"cache-control: no-store", b"referrer-policy: no-referrer"):
        assert header in head, (header, head)
    assert b"access-control" not in head.lower(), head
    for path in ("/x", "/../etc/passwd", "/page.html"):
        assert status_of(http(one.port, f"GET {path} HTTP/1.1", f"Host: localhost:{one.port}", "Connection: close")) == "404", path


def is_refused(one, **how):
    """No WebSocket begins."""
    try:
        program.Page(one, hello=False, **how)
    except web_socket.Closed:
        return
    raise AssertionError(f"{how} was let in")


def check_strangers(one):
    for host in ("evil.example", f"evil.example:{one.port}", "127.0.0.1.evil.example", "localhost.evil.example", ""):
        answer = http(one.port, "GET / HTTP/1.1", f"Host: {host}", "Connection: close")
        assert status_of(answer) in ("403", "400"), (host, answer[:80])
        assert b"<script" not in answer, host
        is_refused(one, host=host)
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{one.port}", f"http://127.0.0.1:{one.port + 1}"):
        is_refused(one, headers=[f"Origin: {origin}"])
    page = program.Page(one, headers=[f"Origin: http://127.0.0.1:{one.port}"])
    page.until(lambda: page.hello)
    page.close()


def end_of(page):
    """The server closes the connection: its reason."""
    try:
        while True:
            page.next()
    except web_socket.Closed as closed:
        page.close()
        return closed.reason


def closes(page, reason):
    """The server closes the connection, with this in its reason."""
    end = end_of(page)
    assert reason in end, (reason, end)


def check_token(one):
    closes(program.Page(one, token="0" * 32), "wrong token")
    closes(program.Page(one, token=one.token[:-1]), "wrong token")
    closes(program.Page(one, token="x" * 500), "token")
    page = program.Page(one, hello=False)
    page.watch()
    closes(page, "the token comes first")
    page = program.Page(one, hello=False)
    page.send_frame(web_socket.TEXT, b"no json")
    closes(page, "the token comes first")


def check_silence(one):
    """A connection that never says the token is closed; a page that has said it, and then nothing, is not."""
    page = placed(one)
    while (reason := end_of(program.Page(one, hello=False))) != "":
        assert "four pages are open already" in reason, reason  # the ones before have not left yet
        time.sleep(0.02)
    page.watch()
    page.frame()
    page.close()


def check_bounds(one):
    page = program.Page(one)
    page.send("x" * 4097)
    closes(page, "at most 4096 bytes")
    page = program.Page(one)
    page.send_frame(web_socket.TEXT, b"y" * 3000, final=False)
    page.send_frame(web_socket.CONTINUED, b"y" * 3000, final=True)
    closes(page, "at most 4096 bytes")
    page = placed(one)  # a message in pieces, some of them empty, and never so many that it has no end
    page.send_frame(web_socket.TEXT, b"", final=False)
    for piece in (b'{"type":', b"", b'"ask","kind"', b"", b"", b':"all"}'):
        page.send_frame(web_socket.CONTINUED, piece, final=False)
    page.send_frame(web_socket.CONTINUED, b"", final=True)
    assert page.until(lambda: page.refused) == ["ask: unknown kind"], page.refused
    page.send_frame(web_socket.TEXT, b"", final=False)
    for _ in range(64):
        page.send_frame(web_socket.CONTINUED, b"", final=False)
    closes(page, "at most 64 pieces")
    page = program.Page(one)
    page.send_frame(web_socket.BINARY, b"PHV1")
    closes(page, "a message is text")
    pages = [placed(one) for _ in range(4)]
    closes(program.Page(one), "four pages are open already")
    for page in pages:
        page.close()
    placed(one).close()


def placed(one):
    """A page that has a place: pages that went before leave theirs when the server has heard of it."""
    while True:
        page = program.Page(one)
        try:
            page.until(lambda page=page: page.hello)
            return page
        except web_socket.Closed as closed:
            assert "four pages are open already" in closed.reason, closed.reason
            page.close()
            time.sleep(0.02)


# What a page may send wrong, and the answer.
WRONG = (
    ('{"type":"view","x0":"a"}', "view: a corner is no coordinate"),
    ('{"type":"view","x0":1e19}', "view: a corner is no coordinate"),
    ('{"type":"view","x0":5,"y0":5,"x1":5,"y1":9}', "can not be shown"),
    ('{"type":"view","x1":9,"y1":9,"parts":"points,all"}', "view: unknown part"),
    ('{"type":"view","x1":9,"y1":9,"instance":-1}', "view: instance"),
    ('{"type":"view","x1":9,"y1":9,"instance":1.5}', "view: instance"),
    ('{"type":"view","x1":9,"y1":9,"points":262145}', "view: points"),
    ('{"type":"view","x1":9,"y1":9,"focus":7}', "view: focus is no id"),
    ('{"type":"view","x1":9,"y1":9,"focus":"18446744073709551616"}', "view: focus is no id"),
    ('{"type":"view","x1":9,"y1":9,"hz":0}', "view: hz"),
    ('{"type":"view","x1":9,"y1":9,"class":4096}', "view: class"),
    ('{"type":"ask","kind":"all"}', "ask: unknown kind"),
    ('{"type":"ask","kind":"list","id":"-1"}', "ask: no id"),
    ('{"type":"ask","kind":"list","id":"7","most":0}', "ask: most"),
    ('{"type":"ask","kind":"nearest","radius":-1}', "ask: radius"),
    ('{"type":"do","what":"format"}', "do: unknown"),
    ('{"type":"do","what":"speed","value":0}', "do: value"),
    ('{"type":"do","what":"seek","value":7}', "this program does not offer that"),
    ('{"type":"do","what":"slice","value":7}', "this program does not offer that"),
    ('{"type":"set","key":"sticky","value":"2"}', "this program does not offer that"),
    ('{"type":"set","key":"a=b","value":"2"}', "set: key and value"),
    ('{"type":"ack","sequence":-1}', "ack: sequence"),
    ('{"type":"else"}', "unknown type"),
    ("[1,2]", ""), ("{", "no JSON object"), ('{"type":"ack"} {', "no JSON object"), ("", ""), ("\x00", "no JSON object"),
    ('{"type":"hello"}' * 2, "no JSON object"), ('{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{"j":{"k":{"l":{"m":1}}}}}}}}}}}}}', "no JSON object"),
)


def check_messages(one):
    page = placed(one)
    for text, reason in WRONG:
        if text == "":
            continue
        page.refused.clear()
        page.send(text)
        got = page.until(lambda: page.refused)
        assert reason in got[-1], (text, got)
    page.watch()
    frame = page.frame() and page.frame()
    assert program.entities_of(frame) > 9000, program.entities_of(frame)
    page.close()


def check_slow(one):
    """A page that acknowledges nothing gets two frames and no third, while another one goes on; and costs no memory."""
    slow, good = placed(one), placed(one)
    slow.watch()
    good.watch()
    first = program.tick_of(good.frame())
    before = None
    for number in range(FRAMES_FLAT):
        last = program.tick_of(good.frame())
        if number == FRAMES_FLAT // 3:
            before = one.bytes()
    grown = one.bytes() - before
    assert last > first, (first, last)
    assert grown < 8 << 20, f"{grown} bytes more after {FRAMES_FLAT} frames"
    slow.texts = 0
    while slow.texts < 6:  # the program's state, five times a second: frames would have come between
        slow.next()
    assert slow.frames == 2, f"{slow.frames} frames without an acknowledgement"
    slow.tell(type="ack", sequence=2)  # of both: credit for two more
    while slow.frames < 4:
        slow.next()
    slow.tell(type="ack", sequence=3)
    slow.tell(type="ack", sequence=1)  # is none any more
    slow.tell(type="ack", sequence=4)
    while slow.next() is None:
        pass
    # A page that does not even read: the server's memory stays, the good page goes on.
    deaf = program.Page(one, receive_bytes=2048)
    deaf.watch()
    for _ in range(20):
        good.frame()
    for page in (slow, good, deaf):
        page.close()


def check_kill(one):
    """Pages that vanish without a word leave their places to others."""
    for _ in range(12):
        page = placed(one)
        page.watch()
        page.frame()
        page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")  # RST
        page.socket.close()
    page = placed(one)
    page.watch()
    page.frame()
    page.close()


def check_pause(one):
    """In a pause no tick runs, but a question is answered, and the view followed."""
    page = program.Page(one)
    page.watch()
    page.frame()
    page.tell(type="do", what="pause")
    page.until(lambda: page.state and page.state["paused"])
    assert abs(page.state["resident"] - one.bytes()) < 64 << 20, (page.state, one.bytes())
    paused = program.tick_of(page.frame() and page.frame() and page.frame())
    page.watch(0, 0, 10, 10, focus="1")
    assert program.tick_of(page.frame() and page.frame() and page.frame()) == paused
    page.tell(type="do", what="step")
    page.until(lambda: program.tick_of(page.frame()) == paused + 1)
    page.tell(type="do", what="play")
    page.until(lambda: program.tick_of(page.frame()) > paused + 2)
    page.close()


def check_wrong_use():
    for options, reason in ((("--demo", "--token", "short"), "token"), (("--demo", "--port", "0"), "port"), ((), "--demo and --trace"),
                            (("--trace", "/nowhere"), "pharos-view: /nowhere: No such file"), (("--demo", "--set", "views=3"), "views"), (("--demo", "--speed", "0"), "--speed"),
                            (("--demo", "--at", "7"), "--at needs --trace"), (("--demo", "x"), "'x'")):
        run = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 2 and reason in run.stderr, (options, run)
    with program.Program(COMMAND, "--demo") as one:
        run = subprocess.run([*COMMAND, "--demo", "--port", str(one.port)], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 1 and "is taken" in run.stderr, run
        with program.Program(COMMAND, "--demo") as other:
            assert one.token != other.token
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "nowhere", "view.sock")
        run = subprocess.run([*COMMAND, "--demo", "--socket", path], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 1 and run.stdout == "" and f"{path}: can not listen there" in run.stderr, run
        path = os.path.join(folder, "notes")
        with open(path, "w", encoding="ascii") as file:
            file.write("mine")
        run = subprocess.run([*COMMAND, "--demo", "--socket", path], capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode == 1 and f"{path}: is there, and is no socket" in run.stderr, run
        with open(path, encoding="ascii") as file:
            assert file.read() == "mine"
        path = os.path.join(folder, "view.sock")
        with program.Program(COMMAND, "--demo", "--socket", path) as one:
            check_unix(one, path)
            code, errors = one.stop()
            assert code == 0 and errors == "", (code, errors)


def check_unix(one, path):
    """The page, and frames for the token that the address has: without it nothing."""
    assert one.unix == path and len(one.token) == 32, one.address
    assert os.stat(path).st_mode & 0o077 == 0, oct(os.stat(path).st_mode)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert connection.recv(15) == b"HTTP/1.1 200 OK", "no page by the unix socket"
    closes(program.Page(one, token="0" * 32), "wrong token")
    page = program.Page(one)
    page.watch()
    frame = page.frame() and page.frame()
    assert program.entities_of(frame) > 9000, program.entities_of(frame)
    page.close()


def main():
    check_wrong_use()
    with program.Program(COMMAND, "--demo", "--speed", "5", "--token", program.TOKEN) as one:
        assert one.token == program.TOKEN
        for check in (check_page, check_strangers, check_token, check_silence, check_bounds, check_messages, check_pause, check_slow, check_kill):
            check(one)
            print(f"{check.__name__}: ok", flush=True)
        code, errors = one.stop()
    assert code == 0 and errors == "", (code, errors)


main()
