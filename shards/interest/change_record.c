/*
 * What changed for an observer, from its slots in a worker's scratch to names and kept lists; see evaluate.h. Recorded
 * in the interest phase by whoever evaluated the observer, committed by the owner, named by any worker at the fill.
 */
#include "shards/interest/evaluate.h"

#include <stddef.h>
#include <string.h>

bool phx_interest_reserve(phx_scratch *scratch, uint32_t targets, uint32_t list_count)
{
    phx_mem *mem = scratch->mem;
    uint32_t many = targets > PHX_ORDER_FEW ? targets : 0;
    size_t words = list_count > 0 ? (size_t)list_count + 1 : 0;
    return phx_interest_reserve_changes(scratch, 1, targets) &&
           phx_grow(mem, (void **)&scratch->overflow, &scratch->overflow_capacity, scratch->overflow_count,
                    scratch->overflow_count + words, sizeof(uint32_t)) &&
           phx_grow(mem, (void **)&scratch->sorted, &scratch->sorted_capacity, 0, many, sizeof(phx_sort_record)) &&
           phx_grow(mem, (void **)&scratch->sorted_spare, &scratch->sorted_spare_capacity, 0, many,
                    sizeof(phx_sort_record));
}

/* Of whom a change's target tells. */
static inline const phx_name *name_of(const phx_store *store, uint32_t target)
{
    return &store->name[target & PHX_ROW_SLOT];
}

/* In which bits these differ may be less than where everybody's do. */
static uint32_t bits_of_these(const phx_store *store, const uint32_t *targets, uint32_t count)
{
    const phx_name *first = name_of(store, targets[0]);
    uint64_t ids = 0;
    uint32_t kinds = 0;
    for (uint32_t i = 1; i < count; i++) {
        ids |= name_of(store, targets[i])->id ^ first->id;
        kinds |= (uint32_t)(name_of(store, targets[i])->kind ^ first->kind);
    }
    return phx_order_bits(ids, kinds);
}

/* Keys are made of what the store knows of all its names. */
static inline void validate_key_bits(const phx_store *store, const uint32_t *targets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) PHX_VALIDATE(phx_store_key_bits_valid(store, targets[i] & PHX_ROW_SLOT));
}

/* By how many bits of the ids keys of these can tell them apart; PHX_ORDER_NO_KEY: not at all. */
static inline uint32_t key_bits(const phx_store *store, const uint32_t *targets, uint32_t count)
{
    uint32_t bits = phx_order_bits(store->id_bits, store->kind_bits);
    validate_key_bits(store, targets, count);
    return bits == PHX_ORDER_NO_KEY ? bits_of_these(store, targets, count) : bits;
}

/* Many, by all of kind and id. */
static void order_wide(phx_scratch *scratch, const phx_name *name, const uint32_t *slots, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        scratch->sorted[i] = (phx_sort_record){.id = name[slots[i]].id, .slot = slots[i], .kind = name[slots[i]].kind};
    phx_order_many(scratch->sorted, scratch->sorted_spare, count);
    for (uint32_t i = 0; i < count; i++) to[i] = scratch->sorted[i].slot;
}

/* These slots become events of a change of few: phx_event_writer_flush() orders them. flag: of each. */
static void add_unordered_targets(phx_scratch *scratch, const uint32_t *slots, uint32_t count, uint32_t flag)
{
    if (count == 0) return; /* there may be no array yet */
    uint32_t *to = scratch->targets + scratch->target_count;
    scratch->target_count += count;
    for (uint32_t i = 0; i < count; i++) to[i] = slots[i] | flag;
}

/* These become events of a change of many, in order. */
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

/* The places of few, from the first on, in the order of events, leaves first, by all of kind and id. */
static void place_wide(const phx_shard *shard, const uint32_t *targets, uint32_t count, uint32_t first, uint32_t *place)
{
    for (uint32_t flag = PHX_TARGET_LEAVE;; flag = 0) {
        uint64_t id[PHX_ORDER_FEW];
        uint16_t kind[PHX_ORDER_FEW];
        uint32_t which[PHX_ORDER_FEW], at[PHX_ORDER_FEW], n = 0;
        for (uint32_t i = 0; i < count; i++) {
            const phx_name *of = name_of(&shard->store, targets[i]);
            which[n] = i;
            id[n] = of->id;
            kind[n] = of->kind;
            n += (targets[i] & PHX_TARGET_LEAVE) == flag;
        }
        if (n > 0) shard->kernels->order(id, kind, n, at);
        for (uint32_t i = 0; i < n; i++) place[which[i]] = first + at[i];
        if (flag == 0) return;
        first += n;
    }
}

/* How all of a shard's names get keys; bits = PHX_ORDER_NO_KEY: they do not. */
static inline phx_sort_key_format keying_of(const phx_store *store)
{
    return (phx_sort_key_format){store->name, phx_order_bits(store->id_bits, store->kind_bits), store->kind_bits};
}

/* Those of one change where there are no keys for all: perhaps there are for these. */
static void place_alone(const phx_shard *shard, const uint32_t *targets, uint32_t count, uint32_t first,
                        uint32_t *place)
{
    const phx_store *store = &shard->store;
    const phx_sort_key_format by = {store->name, bits_of_these(store, targets, count), store->kind_bits};
    const phx_unsorted_events of = {targets, &count, &first, 1};
    if (by.bits == PHX_ORDER_NO_KEY) place_wide(shard, targets, count, first, place);
    else shard->kernels->order_keys(&by, &of, place);
}

typedef uint64_t halves __attribute__((vector_size(16)));
_Static_assert(sizeof(ph_target) == sizeof(halves) && offsetof(ph_target, id) == 0, "a target is written at once");

/* user_data: the store's. */
static inline void write_name(const phx_event_columns *to, uint32_t at, const phx_name *name, const uint64_t *user_data,
                              uint32_t target)
{
    const phx_name *from = &name[target & PHX_ROW_SLOT];
    const halves both = {from->id, user_data ? user_data[target & PHX_ROW_SLOT] : 0}; /* in the order of ph_target */
    memcpy(&to->targets[at], &both, sizeof both);
    to->kinds[at] = from->kind;
    to->incarnations[at] = from->incarnation;
}

/* Those of all changes that wait. */
static void place_all(phx_event_writer *naming)
{
    const phx_shard *shard = naming->shard;
    const phx_unsorted_events of = {naming->targets, naming->end, naming->first, naming->changes};
    const phx_sort_key_format by = keying_of(&shard->store);
    validate_key_bits(&shard->store, of.targets, naming->count);
    if (PHX_LIKELY(by.bits != PHX_ORDER_NO_KEY)) {
        shard->kernels->order_keys(&by, &of, naming->place);
    } else {
        for (uint32_t c = 0, at = 0; c < of.count; at = of.end[c++])
            place_alone(shard, of.targets + at, of.end[c] - at, of.first[c], naming->place + at);
    }
    for (uint32_t c = 0, at = 0; c < of.count; at = of.end[c++])
        for (uint32_t i = at; i < of.end[c]; i++) PHX_VALIDATE(naming->place[i] - of.first[c] < of.end[c] - at);
}

/* Those targets, from these places on where they are in order; else places are theirs, one by one. */
static inline void write_names(const phx_store *store, phx_event_columns to, const uint32_t *targets, uint32_t count,
                               const uint32_t *place, uint32_t first)
{
    const phx_name *name = store->name; /* what is written might be anywhere */
    const uint64_t *user_data = store->user_data;
    if (user_data) /* asked once: in the loop it costs a crowd's tick 3 % */
        for (uint32_t i = 0; i < count; i++) write_name(&to, place ? place[i] : first + i, name, user_data, targets[i]);
    else
        for (uint32_t i = 0; i < count; i++) write_name(&to, place ? place[i] : first + i, name, NULL, targets[i]);
}

void phx_event_writer_flush(phx_event_writer *naming)
{
    const phx_store *store = &naming->shard->store;
    if (naming->count == 0) return;
    place_all(naming);
    if (!naming->mixed) {
        write_names(store, naming->to[0], naming->targets, naming->count, naming->place, 0);
    } else {
        for (uint32_t c = 0, at = 0; c < naming->changes; at = naming->end[c++])
            write_names(store, naming->to[c], naming->targets + at, naming->end[c] - at, naming->place + at, 0);
    }
    naming->mixed = false;
    naming->count = naming->changes = 0;
}

void phx_event_writer_add(phx_event_writer *naming, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first)
{
    const uint32_t *from = scratch->targets + change->target_first, count = change->leave_count + change->enter_count;
    bool fits = naming->count + count <= PHX_ORDER_MOST && !change->ordered;
    if (naming->count > 0 && !(fits && from == naming->targets + naming->count)) phx_event_writer_flush(naming);
    if (change->ordered) {
        write_names(&naming->shard->store, *to, from, count, NULL, first);
        return;
    }
    PHX_ASSERT(0 < count && count <= PHX_ORDER_FEW);
    if (naming->count == 0) naming->targets = from;
    else naming->mixed |= to->targets != naming->to[naming->changes - 1].targets;
    naming->count += count;
    naming->to[naming->changes] = *to;
    naming->first[naming->changes] = first;
    naming->end[naming->changes++] = naming->count;
}

const uint32_t *phx_interest_entered(const phx_scratch *scratch, const phx_change *change, uint32_t *few)
{
    const uint32_t *targets = scratch->targets + change->target_first;
    const uint32_t count = change->leave_count + change->enter_count;
    if (change->ordered) return targets + change->leave_count;
    for (uint32_t i = 0, n = 0; i < count; i++)
        if (!(targets[i] & PHX_TARGET_LEAVE)) few[n++] = targets[i] & PHX_ROW_SLOT;
    return few;
}

phx_change *phx_interest_record(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves)
{
    phx_change *change = phx_interest_add_change(scratch, slot, scratch->target_count, enters, leaves);
    if (leaves + enters <= PHX_ORDER_FEW) {
        add_unordered_targets(scratch, scratch->leave, leaves, PHX_TARGET_LEAVE);
        add_unordered_targets(scratch, scratch->enter, enters, 0);
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

bool phx_interest_commit(phx_shard *shard, const phx_scratch *scratch, const phx_change *change)
{
    phx_list *list = &shard->store.tail[change->slot].list;
    phx_slot_array *waiting = &shard->partial_observers;
    bool waits = change->flags & PH_CHANGE_MORE;
    if (waits && !phx_grow(shard->mem, (void **)&waiting->at, &waiting->capacity, waiting->count,
                           (size_t)waiting->count + 1, sizeof(uint32_t)))
        return false;
    if (list->derived) phx_list_release(&shard->lists, list);
    if (change->list_first != PHX_SLOT_NONE) {
        const uint32_t *words = scratch->overflow + change->list_first, count = words[0];
        if (!phx_list_reserve(&shard->lists, shard->mem, list, count)) return false;
        memcpy(phx_list_entries(&shard->lists, list), words + 1, count * sizeof *words);
        phx_list_set_count(&shard->lists, list, count);
    }
    if (waits) {
        waiting->at[waiting->count++] = change->slot;
        phx_shard_partial(shard, change->slot, true);
    }
    return true;
}
