/*
 * Ids that two nodes own: when one is found, and which late copies find none.
 */
#include <criterion/criterion.h>

#include "cluster/halo/double_ids.h"

enum { QUIET = 40, GRACE = 12, ID = 7, SOURCE = 11, OWNERSHIP = 100 };

static phx_double_ids ids;
static uint64_t now;

static void set_up(void)
{
    ids = (phx_double_ids){0};
    now = 1000;
}

TestSuite(double_ids, .init = set_up);

static void hear(uint64_t id, uint64_t ownership, uint64_t tick)
{
    phx_double_ids_hear(&ids, &(phx_double_id){.id = id, .source = SOURCE, .ownership = ownership, .tick = tick}, now);
}

static void step(void)
{
    now++;
    phx_double_ids_forget(&ids, now, GRACE);
}

static bool is_found(void)
{
    return ids.count > 0 && phx_double_id_is_due(&ids.items[0], QUIET);
}

Test(double_ids, copies_that_go_on_are_of_a_second_entity)
{
    for (uint64_t tick = 0; tick <= QUIET; tick++, step()) {
        hear(ID, OWNERSHIP, tick);
        cr_assert_not(is_found(), "in tick %u", (unsigned)tick);
    }
    hear(ID, OWNERSHIP, QUIET + 1);
    cr_assert(is_found());
    ids.items[0].reported = true;
    for (uint64_t tick = QUIET + 2; tick <= 4 * QUIET; tick++, step()) {
        hear(ID, OWNERSHIP, tick);
        cr_assert_not(is_found());
    }
}

Test(double_ids, late_copies_of_few_ticks_find_none_however_late_the_last_one_is)
{
    for (uint64_t i = 0; i <= 2 * QUIET; i++, step()) {
        hear(ID, OWNERSHIP, i / 4);
        cr_assert_not(is_found());
    }
}

Test(double_ids, copies_of_many_ticks_that_come_at_once_find_none)
{
    for (uint64_t tick = 0; tick <= 10 * QUIET; tick++) hear(ID, OWNERSHIP, tick);
    cr_assert_not(is_found());
}

Test(double_ids, an_entity_that_went_and_came_back_is_watched_anew)
{
    for (uint64_t tick = 0; tick <= 4 * QUIET; tick++, step()) {
        hear(ID, OWNERSHIP + tick / QUIET, tick);
        cr_assert_not(is_found());
    }
}

Test(double_ids, one_that_is_not_heard_is_forgotten)
{
    hear(ID, OWNERSHIP, 1);
    for (uint32_t i = 0; i < GRACE; i++) step();
    cr_assert_eq(ids.count, 1);
    step();
    cr_assert_eq(ids.count, 0);
    hear(ID, OWNERSHIP, 2 + QUIET);
    cr_assert_not(is_found());
}

Test(double_ids, as_many_are_watched_as_there_is_room_for)
{
    for (uint64_t id = 1; id <= 2 * PHX_DOUBLE_IDS_MAX; id++) hear(id, OWNERSHIP, 1);
    cr_assert_eq(ids.count, PHX_DOUBLE_IDS_MAX);
    for (uint32_t i = 0; i < PHX_DOUBLE_IDS_MAX; i++) cr_assert_eq(ids.items[i].id, i + 1);
    for (uint32_t i = 0; i <= GRACE; i++) step();
    hear(2 * PHX_DOUBLE_IDS_MAX, OWNERSHIP, 2);
    cr_assert(ids.count == 1 && ids.items[0].id == 2 * PHX_DOUBLE_IDS_MAX);
}
