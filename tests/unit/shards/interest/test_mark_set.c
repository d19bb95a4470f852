/*
 * shards/interest/mark_set.c: epochs of marks and stamps of ticks come round (shards_fixture.h compares the
 * lists with a plain world every tick).
 */
#include "unit/shards/interest/lone_observers.h"

enum { EPOCH_LAST = UINT32_MAX >> 3 }; /* three bits of a mark are flags */

static void every_other_goes(fleet *f)
{
    fleet_begin(f);
    for (uint64_t id = 1; id <= LONE; id += 2) fleet_move(f, 100 + id, (float)id * 100 + 7, 905);
    fleet_end(f);
}

/* Ten observers with targets that come and go by turns: marks of old epochs lie about. */
static void targets_come_and_go(fleet *f, uint32_t turn)
{
    fleet_begin(f);
    lone_observers_change(f);
    for (uint64_t id = 1; id <= LONE; id++) fleet_move(f, 100 + id, (float)id * 100 + 7, (id + turn) % 2 ? 105 : 905);
    fleet_end(f);
    cr_assert_eq(f->changes, LONE);
}

Test(interest, epochs_come_round)
{
    fleet *f = lone_observers();
    f->piece = 0; /* one scratch does all */
    every_other_goes(f);
    f->scratch[0].epoch = 0;
    targets_come_and_go(f, 0);
    cr_assert_eq(f->scratch[0].epoch, LONE);
    f->scratch[0].epoch = EPOCH_LAST; /* the same epochs again, for the same observers */
    targets_come_and_go(f, 1);
    cr_assert_eq(f->scratch[0].epoch, LONE);
    f->scratch[0].epoch = EPOCH_LAST - LONE / 2;
    targets_come_and_go(f, 0);
    cr_assert_eq(f->scratch[0].epoch, LONE / 2);
    targets_come_and_go(f, 1);
    fleet_close(f);
}

static void nothing_happens(fleet *f)
{
    fleet_begin(f);
    fleet_end(f);
}

/* The marks of a large shard are freed where none is evaluated, and are as good when they come back. */
Test(interest, marks_stay_while_they_are_of_use)
{
    enum { LARGE = 100000, SOME = 40 };
    fleet *f = lone_observers();
    phx_scratch *scratch = &f->scratch[0];
    f->piece = 0; /* one scratch does all */
    phx_release(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, sizeof *scratch->mark);
    cr_assert(phx_grow(scratch->mem, (void **)&scratch->mark, &scratch->mark_capacity, 0, LARGE, sizeof(uint32_t)));
    memset(scratch->mark, 0, scratch->mark_capacity * sizeof *scratch->mark);
    every_other_goes(f);
    for (uint32_t tick = 0; tick < SOME; tick++) {
        if (tick % 5 == 0) targets_come_and_go(f, tick % 2);
        else nothing_happens(f);
    }
    cr_assert_geq(scratch->mark_capacity, LARGE);
    for (uint32_t tick = 0; tick < SOME; tick++) nothing_happens(f);
    cr_assert_null(scratch->mark);
    cr_assert_eq(scratch->mark_capacity, 0);
    targets_come_and_go(f, 0);
    targets_come_and_go(f, 1);
    cr_assert_not_null(scratch->mark);
    fleet_close(f);
}

/* Marks that were never written are of no epoch, whatever the memory held. */
Test(interest, fresh_marks_are_of_no_epoch)
{
    fleet *f = fleet_open(plain_rules(10, 100), 1, 1, 4);
    const uint32_t rubbish = 0xa5a5a5a5u; /* of watched memory */
    for (uint32_t round = 0; round < 20; round++) {
        fleet_begin(f);
        for (uint64_t i = 0; i < 30; i++) fleet_enter(f, 1 + round * 30 + i, plain_attr(30, 5), 500 + (float)i, 500);
        for (int s = 0; s < FLEET_SCRATCHES; s++) f->scratch[s].epoch = (rubbish >> 3) - 1;
        fleet_end(f);
    }
    fleet_close(f);
}

Test(interest, stamps_of_ticks_come_round)
{
    fleet *f = lone_observers();
    f->tick = 3;
    for (uint32_t i = 0; i < 12; i++) { /* entities change at ticks 4 to 15, and then no more */
        fleet_begin(f);
        fleet_move(f, 101 + i % LONE, (float)(1 + i % LONE) * 100 + 7, 105 + (float)i / 16);
        if (i < 2) fleet_set(f, 9 + i, plain_attr(20 + (float)i, 10), 0);
        fleet_end(f);
    }
    f->tick = 65529;
    for (uint32_t i = 0; i < 9; i++) fleet_tick(f); /* to 65538: stamps begin anew at 65535 */
    cr_assert_eq(f->shard[0].dirty_stamp, 4);
    for (uint32_t i = 0; i < 12; i++) { /* each at the stamp that it changed at last */
        fleet_begin(f);
        cr_assert_eq(f->shard[0].dirty_stamp, 5 + i);
        uint64_t target = 101 + i % LONE;
        bool out = f->entity[target].y < 500;
        fleet_move(f, target, f->entity[target].x, out ? 905 : 105);
        end(f, 1, 1);
    }
    f->tick = 131060; /* and once more round, with an entity in motion all the time */
    uint64_t rng = 19;
    for (uint32_t i = 0; i < 20; i++) {
        fleet_begin(f);
        for (uint64_t id = 1; id <= LONE; id++)
            if (phx_rng_below(&rng, 3) == 0)
                fleet_move(f, 100 + id, (float)id * 100 + 7, phx_rng_below(&rng, 2) ? 105 : 905);
        fleet_end(f);
    }
    fleet_close(f);
}
