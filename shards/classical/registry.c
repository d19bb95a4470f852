/*
 * The registry of classical indexes, and their update; see registry.h. An index is made with its shard and updated by
 * the shard's owner in the index phase.
 */
#include "shards/classical/registry.h"

#include "shards/entity/entity_store.h"

#ifdef PHX_CLASSICAL_INDEXES
#include "shards/classical/brute.h"
#include "shards/classical/crosslist.h"
#include "shards/classical/grid.h"
#include "shards/classical/hash.h"
#include "shards/classical/hex.h"
#include "shards/classical/quadtree.h"
#include "shards/classical/timer.h"
#include "shards/classical/towers.h"

/* By ph_index; the lighthouse is none. */
static const phx_index_ops *const index_tables[] = {
    [PH_INDEX_BRUTE] = &phx_index_brute,   [PH_INDEX_GRID] = &phx_index_grid,
    [PH_INDEX_HASH] = &phx_index_hash,     [PH_INDEX_CROSSLIST] = &phx_index_crosslist,
    [PH_INDEX_TOWERS] = &phx_index_towers, [PH_INDEX_QUADTREE] = &phx_index_quadtree,
    [PH_INDEX_HEX] = &phx_index_hex,       [PH_INDEX_TIMER] = &phx_index_timer,
};

const phx_index_ops *phx_index_ops_of(ph_index which)
{
    return (size_t)which < sizeof index_tables / sizeof *index_tables ? index_tables[which] : NULL;
}
#else
const phx_index_ops *phx_index_ops_of(ph_index which)
{
    (void)which; /* none is built in: PHAROS_CLASSICAL_INDEXES is OFF */
    return NULL;
}
#endif

phx_index *phx_index_make(ph_index which, const phx_index_env *env)
{
    const phx_index_ops *ops = phx_index_ops_of(which);
    PHX_ASSERT(ops);
    phx_index *index = phx_alloc_zero(env->mem, ops->bytes, PHX_CACHE_LINE);
    if (!index) return NULL;
    index->ops = ops;
    index->env = *env;
    if (!ops->init || ops->init(index)) return index;
    phx_index_free(index);
    return NULL;
}

void phx_index_free(phx_index *index)
{
    if (!index) return;
    phx_mem *mem = index->env.mem;
    const size_t bytes = index->ops->bytes;
    index->ops->release(index);
    phx_free(mem, index, bytes, PHX_CACHE_LINE);
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
        index->given = index->turned = false;
    }
    for (uint32_t slot = 0; !index->given && slot < store->slots; slot++)
        if (store->body[slot].changed == stamp) report_slot(index, &store->body[slot], slot);
    index->given = true;
    index->turned = index->turned || !index->ops->turn || index->ops->turn(index);
    return index->turned;
}
