/*
 * Notes and collects previous rows; see prev_rows.h. Called by the shard's owner.
 */
#include "shards/grid/prev_rows.h"

#include <string.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"

void phx_prev_rows_init(phx_prev_rows *previous, phx_mem *mem)
{
    *previous = (phx_prev_rows){0};
    phx_idmap_init(&previous->index, mem);
}

void phx_prev_rows_free(phx_prev_rows *previous, phx_mem *mem)
{
    if (!previous->index.mem) return;
    phx_idmap_free(&previous->index);
    phx_release(mem, (void **)&previous->discontinuous, &previous->discontinuous_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&previous->renewed, &previous->renewed_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&previous->renewed_rows, &previous->renewed_rows_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&previous->noted, &previous->noted_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&previous->attrs, &previous->attrs_capacity, sizeof(phx_prev_rows_attr));
    phx_release(mem, (void **)&previous->columns, &previous->columns_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&previous->rows, &previous->rows_capacity, sizeof(phx_prev_rows_row));
    phx_release(mem, (void **)&previous->keys, &previous->keys_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&previous->spare, &previous->spare_capacity, sizeof(uint64_t));
    *previous = (phx_prev_rows){0};
}

/* Room for a bit for each slot; new bits are 0. false = no memory, unchanged. */
static bool grow_bits(phx_mem *mem, uint64_t **bits, uint32_t *capacity, uint32_t slots)
{
    const uint32_t words = (uint32_t)(((uint64_t)slots + 63) / 64), before = *capacity;
    if (words <= before) return true;
    if (!phx_grow(mem, (void **)bits, capacity, before, words, sizeof **bits)) return false;
    memset(*bits + before, 0, (*capacity - before) * sizeof **bits);
    return true;
}

bool phx_prev_rows_room(phx_prev_rows *previous, phx_mem *mem, uint32_t slots)
{
    return grow_bits(mem, &previous->discontinuous, &previous->discontinuous_capacity, slots) &&
           grow_bits(mem, &previous->renewed, &previous->renewed_capacity, slots) &&
           grow_bits(mem, &previous->noted, &previous->noted_capacity, slots);
}

bool phx_prev_rows_find_renewed(phx_prev_rows *previous, phx_mem *mem, const phx_store *store, const phx_grid *grid)
{
    if (PHX_LIKELY(previous->renewed_count == 0)) return true;
    if (!grow_bits(mem, &previous->renewed_rows, &previous->renewed_rows_capacity, grid->row_end)) return false;
    for (uint32_t word = 0; word < previous->renewed_capacity; word++) {
        for (uint64_t left = previous->renewed[word]; left; left &= left - 1) {
            const phx_body *body = &store->body[word * PHX_WORD_ROWS + (uint32_t)__builtin_ctzll(left)];
            if (!(body->state & PHX_SLOT_ROW) || grid->rows.view[body->row] == 0.0f) continue; /* no observer */
            phx_row_set_bit(previous->renewed_rows, body->row, true);
        }
    }
    return true;
}

bool phx_prev_rows_any_renewed(const phx_prev_rows *previous, phx_span rows)
{
    if (PHX_LIKELY(previous->renewed_count == 0)) return false;
    for (uint32_t row = rows.first, next; row < rows.end; row = next) {
        next = (row / PHX_WORD_ROWS + 1) * PHX_WORD_ROWS;
        uint64_t bits = previous->renewed_rows[row / PHX_WORD_ROWS] >> row % PHX_WORD_ROWS;
        if (next > rows.end) bits &= (UINT64_C(1) << (rows.end - row)) - 1;
        if (bits) return true;
    }
    return false;
}

/* ---- attributes ---- */

bool phx_prev_rows_reserve(phx_prev_rows *previous, phx_mem *mem)
{
    return phx_idmap_reserve(&previous->index, previous->attr_count + 1) &&
           phx_grow(mem, (void **)&previous->attrs, &previous->attrs_capacity, previous->attr_count,
                    (size_t)previous->attr_count + 1, sizeof(phx_prev_rows_attr));
}

void phx_prev_rows_note(phx_prev_rows *previous, phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_ROW) || (body->state & PHX_SLOT_NOTED)) return;
    PHX_ASSERT(previous->attr_count < previous->attrs_capacity);
    PHX_ASSERT(slot >> 6 < previous->noted_capacity);
    body->state |= PHX_SLOT_NOTED;
    previous->noted[slot >> 6] |= UINT64_C(1) << (slot & 63);
    phx_idmap_insert(&previous->index, (uint64_t)slot + 1, previous->attr_count);
    previous->attrs[previous->attr_count++] = (phx_prev_rows_attr){*phx_store_attr(store, slot), slot};
}

static uint32_t note_of(const phx_prev_rows *previous, uint32_t slot)
{
    if (!phx_prev_rows_noted(previous, slot)) return PHX_SLOT_NONE;
    return (uint32_t)*phx_idmap_find(&previous->index, (uint64_t)slot + 1);
}

const phx_attr *phx_prev_rows_noted_attr(const phx_prev_rows *previous, uint32_t slot)
{
    return &previous->attrs[note_of(previous, slot)].attr;
}

/* ---- rows ---- */

enum { KEY_SLOT_BITS = 32, KEY_AXIS_BITS = 16 };

enum { DIGIT_BITS = 7, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort: the keys change places by a digit of each, which is in digits[]. */
static void sort_by_digit(phx_prev_rows *previous, const uint8_t *digits)
{
    uint32_t start[DIGITS + 1] = {0};
    for (uint32_t i = 0; i < previous->row_count; i++) start[digits[i] + 1]++;
    for (uint32_t d = 0; d < DIGITS; d++) start[d + 1] += start[d];
    for (uint32_t i = 0; i < previous->row_count; i++) previous->spare[start[digits[i]]++] = previous->keys[i];
    uint64_t *sorted = previous->spare;
    previous->spare = previous->keys;
    previous->keys = sorted;
}

static uint32_t instance_before(const phx_prev_rows *previous, const phx_store *store, uint32_t slot)
{
    return phx_prev_rows_attr_of(previous, store, slot)->instance;
}

/* Sorts keys by instance; only if there are others than 0. digits: room for all. */
static void sort_by_instance(phx_prev_rows *previous, const phx_store *store, uint8_t *digits)
{
    enum { INSTANCE_BITS = 32 };
    for (uint32_t shift = 0; shift < INSTANCE_BITS; shift += DIGIT_BITS) {
        for (uint32_t i = 0; i < previous->row_count; i++)
            digits[i] = instance_before(previous, store, (uint32_t)previous->keys[i]) >> shift & (DIGITS - 1);
        sort_by_digit(previous, digits);
    }
}

/*
 * Sorts keys by block: a radix sort of the bits that a block coordinate may have, two digits for each axis. The result
 * is in previous->keys.
 */
static void sort_keys(phx_prev_rows *previous, const phx_store *store)
{
    static const uint32_t shifts[] = {KEY_SLOT_BITS, KEY_SLOT_BITS + DIGIT_BITS, KEY_SLOT_BITS + KEY_AXIS_BITS,
                                      KEY_SLOT_BITS + KEY_AXIS_BITS + DIGIT_BITS};
    uint8_t *digits = (uint8_t *)previous->columns; /* which are written later */
    _Static_assert(PH_TOWERS_AXIS_MAX >> PHX_BLOCK_BITS <= 1 << (2 * DIGIT_BITS), "two digits are a coordinate");
    if (previous->apart) sort_by_instance(previous, store, digits);
    for (uint32_t pass = 0; pass < sizeof shifts / sizeof *shifts; pass++) {
        for (uint32_t i = 0; i < previous->row_count; i++) digits[i] = previous->keys[i] >> shifts[pass] & (DIGITS - 1);
        sort_by_digit(previous, digits);
    }
}

static uint64_t prev_row_key(uint32_t bx, uint32_t by, uint32_t slot)
{
    return (uint64_t)(by << KEY_AXIS_BITS | bx) << KEY_SLOT_BITS | slot;
}

/* Writes the keys of discontinuous slots, and clears their bits. */
static void collect_discontinuous(phx_prev_rows *previous, const phx_rules *rules, const phx_grid *grid,
                                  const phx_store *store)
{
    uint32_t n = 0;
    previous->apart = false;
    for (uint32_t word = 0; n < previous->discontinuous_count; word++) {
        for (uint64_t bits = previous->discontinuous[word]; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits), row = store->body[slot].row;
            const uint32_t state = store->body[slot].state;
            previous->apart |=
                (state & PHX_SLOT_APART) || ((state & PHX_SLOT_NOTED) && instance_before(previous, store, slot) != 0);
            previous->keys[n++] = prev_row_key(phx_tower_index(rules, 0, grid->rows.ox[row]) >> PHX_BLOCK_BITS,
                                               phx_tower_index(rules, 1, grid->rows.oy[row]) >> PHX_BLOCK_BITS, slot);
        }
        previous->discontinuous[word] = 0;
    }
}

bool phx_prev_rows_collect(phx_prev_rows *previous, phx_mem *mem, const phx_rules *rules, const phx_grid *grid,
                           phx_store *store)
{
    if (previous->collected) return true;
    uint32_t count = previous->discontinuous_count;
    /* the two arrays of keys swap in the sort: they must have one capacity */
    enum { COLUMNS = 5 };
    size_t column = (size_t)count + PHX_KERNEL_PAD;
    if (!phx_grow(mem, (void **)&previous->columns, &previous->columns_capacity, 0, COLUMNS * column,
                  sizeof(uint32_t)) ||
        !phx_grow(mem, (void **)&previous->rows, &previous->rows_capacity, 0, count, sizeof(phx_prev_rows_row)) ||
        !phx_grow(mem, (void **)&previous->keys, &previous->keys_capacity, 0, count, sizeof(uint64_t)) ||
        !phx_grow(mem, (void **)&previous->spare, &previous->spare_capacity, 0, previous->keys_capacity,
                  sizeof(uint64_t)))
        return false;
    previous->collected = true;
    previous->row_count = count;
    previous->place = previous->columns;
    previous->x = (float *)(previous->columns + column);
    previous->y = (float *)(previous->columns + 2 * column);
    previous->word = previous->columns + 3 * column;
    previous->nowhere = (float *)(previous->columns + 4 * column);
    collect_discontinuous(previous, rules, grid, store);
    if (count > 1) sort_keys(previous, store);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = (uint32_t)previous->keys[i], row = store->body[slot].row;
        previous->rows[i] = (phx_prev_rows_row){grid->rows.ox[row], grid->rows.oy[row], slot, note_of(previous, slot)};
        previous->x[i] = previous->rows[i].x;
        previous->y[i] = previous->rows[i].y;
        previous->word[i] = phx_row_word_of(slot, store->body[slot].state & (PHX_SLOT_SPECIAL | PHX_SLOT_NOTED)).bits;
        previous->nowhere[i] = NAN;
        previous->place[i] = i;
        phx_list *list = &store->tail[slot].list;
        if (!(store->body[slot].state & PHX_SLOT_OWN) || !list->derived) continue;
        PHX_ASSERT(list->size_class == PHX_LIST_NONE);
        list->block = i & (PHX_SLOTS_MAX - 1);
    }
    return true;
}

/* The block in which the i-th row stood. It exists until the tick's end, as discontinuities mark their towers. */
static phx_block *block_of(const phx_prev_rows *previous, const phx_store *store, const phx_grid *grid, uint32_t i)
{
    const uint32_t instance = previous->apart ? instance_before(previous, store, previous->rows[i].slot) : 0;
    const uint32_t at = (uint32_t)(previous->keys[i] >> KEY_SLOT_BITS);
    phx_block *block = phx_grid_block(grid, instance, at & ((1u << KEY_AXIS_BITS) - 1), at >> KEY_AXIS_BITS);
    PHX_ASSERT(block);
    return block;
}

/* Stood two rows in one block? */
static bool of_one_block(const phx_prev_rows *previous, const phx_store *store, uint32_t i, uint32_t j)
{
    if (previous->keys[i] >> KEY_SLOT_BITS != previous->keys[j] >> KEY_SLOT_BITS) return false;
    return !previous->apart || instance_before(previous, store, previous->rows[i].slot) ==
                                   instance_before(previous, store, previous->rows[j].slot);
}

/* The end of the rows that stood in the block of the first one. */
static uint32_t block_end(const phx_prev_rows *previous, const phx_store *store, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < previous->row_count && of_one_block(previous, store, first, end)) end++;
    return end;
}

void phx_prev_rows_blank(const phx_prev_rows *previous, const phx_store *store, phx_grid *grid)
{
    for (uint32_t i = 0, end; i < previous->row_count; i = end) {
        end = block_end(previous, store, i);
        block_of(previous, store, grid, i)->previous = (phx_span){i, end};
    }
    for (uint32_t i = 0; i < previous->row_count; i++) {
        const phx_body *body = &store->body[previous->rows[i].slot];
        if (body->state & PHX_SLOT_ROW) grid->rows.ox[body->row] = grid->rows.oy[body->row] = NAN;
    }
}

void phx_prev_rows_end(phx_prev_rows *previous, phx_store *store, phx_grid *grid, const phx_rules *rules)
{
    PHX_ASSERT(previous->collected || previous->discontinuous_count == 0);
    for (uint32_t i = 0; i < previous->row_count; i = block_end(previous, store, i))
        block_of(previous, store, grid, i)->previous = (phx_span){0, 0};
    for (uint32_t i = 0; i < previous->attr_count; i++) {
        phx_body *body = &store->body[previous->attrs[i].slot];
        body->state = (uint16_t)(body->state & ~PHX_SLOT_NOTED);
        previous->noted[previous->attrs[i].slot >> 6] = 0; /* all slots of this word end */
    }
    if (previous->attr_count > 0) phx_idmap_clear(&previous->index);
    if (previous->renewed_count > 0) {
        memset(previous->renewed, 0, previous->renewed_capacity * sizeof(uint64_t));
        if (previous->renewed_rows_capacity > 0)
            memset(previous->renewed_rows, 0, previous->renewed_rows_capacity * sizeof(uint64_t));
    }
    previous->attr_count = previous->discontinuous_count = previous->renewed_count = previous->row_count = 0;
    previous->collected = previous->kept = false;
    previous->shape = rules->shape;
    previous->height = rules->height;
}
