/*
 * List handover; see list_handover.h.
 */
#include "shards/exchange/list_handover.h"

#include <string.h>

#include "shards/query/prev_list.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/immigrant_lists.h"

/* ---- stored lists ---- */

/* Takes a dead slot for a target that is not here, or not any more: only its leave event needs it. */
static uint32_t add_departed_slot(phx_shard *shard, const phx_list_record *listed, const phx_renames *renames)
{
    phx_store *store = &shard->store;
    uint32_t slot = phx_store_add(store, listed->id, PHX_SLOT_OWN);
    const phx_rename *now = phx_renames_of(renames, listed->incarnation);
    store->name[slot].incarnation = listed->incarnation;
    phx_store_set_user_data(store, slot, now ? now->user_data : listed->user_data);
    phx_store_name_kind(store, slot, now ? now->kind : listed->kind);
    phx_store_kill(store, slot);
    return slot;
}

/* Room for a handed list, and for a slot of each target, should all be gone. false = no memory. */
static bool reserve_list(phx_shard *shard, const phx_immigrant_list *immigrant_list, const phx_renames *renames)
{
    uint64_t user_data = 0;
    for (uint32_t i = 0; i < immigrant_list->count; i++) user_data |= immigrant_list->list[i].user_data;
    for (uint32_t i = 0; i < renames->count; i++) user_data |= renames->items[i].user_data;
    return phx_list_reserve(&shard->lists, shard->mem, &shard->store.tail[immigrant_list->observer].list,
                            immigrant_list->count) &&
           phx_store_reserve(&shard->store, shard->mem, immigrant_list->count) &&
           phx_store_reserve_user_data(&shard->store, shard->mem, user_data);
}

/* The slot of a target of a handed list. A ghost that is gone may have an old name. */
static uint32_t resolve_item(phx_shard *shard, const phx_directory *directory, const phx_renames *renames,
                             const phx_list_record *listed)
{
    const phx_store *store = &shard->store;
    uint32_t slot = phx_shard_find(shard, directory, listed->id);
    bool here = slot != PHX_SLOT_NONE && store->name[slot].incarnation == listed->incarnation &&
                !((store->body[slot].state & PHX_SLOT_GHOST) && store->tail[slot].origin.gone);
    return here ? slot : add_departed_slot(shard, listed, renames);
}

/* Resolves a handed list from ids to slots; its observer will be evaluated. false = no memory. */
static bool resolve_list(phx_shard *shard, const phx_directory *directory, const phx_renames *renames,
                         const phx_immigrant_list *immigrant_list)
{
    if (immigrant_list->count > 0 && !reserve_list(shard, immigrant_list, renames)) return false;
    phx_list *list = &shard->store.tail[immigrant_list->observer].list;
    uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < immigrant_list->count; i++)
        entries[i] = resolve_item(shard, directory, renames, &immigrant_list->list[i]);
    phx_list_set_count(&shard->lists, list, immigrant_list->count);
    if (immigrant_list->count > 0)
        phx_shard_flag(shard, immigrant_list->observer); /* the list marks the observer's row */
    phx_shard_mark_discontinuous(shard, &shard->store.body[immigrant_list->observer]);
    return true;
}

/* ---- derived lists ---- */

/* Fibonacci hashing. */
static inline uint32_t handover_place(const phx_immigrant_lists *immigrant_lists, uint32_t incarnation)
{
    return incarnation * 0x9e3779b1u >> immigrant_lists->shift;
}

/* Room to index a list, with so many buckets that few targets share one. false = no memory. */
static bool reserve_notes(phx_immigrant_lists *immigrant_lists, phx_mem *mem, uint32_t count)
{
    enum { BITS_LEAST = 6, BITS_MOST = 31, PLACES_FOR_ONE = 4 };
    const uint32_t had = immigrant_lists->places_capacity;
    uint32_t bits = BITS_LEAST;
    while (bits < BITS_MOST && UINT32_C(1) << bits < PLACES_FOR_ONE * (uint64_t)count) bits++;
    immigrant_lists->shift = 32 - bits;
    if (!phx_grow(mem, (void **)&immigrant_lists->noted, &immigrant_lists->noted_capacity, 0, count,
                  sizeof *immigrant_lists->noted) ||
        !phx_grow(mem, (void **)&immigrant_lists->places, &immigrant_lists->places_capacity, 0, (size_t)1 << bits,
                  sizeof(uint32_t)))
        return false;
    if (immigrant_lists->places_capacity > had)
        memset(immigrant_lists->places, 0, immigrant_lists->places_capacity * sizeof(uint32_t));
    return true;
}

/* Indexes a list by incarnation: a bucket has its last target, which names the one before it. There is room. */
static void index_handed_list(phx_immigrant_lists *immigrant_lists, const phx_immigrant_list *immigrant_list)
{
    for (uint32_t i = 0; i < immigrant_list->count; i++) {
        uint32_t *place =
            &immigrant_lists->places[handover_place(immigrant_lists, immigrant_list->list[i].incarnation)];
        immigrant_lists->noted[i] = (phx_migrant_target){immigrant_list->list[i].incarnation, *place};
        *place = i;
    }
}

/*
 * Is the target in the indexed list? Buckets are not cleared between lists. A number of an earlier list is not below
 * the list's count, or is not smaller than the number before it, or is of another bucket; the walk stops there. Ids are
 * compared too, as incarnations repeat after 2^32 entities.
 */
static inline bool is_listed(const phx_immigrant_lists *immigrant_lists, const phx_immigrant_list *immigrant_list,
                             const phx_name *name)
{
    uint32_t at = immigrant_lists->places[handover_place(immigrant_lists, name->incarnation)],
             end = immigrant_list->count;
    while (at < end && immigrant_lists->noted[at].incarnation != name->incarnation) {
        end = at;
        at = immigrant_lists->noted[at].before;
    }
    return at < end && immigrant_list->list[at].id == name->id;
}

/*
 * The list of an observer that just stepped here (receive.c) stays derived if rows give it: as many targets, and each
 * is listed. (No two targets are alike, in either list.) A ghost that is in no own view may have an old row
 * (docs/invariants.md, 5), which the observer might have seen in its old shard: then the list is resolved. false = no
 * memory.
 */
static bool derive_list(phx_shard *shard, const phx_immigrant_list *immigrant_list)
{
    phx_slot_array *previous = &shard->list_scratch;
    const phx_name *name = shard->store.name;
    phx_list *list = &shard->store.tail[immigrant_list->observer].list;
    uint64_t pairs = 0;
    if (!phx_grow(shard->mem, (void **)&previous->at, &previous->capacity, 0, shard->store.slots, sizeof(uint32_t)) ||
        !reserve_notes(&shard->immigrant_lists, shard->mem, immigrant_list->count))
        return false;
    index_handed_list(&shard->immigrant_lists, immigrant_list);
    list->derived = true; /* as phx_prev_list() requires */
    uint32_t count = phx_prev_list(shard, immigrant_list->observer, previous->at, &pairs), same = 0;
    if (count == immigrant_list->count)
        while (same < count && is_listed(&shard->immigrant_lists, immigrant_list, &name[previous->at[same]])) same++;
    list->derived = count == immigrant_list->count && same == count;
    return true;
}

bool phx_immigrant_lists_resolve(phx_shard *shard, const phx_directory *directory, const phx_renames *renames)
{
    for (phx_immigrant_lists *immigrant_lists = &shard->immigrant_lists; immigrant_lists->count > 0;
         immigrant_lists->count--) {
        const phx_immigrant_list *immigrant_list = &immigrant_lists->at[immigrant_lists->count - 1];
        /* relations came with slots of another shard */
        const bool stored =
            shard->store.body[immigrant_list->observer].state & (PHX_SLOT_DISCONTINUOUS | PHX_SLOT_RELATED);
        if (!stored && !derive_list(shard, immigrant_list)) return false;
        if (shard->store.tail[immigrant_list->observer].list.derived) continue;
        if (!resolve_list(shard, directory, renames, immigrant_list)) return false;
    }
    return true;
}
