/*
 * A rebuild drops blocks without entities, except a block that an entity left by a teleport in that very tick, after it
 * had come there step by step, with its row in another block: its previous list follows from that block.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { TOWER = 10, BLOCK = 8 * TOWER, VISITORS = 400, NEWCOMERS = 400, WALKER = 1, NEIGHBOUR = 2, FIRST = 10 };

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t enters, leaves; /* of the walker, in the last tick */
} host;

static void tick(host *h)
{
    const ph_batch *batch = NULL;
    ph_verification progress = {0};
    ph_difference difference = {0};
    h->enters = h->leaves = 0;
    CHECK_OK(ph_tick(h->world, NULL));
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            if (batch->changes[i].observer != WALKER) continue;
            h->enters += batch->changes[i].enter_count;
            h->leaves += batch->changes[i].leave_count;
        }
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
    CHECK_OK(ph_verify(h->world, UINT64_MAX, &progress, &difference));
    CHECK(difference.kind == PH_DIFFERENCE_NONE, "the list of %" PRIu64 " is wrong", difference.observer);
}

static void enter(host *h, uint64_t id, float x, float y, float view)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = x, .y = y, .view = view};
    CHECK_OK(ph_enter(h->producer, id, &attrs));
}

int main(void)
{
    host h = {0};
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 100 * BLOCK;
    def.tower_size = TOWER;
    REQUIRE(ph_world_create(&def, &h.world) == PH_OK && ph_producer_open(h.world, &h.producer) == PH_OK);
    REQUIRE(ph_consumer_open(h.world, 0, &h.consumer) == PH_OK);
    const float border = 50 * BLOCK;
    enter(&h, WALKER, border - 0.5f, 50 * BLOCK + 5, 8);
    enter(&h, NEIGHBOUR, border - 2, 50 * BLOCK + 5, 8);
    for (uint64_t i = 0; i < VISITORS; i++) /* each in a block of its own, all far off */
        enter(&h, FIRST + i, (float)(i % 20) * BLOCK + 5, (float)(i / 20) * BLOCK + 5, 5);
    tick(&h);
    CHECK(h.enters == 1, "%" PRIu64 " enters", h.enters);
    for (uint64_t i = 0; i < VISITORS; i++) CHECK_OK(ph_leave(h.producer, FIRST + i));
    tick(&h);
    CHECK_OK(ph_move(h.producer, WALKER, border + 0.5f, 50 * BLOCK + 5, 0)); /* into a block without rows */
    tick(&h);
    CHECK_OK(ph_move(h.producer, WALKER, 90 * BLOCK, 90 * BLOCK, 0));
    for (uint64_t i = 0; i < NEWCOMERS; i++) /* so many that all rows are sorted anew */
        enter(&h, FIRST + VISITORS + i, 10 * BLOCK + (float)(i % 20), 10 * BLOCK + (float)(i / 20), 5);
    tick(&h);
    CHECK(h.leaves == 1 && h.enters == 0, "%" PRIu64 " leaves, %" PRIu64 " enters", h.leaves, h.enters);
    CHECK_OK(ph_world_destroy(h.world));
    return check_done("empty_blocks");
}
