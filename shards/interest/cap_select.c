/*
 * The choice of targets at a cap; see cap_select.h.
 */
#include "shards/interest/cap_select.h"

#include "base/simd.h"
#include "shards/simd/top_k.h"

/*
 * An upper bound of squared distances of a scan if the view has no end, except for entities outside the world. Guesses
 * begin here.
 */
static double farthest_square(const phx_evaluation *at)
{
    const phx_rules *rules = at->shard->rules;
    double width = (double)rules->towers[0] * (double)rules->tower_size;
    double height = (double)rules->towers[1] * (double)rules->tower_size;
    return fmin((double)phx_evaluation_square(at), width * width + height * height);
}

static bool all_plain(const uint32_t *hits, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) any |= hits[i];
    return !phx_row_word_special((phx_row_word){any});
}

/* Listed targets that were not even candidates become leaves. Returns how many. */
static uint32_t leave_others(phx_evaluation *at, uint32_t count)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t *old = at->old, *hits = scratch->hits, listed = at->tag | PHX_MARK_OLD, tag = at->tag;
    uint32_t *mark = scratch->mark, *leave = scratch->leave, old_count = at->old_count, leaves = 0;
    for (uint32_t i = 0; i < count; i++) mark[hits[i]] = tag; /* or the same value, as before */
    for (uint32_t i = 0; i < old_count; i++) {
        leave[leaves] = old[i];
        leaves += mark[old[i]] == listed;
    }
    return leaves;
}

/* Are the best targets among the hits? A target beyond the radius is not scanned. */
static bool has_best(const phx_evaluation *at, uint32_t count)
{
    const double square = (double)(at->radius * at->radius), below = nextafter(square, 0.0);
    if (at->radius == at->attr->view) return true;
    return square > 0.0 && at->shard->kernels->count_within(at->scratch->keys, count, below) >= at->attr->cap;
}

/*
 * Splits plain hits at the cap: at->count of scratch->hits are the new list, and the events are found.
 * PHX_SCAN_CHECK_EACH: no limit splits them, as some are equally far off. In any case the order of the hits changes.
 */
static phx_scan_result split_plain_cap(phx_evaluation *at, uint32_t found, phx_cap_split *events)
{
    phx_scratch *scratch = at->scratch;
    const phx_kernels *kernels = at->shard->kernels;
    const double sticky = at->shard->rules->sticky;
    uint32_t own = kernels->find_u32(scratch->hits, found, at->slot), count = found - 1, others = 0,
             cap = at->attr->cap;
    double limit = farthest_square(at) * sticky;
    PHX_ASSERT(own < found && count > cap);
    scratch->hits[own] = scratch->hits[count];
    scratch->squares[own] = scratch->squares[count];
    scratch->hits[count] = at->slot;
    scratch->squares[count] = 0.0f;
    uint32_t was = kernels->cap_keys(scratch->mark, at->tag | PHX_MARK_OLD, scratch->hits, scratch->squares, count,
                                     sticky, scratch->keys, scratch->was);
    bool split = phx_rank_split(kernels, scratch->keys, count, cap, limit, &limit);
    bool within = split && limit < (double)(at->radius * at->radius);
    if (!within && !has_best(at, count)) return PHX_SCAN_TOO_SHORT;
    scratch->square_each = limit / cap; /* the nearest guess, if it was not found */
    if (!split) return PHX_SCAN_CHECK_EACH;
    if (was < at->old_count) others = leave_others(at, count);
    *events = kernels->split_at_limit(scratch->hits, scratch->keys, scratch->was, count, limit, scratch->enter,
                                      scratch->leave + others);
    events->leave += others;
    at->count = events->stay;
    at->cut = true;
    PHX_ASSERT(at->count == cap);
    return PHX_SCAN_DONE;
}

bool phx_scratch_ranks(phx_scratch *scratch, uint32_t count)
{
    size_t padded = (size_t)count + PHX_KERNEL_PAD;
    return phx_grow(scratch->mem, (void **)&scratch->ranked, &scratch->ranked_capacity, 0, count, sizeof(phx_ranked)) &&
           phx_grow(scratch->mem, (void **)&scratch->keys, &scratch->keys_capacity, 0, padded, sizeof(double)) &&
           phx_grow(scratch->mem, (void **)&scratch->was, &scratch->was_capacity, 0, padded, sizeof(uint8_t));
}

/* Cuts at the cap by distance alone, as all hits have the same rank. false: some are equally far off. */
static bool cut_by_distance(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_kernels *kernels = at->shard->kernels;
    uint32_t n = 0;
    const double sticky = at->shard->rules->sticky;
    double limit;
    kernels->cap_keys(scratch->mark, at->tag | PHX_MARK_OLD | PHX_MARK_NEW, scratch->hits, scratch->squares, at->count,
                      sticky, scratch->keys, scratch->was);
    if (!phx_rank_split(kernels, scratch->keys, at->count, at->attr->cap, farthest_square(at) * sticky, &limit))
        return false;
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t slot = scratch->hits[i], stays = scratch->keys[i] <= limit;
        scratch->mark[slot] &= ~(uint32_t)(stays ? 0 : PHX_MARK_NEW);
        scratch->hits[n] = slot;
        n += stays;
    }
    PHX_ASSERT(n == at->attr->cap);
    at->count = n;
    return true;
}

/* The rank of a candidate. */
static phx_ranked rank_candidate(const phx_evaluation *at, uint32_t slot)
{
    const phx_store *store = &at->shard->store;
    const phx_attr *attr = phx_store_attr(store, slot);
    uint64_t id = store->name[slot].id;
    const phx_relation *relation = at->relations ? phx_relation_find(at->relations, id) : NULL;
    bool always = attr->global || (relation && (relation->bits & PHX_RELATION_LINK));
    double d2 = phx_rank_d2(at->shard->rules, at->body, &store->body[slot]);
    return (phx_ranked){.id = id,
                        .key = phx_evaluation_mark(at, slot) & PHX_MARK_OLD ? d2 * 1.0 : d2 * at->shard->rules->sticky,
                        .slot = slot,
                        .first = (uint32_t)always << 8 | attr->priority};
}

bool phx_cap_cut_best(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t cap = at->attr->cap;
    at->cut = true;
    if (!phx_scratch_ranks(scratch, at->count)) return false;
    if (!at->ranks_differ && cut_by_distance(at)) return true;
    for (uint32_t i = 0; i < at->count; i++) scratch->ranked[i] = rank_candidate(at, scratch->hits[i]);
    phx_rank_best(scratch->ranked, at->count, cap);
    for (uint32_t i = 0; i < cap; i++) scratch->hits[i] = scratch->ranked[i].slot;
    for (uint32_t i = cap; i < at->count; i++) scratch->mark[scratch->ranked[i].slot] &= ~(uint32_t)PHX_MARK_NEW;
    at->count = cap;
    return true;
}

bool phx_cap_hold_adds(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t most = at->shard->rules->classes[at->attr->kind].adds_max, fresh = 0, n = 0;
    /* most = 0: the entity does not follow its changed class yet, for want of memory */
    if (most == 0 || at->count <= most) return true;
    if (!phx_scratch_ranks(scratch, at->count)) return false;
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t slot = scratch->hits[i];
        if (phx_evaluation_mark(at, slot) & PHX_MARK_OLD) scratch->hits[n++] = slot;
        else scratch->ranked[fresh++] = rank_candidate(at, slot);
    }
    if (fresh > most) {
        phx_rank_best(scratch->ranked, fresh, most);
        at->held = fresh - most;
    }
    for (uint32_t i = 0; i < fresh; i++) {
        uint32_t slot = scratch->ranked[i].slot;
        if (i < most) scratch->hits[n++] = slot;
        else scratch->mark[slot] &= ~(uint32_t)PHX_MARK_NEW;
    }
    at->count = n;
    return true;
}

void phx_cap_hold_restored(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t n = 0;
    if (!(at->body->state & PHX_SLOT_PARTIAL)) return;
    for (uint32_t i = 0; i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        if (phx_evaluation_mark(at, slot) & PHX_MARK_OLD) scratch->hits[n++] = slot;
        else scratch->mark[slot] &= ~(uint32_t)PHX_MARK_NEW;
    }
    /* a resent list may have lost targets in the margin that do not pass again: the next tick finds that none is left
     */
    at->held = at->count > n ? at->count - n : 1;
    at->count = n;
}

phx_scan_result phx_cap_select(phx_evaluation *at, uint32_t found, phx_cap_split *events)
{
    bool in_part = at->radius < at->attr->view; /* of a view in which all rows are plain */
    if (found <= at->attr->cap + 1) {
        if (in_part) return PHX_SCAN_TOO_SHORT;
        at->scratch->square_each = farthest_square(at) / (found + 1);
        return PHX_SCAN_CHECK_EACH;
    }
    if (!in_part && !all_plain(at->scratch->hits, found)) return PHX_SCAN_CHECK_EACH;
    if (!phx_scratch_ranks(at->scratch, found)) return PHX_SCAN_NO_MEMORY;
    return split_plain_cap(at, found, events);
}
