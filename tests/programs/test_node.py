#!/usr/bin/env python3
"""The command line and the config of pharos-node, as far as no server answers: refusals, one line each.

usage: test_node.py PROGRAM
"""
import subprocess
import sys
import tempfile

SERVERS = ["--nats", "nats://127.0.0.1:1", "--etcd", "http://127.0.0.1:1"]
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


def main():
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
    node = subprocess.Popen([sys.argv[1], *SERVERS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = node.stderr.readline()
    node.terminate()
    node.communicate()
    check("no etcd", "no answer from http://127.0.0.1:1" in said and node.returncode == 0, f"{node.returncode} {said!r}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
