/*
 * shards/state/related.h: the links of an observer are due when its own attributes or those of one of its targets
 * changed in this tick, and no others; links that slots do not tell are due when any attributes changed.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/state/related.h"

enum { IDS = 60, STEP = 7, CHANGED = 20, MANY = 50 };

static const float TOWER = 10;

/* Each third observer has a link to the one STEP on; MANY has more than slots are noted of. */
static bool has_link(uint64_t observer, uint64_t target)
{
    if (observer == MANY) return target >= 1 && target <= PHX_RELATION_SLOTS + 1;
    return observer % 3 == 0 && target == observer + STEP;
}

static bool links_any(uint64_t observer)
{
    for (uint64_t target = 1; target <= IDS; target++)
        if (has_link(observer, target)) return true;
    return false;
}

static fleet *open_links(void)
{
    fleet *f = fleet_open(plain_rules(TOWER, IDS), 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++) fleet_enter(f, id, plain_attr(15, 0), TOWER * (float)id, TOWER);
    for (uint64_t o = 1; o <= IDS; o++)
        for (uint64_t t = 1; t <= IDS; t++)
            if (has_link(o, t)) fleet_relate(f, o, t, PHX_RELATION_LINK, 0);
    fleet_end(f);
    return f;
}

Test(state, related_due)
{
    fleet *f = open_links();
    const phx_shard *shard = &f->shard[0];
    uint32_t due = 0;
    for (uint32_t i = 0; i < 3; i++) fleet_tick(f);
    cr_assert(shard->derives_lists);
    for (uint64_t id = CHANGED; id < CHANGED + 4; id++) { /* one after the other: the notes of a tick end with it */
        fleet_begin(f);
        phx_attr attr = f->entity[id].attr;
        attr.layers = 2;
        fleet_set(f, id, attr, 0);
        for (uint64_t o = 1; o <= IDS; o++) {
            const bool is = phx_related_due(shard, fleet_slot(f, 0, o));
            const bool expected = o == MANY || has_link(o, id) || (o == id && links_any(o));
            cr_assert_eq(is, expected, "%u changed, observer %u: %d", (unsigned)id, (unsigned)o, is);
            due += is;
        }
        fleet_end(f);
    }
    cr_assert_gt(due, 4u, "%u are due", due);
    fleet_close(f);
}
