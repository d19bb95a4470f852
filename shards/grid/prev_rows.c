/*
 * Notes and collects previous rows; see prev_rows.h. Called by the shard's owner.
 */
#include "shards/grid/prev_rows.h"

#include <string.h>

#include "base/simd.h"
#include "shards/entity/bounds.h"

void phx_prev_rows_init(phx_prev_rows *past, phx_mem *mem)
{
    *past = (phx_prev_rows){0};
    phx_idmap_init(&past->index, mem);
}

void phx_prev_rows_free(phx_prev_rows *past, phx_mem *mem)
{
    if (!past->index.mem) return;
    phx_idmap_free(&past->index);
    phx_release(mem, (void **)&past->discontinuous, &past->discontinuous_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&past->attrs, &past->attrs_capacity, sizeof(phx_prev_rows_attr));
    phx_release(mem, (void **)&past->columns, &past->columns_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&past->rows, &past->rows_capacity, sizeof(phx_prev_rows_row));
    phx_release(mem, (void **)&past->keys, &past->keys_capacity, sizeof(uint64_t));
    phx_release(mem, (void **)&past->spare, &past->spare_capacity, sizeof(uint64_t));
    *past = (phx_prev_rows){0};
}

bool phx_prev_rows_room(phx_prev_rows *past, phx_mem *mem, uint32_t slots)
{
    uint32_t words = (uint32_t)(((uint64_t)slots + 63) / 64), before = past->discontinuous_capacity;
    if (words <= before) return true;
    if (!phx_grow(mem, (void **)&past->discontinuous, &past->discontinuous_capacity, before, words, sizeof(uint64_t))) return false;
    memset(past->discontinuous + before, 0, (past->discontinuous_capacity - before) * sizeof(uint64_t));
    return true;
}

/* ---- attributes ---- */

bool phx_prev_rows_reserve(phx_prev_rows *past, phx_mem *mem)
{
    return phx_idmap_reserve(&past->index, past->attr_count + 1) &&
           phx_grow(mem, (void **)&past->attrs, &past->attrs_capacity, past->attr_count, (size_t)past->attr_count + 1,
                    sizeof(phx_prev_rows_attr));
}

void phx_prev_rows_note(phx_prev_rows *past, phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_ROW) || (body->state & PHX_SLOT_NOTED)) return;
    PHX_ASSERT(past->attr_count < past->attrs_capacity);
    body->state |= PHX_SLOT_NOTED;
    phx_idmap_insert(&past->index, (uint64_t)slot + 1, past->attr_count);
    past->attrs[past->attr_count++] = (phx_prev_rows_attr){*phx_store_attr(store, slot), slot};
}

static uint32_t note_of(const phx_prev_rows *past, const phx_store *store, uint32_t slot)
{
    if (!(store->body[slot].state & PHX_SLOT_NOTED)) return PHX_SLOT_NONE;
    return (uint32_t)*phx_idmap_find(&past->index, (uint64_t)slot + 1);
}

const phx_attr *phx_prev_rows_attr_of(const phx_prev_rows *past, const phx_store *store, uint32_t slot)
{
    uint32_t note = note_of(past, store, slot);
    return note == PHX_SLOT_NONE ? phx_store_attr(store, slot) : &past->attrs[note].attr;
}

/* ---- rows ---- */

enum { KEY_SLOT_BITS = 32, KEY_AXIS_BITS = 16 };

enum { DIGIT_BITS = 7, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort: the keys change places by a digit of each, which is in digits[]. */
static void sort_by_digit(phx_prev_rows *past, const uint8_t *digits)
{
    uint32_t start[DIGITS + 1] = {0};
    for (uint32_t i = 0; i < past->row_count; i++) start[digits[i] + 1]++;
    for (uint32_t d = 0; d < DIGITS; d++) start[d + 1] += start[d];
    for (uint32_t i = 0; i < past->row_count; i++) past->spare[start[digits[i]]++] = past->keys[i];
    uint64_t *sorted = past->spare;
    past->spare = past->keys;
    past->keys = sorted;
}

static uint32_t instance_before(const phx_prev_rows *past, const phx_store *store, uint32_t slot)
{
    return phx_prev_rows_attr_of(past, store, slot)->instance;
}

/* Sorts keys by instance; only if there are others than 0. digits: room for all. */
static void sort_by_instance(phx_prev_rows *past, const phx_store *store, uint8_t *digits)
{
    enum { INSTANCE_BITS = 32 };
    for (uint32_t shift = 0; shift < INSTANCE_BITS; shift += DIGIT_BITS) {
        for (uint32_t i = 0; i < past->row_count; i++)
            digits[i] = instance_before(past, store, (uint32_t)past->keys[i]) >> shift & (DIGITS - 1);
        sort_by_digit(past, digits);
    }
}

/*
 * Sorts keys by block: a radix sort of the bits that a block coordinate may have, two digits for each axis. The result
 * is in past->keys.
 */
static void sort_keys(phx_prev_rows *past, const phx_store *store)
{
    static const uint32_t shifts[] = {KEY_SLOT_BITS, KEY_SLOT_BITS + DIGIT_BITS, KEY_SLOT_BITS + KEY_AXIS_BITS,
                                      KEY_SLOT_BITS + KEY_AXIS_BITS + DIGIT_BITS};
    uint8_t *digits = (uint8_t *)past->columns; /* which are written later */
    _Static_assert(PH_TOWERS_AXIS_MAX >> PHX_BLOCK_BITS <= 1 << (2 * DIGIT_BITS), "two digits are a coordinate");
    if (past->apart) sort_by_instance(past, store, digits);
    for (uint32_t pass = 0; pass < sizeof shifts / sizeof *shifts; pass++) {
        for (uint32_t i = 0; i < past->row_count; i++) digits[i] = past->keys[i] >> shifts[pass] & (DIGITS - 1);
        sort_by_digit(past, digits);
    }
}

static uint64_t prev_row_key(uint32_t bx, uint32_t by, uint32_t slot)
{
    return (uint64_t)(by << KEY_AXIS_BITS | bx) << KEY_SLOT_BITS | slot;
}

/* Writes the keys of discontinuous slots, and clears their bits. */
static void take_discontinuous(phx_prev_rows *past, const phx_rules *rules, const phx_grid *grid,
                               const phx_store *store)
{
    uint32_t n = 0;
    past->apart = false;
    for (uint32_t word = 0; n < past->discontinuous_count; word++) {
        for (uint64_t bits = past->discontinuous[word]; bits != 0; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits), row = store->body[slot].row;
            const uint32_t state = store->body[slot].state;
            past->apart |=
                (state & PHX_SLOT_APART) || ((state & PHX_SLOT_NOTED) && instance_before(past, store, slot) != 0);
            past->keys[n++] = prev_row_key(phx_tower_index(rules, 0, grid->rows.ox[row]) >> PHX_BLOCK_BITS,
                                           phx_tower_index(rules, 1, grid->rows.oy[row]) >> PHX_BLOCK_BITS, slot);
        }
        past->discontinuous[word] = 0;
    }
}

bool phx_prev_rows_collect(phx_prev_rows *past, phx_mem *mem, const phx_rules *rules, const phx_grid *grid,
                           phx_store *store)
{
    if (past->collected) return true;
    uint32_t count = past->discontinuous_count;
    /* the two arrays of keys swap in the sort: they must have one capacity */
    enum { COLUMNS = 5 };
    size_t column = (size_t)count + PHX_KERNEL_PAD;
    if (!phx_grow(mem, (void **)&past->columns, &past->columns_capacity, 0, COLUMNS * column, sizeof(uint32_t)) ||
        !phx_grow(mem, (void **)&past->rows, &past->rows_capacity, 0, count, sizeof(phx_prev_rows_row)) ||
        !phx_grow(mem, (void **)&past->keys, &past->keys_capacity, 0, count, sizeof(uint64_t)) ||
        !phx_grow(mem, (void **)&past->spare, &past->spare_capacity, 0, past->keys_capacity, sizeof(uint64_t)))
        return false;
    past->collected = true;
    past->row_count = count;
    past->place = past->columns;
    past->x = (float *)(past->columns + column);
    past->y = (float *)(past->columns + 2 * column);
    past->word = past->columns + 3 * column;
    past->nowhere = (float *)(past->columns + 4 * column);
    take_discontinuous(past, rules, grid, store);
    if (count > 1) sort_keys(past, store);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = (uint32_t)past->keys[i], row = store->body[slot].row;
        past->rows[i] = (phx_prev_rows_row){grid->rows.ox[row], grid->rows.oy[row], slot, note_of(past, store, slot)};
        past->x[i] = past->rows[i].x;
        past->y[i] = past->rows[i].y;
        past->word[i] = phx_row_word_of(slot, store->body[slot].state & (PHX_SLOT_SPECIAL | PHX_SLOT_NOTED)).bits;
        past->nowhere[i] = NAN;
        past->place[i] = i;
        phx_list *list = &store->tail[slot].list;
        if (!(store->body[slot].state & PHX_SLOT_OWN) || !list->derived) continue;
        PHX_ASSERT(list->size_class == PHX_LIST_NONE);
        list->block = i & (PHX_SLOTS_MAX - 1);
    }
    return true;
}

/* The block in which the i-th row stood. It exists until the tick's end, as discontinuities mark their towers. */
static phx_block *block_of(const phx_prev_rows *past, const phx_store *store, const phx_grid *grid, uint32_t i)
{
    const uint32_t instance = past->apart ? instance_before(past, store, past->rows[i].slot) : 0;
    const uint32_t at = (uint32_t)(past->keys[i] >> KEY_SLOT_BITS);
    phx_block *block = phx_grid_block(grid, instance, at & ((1u << KEY_AXIS_BITS) - 1), at >> KEY_AXIS_BITS);
    PHX_ASSERT(block);
    return block;
}

/* Stood two rows in one block? */
static bool of_one_block(const phx_prev_rows *past, const phx_store *store, uint32_t i, uint32_t j)
{
    if (past->keys[i] >> KEY_SLOT_BITS != past->keys[j] >> KEY_SLOT_BITS) return false;
    return !past->apart ||
           instance_before(past, store, past->rows[i].slot) == instance_before(past, store, past->rows[j].slot);
}

/* The end of the rows that stood in the block of the first one. */
static uint32_t block_end(const phx_prev_rows *past, const phx_store *store, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < past->row_count && of_one_block(past, store, first, end)) end++;
    return end;
}

void phx_prev_rows_blank(const phx_prev_rows *past, const phx_store *store, phx_grid *grid)
{
    for (uint32_t i = 0, end; i < past->row_count; i = end) {
        end = block_end(past, store, i);
        block_of(past, store, grid, i)->past = (phx_span){i, end};
    }
    for (uint32_t i = 0; i < past->row_count; i++) {
        const phx_body *body = &store->body[past->rows[i].slot];
        if (body->state & PHX_SLOT_ROW) grid->rows.ox[body->row] = grid->rows.oy[body->row] = NAN;
    }
}

void phx_prev_rows_end(phx_prev_rows *past, phx_store *store, phx_grid *grid, ph_shape shape)
{
    PHX_ASSERT(past->collected || past->discontinuous_count == 0);
    for (uint32_t i = 0; i < past->row_count; i = block_end(past, store, i))
        block_of(past, store, grid, i)->past = (phx_span){0, 0};
    for (uint32_t i = 0; i < past->attr_count; i++) {
        phx_body *body = &store->body[past->attrs[i].slot];
        body->state = (uint16_t)(body->state & ~PHX_SLOT_NOTED);
    }
    if (past->attr_count > 0) phx_idmap_clear(&past->index);
    past->attr_count = past->discontinuous_count = past->row_count = 0;
    past->collected = past->kept = false;
    past->shape = shape;
}
