/* Tutorial, step 5: positions of targets in view, near ones every tick, far ones every fourth. */
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANN = 1, NEAR = 2, FAR = 3, STILL = 4, TICKS = 9 };

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static void create_world(ph_world *world)
{
    ph_class player = ph_class_default("default"); /* the only class: kind 0, which an entity has unless given */
    player.view = 100;
    player.margin = 10;
    player.band_count = 2;
    player.bands[0] = (ph_band){.radius = 20, .every = 1};  /* up to 20 away: in each tick */
    player.bands[1] = (ph_band){.radius = 100, .every = 4}; /* farther: in every fourth */
    ph_world_def def = ph_world_def_default();
    def.classes = &player;
    def.class_count = 1;
    check(ph_world_create(&def, world));
}

static void enter(ph_producer producer, uint64_t id, float x, float y)
{
    ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = y};
    check(ph_enter(producer, id, &attrs));
}

/* A target that stands still beside Ann is in no update; of one that moves the last position arrives. */
static void print_positions(const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *update = &batch->updates[i];
        if (update->observer != ANN) continue;
        const ph_moved *at[STILL + 1] = {NULL};
        for (uint32_t j = 0; j < update->count; j++) {
            const ph_moved *moved = &batch->moved[batch->due[update->first + j]];
            at[moved->id] = moved;
        }
        printf("tick %d:", (int)batch->tick);
        for (int id = NEAR; id <= STILL; id++)
            if (at[id] != NULL) printf(" %d is at %g,%g;", id, (double)at[id]->x, (double)at[id]->y);
        printf("\n");
    }
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    create_world(&world);
    check(ph_producer_open(world, &producer));
    check(ph_consumer_open(world, 0, &consumer));
    enter(producer, ANN, 100, 100);
    enter(producer, NEAR, 110, 100);
    enter(producer, FAR, 160, 100);
    enter(producer, STILL, 105, 100);
    for (int tick = 1; tick <= TICKS; tick++) {
        const ph_batch *batch;
        check(ph_tick(world, NULL));
        while (ph_batch_take(consumer, &batch) == PH_OK) {
            print_positions(batch);
            check(ph_batch_return(consumer, batch));
        }
        const uint64_t ids[] = {NEAR, FAR};
        const ph_position to[] = {{110, 100 + (float)tick, 0}, {160, 100 + (float)tick, 0}};
        check(ph_move_many(producer, 2, ids, to, NULL));
    }
    check(ph_world_destroy(world));
    return 0;
}
