/*
 * The thirty lines in C++, which the page of the binding shows; run by its test.
 */
#include <cstdio>
#include <pharos/pharos.hpp>

static pharos::status tick_and_print(pharos::world &world, pharos::consumer &consumer)
{
    pharos::batch batch; // given back by the next take(), and when it goes
    pharos::status status = world.tick();
    while (status == PH_OK && (status = consumer.take(batch)) == PH_OK) {
        for (std::size_t i = 0; i < batch.change_count(); i++) {
            pharos::change change = batch.change_at(i);
            for (const ph_target &target : change.leaves())
                std::printf("tick %d: %d loses %d\n", (int)batch->tick, (int)change.observer(), (int)target.id);
            for (const ph_target &target : change.enters())
                std::printf("tick %d: %d sees %d\n", (int)batch->tick, (int)change.observer(), (int)target.id);
        }
    }
    return status == PH_EMPTY ? PH_OK : status;
}

int main()
{
    pharos::definition def;
    def->world_size[0] = def->world_size[1] = 1000;
    def.class_at(0).view = 50;
    pharos::world world;
    pharos::producer producer;
    pharos::consumer consumer;
    if (world.create(def) != PH_OK || producer.open(world.get()) != PH_OK || consumer.open(world.get(), 0) != PH_OK)
        return 1;
    bool good = producer.enter(1, pharos::attrs().at(100, 100)) == PH_OK; // ids are yours: any number but 0
    good = good && producer.enter(2, pharos::attrs().at(130, 100).view(20)) == PH_OK;
    good = good && tick_and_print(world, consumer) == PH_OK;
    good = good && producer.move(2, 105, 100) == PH_OK && tick_and_print(world, consumer) == PH_OK;
    std::printf("%s\n", ph_status_text(producer.leave(0)));
    return good ? 0 : 1;
}
