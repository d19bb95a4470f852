/*
 * The annulus in a delta; see delta_annulus.h.
 */
#include "shards/interest/delta_annulus.h"

#include <string.h>

#include "shards/interest/change_record.h"
#include "shards/query/row_query.h"

/* An observer, and its borders in the measure of distances. */
typedef struct border {
    const phx_shard *shard;
    const phx_body *body; /* in no order of memory, so it is seldom read */
    const phx_attr *attr;
    float x, y;        /* as the body has them */
    float z;           /* its height, if `tall` */
    float in, keep;    /* r and R, squared for circles */
    bool square, tall; /* tall: heights may decide */
} border;

static border borders_around(const phx_shard *shard, uint32_t row, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const float r = attr->view, far = r + attr->margin;
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    return (border){.shard = shard,
                    .body = &shard->store.body[slot],
                    .attr = attr,
                    .x = shard->grid.rows.x[row],
                    .y = shard->grid.rows.y[row],
                    .in = square ? r : r * r,
                    .keep = square ? far : far * far,
                    .z = shard->uneven ? shard->store.body[slot].z : 0.0f,
                    .square = square,
                    .tall = shard->uneven};
}

/*
 * Distances alone do not decide a target that died, jumped or changed in this tick, or has radii of its own. One that
 * attributes hide from others is decided by them: it was listed, or came by a word, and neither's attributes changed.
 */
enum { ODD = PHX_SLOT_DEAD | PHX_SLOT_DISCONTINUOUS | PHX_SLOT_BOUNDED | PHX_SLOT_FAR };

static inline float distance_of(const border *of, const phx_body *target)
{
    const float distance = phx_range_measure(target->x - of->x, target->y - of->y, of->square);
    return PHX_UNLIKELY(of->tall) ? phx_measure_level(of->shard->rules, distance, target->z - of->z) : distance;
}

/* Where a listed target is now. */
typedef enum place { PLACE_VIEW, PLACE_ANNULUS, PLACE_BEYOND } place;

static place place_by_rule(const border *of, uint32_t target)
{
    const phx_store *store = &of->shard->store;
    const phx_body *body = &store->body[target];
    const phx_attr *attr = phx_store_attr(store, target);
    if (!(body->state & PHX_SLOT_LIVE)) return PLACE_BEYOND;
    if (phx_rule_sees(of->shard->rules, of->body, of->attr, body, attr, NULL, false)) return PLACE_VIEW;
    return phx_rule_sees(of->shard->rules, of->body, of->attr, body, attr, NULL, true) ? PLACE_ANNULUS : PLACE_BEYOND;
}

static inline place place_of(const border *of, uint32_t target)
{
    const phx_body *body = &of->shard->store.body[target];
    if (PHX_UNLIKELY(body->state & ODD)) return place_by_rule(of, target);
    const float distance = distance_of(of, body);
    if (distance <= of->in) return PLACE_VIEW;
    return distance <= of->keep ? PLACE_ANNULUS : PLACE_BEYOND;
}

/* Does a distance keep an entry in the annulus? No branch: it would be mispredicted. */
static inline bool stays_within(const border *of, uint32_t target)
{
    const phx_body *body = &of->shard->store.body[target];
    const float distance = distance_of(of, body);
    return (distance > of->in) & (distance <= of->keep) & ((body->state & ODD) == 0);
}

/* The places of entries that distances do not keep in the annulus. Returns how many. */
static uint32_t find_odd(const border *of, const phx_annulus *annulus, uint32_t *places)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < annulus->count; i++) {
        places[n] = i;
        n += !stays_within(of, annulus->at[i]);
    }
    return n;
}

bool phx_delta_annulus_rests(phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot)
{
    const phx_annulus annulus = phx_annulus_of(shard, slot);
    bool all = true;
    if (annulus.count == 0) return true;
    const border of = borders_around(shard, row, slot);
    scratch->counts.pairs_tested += annulus.count;
    if (PHX_UNLIKELY(annulus.count > PHX_LIST_LEAST)) {
        for (uint32_t i = 0; i < annulus.count; i++) all &= stays_within(&of, annulus.at[i]);
        return all;
    }
    for (uint32_t i = 0; i < PHX_LIST_LEAST; i++) /* few, but how many is not foreseen */
        all &= stays_within(&of, annulus.at[i < annulus.count ? i : 0]);
    return all;
}

/* A target that came into view was listed: it does not enter. */
static void drop_enter(const phx_shard *shard, phx_delta_hits *hits, uint32_t target)
{
    const uint32_t at = shard->kernels->find_u32(hits->enter, hits->enter_count, target);
    PHX_ASSERT(at < hits->enter_count);
    hits->enter[at] = hits->enter[--hits->enter_count];
}

bool phx_delta_annulus_room(phx_scratch *scratch, const phx_shard *shard, uint32_t slot, size_t count)
{
    return phx_scratch_room(scratch, count + phx_annulus_of(shard, slot).count);
}

phx_annulus_change phx_delta_annulus_look(phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot,
                                          phx_delta_hits *hits)
{
    const border of = borders_around(shard, row, slot);
    const phx_annulus annulus = phx_annulus_of(shard, slot);
    uint32_t *ended = scratch->old, *fallen = scratch->hits, odd = find_odd(&of, &annulus, ended), leaves = 0;
    phx_annulus_change change = {0};
    for (uint32_t i = 0; i < hits->leave_count; i++) {
        const uint32_t target = hits->leave[i];
        const place is = place_of(&of, target);
        if (PHX_UNLIKELY(is == PLACE_VIEW)) drop_enter(shard, hits, target); /* it jumped, and is in view still */
        hits->leave[leaves] = fallen[change.fallen_count] = target;
        leaves += is == PLACE_BEYOND;
        change.fallen_count += is == PLACE_ANNULUS;
    }
    PHX_ASSERT(odd <= annulus.count);
    for (uint32_t i = 0; i < odd; i++) {
        const uint32_t at = ended[i], target = annulus.at[at];
        const place is = place_of(&of, target);
        if (is == PLACE_VIEW) drop_enter(shard, hits, target);
        hits->leave[leaves] = target;
        leaves += is == PLACE_BEYOND;
        ended[change.ended_count] = at;
        change.ended_count += is != PLACE_ANNULUS;
    }
    hits->leave_count = leaves;
    scratch->counts.pairs_tested += annulus.count;
    change.any = change.ended_count + change.fallen_count > 0;
    return change;
}

void phx_delta_annulus_take_ended(const phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot,
                                  const phx_relation_set *related, phx_annulus_change *change)
{
    const border of = borders_around(shard, row, slot);
    for (uint32_t i = 0; i < related->count; i++) {
        const phx_relation *relation = &related->items[i];
        if (relation->bits != 0 || !relation->lists || place_by_rule(&of, relation->slot) == PLACE_VIEW) continue;
        scratch->hits[change->fallen_count++] = relation->slot;
        change->any = true;
    }
}

uint32_t phx_delta_annulus_count(const phx_shard *shard, uint32_t slot, const phx_annulus_change *change)
{
    return phx_annulus_of(shard, slot).count - change->ended_count + change->fallen_count;
}

/* Fills the holes of entries that ended from behind, or with what fell into the annulus. Returns the new count. */
static uint32_t fill_holes(uint32_t *entries, uint32_t count, const uint32_t *ended, uint32_t ended_count,
                           const uint32_t *fallen, uint32_t *fallen_count)
{
    while (ended_count > 0) { /* the last hole first: entries behind it are whole */
        const uint32_t hole = ended[--ended_count];
        entries[hole] = *fallen_count > 0 ? fallen[--*fallen_count] : entries[--count];
    }
    return count;
}

void phx_delta_annulus_write(phx_scratch *scratch, phx_shard *shard, uint32_t slot, const phx_annulus_change *annulus,
                             phx_change *change)
{
    const phx_annulus old = phx_annulus_of(shard, slot);
    const uint32_t total = phx_delta_annulus_count(shard, slot, annulus);
    uint32_t left = annulus->fallen_count;
    if (!annulus->any) return;
    PHX_ASSERT(annulus->ended_count <= old.count);
    const uint32_t count = fill_holes(old.at, old.count, scratch->old, annulus->ended_count, scratch->hits, &left);
    PHX_ASSERT(count + left == total);
    uint32_t *to = phx_interest_annulus(scratch, shard, slot, change, total);
    PHX_ASSERT(to != NULL || left == 0);
    if (to != old.at && count > 0) memcpy(to, old.at, count * sizeof *to);
    if (left > 0) memcpy(to + count, scratch->hits, left * sizeof *to);
}
