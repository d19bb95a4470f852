/*
 * The storage of a shard: the operations that depend on how near entities are found. There are three storages: rows of
 * the grid (range = radius), cell entries of the nine-grid (range = towers), and a classical index (either range). Each
 * is one constant table, in shards/storage/; a shard gets its table when it is made. A shard keeps its
 * table, with one exception: from a blind tick to the next index phase its table is bare_storage (tick/blind_tick.h).
 *
 * An "entry" below is a row, a cell entry, or a slot in the classical index. An entity has one from the index phase of
 * its first tick to the index phase of its last one (PHX_SLOT_ROW).
 *
 * * The table serves cold calls: once for a command, a list, a query, a block, or a chunk. Loops over moves, rows,
 * entries and halo copies do not call it: a call for each would cost as much as their work. They ask
 * phx_shard_ninegrid() and phx_shard_rows(), in dirty_marks and in only_steps() of exchange/receive.c, and no other
 * file does. The scan of a classical index asks the rules for the range, as one table serves both ranges. Each
 * operation names its phase, and its thread where that is not the owner.
 */
#ifndef PHX_SHARDS_STATE_STORAGE_H
#define PHX_SHARDS_STATE_STORAGE_H

#include "base/directory.h"
#include "shards/entity/bounds.h"
#include "shards/index/index.h"
#include "shards/ninegrid/ninegrid.h"

/* Types of rooms above this one, which pass through the table: */
typedef struct phx_shard phx_shard; /* shard.h */
struct phx_scratch;                 /* interest/scratch.h: a worker's memory in the interest phase */
struct phx_addressed;               /* publish/recipients.h: one worker's block messages */
struct phx_observer_batch;          /* publish/recipients.h: observers of a block */
struct phx_block_message;           /* publish/recipients.h: one broadcast, for one block */
struct phx_broadcast_range;         /* publish/broadcast_range.h: place and radius of a broadcast */

enum { PHX_LIST_PIECE_MAX = 256 };

/* A piece of a list, in no order. false: no more pieces are wanted. */
typedef bool (*phx_list_fn)(void *user, const uint32_t *targets, uint32_t count);

typedef void (*phx_observer_fn)(void *user, uint32_t observer);

/* An observer without a result; block: the slot is one of a whole block; see phx_interest_undone(). */
typedef void (*phx_undone_fn)(void *user, uint32_t slot, bool block);

/* Result of a scan: targets in range of an observer, by its view alone. */
typedef struct phx_range_scan {
    uint32_t *hits; /* slot words of rows; room for all candidates */
    float *squares; /* squared distances, where the storage measures them */
    uint32_t count;
    phx_tower_columns *tower_columns; /* of the worker; with room, if the storage searches columns */
    uint64_t pairs, visited;          /* distances compared; ranges of rows, towers or nodes */
} phx_range_scan;

typedef struct phx_storage {
    /* ---- properties ---- */

    /*
     * A ghost that no own observer sees needs no entry, and a gone one may keep its entry until the next sort
     * (docs/invariants.md, 5). Read in the index phase.
     */
    bool leaves_out_ghosts;
    /*
     * Events may follow from old and new positions, without lists: tiles and sparse plans; then items are rows. Read in
     * the ingest phase, where relations change, in the index phase, in the publish phase, and at the tick's end.
     */
    bool has_deltas;
    /* Towers have no marks in a dense tick, so an observer without a delta is evaluated. Read in the interest phase. */
    bool unmarked_when_dense;
    /*
     * Slots found near a place may be of any instance, not of the searcher's alone. Read from phx_shard.rules_storage,
     * as flags of entities stay when the shard goes blind.
     */
    bool mixes_instances;
    /* A scan of a part of the view costs less than one of the whole view. Read in the interest phase. */
    bool scans_in_part;
    /* A scan searches phx_tower_columns. Read in the interest phase. */
    bool searches_columns;
    /* Items of the interest phase are slots: of entities anywhere, and the same at the tick's end. Read then. */
    bool items_are_slots;

    /* ---- life of the shard; by the world's owner ---- */

    /* Makes the parts of the shard that only this storage has. false = no memory; free() is called then, too. */
    bool (*make)(phx_shard *shard);
    /* Frees them, also after make() failed, or was not called. */
    void (*free)(phx_shard *shard);

    /* ---- a change of one entity; ingest, exchange and index phase, by the shard's owner ---- */

    /* Room for the note of one change, before each command or record that may change an entity. false = no memory. */
    bool (*reserve_note)(phx_shard *shard);
    /* An entity with this slot is about to get another name (kind, user data). Its entry, if any, keeps the old one. */
    void (*note_name)(phx_shard *shard, uint32_t slot);
    /* The same for attributes, which are about to become `next`. There is room for a note. */
    void (*note_attr)(phx_shard *shard, uint32_t slot, const phx_attr *next);
    /* An own entity with an entry is in another instance from now on; its attributes changed already. */
    void (*change_instance)(phx_shard *shard, uint32_t slot);
    /* The state bits or attributes of a slot with an entry changed: its entry follows, now or in the index phase. */
    void (*refresh_entry)(phx_shard *shard, uint32_t slot);
    /* The entity is about to die: its entry goes in the index phase. */
    void (*remove_entry)(phx_shard *shard, uint32_t slot);
    /*
     * An own observer's list became partial: from now on it is no plain observer, whatever its attributes say. Index
     * and publish phase; the slot has an entry.
     */
    void (*mark_partial)(phx_shard *shard, uint32_t slot);
    /* An own observer's list was committed: its entry follows if the list is derived now, or stored now. */
    void (*follow_list)(phx_shard *shard, uint32_t slot);

    /* ---- index phase and the tick's end; by the shard's owner ---- */

    /* Index phase: brings all entries up to date with the tick's changes. false = no memory: call again. */
    bool (*update)(phx_shard *shard);
    /* Are all entries right? After update(), for PHX_VALIDATE. */
    bool (*updated_valid)(const phx_shard *shard);
    /* The last interest phase and publish phase of a tick are done: notes and marks of the tick go. */
    void (*end_tick)(phx_shard *shard);
    /* Are entries and lists right? At the end of a tick, for PHX_VALIDATE. */
    bool (*ended_valid)(const phx_shard *shard);

    /* ---- the counts of the work of a classical index; between ticks, by any thread, and before free() ---- */

    /* Adds the counts since make(), or since they were cleared. */
    void (*add_counts)(const phx_shard *shard, phx_index_counts *to);
    void (*clear_counts)(phx_shard *shard);

    /* ---- reading; any worker in and after the interest phase, any thread between ticks ---- */

    /* Is the list of an own observer derived from the interest phase on? */
    bool (*derives)(const phx_shard *shard, uint32_t slot);
    /* The same, if its limit does not cut it now. */
    bool (*derives_uncut)(const phx_shard *shard, uint32_t slot);
    /* Writes the slots of a derived list at the last tick's end to out[] (NULL: only counted). Adds to *pairs. */
    uint32_t (*list_before)(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs);
    /* The same told in pieces of up to PHX_LIST_PIECE_MAX. Between an apply and the index phase. */
    void (*visit_list_before)(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);
    /* Had a derived list the target, a live slot, at the last tick's end? Between an apply and the index phase. */
    bool (*list_had)(const phx_shard *shard, uint32_t slot, uint32_t target);
    /* Visits a derived list as it is now, in pieces of up to PHX_LIST_PIECE_MAX. After the interest phase. */
    void (*visit_list)(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);
    /*
     * Visits the own observers that have the target in their lists. everywhere: the target can be seen beyond view and
     * margin. The target has an entry. Between ticks.
     */
    void (*visit_observers)(const phx_shard *shard, uint32_t target, bool everywhere, phx_observer_fn visit,
                            void *user);
    /*
     * Gives the sink every slot with an entry and a position in the box, each once, and others perhaps, also such of
     * other instances: *instance is the one that is asked for, NULL: all. After an apply the positions of applied
     * entities (entity/applied_map.h) do not count: each is given at most once.
     */
    void (*slots_in_range)(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink);

    /* ---- full evaluation of an observer; interest phase, any worker ---- */

    /*
     * May a change of this tick concern an observer that did not change itself? radius: its view + margin. Not called
     * if unmarked_when_dense answers for the tick.
     */
    bool (*any_dirty_near)(const phx_shard *shard, uint32_t observer, float radius);
    /* An upper bound of the targets of an evaluation, in both lists; related: its relations, to be added if needed. */
    size_t (*targets_max)(const phx_shard *shard, uint32_t observer, uint32_t related);
    /*
     * Finds the targets within the radius, up to its view; range = towers: in the span, and within a radius below the
     * view where the storage scans in part. There is room.
     */
    void (*scan)(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan);
    /*
     * Gives the sink all targets that may have entered or left a stored list; phx_index_ops.differ. false: not known.
     * NULL = never known.
     */
    bool (*differ)(const phx_shard *shard, uint32_t observer, phx_sink *sink);

    /* ---- the work of the interest phase, in items: rows, entries of tasks, or slots ---- */

    /* Items of a tick with changes. By the ticking thread. */
    uint32_t (*items)(const phx_shard *shard);
    /* How many items from `first` on, of `left`, make a chunk of about `wanted`. By the ticking thread. */
    uint32_t (*chunk_items)(const phx_shard *shard, uint32_t first, uint32_t left, uint32_t wanted);
    /* Finds the events of the observers in a chunk; see phx_interest_run(). Any worker, with a scratch of its own. */
    uint32_t (*run)(struct phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                    uint32_t count);
    /*
     * Visits the observers of items that run() had no memory for. By the ticking thread; of entries of tasks, which
     * need no scratch for it, also by the worker of items that are done.
     */
    void (*visit_undone)(struct phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count,
                         phx_undone_fn visit, void *user);

    /* ---- recipients of broadcasts, by blocks of entries; publish phase (publish/recipients.h) ---- */

    /* Blocks of the shard, and the places of a block: entities and gaps. Any worker. */
    uint32_t (*blocks)(const phx_shard *shard);
    uint32_t (*block_places)(const phx_shard *shard, uint32_t block);
    /* Fills a batch of observers from its block, first and count. Any worker. */
    void (*fill_batch)(const phx_shard *shard, struct phx_observer_batch *batch);
    /*
     * Adds a block message for each block with observers that may have the block message's source in their lists,
     * without a relation. One with a single observer is for that alone, unless it is out of range. One of a place is
     * for each block with observers in a box of an instance. Any worker. false = no memory.
     */
    bool (*address_viewers)(struct phx_addressed *addressed, const phx_shard *shard,
                            const struct phx_block_message *block_message);
    bool (*address_observer)(struct phx_addressed *addressed, const phx_shard *shard,
                             const struct phx_block_message *block_message);
    bool (*address_box)(struct phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                        const struct phx_block_message *block_message);
    /* The place in a batch of the block message's only observer; batch->count = it is not in the batch. Any worker. */
    uint32_t (*place_of)(const phx_shard *shard, const struct phx_observer_batch *batch,
                         const struct phx_block_message *block_message);
    /* Filters a batch for a block message to all observers; see phx_recipients_filter(). Any worker. */
    uint32_t (*filter_batch)(const phx_shard *shard, const struct phx_observer_batch *batch,
                             const struct phx_block_message *block_message, const struct phx_broadcast_range *range,
                             bool self, uint32_t *out);
} phx_storage;

#endif
