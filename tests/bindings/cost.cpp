/*
 * The cost of the C++ binding: see cost.c.
 */
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <pharos/pharos.hpp>
#include <vector>

namespace
{

constexpr uint32_t entities = 10000, ticks = 40, side = 1000;

std::vector<uint64_t> ids(entities);
std::vector<ph_position> positions(entities);

void place_entities(uint32_t tick)
{
    for (uint32_t i = 0; i < entities; i++) {
        uint32_t id = i + 1;
        positions[i].x = static_cast<float>((id * 37 + tick * (id % 7 + 1)) % side);
        positions[i].y = static_cast<float>((id * 91 + tick * (id % 5 + 1)) % side);
    }
}

double cpu_ns()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void read_batch(const pharos::batch &batch, uint64_t &events, uint64_t &sum)
{
    for (std::size_t i = 0; i < batch.change_count(); i++) {
        pharos::change change = batch.change_at(i);
        for (const ph_target &target : change.leaves()) sum += change.observer() + 3 * target.id;
        for (const ph_target &target : change.enters()) sum += change.observer() + 2 * target.id;
        events += change.leaves().size() + change.enters().size();
    }
}

} // namespace

int main()
{
    pharos::definition def;
    pharos::world world;
    pharos::producer producer;
    pharos::consumer consumer;
    uint64_t events = 0, sum = 0;
    double move_ns = 0, event_ns = 0;
    def->world_size[0] = def->world_size[1] = side;
    def.class_at(0).view = 20;
    if (world.create(def) != PH_OK || producer.open(world.get()) != PH_OK || consumer.open(world.get(), 0) != PH_OK)
        return 1;
    place_entities(0);
    for (uint32_t i = 0; i < entities; i++) {
        ids[i] = i + 1;
        if (producer.enter(ids[i], pharos::attrs().at(positions[i].x, positions[i].y)) != PH_OK) return 1;
    }
    for (uint32_t tick = 1; tick <= ticks; tick++) {
        place_entities(tick);
        double begin = cpu_ns();
        if (producer.move(ids, positions) != PH_OK) return 1;
        move_ns += cpu_ns() - begin;
        if (world.tick() != PH_OK) return 1;
        begin = cpu_ns();
        for (pharos::batch batch; consumer.take(batch) == PH_OK;) read_batch(batch, events, sum);
        event_ns += cpu_ns() - begin;
    }
    std::printf("events %" PRIu64 " sum %" PRIu64 "\n", events, sum);
    std::printf("C++: %.1f ns a move, %.1f ns an event\n", move_ns / (ticks * entities),
                event_ns / static_cast<double>(events));
    return 0;
}
