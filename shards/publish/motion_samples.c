/*
 * Motion samples; see motion_samples.h.
 */
#include "shards/publish/motion_samples.h"

#include <string.h>

#include "base/parts.h"
#include "shards/publish/motion_history.h"
#include "shards/simd/due_rule.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

static uint32_t short_age(uint32_t age)
{
    return age < PH_BAND_EVERY_MAX ? age : PH_BAND_EVERY_MAX;
}

/* Slots or rows of one part. */
static phx_span span_of_part(uint32_t all, uint32_t part, uint32_t parts)
{
    return (phx_span){phx_part_first(all, part, parts), phx_part_first(all, part + 1, parts)};
}

static bool ready_motion_rows(phx_shard *shard)
{
    phx_motion_rows *of = &shard->bands.rows;
    const size_t rows = (size_t)shard->grid.rows_capacity + PHX_KERNEL_PAD; /* kernels read up to the pad */
    const size_t axes = phx_shard_bands_tall(shard) ? 4 : 2;
    return phx_grow(shard->mem, (void **)&of->was, &of->was_capacity, 0, axes * rows, sizeof *of->was) &&
           phx_grow(shard->mem, (void **)&of->key, &of->key_capacity, 0, 3 * rows, sizeof *of->key);
}

typedef struct writable_rows {
    float *was_x, *was_y, *was_z, *z; /* heights, or NULL: phx_shard_bands_tall() */
    uint32_t *hash, *age, *word;
} writable_rows;

static writable_rows motion_rows_of(const phx_shard *shard)
{
    const phx_motion_rows *of = &shard->bands.rows;
    const bool tall = phx_shard_bands_tall(shard);
    const size_t axis = of->was_capacity / (tall ? 4 : 2), key = of->key_capacity / 3;
    return (writable_rows){
        of->was,       of->was + axis,   tall ? of->was + 2 * axis : NULL, tall ? of->was + 3 * axis : NULL, of->key,
        of->key + key, of->key + 2 * key};
}

/* What stands in gaps is not read. */
void phx_bands_copy_samples(phx_shard *shard, uint32_t part, uint32_t parts)
{
    if (!shard->derives_lists || !phx_bands_busy(shard)) return;
    const writable_rows to = motion_rows_of(shard);
    const phx_motion_sample *samples = shard->bands.samples;
    const phx_span rows = span_of_part(shard->grid.row_end, part, parts);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        const phx_motion_sample *from = &samples[row];
        to.was_x[row] = from->ox;
        to.was_y[row] = from->oy;
        to.hash[row] = from->hash;
        to.age[row] = from->age;
        const bool began = (from->as_observer & PHX_SAMPLE_NEW) || phx_row_discontinuous(&shard->grid.rows, row);
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row);
        to.word[row] = phx_row_word_of(phx_row_word_slot(word), began || phx_row_word_special(word)).bits;
    }
    for (uint32_t row = rows.first; to.z && row < rows.end; row++) {
        to.was_z[row] = phx_bands_old_z(shard, phx_row_slot(&shard->grid.rows, row));
        to.z[row] = samples[row].z;
    }
}

phx_motion_columns phx_bands_columns(const phx_shard *shard)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const writable_rows of = motion_rows_of(shard);
    return (phx_motion_columns){.x = rows->x,
                                .y = rows->y,
                                .z = of.z,
                                .was_x = of.was_x,
                                .was_y = of.was_y,
                                .was_z = of.was_z,
                                .hash = of.hash,
                                .age = of.age,
                                .word = of.word};
}

float phx_bands_old_z(const phx_shard *shard, uint32_t slot)
{
    const phx_motion_history *history = &shard->bands.histories[slot];
    return history->known ? history->z : shard->store.body[slot].z;
}

uint32_t phx_bands_items(const phx_shard *shard)
{
    return shard->derives_lists ? shard->grid.rows_capacity : shard->store.capacity;
}

/* The query of a class: but for its observer and view. */
static phx_due_query query_of(const phx_shard *shard, const ph_class *class)
{
    phx_due_query query = {.square = shard->rules->shape == PH_SHAPE_SQUARE,
                           .sphere = shard->rules->shape == PH_SHAPE_SPHERE,
                           .band_count = class->band_count,
                           .tick = (uint32_t)shard->tick};
    for (uint32_t i = 0; i < class->band_count; i++) {
        const uint32_t every = class->bands[i].every;
        query.squares[i] = class->bands[i].radius * class->bands[i].radius;
        query.turn[i] = (uint32_t)(shard->tick % every);
        query.share[i] = phx_band_share(every);
        query.every[i] = every;
    }
    return query;
}

static bool write_queries(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    const phx_rules *rules = shard->rules;
    if (!phx_grow(shard->mem, (void **)&bands->queries, &bands->queries_capacity, 0, rules->class_count,
                  sizeof *bands->queries))
        return false;
    for (uint32_t kind = 0; kind < rules->class_count; kind++)
        bands->queries[kind] = query_of(shard, &rules->classes[kind]);
    return true;
}

static bool ready_samples(phx_shard *shard)
{
    phx_bands *bands = &shard->bands;
    const uint32_t items = phx_bands_items(shard); /* they grow with rows or slots, not when a few come behind these */
    if (!phx_grow(shard->mem, (void **)&bands->items, &bands->items_capacity, 0, shard->store.slots,
                  sizeof *bands->items) ||
        !phx_grow(shard->mem, (void **)&bands->samples, &bands->samples_capacity, 0, items, sizeof *bands->samples) ||
        !phx_grow(shard->mem, (void **)&bands->entered, &bands->entered_capacity, 0, items, sizeof *bands->entered))
        return false;
    const uint32_t used = shard->derives_lists ? shard->grid.row_end : shard->store.slots;
    if (used > 0) memset(bands->entered, 0, used * sizeof *bands->entered);
    return !shard->derives_lists || ready_motion_rows(shard);
}

/* Flags of an own observer's list: positions alone do not give it. */
static uint32_t list_flags(const phx_shard *shard, uint32_t slot)
{
    const bool related = (shard->store.body[slot].state & PHX_SLOT_RELATED) || phx_related_of(shard, slot);
    const bool kept = !shard->store.tail[slot].list.derived || phx_annulus_of(shard, slot).count > 0;
    return (related ? PHX_SAMPLE_RELATED : 0u) | (kept ? PHX_SAMPLE_KEPT : 0u);
}

static phx_motion_sample sample_of(const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    const phx_motion_history *history = &shard->bands.histories[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const bool known = history->known; /* else it is new, or a copy that came without: it has not moved lately */
    const bool other = known && history->kind != attr->kind;
    const bool observes = (body->state & PHX_SLOT_OWN) && phx_attr_observes(attr); /* else its list is not looked at */
    return (phx_motion_sample){body->x,
                               body->y,
                               body->z,
                               known ? history->x : body->x,
                               known ? history->y : body->y,
                               history->hash,
                               (uint16_t)short_age(phx_bands_age(history, body, shard->tick)),
                               (uint16_t)((known ? 0 : PHX_SAMPLE_NEW) | (other ? PHX_SAMPLE_NEW_BANDS : 0) |
                                          (observes ? list_flags(shard, slot) : 0)),
                               shard->store.set[slot]};
}

bool phx_bands_sample_ready(phx_shard *shard)
{
    if (!phx_bands_busy(shard)) return true;
    if (!ready_samples(shard) || !write_queries(shard)) return false;
    shard->bands.sampled = shard->tick;
    return true;
}

void phx_bands_sample(phx_shard *shard, uint32_t part, uint32_t parts)
{
    enum { AHEAD = 16 };
    phx_bands *bands = &shard->bands;
    const phx_body *body = shard->store.body;
    const bool by_rows = shard->derives_lists;
    if (!phx_bands_busy(shard)) return;
    const phx_span slots = span_of_part(shard->store.slots, part, parts);
    for (uint32_t slot = slots.first; slot < slots.end; slot++) {
        if (by_rows && slots.end - slot > AHEAD && (body[slot + AHEAD].state & PHX_SLOT_ROW))
            __builtin_prefetch(&bands->samples[body[slot + AHEAD].row], 1);
        const bool has_none = by_rows && !((body[slot].state & PHX_SLOT_LIVE) && (body[slot].state & PHX_SLOT_ROW));
        bands->items[slot] = !by_rows ? slot : has_none ? 0 : body[slot].row;
        if (!has_none) bands->samples[bands->items[slot]] = sample_of(shard, slot);
    }
}
