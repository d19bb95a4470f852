/*
 * A reveal beside a list that is stored: of an observer that does not see layer 0, and has a class with bands. The
 * target is of another layer, which it sees, and walks into its view among neighbours that it does not see.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

enum { OBSERVER = 1, TARGET = 2, NEIGHBOURS = 200, ROW = 20, VIEW = 20, SIDE = 400, TICKS = 8 };

static const float MIDDLE = 300;

static ph_world create(uint32_t shards)
{
    static ph_class kind;
    ph_world world;
    ph_world_def def = ph_world_def_default();
    kind = ph_class_default("default");
    kind.view = VIEW;
    kind.band_count = 1;
    kind.bands[0] = (ph_band){.radius = VIEW, .every = 1};
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = VIEW;
    def.shards[0] = def.shards[1] = shards;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    return world;
}

static void enter(ph_producer producer, uint64_t id, float x, float y, uint64_t layers, uint64_t sees)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_LAYERS | PH_SEES, .x = x, .y = y, .layers = layers, .sees = sees};
    cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
}

/* Neighbours step to and fro, so that each tick is dense. @return events of the target, for the observer */
static uint32_t tick(ph_world world, ph_producer producer, ph_consumer consumer, uint32_t number)
{
    const ph_batch *batch;
    uint32_t entered = 0;
    for (uint64_t id = TARGET + 1; id < NEIGHBOURS; id++) {
        const float x = MIDDLE - 10 + (float)(id % ROW + number % 2), y = MIDDLE - 10 + (float)(id / ROW);
        cr_assert_eq(ph_move(producer, id, x, y, 0), PH_OK);
    }
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            for (uint32_t k = 0; change->observer == OBSERVER && k < change->enter_count; k++)
                entered += batch->targets[change->first + change->leave_count + k].id == TARGET;
        }
        cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    }
    return entered;
}

static void run_case(uint32_t shards, uint64_t sees)
{
    const ph_world world = create(shards);
    ph_producer producer;
    ph_consumer consumer;
    uint32_t entered = 0;
    bool is_seen = false;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    enter(producer, OBSERVER, MIDDLE, MIDDLE, 3, sees);
    enter(producer, TARGET, MIDDLE + VIEW + 5, MIDDLE, 2, UINT64_MAX);
    for (uint64_t id = TARGET + 1; id < NEIGHBOURS; id++) enter(producer, id, MIDDLE, MIDDLE, 3, UINT64_MAX);
    cr_assert_eq(ph_reveal(producer, OBSERVER, TARGET), PH_OK);
    for (uint32_t i = 0; i < TICKS / 2; i++) entered += tick(world, producer, consumer, i);
    cr_assert_eq(entered, 0);
    for (uint32_t i = 0; i < TICKS; i++) {
        cr_assert_eq(ph_move(producer, TARGET, MIDDLE + VIEW + 4 - (float)i, MIDDLE, 0), PH_OK);
        entered += tick(world, producer, consumer, i);
    }
    cr_assert_eq(ph_sees(world, OBSERVER, TARGET, &is_seen), PH_OK);
    cr_assert(is_seen == ((sees & 2) != 0) && entered == is_seen, "%u x %u shards, sees %llu: seen %d, told %u times",
              shards, shards, (unsigned long long)sees, is_seen, entered);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

Test(revealed_layers, the_target_is_told_as_it_comes_into_view)
{
    for (uint32_t shards = 1; shards <= 2; shards++)
        for (uint64_t sees = 1; sees <= 3; sees++) run_case(shards, sees);
}
