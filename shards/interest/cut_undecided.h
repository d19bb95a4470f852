/*
 * An observer with a list that a cap cut, while its delta is found, and its undecided targets: targets that the borders
 * of the last limit leave open; see delta_cut.h.
 *
 * Interest phase, by the worker of the observer. Called by delta_cut.c, delta_held.c, cut_ranks.c, cut_discontinuous.c
 * and cut_related.c.
 */
#ifndef PHX_SHARDS_INTEREST_CUT_UNDECIDED_H
#define PHX_SHARDS_INTEREST_CUT_UNDECIDED_H

#include "shards/interest/rank_table.h"
#include "shards/interest/scratch.h"
#include "shards/state/list_cut.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* An observer with a list that was cut. */
typedef struct phx_cut_list {
    phx_scratch *scratch;
    phx_shard *shard;
    uint32_t place, row, slot;
    const phx_attr *attr;
    phx_list *list;
    const phx_relation_set *related; /* or NULL */
    bool related_due;                /* the rule decides about their targets; else links hold, and hides hide */
    const phx_rank_table *ranks;
    phx_list_cut cut;
    double most;             /* phx_list_cut_most() */
    float in, keep;          /* view, and view and margin, squared; of squares each limit is nearer: INFINITY */
    float z, old_z;          /* its height, now and before, where heights may decide */
    double low, high;        /* the new limit is sought from the one on, below the other */
    uint32_t count;          /* undecided targets: scratch->hits (slots), squares, was, keys */
    uint32_t listed;         /* of these, in the list */
    uint32_t enters, leaves; /* events found: scratch->enter, leave */
    uint32_t kept;           /* targets of the limit's rank in the new list; a guess where links changed */
} phx_cut_list;

/* A pair's target; ranks and squares tell the rest. */
typedef struct phx_cut_squares {
    float now, old;
} phx_cut_squares;

static inline phx_cut_squares phx_cut_squares_of(const phx_grid_rows *rows, uint32_t observer, uint32_t target)
{
    const float dx = rows->x[target] - rows->x[observer], dy = rows->y[target] - rows->y[observer];
    const float old_dx = rows->ox[target] - rows->ox[observer], old_dy = rows->oy[target] - rows->oy[observer];
    return (phx_cut_squares){dx * dx + dy * dy, old_dx * old_dx + old_dy * old_dy};
}

/* As heights count, from those in the plane: a target from which the heights differ so much, now and before. */
static inline phx_cut_squares phx_cut_squares_level(const phx_cut_list *at, phx_cut_squares plane, float dz,
                                                    float old_dz)
{
    const phx_rules *rules = at->shard->rules;
    plane.now = phx_measure_level(rules, plane.now, dz);
    if (plane.old >= 0.0f) plane.old = phx_measure_level(rules, plane.old, old_dz); /* else it was nowhere */
    return plane;
}

/* The squares of a row, as heights count. */
static inline phx_cut_squares phx_cut_squares_at(const phx_cut_list *at, uint32_t target, phx_row_word word)
{
    const phx_shard *shard = at->shard;
    const phx_cut_squares plane = phx_cut_squares_of(&shard->grid.rows, at->row, target);
    const uint32_t slot = phx_row_word_slot(word);
    if (PHX_LIKELY(!at->scratch->tile.heights.count)) return plane;
    return phx_cut_squares_level(at, plane, shard->store.body[slot].z - at->z, shard->old_heights.at[slot] - at->old_z);
}

static inline uint16_t phx_cut_rank_of_word(const phx_cut_list *at, phx_row_word word, uint16_t plain)
{
    if (PHX_LIKELY(!phx_row_word_special(word))) return plain;
    return at->ranks->rank[at->shard->store.set[phx_row_word_slot(word)]];
}

static inline uint16_t phx_cut_rank_of_plain(const phx_cut_list *at)
{
    return phx_sees_common(at->shard, at->attr) ? 1 : 0; /* priority 0 */
}

/* Is a target of this rank in the list while it is in view? Global and linked ones always are. */
static inline bool phx_cut_rank_is_higher(const phx_cut_list *at, uint16_t rank)
{
    return rank > at->cut.rank && rank <= PHX_RANK_ALWAYS;
}

/* Is the target seen from beyond the view? */
static inline bool phx_cut_seen_beyond(const phx_cut_list *at, uint32_t slot)
{
    return at->shard->far.levels != 0 && phx_store_attr(&at->shard->store, slot)->reach > at->attr->view;
}

/* Did a far target change that may be, or have been, in the list of an observer of the tile? */
static inline bool phx_cut_far_changed(const phx_tile *tile)
{
    for (uint32_t i = 0; i < tile->far.count; i++)
        if (tile->far.items[i].changed) return true;
    return false;
}

static inline double phx_cut_slack(const phx_tile *tile)
{
    const bool sphere = tile->heights.count && tile->heights.levels.sphere;
    return sphere ? (double)PHX_TILE_SPHERE_SLACK : (double)PHX_TILE_SLACK;
}

/* So far apart in units, squared; less: surely not nearer than that. */
static inline int32_t phx_cut_square_below(double distance, const phx_tile *tile)
{
    const double units = distance * (double)tile->frame.scale - phx_cut_slack(tile);
    return units > 0.0 ? (int32_t)(units * units) : 0;
}

static inline int32_t phx_cut_square_above(double distance, const phx_tile *tile)
{
    const double units = distance * (double)tile->frame.scale + phx_cut_slack(tile);
    return (int32_t)(units * units) + 1;
}

/* Picks candidates between two distances, and finds the ones that the borders do not decide. Returns how many. */
uint32_t phx_cut_pick(phx_cut_list *at, double near, double far, const phx_cut_borders *by, uint32_t *rows);

/* The same where few observers share the candidates of a cell: rows are compared where they stand in the tile. */
uint32_t phx_cut_scan(phx_cut_list *at, double near, double far, const phx_cut_borders *by, uint32_t *rows);

/*
 * Finds the places of slots in the list, or PHX_SLOT_NONE. Few of the list's entries are sought: a filter in the
 * nearest cache leaves most others out.
 */
void phx_cut_find_listed(const phx_cut_list *at, const uint32_t *slots, uint32_t count, uint32_t *place);

/* Keeps, of picked rows, targets of the rank that are so near, as slots. All have an old position. */
void phx_cut_sift_near(phx_cut_list *at, float within);

/*
 * Finds the undecided targets of the last rank that moved by a step, and whether they are listed. false: one of them is
 * seen from beyond the view, where it is.
 */
bool phx_cut_find_undecided(phx_cut_list *at);

/* The keys of all undecided targets, once they are known; targets of relations are dropped. */
void phx_cut_find_keys(phx_cut_list *at);

#endif
