/*
 * shards/storage: the choice of a storage, and the promises of state/storage.h that each of them keeps.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/query/seen.h"
#include "shards/storage/bare_storage.h"
#include "shards/storage/classical_storage.h"
#include "shards/storage/ninegrid_storage.h"
#include "shards/storage/row_storage.h"
#include "shards/storage/storage_of.h"

enum { ENTITIES = 200, QUERIES = 60, TICKS = 3 };

static const ph_index indexes[] = {
    PH_INDEX_LIGHTHOUSE,
#ifdef PHX_CLASSICAL_INDEXES
    PH_INDEX_BRUTE,      PH_INDEX_GRID, PH_INDEX_QUADTREE, PH_INDEX_TIMER,
#endif
};
enum { INDEXES = sizeof indexes / sizeof *indexes };

static phx_rules rules_of(ph_index index, ph_range range)
{
    phx_rules rules = plain_rules(10, 20);
    rules.index = index;
    rules.cell_size = 10;
    rules.quadtree_capacity = 8;
    rules.quadtree_depth = 6;
    rules.range = range;
    return rules;
}

/* Entities all over a world of one shard, every third with a view; some ticks pass. */
static fleet *open_populated(phx_rules rules, uint64_t *rng)
{
    fleet *f = fleet_open(rules, 1, 1, 64);
    fleet_begin(f);
    for (uint32_t id = 1; id <= ENTITIES; id++)
        fleet_enter(f, id, plain_attr(id % 3 == 0 ? 15 : 0, 0), float_between(rng, 0, 200), float_between(rng, 0, 200));
    fleet_end(f);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        fleet_begin(f);
        for (uint32_t id = 1; id <= ENTITIES; id += 1 + phx_rng_below(rng, 5))
            fleet_move(f, id, float_between(rng, 0, 200), float_between(rng, 0, 200));
        if (tick + 1 == TICKS) fleet_leave(f, 5);
        fleet_end(f);
    }
    return f;
}

/* ---- sinks ---- */

typedef struct counted_sink {
    phx_sink sink;
    uint32_t given[FLEET_IDS]; /* by slot */
} counted_sink;

static void count_slots(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    counted_sink *counted = (counted_sink *)sink;
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_lt(slots[i], FLEET_IDS);
        counted->given[slots[i]]++;
    }
}

/* Every slot in the box is given once, and no slot more than once. */
static void expect_slots_in_range(const phx_shard *shard, const phx_storage *storage, uint64_t *rng)
{
    for (uint32_t query = 0; query < QUERIES; query++) {
        static counted_sink counted;
        const float x = float_between(rng, -20, 200), y = float_between(rng, -20, 200);
        const phx_box box = {x, y, x + float_between(rng, 0, 90), y + float_between(rng, 0, 90)};
        uint32_t inside = 0;
        counted = (counted_sink){.sink.take = count_slots};
        storage->slots_in_range(shard, NULL, box, &counted.sink);
        for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
            const phx_body *body = &shard->store.body[slot];
            const bool in = (body->state & PHX_SLOT_LIVE) && phx_box_has(box, body->x, body->y);
            cr_assert_leq(counted.given[slot], 1, "slot %u twice", slot);
            if (in) cr_assert_eq(counted.given[slot], 1, "slot %u is missing", slot);
            inside += in;
        }
        if (query == 0) cr_assert_geq(shard->store.slots, inside);
    }
}

/* ---- tests ---- */

Test(storage, rules_choose_it)
{
    for (uint32_t i = 0; i < INDEXES; i++)
        for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
            const phx_rules rules = rules_of(indexes[i], range);
            const phx_storage *expected = indexes[i] != PH_INDEX_LIGHTHOUSE ? &phx_storage_classical
                                          : range == PH_RANGE_TOWERS        ? &phx_storage_ninegrid
                                                                            : &phx_storage_rows;
            cr_assert_eq(phx_storage_of(&rules), expected, "index %d, range %d", (int)indexes[i], (int)range);
        }
}

Test(storage, each_gives_every_entity_of_a_box_once)
{
    for (uint32_t i = 0; i < INDEXES; i++)
        for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
            uint64_t rng = 100 + i;
            fleet *f = open_populated(rules_of(indexes[i], range), &rng);
            expect_slots_in_range(&f->shard[0], f->shard[0].storage, &rng);
            expect_slots_in_range(&f->shard[0], &phx_storage_bare, &rng);
            fleet_close(f);
        }
}

/* A derived list holds no memory, and is visited as the brute force of the fleet has it. */
typedef struct visited_list {
    const fleet *fleet;
    uint64_t observer;
    uint32_t count;
} visited_list;

static bool check_target(void *user, const uint32_t *targets, uint32_t count)
{
    visited_list *list = user;
    cr_assert(count >= 1 && count <= PHX_LIST_PIECE_MAX);
    for (uint32_t i = 0; i < count; i++)
        cr_assert(fleet_sees(list->fleet, list->observer, list->fleet->shard[0].store.name[targets[i]].id));
    list->count += count;
    return true;
}

Test(storage, lists_are_derived_by_the_lighthouse_alone_and_are_the_rules)
{
    for (uint32_t i = 0; i < INDEXES; i++)
        for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
            uint64_t rng = 200 + i;
            fleet *f = open_populated(rules_of(indexes[i], range), &rng);
            const phx_shard *shard = &f->shard[0];
            uint32_t derived = 0, targets = 0;
            for (uint32_t id = 3; id <= ENTITIES; id += 3) {
                const uint32_t slot = fleet_slot(f, 0, id);
                visited_list list = {.fleet = f, .observer = id};
                if (!shard->storage->derives(shard, slot)) continue;
                shard->storage->visit_list(shard, slot, check_target, &list);
                for (uint32_t t = 1; t <= ENTITIES; t++) targets += f->entity[t].in && fleet_sees(f, id, t);
                targets -= list.count;
                cr_assert_eq(targets, 0, "observer %u: %u targets are missing", id, targets);
                cr_assert_eq(shard->store.tail[slot].list.size_class, PHX_LIST_NONE, "observer %u", id);
                derived++;
            }
            if (indexes[i] == PH_INDEX_LIGHTHOUSE) cr_assert_gt(derived, ENTITIES / 6);
            else cr_assert_eq(derived, 0);
            cr_assert(shard->storage->ended_valid(shard));
            fleet_close(f);
        }
}

Test(storage, parts_that_memory_did_not_suffice_for_are_freed)
{
    for (uint32_t i = 0; i < INDEXES; i++)
        for (ph_range range = PH_RANGE_RADIUS; range <= PH_RANGE_TOWERS; range++) {
            phx_rules rules = rules_of(indexes[i], range);
            bool made = false;
            rules.simd = phx_simd_choose(PH_SIMD_AUTO);
            memory_set_up();
            for (uint64_t calls = 0; !made; calls++) {
                static phx_shard shard;
                cr_assert_lt(calls, 1000);
                memory_for(calls);
                made = phx_shard_init(&shard, &memory, &rules, phx_storage_of(&rules), 0, 1, (phx_rect){0, 0, 20, 20});
                memory_enough();
                phx_shard_free(&shard, 1);
                cr_assert_eq(atomic_load(&watched.blocks), 0, "index %d, range %d, %zu calls", (int)indexes[i],
                             (int)range, (size_t)calls);
            }
            memory_tear_down();
        }
}
