/*
 * src/world/publish/event_bound.c through the public API: of too many events every observer gets the same number of
 * enters, the largest number that the bound allows, until all lists are whole; by one worker as by several.
 */
#include "unit/shards/shard_case.h"

#include <pharos/pharos.h>

enum { GROUPS = 60, EVENTS_MAX = 290, TICKS_MAX = 40, OBSERVERS = 1000000 }; /* 290: five each, exactly */

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint32_t left[GROUPS + 1]; /* enters that the observer of a group did not get yet */
} host;

TestSuite(event_bound, .init = memory_set_up, .fini = memory_tear_down);

static void open_host(host *h, uint32_t workers, uint32_t events_max)
{
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 2000;
    def.shards[0] = 3;
    def.workers = workers;
    def.share_min = 0;
    def.events_max = events_max;
    def.allocator = watched_memory_allocator(&watched);
    *h = (host){0};
    cr_assert_eq(ph_world_create(&def, &h->world), PH_OK);
    cr_assert_eq(ph_producer_open(h->world, &h->producer), PH_OK);
    cr_assert_eq(ph_consumer_open(h->world, 0, &h->consumer), PH_OK);
}

static void close_host(host *h)
{
    cr_assert_eq(ph_consumer_close(h->consumer), PH_OK);
    cr_assert_eq(ph_producer_close(h->producer), PH_OK);
    cr_assert_eq(ph_world_destroy(h->world), PH_OK);
}

/* Group g: an observer, and g targets around it, far from all other groups. */
static void enter_groups(host *h)
{
    for (uint32_t g = 1; g <= GROUPS; g++) {
        const ph_attrs observer = {
            .given = PH_X | PH_Y | PH_VIEW, .x = 30.0f * (float)g, .y = 100.0f + (float)(g % 7) * 200, .view = 8};
        cr_assert_eq(ph_enter(h->producer, OBSERVERS + g, &observer), PH_OK);
        for (uint32_t t = 0; t < g; t++) {
            const ph_attrs target = {.given = PH_X | PH_Y, .x = observer.x + 0.05f * (float)t, .y = observer.y + 1};
            cr_assert_eq(ph_enter(h->producer, g * 1000 + t, &target), PH_OK);
        }
        h->left[g] = g;
    }
}

/* The largest number of enters that each may have, at least 1, by trying all. */
static uint32_t number_of_enters(const host *h)
{
    uint32_t best = 1;
    for (uint32_t n = 1; n <= GROUPS; n++) {
        uint32_t sum = 0;
        for (uint32_t g = 1; g <= GROUPS; g++) sum += h->left[g] < n ? h->left[g] : n;
        if (sum <= EVENTS_MAX) best = n;
    }
    return best;
}

/* A tick: every observer has min(left, number) enters, and says whether there are more. Returns all enters. */
static uint32_t pass_tick(host *h)
{
    const ph_batch *batch;
    const uint32_t number = number_of_enters(h);
    uint32_t seen[GROUPS + 1] = {0}, enters = 0;
    cr_assert_eq(ph_tick(h->world, NULL), PH_OK);
    if (ph_batch_take(h->consumer, &batch) != PH_OK) return 0;
    for (uint32_t c = 0; c < batch->change_count; c++) {
        const ph_change *change = &batch->changes[c];
        const uint32_t g = (uint32_t)(change->observer - OBSERVERS);
        cr_assert(g >= 1 && g <= GROUPS && change->leave_count == 0);
        cr_assert_eq((change->flags & PH_CHANGE_MORE) != 0, h->left[g] > number, "group %u", g);
        seen[g] += change->enter_count;
        enters += change->enter_count;
    }
    ph_batch_return(h->consumer, batch);
    for (uint32_t g = 1; g <= GROUPS; g++) {
        cr_assert_eq(seen[g], h->left[g] < number ? h->left[g] : number, "group %u of %u, number %u", g, h->left[g],
                     number);
        h->left[g] -= seen[g];
    }
    return enters;
}

static void fill_lists(uint32_t workers)
{
    host h;
    uint32_t ticks = 0, enters, sum = 0;
    open_host(&h, workers, EVENTS_MAX);
    enter_groups(&h);
    while ((enters = pass_tick(&h)) > 0) {
        cr_assert_leq(enters, EVENTS_MAX);
        cr_assert_lt(++ticks, TICKS_MAX);
        sum += enters;
    }
    cr_assert_eq(sum, GROUPS * (GROUPS + 1) / 2);
    cr_assert_geq(ticks, 3, "the bound was never reached");
    close_host(&h);
}

Test(event_bound, every_observer_gets_the_same_number_until_all_lists_are_whole)
{
    fill_lists(1);
}

Test(event_bound, the_number_does_not_depend_on_workers)
{
    fill_lists(4);
}
