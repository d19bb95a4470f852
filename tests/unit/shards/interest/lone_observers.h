/*
 * Observers far apart, each with a target of its own; for the tests of evaluations and their memory.
 */
#ifndef UNIT_SHARDS_LONE_OBSERVERS_H
#define UNIT_SHARDS_LONE_OBSERVERS_H

#include "unit/shards/shards_fixture.h"

enum { LONE = 10 }; /* observers 1..10, each with a target 101..110, 100 apart along x */

static inline fleet *lone_observers(void)
{
    fleet *f = fleet_open(plain_rules(10, 200), 1, 1, 4);
    f->piece = 1;
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id++) {
        fleet_enter(f, id, plain_attr(20, 10), (float)id * 100 + 5, 105);
        fleet_enter(f, 100 + id, plain_attr(0, 0), (float)id * 100 + 7, 105);
    }
    fleet_enter(f, 200, plain_attr(0, 0), 505, 1505); /* far from all */
    fleet_enter(f, 201, plain_attr(0, 0), 555, 1505);
    fleet_end(f);
    cr_assert_eq(f->changes, LONE);
    fleet_tick(f); /* not many move any more */
    return f;
}

/* All observers change in this tick: with a stored list each is evaluated. */
static inline void lone_observers_change(fleet *f)
{
    phx_attr attr = plain_attr(20, 10);
    attr.detect = (uint8_t)(1 + f->tick % 2);
    for (uint64_t id = 1; id <= LONE; id++) fleet_set(f, id, attr, 0);
}

/*
 * Beside each two others that see nothing: observers of a block that are not alike are evaluated one by one,
 * without reports of movers. Targets stand outside the others' cells.
 */
static inline void end(fleet *f, uint32_t checked, uint32_t changes)
{
    fleet_end(f);
    cr_assert_eq(f->checked, checked, "%u looked at", f->checked);
    cr_assert_eq(f->changes, changes, "%u told", f->changes);
}

#endif
