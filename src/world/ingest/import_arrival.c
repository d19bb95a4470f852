/*
 * The arrival of imports; see import_arrival.h.
 */
#include "world/ingest/import_arrival.h"

#include "shards/entity/heap.h"
#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/immigrant_lists.h"
#include "world/ingest/imports.h"

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

/* It leaves its areas that this world does not have. Returns how many. Room was reserved. */
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
 * Brings it into its areas, or out of ones that this world does not have. One that became remote or left in this tick
 * is still in them. false = no memory, nothing changed.
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
    if (!shard->rules->banded || !(import->entered || import->apart)) return true;
    record.as.history = (phx_motion_record){
        .x = import->x, .y = import->y, .z = import->z, .kind = import->kind, .moved = import->moved};
    if ((import->entered || !phx_bands_has_history(shard, slot)) && !phx_bands_read_history(shard, slot, &record))
        return false;
    if (import->apart) phx_bands_make_all_due(shard, slot);
    return true;
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
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    phx_list *list = &shard->store.tail[slot].list;
    if (owed && (listed || phx_attr_observes(attr))) {
        list->owed = true;
        shard->store.name[slot].fresh = true;
        phx_shard_flag(shard, slot); /* the list marks the observer's row */
    }
    if (!attr->ready) list->owed = false; /* its class is not ready here: it has no list, and no evaluation ends that */
    phx_shard_mark_discontinuous(shard, &shard->store.body[slot]);
}

/*
 * Was it given away earlier, and is it back, or was it until it left? Imports of entities that are here still are found
 * by their id; the few that came and left in one tick are looked through.
 */
static bool came_back(const phx_imports *imports, const ph_edge *edge)
{
    bool found = phx_imports_has_stay(imports, edge->id, edge->incarnation);
    for (uint32_t at = imports->ended; at > 0 && !found; at = imports->at[at - 1].ended_next) {
        const phx_import *import = &imports->at[at - 1];
        found = import->id == edge->id && import->incarnation == edge->incarnation;
    }
    return found;
}

/*
 * Edges that wait since an entity was given away are void once it is back: its consumer is told the difference to the
 * capsule alone.
 */
static void drop_held_edges(const phx_imports *imports, phx_edges *edges)
{
    uint32_t kept = 0, earlier = 0;
    for (uint32_t i = 0; i < edges->count; i++) {
        const phx_edge edge = edges->at[i];
        if (i < edges->earlier && came_back(imports, &edge.edge)) continue;
        earlier += i < edges->earlier;
        edges->at[kept++] = edge;
    }
    edges->count = kept;
    edges->earlier = earlier;
}

/* As in drop_held_edges(), of the edges that are behind the bounds of consumers. */
static void drop_pending_edges(phx_world *world)
{
    const phx_imports *imports = &world->imports;
    for (uint32_t i = imports->arrived; i < imports->count; i++) {
        const phx_import *import = &imports->at[i];
        if (import->entered) continue; /* none of its edges is void */
        const phx_net_stay of = {import->id, import->incarnation};
        for (uint32_t c = 0; c < world->def.consumers; c++) phx_consumer_drop_edges(world->consumers[c].consumer, of);
    }
}

static void drop_void_edges(phx_world *world)
{
    if (world->imports.arrived == world->imports.count) return;
    drop_pending_edges(world);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_edges *edges = &world->shards[i].zones.edges;
        if (edges->earlier > 0) drop_held_edges(&world->imports, edges);
    }
}

/* Edges have said that it is in its areas and awake. false = no memory. */
static bool bring_zones(phx_world *world, phx_import *import, phx_shard *shard, uint32_t slot)
{
    return bring_areas(world, import, shard, slot) && bring_activation(world, import, shard, slot);
}

/* In the zones stage these edges end with it. false = no memory. */
static bool bring_to_end(phx_world *world, phx_import *import)
{
    phx_shard *shard = &world->shards[import->shard];
    PHX_ASSERT(shard->store.name[import->slot].incarnation == import->incarnation);
    return bring_zones(world, import, shard, import->slot);
}

bool phx_imports_arrive(phx_world *world)
{
    phx_imports *imports = &world->imports;
    drop_void_edges(world);
    for (; imports->arrived < imports->count; imports->arrived++) {
        phx_import *import = &imports->at[imports->arrived];
        phx_shard *shard;
        uint32_t slot;
        /* in a second call the first ones do nothing */
        if (import->ended && !bring_to_end(world, import)) return false;
        if (!find_import(world, import, &shard, &slot)) continue;
        if (!bring_zones(world, import, shard, slot) || !bring_history(import, shard, slot) ||
            !bring_waiting(world, import, shard, slot) || !bring_list(world, import, shard, slot))
            return false;
        mark_arrived(shard, slot, import, import->owed);
    }
    return true;
}

void phx_imports_give_up(phx_world *world)
{
    phx_imports *imports = &world->imports;
    drop_void_edges(world);
    for (; imports->arrived < imports->count; imports->arrived++) {
        phx_import *import = &imports->at[imports->arrived];
        phx_shard *shard;
        uint32_t slot;
        if (import->ended && !bring_to_end(world, import)) continue; /* it leaves without these edges */
        if (!find_import(world, import, &shard, &slot)) continue;
        (void)bring_zones(world, import, shard, slot); /* what there is no memory for is told again */
        mark_arrived(shard, slot, import, true);
    }
}
