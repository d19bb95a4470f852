/*
 * Cutting changes down to their best enters; see spread_change.h.
 */
#include "shards/interest/spread_change.h"

#include <string.h>

#include "shards/interest/best_candidates.h"
#include "shards/interest/cap_select.h"
#include "shards/interest/change_record.h"
#include "shards/interest/mark_set.h"
#include "shards/query/seen.h"
#include "shards/simd/top_k.h"
#include "shards/state/annulus.h"
#include "shards/state/list_cut.h"

/* A change that is cut down. */
typedef struct cut {
    phx_scratch *scratch;
    phx_shard *shard;
    phx_change *change;
    uint32_t most;
    uint32_t tag;      /* tag of held targets: scratch->mark */
    uint32_t *entries; /* of the list that is written; NULL = entries are only counted */
    uint32_t count;
    bool in_place; /* the list was stored before, and has room */
} cut;

/* Marks the enters that are held. */
static void mark_waiting(cut *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_relation_set *relations = phx_relations_of(&at->shard->relations, at->change->slot);
    uint32_t buffer[PHX_ORDER_SHORT_MAX];
    const uint32_t count = at->change->enter_count, *entered = phx_interest_entered(scratch, at->change, buffer);
    for (uint32_t i = 0; i < count; i++)
        scratch->ranked[i] = phx_rank_enter(at->shard, at->change->slot, relations, entered[i]);
    phx_rank_best(scratch->ranked, count, at->most);
    for (uint32_t i = at->most; i < count; i++) scratch->mark[scratch->ranked[i].slot] = at->tag;
}

static bool target_held(const cut *at, uint32_t target)
{
    return at->scratch->mark[target] == at->tag;
}

/* Appends the change's targets without held ones: several changes may share the old targets. */
static void copy_targets(const cut *at)
{
    phx_scratch *scratch = at->scratch;
    phx_change *change = at->change;
    const uint32_t *from = scratch->targets + change->target_first;
    uint32_t *to = scratch->targets + scratch->target_count, n = 0;
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const phx_target_word word = phx_target_word_at(from, i);
        const bool leaves = change->ordered ? i < change->leave_count : phx_target_word_leaves(word);
        to[n] = from[i];
        n += leaves || !target_held(at, phx_target_word_slot(word));
    }
    PHX_ASSERT(n == change->leave_count + at->most);
    change->target_first = scratch->target_count;
    scratch->target_count += n;
}

/* Removes held targets from a list's entries. Returns how many are left. */
static uint32_t drop_held_targets(const cut *at, uint32_t *entries, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        entries[n] = entries[i];
        n += !target_held(at, entries[i]);
    }
    return n;
}

static bool collect_list(void *user, const uint32_t *targets, uint32_t count)
{
    cut *at = user;
    for (uint32_t i = 0; i < count; i++) {
        if (target_held(at, targets[i])) continue;
        if (at->entries) at->entries[at->count] = targets[i];
        at->count++;
    }
    return true;
}

/* Collects a derived list, with an annulus that waits for the commit. */
static void collect_derived(cut *at, uint32_t waiting)
{
    phx_shard_list_targets(at->shard, at->change->slot, collect_list, at);
    if (waiting == PHX_SLOT_NONE) return;
    const uint32_t *words = at->scratch->overflow + waiting;
    (void)collect_list(at, words + 1, words[0]);
}

/* Stores a derived list. */
static void store_list(cut *at)
{
    phx_list *list = &at->shard->store.tail[at->change->slot].list;
    const uint32_t waiting = at->change->list_first;
    at->change->list_first = PHX_SLOT_NONE;
    at->entries = at->in_place ? phx_list_entries(&at->shard->lists, list)
                               : phx_interest_overflow(at->scratch, at->change, at->count);
    at->count = 0;
    collect_derived(at, waiting);
    list->derived = false;
    phx_annulus_clear(at->shard, at->change->slot);
    phx_list_set_count(&at->shard->lists, list, at->in_place ? at->count : 0);
}

/* Removes held targets from the list. */
static void cut_list(cut *at)
{
    phx_list *list = &at->shard->store.tail[at->change->slot].list;
    const phx_list_pool *pool = &at->shard->lists;
    uint32_t *words = at->scratch->overflow + at->change->list_first;
    phx_list_cut_forget(at->shard, at->change->slot);
    if (list->derived) store_list(at);
    else if (at->change->list_first != PHX_SLOT_NONE) words[0] = drop_held_targets(at, words + 1, words[0]);
    else phx_list_set_count(pool, list, drop_held_targets(at, phx_list_entries(pool, list), list->count));
}

static bool reserve_cut(cut *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_change *change = at->change;
    phx_list *list = &at->shard->store.tail[change->slot].list;
    const uint32_t held = change->enter_count - at->most;
    if (!phx_scratch_marks(scratch, &at->shard->store)) return false;
    if (!phx_scratch_ranks(scratch, change->enter_count)) return false;
    at->tag = phx_scratch_epoch(scratch); /* no mark is of this epoch yet */
    if (list->derived) {
        collect_derived(at, change->list_first);
        PHX_ASSERT(at->count >= held);
        at->count -= held;
        at->in_place = phx_list_widen(&at->shard->lists, list, at->count);
    }
    return phx_interest_reserve(scratch, change->leave_count + at->most, at->in_place ? 0 : at->count);
}

bool phx_spread_change(phx_scratch *scratch, phx_shard *shard, phx_change *change, uint32_t most)
{
    const uint32_t number = (uint32_t)(change - scratch->changes), held = change->enter_count - most;
    cut at = {.scratch = scratch, .shard = shard, .change = change, .most = most};
    PHX_ASSERT(most < change->enter_count);
    if (!reserve_cut(&at)) return false;
    at.change = change = &scratch->changes[number]; /* the array may have moved */
    mark_waiting(&at);
    copy_targets(&at);
    cut_list(&at);
    change->enter_count = most;
    change->flags |= PH_CHANGE_MORE;
    phx_interest_commits(scratch, change);
    scratch->counts.enters -= held;
    scratch->counts.held += held;
    return true;
}

/* Moves the lists in the overflow together; there is room behind all. */
static void tighten_lists(phx_scratch *scratch, phx_scratch_mark from)
{
    uint32_t *base = scratch->overflow + scratch->overflow_count, n = 0;
    for (uint32_t i = from.change; i < scratch->change_count; i++) {
        phx_change *change = &scratch->changes[i];
        if (change->list_first == PHX_SLOT_NONE) continue;
        const uint32_t *words = scratch->overflow + change->list_first, count = 1 + words[0];
        memcpy(base + n, words, count * sizeof *words);
        change->list_first = from.overflow + n;
        n += count;
    }
    memmove(scratch->overflow + from.overflow, base, n * sizeof *base);
    scratch->overflow_count = from.overflow + n;
}

/* The same for targets. */
static void tighten_targets(phx_scratch *scratch, phx_scratch_mark from)
{
    uint32_t *base = scratch->targets + scratch->target_count, n = 0;
    for (uint32_t i = from.change; i < scratch->change_count; i++) {
        phx_change *change = &scratch->changes[i];
        const uint32_t count = change->leave_count + change->enter_count;
        memcpy(base + n, scratch->targets + change->target_first, count * sizeof *base);
        change->target_first = from.target + n;
        n += count;
    }
    memmove(scratch->targets + from.target, base, n * sizeof *base);
    scratch->target_count = from.target + n;
}

void phx_interest_tighten(phx_scratch *scratch, phx_scratch_mark from)
{
    size_t targets = 0, lists = 0;
    for (uint32_t i = from.change; i < scratch->change_count; i++) {
        const phx_change *change = &scratch->changes[i];
        targets += (size_t)change->leave_count + change->enter_count;
        if (change->list_first != PHX_SLOT_NONE) lists += 1 + scratch->overflow[change->list_first];
    }
    /* several changes may share targets: then their sum may be larger than the targets in the scratch */
    if (targets < scratch->target_count - from.target && phx_interest_reserve_changes(scratch, 0, (uint32_t)targets))
        tighten_targets(scratch, from);
    if (lists < scratch->overflow_count - from.overflow && phx_interest_reserve(scratch, 0, (uint32_t)lists))
        tighten_lists(scratch, from);
}
