/*
 * One region of the world: a rectangle of whole towers with its entities, grid, interest
 * lists and deferred-add queue. One owner at a time: whoever the world's current phase
 * gives it to. There is no thread, lock, atomic, clock or global in this folder.
 *
 * Calls in the order of a tick (each from the owner, unless said otherwise):
 *   phx_shard_begin, then commands (enter, leave, move, set, relate, ...)    ingest
 *   phx_shard_send_migrants / _receive                                       exchange
 *   phx_shard_measure, then pins, phx_shard_send_copies / _receive           exchange
 *   phx_shard_index, then phx_rows_copy_positions if due                     index
 *   phx_shard_zones                                                          zones
 *   phx_interest_run (interest/run.h; any worker, disjoint observers)        interest
 *   phx_interest_commit (interest/change_record.h), phx_shard_end            publish
 * What returns false for want of memory has done nothing, or as much as a second call
 * can go on from; nothing else may be called before that second call succeeded.
 */
#ifndef PHX_SHARDS_STATE_SHARD_H
#define PHX_SHARDS_STATE_SHARD_H

#include "base/directory.h"
#include "shards/entity/bounds.h"
#include "shards/entity/deferred_adds.h"
#include "shards/entity/relations.h"
#include "shards/grid/far_targets.h"
#include "shards/grid/grid.h"
#include "shards/grid/prev_rows.h"
#include "shards/index/index.h"
#include "shards/ninegrid/ninegrid.h"
#include "shards/simd/kernels.h"
#include "shards/state/immigrant_lists.h"
#include "shards/state/outbox.h"
#include "shards/state/update_bands.h"
#include "shards/zones/zones.h"

/* The part of a shard's neighbourhood that it reads; made by phx_shard_measure(), read by all senders one barrier
 * later. */
typedef struct phx_halo_request {
    phx_rect rect;
    uint32_t halo_towers;  /* own observers look no farther than this beyond the rectangle */
    phx_box halo;          /* range = radius: nor than a step short of the ends of this, which decides */
    float margin_max;      /* of own observers */
    uint32_t observed;     /* there are own observers at all; a word, for memcmp */
    uint32_t wake_towers1; /* wakers so far beyond it, and 1, wake own NPCs; 0 = there are none to wake */
} phx_halo_request;

/* Shards side by side whose zones touch one's rectangle; which of them need a copy is asked of all at once. */
enum { PHX_NEIGHBOUR_HALOS = 8 };
typedef struct phx_neighbour_halos {
    /* halos; that of a missing neighbour is empty */
    float x0[PHX_NEIGHBOUR_HALOS], y0[PHX_NEIGHBOUR_HALOS], x1[PHX_NEIGHBOUR_HALOS], y1[PHX_NEIGHBOUR_HALOS];
    uint16_t shard[PHX_NEIGHBOUR_HALOS];
} phx_neighbour_halos;

/* Gone or not ready: nothing may be told to this observer any more. */
typedef struct phx_silenced {
    uint64_t observer;
    uint32_t consumer;
    uint32_t slot; /* PHX_SLOT_NONE: it left; else only if it is still not ready at the tick's end */
} phx_silenced;

typedef struct phx_slot_array {
    uint32_t *at;
    uint32_t count, capacity;
} phx_slot_array;

/* A remote observer needs a copy of this entity at any distance. */
typedef struct phx_pin {
    uint32_t slot;
    uint32_t destination;
} phx_pin;

/* Where a send stopped for want of room. */
typedef struct phx_cursor {
    uint32_t slot, part, item;
} phx_cursor;

/* What does not change from move to move. The upper lanes of low and high are beyond all that there may be. */
typedef struct phx_move_constants {
    phx_vec2 origin, tower_size;
    phx_vec2 low, high;  /* of the rectangle, in towers: inside while low <= p < high */
    uint32_t block_bits; /* of ty << 16 | tx: where most move, a step that changes none of them is looked at no more */
    bool nine;           /* phx_shard_ninegrid() */
    bool rows;           /* phx_shard_rows() */
} phx_move_constants;

typedef struct phx_shard_counts {
    uint64_t migrations, copies, deferred_adds;
    uint32_t deferred_max; /* in one tick */
    uint64_t entries; /* list entries: that came with migrants, less those that went, and those of who left; may wrap */
    uint64_t updates; /* targets told to own observers; the ticking thread's, in phase publish */
} phx_shard_counts;

typedef struct phx_shard {
    phx_mem *mem;
    const phx_rules *rules;
    uint32_t index;
    phx_rect rect;
    phx_move_constants move_frame;
    uint64_t tick;
    uint16_t dirty_stamp; /* of the tick, for phx_body.changed: 1..65535, then all are cleared */

    phx_store store;
    /* how near entities are found: by rows (range = radius) or cards (range = towers), the lighthouse's, or by alt */
    phx_grid grid;
    phx_ninegrid nine;
    phx_index *alt;     /* NULL: the lighthouse */
    phx_index bare;     /* is alt where there was no memory for the index phase: tick/unindex.h */
    bool blind;         /* ... in this tick: no list is found */
    phx_prev_rows past; /* of rows, while lists are implied */
    phx_list_pool lists;
    phx_deferred deferred;
    phx_relations relations;
    phx_far far;
    phx_bands bands;
    bool all_dirty;         /* every observer is to be evaluated: the rules changed */
    bool far_dirty;         /* the same: something seen from far off changed */
    bool bounded;           /* there may be targets that are PHX_SLOT_BOUNDED: then lists are kept */
    bool global_moved;      /* where a global target stands matters at the caps only */
    bool changed;           /* anything here changed in this tick, ghosts included */
    bool any_discontinuous; /* the same, and was odd (PHX_SLOT_DISCONTINUOUS): else no tower is marked so */
    /*
     * Most of the rows change every tick: every observer is looked at, towers are not
     * marked. Guessed from the tick before; only the work depends on it.
     */
    bool dense_tick;
    uint32_t dirty_count; /* entities changed in this tick; kept until the next one begins */
    float step_max;       /* the longest step of this tick along an axis, of those that are not odd */
    float step2_max;      /* the square of the longest one as it is */
    float step_limit;     /* a longer one is a jump, and odd */
    float drift_limit;    /* of the grid's rows: farther would cost looks more than it saves rebuilds */
    bool delta_allowed;   /* glances may be enough in this tick */
    bool derives_lists;   /* range = radius: plain lists are implied, from the index phase to the next: prev_list.h */
    const phx_kernels *kernels;

    phx_slot_array emigrant_candidates; /* may have left the rectangle in this tick */
    phx_slot_array beginners;           /* own slots that may have a first change of a list in this tick; some twice */
    phx_slot_array partial_observers;   /* observers whose lists were spread: to be looked at in the next tick again */
    bool partial_not_listed;            /* there was no memory for some of them: they are found by PHX_SLOT_PARTIAL */
    bool owes_lists;                    /* lists were emptied in this tick for want of memory: phx_list.owed */
    phx_slot_array emigrant_list_first; /* by number in leaving[]: where its list begins in the outbox's; and the end of
                                           the last */
    phx_slot_array list_scratch;        /* scratch: the list of one who leaves or came, as rows imply it */
    phx_outbox outbox;
    phx_cursor cursor;
    uint32_t received;            /* records done of the block that phx_shard_receive() could not end */
    phx_slot_array immigrants;    /* own slots that came in this tick: the directory is to be told */
    phx_immigrant_lists arrivals; /* the same, and their lists */
    phx_pin *pins, *pins_before;  /* of this tick, and of the one before */
    uint32_t pin_count, pins_capacity;
    uint32_t pin_before_count, pins_before_capacity;
    bool pins_compared;                   /* in this tick */
    phx_neighbour_halos *neighbour_halos; /* of find_near(), as is what follows up to clear */
    uint32_t near_count, near_capacity;   /* shards; groups of them that there is room for */
    bool by_distance;                     /* that alone decides which of them need a copy, but of who is PHX_SLOT_FAR */
    phx_rect interior;                    /* towers that no other shard's zone covers */
    phx_box halo_free_box; /* strictly between its ends nobody is in another shard's halo, nor wakes anybody there */
    bool copy_sent;        /* the last copy is in the outbox, but not its trail */
    /* per destination: BEGIN sent in this refresh / it has copies of the last one; NULL: nothing was ever due */
    bool *begun, *sent;
    uint32_t copied,
        copied_next; /* the ghost of the last copy that came, or none, and its phx_ghost_source.next before */
    bool *refreshed; /* per source: a BEGIN came in this tick; NULL: none ever did */
    bool refreshed_any;
    bool copies_due; /* something own changed that copies elsewhere may have to show */

    float radius_max, margin_max;        /* over own observers: view + margin, and margin; at least that while stale */
    uint32_t radius_count, margin_count; /* of them, those with just that */
    bool radius_stale;
    phx_box visible_box;      /* range = radius: beyond it nobody is seen by distance alone; as of the last tick with
                                 observers */
    uint32_t observing_count; /* own entities with a view */
    uint32_t ready_count;     /* those of them that are ready */

    phx_silenced *forgets;
    uint32_t forget_count, forgets_capacity;

    phx_zones zones;

    phx_shard_counts counts; /* since the world was made */
} phx_shard;

/* false = no memory; what was made is freed. */
bool phx_shard_init(phx_shard *shard, phx_mem *mem, const phx_rules *rules, uint32_t index, uint32_t shard_count,
                    phx_rect rect);
void phx_shard_free(phx_shard *shard, uint32_t shard_count);

/* ---- the tick's end ---- */

/* Were so many touched in this tick that in the next one most are expected to move? */
static inline bool phx_shard_expects_dense_tick(const phx_shard *shard)
{
    return shard->dirty_count > (shard->store.own_count + shard->store.ghost_count) / 4;
}

/* The live own slot or ghost of this id, or PHX_SLOT_NONE. */
static inline uint32_t phx_shard_find(const phx_shard *shard, const phx_directory *directory, uint64_t id)
{
    uint64_t home = phx_directory_find(directory, id);
    if (home != PHX_HOME_NONE && phx_home_shard(home) == shard->index) return phx_home_slot(home);
    return phx_store_ghost(&shard->store, id);
}

/* Are the crowds (ninegrid/ninegrid.h) what there is instead of the grid? */
static inline bool phx_shard_ninegrid(const phx_shard *shard)
{
    return shard->rules->range == PH_RANGE_TOWERS && !shard->alt;
}

/* Is it the grid? Neither: it is another index. */
static inline bool phx_shard_rows(const phx_shard *shard)
{
    return shard->rules->range == PH_RANGE_RADIUS && !shard->alt;
}

static inline bool phx_shard_dirty(const phx_shard *shard, const phx_body *body)
{
    return body->changed == shard->dirty_stamp;
}

phx_move_constants phx_move_constants_of(const phx_shard *shard);

#endif
