/*
 * Queries of entities and lists; see query.h. Stats and the hash are in world_hash.c.
 */
#include "world/read/query.h"

#include "shards/query/explain.h"
#include "shards/query/observers.h"
#include "shards/query/seen.h"

void phx_found_free(phx_found *found)
{
    phx_release(found->mem, (void **)&found->items, &found->items_capacity, sizeof(phx_sort_record));
}

/* Adds an entity of a list, or an observer; lists are in the order of kinds. */
static bool add_to_found(void *user, const phx_shard *shard, uint32_t slot)
{
    phx_found *found = user;
    const phx_name *name = &shard->store.name[slot];
    const uint32_t n = found->count;
    if (found->failed) return false;
    found->failed = !phx_grow(found->mem, (void **)&found->items, &found->items_capacity, n, (size_t)n + 1,
                              sizeof(phx_sort_record));
    if (found->failed) return false;
    found->items[n] = (phx_sort_record){.id = name->id, .slot = n, .kind = found->by_kind ? name->kind : 0};
    found->count++;
    return true;
}

static ph_status sort_found(phx_found *found)
{
    uint32_t capacity = 0;
    phx_sort_record *spare = NULL;
    if (found->failed) return PH_NO_MEMORY;
    if (!phx_grow(found->mem, (void **)&spare, &capacity, 0, found->count, sizeof *spare)) return PH_NO_MEMORY;
    phx_order_many(found->items, spare, found->count);
    phx_release(found->mem, (void **)&spare, &capacity, sizeof *spare);
    return PH_OK;
}

ph_status phx_query_entity(const phx_world *world, uint64_t id, ph_attrs *attrs)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, id, &shard, &slot)) return PH_UNKNOWN_ID;
    const phx_body *body = &shard->store.body[slot];
    const phx_attr *a = phx_store_attr(&shard->store, slot);
    *attrs = (ph_attrs){.given = PH_GIVEN_ALL,
                        .x = body->x,
                        .y = body->y,
                        .z = body->z,
                        .view = a->view,
                        .margin = a->margin,
                        .reach = a->reach,
                        .visible = a->visible,
                        .kind = a->kind,
                        .cap = a->cap,
                        .consumer = a->consumer,
                        .instance = a->instance,
                        .layers = a->layers,
                        .sees = a->sees,
                        .user_data = phx_store_user_data(&shard->store, slot),
                        .veiled = a->veiled,
                        .stealth = a->stealth,
                        .detect = a->detect,
                        .priority = a->priority,
                        .global = a->global,
                        .ready = a->ready_given,
                        .remote = a->remote};
    return PH_OK;
}

/* The slot, own or ghost, of an entity in the world; PHX_SLOT_NONE: the shard does not have this incarnation. */
static uint32_t slot_of_present(const phx_world *world, const phx_shard *shard, uint64_t id)
{
    phx_shard *home;
    uint32_t home_slot, slot = phx_shard_find(shard, &world->directory, id);
    if (slot == PHX_SLOT_NONE || !phx_world_find(world, id, &home, &home_slot)) return PHX_SLOT_NONE;
    bool same = shard->store.name[slot].incarnation == home->store.name[home_slot].incarnation;
    return same ? slot : PHX_SLOT_NONE;
}

ph_status phx_query_sees(const phx_world *world, uint64_t observer, uint64_t target, bool *sees)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, observer, &shard, &slot)) return PH_UNKNOWN_ID;
    if (!phx_directory_has(&world->directory, target)) return PH_UNKNOWN_ID;
    uint32_t wanted = slot_of_present(world, shard, target);
    if (wanted == PHX_SLOT_NONE) *sees = false;
    else *sees = world->begun ? phx_shard_list_had(shard, slot, wanted) : phx_shard_is_in_list(shard, slot, wanted);
    return PH_OK;
}

ph_status phx_query_explain(const phx_world *world, uint64_t observer, uint64_t target, ph_explanation *why)
{
    phx_shard *shard, *home;
    uint32_t slot, home_slot;
    if (!phx_world_find(world, observer, &shard, &slot)) return PH_UNKNOWN_ID;
    if (!phx_world_find(world, target, &home, &home_slot)) return PH_UNKNOWN_ID;
    if (world->begun) return PH_BUSY;
    phx_explain_side party = {target, &home->store.body[home_slot], phx_store_attr(&home->store, home_slot)};
    phx_shard_explain(shard, slot, phx_shard_find(shard, &world->directory, target), party, why);
    return PH_OK;
}

/* A walk over one shard's observers or targets. */
typedef struct observer_visit {
    const phx_world *world;
    phx_related_fn visit;
    void *user;
    const phx_shard *shard;
} observer_visit;

static bool visit_targets(void *user, const uint32_t *targets, uint32_t count)
{
    const observer_visit *at = user;
    for (uint32_t i = 0; i < count; i++)
        if (!at->visit(at->user, at->shard, targets[i])) return false;
    return true;
}

/*
 * The same after an apply: targets are visited at their homes, as ghosts are older than the apply. A target that left
 * since is left out.
 */
static bool visit_present_targets(void *user, const uint32_t *targets, uint32_t count)
{
    const observer_visit *at = user;
    const phx_store *store = &at->shard->store;
    for (uint32_t i = 0; i < count; i++) {
        phx_shard *home;
        uint32_t slot;
        if (!(store->body[targets[i]].state & PHX_SLOT_LIVE)) continue;
        if (!phx_world_find(at->world, store->name[targets[i]].id, &home, &slot)) continue;
        if (home->store.name[slot].incarnation != store->name[targets[i]].incarnation) continue;
        if (!at->visit(at->user, home, slot)) return false;
    }
    return true;
}

ph_status phx_query_each_listed(const phx_world *world, uint64_t observer, phx_related_fn visit, void *user)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, observer, &shard, &slot)) return PH_UNKNOWN_ID;
    observer_visit at = {world, visit, user, shard};
    phx_shard_list_targets(shard, slot, world->begun ? visit_present_targets : visit_targets, &at);
    return PH_OK;
}

static void visit_observer(void *user, uint32_t observer)
{
    const observer_visit *at = user;
    (void)at->visit(at->user, at->shard, observer); /* it goes on to the end of the shard */
}

/* After an apply: all own observers of the shard whose lists had the target. */
static void visit_observers_before(const observer_visit *at, uint32_t target)
{
    const phx_store *store = &at->shard->store;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_OWN) || !phx_list_holds(&store->tail[slot].list)) continue;
        if (phx_shard_list_had(at->shard, slot, target) && !at->visit(at->user, at->shard, slot)) return;
    }
}

/* Has any entity a relation to an own entity of a shard? */
static bool has_related_observer(const phx_world *world, const phx_shard *home, uint32_t target)
{
    return phx_relation_index_of(&world->relation_index, home->store.name[target].id) ||
           phx_relations_any_back(phx_relations_of(&home->relations, target));
}

ph_status phx_query_each_observer(const phx_world *world, uint64_t target, phx_related_fn visit, void *user)
{
    phx_shard *home;
    uint32_t home_slot;
    if (!phx_world_find(world, target, &home, &home_slot)) return PH_UNKNOWN_ID;
    bool everywhere =
        (home->store.body[home_slot].state & PHX_SLOT_FAR) || has_related_observer(world, home, home_slot);
    /* an observer of it is in a shard that has it, own or as a ghost */
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        uint32_t slot = slot_of_present(world, shard, target);
        observer_visit at = {world, visit, user, shard};
        if (slot == PHX_SLOT_NONE) continue;
        if (world->begun) visit_observers_before(&at, slot);
        else phx_shard_observers_of(shard, slot, everywhere, visit_observer, &at);
    }
    return PH_OK;
}

ph_status phx_query_list(phx_world *world, uint64_t observer, phx_found *found)
{
    *found = (phx_found){.mem = &world->mem, .by_kind = true};
    ph_status status = phx_query_each_listed(world, observer, add_to_found, found);
    return status == PH_OK ? sort_found(found) : status;
}

ph_status phx_query_observers(phx_world *world, uint64_t target, phx_found *found)
{
    *found = (phx_found){.mem = &world->mem};
    ph_status status = phx_query_each_observer(world, target, add_to_found, found);
    return status == PH_OK ? sort_found(found) : status;
}

/* ---- in pieces ---- */

static bool add_to_piece(void *user, const phx_shard *shard, uint32_t slot)
{
    phx_list_piece *piece = user;
    const phx_name *name = &shard->store.name[slot];
    ph_hit hit = {.id = name->id, .user_data = phx_store_user_data(&shard->store, slot), .kind = name->kind};
    if (!piece->behind || phx_hit_before(&piece->hits, &piece->last, &hit)) phx_hits_add(&piece->hits, hit);
    return true;
}

static void piece_begin(phx_list_piece *piece, bool by_kind)
{
    phx_hits *hits = &piece->hits;
    piece->behind = hits->kept > 0;
    if (piece->behind) piece->last = hits->at[hits->kept - 1];
    *hits = (phx_hits){.at = hits->at, .room = hits->room, .by_kind = by_kind};
}

static ph_status piece_end(const phx_world *world, phx_list_piece *piece, ph_status status)
{
    phx_hits_sort(world->shards->kernels, &piece->hits);
    piece->left = piece->hits.count > piece->hits.kept;
    return status;
}

ph_status phx_query_list_piece(const phx_world *world, uint64_t observer, phx_list_piece *piece)
{
    piece_begin(piece, true);
    return piece_end(world, piece, phx_query_each_listed(world, observer, add_to_piece, piece));
}

ph_status phx_query_observers_piece(const phx_world *world, uint64_t target, phx_list_piece *piece)
{
    piece_begin(piece, false);
    return piece_end(world, piece, phx_query_each_observer(world, target, add_to_piece, piece));
}
