/*
 * The kernels in plain C; see kernels.h.
 */
#include "shards/simd/portable.h"

#include <string.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/simd/portable_due.h"
#include "shards/simd/scalar.h"

/* A position in units along an axis, now and before, in the frame or far from it. */
typedef struct axis_step {
    float now, old;
} axis_step;

static inline axis_step axis_step_of(float now, float old, float zero, float scale)
{
    return (axis_step){(now - zero) * scale, (old - zero) * scale};
}

/* The mid-step position, if now and before are one step apart; else the current position. */
static inline float mid_step_scalar(axis_step of, float longest_step)
{
    float step = of.old - of.now;
    return fabsf(step) <= longest_step ? of.now + step * 0.5f : of.now;
}

/* A position, wrapped. A position far from the frame may get any word: its tower is discontinuous. */
static inline uint32_t unit_wrapped(float q)
{
    const float far = 0x1p31f; /* the range of int32_t */
    return q > -far && q < far ? (uint32_t)(int32_t)q & 0xffff : 0;
}

/* The old position; `away` if there is none. */
static inline uint32_t unit_before(float q, uint32_t away)
{
    return q != q ? away & 0xffff : unit_wrapped(q);
}

static uint32_t cull_rows_portable(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                                   const phx_tile_frame *frame, const phx_tile_rows *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < span_count; s++) {
        for (uint32_t i = spans[s].first; i < spans[s].end; i++) {
            const axis_step along_x = axis_step_of(rows->x[i], rows->ox[i], frame->x, frame->scale);
            const axis_step along_y = axis_step_of(rows->y[i], rows->oy[i], frame->y, frame->scale);
            const float hx = mid_step_scalar(along_x, frame->longest_step),
                        hy = mid_step_scalar(along_y, frame->longest_step);
            if (!(hx >= frame->low && hx < frame->width && hy >= frame->low && hy < frame->height)) continue;
            uint32_t x = unit_wrapped(along_x.now), y = unit_wrapped(along_y.now);
            to->now[n] = x | y << 16;
            to->old[n] = unit_before(along_x.old, x + PHX_TILE_NO_HISTORY_OFFSET) | unit_before(along_y.old, y) << 16;
            to->row[n] = i;
            bool moved = rows->x[i] != rows->ox[i] || rows->y[i] != rows->oy[i];
            uint32_t cell = ((uint32_t)hy >> frame->shift) * frame->columns + ((uint32_t)hx >> frame->shift);
            to->cell[n++] = cell | (moved ? frame->moved : 0);
        }
    }
    return n;
}

static inline float lesser_of(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater_of(float a, float b)
{
    return a > b ? a : b;
}

/* The mid-step position along an axis, if it may be one; else the position now. */
static inline float mid_step_or_now(float now, float old, float longest_step)
{
    return fabsf(old - now) <= longest_step ? now + (old - now) * 0.5f : now;
}

static phx_box box_rows_portable(const phx_grid_rows *rows, phx_span span, float longest_step)
{
    phx_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = span.first; i < span.end; i++) {
        const float x = rows->x[i], half_x = mid_step_or_now(x, rows->ox[i], longest_step);
        const float y = rows->y[i], half_y = mid_step_or_now(y, rows->oy[i], longest_step);
        box.x0 = lesser_of(lesser_of(x, half_x), box.x0);
        box.x1 = greater_of(greater_of(x, half_x), box.x1);
        box.y0 = lesser_of(lesser_of(y, half_y), box.y0);
        box.y1 = greater_of(greater_of(y, half_y), box.y1);
    }
    return box;
}

static void cell_offsets_portable(uint32_t *at, uint32_t cells, uint32_t *stencil)
{
    uint32_t sum = 0;
    (void)stencil;
    for (uint32_t c = 0; c <= cells; c++) at[c] = sum += at[c];
}

static uint32_t indices_in_range_portable(const uint32_t *row, uint32_t count, phx_span range, uint32_t *places)
{
    const uint32_t length = range.end - range.first;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        places[n] = i;
        n += row[i] - range.first < length;
    }
    return n;
}

static uint32_t gather_portable(const phx_tile_candidates *from, const phx_span *spans, uint32_t count,
                                const phx_tile_candidates *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t first = spans[s].first, length = spans[s].end - first;
        memcpy(to->now + n, from->now + first, length * sizeof *to->now);
        memcpy(to->old + n, from->old + first, length * sizeof *to->old);
        memcpy(to->target + n, from->target + first, length * sizeof *to->target);
        if (from->bound) memcpy(to->bound + n, from->bound + first, length * sizeof *to->bound);
        n += length;
    }
    return n;
}

enum {
    PIECE = 64, /* candidates judged before any is written */
    EIGHT = 8   /* and judged at a time: elements beyond the last are read, as arrays are padded, and dropped */
};
_Static_assert(PIECE % EIGHT == 0 && EIGHT <= (int)PHX_KERNEL_PAD, "elements beyond the last are padding");

/* One observer. */
typedef struct tile_observer {
    uint32_t place, now, old;
} tile_observer;

static tile_observer tile_observer_of(const phx_tile_observers *observers, uint32_t w)
{
    uint32_t place = observers->place[w];
    return (tile_observer){place, observers->now[place], observers->old[place]};
}

/* Distances of some candidates, now and before, and a word for each that may be an event. */
typedef struct judged {
    int32_t now[PIECE], old[PIECE];
    uint32_t kept[PIECE + EIGHT];
} judged;

/* A loop without other stores, which compilers vectorise. */
static inline void judge_scalar(const phx_tile_candidates *c, uint32_t count, tile_observer of, phx_tile_limits limits,
                                bool square, judged *out)
{
    const uint32_t *now = c->now, *old = c->old;
    for (uint32_t i = 0; i < (count + EIGHT - 1) / EIGHT * EIGHT; i++) {
        int32_t d = phx_units_apart(now[i], of.now, square), e = phx_units_apart(old[i], of.old, square);
        uint32_t flags;
        out->now[i] = d;
        out->old[i] = e;
        out->kept[i] = phx_units_cross(d, e, &limits, &flags);
    }
}

/* The same for candidates with bounds. */
static void judge_bounded(const phx_tile_candidates *c, uint32_t count, tile_observer of, const phx_tile_limits *limits,
                          judged *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const phx_tile_limits own = phx_bounded_limits(limits, c->bound[i]);
        uint32_t flags;
        out->now[i] = phx_units_apart(c->now[i], of.now, limits->square);
        out->old[i] = phx_units_apart(c->old[i], of.old, limits->square);
        out->kept[i] = phx_units_cross(out->now[i], out->old[i], &own, &flags);
    }
}

/* The same where heights count, with bounds or without. */
static inline void judge_levels(const phx_tile_candidates *c, uint32_t count, tile_observer of,
                                const phx_tile_limits *limits, bool bounded, judged *out)
{
    const phx_tile_levels *by = limits->levels;
    const uint32_t *height = c->height, own_height = by->by_place[of.place];
    for (uint32_t i = 0; i < count; i++) {
        const phx_tile_limits own = bounded ? phx_bounded_limits(limits, c->bound[i]) : *limits;
        const int32_t middle = phx_limits_middle(&own), now = phx_units_apart(c->now[i], of.now, false),
                      old = phx_units_apart(c->old[i], of.old, false);
        uint32_t flags;
        out->now[i] = phx_units_level(now, height[i], own_height, by, middle);
        out->old[i] = phx_units_level(old, height[i] >> 16, own_height >> 16, by, middle);
        out->kept[i] = phx_units_cross(out->now[i], out->old[i], &own, &flags);
    }
}

/* Is any of eight kept? */
static inline bool any_of_eight(const uint32_t kept[EIGHT])
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < EIGHT; i++) all |= kept[i];
    return all != 0;
}

/*
 * Matches a piece of candidates, with room for all. Of eight, mostly none is kept; else no branch depends on which:
 * every pair is written, kept or not.
 */
static void match_piece_scalar(const phx_tile_candidates *c, uint32_t count, tile_observer of,
                               const phx_tile_limits *limits, phx_pairs *pairs)
{
    const uint32_t *from = c->target;
    const phx_tile_limits by = *limits;
    uint32_t *observer = pairs->observer, *target = pairs->target, n = pairs->count;
    judged is;
    PHX_ASSERT(count <= PIECE);
    if (c->height && c->bound) judge_levels(c, count, of, &by, true, &is);
    else if (c->height) judge_levels(c, count, of, &by, false, &is);
    else if (c->bound) judge_bounded(c, count, of, &by, &is);
    else if (by.square) judge_scalar(c, count, of, by, true, &is);
    else judge_scalar(c, count, of, by, false, &is);
    memset(is.kept + count, 0, (EIGHT - 1) * sizeof *is.kept); /* elements beyond the last have no effect */
    for (uint32_t first = 0; first < count; first += EIGHT) {
        const uint32_t end = first + EIGHT < count ? first + EIGHT : count;
        if (!any_of_eight(is.kept + first)) continue;
        for (uint32_t i = first; i < end; i++) {
            uint32_t flags;
            const phx_tile_limits own = c->bound ? phx_bounded_limits(&by, c->bound[i]) : by;
            /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): judge_scalar() wrote count of them */
            (void)phx_units_cross(is.now[i], is.old[i], &own, &flags);
            observer[n] = of.place | flags;
            target[n] = from[i];
            n += is.kept[i];
        }
    }
    pairs->count = n;
}

static uint32_t match_portable(const phx_tile_candidates *c, uint32_t count, const phx_tile_observers *observers,
                               const phx_tile_limits *limits, phx_pairs *pairs)
{
    uint32_t w = 0;
    for (; w < observers->count && pairs->capacity - pairs->count >= count; w++) {
        const tile_observer of = tile_observer_of(observers, w);
        for (uint32_t i = 0; i < count; i += PIECE) {
            const phx_tile_candidates piece = {c->now + i, c->old + i, c->target + i, c->bound ? c->bound + i : NULL,
                                               c->height ? c->height + i : NULL};
            match_piece_scalar(&piece, count - i < PIECE ? count - i : PIECE, of, limits, pairs);
        }
    }
    return w;
}

/* The rows around one observer, side by side. */
typedef struct stencil_rows {
    uint32_t now[PIECE], old[PIECE], place[PIECE], count;
    float bound[PIECE];
} stencil_rows;

/* Adds up to eight places from one on. */
static inline void join_candidates(stencil_rows *to, const phx_tile_cells *cells, uint32_t first, uint32_t count)
{
    uint32_t *now = to->now + to->count, *old = to->old + to->count, *place = to->place + to->count;
    memcpy(now, cells->now + first, EIGHT * sizeof *now);
    memcpy(old, cells->old + first, EIGHT * sizeof *old);
    if (cells->bound) memcpy(to->bound + to->count, cells->bound + first, EIGHT * sizeof *to->bound);
    for (uint32_t i = 0; i < EIGHT; i++) place[i] = first + i;
    to->count += count < EIGHT ? count : EIGHT;
}

static uint32_t match_stencil_portable(const phx_tile_cells *cells, const phx_tile_observers *observers,
                                       const phx_tile_limits *limits, phx_pairs *pairs)
{
    uint32_t w = 0;
    stencil_rows candidates;
    const phx_tile_candidates all = {candidates.now, candidates.old, candidates.place,
                                     cells->bound ? candidates.bound : NULL, NULL};
    for (; w < observers->count; w++) {
        const tile_observer of = tile_observer_of(observers, w);
        const phx_stencil_cells stencil = phx_cells_around(cells, cells->cell[of.place]);
        if (pairs->capacity - pairs->count < stencil.count) break;
        pairs->tested += stencil.count;
        candidates.count = 0;
        for (uint32_t r = 0; r < 3; r++) {
            for (uint32_t i = stencil.row[r].first; i < stencil.row[r].end; i += EIGHT) {
                if (candidates.count + EIGHT > PIECE) {
                    match_piece_scalar(&all, candidates.count, of, limits, pairs);
                    candidates.count = 0;
                }
                join_candidates(&candidates, cells, i, stencil.row[r].end - i);
            }
        }
        match_piece_scalar(&all, candidates.count, of, limits, pairs);
    }
    return w;
}

static uint32_t collect_flagged_portable(const uint32_t *words, uint32_t count, uint32_t flag, uint32_t *which)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        which[n] = i;
        n += (words[i] & flag) != 0;
    }
    return n;
}

static void pairs_to_runs_portable(const phx_pairs *pairs, const uint32_t *row, const uint32_t *slots, uint32_t *words,
                                   phx_observer_runs *runs)
{
    const phx_observer_runs to = *runs; /* stores below may alias the fields */
    uint32_t last = UINT32_MAX, n = 0, r = 0, specials = 0, leaves = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t observer = pairs->observer[i], place = observer & PHX_PAIR_PLACE, target = pairs->target[i];
        if (observer & PHX_PAIR_UNSURE) continue;
        words[n] = (row ? slots[row[target]] : target) | (observer & PHX_PAIR_LEAVE ? PHX_TARGET_LEAVE : 0);
        to.first[r] = to.special[specials] = n;
        to.place[r] = place;
        to.leaves[r] = leaves;
        r += place != last;
        specials += (words[n] & PHX_ROW_SPECIAL) != 0;
        leaves += observer >> 31;
        last = place;
        n++;
    }
    to.first[r] = to.special[specials] = n;
    to.leaves[r] = leaves;
    runs->count = r;
}

/* Every row is written: no branch depends on the result. */
static uint32_t range_scan_portable(const phx_grid_rows *rows, phx_span span, const phx_range *area, uint32_t *slots,
                                    float *squares)
{
    const float x = area->x, y = area->y, r = area->r, r2 = r * r;
    uint32_t n = 0;
    for (uint32_t i = span.first; i < span.end; i++) {
        float dx = rows->x[i] - x, dy = rows->y[i] - y, d2 = dx * dx + dy * dy;
        slots[n] = rows->slot[i];
        squares[n] = d2;
        n += area->square ? (uint32_t)(fabsf(dx) <= r) & (uint32_t)(fabsf(dy) <= r) : d2 <= r2;
    }
    return n;
}

static inline uint32_t in_view_scalar(float dx, float dy, float r, bool square)
{
    if (square) return (uint32_t)(fabsf(dx) <= r) & (uint32_t)(fabsf(dy) <= r);
    return dx * dx + dy * dy <= r * r;
}

static void plan_row_ranges_portable(const phx_grid_rows *rows, const phx_lookup *lookup, const uint32_t *observer_rows,
                                     uint32_t count, phx_row_ranges *ranges)
{
    const int32_t last = PHX_BLOCK_SIDE - 1;
    const phx_block *block = lookup->block;
    const int32_t x = block->bx << PHX_BLOCK_BITS, y = block->by << PHX_BLOCK_BITS;
    uint32_t *out = ranges->beyond_count;
    out[PHX_SPILL_X] = out[PHX_SPILL_Y] = out[PHX_SPILL_BOTH] = 0;
    ranges->count = 0;
    ranges->length = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_box box = phx_box_around(rows->x[observer_rows[i]], rows->y[observer_rows[i]], lookup->reach);
        const phx_rect rect = phx_box_towers(lookup->rules, box);
        const int32_t x0 = rect.x0 - x, y0 = rect.y0 - y, x1 = rect.x1 - x, y1 = rect.y1 - y;
        const int32_t from = x0 > 0 ? x0 : 0, to = x1 < last ? x1 : last;
        const uint32_t out_x = (x0 < 0) | (x1 > last), out_y = (y0 < 0) | (y1 > last);
        for (uint32_t b = 0; b < PHX_BEYONDS; b++) ranges->beyond[b][out[b]] = observer_rows[i];
        out[PHX_SPILL_X] += out_x;
        out[PHX_SPILL_Y] += out_y;
        out[PHX_SPILL_BOTH] += out_x & out_y;
        if (from > to) continue;
        for (int32_t line = y0 > 0 ? y0 : 0; line <= y1 && line <= last; line++) {
            const uint32_t *start = block->start + (line << PHX_BLOCK_BITS);
            const uint32_t first = start[from] > lookup->at.first ? start[from] : lookup->at.first;
            const uint32_t end = start[to + 1] < lookup->at.end ? start[to + 1] : lookup->at.end;
            if (first >= end) continue;
            ranges->row[ranges->count] = observer_rows[i];
            ranges->first[ranges->count] = first;
            ranges->end[ranges->count++] = end;
            ranges->length += end - first;
        }
    }
}

static uint32_t find_view_changes_portable(const phx_grid_rows *rows, const phx_row_ranges *ranges, phx_span some,
                                           const phx_view_range *limit, const phx_view_changes *out)
{
    uint32_t n = 0;
    for (uint32_t l = some.first; l < some.end; l++) {
        const uint32_t by = ranges->row[l];
        const float x = rows->x[by], y = rows->y[by], ox = rows->ox[by], oy = rows->oy[by];
        for (uint32_t i = ranges->first[l]; i < ranges->end[l]; i++) {
            uint32_t is = in_view_scalar(rows->x[i] - x, rows->y[i] - y, limit->r, limit->square);
            uint32_t was = in_view_scalar(rows->ox[i] - ox, rows->oy[i] - oy, limit->before, limit->square);
            out->by[n] = by;
            out->row[n] = was << 31 | i;
            n += is ^ was;
        }
    }
    return n;
}

static uint32_t find_undecided_tall(const phx_tile_candidates *candidates, uint32_t count, uint32_t now, uint32_t old,
                                    const phx_cut_borders *by, uint32_t *targets)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unsure = 0;
        const int32_t is = phx_cut_units_level(phx_units_apart(candidates->now[i], now, false), candidates->height[i],
                                               by->height, by, &unsure);
        const int32_t was = phx_cut_units_level(phx_units_apart(candidates->old[i], old, false),
                                                candidates->height[i] >> 16, by->height >> 16, by, &unsure);
        targets[n] = candidates->target[i];
        n += ((was >= by->listed) & (is <= by->joins)) | ((was <= by->unlisted) & (is >= by->stays)) | unsure;
    }
    return n;
}

static uint32_t find_undecided_portable(const phx_tile_candidates *candidates, uint32_t count, uint32_t now,
                                        uint32_t old, const phx_cut_borders *by, uint32_t *targets)
{
    uint32_t n = 0;
    if (candidates->height) return find_undecided_tall(candidates, count, now, old, by, targets);
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const int32_t is = phx_units_apart(candidates->now[i], now, false);
        const int32_t was = phx_units_apart(candidates->old[i], old, false);
        targets[n] = candidates->target[i];
        n += ((was >= by->listed) & (is <= by->joins)) | ((was <= by->unlisted) & (is >= by->stays));
    }
    return n;
}

static uint32_t rank_hits_portable(const phx_rank_source *by, uint32_t *slots, float *squares, uint32_t count,
                                   uint16_t *ranks)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = slots[i] & PHX_ROW_SLOT;
        const bool special = slots[i] & PHX_ROW_SPECIAL;
        const uint32_t set = special ? by->set[slot] : 0;
        uint16_t rank = special ? by->rank[set] : by->plain;
        if (special && by->bound && !(squares[i] <= by->bound[set])) rank = 0;
        slots[n] = slot;
        squares[n] = squares[i];
        ranks[n] = rank;
        n += rank != 0;
    }
    return n;
}

static uint32_t cap_keys_portable(const phx_key_rule *by, const uint32_t *slots, const float *squares, uint32_t count,
                                  double *keys, uint8_t *was)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double square = (double)squares[i];
        was[i] = by->mark[slots[i]] == by->listed;
        keys[i] = !was[i] ? square * by->sticky : square < by->listed_most ? square : by->listed_most;
        n += was[i];
    }
    return n;
}

static phx_rank_part part_at_rank_portable(uint32_t *slots, double *keys, uint8_t *was, const uint16_t *ranks,
                                           uint32_t count, uint16_t rank)
{
    phx_rank_part n = {0, 0};
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const bool above = ranks[i] > rank;
        const double key = keys[i];
        slots[n.kept] = slots[i];
        was[n.kept] = was[i];
        keys[n.kept] = above ? PHX_KEY_SURE : key;
        n.sure += above;
        n.kept += ranks[i] >= rank;
    }
    return n;
}

static uint32_t count_within_portable(const double *keys, uint32_t count, double limit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) n += keys[i] <= limit;
    return n;
}

static phx_cap_split split_at_limit_portable(uint32_t *slots, const double *keys, const uint8_t *was, uint32_t count,
                                             double limit, uint32_t *enter, uint32_t *leave)
{
    phx_cap_split n = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slots[i], stays = keys[i] <= limit;
        slots[n.stay] = enter[n.enter] = leave[n.leave] = slot;
        n.stay += stays;
        n.enter += stays & (uint32_t)!was[i];
        n.leave += (stays ^ 1) & was[i];
    }
    return n;
}

static uint32_t find_u32_portable(const uint32_t *array, uint32_t count, uint32_t value)
{
    enum { STEP = 16 }; /* compilers vectorise a loop of fixed length without an exit */
    uint32_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < STEP; j++) found |= array[i + j] == value;
        if (found) break;
    }
    while (i < count && array[i] != value) i++;
    return i;
}

static uint32_t set_difference_portable(const uint32_t *array, uint32_t count, uint32_t *values, uint32_t value_count)
{
    return phx_missing_by(find_u32_portable, array, count, values, value_count);
}

/* The outer loop is over the keys that come before, so the inner loop has no branch and no sum, and is vectorised. */
static void rank_change_keys_scalar(const int32_t *key, uint32_t count, uint32_t first, uint32_t *place)
{
    for (uint32_t i = 0; i < count; i++) place[i] = first;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) place[j] += key[i] < key[j];
}

static void order_keys_portable(const phx_sort_key_format *by, const phx_unsorted_events *of, uint32_t *place)
{
    for (uint32_t c = 0, at = 0; c < of->count; at = of->end[c++]) {
        int32_t key[PHX_ORDER_SHORT_MAX];
        uint32_t count = of->end[c] - at;
        phx_keys_of(by, of->targets + at, of->depths ? of->depths + at : NULL, count, key);
        rank_change_keys_scalar(key, count, of->first[c], place + at);
    }
}

static void order_portable(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    memset(place, 0, count * sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) place[j] += (kind[i] < kind[j]) | ((kind[i] == kind[j]) & (id[i] < id[j]));
}

static void rank_words_portable(const uint64_t *words, uint32_t count, uint32_t *place)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < count; j++) before += words[j] < words[i];
        place[i] = before;
    }
}

static uint32_t find_far_portable(const phx_far_lanes *lanes, uint32_t count, const phx_far_query *by, uint32_t *which)
{
    return phx_far_find(lanes, count, by, which);
}

static uint32_t find_far_observers_portable(const phx_far_lanes *lanes, uint32_t count, const phx_far_observers *of,
                                            ph_shape shape, float height)
{
    return phx_far_find_observers(lanes, count, of, shape, height);
}

const phx_kernels phx_kernels_portable = {.cull_rows = cull_rows_portable,
                                          .box_rows = box_rows_portable,
                                          .cell_offsets = cell_offsets_portable,
                                          .indices_in_range = indices_in_range_portable,
                                          .gather = gather_portable,
                                          .match = match_portable,
                                          .match_stencil = match_stencil_portable,
                                          .find_undecided = find_undecided_portable,
                                          .collect_flagged = collect_flagged_portable,
                                          .pairs_to_runs = pairs_to_runs_portable,
                                          .range_scan = range_scan_portable,
                                          .find_due = phx_find_due_portable,
                                          .gather_samples = phx_gather_samples_portable,
                                          .mark_items = phx_mark_items_portable,
                                          .place_keys = phx_place_keys_portable,
                                          .plan_row_ranges = plan_row_ranges_portable,
                                          .find_view_changes = find_view_changes_portable,
                                          .find_far = find_far_portable,
                                          .find_far_observers = find_far_observers_portable,
                                          .rank_hits = rank_hits_portable,
                                          .cap_keys = cap_keys_portable,
                                          .part_at_rank = part_at_rank_portable,
                                          .count_within = count_within_portable,
                                          .split_at_limit = split_at_limit_portable,
                                          .find_u32 = find_u32_portable,
                                          .set_difference = set_difference_portable,
                                          .order_keys = order_keys_portable,
                                          .order = order_portable,
                                          .rank_words = rank_words_portable,
                                          .rank_most = 8,
                                          .merge = phx_merge_words};
