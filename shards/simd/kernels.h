/*
 * Kernels of deltas (interest/delta_tile.h) and tiles (interest/tile.h): rows in a tile frame, candidates that may have
 * crossed a border of a view, rows that did, entities in an area, the place of a target in a list, the order of few
 * events. There is one set for each instruction set. All sets have the same results to the bit, and leave out the same
 * pairs. A world uses one set. In the interest and publish phases, by any worker; a kernel writes its caller's arrays
 * alone.
 */
#ifndef PHX_SHARDS_SIMD_KERNELS_H
#define PHX_SHARDS_SIMD_KERNELS_H

#include "shards/entity/bounds.h"
#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"
#include "shards/simd/due_search.h"
#include "shards/simd/far_rule.h"

enum {
    PHX_TILE_BITS = 13,
    PHX_TILE_REACH =
        1 << PHX_TILE_BITS, /* units to a tile's reach: two reaches, and some, fit a signed 16-bit number */
    PHX_TILE_SLACK = 2,     /* units that a distance may be off: see interest/tile.h */
    /*
     * Fake old position, in units along x, of a row without history. At mid-step it is within two reaches of the
     * observer; so the fake distance exceeds one reach, also on the other side of the wrap.
     */
    PHX_TILE_NO_HISTORY_OFFSET = 7 << 12
};

/* The origin of a tile's units, and their number. */
typedef struct phx_tile_frame {
    float x, y;               /* position of unit 0 */
    float scale;              /* units to a length of 1 */
    float low, width, height; /* units: a row with a mid-step position before low or beyond the end is left out */
    float longest_step;       /* units: the longest step along an axis; a row that moved farther did not step */
    uint32_t shift;           /* units to a cell: 1 << shift */
    uint32_t columns, rows;   /* of cells */
    uint32_t moved;           /* set in the cell word of a row that moved: phx_cell_word_flag() */
} phx_tile_frame;

/*
 * Picked rows: positions y << 16 | x, now and before, the row in the grid, the cell of the mid-step position. On an
 * axis without a step it is the cell of the current position.
 */
typedef struct phx_tile_rows {
    uint32_t *now, *old, *row, *cell;
} phx_tile_rows;

/*
 * Positions that observers are compared with, and the target word of each. Its bound: the longest distance, in units,
 * at which it is seen, whatever the view; NULL: none has one. Its height, as in phx_tile_levels; NULL: none counts.
 */
typedef struct phx_tile_candidates {
    uint32_t *now, *old, *target;
    float *bound;
    uint32_t *height;
} phx_tile_candidates;

/*
 * Heights in units, in a tile where they decide: now, and before in the upper half. In a sphere the square of their
 * difference is a part of the distance. In a cylinder steep * |dz| + level is the distance from the middle of the
 * border as well, and the longer one counts; steep fits 16 bits. No two heights differ by 2^15 units. Circles without a
 * margin alone.
 */
typedef struct phx_tile_levels {
    const uint32_t *by_place; /* of all places in the tile */
    bool sphere;
    int32_t steep, level;
} phx_tile_levels;

/*
 * r and R = view + margin in units, with slack both ways, squared for circles. From low to high is an odd number, less
 * than 2 * INT16_MAX.
 */
typedef struct phx_tile_limits {
    int32_t in_low, in_high;     /* up to low surely within r; above high surely not */
    int32_t keep_low, keep_high; /* of R */
    bool square;
    /*
     * Where candidates have bounds: r and the margin in units, and how far from a border units can not decide, in the
     * measure of the limits; less than INT16_MAX. A candidate's r is the lesser one of r and its bound. Borders are in
     * float32, each operation rounded on its own, and cut to whole numbers.
     */
    float r, margin;
    int32_t unsure;
    const phx_tile_levels *levels; /* NULL: heights decide nothing; for match() */
} phx_tile_limits;

/* The middle of the border of r. */
static inline int32_t phx_limits_middle(const phx_tile_limits *limits)
{
    return limits->in_high - (limits->in_high - limits->in_low) / 2;
}

/* Observers by place in a tile, and the positions of all places in units. */
typedef struct phx_tile_observers {
    const uint32_t *place;
    uint32_t count;
    const uint32_t *now, *old;
} phx_tile_observers;

/*
 * A tile's rows by cell, a reach wide. Columns by place are read up to PHX_KERNEL_PAD beyond the last one: what stands
 * there changes no result, as only lanes in stencil[], which are of rows, count.
 */
typedef struct phx_tile_cells {
    const uint32_t *now, *old, *cell; /* by place */
    const float *bound;               /* by place, as in phx_tile_candidates; or NULL */
    const uint32_t *start;            /* by cell */
    const uint32_t *stencil;          /* by cell: result of cell_offsets() */
    uint32_t columns;
} phx_tile_cells;

/*
 * Pairs that are or may be events: a pair word of the observer's place, and the target's place or target word. Room for
 * capacity + PHX_KERNEL_PAD.
 */
typedef struct phx_pairs {
    uint32_t *observer, *target;
    uint32_t count, capacity;
    uint64_t tested; /* by match_stencil; for match the caller has the number */
} phx_pairs;

/*
 * Runs of pairs, in the order of observers: of each its place, the begin of its words, the number of leaves before
 * them; and the places of special targets' words. The last entry is the end of the words, also in special[]. Room for
 * all pairs and pad.
 */
typedef struct phx_observer_runs {
    uint32_t *place, *first, *leaves, *special;
    uint32_t count;
} phx_observer_runs;

/* The format of targets' sort keys (phx_order_key()). */
typedef struct phx_sort_key_format {
    const phx_name *name; /* by slot */
    uint32_t bits;
    uint32_t kinds;   /* bits in which kinds may differ */
    uint32_t deepest; /* of the depths in front of the kinds; 0: there are none */
} phx_sort_key_format;

/* How far the depth of a key is above its lowest bit. */
static inline uint32_t phx_sort_key_depth_shift(const phx_sort_key_format *by)
{
    return by->bits + phx_order_width(by->kinds);
}

enum { PHX_ORDER_MOST = 256 }; /* most targets ordered together */

/*
 * Changes with their targets side by side: words with a slot and PHX_TARGET_LEAVE, PHX_ORDER_SHORT_MAX at most in a
 * change.
 */
typedef struct phx_unsorted_events {
    const uint32_t *targets;
    const uint32_t *end;   /* by change: the end of its targets, PHX_ORDER_MOST at most */
    const uint32_t *first; /* by change: the place of its first event */
    uint32_t count;        /* of changes */
    /* by target: how far in front its depth puts it, the smallest first, by->deepest at most; NULL: all are 0 */
    const uint32_t *depths;
} phx_unsorted_events;

/* A circle or a square; the ground-plane part of the range test, in float32 as in entity/visibility.h. */
typedef struct phx_range {
    float x, y, r;
    bool square;
} phx_range;

/* The view of an observer, now and before, in float32 as in entity/visibility.h. */
typedef struct phx_view_range {
    float r, before;
    bool square;
} phx_view_range;

/* A query of some rows: rows of a block, as far as they may be seen, drift included. */
typedef struct phx_lookup {
    const phx_rules *rules;
    const phx_block *block;
    phx_span at; /* the rows of the block that are queried */
    float reach;
} phx_lookup;

/* Axes along which a row's query reaches beyond the block. */
enum { PHX_SPILL_X, PHX_SPILL_Y, PHX_SPILL_BOTH, PHX_BEYONDS };

/* Ranges to compare: a row and a range of rows that is not empty; and rows with a query that reaches other blocks. */
typedef struct phx_row_ranges {
    uint32_t *row, *first, *end;
    uint32_t count;
    uint64_t length; /* sum of all ranges */
    uint32_t *beyond[PHX_BEYONDS], beyond_count[PHX_BEYONDS];
} phx_row_ranges;

/* Rows that query, and rows that come into their view, or leave it (PHX_PAIR_LEAVE). */
typedef struct phx_view_changes {
    uint32_t *by, *row;
} phx_view_changes;

/* The ranks of words of rows at a cap. */
typedef struct phx_rank_source {
    const uint32_t *set;  /* by slot: its attribute set */
    const uint16_t *rank; /* by set; one more, as kernels read 32 bits */
    const float *bound;   /* by set: the largest square of a hit; NULL = none */
    uint16_t plain;       /* of words that are not special: they have no bound */
} phx_rank_source;

/*
 * Squares of distances from an observer with a list that a cap cut, in units, by which units surely tell that a target
 * stays what it was. A target that was nearer than `listed` was in the list, one beyond `unlisted` was not; one that is
 * nearer now than `stays` stays in the list, one beyond `joins` does not join it.
 */
typedef struct phx_cut_borders {
    int32_t listed, unlisted, stays, joins;
    /* Where heights count: the observer's, as in phx_tile_levels; in a cylinder a target so far above or below surely
     * is level, and from `beyond` on surely is not. */
    uint32_t height;
    bool sphere;
    int32_t level, beyond;
} phx_cut_borders;

/* The keys of candidates, by their marks. */
typedef struct phx_key_rule {
    const uint32_t *mark; /* by slot */
    uint32_t listed;      /* the mark of a listed target */
    double listed_most;   /* no listed target has a higher key; INFINITY, or a key below any square */
    double sticky;        /* the square of any other target is multiplied by it */
} phx_key_rule;

/* The key of a candidate that is sure to stay: below any other key, as those are squares. */
#define PHX_KEY_SURE (-1.0)

/* Result of parting candidates at a rank: so many are left, and of them so many are sure. */
typedef struct phx_rank_part {
    uint32_t kept, sure;
} phx_rank_part;

/* Result of a split of candidates at a limit. */
typedef struct phx_cap_split {
    uint32_t stay, enter, leave;
} phx_cap_split;

typedef struct phx_kernels {
    /* Picks the rows of some ranges with a mid-step position in the frame. Returns how many. */
    uint32_t (*cull_rows)(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                          const phx_tile_frame *frame, const phx_tile_rows *to);
    /*
     * The box of the positions of some rows, at least one, now and at mid-step: on an axis where a row is farther than
     * the longest step from its old position, or has none, now alone. It may be wider by the rounding of float32.
     */
    phx_box (*box_rows)(const phx_grid_rows *rows, phx_span span, float longest_step);
    /*
     * Turns counts by cell, at[1 .. cells], into begins, at[0 .. cells]; at[0] is 0; the words behind are padded, as in
     * stencil[]. near: input of match_stencil; stencil[0] is of all cells, stencil[c] of cell c and the two beside it;
     * the last one has none.
     */
    void (*cell_offsets)(uint32_t *at, uint32_t cells, uint32_t *stencil);
    /* The places of the rows in a range, which is not empty; room for all and pad. Returns how many. */
    uint32_t (*indices_in_range)(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places);
    /* Gathers some ranges of places, side by side, but for heights; bounds if there are any. Returns how many. */
    uint32_t (*gather)(const phx_tile_candidates *from, const phx_span *spans, uint32_t count,
                       const phx_tile_candidates *to);
    /*
     * Matches observers with candidates: appends pairs that are or may be events, observer by observer, the pairs of
     * one observer in any order. No two positions may differ by four reaches along both axes, as the sets differ there.
     * Stops when there is no room for all pairs of the next observer. Returns how many observers are done.
     */
    uint32_t (*match)(const phx_tile_candidates *candidates, uint32_t count, const phx_tile_observers *observers,
                      const phx_tile_limits *limits, phx_pairs *pairs);
    /* The same for observers with the candidates of the nine cells around each, few in each row of three. */
    uint32_t (*match_stencil)(const phx_tile_cells *cells, const phx_tile_observers *observers,
                              const phx_tile_limits *limits, phx_pairs *pairs);
    /*
     * Finds the targets of candidates that one observer's borders do not decide; room for all and pad. Returns how
     * many.
     */
    uint32_t (*find_undecided)(const phx_tile_candidates *candidates, uint32_t count, uint32_t now, uint32_t old,
                               const phx_cut_borders *by, uint32_t *targets);
    /* Finds words with a flag; words are read up to the pad beyond; room for all and pad. Returns how many. */
    uint32_t (*collect_flagged)(const uint32_t *words, uint32_t count, uint32_t flag, uint32_t *which);
    /*
     * Turns pairs into runs, and writes each target's slot word, with PHX_TARGET_LEAVE. The word is slots[] of the row,
     * row[] of the target's place; row = NULL: targets are words already. Pairs with PHX_PAIR_UNSURE are left out. Room
     * for all and pad. The pairs are invalid afterwards.
     */
    void (*pairs_to_runs)(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                          phx_observer_runs *runs);
    /*
     * Scans a range for rows in an area, exactly: slot words and squared distances, room for all and pad. Returns how
     * many.
     */
    uint32_t (*range_scan)(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
                           float *squares);
    /*
     * Finds samples of some spans in view with a due update by the rule of ph_update, budgets apart: their due keys,
     * room for all and pad; columns are read up to the pad beyond a span.
     */
    phx_due_found (*find_due)(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                              const phx_due_query *by, uint32_t *keys);
    /* Gathers the samples of up to PHX_SAMPLES_MAX items, and pad. */
    void (*gather_samples)(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                           phx_gathered_samples *to);
    /* Sets the bytes of the items of due keys to 1: bytes by item, which are 0 or 1, and pad. */
    void (*mark_items)(uint8_t *mark, const uint32_t *keys, uint32_t count, uint32_t band_bits);
    /* Writes the places and the bands of due keys; no more than these. */
    void (*place_keys)(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due,
                       uint8_t *bands);
    /*
     * Plans queries: a range for each row of the block's towers with rows that may be near a querying row; and the rows
     * with queries that reach towers beyond the block. Room for PHX_BLOCK_SIDE ranges of each row, for all rows beyond,
     * and pad.
     */
    void (*plan_row_ranges)(const phx_grid_rows *rows, const phx_lookup *lookup, const uint32_t *observer_rows,
                            uint32_t count, phx_row_ranges *ranges);
    /*
     * Compares some ranges, in order: finds rows that are in range now or were before, and not both. Exactly; room for
     * all and pad. Returns how many.
     */
    uint32_t (*find_view_changes)(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                  const phx_view_range *limit, const phx_view_changes *out);
    /*
     * Finds targets with a reach that may have an event with an observer: of `count` ones in lanes, with unused lanes
     * behind. Writes their numbers, in order; room for all. Returns how many.
     */
    uint32_t (*find_far)(const phx_far_lanes *lanes, uint32_t count, const phx_far_query *by, uint32_t *which);
    /*
     * The same for PHX_FAR_LANES observers without a margin, a bit for each that may have an event with any of the
     * targets.
     */
    uint32_t (*find_far_observers)(const phx_far_lanes *lanes, uint32_t count, const phx_far_observers *of,
                                   ph_shape shape, float height);
    /*
     * Ranks the words of rows: special ones by the attribute set of the slot, the others alike. Keeps, in place and in
     * order, the slots and squares within the bound and with a rank that is not 0, and writes the ranks. Returns how
     * many.
     */
    uint32_t (*rank_hits)(const phx_rank_source *by, uint32_t *slots, float *squares, uint32_t count, uint16_t *ranks);
    /* Keys of slots, from squared distances. was[i]: the slot is that of a listed target. Returns how many are. */
    uint32_t (*cap_keys)(const phx_key_rule *by, const uint32_t *slots, const float *squares, uint32_t count,
                         double *keys, uint8_t *was);
    /*
     * Keeps, in place and in order, slots of a rank that is not below the given one, with their keys and marks. Those
     * above it get PHX_KEY_SURE.
     */
    phx_rank_part (*part_at_rank)(uint32_t *slots, double *keys, uint8_t *was, const uint16_t *ranks, uint32_t count,
                                  uint16_t rank);
    /* The number of keys that are at most the limit. */
    uint32_t (*count_within)(const double *keys, uint32_t count, double limit);
    /*
     * Splits slots at a limit, in order: slots that stay, in place; of these, slots that were not in the list; slots
     * that were in the list and do not stay.
     */
    phx_cap_split (*split_at_limit)(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                    double limit, uint32_t *enter, uint32_t *leave);
    /* The first place of `value` in the first `count` entries of an array, or count. */
    uint32_t (*find_u32)(const uint32_t *array, uint32_t count, uint32_t value);
    /*
     * Keeps values, in place and in order, that are not among the first `count` entries of an array; room for one more.
     * Returns how many.
     */
    uint32_t (*set_difference)(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count);
    /*
     * The places of all targets, from each change's first place on, by keys, which are distinct in a change. Room for
     * all and pad.
     */
    void (*order_keys)(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place);
    /* The same by kinds and ids, where keys are ambiguous (phx_order_bits()). */
    void (*order)(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place);
    /* The same for words (phx_order_word()), all distinct, the smallest first; for up to rank_most. */
    void (*rank_words)(const uint64_t *words, uint32_t count, uint32_t *place);
    uint32_t rank_most; /* at most PHX_ORDER_SHORT_MAX: for more, merging was measured to be faster */
    /* Merges two ordered runs of words into out. */
    phx_merge merge;
} phx_kernels;

#endif
