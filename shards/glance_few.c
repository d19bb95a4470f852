/*
 * Glances where few moved; see stir.h for how, glance.h for what. Interest phase, any worker.
 */
#include "shards/glance.h"

/* The towers in which the rows of a block from first to end - 1 stand: of more than one row of towers, all of these. */
static phx_rect towers_of(const phx_block *block, phx_span rows)
{
    uint32_t low = 0, high = PHX_BLOCK_TOWERS - 1;
    while (block->start[low + 1] <= rows.first) low++;
    while (block->start[high] >= rows.end) high--;
    uint32_t y0 = low >> PHX_BLOCK_BITS, y1 = high >> PHX_BLOCK_BITS, last = PHX_BLOCK_SIDE - 1;
    uint32_t x0 = y0 == y1 ? low & last : 0, x1 = y0 == y1 ? high & last : last;
    uint32_t x = (uint32_t)block->bx << PHX_BLOCK_BITS, y = (uint32_t)block->by << PHX_BLOCK_BITS;
    return (phx_rect){(uint16_t)(x + x0), (uint16_t)(y + y0), (uint16_t)(x + x1), (uint16_t)(y + y1)};
}

static bool in_span(phx_span span, uint32_t row)
{
    return row - span.first < span.end - span.first;
}

/* What has crossed the border of a mover's view, in a block's towers of the rectangle: behind out[]. How many. */
static uint32_t look_in(phx_scratch *scratch, const phx_shard *shard, const phx_block *block, phx_rect rect,
                        phx_span within, const phx_step *step, uint32_t *out)
{
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t count = phx_block_spans(block, rect, spans), n = 0;
    for (uint32_t s = 0; s < count; s++) {
        phx_span span = {spans[s].first > within.first ? spans[s].first : within.first,
                         spans[s].end < within.end ? spans[s].end : within.end};
        if (span.first >= span.end) continue;
        scratch->counts.ranges_visited++;
        scratch->counts.pairs_tested += span.end - span.first;
        n += shard->kernels->crossed(&shard->grid.rows, span, step, out + n);
    }
    return n;
}

/* Rarely more than at the first time: a steady tick allocates nothing. */
static bool reserve_pairs(phx_stir *stir, phx_mem *mem, size_t count)
{
    enum { AT_LEAST = 1024 };
    size_t needed = count > AT_LEAST ? count : AT_LEAST;
    return phx_grow(mem, (void **)&stir->pairs, &stir->pairs_capacity, stir->pair_count, needed, sizeof(phx_sorted)) &&
           phx_grow(mem, (void **)&stir->spare, &stir->spare_capacity, 0, needed, sizeof(phx_sorted));
}

static void add_pair(phx_stir *stir, const phx_grid_rows *rows, uint32_t observer, uint32_t target, uint32_t leave)
{
    stir->pairs[stir->pair_count] = (phx_sorted){.id = observer, .slot = target | leave};
    stir->pair_count += rows->view[observer] != 0.0f;
}

/*
 * A mover looks around, if it is one of the piece, or at the piece, and the pairs of observers of the piece are added:
 * its own, and those of who stand still. false = no memory.
 */
static bool look(phx_scratch *scratch, const phx_shard *shard, phx_span piece, uint32_t row)
{
    phx_stir *stir = &scratch->stir;
    const phx_grid *grid = &shard->grid;
    const phx_grid_rows *rows = &grid->rows;
    const phx_block *own = &grid->blocks[stir->block];
    const phx_step step = {.x = rows->x[row],
                           .y = rows->y[row],
                           .ox = rows->ox[row],
                           .oy = rows->oy[row],
                           .r = own->reach,
                           .square = shard->rules->shape == PH_SHAPE_SQUARE};
    const bool mine = in_span(piece, row);
    const phx_rect rect = phx_interest_rect(shard->rules, step.x, step.y, stir->reach + grid->drift);
    uint32_t *found = scratch->enter, n = 0;
    if (mine) {
        phx_block_walk walk = phx_grid_walk(grid, rect);
        for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
            n += look_in(scratch, shard, block, rect, (phx_span){0, UINT32_MAX}, &step, found + n);
    } else if (phx_block_meets(own, rect)) {
        n = look_in(scratch, shard, own, rect, piece, &step, found);
    }
    if (!reserve_pairs(stir, scratch->mem, (size_t)stir->pair_count + 2 * n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = found[i] & ~PHX_PAIR_LEAVE, leave = found[i] & PHX_PAIR_LEAVE;
        bool moved = rows->x[other] != rows->ox[other] || rows->y[other] != rows->oy[other];
        if (mine) add_pair(stir, rows, row, other, leave);
        if (!moved && in_span(piece, other)) add_pair(stir, rows, other, row, leave);
    }
    return true;
}

/* The events of one observer, there is room for them. */
static void tell(phx_scratch *scratch, phx_shard *shard, const phx_sorted *pairs, uint32_t count)
{
    const uint32_t *slots = shard->grid.rows.slot;
    uint32_t slot = slots[pairs[0].id] & PHX_ROW_SLOT, enters = 0, leaves = 0;
    PHX_VALIDATE(shard->store.tail[slot].list.implied);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t target = slots[pairs[i].slot & ~PHX_PAIR_LEAVE], left = pairs[i].slot >> 31;
        bool special = target & PHX_ROW_SPECIAL;
        target &= PHX_ROW_SLOT;
        if (special && !phx_eligible(&shard->store.attr[slot], &shard->store.attr[target])) continue;
        scratch->leave[leaves] = scratch->enter[enters] = target;
        leaves += left;
        enters += 1 - left;
    }
    if (enters + leaves > 0) phx_interest_record(scratch, shard, slot, enters, leaves);
}

/* All pairs of a piece become changes. false = no memory, nothing was told. */
static bool tell_all(phx_scratch *scratch, phx_shard *shard)
{
    phx_stir *stir = &scratch->stir;
    uint32_t count = stir->pair_count;
    if (count == 0) return true;
    if (!phx_interest_reserve_changes(scratch, count, count) || !phx_interest_reserve(scratch, count, 0)) return false;
    phx_order_many(stir->pairs, stir->spare, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && stir->pairs[end].id == stir->pairs[i].id; end++) continue;
        tell(scratch, shard, stir->pairs + i, end - i);
    }
    return true;
}

/* Observers of a piece. */
static uint32_t observers_in(const phx_shard *shard, const phx_block *block, phx_span piece)
{
    const float *view = shard->grid.rows.view;
    uint32_t count = 0;
    if (!block->mixed) return piece.end - piece.first;
    for (uint32_t row = piece.first; row < piece.end; row++) count += view[row] != 0.0f;
    return count;
}

bool phx_glance_few(phx_scratch *scratch, phx_shard *shard, phx_span piece)
{
    phx_stir *stir = &scratch->stir;
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_block *block = &shard->grid.blocks[stir->block];
    phx_box near = phx_stir_around(stir, towers_of(block, piece));
    stir->pair_count = 0;
    for (uint32_t i = 0; i < stir->mover_count; i++) {
        uint32_t row = stir->movers[i];
        if (!in_span(piece, row) && !phx_box_has(near, rows->x[row], rows->y[row])) continue;
        if (!look(scratch, shard, piece, row)) return false;
    }
    if (!tell_all(scratch, shard)) return false;
    scratch->counts.glanced += observers_in(shard, block, piece);
    return true;
}
