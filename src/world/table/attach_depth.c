/*
 * Depths of attached entities; see attach_depth.h.
 */
#include "world/table/attach_depth.h"

#include <string.h>

_Static_assert(PH_ATTACH_DEPTH_MAX < 16, "a depth has four bits");

enum {
    FILTER_PART = 16,    /* bits for each entry that there is room for: one id of 16 passes by chance */
    FILTER_BITS_MIN = 10 /* 128 bytes, as a power of two */
};

static size_t filter_bytes(uint32_t shift)
{
    return ((size_t)1 << (64 - shift)) / 8;
}

static void free_filter(phx_depths *depths)
{
    phx_free(depths->of.mem, depths->filter, depths->filter ? filter_bytes(depths->filter_shift) : 0, PHX_CACHE_LINE);
    depths->filter = NULL;
}

void phx_depths_init(phx_depths *depths, phx_mem *mem)
{
    *depths = (phx_depths){0};
    phx_idmap_init(&depths->of, mem);
}

void phx_depths_free(phx_depths *depths)
{
    free_filter(depths);
    phx_idmap_free(&depths->of);
}

static void set_filter_bit(phx_depths *depths, uint64_t id)
{
    const uint64_t bit = phx_depths_bit(depths, id);
    depths->filter[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* Sets the bits of all ids in a filter that is empty. */
static void fill_filter(phx_depths *depths)
{
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&depths->of); i++) {
        const uint64_t id = phx_idmap_bucket_at(&depths->of, i)->id;
        if (id != 0) set_filter_bit(depths, id);
    }
}

/* Makes the filter fit the map's room. false = no memory, unchanged. */
static bool fit_filter(phx_depths *depths)
{
    uint32_t shift = 64 - FILTER_BITS_MIN;
    while ((uint64_t)depths->of.limit * FILTER_PART >> (64 - shift)) shift--;
    if (depths->filter && depths->filter_shift <= shift) return true;
    uint64_t *filter = phx_alloc_zero(depths->of.mem, filter_bytes(shift), PHX_CACHE_LINE);
    if (!filter) return false;
    free_filter(depths);
    depths->filter = filter;
    depths->filter_shift = shift;
    fill_filter(depths);
    return true;
}

bool phx_depths_reserve(phx_depths *depths)
{
    return phx_idmap_reserve(&depths->of, phx_idmap_count(&depths->of) + 1) && fit_filter(depths);
}

void phx_depths_set(phx_depths *depths, uint64_t id, uint32_t depth)
{
    uint64_t *of = phx_idmap_find(&depths->of, id);
    PHX_ASSERT(depth <= PH_ATTACH_DEPTH_MAX);
    depths->changed = true;
    if (of) {
        *of = (*of & ~(uint64_t)15) | depth;
    } else if (depth > 0) {
        phx_idmap_insert(&depths->of, id, depth);
        set_filter_bit(depths, id);
    }
}

void phx_attach_depth_end_tick(phx_depths *depths)
{
    if (!depths->changed) return;
    depths->changed = false;
    for (uint64_t i = 0; i < phx_idmap_bucket_count(&depths->of);) {
        uint64_t id = phx_idmap_bucket_at(&depths->of, i)->id;
        uint64_t now = id != 0 ? phx_depths_now(depths, id) : 0;
        if (id != 0 && now == 0) {
            phx_idmap_remove(&depths->of, id); /* another entry may move into its bucket: the bucket is visited again */
            continue;
        }
        if (id != 0) *phx_idmap_find(&depths->of, id) = now << 4 | now;
        i++;
    }
    if (!depths->filter) return;
    memset(depths->filter, 0, filter_bytes(depths->filter_shift));
    fill_filter(depths);
}

/* ---- order ---- */

typedef struct arranging {
    const phx_depths *depths;
    phx_event_columns events;
    bool enters;
    uint32_t depth; /* deep events, with this depth or more, go behind the others; of leaves, before them */
} arranging;

enum { PIECE = 64 }; /* events that are parted at once */

/* Finds the places of deep events, of few; most events are none, and of most of these the filter tells. */
static uint32_t find_deep(const arranging *at, uint32_t first, uint32_t end, uint32_t deep[PIECE])
{
    const ph_target *targets = at->events.targets;
    uint32_t passed = 0, count = 0;
    for (uint32_t i = first; i < end; i++) { /* no branch: it would be mispredicted */
        deep[passed] = i;
        passed += phx_depths_may_have(at->depths, targets[i].id);
    }
    for (uint32_t i = 0; i < passed; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): the loop above wrote `passed` of them */
        const uint64_t id = targets[deep[i]].id;
        deep[count] = deep[i];
        count += (at->enters ? phx_depths_now(at->depths, id) : phx_depths_before(at->depths, id)) >= at->depth;
    }
    return count;
}

/* The places of deep events among events first .. end. */
typedef struct deep_places {
    const uint32_t *at;
    uint32_t count, first, end;
} deep_places;

/* Of one column, items of so many bytes: deep ones go to the end, the others close up. */
static inline void move_deep_back(char *column, size_t item, deep_places deep)
{
    char saved[PIECE * sizeof(ph_target)];
    for (uint32_t i = 0; i < deep.count; i++) memcpy(saved + i * item, column + deep.at[i] * item, item);
    for (uint32_t i = 0; i < deep.count; i++) {
        const uint32_t from = deep.at[i] + 1, to = i + 1 < deep.count ? deep.at[i + 1] : deep.end;
        memmove(column + (from - i - 1) * item, column + from * item, (to - from) * item);
    }
    memcpy(column + (deep.end - deep.count) * item, saved, deep.count * item);
}

/* The same: deep ones go to the begin. */
static inline void move_deep_front(char *column, size_t item, deep_places deep)
{
    char saved[PIECE * sizeof(ph_target)];
    for (uint32_t i = 0; i < deep.count; i++) memcpy(saved + i * item, column + deep.at[i] * item, item);
    for (uint32_t i = deep.count; i-- > 0;) {
        const uint32_t from = i > 0 ? deep.at[i - 1] + 1 : deep.first, to = deep.at[i];
        memmove(column + (from + deep.count - i) * item, column + from * item, (to - from) * item);
    }
    memcpy(column + deep.first * item, saved, deep.count * item);
}

static void move_deep(const arranging *at, deep_places deep)
{
    const phx_event_columns *events = &at->events;
    void (*const move)(char *, size_t, deep_places) = at->enters ? move_deep_back : move_deep_front;
    move((char *)events->targets, sizeof *events->targets, deep);
    move((char *)events->kinds, sizeof *events->kinds, deep);
    move((char *)events->incarnations, sizeof *events->incarnations, deep);
    move((char *)events->causes, sizeof *events->causes, deep);
    if (events->positions) move((char *)events->positions, sizeof *events->positions, deep);
}

/* Parts a piece; returns where its back part begins. */
static uint32_t partition_piece(const arranging *at, uint32_t first, uint32_t end)
{
    uint32_t places[PIECE];
    const deep_places deep = {places, find_deep(at, first, end, places), first, end};
    if (deep.count > 0) move_deep(at, deep);
    return at->enters ? end - deep.count : first + deep.count;
}

static void swap_events(phx_event_columns events, uint32_t i, uint32_t j)
{
    if (events.positions) {
        const ph_position position = events.positions[i];
        events.positions[i] = events.positions[j];
        events.positions[j] = position;
    }
    ph_target target = events.targets[i];
    uint16_t kind = events.kinds[i];
    uint32_t incarnation = events.incarnations[i];
    uint8_t cause = events.causes[i];
    events.targets[i] = events.targets[j];
    events.kinds[i] = events.kinds[j];
    events.incarnations[i] = events.incarnations[j];
    events.causes[i] = events.causes[j];
    events.targets[j] = target;
    events.kinds[j] = kind;
    events.incarnations[j] = incarnation;
    events.causes[j] = cause;
}

static void reverse_events(phx_event_columns events, uint32_t first, uint32_t end)
{
    for (; first + 1 < end; first++, end--) swap_events(events, first, end - 1);
}

/*
 * Moves events of the front part to the front, in place; both parts keep their order. Returns where the other part
 * begins.
 */
static uint32_t partition_events(const arranging *at, uint32_t first, uint32_t end)
{
    if (end - first <= PIECE) return partition_piece(at, first, end);
    uint32_t middle = first + (end - first) / 2;
    uint32_t a = partition_events(at, first, middle), b = partition_events(at, middle, end);
    if (a == middle) return b;
    if (b == middle) return a;
    reverse_events(at->events, a, middle); /* rotates the events between a and b: three reversals */
    reverse_events(at->events, middle, b);
    reverse_events(at->events, a, b);
    return a + (b - middle);
}

void phx_depths_arrange(const phx_depths *depths, phx_event_columns events, uint32_t count, bool enters)
{
    arranging at = {.depths = depths, .events = events, .enters = enters};
    uint32_t first = 0, end = count;
    for (at.depth = 1; end - first > 1; at.depth++) { /* deeper events are arranged by the next round */
        uint32_t border = partition_events(&at, first, end);
        if (enters) first = border;
        else end = border;
    }
}
