/*
 * shards/entity/applied_map.c: every applied entity in its tower and instance, each once, against a plain array;
 * without memory all stays as it was; the tick's end empties it, and gives memory of a storm back.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/applied_map.h"

enum { SIDE = 20, INSTANCES = 3, SLOTS = 600 };

static phx_store store;
static phx_applied_map map;

static void set_up(void)
{
    memory_set_up();
    phx_store_init(&store, &memory);
    map = (phx_applied_map){0};
}

static void tear_down(void)
{
    phx_applied_free(&map, &memory);
    phx_store_free(&store, &memory);
    memory_tear_down();
}

TestSuite(applied, .init = set_up, .fini = tear_down);

static void place(uint32_t slot, uint32_t instance, uint16_t tx, uint16_t ty)
{
    set_attr(&store, slot, (phx_attr){.instance = instance});
    store.body[slot].state = instance != 0 ? PHX_SLOT_OWN | PHX_SLOT_APART : PHX_SLOT_OWN;
    store.body[slot].tx = tx;
    store.body[slot].ty = ty;
}

static void fill_store(uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++) {
        cr_assert(phx_store_reserve(&store, &memory, 1));
        cr_assert_eq(phx_store_add(&store, 1 + i, PHX_SLOT_OWN), i);
        place(i, 0, 0, 0);
    }
}

static void put(uint32_t slot)
{
    cr_assert(phx_applied_reserve(&map, &memory, &store, 1));
    phx_applied_put(&map, &memory, &store, slot);
}

static uint32_t count_in(const uint32_t *instance, phx_rect rect)
{
    phx_applied_walk walk = phx_applied_begin(&map, &memory, instance, rect);
    uint32_t count = 0;
    while (phx_applied_next(&walk) != PHX_SLOT_NONE) count++;
    return count;
}

/* Has the walk all applied slots of the rectangle and instance, each once? */
static void check_walk(const bool *applied, const uint32_t *instance, phx_rect rect)
{
    bool found[SLOTS] = {0};
    phx_applied_walk walk = phx_applied_begin(&map, &memory, instance, rect);
    for (uint32_t slot; (slot = phx_applied_next(&walk)) != PHX_SLOT_NONE;) {
        cr_assert_lt(slot, SLOTS);
        cr_assert_not(found[slot], "slot %u comes twice", slot);
        found[slot] = true;
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        const phx_body *body = &store.body[slot];
        const bool here =
            (!instance || phx_store_instance(&store, slot) == *instance) && phx_rect_has(rect, body->tx, body->ty);
        cr_assert_eq(found[slot], applied[slot] && here, "slot %u in tower %u, %u", slot, body->tx, body->ty);
        cr_assert_eq(phx_applied_has(&map, slot), applied[slot]);
    }
}

static phx_rect any_rect(uint64_t *rng)
{
    const uint32_t size = phx_rng_below(rng, 2) ? 1 + phx_rng_below(rng, 3) : 1 + phx_rng_below(rng, SIDE);
    const uint16_t x = (uint16_t)phx_rng_below(rng, SIDE), y = (uint16_t)phx_rng_below(rng, SIDE);
    const uint32_t x1 = x + size < SIDE ? x + size : SIDE - 1, y1 = y + size < SIDE ? y + size : SIDE - 1;
    return (phx_rect){.x0 = x, .y0 = y, .x1 = (uint16_t)x1, .y1 = (uint16_t)y1};
}

Test(applied, walks_have_every_entity_of_the_rectangle_once)
{
    enum { TICKS = 12 };
    uint64_t rng = 4;
    fill_store(SLOTS);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        bool applied[SLOTS] = {0};
        const uint32_t puts = 1 + phx_rng_below(&rng, tick % 3 == 0 ? 4 : 2 * SLOTS);
        const uint32_t instances = tick % 2 == 0 ? 1 : INSTANCES;
        for (uint32_t i = 0; i < puts; i++) {
            const uint32_t slot = phx_rng_below(&rng, SLOTS);
            place(slot, phx_rng_below(&rng, instances), (uint16_t)phx_rng_below(&rng, SIDE),
                  (uint16_t)phx_rng_below(&rng, SIDE));
            put(slot);
            applied[slot] = true;
            if (i % 16 != 0) continue;
            const uint32_t instance = phx_rng_below(&rng, INSTANCES);
            check_walk(applied, phx_rng_below(&rng, 3) == 0 ? NULL : &instance, any_rect(&rng));
        }
        check_walk(applied, NULL, (phx_rect){.x1 = SIDE - 1, .y1 = SIDE - 1});
        phx_applied_end_tick(&map, &memory);
        memset(applied, 0, sizeof applied);
        check_walk(applied, NULL, (phx_rect){.x1 = SIDE - 1, .y1 = SIDE - 1});
    }
}

/* Towers of several instances on the same ground share buckets, not entries. */
Test(applied, instances_have_towers_of_their_own)
{
    static const uint32_t none = 0, first = 1, largest = UINT32_MAX;
    const phx_rect tower = {.x0 = 7, .y0 = 9, .x1 = 7, .y1 = 9};
    fill_store(3);
    place(0, none, 7, 9);
    place(1, first, 7, 9);
    place(2, largest, 7, 9);
    for (uint32_t slot = 0; slot < 3; slot++) put(slot);
    cr_assert_eq(count_in(&none, tower), 1);
    cr_assert_eq(count_in(&first, tower), 1);
    cr_assert_eq(count_in(&largest, tower), 1);
    cr_assert_eq(count_in(NULL, tower), 3);
    place(2, first, 7, 9); /* another instance, the same tower */
    put(2);
    cr_assert_eq(count_in(&largest, tower), 0);
    cr_assert_eq(count_in(&first, tower), 2);
}

Test(applied, without_memory_all_stays_as_it_was)
{
    const phx_rect all = {.x1 = SIDE - 1, .y1 = SIDE - 1};
    uint32_t failed = 0;
    fill_store(SLOTS);
    for (uint64_t calls = 0; calls < 4; calls++) {
        phx_applied_free(&map, &memory);
        put(5);
        memory_for(calls);
        if (!phx_applied_reserve(&map, &memory, &store, SLOTS - 1)) {
            failed++;
            cr_assert(phx_applied_has(&map, 5));
            cr_assert_eq(count_in(NULL, all), 1);
        }
        memory_enough();
        for (uint32_t slot = 0; slot < SLOTS; slot++) put(slot);
        cr_assert_eq(count_in(NULL, all), SLOTS);
    }
    cr_assert_geq(failed, 2, "entries and buckets have to grow");
}

/* Memory goes back after some ticks in a row with few entities or none, not before. */
Test(applied, memory_of_a_storm_goes_back)
{
    enum { STORM = 40000, QUIET = 8 };
    fill_store(STORM);
    for (uint32_t few = 0; few < 2; few++) {
        for (uint32_t slot = 0; slot < STORM; slot++) put(slot);
        phx_applied_end_tick(&map, &memory);
        cr_assert_gt(map.entries_capacity, STORM - 1);
        for (uint32_t i = 0; i < QUIET; i++) {
            cr_assert_gt(map.entries_capacity, STORM - 1, "quiet tick %u", i);
            if (few > 0) put(i);
            phx_applied_end_tick(&map, &memory);
        }
        cr_assert_eq(map.entries_capacity, 0);
        cr_assert_not(phx_applied_has(&map, 0));
    }
}
