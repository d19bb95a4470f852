/*
 * world/ingest/crowd_counts.c: the sums of nine towers against brute force, where blocks of towers meet, at the borders
 * of a world of any size, for instances that do not count each other, and for tables merged from shards. And the work
 * of a tick with crowd control: a look for each block with entities, however many entities and observers it has.
 */
#include "unit/shards/shard_case.h"
#include "world/ingest/crowd_counts.h"

#include <pharos/pharos.h>

#include "api/handles.h"

enum { PLACES = 160, PARTS = 3 };

typedef struct crowd_place {
    uint32_t instance, tx, ty;
} crowd_place;

TestSuite(crowd_counts, .init = memory_set_up, .fini = memory_tear_down);

static uint32_t brute_force(const crowd_place *at, uint32_t count, crowd_place around)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += at[i].instance == around.instance && labs((long)at[i].tx - (long)around.tx) <= 1 &&
               labs((long)at[i].ty - (long)around.ty) <= 1;
    return sum;
}

/* Each tower of each block. */
static void check_sums(const phx_crowd_counts *counts, const crowd_place *at)
{
    for (uint32_t b = 0; b < counts->count; b++) {
        const phx_crowd_block *block = &counts->blocks[b];
        uint32_t around[PHX_BLOCK_TOWERS];
        phx_crowd_counts_around(counts, block, around);
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
            const crowd_place tower = {block->instance, block->bx << PHX_BLOCK_BITS | (t & (PHX_BLOCK_SIDE - 1)),
                                       block->by << PHX_BLOCK_BITS | t >> PHX_BLOCK_BITS};
            cr_assert_eq(around[t], brute_force(at, PLACES, tower), "tower (%u, %u) of instance %u: %u, not %u",
                         tower.tx, tower.ty, tower.instance, around[t], brute_force(at, PLACES, tower));
        }
    }
}

/* Towers low..low + side - 1 of both axes, so few that many entities meet. */
static void compare(uint64_t *rng, uint32_t low, uint32_t side)
{
    crowd_place at[PLACES];
    uint32_t last[PLACES];
    phx_crowd_counts whole, part[PARTS], merged;
    phx_crowd_counts_init(&whole, &memory);
    phx_crowd_counts_init(&merged, &memory);
    for (uint32_t i = 0; i < PARTS; i++) phx_crowd_counts_init(&part[i], &memory);
    for (uint32_t i = 0; i < PLACES; i++) last[i] = i % 3 ? PHX_SLOT_NONE : (uint32_t)phx_rng_next(rng);
    for (uint32_t round = 0; round < 4; round++) { /* later ones in tables that were cleared, with right guesses */
        phx_crowd_counts_clear(&whole);
        phx_crowd_counts_clear(&merged);
        for (uint32_t i = 0; i < PARTS; i++) phx_crowd_counts_clear(&part[i]);
        for (uint32_t i = 0; i < PLACES; i++) {
            if (round == 0 || phx_rng_below(rng, 2))
                at[i] = (crowd_place){phx_rng_below(rng, 2) * 7, low + phx_rng_below(rng, side),
                                      low + phx_rng_below(rng, side)};
            const uint32_t place = phx_crowd_counts_add(&whole, last[i], at[i].instance, at[i].tx, at[i].ty);
            last[i] = place;
            const phx_crowd_block *block = &whole.blocks[place / PHX_BLOCK_TOWERS];
            cr_assert(block->instance == at[i].instance && block->bx == at[i].tx >> PHX_BLOCK_BITS &&
                      block->by == at[i].ty >> PHX_BLOCK_BITS && block->entities[place % PHX_BLOCK_TOWERS] > 0);
            (void)phx_crowd_counts_add(&part[i % PARTS], last[i], at[i].instance, at[i].tx, at[i].ty);
        }
        for (uint32_t i = 0; i < PARTS; i++) cr_assert(phx_crowd_counts_merge(&merged, &part[i]));
        check_sums(&whole, at);
        check_sums(&merged, at);
    }
    phx_crowd_counts_free(&whole);
    phx_crowd_counts_free(&merged);
    for (uint32_t i = 0; i < PARTS; i++) phx_crowd_counts_free(&part[i]);
}

Test(crowd_counts, sums_are_those_of_brute_force)
{
    enum { LAST = PH_TOWERS_AXIS_MAX - 1 };
    uint64_t rng = 29;
    compare(&rng, 0, 5);                                          /* the corner of the world, in one block */
    compare(&rng, 0, 3 * PHX_BLOCK_SIDE);                         /* blocks beside each other, from the corner on */
    compare(&rng, 3 * PHX_BLOCK_SIDE - 2, 5);                     /* where four blocks meet */
    compare(&rng, LAST - PHX_BLOCK_SIDE - 2, PHX_BLOCK_SIDE + 3); /* the far corner of the widest world */
}

Test(crowd_counts, no_memory_leaves_counts_as_they_were)
{
    phx_crowd_counts counts;
    phx_crowd_counts_init(&counts, &memory);
    memory_for(0);
    cr_assert_eq(phx_crowd_counts_add(&counts, PHX_SLOT_NONE, 0, 1, 1), PHX_SLOT_NONE);
    memory_enough();
    cr_assert_eq(counts.count, 0);
    cr_assert_neq(phx_crowd_counts_add(&counts, PHX_SLOT_NONE, 0, 1, 1), PHX_SLOT_NONE);
    cr_assert_eq(counts.blocks[0].entities[1u << PHX_BLOCK_BITS | 1], 1);
    phx_crowd_counts_free(&counts);
}

Test(crowd_counts, blocks_without_entities_stay_while_they_are_few)
{
    enum { BLOCKS = 10 };
    phx_crowd_counts counts;
    phx_crowd_counts_init(&counts, &memory);
    for (uint32_t used = BLOCKS; used > BLOCKS / 2; used--) {
        for (uint32_t b = 0; b < used; b++)
            cr_assert_eq(phx_crowd_counts_add(&counts, PHX_SLOT_NONE, 0, b * PHX_BLOCK_SIDE, 0), b * PHX_BLOCK_TOWERS);
        phx_crowd_counts_clear(&counts);
        cr_assert_eq(counts.count, BLOCKS);
    }
    cr_assert_eq(phx_crowd_counts_add(&counts, PHX_SLOT_NONE, 0, 0, 0), 0);
    phx_crowd_counts_clear(&counts);
    cr_assert_eq(counts.count, 0, "else a crowd that walks would leave blocks behind for ever");
    phx_crowd_counts_free(&counts);
}

/* Looks of the last tick of a world in which so many observers stand about one place. */
static uint64_t looks_of(uint32_t observers)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_producer producer;
    class.view = 50;
    def.classes = &class;
    def.class_count = 1;
    def.crowd_entities = 10;
    def.consumers = 0;
    def.allocator = watched_memory_allocator(&watched);
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    for (uint64_t id = 1; id <= observers; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = 5010 + (float)(id % 20), .y = 5010 + (float)(id / 20)};
        cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
    }
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    const phx_crowd_control_shard *of = &phx_resolve_world(world)->crowd.shards[0];
    const uint64_t before = of->looks;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    const uint64_t looks = of->looks - before;
    cr_assert_eq(looks, of->counts.count);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
    return looks;
}

Test(crowd_counts, a_look_belongs_to_a_block_of_towers)
{
    const uint64_t few = looks_of(5), many = looks_of(500);
    cr_assert_eq(few, 1);
    cr_assert_eq(many, 1, "%u looks", (unsigned)many);
}
