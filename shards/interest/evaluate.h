/*
 * The interest phase: who sees whom, old list against new. Any worker evaluates the
 * observers of any range of a shard's rows; it reads the shard and writes only its own
 * scratch, and of the observers in its range the lists (entries in place while they fit,
 * count, flags) and the view column, so ranges of one shard run side by side. The owner
 * commits the rest.
 *
 * Two ways to one answer. A glance (delta_tile.h) finds the events of a plain observer among
 * short steps from old and new positions alone. Where anything else is going on, the
 * whole new list is found and compared with the old one, which is kept, or recalled (query/prev_list.h).
 *
 * An observer is looked at only if it, or anything in the towers that its view and
 * margin cover, changed in this tick; so a world where nobody moves costs nothing.
 */
#ifndef PHX_SHARDS_INTEREST_EVALUATE_H
#define PHX_SHARDS_INTEREST_EVALUATE_H

#include "shards/entity/bounds.h"
#include "shards/entity/event_order.h"
#include "shards/interest/sparse_plan.h"
#include "shards/interest/tile.h"
#include "shards/state/shard.h"

/*
 * What changed for one observer in this tick; its targets' slots stand in the scratch. Without any, it only
 * brings a list that is kept from now on, or is not: nothing to tell, unless it says PH_CHANGE_FRESH.
 */
typedef struct phx_change {
    uint32_t slot;
    uint32_t target_first;
    uint32_t leave_count, enter_count;
    uint32_t list_first; /* in the scratch's overflow; PHX_SLOT_NONE = the list is in place already */
    uint16_t flags; /* PH_CHANGE_...; FRESH only where it is owed (phx_list), else told at the fill (phx_name.fresh) */
    bool ordered;   /* leaves come first, both in the order of events; else words with PHX_TARGET_LEAVE or not */
    bool commits;   /* there is work for phx_interest_commit() */
} phx_change;

/* Is the consumer told of it? */
static inline bool phx_change_told(const phx_change *change)
{
    return change->leave_count + change->enter_count > 0 || (change->flags & PH_CHANGE_FRESH);
}

typedef struct phx_interest_counts {
    /* each observer counts once, when it is through: */
    uint64_t evaluated; /* observers whose whole list was found */
    uint64_t glanced;   /* observers that a glance was enough for: their own, those of all who moved, or none */
    /* work as it is done, again when it is done again: */
    uint64_t ranges_visited; /* of tower rows, or a tile's places */
    uint64_t pairs_tested;   /* distances in the scans; where few moved, from each of these to others */
    uint64_t pairs_exact;    /* of them, those of glances that 16 bits could not decide; told to two they are two */
    uint64_t enters, leaves;
    uint64_t dropped; /* list entries that ended without an event */
    uint64_t held;    /* times that a target had to wait: adds_max */
} phx_interest_counts;

/* Adds what was counted from `before` to `now`. */
void phx_interest_counts_add(phx_interest_counts *sum, const phx_interest_counts *now,
                             const phx_interest_counts *before);

/* One worker's: memory that is kept, and the results of the ranges that it evaluated in this tick. */
typedef struct phx_scratch {
    phx_mem *mem;
    uint32_t *mark; /* per slot, while somebody is evaluated now and then: epoch << 3 | MARK_... of who is */
    uint32_t mark_capacity;
    uint32_t epoch;
    bool marked; /* somebody was evaluated in this tick */
    phx_high_water mark_use;
    uint32_t *hits; /* the new list; places of those who glance together: who evaluates may move it */
    uint32_t hits_capacity;
    float *squares; /* of the distances of hits, while a cap may want them */
    uint32_t squares_capacity;
    uint32_t *enter, *leave; /* slots of one observer's events; what an odd one sees and saw */
    uint32_t enter_capacity, leave_capacity;
    uint32_t *old; /* an old list that was implied; in a glance, who in view is odd */
    uint32_t old_capacity;
    uint32_t *related; /* slots of the observer's relations */
    uint32_t related_capacity;
    double *keys; /* of hits, at the cap */
    uint8_t *was; /* of hits: in the list before */
    uint32_t keys_capacity, was_capacity;
    double square_each; /* how far off the last one was that was kept at a cap: its square, for each of the cap */
    phx_ranked *ranked;
    uint32_t ranked_capacity;
    phx_sort_record *sorted, *sorted_spare;
    uint32_t sorted_capacity, sorted_spare_capacity;

    phx_change *changes;
    uint32_t change_count, changes_capacity;
    uint32_t commit_count; /* of them, those that commit */
    uint32_t *targets; /* slots, or in changes that are not ordered words of rows; there may be others between them */
    uint32_t target_count, targets_capacity;
    uint32_t *overflow; /* new lists that did not fit in place: of each how many entries, then these */
    uint32_t overflow_count, overflow_capacity;
    phx_high_water changes_use, targets_use, overflow_use;

    phx_tile tile;          /* the last one */
    phx_sparse_plan stir;   /* the last one */
    bool odd_near;          /* something odd is in sight of the cell that is being looked around */
    phx_pairs pairs;        /* of the tile, not confirmed yet */
    uint32_t *unsure;       /* of these, the kernels' unsure() */
    uint32_t word_first;    /* in targets: what resolve() made of them, and */
    phx_observer_runs runs; /* whose they are */
    uint32_t *pair_words;   /* all their arrays */
    uint32_t pair_words_capacity;

    phx_interest_counts counts;                         /* since the world was made */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_scratch; /* written all the time, side by side with other workers' */

void phx_scratch_init(phx_scratch *scratch, phx_mem *mem);
void phx_scratch_free(phx_scratch *scratch);
/* Memory that is no result's goes back: between two calls of phx_interest_run(). */
void phx_scratch_relieve(phx_scratch *scratch);
/* A new tick: results of the last one go, memory stays. */
void phx_scratch_reset(phx_scratch *scratch);
/* Room for so many targets of one observer, in view, in the old list and in its events. false = no memory. */
bool phx_scratch_room(phx_scratch *scratch, size_t count);
/* A mark for every slot; fresh marks are of no epoch. false = no memory. */
bool phx_scratch_marks(phx_scratch *scratch, const phx_store *store);
/* A new epoch, as the word of a mark without further bits: no mark is of it. There are marks. */
uint32_t phx_scratch_epoch(phx_scratch *scratch);
/* Room to rank so many. false = no memory. */
bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count);

/*
 * What there is to evaluate in this tick, in rows: the grid's; in range = towers the items of its jobs
 * (ninegrid/ninegrid.h); with another index, slots.
 */
static inline uint32_t phx_interest_rows(const phx_shard *shard)
{
    if (!shard->changed) return 0;
    if (shard->alt) return shard->store.slots;
    return phx_shard_ninegrid(shard) ? shard->nine.item_count : shard->grid.row_end;
}

/*
 * Tells the slots, some of no observers, that phx_interest_run() would evaluate in these rows, for which it had no
 * memory: not always in the order of rows. Where that order can not be had, either, `block` is true, and those of a
 * whole block are told, with rows that are done.
 */
typedef void (*phx_undone_fn)(void *user, uint32_t slot, bool block);
void phx_interest_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                         void *user);

/*
 * Evaluates the observers in rows [first, first + count); results are appended to the
 * scratch's changes. Returns how many rows were done: fewer than count = no memory at the
 * next one, which is untouched; the results of those done stand, the rest can be run later.
 */
uint32_t phx_interest_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count);

/*
 * One own observer, for which the scratch has room (phx_interest_run()), the long way: its whole new list against the
 * old one; unless nothing changed in sight of it and it is not forced. false = no memory, nothing changed.
 */
bool phx_evaluate_observer(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t slot,
                           bool forced);

/*
 * How many rows from `first` on make a good piece of work of about `wanted`, four times as many where few moved and
 * these look around, or few observe: whole blocks, as a tile is made for each, unless one is large.
 */
uint32_t phx_interest_piece(const phx_shard *shard, uint32_t first, uint32_t wanted);

/*
 * The owner: moves a list that did not fit in place into the pool, gives back the block of one that is not kept any
 * more, and notes who is to be looked at again. false = no memory, unchanged.
 */
bool phx_interest_commit(phx_shard *shard, const phx_scratch *scratch, const phx_change *change);

/* The towers within a radius of a position, in range = radius. */
phx_rect phx_interest_rect(const phx_rules *rules, float x, float y, float radius);

/* The towers that decide about an observer: within the radius, or the span. */
phx_rect phx_interest_towers(const phx_rules *rules, const phx_body *body, float radius);

/* The towers where the rows of all within that radius of it stand; range = towers: the span's towers. */
phx_rect phx_interest_rows_rect(const phx_shard *shard, const phx_body *body, float radius);

/* Room for so many changes and targets more, and PHX_KERNEL_PAD beyond. false = no memory, nothing changed. */
static inline bool phx_interest_reserve_changes(phx_scratch *scratch, uint32_t changes, uint32_t targets)
{
    phx_mem *mem = scratch->mem;
    return phx_grow(mem, (void **)&scratch->changes, &scratch->changes_capacity, scratch->change_count,
                    (size_t)scratch->change_count + changes, sizeof(phx_change)) &&
           phx_grow(mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count,
                    (size_t)scratch->target_count + targets + PHX_KERNEL_PAD, sizeof(uint32_t));
}

/* Appends the change of one observer, whose targets stand from the first on, few and flagged, or will; with room. */
static inline phx_change *phx_interest_add_change(phx_scratch *scratch, uint32_t slot, uint32_t first, uint32_t enters,
                                                  uint32_t leaves)
{
    phx_change *change = &scratch->changes[scratch->change_count++];
    *change = (phx_change){
        .slot = slot, .target_first = first, .leave_count = leaves, .enter_count = enters, .list_first = PHX_SLOT_NONE};
    scratch->counts.enters += enters;
    scratch->counts.leaves += leaves;
    return change;
}

/* Targets of one observer, parted by PHX_TARGET_LEAVE, which goes, into scratch->enter and ->leave. The enters. */
static inline uint32_t phx_interest_part(phx_scratch *scratch, const uint32_t *targets, uint32_t count)
{
    uint32_t enters = 0, leaves = 0;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be guessed wrong */
        uint32_t left = (targets[i] & PHX_TARGET_LEAVE) != 0;
        scratch->leave[leaves] = scratch->enter[enters] = targets[i] & ~PHX_TARGET_LEAVE;
        leaves += left;
        enters += 1 - left;
    }
    return enters;
}

/*
 * Takes the slots that are among so many in scratch->enter and in scratch->leave both out of both. false = no memory,
 * nothing was done.
 */
bool phx_interest_differ(phx_scratch *scratch, const phx_store *store, uint32_t *enters, uint32_t *leaves);

/*
 * Records the change of one observer from the slots in scratch->enter and ->leave, for
 * which phx_interest_reserve() has made room; not the list.
 */
phx_change *phx_interest_record(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                uint32_t leaves);

/* Columns of events' targets, side by side. */
typedef struct phx_event_columns {
    ph_target *targets;
    uint16_t *kinds;
    uint32_t *incarnations;
} phx_event_columns;

/*
 * The targets of changes on their way to events: ordered and written many at a time, for little hangs then on how many
 * a change has.
 */
typedef struct phx_event_writer {
    const phx_shard *shard;
    const uint32_t *targets;                             /* those that wait */
    uint32_t count, changes;                             /* how many, and of how many changes */
    bool mixed;                                          /* these go to more than one's columns */
    phx_event_columns to[PHX_ORDER_MOST];                /* by change, as */
    uint32_t end[PHX_ORDER_MOST], first[PHX_ORDER_MOST]; /* these */
    uint32_t place[PHX_ORDER_MOST + PHX_KERNEL_PAD];
} phx_event_writer;

/* Nothing waits. */
static inline void phx_event_writer_begin(phx_event_writer *naming, const phx_shard *shard)
{
    naming->shard = shard;
    naming->targets = NULL;
    naming->mixed = false;
    naming->count = naming->changes = 0; /* and nothing else */
}

/*
 * The targets of a change, which has some, become events, from the first on: each of the leaves, and each of the
 * enters, by kind, then id. Written now or by phx_event_writer_flush(). Between interest phase and end, any worker.
 */
void phx_event_writer_add(phx_event_writer *naming, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first);
/* Writes what waits. */
void phx_event_writer_flush(phx_event_writer *naming);
/* The slots of its enters; those of few may be written to few[], which has room for PHX_ORDER_FEW. */
const uint32_t *phx_interest_entered(const phx_scratch *scratch, const phx_change *change, uint32_t *few);
/* Room for a change of that many targets and a list of that length. false = no memory, nothing changed. */
bool phx_interest_reserve(phx_scratch *scratch, uint32_t targets, uint32_t list_count);
/* The change has work for the commit; told once or more. */
void phx_interest_commits(phx_scratch *scratch, phx_change *change);
/* Room in the overflow, reserved, for the change's list of so many entries: to be written there, then committed. */
uint32_t *phx_interest_overflow(phx_scratch *scratch, phx_change *change, uint32_t count);
/* The list becomes these entries: in place, or in the scratch's overflow. */
void phx_interest_write_list(phx_scratch *scratch, phx_shard *shard, phx_change *change, const uint32_t *entries,
                             uint32_t count);

#endif
