/*
 * Evaluation of observers; see evaluate.h. For each observer: mark the previous list, scan the towers in view, add
 * candidates beyond them (listed targets in the margin, far and global targets, pairs and links), cut at the cap
 * (cap_select.h), compare.
 */
#include "shards/interest/evaluate.h"

#include <string.h>

#include "base/simd.h"
#include "shards/interest/cap_select.h"
#include "shards/interest/change_record.h"
#include "shards/interest/mark_set.h"
#include "shards/query/seen.h"
#include "shards/simd/top_k.h"
#include "shards/state/list_limit.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* ---- may the evaluation be skipped? ---- */

static bool relation_dirty(const phx_evaluation *at)
{
    for (uint32_t i = 0; at->relations && i < at->relations->count; i++) {
        uint32_t slot = phx_shard_find(at->shard, at->directory, at->relations->items[i].target);
        if (slot != PHX_SLOT_NONE && phx_shard_dirty(at->shard, &at->shard->store.body[slot])) return true;
    }
    return false;
}

static bool evaluation_due(const phx_evaluation *at)
{
    const phx_shard *shard = at->shard;
    if (shard->all_dirty || shard->far_dirty || phx_shard_dirty(shard, at->body)) return true;
    if (shard->dense_tick && shard->storage->unmarked_when_dense) return true;
    if (shard->global_moved && at->attr->cap > 0) return true;
    if (!phx_attr_observes(at->attr)) return phx_list_holds(at->list);
    if (relation_dirty(at)) return true;
    return shard->storage->any_dirty_near(shard, at->slot, at->attr->view + at->attr->margin);
}

/* ---- the new list ---- */

static void add_hit(phx_evaluation *at, uint32_t slot, uint32_t bits)
{
    at->scratch->hits[at->count++] = slot;
    at->scratch->mark[slot] = at->tag | bits | PHX_MARK_NEW;
}

/*
 * Drops hits, of the first `found`, that can not be among the best at the cap: enough other hits of the lowest rank are
 * so much nearer that stickiness does not make up for it. Special hits stay.
 */
static uint32_t leave_out_far(phx_evaluation *at, uint32_t found)
{
    const uint32_t *hits = at->scratch->hits;
    float *squares = at->scratch->squares;
    uint32_t held = at->relations ? at->relations->count : 0,
             wanted = at->attr->cap + 1 + held; /* 1: the observer itself */
    uint32_t special = 0;
    if (at->attr->cap == 0 || found <= wanted) return found;
    for (uint32_t i = 0; i < found; i++) special += phx_row_word_special(phx_row_word_at(hits, i));
    if (found - special <= wanted) return found;
    for (uint32_t i = 0; special > 0 && i < found; i++)
        if (phx_row_word_special(phx_row_word_at(hits, i))) squares[i] = INFINITY; /* left out of the count */
    float most = phx_evaluation_square(at);
    double limit = (double)phx_rank_radius(squares, found, wanted, most) * at->shard->rules->sticky;
    if (!(limit < (double)most)) return found;
    return at->shard->kernels->keep_within(at->scratch->hits, squares, found, nextafterf((float)limit, INFINITY));
}

/* Scans for targets in view by the common rule, within the radius; hits are slot words of rows. */
static uint32_t scan_around(phx_evaluation *at)
{
    const phx_rules *rules = at->shard->rules;
    phx_scratch *scratch = at->scratch;
    phx_range_scan scan = {.hits = scratch->hits, .squares = scratch->squares};
    at->shard->storage->scan(at->shard, at->slot, at->radius, &scan);
    scratch->counts.ranges_visited += scan.visited;
    scratch->counts.pairs_tested += scan.pairs;
    if (rules->range == PH_RANGE_TOWERS || at->radius < at->attr->view) return scan.count;
    bool flat = rules->shape != PH_SHAPE_SPHERE && rules->shape != PH_SHAPE_CYLINDER;
    if (!flat || !phx_sees_common(at->shard, at->attr)) return scan.count;
    const uint32_t kept = leave_out_far(at, scan.count);
    at->cut |= kept < scan.count;
    return kept;
}

/* Is a target in view, but beyond its visible distance? Margin and reach may still let it in. */
static bool beyond_bound(const phx_evaluation *at, uint32_t slot)
{
    const phx_body *body = &at->shard->store.body[slot];
    float visible = phx_store_attr(&at->shard->store, slot)->visible;
    return (body->state & PHX_SLOT_BOUNDED) && visible < at->attr->view &&
           !phx_in_range(at->shard->rules, at->body, body, visible);
}

/* Checks the hits in view; targets of own relations are left out. */
static void check_scan_hits(phx_evaluation *at, uint32_t found)
{
    const phx_rules *rules = at->shard->rules;
    const phx_store *store = &at->shard->store;
    bool by_towers = rules->range == PH_RANGE_TOWERS;
    bool check_z = !by_towers && (rules->shape == PH_SHAPE_CYLINDER || rules->shape == PH_SHAPE_SPHERE);
    bool check_all = !phx_sees_common(at->shard, at->attr), bounds = at->shard->bounded;
    const uint32_t *hits = at->scratch->hits;
    float *squares = at->scratch->squares;
    for (uint32_t i = 0; i < found; i++) {
        const phx_row_word hit = phx_row_word_at(hits, i);
        uint32_t slot = phx_row_word_slot(hit);
        uint32_t bits = phx_evaluation_mark(at, slot);
        if (bits & PHX_MARK_HELD) continue;
        bool special = check_all || phx_row_word_special(hit);
        if (special && !phx_layers_match(at->attr, phx_store_attr(store, slot))) continue;
        if (bounds && special && beyond_bound(at, slot)) continue;
        if (check_z && !phx_in_range(rules, at->body, &store->body[slot], at->attr->view)) continue;
        at->ranks_differ |= special;
        squares[at->count] = squares[i];
        add_hit(at, slot, bits);
    }
    at->ranks_differ |= check_z || by_towers; /* the squares are not the ranks' distances, or are missing */
}

/* Adds a candidate that is not from the scan, by the whole rule. */
static void consider_candidate(phx_evaluation *at, uint32_t slot, const phx_relation *relation)
{
    const phx_store *store = &at->shard->store;
    uint32_t bits = phx_evaluation_mark(at, slot);
    if ((bits & PHX_MARK_NEW) || ((bits & PHX_MARK_HELD) && !relation)) return;
    if (!(store->body[slot].state & PHX_SLOT_LIVE)) return;
    if (phx_rule_sees(at->shard->rules, at->body, at->attr, &store->body[slot], phx_store_attr(store, slot), relation,
                      bits & PHX_MARK_OLD)) {
        at->ranks_differ = true;
        add_hit(at, slot, bits);
    }
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

/* Finds the new list. found: hits of scan_around(). */
static void find_list(phx_evaluation *at, uint32_t found)
{
    phx_scratch *scratch = at->scratch;
    uint32_t related = at->relations ? at->relations->count : 0;
    scratch->mark[at->slot] = at->tag | PHX_MARK_HELD;
    for (uint32_t i = 0; i < related; i++) {
        uint32_t slot = phx_shard_find(at->shard, at->directory, at->relations->items[i].target);
        scratch->related[i] = slot;
        if (slot == PHX_SLOT_NONE) { /* not near: neither a pair nor a link pins it */
            PHX_ASSERT(!(at->relations->items[i].bits & PHX_RELATION_FAR));
            continue;
        }
        scratch->mark[slot] = at->tag | phx_evaluation_mark(at, slot) | PHX_MARK_HELD;
    }
    check_scan_hits(at, found);
    if (at->attr->margin > 0.0f)
        for (uint32_t i = 0; i < at->old_count; i++) consider_candidate(at, at->old[i], NULL);
    consider_far_targets(at);
    for (uint32_t i = 0; i < related; i++)
        if (scratch->related[i] != PHX_SLOT_NONE) consider_candidate(at, scratch->related[i], &at->relations->items[i]);
}

/* ---- new list against previous list ---- */

/* Collects the slots of slots[] whose mark lacks `bit`. */
static uint32_t slots_without_mark(const phx_evaluation *at, const uint32_t *slots, uint32_t count, uint32_t bit,
                                   uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(phx_evaluation_mark(at, slots[i]) & bit)) out[n++] = slots[i];
    return n;
}

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

/* Records the events, in scratch->enter and ->leave, and the new list. false = no memory. */
static bool record_evaluation(phx_evaluation *at, uint32_t enters, uint32_t leaves)
{
    phx_scratch *scratch = at->scratch;
    bool derived = list_derives(at);
    bool becomes_stored = !derived && (at->list->derived) && at->count > 0;
    bool becomes_derived = derived && at->list->size_class != PHX_LIST_NONE; /* its memory goes back at the commit */
    /* its row follows at the commit */
    bool passes_limit = !phx_list_unlimited(at->attr) && derived != phx_list_below_limit(at->list);
    bool sheds = (at->body->state & PHX_SLOT_RELATED) && !at->relations; /* the commit ends that state */
    bool anew = at->list->owed;
    if (anew && (enters < at->count || leaves > 0)) {
        if (at->count > 0) memcpy(scratch->enter, scratch->hits, at->count * sizeof(uint32_t));
        enters = at->count;
        leaves = 0;
    }
    if (enters + leaves > 0 || becomes_stored || becomes_derived || passes_limit || sheds || anew || at->held > 0) {
        if (!phx_interest_reserve(scratch, enters + leaves, at->count)) return false;
        forget_room(at->list);
        phx_change *change = phx_interest_record(scratch, at->shard, at->slot, enters, leaves);
        if (!derived) phx_interest_write_list(scratch, at->shard, change, scratch->hits, at->count);
        if (becomes_derived || passes_limit || sheds) phx_interest_commits(scratch, change);
        if (anew) change->flags |= PH_CHANGE_FRESH;
        if (at->held > 0) {
            change->flags |= PH_CHANGE_MORE;
            phx_interest_commits(scratch, change);
        }
    }
    forget_room(at->list);
    if (anew) scratch->counts.dropped += at->old_count; /* the whole list is sent again */
    scratch->counts.held += at->held; /* last, as memory may end before, and then the observer is evaluated again */
    at->list->derived = derived;
    at->list->owed = false;
    if (derived) at->list->count = phx_limit_count(at->attr, at->count) & PHX_LIST_COUNT_MAX;
    return true;
}

static bool compare_lists(phx_evaluation *at)
{
    phx_scratch *scratch = at->scratch;
    uint32_t enters = slots_without_mark(at, scratch->hits, at->count, PHX_MARK_OLD, scratch->enter);
    uint32_t leaves = slots_without_mark(at, at->old, at->old_count, PHX_MARK_NEW, scratch->leave);
    return record_evaluation(at, enters, leaves);
}

/* ---- one observer ---- */

/* false = no memory. */
static bool reserve_evaluation(const phx_evaluation *at)
{
    uint32_t related = at->relations ? at->relations->count : 0;
    return phx_scratch_marks(at->scratch, &at->shard->store) &&
           phx_scratch_room(at->scratch, at->shard->storage->targets_max(at->shard, at->slot, related)) &&
           phx_grow(at->scratch->mem, (void **)&at->scratch->related, &at->scratch->related_capacity, 0, related,
                    sizeof(uint32_t));
}

/* Marks the previous list. */
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
    const uint32_t *old = at->old, count = at->old_count,
                   tag = at->tag | PHX_MARK_OLD; /* mark[] may alias the fields */
    uint32_t *mark = at->scratch->mark;
    for (uint32_t i = 0; i < count; i++) mark[old[i]] = tag;
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
    bool stays = !shard->all_dirty && !shard->far_dirty && !shard->bounded && shard->far.levels == 0 &&
                 shard->far.global_count == 0;
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
    if (at->count > 0) collect_old_list(at);
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

/* Begins the evaluation of an observer: no mark is of its epoch. */
static void begin_evaluation(phx_evaluation *at)
{
    at->tag = phx_scratch_epoch(at->scratch);
    at->count = 0;
}

/* Finds the list and the events of an observer with a plain cap, if no hit needs a check of its own. */
static phx_scan_result select_scan_hits(phx_evaluation *at, uint32_t found)
{
    phx_cap_split events;
    phx_scan_result result = phx_cap_select(at, found, &events);
    if (result != PHX_SCAN_DONE) return result;
    return record_evaluation(at, events.enter, events.leave) ? PHX_SCAN_DONE : PHX_SCAN_NO_MEMORY;
}

/* Finds the whole new list and compares it with the previous one. false = no memory. */
static bool find_new_list(phx_evaluation *at)
{
    if (phx_attr_observes(at->attr)) {
        bool plainly = phx_cap_cuts_plainly(at);
        at->radius = plainly ? phx_cap_likely_radius(at) : at->attr->view;
        phx_scan_result result;
        uint32_t found, before = 0;
        for (;; at->radius = phx_cap_wider_radius(at, before++)) {
            found = scan_around(at);
            result = plainly ? select_scan_hits(at, found) : PHX_SCAN_CHECK_EACH;
            if (result != PHX_SCAN_TOO_SHORT) break;
        }
        if (result != PHX_SCAN_CHECK_EACH) return result == PHX_SCAN_DONE;
        find_list(at, found);
    }
    return phx_cap_cut(at) && phx_cap_cut_adds(at) && compare_lists(at);
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
    PHX_ASSERT(at.body->state & PHX_SLOT_OWN);
    if (at.body->state & PHX_SLOT_RELATED) at.relations = phx_relations_of(&shard->relations, store->name[slot].id);
    if (!forced && !evaluation_due(&at)) return true;
    if (!at.attr->ready) {
        scratch->counts.evaluated++;
        scratch->counts.dropped += phx_shard_list_count(shard, slot);
        at.list->count = 0;
        at.list->derived = at.list->owed = false;
        return true;
    }
    if (!reserve_evaluation(&at)) return false;
    if (can_patch_list(&at)) {
        begin_evaluation(&at);
        phx_delta_result patched = patch_from_index(&at);
        scratch->counts.by_delta += patched == PHX_DELTA_DONE;
        if (patched != PHX_DELTA_EVALUATE) return patched == PHX_DELTA_DONE;
    }
    begin_evaluation(&at);
    collect_old_list(&at);
    if (!find_new_list(&at)) return false;
    scratch->counts.evaluated++;
    return true;
}

bool phx_evaluate_over_limit(phx_scratch *scratch, phx_shard *shard, uint32_t slot)
{
    PHX_ASSERT(!phx_list_unlimited(phx_store_attr(&shard->store, slot)));
    if (!phx_evaluate_observer(scratch, scratch->directory, shard, slot, true)) return false;
    scratch->counts.by_delta--;
    return true;
}
