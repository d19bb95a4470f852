/* Tutorial, step 1: a world, two players, one tick. */
#include <pharos/pharos.h>
#include <stdio.h>

int main(void)
{
    ph_world world;
    ph_producer producer; /* takes commands */
    ph_consumer consumer; /* hands out events */
    ph_world_def def = ph_world_def_default();
    if (ph_world_create(&def, &world) != PH_OK) return 1;
    if (ph_producer_open(world, &producer) != PH_OK || ph_consumer_open(world, 0, &consumer) != PH_OK) return 1;

    ph_attrs ann = {.given = PH_X | PH_Y | PH_VIEW, .x = 100, .y = 100, .view = 50};
    ph_attrs ben = {.given = PH_X | PH_Y | PH_VIEW, .x = 130, .y = 100, .view = 20};
    if (ph_enter(producer, 1, &ann) != PH_OK || ph_enter(producer, 2, &ben) != PH_OK) return 1;
    if (ph_tick(world, NULL) != PH_OK) return 1;

    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            const ph_target *targets = batch->targets + change->first;
            for (uint32_t j = 0; j < change->leave_count + change->enter_count; j++)
                printf("tick %d: %d %s %d\n", (int)batch->tick, (int)change->observer,
                       j < change->leave_count ? "loses" : "sees", (int)targets[j].id);
        }
        ph_batch_return(consumer, batch);
    }
    ph_world_destroy(world);
    return 0;
}
