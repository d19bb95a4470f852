/*
 * Calls and their recipients; see broadcast_audience.h.
 */
#include "shards/publish/broadcast_audience.h"

#include <string.h>

#include "shards/query/seen.h"
#include "shards/query/slots_near.h"
#include "shards/state/view_reach.h"

void phx_recipients_free(phx_recipients *audience, phx_mem *mem)
{
    phx_release(mem, (void **)&audience->calls, &audience->calls_capacity, sizeof *audience->calls);
    phx_release(mem, (void **)&audience->spare, &audience->spare_capacity, sizeof *audience->spare);
    phx_release(mem, (void **)&audience->first, &audience->first_capacity, sizeof *audience->first);
}

uint32_t phx_recipients_blocks(const phx_shard *shard)
{
    if (shard->alt) return (shard->store.slots + PHX_SEATS_MAX - 1) / PHX_SEATS_MAX;
    return phx_shard_ninegrid(shard) ? shard->nine.crowd_count : shard->grid.block_count;
}

/* ---- calls ---- */

void phx_recipients_clear(phx_recipients *audience)
{
    audience->call_count = 0;
}

static bool add_broadcast_target(phx_recipients *audience, const phx_shard *shard, phx_broadcast_target call)
{
    if (!phx_grow(shard->mem, (void **)&audience->spare, &audience->spare_capacity, audience->call_count,
                  (size_t)audience->call_count + 1, sizeof call))
        return false;
    audience->spare[audience->call_count++] = call;
    return true;
}

/* The towers of the rectangle that lie in a block, as a set. */
static uint64_t block_tower_mask(phx_rect rect, uint32_t bx, uint32_t by)
{
    bool meets = bx >= rect.x0 >> PHX_BLOCK_BITS && bx <= rect.x1 >> PHX_BLOCK_BITS &&
                 by >= rect.y0 >> PHX_BLOCK_BITS && by <= rect.y1 >> PHX_BLOCK_BITS;
    return meets ? phx_block_mask(rect, bx, by) : 0;
}

/* A call to the rectangle's towers in one block, without the towers in `done`. */
typedef struct order {
    phx_rect rect;
    phx_rect done;
    bool any_done;
} order;

static bool add_block(phx_recipients *audience, const phx_shard *shard, const order *to, uint32_t bx, uint32_t by,
                      phx_broadcast_target call)
{
    call.towers = block_tower_mask(to->rect, bx, by);
    if (to->any_done) call.towers &= ~block_tower_mask(to->done, bx, by);
    return call.towers == 0 || add_broadcast_target(audience, shard, call);
}

static bool add_crowds(phx_recipients *audience, const phx_shard *shard, const order *to, phx_broadcast_target call)
{
    const phx_ninegrid *nine = &shard->nine;
    phx_cell_block_walk walk = phx_ninegrid_walk(nine, to->rect);
    for (const phx_cell_block *crowd; (crowd = phx_ninegrid_next(&walk)) != NULL;) {
        call.block = (uint32_t)(crowd - nine->crowds);
        if (!add_block(audience, shard, to, crowd->bx, crowd->by, call)) return false;
    }
    return true;
}

static bool add_blocks(phx_recipients *audience, const phx_shard *shard, const order *to, phx_broadcast_target call)
{
    phx_block_walk walk = phx_grid_walk(&shard->grid, to->rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        call.block = (uint32_t)(block - shard->grid.blocks);
        if (!add_block(audience, shard, to, block->bx, block->by, call)) return false;
    }
    return true;
}

static bool add_order(phx_recipients *audience, const phx_shard *shard, const order *to, phx_broadcast_target call)
{
    return phx_shard_ninegrid(shard) ? add_crowds(audience, shard, to, call) : add_blocks(audience, shard, to, call);
}

/* The towers of all rows that may see the entity without a relation: within max(view, reach) + margin at most. */
static phx_rect seen_from(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global)
        return (phx_rect){0, 0, (uint16_t)(shard->rules->towers[0] - 1), (uint16_t)(shard->rules->towers[1] - 1)};
    float far = attr->reach + shard->margin_max;
    return phx_interest_rows_rect(shard, &shard->store.body[slot], far > shard->radius_max ? far : shard->radius_max);
}

/* The same as a box, for a classical index. */
static phx_box seen_from_box(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global) return phx_box_all();
    float far = attr->reach + shard->margin_max;
    return phx_shard_box(shard, &shard->store.body[slot], far > shard->radius_max ? far : shard->radius_max);
}

/* A call to each own observer in a box. */
typedef struct call_sink {
    phx_sink sink;
    phx_recipients *audience;
    const phx_shard *shard;
    phx_box box;
    phx_broadcast_target call;
} call_sink;

static bool target_slot(phx_recipients *audience, const phx_shard *shard, phx_broadcast_target call, uint32_t observer)
{
    call.towers = ~0ull;
    call.block = observer / PHX_SEATS_MAX;
    call.observer = observer;
    return add_broadcast_target(audience, shard, call);
}

static void target_slots(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const call_sink *at = (const call_sink *)sink;
    const phx_store *store = &at->shard->store;
    for (uint32_t i = 0; i < count; i++) {
        const phx_body *body = &store->body[slots[i]];
        bool observes = (body->state & PHX_SLOT_OWN) && phx_attr_observes(phx_store_attr(store, slots[i]));
        if (!observes || !phx_box_has(at->box, body->x, body->y)) continue;
        at->audience->failed |= !target_slot(at->audience, at->shard, at->call, slots[i]);
    }
}

static bool call_slots(phx_recipients *audience, const phx_shard *shard, phx_box box, phx_broadcast_target call)
{
    call_sink to = {.sink.take = target_slots, .audience = audience, .shard = shard, .box = box, .call = call};
    audience->failed = false;
    phx_slots_in_range(shard, box, &to.sink);
    return !audience->failed;
}

bool phx_recipients_call(phx_recipients *audience, const phx_shard *shard, uint32_t slot, uint32_t message)
{
    phx_broadcast_target call = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    if (shard->alt) return call_slots(audience, shard, seen_from_box(shard, slot), call);
    order to = {.rect = seen_from(shard, slot)};
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_LIVE);
    return add_order(audience, shard, &to, call);
}

bool phx_recipients_call_one(phx_recipients *audience, const phx_shard *shard, uint32_t slot, uint32_t message,
                             uint32_t observer)
{
    const phx_body *body = &shard->store.body[observer];
    phx_broadcast_target call = {.message = message, .slot = slot, .observer = observer};
    if (shard->alt)
        return phx_box_has(seen_from_box(shard, slot), body->x, body->y) ||
               target_slot(audience, shard, call, observer);
    phx_rect own = {body->tx, body->ty, body->tx, body->ty};
    order to = {.rect = phx_shard_ninegrid(shard) ? own : phx_interest_rows_rect(shard, body, 0.0f),
                .done = seen_from(shard, slot),
                .any_done = true};
    return add_order(audience, shard, &to, call);
}

bool phx_recipients_call_range(phx_recipients *audience, const phx_shard *shard, const phx_broadcast_range *range,
                               uint32_t slot, uint32_t message)
{
    phx_broadcast_target call = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    phx_box box = phx_box_around(range->x, range->y, range->radius);
    if (shard->alt) return call_slots(audience, shard, box, call);
    order to = {.rect = phx_slots_rect(shard, box)};
    return add_order(audience, shard, &to, call);
}

/* Counting sort by block; the order inside a block stays. */
bool phx_recipients_sort(phx_recipients *audience, const phx_shard *shard)
{
    uint32_t blocks = phx_recipients_blocks(shard), sum = 0;
    if (!phx_grow(shard->mem, (void **)&audience->calls, &audience->calls_capacity, 0, audience->call_count,
                  sizeof *audience->calls) ||
        !phx_grow(shard->mem, (void **)&audience->first, &audience->first_capacity, 0, (size_t)blocks + 2,
                  sizeof *audience->first))
        return false;
    uint32_t *at = audience->first + 1; /* at the end, first[b] is where block b begins */
    memset(audience->first, 0, (blocks + 2) * sizeof *audience->first);
    for (uint32_t i = 0; i < audience->call_count; i++) at[audience->spare[i].block + 1]++;
    for (uint32_t b = 0; b <= blocks; b++) at[b] = sum += at[b];
    for (uint32_t i = 0; i < audience->call_count; i++)
        audience->calls[at[audience->spare[i].block]++] = audience->spare[i];
    return true;
}

/* ---- observer batches ---- */

uint32_t phx_recipients_places(const phx_shard *shard, uint32_t block)
{
    if (shard->alt) {
        uint32_t left = shard->store.slots - block * PHX_SEATS_MAX;
        return left < PHX_SEATS_MAX ? left : PHX_SEATS_MAX;
    }
    if (phx_shard_ninegrid(shard)) return shard->nine.crowds[block].cards;
    const phx_block *b = &shard->grid.blocks[block];
    return b->start[PHX_BLOCK_TOWERS] - b->start[0];
}

/*
 * The towers of a cell block, one behind the other, cut to the batch: cell entries [first, end), the first at this
 * place.
 */
typedef struct part {
    const phx_cell_entry *first, *end;
    uint32_t seat;
} part;

static part part_of(const phx_shard *shard, const phx_observer_batch *seats, const phx_tower *tower, uint32_t place)
{
    const phx_cell_entry *cards = shard->nine.cards + tower->first;
    uint32_t lo = seats->first > place ? seats->first - place : 0, hi = tower->count;
    uint32_t end = seats->first + seats->count;
    if (place + hi > end) hi = end > place ? end - place : 0;
    if (lo >= hi) return (part){cards, cards, 0};
    return (part){cards + lo, cards + hi, place + lo - seats->first};
}

static void seat_cards(const phx_shard *shard, phx_observer_batch *seats)
{
    const phx_cell_block *crowd = &shard->nine.crowds[seats->block];
    uint32_t place = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += crowd->tower[t++].count) {
        part cards = part_of(shard, seats, &crowd->tower[t], place);
        if (cards.first < cards.end) seats->towers |= 1ull << t;
        for (const phx_cell_entry *card = cards.first; card < cards.end; card++) {
            bool observes = card->watches != PHX_OBSERVER_KIND_NONE && !(card->flags & PHX_CELL_LEFT);
            seats->slot[cards.seat++] = observes ? card->slot : PHX_SLOT_NONE;
        }
    }
}

static void seat_slots(const phx_shard *shard, phx_observer_batch *seats)
{
    const phx_store *store = &shard->store;
    uint32_t first = seats->block * PHX_SEATS_MAX + seats->first;
    for (uint32_t slot = first; slot < first + seats->count; slot++) {
        bool observes = (store->body[slot].state & PHX_SLOT_OWN) && phx_attr_observes(phx_store_attr(store, slot));
        seats->slot[slot - first] = observes ? slot : PHX_SLOT_NONE;
    }
    seats->towers = ~0ull;
}

void phx_recipients_seat(const phx_shard *shard, phx_observer_batch *seats)
{
    PHX_ASSERT(seats->count <= PHX_SEATS_MAX);
    seats->towers = 0;
    seats->look = false;
    if (shard->alt) {
        seat_slots(shard, seats);
        return;
    }
    if (phx_shard_ninegrid(shard)) {
        seat_cards(shard, seats);
        return;
    }
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t *start = shard->grid.blocks[seats->block].start;
    uint32_t first = start[0] + seats->first, end = first + seats->count;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++)
        seats->towers |= (uint64_t)(start[t] < start[t + 1] && start[t] < end && start[t + 1] > first) << t;
    for (uint32_t i = 0; i < seats->count; i++) {
        seats->slot[i] = rows->view[first + i] != 0.0f ? rows->slot[first + i] & PHX_ROW_SLOT : PHX_SLOT_NONE;
        seats->look = seats->look || rows->view[first + i] < 0.0f;
    }
}

/* ---- filter ---- */

/* As phx_shard_is_in_list(); for the target itself, if it observes, as `self` says. */
static bool observer_sees(const phx_shard *shard, uint32_t observer, uint32_t target, bool self)
{
    if (observer == target) return self && phx_attr_observes(phx_store_attr(&shard->store, observer));
    return phx_shard_is_in_list(shard, observer, target);
}

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

/* Filters rows [first, end) for one call; out gets rows. */
static uint32_t listen_rows(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call,
                            bool self, uint32_t first, uint32_t end, uint32_t *out)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_body *body = &shard->store.body[call->slot];
    bool plain = phx_row_decides(shard, body);
    uint32_t n = 0;
    if (plain) {
        uint32_t found = rows_in_view(shard, first, end, body->x, body->y, out);
        for (uint32_t i = 0; i < found; i++) {
            out[n] = out[i];
            n += self | ((rows->slot[out[i]] & PHX_ROW_SLOT) != call->slot);
        }
        if (!seats->look) return n;
    }
    for (uint32_t row = first; row < end; row++) {
        float view = rows->view[row];
        if (view == 0.0f || (view > 0.0f && plain)) continue;
        if (observer_sees(shard, rows->slot[row] & PHX_ROW_SLOT, call->slot, self)) out[n++] = row;
    }
    return n;
}

/* Filters a block for one call: the towers of one line of the block are one range of rows. */
static uint32_t listen_block(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call,
                             const phx_broadcast_range *range, bool self, uint32_t *out)
{
    const uint32_t *start = shard->grid.blocks[seats->block].start;
    uint32_t low = start[0] + seats->first, high = low + seats->count, n = 0;
    for (uint32_t line = 0; line < PHX_BLOCK_TOWERS; line += PHX_BLOCK_SIDE) {
        uint32_t towers = (uint32_t)(call->towers >> line) & 0xff;
        if (towers == 0) continue;
        uint32_t first = start[line + (uint32_t)__builtin_ctz(towers)];
        uint32_t end = start[line + 32 - (uint32_t)__builtin_clz(towers)];
        if (first < low) first = low;
        if (end > high) end = high;
        if (first >= end) continue;
        n += range ? phx_broadcast_range_rows(shard, range, call->slot, self, (phx_span){first, end}, out + n)
                   : listen_rows(shard, seats, call, self, first, end, out + n);
    }
    for (uint32_t i = 0; i < n; i++) out[i] -= low;
    return n;
}

static uint32_t listen_crowd_range(const phx_shard *shard, const phx_observer_batch *seats,
                                   const phx_broadcast_target *call, const phx_broadcast_range *range, bool self,
                                   uint32_t *out)
{
    const phx_cell_block *crowd = &shard->nine.crowds[seats->block];
    uint32_t place = 0, n = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += crowd->tower[t++].count) {
        if (!(call->towers >> t & 1)) continue;
        part cards = part_of(shard, seats, &crowd->tower[t], place);
        for (const phx_cell_entry *card = cards.first; card < cards.end; card++, cards.seat++) {
            uint32_t observer = seats->slot[cards.seat];
            if (observer == PHX_SLOT_NONE) continue;
            if (phx_broadcast_range_reaches(shard, range, call->slot, self, observer)) out[n++] = cards.seat;
        }
    }
    return n;
}

static uint32_t listen_crowd(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call,
                             bool self, uint32_t *out)
{
    const phx_cell_block *crowd = &shard->nine.crowds[seats->block];
    bool special = shard->store.body[call->slot].state & PHX_SLOT_SPECIAL;
    uint32_t place = 0, n = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += crowd->tower[t++].count) {
        if (!(call->towers >> t & 1)) continue;
        part cards = part_of(shard, seats, &crowd->tower[t], place);
        for (const phx_cell_entry *card = cards.first; card < cards.end; card++, cards.seat++) {
            if (seats->slot[cards.seat] == PHX_SLOT_NONE) continue;
            bool plain = !special && card->watches != PHX_OBSERVER_KIND_LOOK && card->slot != call->slot;
            if (plain || observer_sees(shard, card->slot, call->slot, self))
                out[n++] = cards.seat; /* plain: in the call's towers */
        }
    }
    return n;
}

/* Is the row of this place in one of the call's towers? Cell entries and slots always are in their blocks' calls. */
static bool seat_in_target(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call,
                           uint32_t seat)
{
    if (!phx_shard_rows(shard)) return true;
    const uint32_t *start = shard->grid.blocks[seats->block].start;
    uint32_t row = start[0] + seats->first + seat, tower = 0;
    while (row >= start[tower + 1]) tower++;
    return call->towers >> tower & 1;
}

/* Filters for a call to one observer. */
static uint32_t listen_one(const phx_shard *shard, const phx_observer_batch *seats, const phx_broadcast_target *call,
                           const phx_broadcast_range *range, bool self, uint32_t *out)
{
    uint32_t seat = shard->alt ? call->observer % PHX_SEATS_MAX : 0;
    while (seat < seats->count && seats->slot[seat] != call->observer) seat++;
    if (seat == seats->count || !seat_in_target(shard, seats, call, seat)) return 0;
    out[0] = seat;
    return range ? phx_broadcast_range_reaches(shard, range, call->slot, self, call->observer)
                 : observer_sees(shard, call->observer, call->slot, self);
}

uint32_t phx_recipients_filter(const phx_shard *shard, const phx_observer_batch *seats,
                               const phx_broadcast_target *call, const phx_broadcast_range *range, bool self,
                               uint32_t *out)
{
    if (call->observer != PHX_SLOT_NONE) return listen_one(shard, seats, call, range, self, out);
    if (!phx_shard_ninegrid(shard)) return listen_block(shard, seats, call, range, self, out);
    return range ? listen_crowd_range(shard, seats, call, range, self, out)
                 : listen_crowd(shard, seats, call, self, out);
}
