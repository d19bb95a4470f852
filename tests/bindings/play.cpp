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

void print_event(uint64_t tick, uint64_t observer, const char *event, uint64_t target, uint8_t cause)
{
    std::printf("%llu,%llu,%s,%llu,%s", (unsigned long long)tick, (unsigned long long)observer, event,
                (unsigned long long)target, ph_cause_name(static_cast<ph_cause>(cause)));
}

pharos::status run_tick(pharos::world &world, pharos::consumer &consumer, uint64_t tick)
{
    pharos::batch batch;
    pharos::status status = world.tick();
    while (status == PH_OK && (status = consumer.take(batch)) == PH_OK) {
        for (std::size_t i = 0; i < batch.change_count(); i++) {
            pharos::change change = batch.change_at(i);
            for (std::size_t j = 0; j < change.leaves().size(); j++) {
                print_event(tick, change.observer(), "leave", change.leaves()[j].id, change.leave_causes()[j]);
                std::printf(",,,\n");
            }
            for (std::size_t j = 0; j < change.enters().size(); j++) {
                const ph_position &at = change.enter_positions()[j];
                print_event(tick, change.observer(), "enter", change.enters()[j].id, change.enter_causes()[j]);
                std::printf(",%.9g,%.9g,%.9g\n", at.x, at.y, at.z);
            }
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
    std::printf("tick,observer,event,target,cause,x,y,z\n");
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
