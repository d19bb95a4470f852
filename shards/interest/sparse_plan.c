/*
 * Choice of a block's sparse plan, and its moved rows; see sparse_plan.h. Interest phase, any worker.
 */
#include "shards/interest/sparse_plan.h"

#include "shards/entity/bounds.h"
#include "shards/grid/blocks.h"
#include "shards/interest/far_items.h"
#include "shards/interest/tile.h"
#include "shards/state/related.h"

void phx_sparse_plan_free(phx_sparse_plan *plan, phx_mem *mem)
{
    phx_release(mem, (void **)&plan->movers, &plan->movers_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&plan->beyond, &plan->beyond_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&plan->found, &plan->found_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&plan->pairs, &plan->pairs_capacity, sizeof(phx_sparse_plan_pair));
    phx_release(mem, (void **)&plan->has_pairs, &plan->has_pairs_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&plan->last, &plan->last_capacity, sizeof(uint32_t));
    *plan = (phx_sparse_plan){0};
}

/* Appends the moved rows of a block in the towers around. *rows: adds all rows there. false = no memory. */
static bool find_in(phx_sparse_plan *plan, phx_mem *mem, const phx_block *block, uint32_t *rows)
{
    const phx_grid *grid = &plan->shard->grid;
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t count = phx_block_spans(block, plan->around, spans), length = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): phx_block_spans() wrote them */
    for (uint32_t s = 0; s < count; s++) length += spans[s].end - spans[s].first;
    size_t needed = (size_t)plan->mover_count + length + 1, least = phx_rows_least(plan->rows_least, 1);
    if (!phx_grow(mem, (void **)&plan->movers, &plan->movers_capacity, plan->mover_count,
                  needed > least ? needed : least, sizeof(uint32_t)))
        return false;
    *rows += length;
    for (uint32_t s = 0; s < count; s++)
        plan->mover_count += phx_grid_moved_in(grid, spans[s], plan->movers + plan->mover_count);
    return true;
}

/* Finds the moved rows in the towers around. *rows: all rows there. false = no memory. */
static bool find_movers_around(phx_sparse_plan *plan, phx_mem *mem, uint32_t *rows)
{
    const phx_block *own = &plan->shard->grid.blocks[plan->block];
    if (!find_in(plan, mem, own, rows)) return false;
    plan->own_count = plan->mover_count;
    phx_block_walk walk = phx_grid_walk(&plan->shard->grid, own->instance, plan->around);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        if (block != own && !find_in(plan, mem, block, rows)) return false;
    return true;
}

/*
 * Costs, in comparisons of rows. A tile costs TILE_EACH for each row in it, and TILE_ONCE however few these are
 * (measured with sparse-huge). A moved row that queries costs MOVER_EACH and the rows of the towers around, at the
 * density of the block's own rows; finding the moved rows is paid already. An observer that queries costs OBSERVER_EACH
 * more than in a tile, and the rows of the towers around but for 1 of TILE_PART: so many are in the cells of a tile
 * that are compared, too (measured with mmo of 50,000 to 200,000, and with the towns of world-mmo).
 */
enum { MOVER_EACH = 60, OBSERVER_EACH = 150, TILE_PART = 2, TILE_EACH = 28, TILE_ONCE = 600 };

static float estimate_comparisons(const phx_sparse_plan *plan, const phx_block *block)
{
    const float together = (float)phx_block_pairs_together(block), own = (float)phx_block_rows(block);
    float across = 2 * plan->reach / plan->shard->rules->tower_size + 1;
    return together / own * across * across;
}

/* Previous rows in the blocks around: each counts as a query. */
static uint32_t count_previous_rows(const phx_sparse_plan *plan)
{
    const phx_grid *grid = &plan->shard->grid;
    phx_block_walk walk = phx_grid_walk(grid, grid->blocks[plan->block].instance, plan->around);
    uint32_t count = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        count += block->previous.end - block->previous.first;
    return count;
}

/* Are there so few discontinuous rows around that each may find all rows in its range? Moved rows were found. */
static bool discontinuous_query_pays(const phx_sparse_plan *plan)
{
    uint32_t count = count_previous_rows(plan);
    for (uint32_t i = 0; i < plan->mover_count; i++)
        count += phx_row_discontinuous(&plan->shard->grid.rows, plan->movers[i]);
    return count <= PHX_SPARSE_DISCONTINUOUS_MAX;
}

/*
 * Do the queries of moved rows cost less than a tile? If the block does not fit a tile, the alternative is evaluation,
 * and they always do.
 */
static bool movers_pay(const phx_sparse_plan *plan, const phx_block *block, uint32_t rows)
{
    const uint32_t lookers = plan->mover_count + (plan->discontinuous ? count_previous_rows(plan) : 0);
    const float tile = (float)rows * TILE_EACH + TILE_ONCE;
    if (!phx_tile_fits(block, plan->shard)) return true;
    if ((float)lookers * MOVER_EACH >= tile)
        return false; /* without an estimate, which costs as much as a small tile */
    return (float)lookers * (MOVER_EACH + estimate_comparisons(plan, block)) < tile;
}

static bool observers_pay(const phx_sparse_plan *plan, const phx_block *block)
{
    const float tile = (float)phx_block_rows(block) * TILE_EACH + TILE_ONCE;
    if (!phx_tile_fits(block, plan->shard)) return true;
    if ((float)block->observers * OBSERVER_EACH >= tile) return false;
    const float compared = estimate_comparisons(plan, block), each = OBSERVER_EACH + compared - compared / TILE_PART;
    return (float)block->observers * each < tile;
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
static phx_rect block_event_towers(const phx_sparse_plan *plan, const phx_block *block)
{
    const phx_shard *shard = plan->shard;
    uint16_t x = (uint16_t)(block->bx << PHX_BLOCK_BITS), y = (uint16_t)(block->by << PHX_BLOCK_BITS);
    phx_rect own = {x, y, (uint16_t)(x + PHX_BLOCK_SIDE - 1), (uint16_t)(y + PHX_BLOCK_SIDE - 1)};
    phx_box view_box = phx_box_of_towers(shard->rules, own);
    return phx_box_towers(shard->rules, phx_box_wider(view_box, towers_apart(shard, block)));
}

/* May a bounded target be, or have been, in view? A view may be wider than the blocks of a tile. */
static bool looks_at_bounded(const phx_sparse_plan *plan)
{
    const phx_grid *grid = &plan->shard->grid;
    if (!plan->shard->bounded) return false;
    phx_block_walk walk = phx_grid_walk(grid, grid->blocks[plan->block].instance, plan->around);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        if (phx_tile_block_bounded(block)) return true;
    return false;
}

/* Chooses the way; finds the moved rows if they may query, or if a discontinuous entity is near. false = no memory. */
static bool choose_plan(phx_sparse_plan *plan, phx_mem *mem, const phx_block *block)
{
    const phx_shard *shard = plan->shard;
    const bool alike = block->reach == block->reach_min;
    const bool any_far = shard->far.levels != 0 || shard->far.change_count > 0;
    const bool far = any_far && phx_far_items_near(shard, block);
    uint32_t rows = 0;
    /* moved rows do not query then, and mostly observers do not: before the towers around are found, by divisions */
    if (shard->dense_tick && !observers_pay(plan, block)) return true;
    plan->around = block_event_towers(plan, block);
    if (shard->any_discontinuous || !shard->dense_tick) {
        phx_tower_marks marks = phx_grid_marks(&shard->grid, block->instance, plan->around, shard->tick);
        /* moved rows are not found then, or are too many; or a list is not derived yet */
        const bool many = shard->dense_tick || phx_shard_expects_dense_tick(shard);
        if (marks.discontinuous && (many || shard->previous.kept)) return true;
        plan->discontinuous = marks.discontinuous;
        if (!marks.dirty && !shard->dense_tick && !(far && shard->far_moved)) { /* no observer has an event */
            plan->way = PHX_SPARSE_BY_MOVERS;
            return true;
        }
    }
    /* rows do not find a target with a reach, the border of a bounded one, or one that rose or fell */
    if (shard->uneven || far || looks_at_bounded(plan)) return true;
    if (phx_sparse_plan_movers(shard) && (alike || plan->discontinuous) && !find_movers_around(plan, mem, &rows))
        return false;
    plan->held = !plan->discontinuous; /* and nothing far concerns the block */
    if (plan->discontinuous && !discontinuous_query_pays(plan)) return true;
    if (phx_sparse_plan_movers(shard) && alike && movers_pay(plan, block, rows)) plan->way = PHX_SPARSE_BY_MOVERS;
    if (plan->way == PHX_SPARSE_NONE && (shard->dense_tick || observers_pay(plan, block)))
        plan->way = PHX_SPARSE_BY_OBSERVERS;
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

bool phx_sparse_plan_open(phx_sparse_plan *plan, phx_mem *mem, const phx_shard *shard, uint32_t number)
{
    const phx_block *block = &shard->grid.blocks[number];
    if (plan->shard == shard && plan->tick == shard->tick && plan->block == number) return true;
    plan->shard = shard;
    plan->tick = shard->tick;
    plan->block = number;
    plan->mover_count = plan->own_count = 0;
    plan->way = PHX_SPARSE_NONE;
    plan->discontinuous = plan->renewed = plan->held = false;
    const phx_span rows = {block->start[0], block->start[PHX_BLOCK_TOWERS]};
    if (!shard->delta_allowed || !(block->view_min > 0.0f || phx_tile_stored_renewed(block, shard))) return true;
    if (phx_related_due_rows(shard, rows)) return true;
    plan->renewed = phx_prev_rows_any_renewed(&shard->previous, rows);
    plan->reach = query_reach(shard, block);
    if (choose_plan(plan, mem, block)) return true;
    plan->shard = NULL;
    return false;
}
