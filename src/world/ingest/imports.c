/*
 * Imports between their command and the end of the tick; see imports.h. Their arrival is in import_arrival.c.
 */
#include "world/ingest/imports.h"

void phx_imports_init(phx_imports *imports, phx_mem *mem)
{
    *imports = (phx_imports){0};
    phx_idmap_init(&imports->index, mem);
}

static void release_arrays(phx_imports *imports, phx_mem *mem)
{
    phx_release(mem, (void **)&imports->at, &imports->capacity, sizeof *imports->at);
    phx_release(mem, (void **)&imports->listed, &imports->listed_capacity, sizeof *imports->listed);
    phx_release(mem, (void **)&imports->areas, &imports->areas_capacity, sizeof *imports->areas);
    phx_release(mem, (void **)&imports->waiting, &imports->waiting_capacity, sizeof *imports->waiting);
    phx_release(mem, (void **)&imports->relations, &imports->relations_capacity, sizeof *imports->relations);
}

void phx_imports_free(phx_imports *imports, phx_mem *mem)
{
    if (imports->index.mem) phx_idmap_free(&imports->index);
    release_arrays(imports, mem);
}

void phx_imports_clear(phx_world *world)
{
    phx_imports *imports = &world->imports;
    enum { KEPT = 1 << 12 }; /* items: memory of a storm does not stay */
    if (imports->count == 0) return;
    phx_idmap_clear(&imports->index);
    if (imports->capacity > KEPT || imports->listed_capacity > KEPT * KEPT / 16) release_arrays(imports, &world->mem);
    imports->count = imports->listed_count = imports->area_count = imports->waiting_count = 0;
    imports->relation_count = imports->arrived = imports->ended = imports->messages = 0;
}

/* ---- adding ---- */

bool phx_imports_reserve(phx_world *world, const phx_capsule_member *member)
{
    phx_imports *imports = &world->imports;
    phx_mem *mem = &world->mem;
    return phx_idmap_reserve(&imports->index, phx_idmap_count(&imports->index) + 1) &&
           phx_grow(mem, (void **)&imports->at, &imports->capacity, imports->count, (size_t)imports->count + 1,
                    sizeof *imports->at) &&
           phx_grow(mem, (void **)&imports->listed, &imports->listed_capacity, imports->listed_count,
                    (size_t)imports->listed_count + member->targets, sizeof *imports->listed) &&
           phx_grow(mem, (void **)&imports->areas, &imports->areas_capacity, imports->area_count,
                    (size_t)imports->area_count + member->areas, sizeof *imports->areas) &&
           phx_grow(mem, (void **)&imports->waiting, &imports->waiting_capacity, imports->waiting_count,
                    (size_t)imports->waiting_count + member->deferred, sizeof *imports->waiting);
}

bool phx_imports_reserve_relations(phx_world *world, uint32_t count)
{
    phx_imports *imports = &world->imports;
    return phx_grow(&world->mem, (void **)&imports->relations, &imports->relations_capacity, imports->relation_count,
                    (size_t)imports->relation_count + count, sizeof *imports->relations);
}

/* A target by the name that it has in the capsule; phx_imports_name() finds the one that it has here. */
static phx_list_record record_of(const phx_capsule_target *target)
{
    return (phx_list_record){.id = target->id,
                             .user_data = target->user_data,
                             .kind = target->kind,
                             .reserved = target->flags & PHX_CAPSULE_STRANGER};
}

/* The name of a target that is here; one that is not leaves the list by its name in the capsule: incarnation 0. */
static void name_target(const phx_world *world, phx_list_record *target)
{
    phx_shard *shard;
    uint32_t slot;
    const bool stranger = target->reserved & PHX_CAPSULE_STRANGER;
    target->reserved = 0;
    if (stranger || !phx_world_find(world, target->id, &shard, &slot)) return;
    target->incarnation = shard->store.name[slot].incarnation;
    target->user_data = phx_store_user_data(&shard->store, slot);
    target->kind = shard->store.name[slot].kind;
}

void phx_imports_name(phx_world *world, uint32_t first)
{
    phx_imports *imports = &world->imports;
    if (first == imports->count) return;
    for (uint32_t i = imports->at[first].list.first; i < imports->listed_count; i++)
        name_target(world, &imports->listed[i]);
    for (uint32_t i = imports->at[first].waiting.first; i < imports->waiting_count; i++) {
        phx_shard *shard;
        uint32_t slot;
        phx_deferred_update *update = &imports->waiting[i];
        if (phx_world_find(world, update->id, &shard, &slot)) update->incarnation = shard->store.name[slot].incarnation;
    }
}

/* The tick that is so old at the last tick's end; the first one, if that is before it. */
static uint64_t tick_of(const phx_world *world, uint32_t age)
{
    return age < world->tick ? world->tick - age : 1;
}

static void add_records(phx_world *world, const phx_capsule_view *view, phx_import *import)
{
    phx_imports *imports = &world->imports;
    const phx_capsule_member *member = &view->member;
    import->list = (phx_import_span){imports->listed_count, member->targets};
    import->areas = (phx_import_span){imports->area_count, member->areas};
    import->waiting = (phx_import_span){imports->waiting_count, member->deferred};
    import->relations = (phx_import_span){imports->relation_count, 0};
    for (uint32_t i = 0; i < member->targets; i++) {
        const phx_capsule_target target = phx_capsule_target_at(view->targets, i);
        imports->listed[imports->listed_count++] = record_of(&target);
    }
    for (uint32_t i = 0; i < member->areas; i++)
        imports->areas[imports->area_count++] = phx_capsule_area_at(view->areas, i);
    for (uint32_t i = 0; i < member->deferred; i++) {
        const phx_capsule_deferred update = phx_capsule_deferred_at(view->deferred, i);
        imports->waiting[imports->waiting_count++] =
            (phx_deferred_update){.id = update.id, .since = (uint32_t)tick_of(world, update.age)};
    }
}

phx_import *phx_imports_add(phx_world *world, const phx_capsule_view *view, bool entered)
{
    phx_imports *imports = &world->imports;
    const phx_capsule_member *member = &view->member;
    phx_import *import = &imports->at[imports->count];
    phx_shard *shard = NULL;
    uint32_t slot = 0;
    const bool known = phx_world_find(world, member->id, &shard, &slot);
    PHX_ASSERT(known && imports->count < imports->capacity);
    (void)known;
    *import = (phx_import){.id = member->id,
                           .incarnation = shard->store.name[slot].incarnation,
                           .shard = shard->number,
                           .x = member->x,
                           .y = member->y,
                           .z = member->z,
                           .kind = member->kind,
                           .moved = member->moved > 0 ? (uint32_t)tick_of(world, member->moved) : 0,
                           .alone_since = member->alone > 0 ? tick_of(world, member->alone) : 0,
                           .messages = world->broadcasts.message_count,
                           .entered = entered,
                           .awake = (member->flags & PHX_CAPSULE_AWAKE) != 0,
                           .ends_list = !phx_store_attr(&shard->store, slot)->ready, /* its class may say so here */
                           .owed = (member->flags & PHX_CAPSULE_OWED) != 0,
                           .apart = (member->flags & PHX_CAPSULE_APART) != 0};
    add_records(world, view, import);
    uint64_t *at = phx_idmap_find(&imports->index, member->id);
    import->earlier = at ? (uint32_t)*at + 1 : 0;
    if (at) *at = imports->count;
    else phx_idmap_insert(&imports->index, member->id, imports->count);
    imports->count++;
    imports->messages = import->messages; /* it rises in a tick */
    return import;
}

void phx_imports_drop_last(phx_imports *imports)
{
    const phx_import *last = &imports->at[--imports->count];
    imports->listed_count = last->list.first;
    imports->area_count = last->areas.first;
    imports->waiting_count = last->waiting.first;
    imports->relation_count = last->relations.first;
    if (last->earlier > 0) *phx_idmap_find(&imports->index, last->id) = last->earlier - 1; /* it became remote since */
    else (void)phx_idmap_remove(&imports->index, last->id);
}

/* ---- until the exchange ---- */

static phx_import *import_of(const phx_imports *imports, uint64_t id)
{
    const uint64_t *at = imports->count > 0 ? phx_idmap_find(&imports->index, id) : NULL;
    return at ? &imports->at[*at] : NULL;
}

bool phx_imports_has(const phx_imports *imports, uint64_t id)
{
    return import_of(imports, id) != NULL;
}

bool phx_imports_has_stay(const phx_imports *imports, uint64_t id, uint32_t incarnation)
{
    const phx_import *import = import_of(imports, id);
    return import && import->incarnation == incarnation;
}

void phx_imports_end(phx_imports *imports, uint64_t id, uint32_t slot)
{
    phx_import *import = import_of(imports, id);
    if (!import) return;
    import->slot = slot;
    import->ended = true;
    import->ended_next = imports->ended;
    imports->ended = (uint32_t)(import - imports->at) + 1;
    (void)phx_idmap_remove(&imports->index, id);
}

void phx_imports_owe(phx_imports *imports, uint64_t id)
{
    phx_import *import = import_of(imports, id);
    if (import) import->owed = true;
}

void phx_imports_follow(phx_world *world, uint64_t id, const phx_attr *before, const phx_attr *after)
{
    phx_import *import = import_of(&world->imports, id);
    if (!import) return;
    import->ends_list |= before->ready && !after->ready;
    import->owed |= before->consumer != after->consumer;
}
