/*
 * The kernels of moves, of glances (interest/delta_tile.h) and tiles (interest/tile.h): which steps are of the common
 * kind, which rows are in a frame, which of the candidates may have crossed a border of a view, which did, who is in an
 * area, where a target stands in a list, and the order of few events. One set per instruction set; what they find is
 * the same to the bit, so is what they leave out. A world has one set.
 */
#ifndef PHX_SHARDS_SIMD_KERNELS_H
#define PHX_SHARDS_SIMD_KERNELS_H

#include "shards/entity/bounds.h"
#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"

enum {
    PHX_TILE_BITS = 13,
    PHX_TILE_REACH = 1 << PHX_TILE_BITS, /* units to a tile's reach: two of them, and some, fit 16 bits with a sign */
    PHX_TILE_SLACK = 2,                  /* units that a distance may be off: see interest/tile.h */
    /*
     * Units that who was not here is put off by, along x: of who is within two reaches of it, half way, it was not
     * within one, nor, wrapped, on the other side.
     */
    PHX_TILE_AWAY = 7 << 12
};

/* Where a tile's units begin and how many it has. */
typedef struct phx_tile_frame {
    float x, y;               /* of unit 0 */
    float scale;              /* units to a length of 1 */
    float low, width, height; /* units: who was half way before low or beyond is left out */
    float stride;             /* units: no step along an axis is longer; who came from farther off did not step there */
    uint32_t shift;           /* units to a cell: 1 << shift */
    uint32_t columns, rows;   /* of cells */
    uint32_t moved;           /* what to set in the cell's word of a row that moved: PHX_CELL_MOVED, or nothing */
} phx_tile_frame;

static const uint32_t PHX_CELL_MOVED = 1u << 31;

/*
 * What was picked: positions y << 16 | x, now and before, the row in the grid, the cell of where it was half way
 * between the two, or is, along an axis on which it did not step there.
 */
typedef struct phx_tile_rows {
    uint32_t *now, *old, *row, *cell;
} phx_tile_rows;

/* What observers are compared with, and what pairs say of it. */
typedef struct phx_tile_candidates {
    uint32_t *now, *old, *target;
} phx_tile_candidates;

/*
 * r and R = view + margin in units, with slack both ways, squared for circles. From low to high is an odd number, less
 * than 2 * INT16_MAX.
 */
typedef struct phx_tile_limits {
    int32_t in_low, in_high;     /* surely within r up to low, surely not beyond high */
    int32_t near_low, near_high; /* of R */
    bool square;
} phx_tile_limits;

/* Observers by place in a tile, and the positions of all places in units. */
typedef struct phx_tile_observers {
    const uint32_t *place;
    uint32_t count;
    const uint32_t *now, *old;
} phx_tile_observers;

/* A tile's rows by cell, a reach wide. */
typedef struct phx_tile_cells {
    const uint32_t *now, *old, *cell; /* by place */
    const uint32_t *start;            /* by cell */
    const uint32_t *near;             /* by cell: what the kernels' starts() said */
    uint32_t columns;
} phx_tile_cells;

/* Set in a pair's observer: a leave; units can not decide whether it is an event, and which. */
static const uint32_t PHX_PAIR_LEAVE = 1u << 31, PHX_PAIR_UNSURE = 1u << 30;
static const uint32_t PHX_PAIR_PLACE = (1u << 30) - 1;

/*
 * Pairs that are or may be events: the observer's place with those flags, and the target: its place or its row's slot
 * word. Room for capacity + PHX_KERNEL_PAD.
 */
typedef struct phx_pairs {
    uint32_t *observer, *target;
    uint32_t count, capacity;
    uint64_t tested; /* by match_sparse: of others the caller knows */
} phx_pairs;

/*
 * Of pairs, in the order of observers: for each its place, where its words begin, and how many leaves are before these;
 * and the words of special targets. Ends with a run that begins where words end, special[] with that too. Room for all
 * pairs and pad.
 */
typedef struct phx_observer_runs {
    uint32_t *place, *first, *leaves, *special;
    uint32_t count;
} phx_observer_runs;

/* In the word of a target, which is its row's: the pair is a leave. */
static const uint32_t PHX_TARGET_LEAVE = 1u << 30;

/* How targets get keys (phx_order_key()). */
typedef struct phx_sort_key_format {
    const phx_name *name; /* by slot */
    uint32_t bits;
    uint32_t kinds; /* in these bits they differ, or may */
} phx_sort_key_format;

enum { PHX_ORDER_MOST = 256 }; /* targets that are ordered at once */

/* Changes whose targets are side by side: words, of which slot and PHX_TARGET_LEAVE count, PHX_ORDER_FEW at most. */
typedef struct phx_unsorted_events {
    const uint32_t *targets;
    const uint32_t *end;   /* by change: where its targets end, PHX_ORDER_MOST at most */
    const uint32_t *first; /* by change: the place of the first of them */
    uint32_t count;        /* of changes */
} phx_unsorted_events;

/* A circle or a square; the ground-plane part of the range test, in float32 as in entity/visibility.h. */
typedef struct phx_range {
    float x, y, r;
    bool square;
} phx_range;

/* How far one sees, in float32 as in entity/visibility.h. */
typedef struct phx_view_range {
    float r;
    bool square;
} phx_view_range;

/* Where some rows look: at others of a block, as far as they may be seen from there, drift and all. */
typedef struct phx_lookup {
    const phx_rules *rules;
    const phx_block *block;
    phx_span at; /* of its rows, those that are looked at */
    float reach;
} phx_lookup;

/* Along which axes who looks at a block looks farther. */
enum { PHX_SPILL_X, PHX_SPILL_Y, PHX_SPILL_BOTH, PHX_BEYONDS };

/* Looks: a row at a range of rows, which is not empty; and who may see rows of other blocks, too. */
typedef struct phx_row_ranges {
    uint32_t *row, *first, *end;
    uint32_t count;
    uint64_t length; /* of all ranges */
    uint32_t *beyond[PHX_BEYONDS], beyond_count[PHX_BEYONDS];
} phx_row_ranges;

/* Rows that look, and those that come into view, or, with PHX_PAIR_LEAVE, leave it. */
typedef struct phx_view_changes {
    uint32_t *by, *row;
} phx_view_changes;

/* What a limit makes of candidates. */
typedef struct phx_cap_split {
    uint32_t stay, enter, leave;
} phx_cap_split;

typedef struct phx_kernels {
    /* The rows of some ranges that were in the frame half way; how many. */
    uint32_t (*cull_rows)(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                          const phx_tile_frame *frame, const phx_tile_rows *to);
    /*
     * How many are in cells, at[1 .. cells], becomes where each begins, at[0 .. cells]; at[0] is 0, and what is behind
     * is padded, as near[] is: what match_sparse wants to know, if anything. near[0] is of all cells, near[c] of cell c
     * and the two beside it; the last one has none.
     */
    void (*cell_offsets)(uint32_t *at, uint32_t cells, uint32_t *near);
    /* The places of those of some rows that are in a range, which is not empty; room for all and pad. How many. */
    uint32_t (*indices_in_range)(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places);
    /* Those of some ranges of places, side by side; how many. */
    uint32_t (*gather)(const phx_tile_candidates *from, const phx_span *spans, uint32_t count,
                       const phx_tile_candidates *to);
    /*
     * Which of the candidates are or may be events of which of the watchers, behind the pairs that are there, watcher
     * by watcher, those of one in any order (no two positions differ by four reaches along both axes: these sets do not
     * tell alike), as long as there is room for all of one watcher's. Returns how many watchers are done.
     */
    uint32_t (*match)(const phx_tile_candidates *candidates, uint32_t count, const phx_tile_observers *watchers,
                      const phx_tile_limits *limits, phx_pairs *pairs);
    /* The same of watchers whose candidates are the nine cells around each, few in each row of three. */
    uint32_t (*match_stencil)(const phx_tile_cells *cells, const phx_tile_observers *watchers,
                              const phx_tile_limits *limits, phx_pairs *pairs);
    /* Which pairs units can not decide; room for all and pad. How many. */
    uint32_t (*collect_unsure)(const phx_pairs *pairs, uint32_t *which);
    /*
     * The runs of pairs, and of each the target's word, with PHX_TARGET_LEAVE: where targets are places slots[] of the
     * row, row[] of the place; row = NULL: they are words. Those with PHX_PAIR_UNSURE are left out. Room for all and
     * pad. The pairs are not to be used any more.
     */
    void (*pairs_to_runs)(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                          phx_observer_runs *runs);
    /* The rows of a range in an area, exactly: slot words and squares of distances, room for all and pad. How many. */
    uint32_t (*range_scan)(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
                           float *squares);
    /*
     * A look for each row of the block's towers in which rows stand that may be near one, and who is near towers that
     * are beyond the block. Room for PHX_BLOCK_SIDE looks of each, for all to be beyond, and pad.
     */
    void (*plan_row_ranges)(const phx_grid_rows *rows, const phx_lookup *sight, const uint32_t *who, uint32_t count,
                            phx_row_ranges *looks);
    /*
     * Of some looks, in order, the rows that are in range, or were, and not both. Exactly; room for all and pad. How
     * many.
     */
    uint32_t (*find_view_changes)(const phx_grid_rows *rows, const phx_row_ranges *looks, phx_span some,
                                  const phx_view_range *limit, const phx_view_changes *out);
    /* Of those slot words and squares, in place, the special ones and those within the limit. How many. */
    uint32_t (*keep_within)(uint32_t *slots, float *squares, uint32_t count, float limit);
    /*
     * Keys at a cap of slots, all plain, from squares of distances: was[i]: the slot's mark is that of who was in the
     * list; of all others times sticky. How many were.
     */
    uint32_t (*cap_keys)(const uint32_t *mark, uint32_t listed, const uint32_t *slots, const float *squares,
                         uint32_t count, double sticky, double *keys, uint8_t *was);
    /* How many keys are at most the limit. */
    uint32_t (*count_within)(const double *keys, uint32_t count, double limit);
    /* Of those slots, in order: who stays, in place; of them who was not in the list; who was, and does not. */
    phx_cap_split (*split_at_limit)(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                    double limit, uint32_t *enter, uint32_t *leave);
    /* The first place of `value` among the first `count` of an array, or count. */
    uint32_t (*find_u32)(const uint32_t *array, uint32_t count, uint32_t value);
    /*
     * Of some values, in place and in order, those that are not among the first `count` of an array; room for one
     * more. How many.
     */
    uint32_t (*set_difference)(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count);
    /*
     * The places of all targets, each change's from its first on, by their keys, which are all different in a change.
     * Room for all and pad.
     */
    void (*order_keys)(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place);
    /* The same of kinds and ids, that keys can not tell apart (phx_order_bits()). */
    void (*order)(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place);
    /* The same of words (phx_order_word()), all different, the least first; for up to rank_most. */
    void (*rank_words)(const uint64_t *words, uint32_t count, uint32_t *place);
    uint32_t rank_most; /* at most PHX_ORDER_FEW: of more, to merge them is faster, by measurement */
    /* Two runs of words in order become one, elsewhere. */
    phx_merge merge;
} phx_kernels;

#endif
