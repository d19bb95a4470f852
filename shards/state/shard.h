/*
 * A shard: a rectangle of whole towers of the world, with its entities, grid, interest lists and deferred adds. It has
 * one owner at a time: the worker that runs the shard in the world's current stage. There is no thread, lock, atomic,
 * clock or global in shards/.
 *
 * Calls from the ingest phase to the tick's end, with their headers (each from the owner, unless said otherwise):
 *   ingest     phx_shard_begin()                                     tick/begin_end.h
 *              commands: enter, leave, set, relate, ...; moves       ingest/commands.h, ingest/moves.h
 *   exchange   phx_shard_send_migrants(), phx_shard_receive()        exchange/migrate_out.h, exchange/receive.h
 *              phx_shard_measure(), phx_shard_send_pins(),
 *              phx_shard_send_copies(), phx_shard_receive()          exchange/halo.h, exchange/receive.h
 *   index      phx_shard_index(), if due phx_rows_copy_positions()   tick/reindex.h, tick/row_positions.h
 *              phx_shard_zones(), if due                             tick/zones_stage.h
 *   interest   phx_interest_run(); any worker, disjoint observers    interest/run.h
 *   publish    phx_interest_commit()                                 interest/change_record.h
 *              broadcasts, updates: if due                           publish/recipients.h, publish/band_updates.h
 *              phx_shard_end()                                       tick/begin_end.h
 * A call that returns false had no memory. It has done nothing, or a part that a second call continues. No other
 * function may be called before the second call succeeded.
 */
#ifndef PHX_SHARDS_STATE_SHARD_H
#define PHX_SHARDS_STATE_SHARD_H

#include "base/directory.h"
#include "shards/entity/applied_map.h"
#include "shards/entity/bounds.h"
#include "shards/entity/deferred_adds.h"
#include "shards/entity/relations.h"
#include "shards/grid/far_targets.h"
#include "shards/grid/grid.h"
#include "shards/grid/prev_rows.h"
#include "shards/index/index.h"
#include "shards/ninegrid/ninegrid.h"
#include "shards/simd/kernels.h"
#include "shards/state/height_span.h"
#include "shards/state/immigrant_lists.h"
#include "shards/state/old_heights.h"
#include "shards/state/outbox.h"
#include "shards/state/update_bands.h"
#include "shards/zones/zones.h"

/* The halo that a shard needs from other shards. Made by phx_shard_measure(), read by all senders one barrier later. */
typedef struct phx_halo_request {
    phx_rect rect;
    uint32_t halo_towers;  /* no view of an own observer ends farther outside the rectangle */
    phx_box halo;          /* range = radius: views end a step inside this box; the box decides */
    float margin_max;      /* longest margin of own observers */
    uint32_t observed;     /* there are own observers; a word, for memcmp */
    uint32_t wake_towers1; /* 1 + the towers outside the rectangle within which wakers wake own NPCs; 0 = no own NPC */
} phx_halo_request;

/* Shards in a group whose halos touch this shard's rectangle: one pass decides for the group which need a copy. */
enum { PHX_NEIGHBOUR_HALOS = 8 };
typedef struct phx_neighbour_halos {
    /* halos; the halo of a missing neighbour is empty */
    float x0[PHX_NEIGHBOUR_HALOS], y0[PHX_NEIGHBOUR_HALOS], x1[PHX_NEIGHBOUR_HALOS], y1[PHX_NEIGHBOUR_HALOS];
    uint16_t shard[PHX_NEIGHBOUR_HALOS];
} phx_neighbour_halos;

/* An observer that has another consumer now, or is not ready: it gets nothing more. */
typedef struct phx_silenced {
    uint64_t observer;
    uint32_t consumer;
    uint32_t slot; /* PHX_SLOT_NONE: another consumer; else silenced only if it is still not ready at the tick's end */
} phx_silenced;

typedef struct phx_slot_array {
    uint32_t *at;
    uint32_t count, capacity;
} phx_slot_array;

/* A copy of this entity is due at the destination at any distance: an observer there has a pair or link with it. */
typedef struct phx_pin {
    uint32_t slot;
    uint32_t destination;
} phx_pin;

/* Where a send stopped because the outbox was full. */
typedef struct phx_cursor {
    uint32_t slot, part, item;
} phx_cursor;

struct phx_storage;

/* Where a cap cut the list of an observer, or up to where the last targets joined, if some are held: list_cut.h. */
typedef struct phx_list_cut {
    double limit;  /* of the last rank, exactly the targets with keys up to it are kept; 0 = not noted */
    uint32_t tick; /* the low bits */
    uint16_t rank; /* the last one that is kept: no target of a lower one is; if some are held, that joined */
    uint16_t kept; /* so many targets of that rank are, or more, about so many if links changed; if some are held, so
                      many are */
} phx_list_cut;

typedef struct phx_list_cuts {
    phx_list_cut *at; /* by slot */
    uint32_t count, capacity;
} phx_list_cuts;

/* Constants of a shard for applying moves. The upper lanes of low and high exclude no value. */
typedef struct phx_move_constants {
    phx_vec2 origin, tower_size;
    phx_vec2 low, high;  /* of the rectangle, in towers: inside while low <= p < high */
    phx_vec2 last;       /* the last place in the world, in towers: outside are those beyond it or below 0 */
    uint32_t block_bits; /* bits of ty << 16 | tx: in a dense tick, a step that changes none of these bits needs no
                            further work */
    bool ninegrid;       /* the nine-grid finds near entities */
    bool rows;           /* the rows of the grid do */
} phx_move_constants;

typedef struct phx_shard_counts {
    uint64_t migrations, copies, deferred_adds;
    uint32_t deferred_max; /* in one tick */
    uint64_t entries; /* list entries that came with immigrants, less entries of emigrants and of observers that left;
                         may wrap */
    uint64_t updates; /* updates sent to own observers; counted by the ticking thread in the publish phase */
    uint64_t resets;  /* own observers that were set aside, in each tick */
    phx_index_counts index; /* of classical indexes that ended in blind ticks */
} phx_shard_counts;

typedef struct phx_shard {
    phx_mem *mem;
    const phx_rules *rules;
    const struct phx_storage *storage; /* how near entities are found: storage.h */
    const struct phx_storage
        *rules_storage; /* the one for the rules; `storage` is another one while the shard is blind */
    uint32_t number;    /* its own, by which records and homes name it */
    phx_rect rect;
    phx_move_constants move_constants;
    uint64_t tick;
    uint16_t dirty_stamp; /* this tick's value of phx_body.changed: 1..65535, then all are cleared */

    phx_store store;
    /* near entities are found by rows (range = radius) or cell entries (range = towers), or by the classical index */
    phx_grid grid;
    phx_ninegrid ninegrid;
    phx_index *classical;   /* the structure of a classical index; NULL: the lighthouse, or blind */
    bool blind;             /* there was no memory for copies or the index in this tick: no list is found */
    bool lacks_copies;      /* ... for copies: ghosts are not the ones of this tick */
    phx_prev_rows previous; /* previous rows, while lists are derived */
    /* bounds of the heights of all live entities; both 0 at first */
    phx_height_span heights;
    phx_old_heights old_heights;
    phx_list_pool lists;
    phx_list_cuts list_cuts; /* of observers with a cap or an adds_max */
    phx_list *annuli;        /* by slot: state/annulus.h; NULL: no observer had a margin */
    uint32_t annuli_capacity;
    phx_deferred deferred;
    phx_applied_map applied; /* own entities that were applied since the last tick */
    phx_relations relations;
    phx_far far;
    phx_bands bands;
    bool restoring; /* the world is restored from an image: partial lists take no target, and no other list waits */
    bool all_dirty; /* every observer is evaluated: the rules changed */
    bool far_dirty; /* every observer is evaluated: too many far targets changed, or lists follow another rule */
    bool far_moved; /* a target with a reach moved, or a far target changed: far_items.h; without deltas every observer
                       is evaluated */
    bool bounded;   /* some targets may be PHX_SLOT_BOUNDED, or were so at the last tick's end */
    uint32_t bounded_slot; /* one that was so last: the first to look at */
    bool limited;          /* an own observer had a limit, a cap or an adds_max, in this tick or before */
    bool flat;             /* heights decide nothing in this tick: tick/flat_ground.h */
    bool flat_before;      /* ... in the last tick */
    bool uneven;           /* heights may decide about events: this tick or the last one was not flat */
    /* deltas take heights into account, if they decide, as those of the last tick's end are known; and in that tick */
    bool heights_fit, heights_fit_before;
    /* in this tick attributes of an own entity changed, or relations: a target in range may be hidden from now on */
    bool sight_changed;
    bool global_moved;      /* a global target moved; its position counts at caps only */
    bool changed;           /* an entity changed in this tick, ghosts included */
    bool any_discontinuous; /* a discontinuity took place in this tick (PHX_SLOT_DISCONTINUOUS); else no tower is marked
                               so */
    /*
     * Most rows change: every observer has a delta or an evaluation, and towers are not marked. Guessed from the last
     * tick; only the work depends on it.
     */
    bool dense_tick;
    uint32_t dirty_count; /* entities that changed in this tick; kept until the next tick begins */
    float step_max;       /* longest step of this tick along an axis, discontinuities left out */
    float step2_max;      /* square of the longest such step */
    float step_limit;     /* a longer step is a jump: a discontinuity */
    /* so is a longer step of an own entity, jumps_room times: few steps shall not widen all views; step_pause: ticks */
    float step_usual;
    uint32_t jumps_room, step_pause;
    uint32_t stepped; /* steps of this tick by phx_shards_move(), and the sum of their squares: */
    float step2_sum;
    float drift_limit;  /* of the grid's rows: more drift would cost row queries more than it saves rebuilds */
    bool delta_allowed; /* deltas may be enough in this tick */
    bool derives_lists; /* range = radius: lists of plain observers are derived, from the index phase to the next one;
                           prev_list.h */
    const phx_kernels *kernels;

    phx_slot_array emigrant_candidates; /* own slots that may have left the rectangle in this tick */
    phx_slot_array beginners; /* own slots that may have a fresh change in this tick; a slot may stand here twice */
    phx_slot_array partial_observers;   /* observers with partial lists: evaluated in the next tick again */
    bool partial_not_listed;            /* no memory for some of them: they are found by PHX_SLOT_PARTIAL */
    bool owes_lists;                    /* lists were set aside in this tick for want of memory: phx_list.owed */
    phx_slot_array emigrant_list_first; /* per emigrant: offset of its list in outbox.lists; one entry more is the end
                                           of the last list */
    phx_slot_array list_scratch;        /* scratch: the derived list of an emigrant or immigrant */
    phx_outbox outbox;
    phx_cursor cursor;
    uint32_t received;         /* records done of the block that phx_shard_receive() could not finish */
    phx_slot_array immigrants; /* own slots that migrated in during this tick: the directory needs their new place */
    phx_immigrant_lists immigrant_lists; /* immigrant observers and their lists */
    phx_pin *pins, *pins_before;         /* pins of this tick, and of the last one */
    uint32_t pin_count, pins_capacity;
    uint32_t pin_before_count, pins_before_capacity;
    bool pins_compared;                           /* pins and pins_before were compared in this tick */
    phx_neighbour_halos *neighbour_halos;         /* found by exchange/halo.c, with the fields up to halo_free_box */
    uint32_t neighbour_count, neighbour_capacity; /* neighbours; groups that there is room for */
    bool by_distance;  /* distance alone decides which neighbours need a copy, except of far targets (PHX_SLOT_FAR) */
    phx_rect interior; /* towers that no halo of another shard covers */
    phx_box halo_free_box; /* an entity strictly inside is in no halo of another shard, and wakes no NPC there */
    bool copy_sent;        /* the last copy is in the outbox, its MOTION_HISTORY is not */
    /* per destination: BEGIN sent in this refresh; it has copies of the last refresh. NULL: nothing was ever due */
    bool *begun, *sent;
    uint32_t copied,
        copied_next; /* the ghost of the last copy received, or none, and its phx_ghost_source.next before that */
    bool *refreshed; /* per source: a BEGIN came in this tick; NULL: none ever came */
    bool refreshed_any;
    bool copies_due;    /* an own entity changed in a way that its copies may have to show */
    bool copies_repeat; /* the next refresh begins at every shard: phx_shard_repeat_copies() */

    float radius_max,
        margin_max; /* longest view + margin, and longest margin, of own observers; an upper bound while radius_stale */
    uint32_t radius_count, margin_count; /* own observers that have exactly this longest value */
    bool radius_stale;
    phx_box visible_box; /* range = radius: an entity outside is in no own view by distance alone; from the last tick
                            with observers */
    uint32_t observing_count; /* own entities with a view */
    uint32_t ready_count;     /* of these, the number that is ready */

    phx_silenced *silenced;
    uint32_t silenced_count, silenced_capacity;

    phx_zones zones;

    phx_shard_counts counts; /* sums since the world was made */
} phx_shard;

/* false = no memory; all memory is freed again. */
bool phx_shard_init(phx_shard *shard, phx_mem *mem, const phx_rules *rules, const struct phx_storage *storage,
                    uint32_t number, uint32_t shard_count, phx_rect rect);
void phx_shard_free(phx_shard *shard, uint32_t shard_count);
/* Its towers, and what follows from them and the rules' side of a tower. */
void phx_shard_set_rect(phx_shard *shard, phx_rect rect);

/* ---- the tick's end ---- */

/* Did so many entities change in this tick that the next tick is expected to be dense? */
static inline bool phx_shard_expects_dense_tick(const phx_shard *shard)
{
    return shard->dirty_count > (shard->store.own_count + shard->store.ghost_count) / 4;
}

/* The live own slot or ghost of this id, or PHX_SLOT_NONE. */
static inline uint32_t phx_shard_find(const phx_shard *shard, const phx_directory *directory, uint64_t id)
{
    uint64_t home = phx_directory_find(directory, id);
    if (home != PHX_HOME_NONE && phx_home_shard(home) == shard->number) return phx_home_slot(home);
    return phx_store_ghost(&shard->store, id);
}

/*
 * Does the nine-grid (ninegrid/ninegrid.h) find near entities, not rows? For hot loops and marks alone: all others call
 * the operations of the storage.
 */
static inline bool phx_shard_ninegrid(const phx_shard *shard)
{
    return shard->move_constants.ninegrid;
}

/* Do the grid's rows find near entities? If neither answers true, a classical index does. For the same callers. */
static inline bool phx_shard_rows(const phx_shard *shard)
{
    return shard->move_constants.rows;
}

/* The shape by which deltas decide in this tick: a sphere and a cylinder are circles while heights decide nothing. */
static inline ph_shape phx_shard_delta_shape(const phx_shard *shard)
{
    return !shard->uneven && phx_shape_is_tall(shard->rules->shape) ? PH_SHAPE_CIRCLE : shard->rules->shape;
}

/*
 * Do the columns of bands, and their queries, have heights? Of spheres always: on ground that is flat, now and before,
 * an observer from another shard has the height of that one's ground before, and its targets were in bands by that.
 */
static inline bool phx_shard_bands_tall(const phx_shard *shard)
{
    return shard->uneven || shard->rules->shape == PH_SHAPE_SPHERE;
}

static inline bool phx_shard_dirty(const phx_shard *shard, const phx_body *body)
{
    return body->changed == shard->dirty_stamp;
}

phx_move_constants phx_move_constants_of(const phx_shard *shard);

#endif
