/*
 * Observers that a broadcast with a radius reaches; see broadcast_range.h.
 */
#include "shards/publish/broadcast_range.h"

static bool range_has(const phx_broadcast_range *range, float x, float y)
{
    float dx = x - range->x, dy = y - range->y;
    return dx * dx + dy * dy <= range->radius * range->radius;
}

static bool hides_source(const phx_shard *shard, const phx_broadcast_range *range, uint32_t observer)
{
    const phx_store *store = &shard->store;
    if (range->source == 0 || !(store->body[observer].state & PHX_SLOT_RELATED)) return false;
    const phx_relation_set *set = phx_relations_of(&shard->relations, observer);
    const phx_relation *relation = phx_relation_find(set, range->source);
    return relation && (relation->bits & PHX_RELATION_HIDE);
}

/* All of the rule but the distance and the list. */
static bool range_admits(const phx_shard *shard, const phx_broadcast_range *range, uint32_t source, bool self,
                         uint32_t observer)
{
    const phx_store *store = &shard->store;
    const phx_attr *attr = phx_store_attr(store, observer);
    if (!phx_attr_observes(attr) || store->tail[observer].list.owed) return false;
    if (attr->instance != range->instance) return false;
    if (observer == source) return self;
    return (attr->sees & range->layers) && !hides_source(shard, range, observer);
}

bool phx_broadcast_range_reaches(const phx_shard *shard, const phx_broadcast_range *range, uint32_t source, bool self,
                                 uint32_t observer)
{
    const phx_body *body = &shard->store.body[observer];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    return range_has(range, body->x, body->y) && range_admits(shard, range, source, self, observer);
}

uint32_t phx_broadcast_range_rows(const phx_shard *shard, const phx_broadcast_range *range, uint32_t source, bool self,
                                  phx_span span, uint32_t *out)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    uint32_t found = 0, n = 0;
    for (uint32_t row = span.first; row < span.end; row++) { /* without a branch: about every other one is in range */
        out[found] = row;
        found += range_has(range, rows->x[row], rows->y[row]) & (rows->view[row] != 0.0f);
    }
    for (uint32_t i = 0; i < found; i++) {
        uint32_t row = out[i];
        out[n] = row;
        n += range_admits(shard, range, source, self, phx_row_slot(rows, row));
    }
    return n;
}
