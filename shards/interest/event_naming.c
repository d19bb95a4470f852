/*
 * Targets of changes become events; see event_naming.h.
 */
#include "shards/interest/event_naming.h"

#include <stddef.h>
#include <string.h>

#include "shards/interest/event_keys.h"

/* Places of few targets from `first` on in the order of events, leaves first, by all of kind and id. */
static void place_wide(const phx_shard *shard, const uint32_t *targets, uint32_t count, uint32_t first, uint32_t *place)
{
    for (bool leaves = true;; leaves = false) {
        uint64_t id[PHX_ORDER_SHORT_MAX];
        uint16_t kind[PHX_ORDER_SHORT_MAX];
        uint32_t which[PHX_ORDER_SHORT_MAX], at[PHX_ORDER_SHORT_MAX], n = 0;
        for (uint32_t i = 0; i < count; i++) {
            const phx_name *of = phx_target_name(&shard->store, phx_target_word_at(targets, i));
            which[n] = i;
            id[n] = of->id;
            kind[n] = of->kind;
            n += phx_target_word_leaves(phx_target_word_at(targets, i)) == leaves;
        }
        if (n > 0) shard->kernels->order(id, kind, n, at);
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): the loop above wrote n of them */
        for (uint32_t i = 0; i < n; i++) place[which[i]] = first + at[i];
        if (!leaves) return;
        first += n;
    }
}

/* The key format of all names of a shard; bits = PHX_ORDER_NO_KEY: there is none. */
static inline phx_sort_key_format sort_key_format_of(const phx_store *store)
{
    return (phx_sort_key_format){store->name, phx_order_bits(store->id_bits, store->kind_bits), store->kind_bits};
}

/* Places the targets of one change if there are no keys for all names; there may be keys for these. */
static void place_alone(const phx_shard *shard, const uint32_t *targets, uint32_t count, uint32_t first,
                        uint32_t *place)
{
    const phx_store *store = &shard->store;
    const phx_sort_key_format by = {store->name, phx_target_bits(store, targets, count), store->kind_bits};
    const phx_unsorted_events of = {targets, &count, &first, 1};
    if (by.bits == PHX_ORDER_NO_KEY) place_wide(shard, targets, count, first, place);
    else shard->kernels->order_keys(&by, &of, place);
}

typedef uint64_t halves __attribute__((vector_size(16)));
_Static_assert(sizeof(ph_target) == sizeof(halves) && offsetof(ph_target, id) == 0, "a target is written at once");

/* user_data: the store's. */
static inline void write_name(const phx_event_columns *to, uint32_t at, const phx_name *name, const uint64_t *user_data,
                              phx_target_word target)
{
    const uint32_t slot = phx_target_word_slot(target);
    const phx_name *from = &name[slot];
    const halves both = {from->id, user_data ? user_data[slot] : 0}; /* in the order of ph_target */
    memcpy(&to->targets[at], &both, sizeof both);
    to->kinds[at] = from->kind;
    to->incarnations[at] = from->incarnation;
}

/* Places the targets of all changes that wait. */
static void place_all(phx_event_writer *writer)
{
    const phx_shard *shard = writer->shard;
    const phx_unsorted_events of = {writer->targets, writer->end, writer->first, writer->changes};
    const phx_sort_key_format by = sort_key_format_of(&shard->store);
    phx_validate_key_bits(&shard->store, of.targets, writer->count);
    if (PHX_LIKELY(by.bits != PHX_ORDER_NO_KEY)) {
        shard->kernels->order_keys(&by, &of, writer->place);
    } else {
        for (uint32_t c = 0, at = 0; c < of.count; at = of.end[c++])
            place_alone(shard, of.targets + at, of.end[c] - at, of.first[c], writer->place + at);
    }
    for (uint32_t c = 0, at = 0; c < of.count; at = of.end[c++])
        for (uint32_t i = at; i < of.end[c]; i++) PHX_VALIDATE(writer->place[i] - of.first[c] < of.end[c] - at);
}

/* Writes the names of these targets, in order from one place on; or each at its own place. */
static inline void write_names(const phx_store *store, phx_event_columns to, const uint32_t *targets, uint32_t count,
                               const uint32_t *place, uint32_t first)
{
    const phx_name *name = store->name; /* the columns may alias the fields */
    const uint64_t *user_data = store->user_data;
    if (user_data) /* outside of the loop: inside it costs 3 % of a crowd's tick */
        for (uint32_t i = 0; i < count; i++)
            write_name(&to, place ? place[i] : first + i, name, user_data, phx_target_word_at(targets, i));
    else
        for (uint32_t i = 0; i < count; i++)
            write_name(&to, place ? place[i] : first + i, name, NULL, phx_target_word_at(targets, i));
}

void phx_event_writer_flush(phx_event_writer *writer)
{
    const phx_store *store = &writer->shard->store;
    if (writer->count == 0) return;
    place_all(writer);
    if (!writer->mixed) {
        write_names(store, writer->to[0], writer->targets, writer->count, writer->place, 0);
    } else {
        for (uint32_t c = 0, at = 0; c < writer->changes; at = writer->end[c++])
            write_names(store, writer->to[c], writer->targets + at, writer->end[c] - at, writer->place + at, 0);
    }
    writer->mixed = false;
    writer->count = writer->changes = 0;
}

void phx_event_writer_add(phx_event_writer *writer, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first)
{
    const uint32_t *from = scratch->targets + change->target_first, count = change->leave_count + change->enter_count;
    bool fits = writer->count + count <= PHX_ORDER_MOST && !change->ordered;
    if (writer->count > 0 && !(fits && from == writer->targets + writer->count)) phx_event_writer_flush(writer);
    if (change->ordered) {
        write_names(&writer->shard->store, *to, from, count, NULL, first);
        return;
    }
    PHX_ASSERT(0 < count && count <= PHX_ORDER_SHORT_MAX);
    if (writer->count == 0) writer->targets = from;
    else writer->mixed |= to->targets != writer->to[writer->changes - 1].targets;
    writer->count += count;
    writer->to[writer->changes] = *to;
    writer->first[writer->changes] = first;
    writer->end[writer->changes++] = writer->count;
}
