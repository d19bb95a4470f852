/*
 * Events with discontinuous entities; see delta_discontinuous.h.
 */
#include "shards/interest/delta_discontinuous.h"

#include "base/simd.h"
#include "shards/interest/change_record.h"
#include "shards/interest/mark_set.h"
#include "shards/query/far_list.h"
#include "shards/query/prev_list.h"
#include "shards/state/annulus.h"
#include "shards/state/list_limit.h"
#include "shards/state/view_reach.h"

/* Is the word the enter of the same entity? */
static bool enters_with_slot(phx_target_word word, phx_target_word leave)
{
    return !phx_target_word_leaves(word) && phx_target_word_slot(word) == phx_target_word_slot(leave);
}

uint32_t phx_delta_keep_seen(uint32_t *words, phx_span *of)
{
    uint32_t kept = 0;
    for (uint32_t i = of->first, j; i < of->end; i++) {
        const phx_target_word word = phx_target_word_at(words, i);
        if (!phx_target_word_leaves(word) || !phx_target_word_special(word)) continue;
        for (j = of->first; j < of->end && !enters_with_slot(phx_target_word_at(words, j), word);) j++;
        if (j == of->end) continue;
        const uint32_t first = i < j ? i : j, second = i < j ? j : i;
        words[second] = words[--of->end];
        words[first] = words[--of->end];
        kept++;
        i = first - 1; /* the word that took this place is not compared yet, or is compared once more */
    }
    return kept;
}

bool phx_delta_keeps_listed(const phx_shard *shard, uint32_t slot, uint32_t target)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[target];
    if (!(body->state & PHX_SLOT_LIVE)) return false;
    return phx_rule_sees(shard->rules, &store->body[slot], phx_store_attr(store, slot), body,
                         phx_store_attr(store, target), phx_related_to(shard, phx_related_of(shard, slot), target),
                         true);
}

/* Loads the previous list of the observer into scratch->leave; *count entries. false = no memory. */
static bool load_prev_list(phx_scratch *scratch, const phx_shard *shard, uint32_t slot, uint32_t *count)
{
    enum { SLOTS_MAX = 1 << 14 }; /* slots of a shard: room for all costs less than finding out the number each time */
    *count = 0;
    if (!shard->store.tail[slot].list.derived) return true; /* it is new, or was no observer */
    size_t most = shard->store.slots;
    if (most > SLOTS_MAX) most = phx_prev_list_max(shard, slot);
    else if (most < scratch->rows_least) most = scratch->rows_least;
    if (!phx_grow(scratch->mem, (void **)&scratch->leave, &scratch->leave_capacity, 0, most + PHX_KERNEL_PAD,
                  sizeof(uint32_t)))
        return false;
    *count = phx_prev_list(shard, slot, scratch->leave, &scratch->counts.pairs_tested);
    return true;
}

/* Records the change of the slots in scratch->enter and ->leave. false = no memory, no event was emitted. */
static bool record_both(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters, uint32_t leaves,
                        bool apart)
{
    if (enters + leaves == 0) return true;
    const phx_observer_runs *runs = &scratch->runs;
    if (!phx_interest_reserve(scratch, enters + leaves, 0)) return false;
    if (apart && !phx_interest_reserve_changes(scratch, 1 + runs->count, enters + leaves + runs->first[runs->count]))
        return false;
    phx_interest_record(scratch, shard, slot, enters, leaves);
    return true;
}

phx_delta_result phx_delta_emit_both(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                     uint32_t leaves, bool apart)
{
    if (!phx_interest_differ(scratch, &shard->store, &enters, &leaves)) return PHX_DELTA_NO_MEMORY;
    if (!phx_limit_fits(shard, slot, enters, leaves)) return PHX_DELTA_EVALUATE;
    if (!record_both(scratch, shard, slot, enters, leaves, apart)) return PHX_DELTA_NO_MEMORY;
    phx_limit_follow(&shard->store.tail[slot].list, enters, leaves);
    return PHX_DELTA_DONE;
}

phx_delta_result phx_delta_emit_discontinuous(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                              bool apart)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    phx_list *list = &shard->store.tail[slot].list;
    phx_far_walk far = phx_far_walk_open(shard, slot);
    while (phx_far_walk_next(&far, &scratch->enter[enters])) enters++;
    const uint32_t targets = enters; /* the limit may be another one: the count begins anew */
    uint32_t leaves;
    PHX_ASSERT(phx_list_holds_no_memory(list));
    if (!phx_list_unlimited(attr) && targets > phx_limit_targets(attr)) return PHX_DELTA_EVALUATE;
    if (!load_prev_list(scratch, shard, slot, &leaves)) return PHX_DELTA_NO_MEMORY;
    if (!phx_interest_differ(scratch, &shard->store, &enters, &leaves)) return PHX_DELTA_NO_MEMORY;
    if (phx_limit_holds_back(shard, slot, enters)) return PHX_DELTA_EVALUATE;
    if (!record_both(scratch, shard, slot, enters, leaves, apart)) return PHX_DELTA_NO_MEMORY;
    list->derived = true;
    phx_annulus_clear(shard, slot); /* it had a margin, perhaps */
    list->count = phx_limit_count(attr, targets) & PHX_LIST_COUNT_MAX;
    PHX_VALIDATE(phx_shard_derives(shard, slot));
    return PHX_DELTA_DONE;
}
