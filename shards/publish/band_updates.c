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

/* Words of due targets, and their bands. */
typedef struct due_targets {
    uint32_t words[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], bands[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
} due_targets;

static uint32_t band_of(const update_emission *at, uint32_t slot)
{
    const float d2 = phx_rank_d2(at->shard->rules, at->body, &at->shard->store.body[slot]);
    uint32_t band = 0;
    while (band + 1 < at->class->band_count && d2 > at->query.squares[band]) band++;
    return band;
}

static bool add_target(const update_emission *at, uint32_t slot)
{
    const uint32_t band = band_of(at, slot);
    return phx_update_scratch_add(at->scratch, &slot, &band, 1);
}

/* The tick in which its update became due: this one, or an earlier one if it was deferred. */
static uint32_t due_since(const update_emission *at, uint32_t target)
{
    const phx_slot_mark *mark = &at->scratch->marks[target];
    return mark->epoch == at->scratch->mark_epoch ? mark->value : (uint32_t)at->shard->tick;
}

/* Adds due targets as candidates for the budget; they are left out from then on. */
static bool add_candidates(update_emission *at, const uint32_t *slots, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (!phx_grow(scratch->mem, (void **)&scratch->candidates, &scratch->candidates_capacity, at->candidate_count,
                  (size_t)at->candidate_count + count, sizeof *scratch->candidates))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t waited = (uint32_t)at->shard->tick - due_since(at, slots[i]);
        scratch->candidates[at->candidate_count++] =
            (phx_ranked){.id = store->name[slots[i]].id,
                         .key = phx_rank_d2(at->shard->rules, at->body, &store->body[slots[i]]),
                         .first = (1 + waited) * (1u + phx_store_attr(store, slots[i])->priority),
                         .slot = slots[i]};
        phx_update_scratch_leave_out(scratch, slots[i]);
    }
    return true;
}

/* Keeps targets that the observer sees by their attributes. */
static uint32_t keep_seen(const update_emission *at, due_targets *of, uint32_t count)
{
    const phx_store *store = &at->shard->store;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_row_word word = phx_row_word_at(of->words, i);
        of->words[n] = word.bits;
        of->bands[n] = of->bands[i];
        n += !phx_row_word_special(word) || phx_layers_match(at->attr, phx_store_attr(store, phx_row_word_slot(word)));
    }
    return n;
}

static bool any_special(const uint32_t *words, uint32_t count)
{
    phx_row_word all = {0};
    for (uint32_t i = 0; i < count; i++) all.bits |= words[i];
    return phx_row_word_special(all);
}

/* Keeps targets that are not left out, and of updates that waited: targets with one. Words become slots. */
static uint32_t keep_candidates(const update_emission *at, uint32_t *words, uint32_t count)
{
    const phx_update_scratch *scratch = at->scratch;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = phx_row_word_slot(phx_row_word_at(words, i));
        words[n] = slot;
        n += !phx_update_scratch_has_bit(scratch->left_out, slot) &&
             (!at->waited || scratch->marks[slot].epoch == scratch->mark_epoch);
    }
    return n;
}

/* Adds due targets of the observer's list that are among these samples. false = no memory, noted. */
static bool add_due_targets(update_emission *at, phx_motion_columns columns, phx_span span)
{
    due_targets due, *of = &due;
    if (at->is_new) { /* no target came into another band */
        columns.was_x = columns.x;
        columns.was_y = columns.y;
        columns.was_z = columns.z;
    }
    uint32_t count = at->shard->kernels->find_due(&columns, span, &at->query, of->words, of->bands);
    if (any_special(of->words, count)) count = keep_seen(at, of, count);
    at->failed = at->ranks ? !add_candidates(at, of->words, keep_candidates(at, of->words, count))
                           : !phx_update_scratch_add(at->scratch, of->words, of->bands, count);
    return !at->failed;
}

/* The samples of some targets, side by side. */
typedef struct gathered_samples {
    float x[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], y[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    float z[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], was_x[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    float was_y[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], was_z[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    uint32_t hash[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD], age[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
    uint32_t slot[PHX_LIST_PIECE_MAX + PHX_KERNEL_PAD];
} gathered_samples;

static bool visit_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    enum { AHEAD = 8 };
    update_emission *at = user;
    const phx_motion_sample *all = at->shard->bands.samples;
    gathered_samples to;
    for (uint32_t i = 0; i < count; i++) {
        const phx_motion_sample *from = &all[targets[i]];
        if (i + AHEAD < count) __builtin_prefetch(&all[targets[i + AHEAD]]);
        to.x[i] = from->x, to.y[i] = from->y, to.z[i] = from->z;
        to.was_x[i] = from->ox, to.was_y[i] = from->oy, to.was_z[i] = from->oz;
        to.hash[i] = from->hash, to.age[i] = from->age, to.slot[i] = targets[i];
    }
    const phx_motion_columns columns = {to.x, to.y, to.z, to.was_x, to.was_y, to.was_z, to.hash, to.age, to.slot};
    return add_due_targets(at, columns, (phx_span){0, count});
}

static bool add_due_rows(update_emission *at, const phx_motion_columns *columns, phx_span span)
{
    for (phx_span piece = span; piece.first < span.end; piece.first = piece.end) {
        piece.end = span.end - piece.first < PHX_LIST_PIECE_MAX ? span.end : piece.first + PHX_LIST_PIECE_MAX;
        if (!add_due_targets(at, *columns, piece)) return false;
    }
    return true;
}

/* Where the list is derived: of the rows in view, without the list. */
static void add_rows_in_view(update_emission *at)
{
    const phx_shard *shard = at->shard;
    const phx_rect rect = phx_interest_rows_rect(shard, at->body, at->attr->view);
    const phx_motion_columns columns = phx_bands_columns(shard);
    phx_block_walk walk = phx_grid_walk(&shard->grid, at->attr->instance, rect);
    at->query.view = at->attr->view;
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        phx_span spans[PHX_BLOCK_SIDE] = {{0, 0}};
        const uint32_t count = phx_block_spans(block, rect, spans);
        for (uint32_t i = 0; i < count; i++)
            if (!add_due_rows(at, &columns, spans[i])) return;
    }
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
    for (uint32_t i = 0; i < most; i++)
        if (!add_target(at, scratch->candidates[i].slot)) return false;
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
    at->query = (phx_due_query){.x = own->x,
                                .y = own->y,
                                .z = own->z,
                                .was_x = own->ox,
                                .was_y = own->oy,
                                .was_z = own->oz,
                                .hash = own->hash,
                                .square = shard->rules->shape == PH_SHAPE_SQUARE,
                                .sphere = shard->rules->shape == PH_SHAPE_SPHERE,
                                .all = other_bands,
                                .band_count = at->class->band_count};
    for (uint32_t i = 0; i < at->class->band_count; i++) {
        const uint32_t every = at->class->bands[i].every;
        at->query.squares[i] = at->class->bands[i].radius * at->class->bands[i].radius;
        at->query.turn[i] = (uint32_t)(shard->tick % every);
        at->query.share[i] = phx_band_share(every);
        at->query.every[i] = every;
    }
}

/* Adds targets that entered, and targets of the list that are due or have waited. false = no memory. */
static bool add_targets(update_emission *at, uint32_t slot, const uint32_t *entered, uint32_t entered_count,
                        bool waited)
{
    phx_update_scratch *scratch = at->scratch;
    phx_update_scratch_leave_out(scratch, slot); /* its own row is in its view */
    for (uint32_t i = 0; i < entered_count && !at->failed; i++) {
        at->failed = !add_target(at, entered[i]);
        phx_update_scratch_leave_out(scratch, entered[i]);
    }
    if (!at->failed) add_listed(at, slot);
    if (!at->failed && waited) {
        at->waited = at->query.all = true;
        add_listed(at, slot);
    }
    phx_update_scratch_let_in(scratch, slot);
    for (uint32_t i = 0; i < entered_count; i++) phx_update_scratch_let_in(scratch, entered[i]);
    for (uint32_t i = 0; i < at->candidate_count; i++) phx_update_scratch_let_in(scratch, scratch->candidates[i].slot);
    return !at->failed;
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
    uint32_t waited = shard->bands.waiting > 0 ? shard->bands.deferred[slot].count : 0, targets = scratch->target_count;
    if (at.class->band_count == 0 && waited == 0) return true;
    bool emitted_all = phx_update_scratch_ready(scratch, shard->store.capacity); /* grown with the store, not later */
    if (emitted_all && at.class->band_count > 0) {
        if (waited > 0) mark_deferred(scratch, &shard->bands, slot);
        at.ranks = at.class->updates_max > 0 || waited > 0;
        open_observer(&at, slot);
        emitted_all = add_targets(&at, slot, entered, entered_count, waited > 0) && spend_update_budget(&at, &updates);
    }
    if (!emitted_all) { /* places of this group name targets that are gone: the group begins anew */
        scratch->due_count = updates.due_first;
        scratch->deferred_count = updates.deferred_first;
        scratch->target_count = targets;
        return false;
    }
    updates.due_count = scratch->due_count - updates.due_first;
    updates.rewaits = waited > 0 || updates.deferred_count > 0;
    if (updates.due_count > 0 || updates.rewaits) scratch->observers[scratch->observer_count++] = updates;
    return true;
}
