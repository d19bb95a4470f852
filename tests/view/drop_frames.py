#!/usr/bin/env python3
"""A page that draws nothing: it takes frames of a paused pharos-view that runs already, and drops them, so that what the
program itself can do is seen beside no browser. First some seconds without a frame, then with ten frames a second; in turns.
usage: drop_frames.py ADDRESS PID SECONDS ROUNDS"""
import os
import re
import sys
import time

sys.dont_write_bytecode = True
import program

HZ = 10


class Running:
    """The address of a program that another process has started."""

    def __init__(self, address):
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([0-9A-Za-z]+)", address)
        self.port, self.unix, self.token = int(found[1]), None, found[2]


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_for(page, pid, seconds):
    """Ticks, frames and processor seconds of the program, by second and tick."""
    begin, first, cpu = time.monotonic(), page.state["at"], processor_s(pid)
    frames, fills = page.frames, []
    while time.monotonic() < begin + seconds:
        data = page.next()
        if data:
            page.ack(data)
            fills.append(int.from_bytes(data[32 + 16 + 64:32 + 16 + 72], "little") / 1e6)
    took, ticks = time.monotonic() - begin, page.state["at"] - first
    fill = sorted(fills)[len(fills) // 2] if fills else 0
    return ticks / took, (page.frames - frames) / took, 1000 * (processor_s(pid) - cpu) / max(ticks, 1), fill


def main():
    address, pid, seconds, rounds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    page = program.Page(Running(address))
    page.until(lambda: page.state)
    page.tell(type="do", what="play")
    for _ in range(rounds):
        for watches in (False, True):
            if watches:
                page.watch(0, 0, 10000, 10000, points=100000, hz=HZ, parts="points,grid,shards,areas,stats,keys")
                page.frame()
            ticks, frames, cpu, fill = run_for(page, pid, seconds)
            print(f"{'with' if watches else 'without'} frames: {ticks:.1f} ticks and {frames:.1f} frames a second, {cpu:.1f} ms of the processor a tick"
                  + (f", {fill:.2f} ms of them to fill a frame" if watches else ""), flush=True)
        page.close()
        page = program.Page(Running(address))
        page.until(lambda: page.state)
    page.tell(type="do", what="pause")
    page.until(lambda: page.state["paused"])
    page.close()


main()
