/*
 * The due targets of an observer; see due_targets.h.
 */
#include "shards/publish/due_targets.h"

#include <math.h>

#include "base/simd.h"
#include "shards/publish/motion_samples.h"
#include "shards/query/far_list.h"
#include "shards/query/seen.h"
#include "shards/state/related.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"
#include "shards/state/view_reach.h"

enum { SPANS_MAX = 32 }; /* of rows, whose due ones are found in one call */

uint32_t phx_due_key_of(const phx_update_emission *at, uint32_t slot)
{
    const uint32_t item = at->shard->bands.items[slot];
    const phx_motion_sample *to = &at->shard->bands.samples[item];
    const float dx = to->x - at->query.x, dy = to->y - at->query.y, dz = to->z - at->query.z;
    const float d2 = at->query.sphere ? dx * dx + dy * dy + dz * dz : dx * dx + dy * dy;
    uint32_t band = 0;
    while (band + 1 < at->query.band_count && d2 > at->query.squares[band]) band++;
    return phx_due_key(at->scratch, item, band);
}

uint32_t phx_due_since(const phx_update_emission *at, uint32_t target)
{
    const phx_slot_mark *mark = &at->scratch->marks[target];
    return mark->epoch == at->scratch->mark_epoch ? mark->value : (uint32_t)at->shard->tick;
}

/* Adds due targets as candidates for the budget; they are left out from then on. */
static bool add_candidates(phx_update_emission *at, const uint32_t *keys, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (!phx_grow(scratch->mem, (void **)&scratch->candidates, &scratch->candidates_capacity, at->candidate_count,
                  (size_t)at->candidate_count + count, sizeof *scratch->candidates))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = phx_due_key_item(scratch, keys[i]), slot = phx_due_slot(at->shard, item);
        if (at->waited && scratch->marks[slot].epoch != scratch->mark_epoch) continue;
        uint64_t waited = (uint32_t)at->shard->tick - phx_due_since(at, slot);
        scratch->candidates[at->candidate_count++] =
            (phx_ranked){.id = store->name[slot].id,
                         .key = phx_rank_d2(at->shard->rules, &store->body[at->slot], &store->body[slot]),
                         .first = (1 + waited) * (1u + phx_store_attr(store, slot)->priority),
                         .slot = slot};
        phx_update_scratch_leave_out(scratch, item);
    }
    return true;
}

/* May a special target's row be in the near part of the list? Its attributes stand with its sample. */
static bool sees_special(const phx_update_emission *at, uint32_t item, uint32_t slot)
{
    const phx_store *store = &at->shard->store;
    const phx_attr *attr = &store->sets.attr[at->shard->bands.samples[item].set];
    return phx_near_sees_as(at->shard, &store->body[at->slot], at->attr, slot, attr);
}

/*
 * Keeps targets among rows in view that are in the list by attributes and position. The far part of the list, and
 * listed targets of relations, are added by themselves.
 */
static uint32_t keep_seen(const phx_update_emission *at, uint32_t *keys, uint32_t count)
{
    const phx_shard *shard = at->shard;
    const phx_relation_set *related = at->rows_apart ? NULL : at->related;
    const uint64_t filter = related ? phx_related_filter(shard, related) : 0;
    uint32_t n = 0;
    at->scratch->sifted_count += related ? count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = keys[i], item = phx_due_key_item(at->scratch, key);
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, item);
        const uint32_t slot = phx_row_word_slot(word);
        keys[n] = key;
        n += (!phx_row_word_special(word) || sees_special(at, item, slot)) &&
             !(phx_related_filter_passes(filter, slot) && phx_related_to(shard, related, slot));
    }
    return n;
}

/* Keeps targets of a list that are not left out. */
static uint32_t keep_let_in(const phx_update_emission *at, uint32_t *keys, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = keys[i];
        keys[n] = key;
        n += !phx_update_scratch_leaves_out(at->scratch, phx_due_key_item(at->scratch, key));
    }
    return n;
}

/* Of due keys that the kernel found keeps the ones that are added. */
static uint32_t keep_added(const phx_update_emission *at, const phx_motion_columns *columns, uint32_t *keys,
                           phx_due_found found)
{
    const bool apart = !at->related || at->rows_apart;
    if (columns->left_out) return found.special || !apart ? keep_seen(at, keys, found.count) : found.count;
    return at->entered_count + at->candidate_count > 0 ? keep_let_in(at, keys, found.count) : found.count;
}

bool phx_due_targets_add(phx_update_emission *at, const phx_motion_columns *columns, const phx_span *spans,
                         uint32_t span_count, uint32_t length)
{
    uint32_t *keys = phx_update_scratch_room(at->scratch, length);
    phx_motion_columns still;
    at->failed = keys == NULL;
    if (at->failed) return false;
    if (at->is_new) { /* no target came into another band */
        still = *columns;
        still.was_x = still.x;
        still.was_y = still.y;
        still.was_z = still.z;
        columns = &still;
    }
    const phx_due_found found = at->shard->kernels->find_due(columns, spans, span_count, &at->query, keys);
    at->found_entered += found.entered;
    at->special |= found.special;
    const uint32_t count = keep_added(at, columns, keys, found);
    if (at->ranks) at->failed = !add_candidates(at, keys, count);
    else at->scratch->due_count += count;
    return !at->failed;
}

/* Looks at ranges of rows. false = no memory, noted. */
static bool add_spans(phx_update_emission *at, const phx_span *spans, uint32_t count)
{
    phx_motion_columns columns = phx_bands_columns(at->shard);
    uint32_t length = 0;
    columns.left_out = at->scratch->left_out;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): phx_block_spans() wrote them */
    for (uint32_t i = 0; i < count; i++) length += spans[i].end - spans[i].first;
    at->scratch->compared_count += length;
    return count == 0 || phx_due_targets_add(at, &columns, spans, count, length);
}

/* The same of the rows in the tile that may be in view. */
static void add_tile_rows(phx_update_emission *at, phx_box box)
{
    const phx_motion_tile *tile = &at->scratch->tile;
    phx_span spans[PHX_MOTION_TILE_SPANS_MAX];
    uint32_t length = 0;
    const uint32_t count = phx_motion_tile_spans(tile, box, spans);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): phx_motion_tile_spans() wrote them */
    for (uint32_t i = 0; i < count; i++) length += spans[i].end - spans[i].first;
    at->scratch->compared_count += length;
    if (count > 0) phx_due_targets_add(at, &tile->of, spans, count, length);
}

/* The rows of the towers of a rectangle that lies in no single block, or in another one than the observer's. */
static void add_blocks_rows(phx_update_emission *at, phx_rect rect)
{
    phx_block_walk walk = phx_grid_walk(&at->shard->grid, at->attr->instance, rect);
    phx_span spans[SPANS_MAX];
    uint32_t count = 0;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        if (count + PHX_BLOCK_SIDE > SPANS_MAX) {
            if (!add_spans(at, spans, count)) return;
            count = 0;
        }
        count += phx_block_spans(block, rect, spans + count);
    }
    add_spans(at, spans, count);
}

/* Are all towers of the rectangle in the block? */
static bool rect_in_block(const phx_block *block, phx_rect rect)
{
    return block->bx == rect.x0 >> PHX_BLOCK_BITS && block->bx == rect.x1 >> PHX_BLOCK_BITS &&
           block->by == rect.y0 >> PHX_BLOCK_BITS && block->by == rect.y1 >> PHX_BLOCK_BITS;
}

void phx_due_targets_add_rows(phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const phx_motion_tile *tile = &at->scratch->tile;
    const float x = at->query.x, y = at->query.y;
    const phx_box box = phx_box_around(x, y, at->attr->view);
    at->query.view = at->attr->view;
    at->query.level = shard->uneven && shard->rules->shape == PH_SHAPE_CYLINDER ? shard->rules->height : INFINITY;
    if (phx_motion_tile_covers(tile, shard, at->attr->instance, box)) {
        add_tile_rows(at, box);
        return;
    }
    const phx_rect rect = phx_interest_rect(shard->rules, x, y, at->attr->view + shard->grid.drift_bound);
    const phx_block *own = phx_motion_tile_block(tile, shard);
    if (own && own->instance == at->attr->instance && rect_in_block(own, rect)) {
        phx_span spans[PHX_BLOCK_SIDE];
        add_spans(at, spans, phx_block_spans(own, rect, spans));
        return;
    }
    add_blocks_rows(at, rect);
}
