/*
 * Blocks of towers and their sorted rows; see grid.h. Called by the shard's owner in the ingest phase (marks) and the
 * index phase (rebuild).
 */
#include "shards/grid/grid.h"

#include <string.h>

#include "shards/entity/bounds.h"

enum { LEAF_TOWERS_BITS = PHX_BLOCK_BITS + PHX_LEAF_BITS };

/*
 * Kernels may read, and drop, up to two vectors of 16 floats beyond the last row (PHX_KERNEL_PAD is for their other
 * arrays). The other three keep columns, which are read together, in different cache sets.
 */
enum { PAD_ROWS = 16 * 5 };

bool phx_grid_init(phx_grid *grid, phx_mem *mem, const uint32_t towers[2])
{
    *grid = (phx_grid){0};
    return phx_block_map_init(&grid->map, mem, towers);
}

enum { COLUMNS = 6 }; /* of 4 bytes each */

static size_t column_bytes(uint32_t capacity)
{
    return ((size_t)capacity + PAD_ROWS) * 4;
}

enum { BIT_COLUMNS = 2 }; /* moved_bits[] and observer_bits[] */

/* Room for misplaced rows: at least as many as phx_grid_sort_due() lets be edited. */
static uint32_t misplaced_of(uint32_t rows)
{
    enum { PART = 256, AT_LEAST = 32 };
    return rows / PART + AT_LEAST;
}

static size_t row_words(uint32_t rows)
{
    return ((size_t)rows + PHX_WORD_ROWS - 1) / PHX_WORD_ROWS;
}

static size_t memory_bytes(uint32_t capacity)
{
    return COLUMNS * column_bytes(capacity) + BIT_COLUMNS * row_words(capacity) * sizeof(uint64_t) +
           misplaced_of(capacity) * sizeof(uint32_t);
}

static void columns_free(phx_grid *grid, phx_mem *mem)
{
    phx_free(mem, grid->memory, memory_bytes(grid->rows_capacity), PHX_CACHE_LINE);
}

/* Moves the columns to new memory, without bits and misplaced rows: they are found anew. */
static void columns_move(phx_grid *grid, char *memory, uint32_t capacity)
{
    const phx_grid_rows *from = &grid->rows;
    const void *column[COLUMNS] = {from->x, from->y, from->ox, from->oy, from->view, from->slot};
    size_t step = column_bytes(capacity);
    for (uint32_t i = 0; grid->row_end > 0 && i < COLUMNS; i++)
        memcpy(memory + i * step, column[i], (size_t)grid->row_end * 4);
    grid->rows = (phx_grid_rows){.x = (float *)(void *)memory,
                                 .y = (float *)(void *)(memory + step),
                                 .ox = (float *)(void *)(memory + 2 * step),
                                 .oy = (float *)(void *)(memory + 3 * step),
                                 .view = (float *)(void *)(memory + 4 * step),
                                 .slot = (uint32_t *)(void *)(memory + 5 * step)};
    grid->moved_bits = (uint64_t *)(void *)(memory + COLUMNS * step);
    grid->observer_bits = grid->moved_bits + row_words(capacity);
    grid->misplaced = (uint32_t *)(void *)(grid->observer_bits + row_words(capacity));
    grid->misplaced_capacity = misplaced_of(capacity);
    grid->misplaced_count = 0;
}

void phx_grid_free(phx_grid *grid, phx_mem *mem)
{
    phx_block_map_free(&grid->map, mem);
    phx_release(mem, (void **)&grid->blocks, &grid->blocks_capacity, sizeof(phx_block));
    columns_free(grid, mem);
    *grid = (phx_grid){0};
}

phx_block_walk phx_grid_walk(const phx_grid *grid, uint32_t instance, phx_rect rect)
{
    return (phx_block_walk){.grid = grid,
                            .rect = rect,
                            .instance = instance,
                            .bx = rect.x0 >> PHX_BLOCK_BITS,
                            .by = rect.y0 >> PHX_BLOCK_BITS,
                            .wide = phx_grid_wide(grid, rect)};
}

phx_block_walk phx_grid_walk_all(const phx_grid *grid, phx_rect rect)
{
    phx_block_walk walk = phx_grid_walk(grid, 0, rect);
    walk.any = phx_idmap_count(&grid->map.apart) > 0;
    walk.wide |= walk.any;
    return walk;
}

const phx_block *phx_grid_next(phx_block_walk *walk)
{
    const phx_grid *grid = walk->grid;
    while (walk->wide) {
        if (walk->next == grid->block_count) return NULL;
        const phx_block *block = &grid->blocks[walk->next++];
        if ((walk->any || block->instance == walk->instance) && phx_block_meets(block, walk->rect)) return block;
    }
    while (walk->by <= walk->rect.y1 >> PHX_BLOCK_BITS) {
        const phx_block *block = phx_grid_block(grid, walk->instance, walk->bx, walk->by);
        if (walk->bx++ == walk->rect.x1 >> PHX_BLOCK_BITS) {
            walk->bx = walk->rect.x0 >> PHX_BLOCK_BITS;
            walk->by++;
        }
        if (block) return block;
    }
    return NULL;
}

/*
 * Blocks at or around the one of a row, from `low` on and below the result. The search begins where the row would be if
 * all blocks had as many, and doubles its steps: mostly it reads few blocks, which are far apart in memory.
 */
static uint32_t narrow_to_row(const phx_grid *grid, uint32_t row, uint32_t *low)
{
    const uint32_t count = grid->block_count, guess = (uint32_t)((uint64_t)row * count / grid->row_end);
    uint32_t high = guess, step = 1;
    *low = guess;
    for (; high < count && grid->blocks[high].start[0] <= row; step *= 2) {
        *low = high;
        high = count - high > step ? high + step : count;
    }
    for (; grid->blocks[*low].start[0] > row; step *= 2) {
        high = *low;
        *low = *low > step ? *low - step : 0;
    }
    return high;
}

uint32_t phx_grid_block_at(const phx_grid *grid, uint32_t row)
{
    PHX_ASSERT(row < grid->row_end);
    uint32_t low, high = narrow_to_row(grid, row, &low);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (grid->blocks[middle].start[0] <= row) low = middle;
        else high = middle;
    }
    return low;
}

uint32_t phx_grid_most(const phx_grid *grid, uint32_t instance, phx_rect rect)
{
    phx_block_walk walk = phx_grid_walk(grid, instance, rect);
    uint32_t rows = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        rows += block->start[PHX_BLOCK_TOWERS] - block->start[0];
    return rows;
}

static bool block_dirty(const phx_block *block, phx_rect rect, uint64_t tick)
{
    return block->dirty_tick == tick && (block->dirty & phx_block_mask(rect, block->bx, block->by));
}

bool phx_grid_dirty(const phx_grid *grid, uint32_t instance, phx_rect rect, uint64_t tick)
{
    phx_block_walk walk = phx_grid_walk(grid, instance, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        if (block_dirty(block, rect, tick)) return true;
    return false;
}

phx_tower_marks phx_grid_marks(const phx_grid *grid, uint32_t instance, phx_rect rect, uint64_t tick)
{
    phx_tower_marks marks = {false, false};
    phx_block_walk walk = phx_grid_walk(grid, instance, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        if (block->dirty_tick != tick) continue;
        uint64_t mask = phx_block_mask(rect, block->bx, block->by);
        marks.dirty |= (block->dirty & mask) != 0;
        marks.discontinuous |= (block->discontinuous & mask) != 0;
    }
    return marks;
}

bool phx_grid_rows_reserve(phx_grid *grid, phx_mem *mem, uint32_t needed)
{
    if (needed <= grid->rows_capacity) return true;
    enum { FIRST = 32, SMALL = 256, GROWTH = 8 }; /* as the store */
    uint32_t capacity = grid->rows_capacity + grid->rows_capacity / (grid->rows_capacity < SMALL ? 1 : GROWTH);
    if (capacity < needed) capacity = needed;
    if (capacity < FIRST) capacity = FIRST;
    char *memory = phx_alloc(mem, memory_bytes(capacity), PHX_CACHE_LINE);
    if (!memory) return false;
    void *old = grid->memory;
    columns_move(grid, memory, capacity);
    phx_free(mem, old, memory_bytes(grid->rows_capacity), PHX_CACHE_LINE);
    grid->memory = memory;
    grid->rows_capacity = capacity;
    return true;
}

void phx_grid_clear_bits(phx_grid *grid)
{
    if (grid->memory) memset(grid->moved_bits, 0, BIT_COLUMNS * row_words(grid->rows_capacity) * sizeof(uint64_t));
}

/* Writes the rows of a span whose bits are set, as phx_grid_moved_in(). */
static uint32_t rows_in(const uint64_t *words, phx_span span, uint32_t *out)
{
    enum { AT_ONCE = 8 }; /* only set bits are counted: as a rule the loop ends after one round */
    uint32_t n = 0;
    for (uint32_t base = span.first; base < span.end; base += PHX_WORD_ROWS) {
        const uint64_t *word = words + base / PHX_WORD_ROWS;
        const uint32_t off = base % PHX_WORD_ROWS, left = span.end - base;
        uint64_t bits = word[0] >> off;
        if (off + left > PHX_WORD_ROWS && off > 0) bits |= word[1] << (PHX_WORD_ROWS - off);
        if (left < PHX_WORD_ROWS) bits &= (UINT64_C(1) << left) - 1;
        do {
            for (uint32_t i = 0; i < AT_ONCE; i++, bits &= bits - 1) {
                out[n] = base + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << (PHX_WORD_ROWS - 1));
                n += bits != 0;
            }
        } while (PHX_UNLIKELY(bits != 0));
    }
    return n;
}

uint32_t phx_grid_moved_in(const phx_grid *grid, phx_span span, uint32_t *out)
{
    return rows_in(grid->moved_bits, span, out);
}

uint32_t phx_grid_observers_in(const phx_grid *grid, phx_span span, uint32_t *out)
{
    return rows_in(grid->observer_bits, span, out);
}

static void order_misplaced_rows(phx_grid *grid)
{
    const phx_grid_rows *rows = &grid->rows;
    for (size_t word = 0; word < row_words(grid->row_end); word++) {
        for (uint64_t bits = grid->moved_bits[word]; bits != 0; bits &= bits - 1) {
            size_t row = word * PHX_WORD_ROWS + (size_t)__builtin_ctzll(bits);
            rows->ox[row] = rows->x[row];
            rows->oy[row] = rows->y[row];
        }
        grid->moved_bits[word] = 0;
    }
}

void phx_grid_end_tick(phx_grid *grid, bool moved_only)
{
    if (grid->row_end == 0) return;
    if (moved_only) {
        order_misplaced_rows(grid);
        return;
    }
    memcpy(grid->rows.ox, grid->rows.x, grid->row_end * sizeof(float));
    memcpy(grid->rows.oy, grid->rows.y, grid->row_end * sizeof(float));
    memset(grid->moved_bits, 0, row_words(grid->row_end) * sizeof(uint64_t));
}

/* Is the row in the body's tower, or, as rows may drift, in one beside it? Drift is less than a tower. */
static bool row_in_span(const phx_grid *grid, const phx_body *body, uint32_t instance)
{
    int32_t far = grid->drift_bound > 0.0f ? 1 : 0;
    for (int32_t dy = -far; dy <= far; dy++) {
        for (int32_t dx = -far; dx <= far; dx++) {
            uint32_t tx = (uint32_t)(body->tx + dx), ty = (uint32_t)(body->ty + dy);
            if (tx >> LEAF_TOWERS_BITS >= grid->map.width || ty >> LEAF_TOWERS_BITS >= grid->map.height) continue;
            const phx_block *block = phx_grid_block(grid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
            uint32_t tower = phx_block_tower((uint16_t)tx, (uint16_t)ty);
            if (block && body->row >= block->start[tower] && body->row < block->start[tower + 1]) return true;
        }
    }
    return false;
}

/* Are there gaps behind blocks only, and without a view? */
static bool gaps_valid(const phx_grid *grid)
{
    uint32_t rows = 0, place = 0;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const phx_block *block = &grid->blocks[b];
        if (block->start[0] != place) return false;
        for (; place < block->start[PHX_BLOCK_TOWERS]; place++)
            rows += !phx_row_word_is_gap(phx_row_word_at(grid->rows.slot, place));
        for (; place < phx_grid_block_end(grid, b); place++)
            if (!phx_row_word_is_gap(phx_row_word_at(grid->rows.slot, place)) || grid->rows.view[place] != 0.0f)
                return false;
    }
    return rows == grid->row_count && place == grid->row_end;
}

bool phx_grid_valid(const phx_grid *grid, const phx_store *store)
{
    uint32_t rows = 0;
    if (!gaps_valid(grid) || grid->misplaced_count > 0) return false;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_LIVE)) continue;
        if (!(body->state & (PHX_SLOT_ROW | PHX_SLOT_OWN))) continue; /* a ghost whose row is deferred */
        rows++;
        if (!(body->state & PHX_SLOT_ROW) || body->row >= grid->row_end) return false;
        if (phx_row_slot(&grid->rows, body->row) != slot) return false;
        if (grid->rows.x[body->row] != body->x || grid->rows.y[body->row] != body->y) return false;
        if (grid->rows.view[body->row] != phx_grid_view(store, slot)) return false;
        if (!row_in_span(grid, body, phx_store_instance(store, slot))) return false;
    }
    return rows == grid->row_count;
}

bool phx_grid_in_order(const phx_grid *grid)
{
    const phx_grid_rows *rows = &grid->rows;
    for (uint32_t row = 0; row < grid->row_end; row++) {
        if (phx_grid_moved(grid, row)) return false;
        if (phx_row_word_is_gap(phx_row_word_at(rows->slot, row))) continue;
        if (rows->ox[row] != rows->x[row] || rows->oy[row] != rows->y[row]) return false;
    }
    return true;
}

bool phx_grid_plain(const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    if (!(store->body[slot].state & PHX_SLOT_OWN) || !phx_attr_observes(attr)) return false;
    const bool uncut = phx_list_unlimited(attr) || phx_list_below_limit(&store->tail[slot].list);
    return uncut && phx_store_view_decides(store, slot);
}

float phx_grid_view(const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    if (!(store->body[slot].state & PHX_SLOT_OWN)) return 0.0f;
    if (!phx_attr_observes(attr)) return phx_attr_lists(attr, &store->tail[slot].list) ? PHX_VIEW_LEFTOVER : 0.0f;
    const bool view_decides = attr->margin == 0.0f && phx_grid_plain(store, slot);
    return view_decides ? attr->view : -(attr->view + attr->margin);
}
