/*
 * The registry of classical indexes, and their update; see registry.h. An index is made with its shard and updated by
 * the shard's owner in the index phase.
 */
#include "shards/index/registry.h"

#include "shards/entity/entity_store.h"

extern const phx_index_ops phx_index_brute, phx_index_grid, phx_index_hash, phx_index_crosslist, phx_index_towers,
    phx_index_quadtree, phx_index_hex, phx_index_timer;

const phx_index_ops *phx_index_ops_of(ph_index which)
{
    switch (which) {
    case PH_INDEX_BRUTE:
        return &phx_index_brute;
    case PH_INDEX_GRID:
        return &phx_index_grid;
    case PH_INDEX_HASH:
        return &phx_index_hash;
    case PH_INDEX_CROSSLIST:
        return &phx_index_crosslist;
    case PH_INDEX_TOWERS:
        return &phx_index_towers;
    case PH_INDEX_QUADTREE:
        return &phx_index_quadtree;
    case PH_INDEX_HEX:
        return &phx_index_hex;
    case PH_INDEX_TIMER:
        return &phx_index_timer;
    default:
        return NULL;
    }
}

phx_index *phx_index_make(ph_index which, const phx_index_env *env)
{
    const phx_index_ops *ops = phx_index_ops_of(which);
    PHX_ASSERT(ops);
    phx_index *index = ops->make(env);
    if (!index) return NULL;
    index->ops = ops;
    index->env = *env;
    return index;
}

void phx_index_free(phx_index *index)
{
    if (index) index->ops->free(index);
}

static void report_slot(phx_index *index, phx_body *body, uint32_t slot)
{
    bool live = body->state & PHX_SLOT_LIVE, in = body->state & PHX_SLOT_ROW;
    if (live && in) index->ops->move(index, slot);
    else if (live) index->ops->insert(index, slot);
    else if (in) index->ops->remove(index, slot);
    index->counts.moves += live || in;
    body->state = (uint16_t)(live ? body->state | PHX_SLOT_ROW : body->state & ~PHX_SLOT_ROW);
}

bool phx_index_update(phx_index *index, phx_store *store, uint64_t tick, uint16_t stamp)
{
    if (index->tick != tick) {
        if (!index->ops->reserve(index, store->slots)) return false;
        if (index->ops->begin) index->ops->begin(index, tick);
        index->tick = tick;
        index->told = index->turned = false;
    }
    for (uint32_t slot = 0; !index->told && slot < store->slots; slot++)
        if (store->body[slot].changed == stamp) report_slot(index, &store->body[slot], slot);
    index->told = true;
    index->turned = index->turned || !index->ops->turn || index->ops->turn(index);
    return index->turned;
}
