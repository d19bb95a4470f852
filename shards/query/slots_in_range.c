/*
 * Slots near a place; see slots_in_range.h.
 */
#include "shards/query/slots_in_range.h"

#include "shards/query/row_query.h"
#include "shards/state/view_reach.h"

/*
 * Widens a box by the drift, as rows may have drifted out of their towers; with slack for roundings, as in
 * phx_box_around().
 */
static phx_box widen_by_drift(phx_box box, float drift)
{
    if (drift == 0.0f) return box;
    float by = drift + drift * 1e-6f;
    return (phx_box){box.x0 - by - (fabsf(box.x0) + by) * 3e-7f, box.y0 - by - (fabsf(box.y0) + by) * 3e-7f,
                     box.x1 + by + (fabsf(box.x1) + by) * 3e-7f, box.y1 + by + (fabsf(box.y1) + by) * 3e-7f};
}

phx_rect phx_rows_rect(const phx_shard *shard, phx_box box)
{
    return phx_box_towers(shard->rules, widen_by_drift(box, shard->grid.drift_bound));
}

/*
 * A square that contains the box: as wide as the float32 difference from the middle to the farther end. Rounding keeps
 * order, so a position between the ends is no farther from the middle.
 */
static phx_range square_of(phx_box box)
{
    float x = box.x0 * 0.5f + box.x1 * 0.5f, y = box.y0 * 0.5f + box.y1 * 0.5f;
    float rx = fmaxf(x - box.x0, box.x1 - x), ry = fmaxf(y - box.y0, box.y1 - y);
    bool bounded = fabsf(x) <= FLT_MAX && fabsf(y) <= FLT_MAX; /* else an end is infinite */
    return bounded ? (phx_range){x, y, fmaxf(rx, ry), true} : (phx_range){0.0f, 0.0f, INFINITY, true};
}

void phx_rows_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink)
{
    const phx_grid *grid = &shard->grid;
    const phx_rect rect = phx_rows_rect(shard, box);
    const phx_block_walk walk = instance ? phx_grid_walk(grid, *instance, rect) : phx_grid_walk_all(grid, rect);
    phx_row_query query;
    phx_row_query_open(&query, shard->kernels, walk, square_of(box), false);
    for (uint32_t n; phx_row_query_next(&query, &n);) {
        for (uint32_t i = 0; i < n; i++) query.hits[i] = phx_row_word_slot(phx_row_word_at(query.hits, i));
        if (n > 0) sink->take(sink, query.hits, n);
    }
    sink->visited += query.ranges;
}

void phx_ninegrid_in_range(const phx_shard *shard, const uint32_t *instance, phx_box box, phx_sink *sink)
{
    enum { PIECE = 256 };
    uint32_t slots[PIECE], n = 0;
    phx_rect rect = phx_box_towers(shard->rules, box);
    phx_cell_block_walk walk =
        instance ? phx_ninegrid_walk(&shard->ninegrid, *instance, rect) : phx_ninegrid_walk_all(&shard->ninegrid, rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(cell_block, rect); left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            sink->visited++;
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_cell_entry *entry = &shard->ninegrid.entries[i];
                if (entry->flags & PHX_CELL_LEFT) continue;
                slots[n++] = entry->slot;
                if (n < PIECE) continue;
                sink->take(sink, slots, n);
                n = 0;
            }
        }
    }
    if (n > 0) sink->take(sink, slots, n);
}

/* ---- scans ---- */

/*
 * Scans the towers of one block that lie in the rectangle, as ranges of rows; hits go behind hits[n]. Returns the new
 * n.
 */
static uint32_t scan_block(const phx_shard *shard, const phx_block *block, phx_rect rect, const phx_range *area,
                           phx_range_scan *scan, uint32_t n)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    phx_span spans[PHX_BLOCK_SIDE] = {{0, 0}}; /* clang's analyser does not see that all are written */
    uint32_t span_count = phx_block_spans(block, rect, spans);
    for (uint32_t i = 0; i < span_count; i++) {
        scan->visited++;
        scan->pairs += spans[i].end - spans[i].first;
        n += shard->kernels->range_scan(rows, spans[i], area, scan->hits + n, scan->squares + n);
    }
    return n;
}

void phx_rows_scan(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan)
{
    const phx_body *body = &shard->store.body[observer];
    phx_rect rect = phx_interest_rows_rect(shard, body, radius);
    phx_range area = {body->x, body->y, radius, shard->rules->shape == PH_SHAPE_SQUARE};
    phx_block_walk walk = phx_grid_walk(&shard->grid, phx_store_instance(&shard->store, observer), rect);
    uint32_t n = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        n = scan_block(shard, block, rect, &area, scan, n);
    scan->count = n;
}

typedef struct scan_sink {
    phx_sink sink;
    const phx_store *store;
    const phx_body *body;
    const phx_rules *rules;
    float view;
    phx_range_scan *scan;
} scan_sink;

enum { AHEAD = 8 }; /* candidates ahead whose bodies are prefetched */

/* Keeps slots that pass the ground-plane part of the rule; the caller checks the rest. */
static void collect_in_range(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const scan_sink *at = (const scan_sink *)sink;
    phx_range_scan *scan = at->scan;
    float x = at->body->x, y = at->body->y, r = at->view;
    bool square = at->rules->shape == PH_SHAPE_SQUARE;
    scan->pairs += count;
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&at->store->body[slots[i + AHEAD]]);
        const phx_body *body = &at->store->body[slots[i]];
        float dx = body->x - x, dy = body->y - y, d2 = dx * dx + dy * dy;
        bool in = square ? (fabsf(dx) <= r) & (fabsf(dy) <= r) : d2 <= r * r;
        scan->hits[scan->count] = phx_row_word_of(slots[i], body->state & PHX_SLOT_SPECIAL).bits;
        scan->squares[scan->count] = d2;
        scan->count += in;
    }
}

static void collect_in_towers(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const scan_sink *at = (const scan_sink *)sink;
    phx_range_scan *scan = at->scan;
    scan->pairs += count;
    for (uint32_t i = 0; i < count; i++) {
        const phx_body *body = &at->store->body[slots[i]];
        scan->hits[scan->count] = phx_row_word_of(slots[i], body->state & PHX_SLOT_SPECIAL).bits;
        scan->count += phx_in_towers(at->rules, at->body, body);
    }
}

void phx_classical_scan(const phx_shard *shard, uint32_t observer, float radius, phx_range_scan *scan)
{
    const phx_rules *rules = shard->rules;
    scan_sink sink = {.sink.take = rules->range == PH_RANGE_TOWERS ? collect_in_towers : collect_in_range,
                      .store = &shard->store,
                      .body = &shard->store.body[observer],
                      .rules = rules,
                      .view = radius,
                      .scan = scan};
    const phx_index *index = shard->classical;
    if (!index->ops->within || !index->ops->within(index, observer, &sink.sink))
        index->ops->around(index, phx_shard_box(shard, sink.body, sink.view), &sink.sink);
    scan->visited += sink.sink.visited;
}
