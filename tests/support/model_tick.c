/*
 * The model's tick: commands in order, every list anew, every difference one event.
 */
#include <stdlib.h>
#include <string.h>

#include "support/model_parts.h"

typedef VEC(model_key) key_list;

/* ---- commands ---- */

static void take_reconfigure(model *m)
{
    if (m->reconfigured == 0 || --m->reconfigured != 0) {
        return;
    }
    model next = *m;
    memcpy(next.classes, m->next_classes, sizeof next.classes);
    next.def = m->next_def;
    next.def.classes = next.classes;
    for (size_t i = 0; i < m->entities.count; i++) {
        model_entity *e = m->entities.items[i];
        if (model_resolve(m, e).ready && !model_resolve(&next, e).ready) {
            model_end_list(m, e);
        }
    }
    memcpy(m->classes, m->next_classes, sizeof m->classes);
    m->def = m->next_def;
    m->def.classes = m->classes;
}

static void take_queue(model *m, uint32_t producer)
{
    model_queue *queue = &m->queues[producer];
    for (size_t i = 0; i < queue->commands.count; i++) {
        const command *c = &queue->commands.items[i];
        ph_status status = model_apply(m, c);
        if (status == PH_OK) {
            m->counts.applied++;
            continue;
        }
        m->counts.refused_in_tick += MUTATE(MUTANT_REFUSED_UNCOUNTED, 1u, 0u);
        m->counts.refused[status]++;
        model_refusal refusal = {producer, queue->sequences.items[i], c->id, status, c->type};
        if (MUTATE(MUTANT_REFUSED_SILENT, true, status != PH_UNKNOWN_ID)) {
            VEC_PUSH(&m->refusals, refusal);
        }
    }
    queue->commands.count = 0;
    queue->sequences.count = 0;
}

/* ---- lists ---- */

static const model_key *list_find(const model_key *list, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].id == id) {
            return &list[i];
        }
    }
    return NULL;
}

static bool list_has(const model_key *list, size_t count, model_key key)
{
    const model_key *entry = list_find(list, count, key.id);
    return entry != NULL && entry->incarnation == key.incarnation;
}

/* Marks, by place among the entities, who was in o's list; stays of ids that are over do not count. */
static void mark_old(const model *m, const model_entity *o, bool *marks)
{
    memset(marks, 0, m->entities.count * sizeof *marks);
    for (size_t i = 0; i < o->list.count; i++) {
        bool found = false;
        size_t place = model_place(m, o->list.items[i].id, &found);
        if (found && (m->entities.items[place]->incarnation == o->list.items[i].incarnation ||
                      MUTATE(MUTANT_MARGIN_REBORN, false, true))) {
            marks[place] = true;
        }
    }
}

static int join_order(const void *a, const void *b)
{
    return MUTATE(MUTANT_ADDS_LAST, model_rank(a, b), model_rank(b, a));
}

static int by_id(const void *a, const void *b)
{
    const model_key *l = a;
    const model_key *r = b;
    return l->id < r->id ? -1 : l->id > r->id;
}

/*
 * Of the candidates that were not in the list only so many join: they come first, with the ones that were in it.
 * Returns the number; *waiting: the others.
 */
static size_t join(const model *m, const model_entity *o, const bool *marks, model_candidate *candidates, size_t count,
                   size_t *waiting)
{
    size_t most = m->classes[o->now.kind].adds_max, joined = 0, kept = 0;
    if (most == 0 || (m->enters_each < most && !o->anew)) {
        most = o->anew ? SIZE_MAX : m->enters_each;
    }
    qsort(candidates, count, sizeof *candidates, join_order);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        if (!marks[model_place(m, candidates[i].target->id, &found)]) {
            if (joined >= most + MUTATE(MUTANT_ADDS_ONE_MORE, 0u, 1u)) {
                ++*waiting;
                continue;
            }
            joined++;
        }
        candidates[kept++] = candidates[i];
    }
    return kept;
}

/* Where the whole list is told, the bound on a tick's events cuts all of it, without stickiness. */
static size_t cut_anew(const model *m, const model_entity *o, model_candidate *candidates, size_t count,
                       size_t *waiting)
{
    if (!o->anew || count <= m->enters_each) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        candidates[i].key = candidates[i].d2;
    }
    qsort(candidates, count, sizeof *candidates, model_rank);
    *waiting += count - m->enters_each;
    return m->enters_each;
}

/* The enters, and the leaves, that a new list would be told with. */
static void count_events(const model_entity *o, const key_list *list, size_t *enters, size_t *leaves)
{
    *enters = *leaves = 0;
    for (size_t i = 0; o->now.ready && i < o->list.count; i++) {
        *leaves += !o->anew && !list_has(list->items, list->count, o->list.items[i]);
    }
    for (size_t i = 0; o->now.ready && i < list->count; i++) {
        *enters += o->anew || !list_has(o->list.items, o->list.count, list->items[i]);
    }
}

/* o's list at the end of this tick, by id. */
static void list_make(const model *m, const model_entity *o, bool *marks, model_candidate *candidates, key_list *list,
                      size_t *waiting)
{
    size_t count = 0;
    size_t free_count = 0; /* of the seeded bug that does not count forced targets */
    mark_old(m, o, marks);
    for (size_t i = 0; i < m->entities.count; i++) {
        if (model_rule(m, o, m->entities.items[i], marks[i], &candidates[count])) {
            free_count += candidates[count].forced;
            count++;
        }
    }
    size_t cap = o->now.cap + MUTATE(MUTANT_CAP_OFF_BY_ONE, 0u, 1u);
    if (MUTATE(MUTANT_CAP_FORCED_FREE, false, true)) {
        cap += free_count;
    }
    if (o->now.cap != 0 && count > cap) {
        qsort(candidates, count, sizeof *candidates, model_rank);
        count = cap;
    }
    *waiting = 0;
    count = join(m, o, marks, candidates, count, waiting);
    count = cut_anew(m, o, candidates, count, waiting);
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        model_key key = {candidates[i].target->id, candidates[i].target->incarnation};
        VEC_PUSH(list, key);
    }
    if (count > 1) {
        qsort(list->items, list->count, sizeof *list->items, by_id);
    }
}

/* ---- events ---- */

/* Why a target that is in the world left o's list in this tick. */
static ph_cause leave_cause(const model *m, const model_entity *o, const model_entity *t)
{
    model_candidate passing;
    bool in_view = model_rule(m, o, t, MUTATE(MUTANT_CAUSE_MARGIN, true, false), &passing);
    bool forbidden = model_hidden(o, t);
    if (MUTATE(MUTANT_CAUSE_INSTANCE, false, o->now.instance != t->now.instance) ||
        MUTATE(MUTANT_CAUSE_HIDE, false, model_hides(o, t)) || MUTATE(MUTANT_CAUSE_BLIND, false, o->now.view <= 0)) {
        forbidden = false;
    }
    if (forbidden) {
        return PH_CAUSE_HIDDEN;
    }
    return in_view && MUTATE(MUTANT_CAUSE_CAP, true, false) ? PH_CAUSE_OUTRANKED : PH_CAUSE_RANGE;
}

static ph_cause enter_cause(const model *m, const model_entity *o, const model_entity *t)
{
    bool fresh = !o->had_change && MUTATE(MUTANT_CAUSE_FRESH, false, true);
    return t->incarnation > m->incarnations_before && !fresh ? PH_CAUSE_APPEARED : PH_CAUSE_CAME;
}

static ph_position enter_position(const model_entity *e)
{
    const ph_attrs *from = MUTATE(MUTANT_POSITION_OWN, &e->now, &e->own);
    return (ph_position){from->x, from->y, MUTATE(MUTANT_POSITION_FLAT, from->z, 0)};
}

/* The target as it is now, or, when its stay is over, as it last was. */
static model_target target_of(const model *m, const model_entity *o, model_key key, bool enter)
{
    model_target target = {.key = key};
    for (size_t i = 0; i < m->departed.count; i++) {
        const model_departed *d = &m->departed.items[i];
        if (d->key.id == key.id && d->key.incarnation == key.incarnation) {
            target.kind = MUTATE(MUTANT_DEPARTED_KIND, d->kind, 0u);
            target.user_data = MUTATE(MUTANT_OLD_USER_DATA, d->user_data, 0u);
            target.depth = d->depth;
            target.cause = MUTATE(MUTANT_CAUSE_GONE, PH_CAUSE_GONE, PH_CAUSE_RANGE);
            return target;
        }
    }
    const model_entity *e = model_entity_of(m, key.id);
    REQUIRE(e != NULL);
    target.kind = e->now.kind;
    target.user_data = e->now.user_data;
    target.depth = enter || MUTATE(MUTANT_LEAVE_DEPTH_NOW, false, true) ? model_depth(m, e) : e->depth;
    target.cause = enter ? enter_cause(m, o, e) : leave_cause(m, o, e);
    target.at = enter ? enter_position(e) : (ph_position){0};
    return target;
}

static int by_kind_then_id(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    if (l->kind != r->kind && MUTATE(MUTANT_ORDER_ID, true, false)) {
        return l->kind < r->kind ? -1 : 1;
    }
    return l->key.id < r->key.id ? -1 : l->key.id > r->key.id;
}

/* A parent enters before its children, and leaves after them. */
static int enters_in_order(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    if (l->depth != r->depth && MUTATE(MUTANT_PARENT_LATE, true, false)) {
        return l->depth < r->depth ? -1 : 1;
    }
    return by_kind_then_id(a, b);
}

static int leaves_in_order(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    if (l->depth != r->depth && MUTATE(MUTANT_PARENT_EARLY, true, false)) {
        return l->depth > r->depth ? -1 : 1;
    }
    return by_kind_then_id(a, b);
}

static bool same_stay(const model_key *list, size_t count, model_key key)
{
    if (MUTATE(MUTANT_REBORN_MERGED, false, true)) {
        return list_find(list, count, key.id) != NULL;
    }
    return list_has(list, count, key);
}

static void compare(const model *m, const model_entity *o, const key_list *new_list, model_change *change)
{
    for (size_t i = 0; i < o->list.count; i++) {
        if (!same_stay(new_list->items, new_list->count, o->list.items[i])) {
            VEC_PUSH(&change->targets, target_of(m, o, o->list.items[i], false));
        }
    }
    change->leave_count = (uint32_t)change->targets.count;
    for (size_t i = 0; i < new_list->count; i++) {
        bool stays = same_stay(o->list.items, o->list.count, new_list->items[i]);
        model_target target = target_of(m, o, new_list->items[i], true);
        if (!stays || MUTATE(MUTANT_TWICE, false, target.kind == 3)) {
            VEC_PUSH(&change->targets, target);
        }
    }
    change->enter_count = (uint32_t)change->targets.count - change->leave_count;
    model_target *targets = change->targets.items;
    if (targets != NULL) {
        qsort(targets, change->leave_count, sizeof *targets, leaves_in_order);
        qsort(targets + change->leave_count, change->enter_count, sizeof *targets, enters_in_order);
    }
}

/* Compares o's new list with its old one, tells the difference and makes the new list its list. */
static void settle(model *m, model_entity *o, key_list *new_list, bool more)
{
    bool ready = o->now.ready;
    model_change change = {.observer = {o->id, o->incarnation}, .user_data = o->now.user_data};
    change.consumer = o->now.consumer;
    change.more = more;
    bool stays = MUTATE(MUTANT_READY_KEEPS, false, !ready) || MUTATE(MUTANT_NOT_READY_TOLD, false, !ready);
    if (o->anew && !stays) {
        o->list.count = 0;
    }
    if (ready || MUTATE(MUTANT_NOT_READY_TOLD, false, true)) {
        compare(m, o, new_list, &change);
    }
    if (!o->settled) {
        o->had_change = false;
    }
    change.fresh = !o->had_change && MUTATE(MUTANT_NOT_FRESH, true, false);
    bool begins =
        change.fresh && ready && (o->now.view > 0 || o->anew) && !(MUTATE(MUTANT_RESEND_EMPTY, false, o->anew));
    if (change.targets.count != 0 || (begins && MUTATE(MUTANT_FRESH_EMPTY, true, false))) {
        m->counts.enters += change.enter_count;
        m->counts.leaves += change.leave_count;
        o->had_change = true;
        VEC_PUSH(&m->changes, change);
    }
    o->settled = ready;
    o->handed = o->hands;
    o->anew = o->hands = false;
    if (ready || MUTATE(MUTANT_READY_KEEPS, true, false)) {
        o->list.count = 0;
        for (size_t i = 0; i < new_list->count; i++) {
            VEC_PUSH(&o->list, new_list->items[i]);
        }
    }
}

/* Enters of all observers when none has more than `most`. */
static size_t enters_within(const size_t *enters, size_t count, size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += enters[i] < most ? enters[i] : most;
    }
    return sum;
}

/* events_max: how many enters each observer may have in this tick; SIZE_MAX = any number. */
static void bound_events(model *m, bool *marks, model_candidate *candidates, key_list *list)
{
    size_t count = m->entities.count, all_leaves = 0, waiting;
    size_t *enters = check_zalloc(count * sizeof *enters);
    m->enters_each = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t leaves;
        list_make(m, m->entities.items[i], marks, candidates, list, &waiting);
        count_events(m->entities.items[i], list, &enters[i], &leaves);
        all_leaves += MUTATE(MUTANT_EVENTS_LEAVES_FREE, leaves, 0);
    }
    size_t bound = m->def.events_max != 0 ? m->def.events_max : 4194304 + 64 * count;
    if (all_leaves + enters_within(enters, count, SIZE_MAX) > bound) {
        size_t room = all_leaves < bound ? bound - all_leaves : 0;
        m->counts.ticks_spread++;
        m->enters_each = 1;
        while (m->enters_each < count && enters_within(enters, count, m->enters_each + 1) <= room) {
            m->enters_each++;
        }
        m->enters_each -= MUTATE(MUTANT_EVENTS_EACH, 0, m->enters_each > 1);
    }
    free(enters);
}

static void find_lists(model *m)
{
    size_t count = m->entities.count;
    bool *marks = check_zalloc(count * sizeof *marks);
    model_candidate *candidates = check_zalloc(count * sizeof *candidates);
    key_list list = {0};
    for (size_t i = 0; i < count; i++) {
        model_entity *e = m->entities.items[i];
        e->now = model_resolve(m, e);
        e->now.view = model_crowd_view(m, e, e->now.view);
    }
    bound_events(m, marks, candidates, &list);
    m->counts.observers = 0;
    m->counts.outside = 0;
    m->counts.remote = 0;
    m->counts.list_entries = 0;
    for (size_t i = 0; i < count; i++) {
        model_entity *e = m->entities.items[i];
        size_t waiting;
        list_make(m, e, marks, candidates, &list, &waiting);
        m->counts.adds_held += e->now.ready ? waiting : 0;
        settle(m, e, &list, waiting > 0);
        m->counts.observers += e->now.ready && e->now.view > 0;
        m->counts.outside += model_outside(m, &e->now);
        m->counts.remote += e->now.remote;
        m->counts.list_entries += e->list.count;
    }
    for (size_t i = 0; i < count; i++) {
        m->entities.items[i]->depth = model_depth(m, m->entities.items[i]);
    }
    VEC_FREE(&list);
    free(candidates);
    free(marks);
}

static uint64_t count_instances(const model *m)
{
    uint64_t count = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++) {
            first = m->entities.items[j]->now.instance != m->entities.items[i]->now.instance;
        }
        count += first;
    }
    return count;
}

/* Nothing of the tick is told yet. */
static void begin_tick(model *m)
{
    m->begun = true;
    for (size_t i = 0; i < m->changes.count; i++) {
        VEC_FREE(&m->changes.items[i].targets);
    }
    m->changes.count = 0;
    model_clear_heard(m);
    model_clear_updates(m);
    m->departed.count = 0;
    m->edges.count = 0;
    m->incarnations_before = m->incarnations;
}

static void take_queues(model *m)
{
    m->refusals.count = 0;
    for (uint32_t i = 0; i < MODEL_PRODUCERS_MAX; i++) {
        take_queue(m, MUTATE(MUTANT_PRODUCER_ORDER, i, MODEL_PRODUCERS_MAX - 1 - i));
    }
}

void model_apply_waiting(model *m)
{
    if (!m->begun) {
        begin_tick(m);
    }
    take_queues(m);
    if (MUTATE(MUTANT_APPLIED_SILENT, false, true)) {
        m->messages.count = 0;
    }
    for (size_t i = 0; i < m->entities.count && MUTATE(MUTANT_APPLIED_STALE, true, false); i++) {
        model_entity *e = m->entities.items[i];
        e->now = model_resolve(m, e);
        e->now.view = model_crowd_view(m, e, e->now.view);
    }
    m->counts.applies++;
}

uint64_t model_tick(model *m)
{
    if (!m->begun) {
        begin_tick(m);
    }
    take_reconfigure(m);
    take_queues(m);
    model_crowd(m, m->incarnations_before);
    MUTATE(MUTANT_SAY_EARLY, (void)0, model_hear(m));
    find_lists(m);
    MUTATE(MUTANT_SAY_EARLY, model_hear(m), (void)0);
    model_zones(m);
    m->tick++;
    model_update_all(m);
    m->counts.ticks = m->tick;
    m->counts.entities = m->entities.count;
    m->counts.instances = count_instances(m);
    m->begun = false;
    return m->tick;
}
