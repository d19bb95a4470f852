#!/usr/bin/env python3
"""The command line and the config of pharos-node, with refusals, one line each; and beside a double of etcd its exit statuses.

usage: test_node.py PROGRAM
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from etcd_double import Etcd

# LEASE_LONG_MS: of a member that may not lose it; a busy machine stops the double for most of a second.
# ALL_S: of all waits together, below the limit of the whole test.
LEASE_MS, LEASE_LONG_MS, ALL_S, ENDS_S = 1000, 5000, 120, 10
END = time.monotonic() + ALL_S
SERVERS = ["--nats", "nats://127.0.0.1:1", "--etcd", "http://127.0.0.1:1"]
# A cluster map of format 200 without members, and its sum.
OTHER_MAP = bytes.fromhex("5048434dc800000001000000010000000000000000000000" "0100000001000000" "000000000000" "9d49ef5c6f05c3c8")
failures = 0


def check(name, is_good, text):
    global failures
    if not is_good:
        failures += 1
        print(f"FAILED: {name}: {text}", file=sys.stderr)


def refuses(name, arguments, words):
    """Exit status 2, nothing printed, and a line with these words on the standard error."""
    run = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=60)
    check(name, run.returncode == 2 and run.stdout == "" and words in run.stderr and "pharos-node: " in run.stderr,
          f"{run.returncode} {run.stdout!r} {run.stderr!r}")


def text_of(file):
    """Read at a place of its own: the process writes at the place of the file, which a seek() here would move."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode()


class Node:
    """A node beside the double of etcd, with its lines."""

    def __init__(self, etcd, *arguments, lease_ms=LEASE_MS, servers=None):
        self.lines = tempfile.TemporaryFile()
        self.said = tempfile.TemporaryFile()
        servers = servers or ["--nats", "nats://127.0.0.1:1", "--etcd", etcd.url]
        self.process = subprocess.Popen([sys.argv[1], *servers, "--lease-ms", str(lease_ms), "--drain-ms", "2000",
                                         *arguments],
                                        stdout=self.lines, stderr=self.said)

    def events(self):
        return [json.loads(line) for line in text_of(self.lines).splitlines(keepends=True) if line.endswith("\n")]

    def errors(self):
        return text_of(self.said)

    def awaits(self, is_there):
        while not is_there() and time.monotonic() < END:
            time.sleep(0.05)
        return is_there()

    def has(self, event):
        return self.awaits(lambda: any(line["event"] == event for line in self.events()))

    def ends(self, name, status, reason):
        """By itself, with this exit status, and with `fenced` for that reason."""
        try:
            self.process.wait(max(END - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            pass
        reasons = [line["reason"] for line in self.events() if line["event"] == "fenced"]
        check(name, self.process.returncode == status and len(reasons) == 1 and reason in reasons[0],
              f"{self.process.returncode} {reasons} {self.errors()!r}")
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(ENDS_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.lines.close()
        self.said.close()


def refusals_for_good():
    """Exit status 5: started again it would be refused again, as long as the reason stands."""
    etcd = Etcd()
    etcd.put("ph/demo/nodes/3", b"no registration")
    Node(etcd, "--number", "3").ends("a number that is taken", 5, "the key of its number, ph/demo/nodes/3")
    etcd.put("ph/demo/map", OTHER_MAP)
    Node(etcd).ends("another version", 5, "another, incompatible version of the library: it has format 200, and this process reads")
    etcd.forget()
    first = Node(etcd, lease_ms=LEASE_LONG_MS)
    check("a node joins", first.has("joined"), first.errors())
    Node(etcd, "--walkers", "7", lease_ms=LEASE_LONG_MS).ends("another definition", 5, "definition")
    Node(etcd, "--regions", "2x2").ends("other regions", 5, "cluster.regions")
    Node(etcd).ends("another lease", 5, f"cluster.lease_ms is {LEASE_MS} here, {LEASE_LONG_MS} there")
    first.stop()
    etcd.close()


def ends_that_may_be_started_again():
    """Exit status 3: the same command joins."""
    etcd = Etcd()
    lost = Node(etcd, lease_ms=LEASE_LONG_MS)
    check("a node joins", lost.has("joined"), lost.errors())
    etcd.forget()
    lost.ends("a store that has lost all", 3, "the lease ran out")
    again = Node(etcd, lease_ms=LEASE_LONG_MS)
    check("it joins as it is started again", again.has("joined"), again.errors())
    again.stop()
    check("the last node leaves", again.process.returncode == 0, again.process.returncode)
    etcd.close()


def full_etcd():
    """The alarm NOSPACE: members go on and may commit, none joins, and it is told; once there is room, it joins."""
    etcd = Etcd()
    member = Node(etcd, lease_ms=LEASE_LONG_MS)
    check("a node joins", member.has("may_commit"), member.errors())
    etcd.is_full = True
    late = Node(etcd, lease_ms=LEASE_LONG_MS)
    check("a full etcd is told", late.awaits(lambda: "etcd: no write by" in late.errors()), late.errors())
    check("and why", "full (etcdctl alarm list)" in late.errors(), late.errors())
    lines = member.events()
    check("a member goes on", etcd.renewed > 0 and lines[-1]["event"] == "status" and lines[-1]["lease_ms"] > 0 and
          [line["on"] for line in lines if line["event"] == "may_commit"] == [1], lines[-3:])
    check("none joins", not any(line["event"] == "joined" for line in late.events()), late.events())
    etcd.is_full = False
    check("it joins once there is room", late.has("joined"), late.errors())
    late.stop()
    member.stop()
    etcd.close()


def servers_without_tls():
    """A node that asks for TLS says why it has none, and no word in the clear. The broker greets etcd's clients as well."""
    broker = socket.create_server(("127.0.0.1", 0))
    place = "127.0.0.1:%d" % broker.getsockname()[1]
    greeting = b'INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576} \r\n'
    heard = []

    def greet():
        while True:
            try:
                client = broker.accept()[0]
            except OSError:
                return
            with client:
                try:
                    client.sendall(greeting)
                    heard.append(client.recv(100))
                except ConnectionError:
                    heard.append(b"")

    threading.Thread(target=greet, daemon=True).start()
    node = Node(None, servers=["--nats", f"tls://{place}", "--etcd", f"https://{place}"])
    check("a broker without TLS", node.awaits(lambda: f"nats: no connection to tls://{place}: Secure Connection not available"
                                              in node.errors()), node.errors())
    check("an etcd without TLS", node.awaits(lambda: f"etcd: no answer from https://{place}: " in node.errors()), node.errors())
    check("and why", "SSL" in node.errors(), node.errors())
    check("all is TLS", heard and all(text == b"" or text.startswith(b"\x16\x03") for text in heard), heard)
    node.stop()
    broker.close()


def silent_and_then_full_etcd():
    """Both are told."""
    etcd = Etcd()
    etcd.is_silent = etcd.is_full = True
    node = Node(etcd)
    check("silence is told", node.awaits(lambda: "etcd: no answer from" in node.errors()), node.errors())
    etcd.is_silent = False
    check("and then no room", node.awaits(lambda: "full (etcdctl alarm list)" in node.errors()), node.errors())
    check("and that NATS is away", "nats: no connection to nats://127.0.0.1:1: no server answers" in node.errors(),
          node.errors())
    check("each once", len(node.errors().splitlines()) == 3, node.errors())
    node.stop()
    etcd.close()


def main():
    servers_without_tls()
    full_etcd()
    silent_and_then_full_etcd()
    refusals_for_good()
    ends_that_may_be_started_again()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/node.conf"

        def config(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return ["--config", path]

        refuses("no server", [], "--nats URL is needed, or cluster.nats")
        refuses("a server of the config", config('cluster { nats = "nats://a:1" }\n'), "--etcd URL is needed")
        both = 'nats = "nats://a:1" etcd = "http://a:1"'
        refuses("a gateway's walkers", config(f"cluster {{ {both} gateway = true }}\n") + ["--feed"], "--feed")
        refuses("a slow gateway", SERVERS + ["--gateway", "--slow-ms", "10"], "--slow-ms")
        refuses("no name", config(f'cluster {{ {both} name = "" }}\n'), "cluster.name")
        refuses("walkers that stand", config(f"cluster {{ {both} speed_max = 0 }}\n"), "cluster.speed_max = 0")
        refuses("rules between keys", config(f"cluster {{ {both} halo = 1 }}\n"), "halo = 1 is below")
        refuses("a key that is not there", config("cluster { nat = 1 }\n"), "node.conf:1")
        refuses("too many walkers", SERVERS + ["--walkers", "1000", "--set", "entities_max=10"], "entities_max")
        refuses("a lease", SERVERS + ["--lease-ms", "999"], "--lease-ms: '999'")
        refuses("a name", SERVERS + ["--name", "a b"], "name: 1 to 31 letters")
        refuses("a server that is none", ["--nats", "http://a:1", "--etcd", "http://a:1"], "nats: servers")
        refuses("an argument", SERVERS + ["arena"], "'arena'")
        secure = ["--nats", "tls://127.0.0.1:1", "--etcd", "https://127.0.0.1:1"]
        refuses("a CA of NATS", secure + ["--set", f"cluster.nats_ca_file={folder}/ca.pem"],
                f"nats: tls.ca_file: {folder}/ca.pem: No such file or directory")
        refuses("a CA of etcd", secure + ["--set", f"cluster.etcd_ca_file={folder}/ca.pem"],
                f"etcd: tls.ca_file: {folder}/ca.pem: No such file or directory")
        refuses("a CA without TLS", SERVERS + ["--set", f"cluster.nats_ca_file={folder}/ca.pem"], "without TLS")
        refuses("a certificate alone", secure + ["--set", f"cluster.etcd_certificate_file={path}"],
                "etcd: tls.certificate_file")
    node = subprocess.Popen([sys.argv[1], *SERVERS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = node.stderr.readline()
    node.terminate()
    node.communicate()
    check("no etcd", "no answer from http://127.0.0.1:1" in said and node.returncode == 0, f"{node.returncode} {said!r}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
