/*
 * Commands of one entity; see ingest_entities.h.
 */
#include "world/ingest/ingest_entities.h"

#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/imports.h"
#include "world/ingest/ingest_relations.h"
#include "world/table/attr_resolve.h"
#include "world/table/instance_counts.h"

ph_status phx_ingest_enter_as(phx_world *world, uint64_t id, const ph_attrs *given, uint32_t keeps)
{
    if (phx_directory_has(&world->directory, id)) return PH_EXISTS;
    uint32_t entities = phx_directory_count(&world->directory);
    if (entities >= world->def.entities_max) return PH_CAPACITY;
    if (!phx_directory_reserve(&world->directory, id)) return PH_NO_MEMORY;
    if (!phx_instances_reserve(&world->instances)) return PH_NO_MEMORY;
    phx_attr attr = {0};
    phx_crowd_attrs(world, id, given, &attr);
    attr.given &= keeps;
    float z = given->given & PH_Z ? given->z : 0.0f;
    uint32_t index = phx_partition_shard(&world->partition, phx_tower_index(&world->rules, 0, given->x),
                                         phx_tower_index(&world->rules, 1, given->y));
    uint64_t user_data = given->given & PH_USER_DATA ? given->user_data : 0;
    uint32_t slot =
        phx_shard_enter(&world->shards[index], id, world->incarnations + 1, user_data, &attr, given->x, given->y, z);
    if (slot == PHX_SLOT_NONE) return PH_NO_MEMORY;
    world->incarnations++;
    phx_directory_insert(&world->directory, id, phx_home(index, slot));
    phx_instances_add(&world->instances, attr.instance);
    return PH_OK;
}

ph_status phx_ingest_enter(phx_world *world, const phx_command_attrs *command)
{
    return phx_ingest_enter_as(world, command->id, &command->attrs,
                               ~(uint32_t)(PH_POSITION | PH_USER_DATA | PH_CONSUMER));
}

ph_status phx_ingest_leave(phx_world *world, const phx_command_id *command)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, command->id, &shard, &slot)) return PH_UNKNOWN_ID;
    ph_status status = phx_ingest_release_all(world, command->id);
    if (status != PH_OK) return status;
    phx_instances_remove(&world->instances, phx_store_attr(&shard->store, slot)->instance);
    if (world->def.consumers > 0)
        phx_consumer_drop_observer(world->consumers[phx_store_attr(&shard->store, slot)->consumer].consumer,
                                   command->id);
    phx_shard_leave(shard, slot);
    phx_areas_anchor_left(&world->areas, command->id);
    phx_crowd_drop(world, command->id);
    phx_imports_end(&world->imports, command->id, slot);
    phx_directory_remove(&world->directory, command->id);
    return PH_OK;
}

/* Has the entity all of these values? Then nothing changes, and nothing needs room. */
static bool has_values(const phx_world *world, const phx_store *store, uint32_t slot, const ph_attrs *given)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    if ((given->given & PH_POSITION) || attr->crowd_step > 0 || world->reclass) return false;
    if ((given->given & PH_USER_DATA) && given->user_data != phx_store_user_data(store, slot)) return false;
    return phx_attr_has(attr, given);
}

ph_status phx_ingest_set(phx_world *world, const phx_command_attrs *command)
{
    uint64_t home = phx_directory_find(&world->directory, command->id);
    const ph_attrs *given = &command->attrs;
    if (home == PHX_HOME_NONE) return PH_UNKNOWN_ID;
    if ((given->given & (PH_POSITION | PH_INSTANCE)) && (home & PHX_HOME_ATTACHED)) return PH_ATTACHED;
    phx_shard *shard = &world->shards[phx_home_shard(home)];
    uint32_t slot = phx_home_slot(home);
    if (has_values(world, &shard->store, slot, given)) return PH_OK;
    bool renamed = given->given & (PH_KIND | PH_USER_DATA);
    bool turns = (given->given & PH_REMOTE) && given->remote != phx_store_attr(&shard->store, slot)->remote;
    if (turns && !phx_ingest_place_relatives(world, command->id)) return PH_NO_MEMORY;
    if (!phx_shard_ready(shard, 1)) return PH_NO_MEMORY;
    if (!phx_instances_reserve(&world->instances)) return PH_NO_MEMORY;
    if (renamed && !phx_renames_ready(&world->renames, &world->mem)) return PH_NO_MEMORY;
    uint64_t user_data = given->given & PH_USER_DATA ? given->user_data : phx_store_user_data(&shard->store, slot);
    if (!phx_store_reserve_user_data(&shard->store, shard->mem, user_data)) return PH_NO_MEMORY;
    if (turns) phx_ingest_detach_relatives(world, command->id);
    phx_attr attr = *phx_store_attr(&shard->store, slot);
    phx_crowd_attrs(world, command->id, given, &attr);
    attr.given &= ~(uint32_t)(PH_POSITION | PH_USER_DATA);
    phx_instances_remove(&world->instances, phx_store_attr(&shard->store, slot)->instance);
    phx_instances_add(&world->instances, attr.instance);
    phx_store_set_user_data(&shard->store, slot, user_data);
    phx_imports_follow(world, command->id, phx_store_attr(&shard->store, slot), &attr);
    phx_shard_set(shard, slot, &attr);
    if (renamed)
        phx_renames_put(&world->renames, (phx_rename){.id = command->id,
                                                      .user_data = user_data,
                                                      .incarnation = shard->store.name[slot].incarnation,
                                                      .kind = attr.kind});
    if (given->given & PH_POSITION) {
        const phx_body *body = &shard->store.body[slot];
        phx_shard_move(shard, slot, given->given & PH_X ? given->x : body->x, given->given & PH_Y ? given->y : body->y,
                       given->given & PH_Z ? given->z : body->z);
    }
    return PH_OK;
}

ph_status phx_ingest_resend(phx_world *world, const phx_command_id *command)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, command->id, &shard, &slot)) return PH_UNKNOWN_ID;
    if (!phx_shard_ready(shard, 1)) return PH_NO_MEMORY;
    phx_imports_owe(&world->imports, command->id);
    phx_shard_resend(shard, slot);
    return PH_OK;
}
