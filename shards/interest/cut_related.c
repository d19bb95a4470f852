/*
 * Targets of relations at a cap; see cut_related.h.
 */
#include "shards/interest/cut_related.h"

#include "base/simd.h"

/* The rank with which a target is in the list; 0: the rule keeps it out. */
static uint16_t related_rank(const phx_cut_list *at, uint32_t slot, const phx_relation *relation, bool listed)
{
    const phx_shard *shard = at->shard;
    const phx_body *body = &shard->store.body[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (!(body->state & PHX_SLOT_LIVE)) return 0;
    if (!phx_rule_sees(shard->rules, &shard->store.body[at->slot], at->attr, body, attr, relation, listed)) return 0;
    return phx_rank_of_target(attr, relation->bits & PHX_RELATION_LINK);
}

/* The rank that a listed one had. Of a link that began or ended in this tick it is a guess, as `kept` may be. */
static uint16_t rank_before(const phx_cut_list *at, uint32_t slot, const phx_relation *relation)
{
    const phx_shard *shard = at->shard;
    return phx_rank_of_target(phx_prev_rows_attr_of(&shard->previous, &shard->store, slot),
                              relation->bits & PHX_RELATION_LINK);
}

static void add_candidate(phx_cut_list *at, uint32_t slot, bool listed)
{
    const phx_shard *shard = at->shard;
    const phx_scratch *scratch = at->scratch;
    const double square = (double)phx_rank_d2(shard->rules, &shard->store.body[at->slot], &shard->store.body[slot]);
    scratch->hits[at->count] = slot;
    scratch->keys[at->count] = square * (listed ? 1.0 : shard->rules->sticky);
    scratch->was[at->count++] = listed;
    at->listed += listed;
}

static void decide_related(phx_cut_list *at, uint32_t slot, const phx_relation *relation)
{
    const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list);
    const bool listed = at->shard->kernels->find_u32(entries, at->list->count, slot) < at->list->count;
    const uint16_t rank = related_rank(at, slot, relation, listed);
    at->kept += listed && rank_before(at, slot, relation) > at->cut.rank; /* one of a higher rank less, */
    at->kept -= rank > at->cut.rank && at->kept > 0;                      /* or more; a guess may be too low */
    if (rank == at->cut.rank) add_candidate(at, slot, listed);
    else if (listed && rank < at->cut.rank) at->scratch->leave[at->leaves++] = slot;
    else if (!listed && rank > at->cut.rank) at->scratch->enter[at->enters++] = slot;
}

void phx_cut_add_related(phx_cut_list *at)
{
    const uint32_t count = at->related->count;
    for (uint32_t i = 0; i < count; i++) {
        phx_relation *relation = &at->related->items[i];
        /* the target of an ended one may be gone: its slot is as it was */
        const uint32_t slot =
            relation->bits == 0 ? relation->slot : phx_related_slot(at->shard, at->scratch->directory, relation);
        if (slot != PHX_SLOT_NONE) decide_related(at, slot, relation); /* else hidden or revealed, and not near */
    }
}
