/*
 * Plays a trace through the C++ binding: reads CSV from the standard input (tick,op,id,x,y,view; ops enter, move and
 * leave) and prints each event as pharos-replay does. tests/bindings/compare.py compares the two.
 */
#include <cstdio>
#include <iostream>
#include <pharos/pharos.hpp>
#include <sstream>
#include <string>

namespace
{

struct row {
    uint64_t tick = 0, id = 0;
    std::string op;
    float x = 0, y = 0, view = -1;
};

bool read_row(row &r)
{
    std::string line, field;
    if (!std::getline(std::cin, line)) return false;
    std::istringstream fields(line);
    r = row();
    for (int column = 0; std::getline(fields, field, ','); column++) {
        if (field.empty()) continue;
        if (column == 0) r.tick = std::stoull(field);
        if (column == 1) r.op = field;
        if (column == 2) r.id = std::stoull(field);
        if (column == 3) r.x = std::stof(field);
        if (column == 4) r.y = std::stof(field);
        if (column == 5) r.view = std::stof(field);
    }
    return true;
}

pharos::status submit(pharos::producer &producer, const row &r)
{
    if (r.op == "leave") return producer.leave(r.id);
    if (r.op == "move") return producer.move(r.id, r.x, r.y);
    pharos::attrs attrs;
    attrs.at(r.x, r.y);
    if (r.view >= 0) attrs.view(r.view);
    return producer.enter(r.id, attrs);
}

pharos::status run_tick(pharos::world &world, pharos::consumer &consumer, uint64_t tick)
{
    pharos::batch batch;
    pharos::status status = world.tick();
    while (status == PH_OK && (status = consumer.take(batch)) == PH_OK) {
        for (std::size_t i = 0; i < batch.change_count(); i++) {
            pharos::change change = batch.change_at(i);
            for (const ph_target &target : change.leaves())
                std::printf("%llu,%llu,leave,%llu\n", (unsigned long long)tick, (unsigned long long)change.observer(),
                            (unsigned long long)target.id);
            for (const ph_target &target : change.enters())
                std::printf("%llu,%llu,enter,%llu\n", (unsigned long long)tick, (unsigned long long)change.observer(),
                            (unsigned long long)target.id);
        }
    }
    return status == PH_EMPTY ? PH_OK : status;
}

} // namespace

int main()
{
    pharos::definition def;
    pharos::world world;
    pharos::producer producer;
    pharos::consumer consumer;
    def->world_size[0] = def->world_size[1] = 1000;
    if (world.create(def) != PH_OK || producer.open(world.get()) != PH_OK || consumer.open(world.get(), 0) != PH_OK)
        return 1;
    std::string header;
    std::getline(std::cin, header);
    std::printf("tick,observer,event,target\n");
    row r;
    uint64_t tick = 0;
    pharos::status status = PH_OK;
    while (status == PH_OK && read_row(r)) {
        for (; status == PH_OK && tick != 0 && tick < r.tick; tick++) status = run_tick(world, consumer, tick);
        tick = r.tick;
        if (status == PH_OK) status = submit(producer, r);
    }
    if (status == PH_OK) status = run_tick(world, consumer, tick);
    if (status != PH_OK) std::fprintf(stderr, "play: tick %d: %s\n", (int)tick, ph_status_text(status));
    return status == PH_OK ? 0 : 1;
}
