/*
 * The model's past; see history.h.
 */
#include "support/history.h"

#include <stdlib.h>
#include <string.h>

void history_begin(history *h)
{
    history_tick empty = {0};
    memset(h, 0, sizeof *h);
    VEC_PUSH(&h->ticks, empty);
}

void history_end(history *h)
{
    for (size_t i = 0; i < h->ticks.count; i++) {
        history_tick *tick = &h->ticks.items[i];
        for (size_t j = 0; j < tick->entities.count; j++) {
            free(tick->entities.items[j].list);
        }
        VEC_FREE(&tick->entities);
        VEC_FREE(&tick->departed);
        VEC_FREE(&tick->leaves);
        VEC_FREE(&tick->messages);
        for (size_t j = 0; j < tick->heard.count; j++) {
            VEC_FREE(&tick->heard.items[j].messages);
        }
        VEC_FREE(&tick->heard);
        VEC_FREE(&tick->edges);
        for (size_t j = 0; j < tick->updates.count; j++) {
            VEC_FREE(&tick->updates.items[j].moved);
        }
        VEC_FREE(&tick->updates);
    }
    VEC_FREE(&h->ticks);
}

static void note_heard(history_tick *tick, const model *m)
{
    const model_message *messages = NULL;
    const model_heard *heard = NULL;
    size_t count = model_messages(m, &messages);
    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(&tick->messages, messages[i]);
    }
    count = model_hearings(m, &heard);
    for (size_t i = 0; i < count; i++) {
        model_heard copy = heard[i];
        memset(&copy.messages, 0, sizeof copy.messages);
        for (size_t j = 0; j < heard[i].messages.count; j++) {
            VEC_PUSH(&copy.messages, heard[i].messages.items[j]);
        }
        VEC_PUSH(&tick->heard, copy);
    }
}

static void note_leaves(history_tick *tick, const model_change *change)
{
    for (uint32_t i = 0; i < change->leave_count; i++) {
        const model_target *target = &change->targets.items[i];
        history_leave leave = {change->observer, target->key, target->cause};
        VEC_PUSH(&tick->leaves, leave);
    }
}

static void note_updates(history_tick *tick, const model *m)
{
    const model_update *updates = NULL;
    size_t count = model_updates(m, &updates);
    for (size_t i = 0; i < count; i++) {
        model_update copy = updates[i];
        memset(&copy.moved, 0, sizeof copy.moved);
        for (size_t j = 0; j < updates[i].moved.count; j++) {
            VEC_PUSH(&copy.moved, updates[i].moved.items[j]);
        }
        VEC_PUSH(&tick->updates, copy);
    }
}

void history_note(history *h, const model *m)
{
    history_tick tick = {0};
    model_entity *const *entities = NULL;
    size_t count = model_entities(m, &entities);
    const model_change *changes = NULL;
    size_t change_count = model_changes(m, &changes);
    size_t next_change = 0;
    for (size_t i = 0; i < count; i++) {
        const model_entity *e = entities[i];
        history_entity note = {.key = {e->id, e->incarnation}, .kind = e->now.kind, .consumer = e->now.consumer};
        note.user_data = e->now.user_data;
        note.settled = e->settled;
        note.handed = e->handed;
        note.depth = e->depth;
        note.at = (ph_position){e->now.x, e->now.y, e->now.z};
        if (next_change < change_count && changes[next_change].observer.id == e->id) {
            note.changed = true;
            note.fresh = changes[next_change].fresh;
            note.more = changes[next_change].more;
            note_leaves(&tick, &changes[next_change]);
            next_change++;
        }
        note.list_count = e->list.count;
        note.list = check_zalloc(e->list.count * sizeof *note.list);
        if (e->list.count != 0) {
            memcpy(note.list, e->list.items, e->list.count * sizeof *note.list);
        }
        VEC_PUSH(&tick.entities, note);
    }
    const model_departed *departed = NULL;
    count = model_departures(m, &departed);
    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(&tick.departed, departed[i]);
    }
    note_heard(&tick, m);
    const model_edge *edges = NULL;
    count = model_edges(m, &edges);
    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(&tick.edges, edges[i]);
    }
    note_updates(&tick, m);
    VEC_PUSH(&h->ticks, tick);
}

static bool same_key(model_key a, model_key b)
{
    return a.id == b.id && a.incarnation == b.incarnation;
}

const history_entity *history_entity_at(const history *h, uint64_t tick, model_key key)
{
    const history_tick *t = &h->ticks.items[tick];
    for (size_t i = 0; i < t->entities.count; i++) {
        if (same_key(t->entities.items[i].key, key)) {
            return &t->entities.items[i];
        }
    }
    return NULL;
}

bool history_listed(const history *h, uint64_t tick, model_key observer, model_key target)
{
    const history_entity *o = history_entity_at(h, tick, observer);
    for (size_t i = 0; o != NULL && i < o->list_count; i++) {
        if (same_key(o->list[i], target)) {
            return true;
        }
    }
    return false;
}

static bool departed_in(const history *h, uint64_t tick, model_key key)
{
    const history_tick *t = &h->ticks.items[tick];
    for (size_t i = 0; i < t->departed.count; i++) {
        if (same_key(t->departed.items[i].key, key)) {
            return true;
        }
    }
    return false;
}

/* Kind and user data of the target in that tick, its last ones if it left the world in it. */
static model_target target_at(const history *h, uint64_t tick, model_key key)
{
    const history_entity *e = history_entity_at(h, tick, key);
    model_target target = {.key = key};
    if (e != NULL) {
        target.kind = e->kind;
        target.user_data = e->user_data;
        return target;
    }
    const history_tick *t = &h->ticks.items[tick];
    for (size_t i = 0; i < t->departed.count; i++) {
        if (same_key(t->departed.items[i].key, key)) {
            target.kind = t->departed.items[i].kind;
            target.user_data = t->departed.items[i].user_data;
            return target;
        }
    }
    check_give_up(__FILE__, __LINE__, "a target that was never there");
}

/* The last tick up to `last` in which the target dropped out of the list. */
static uint64_t last_leave(const history *h, model_key observer, model_key target, uint64_t last)
{
    uint64_t tick = last;
    while (history_listed(h, tick, observer, target) || !history_listed(h, tick - 1, observer, target)) {
        tick--;
        REQUIRE(tick != 0);
    }
    return tick;
}

/* The cause of a leave that was told in that tick. */
static ph_cause cause_at(const history *h, uint64_t tick, model_key observer, model_key target)
{
    const history_tick *t = &h->ticks.items[tick];
    for (size_t i = 0; i < t->leaves.count; i++) {
        if (same_key(t->leaves.items[i].observer, observer) && same_key(t->leaves.items[i].target, target)) {
            return t->leaves.items[i].cause;
        }
    }
    check_give_up(__FILE__, __LINE__, "a leave that was never told");
}

/* At the end of that tick, in which it was in the world. */
static uint32_t depth_at(const history *h, uint64_t tick, model_key key)
{
    const history_entity *e = history_entity_at(h, tick, key);
    REQUIRE(e != NULL);
    return e->depth;
}

static int by_kind_then_id(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    if (l->kind != r->kind) {
        return l->kind < r->kind ? -1 : 1;
    }
    if (l->key.id != r->key.id) {
        return l->key.id < r->key.id ? -1 : 1;
    }
    return l->key.incarnation < r->key.incarnation ? -1 : l->key.incarnation > r->key.incarnation;
}

static int enters_in_order(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    return l->depth != r->depth ? (l->depth < r->depth ? -1 : 1) : by_kind_then_id(a, b);
}

static int leaves_in_order(const void *a, const void *b)
{
    const model_target *l = a;
    const model_target *r = b;
    return l->depth != r->depth ? (l->depth > r->depth ? -1 : 1) : by_kind_then_id(a, b);
}

/* The tick in which this observer last became ready (or entered ready), up to `last`, where it is. */
static uint64_t settled_since(const history *h, model_key observer, uint64_t last)
{
    uint64_t tick = last;
    for (;; tick--) {
        const history_entity *now = history_entity_at(h, tick, observer);
        const history_entity *before = history_entity_at(h, tick - 1, observer);
        if (before == NULL || !before->settled || before->consumer != now->consumer || (now->changed && now->fresh)) {
            return tick;
        }
    }
}

/* The observer as it was in the last tick of first..last in which it had a change; NULL when it had none. */
static const history_entity *last_change(const history *h, model_key observer, uint64_t first, uint64_t last)
{
    for (uint64_t tick = last; tick >= first && tick != 0; tick--) {
        const history_entity *o = history_entity_at(h, tick, observer);
        if (o != NULL && o->changed) {
            return o;
        }
    }
    return NULL;
}

static void net_of(const history *h, const history_entity *o, uint64_t first, uint64_t last, change_list *changes)
{
    uint64_t since = settled_since(h, o->key, last);
    const history_entity *base = since < first ? history_entity_at(h, first - 1, o->key) : NULL;
    const history_entity *changed = last_change(h, o->key, since > first ? since : first, last);
    if (changed == NULL) {
        return;
    }
    model_change change = {.observer = o->key, .user_data = o->user_data, .consumer = o->consumer};
    change.more = changed->more;
    change.fresh = base == NULL || last_change(h, o->key, since, first - 1) == NULL;
    for (size_t i = 0; base != NULL && i < base->list_count; i++) {
        if (!history_listed(h, last, o->key, base->list[i])) {
            uint64_t tick = last_leave(h, o->key, base->list[i], last);
            model_target target = target_at(h, tick, base->list[i]);
            target.depth = depth_at(h, tick - 1, base->list[i]);
            target.cause = cause_at(h, tick, o->key, base->list[i]);
            VEC_PUSH(&change.targets, target);
        }
    }
    change.leave_count = (uint32_t)change.targets.count;
    for (size_t i = 0; i < o->list_count; i++) {
        if (base == NULL || !history_listed(h, first - 1, o->key, o->list[i])) {
            model_target target = target_at(h, last, o->list[i]);
            target.depth = depth_at(h, last, o->list[i]);
            bool stayed = history_entity_at(h, first - 1, o->list[i]) != NULL;
            target.cause = stayed ? PH_CAUSE_CAME : PH_CAUSE_APPEARED;
            target.at = history_entity_at(h, last, o->list[i])->at;
            VEC_PUSH(&change.targets, target);
        }
    }
    change.enter_count = (uint32_t)change.targets.count - change.leave_count;
    if (change.targets.count == 0 && !change.fresh) {
        return;
    }
    if (change.targets.count != 0) {
        qsort(change.targets.items, change.leave_count, sizeof(model_target), leaves_in_order);
        qsort(change.targets.items + change.leave_count, change.enter_count, sizeof(model_target), enters_in_order);
    }
    VEC_PUSH(changes, change);
}

void history_changes(const history *h, uint32_t consumer, uint64_t first, uint64_t last, change_list *changes)
{
    REQUIRE(first >= 1 && last < h->ticks.count);
    const history_tick *end = &h->ticks.items[last];
    for (size_t i = 0; first <= last && i < end->entities.count; i++) {
        const history_entity *o = &end->entities.items[i];
        if (o->settled && o->consumer == consumer) {
            net_of(h, o, first, last, changes);
        }
    }
}

/* As it was in the last of the ticks that had it: gone since, its other edge went to the consumer it had by then. */
static uint64_t last_user_data(const history *h, uint64_t first, uint64_t last, model_key key)
{
    uint64_t tick = last;
    while (tick > first && history_entity_at(h, tick, key) == NULL && !departed_in(h, tick, key)) {
        tick--;
    }
    return target_at(h, tick, key).user_data;
}

void history_edges(const history *h, uint32_t consumer, uint64_t first, uint64_t last, edge_list *edges)
{
    for (uint64_t tick = first; tick <= last; tick++) {
        const history_tick *t = &h->ticks.items[tick];
        for (size_t i = 0; i < t->edges.count; i++) {
            const model_edge *edge = &t->edges.items[i];
            size_t at = 0;
            while (at < edges->count &&
                   !(same_key(edges->items[at].entity, edge->entity) && edges->items[at].area == edge->area)) {
                at++;
            }
            if (edge->consumer != consumer) {
                continue;
            }
            if (at < edges->count) {
                REQUIRE(edges->items[at].on != edge->on);
                VEC_REMOVE(edges, at);
            } else {
                VEC_PUSH(edges, *edge);
            }
        }
    }
    for (size_t i = 0; i < edges->count; i++) {
        model_edge *edge = &edges->items[i];
        edge->user_data = edge->on ? last_user_data(h, first, last, edge->entity) : edge->user_data;
    }
}

void changes_free(change_list *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        VEC_FREE(&changes->items[i].targets);
    }
    VEC_FREE(changes);
}
