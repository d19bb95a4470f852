/*
 * The cost of the C calls: 10,000 entities move in each of 40 ticks, by one bulk call, and each event is read. The
 * programs cost.* do the same through their bindings; costs.py compares events and sums, and prints the times. The time
 * of the ticks themselves is left out.
 */
#include <inttypes.h>
#include <pharos/pharos.h>
#include <stdio.h>
#include <time.h>

enum { ENTITIES = 10000, TICKS = 40, SIDE = 1000 };
static const float VIEW = 20;

static uint64_t ids[ENTITIES];
static ph_position positions[ENTITIES];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void place_entities(uint32_t tick)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t id = i + 1;
        positions[i].x = (float)((id * 37 + tick * (id % 7 + 1)) % SIDE);
        positions[i].y = (float)((id * 91 + tick * (id % 5 + 1)) % SIDE);
    }
}

static bool enter_entities(ph_producer producer)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ids[i] = i + 1;
        ph_attrs attrs = {.given = PH_X | PH_Y, .x = positions[i].x, .y = positions[i].y};
        if (ph_enter(producer, ids[i], &attrs) != PH_OK) return false;
    }
    return true;
}

static void read_batch(const ph_batch *batch, uint64_t *events, uint64_t *sum)
{
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint32_t count = change->leave_count + change->enter_count;
        for (uint32_t j = 0; j < count; j++)
            *sum += change->observer + (j < change->leave_count ? 3 : 2) * batch->targets[change->first + j].id;
        *events += count;
    }
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    const ph_batch *batch;
    uint64_t events = 0, sum = 0;
    double move_ns = 0, event_ns = 0;
    ph_world_def def = ph_world_def_default();
    ph_class row = ph_class_default("default");
    row.view = VIEW;
    def.classes = &row;
    def.world_size[0] = def.world_size[1] = SIDE;
    if (ph_world_create(&def, &world) != PH_OK || ph_producer_open(world, &producer) != PH_OK ||
        ph_consumer_open(world, 0, &consumer) != PH_OK)
        return 1;
    place_entities(0);
    if (!enter_entities(producer)) return 1;
    for (uint32_t tick = 1; tick <= TICKS; tick++) {
        place_entities(tick);
        double begin = now_ns();
        if (ph_move_many(producer, ENTITIES, ids, positions, NULL) != PH_OK) return 1;
        move_ns += now_ns() - begin;
        if (ph_tick(world, NULL) != PH_OK) return 1;
        begin = now_ns();
        while (ph_batch_take(consumer, &batch) == PH_OK) {
            read_batch(batch, &events, &sum);
            ph_batch_return(consumer, batch);
        }
        event_ns += now_ns() - begin;
    }
    printf("events %" PRIu64 " sum %" PRIu64 "\n", events, sum);
    printf("C: %.1f ns a move, %.1f ns an event\n", move_ns / (TICKS * ENTITIES), event_ns / (double)events);
    ph_world_destroy(world);
    return 0;
}
