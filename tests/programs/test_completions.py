#!/usr/bin/env python3
"""Types the beginnings of command lines into bash and zsh with the completions of the build, presses Tab, and compares the
lines that the shells make of them. A shell that is not installed is named and passed over.

usage: test_completions.py COMPLETIONS PROGRAM ...    COMPLETIONS has the folders bash and zsh; PROGRAM: names
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

PATIENCE_S = 60
# (program, typed, the words behind the program's name that the shell makes of it): in a folder with the files trace.csv and
# game.conf, and the folder saved.
LINES = (
    ("pharos-replay", "--upda", ["--updates="]),
    ("pharos-replay", "--causes tra", ["--causes", "trace.csv"]),
    ("pharos-replay", "--config=ga", ["--config=game.conf"]),
    ("pharos-replay", "-c ga", ["-c", "game.conf"]),
    ("pharos-replay", "--record=sa", ["--record=saved/"]),
    ("pharos-config", "mig", ["migrate"]),
    ("pharos-config", "--in", ["--in-place"]),
    ("pharos-config", "check ga", ["check", "game.conf"]),
    ("pharos-store", "che", ["check"]),
    ("pharos-store", "ls sa", ["ls", "saved/"]),
    ("pharos-view", "--allow", ["--allow-set"]),
    ("pharos-view", "--trace=tr", ["--trace=trace.csv"]),
    ("pharos-node", "--lea", ["--lease-ms="]),
    ("pharos-cluster", "dr", ["drain"]),
    ("pharos-cluster", "--dr", ["--dry-run"]),
    ("pharos-node", "--data", ["--data"]),  # an option of another program, in an example
    ("pharos-bench", "--scenario=teleport", ["--scenario=teleport-storm"]),
    ("pharos-bench", "--features=ready", ["--features=ready1"]),
)


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, folder, setup):
        self.master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "HOME": folder, "PS1": "", "HISTFILE": "/dev/null"}
        self.child = subprocess.Popen(command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=environment,
                                      start_new_session=True)
        os.close(slave)
        for line in setup:
            self.send(line + "\n")
        self.ask("printf 'ready<%s>\\n' up\n", "ready<up>")

    def send(self, text):
        os.write(self.master, text.encode())

    def ask(self, text, end):
        """Sends text, and returns the output up to the line end."""
        self.send(text)
        output = ""
        while end not in output.splitlines():
            ready, _, _ = select.select([self.master], [], [], PATIENCE_S)
            if not ready:
                sys.exit(f"FAILED: no line {end} within {PATIENCE_S} s; the output: {output}")
            output += os.read(self.master, 4096).decode(errors="replace").replace("\r", "")
        return output

    def complete(self, line):
        """The words of the line behind Tab."""
        # Ctrl-A: to the line's begin, where a command goes that prints its words.
        output = self.ask(f"{line}\t\x01printf '<%s>\\n' \n" + "printf 'end<%s>\\n' of\n", "end<of>")
        return re.findall(r"^<(.*)>$", output, re.MULTILINE)

    def close(self):
        self.child.kill()
        self.child.wait()
        os.close(self.master)


def setups(completions, programs):
    """Command and first lines of each shell."""
    return {
        "bash": (["bash", "--norc", "--noprofile", "-i"],
                 ["bind 'set enable-bracketed-paste off'", "bind 'set bell-style none'"]
                 + [f". {completions}/bash/{program}" for program in programs]),
        "zsh": (["zsh", "-f", "-i"],
                ["unsetopt zle_bracketed_paste prompt_sp 2>/dev/null; unset zle_bracketed_paste", "bindkey -e", "PROMPT=",
                 f"fpath=({completions}/zsh $fpath)", "autoload -Uz compinit", "compinit -u -D"]),
    }


def main():
    completions, programs = os.path.realpath(sys.argv[1]), sys.argv[2:]
    failures = 0
    untested = set(programs) - {program for program, _, _ in LINES}
    if untested:
        sys.exit(f"FAILED: no line of {sorted(untested)}")
    for name, (command, setup) in setups(completions, programs).items():
        if shutil.which(name) is None:
            print(f"{name} is not installed: passed over")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for file in ("trace.csv", "game.conf"):
                open(os.path.join(folder, file), "w", encoding="utf-8").close()
            os.mkdir(os.path.join(folder, "saved"))
            shell = Shell(command, folder, setup)
            lines = [line for line in LINES if line[0] in programs]
            for program, typed, expected in lines:
                made = shell.complete(f"{program} {typed}")
                made = [word.rstrip("=/") for word in made]  # zsh takes these away where a space follows
                if made != [program, *(word.rstrip("=/") for word in expected)]:
                    print(f"FAILED: {name}: {program} {typed}: {made}")
                    failures += 1
            shell.close()
            print(f"{name}: {len(lines)} lines")
    return 1 if failures else 0


sys.exit(main())
