/*
 * Choice of a block's sparse plan, and its moved rows; see sparse_plan.h. Interest phase, any worker.
 */
#include "shards/interest/sparse_plan.h"

#include "shards/entity/bounds.h"
#include "shards/interest/tile.h"

void phx_sparse_plan_free(phx_sparse_plan *stir, phx_mem *mem)
{
    phx_release(mem, (void **)&stir->movers, &stir->movers_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&stir->beyond, &stir->beyond_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&stir->found, &stir->found_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&stir->pairs, &stir->pairs_capacity, sizeof(phx_sparse_plan_pair));
    phx_release(mem, (void **)&stir->told, &stir->told_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&stir->last, &stir->last_capacity, sizeof(uint32_t));
    *stir = (phx_sparse_plan){0};
}

/* Appends the moved rows of a block in the towers around. *rows: adds all rows there. false = no memory. */
static bool find_in(phx_sparse_plan *stir, phx_mem *mem, const phx_block *block, uint32_t *rows)
{
    const phx_grid *grid = &stir->shard->grid;
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t count = phx_block_spans(block, stir->around, spans), length = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): phx_block_spans() wrote them */
    for (uint32_t s = 0; s < count; s++) length += spans[s].end - spans[s].first;
    size_t needed = (size_t)stir->mover_count + length + 1, least = phx_rows_least(stir->rows_least, 1);
    if (!phx_grow(mem, (void **)&stir->movers, &stir->movers_capacity, stir->mover_count,
                  needed > least ? needed : least, sizeof(uint32_t)))
        return false;
    *rows += length;
    for (uint32_t s = 0; s < count; s++)
        stir->mover_count += phx_grid_moved_in(grid, spans[s], stir->movers + stir->mover_count);
    return true;
}

/* Finds the moved rows in the towers around. *rows: all rows there. false = no memory. */
static bool find_movers_around(phx_sparse_plan *stir, phx_mem *mem, uint32_t *rows)
{
    const phx_block *own = &stir->shard->grid.blocks[stir->block];
    if (!find_in(stir, mem, own, rows)) return false;
    stir->own_count = stir->mover_count;
    phx_block_walk walk = phx_grid_walk(&stir->shard->grid, own->instance, stir->around);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        if (block != own && !find_in(stir, mem, block, rows)) return false;
    return true;
}

/*
 * Costs, in comparisons of rows. A tile costs TILE_EACH for each row in it, and TILE_ONCE however few these are
 * (measured with sparse-huge). A moved row that queries costs MOVER_EACH and the rows of the towers around, at the
 * density of the block's own rows; finding the moved rows is paid already. An observer that queries costs OBSERVER_EACH
 * more than in a tile, where it is compared with as many rows (measured with mmo).
 */
enum { MOVER_EACH = 60, OBSERVER_EACH = 250, TILE_EACH = 28, TILE_ONCE = 600 };

static float estimate_comparisons(const phx_sparse_plan *stir, const phx_block *block)
{
    float together = 0, own = (float)phx_block_rows(block);
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
        float n = (float)(block->start[t + 1] - block->start[t]);
        together += n * n;
    }
    float across = 2 * stir->reach / stir->shard->rules->tower_size + 1;
    return together / own * across * across;
}

/* Previous rows in the blocks around: each counts as a query. */
static uint32_t past_rows(const phx_sparse_plan *stir)
{
    const phx_grid *grid = &stir->shard->grid;
    phx_block_walk walk = phx_grid_walk(grid, grid->blocks[stir->block].instance, stir->around);
    uint32_t count = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) count += block->past.end - block->past.first;
    return count;
}

/* Are there so few discontinuous rows around that each may find all rows in its range? Moved rows were found. */
static bool few_discontinuous(const phx_sparse_plan *stir)
{
    uint32_t count = past_rows(stir);
    for (uint32_t i = 0; i < stir->mover_count; i++)
        count += phx_row_discontinuous(&stir->shard->grid.rows, stir->movers[i]);
    return count <= PHX_SPARSE_ODD_MOST;
}

/*
 * Do the queries of moved rows cost less than a tile? If the block does not fit a tile, the alternative is evaluation,
 * and they always do.
 */
static bool movers_pay(const phx_sparse_plan *stir, const phx_block *block, uint32_t rows)
{
    const uint32_t lookers = stir->mover_count + (stir->odd ? past_rows(stir) : 0);
    if (!phx_tile_fits(block, stir->shard)) return true;
    return (float)lookers * (MOVER_EACH + estimate_comparisons(stir, block)) < (float)rows * TILE_EACH + TILE_ONCE;
}

static bool observers_pay(const phx_sparse_plan *stir, const phx_block *block)
{
    if (!phx_tile_fits(block, stir->shard)) return true;
    return (float)block->observers * OBSERVER_EACH < (float)phx_block_rows(block) * TILE_EACH + TILE_ONCE;
}

/*
 * An upper bound along an axis of the distance of two towers whose rows may be an event. Rows are in their towers now,
 * or were before, give or take the drift. Before, the drift was less by a step, unless rows were just sorted.
 */
static float towers_apart(const phx_shard *shard, const phx_block *block)
{
    const float drift = shard->grid.drift_bound, step = shard->step_max;
    return block->reach + 2 * (drift > step ? drift : step);
}

/* The towers of all rows that may be an event with the block's rows. */
static phx_rect block_event_towers(const phx_sparse_plan *stir, const phx_block *block)
{
    const phx_shard *shard = stir->shard;
    uint16_t x = (uint16_t)(block->bx << PHX_BLOCK_BITS), y = (uint16_t)(block->by << PHX_BLOCK_BITS);
    phx_rect own = {x, y, (uint16_t)(x + PHX_BLOCK_SIDE - 1), (uint16_t)(y + PHX_BLOCK_SIDE - 1)};
    phx_box near = phx_box_of_towers(shard->rules, own);
    return phx_box_towers(shard->rules, phx_box_wider(near, towers_apart(shard, block)));
}

/* Chooses the way; finds the moved rows if they may query, or if a discontinuous entity is near. false = no memory. */
static bool choose_plan(phx_sparse_plan *stir, phx_mem *mem, const phx_block *block)
{
    const phx_shard *shard = stir->shard;
    const bool alike = block->reach == block->reach_min;
    uint32_t rows = 0;
    stir->around = block_event_towers(stir, block);
    if (shard->any_discontinuous || !shard->dense_tick) {
        phx_tower_marks marks = phx_grid_marks(&shard->grid, block->instance, stir->around, shard->tick);
        /* moved rows are not found then, or are too many; or a list is not derived yet */
        const bool many = shard->dense_tick || phx_shard_expects_dense_tick(shard);
        if (marks.odd && (many || shard->past.kept)) return true;
        stir->odd = marks.odd;
        if (!marks.dirty && !shard->dense_tick) { /* no observer has an event */
            stir->way = PHX_SPARSE_BY_MOVERS;
            return true;
        }
    }
    if (phx_sparse_plan_movers(shard) && (alike || stir->odd) && !find_movers_around(stir, mem, &rows)) return false;
    if (stir->odd && !few_discontinuous(stir)) return true;
    if (phx_sparse_plan_movers(shard) && alike && movers_pay(stir, block, rows)) stir->way = PHX_SPARSE_BY_MOVERS;
    if (stir->way == PHX_SPARSE_NONE && observers_pay(stir, block)) stir->way = PHX_SPARSE_BY_OBSERVERS;
    return true;
}

/*
 * The distance along an axis from a querying row to the towers of rows that may be an event with it. Now rows are in
 * their towers give or take the drift. Before, the drift was less by a step, and the querying row was a step off; the
 * same holds for rows that were just sorted.
 */
static float query_reach(const phx_shard *shard, const phx_block *block)
{
    const float drift = shard->grid.drift_bound, steps = 2 * shard->step_max;
    return block->reach + (drift > steps ? drift : steps);
}

bool phx_sparse_plan_open(phx_sparse_plan *stir, phx_mem *mem, const phx_shard *shard, uint32_t number)
{
    const phx_block *block = &shard->grid.blocks[number];
    if (stir->shard == shard && stir->tick == shard->tick && stir->block == number) return true;
    stir->shard = shard;
    stir->tick = shard->tick;
    stir->block = number;
    stir->mover_count = stir->own_count = 0;
    stir->way = PHX_SPARSE_NONE;
    stir->odd = false;
    if (!shard->delta_allowed || !shard->derives_lists || !(block->view_min > 0.0f)) return true;
    stir->reach = query_reach(shard, block);
    if (choose_plan(stir, mem, block)) return true;
    stir->shard = NULL;
    return false;
}
