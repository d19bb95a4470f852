import pharos


def tick_and_print(world, consumer):
    tick = world.tick()
    for batch in consumer.batches():
        for change in batch.changes:
            for target in batch.leaves(change)["id"]:
                print(f"tick {tick}: {change['observer']} loses {target}")
            for target in batch.enters(change)["id"]:
                print(f"tick {tick}: {change['observer']} sees {target}")


with pharos.World(world_size=(1000, 1000), classes=[{"name": "default", "view": 50}]) as world:
    producer, consumer = world.producer(), world.consumer()
    producer.enter(1, x=100, y=100)  # ids are yours: any number but 0
    producer.enter(2, x=130, y=100, view=20)
    tick_and_print(world, consumer)
    producer.move(2, 105, 100)
    tick_and_print(world, consumer)
    producer.leave(2)
    tick_and_print(world, consumer)
    print(world.list(1))
    try:
        producer.leave(0)
    except pharos.PharosError as error:
        print(error)
