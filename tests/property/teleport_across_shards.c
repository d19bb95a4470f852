/*
 * An observer with a list jumps into another shard as many come in there, and each allocation of that tick fails in
 * turn, once: the migrated list gets right events also when the index phase stops behind the rows and begins again.
 * Lists kept from events alone are compared with the world's lists.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum { AT_HOME = 30, ABROAD = 300, MORE = 700, ALL = AT_HOME + ABROAD + MORE, JUMPER = 3, TICKS = 5, JUMP_TICK = 4 };

#define VIEW 30.0f

typedef struct trip {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t rng, fails; /* which allocation of the tick of the jump */
    bool failed;         /* that tick had so many */
    float x[ALL], y[ALL];
    bool seen[ALL][ALL]; /* [observer][target], by events */
} trip;

static trip t;

static float within(float low, float width)
{
    return low + width * phx_rng_unit(&t.rng);
}

static void enter(uint32_t i)
{
    const bool home = i < AT_HOME;
    t.x[i] = home ? within(1000, 40) : within(3000, 200);
    t.y[i] = within(100, home ? 40 : 200);
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = t.x[i], .y = t.y[i], .view = VIEW};
    CHECK_OK(ph_enter(t.producer, i + 1, &attrs));
}

static void act(uint32_t i, uint32_t tick)
{
    const bool late = i >= AT_HOME + ABROAD;
    if (tick == (late ? JUMP_TICK : 1u)) enter(i);
    if (tick <= (late ? JUMP_TICK : 1u)) return;
    if (tick == JUMP_TICK && i == JUMPER) {
        t.x[i] = 3100;
        t.y[i] = 200;
    } else {
        t.x[i] = within(t.x[i] - 0.5f, 1);
        t.y[i] = within(t.y[i] - 0.5f, 1);
    }
    CHECK_OK(ph_move(t.producer, i + 1, t.x[i], t.y[i], 0));
}

static void take_events(uint32_t tick)
{
    const ph_batch *batch;
    while (ph_batch_take(t.consumer, &batch) == PH_OK) {
        for (uint32_t c = 0; c < batch->change_count; c++) {
            const ph_change *change = &batch->changes[c];
            for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
                const uint64_t target = batch->targets[change->first + i].id;
                bool *seen = &t.seen[change->observer - 1][target - 1], was = i < change->leave_count;
                CHECK(*seen == was, "allocation %" PRIu64 ", tick %u: %" PRIu64 " is told of %" PRIu64 " twice",
                      t.fails, tick, change->observer, target);
                *seen = !was;
            }
        }
        CHECK_OK(ph_batch_return(t.consumer, batch));
    }
}

static void check_lists(uint32_t tick)
{
    uint64_t ids[ALL];
    for (uint32_t i = 0; i < ALL; i++) {
        uint32_t count = 0, seen = 0, right = 0;
        if (ph_list(t.world, i + 1, ids, ALL, &count) != PH_OK) continue; /* it is not there yet */
        for (uint32_t l = 0; l < count; l++) right += t.seen[i][ids[l] - 1];
        for (uint32_t k = 0; k < ALL; k++) seen += t.seen[i][k];
        CHECK(seen == count && right == count, "allocation %" PRIu64 ", tick %u: %u sees %u, was told of %u, %u right",
              t.fails, tick, i + 1, count, seen, right);
    }
}

static void run_tick(uint32_t tick)
{
    enum { ATTEMPTS = 9 };
    const uint64_t failed = atomic_load(&t.memory.failed);
    ph_status status = PH_NO_MEMORY;
    if (tick == JUMP_TICK) fail_alloc_order(&t.memory, t.fails, false);
    for (int i = 0; i < ATTEMPTS && status == PH_NO_MEMORY; i++) status = ph_tick(t.world, NULL);
    CHECK_OK(status);
    fail_alloc_order(&t.memory, 0, false);
    t.failed |= atomic_load(&t.memory.failed) > failed;
}

/* Is there an allocation of that number in the tick of the jump? */
static bool travel(uint64_t fails)
{
    ph_world_def def = ph_world_def_default();
    memset(&t, 0, sizeof t);
    t.rng = 5;
    t.fails = fails;
    def.shards[0] = 2;
    def.tower_size = VIEW;
    def.world_size[0] = 4800;
    def.world_size[1] = 480;
    def.entities_max = 4096;
    def.allocator = fail_alloc_hooks(&t.memory);
    REQUIRE(ph_world_create(&def, &t.world) == PH_OK && ph_producer_open(t.world, &t.producer) == PH_OK);
    REQUIRE(ph_consumer_open(t.world, 0, &t.consumer) == PH_OK);
    for (uint32_t tick = 1; tick <= TICKS; tick++) {
        for (uint32_t i = 0; i < ALL; i++) act(i, tick);
        run_tick(tick);
        take_events(tick);
        check_lists(tick);
    }
    CHECK_OK(ph_world_destroy(t.world));
    CHECK(fail_alloc_clean(&t.memory), "allocation %" PRIu64, fails);
    return t.failed;
}

int main(void)
{
    uint64_t fails = 1;
    while (travel(fails)) fails++;
    CHECK(fails > 50, "only %" PRIu64 " allocations: a test of little", fails);
    return check_done("teleport_across_shards");
}
