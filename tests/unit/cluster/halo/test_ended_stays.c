/*
 * Stays that have ended: each is known, until it is old.
 */
#include <criterion/criterion.h>

#include "cluster/halo/ended_stays.h"
#include "support/fail_alloc.h"

static fail_alloc allocator;
static phx_mem mem;
static phx_ended_stays stays;

static void set_up(void)
{
    allocator = (fail_alloc){0};
    phx_mem_init(&mem, fail_alloc_hooks(&allocator));
    phx_ended_stays_init(&stays, &mem);
}

static void tear_down(void)
{
    phx_ended_stays_free(&stays);
    cr_assert(fail_alloc_clean(&allocator));
}

TestSuite(ended_stays, .init = set_up, .fini = tear_down);

Test(ended_stays, each_stay_of_an_id_is_known)
{
    cr_assert_not(phx_ended_stays_find(&stays, 5, 1));
    cr_assert(phx_ended_stays_note(&stays, 5, 1, 10) && phx_ended_stays_note(&stays, 6, 1, 10));
    cr_assert(phx_ended_stays_find(&stays, 5, 1) && !phx_ended_stays_find(&stays, 5, 2));
    cr_assert(phx_ended_stays_note(&stays, 5, 2, 11));
    cr_assert(phx_ended_stays_find(&stays, 5, 2) && phx_ended_stays_find(&stays, 5, 1), "words of both may come still");
    cr_assert(phx_ended_stays_note(&stays, 5, 1, 12) && stays.count == 3, "it is told again");
    cr_assert(phx_ended_stays_find(&stays, 5, 1)->since == 10 && phx_ended_stays_find(&stays, 5, 2)->since == 11);
    cr_assert(phx_ended_stays_find(&stays, 6, 1) && !phx_ended_stays_find(&stays, 6, 2));
}

/* Each in its time: the words of one say nothing of another one. */
Test(ended_stays, the_stays_of_an_id_are_forgotten_one_by_one)
{
    enum { TICKS = 40, LATER = 10, PARTS = 4 };
    cr_assert(phx_ended_stays_note(&stays, 5, 1, 1) && phx_ended_stays_note(&stays, 5, 2, 1 + LATER));
    for (uint64_t now = 1 + LATER; now <= 1 + TICKS + PARTS; now++) phx_ended_stays_forget(&stays, now, TICKS);
    cr_assert(!phx_ended_stays_find(&stays, 5, 1) && phx_ended_stays_find(&stays, 5, 2) && stays.count == 1);
}

/* Each within so many ticks more as all of them are looked at in. */
Test(ended_stays, old_ones_are_forgotten)
{
    enum { IDS = 1000, TICKS = 40, PARTS = 16 };
    for (uint64_t id = 1; id <= IDS; id++) cr_assert(phx_ended_stays_note(&stays, id, 1, id % 2 ? 1 : 1 + PARTS));
    for (uint64_t now = 1 + PARTS; now <= 1 + TICKS; now++) phx_ended_stays_forget(&stays, now, TICKS);
    cr_assert_eq(stays.count, IDS);
    for (uint64_t now = 2 + TICKS; now <= 1 + TICKS + PARTS; now++) phx_ended_stays_forget(&stays, now, TICKS);
    for (uint64_t id = 1; id <= IDS; id++) cr_assert_eq(phx_ended_stays_find(&stays, id, 1) != NULL, id % 2 == 0);
    for (uint64_t now = 2 + TICKS + PARTS; now <= 200; now++) phx_ended_stays_forget(&stays, now, TICKS);
    cr_assert(stays.count == 0 && phx_idmap_count(&stays.places) == 0);
}

Test(ended_stays, without_memory_none_is_noted)
{
    fail_alloc_order(&allocator, 1, true);
    cr_assert_not(phx_ended_stays_note(&stays, 5, 1, 10));
    cr_assert(stays.count == 0 && !phx_ended_stays_find(&stays, 5, 1));
    fail_alloc_order(&allocator, 0, false);
    cr_assert(phx_ended_stays_note(&stays, 5, 1, 10));
}
