/*
 * Candidates of an evaluation; see candidates.h.
 */
#include "shards/interest/candidates.h"

#include "base/simd.h"
#include "shards/interest/rank_table.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

bool phx_candidates_room(phx_scratch *scratch, size_t count, bool keyed)
{
    const size_t padded = count + PHX_KERNEL_PAD;
    if (!phx_grow(scratch->mem, (void **)&scratch->ranks, &scratch->ranks_capacity, 0, padded, sizeof(uint16_t)))
        return false;
    if (!keyed) return true;
    return phx_grow(scratch->mem, (void **)&scratch->keys, &scratch->keys_capacity, 0, padded, sizeof(double)) &&
           phx_grow(scratch->mem, (void **)&scratch->was, &scratch->was_capacity, 0, padded, sizeof(uint8_t));
}

void phx_candidates_mark_old(phx_evaluation *at)
{
    const uint32_t *old = at->old, count = at->old_count;
    at->tag = phx_scratch_epoch(at->scratch);
    const uint32_t tag = at->tag | PHX_MARK_OLD; /* mark[] may alias the fields */
    uint32_t *mark = at->scratch->mark;
    for (uint32_t i = 0; i < count; i++) mark[old[i]] = tag;
}

/* A long stored list is seldom in a near cache; it comes while the scan runs. */
static void fetch_old(const phx_evaluation *at)
{
    enum { LINE = PHX_CACHE_LINE / sizeof(uint32_t) };
    for (uint32_t i = 0; i < at->old_count; i += LINE) __builtin_prefetch(at->old + i);
}

/* Finds the relations' targets, and marks them and the observer, as the scan does not decide them. */
static void mark_held(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t related = at->relations ? at->relations->count : 0;
    scratch->mark[at->slot] = at->tag | PHX_MARK_HELD;
    for (uint32_t i = 0; i < related; i++) {
        const uint32_t slot = phx_related_slot(at->shard, at->directory, &at->relations->items[i]);
        scratch->related[i] = slot;
        if (slot == PHX_SLOT_NONE) { /* not near: neither a pair nor a link pins it */
            PHX_ASSERT(!(at->relations->items[i].bits & PHX_RELATION_FAR));
            continue;
        }
        scratch->mark[slot] = at->tag | phx_evaluation_mark(at, slot) | PHX_MARK_HELD;
    }
}

/* ---- hits of the scan ---- */

/* Scans for targets by position alone; hits are words of rows. */
static void scan_around(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    phx_range_scan scan = {
        .hits = scratch->hits, .squares = scratch->squares, .tower_columns = &scratch->tower_columns};
    at->shard->storage->scan(at->shard, at->slot, at->radius, &scan);
    scratch->counts.ranges_visited += scan.visited;
    scratch->counts.pairs_tested += scan.pairs;
    at->count = scan.count;
}

/* Are the squares of a scan the distances that its rule compares? */
static bool squares_measure(const phx_rules *rules)
{
    return rules->range == PH_RANGE_RADIUS && (rules->shape == PH_SHAPE_CIRCLE || rules->shape == PH_SHAPE_CYLINDER);
}

/* Ranks the hits; targets that attributes keep out go. false = no memory. */
static bool rank_scanned(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    phx_rank_columns hits = {.slots = scratch->hits,
                             .squares = scratch->squares,
                             .ranks = scratch->ranks,
                             .count = at->count,
                             .plain = phx_sees_common(at->shard, at->attr) ? 1 : 0, /* priority 0 */
                             .mixed = at->shard->storage->mixes_instances,
                             .bounded = at->shard->bounded && squares_measure(at->shard->rules)};
    if (!phx_rank_hits(&scratch->rank_tables, scratch->mem, at->shard->kernels, &at->shard->store, at->attr, &hits))
        return false;
    at->count = hits.count;
    at->top = hits.top;
    at->near_top = hits.near_top;
    return true;
}

/* Drops a target that the scan does not decide, if it is a hit. */
static void drop_hit(phx_evaluation *at, uint32_t slot)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t place = at->shard->kernels->find_u32(scratch->hits, at->count, slot);
    if (place == at->count) return;
    const uint32_t last = --at->count;
    scratch->hits[place] = scratch->hits[last];
    scratch->squares[place] = scratch->squares[last];
    scratch->ranks[place] = scratch->ranks[last];
}

/* Is a target in view, but beyond its visible distance? Margin and reach may still let it in. */
static bool beyond_bound(const phx_evaluation *at, uint32_t slot)
{
    const phx_body *body = &at->shard->store.body[slot];
    if (!(body->state & PHX_SLOT_BOUNDED)) return false;
    const float visible = phx_store_attr(&at->shard->store, slot)->visible;
    return visible < at->attr->view && !phx_in_range(at->shard->rules, at->body, body, visible);
}

/* Does height count, which the scan leaves out? */
static bool height_counts(const phx_rules *rules)
{
    return rules->range == PH_RANGE_RADIUS && (rules->shape == PH_SHAPE_CYLINDER || rules->shape == PH_SHAPE_SPHERE);
}

/* Drops hits by height and by visible distances, and relations' targets. */
static void sift_each(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_rules *rules = at->shard->rules;
    const phx_body *body = at->shard->store.body;
    const bool heights = height_counts(rules), bounds = at->shard->bounded && !squares_measure(rules);
    uint32_t n = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        if (phx_evaluation_mark(at, slot) & PHX_MARK_HELD) continue;
        if (bounds && beyond_bound(at, slot)) continue;
        if (heights && !phx_in_range(rules, at->body, &body[slot], at->attr->view)) continue;
        scratch->hits[n] = slot;
        scratch->squares[n] = heights ? phx_rank_d2(rules, at->body, &body[slot]) : scratch->squares[i];
        scratch->ranks[n++] = scratch->ranks[i];
    }
    at->count = n;
}

/* Keeps the hits that pass. */
static void sift_scanned(phx_evaluation *at)
{
    enum {
        FEW = 16
    }; /* relations whose targets are sought one by one: a vector of 16 hits costs as much as one mark */
    const uint32_t related = at->relations ? at->relations->count : 0;
    const phx_rules *rules = at->shard->rules;
    if (related > FEW || (at->shard->bounded && !squares_measure(rules)) || height_counts(rules)) {
        sift_each(at);
        return;
    }
    drop_hit(at, at->slot);
    for (uint32_t i = 0; i < related; i++)
        if (at->scratch->related[i] != PHX_SLOT_NONE) drop_hit(at, at->scratch->related[i]);
}

/* Does the scan leave squares that are no distances, or none? In range = towers; elsewhere sift_each() measures. */
static bool squares_missing(const phx_shard *shard)
{
    const phx_rules *rules = shard->rules;
    return rules->range == PH_RANGE_TOWERS && (!shard->storage->searches_columns || rules->shape == PH_SHAPE_SPHERE);
}

/* Measures the squares of the hits. */
static void measure_squares(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_body *body = at->shard->store.body;
    for (uint32_t i = 0; i < at->count; i++)
        scratch->squares[i] = phx_rank_d2(at->shard->rules, at->body, &body[scratch->hits[i]]);
}

/* The keys of the hits, and which of them were in the old list. */
static void find_keys(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    if (squares_missing(at->shard)) measure_squares(at);
    const phx_key_rule by = {.mark = scratch->mark,
                             .listed = at->tag | PHX_MARK_OLD,
                             .listed_most = at->attr->cap > 0 ? INFINITY : PHX_KEY_SURE,
                             .sticky = at->shard->rules->sticky};
    at->listed =
        at->shard->kernels->cap_keys(&by, scratch->hits, scratch->squares, at->count, scratch->keys, scratch->was);
}

/* ---- candidates beside the scan ---- */

/* Did the scan decide about a live target without a relation? */
static bool scan_decided(const phx_evaluation *at, uint32_t slot)
{
    const phx_rules *rules = at->shard->rules;
    const phx_body *target = &at->shard->store.body[slot];
    const bool in_radius = phx_in_range(rules, at->body, target, at->radius);
    if (rules->range == PH_RANGE_RADIUS) return in_radius && !beyond_bound(at, slot);
    return phx_in_towers(rules, at->body, target) && (in_radius || at->radius >= at->attr->view);
}

/* Adds a candidate that is not from the scan, by the whole rule. */
static void consider_candidate(phx_evaluation *at, uint32_t slot, const phx_relation *relation)
{
    phx_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    const phx_rules *rules = at->shard->rules;
    const phx_body *body = &store->body[slot];
    const phx_attr *attr = phx_store_attr(store, slot);
    const uint32_t bits = phx_evaluation_mark(at, slot);
    const bool was = bits & PHX_MARK_OLD, linked = relation && (relation->bits & PHX_RELATION_LINK);
    if ((bits & PHX_MARK_NEW) || ((bits & PHX_MARK_HELD) && !relation)) return;
    if (!(body->state & PHX_SLOT_LIVE) || (!relation && scan_decided(at, slot))) return;
    if (!phx_rule_sees(rules, at->body, at->attr, body, attr, relation, was)) return;
    const uint32_t place = at->count++;
    scratch->mark[slot] = at->tag | bits | PHX_MARK_NEW;
    scratch->hits[place] = slot;
    at->listed += was;
    if (!at->keyed) return;
    scratch->ranks[place] = phx_rank_of_target(attr, linked);
    scratch->keys[place] = was && at->attr->cap == 0
                               ? PHX_KEY_SURE
                               : (double)phx_rank_d2(rules, at->body, body) * (was ? 1.0 : rules->sticky);
    scratch->was[place] = was;
}

static void consider_far_targets(phx_evaluation *at)
{
    const phx_far *far = &at->shard->far;
    const uint32_t instance = at->attr->instance;
    uint32_t first = 0, end = 0;
    if (far->global_count > 0) phx_far_globals(far, instance, &first, &end);
    for (uint32_t i = first; i < end; i++) consider_candidate(at, far->entries[i].slot, NULL);
    for (uint32_t level = 0; far->levels >> level; level++) {
        if (!(far->levels >> level & 1)) continue;
        for (int dy = -1; dy <= 1; dy++) {
            phx_far_row(far, instance, level, at->body->tx, at->body->ty, dy, &first, &end);
            for (uint32_t i = first; i < end; i++) consider_candidate(at, far->entries[i].slot, NULL);
        }
    }
}

/* Without keys: counts the hits that were in the old list, and marks them as found. */
static void note_listed(phx_evaluation *at)
{
    const uint32_t *hits = at->scratch->hits, listed = at->tag | PHX_MARK_OLD, count = at->scanned;
    uint32_t *mark = at->scratch->mark, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = hits[i], was = mark[slot] == listed;
        mark[slot] |= was ? PHX_MARK_NEW : 0;
        found += was;
    }
    at->listed += found;
}

/*
 * Listed targets within the margin. If the radius is a part of the view, none of them can be among the best, unless
 * their visible distance is shorter.
 */
static void consider_margin(phx_evaluation *at)
{
    if (at->attr->margin == 0.0f) return;
    if (!at->keyed) note_listed(at);
    if (at->listed == at->old_count) return;
    if (at->radius < at->attr->view && !at->shard->bounded) return;
    for (uint32_t i = 0; i < at->old_count; i++) consider_candidate(at, at->old[i], NULL);
}

static void consider_related(phx_evaluation *at)
{
    const uint32_t related = at->relations ? at->relations->count : 0;
    for (uint32_t i = 0; i < related; i++) {
        const uint32_t slot = at->scratch->related[i];
        if (slot != PHX_SLOT_NONE) consider_candidate(at, slot, &at->relations->items[i]);
    }
}

bool phx_candidates_find(phx_evaluation *at)
{
    fetch_old(at);
    scan_around(at);
    if (!rank_scanned(at)) return false;
    phx_candidates_mark_old(at);
    mark_held(at);
    sift_scanned(at);
    at->scanned = at->count;
    at->listed = 0;
    if (at->keyed) find_keys(at);
    consider_related(at);
    consider_margin(at);
    consider_far_targets(at);
    return true;
}
