/*
 * Far parts of derived lists; see far_list.h.
 */
#include "shards/query/far_list.h"

enum { ROWS_OF_CELLS = 3 };

/* Opens the next range of entries, which may be empty. false = there is none. */
static bool open_far_part(phx_far_walk *walk)
{
    const phx_far *far = &walk->shard->far;
    const phx_body *body = &walk->shard->store.body[walk->slot];
    const uint32_t instance = phx_store_instance(&walk->shard->store, walk->slot), part = walk->part++;
    walk->at = walk->end = 0;
    if (part == 0) {
        if (far->global_count > 0) phx_far_globals(far, instance, &walk->at, &walk->end);
        return true;
    }
    const uint32_t level = (part - 1) / ROWS_OF_CELLS, row = (part - 1) % ROWS_OF_CELLS;
    const uint32_t levels = far->levels >> level;
    if (levels == 0) return false;
    if (levels & 1) phx_far_row(far, instance, level, body->tx, body->ty, (int)row - 1, &walk->at, &walk->end);
    else walk->part = 1 + ROWS_OF_CELLS * (level + (uint32_t)__builtin_ctz(levels)); /* the next level with a target */
    return true;
}

bool phx_far_walk_next(phx_far_walk *walk, uint32_t *target)
{
    const phx_shard *shard = walk->shard;
    const phx_store *store = &shard->store;
    const phx_attr *own = phx_store_attr(store, walk->slot);
    if (shard->far.entry_count == 0) return false;
    for (;;) {
        while (walk->at == walk->end)
            if (!open_far_part(walk)) return false;
        *target = shard->far.entries[walk->at++].slot;
        const phx_attr *attr = phx_store_attr(store, *target);
        if (*target != walk->slot && phx_far_seen(own, attr) && !phx_related_to(shard, walk->related, *target) &&
            phx_rule_sees(shard->rules, &store->body[walk->slot], own, &store->body[*target], attr, NULL, false))
            return true;
    }
}

/* Was a noted target within its reach of the observer? */
static bool was_in_reach(const phx_far_before *target, const phx_far_observer *observer, const phx_prev_rows *previous)
{
    const phx_far_offset off = {target->x - observer->x, target->y - observer->y, target->z - observer->z};
    return phx_far_within(off, target->reach, previous->shape, previous->height);
}

bool phx_far_list_before(const phx_shard *shard, const phx_far_observer *observer, uint32_t *at, uint32_t *target)
{
    const phx_far *far = &shard->far;
    while (*at < far->before_count) {
        const phx_far_before *before = &far->before[(*at)++];
        if (!(before->reach > observer->attr->view) || before->slot == observer->slot) continue;
        if (!was_in_reach(before, observer, &shard->previous)) continue;
        *target = before->slot;
        if (phx_layers_match(observer->attr, phx_prev_rows_attr_of(&shard->previous, &shard->store, before->slot)))
            return true;
    }
    return false;
}
