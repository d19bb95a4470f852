/*
 * src/world/read/lists_ahead.c: which lists are found side by side, where long ones leave no room for more; all are
 * exact.
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "world/read/lists_ahead.h"

/* Two crowds; all of each are in view of all of it. */
enum { SHORT = 300, LONG = 800, ENTITIES = SHORT + 1 + LONG + 1, NOT_FOUND = 12345 };

static ph_world handle;
static ph_producer producer;
static const phx_world *world;

static void open_crowds(void)
{
    ph_class class = ph_class_default("default");
    class.view = 50;
    ph_world_def def = ph_world_def_default();
    def.classes = &class;
    def.class_count = 1;
    def.consumers = 0;
    def.world_size[0] = def.world_size[1] = 1000;
    cr_assert_eq(ph_world_create(&def, &handle), PH_OK);
    cr_assert_eq(ph_producer_open(handle, &producer), PH_OK);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const float corner = i <= SHORT ? 100 : 800;
        const ph_attrs at = {.given = PH_X | PH_Y, .x = corner + (float)(i % 30), .y = corner + (float)(i / 30 % 30)};
        cr_assert_eq(ph_enter(producer, i + 1, &at), PH_OK);
    }
    cr_assert_eq(ph_tick(handle, NULL), PH_OK);
    world = phx_resolve_world(handle);
}

static void close_crowds(void)
{
    cr_assert_eq(ph_world_destroy(handle), PH_OK);
}

TestSuite(lists_ahead, .init = open_crowds, .fini = close_crowds);

/* The n-th list of one of the crowds. */
static ph_query list_of(bool is_long, uint32_t n)
{
    return (ph_query){.shape = PH_QUERY_LIST, .of = n + (is_long ? SHORT + 2 : 1)};
}

static phx_lists_ahead lists;
static const ph_answer no_hits[PHX_LISTS_AHEAD];

static void look_up(const ph_query *queries, uint32_t count)
{
    phx_lists_look_up(&lists, world, queries, no_hits, count);
    for (uint32_t i = 0; i < count; i++) lists.list[i].count = NOT_FOUND;
}

Test(lists_ahead, no_list_is_scanned_where_one_as_long_has_no_room)
{
    ph_query queries[PHX_LISTS_AHEAD];
    for (uint32_t i = 0; i < PHX_LISTS_AHEAD; i++) queries[i] = list_of(i == 6, i);
    look_up(queries, PHX_LISTS_AHEAD);
    for (uint32_t first = 0; first < 6; first += 3) {
        cr_assert_eq(phx_lists_find(&lists, first), first + 3);
        for (uint32_t i = first; i < first + 3; i++) cr_assert_eq(lists.list[i].count, SHORT);
        cr_assert_eq(lists.list[first + 3].count, NOT_FOUND, "scanned in vain");
    }
    cr_assert_eq(phx_lists_find(&lists, 6), 7);
    cr_assert(lists.list[6].count == LONG && lists.list[7].count == NOT_FOUND);
    cr_assert_eq(phx_lists_find(&lists, 7), 8);
    cr_assert_eq(lists.list[7].count, SHORT);
}

Test(lists_ahead, a_longer_list_is_tried_where_the_ones_before_have_room)
{
    const ph_query queries[] = {list_of(false, 0), list_of(true, 0)};
    look_up(queries, 2);
    cr_assert_eq(phx_lists_find(&lists, 0), 1);
    cr_assert_eq(phx_lists_find(&lists, 1), 2);
    cr_assert_eq(lists.list[1].count, LONG);
}

Test(lists_ahead, a_list_alone_is_not_found_ahead)
{
    const ph_query query = list_of(false, 0);
    look_up(&query, 1);
    cr_assert(lists.list[0].shard == NULL);
    cr_assert_eq(phx_lists_find(&lists, 0), 1);
}

/* All of a crowd but the observer, in order. */
static void check_crowd(const ph_answer *answer, uint64_t of)
{
    const uint64_t first = of <= SHORT + 1 ? 1 : SHORT + 2, count = of <= SHORT + 1 ? SHORT : LONG;
    cr_assert(answer->status == PH_OK && answer->count == count);
    for (uint64_t i = 0, id = first; i < count; i++, id++) {
        id += id == of;
        cr_assert_eq(answer->hits[i].id, id);
    }
}

Test(lists_ahead, long_and_short_lists_are_exact)
{
    enum { ASKED = 3 * PHX_LISTS_AHEAD };
    static ph_hit hits[ASKED][LONG];
    for (uint32_t every = 1; every <= 5; every++) {
        ph_query queries[ASKED];
        ph_answer answers[ASKED];
        for (uint32_t i = 0; i < ASKED; i++) {
            queries[i] = list_of(i % every == 0, i);
            answers[i] = (ph_answer){.hits = hits[i], .capacity = LONG};
        }
        cr_assert_eq(ph_find_many(handle, ASKED, queries, answers), PH_OK);
        for (uint32_t i = 0; i < ASKED; i++) check_crowd(&answers[i], queries[i].of);
    }
}
