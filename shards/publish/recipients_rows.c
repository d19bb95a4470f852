/*
 * Recipients by rows; see recipients_rows.h.
 */
#include "shards/publish/recipients_rows.h"

#include "shards/query/seen.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

/* ---- block messages ---- */

static bool add_blocks(phx_addressed *addressed, const phx_shard *shard, const phx_address_towers *to,
                       phx_block_message block_message)
{
    phx_block_walk walk = phx_grid_walk(&shard->grid, to->instance, to->rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        block_message.block = (uint32_t)(block - shard->grid.blocks);
        if (!phx_recipients_add_block(addressed, to, block->bx, block->by, block_message)) return false;
    }
    return true;
}

bool phx_rows_address_viewers(phx_addressed *addressed, const phx_shard *shard, const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->slot),
                                   .rect = phx_recipients_rect(shard, block_message->slot)};
    return add_blocks(addressed, shard, &to, *block_message);
}

/* Is a far target seen from beyond views? Then the block messages to all are for each row of their towers. */
static bool is_seen_afar(const phx_shard *shard, uint32_t source)
{
    return shard->store.body[source].state & PHX_SLOT_FAR;
}

bool phx_rows_address_observer(phx_addressed *addressed, const phx_shard *shard, const phx_block_message *block_message)
{
    const phx_body *body = &shard->store.body[block_message->observer];
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->observer),
                                   .rect = phx_interest_rows_rect(shard, body, 0.0f),
                                   .done = phx_recipients_rect(shard, block_message->slot),
                                   .any_done = is_seen_afar(shard, block_message->slot)};
    return add_blocks(addressed, shard, &to, *block_message);
}

bool phx_rows_address_box(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                          const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = instance, .rect = phx_rows_rect(shard, box)};
    return add_blocks(addressed, shard, &to, *block_message);
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
        const bool plain = phx_row_plain(shard, first + i) && !phx_related_of(shard, phx_row_slot(rows, first + i));
        if (plain) phx_place_set_add(&batch->plain, i);
        batch->place[i] = i;
    }
}

/* The row of the batch's first place. */
static uint32_t first_row(const phx_shard *shard, const phx_observer_batch *batch)
{
    return shard->grid.blocks[batch->block].start[0] + batch->first;
}

/* Is the row of this place in one of the block message's towers? */
static bool row_in_towers(const phx_shard *shard, const phx_observer_batch *batch,
                          const phx_block_message *block_message, uint32_t place)
{
    const uint32_t *start = shard->grid.blocks[batch->block].start;
    uint32_t row = first_row(shard, batch) + place, tower = 0;
    while (row >= start[tower + 1]) tower++;
    return block_message->towers >> tower & 1;
}

/*
 * May the source be in the list of a row's observer, if it is no far target and the observer has no relation to it? By
 * view and margin, which are below 0 together.
 */
static bool is_near(const phx_shard *shard, uint32_t row, const phx_body *source)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const float far = fabsf(rows->view[row]), dx = source->x - rows->x[row], dy = source->y - rows->y[row];
    if (shard->rules->shape == PH_SHAPE_SQUARE) return (fabsf(dx) <= far) & (fabsf(dy) <= far);
    return dx * dx + dy * dy <= far * far;
}

/* Where each row of a tower may have the source, the block message to all is for the observer. */
uint32_t phx_rows_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                           const phx_block_message *block_message)
{
    const uint32_t source = block_message->slot, observer = block_message->observer;
    const uint32_t row = shard->store.body[observer].row, place = row - first_row(shard, batch);
    if (place >= batch->count || batch->slot[place] != observer) return batch->count;
    const bool is_for_it = !is_seen_afar(shard, source) || row_in_towers(shard, batch, block_message, place);
    return is_for_it ? place : batch->count;
}

/* ---- filter ---- */

/* Adds the observers of a span of places that may have the source in their lists by the rule of the pair. */
static void find_near(const phx_shard *shard, const phx_observer_batch *batch, const phx_body *source, phx_span span,
                      phx_place_set *near)
{
    const uint32_t low = first_row(shard, batch);
    const phx_grid_rows places = {
        .x = shard->grid.rows.x + low, .y = shard->grid.rows.y + low, .slot = (uint32_t *)batch->place};
    const phx_range most = {source->x, source->y, shard->radius_max, shard->rules->shape == PH_SHAPE_SQUARE};
    uint32_t found[PHX_BATCH_PLACES_MAX + PHX_KERNEL_PAD];
    float squares[PHX_BATCH_PLACES_MAX + PHX_KERNEL_PAD];
    const uint32_t count = shard->kernels->range_scan(&places, span, &most, found, squares);
    for (uint32_t i = 0; i < count; i++) /* without a branch */
        near->word[found[i] / 64] |= (uint64_t)is_near(shard, low + found[i], source) << (found[i] % 64);
}

/* Of places near a message of which positions decide, the places with plain rows; out gets them. */
static uint32_t take_plain(const phx_observer_batch *batch, const phx_block_message *block_message, bool self,
                           const phx_place_set *near, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++) {
        for (uint64_t left = near->word[w] & batch->plain.word[w]; left; left &= left - 1) {
            const uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(left);
            out[n] = place;
            n += self | (batch->slot[place] != block_message->slot);
        }
    }
    return n;
}

/* The places of a message's observers of which stored lists or annuli decide, as the source is in their margins. */
typedef struct margin_places {
    uint32_t count;
    uint8_t place[PHX_BATCH_PLACES_MAX];
} margin_places;

/* Of these observers, the ones with the source in their stored lists or annuli; out gets them. */
static uint32_t search_lists(const phx_shard *shard, const phx_observer_batch *batch, uint32_t source,
                             const margin_places *in, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->count; i++) __builtin_prefetch(phx_list_kept(shard, batch->slot[in->place[i]]).at);
    for (uint32_t i = 0; i < in->count; i++) {
        out[n] = in->place[i];
        n += phx_shard_stored_list_has(shard, batch->slot[in->place[i]], source);
    }
    return n;
}

/* Takes the ruled places near a message, but the source's own, by the rule of the pair. */
static uint32_t take_ruled(const phx_shard *shard, const phx_observer_batch *batch, uint32_t source,
                           phx_place_set *near, uint32_t *out)
{
    const uint32_t low = first_row(shard, batch);
    const phx_body *target = &shard->store.body[source];
    const phx_attr *attr = phx_store_attr(&shard->store, source);
    margin_places in_margin = {.count = 0};
    uint32_t n = 0;
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++) {
        for (uint64_t left = near->word[w] & batch->ruled.word[w]; left; left &= left - 1) {
            const uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (batch->slot[place] == source) continue;
            const phx_attr *by = batch->attr[place];
            const phx_body at = {.x = shard->grid.rows.x[low + place], .y = shard->grid.rows.y[low + place]};
            near->word[w] &= ~(left & -left);
            if (phx_rule_sees(shard->rules, &at, by, target, attr, NULL, false)) out[n++] = place;
            else if (by->margin > 0.0f && phx_rule_sees(shard->rules, &at, by, target, attr, NULL, true))
                in_margin.place[in_margin.count++] = (uint8_t)place;
        }
    }
    return n + search_lists(shard, batch, source, &in_margin, out + n);
}

/* Observers of these places of which neither positions nor block messages of their own decide. */
static phx_place_set other_places(const phx_observer_batch *batch, bool plain, phx_place_set places)
{
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++)
        places.word[w] &= batch->observers.word[w] & ~batch->apart.word[w] & ~(plain ? batch->plain.word[w] : 0);
    return places;
}

/* The towers of one line of the block are one range of rows. */
uint32_t phx_rows_filter_batch(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out)
{
    const uint32_t *start = shard->grid.blocks[batch->block].start;
    const uint32_t low = first_row(shard, batch), high = low + batch->count;
    const bool afar = !range && is_seen_afar(shard, block_message->slot);
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
        const phx_span span = {first - low, end - low};
        if (range)
            n += phx_broadcast_range_rows(shard, range, block_message->slot, self, (phx_span){first, end}, out + n);
        else if (afar) phx_place_set_add_span(&places, span.first, span.end);
        else find_near(shard, batch, &shard->store.body[block_message->slot], span, &places);
    }
    if (range) {
        for (uint32_t i = 0; i < n; i++) out[i] -= low;
        return n;
    }
    const bool plain = phx_row_decides(shard, &shard->store.body[block_message->slot]);
    if (plain) n = take_plain(batch, block_message, self, &places, out);
    places = other_places(batch, plain, places);
    if (!afar) n += take_ruled(shard, batch, block_message->slot, &places, out + n);
    return n + phx_recipients_filter_places(shard, batch, block_message, &places, self, out + n);
}
