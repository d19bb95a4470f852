#!/usr/bin/env python3
"""The lines of "Try it" in docs/cluster.md, run as they stand, but for the ports: three nodes, of which one is killed and one drained.

usage: test_try_cluster.py PAGE NODE TOOL NATS ETCD
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

TIMEOUT_S = 120


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def block_behind(page, mark):
    return re.search(re.escape(mark) + r"[^\n]*-->\n```\n(.*?)^```$", page, re.M | re.S).group(1)


def with_ports(text, ports):
    for port, other in zip(("4222", "2379"), ports):
        text = text.replace(port, str(other))
    return text.replace("etcd --data-dir", f"etcd --listen-peer-urls http://127.0.0.1:{ports[2]} --data-dir")


def regions_of(status):
    """Of each member that holds its lease: its regions."""
    return [int(number) for number in re.findall(r"^ *\d+  node +member +.*? (\d+)  [-0-9,]+$", status, re.M)]


def end_group(group):
    """What the lines have left in the background: servers, and nodes of a course that failed."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    ports = free_ports(3)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        for path in sys.argv[2:]:
            os.symlink(path, f"{folder}/bin/{os.path.basename(path)}")
        with open(f"{folder}/demo.conf", "w", encoding="utf-8") as file:
            file.write(with_ports(block_behind(page, "<!-- file demo.conf"), ports))
        lines = with_ports(block_behind(page, "<!-- not run: the test program_try_cluster"), ports)
        lines = lines.replace("pharos-cluster", "echo ---; pharos-cluster").replace("wait $second", "wait $second; echo status $?")
        with open(f"{folder}/out", "w+", encoding="utf-8") as out:
            shell = subprocess.Popen(["bash", "-c", lines + "echo status $?\n"], cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                     env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}, start_new_session=True)
            try:
                shell.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                print(f"FAILED: not over in {TIMEOUT_S} s", file=sys.stderr)
            finally:
                end_group(shell.pid)
            out.seek(0)
            said = out.read()
    statuses = [regions_of(part) for part in said.split("---\n")[1:] if "registration" in part]
    is_good = (len(statuses) == 3 and [len(regions) for regions in statuses] == [3, 2, 1] and
               all(sum(regions) == 16 for regions in statuses) and said.count("status 0") == 2)
    if not is_good:
        print(f"FAILED: {statuses}\n{said}", file=sys.stderr)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
