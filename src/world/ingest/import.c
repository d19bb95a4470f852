/*
 * Imports; see import.h. A member after the other: it enters, or its remote entity becomes own; then it is attached to
 * its parent. Once all are here they get their relations. If one is refused, the ones before it are undone, the last
 * first, without memory.
 */
#include "world/ingest/import.h"

#include <string.h>

#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "shards/state/entity_change.h"
#include "world/ingest/capsule_check.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/imports.h"
#include "world/ingest/ingest_entities.h"
#include "world/ingest/ingest_relations.h"
#include "world/table/instance_counts.h"

/* The shard and slot of an entity that is in the world. */
static phx_shard *find_present(const phx_world *world, uint64_t id, uint32_t *slot)
{
    phx_shard *shard = NULL;
    *slot = PHX_SLOT_NONE;
    const bool known = phx_world_find(world, id, &shard, slot);
    PHX_ASSERT(known);
    (void)known;
    return shard;
}

/* Everything of an entity that a command sets. */
typedef struct dress {
    phx_attr attr;
    uint64_t user_data;
    float x, y, z;
} dress;

/* Room was made. */
static void wear_dress(phx_world *world, phx_shard *shard, uint32_t slot, const dress *to)
{
    phx_store *store = &shard->store;
    phx_instances_remove(&world->instances, phx_store_attr(store, slot)->instance);
    phx_instances_add(&world->instances, to->attr.instance);
    phx_store_set_user_data(store, slot, to->user_data);
    phx_shard_set(shard, slot, &to->attr);
    phx_renames_put(&world->renames, (phx_rename){.id = store->name[slot].id,
                                                  .user_data = to->user_data,
                                                  .incarnation = store->name[slot].incarnation,
                                                  .kind = to->attr.kind});
    phx_shard_move(shard, slot, to->x, to->y, to->z);
}

/* ---- one member ---- */

/* Makes the remote entity the member, one of `family`. */
static ph_status own_remote(phx_world *world, const phx_capsule_member *member, uint32_t family,
                            phx_import_before *before)
{
    uint32_t slot;
    phx_shard *shard = find_present(world, member->id, &slot);
    const ph_attrs given = phx_capsule_attrs(member);
    const phx_body *body = &shard->store.body[slot];
    *before = (phx_import_before){.attr = *phx_store_attr(&shard->store, slot),
                                  .user_data = phx_store_user_data(&shard->store, slot),
                                  .x = body->x,
                                  .y = body->y,
                                  .z = body->z,
                                  .shrunk = phx_crowd_shrunk(world, member->id)};
    enum { SETS = 2 }; /* of each member: one more if it is undone */
    if (!phx_shard_ready(shard, 1) || !phx_shard_ready_again(shard, SETS * family) ||
        !phx_instances_reserve(&world->instances) || !phx_renames_ready(&world->renames, &world->mem) ||
        !phx_store_reserve_user_data(&shard->store, shard->mem, member->user_data))
        return PH_NO_MEMORY;
    dress to = {.user_data = member->user_data, .x = member->x, .y = member->y, .z = member->z};
    phx_crowd_put(world, member->id, phx_crowd_step(member->step, member->view));
    phx_crowd_attrs(world, member->id, &given, &to.attr);
    to.attr.given = member->given;
    wear_dress(world, shard, slot, &to);
    return PH_OK;
}

static ph_status enter_member(phx_world *world, const phx_capsule_member *member)
{
    const ph_attrs given = phx_capsule_attrs(member);
    phx_crowd_put(world, member->id, phx_crowd_step(member->step, member->view));
    const ph_status status = phx_ingest_enter_as(world, member->id, &given, member->given);
    if (status != PH_OK) phx_crowd_drop(world, member->id);
    return status;
}

/*
 * It is an observer with a list already, as it was elsewhere; unless its class is another one here: then it is as if it
 * was not ready any more.
 */
static void mark_list(phx_world *world, const phx_capsule_member *member)
{
    uint32_t slot;
    phx_shard *shard = find_present(world, member->id, &slot);
    const bool ready = phx_store_attr(&shard->store, slot)->ready, had = member->view > 0.0f || member->targets > 0;
    shard->store.name[slot].fresh = (member->flags & PHX_CAPSULE_FRESH) || !ready;
    shard->store.tail[slot].list.owed = (member->flags & PHX_CAPSULE_READY) && !ready && had;
    phx_shard_flag(shard, slot); /* the list marks the observer's row */
}

/* Is the member's id free here, or of a remote entity, and may `parent` be its parent? */
static ph_status check_id_free(const phx_world *world, uint64_t id, uint64_t parent)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, id, &shard, &slot)) return PH_OK;
    if (!phx_store_attr(&shard->store, slot)->remote) return PH_EXISTS;
    const uint64_t now = phx_attach_parent(&world->attach, id);
    return now == 0 || now == parent ? PH_OK : PH_ATTACHED;
}

static ph_status import_member(phx_world *world, const phx_capsule_view *view, uint64_t parent, uint32_t family)
{
    const phx_capsule_member *member = &view->member;
    const bool enters = !phx_directory_has(&world->directory, member->id);
    phx_import_before before = {0};
    ph_status status = check_id_free(world, member->id, parent);
    if (status != PH_OK) return status;
    if (!phx_imports_reserve(world, member) || !phx_crowd_ready(world)) return PH_NO_MEMORY;
    status = enters ? enter_member(world, member) : own_remote(world, member, family, &before);
    if (status != PH_OK) return status;
    mark_list(world, member);
    phx_imports_add(world, view, enters)->before = before;
    return PH_OK;
}

/* Attaches the last import's entity. */
static ph_status attach_member(phx_world *world, uint64_t id, uint64_t parent)
{
    if (parent == 0 || phx_attach_parent(&world->attach, id) == parent) return PH_OK;
    const ph_status status = phx_ingest_attach(world, &(phx_command_two_ids){.id = id, .other = parent});
    if (status == PH_OK) world->imports.at[world->imports.count - 1].before.attached = true;
    return status;
}

/* Does a remote entity that is no member hang on a member of the last family? */
static bool any_stranger_attached(const phx_world *world, uint32_t first)
{
    for (uint32_t i = first; i < world->imports.count; i++) {
        const phx_attach_links *family = phx_attach_children(&world->attach, world->imports.at[i].id);
        for (uint32_t j = 0; family && j < family->count; j++) {
            uint32_t slot;
            const phx_shard *shard = find_present(world, family->children[j], &slot);
            if (phx_store_attr(&shard->store, slot)->remote) return true;
        }
    }
    return false;
}

/* Both relations to one target; a pair of the later one counts. */
static phx_relation join_relations(const phx_relation *before, phx_relation item)
{
    if (!(item.bits & PHX_RELATION_PAIR)) {
        item.view = before->view;
        item.margin = before->margin;
    }
    item.bits = (uint8_t)(item.bits | before->bits);
    return item;
}

/* The relations of an import's entity to targets that are here. */
static ph_status relate_member(phx_world *world, const phx_capsule_view *view, phx_import *import)
{
    phx_imports *imports = &world->imports;
    import->relations.first = imports->relation_count;
    if (!phx_imports_reserve_relations(world, view->member.relations)) return PH_NO_MEMORY;
    for (uint32_t i = 0; i < view->member.relations; i++) {
        const phx_capsule_relation saved = phx_capsule_relation_at(view->relations, i);
        const phx_relation item = {
            .target = saved.target, .view = saved.view, .margin = saved.margin, .bits = (uint8_t)saved.bits};
        if (!phx_directory_has(&world->directory, item.target)) continue;
        const phx_relation before = phx_ingest_relation_now(world, import->id, item.target);
        if (!phx_ingest_put_relation(world, import->id, join_relations(&before, item))) return PH_NO_MEMORY;
        imports->relations[imports->relation_count++] = before;
        import->relations.count++;
    }
    return PH_OK;
}

/* ---- undoing ---- */

/* Ends the last import. Nothing of it needs memory: it has been so before, or its room is there. */
static void undo_last(phx_world *world)
{
    phx_imports *imports = &world->imports;
    const phx_import *import = &imports->at[imports->count - 1];
    const uint64_t id = import->id;
    bool done = true;
    world->relation_index.undoes = true;
    for (uint32_t i = import->relations.count; i-- > 0;)
        done &= phx_ingest_put_relation(world, id, imports->relations[import->relations.first + i]);
    world->relation_index.undoes = false;
    if (import->before.attached) done &= phx_ingest_detach(world, &(phx_command_id){id}) == PH_OK;
    const phx_import_before before = import->before;
    const bool entered = import->entered;
    phx_imports_drop_last(imports);
    if (entered) {
        done &= phx_ingest_leave(world, &(phx_command_id){id}) == PH_OK;
    } else {
        uint32_t slot;
        phx_shard *shard = find_present(world, id, &slot);
        const dress to = {before.attr, before.user_data, before.x, before.y, before.z};
        wear_dress(world, shard, slot, &to);
        phx_crowd_put(world, id, before.shrunk);
        shard->store.name[slot].fresh = true;
    }
    PHX_ASSERT(done);
    (void)done;
}

/* ---- the family ---- */

/* The id of the member at a place of a sound capsule. */
static uint64_t id_of_place(phx_capsule_walk walk, uint32_t place)
{
    phx_capsule_view view = {.member = {.id = 0}};
    for (uint32_t i = 0; i <= place; i++) {
        const bool found = phx_capsule_next(&walk, &view);
        PHX_ASSERT(found);
        (void)found;
    }
    return view.member.id;
}

ph_status phx_ingest_import(phx_world *world, const phx_command_import *command)
{
    const uint32_t first = world->imports.count;
    phx_capsule_walk walk;
    phx_capsule_view view;
    ph_status status = PH_OK;
    const bool sound = phx_capsule_open(&walk, command + 1, command->bytes);
    PHX_ASSERT(sound); /* as it was checked before it was queued */
    (void)sound;
    const phx_capsule_walk all = walk;
    phx_capsule_walk again = walk;
    for (uint32_t place = 0; status == PH_OK && phx_capsule_next(&walk, &view); place++) {
        const uint64_t parent = place > 0 ? id_of_place(all, view.member.parent) : 0;
        status = import_member(world, &view, parent, all.members);
        if (status == PH_OK) status = attach_member(world, view.member.id, parent);
    }
    if (status == PH_OK && any_stranger_attached(world, first)) status = PH_ATTACHED;
    for (uint32_t place = first; status == PH_OK && phx_capsule_next(&again, &view); place++)
        status = relate_member(world, &view, &world->imports.at[place]);
    if (status == PH_OK) phx_imports_name(world, first);
    while (status != PH_OK && world->imports.count > first) undo_last(world);
    return status;
}
