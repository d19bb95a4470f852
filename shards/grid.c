/*
 * Blocks of towers and their sorted rows; see grid.h. Called by the shard's owner in the
 * apply phase (touch) and the index phase (rebuild, survey).
 */
#include "shards/grid.h"

#include <string.h>

enum { LEAF_TOWERS_BITS = PHX_BLOCK_BITS + PHX_LEAF_BITS };

/*
 * Kernels may read, and drop, up to two vectors of 16 floats beyond the last row (PHX_KERNEL_PAD is of what they are
 * handed beside rows); the other three keep columns, which are walked together, off the same cache sets.
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

enum { WORD_ROWS = 64, BIT_COLUMNS = 2 }; /* stirred[] and watching[] */

static size_t words_of(uint32_t rows)
{
    return ((size_t)rows + WORD_ROWS - 1) / WORD_ROWS;
}

static size_t memory_bytes(uint32_t capacity)
{
    return COLUMNS * column_bytes(capacity) + BIT_COLUMNS * words_of(capacity) * sizeof(uint64_t);
}

static void columns_free(phx_grid *grid, phx_mem *mem)
{
    phx_free(mem, grid->memory, memory_bytes(grid->rows_capacity), PHX_CACHE_LINE);
}

/* The rows move to new memory, but not who was stirred or watches: that is found anew. */
static void columns_move(phx_grid *grid, char *memory, uint32_t capacity)
{
    const phx_grid_rows *from = &grid->rows;
    const void *column[COLUMNS] = {from->x, from->y, from->ox, from->oy, from->view, from->slot};
    size_t step = column_bytes(capacity);
    for (uint32_t i = 0; grid->row_count > 0 && i < COLUMNS; i++)
        memcpy(memory + i * step, column[i], (size_t)grid->row_count * 4);
    grid->rows = (phx_grid_rows){.x = (float *)(void *)memory,
                                 .y = (float *)(void *)(memory + step),
                                 .ox = (float *)(void *)(memory + 2 * step),
                                 .oy = (float *)(void *)(memory + 3 * step),
                                 .view = (float *)(void *)(memory + 4 * step),
                                 .slot = (uint32_t *)(void *)(memory + 5 * step)};
    grid->stirred = (uint64_t *)(void *)(memory + COLUMNS * step);
    grid->watching = grid->stirred + words_of(capacity);
}

void phx_grid_free(phx_grid *grid, phx_mem *mem)
{
    phx_block_map_free(&grid->map, mem);
    phx_release(mem, (void **)&grid->blocks, &grid->blocks_capacity, sizeof(phx_block));
    columns_free(grid, mem);
    *grid = (phx_grid){0};
}

phx_block_walk phx_grid_walk(const phx_grid *grid, phx_rect rect)
{
    return (phx_block_walk){.grid = grid,
                            .rect = rect,
                            .bx = rect.x0 >> PHX_BLOCK_BITS,
                            .by = rect.y0 >> PHX_BLOCK_BITS,
                            .wide = phx_grid_wide(grid, rect)};
}

const phx_block *phx_grid_next(phx_block_walk *walk)
{
    const phx_grid *grid = walk->grid;
    while (walk->wide) {
        if (walk->next == grid->block_count) return NULL;
        const phx_block *block = &grid->blocks[walk->next++];
        if (phx_block_meets(block, walk->rect)) return block;
    }
    while (walk->by <= walk->rect.y1 >> PHX_BLOCK_BITS) {
        const phx_block *block = phx_grid_block(grid, walk->bx, walk->by);
        if (walk->bx++ == walk->rect.x1 >> PHX_BLOCK_BITS) {
            walk->bx = walk->rect.x0 >> PHX_BLOCK_BITS;
            walk->by++;
        }
        if (block) return block;
    }
    return NULL;
}

uint32_t phx_grid_most(const phx_grid *grid, phx_rect rect)
{
    phx_block_walk walk = phx_grid_walk(grid, rect);
    uint32_t rows = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        rows += block->start[PHX_BLOCK_TOWERS] - block->start[0];
    return rows;
}

static bool block_touched(const phx_block *block, phx_rect rect, uint64_t tick)
{
    return block->dirty_tick == tick && (block->dirty & phx_block_mask(rect, block->bx, block->by));
}

bool phx_grid_touched(const phx_grid *grid, phx_rect rect, uint64_t tick)
{
    phx_block_walk walk = phx_grid_walk(grid, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        if (block_touched(block, rect, tick)) return true;
    return false;
}

phx_tower_marks phx_grid_marks(const phx_grid *grid, phx_rect rect, uint64_t tick)
{
    phx_tower_marks marks = {false, false};
    phx_block_walk walk = phx_grid_walk(grid, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        if (block->dirty_tick != tick) continue;
        uint64_t mask = phx_block_mask(rect, block->bx, block->by);
        marks.dirty |= (block->dirty & mask) != 0;
        marks.odd |= (block->odd & mask) != 0;
    }
    return marks;
}

static bool rows_reserve(phx_grid *grid, phx_mem *mem, uint32_t needed)
{
    if (needed <= grid->rows_capacity) return true;
    enum { FIRST = 256, GROWTH = 8 }; /* as the store */
    uint32_t capacity = grid->rows_capacity + grid->rows_capacity / GROWTH;
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

static const uint32_t KEY_GONE = UINT32_MAX;
enum { AHEAD = 16 }; /* rows: their bodies, in no order of memory, come meanwhile */

/* Those who are added get rows behind the others, in no tower yet. */
static void append_rows(const phx_grid *grid, const phx_store *store, const uint32_t *added, uint32_t added_count)
{
    const phx_grid_rows *rows = &grid->rows;
    for (uint32_t i = 0; i < added_count; i++) {
        uint32_t row = grid->row_count + i;
        rows->slot[row] = added[i];
        rows->ox[row] = rows->oy[row] = NAN;
        rows->view[row] = phx_grid_view(store, added[i]);
    }
}

/*
 * Finds every row's key, its block (made where none is) << 6 | tower, and counts a tower's rows into start[tower + 1].
 * false = no memory.
 */
static bool count_rows(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t total, uint32_t *key)
{
    uint32_t *slots = grid->rows.slot;
    phx_block *block = NULL; /* of the row before: as a rule it is this one's, too */
    for (uint32_t b = 0; b < grid->block_count; b++)
        memset(grid->blocks[b].start, 0, sizeof grid->blocks[b].start);
    for (uint32_t i = 0; i < total; i++) {
        if (i + AHEAD < total) __builtin_prefetch(&store->body[slots[i + AHEAD] & PHX_ROW_SLOT], 1);
        uint32_t slot = slots[i] & PHX_ROW_SLOT;
        phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_LIVE)) {
            body->state = (uint16_t)(body->state & ~PHX_SLOT_ROW);
            key[i] = KEY_GONE;
            continue;
        }
        if (!block || block->bx != body->tx >> PHX_BLOCK_BITS || block->by != body->ty >> PHX_BLOCK_BITS)
            block = phx_grid_block_ensure(grid, mem, body->tx >> PHX_BLOCK_BITS, body->ty >> PHX_BLOCK_BITS);
        if (!block) return false;
        uint32_t tower = phx_block_tower(body->tx, body->ty);
        key[i] = (uint32_t)(block - grid->blocks) << (2 * PHX_BLOCK_BITS) | tower;
        block->start[tower + 1]++;
        slots[i] = slot | (body->state & PHX_SLOT_SPECIAL ? PHX_ROW_SPECIAL : 0);
    }
    return true;
}

/* Counts become starts, shifted by one place: start[tower + 1] is where the tower's next row goes. */
static uint32_t starts_from_counts(phx_grid *grid)
{
    uint32_t sum = 0;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        uint32_t *start = grid->blocks[b].start;
        start[0] = sum;
        for (uint32_t t = 1; t <= PHX_BLOCK_TOWERS; t++) {
            uint32_t count = start[t];
            start[t] = sum;
            sum += count;
        }
    }
    return sum;
}

float phx_grid_view(const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    uint32_t state = store->body[slot].state;
    if (!(state & PHX_SLOT_OWN)) return 0.0f;
    if (!phx_observes(attr)) return phx_list_holds(&store->tail[slot].list) ? PHX_VIEW_LEFTOVER : 0.0f;
    bool plain = attr->margin == 0.0f && phx_unlimited(attr) && (attr->sees & 1) && !(state & PHX_SLOT_RELATED);
    return plain ? attr->view : -(attr->view + attr->margin);
}

/* A view as a word: in the order of views, as none is negative but by its sign, which comes before all. */
static int32_t view_word(float view)
{
    int32_t word;
    memcpy(&word, &view, sizeof word);
    return word;
}

static float view_of_word(int32_t word)
{
    float view;
    memcpy(&view, &word, sizeof view);
    return view;
}

/* What a block says of its observers. */
static void survey_block(const phx_grid *grid, phx_block *block)
{
    const float *view = grid->rows.view;
    const int32_t none = view_word(INFINITY);
    int32_t reach = 0, reach_min = none, least = none;
    uint32_t slots = 0, observers = 0;
    for (uint32_t i = block->start[0]; i < block->start[PHX_BLOCK_TOWERS]; i++) {
        int32_t own = view_word(view[i]), far = own & INT32_MAX;
        int32_t some = far != 0 ? far : none;
        own = far != 0 ? own : none;
        observers += far != 0;
        slots |= grid->rows.slot[i];
        reach = far > reach ? far : reach;
        reach_min = some < reach_min ? some : reach_min;
        least = own < least ? own : least;
    }
    block->reach = view_of_word(reach);
    block->reach_min = view_of_word(reach_min);
    block->observers = observers;
    block->special = slots & PHX_ROW_SPECIAL;
    block->view_min = least > 0 && reach > 0 ? view_of_word(least) : 0.0f;
}

/* Of up to 64 rows from one on, those with a view. */
static uint64_t watching_from(const phx_grid *grid, uint32_t first)
{
    const float *view = grid->rows.view + first;
    const uint32_t left = grid->row_count - first, count = left < WORD_ROWS ? left : WORD_ROWS;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) bits |= (uint64_t)(view[i] != 0.0f) << i;
    return bits;
}

bool phx_grid_survey_valid(const phx_grid *grid)
{
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const phx_block *block = &grid->blocks[b];
        phx_block now = *block;
        survey_block(grid, &now);
        if (now.reach != block->reach || now.reach_min != block->reach_min || now.observers != block->observers ||
            now.special != block->special || now.view_min != block->view_min)
            return false;
    }
    for (uint32_t row = 0; row < grid->row_count; row += WORD_ROWS)
        if (grid->watching[row / WORD_ROWS] != watching_from(grid, row)) return false;
    return true;
}

/* Did a row of the block change? */
static bool block_changed(const phx_grid *grid, const phx_block *block)
{
    const uint32_t first = block->start[0], count = phx_block_rows(block);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < grid->change_count; i++) changed |= grid->changes[i] - first < count;
    return changed;
}

static void watch_from(phx_grid *grid, uint32_t row)
{
    grid->watching[row / WORD_ROWS] = watching_from(grid, row / WORD_ROWS * WORD_ROWS);
}

void phx_grid_survey(phx_grid *grid)
{
    const bool all = !grid->surveyed;
    PHX_VALIDATE(all || grid->change_count > 0 || phx_grid_survey_valid(grid));
    if (!all && grid->change_count == 0) return;
    grid->surveyed = true;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        if (!all && !block_changed(grid, &grid->blocks[b])) continue;
        survey_block(grid, &grid->blocks[b]);
        /* what is left over may be gone from the interest phase on, where workers write views */
        if (grid->blocks[b].reach_min <= -PHX_VIEW_LEFTOVER) grid->surveyed = false;
    }
    for (uint32_t row = 0; all && row < grid->row_count; row += WORD_ROWS) watch_from(grid, row);
    for (uint32_t i = 0; !all && i < grid->change_count; i++) watch_from(grid, grid->changes[i]);
    grid->change_count = 0;
    PHX_VALIDATE(phx_grid_survey_valid(grid));
}

/* The rows of a span whose bits are set, as phx_grid_stirred_in(). */
static uint32_t rows_in(const uint64_t *words, phx_span span, uint32_t *out)
{
    enum { AT_ONCE = 8 }; /* and those count that are there: as a rule the loop is left after one round */
    uint32_t n = 0;
    for (uint32_t base = span.first; base < span.end; base += WORD_ROWS) {
        const uint64_t *word = words + base / WORD_ROWS;
        const uint32_t off = base % WORD_ROWS, left = span.end - base;
        uint64_t bits = word[0] >> off;
        if (off + left > WORD_ROWS && off > 0) bits |= word[1] << (WORD_ROWS - off);
        if (left < WORD_ROWS) bits &= (UINT64_C(1) << left) - 1;
        do {
            for (uint32_t i = 0; i < AT_ONCE; i++, bits &= bits - 1) {
                out[n] = base + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << (WORD_ROWS - 1));
                n += bits != 0;
            }
        } while (PHX_UNLIKELY(bits != 0));
    }
    return n;
}

uint32_t phx_grid_stirred_in(const phx_grid *grid, phx_span span, uint32_t *out)
{
    return rows_in(grid->stirred, span, out);
}

uint32_t phx_grid_watching_in(const phx_grid *grid, phx_span span, uint32_t *out)
{
    return rows_in(grid->watching, span, out);
}

static void settle_few(phx_grid *grid)
{
    const phx_grid_rows *rows = &grid->rows;
    for (size_t word = 0; word < words_of(grid->row_count); word++) {
        for (uint64_t bits = grid->stirred[word]; bits != 0; bits &= bits - 1) {
            size_t row = word * WORD_ROWS + (size_t)__builtin_ctzll(bits);
            rows->ox[row] = rows->x[row];
            rows->oy[row] = rows->y[row];
        }
        grid->stirred[word] = 0;
    }
}

void phx_grid_settle(phx_grid *grid, bool few)
{
    if (grid->row_count == 0) return;
    if (few) {
        settle_few(grid);
        return;
    }
    memcpy(grid->rows.ox, grid->rows.x, grid->row_count * sizeof(float));
    memcpy(grid->rows.oy, grid->rows.y, grid->row_count * sizeof(float));
    memset(grid->stirred, 0, words_of(grid->row_count) * sizeof(uint64_t));
}

/* Keys become places: those of who is gone one in the pad. */
static void place_rows(phx_grid *grid, uint32_t total, uint32_t *key)
{
    for (uint32_t i = 0; i < total; i++)
        key[i] = key[i] == KEY_GONE ? grid->rows_capacity
                                    : grid->blocks[key[i] >> (2 * PHX_BLOCK_BITS)]
                                          .start[(key[i] & (PHX_BLOCK_TOWERS - 1)) + 1]++;
}

/* What a column has goes to the places, in *spare; its memory is the spare one then. */
static void sort_floats(float **column, float **spare, const uint32_t *place, uint32_t total)
{
    float *from = *column, *sorted = *spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = from;
}

static void sort_words(uint32_t **column, float **spare, const uint32_t *place, uint32_t total)
{
    uint32_t *from = *column, *sorted = (uint32_t *)(void *)*spare;
    for (uint32_t i = 0; i < total; i++) sorted[place[i]] = from[i];
    *column = sorted;
    *spare = (float *)(void *)from;
}

/* Sorted rows become what their bodies are; these know where their rows are. */
static void follow_bodies(phx_grid *grid, phx_store *store, uint64_t tick, uint16_t stamp)
{
    const phx_grid_rows *rows = &grid->rows;
    const uint32_t total = grid->row_count;
    for (uint32_t b = 0; b < grid->block_count; b++) {
        phx_block *block = &grid->blocks[b];
        for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++) {
            if (row + AHEAD < total) __builtin_prefetch(&store->body[rows->slot[row + AHEAD] & PHX_ROW_SLOT], 1);
            phx_body *body = &store->body[rows->slot[row] & PHX_ROW_SLOT];
            rows->x[row] = body->x;
            rows->y[row] = body->y;
            body->row = row;
            body->state |= PHX_SLOT_ROW;
            if (body->changed != stamp) continue;
            phx_block_touch(block, phx_block_tower(body->tx, body->ty), tick, body->state & PHX_SLOT_ODD);
            phx_grid_stir(grid, row);
        }
    }
}

/* The old x and y are not wanted, so their columns are what the others are sorted by and into. */
bool phx_grid_rebuild(phx_grid *grid, phx_mem *mem, phx_store *store, const uint32_t *added, uint32_t added_count,
                      uint64_t tick, uint16_t stamp)
{
    uint32_t total = grid->row_count + added_count;
    if (!rows_reserve(grid, mem, total)) return false;
    if (!grid->sorting && !phx_grid_tidy_blocks(grid, mem, tick)) return false;
    grid->sorting = true;
    append_rows(grid, store, added, added_count);
    phx_grid_rows *rows = &grid->rows;
    uint32_t *place = (uint32_t *)(void *)rows->x;
    if (!count_rows(grid, mem, store, total, place)) return false;
    grid->row_count = starts_from_counts(grid);
    place_rows(grid, total, place);
    sort_floats(&rows->ox, &rows->y, place, total);
    sort_floats(&rows->oy, &rows->y, place, total);
    sort_floats(&rows->view, &rows->y, place, total);
    sort_words(&rows->slot, &rows->y, place, total);
    if (total > 0) memset(grid->stirred, 0, words_of(total) * sizeof(uint64_t));
    follow_bodies(grid, store, tick, stamp);
    grid->drift = 0.0f;
    grid->stale = grid->behind = grid->surveyed = false;
    grid->sorting = false;
    return true;
}

/* Is the row in the body's tower, or, when rows may have drifted, in one beside it? Drift is less than a tower. */
static bool row_near(const phx_grid *grid, const phx_body *body)
{
    int32_t far = grid->drift > 0.0f ? 1 : 0;
    for (int32_t dy = -far; dy <= far; dy++) {
        for (int32_t dx = -far; dx <= far; dx++) {
            uint32_t tx = (uint32_t)(body->tx + dx), ty = (uint32_t)(body->ty + dy);
            if (tx >> LEAF_TOWERS_BITS >= grid->map.width || ty >> LEAF_TOWERS_BITS >= grid->map.height) continue;
            const phx_block *block = phx_grid_block(grid, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
            uint32_t tower = phx_block_tower((uint16_t)tx, (uint16_t)ty);
            if (block && body->row >= block->start[tower] && body->row < block->start[tower + 1]) return true;
        }
    }
    return false;
}

bool phx_grid_valid(const phx_grid *grid, const phx_store *store)
{
    uint32_t rows = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_LIVE)) continue;
        if (!(body->state & (PHX_SLOT_ROW | PHX_SLOT_OWN))) continue; /* a ghost that waits for one */
        rows++;
        if (!(body->state & PHX_SLOT_ROW) || body->row >= grid->row_count) return false;
        if ((grid->rows.slot[body->row] & PHX_ROW_SLOT) != slot) return false;
        if (grid->rows.x[body->row] != body->x || grid->rows.y[body->row] != body->y) return false;
        if (grid->rows.view[body->row] != phx_grid_view(store, slot)) return false;
        if (!row_near(grid, body)) return false;
    }
    return rows == grid->row_count;
}

bool phx_grid_settled(const phx_grid *grid)
{
    const phx_grid_rows *rows = &grid->rows;
    for (uint32_t row = 0; row < grid->row_count; row++)
        if (rows->ox[row] != rows->x[row] || rows->oy[row] != rows->y[row] || phx_grid_stirred(grid, row)) return false;
    return true;
}
