/*
 * Depths of attached entities; see attach_depth.h.
 */
#include "world/table/attach_depth.h"

_Static_assert(PH_ATTACH_DEPTH_MAX < 16, "a depth has four bits");

void phx_depths_init(phx_depths *depths, phx_mem *mem)
{
    depths->changed = false;
    phx_idmap_init(&depths->of, mem);
}

void phx_depths_free(phx_depths *depths)
{
    phx_idmap_free(&depths->of);
}

bool phx_depths_reserve(phx_depths *depths)
{
    return phx_idmap_reserve(&depths->of, phx_idmap_count(&depths->of) + 1);
}

void phx_depths_set(phx_depths *depths, uint64_t id, uint32_t depth)
{
    uint64_t *of = phx_idmap_find(&depths->of, id);
    PHX_ASSERT(depth <= PH_ATTACH_DEPTH_MAX);
    depths->changed = true;
    if (of) *of = (*of & ~(uint64_t)15) | depth;
    else if (depth > 0) phx_idmap_insert(&depths->of, id, depth);
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
}

/* ---- order ---- */

typedef struct arranging {
    const phx_depths *depths;
    phx_event_columns events;
    bool enters;
    uint32_t depth; /* of enters, events with a smaller depth move to the front; of leaves, the others */
} arranging;

static bool in_front(const arranging *at, uint32_t i)
{
    uint64_t id = at->events.targets[i].id;
    return at->enters ? phx_depths_now(at->depths, id) < at->depth : phx_depths_before(at->depths, id) >= at->depth;
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
    while (first < end && in_front(at, first)) first++;
    if (end - first < 2) return first;
    uint32_t middle = first + (end - first) / 2;
    uint32_t a = partition_events(at, first, middle), b = partition_events(at, middle, end);
    reverse_events(at->events, a, middle); /* rotates the events between a and b: three reversals */
    reverse_events(at->events, middle, b);
    reverse_events(at->events, a, b);
    return a + (b - middle);
}

void phx_depths_arrange(const phx_depths *depths, phx_event_columns events, uint32_t count, bool enters)
{
    arranging at = {.depths = depths, .events = events, .enters = enters};
    uint32_t deepest = 0, first = 0, end = count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = events.targets[i].id;
        uint32_t depth = enters ? phx_depths_now(depths, id) : phx_depths_before(depths, id);
        if (depth > deepest) deepest = depth;
    }
    for (at.depth = 1; at.depth <= deepest; at.depth++) { /* deeper events are arranged by the next round */
        uint32_t border = partition_events(&at, first, end);
        if (enters) first = border;
        else end = border;
    }
}
