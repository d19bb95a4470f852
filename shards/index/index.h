/*
 * The contract of a classical index: a structure over one shard's live entities (own ones and ghosts) that proposes
 * candidates. The rule of entity/visibility.h decides about every pair that it proposes. So all indexes give the same
 * events if they leave out no candidate; only the work differs. classical/README.md has a section for each.
 *
 * A shard with a classical index has no rows, no tower marks, no deltas and no derived lists: every observer's list is
 * stored. Tiles and cell entries belong to the lighthouse. Pairs, links, far targets, caps, deferred adds, migration
 * and halo belong to the shard; an index knows nothing of them.
 *
 * Callers, in the order of a tick:
 *   reserve, begin, then insert / remove / move, then turn   index phase, the shard's owner: phx_index_update()
 *   any_dirty_near, differ, within, around                          interest and publish phase, any workers at once
 *   around                                                   between ticks, any threads at once
 * So an index is written in the index phase alone. It may keep results of that phase (targets that came into a box) for
 * the interest phase of the same tick. The dead slots of a tick are still in the store, with their names, until the
 * tick's end, but not in the index from its remove() on.
 *
 * Positions are read from the store's bodies, as they are now; an index that needs old positions keeps them. Positions
 * are finite, but may be anywhere, outside the world too, and many at one place.
 */
#ifndef PHX_SHARDS_INDEX_INDEX_H
#define PHX_SHARDS_INDEX_INDEX_H

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"

/* Takes candidates, in pieces. The caller embeds it in its own struct. */
typedef struct phx_sink {
    void (*take)(struct phx_sink *sink, const uint32_t *slots, uint32_t count); /* slots[] is valid during the call */
    uint64_t visited; /* cells, nodes or towers visited; the index adds to it */
} phx_sink;

typedef struct phx_index phx_index;

/* Environment of an index; it outlives the index. */
typedef struct phx_index_env {
    phx_mem *mem;
    const phx_rules *rules; /* `span` may change between ticks; fields of an index that depend on it do not */
    const phx_store *store;
    phx_rect rect; /* the shard's towers: own entities are in them, ghosts around them, some ghosts anywhere */
} phx_index_env;

/* Work of keeping the index in order, since it was made; written in the index phase. */
typedef struct phx_index_counts {
    uint64_t moves; /* changes: inserts, removes, moves */
    uint64_t steps; /* their cost: cells changed, nodes passed, towers notified, meetings put off ... */
} phx_index_counts;

/* Operations of one kind of index. The ones that may be NULL say so. */
typedef struct phx_index_ops {
    bool serves_towers; /* range = towers is useful; else only range = radius is offered */

    size_t bytes; /* of the index's own struct, which begins with a phx_index; phx_index_make() makes it */
    /* Sets up the rest of the struct, which is 0. false = no memory: release() is called. Or NULL. */
    bool (*init)(phx_index *index);
    /* Frees all but the struct. */
    void (*release)(phx_index *index);

    /* Room for slots [0, slots): insert, remove and move can not fail then. false = no memory. */
    bool (*reserve)(phx_index *index, uint32_t slots);
    /* Begins a tick's changes: results kept for the last interest phase end. Or NULL. */
    void (*begin)(phx_index *index, uint64_t tick);
    /* Adds a live slot, which was not in. */
    void (*insert)(phx_index *index, uint32_t slot);
    /* Removes a dead slot; the body has its last position. */
    void (*remove)(phx_index *index, uint32_t slot);
    /*
     * A slot that is in changed since the last tick: position, attributes (its radius, phx_index_radius(), too), or
     * owner. At most once a tick, in the order of slots among inserts and removes.
     */
    void (*move)(phx_index *index, uint32_t slot);
    /*
     * Ends the tick's changes. false = no memory: it will be called again, alone, before anything else; once true, not
     * again in this tick. Or NULL. An index with an order that depends on all changes (sorting, merging, counting)
     * works here.
     */
    bool (*turn)(phx_index *index);

    /*
     * Candidates of a box: every slot that is in, with a position in the box, each once. Other slots may be among them;
     * the fewer the better.
     */
    void (*around)(const phx_index *index, phx_box box, phx_sink *sink);
    /*
     * Candidates of an observer, in the interest phase, if the index keeps them: every slot that is in and in its range
     * (view + margin), itself too, each once; other slots may be among them. false = it does not keep them. NULL =
     * never.
     */
    bool (*within)(const phx_index *index, uint32_t observer, phx_sink *sink);
    /*
     * May a change of this tick concern this observer with this box? true if a slot entered, left, moved or changed
     * from or to a place in the box. Not called if the observer changed itself. An index with differ() may answer false
     * for an observer without a cap if differ() would give no slot. NULL = always.
     */
    bool (*any_dirty_near)(const phx_index *index, uint32_t observer, phx_box box);
    /*
     * For an index that finds events by passes: candidates for a difference to the last tick's end. These are all slots
     * (dead ones, too) that in this tick, by their move or the observer's, came into range or left it, or passed a
     * border between view and view + margin, or changed layers or stealth while in range. A slot may repeat. false =
     * the index can not answer; the list is then found by around(). Called only in ticks with changes. Not called for
     * an observer that is discontinuous itself (new, jumped, other attributes: PHX_SLOT_DISCONTINUOUS), or has a cap or
     * relations; nor while a target is global or has a reach, nor when the rules changed. A difference that is not
     * asked for is not needed in a later tick either. NULL = never.
     */
    bool (*differ)(const phx_index *index, uint32_t observer, phx_sink *sink);

    /* Has it exactly the store's live slots, at the positions of their bodies? Between ticks, for PHX_VALIDATE. */
    bool (*valid)(const phx_index *index);
} phx_index_ops;

/* Common part of all indexes. The owner (phx_index_update()) writes all but the counts. */
struct phx_index {
    const phx_index_ops *ops;
    phx_index_env env;
    phx_index_counts counts;
    uint64_t tick; /* the last tick begun */
    bool given;    /* all changes of the tick were given to it */
    bool turned;   /* the changes of the tick are ended */
};

#endif
