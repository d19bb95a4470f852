/*
 * Imports between their command and the exchange; see imports.h.
 */
#include "world/ingest/imports.h"

#include "shards/entity/heap.h"
#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/immigrant_lists.h"

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
    imports->relation_count = imports->arrived = 0;
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
                    (size_t)imports->waiting_count + member->deferred, sizeof *imports->waiting) &&
           phx_grow(mem, (void **)&imports->relations, &imports->relations_capacity, imports->relation_count,
                    (size_t)imports->relation_count + member->relations, sizeof *imports->relations);
}

/* The incarnation that has the id here; 0, which is nobody's: none. */
static uint32_t incarnation_here(const phx_world *world, uint64_t id)
{
    phx_shard *shard;
    uint32_t slot;
    return phx_world_find(world, id, &shard, &slot) ? shard->store.name[slot].incarnation : 0;
}

/* A target by the name that it has here, or by that of the capsule: then it leaves the list with that. */
static phx_list_record record_of(const phx_world *world, const phx_capsule_target *target)
{
    phx_list_record record = {.id = target->id, .user_data = target->user_data, .kind = target->kind};
    phx_shard *shard;
    uint32_t slot;
    if ((target->flags & PHX_CAPSULE_STRANGER) || !phx_world_find(world, target->id, &shard, &slot)) return record;
    record.incarnation = shard->store.name[slot].incarnation;
    record.user_data = phx_store_user_data(&shard->store, slot);
    record.kind = shard->store.name[slot].kind;
    return record;
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
        imports->listed[imports->listed_count++] = record_of(world, &target);
    }
    for (uint32_t i = 0; i < member->areas; i++)
        imports->areas[imports->area_count++] = phx_capsule_area_at(view->areas, i);
    for (uint32_t i = 0; i < member->deferred; i++) {
        const phx_capsule_deferred update = phx_capsule_deferred_at(view->deferred, i);
        imports->waiting[imports->waiting_count++] =
            (phx_deferred_update){.id = update.id,
                                  .incarnation = incarnation_here(world, update.id),
                                  .since = (uint32_t)tick_of(world, update.age)};
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
                           .entered = entered,
                           .awake = (member->flags & PHX_CAPSULE_AWAKE) != 0,
                           .ends_list = !phx_store_attr(&shard->store, slot)->ready, /* its class may say so here */
                           .owed = (member->flags & PHX_CAPSULE_OWED) != 0};
    add_records(world, view, import);
    uint64_t *at = phx_idmap_find(&imports->index, member->id);
    if (at) *at = imports->count;
    else phx_idmap_insert(&imports->index, member->id, imports->count);
    imports->count++;
    return import;
}

void phx_imports_drop_last(phx_imports *imports)
{
    const phx_import *last = &imports->at[--imports->count];
    imports->listed_count = last->list.first;
    imports->area_count = last->areas.first;
    imports->waiting_count = last->waiting.first;
    imports->relation_count = last->relations.first;
    (void)phx_idmap_remove(&imports->index, last->id); /* an import before it had ended */
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

void phx_imports_end(phx_imports *imports, uint64_t id)
{
    phx_import *import = import_of(imports, id);
    if (!import) return;
    import->ended = true;
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

/* ---- arrival ---- */

/* Notes the list for the index phase: an immigrant has a place for it already. false = no memory. */
static bool bring_list(phx_world *world, const phx_import *import, phx_shard *shard, uint32_t slot)
{
    phx_immigrant_lists *lists = &shard->immigrant_lists;
    phx_immigrant_list list = {.observer = slot, .count = import->list.count};
    if (list.count == 0 || import->ends_list) return true;
    if (!phx_immigrant_lists_ready(lists, shard->mem)) return false;
    list.list = world->imports.listed + import->list.first;
    uint32_t at = import->shard == shard->number ? lists->count : 0;
    while (at < lists->count && lists->at[at].observer != slot) at++;
    if (at < lists->count) lists->at[at] = list;
    else phx_immigrant_lists_add(lists, list);
    shard->counts.entries += list.count;
    return true;
}

static bool area_behind(const uint64_t *a, const uint64_t *b)
{
    return *a > *b;
}

/* Puts the places of the areas that this world has in front, in order. Returns how many they are. */
static uint32_t find_areas(const phx_world *world, const phx_import *import, uint64_t *areas)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < import->areas.count; i++) {
        const uint64_t area = areas[i], *place = phx_idmap_find(&world->areas.index, area);
        if (!place) continue;
        areas[i] = areas[found];
        areas[found++] = *place;
    }
    PHX_HEAP_SORT(uint64_t, areas, found, area_behind);
    return found;
}

/* It leaves those of its areas that this world does not have. Returns how many. Room was reserved. */
static uint32_t leave_unknown(const phx_world *world, const phx_import *import, phx_shard *shard, uint32_t slot)
{
    const uint64_t *areas = world->imports.areas + import->areas.first;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < import->areas.count; i++) {
        if (phx_idmap_find(&world->areas.index, areas[i])) continue;
        phx_edges_put(&shard->zones.edges, &shard->store, slot, areas[i], false);
        unknown++;
    }
    return unknown;
}

/*
 * Brings it into its areas, or out of those that this world does not have. One that became remote in this tick is still
 * in them. false = no memory, nothing changed.
 */
static bool bring_areas(phx_world *world, phx_import *import, phx_shard *shard, uint32_t slot)
{
    phx_area_members *members = &shard->zones.area_members;
    const uint32_t *now, count = import->areas.count;
    if (count == 0 || phx_area_members_of(members, slot, &now) > 0) return true;
    if (!phx_edges_reserve(&shard->zones.edges, shard->mem, count)) return false;
    if (phx_areas_any(&world->areas)) {
        if (!phx_area_members_cover(members, shard->mem, shard->store.slots) ||
            !phx_list_reserve(&members->pool, shard->mem, &members->members[slot].inside, count))
            return false;
    }
    uint64_t *areas = world->imports.areas + import->areas.first;
    const uint32_t unknown = leave_unknown(world, import, shard, slot), found = find_areas(world, import, areas);
    PHX_ASSERT(found + unknown == count);
    for (uint32_t i = 0; i < found; i++) {
        const bool carried = phx_area_members_carry(members, shard->mem, slot, (uint32_t)areas[i], found);
        PHX_ASSERT(carried);
        (void)carried;
    }
    import->areas.count = 0; /* a second call has them */
    world->zoned = true;
    return true;
}

static bool bring_history(const phx_import *import, phx_shard *shard, uint32_t slot)
{
    phx_record record = {.id = import->id, .type = PHX_RECORD_MOTION_HISTORY};
    if (!import->entered || !shard->rules->banded) return true;
    record.as.history = (phx_motion_record){
        .x = import->x, .y = import->y, .z = import->z, .kind = import->kind, .moved = import->moved};
    return phx_bands_read_history(shard, slot, &record);
}

static bool bring_waiting(phx_world *world, phx_import *import, phx_shard *shard, uint32_t slot)
{
    phx_record record = {.id = import->id, .type = PHX_RECORD_DEFERRED_UPDATES, .count = 1};
    for (; shard->rules->banded && !import->ends_list && import->waiting.count > 0; import->waiting.count--) {
        record.as.waiting[0] = world->imports.waiting[import->waiting.first + import->waiting.count - 1];
        if (!phx_bands_read_deferred(shard, slot, &record)) return false;
    }
    return true;
}

static bool bring_activation(phx_world *world, const phx_import *import, phx_shard *shard, uint32_t slot)
{
    phx_activation *activation = &shard->zones.activation;
    if (!import->awake) return true;
    if (!phx_activation_cover(activation, shard->mem, shard->store.slots)) return false;
    if (!phx_activation_is(activation, slot)) phx_activation_carry(activation, slot, import->alone_since);
    world->zoned = true;
    return true;
}

/* The import's entity, unless it left. */
static bool find_import(const phx_world *world, const phx_import *import, phx_shard **shard, uint32_t *slot)
{
    return !import->ended && phx_world_find(world, import->id, shard, slot) &&
           (*shard)->store.name[*slot].incarnation == import->incarnation;
}

static void mark_arrived(phx_shard *shard, uint32_t slot, const phx_import *import, bool owed)
{
    const bool listed = import->list.count > 0 && !import->ends_list;
    if (owed && (listed || phx_attr_observes(phx_store_attr(&shard->store, slot)))) {
        shard->store.tail[slot].list.owed = true;
        shard->store.name[slot].fresh = true;
        phx_shard_flag(shard, slot); /* the list marks the observer's row */
    }
    phx_shard_mark_discontinuous(shard, &shard->store.body[slot]);
}

bool phx_imports_arrive(phx_world *world)
{
    phx_imports *imports = &world->imports;
    for (; imports->arrived < imports->count; imports->arrived++) {
        phx_import *import = &imports->at[imports->arrived];
        phx_shard *shard;
        uint32_t slot;
        if (!find_import(world, import, &shard, &slot)) continue;
        /* what comes first does nothing in a second call */
        if (!bring_areas(world, import, shard, slot) || !bring_activation(world, import, shard, slot) ||
            !bring_history(import, shard, slot) || !bring_waiting(world, import, shard, slot) ||
            !bring_list(world, import, shard, slot))
            return false;
        mark_arrived(shard, slot, import, import->owed);
    }
    return true;
}

void phx_imports_give_up(phx_world *world)
{
    phx_imports *imports = &world->imports;
    for (; imports->arrived < imports->count; imports->arrived++) {
        const phx_import *import = &imports->at[imports->arrived];
        phx_shard *shard;
        uint32_t slot;
        if (!find_import(world, import, &shard, &slot)) continue;
        mark_arrived(shard, slot, import, true);
    }
}
