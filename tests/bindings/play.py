#!/usr/bin/python3
"""Plays a trace through the Python binding: see compare.py."""
import csv
import sys

import pharos


def run_tick(world, consumer, tick):
    world.tick()
    for batch in consumer.batches():
        for change in batch.changes:
            first, leaves = int(change["first"]), int(change["leave_count"])
            for place in range(first, first + leaves + int(change["enter_count"])):
                event = "leave" if place < first + leaves else "enter"
                x, y, z = ("", "", "") if event == "leave" else ("%.9g" % axis for axis in batch.positions[place])
                print(f"{tick},{change['observer']},{event},{batch.targets['id'][place]},"
                      f"{pharos.cause_name(batch.causes[place])},{x},{y},{z}")


def submit(producer, row):
    entity = int(row["id"])
    if row["op"] == "leave":
        producer.leave(entity)
    elif row["op"] == "move":
        producer.move_many([entity], [[float(row["x"]), float(row["y"]), 0]])
    else:
        view = {"view": float(row["view"])} if row["view"] else {}
        producer.enter(entity, x=float(row["x"]), y=float(row["y"]), **view)


def main():
    with pharos.World(world_size=(1000, 1000)) as world:
        producer, consumer = world.producer(), world.consumer()
        print("tick,observer,event,target,cause,x,y,z")
        tick = None
        for row in csv.DictReader(sys.stdin):
            while tick is not None and tick < int(row["tick"]):
                run_tick(world, consumer, tick)
                tick += 1
            tick = int(row["tick"])
            submit(producer, row)
        run_tick(world, consumer, tick)


main()
