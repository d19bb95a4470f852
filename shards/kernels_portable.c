/*
 * The kernels in plain C; see kernels.h.
 */
#include "shards/kernels.h"

#include <string.h>

/* A new position in units; what is out of reach of a conversion is out of every frame. */
static inline uint32_t unit(float p, float zero, float scale, float low, float end)
{
    float q = (p - zero) * scale;
    return q >= low && q < end ? (uint32_t)(int32_t)q : UINT32_MAX;
}

/* An old one, wrapped; `away` if it was not here. Any word will do for one that is not near, its tower is odd. */
static inline uint32_t unit_wrapped(float p, float zero, float scale, uint32_t away)
{
    const float far = 0x1p31f; /* what an int32_t holds */
    float q = (p - zero) * scale;
    if (q != q) return away & 0xffff;
    return q > -far && q < far ? (uint32_t)(int32_t)q & 0xffff : 0;
}

uint32_t phx_pick_portable(const phx_grid_rows *rows, const phx_span *spans, uint32_t span_count,
                           const phx_frame *frame, const phx_picked *to)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < span_count; s++) {
        for (uint32_t i = spans[s].first; i < spans[s].end; i++) {
            uint32_t x = unit(rows->x[i], frame->x, frame->scale, frame->low, frame->width);
            uint32_t y = unit(rows->y[i], frame->y, frame->scale, frame->low, frame->height);
            if (x == UINT32_MAX || y == UINT32_MAX) continue;
            uint32_t ox = unit_wrapped(rows->ox[i], frame->x, frame->scale, x + PHX_TILE_AWAY);
            uint32_t oy = unit_wrapped(rows->oy[i], frame->y, frame->scale, y);
            to->now[n] = (x & 0xffff) | y << 16;
            to->old[n] = ox | oy << 16;
            to->row[n] = i;
            bool moved = rows->x[i] != rows->ox[i] || rows->y[i] != rows->oy[i];
            to->cell[n++] = ((y >> frame->shift) * frame->columns + (x >> frame->shift)) | (moved ? frame->moved : 0);
        }
    }
    return n;
}

static uint32_t gather_portable(const uint32_t *const from[3], const phx_span *spans, uint32_t count,
                                uint32_t *const to[3])
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t length = spans[s].end - spans[s].first;
        for (uint32_t a = 0; a < 3; a++) memcpy(to[a] + n, from[a] + spans[s].first, length * sizeof(uint32_t));
        n += length;
    }
    return n;
}

/* The distance of two positions as limits have it. */
static inline int32_t apart(uint32_t a, uint32_t b, bool square)
{
    int32_t dx = (int16_t)(uint16_t)(a - b), dy = (int16_t)(uint16_t)((a >> 16) - (b >> 16));
    if (!square) return (int32_t)((uint32_t)(dx * dx) + (uint32_t)(dy * dy)); /* wraps for odd ones, as anything may */
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    return dx > dy ? dx : dy;
}

/* May a candidate so far off, now and before, be an event? */
static inline bool crosses(int32_t d, int32_t e, const phx_limits *limits)
{
    return ((d <= limits->in_high) & (e > limits->in_low)) | ((d > limits->near_low) & (e <= limits->near_high));
}

static inline void match_span(const phx_picked *c, phx_span span, uint32_t place, uint32_t now, uint32_t old,
                              const phx_limits *limits, bool square, phx_pairs *pairs)
{
    uint32_t n = pairs->count;
    for (uint32_t i = span.first; i < span.end; i++) {
        pairs->observer[n] = place;
        pairs->target[n] = c->row[i];
        n += crosses(apart(c->now[i], now, square), apart(c->old[i], old, square), limits);
    }
    pairs->count = n;
}

static uint32_t match_portable(const phx_picked *candidates, uint32_t count, const phx_watchers *watchers,
                               const phx_limits *limits, phx_pairs *pairs)
{
    const phx_span all = {0, count};
    uint32_t w = 0;
    for (; w < watchers->count && pairs->capacity - pairs->count >= count; w++) {
        uint32_t place = watchers->place[w], now = watchers->now[place], old = watchers->old[place];
        if (limits->square) match_span(candidates, all, place, now, old, limits, true, pairs);
        else match_span(candidates, all, place, now, old, limits, false, pairs);
    }
    return w;
}

uint32_t phx_match_sparse_portable(const phx_cells *cells, const phx_watchers *watchers, const phx_limits *limits,
                                   phx_pairs *pairs)
{
    const phx_picked all = {(uint32_t *)cells->now, (uint32_t *)cells->old, (uint32_t *)cells->row, NULL};
    uint32_t w = 0;
    for (; w < watchers->count; w++) {
        uint32_t place = watchers->place[w], now = watchers->now[place], old = watchers->old[place];
        const uint32_t *above = cells->start + cells->cell[place] - cells->columns - 1, *start = above;
        uint32_t count = 0;
        for (uint32_t i = 0; i < 3; i++, start += cells->columns) count += start[3] - start[0];
        if (pairs->capacity - pairs->count < count) break;
        pairs->tested += count;
        start = above;
        for (uint32_t i = 0; i < 3; i++, start += cells->columns)
            match_span(&all, (phx_span){start[0], start[3]}, place, now, old, limits, limits->square, pairs);
    }
    return w;
}

/* One pair, exactly: written in any case, and kept or not, so nothing depends on a branch. */
static inline void confirm_one(const phx_grid_rows *rows, uint32_t place, uint32_t o, uint32_t t, const phx_test *test,
                               phx_pairs *pairs, uint32_t *n)
{
    float dx = rows->x[t] - rows->x[o], dy = rows->y[t] - rows->y[o];
    float ex = rows->ox[t] - rows->ox[o], ey = rows->oy[t] - rows->oy[o];
    float d, e; /* what is compared: squares of distances, or the longer of the two axes */
    if (test->square) {
        dx = fabsf(dx), dy = fabsf(dy), ex = fabsf(ex), ey = fabsf(ey);
        d = dx > dy ? dx : dy;
        e = ex > ey ? ex : ey;
    } else {
        d = dx * dx + dy * dy;
        e = ex * ex + ey * ey;
    }
    bool enter = (d <= test->in) & !(e <= test->in), leave = (e <= test->near) & !(d <= test->near);
    pairs->observer[*n] = place | (leave ? PHX_PAIR_LEAVE : 0);
    pairs->target[*n] = rows->slot[t];
    *n += enter | leave;
}

uint32_t phx_confirm_portable(const phx_grid_rows *rows, const uint32_t *row, const phx_test *test, phx_pairs *pairs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i++)
        confirm_one(rows, pairs->observer[i], row[pairs->observer[i]], pairs->target[i], test, pairs, &n);
    return n;
}

/* Branch-free: every row is written, and kept or not. */
uint32_t phx_scan_portable(const phx_grid_rows *rows, phx_span span, const phx_area *area, uint32_t *slots,
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

uint32_t phx_nearer_portable(uint32_t *slots, float *squares, uint32_t count, float limit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stays = slots[i] >> 31 | (squares[i] <= limit);
        slots[n] = slots[i];
        squares[n] = squares[i];
        n += stays;
    }
    return n;
}

static uint32_t find_portable(const uint32_t *array, uint32_t count, uint32_t value)
{
    enum { STEP = 16 }; /* a fixed length without a way out is what compilers vectorise */
    uint32_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < STEP; j++) found |= array[i + j] == value;
        if (found) break;
    }
    while (i < count && array[i] != value) i++;
    return i;
}

void phx_order_portable(const uint64_t *id, const uint16_t *kind, uint32_t count, uint32_t *place)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < count; j++)
            before += (kind[j] < kind[i]) | ((kind[j] == kind[i]) & (id[j] < id[i]));
        place[i] = before;
    }
}

const phx_kernels phx_kernels_portable = {.pick = phx_pick_portable,
                                          .gather = gather_portable,
                                          .match = match_portable,
                                          .match_sparse = phx_match_sparse_portable,
                                          .confirm = phx_confirm_portable,
                                          .scan = phx_scan_portable,
                                          .nearer = phx_nearer_portable,
                                          .find = find_portable,
                                          .order = phx_order_portable};

const phx_kernels *phx_kernels_of(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd == PH_SIMD_AVX512) return &phx_kernels_avx512;
    if (simd == PH_SIMD_AVX2) return &phx_kernels_avx2;
#endif
    PHX_ASSERT(simd == PH_SIMD_PORTABLE);
    return &phx_kernels_portable;
}
