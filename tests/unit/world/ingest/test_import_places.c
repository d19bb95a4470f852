/*
 * Imports whose refusals find no place, in ticks without memory: each waits in its queue, with the commands of its
 * producer behind it and no others, and no tick is a dead end.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

#include "support/fail_alloc.h"

enum { LEG = 16, HERE = 1, OTHER = 2, UNKNOWN = 1000, BYTES = 4096 }; /* LEG: refusals that have room without memory */

static fail_alloc memory;
static ph_world world;
static ph_producer first, second;
static unsigned char capsule[BYTES];
static size_t capsule_bytes;

static void tick_whole(void)
{
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
}

static void tick_finished(void)
{
    fail_alloc_order(&memory, 1, true);
    cr_assert_eq(ph_tick(world, NULL), PH_NO_MEMORY);
    cr_assert_eq(ph_tick_finish(world, NULL), PH_OK);
    fail_alloc_order(&memory, 0, false);
}

static void enter(uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 10, .y = 10};
    cr_assert_eq(ph_enter(second, id, &attrs), PH_OK);
}

static void import(void)
{
    cr_assert_eq(ph_import(first, capsule, capsule_bytes, NULL, NULL), PH_OK);
}

/* In one run. */
static void leave_unknown(uint32_t count)
{
    uint64_t ids[2 * LEG];
    for (uint32_t i = 0; i < count; i++) ids[i] = UNKNOWN + i;
    cr_assert_eq(ph_leave_many(first, count, ids, NULL), PH_OK);
}

static uint32_t take_refusals(void)
{
    ph_refusal told[2 * LEG];
    uint32_t count;
    cr_assert_eq(ph_producer_refusals(first, told, 2 * LEG, &count), PH_OK);
    return count;
}

static ph_stats stats_now(void)
{
    ph_stats stats;
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    return stats;
}

/* An entity is here, so each import of its capsule is refused, which needs no memory but for the refusal's place. */
static void open_world(void)
{
    ph_world_def def = ph_world_def_default();
    def.allocator = fail_alloc_hooks(&memory);
    def.world_size[0] = def.world_size[1] = 1000;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &first), PH_OK);
    cr_assert_eq(ph_producer_open(world, &second), PH_OK);
    enter(HERE);
    enter(OTHER);
    tick_whole();
    cr_assert_eq(ph_export(world, HERE, NULL, NULL, capsule, sizeof capsule, &capsule_bytes), PH_OK);
}

static void close_world(void)
{
    cr_assert_eq(ph_world_destroy(world), PH_OK);
    cr_assert(fail_alloc_clean(&memory));
}

TestSuite(import_places, .init = open_world, .fini = close_world);

Test(import_places, an_import_without_a_place_holds_up_its_own_producer_alone)
{
    leave_unknown(LEG);
    tick_whole();
    leave_unknown(1);
    import();
    leave_unknown(1);
    cr_assert_eq(ph_leave(second, OTHER), PH_OK);
    tick_finished();
    cr_assert_eq(stats_now().entities, 1, "the leave of the other producer is applied");
    cr_assert_eq(stats_now().queued, 2, "%d commands wait", (int)stats_now().queued);
    cr_assert_eq(take_refusals(), LEG);
    tick_whole();
    cr_assert_eq(stats_now().queued, 0);
    cr_assert_eq(take_refusals(), 2, "of the import and the leave behind it");
}

Test(import_places, a_producer_that_reads_no_refusals_goes_on_without_memory)
{
    leave_unknown(LEG);
    tick_whole();
    for (uint32_t i = 0; i < 2; i++) import();
    leave_unknown(1);
    tick_finished();
    cr_assert_eq(stats_now().queued, 2, "%d commands wait", (int)stats_now().queued);
    tick_finished();
    cr_assert_eq(stats_now().queued, 0, "%d commands wait", (int)stats_now().queued);
    cr_assert_eq(stats_now().refusals_untold, 3);
    cr_assert_eq(take_refusals(), LEG);
}

Test(import_places, as_many_as_have_places_need_no_memory)
{
    for (uint32_t i = 0; i < LEG; i++) cr_assert_eq(ph_leave(second, UNKNOWN), PH_OK);
    tick_whole(); /* so that there is room for as many runs */
    for (uint32_t i = 0; i < LEG; i++) import();
    fail_alloc_order(&memory, 1, true);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    fail_alloc_order(&memory, 0, false);
    cr_assert_eq(take_refusals(), LEG);
}

Test(import_places, places_of_the_last_ticks_imports_are_free_again)
{
    cr_assert_eq(ph_leave(second, HERE), PH_OK);
    tick_whole();
    import();
    tick_whole();
    cr_assert_eq(take_refusals(), 0, "it has come");
    leave_unknown(2 * LEG);
    tick_finished();
    const uint32_t told = take_refusals();
    cr_assert_eq(told, LEG, "%u refusals told, %d commands wait", told, (int)stats_now().queued);
}
