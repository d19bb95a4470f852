/*
 * Observers for which a delta is enough, beside an observer with a full evaluation: of each the events are the ones of
 * brute force. The memory kept between the two is one worker's, and the evaluation may have to grow it: many stand
 * about the newcomer, so that it is more than a worker has at first.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

enum { SIDE = 86, CROWD = SIDE * SIDE, NEWCOMER = CROWD + 1, FIRST = CROWD + 2, LAST = CROWD + 3 };

#define VIEW 5.0f
#define STEP 0.7f

typedef struct place {
    float x, y;
} place;

static place was[LAST + 1], is[LAST + 1];

/* 43 x 43 in each of the four blocks of towers that meet at (160, 160). */
static place in_crowd(uint32_t id)
{
    uint32_t i = id - 1;
    return (place){80.5f + (float)(i % SIDE) * 1.86f, 80.5f + (float)(i / SIDE) * 1.86f};
}

static void enter(ph_producer producer, uint32_t id, place at, float view)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = at.x, .y = at.y, .view = view};
    is[id] = at;
    cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
}

static bool sees(place observer, place target)
{
    float dx = target.x - observer.x, dy = target.y - observer.y;
    return dx * dx + dy * dy <= VIEW * VIEW;
}

/* Enters of a target: 1, leaves: -1. */
static int expected(uint32_t observer, uint32_t target)
{
    if (target == observer) return 0;
    bool before = observer != NEWCOMER && target != NEWCOMER && sees(was[observer], was[target]);
    return (int)sees(is[observer], is[target]) - (int)before;
}

/* The tick's changes against brute force. */
static void check_tick(ph_world world, ph_consumer consumer)
{
    static int told[LAST + 1][3];
    const ph_batch *batch;
    uint32_t changes = 0;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
    for (uint32_t c = 0; c < batch->change_count; c++) {
        const ph_change *change = &batch->changes[c];
        cr_assert(change->observer >= NEWCOMER && change->observer <= LAST);
        for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++)
            told[batch->targets[change->first + i].id][change->observer - NEWCOMER] += i < change->leave_count ? -1 : 1;
        changes++;
    }
    for (uint32_t o = NEWCOMER; o <= LAST; o++)
        for (uint32_t t = 1; t <= LAST; t++) cr_assert_eq(told[t][o - NEWCOMER], expected(o, t), "%u of %u", t, o);
    cr_assert_eq(changes, 3, "a test of less than it says");
    ph_batch_return(consumer, batch);
}

static void pass_tick(ph_world world, ph_consumer consumer)
{
    const ph_batch *batch;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    while (ph_batch_take(consumer, &batch) == PH_OK) ph_batch_return(consumer, batch);
}

Test(world_delta, beside_a_newcomer_among_many)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 10;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    for (uint32_t id = 1; id <= CROWD; id++) enter(producer, id, in_crowd(id), 0);
    for (uint32_t i = 0; i < 3; i++) pass_tick(world, consumer);
    enter(producer, FIRST, (place){200, 200}, VIEW);
    enter(producer, LAST, (place){215, 215}, VIEW);
    for (uint32_t i = 0; i < 3; i++) pass_tick(world, consumer);
    for (uint32_t id = 1; id <= LAST; id++) was[id] = is[id];
    enter(producer, NEWCOMER, (place){160.5f, 160.5f}, VIEW);
    for (uint32_t id = 1; id <= CROWD; id++) {
        if (is[id].x < 196 || is[id].x > 221 || is[id].y < 196 || is[id].y > 221) continue;
        is[id].x += STEP;
        cr_assert_eq(ph_move(producer, id, is[id].x, is[id].y, 0), PH_OK);
    }
    check_tick(world, consumer);
    cr_assert_eq(ph_consumer_close(consumer), PH_OK);
    cr_assert_eq(ph_producer_close(producer), PH_OK);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}
