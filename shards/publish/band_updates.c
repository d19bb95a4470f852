/*
 * Due updates; see band_updates.h.
 */
#include "shards/publish/band_updates.h"

#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/query/seen.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

/* The observer whose updates are emitted. */
typedef struct update_emission {
    phx_update_scratch *scratch;
    const phx_shard *shard;
    const ph_class *class;
    const phx_body *body;
    phx_motion_sample own;
    bool known;       /* the observer was here at the last tick's end */
    bool other_bands; /* its class has other bands than at the last tick's end */
    bool marked;      /* a target of it entered, or has a deferred update */
    bool failed;      /* no memory */
    uint32_t candidate_count;
    float squares[PH_BANDS_MAX];                      /* of the bands' radii */
    uint32_t turn[PH_BANDS_MAX], share[PH_BANDS_MAX]; /* the tick modulo each period; see phx_band_multiple() */
} update_emission;

/* Samples of some targets, side by side: loops without a branch. */
typedef struct band_distances {
    float d2[PHX_LIST_PIECE_MAX], before[PHX_LIST_PIECE_MAX]; /* now, and at the last tick's end */
    uint32_t age[PHX_LIST_PIECE_MAX], phase[PHX_LIST_PIECE_MAX];
    uint32_t band[PHX_LIST_PIECE_MAX], band_before[PHX_LIST_PIECE_MAX];
} band_distances;

/* As phx_rank_d2(). */
static inline float square_distance(float dx, float dy, float dz, bool sphere)
{
    float d2 = dx * dx + dy * dy;
    return sphere ? d2 + dz * dz : d2;
}

static void measure_distances(const update_emission *at, const uint32_t *targets, uint32_t count, band_distances *of)
{
    enum { AHEAD = 8 };
    const phx_motion_sample *all = at->shard->bands.samples, own = at->own;
    bool sphere = at->shard->rules->shape == PH_SHAPE_SPHERE;
    for (uint32_t i = 0; i < count; i++) {
        const phx_motion_sample *t = &all[targets[i]];
        if (i + AHEAD < count) __builtin_prefetch(&all[targets[i + AHEAD]]);
        of->d2[i] = square_distance(t->x - own.x, t->y - own.y, t->z - own.z, sphere);
        of->before[i] = at->known ? square_distance(t->ox - own.ox, t->oy - own.oy, t->oz - own.oz, sphere) : of->d2[i];
        of->age[i] = t->age;
        of->phase[i] = (t->hash ^ own.hash) * 2654435769u >> 16;
    }
}

/*
 * Finds the first band with a square, or the last one: the number of other bands whose radius it exceeds, as radii
 * ascend.
 */
static void find_bands(const update_emission *at, uint32_t count, band_distances *of)
{
    for (uint32_t i = 0; i < count; i++) of->band[i] = of->band_before[i] = 0;
    for (uint32_t b = 0; b + 1 < at->class->band_count; b++) {
        float limit = at->squares[b];
        for (uint32_t i = 0; i < count; i++) {
            of->band[i] += of->d2[i] > limit;
            of->band_before[i] += of->before[i] > limit;
        }
    }
}

/* Finds targets that are due by the rule of ph_update, without budget; into due[], and the bands of all. */
static void find_due_targets(const update_emission *at, const uint32_t *targets, uint32_t count, bool *due,
                             uint8_t *band)
{
    band_distances of;
    measure_distances(at, targets, count, &of);
    find_bands(at, count, &of);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t b = of.band[i];
        const bool turns = phx_band_multiple(at->turn[b] + of.phase[i], at->share[b]);
        const bool moved = of.age[i] < at->class->bands[b].every;
        due[i] = (b != of.band_before[i]) | (moved & turns) | at->other_bands;
        band[i] = (uint8_t)b;
    }
}

/* A target with its band. */
static phx_update_target banded_target(const update_emission *at, uint32_t slot)
{
    const float d2 = phx_rank_d2(at->shard->rules, at->body, &at->shard->store.body[slot]);
    uint32_t band = 0;
    while (band + 1 < at->class->band_count && d2 > at->squares[band]) band++;
    return (phx_update_target){slot, band};
}

/* Adds the targets that entered. false = no memory. */
static bool add_entered_targets(const update_emission *at, const uint32_t *entered, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const phx_update_target target = banded_target(at, entered[i]);
        if (!phx_update_scratch_add(at->scratch, &target, 1)) return false;
    }
    return true;
}

/* The tick in which its update became due: this one, or an earlier one if it was deferred. */
static uint32_t due_since(const update_emission *at, uint32_t target)
{
    const phx_slot_mark *mark = &at->scratch->marks[target];
    return mark->epoch == at->scratch->mark_epoch + 1 ? mark->value : (uint32_t)at->shard->tick;
}

/* Adds due targets as candidates for the budget. */
static bool add_candidates(update_emission *at, const phx_update_target *targets, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (!phx_grow(scratch->mem, (void **)&scratch->candidates, &scratch->candidates_capacity, at->candidate_count,
                  (size_t)at->candidate_count + count, sizeof *scratch->candidates))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t waited = (uint32_t)at->shard->tick - due_since(at, targets[i].slot);
        scratch->candidates[at->candidate_count++] =
            (phx_ranked){.id = store->name[targets[i].slot].id,
                         .key = phx_rank_d2(at->shard->rules, at->body, &store->body[targets[i].slot]),
                         .first = (1 + waited) * (1u + phx_store_attr(store, targets[i].slot)->priority),
                         .slot = targets[i].slot};
    }
    return true;
}

static bool visit_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    update_emission *at = user;
    const phx_update_scratch *scratch = at->scratch;
    bool due[PHX_LIST_PIECE_MAX];
    uint8_t band[PHX_LIST_PIECE_MAX];
    phx_update_target due_targets[PHX_LIST_PIECE_MAX];
    uint32_t n = 0;
    find_due_targets(at, targets, count, due, band);
    for (uint32_t i = 0; at->marked && i < count;
         i++) { /* a target that entered has an update; a deferred one is due */
        uint32_t epoch = scratch->marks[targets[i]].epoch;
        due[i] = (due[i] | (epoch == scratch->mark_epoch + 1)) & (epoch != scratch->mark_epoch);
    }
    for (uint32_t i = 0; i < count; i++) {
        due_targets[n] = (phx_update_target){targets[i], band[i]};
        n += due[i];
    }
    at->failed = at->class->updates_max == 0 ? !phx_update_scratch_add(at->scratch, due_targets, n)
                                             : !add_candidates(at, due_targets, n);
    return !at->failed;
}

/* Emits the budget's share of the candidates, and defers the rest. false = no memory. */
static bool spend_update_budget(update_emission *at, phx_observer_updates *updates)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t count = at->candidate_count, most = at->class->updates_max;
    if (most < count) phx_rank_best(scratch->candidates, count, most);
    else most = count;
    for (uint32_t i = 0; i < most; i++) {
        const phx_update_target target = banded_target(at, scratch->candidates[i].slot);
        if (!phx_update_scratch_add(scratch, &target, 1)) return false;
    }
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

/* Marks targets that entered, and targets with deferred updates. false = no memory. */
static bool mark_entered_targets(phx_update_scratch *scratch, const phx_shard *shard, uint32_t slot,
                                 const uint32_t *entered, uint32_t count)
{
    if (!phx_update_scratch_ready(scratch, shard->store.slots)) return false;
    const phx_list *deferred = &shard->bands.deferred[slot];
    const uint32_t *words = phx_list_entries(&shard->bands.pool, deferred);
    for (uint32_t i = 0; i < deferred->count; i += 2)
        scratch->marks[words[i]] = (phx_slot_mark){scratch->mark_epoch + 1, words[i + 1]};
    for (uint32_t i = 0; i < count; i++) scratch->marks[entered[i]].epoch = scratch->mark_epoch;
    return true;
}

static void open_observer(update_emission *at, uint32_t slot)
{
    const phx_shard *shard = at->shard;
    const phx_motion_history *history = &shard->bands.histories[slot];
    at->body = &shard->store.body[slot];
    at->own = shard->bands.samples[slot];
    at->known = history->known;
    uint16_t kind = phx_store_attr(&shard->store, slot)->kind;
    at->other_bands = shard->rules->bands_changed || (history->known && history->kind != kind);
    for (uint32_t i = 0; i < at->class->band_count; i++) {
        uint32_t every = at->class->bands[i].every;
        at->squares[i] = at->class->bands[i].radius * at->class->bands[i].radius;
        at->turn[i] = (uint32_t)(shard->tick % every);
        at->share[i] = phx_band_share(every);
    }
}

bool phx_band_emit(phx_update_scratch *scratch, const phx_shard *shard, uint32_t slot, const uint32_t *entered,
                   uint32_t entered_count)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    update_emission at = {.scratch = scratch, .shard = shard, .class = &shard->rules->classes[attr->kind]};
    phx_observer_updates updates = {
        .slot = slot, .due_first = scratch->due_count, .deferred_first = scratch->deferred_count};
    uint32_t waited = shard->bands.deferred[slot].count, targets = scratch->target_count;
    bool emitted_all = true;
    if (at.class->band_count == 0 && waited == 0) return true;
    if (at.class->band_count == 0) entered_count = 0;
    at.marked = entered_count > 0 || waited > 0;
    if (!mark_entered_targets(scratch, shard, slot, entered, entered_count)) emitted_all = false;
    if (emitted_all && at.class->band_count > 0) {
        open_observer(&at, slot);
        at.failed = !add_entered_targets(&at, entered, entered_count);
        if (!at.failed) phx_shard_list_targets(shard, slot, visit_list_piece, &at);
        emitted_all = !at.failed && spend_update_budget(&at, &updates);
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

bool phx_bands_commit(phx_shard *shard, const phx_update_scratch *scratch, const phx_observer_updates *updates,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *deferred = updates[i].deferred_count > 0 ? scratch->deferred + updates[i].deferred_first : NULL;
        if (updates[i].rewaits &&
            !phx_bands_write_deferred(shard, updates[i].slot, deferred, updates[i].deferred_count))
            return false;
    }
    return true;
}
