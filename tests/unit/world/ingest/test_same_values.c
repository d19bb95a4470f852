/*
 * Sets of values that an entity has (world/ingest/ingest_entities.c): they change nothing, so they are no renames
 * either, which each leave of the tick looks up.
 */
#include "unit/shards/shard_case.h"

#include <pharos/pharos.h>

#include "api/handles.h"

TestSuite(same_values, .init = memory_set_up, .fini = memory_tear_down);

enum { ENTITIES = 10 };

/* Sets the attributes of all in one tick. Returns the number of renames. */
static uint32_t renames_of(ph_world world, ph_producer producer, const ph_attrs *attrs, uint64_t *user_data)
{
    ph_attrs now;
    for (uint64_t id = 1; id <= ENTITIES; id++) cr_assert_eq(ph_set(producer, id, attrs), PH_OK);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_entity_get(world, ENTITIES, &now), PH_OK);
    *user_data = now.user_data;
    return phx_resolve_world(world)->renames.count;
}

Test(same_values, are_no_renames)
{
    ph_world world;
    ph_producer producer;
    ph_world_def def = ph_world_def_default();
    def.consumers = 0;
    def.allocator = watched_memory_allocator(&watched);
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND | PH_USER_DATA | PH_INSTANCE, .user_data = 7};
    uint64_t user_data;
    for (uint64_t id = 1; id <= ENTITIES; id++) cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    attrs.given &= ~(uint32_t)PH_POSITION;
    cr_assert_eq(renames_of(world, producer, &attrs, &user_data), 0);
    cr_assert_eq(user_data, 7);
    attrs.user_data = 8;
    cr_assert_eq(renames_of(world, producer, &attrs, &user_data), ENTITIES);
    cr_assert_eq(user_data, 8);
    cr_assert_eq(renames_of(world, producer, &attrs, &user_data), 0);
    cr_assert_eq(user_data, 8);
    cr_assert_eq(ph_world_destroy(world), PH_OK);
}
