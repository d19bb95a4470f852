/*
 * Change records: from the slots in a worker's scratch to a change, and to a stored list; see change_record.h. Recorded
 * in the interest phase by the worker that found the events, committed by the owner, named by any worker at the fill.
 */
#include "shards/interest/change_record.h"

#include <stddef.h>
#include <string.h>

#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"
#include "shards/interest/event_keys.h"
#include "shards/state/annulus.h"
#include "shards/state/entity_change.h"
#include "shards/state/storage.h"

bool phx_interest_reserve(phx_scratch *scratch, uint32_t targets, uint32_t list_count)
{
    phx_mem *mem = scratch->mem;
    uint32_t many = targets > PHX_ORDER_SHORT_MAX ? targets : 0;
    size_t words = list_count > 0 ? (size_t)list_count + 1 : 0;
    return phx_interest_reserve_changes(scratch, 1, targets) &&
           phx_grow(mem, (void **)&scratch->overflow, &scratch->overflow_capacity, scratch->overflow_count,
                    scratch->overflow_count + words, sizeof(uint32_t)) &&
           phx_grow(mem, (void **)&scratch->sorted, &scratch->sorted_capacity, 0, many, sizeof(phx_sort_record)) &&
           phx_grow(mem, (void **)&scratch->sorted_spare, &scratch->sorted_spare_capacity, 0, many,
                    sizeof(phx_sort_record));
}

/* The number of id bits with which keys distinguish these targets; PHX_ORDER_NO_KEY: keys can not. */
static inline uint32_t key_bits(const phx_store *store, const uint32_t *targets, uint32_t count)
{
    uint32_t kinds, bits = phx_order_bits(store->id_bits, store->kind_bits);
    phx_validate_key_bits(store, targets, count);
    return bits == PHX_ORDER_NO_KEY ? phx_target_bits(store, targets, count, &kinds) : bits;
}

/* Orders many slots by all of kind and id. */
static void order_wide(phx_scratch *scratch, const phx_name *name, const uint32_t *slots, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        scratch->sorted[i] = (phx_sort_record){.id = name[slots[i]].id, .slot = slots[i], .kind = name[slots[i]].kind};
    phx_order_many(scratch->sorted, scratch->sorted_spare, count);
    for (uint32_t i = 0; i < count; i++) to[i] = scratch->sorted[i].slot;
}

/* Adds slots as targets of a change of few; phx_event_writer_flush() orders them. leaves: all of them. */
static void add_unordered_targets(phx_scratch *scratch, const uint32_t *slots, uint32_t count, bool leaves)
{
    if (count == 0) return; /* there may be no array yet */
    uint32_t *to = scratch->targets + scratch->target_count;
    scratch->target_count += count;
    for (uint32_t i = 0; i < count; i++) to[i] = phx_target_word_of(slots[i], leaves).bits;
}

/* Adds slots as targets of a change of many, in order. */
static void add_ordered_targets(phx_scratch *scratch, const phx_shard *shard, const uint32_t *slots, uint32_t count)
{
    if (count == 0) return;
    uint32_t *to = scratch->targets + scratch->target_count;
    scratch->target_count += count;
    const phx_name *name = shard->store.name;
    uint32_t bits = key_bits(&shard->store, slots, count);
    if (bits == PHX_ORDER_NO_KEY) {
        order_wide(scratch, name, slots, count, to);
        return;
    }
    uint64_t *word = (uint64_t *)(void *)scratch->sorted, *spare = (uint64_t *)(void *)scratch->sorted_spare;
    for (uint32_t i = 0; i < count; i++)
        word[i] = phx_order_word(name[slots[i]].id, name[slots[i]].kind, bits, slots[i]);
    phx_order_words(word, spare, count, shard->kernels->merge);
    for (uint32_t i = 0; i < count; i++) to[i] = (uint32_t)word[i];
}

const uint32_t *phx_interest_entered(const phx_scratch *scratch, const phx_change *change, uint32_t *buffer)
{
    const uint32_t *targets = scratch->targets + change->target_first;
    const uint32_t count = change->leave_count + change->enter_count;
    if (change->ordered) return targets + change->leave_count;
    for (uint32_t i = 0, n = 0; i < count; i++) {
        const phx_target_word word = phx_target_word_at(targets, i);
        if (!phx_target_word_leaves(word)) buffer[n++] = phx_target_word_slot(word);
    }
    return buffer;
}

phx_change *phx_interest_record(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves)
{
    phx_change *change = phx_interest_add_change(scratch, slot, scratch->target_count, enters, leaves);
    change->passes = true;
    if (leaves + enters <= PHX_ORDER_SHORT_MAX) {
        add_unordered_targets(scratch, scratch->leave, leaves, true);
        add_unordered_targets(scratch, scratch->enter, enters, false);
        return change;
    }
    change->ordered = true;
    add_ordered_targets(scratch, shard, scratch->leave, leaves);
    add_ordered_targets(scratch, shard, scratch->enter, enters);
    return change;
}

void phx_interest_commits(phx_scratch *scratch, phx_change *change)
{
    scratch->commit_count += !change->commits;
    change->commits = true;
}

uint32_t *phx_interest_overflow(phx_scratch *scratch, phx_change *change, uint32_t count)
{
    uint32_t *words = scratch->overflow + scratch->overflow_count;
    PHX_ASSERT(scratch->overflow_count + count < scratch->overflow_capacity);
    phx_interest_commits(scratch, change);
    change->list_first = scratch->overflow_count;
    scratch->overflow_count += 1 + count;
    words[0] = count;
    return words + 1;
}

void phx_interest_write_list(phx_scratch *scratch, phx_shard *shard, phx_change *change, const uint32_t *entries,
                             uint32_t count)
{
    phx_list *list = &shard->store.tail[change->slot].list;
    if (phx_list_widen(&shard->lists, list, count)) {
        if (count > 0) memcpy(phx_list_entries(&shard->lists, list), entries, count * sizeof(uint32_t));
        phx_list_set_count(&shard->lists, list, count);
        return;
    }
    memcpy(phx_interest_overflow(scratch, change, count), entries, count * sizeof(uint32_t));
}

bool phx_interest_annulus_fits(const phx_shard *shard, uint32_t slot, uint32_t count)
{
    const uint32_t room = slot < shard->annuli_capacity ? phx_list_capacity(&shard->lists, &shard->annuli[slot]) : 0;
    return count <= room;
}

uint32_t *phx_interest_annulus(phx_scratch *scratch, phx_shard *shard, uint32_t slot, phx_change *change,
                               uint32_t count)
{
    const bool fits = phx_interest_annulus_fits(shard, slot, count);
    phx_list *annulus = &shard->annuli[slot];
    PHX_ASSERT(slot < shard->annuli_capacity && (fits || change));
    phx_list_set_count(&shard->lists, annulus, fits ? count : 0);
    return fits ? phx_list_entries(&shard->lists, annulus) : phx_interest_overflow(scratch, change, count);
}

/* Moves the entries of a change into the pool. false = no memory, unchanged. */
static bool pool_entries(phx_shard *shard, phx_list *list, const uint32_t *words)
{
    const uint32_t count = words[0];
    if (!phx_list_reserve(&shard->lists, shard->mem, list, count)) return false;
    memcpy(phx_list_entries(&shard->lists, list), words + 1, count * sizeof *words);
    phx_list_set_count(&shard->lists, list, count);
    return true;
}

bool phx_interest_commit(phx_shard *shard, const phx_scratch *scratch, const phx_change *change)
{
    phx_list *list = &shard->store.tail[change->slot].list;
    phx_slot_array *waiting = &shard->partial_observers;
    bool waits = change->flags & PH_CHANGE_MORE;
    if (waits && !phx_grow(shard->mem, (void **)&waiting->at, &waiting->capacity, waiting->count,
                           (size_t)waiting->count + 1, sizeof(uint32_t)))
        return false;
    if (list->derived) {
        const uint32_t room = list->count;
        phx_list_release(&shard->lists, list);
        list->count = room & PHX_LIST_COUNT_MAX;
    }
    if (change->list_first != PHX_SLOT_NONE) {
        phx_list *to = list->derived ? &shard->annuli[change->slot] : list;
        if (!pool_entries(shard, to, scratch->overflow + change->list_first)) return false;
    }
    if (!list->derived) phx_annulus_release(shard, change->slot);
    if (waits) {
        waiting->at[waiting->count++] = change->slot;
        phx_shard_partial(shard, change->slot, true);
    }
    shard->storage->follow_list(shard, change->slot);
    return true;
}
