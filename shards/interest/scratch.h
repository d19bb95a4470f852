/*
 * One worker's memory in the interest phase: the marks, hits and pairs of the observer or block under evaluation, and
 * the changes found so far. Results stay until the tick's end; memory is kept.
 */
#ifndef PHX_SHARDS_INTEREST_SCRATCH_H
#define PHX_SHARDS_INTEREST_SCRATCH_H

#include "base/simd.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/interest/rank_table.h"
#include "shards/interest/sift_table.h"
#include "shards/interest/sparse_plan.h"
#include "shards/interest/tile.h"
#include "shards/simd/top_k.h"

/* The outcome of a delta for one observer. */
typedef enum phx_delta_result {
    PHX_DELTA_DONE = 0, /* the observer's events are complete */
    PHX_DELTA_EVALUATE, /* the observer has to be evaluated */
    PHX_DELTA_NO_MEMORY /* nothing was changed */
} phx_delta_result;

/*
 * The change of one observer in this tick; its targets' slots stand in the scratch. A change without targets brings a
 * list that is stored from now on, or is not any more. It has no event, except with PH_CHANGE_FRESH.
 */
typedef struct phx_change {
    uint32_t slot;
    uint32_t target_first;
    uint32_t leave_count, enter_count;
    uint32_t list_first; /* in the scratch's overflow; PHX_SLOT_NONE = the list is in place already */
    uint16_t flags;   /* PH_CHANGE_...; FRESH only if owed (phx_list), else it is added at the fill (phx_name.fresh) */
    bool ordered : 1; /* leaves come first, both in the order of events; else target words */
    bool commits : 1; /* there is work for phx_interest_commit() */
    bool evaluated : 1; /* the whole list was found: more may have come into view than entered, as it was listed */
    bool passes : 1;    /* one of its targets may be discontinuous in this tick */
} phx_change;

/* Does the consumer get this change? */
static inline bool phx_change_is_delivered(const phx_change *change)
{
    return change->leave_count + change->enter_count > 0 || (change->flags & PH_CHANGE_FRESH);
}

typedef struct phx_interest_counts {
    /* each observer counts once, when it is done: */
    uint64_t evaluated; /* observers whose whole list was found */
    uint64_t
        by_delta; /* observers for which a delta was enough: their own comparison, or the moved rows' comparisons */
    /* work as it is done; repeated work counts again: */
    uint64_t ranges_visited; /* of tower rows, or a tile's places */
    uint64_t pairs_tested;   /* distances in the scans; if few rows moved, from each moved row to others */
    uint64_t pairs_exact;    /* of these, pairs of deltas that 16 bits could not decide; a pair for two observers counts
                                twice */
    uint64_t enters, leaves;
    uint64_t dropped; /* list entries that ended without an event */
    uint64_t held;    /* targets held back by adds_max */
} phx_interest_counts;

/* Adds the counts from `before` to `now`. */
void phx_interest_counts_add(phx_interest_counts *sum, const phx_interest_counts *now,
                             const phx_interest_counts *before);

/* One worker's scratch: memory that is kept, and the results of the ranges that it covered in this tick. */
typedef struct phx_scratch {
    phx_mem *mem;
    uint32_t rows_least; /* a power of two: see phx_rows_least() */
    uint32_t *mark;      /* per slot, if an observer is evaluated now and then: epoch << 3 | MARK_... of the slot */
    uint32_t mark_capacity;
    uint32_t epoch;
    bool marked; /* an observer was evaluated in this tick */
    phx_high_water mark_use;
    uint32_t *hits; /* the new list */
    uint32_t hits_capacity;
    uint32_t *places; /* of a tile's observers that are compared together */
    uint32_t *lone;   /* of observers that were compared together: places of the ones in lone_observers.h */
    uint32_t places_capacity, lone_capacity;
    float *squares; /* squared distances of hits */
    uint32_t squares_capacity;
    uint32_t *enter,
        *leave; /* slots of one observer's events; of a discontinuous one: targets in view now, and before */
    uint32_t enter_capacity, leave_capacity;
    uint32_t *old; /* a previous list that was derived; in a delta, discontinuous targets in view */
    uint32_t old_capacity;
    const phx_directory *directory; /* of the world, while rows are run */
    uint32_t *related;              /* slots of the observer's relations */
    uint32_t related_capacity;
    uint32_t *annulus; /* the new annulus of an observer that is evaluated */
    uint32_t annulus_capacity;
    /* of hits, when an observer is evaluated (evaluation.h) */
    uint16_t *ranks;
    double *keys; /* squares, times sticky if it was not listed */
    uint8_t *was; /* in the list before */
    uint32_t ranks_capacity, keys_capacity, was_capacity;
    phx_rank_tables rank_tables;
    phx_tower_columns tower_columns; /* of the towers around the last observer, in range = towers */
    double square_each;              /* squared distance of the last target kept at a cap, divided by the cap */
    double square_joined;            /* key of the last target that joined where others were held */
    phx_ranked *ranked;
    uint32_t ranked_capacity;
    phx_sort_record *sorted, *sorted_spare;
    uint32_t sorted_capacity, sorted_spare_capacity;

    phx_change *changes;
    uint32_t change_count, changes_capacity;
    uint32_t commit_count; /* changes that commit */
    uint32_t *targets;     /* targets of all changes. Ordered change: slots. Else: target words. Unused words may
                              lie between changes */
    uint32_t target_count, targets_capacity;
    uint32_t *overflow; /* new lists that did not fit in place: of each the number of entries, then the entries */
    uint32_t overflow_count, overflow_capacity;
    phx_high_water changes_use, targets_use, overflow_use;

    phx_tile tile;              /* the last one made */
    phx_sparse_plan plan;       /* the last one made */
    bool discontinuous_in_view; /* a discontinuous entity is in view of the cell at hand */
    phx_pairs pairs;            /* of the tile, unsure pairs included */
    uint32_t *flagged;          /* of these, the result of the kernels' collect_flagged() */
    phx_sift_table sift;
    bool sifted;            /* words have no special target that is hidden from an observer whose view is above 0 */
    uint32_t word_first;    /* in targets: where the words of resolve_pairs() begin */
    phx_observer_runs runs; /* the observers of these words */
    uint32_t *pair_words;   /* memory of the arrays of pairs */
    uint32_t pair_words_capacity;

    phx_interest_counts counts;                         /* since the world was made */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_scratch; /* written all the time, beside other workers' scratches */

void phx_scratch_init(phx_scratch *scratch, phx_mem *mem);

void phx_scratch_free(phx_scratch *scratch);

/* Gives back memory that holds no result. Between two calls of phx_interest_run(). */
void phx_scratch_relieve(phx_scratch *scratch);

/* Begins a tick of a world with so many entities: results of the last tick end, memory stays. */
void phx_scratch_reset(phx_scratch *scratch, uint32_t entities);

/* Room for so many targets of one observer: in view, in the old list and in its events. false = no memory. */
bool phx_scratch_room(phx_scratch *scratch, size_t count);

/* Room for so many more changes and targets, and PHX_KERNEL_PAD beyond. false = no memory, nothing changed. */
static inline bool phx_interest_reserve_changes(phx_scratch *scratch, uint32_t changes, uint32_t targets)
{
    phx_mem *mem = scratch->mem;
    return phx_grow(mem, (void **)&scratch->changes, &scratch->changes_capacity, scratch->change_count,
                    (size_t)scratch->change_count + changes, sizeof(phx_change)) &&
           phx_grow(mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count,
                    (size_t)scratch->target_count + targets + PHX_KERNEL_PAD, sizeof(uint32_t));
}

/*
 * Appends the change of one observer; room was reserved. Its targets stand from `first` on, flagged and at most
 * PHX_ORDER_SHORT_MAX, or will be written there.
 */
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

/*
 * Parts the targets of one observer by their words, without the flag of a leave, into scratch->enter and ->leave.
 * Returns the number of enters.
 */
static inline uint32_t phx_interest_part(phx_scratch *scratch, const uint32_t *targets, uint32_t count)
{
    uint32_t enters = 0, leaves = 0;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const phx_target_word word = phx_target_word_at(targets, i);
        uint32_t left = phx_target_word_leaves(word);
        scratch->leave[leaves] = scratch->enter[enters] = phx_target_word_entering(word).bits;
        leaves += left;
        enters += 1 - left;
    }
    return enters;
}

/* Room for the pairs of so many rows of a tile. false = no memory. */
bool phx_scratch_reserve_pairs(phx_scratch *scratch, uint32_t count);

#endif
