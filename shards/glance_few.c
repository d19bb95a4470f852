/*
 * Glances where few moved or few observe; see stir.h for how, glance.h for what. Interest phase, any worker.
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

/* Of some ranges of rows, what lies in another one. How many are left. */
static uint32_t clip(phx_span *spans, uint32_t count, phx_span within)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < count; s++) {
        spans[n].first = spans[s].first > within.first ? spans[s].first : within.first;
        spans[n].end = spans[s].end < within.end ? spans[s].end : within.end;
        n += spans[n].first < spans[n].end;
    }
    return n;
}

/* What of these rows has crossed the border of the view of who looks: to out[]. How many. */
static uint32_t look_at(phx_scratch *scratch, const phx_shard *shard, const phx_span *spans, uint32_t count,
                        const phx_step *step, uint32_t *out)
{
    scratch->counts.ranges_visited += count;
    for (uint32_t s = 0; s < count; s++) scratch->counts.pairs_tested += spans[s].end - spans[s].first;
    return shard->kernels->crossed(&shard->grid.rows, spans, count, step, out);
}

/* Does the rectangle lie in the block? */
static bool all_in(const phx_block *block, phx_rect rect)
{
    return rect.x0 >> PHX_BLOCK_BITS == block->bx && rect.x1 >> PHX_BLOCK_BITS == block->bx &&
           rect.y0 >> PHX_BLOCK_BITS == block->by && rect.y1 >> PHX_BLOCK_BITS == block->by;
}

/* The same of all rows in the towers, most of which are in its own block. */
static inline uint32_t look_around(phx_scratch *scratch, const phx_shard *shard, phx_rect rect, const phx_step *step,
                                   uint32_t *out)
{
    const phx_block *own = &shard->grid.blocks[scratch->stir.block];
    phx_span spans[PHX_BLOCK_SIDE];
    uint32_t n = 0;
    if (PHX_LIKELY(all_in(own, rect)))
        return look_at(scratch, shard, spans, phx_block_spans(own, rect, spans), step, out);
    phx_block_walk walk = phx_grid_walk(&shard->grid, rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;)
        n += look_at(scratch, shard, spans, phx_block_spans(block, rect, spans), step, out + n);
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

static void add_pair(phx_stir *stir, uint32_t observer, uint32_t target, uint32_t leave)
{
    const phx_grid *grid = &stir->shard->grid;
    if (phx_block_mixed(&grid->blocks[stir->block]) && grid->rows.view[observer] == 0.0f) return;
    stir->pairs[stir->pair_count++] = (phx_sorted){.id = observer, .slot = target | leave};
}

/* What a row tells of the look of its entity, or at it. */
static inline phx_step step_of(const phx_shard *shard, uint32_t row, float r)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    return (phx_step){.x = rows->x[row],
                      .y = rows->y[row],
                      .ox = rows->ox[row],
                      .oy = rows->oy[row],
                      .r = r,
                      .square = shard->rules->shape == PH_SHAPE_SQUARE};
}

/* Where the rows stand that may be an event with who made the step. */
static inline phx_rect look_rect(const phx_stir *stir, const phx_step *step)
{
    const phx_shard *shard = stir->shard;
    return phx_box_towers(shard->rules, phx_box_around(step->x, step->y, stir->reach + shard->grid.drift));
}

/*
 * A mover looks around, if it is one of the piece, or at the piece, and the pairs of observers of the piece are added:
 * its own, and those of who stand still. false = no memory.
 */
static bool look(phx_scratch *scratch, const phx_shard *shard, phx_span piece, uint32_t row)
{
    phx_stir *stir = &scratch->stir;
    const phx_grid *grid = &shard->grid;
    const phx_block *own = &grid->blocks[stir->block];
    const phx_step step = step_of(shard, row, own->reach);
    const bool mine = in_span(piece, row);
    const phx_rect rect = look_rect(stir, &step);
    uint32_t *found = scratch->hits, n = 0;
    if (mine) {
        n = look_around(scratch, shard, rect, &step, found);
    } else if (phx_block_meets(own, rect)) {
        phx_span spans[PHX_BLOCK_SIDE];
        uint32_t count = clip(spans, phx_block_spans(own, rect, spans), piece);
        n = look_at(scratch, shard, spans, count, &step, found);
    }
    if (n == 0) return true;
    if (!reserve_pairs(stir, scratch->mem, (size_t)stir->pair_count + 2 * n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = found[i] & ~PHX_PAIR_LEAVE, leave = found[i] & PHX_PAIR_LEAVE;
        if (mine) add_pair(stir, row, other, leave);
        if (in_span(piece, other) && !phx_grid_stirred(grid, other)) add_pair(stir, other, row, leave);
    }
    return true;
}

/* The events of one observer, in scratch->hits as rows with PHX_PAIR_LEAVE; there is room for them. */
static void tell(phx_scratch *scratch, phx_shard *shard, uint32_t row, uint32_t count)
{
    const uint32_t *slots = shard->grid.rows.slot, *found = scratch->hits;
    const phx_store *store = &shard->store;
    uint32_t slot = slots[row] & PHX_ROW_SLOT, enters = 0, leaves = 0;
    PHX_VALIDATE(store->tail[slot].list.implied);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t target = slots[found[i] & ~PHX_PAIR_LEAVE], left = found[i] >> 31;
        bool special = target & PHX_ROW_SPECIAL;
        target &= PHX_ROW_SLOT;
        if (special && !phx_eligible(phx_store_attr(store, slot), phx_store_attr(store, target))) continue;
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
    if (!phx_scratch_room(scratch, count)) return false;
    if (!phx_interest_reserve_changes(scratch, count, count) || !phx_interest_reserve(scratch, count, 0)) return false;
    phx_order_many(stir->pairs, stir->spare, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && stir->pairs[end].id == stir->pairs[i].id; end++)
            scratch->hits[end - i] = stir->pairs[end].slot;
        tell(scratch, shard, (uint32_t)stir->pairs[i].id, end - i);
    }
    return true;
}

/* Observers of a piece. */
static uint32_t observers_in(const phx_shard *shard, const phx_block *block, phx_span piece)
{
    const float *view = shard->grid.rows.view;
    uint32_t count = 0;
    if (piece.end - piece.first == phx_block_rows(block)) return block->observers;
    for (uint32_t row = piece.first; row < piece.end; row++) count += view[row] != 0.0f;
    return count;
}

/* No fewer than anybody finds who looks around from the piece, or at it: as far, and a tower for roundings. */
static uint32_t most_found(const phx_shard *shard, phx_box near)
{
    float off = shard->grid.drift + shard->rules->tower_size;
    return phx_grid_most(&shard->grid, phx_box_towers(shard->rules, phx_box_wider(near, off)));
}

/* Those who moved look, and tell the observers of a piece. false = no memory, nothing was told. */
static bool movers_look(phx_scratch *scratch, phx_shard *shard, phx_span piece, phx_box near)
{
    phx_stir *stir = &scratch->stir;
    const phx_grid_rows *rows = &shard->grid.rows;
    stir->pair_count = 0;
    for (uint32_t i = 0; i < stir->mover_count; i++) {
        uint32_t row = stir->movers[i];
        if (!in_span(piece, row) && !phx_box_has(near, rows->x[row], rows->y[row])) continue;
        if (!look(scratch, shard, piece, row)) return false;
    }
    return tell_all(scratch, shard);
}

/* The observers of a piece look for themselves. How many of its rows are done: fewer = no memory at the next one. */
static uint32_t observers_look(phx_scratch *scratch, phx_shard *shard, phx_span piece)
{
    const phx_stir *stir = &scratch->stir;
    const float *view = shard->grid.rows.view;
    for (uint32_t row = piece.first; row < piece.end; row++) {
        if (view[row] == 0.0f) continue;
        const phx_step step = step_of(shard, row, view[row]);
        const phx_rect rect = look_rect(stir, &step);
        if (!shard->many_movers && !phx_grid_touched(&shard->grid, rect, shard->tick)) continue; /* all is as it was */
        uint32_t n = look_around(scratch, shard, rect, &step, scratch->hits);
        if (n == 0) continue;
        if (!phx_interest_reserve(scratch, n, 0)) return row - piece.first;
        tell(scratch, shard, row, n);
    }
    return piece.end - piece.first;
}

uint32_t phx_glance_few(phx_scratch *scratch, phx_shard *shard, phx_span piece)
{
    const phx_stir *stir = &scratch->stir;
    const phx_block *block = &shard->grid.blocks[stir->block];
    const uint32_t count = piece.end - piece.first;
    bool observers = stir->way == PHX_STIR_OBSERVERS;
    phx_box near = phx_stir_around(stir, towers_of(block, piece));
    if ((observers || stir->mover_count > 0) && !phx_scratch_room(scratch, most_found(shard, near))) return 0;
    uint32_t done = observers ? observers_look(scratch, shard, piece)
                              : movers_look(scratch, shard, piece, near) ? count : 0;
    scratch->counts.glanced += observers_in(shard, block, (phx_span){piece.first, piece.first + done});
    return done;
}
