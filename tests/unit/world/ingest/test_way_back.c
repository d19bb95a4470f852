/*
 * The way back of relations (world/table/relation_index.h): observers with a relation to a target are in the index if
 * there is none back, and else in the target's own relations alone. Against all pairs, while relations begin and end,
 * and entities leave and come again. And the room of a party: members that are linked both ways need no entry.
 */
#include "unit/shards/shard_case.h"
#include "world/ingest/ingest_relations.h"

#include <pharos/pharos.h>

#include "api/handles.h"

enum { MEMBERS = 6 };

TestSuite(way_back, .init = memory_set_up, .fini = memory_tear_down);

typedef struct back_case {
    ph_world world;
    ph_producer producer;
} back_case;

static void enter_member(back_case *c, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = (float)id * 150, .y = 500};
    cr_assert_eq(ph_enter(c->producer, id, &attrs), PH_OK);
}

static back_case case_make(uint32_t shards)
{
    back_case c;
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.view = 50;
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 1000;
    def.shards[0] = shards;
    def.consumers = 0;
    def.allocator = watched_memory_allocator(&watched);
    cr_assert_eq(ph_world_create(&def, &c.world), PH_OK);
    cr_assert_eq(ph_producer_open(c.world, &c.producer), PH_OK);
    for (uint64_t id = 1; id <= MEMBERS; id++) enter_member(&c, id);
    cr_assert_eq(ph_tick(c.world, NULL), PH_OK);
    return c;
}

static bool index_has(const phx_relation_index *index, uint64_t target, uint64_t observer)
{
    const phx_relation_observers *of = phx_relation_index_of(index, target);
    uint32_t found = 0;
    for (uint32_t i = 0; of && i < of->count; i++) found += of->observers[i] == observer;
    cr_assert_leq(found, 1);
    return found;
}

static bool related(const phx_world *world, uint64_t observer, uint64_t target)
{
    return phx_directory_has(&world->directory, observer) && phx_directory_has(&world->directory, target) &&
           phx_ingest_relation_now(world, observer, target).bits != 0;
}

/* Returns how many pairs have relations both ways. */
static uint64_t check_way_back(const back_case *c)
{
    const phx_world *world = phx_resolve_world(c->world);
    uint64_t single = 0, mutual = 0;
    for (uint64_t target = 1; target <= MEMBERS; target++) {
        for (uint64_t observer = 1; observer <= MEMBERS; observer++) {
            const bool to = related(world, observer, target), back = related(world, target, observer);
            cr_assert_eq(index_has(&world->relation_index, target, observer), to && !back);
            single += to && !back;
            mutual += to && back && observer < target;
        }
    }
    cr_assert_eq(world->relation_index.relations, single);
    cr_assert_eq(world->relation_index.mutual, mutual);
    return mutual;
}

static void change_any(back_case *c, uint64_t *rng)
{
    const uint64_t id = 1 + phx_rng_below(rng, MEMBERS), other = 1 + (id + phx_rng_below(rng, MEMBERS - 1)) % MEMBERS;
    const uint32_t kind = phx_rng_below(rng, 20);
    if (kind < 8) cr_assert_eq(ph_link(c->producer, id, other), PH_OK);
    else if (kind < 10) cr_assert_eq(ph_hide(c->producer, id, other), PH_OK);
    else if (kind < 16) cr_assert_eq(ph_unlink(c->producer, id, other), PH_OK);
    else if (kind < 18) cr_assert_eq(ph_unhide(c->producer, id, other), PH_OK);
    else if (kind == 18) cr_assert_eq(ph_leave(c->producer, id), PH_OK);
    else enter_member(c, id);
}

static void check_changes(uint32_t shards)
{
    back_case c = case_make(shards);
    uint64_t rng = 5 + shards, mutual = 0;
    for (uint32_t tick = 0; tick < 2000; tick++) {
        for (uint32_t i = phx_rng_below(&rng, 4); i > 0; i--) change_any(&c, &rng);
        cr_assert_eq(ph_tick(c.world, NULL), PH_OK);
        mutual += check_way_back(&c);
    }
    cr_assert_gt(mutual, 1000);
    cr_assert_eq(ph_world_destroy(c.world), PH_OK);
}

Test(way_back, index_has_relations_without_one_back)
{
    check_changes(1);
    check_changes(2); /* targets of another shard */
}

Test(way_back, party_needs_no_entry)
{
    back_case c = case_make(1);
    for (uint64_t id = 1; id <= MEMBERS; id++)
        for (uint64_t other = 1; other <= MEMBERS; other++)
            if (other != id) cr_assert_eq(ph_link(c.producer, id, other), PH_OK);
    cr_assert_eq(ph_tick(c.world, NULL), PH_OK);
    const phx_relation_index *index = &phx_resolve_world(c.world)->relation_index;
    cr_assert_eq(check_way_back(&c), MEMBERS * (MEMBERS - 1) / 2);
    cr_assert_eq(phx_idmap_count(&index->index), 0);
    cr_assert_leq(index->entry_count, MEMBERS - 1, "the first member's targets, until they link it too");
    cr_assert_eq(ph_leave(c.producer, 1), PH_OK);
    cr_assert_eq(ph_tick(c.world, NULL), PH_OK);
    cr_assert_eq(check_way_back(&c), (MEMBERS - 1) * (MEMBERS - 2) / 2, "the relations to it went with it");
    cr_assert_eq(ph_world_destroy(c.world), PH_OK);
}
