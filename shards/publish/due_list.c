/*
 * The due targets of an observer's list; see due_list.h.
 */
#include "shards/publish/due_list.h"

#include <math.h>

#include "shards/publish/motion_samples.h"
#include "shards/query/far_list.h"
#include "shards/query/seen.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

static bool visit_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    phx_update_emission *at = user;
    const phx_bands *bands = &at->shard->bands;
    phx_gathered_samples to;
    uint32_t items[PHX_SAMPLES_ROOM];
    _Static_assert((int)PHX_LIST_PIECE_MAX <= (int)PHX_SAMPLES_MAX, "a piece of a list is gathered at once");
    at->scratch->listed_count += count;
    for (uint32_t i = 0; i < count; i++) items[i] = bands->items[targets[i]];
    at->shard->kernels->gather_samples(bands->samples, items, count, &to);
    for (uint32_t i = 0; at->query.sphere && i < count; i++) to.was_z[i] = phx_bands_old_z(at->shard, targets[i]);
    const phx_motion_columns columns = {to.x, to.y, to.z, to.was_x, to.was_y, to.was_z, to.hash, to.age, .item = items};
    return phx_due_targets_add(at, &columns, &(phx_span){0, count}, 1, count);
}

/*
 * Leaves out the rows of its relations' targets, which are in view now and then: so no due row is looked up among the
 * relations. Returns bits of the targets that were not left out before.
 */
static uint32_t leave_related_out(const phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const phx_bands *bands = &shard->bands;
    const float more = 1.00001f, least = 1e-18f; /* a squared distance may round, or underflow */
    const float view = at->attr->view * more + least;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < at->related->count; i++) {
        const uint32_t slot = at->related->slot[i];
        if (slot >= shard->store.slots || bands->items[slot] >= shard->grid.row_end) continue;
        const uint32_t item = bands->items[slot];
        const phx_motion_sample *to = &bands->samples[item];
        if (!(fabsf(to->x - at->query.x) <= view && fabsf(to->y - at->query.y) <= view)) continue;
        if (phx_row_slot(&shard->grid.rows, item) != slot || !phx_related_to(shard, at->related, slot)) continue;
        if (phx_update_scratch_leaves_out(at->scratch, item)) continue;
        phx_update_scratch_leave_out(at->scratch, item);
        bits |= 1u << i;
    }
    return bits;
}

static void let_related_in(const phx_update_emission *at, uint32_t bits)
{
    const uint32_t *items = at->shard->bands.items;
    for (uint32_t left = bits; left; left &= left - 1)
        phx_update_scratch_let_in(at->scratch, items[at->related->slot[__builtin_ctz(left)]]);
}

/* May far targets be in the list? *noted: the block's notes have all that may be. */
static bool any_far_near(const phx_update_emission *at, bool *noted)
{
    const phx_far_near *far = &at->scratch->far;
    if (at->shard->far.entry_count == 0) return false;
    *noted = phx_far_near_covers(far, at->shard, at->item);
    return !*noted || far->count > 0;
}

/* The rest of a derived list, that rows do not give; at once, if far targets near the block are noted. */
static void add_rest(phx_update_emission *at, phx_annulus annulus)
{
    const phx_shard *shard = at->shard;
    const phx_far_near *far = &at->scratch->far;
    uint32_t targets[PHX_LIST_PIECE_MAX], count = 0, next = 0;
    bool noted = false;
    const bool any_far = any_far_near(at, &noted);
    const uint32_t most = (any_far && noted ? far->count : 0) + (at->related ? at->related->count : 0) + annulus.count;
    if (most > PHX_LIST_PIECE_MAX || (any_far && !noted)) {
        at->scratch->searched_count += any_far;
        phx_rest_visit_list(shard, at->slot, visit_list_piece, at);
        return;
    }
    if (any_far) count = phx_far_near_list(far, at->slot, at->related, targets);
    while (phx_related_listed(at->related, &next, &targets[count])) count++;
    for (uint32_t i = 0; i < annulus.count; i++) targets[count++] = annulus.at[i];
    if (count > 0) visit_list_piece(at, targets, count);
}

/* The targets of a derived list. */
static void add_derived(phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const uint32_t flags = at->own->as_observer;
    const phx_annulus annulus = flags & PHX_SAMPLE_KEPT ? phx_annulus_of(shard, at->slot) : (phx_annulus){NULL, 0};
    at->related = flags & PHX_SAMPLE_RELATED ? phx_related_of(shard, at->slot) : NULL;
    at->rows_apart = at->related && phx_related_by_slot(shard, at->related);
    const uint32_t left_out = at->rows_apart ? leave_related_out(at) : 0;
    phx_due_targets_add_rows(at);
    let_related_in(at, left_out);
    at->query.view = at->query.level = INFINITY;
    if (!at->failed && (at->related || shard->far.entry_count > 0 || annulus.count > 0)) add_rest(at, annulus);
}

void phx_due_list_add(phx_update_emission *at)
{
    const phx_shard *shard = at->shard;
    const bool stored = (at->own->as_observer & PHX_SAMPLE_KEPT) && !shard->store.tail[at->slot].list.derived;
    if (shard->derives_lists && !stored) {
        add_derived(at);
        return;
    }
    at->query.view = at->query.level = INFINITY;
    phx_shard_list_targets(shard, at->slot, visit_list_piece, at);
}
