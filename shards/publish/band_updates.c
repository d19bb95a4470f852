/*
 * Due updates; see band_updates.h.
 */
#include "shards/publish/band_updates.h"

#include "shards/publish/due_list.h"
#include "shards/publish/motion_samples.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

/* Emits the budget's share of the candidates, and defers the rest. false = no memory. */
static bool spend_update_budget(phx_update_emission *at, phx_observer_updates *updates)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t count = at->candidate_count, most = at->class->updates_max;
    if (most != 0 && most < count) phx_rank_best(scratch->candidates, count, most);
    else most = count;
    uint32_t *keys = phx_update_scratch_room(scratch, most);
    if (!keys) return false;
    for (uint32_t i = 0; i < most; i++) keys[i] = phx_due_key_of(at, scratch->candidates[i].slot);
    scratch->due_count += most;
    if (!phx_grow(scratch->mem, (void **)&scratch->deferred, &scratch->deferred_capacity, scratch->deferred_count,
                  (size_t)scratch->deferred_count + 2 * (size_t)(count - most), sizeof *scratch->deferred))
        return false;
    for (uint32_t i = most; i < count; i++) {
        uint32_t slot = scratch->candidates[i].slot;
        scratch->deferred[scratch->deferred_count++] = slot;
        scratch->deferred[scratch->deferred_count++] = phx_due_since(at, slot);
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

static void open_observer(phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const phx_motion_sample *own = at->own;
    at->query = shard->bands.queries[at->attr->kind];
    at->query.x = own->x;
    at->query.y = own->y;
    at->query.z = own->z;
    at->query.was_x = own->ox;
    at->query.was_y = own->oy;
    at->query.was_z = phx_shard_bands_tall(shard) ? phx_bands_old_z(shard, at->slot) : 0;
    at->query.hash = own->hash;
    at->query.all = shard->rules->bands_changed || (own->as_observer & PHX_SAMPLE_NEW_BANDS);
    at->query.band_bits = at->scratch->band_bits;
}

/* Field by field, without the query, which open_observer() fills: to clear it costs as much as a vector of rows. */
static void begin_emission(phx_update_emission *at, phx_update_scratch *scratch, const phx_shard *shard,
                           phx_band_observer observer)
{
    PHX_ASSERT(shard->bands.items[observer.slot] == observer.item);
    at->scratch = scratch;
    at->shard = shard;
    at->slot = observer.slot;
    at->item = observer.item;
    at->own = &shard->bands.samples[observer.item];
    at->attr = &shard->store.sets.attr[at->own->set];
    at->class = &shard->rules->classes[at->attr->kind];
    at->related = NULL;
    at->is_new = at->own->as_observer & PHX_SAMPLE_NEW;
    at->ranks = at->waited = at->rows_apart = at->failed = at->special = false;
    at->found_entered = at->entered_count = at->candidate_count = 0;
}

/* Adds targets that entered the list; they are left out from then on. false = no memory. */
static bool add_entered(phx_update_emission *at, const uint32_t *entered, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t *keys = phx_update_scratch_room(scratch, count);
    if (!keys) return false;
    for (uint32_t i = 0; i < count; i++) __builtin_prefetch(&at->shard->bands.items[entered[i]]);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = phx_due_key_of(at, entered[i]);
        phx_update_scratch_leave_out(scratch, phx_due_key_item(scratch, keys[i]));
    }
    scratch->due_count += count;
    at->entered_count = count;
    return true;
}

/* Nothing is left out any more. */
static void let_all_in(const phx_update_emission *at, const uint32_t *entered, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const uint32_t *items = at->shard->bands.items;
    phx_update_scratch_let_in(scratch, at->item);
    for (uint32_t i = 0; i < count; i++) phx_update_scratch_let_in(scratch, items[entered[i]]);
    for (uint32_t i = 0; i < at->candidate_count; i++)
        phx_update_scratch_let_in(scratch, items[scratch->candidates[i].slot]);
}

/* Adds targets that entered, and targets of the list that are due or have waited. false = no memory. */
static bool add_targets(phx_update_emission *at, const uint32_t *entered, uint32_t entered_count, bool waited)
{
    phx_update_scratch_leave_out(at->scratch, at->item); /* its own row is in its view */
    at->failed = entered_count > 0 && !add_entered(at, entered, entered_count);
    if (!at->failed) phx_due_list_add(at);
    if (!at->failed && waited) {
        at->waited = at->query.all = true;
        phx_due_list_add(at);
    }
    let_all_in(at, entered, entered_count);
    return !at->failed;
}

void phx_band_open_block(phx_update_scratch *scratch, const phx_shard *shard, uint32_t block)
{
    if (!shard->derives_lists) return; /* it has no blocks */
    (void)phx_motion_tile_open(&scratch->tile, scratch->mem, shard, block);
    phx_far_near_open(&scratch->far, shard, &shard->grid.blocks[block]);
}

/* Does its sample say so of the observer? */
static bool is_of(const phx_shard *shard, phx_band_observer observer, uint32_t flag)
{
    return shard->bands.samples[observer.item].as_observer & flag;
}

void phx_band_prefetch_tail(const phx_shard *shard, phx_band_observer observer)
{
    const uint32_t slot = observer.slot;
    if (shard->far.entry_count > 0) __builtin_prefetch(&shard->store.body[slot]); /* the far part is by its tower */
    if (!is_of(shard, observer, PHX_SAMPLE_RELATED | PHX_SAMPLE_KEPT)) return;
    __builtin_prefetch(&shard->store.tail[slot]);
    if (slot < shard->annuli_capacity) __builtin_prefetch(&shard->annuli[slot]);
    if (slot < shard->relations.places) __builtin_prefetch(&shard->relations.place[slot]);
}

/* What is kept of the observer's list, without a look if that is nothing. */
static phx_annulus kept_of(const phx_shard *shard, phx_band_observer observer)
{
    if (!is_of(shard, observer, PHX_SAMPLE_KEPT)) return (phx_annulus){NULL, 0};
    return phx_list_kept(shard, observer.slot);
}

/* Its relations, if they are read; likewise. */
static const phx_relation_set *relations_of(const phx_shard *shard, phx_band_observer observer)
{
    if (!is_of(shard, observer, PHX_SAMPLE_RELATED)) return NULL;
    return shard->store.tail[observer.slot].list.derived ? phx_related_of(shard, observer.slot) : NULL;
}

void phx_band_prefetch_way(const phx_shard *shard, phx_band_observer observer)
{
    enum { LINES = 2 };
    const phx_annulus kept = kept_of(shard, observer);
    const uint32_t line = PHX_CACHE_LINE / sizeof *kept.at;
    for (uint32_t i = 0; i < LINES && i * line < kept.count; i++) __builtin_prefetch(kept.at + i * line);
    const phx_relation_set *related = relations_of(shard, observer);
    if (related) __builtin_prefetch(related);
}

void phx_band_prefetch(const phx_shard *shard, phx_band_observer observer)
{
    enum { TARGETS = 16 };
    const phx_annulus kept = kept_of(shard, observer);
    const phx_relation_set *related = relations_of(shard, observer);
    for (uint32_t i = 0; i < TARGETS && i < kept.count; i++) __builtin_prefetch(&shard->bands.items[kept.at[i]]);
    for (uint32_t i = 0; related && i < related->count && i < PHX_RELATION_SLOTS; i++)
        if (related->slot[i] < shard->bands.items_capacity) __builtin_prefetch(&shard->bands.items[related->slot[i]]);
}

/* Prefetches a target's sample; a slot that a relation still has may be free, and then has no item. */
PHX_PREFETCH_INLINE void await_sample(const phx_bands *bands, uint32_t slot)
{
    if (slot >= bands->items_capacity) return;
    const uint32_t item = bands->items[slot];
    if (item < bands->samples_capacity) __builtin_prefetch(&bands->samples[item]);
}

void phx_band_prefetch_targets(const phx_shard *shard, phx_band_observer observer)
{
    enum { TARGETS = 16 };
    const phx_annulus kept = kept_of(shard, observer);
    const phx_relation_set *related = relations_of(shard, observer);
    for (uint32_t i = 0; i < TARGETS && i < kept.count; i++) await_sample(&shard->bands, kept.at[i]);
    for (uint32_t i = 0; related && i < related->count && i < PHX_RELATION_SLOTS; i++)
        await_sample(&shard->bands, related->slot[i]);
}

/* Are rows of its relations' targets left out? Else each one in view might have entered. */
static bool rows_give_related(const phx_update_emission *at)
{
    if (!(at->own->as_observer & PHX_SAMPLE_RELATED)) return true;
    const phx_relation_set *related = phx_related_of(at->shard, at->slot);
    return !related || phx_related_by_slot(at->shard, related);
}

/*
 * May positions alone tell what entered an observer's list, beside targets of relations and far ones? If as many came
 * into view as entered, none of these did.
 */
static bool tells_by_position(const phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const uint32_t others = at->own->as_observer & ~(uint32_t)PHX_SAMPLE_RELATED;
    return shard->derives_lists && others == 0 && at->attr->margin == 0.0f && at->scratch->by_change == 0 &&
           !phx_row_discontinuous(&shard->grid.rows, at->item) && shard->bands.waiting == 0 &&
           at->class->updates_max == 0 && !shard->rules->bands_changed && rows_give_related(at);
}

/* Appends a row for the observer if it has due keys. */
static void add_observer(phx_update_scratch *scratch, const phx_observer_updates *updates)
{
    if (updates->due_count > 0 || updates->rewaits) scratch->observers[scratch->observer_count++] = *updates;
}

bool phx_band_emit_in_view(phx_update_scratch *scratch, const phx_shard *shard, phx_band_observer observer,
                           uint32_t enters, bool *failed)
{
    enum { BY_CHANGE = 15 }; /* neighbours mostly meet the same targets, of which positions do not decide */
    phx_update_emission at;
    begin_emission(&at, scratch, shard, observer);
    const uint32_t first = scratch->due_count;
    *failed = false;
    if (at.class->band_count == 0) return false;
    if (!tells_by_position(&at)) {
        if (scratch->by_change > 0) scratch->by_change--;
        return false;
    }
    *failed = !phx_update_scratch_ready(scratch, shard->store.capacity, phx_bands_items(shard));
    if (*failed) return false;
    open_observer(&at);
    at.query.enters = true;
    *failed = !add_targets(&at, NULL, 0, false);
    const bool told = !*failed && !at.special && at.found_entered == enters;
    if (!told && !*failed) scratch->by_change = BY_CHANGE;
    if (!told) {
        scratch->due_count = first;
        return false;
    }
    add_observer(scratch, &(phx_observer_updates){.slot = observer.slot,
                                                  .due_first = first,
                                                  .due_count = scratch->due_count - first,
                                                  .deferred_first = scratch->deferred_count});
    return true;
}

bool phx_band_emit(phx_update_scratch *scratch, const phx_shard *shard, phx_band_observer observer,
                   const uint32_t *entered, uint32_t entered_count)
{
    const uint32_t slot = observer.slot;
    phx_update_emission at;
    begin_emission(&at, scratch, shard, observer);
    phx_observer_updates updates = {
        .slot = slot, .due_first = scratch->due_count, .deferred_first = scratch->deferred_count};
    const uint32_t waited = shard->bands.waiting > 0 ? shard->bands.deferred[slot].count : 0;
    if (at.class->band_count == 0 && waited == 0) return true;
    bool emitted_all = phx_update_scratch_ready(scratch, shard->store.capacity,
                                                phx_bands_items(shard)); /* grown with the store, not later */
    if (emitted_all && at.class->band_count > 0) {
        if (waited > 0) mark_deferred(scratch, &shard->bands, slot);
        at.ranks = at.class->updates_max > 0 || waited > 0;
        open_observer(&at);
        emitted_all = add_targets(&at, entered, entered_count, waited > 0) && spend_update_budget(&at, &updates);
    }
    if (!emitted_all) {
        scratch->due_count = updates.due_first;
        scratch->deferred_count = updates.deferred_first;
        return false;
    }
    updates.due_count = scratch->due_count - updates.due_first;
    updates.rewaits = waited > 0 || updates.deferred_count > 0;
    add_observer(scratch, &updates);
    return true;
}
