/*
 * Recipients by rows; see recipients_rows.h.
 */
#include "shards/publish/recipients_rows.h"

#include "shards/query/slots_in_range.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

/* ---- block messages ---- */

static bool add_blocks(phx_recipients *recipients, const phx_shard *shard, const phx_address_towers *to,
                       phx_block_message block_message)
{
    phx_block_walk walk = phx_grid_walk(&shard->grid, to->instance, to->rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        block_message.block = (uint32_t)(block - shard->grid.blocks);
        if (!phx_recipients_add_block(recipients, shard, to, block->bx, block->by, block_message)) return false;
    }
    return true;
}

bool phx_rows_address_viewers(phx_recipients *recipients, const phx_shard *shard,
                              const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->slot),
                                   .rect = phx_recipients_rect(shard, block_message->slot)};
    return add_blocks(recipients, shard, &to, *block_message);
}

bool phx_rows_address_observer(phx_recipients *recipients, const phx_shard *shard,
                               const phx_block_message *block_message)
{
    const phx_body *body = &shard->store.body[block_message->observer];
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->observer),
                                   .rect = phx_interest_rows_rect(shard, body, 0.0f),
                                   .done = phx_recipients_rect(shard, block_message->slot),
                                   .any_done = true};
    return add_blocks(recipients, shard, &to, *block_message);
}

bool phx_rows_address_box(phx_recipients *recipients, const phx_shard *shard, uint32_t instance, phx_box box,
                          const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = instance, .rect = phx_rows_rect(shard, box)};
    return add_blocks(recipients, shard, &to, *block_message);
}

/* ---- observer batches ---- */

uint32_t phx_rows_blocks(const phx_shard *shard)
{
    return shard->grid.block_count;
}

uint32_t phx_rows_block_places(const phx_shard *shard, uint32_t block)
{
    const phx_block *b = &shard->grid.blocks[block];
    return b->start[PHX_BLOCK_TOWERS] - b->start[0];
}

void phx_rows_fill_batch(const phx_shard *shard, phx_observer_batch *batch)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t *start = shard->grid.blocks[batch->block].start;
    uint32_t first = start[0] + batch->first, end = first + batch->count;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++)
        batch->towers |= (uint64_t)(start[t] < start[t + 1] && start[t] < end && start[t + 1] > first) << t;
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->slot[i] = rows->view[first + i] != 0.0f ? phx_row_slot(rows, first + i) : PHX_SLOT_NONE;
        const bool plain = rows->view[first + i] > 0.0f && !phx_related_of(shard, phx_row_slot(rows, first + i));
        if (plain) phx_place_set_add(&batch->plain, i);
    }
}

/* Is the row of this place in one of the block message's towers? */
static bool row_in_towers(const phx_shard *shard, const phx_observer_batch *batch,
                          const phx_block_message *block_message, uint32_t place)
{
    const uint32_t *start = shard->grid.blocks[batch->block].start;
    uint32_t row = start[0] + batch->first + place, tower = 0;
    while (row >= start[tower + 1]) tower++;
    return block_message->towers >> tower & 1;
}

uint32_t phx_rows_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                           const phx_block_message *block_message)
{
    const uint32_t place = phx_recipients_find(batch, block_message->observer, 0);
    return place < batch->count && row_in_towers(shard, batch, block_message, place) ? place : batch->count;
}

/* ---- filter ---- */

/* Writes the rows [first, end) of plain observers with a target at (x, y) in view that is not special. */
static uint32_t rows_in_view(const phx_shard *shard, uint32_t first, uint32_t end, float x, float y, uint32_t *out)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    uint32_t n = 0;
    for (uint32_t row = first; row < end; row++) { /* without a branch: about every other one sees it */
        out[n] = row;
        n += phx_row_views(rows, row, x, y, square) & (rows->view[row] > 0.0f);
    }
    return n;
}

/* Filters rows [first, end) of plain observers for a message of which positions decide; out gets rows. */
static uint32_t filter_rows(const phx_shard *shard, const phx_block_message *block_message, bool self, uint32_t first,
                            uint32_t end, uint32_t *out)
{
    const phx_body *body = &shard->store.body[block_message->slot];
    const uint32_t found = rows_in_view(shard, first, end, body->x, body->y, out);
    uint32_t n = 0;
    for (uint32_t i = 0; i < found; i++) {
        out[n] = out[i];
        const uint32_t observer = phx_row_slot(&shard->grid.rows, out[i]);
        n += (self | (observer != block_message->slot)) & !phx_related_of(shard, observer);
    }
    return n;
}

/* Observers of these places of which positions do not decide. */
static phx_place_set other_places(const phx_observer_batch *batch, bool plain, phx_place_set places)
{
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++)
        places.word[w] &= batch->observers.word[w] & ~(plain ? batch->plain.word[w] : 0);
    return places;
}

/* The towers of one line of the block are one range of rows. */
uint32_t phx_rows_filter_batch(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out)
{
    const uint32_t *start = shard->grid.blocks[batch->block].start;
    const uint32_t low = start[0] + batch->first, high = low + batch->count;
    const bool plain = !range && phx_row_decides(shard, &shard->store.body[block_message->slot]) &&
                       !phx_place_set_is_empty(&batch->plain);
    phx_place_set places = {0};
    uint32_t n = 0;
    for (uint32_t line = 0; line < PHX_BLOCK_TOWERS; line += PHX_BLOCK_SIDE) {
        uint32_t towers = (uint32_t)(block_message->towers >> line) & 0xff;
        if (towers == 0) continue;
        uint32_t first = start[line + (uint32_t)__builtin_ctz(towers)];
        uint32_t end = start[line + 32 - (uint32_t)__builtin_clz(towers)];
        if (first < low) first = low;
        if (end > high) end = high;
        if (first >= end) continue;
        phx_place_set_add_span(&places, first - low, end - low);
        if (range)
            n += phx_broadcast_range_rows(shard, range, block_message->slot, self, (phx_span){first, end}, out + n);
        else if (plain) n += filter_rows(shard, block_message, self, first, end, out + n);
    }
    for (uint32_t i = 0; i < n; i++) out[i] -= low;
    if (range) return n;
    places = other_places(batch, plain, places);
    return n + phx_recipients_filter_places(shard, batch, block_message, &places, self, out + n);
}
