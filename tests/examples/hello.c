/* The README's example: two players meet, and part. Built and run as a test. */
#include <pharos/pharos.h>
#include <stdio.h>

static void tick_and_print(ph_world world, ph_consumer consumer)
{
    uint64_t tick;
    const ph_batch *batch;
    if (ph_tick(world, &tick) != PH_OK) return;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *c = &batch->changes[i];
            for (uint32_t j = 0; j < c->leave_count + c->enter_count; j++)
                printf("tick %d: %d %s %d\n", (int)tick, (int)c->observer, j < c->leave_count ? "loses" : "sees",
                       (int)batch->targets[c->first + j].id);
        }
        ph_batch_return(consumer, batch);
    }
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_world_def def = ph_world_def_default(); /* 10,000 x 10,000, one shard, one worker */
    if (ph_world_create(&def, &world) != PH_OK) return 1;
    if (ph_producer_open(world, &producer) != PH_OK || ph_consumer_open(world, 0, &consumer) != PH_OK) return 1;
    ph_attrs player = {.given = PH_X | PH_Y | PH_VIEW, .x = 100, .y = 100, .view = 50};
    ph_status status = ph_enter(producer, 1, &player); /* ids are yours, any 64 bit number but 0 */
    player.x = 130;
    if (status == PH_OK) status = ph_enter(producer, 2, &player);
    tick_and_print(world, consumer); /* 1 sees 2, 2 sees 1 */
    if (status == PH_OK) status = ph_move(producer, 2, 400, 100, 0);
    tick_and_print(world, consumer); /* 1 loses 2, 2 loses 1 */
    ph_world_destroy(world);
    return status == PH_OK ? 0 : 1;
}
