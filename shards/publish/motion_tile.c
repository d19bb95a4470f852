/*
 * Motion tiles; see motion_tile.h.
 */
#include "shards/publish/motion_tile.h"

#include <string.h>

#include "base/simd.h"
#include "shards/publish/motion_samples.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/shard.h"

void phx_motion_tile_free(phx_motion_tile *tile, phx_mem *mem)
{
    phx_release(mem, (void **)&tile->words, &tile->words_capacity, sizeof *tile->words);
    phx_release(mem, (void **)&tile->place_of, &tile->place_of_capacity, sizeof *tile->place_of);
    *tile = (phx_motion_tile){0};
}

/* ---- what it is of ---- */

/* The observers of a block that rows decide about, and all rows around that they may see. */
typedef struct surroundings {
    phx_box box;     /* of views */
    float view;      /* the longest */
    uint32_t count;  /* observers */
    uint32_t around; /* rows, and some more */
    phx_rect rect;   /* the towers of these */
} surroundings;

enum { VIEWS_MAX = 1024 }; /* along an axis; more only where rows are far outside of the world */

/* The view of a row's observer, if rows decide about its list; else 0. */
static inline float view_by_rows(const phx_shard *shard, uint32_t row)
{
    const float view = shard->grid.rows.view[row];
    if (PHX_LIKELY(view >= 0.0f)) return view;
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    return shard->store.tail[slot].list.derived ? phx_store_attr(&shard->store, slot)->view : 0.0f;
}

/* false: there are none, or they are too far apart for cells. */
static bool find_tile_observers(const phx_shard *shard, const phx_block *block, surroundings *of)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    phx_box at = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = block->start[0]; i < block->start[PHX_BLOCK_TOWERS]; i++) {
        const float view = view_by_rows(shard, i);
        if (!(view > 0.0f)) continue;
        const float x = rows->x[i], y = rows->y[i];
        at = (phx_box){x < at.x0 ? x : at.x0, y < at.y0 ? y : at.y0, x > at.x1 ? x : at.x1, y > at.y1 ? y : at.y1};
        if (view > of->view) of->view = view;
        of->count++;
    }
    if (of->count == 0) return false;
    const phx_box low = phx_box_around(at.x0, at.y0, of->view), high = phx_box_around(at.x1, at.y1, of->view);
    of->box = (phx_box){low.x0, low.y0, high.x1, high.y1};
    const float most = of->view * VIEWS_MAX;
    return of->box.x1 - of->box.x0 <= most && of->box.y1 - of->box.y0 <= most;
}

static void count_around(const phx_shard *shard, const phx_block *block, surroundings *of)
{
    phx_span spans[PHX_BLOCK_SIDE] = {0}; /* for clang's analyser, which does not follow phx_block_spans() */
    of->rect = phx_rows_rect(shard, of->box);
    phx_block_walk walk = phx_grid_walk(&shard->grid, block->instance, of->rect);
    for (const phx_block *next; (next = phx_grid_next(&walk)) != NULL;) {
        const uint32_t count = phx_block_spans(next, of->rect, spans);
        for (uint32_t i = 0; i < count; i++) of->around += spans[i].end - spans[i].first;
    }
}

/* The share of a length that the cells of a view meet: two views, and half of one for the cut cells at its ends. */
static float met_share(float view, float length)
{
    const float met = 2.5f * view;
    return met < length ? met / length : 1.0f;
}

/*
 * Is a tile worth it? By arithmetic a row in it, ten stores in no order, costs as much as some 40 rows that are
 * compared, 16 at a time. Without it an observer compares itself with the rows of all towers that its view meets, which
 * have about as many as its own, but with no more than all around. With it, with the rows of some cells, so a view that
 * has all around saves none.
 */
static bool is_worth_it(const phx_shard *shard, const phx_block *block, const surroundings *of)
{
    const float row_cost = 40.0f, around = (float)of->around, width = of->box.x1 - of->box.x0;
    const float towers = 2.0f * (of->view + shard->grid.drift_bound) / shard->rules->tower_size + 1.0f;
    const float tiled = around * met_share(of->view, width) * met_share(of->view, of->box.y1 - of->box.y0);
    float together = 0.0f;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
        const float n = (float)(block->start[t + 1] - block->start[t]);
        together += n * n;
    }
    const float rows = (float)(block->start[PHX_BLOCK_TOWERS] - block->start[0]);
    const float met = together / rows * towers * towers, plain = met < around ? met : around;
    return (float)of->count * (plain - tiled) > row_cost * around;
}

/* ---- cells ---- */

/* Cells along an axis: of half a view; or wider ones, so that there are not many more than rows. */
static void lay_cells(phx_motion_tile *tile, const surroundings *of)
{
    const float width = of->box.x1 - of->box.x0, height = of->box.y1 - of->box.y0;
    const float even = sqrtf(width / (float)of->around) * sqrtf(height), half = of->view * 0.5f;
    tile->scale = 1.0f / (half > even ? half : even);
    tile->columns = (uint32_t)(width * tile->scale) + 1;
    tile->rows = (uint32_t)(height * tile->scale) + 1;
}

/* The cell along an axis of a place so far from the box's begin; monotone, so that no row in a view is missed. */
static inline uint32_t cell_on_axis(const phx_motion_tile *tile, float off, uint32_t cells)
{
    const int32_t at = (int32_t)(off * tile->scale), last = (int32_t)cells - 1;
    return (uint32_t)(at < last ? at : last);
}

/* The cells of a range of rows; those outside of the box share one behind the others. */
static void find_cells(const phx_motion_tile *tile, const phx_grid_rows *rows, phx_span span, uint32_t *cell)
{
    const phx_box box = tile->box;
    const uint32_t none = tile->columns * tile->rows;
    for (uint32_t i = span.first; i < span.end; i++) {
        const float x = rows->x[i], y = rows->y[i];
        const bool inside = phx_box_has(box, x, y);
        const uint32_t column = cell_on_axis(tile, inside ? x - box.x0 : 0.0f, tile->columns);
        const uint32_t row = cell_on_axis(tile, inside ? y - box.y0 : 0.0f, tile->rows);
        *cell++ = inside ? row * tile->columns + column : none;
    }
}

/* ---- content ---- */

/* The columns, writable. */
typedef struct filled_columns {
    float *x, *y, *z, *was_x, *was_y, *was_z;
    uint32_t *hash, *age, *item, *word, *cell;
} filled_columns;

enum { COLUMNS = 9, HEIGHT_COLUMNS = 2 };

/* Room for so many rows. false = no memory. */
static bool reserve_columns(phx_motion_tile *tile, phx_mem *mem, const phx_shard *shard, uint32_t count,
                            filled_columns *to)
{
    const bool tall = phx_shard_bands_tall(shard);
    const size_t column = (size_t)count + PHX_KERNEL_PAD, cells = (size_t)tile->columns * tile->rows + 3;
    const size_t bits = count / 32 + (size_t)PHX_KERNEL_PAD, all = COLUMNS + (tall ? (size_t)HEIGHT_COLUMNS : 0);
    const uint32_t had = tile->place_of_capacity;
    if (!phx_grow(mem, (void **)&tile->words, &tile->words_capacity, 0, all * column + cells + bits,
                  sizeof *tile->words) ||
        !phx_grow(mem, (void **)&tile->place_of, &tile->place_of_capacity, had, phx_bands_items(shard),
                  sizeof *tile->place_of))
        return false;
    if (tile->place_of_capacity > had)
        memset(tile->place_of + had, 0, (tile->place_of_capacity - had) * sizeof *tile->place_of);
    uint32_t *words = tile->words + all * column;
    float *at = (float *)(void *)tile->words;
    *to = (filled_columns){.x = at, .y = at + column, .was_x = at + 2 * column, .was_y = at + 3 * column};
    to->hash = tile->words + 4 * column;
    to->age = tile->words + 5 * column;
    to->item = tile->words + 6 * column;
    to->word = tile->words + 7 * column;
    to->cell = tile->words + 8 * column;
    if (tall) {
        to->z = at + COLUMNS * column;
        to->was_z = to->z + column;
    }
    tile->start = words;
    tile->left_out = words + cells;
    memset(words, 0, (cells + bits) * sizeof *words);
    return true;
}

/* Puts the rows of a range into their cells' next places. */
static void fill_span(phx_motion_tile *tile, const phx_shard *shard, phx_span span, const uint32_t *cell,
                      const filled_columns *to)
{
    const phx_motion_columns from = phx_bands_columns(shard);
    uint32_t *next = tile->start + 1; /* at the end, where the cells behind begin */
    for (uint32_t i = span.first; i < span.end; i++) {
        const uint32_t at = next[*cell++]++;
        to->x[at] = from.x[i];
        to->y[at] = from.y[i];
        to->was_x[at] = from.was_x[i];
        to->was_y[at] = from.was_y[i];
        to->hash[at] = from.hash[i];
        to->age[at] = from.age[i];
        to->item[at] = i;
        to->word[at] = from.word[i];
        tile->place_of[i] = at;
        if (!to->z) continue;
        to->z[at] = from.z[i];
        to->was_z[at] = from.was_z[i];
    }
}

/* Calls find_cells(), or fill_span(), for all rows around. */
static void visit_around(phx_motion_tile *tile, const phx_shard *shard, const surroundings *of,
                         const filled_columns *to, bool fill)
{
    phx_span spans[PHX_BLOCK_SIDE] = {0}; /* for clang's analyser, which does not follow phx_block_spans() */
    uint32_t *cell = to->cell;
    phx_block_walk walk = phx_grid_walk(&shard->grid, tile->instance, of->rect);
    for (const phx_block *next; (next = phx_grid_next(&walk)) != NULL;) {
        const uint32_t count = phx_block_spans(next, of->rect, spans);
        for (uint32_t i = 0; i < count; i++) {
            if (fill) fill_span(tile, shard, spans[i], cell, to);
            else find_cells(tile, &shard->grid.rows, spans[i], cell);
            cell += spans[i].end - spans[i].first;
        }
    }
    PHX_ASSERT((uint32_t)(cell - to->cell) == of->around);
}

/* Counting sort of the rows by cell. */
static void sort_samples(phx_motion_tile *tile, const phx_shard *shard, const surroundings *of,
                         const filled_columns *to)
{
    const uint32_t cells = tile->columns * tile->rows + 1; /* and the one of rows outside */
    uint32_t *start = tile->start;
    visit_around(tile, shard, of, to, false);
    for (uint32_t i = 0; i < of->around; i++) start[to->cell[i] + 2]++;
    for (uint32_t c = 1; c < cells; c++) start[c + 1] += start[c]; /* one behind its cell: see fill_span() */
    visit_around(tile, shard, of, to, true);
}

bool phx_motion_tile_open(phx_motion_tile *tile, phx_mem *mem, const phx_shard *shard, uint32_t number)
{
    surroundings of = {0};
    filled_columns to = {0};
    if (!shard->derives_lists) return true; /* it has no blocks */
    PHX_ASSERT(number < shard->grid.block_count);
    const phx_block *block = &shard->grid.blocks[number];
    if (tile->shard == shard && tile->tick == shard->tick && tile->block == number) return true;
    tile->shard = NULL;
    tile->usable = false;
    if (find_tile_observers(shard, block, &of)) {
        count_around(shard, block, &of);
        tile->usable = is_worth_it(shard, block, &of);
    }
    if (tile->usable) {
        tile->box = of.box;
        tile->instance = block->instance;
        lay_cells(tile, &of);
        tile->usable = reserve_columns(tile, mem, shard, of.around, &to);
        if (!tile->usable) return false;
        tile->count = of.around;
        tile->item = to.item;
        tile->of = (phx_motion_columns){to.x,    to.y,   to.z,    to.was_x, to.was_y,      to.was_z,
                                        to.hash, to.age, to.item, to.word,  tile->left_out};
        sort_samples(tile, shard, &of, &to);
    }
    tile->shard = shard;
    tile->tick = shard->tick;
    tile->block = number;
    return true;
}

const phx_block *phx_motion_tile_block(const phx_motion_tile *tile, const phx_shard *shard)
{
    return tile->shard == shard && tile->tick == shard->tick ? &shard->grid.blocks[tile->block] : NULL;
}

bool phx_motion_tile_covers(const phx_motion_tile *tile, const phx_shard *shard, uint32_t instance, phx_box box)
{
    return tile->usable && tile->shard == shard && tile->tick == shard->tick && tile->instance == instance &&
           box.x0 >= tile->box.x0 && box.y0 >= tile->box.y0 && box.x1 <= tile->box.x1 && box.y1 <= tile->box.y1 &&
           (box.y1 - box.y0) * tile->scale < PHX_MOTION_TILE_SPANS_MAX - 2;
}

uint32_t phx_motion_tile_spans(const phx_motion_tile *tile, phx_box box, phx_span spans[PHX_MOTION_TILE_SPANS_MAX])
{
    const uint32_t x0 = cell_on_axis(tile, box.x0 - tile->box.x0, tile->columns);
    const uint32_t x1 = cell_on_axis(tile, box.x1 - tile->box.x0, tile->columns);
    const uint32_t y0 = cell_on_axis(tile, box.y0 - tile->box.y0, tile->rows);
    const uint32_t y1 = cell_on_axis(tile, box.y1 - tile->box.y0, tile->rows);
    uint32_t n = 0;
    PHX_ASSERT(y1 - y0 < PHX_MOTION_TILE_SPANS_MAX);
    for (uint32_t y = y0; y <= y1; y++) {
        const uint32_t *start = tile->start + (size_t)y * tile->columns;
        spans[n] = (phx_span){start[x0], start[x1 + 1]};
        n += spans[n].first < spans[n].end;
    }
    return n;
}
