/*
 * Places of events; see event_places.h.
 */
#include "shards/interest/event_places.h"

#include "shards/interest/event_keys.h"

/* Places of few targets from `first` on in the order of events, leaves first, by all of depth, kind and id. */
static void place_wide(const phx_shard *shard, const phx_unsorted_events *of, uint32_t deepest, uint32_t *place)
{
    const uint32_t count = of->end[0], depths = deepest + 1;
    uint32_t first = of->first[0];
    for (uint32_t part = 0; part < 2 * depths; part++) {
        const bool leaves = part < depths;
        const uint32_t depth = leaves ? part : part - depths;
        uint64_t id[PHX_ORDER_SHORT_MAX];
        uint16_t kind[PHX_ORDER_SHORT_MAX];
        uint32_t which[PHX_ORDER_SHORT_MAX], at[PHX_ORDER_SHORT_MAX], n = 0;
        for (uint32_t i = 0; i < count; i++) {
            const phx_target_word word = phx_target_word_at(of->targets, i);
            const phx_name *name = phx_target_name(&shard->store, word);
            which[n] = i;
            id[n] = name->id;
            kind[n] = name->kind;
            n += phx_target_word_leaves(word) == leaves && (of->depths ? of->depths[i] : 0) == depth;
        }
        if (n > 0) shard->kernels->order(id, kind, n, at);
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): the loop above wrote n of them */
        for (uint32_t i = 0; i < n; i++) place[which[i]] = first + at[i];
        first += n;
    }
}

/* The key format of names that differ in these bits; bits = PHX_ORDER_NO_KEY: there is none. */
static inline phx_sort_key_format sort_key_format_of(const phx_event_writer *writer, uint32_t bits, uint32_t kinds)
{
    const uint32_t deepest = writer->depths ? writer->depths->deepest : 0;
    const uint32_t width = bits + phx_order_width(kinds) + phx_order_width(deepest);
    return (phx_sort_key_format){.name = writer->shard->store.name,
                                 .bits = width <= PHX_ORDER_KEY_BITS ? bits : PHX_ORDER_NO_KEY,
                                 .kinds = kinds,
                                 .deepest = deepest};
}

/* Places the targets of one change if there are no keys for all names; there may be keys for these. */
static void place_alone(const phx_event_writer *writer, const phx_unsorted_events *of, uint32_t *place)
{
    uint32_t kinds;
    const uint32_t bits = phx_target_bits(&writer->shard->store, of->targets, of->end[0], &kinds);
    const phx_sort_key_format by = sort_key_format_of(writer, bits, kinds);
    if (by.bits == PHX_ORDER_NO_KEY) place_wide(writer->shard, of, by.deepest, place);
    else writer->shard->kernels->order_keys(&by, of, place);
}

/* Places the targets of all changes that wait. */
static void place_all(phx_event_writer *writer)
{
    const phx_shard *shard = writer->shard;
    const uint32_t *depths = writer->depths ? writer->depth : NULL;
    const phx_unsorted_events of = {writer->targets, writer->end, writer->first, writer->changes, depths};
    const phx_sort_key_format by = sort_key_format_of(
        writer, phx_order_bits(shard->store.id_bits, shard->store.kind_bits), shard->store.kind_bits);
    phx_validate_key_bits(&shard->store, of.targets, writer->count);
    if (PHX_LIKELY(by.bits != PHX_ORDER_NO_KEY)) {
        shard->kernels->order_keys(&by, &of, writer->place);
    } else {
        for (uint32_t c = 0, at = 0; c < of.count; at = of.end[c++]) {
            const uint32_t count = of.end[c] - at;
            const phx_unsorted_events alone = {of.targets + at, &count, of.first + c, 1, depths ? depths + at : NULL};
            place_alone(writer, &alone, writer->place + at);
        }
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

/*
 * Finds the depths of all targets that wait: of a leave what is missing to the deepest, as children leave first. Most
 * targets are not attached, and of most of these a filter tells.
 */
static void find_depths(phx_event_writer *writer)
{
    const phx_depths *depths = writer->depths;
    const phx_name *name = writer->shard->store.name;
    const uint32_t deepest = depths->deepest, count = writer->count, *targets = writer->targets;
    uint32_t deep[PHX_ORDER_MOST], passed = 0;
    for (uint32_t i = 0; i < count; i++)
        writer->depth[i] = phx_target_word_leaves(phx_target_word_at(targets, i)) * deepest;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        deep[passed] = i;
        passed += phx_depths_may_have(depths, name[phx_target_word_slot(phx_target_word_at(targets, i))].id);
    }
    PHX_ASSERT(passed <= writer->count);
    for (uint32_t d = 0; d < passed; d++) {
        const phx_target_word word = phx_target_word_at(writer->targets, deep[d]);
        const bool leaves = phx_target_word_leaves(word);
        const uint32_t depth = look_up_depth(writer, name[phx_target_word_slot(word)].id, leaves);
        PHX_ASSERT(depth <= deepest);
        writer->depth[deep[d]] = leaves ? deepest - depth : depth;
    }
}

void phx_event_places_find(phx_event_writer *writer)
{
    if (PHX_UNLIKELY(writer->depths != NULL)) find_depths(writer);
    place_all(writer);
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
