/*
 * Due updates; see band_updates.h.
 */
#include "shards/publish/band_updates.h"

#include <math.h>

#include "base/simd.h"
#include "shards/publish/motion_history.h"
#include "shards/query/seen.h"
#include "shards/simd/due_rule.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"
#include "shards/state/view_reach.h"

/* The observer whose updates are emitted. */
typedef struct update_emission {
    phx_update_scratch *scratch;
    const phx_shard *shard;
    const ph_class *class;
    const phx_body *body;
    const phx_attr *attr;
    phx_due_query query;
    bool is_new; /* it was not here at the last tick's end */
    bool ranks;  /* due targets are candidates first: there is a budget, or updates waited for one */
    bool waited; /* only targets with deferred updates are looked for */
    bool failed; /* no memory */
    uint32_t candidate_count;
} update_emission;

enum { SPANS_MAX = 32 }; /* of rows, whose due ones are found in one call */

/* Rows that are still to be looked at. */
typedef struct open_spans {
    phx_span spans[SPANS_MAX];
    uint32_t count, length; /* of spans; of rows in them */
} open_spans;

static uint32_t slot_of_item(const phx_shard *shard, uint32_t item)
{
    return shard->derives_lists ? phx_row_slot(&shard->grid.rows, item) : item;
}

/* The due key of a target. */
static uint32_t key_of(const update_emission *at, uint32_t slot)
{
    const phx_motion_sample *to = &at->shard->bands.samples[slot];
    const float dx = to->x - at->query.x, dy = to->y - at->query.y, dz = to->z - at->query.z;
    const float d2 = at->query.sphere ? dx * dx + dy * dy + dz * dz : dx * dx + dy * dy;
    uint32_t band = 0;
    while (band + 1 < at->query.band_count && d2 > at->query.squares[band]) band++;
    return phx_due_key(at->scratch, to->item, band);
}

/* The tick in which its update became due: this one, or an earlier one if it was deferred. */
static uint32_t due_since(const update_emission *at, uint32_t target)
{
    const phx_slot_mark *mark = &at->scratch->marks[target];
    return mark->epoch == at->scratch->mark_epoch ? mark->value : (uint32_t)at->shard->tick;
}

/* Adds due targets as candidates for the budget; they are left out from then on. */
static bool add_candidates(update_emission *at, const uint32_t *keys, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (!phx_grow(scratch->mem, (void **)&scratch->candidates, &scratch->candidates_capacity, at->candidate_count,
                  (size_t)at->candidate_count + count, sizeof *scratch->candidates))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = phx_due_key_item(scratch, keys[i]), slot = slot_of_item(at->shard, item);
        if (at->waited && scratch->marks[slot].epoch != scratch->mark_epoch) continue;
        uint64_t waited = (uint32_t)at->shard->tick - due_since(at, slot);
        scratch->candidates[at->candidate_count++] =
            (phx_ranked){.id = store->name[slot].id,
                         .key = phx_rank_d2(at->shard->rules, at->body, &store->body[slot]),
                         .first = (1 + waited) * (1u + phx_store_attr(store, slot)->priority),
                         .slot = slot};
        phx_update_scratch_leave_out(scratch, item);
    }
    return true;
}

/* Keeps targets among rows that the observer sees by their attributes. */
static uint32_t keep_seen(const update_emission *at, uint32_t *keys, uint32_t count)
{
    const phx_shard *shard = at->shard;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = keys[i];
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, phx_due_key_item(at->scratch, key));
        keys[n] = key;
        n += !phx_row_word_special(word) ||
             phx_layers_match(at->attr, phx_store_attr(&shard->store, phx_row_word_slot(word)));
    }
    return n;
}

/* Adds due targets of the observer's list that are among these samples, so many of them. false = no memory, noted. */
static bool add_due_targets(update_emission *at, phx_motion_columns columns, const phx_span *spans, uint32_t span_count,
                            uint32_t length)
{
    uint32_t *keys = phx_update_scratch_room(at->scratch, length);
    at->failed = keys == NULL;
    if (at->failed) return false;
    if (at->is_new) { /* no target came into another band */
        columns.was_x = columns.x;
        columns.was_y = columns.y;
        columns.was_z = columns.z;
    }
    const phx_due_found found = at->shard->kernels->find_due(&columns, spans, span_count, &at->query, keys);
    const uint32_t count = found.special ? keep_seen(at, keys, found.count) : found.count;
    if (at->ranks) at->failed = !add_candidates(at, keys, count);
    else at->scratch->due_count += count;
    return !at->failed;
}

/* The samples of some targets, side by side. */
typedef struct gathered_samples {
    float x[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], y[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    float z[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], was_x[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    float was_y[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], was_z[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    uint32_t hash[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], age[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    uint32_t item[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
} gathered_samples;

static bool visit_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    enum { AHEAD = 8 };
    update_emission *at = user;
    const phx_motion_sample *all = at->shard->bands.samples;
    gathered_samples to;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_motion_sample *from = &all[targets[i]];
        if (i + AHEAD < count) __builtin_prefetch(&all[targets[i + AHEAD]]);
        to.x[n] = from->x, to.y[n] = from->y, to.z[n] = from->z;
        to.was_x[n] = from->ox, to.was_y[n] = from->oy;
        to.hash[n] = from->hash, to.age[n] = from->age, to.item[n] = from->item;
        if (at->query.sphere) to.was_z[n] = phx_bands_old_z(at->shard, targets[i]);
        n += !phx_update_scratch_leaves_out(at->scratch, from->item);
    }
    const phx_motion_columns columns = {to.x,     to.y,    to.z,   to.was_x,       to.was_y,
                                        to.was_z, to.hash, to.age, .item = to.item};
    return add_due_targets(at, columns, &(phx_span){0, n}, 1, n);
}

/* Looks at the open rows: none is open then. false = no memory, noted. */
static bool close_spans(update_emission *at, open_spans *open)
{
    phx_motion_columns columns = phx_bands_columns(at->shard);
    const uint32_t count = open->count, length = open->length;
    columns.left_out = at->scratch->left_out;
    open->count = open->length = 0;
    return count == 0 || add_due_targets(at, columns, open->spans, count, length);
}

/* Where the list is derived: of the rows in view, without the list. */
static void add_rows_in_view(update_emission *at)
{
    const phx_shard *shard = at->shard;
    const phx_rect rect = phx_interest_rows_rect(shard, at->body, at->attr->view);
    phx_block_walk walk = phx_grid_walk(&shard->grid, at->attr->instance, rect);
    open_spans open;
    open.count = open.length = 0;
    at->query.view = at->attr->view;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        if (open.count + PHX_BLOCK_SIDE > SPANS_MAX && !close_spans(at, &open)) return;
        const uint32_t count = phx_block_spans(block, rect, open.spans + open.count);
        for (uint32_t i = 0; i < count; i++, open.count++)
            open.length += open.spans[open.count].end - open.spans[open.count].first;
    }
    close_spans(at, &open);
}

/* Adds the due targets of its list. */
static void add_listed(update_emission *at, uint32_t slot)
{
    at->query.view = INFINITY;
    if (at->shard->derives_lists && at->shard->store.tail[slot].list.derived) add_rows_in_view(at);
    else phx_shard_list_targets(at->shard, slot, visit_list_piece, at);
}

/* Emits the budget's share of the candidates, and defers the rest. false = no memory. */
static bool spend_update_budget(update_emission *at, phx_observer_updates *updates)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t count = at->candidate_count, most = at->class->updates_max;
    if (most != 0 && most < count) phx_rank_best(scratch->candidates, count, most);
    else most = count;
    uint32_t *keys = phx_update_scratch_room(scratch, most);
    if (!keys) return false;
    for (uint32_t i = 0; i < most; i++) keys[i] = key_of(at, scratch->candidates[i].slot);
    scratch->due_count += most;
    if (!phx_grow(scratch->mem, (void **)&scratch->deferred, &scratch->deferred_capacity, scratch->deferred_count,
                  (size_t)scratch->deferred_count + 2 * (size_t)(count - most), sizeof *scratch->deferred))
        return false;
    for (uint32_t i = most; i < count; i++) {
        uint32_t slot = scratch->candidates[i].slot;
        scratch->deferred[scratch->deferred_count++] = slot;
        scratch->deferred[scratch->deferred_count++] = due_since(at, slot);
    }
    updates->deferred_count = 2 * (count - most);
    return true;
}

static void mark_deferred(phx_update_scratch *scratch, const phx_bands *bands, uint32_t slot)
{
    const phx_list *deferred = &bands->deferred[slot];
    const uint32_t *words = phx_list_entries(&bands->pool, deferred);
    for (uint32_t i = 0; i < deferred->count; i += 2)
        scratch->marks[words[i]] = (phx_slot_mark){scratch->mark_epoch, words[i + 1]};
}

static void open_observer(update_emission *at, uint32_t slot)
{
    const phx_shard *shard = at->shard;
    const phx_motion_history *history = &shard->bands.histories[slot];
    const phx_motion_sample *own = &shard->bands.samples[slot];
    const bool other_bands = shard->rules->bands_changed || (history->known && history->kind != at->attr->kind);
    at->body = &shard->store.body[slot];
    at->is_new = !history->known;
    at->query = shard->bands.queries[at->attr->kind];
    at->query.x = own->x;
    at->query.y = own->y;
    at->query.z = own->z;
    at->query.was_x = own->ox;
    at->query.was_y = own->oy;
    at->query.was_z = at->query.sphere ? phx_bands_old_z(shard, slot) : 0;
    at->query.hash = own->hash;
    at->query.all = other_bands;
    at->query.band_bits = at->scratch->band_bits;
}

/* Adds targets that entered the list; they are left out from then on. false = no memory. */
static bool add_entered(update_emission *at, const uint32_t *entered, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t *keys = phx_update_scratch_room(scratch, count);
    if (!keys) return false;
    for (uint32_t i = 0; i < count; i++) __builtin_prefetch(&at->shard->bands.samples[entered[i]]);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key_of(at, entered[i]);
        phx_update_scratch_leave_out(scratch, phx_due_key_item(scratch, keys[i]));
    }
    scratch->due_count += count;
    return true;
}

/* Nothing is left out any more. */
static void let_all_in(const update_emission *at, uint32_t own, const uint32_t *entered, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_motion_sample *samples = at->shard->bands.samples;
    phx_update_scratch_let_in(scratch, samples[own].item);
    for (uint32_t i = 0; i < count; i++) phx_update_scratch_let_in(scratch, samples[entered[i]].item);
    for (uint32_t i = 0; i < at->candidate_count; i++)
        phx_update_scratch_let_in(scratch, samples[scratch->candidates[i].slot].item);
}

/* Adds targets that entered, and targets of the list that are due or have waited. false = no memory. */
static bool add_targets(update_emission *at, uint32_t slot, const uint32_t *entered, uint32_t entered_count,
                        bool waited)
{
    phx_update_scratch_leave_out(at->scratch, at->shard->bands.samples[slot].item); /* its own row is in its view */
    at->failed = !add_entered(at, entered, entered_count);
    if (!at->failed) add_listed(at, slot);
    if (!at->failed && waited) {
        at->waited = at->query.all = true;
        add_listed(at, slot);
    }
    let_all_in(at, slot, entered, entered_count);
    return !at->failed;
}

uint32_t phx_band_target(const phx_shard *shard, const phx_update_scratch *scratch, uint32_t key)
{
    return slot_of_item(shard, phx_due_key_item(scratch, key));
}

void phx_band_prefetch(const phx_shard *shard, uint32_t slot)
{
    __builtin_prefetch(&shard->bands.histories[slot]);
    __builtin_prefetch(&shard->bands.samples[slot]);
    __builtin_prefetch(&shard->store.body[slot]);
    __builtin_prefetch(&shard->store.tail[slot]);
}

bool phx_band_emit(phx_update_scratch *scratch, const phx_shard *shard, uint32_t slot, const uint32_t *entered,
                   uint32_t entered_count)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    update_emission at = {
        .scratch = scratch, .shard = shard, .class = &shard->rules->classes[attr->kind], .attr = attr};
    phx_observer_updates updates = {
        .slot = slot, .due_first = scratch->due_count, .deferred_first = scratch->deferred_count};
    const uint32_t waited = shard->bands.waiting > 0 ? shard->bands.deferred[slot].count : 0;
    if (at.class->band_count == 0 && waited == 0) return true;
    bool emitted_all = phx_update_scratch_ready(scratch, shard->store.capacity,
                                                phx_bands_items(shard)); /* grown with the store, not later */
    if (emitted_all && at.class->band_count > 0) {
        if (waited > 0) mark_deferred(scratch, &shard->bands, slot);
        at.ranks = at.class->updates_max > 0 || waited > 0;
        open_observer(&at, slot);
        emitted_all = add_targets(&at, slot, entered, entered_count, waited > 0) &&
                      spend_update_budget(&at, &updates) &&
                      phx_update_scratch_place(scratch, shard->kernels, updates.due_first);
    }
    if (!emitted_all) {
        scratch->due_count = updates.due_first;
        scratch->deferred_count = updates.deferred_first;
        return false;
    }
    updates.due_count = scratch->due_count - updates.due_first;
    updates.rewaits = waited > 0 || updates.deferred_count > 0;
    if (updates.due_count > 0 || updates.rewaits) scratch->observers[scratch->observer_count++] = updates;
    return true;
}
