/*
 * Looks of points: kind, bits and step in a word; see describe.h. By all workers, at the end of a tick.
 */
#include "world/monitor/describe.h"

void phx_describe_begin(phx_staged_points *staged, uint8_t detect)
{
    staged->count = 0;
    staged->detect = detect;
    for (uint32_t i = 0; i < PHX_STAGE_SETS; i++) staged->sets[i].set = UINT32_MAX;
}

static phx_set_point point_of(const phx_store *store, uint32_t set, uint8_t detect)
{
    const phx_attr *attr = &store->sets.attr[set];
    const uint32_t bits = (phx_attr_observes(attr) ? PH_POINT_OBSERVER : 0u) |
                          (attr->ready_given ? 0u : PH_POINT_NOT_READY) | (attr->global ? PH_POINT_GLOBAL : 0u) |
                          (attr->veiled ? PH_POINT_VEILED : 0u);
    const uint32_t step =
        (attr->remote ? PH_POINT_STEP_REMOTE : 0u) | (attr->stealth > detect ? PH_POINT_STEP_STEALTHY : 0u);
    return (phx_set_point){set, attr->kind | bits << PHX_LOOK_BITS | step << PHX_LOOK_STEP};
}

/* Is its list as long as its cap? The count of a derived one is 1 more than the targets that may join it. */
static inline bool is_capped(const phx_store *store, uint32_t slot)
{
    const phx_list *list = &store->tail[slot].list;
    const uint32_t cap = phx_store_attr(store, slot)->cap;
    return cap > 0 && (list->derived ? list->count == 1 : list->count >= cap);
}

/* Bits that few worlds have. */
static void add_rare_bits(const phx_world *world, const phx_shard *shard, uint32_t first, phx_staged_points *staged)
{
    const phx_store *store = &shard->store;
    const bool attached = phx_idmap_count(&world->attach.parent_of) > 0;
    const bool any_shrunk = phx_idmap_count(&world->crowd.shrunk) > 0;
    for (uint32_t i = first; i < staged->count; i++) {
        const uint32_t slot = staged->slots[i];
        const uint64_t id = store->name[slot].id;
        uint32_t bits = 0;
        if (is_capped(store, slot)) bits |= PH_POINT_CAPPED;
        if (store->body[slot].state & PHX_SLOT_PARTIAL) bits |= PH_POINT_WAITS;
        if (phx_activation_is(&shard->zones.activation, slot)) bits |= PH_POINT_AWAKE;
        if (attached && phx_idmap_find(&world->attach.parent_of, id)) bits |= PH_POINT_ATTACHED;
        const uint64_t *shrunk = any_shrunk ? phx_idmap_find(&world->crowd.shrunk, id) : NULL;
        const uint32_t step = shrunk ? (uint8_t)(*shrunk >> 32) : 0;
        staged->looks[i] |= bits << PHX_LOOK_BITS | step << PHX_LOOK_STEP;
    }
}

void phx_describe_points(const phx_world *world, const phx_shard *shard, uint32_t slot_first, uint32_t first,
                         phx_staged_points *staged)
{
    const phx_store *store = &shard->store;
    const uint32_t count = staged->count;
    for (uint32_t i = first; i < count; i++) {
        const uint32_t set = store->set[staged->slots[i]];
        phx_set_point *point = &staged->sets[set % PHX_STAGE_SETS];
        if (PHX_UNLIKELY(point->set != set)) *point = point_of(store, set, staged->detect);
        staged->looks[i] = point->look;
    }
    if (shard->limited || shard->zones.activation.slots > 0 || phx_idmap_count(&world->attach.parent_of) > 0 ||
        phx_idmap_count(&world->crowd.shrunk) > 0)
        add_rare_bits(world, shard, first, staged);
    for (uint32_t i = first; i < count; i++) staged->slots[i] += slot_first;
}
