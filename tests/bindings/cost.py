"""The cost of the Python binding: see cost.c. Events are read as arrays; a loop over them in Python is the second time."""
import time

import numpy

import pharos

ENTITIES, TICKS = 10000, 40
IDS = numpy.arange(1, ENTITIES + 1, dtype=numpy.uint64)


def place(tick):
    positions = numpy.zeros((ENTITIES, 3), numpy.float32)
    positions[:, 0] = (IDS * 37 + tick * (IDS % 7 + 1)) % 1000
    positions[:, 1] = (IDS * 91 + tick * (IDS % 5 + 1)) % 1000
    return positions


def read_arrays(batch):
    """The number of events and their sum, as cost.c has it, without a loop."""
    changes = batch.changes
    leaves = changes["leave_count"].astype(numpy.int64)
    count = leaves + changes["enter_count"]
    observers = numpy.repeat(changes["observer"], count)
    places = numpy.arange(len(observers)) - numpy.repeat(numpy.cumsum(count) - count, count)
    targets = batch.targets["id"][numpy.repeat(changes["first"].astype(numpy.int64), count) + places]
    factors = numpy.where(places < numpy.repeat(leaves, count), 3, 2).astype(numpy.uint64)
    return len(observers), int((observers + factors * targets).sum())


def read_rows(batch):
    for change in batch.changes:
        for _ in batch.leaves(change)["id"]:
            pass
        for _ in batch.enters(change)["id"]:
            pass


def main():
    with pharos.World(world_size=(1000, 1000), classes=[{"name": "default", "view": 20}]) as world:
        producer, consumer = world.producer(), world.consumer()
        for entity, (x, y, _) in zip(IDS, place(0)):
            producer.enter(int(entity), x=x, y=y)
        events = total = 0
        move_s = array_s = row_s = 0.0
        for tick in range(1, TICKS + 1):
            positions = place(tick)
            begin = time.process_time()
            producer.move_many(IDS, positions)
            move_s += time.process_time() - begin
            world.tick()
            for batch in consumer.batches():
                begin = time.process_time()
                count, part = read_arrays(batch)
                middle = time.process_time()
                read_rows(batch)
                array_s, row_s = array_s + middle - begin, row_s + time.process_time() - middle
                events, total = events + count, total + part
    print(f"events {events} sum {total}")
    print(f"Python: {move_s * 1e9 / (TICKS * ENTITIES):.1f} ns a move, {array_s * 1e9 / events:.1f} ns an event by arrays, "
          f"{row_s * 1e9 / events:.1f} by rows")


main()
