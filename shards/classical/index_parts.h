/*
 * Parts that the classical indexes share: the view of an observer, candidates in pieces, notes of changed slots, arrays
 * by slot that begin as 0. Written in the index phase by the shard's owner, read by any worker later; see
 * shards/index/index.h.
 */
#ifndef PHX_SHARDS_CLASSICAL_INDEX_PARTS_H
#define PHX_SHARDS_CLASSICAL_INDEX_PARTS_H

#include <string.h>

#include "shards/index/index.h"

/* Hash of a cell for a table keyed by cells, as positions come from outside. */
static inline uint64_t phx_index_cell_hash(const phx_index_env *env, int32_t x, int32_t y)
{
    return phx_hash_any(env->mem->key, (uint64_t)(uint32_t)x << 32 | (uint32_t)y);
}

/*
 * The radius of an own observer: view + margin, perhaps infinite. Below 0: the slot is no observer (a ghost, a mere
 * target, not ready).
 */
static inline float phx_index_radius(const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    return (store->body[slot].state & PHX_SLOT_OWN) && phx_attr_observes(attr) ? attr->view + attr->margin : -1.0f;
}

/* Its box. */
static inline phx_box phx_index_box(const phx_store *store, uint32_t slot, float radius)
{
    return phx_box_around(store->body[slot].x, store->body[slot].y, radius);
}

/* ---- candidates ---- */

enum { PHX_PIECE_SLOTS = 256 };

/* Candidates for a sink, collected in pieces. */
typedef struct phx_pieces {
    phx_sink *sink;
    uint32_t count;
    uint32_t slots[PHX_PIECE_SLOTS];
} phx_pieces;

/* Begins; slots[] stays as it is. */
static inline void phx_pieces_open(phx_pieces *pieces, phx_sink *sink)
{
    pieces->sink = sink;
    pieces->count = 0;
}

/* Ends; what is left goes to the sink. */
static inline void phx_pieces_flush(phx_pieces *pieces)
{
    if (pieces->count > 0) pieces->sink->take(pieces->sink, pieces->slots, pieces->count);
    pieces->count = 0;
}

/* Adds a slot if it `counts`, without a branch on that. */
static inline void phx_pieces_add_if(phx_pieces *pieces, uint32_t slot, bool counts)
{
    pieces->slots[pieces->count] = slot;
    pieces->count += counts;
    if (pieces->count == PHX_PIECE_SLOTS) phx_pieces_flush(pieces);
}

static inline void phx_pieces_add(phx_pieces *pieces, uint32_t slot)
{
    phx_pieces_add_if(pieces, slot, true);
}

/* Gives a whole set of slots. */
static inline void phx_sink_give(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    if (count > 0) sink->take(sink, slots, count);
}

/* ---- notes ---- */

/* Slots that changed in this tick, in the order of slots. */
typedef struct phx_slot_notes {
    uint32_t *slots;
    uint32_t count, capacity;
} phx_slot_notes;

/* Room for notes of so many slots. false = no memory. */
static inline bool phx_slot_notes_reserve(phx_slot_notes *notes, phx_mem *mem, uint32_t slots)
{
    return phx_grow(mem, (void **)&notes->slots, &notes->capacity, notes->count, slots, sizeof(uint32_t));
}

static inline void phx_slot_notes_add(phx_slot_notes *notes, uint32_t slot)
{
    PHX_ASSERT(notes->count < notes->capacity);
    notes->slots[notes->count++] = slot;
}

static inline void phx_slot_notes_free(phx_slot_notes *notes, phx_mem *mem)
{
    phx_release(mem, (void **)&notes->slots, &notes->capacity, sizeof(uint32_t));
}

/* ---- arrays by slot ---- */

/* Grows an array of `slots` items that are all kept; new ones are 0. false = no memory, unchanged. */
static inline bool phx_grow_zeroed(phx_mem *mem, void **array, uint32_t *capacity, uint32_t slots, size_t item_bytes)
{
    const uint32_t before = *capacity;
    if (!phx_grow(mem, array, capacity, before, slots, item_bytes)) return false;
    if (*capacity > before) memset((char *)*array + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return true;
}

/* ---- validation ---- */

/* Are so many slots all live slots of the store? */
static inline bool phx_index_has_all(const phx_index *index, uint32_t count)
{
    return count == index->env.store->own_count + index->env.store->ghost_count;
}

#endif
