/*
 * Due updates; see band_updates.h.
 */
#include "shards/publish/band_updates.h"

#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/query/seen.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

void phx_update_scratch_free(phx_update_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_release(mem, (void **)&scratch->marks, &scratch->marks_capacity, sizeof *scratch->marks);
    phx_release(mem, (void **)&scratch->places, &scratch->places_capacity, sizeof *scratch->places);
    phx_release(mem, (void **)&scratch->candidates, &scratch->candidates_capacity, sizeof *scratch->candidates);
    phx_release(mem, (void **)&scratch->observers, &scratch->observers_capacity, sizeof *scratch->observers);
    phx_release(mem, (void **)&scratch->due, &scratch->due_capacity, sizeof *scratch->due);
    phx_release(mem, (void **)&scratch->targets, &scratch->targets_capacity, sizeof *scratch->targets);
    phx_release(mem, (void **)&scratch->deferred, &scratch->deferred_capacity, sizeof *scratch->deferred);
}

void phx_update_scratch_reset(phx_update_scratch *scratch)
{
    scratch->observer_count = scratch->due_count = scratch->target_count = scratch->deferred_count = 0;
}

/* The next epoch; when epochs wrap around after 2^32, all marks are cleared. */
static uint32_t advance_mark_epoch(uint32_t epoch, phx_slot_mark *marks, uint32_t capacity)
{
    if (epoch < UINT32_MAX - 3) return epoch + 2;
    if (capacity > 0) memset(marks, 0, capacity * sizeof *marks);
    return 2;
}

void phx_update_scratch_group(phx_update_scratch *scratch)
{
    scratch->place_epoch = advance_mark_epoch(scratch->place_epoch, scratch->places, scratch->places_capacity);
    scratch->group_first = scratch->target_count;
}

/* Room for marks of every slot. */
static bool ready_marks(phx_update_scratch *scratch, phx_slot_mark **marks, uint32_t *capacity, uint32_t slots)
{
    uint32_t had = *capacity;
    if (!phx_grow(scratch->mem, (void **)marks, capacity, had, slots, sizeof **marks)) return false;
    if (*capacity > had) memset(*marks + had, 0, (*capacity - had) * sizeof **marks);
    return true;
}

/* The observer whose updates are emitted. */
typedef struct update_emission {
    phx_update_scratch *scratch;
    const phx_shard *shard;
    const ph_class *class;
    const phx_body *body;
    phx_motion_sample own;
    uint32_t window;  /* a target with an older move is not due */
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

/* Finds targets that are due by the rule of ph_update, without budget; into due[]. */
static void find_due_targets(const update_emission *at, const uint32_t *targets, uint32_t count, bool *due)
{
    band_distances of;
    measure_distances(at, targets, count, &of);
    find_bands(at, count, &of);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t band = of.band[i], before = at->class->bands[of.band_before[i]].every;
        bool turns = phx_band_multiple(at->turn[band] + of.phase[i], at->share[band]);
        bool banded = (of.age[i] < before) & ((at->class->bands[band].every != before) | turns);
        due[i] = (of.age[i] < at->window) & (at->other_bands | banded);
    }
}

/* Adds the targets to the observer's updates. false = no memory. */
static bool add_due_targets(phx_update_scratch *scratch, const uint32_t *targets, uint32_t count)
{
    if (!phx_grow(scratch->mem, (void **)&scratch->due, &scratch->due_capacity, scratch->due_count,
                  (size_t)scratch->due_count + count, sizeof *scratch->due) ||
        !phx_grow(scratch->mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count,
                  (size_t)scratch->target_count + count, sizeof *scratch->targets))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        phx_slot_mark *place = &scratch->places[targets[i]];
        if (place->epoch != scratch->place_epoch) {
            *place = (phx_slot_mark){scratch->place_epoch, scratch->target_count - scratch->group_first};
            scratch->targets[scratch->target_count++] = targets[i];
        }
        scratch->due[scratch->due_count++] = place->value;
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
static bool add_candidates(update_emission *at, const uint32_t *targets, uint32_t count)
{
    phx_update_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    if (!phx_grow(scratch->mem, (void **)&scratch->candidates, &scratch->candidates_capacity, at->candidate_count,
                  (size_t)at->candidate_count + count, sizeof *scratch->candidates))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t waited = (uint32_t)at->shard->tick - due_since(at, targets[i]);
        scratch->candidates[at->candidate_count++] =
            (phx_ranked){.id = store->name[targets[i]].id,
                         .key = phx_rank_d2(at->shard->rules, at->body, &store->body[targets[i]]),
                         .first = (1 + waited) * (1u + phx_store_attr(store, targets[i])->priority),
                         .slot = targets[i]};
    }
    return true;
}

static bool visit_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    update_emission *at = user;
    const phx_update_scratch *scratch = at->scratch;
    bool due[PHX_LIST_PIECE_MAX];
    uint32_t slots[PHX_LIST_PIECE_MAX], n = 0;
    find_due_targets(at, targets, count, due);
    for (uint32_t i = 0; at->marked && i < count;
         i++) { /* a target that entered has an update; a deferred one is due */
        uint32_t epoch = scratch->marks[targets[i]].epoch;
        due[i] = (due[i] | (epoch == scratch->mark_epoch + 1)) & (epoch != scratch->mark_epoch);
    }
    for (uint32_t i = 0; i < count; i++) {
        slots[n] = targets[i];
        n += due[i];
    }
    at->failed = at->class->updates_max == 0 ? !add_due_targets(at->scratch, slots, n) : !add_candidates(at, slots, n);
    return !at->failed;
}

/* Emits the budget's share of the candidates, and defers the rest. false = no memory. */
static bool spend_update_budget(update_emission *at, phx_observer_updates *updates)
{
    phx_update_scratch *scratch = at->scratch;
    uint32_t count = at->candidate_count, most = at->class->updates_max;
    if (most < count) phx_rank_best(scratch->candidates, count, most);
    else most = count;
    for (uint32_t i = 0; i < most; i++)
        if (!add_due_targets(scratch, &scratch->candidates[i].slot, 1)) return false;
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
    uint32_t slots = shard->store.slots;
    if (!ready_marks(scratch, &scratch->marks, &scratch->marks_capacity, slots) ||
        !ready_marks(scratch, &scratch->places, &scratch->places_capacity, slots) ||
        !phx_grow(scratch->mem, (void **)&scratch->observers, &scratch->observers_capacity, scratch->observer_count,
                  (size_t)scratch->observer_count + 1, sizeof *scratch->observers))
        return false;
    scratch->mark_epoch = advance_mark_epoch(scratch->mark_epoch, scratch->marks, scratch->marks_capacity);
    const phx_list *deferred = &shard->bands.deferred[slot];
    const uint32_t *words = phx_list_entries(&shard->bands.pool, deferred);
    for (uint32_t i = 0; i < deferred->count; i += 2)
        scratch->marks[words[i]] = (phx_slot_mark){scratch->mark_epoch + 1, words[i + 1]};
    for (uint32_t i = 0; i < count; i++) scratch->marks[entered[i]].epoch = scratch->mark_epoch;
    return add_due_targets(scratch, entered, count);
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
        if (every > at->window) at->window = every;
    }
    if (at->other_bands) at->window = PH_BAND_EVERY_MAX;
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
        phx_shard_list_targets(shard, slot, visit_list_piece, &at);
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
