/*
 * index = grid: one dense array of square cells over the shard's rectangle and its surroundings, with a chain of slots
 * for each cell; a move within a cell changes nothing. See README.md; written in the index phase, read in the interest
 * phase (index.h).
 */
#include "shards/classical/grid.h"

#include <string.h>

#include "shards/classical/cells.h"
#include "shards/entity/entity_store.h"

/*
 * Cells around the rectangle, for ghosts; a ghost farther out is in an outermost cell. And the most cells: 32 MiB, with
 * more needed cells are wider.
 */
enum { CELLS_AROUND = 2, CELLS_MAX = 1 << 22 };

typedef struct grid {
    phx_index index;
    phx_uniform_cells cells;
    phx_chain *chains; /* [rows][columns] */
    phx_link *links;   /* by slot */
    uint32_t columns, rows;
    uint32_t chains_capacity, links_capacity;
    uint32_t tick;
    bool all; /* all slots were inserted anew in this tick */
} grid;

static void grid_index_release(phx_index *index)
{
    grid *own = (grid *)index;
    phx_mem *mem = index->env.mem;
    phx_release(mem, (void **)&own->chains, &own->chains_capacity, sizeof *own->chains);
    phx_release(mem, (void **)&own->links, &own->links_capacity, sizeof *own->links);
}

/* ---- cells ---- */

/* The cell along an axis, in the array. */
static inline uint32_t cell_along(const phx_uniform_cells *cells, int axis, float p, uint32_t count)
{
    int32_t n = phx_cell_of(cells, axis, p);
    return n < 0 ? 0 : (uint32_t)n < count ? (uint32_t)n : count - 1;
}

static phx_chain *chain_of(const grid *own, const phx_link *link)
{
    return &own->chains[(size_t)link->y * own->columns + (size_t)link->x];
}

static void put_in_cell(grid *own, uint32_t slot)
{
    const phx_body *body = &own->index.env.store->body[slot];
    phx_link *link = &own->links[slot];
    link->x = (int32_t)cell_along(&own->cells, 0, body->x, own->columns);
    link->y = (int32_t)cell_along(&own->cells, 1, body->y, own->rows);
    phx_chain *chain = chain_of(own, link);
    phx_chain_put(chain, own->links, slot);
    chain->changed = own->tick;
}

/* The number of cells of that side, surroundings included, along an axis of the shard. */
static double cells_along(const phx_index *index, int axis, float side)
{
    phx_rect rect = index->env.rect;
    uint32_t towers = axis == 0 ? rect.x1 - rect.x0 + 1u : rect.y1 - rect.y0 + 1u;
    return ceil((double)towers * (double)index->env.rules->tower_size / (double)side) + 2.0 * CELLS_AROUND;
}

/* Makes an empty array for cells of about that side. false = no memory, unchanged. */
static bool lay_out_cells(grid *own, float side)
{
    const phx_index *index = &own->index;
    const phx_rules *rules = index->env.rules;
    phx_rect rect = index->env.rect;
    while (cells_along(index, 0, side) * cells_along(index, 1, side) > (double)CELLS_MAX) side *= 2.0f;
    uint32_t columns = (uint32_t)cells_along(index, 0, side), rows = (uint32_t)cells_along(index, 1, side);
    phx_chain *chains = NULL;
    uint32_t capacity = 0;
    if (!phx_grow(index->env.mem, (void **)&chains, &capacity, 0, (size_t)columns * rows, sizeof *chains)) return false;
    PHX_ASSERT(chains);
    memset(chains, 0, (size_t)columns * rows * sizeof *chains);
    phx_release(index->env.mem, (void **)&own->chains, &own->chains_capacity, sizeof *chains);
    own->chains = chains;
    own->chains_capacity = capacity;
    own->columns = columns;
    own->rows = rows;
    own->cells.side = side;
    own->cells.origin[0] = rules->origin[0] + (float)rect.x0 * rules->tower_size - CELLS_AROUND * side;
    own->cells.origin[1] = rules->origin[1] + (float)rect.y0 * rules->tower_size - CELLS_AROUND * side;
    return true;
}

/* ---- index phase ---- */

static bool grid_index_reserve(phx_index *index, uint32_t slots)
{
    grid *own = (grid *)index;
    float side;
    if (!own->chains && phx_cells_choose(&own->cells, index, &side) && !lay_out_cells(own, side)) return false;
    return phx_grow(index->env.mem, (void **)&own->links, &own->links_capacity, own->links_capacity, slots,
                    sizeof *own->links);
}

static void grid_index_begin_tick(phx_index *index, uint64_t tick)
{
    grid *own = (grid *)index;
    own->tick = (uint32_t)tick;
    own->all = false;
}

static void grid_index_insert(phx_index *index, uint32_t slot)
{
    grid *own = (grid *)index;
    put_in_cell(own, slot);
    own->cells.count++;
    index->counts.steps++;
}

static void grid_index_remove(phx_index *index, uint32_t slot)
{
    grid *own = (grid *)index;
    phx_chain *chain = chain_of(own, &own->links[slot]);
    phx_chain_remove(chain, own->links, slot);
    chain->changed = own->tick;
    own->cells.count--;
    index->counts.steps++;
}

static void grid_index_move(phx_index *index, uint32_t slot)
{
    grid *own = (grid *)index;
    const phx_body *body = &index->env.store->body[slot];
    const phx_link *link = &own->links[slot];
    phx_chain *chain = chain_of(own, link);
    chain->changed = own->tick;
    bool stays = (uint32_t)link->x == cell_along(&own->cells, 0, body->x, own->columns) &&
                 (uint32_t)link->y == cell_along(&own->cells, 1, body->y, own->rows);
    if (stays) return;
    phx_chain_remove(chain, own->links, slot);
    put_in_cell(own, slot);
    index->counts.steps++;
}

/* Lays out cells anew if another side is better: then all slots are inserted anew, and changes are unknown. */
static bool grid_index_end_changes(phx_index *index)
{
    grid *own = (grid *)index;
    const phx_store *store = index->env.store;
    float side;
    phx_uniform_cells before = own->cells;
    if (!phx_cells_choose(&own->cells, index, &side)) return true;
    if (!lay_out_cells(own, side)) {
        own->cells = before;
        return false;
    }
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if (store->body[slot].state & PHX_SLOT_ROW) put_in_cell(own, slot);
    index->counts.steps += own->cells.count;
    own->all = true;
    return true;
}

/* ---- reading ---- */

/* The cells of a box. */
typedef struct patch {
    uint32_t x0, y0, x1, y1;
} patch;

static patch box_cells(const grid *own, phx_box box)
{
    return (patch){cell_along(&own->cells, 0, box.x0, own->columns), cell_along(&own->cells, 1, box.y0, own->rows),
                   cell_along(&own->cells, 0, box.x1, own->columns), cell_along(&own->cells, 1, box.y1, own->rows)};
}

static void grid_index_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const grid *own = (const grid *)index;
    phx_pieces pieces;
    if (!own->chains) return; /* there never was an entity */
    phx_pieces_open(&pieces, sink);
    patch at = box_cells(own, box);
    uint64_t cells = (uint64_t)(at.x1 - at.x0 + 1) * (at.y1 - at.y0 + 1);
    if (cells > own->cells.count) {
        phx_cells_all(index, box, sink);
        return;
    }
    sink->visited += cells;
    for (uint32_t y = at.y0; y <= at.y1; y++)
        for (uint32_t x = at.x0; x <= at.x1; x++)
            for (uint32_t n = own->chains[(size_t)y * own->columns + x].first; n; n = own->links[n - 1].next)
                phx_pieces_add(&pieces, n - 1);
    phx_pieces_flush(&pieces);
}

static bool grid_index_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const grid *own = (const grid *)index;
    patch at = box_cells(own, box);
    (void)observer;
    bool wide = (uint64_t)(at.x1 - at.x0 + 1) * (at.y1 - at.y0 + 1) > own->cells.count;
    if (wide || own->all) return true;
    for (uint32_t y = at.y0; y <= at.y1; y++)
        for (uint32_t x = at.x0; x <= at.x1; x++)
            if (own->chains[(size_t)y * own->columns + x].changed == own->tick) return true;
    return false;
}

/* Is every slot that is in, and no other, in the chain of its cell? */
static bool grid_index_valid(const phx_index *index)
{
    const grid *own = (const grid *)index;
    const phx_store *store = index->env.store;
    uint32_t count = 0;
    if (!phx_index_has_all(index, own->cells.count)) return false;
    for (size_t i = 0; own->chains && i < (size_t)own->columns * own->rows; i++) {
        for (uint32_t n = own->chains[i].first, prev = 0; n; prev = n, n = own->links[n - 1].next, count++) {
            const phx_body *body = &store->body[n - 1];
            const phx_link *link = &own->links[n - 1];
            if (!(body->state & PHX_SLOT_LIVE) || link->prev != prev || chain_of(own, link) != &own->chains[i] ||
                (uint32_t)link->x != cell_along(&own->cells, 0, body->x, own->columns) ||
                (uint32_t)link->y != cell_along(&own->cells, 1, body->y, own->rows))
                return false;
        }
    }
    return count == own->cells.count;
}

const phx_index_ops phx_index_grid = {
    .bytes = sizeof(grid),
    .release = grid_index_release,
    .reserve = grid_index_reserve,
    .begin = grid_index_begin_tick,
    .insert = grid_index_insert,
    .remove = grid_index_remove,
    .move = grid_index_move,
    .turn = grid_index_end_changes,
    .around = grid_index_around,
    .any_dirty_near = grid_index_dirty,
    .valid = grid_index_valid,
};
