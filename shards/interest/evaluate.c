/*
 * Evaluation of observers; see evaluate.h. For each observer: mark the previous list, find the candidates
 * (candidates.h), select the best of them at the cap and compare (cap_select.h), record.
 */
#include "shards/interest/evaluate.h"

#include <string.h>

#include "base/simd.h"
#include "shards/interest/candidates.h"
#include "shards/interest/cap_select.h"
#include "shards/interest/change_record.h"
#include "shards/interest/evaluated_annulus.h"
#include "shards/query/seen.h"
#include "shards/state/annulus.h"
#include "shards/state/list_cut.h"
#include "shards/state/list_limit.h"
#include "shards/state/related.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* ---- may the evaluation be skipped? ---- */

static bool relation_dirty(const phx_evaluation *at)
{
    for (uint32_t i = 0; at->relations && i < at->relations->count; i++) {
        uint32_t slot = phx_related_slot(at->shard, at->directory, &at->relations->items[i]);
        if (slot != PHX_SLOT_NONE && phx_shard_dirty(at->shard, &at->shard->store.body[slot])) return true;
    }
    return false;
}

static bool evaluation_due(const phx_evaluation *at)
{
    const phx_shard *shard = at->shard;
    if (shard->all_dirty || shard->far_dirty || shard->far_moved || phx_shard_dirty(shard, at->body)) return true;
    if (shard->dense_tick && shard->storage->unmarked_when_dense) return true;
    if (shard->global_moved && at->attr->cap > 0) return true;
    if (!phx_attr_observes(at->attr)) return phx_list_holds(at->list);
    if (relation_dirty(at)) return true;
    return shard->storage->any_dirty_near(shard, at->slot, at->attr->view + at->attr->margin);
}

/* ---- new list against previous list ---- */

/* A derived list is about to be another one. */
static void forget_room(phx_list *list)
{
    if (list->derived) list->count = 0;
}

/* Is the new list derived? */
static bool list_derives(const phx_evaluation *at)
{
    const bool uncut = !at->cut && at->held == 0 && at->count <= PHX_LIST_LIMIT_MAX;
    return (uncut || phx_list_unlimited(at->attr)) && at->shard->storage->derives_uncut(at->shard, at->slot);
}

/*
 * Notes which targets of the relations are in the new list; if it is stored, it has them itself. From now on the target
 * of a relation that ended is in the list as any other.
 */
static void note_listed_relations(const phx_evaluation *at, bool derived)
{
    const phx_scratch *scratch = at->scratch;
    phx_relation_set *related = phx_related_of(at->shard, at->slot);
    if (!related) return;
    for (uint32_t i = 0; i < related->count; i++) {
        const uint32_t slot = scratch->related[i];
        phx_relation *relation = &related->items[i];
        relation->listed = derived && slot != PHX_SLOT_NONE &&
                           at->shard->kernels->find_u32(scratch->hits, at->count, slot) < at->count;
        relation->slot = slot;
    }
    phx_relations_shed(related);
}

/* Records the events and the new list. false = no memory. */
static bool record_evaluation(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t enters = at->events.enter, leaves = at->events.leave;
    bool derived = list_derives(at);
    bool becomes_stored = !derived && (at->list->derived) && at->count > 0;
    bool becomes_derived = derived && at->list->size_class != PHX_LIST_NONE; /* its memory goes back at the commit */
    /* its row follows at the commit */
    bool passes_limit = !phx_list_unlimited(at->attr) && derived != phx_list_below_limit(at->list);
    /* the commit ends that state; or its row follows there, as its relations tell from now on */
    bool sheds = (at->body->state & PHX_SLOT_RELATED) && (!at->relations || derived != at->list->derived);
    bool anew = at->list->owed;
    phx_change *change = NULL;
    uint32_t beyond;
    if (!phx_evaluated_annulus_find(at, derived, &beyond)) return false;
    bool overflows = !phx_interest_annulus_fits(at->shard, at->slot, beyond);
    if (anew && (enters < at->count || leaves > 0)) {
        if (at->count > 0) memcpy(scratch->enter, scratch->hits, at->count * sizeof(uint32_t));
        enters = at->count;
        leaves = 0;
    }
    if (enters + leaves > 0 || becomes_stored || becomes_derived || passes_limit || sheds || anew || at->held > 0 ||
        overflows) {
        if (!phx_interest_reserve(scratch, enters + leaves, at->count)) return false;
        forget_room(at->list);
        change = phx_interest_record(scratch, at->shard, at->slot, enters, leaves);
        change->evaluated = true;
        if (!derived) phx_interest_write_list(scratch, at->shard, change, scratch->hits, at->count);
        if (becomes_derived || passes_limit || sheds) phx_interest_commits(scratch, change);
        if (anew) change->flags |= PH_CHANGE_FRESH;
        if (at->held > 0) {
            change->flags |= PH_CHANGE_MORE;
            phx_interest_commits(scratch, change);
        }
    }
    forget_room(at->list);
    phx_evaluated_annulus_write(at, change, beyond);
    if (anew) scratch->counts.dropped += at->old_count; /* the whole list is sent again */
    scratch->counts.held += at->held; /* last, as memory may end before, and then the observer is evaluated again */
    at->list->derived = derived;
    at->list->owed = false;
    if (at->limit > 0.0) phx_list_cut_note(at->shard, at->slot, at->limit, at->rank, at->kept);
    if (derived) at->list->count = phx_limit_count(at->attr, at->count) & PHX_LIST_COUNT_MAX;
    if (phx_attr_observes(at->attr)) note_listed_relations(at, derived);
    return true;
}

/* ---- one observer ---- */

/* false = no memory. */
static bool reserve_evaluation(const phx_evaluation *at)
{
    const uint32_t related = at->relations ? at->relations->count : 0;
    const size_t targets = at->shard->storage->targets_max(at->shard, at->slot, related);
    return phx_scratch_marks(at->scratch, &at->shard->store) && phx_scratch_room(at->scratch, targets) &&
           phx_candidates_room(at->scratch, targets, at->keyed) &&
           (!at->shard->storage->searches_columns ||
            phx_tower_columns_reserve(&at->scratch->tower_columns, at->scratch->mem, targets)) &&
           phx_grow(at->scratch->mem, (void **)&at->scratch->related, &at->scratch->related_capacity, 0, related,
                    sizeof(uint32_t));
}

/* Finds the previous list. */
static void collect_old_list(phx_evaluation *at)
{
    phx_shard *shard = at->shard;
    at->old = phx_list_entries(&shard->lists, at->list);
    at->old_count = at->list->count;
    if (at->list->derived) {
        uint32_t *old = at->scratch->old;
        at->old = old;
        at->old_count = shard->storage->list_before(shard, at->slot, old, &at->scratch->counts.pairs_tested);
    }
}

/* ---- by differences alone ---- */

/* Takes candidates from an index that finds differences: each once, marked as held. */
typedef struct differ_sink {
    phx_sink sink;
    phx_evaluation *at;
} differ_sink;

static void collect_differing(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    phx_evaluation *at = ((differ_sink *)sink)->at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = phx_evaluation_mark(at, slots[i]);
        if (bits & PHX_MARK_HELD) continue;
        at->scratch->mark[slots[i]] = at->tag | bits | PHX_MARK_HELD;
        at->scratch->hits[at->count++] = slots[i];
    }
}

/* May the list be patched where it differs? Else the whole new list has to be found. */
static bool can_patch_list(const phx_evaluation *at)
{
    const phx_shard *shard = at->shard;
    bool stays = !shard->all_dirty && !shard->far_dirty && !shard->far_moved && !shard->bounded &&
                 shard->far.levels == 0 && shard->far.global_count == 0;
    bool discontinuous = phx_shard_dirty(shard, at->body) && (at->body->state & PHX_SLOT_DISCONTINUOUS);
    bool plain = phx_attr_observes(at->attr) && phx_list_unlimited(at->attr) && !(at->body->state & PHX_SLOT_RELATED);
    return shard->storage->differ && stays && plain && !discontinuous;
}

/* Is the target in the new list? */
static bool target_passes(const phx_evaluation *at, uint32_t target, bool listed)
{
    const phx_store *store = &at->shard->store;
    return (store->body[target].state & PHX_SLOT_LIVE) &&
           phx_rule_sees(at->shard->rules, at->body, at->attr, &store->body[target], phx_store_attr(store, target),
                         NULL, listed);
}

/* Writes the old list without the leaves and with the enters. */
static void write_patched_list(phx_evaluation *at, uint32_t enters, uint32_t leaves)
{
    phx_scratch *scratch = at->scratch;
    uint32_t n = 0;
    for (uint32_t i = 0; i < leaves; i++) scratch->mark[scratch->leave[i]] = at->tag; /* not in the old list any more */
    for (uint32_t i = 0; i < at->old_count; i++) {
        scratch->hits[n] = at->old[i];
        n += phx_evaluation_mark(at, at->old[i]) != 0;
    }
    memcpy(scratch->hits + n, scratch->enter, enters * sizeof(uint32_t));
    phx_change *change = phx_interest_record(scratch, at->shard, at->slot, enters, leaves);
    phx_interest_write_list(scratch, at->shard, change, scratch->hits, n + enters);
}

/* Decides by the rule about the targets that the index names as candidates for a difference. */
static phx_delta_result patch_from_index(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    differ_sink sink = {.sink.take = collect_differing, .at = at};
    uint32_t enters = 0, leaves = 0;
    scratch->mark[at->slot] = at->tag | PHX_MARK_HELD;
    if (!at->shard->storage->differ(at->shard, at->slot, &sink.sink)) return PHX_DELTA_EVALUATE;
    scratch->counts.ranges_visited += sink.sink.visited;
    scratch->counts.pairs_tested += at->count;
    if (at->count > 0) {
        collect_old_list(at);
        phx_candidates_mark_old(at);
    }
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t target = scratch->hits[i];
        bool was = phx_evaluation_mark(at, target) & PHX_MARK_OLD, is = target_passes(at, target, was);
        if (was && !is) scratch->leave[leaves++] = target;
        if (!was && is) scratch->enter[enters++] = target;
    }
    if (enters + leaves == 0) return PHX_DELTA_DONE;
    if (!phx_interest_reserve(scratch, enters + leaves, at->old_count + enters)) return PHX_DELTA_NO_MEMORY;
    write_patched_list(at, enters, leaves);
    return PHX_DELTA_DONE;
}

/* Finds the candidates, and the best of them. */
static phx_scan_result select_targets(phx_evaluation *at)
{
    at->radius = phx_cap_likely_radius(at);
    for (uint32_t before = 0;; at->radius = phx_cap_wider_radius(at, before++)) {
        if (!phx_candidates_find(at)) return PHX_SCAN_NO_MEMORY;
        const phx_scan_result result = phx_cap_select(at);
        if (result != PHX_SCAN_TOO_SHORT) return result;
    }
}

/* Finds the whole new list and compares it with the previous one. false = no memory. */
static bool find_new_list(phx_evaluation *at)
{
    at->events = (phx_cap_split){.leave = at->old_count};
    if (phx_attr_observes(at->attr)) {
        if (select_targets(at) != PHX_SCAN_DONE) return false;
    } else if (at->old_count > 0) {
        memcpy(at->scratch->leave, at->old, at->old_count * sizeof(uint32_t));
    }
    return record_evaluation(at);
}

bool phx_evaluate_observer(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t slot,
                           bool forced)
{
    phx_store *store = &shard->store;
    phx_evaluation at = {.scratch = scratch,
                         .shard = shard,
                         .directory = directory,
                         .slot = slot,
                         .body = &store->body[slot],
                         .attr = phx_store_attr(store, slot),
                         .list = &store->tail[slot].list};
    PHX_ASSERT((at.body->state & PHX_SLOT_OWN) && at.attr->ready);
    if (at.body->state & PHX_SLOT_RELATED) at.relations = phx_relations_of(&shard->relations, slot);
    if (!forced && !evaluation_due(&at)) return true;
    at.adds = phx_adds_allowed(&at);
    at.keyed = at.attr->cap > 0 || at.adds < PHX_ADDS_ALL;
    if (!reserve_evaluation(&at)) return false;
    if (can_patch_list(&at)) {
        at.tag = phx_scratch_epoch(scratch);
        phx_delta_result patched = patch_from_index(&at);
        scratch->counts.by_delta += patched == PHX_DELTA_DONE;
        if (patched != PHX_DELTA_EVALUATE) return patched == PHX_DELTA_DONE;
    }
    collect_old_list(&at);
    if (!find_new_list(&at)) return false;
    scratch->counts.evaluated++;
    return true;
}

bool phx_evaluate_after_delta(phx_scratch *scratch, phx_shard *shard, uint32_t slot)
{
    if (!phx_evaluate_observer(scratch, scratch->directory, shard, slot, true)) return false;
    scratch->counts.by_delta--;
    return true;
}
