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
static uint32_t take_departed_slot(phx_shard *shard, const phx_list_record *listed, const phx_renames *renames)
{
    phx_store *store = &shard->store;
    uint32_t slot = phx_store_take(store, listed->id, PHX_SLOT_OWN);
    const phx_rename *now = phx_renames_of(renames, listed->incarnation);
    store->name[slot].incarnation = listed->incarnation;
    phx_store_set_user_data(store, slot, now ? now->user_data : listed->user_data);
    phx_store_name_kind(store, slot, now ? now->kind : listed->kind);
    phx_store_kill(store, slot);
    return slot;
}

/* Room for a handed list, and for a slot of each target, should all be gone. false = no memory. */
static bool reserve_list(phx_shard *shard, const phx_immigrant_list *arrival, const phx_renames *renames)
{
    uint64_t user_data = 0;
    for (uint32_t i = 0; i < arrival->count; i++) user_data |= arrival->list[i].user_data;
    for (uint32_t i = 0; i < renames->count; i++) user_data |= renames->items[i].user_data;
    return phx_list_reserve(&shard->lists, shard->mem, &shard->store.tail[arrival->observer].list, arrival->count) &&
           phx_store_reserve(&shard->store, shard->mem, arrival->count) &&
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
    return here ? slot : take_departed_slot(shard, listed, renames);
}

/* Resolves a handed list from ids to slots; its observer will be evaluated. false = no memory. */
static bool resolve_list(phx_shard *shard, const phx_directory *directory, const phx_renames *renames,
                         const phx_immigrant_list *arrival)
{
    if (arrival->count > 0 && !reserve_list(shard, arrival, renames)) return false;
    phx_list *list = &shard->store.tail[arrival->observer].list;
    uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < arrival->count; i++)
        entries[i] = resolve_item(shard, directory, renames, &arrival->list[i]);
    phx_list_set_count(&shard->lists, list, arrival->count);
    if (arrival->count > 0) phx_shard_flag(shard, arrival->observer); /* the list marks the observer's row */
    phx_shard_mark_discontinuous(shard, &shard->store.body[arrival->observer]);
    return true;
}

/* ---- derived lists ---- */

/* Fibonacci hashing. */
static inline uint32_t handover_place(const phx_immigrant_lists *arrivals, uint32_t incarnation)
{
    return incarnation * 0x9e3779b1u >> arrivals->shift;
}

/* Room to index a list, with so many buckets that few targets share one. false = no memory. */
static bool reserve_notes(phx_immigrant_lists *arrivals, phx_mem *mem, uint32_t count)
{
    enum { BITS_LEAST = 6, BITS_MOST = 31, PLACES_FOR_ONE = 4 };
    const uint32_t had = arrivals->places_capacity;
    uint32_t bits = BITS_LEAST;
    while (bits < BITS_MOST && UINT32_C(1) << bits < PLACES_FOR_ONE * (uint64_t)count) bits++;
    arrivals->shift = 32 - bits;
    if (!phx_grow(mem, (void **)&arrivals->noted, &arrivals->noted_capacity, 0, count, sizeof *arrivals->noted) ||
        !phx_grow(mem, (void **)&arrivals->places, &arrivals->places_capacity, 0, (size_t)1 << bits, sizeof(uint32_t)))
        return false;
    if (arrivals->places_capacity > had) memset(arrivals->places, 0, arrivals->places_capacity * sizeof(uint32_t));
    return true;
}

/* Indexes a list by incarnation: a bucket has its last target, which names the one before it. There is room. */
static void index_handed_list(phx_immigrant_lists *arrivals, const phx_immigrant_list *arrival)
{
    for (uint32_t i = 0; i < arrival->count; i++) {
        uint32_t *place = &arrivals->places[handover_place(arrivals, arrival->list[i].incarnation)];
        arrivals->noted[i] = (phx_migrant_target){arrival->list[i].incarnation, *place};
        *place = i;
    }
}

/*
 * Is the target in the indexed list? Buckets are not cleared between lists. A number of an earlier list is not below
 * the list's count, or is not smaller than the number before it, or is of another bucket; the walk stops there. Ids are
 * compared too, as incarnations repeat after 2^32 entities.
 */
static inline bool is_listed(const phx_immigrant_lists *arrivals, const phx_immigrant_list *arrival,
                             const phx_name *name)
{
    uint32_t at = arrivals->places[handover_place(arrivals, name->incarnation)], end = arrival->count;
    while (at < end && arrivals->noted[at].incarnation != name->incarnation) {
        end = at;
        at = arrivals->noted[at].before;
    }
    return at < end && arrival->list[at].id == name->id;
}

/*
 * The list of an observer that just stepped here (receive.c) stays derived if rows give it: as many targets, and each
 * is listed. (No two targets are alike, in either list.) A ghost that is in no own view may have an old row
 * (docs/invariants.md, 5), which the observer might have seen in its old shard: then the list is resolved. false = no
 * memory.
 */
static bool fold_list(phx_shard *shard, const phx_immigrant_list *arrival)
{
    phx_slot_array *previous = &shard->list_scratch;
    const phx_name *name = shard->store.name;
    phx_list *list = &shard->store.tail[arrival->observer].list;
    uint64_t pairs = 0;
    if (!phx_grow(shard->mem, (void **)&previous->at, &previous->capacity, 0, shard->store.slots, sizeof(uint32_t)) ||
        !reserve_notes(&shard->arrivals, shard->mem, arrival->count))
        return false;
    index_handed_list(&shard->arrivals, arrival);
    list->derived = true; /* as phx_prev_list() requires */
    uint32_t count = phx_prev_list(shard, arrival->observer, previous->at, &pairs), same = 0;
    if (count == arrival->count)
        while (same < count && is_listed(&shard->arrivals, arrival, &name[previous->at[same]])) same++;
    list->derived = count == arrival->count && same == count;
    return true;
}

bool phx_immigrant_lists_resolve(phx_shard *shard, const phx_directory *directory, const phx_renames *renames)
{
    for (phx_immigrant_lists *arrivals = &shard->arrivals; arrivals->count > 0; arrivals->count--) {
        const phx_immigrant_list *arrival = &arrivals->at[arrivals->count - 1];
        const bool discontinuous = shard->store.body[arrival->observer].state & PHX_SLOT_DISCONTINUOUS;
        if (!discontinuous && !fold_list(shard, arrival)) return false;
        if (shard->store.tail[arrival->observer].list.derived) continue;
        if (!resolve_list(shard, directory, renames, arrival)) return false;
    }
    return true;
}
