#!/usr/bin/env python3
"""browser_arena in chromium without a screen, by the DevTools protocol: two tabs meet, walk apart, come back, one hides
and goes; each tab's list, as the page has it, is compared with brute force. No error may stand on the console.
usage: test_browser.py CHROMIUM PAGE SERVER-COMMAND ...; with ARENA_SCREENSHOTS=FOLDER it writes what the tabs show."""
import base64
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import arena
import web_socket

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--remote-debugging-port=0", "--disable-background-networking", "--disable-component-update",
         "--disable-extensions", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
         "--disable-backgrounding-occluded-windows", "--window-size=1000,700"]
LEFT, RIGHT, HIDE = ("ArrowLeft", 37), ("ArrowRight", 39), ("h", 72)


class Browser:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="arena_", ignore_cleanup_errors=True)
        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.folder.name}"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, path = arena.wait_for("the browser", self.address)
        self.socket = web_socket.WebSocket(int(port), path)
        self.calls, self.faults = 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def address(self):
        assert self.process.poll() is None, "the browser ended"
        try:
            with open(os.path.join(self.folder.name, "DevToolsActivePort"), encoding="ascii") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return None
        return lines if len(lines) == 2 else None

    def call(self, method, tab=None, **parameters):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": parameters}
        self.socket.send(json.dumps(message | ({"sessionId": tab} if tab else {})))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.calls:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown" or (
                    answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error"):
                self.faults.append(answer["params"])


class Tab:
    def __init__(self, browser, url):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url=url, newWindow=True)["targetId"]
        self.tab = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.samples = []  # (tick, id, list), as the page has them
        self.call("Runtime.enable")
        self.call("Log.enable")
        arena.wait_for("the page is in the world", lambda: self.ask("document.readyState === 'complete' && typeof arena === 'object' && arena.tick > 0"))
        self.id = self.ask("arena.id")

    def call(self, method, **parameters):
        return self.browser.call(method, self.tab, **parameters)

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def sample(self):
        tick, number, seen = self.ask("[arena.tick, arena.id, [...arena.list.keys()]]")
        self.samples.append((tick, number, frozenset(seen)))
        return seen

    def sees(self, other):
        return other.id in self.sample()

    def row(self, other):
        """The line of the page's table about the other player."""
        rows = self.ask("[...document.querySelectorAll('#list tr')].map(row => row.innerText.replace(/\\s+/g, ' '))")
        return next((row for row in rows if row.startswith(f"player {other.id} ")), "")

    def key(self, kind, key):
        self.call("Input.dispatchKeyEvent", type=kind, key=key[0], windowsVirtualKeyCode=key[1])

    def press(self, key):
        self.key("rawKeyDown", key)

    def release(self, key):
        self.key("keyUp", key)

    def screenshot(self, name):
        if folder := os.environ.get("ARENA_SCREENSHOTS"):
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


def walk_in(browser, server):
    first, second = Tab(browser, server.url), Tab(browser, server.url)
    arena.wait_for("two tabs meet", lambda: first.sees(second) and second.sees(first))
    arena.wait_for("a reason", lambda: "seen: the target is within the observer's view" in first.row(second))
    first.screenshot("meet")
    x = first.ask("arena.x")
    first.press(RIGHT)
    arena.wait_for("the first walks out of sight", lambda: not first.sees(second) and not second.sees(first))
    first.release(RIGHT)
    assert first.ask("arena.x") > x + 100, "the right key did not walk to the right"
    arena.wait_for("the reason why not", lambda: "not seen: the target is beyond the radius" in second.row(first))
    second.screenshot("apart")
    first.press(LEFT)
    arena.wait_for("it comes back", lambda: first.sees(second) and second.sees(first))
    first.release(LEFT)
    second.press(HIDE)
    second.release(HIDE)
    arena.wait_for("the second hides", lambda: not first.sees(second))
    assert second.sees(first), "who hides does see"
    arena.wait_for("its reason", lambda: "not seen: the target's stealth is above" in first.row(second))
    first.screenshot("hidden")
    second.press(HIDE)
    second.release(HIDE)
    arena.wait_for("the second shows itself", lambda: first.sees(second))
    browser.call("Target.closeTarget", targetId=second.target)
    arena.wait_for("the second goes", lambda: not first.sees(second))
    arena.wait_for("its row says so", lambda: "no entity of this id is in the world" in first.row(second))
    assert first.ask("arena.error") == "", first.ask("arena.error")
    return first.samples + second.samples


def main():
    chromium, page, *command = sys.argv[1:]
    with arena.Server([*command, page]) as server, Browser(chromium) as browser:
        samples = walk_in(browser, server)
        assert not browser.faults, browser.faults
        (clients, refused, _), record = server.stop()
    assert (clients, refused) == (2, 0), (clients, refused)
    for tick, player, told in samples:
        right = record.lists[tick][player]
        assert told == right, f"player {player}, tick {tick}: the page has {sorted(told)}, right is {sorted(right)}"
    print(f"two tabs: {len(samples)} lists on the page are as the positions say")


main()
