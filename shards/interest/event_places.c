/*
 * Places of events; see event_places.h.
 */
#include "shards/interest/event_places.h"

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

/* The depth that decides an event's place. */
static uint32_t look_up_depth(phx_event_writer *writer, uint64_t id, bool leaves)
{
    writer->depth_lookups++;
    return leaves ? phx_depths_before(writer->depths, id) : phx_depths_now(writer->depths, id);
}

/* Attached targets of a change are moved in the order of words: depth, rank among all, number in the change. */
enum { DEEP_DEPTH = 16, DEEP_RANK = 8, DEEP_TARGET = (1 << DEEP_RANK) - 1 };
_Static_assert(PHX_ORDER_SHORT_MAX <= 1 << DEEP_RANK, "a place and a number in a change have 8 bits each");

/*
 * Moves the places of a change's attached targets: a leave to the front, the deepest one last, an enter to the back,
 * the deepest one last. The others close up. deep: numbers of targets in the change that may be attached.
 */
static void move_deep(phx_event_writer *writer, uint32_t change, uint32_t begin, const uint32_t *deep, uint32_t passed)
{
    const uint32_t count = writer->end[change] - begin, first = writer->first[change];
    const uint32_t *targets = writer->targets + begin;
    uint32_t *place = writer->place + begin, order[PHX_ORDER_SHORT_MAX], n = 0;
    for (uint32_t d = 0; d < passed; d++) {
        const uint32_t target = deep[d] - begin, own = place[target] - first;
        const phx_target_word word = phx_target_word_at(targets, target);
        const bool leaves = phx_target_word_leaves(word);
        const uint32_t depth = look_up_depth(writer, phx_target_name(&writer->shard->store, word)->id, leaves);
        const uint32_t rank = leaves ? count - 1 - own : own;
        const uint32_t key = depth << DEEP_DEPTH | rank << DEEP_RANK | target;
        uint32_t at = n;
        n += depth > 0;
        for (; depth > 0 && at > 0 && order[at - 1] > key; at--) order[at] = order[at - 1];
        if (depth > 0) order[at] = key;
    }
    for (uint32_t o = 0; o < n; o++) {
        const uint32_t target = order[o] & DEEP_TARGET, own = place[target];
        const bool leaves = phx_target_word_leaves(phx_target_word_at(targets, target));
        if (leaves)
            for (uint32_t i = 0; i < count; i++) place[i] += place[i] < own;
        else
            for (uint32_t i = 0; i < count; i++) place[i] -= place[i] > own;
        place[target] = leaves ? first : first + count - 1;
    }
}

/* Moves the places of attached targets, of all that wait. Most targets are none, and of most of these a filter tells.
 */
static void move_all_deep(phx_event_writer *writer)
{
    const phx_name *name = writer->shard->store.name;
    uint32_t deep[PHX_ORDER_MOST], passed = 0;
    for (uint32_t i = 0; i < writer->count; i++) { /* no branch: it would be mispredicted */
        deep[passed] = i;
        passed +=
            phx_depths_may_have(writer->depths, name[phx_target_word_slot(phx_target_word_at(writer->targets, i))].id);
    }
    PHX_ASSERT(passed <= writer->count);
    for (uint32_t d = 0, c = 0; d < passed; c++) {
        uint32_t end = d;
        while (end < passed && deep[end] < writer->end[c]) end++;
        if (end > d) move_deep(writer, c, c > 0 ? writer->end[c - 1] : 0, deep + d, end - d);
        d = end;
    }
}

void phx_event_places_find(phx_event_writer *writer)
{
    place_all(writer);
    if (PHX_UNLIKELY(writer->depths != NULL)) move_all_deep(writer);
}

uint32_t phx_event_depth(phx_event_writer *writer, uint32_t slot, bool leaves)
{
    const uint64_t id = writer->shard->store.name[slot].id;
    if (PHX_LIKELY(!writer->depths || !phx_depths_may_have(writer->depths, id))) return 0;
    return look_up_depth(writer, id, leaves);
}

void phx_event_places_begin(phx_event_writer *writer, const uint32_t *slots, uint32_t count, bool leaves,
                            uint32_t first, uint32_t at[PH_ATTACH_DEPTH_MAX + 1])
{
    uint32_t of[PH_ATTACH_DEPTH_MAX + 1] = {0};
    for (uint32_t i = 0; writer->depths && i < count; i++) of[phx_event_depth(writer, slots[i], leaves)]++;
    for (uint32_t d = 0; d <= PH_ATTACH_DEPTH_MAX; d++) {
        const uint32_t depth = leaves ? PH_ATTACH_DEPTH_MAX - d : d;
        at[depth] = first;
        first += of[depth];
    }
}
