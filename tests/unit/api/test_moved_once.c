/*
 * A target that moved stands once in a consumer's batch, for all of its observers there, in however many bands and
 * blocks they are; one without an observer does not. Bands stand beside the places.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/fail_alloc.h"
#include "unit/api/banded_world.h"

enum { AXIS = 60, CROWD = AXIS * AXIS, LONELY = CROWD + 1, SPACE = 30, SIDE = 4000, CONSUMERS = 2, TICKS = 3 };

static const float near_band = 50, view = 100;

static ph_world create(uint32_t workers, ph_allocator allocator)
{
    ph_class kind = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    ph_world world;
    kind.view = view;
    kind.bands[0] = (ph_band){.radius = near_band, .every = 1};
    kind.bands[1] = (ph_band){.radius = view, .every = 1};
    kind.band_count = 2;
    def.classes = &kind;
    def.class_count = 1;
    def.workers = workers;
    def.consumers = CONSUMERS;
    def.allocator = allocator;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.world_origin[0] = def.world_origin[1] = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    return world;
}

static float place_of(uint64_t id, uint32_t tick, uint32_t axis)
{
    if (id == LONELY) return (float)(SIDE - 1) - (float)tick;
    const uint64_t at = axis == 0 ? id % AXIS : id / AXIS;
    return (float)(at * SPACE) + (float)tick + (float)(id % 7);
}

/* Its band for the observer. */
static uint32_t band_of(uint64_t observer, uint64_t target, uint32_t tick)
{
    const float dx = place_of(target, tick, 0) - place_of(observer, tick, 0);
    const float dy = place_of(target, tick, 1) - place_of(observer, tick, 1);
    return dx * dx + dy * dy > near_band * near_band;
}

static void check_update(const ph_batch *batch, const ph_update *update, uint32_t tick, uint32_t of_band[2])
{
    for (uint32_t i = 0; i < update->count; i++) {
        const uint32_t place = batch->due[update->first + i], band = batch->bands[update->first + i];
        cr_assert_lt(place, batch->moved_count);
        const ph_moved *moved = &batch->moved[place];
        cr_assert(moved->x == place_of(moved->id, tick, 0) && moved->y == place_of(moved->id, tick, 1));
        cr_assert_eq(band, band_of(update->observer, moved->id, tick), "%d sees %d in band %u", (int)update->observer,
                     (int)moved->id, band);
        of_band[band]++;
    }
}

static void check_batch(const ph_batch *batch, uint32_t tick)
{
    static bool told[LONELY + 1];
    uint32_t of_band[2] = {0, 0};
    cr_assert_eq(batch->update_count, CROWD / CONSUMERS);
    cr_assert_eq(batch->moved_count, CROWD, "%u places of %d targets that moved", batch->moved_count, CROWD);
    for (uint32_t i = 0; i < batch->update_count; i++) check_update(batch, &batch->updates[i], tick, of_band);
    cr_assert(of_band[0] > CROWD && of_band[1] > CROWD);
    memset(told, 0, sizeof told);
    for (uint32_t i = 0; i < batch->moved_count; i++) {
        cr_assert_not(told[batch->moved[i].id], "%d stands twice", (int)batch->moved[i].id);
        told[batch->moved[i].id] = true;
    }
    cr_assert_not(told[LONELY]);
}

static void run(uint32_t workers)
{
    ph_producer producer;
    ph_consumer consumers[CONSUMERS];
    const ph_world world = create(workers, (ph_allocator){0});
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    for (uint32_t c = 0; c < CONSUMERS; c++) cr_assert_eq(ph_consumer_open(world, c, &consumers[c]), PH_OK);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint64_t id = 1; id <= LONELY; id++) {
            const float x = place_of(id, tick, 0), y = place_of(id, tick, 1);
            const ph_attrs attrs = {.given = PH_X | PH_Y | PH_CONSUMER, .x = x, .y = y, .consumer = id % CONSUMERS};
            cr_assert_eq(tick == 0 ? ph_enter(producer, id, &attrs) : ph_move(producer, id, x, y, 0), PH_OK);
        }
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        for (uint32_t c = 0; c < CONSUMERS; c++) {
            const ph_batch *batch;
            cr_assert_eq(ph_batch_take(consumers[c], &batch), PH_OK);
            check_batch(batch, tick);
            cr_assert_eq(ph_batch_return(consumers[c], batch), PH_OK);
        }
    }
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

Test(moved_once, targets_of_several_observers)
{
    run(1);
    run(3);
}

/* Of the first entities the targets that the observer, which is the very first, sees. */
static uint32_t count_seen(uint64_t last, float radius, uint32_t tick)
{
    uint32_t seen = 0;
    for (uint64_t id = 2; id <= last; id++) {
        const float dx = place_of(id, tick, 0) - place_of(1, tick, 0),
                    dy = place_of(id, tick, 1) - place_of(1, tick, 1);
        seen += dx * dx + dy * dy <= radius * radius;
    }
    return seen;
}

/*
 * A world that most have left has few pieces of work, and a table of as many stretches as before: a piece writes the
 * positions of several.
 */
Test(moved_once, stretches_of_a_world_that_most_have_left)
{
    enum { STAY = CROWD / 4, LEAVE_TICK = 1, LAST_TICK = 6 };
    static const float far = 1500;
    static bool told[CROWD + 1];
    const ph_world world = banded_world_create(
        &(banded_world){.side = SIDE, .view = far, .band = {.radius = far, .every = 1}, .shards = 1});
    ph_producer producer;
    ph_consumer consumer;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    cr_assert_eq(ph_consumer_open(world, 0, &consumer), PH_OK);
    for (uint32_t tick = 0; tick <= LAST_TICK; tick++) {
        const uint64_t last = tick < LEAVE_TICK ? CROWD : STAY;
        for (uint64_t id = STAY + 1; tick == LEAVE_TICK && id <= CROWD; id++)
            cr_assert_eq(ph_leave(producer, id), PH_OK);
        for (uint64_t id = 1; id <= last; id++) {
            const float x = place_of(id, tick, 0), y = place_of(id, tick, 1);
            const ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .x = x, .y = y, .kind = id == 1};
            cr_assert_eq(tick == 0 ? ph_enter(producer, id, &attrs) : ph_move(producer, id, x, y, 0), PH_OK);
        }
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        const ph_batch *batch;
        cr_assert_eq(ph_batch_take(consumer, &batch), PH_OK);
        cr_assert_eq(batch->update_count, 1);
        cr_assert_eq(batch->moved_count, count_seen(last, far, tick));
        cr_assert_eq(batch->updates[0].count, batch->moved_count);
        memset(told, 0, sizeof told);
        for (uint32_t i = 0; i < batch->moved_count; i++) {
            const ph_moved *moved = &batch->moved[i];
            cr_assert(moved->id > 1 && moved->id <= last && !told[moved->id], "place %u is of %lu", i,
                      (unsigned long)moved->id);
            cr_assert(moved->x == place_of(moved->id, tick, 0) && moved->y == place_of(moved->id, tick, 1));
            told[moved->id] = true;
        }
        cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    }
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}

/* ---- without memory ---- */

/* An observer of each consumer, and its target; the consumers' numbers are theirs. */
enum { OBSERVER = 1, TARGET = 11, STRANGER = 21, STRANGERS = 3000, PLACE = 1000 };

static float place_of_pair(uint32_t c)
{
    return (float)((c + 1) * PLACE);
}

static void move_target(ph_producer producer, uint32_t c, uint32_t tick)
{
    cr_assert_eq(ph_move(producer, TARGET + c, place_of_pair(c) + (float)(tick % 7), 10, 0), PH_OK);
}

/* So many observers are in a consumer's batch: with updates, or with a list that begins anew. */
static void expect_batch(ph_consumer consumer, uint32_t updates, uint32_t fresh)
{
    const ph_batch *batch;
    uint32_t whole = 0;
    const ph_status status = ph_batch_take(consumer, &batch);
    cr_assert_eq(status, updates + fresh > 0 ? PH_OK : PH_EMPTY, "%s for %u updates, %u fresh", ph_status_name(status),
                 updates, fresh);
    if (status != PH_OK) return;
    cr_assert_eq(batch->update_count, updates, "%u observers with updates", batch->update_count);
    for (uint32_t i = 0; i < batch->change_count; i++) whole += (batch->changes[i].flags & PH_CHANGE_FRESH) != 0;
    cr_assert_eq(whole, fresh, "%u lists that begin anew", whole);
    cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
}

/* The second consumer's table, as it is begun in the tick, in its end without memory, and there for its group alone. */
enum { SHORT_CALLS = 3 };

static bool is_short(void *calls)
{
    uint32_t *left = calls;
    return *left > 0 && (*left)-- > 0;
}

Test(moved_once, a_table_without_memory_holds_back_the_observers_of_its_consumer_alone)
{
    static fail_alloc memory;
    uint32_t tick = 0, short_calls = 0;
    ph_producer producer;
    ph_consumer consumers[CONSUMERS];
    const ph_world world = create(1, fail_alloc_hooks(&memory));
    memory.fails = is_short;
    memory.asked = &short_calls;
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    for (uint32_t c = 0; c < CONSUMERS; c++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_CONSUMER, .x = place_of_pair(c), .y = 10, .consumer = c};
        cr_assert_eq(ph_consumer_open(world, c, &consumers[c]), PH_OK);
        cr_assert_eq(ph_enter(producer, OBSERVER + c, &attrs), PH_OK);
        cr_assert_eq(ph_enter(producer, TARGET + c, &attrs), PH_OK);
    }
    for (; tick < TICKS; tick++) {
        for (uint32_t c = 0; c < CONSUMERS; c++) move_target(producer, c, tick);
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        for (uint32_t c = 0; c < CONSUMERS; c++) expect_batch(consumers[c], tick == 0 ? 2 : 1, 2 * (tick == 0));
    }
    for (uint64_t i = 0; i < STRANGERS; i++) { /* the tables need more memory from now on */
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 3500, .y = (float)i, .view = 0};
        cr_assert_eq(ph_enter(producer, STRANGER + i, &attrs), PH_OK);
    }
    for (const uint32_t end = tick + TICKS; tick < end; tick++) { /* only the first consumer's gets it */
        move_target(producer, 0, tick);
        cr_assert_eq(ph_tick(world, NULL), PH_OK);
        for (uint32_t c = 0; c < CONSUMERS; c++) expect_batch(consumers[c], c == 0 ? 1 : 0, 0);
    }
    for (uint32_t c = 0; c < CONSUMERS; c++) move_target(producer, c, tick);
    short_calls = SHORT_CALLS;
    cr_assert_eq(ph_tick(world, NULL), PH_NO_MEMORY);
    cr_assert_eq(ph_tick_finish(world, NULL), PH_OK);
    cr_assert_eq(short_calls, 0);
    for (uint32_t c = 0; c < CONSUMERS; c++) expect_batch(consumers[c], c == 0 ? 1 : 0, 0);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    for (uint32_t c = 0; c < CONSUMERS; c++) expect_batch(consumers[c], c == 0 ? 0 : 1, c);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
    cr_assert(fail_alloc_clean(&memory));
}
