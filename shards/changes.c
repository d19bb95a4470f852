/*
 * What changed for an observer, from its slots in a worker's scratch to names and kept lists; see interest.h. Recorded
 * in the interest phase by whoever evaluated the observer, committed by the owner, named by any worker at the fill.
 */
#include "shards/interest.h"

#include <string.h>

bool phx_interest_reserve(phx_scratch *scratch, uint32_t targets, uint32_t list_count)
{
    phx_mem *mem = scratch->mem;
    uint32_t many = targets > PHX_ORDER_FEW ? targets : 0;
    return phx_interest_reserve_changes(scratch, 1, targets) &&
           phx_grow(mem, (void **)&scratch->overflow, &scratch->overflow_capacity, scratch->overflow_count,
                    (size_t)scratch->overflow_count + list_count, sizeof(uint32_t)) &&
           phx_grow(mem, (void **)&scratch->sorted, &scratch->sorted_capacity, 0, many, sizeof(phx_sorted)) &&
           phx_grow(mem, (void **)&scratch->sorted_spare, &scratch->sorted_spare_capacity, 0, many,
                    sizeof(phx_sorted));
}

/* In which bits these differ may be less than where everybody's do. */
static uint32_t bits_of_these(const phx_name *name, const uint32_t *slots, uint32_t count)
{
    const phx_name *first = &name[slots[0]];
    uint64_t ids = 0;
    uint32_t kinds = 0;
    for (uint32_t i = 1; i < count; i++) {
        ids |= name[slots[i]].id ^ first->id;
        kinds |= (uint32_t)(name[slots[i]].kind ^ first->kind);
    }
    return phx_order_bits(ids, kinds);
}

/* By how many bits of the ids keys of these can tell them apart; PHX_ORDER_NO_KEY: not at all. */
static inline uint32_t key_bits(const phx_store *store, const uint32_t *slots, uint32_t count)
{
    uint32_t bits = phx_order_bits(store->id_bits, store->kind_bits);
    for (uint32_t i = 0; i < count; i++) PHX_VALIDATE(phx_store_key_bits_valid(store, slots[i]));
    return bits == PHX_ORDER_NO_KEY ? bits_of_these(store->name, slots, count) : bits;
}

/* Many, by all of kind and id. */
static void order_wide(phx_scratch *scratch, const phx_name *name, const uint32_t *slots, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        scratch->sorted[i] =
            (phx_sorted){.id = name[slots[i]].id, .slot = slots[i], .kind = name[slots[i]].kind};
    phx_order_many(scratch->sorted, scratch->sorted_spare, count);
    for (uint32_t i = 0; i < count; i++) to[i] = scratch->sorted[i].slot;
}

/* These slots become events: in order, or of a change of few as they are, and phx_interest_names() orders them. */
static void tell(phx_scratch *scratch, const phx_shard *shard, const uint32_t *slots, uint32_t count, bool few)
{
    if (count == 0) return; /* there may be no array yet */
    uint32_t *to = scratch->targets + scratch->target_count;
    scratch->target_count += count;
    if (few) {
        for (uint32_t i = 0; i < count; i++) to[i] = slots[i];
        return;
    }
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

/* Where events are written to. */
typedef struct told {
    ph_target *targets;
    uint16_t *kinds;
    uint32_t *incarnations;
} told;

static void write_name(told to, uint32_t at, const phx_name *from)
{
    to.targets[at] = (ph_target){.id = from->id, .user_data = from->user_data};
    to.kinds[at] = from->kind;
    to.incarnations[at] = from->incarnation;
}

/* Places in the order of events, by all of kind and id. */
static void place_wide(const phx_shard *shard, const uint32_t *slots, uint32_t count, uint32_t *place)
{
    const phx_name *name = shard->store.name;
    uint64_t id[PHX_ORDER_FEW];
    uint16_t kind[PHX_ORDER_FEW];
    for (uint32_t i = 0; i < count; i++) {
        id[i] = name[slots[i]].id;
        kind[i] = name[slots[i]].kind;
    }
    shard->kernels->order(id, kind, count, place);
}

/* The places of few in the order of events; place[] has room for twice PHX_ORDER_FEW. */
static void place_few(const phx_shard *shard, const uint32_t *slots, uint32_t leaves, uint32_t count, uint32_t *place)
{
    const phx_name *name = shard->store.name;
    int32_t key[PHX_ORDER_FEW + PHX_KERNEL_PAD];
    uint32_t bits = key_bits(&shard->store, slots, count);
    if (PHX_UNLIKELY(bits == PHX_ORDER_NO_KEY)) {
        if (leaves > 0) place_wide(shard, slots, leaves, place);
        if (count > leaves) place_wide(shard, slots + leaves, count - leaves, place + leaves);
        for (uint32_t i = leaves; i < count; i++) place[i] += leaves;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *of = &name[slots[i]];
        key[i] = phx_order_key(of->id, of->kind, bits, i >= leaves);
    }
    shard->kernels->order_keys(key, count, place);
}

/* Few, in no order yet. */
static void write_few(const phx_shard *shard, const uint32_t *slots, uint32_t leaves, uint32_t count, told to)
{
    uint32_t place[2 * PHX_ORDER_FEW]; /* kernels may write as many as that from where enters begin */
    place_few(shard, slots, leaves, count, place);
    for (uint32_t i = 0; i < count; i++) {
        PHX_ASSERT(place[i] < count);
        write_name(to, place[i], &shard->store.name[slots[i]]);
    }
}

void phx_interest_names(const phx_shard *shard, const phx_scratch *scratch, const phx_change *change,
                        ph_target *targets, uint16_t *kinds, uint32_t *incarnations)
{
    const uint32_t *slots = scratch->targets + change->target_first, leaves = change->leave_count;
    const uint32_t count = leaves + change->enter_count;
    const told to = {targets, kinds, incarnations};
    if (count > 1 && count <= PHX_ORDER_FEW && !change->ordered) { /* more are in order, as one is */
        write_few(shard, slots, leaves, count, to);
        return;
    }
    for (uint32_t i = 0; i < count; i++) write_name(to, i, &shard->store.name[slots[i]]);
}

phx_change *phx_interest_record(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                uint32_t leaves)
{
    phx_change *change = phx_interest_add_change(scratch, &shard->store, slot, enters, leaves);
    bool few = leaves + enters <= PHX_ORDER_FEW;
    tell(scratch, shard, scratch->leave, leaves, few);
    tell(scratch, shard, scratch->enter, enters, few);
    return change;
}

void phx_interest_commits(phx_scratch *scratch, phx_change *change)
{
    scratch->commit_count += !change->commits;
    change->commits = true;
}

void phx_interest_write_list(phx_scratch *scratch, phx_shard *shard, phx_change *change, const uint32_t *entries,
                             uint32_t count)
{
    phx_list *list = &shard->store.tail[change->slot].list;
    change->list_count = count;
    if (count <= phx_list_capacity(list)) {
        if (count > 0) memcpy(phx_list_entries(&shard->lists, list), entries, count * sizeof(uint32_t));
        list->count = count;
        return;
    }
    phx_interest_commits(scratch, change);
    change->list_first = scratch->overflow_count;
    memcpy(scratch->overflow + scratch->overflow_count, entries, count * sizeof(uint32_t));
    scratch->overflow_count += count;
}

bool phx_interest_commit(phx_shard *shard, const phx_scratch *scratch, const phx_change *change)
{
    phx_list *list = &shard->store.tail[change->slot].list;
    phx_slots *waiting = &shard->waiting;
    bool waits = change->flags & PH_CHANGE_MORE;
    if (waits && !phx_grow(shard->mem, (void **)&waiting->at, &waiting->capacity, waiting->count,
                           (size_t)waiting->count + 1, sizeof(uint32_t)))
        return false;
    if (list->implied) phx_list_release(&shard->lists, list);
    if (change->list_first != PHX_SLOT_NONE) {
        if (!phx_list_reserve(&shard->lists, shard->mem, list, change->list_count)) return false;
        memcpy(phx_list_entries(&shard->lists, list), scratch->overflow + change->list_first,
               change->list_count * sizeof(uint32_t));
        list->count = change->list_count;
    }
    if (waits) waiting->at[waiting->count++] = change->slot;
    return true;
}
