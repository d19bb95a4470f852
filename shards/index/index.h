/*
 * The contract of an index other than the lighthouse: a structure over one shard's live entities (own ones and
 * ghosts) that proposes who may see whom. The rule of entity/visibility.h decides on every pair that it proposes, so
 * all indexes give the same events if only they leave out nobody; what differs is the work. README.md beside this has a
 * section for each.
 *
 * A shard with such an index has no rows, towers' marks, glances or implied lists: every observer's list is kept. Tiles
 * and cards are the lighthouse's. Pairs, links, far targets, caps, the deferred-add queue, migration and halo are the
 * shard's, an index knows nothing of them.
 *
 * Who calls what, in the order of a tick:
 *   reserve, begin, then insert / remove / move, then turn   index phase, the shard's owner: phx_index_update()
 *   touched, differ, within, around                          interest and publish phase, any workers at once
 *   around                                                   between ticks, any threads at once
 * So an index is written in the index phase alone, and may keep what it learns there (who has come into whose box)
 * for the interest phase of the same tick. The dead slots of a tick are still in the store, and their names too, until
 * the tick's end, but not in the index from its remove() on.
 *
 * Positions are read from the store's bodies, as they are now; an index that needs the old ones keeps them. They are
 * finite, but may be anywhere, outside the world too, and many in one place.
 */
#ifndef PHX_SHARDS_INDEX_INDEX_H
#define PHX_SHARDS_INDEX_INDEX_H

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"

/* Takes candidates, in pieces. The taker's own data stand around it. */
typedef struct phx_sink {
    void (*take)(struct phx_sink *sink, const uint32_t *slots, uint32_t count); /* slots[] is valid during the call */
    uint64_t visited; /* cells, nodes, towers that were looked at; the index adds to it */
} phx_sink;

typedef struct phx_index phx_index;

/* What an index is made for; all outlives it. */
typedef struct phx_index_env {
    phx_mem *mem;
    const phx_rules *rules; /* `span` may change between ticks; what is of an index in it does not */
    const phx_store *store;
    phx_rect rect; /* the shard's towers: own entities stand there, ghosts around, some anywhere */
} phx_index_env;

/* Where a table keyed by cells looks for one, as positions come from outside. */
static inline uint64_t phx_index_cell_hash(const phx_index_env *env, int32_t x, int32_t y)
{
    return phx_hash_any(env->mem->key, (uint64_t)(uint32_t)x << 32 | (uint32_t)y);
}

/* Work of keeping it in order, since it was made; written in the index phase. */
typedef struct phx_index_counts {
    uint64_t moves; /* changes that it was told of: inserts, removes, moves */
    uint64_t steps; /* what they cost: cells changed, nodes passed, towers told, meetings put off ... */
} phx_index_counts;

/* One kind of index. Those that may be NULL say so; all else is there. */
typedef struct phx_index_ops {
    bool serves_towers; /* range = towers makes sense; else range = radius alone is offered */

    /* NULL = no memory. What it makes begins with a phx_index, which phx_index_make() fills. */
    phx_index *(*make)(const phx_index_env *env);
    void (*free)(phx_index *index);

    /* Room for slots [0, slots) all inserted: insert, remove and move can not fail then. false = no memory. */
    bool (*reserve)(phx_index *index, uint32_t slots);
    /* Opens a tick's changes: what was kept for the last interest phase goes. Or NULL. */
    void (*begin)(phx_index *index, uint64_t tick);
    /* A live slot comes in; it was not in. */
    void (*insert)(phx_index *index, uint32_t slot);
    /* A dead slot goes; the body has its last position. */
    void (*remove)(phx_index *index, uint32_t slot);
    /*
     * Of a slot that is in, anything changed since the last tick: position, attributes (its radius, phx_index_radius(),
     * too), or whether it is own. Once a tick at most, in the order of slots among inserts and removes.
     */
    void (*move)(phx_index *index, uint32_t slot);
    /*
     * Closes the tick's changes. false = no memory: it will be called again, alone, before anything else; once true, no
     * more in this tick. Or NULL.
     * An index whose order depends on all changes (sorting, merging, counting) does it here.
     */
    bool (*turn)(phx_index *index);

    /*
     * Candidates: every slot that is in and has its position in the box, each once; others may be among them, and the
     * fewer the better.
     */
    void (*around)(const phx_index *index, phx_box box, phx_sink *sink);
    /*
     * Candidates of an observer, in the interest phase, where the index keeps them: every slot that is in and in its
     * range (view + margin), itself too, each once; others may be among them.
     * false = it does not. NULL = never.
     */
    bool (*within)(const phx_index *index, uint32_t observer, phx_sink *sink);
    /*
     * May anything that the index was told of in this tick concern this observer, whose box is this? true whenever
     * somebody came, went, moved or changed otherwise from or to a place in the box; not asked if it did so itself. An
     * index with differ() may say false of an observer without a cap if differ() would give nobody. NULL = always.
     */
    bool (*touched)(const phx_index *index, uint32_t observer, phx_box box);
    /*
     * For an index that finds events by what moves pass: the candidates whose state as to this observer may differ
     * from what it was at the last tick's end: all (dead ones, too) who in this tick, by their move or the observer's,
     * came into range or went out of it, or passed a border between view and view + margin, or has other layers or
     * stealth while in range. They may repeat. false = it can not tell; the list is then found by around(). Asked in
     * ticks with changes only, and not of an observer that is odd itself (new, jumped, with other attributes:
     * PHX_SLOT_DISCONTINUOUS), or has a cap or relations, nor while anybody is global or has a reach, nor when the
     * rules changed: what is not asked for is not needed in a later tick either. NULL = never.
     */
    bool (*differ)(const phx_index *index, uint32_t observer, phx_sink *sink);

    /* Is it whole: holds just the store's live slots, where their bodies are? Between ticks, for PHX_VALIDATE. */
    bool (*valid)(const phx_index *index);
} phx_index_ops;

/* What all have. The owner (phx_index_update()) writes all but the counts. */
struct phx_index {
    const phx_index_ops *ops;
    phx_index_env env;
    phx_index_counts counts;
    uint64_t tick; /* the last one that it began */
    bool told;     /* of all of its changes */
    bool turned;   /* and through with them */
};

/*
 * How far an own observer looks, leaving included: view + margin, perhaps infinite. Below 0: the slot is none (a ghost,
 * a mere target, not ready).
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

#endif
