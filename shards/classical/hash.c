/*
 * index = hash: square cells as in grid, but without an array of cells: the slots of a cell are in the bucket to which
 * its coordinates hash, with slots of other cells, which are filtered. So memory follows entities, however large the
 * world. A change of a cell is marked in a bucket of another hash, which is the same in all worlds: so the number of
 * evaluated observers does not depend on the world's hash key. See README.md; written in the index phase, read in the
 * interest phase (index.h).
 */
#include "shards/classical/hash.h"

#include <string.h>

#include "base/rng.h"
#include "shards/classical/cells.h"
#include "shards/entity/entity_store.h"

/* Buckets are a power of two, at least this many for a slot: then a chain mostly has slots of one cell. */
enum { BUCKETS_PER_SLOT = 4 };

typedef struct hash {
    phx_index index;
    phx_uniform_cells cells;
    phx_chain *buckets;
    phx_link *links;       /* by slot */
    uint32_t bucket_count; /* 0: none yet */
    uint32_t buckets_capacity, links_capacity;
    uint32_t tick;
    bool all;   /* all slots were inserted anew in this tick */
    bool grown; /* they were, before the tick began */
} hash;

static bool hash_index_init(phx_index *index)
{
    hash *own = (hash *)index;
    own->cells.origin[0] = index->env.rules->origin[0];
    own->cells.origin[1] = index->env.rules->origin[1];
    return true;
}

static void hash_index_release(phx_index *index)
{
    hash *own = (hash *)index;
    phx_mem *mem = index->env.mem;
    phx_release(mem, (void **)&own->buckets, &own->buckets_capacity, sizeof *own->buckets);
    phx_release(mem, (void **)&own->links, &own->links_capacity, sizeof *own->links);
}

/* ---- cells ---- */

/* The chain with the slots of a cell. */
static inline phx_chain *cell_bucket(const hash *own, int32_t x, int32_t y)
{
    return &own->buckets[phx_index_cell_hash(&own->index.env, x, y) & (own->bucket_count - 1)];
}

/* The mark of changes of a cell. */
static inline uint32_t *mark_of(const hash *own, int32_t x, int32_t y)
{
    uint64_t cell = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    return &own->buckets[phx_mix64(cell) & (own->bucket_count - 1)].changed;
}

static void put_in_bucket(hash *own, uint32_t slot)
{
    const phx_body *body = &own->index.env.store->body[slot];
    phx_link *link = &own->links[slot];
    link->x = phx_cell_of(&own->cells, 0, body->x);
    link->y = phx_cell_of(&own->cells, 1, body->y);
    phx_chain_put(cell_bucket(own, link->x, link->y), own->links, slot);
    *mark_of(own, link->x, link->y) = own->tick;
}

/* Empties the buckets and inserts all slots; changes are unknown then. */
static void put_all_in_buckets(hash *own)
{
    const phx_store *store = own->index.env.store;
    memset(own->buckets, 0, own->bucket_count * sizeof *own->buckets);
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if (store->body[slot].state & PHX_SLOT_ROW) put_in_bucket(own, slot);
    own->index.counts.steps += own->cells.count;
}

/* ---- index phase ---- */

/* Makes enough buckets for so many slots. false = no memory. */
static bool reserve_cell_buckets(hash *own, uint32_t slots)
{
    enum { AT_LEAST = 256 };
    uint64_t count = AT_LEAST;
    while (count < BUCKETS_PER_SLOT * (uint64_t)slots) count *= 2;
    if (count <= own->bucket_count) return true;
    if (!phx_grow(own->index.env.mem, (void **)&own->buckets, &own->buckets_capacity, own->bucket_count, count,
                  sizeof *own->buckets))
        return false;
    own->bucket_count = (uint32_t)count;
    own->grown = true;
    put_all_in_buckets(own);
    return true;
}

static bool hash_index_reserve(phx_index *index, uint32_t slots)
{
    hash *own = (hash *)index;
    float side;
    if (own->cells.side == 0.0f && phx_cells_choose(&own->cells, index, &side)) own->cells.side = side;
    return phx_grow(index->env.mem, (void **)&own->links, &own->links_capacity, own->links_capacity, slots,
                    sizeof *own->links) &&
           reserve_cell_buckets(own, slots);
}

static void hash_index_begin_tick(phx_index *index, uint64_t tick)
{
    hash *own = (hash *)index;
    own->tick = (uint32_t)tick;
    own->all = own->grown;
    own->grown = false;
}

static void hash_index_insert(phx_index *index, uint32_t slot)
{
    hash *own = (hash *)index;
    put_in_bucket(own, slot);
    own->cells.count++;
    index->counts.steps++;
}

static void hash_index_remove(phx_index *index, uint32_t slot)
{
    hash *own = (hash *)index;
    const phx_link *link = &own->links[slot];
    phx_chain_remove(cell_bucket(own, link->x, link->y), own->links, slot);
    *mark_of(own, link->x, link->y) = own->tick;
    own->cells.count--;
    index->counts.steps++;
}

static void hash_index_move(phx_index *index, uint32_t slot)
{
    hash *own = (hash *)index;
    const phx_body *body = &index->env.store->body[slot];
    const phx_link *link = &own->links[slot];
    *mark_of(own, link->x, link->y) = own->tick;
    bool stays = link->x == phx_cell_of(&own->cells, 0, body->x) && link->y == phx_cell_of(&own->cells, 1, body->y);
    if (stays) return;
    phx_chain_remove(cell_bucket(own, link->x, link->y), own->links, slot);
    put_in_bucket(own, slot);
    index->counts.steps++;
}

/* Chooses another side if it is better: then all slots are inserted anew. */
static bool hash_index_end_changes(phx_index *index)
{
    hash *own = (hash *)index;
    float side;
    if (!phx_cells_choose(&own->cells, index, &side)) return true;
    own->cells.side = side;
    put_all_in_buckets(own);
    own->all = true;
    return true;
}

/* ---- reading ---- */

/* The cells of a box. */
typedef struct patch {
    int32_t x0, y0, x1, y1;
    bool wide; /* more cells than there are entities */
} patch;

static patch box_buckets(const hash *own, phx_box box)
{
    patch at = {phx_cell_of(&own->cells, 0, box.x0), phx_cell_of(&own->cells, 1, box.y0),
                phx_cell_of(&own->cells, 0, box.x1), phx_cell_of(&own->cells, 1, box.y1), false};
    at.wide = phx_cells_in(at.x0, at.y0, at.x1, at.y1) > own->cells.count;
    return at;
}

static void hash_index_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const hash *own = (const hash *)index;
    phx_pieces pieces;
    if (own->cells.count == 0) return;
    phx_pieces_open(&pieces, sink);
    patch at = box_buckets(own, box);
    if (at.wide) {
        phx_cells_all(index, box, sink);
        return;
    }
    sink->visited += phx_cells_in(at.x0, at.y0, at.x1, at.y1);
    for (int32_t y = at.y0; y <= at.y1; y++)
        for (int32_t x = at.x0; x <= at.x1; x++)
            for (uint32_t n = cell_bucket(own, x, y)->first; n; n = own->links[n - 1].next)
                if (own->links[n - 1].x == x && own->links[n - 1].y == y) phx_pieces_add(&pieces, n - 1);
    phx_pieces_flush(&pieces);
}

static bool hash_index_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const hash *own = (const hash *)index;
    patch at = box_buckets(own, box);
    (void)observer;
    if (at.wide || own->all) return true;
    for (int32_t y = at.y0; y <= at.y1; y++)
        for (int32_t x = at.x0; x <= at.x1; x++)
            if (*mark_of(own, x, y) == own->tick) return true; /* it may be another cell's */
    return false;
}

/* Is every slot that is in, and no other, in the chain of its cell's bucket? */
static bool hash_index_valid(const phx_index *index)
{
    const hash *own = (const hash *)index;
    const phx_store *store = index->env.store;
    uint32_t count = 0;
    if (!phx_index_has_all(index, own->cells.count)) return false;
    for (uint32_t i = 0; i < own->bucket_count; i++) {
        for (uint32_t n = own->buckets[i].first, prev = 0; n; prev = n, n = own->links[n - 1].next, count++) {
            const phx_body *body = &store->body[n - 1];
            const phx_link *link = &own->links[n - 1];
            if (!(body->state & PHX_SLOT_LIVE) || link->prev != prev ||
                cell_bucket(own, link->x, link->y) != &own->buckets[i] ||
                link->x != phx_cell_of(&own->cells, 0, body->x) || link->y != phx_cell_of(&own->cells, 1, body->y))
                return false;
        }
    }
    return count == own->cells.count;
}

const phx_index_ops phx_index_hash = {
    .bytes = sizeof(hash),
    .init = hash_index_init,
    .release = hash_index_release,
    .reserve = hash_index_reserve,
    .begin = hash_index_begin_tick,
    .insert = hash_index_insert,
    .remove = hash_index_remove,
    .move = hash_index_move,
    .turn = hash_index_end_changes,
    .around = hash_index_around,
    .any_dirty_near = hash_index_dirty,
    .valid = hash_index_valid,
};
