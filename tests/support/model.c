/*
 * The model's world: entities, refusals at submit, and the effect of each command in its
 * tick. See model.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_parts.h"

/* ---- entities ---- */

size_t model_place(const model *m, uint64_t id, bool *found)
{
    size_t low = 0;
    size_t high = m->entities.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->entities.items[middle]->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = low < m->entities.count && m->entities.items[low]->id == id;
    return low;
}

model_entity *model_entity_of(const model *m, uint64_t id)
{
    bool found = false;
    size_t place = model_place(m, id, &found);
    return found ? m->entities.items[place] : NULL;
}

static void entity_free(model_entity *e)
{
    VEC_FREE(&e->pairs);
    VEC_FREE(&e->links);
    VEC_FREE(&e->hides);
    VEC_FREE(&e->reveals);
    VEC_FREE(&e->list);
    VEC_FREE(&e->areas);
    VEC_FREE(&e->waits);
    free(e);
}

static const model_entity *root_of(const model *m, const model_entity *e)
{
    while (e->parent != 0) {
        e = model_entity_of(m, e->parent);
        REQUIRE(e != NULL);
    }
    return e;
}

bool model_ready_given(const model *m, const model_entity *e)
{
    return (e->own.given & PH_READY) != 0 ? e->own.ready : m->classes[e->own.kind].ready;
}

ph_attrs model_resolve(const model *m, const model_entity *e)
{
    ph_attrs a = e->own;
    const ph_class *c = &m->classes[a.kind];
    uint32_t given = MUTATE(MUTANT_GIVEN_FORGOTTEN, a.given, a.kind != 0 ? a.given & ~(uint32_t)PH_VIEW : a.given);
    if (MUTATE(MUTANT_KIND_STICKS, false, (a.given & PH_KIND) != 0 && e->settled)) {
        c = &m->classes[e->now.kind];
    }
    a.view = (given & PH_VIEW) != 0 ? a.view : c->view;
    a.margin = (given & PH_MARGIN) != 0 ? a.margin : c->margin;
    a.reach = (given & PH_REACH) != 0 ? a.reach : c->reach;
    a.visible = (given & PH_VISIBLE) != 0 ? a.visible : c->visible;
    a.layers = (given & PH_LAYERS) != 0 ? a.layers : c->layers;
    a.sees = (given & PH_SEES) != 0 ? a.sees : c->sees;
    a.veiled = (given & PH_VEILED) != 0 ? a.veiled : c->veiled;
    a.stealth = (given & PH_STEALTH) != 0 ? a.stealth : c->stealth;
    a.detect = (given & PH_DETECT) != 0 ? a.detect : c->detect;
    a.global = (given & PH_GLOBAL) != 0 ? a.global : c->global;
    a.ready = ((given & PH_READY) != 0 ? a.ready : c->ready) && !MUTATE(MUTANT_REMOTE_OBSERVES, a.remote, false);
    a.cap = (given & PH_CAP) != 0 ? a.cap : c->cap;
    a.priority = (given & PH_PRIORITY) != 0 ? a.priority : c->priority;
    a.given = PH_GIVEN_ALL;
    const model_entity *root = root_of(m, e);
    if (MUTATE(MUTANT_ATTACH_ONE, false, e->parent != 0 && root->id != e->parent)) {
        root = model_entity_of(m, e->parent);
    }
    a.x = root->own.x;
    a.y = root->own.y;
    a.z = root->own.z;
    a.instance = MUTATE(MUTANT_ATTACH_INSTANCE, root->own.instance, e->own.instance);
    return a;
}

/* ---- life of the model ---- */

static void def_take(const ph_world_def *def, ph_world_def *copy, ph_class *classes)
{
    REQUIRE(def->class_count <= MODEL_KINDS_MAX);
    *copy = *def;
    memcpy(classes, def->classes, def->class_count * sizeof *classes);
    copy->classes = classes;
}

model *model_create(const ph_world_def *def)
{
    model *m = check_zalloc(sizeof *m);
    def_take(def, &m->def, m->classes);
    return m;
}

static void changes_clear(model *m)
{
    for (size_t i = 0; i < m->changes.count; i++) {
        VEC_FREE(&m->changes.items[i].targets);
    }
    m->changes.count = 0;
}

void model_destroy(model *m)
{
    for (size_t i = 0; i < m->entities.count; i++) {
        entity_free(m->entities.items[i]);
    }
    VEC_FREE(&m->entities);
    for (size_t i = 0; i < MODEL_PRODUCERS_MAX; i++) {
        VEC_FREE(&m->queues[i].commands);
        VEC_FREE(&m->queues[i].sequences);
    }
    changes_clear(m);
    VEC_FREE(&m->changes);
    model_clear_heard(m);
    VEC_FREE(&m->heard);
    model_clear_updates(m);
    VEC_FREE(&m->updates);
    VEC_FREE(&m->messages);
    VEC_FREE(&m->edges);
    VEC_FREE(&m->areas);
    VEC_FREE(&m->refusals);
    VEC_FREE(&m->departed);
    free(m);
}

void model_reconfigure(model *m, const ph_world_def *def)
{
    def_take(def, &m->next_def, m->next_classes);
    m->reconfigured = MUTATE(MUTANT_RELOAD_LATE, 1u, 2u);
}

/* ---- submit ---- */

bool model_coordinate_ok(float v)
{
    return v >= -PH_COORDINATE_MAX && v <= PH_COORDINATE_MAX;
}

bool model_radius_ok(float r)
{
    return MUTATE(MUTANT_BOUND, r <= PH_LENGTH_MAX, r < PH_LENGTH_MAX) && r >= 0;
}

static ph_status check_attrs(const model *m, const command *c)
{
    const ph_attrs *a = &c->attrs;
    bool enter = c->type == COMMAND_ENTER;
    const uint32_t needed = PH_X | PH_Y;
    if (enter && (a->given & needed) != needed) {
        return PH_NOT_GIVEN;
    }
    bool z_ok = model_coordinate_ok(a->z) || MUTATE(MUTANT_INFINITE, false, isinf(a->z) != 0);
    if (((a->given & PH_X) != 0 && !model_coordinate_ok(a->x)) ||
        ((a->given & PH_Y) != 0 && !model_coordinate_ok(a->y)) || ((a->given & PH_Z) != 0 && !z_ok)) {
        return PH_BAD_POSITION;
    }
    bool margin_ok = model_radius_ok(a->margin) || MUTATE(MUTANT_NEGATIVE_RADIUS, false, a->margin < 0);
    if (((a->given & PH_VIEW) != 0 && !model_radius_ok(a->view)) || ((a->given & PH_MARGIN) != 0 && !margin_ok) ||
        ((a->given & PH_REACH) != 0 && !model_radius_ok(a->reach)) ||
        ((a->given & PH_VISIBLE) != 0 && !model_radius_ok(a->visible))) {
        return PH_BAD_RADIUS;
    }
    if ((a->given & PH_KIND) != 0 && a->kind >= m->def.class_count) {
        return PH_BAD_KIND;
    }
    if ((a->given & ~(uint32_t)PH_GIVEN_ALL) != 0 || ((a->given & PH_CAP) != 0 && a->cap > INT32_MAX)) {
        return PH_BAD_VALUE;
    }
    uint32_t consumers = m->def.consumers != 0 ? m->def.consumers : 1;
    if ((a->given & PH_CONSUMER) != 0 && a->consumer >= consumers) {
        return PH_BAD_VALUE;
    }
    return PH_OK;
}

static bool takes_two(command_type type)
{
    return type == COMMAND_PAIR || type == COMMAND_UNPAIR || type == COMMAND_LINK || type == COMMAND_UNLINK ||
           type == COMMAND_HIDE || type == COMMAND_UNHIDE || type == COMMAND_REVEAL || type == COMMAND_UNREVEAL ||
           type == COMMAND_ATTACH;
}

static ph_status check_command(const model *m, const command *c)
{
    if (c->type == COMMAND_BROADCAST_AT) {
        bool good = model_coordinate_ok(c->say.x) && model_coordinate_ok(c->say.y);
        return good ? model_check_say(m, &c->say) : PH_BAD_POSITION;
    }
    if (c->id == 0 || (takes_two(c->type) && c->other == 0)) {
        return PH_BAD_ID;
    }
    if (c->type == COMMAND_ENTER || c->type == COMMAND_SET) {
        return check_attrs(m, c);
    }
    if (c->type == COMMAND_MOVE) {
        bool good =
            model_coordinate_ok(c->attrs.x) && model_coordinate_ok(c->attrs.y) && model_coordinate_ok(c->attrs.z);
        return good ? PH_OK : PH_BAD_POSITION;
    }
    if (c->type == COMMAND_BROADCAST) {
        return model_check_say(m, &c->say);
    }
    if (c->type == COMMAND_AREA_SET) {
        return model_check_area(m, c);
    }
    if (c->type == COMMAND_PAIR && (!model_radius_ok(c->attrs.view) || !model_radius_ok(c->attrs.margin))) {
        return PH_BAD_RADIUS;
    }
    bool begins =
        c->type == COMMAND_PAIR || c->type == COMMAND_LINK || c->type == COMMAND_HIDE || c->type == COMMAND_REVEAL;
    if (begins && c->id == c->other) {
        return PH_SAME_ID;
    }
    return PH_OK;
}

ph_status model_submit(model *m, uint32_t producer, const command *c)
{
    REQUIRE(producer < MODEL_PRODUCERS_MAX);
    model_queue *queue = &m->queues[producer];
    queue->sequence++;
    ph_status status = check_command(m, c);
    if (status != PH_OK) {
        m->counts.refused[status]++;
        return status;
    }
    m->counts.commands++;
    VEC_PUSH(&queue->commands, *c);
    VEC_PUSH(&queue->sequences, queue->sequence);
    return PH_OK;
}

uint64_t model_sequence(const model *m, uint32_t producer)
{
    return m->queues[producer].sequence;
}

/* ---- effects of commands ---- */

static void own_merge(ph_attrs *own, const ph_attrs *a, uint32_t given)
{
#define MERGE(bit, field) own->field = (given & (bit)) != 0 ? a->field : own->field
    MERGE(PH_X, x);
    MERGE(PH_Y, y);
    MERGE(PH_Z, z);
    MERGE(PH_KIND, kind);
    MERGE(PH_VIEW, view);
    MERGE(PH_MARGIN, margin);
    MERGE(PH_REACH, reach);
    MERGE(PH_VISIBLE, visible);
    MERGE(PH_LAYERS, layers);
    MERGE(PH_SEES, sees);
    MERGE(PH_VEILED, veiled);
    MERGE(PH_STEALTH, stealth);
    MERGE(PH_DETECT, detect);
    MERGE(PH_GLOBAL, global);
    MERGE(PH_READY, ready);
    MERGE(PH_CAP, cap);
    MERGE(PH_PRIORITY, priority);
    MERGE(PH_USER_DATA, user_data);
    MERGE(PH_CONSUMER, consumer);
    MERGE(PH_INSTANCE, instance);
    MERGE(PH_REMOTE, remote);
#undef MERGE
    own->given |= given;
    own->given &= own->remote ? UINT32_MAX : ~(uint32_t)PH_REMOTE;
}

static ph_status apply_enter(model *m, const command *c)
{
    bool found = false;
    size_t place = model_place(m, c->id, &found);
    uint32_t most = m->def.entities_max + MUTATE(MUTANT_CAPACITY_ONE, 0u, 1u);
    bool full = m->entities.count >= most;
    if (found && MUTATE(MUTANT_EXISTS_REPLACES, false, true)) {
        own_merge(&m->entities.items[place]->own, &c->attrs, PH_X | PH_Y);
    }
    if (full && MUTATE(MUTANT_CAPACITY_FIRST, !found, true)) {
        return PH_CAPACITY;
    }
    if (found) {
        return PH_EXISTS;
    }
    model_entity *e = check_zalloc(sizeof *e);
    e->id = c->id;
    e->incarnation = ++m->incarnations;
    own_merge(&e->own, &c->attrs, c->attrs.given);
    VEC_INSERT(&m->entities, place, e);
    return PH_OK;
}

/* The child stays where its root is at this moment. */
static void detach(model *m, model_entity *child)
{
    const model_entity *root = root_of(m, child);
    if (MUTATE(MUTANT_DETACH_JUMPS, true, false)) {
        child->own.x = root->own.x;
        child->own.y = root->own.y;
        child->own.z = root->own.z;
    }
    child->own.instance = root->own.instance;
    child->parent = 0;
}

static void detach_relatives(model *m, model_entity *e)
{
    for (size_t i = 0; i < m->entities.count; i++) {
        if (m->entities.items[i]->parent == e->id) {
            detach(m, m->entities.items[i]);
        }
    }
    if (e->parent != 0) {
        detach(m, e);
    }
}

static void forget_id(model_ids *ids, uint64_t id)
{
    for (size_t i = ids->count; i-- > 0;) {
        if (ids->items[i] == id) {
            VEC_REMOVE(ids, i);
        }
    }
}

static void forget_target(model_entity *e, uint64_t id)
{
    for (size_t i = e->pairs.count; i-- > 0;) {
        if (e->pairs.items[i].target == id && MUTATE(MUTANT_PAIR_OUTLIVES, true, false)) {
            VEC_REMOVE(&e->pairs, i);
        }
    }
    if (MUTATE(MUTANT_LINK_OUTLIVES, true, false)) {
        forget_id(&e->links, id);
    }
    if (MUTATE(MUTANT_HIDE_OUTLIVES, true, false)) {
        forget_id(&e->hides, id);
    }
    if (MUTATE(MUTANT_REVEAL_OUTLIVES, true, false)) {
        forget_id(&e->reveals, id);
    }
}

static ph_status apply_leave(model *m, const command *c)
{
    bool found = false;
    size_t place = model_place(m, c->id, &found);
    if (!found) {
        return PH_UNKNOWN_ID;
    }
    model_entity *gone = m->entities.items[place];
    uint64_t orphan = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        model_entity *e = m->entities.items[i];
        if (e->parent == gone->id) {
            detach(m, e);
            orphan = e->id;
        }
        forget_target(e, gone->id);
    }
    model_departed departed = {{gone->id, gone->incarnation}, gone->own.kind, gone->depth, gone->own.user_data};
    VEC_PUSH(&m->departed, departed);
    model_zones_gone(m, gone);
    VEC_REMOVE(&m->entities, place);
    entity_free(gone);
    if (orphan != 0 && MUTATE(MUTANT_ORPHANS_LEAVE, false, true)) {
        command too = {.type = COMMAND_LEAVE, .id = orphan};
        return apply_leave(m, &too);
    }
    return PH_OK;
}

static ph_status apply_move(model *m, const command *c)
{
    model_entity *e = model_entity_of(m, c->id);
    if (e == NULL) {
        return PH_UNKNOWN_ID;
    }
    if (e->parent != 0 && MUTATE(MUTANT_ATTACH_MOVES, true, false)) {
        return PH_ATTACHED;
    }
    own_merge(&e->own, &c->attrs, PH_POSITION);
    return PH_OK;
}

/* The whole list is told in this tick, unless there never was any; a first change begins a list in any case. */
static void begin_anew(const model *m, model_entity *e)
{
    ph_attrs now = model_resolve(m, e);
    e->anew = e->anew || (now.ready && now.view > 0) || e->list.count != 0;
    e->had_change = MUTATE(MUTANT_RESEND_KEEPS, false, e->had_change);
}

void model_end_list(const model *m, model_entity *e)
{
    begin_anew(m, e);
    bool stays = MUTATE(MUTANT_READY_RESTORES, false, true) || MUTATE(MUTANT_READY_KEEPS, false, true) ||
                 MUTATE(MUTANT_NOT_READY_TOLD, false, true);
    e->list.count = stays ? e->list.count : 0;
}

/* The attributes decide to which consumer, and from where on, the list is told. */
static void set_attrs(const model *m, model_entity *e, const ph_attrs *attrs)
{
    model_entity next = *e;
    own_merge(&next.own, attrs, attrs->given);
    if (next.own.consumer != e->own.consumer && MUTATE(MUTANT_CONSUMER_KEEPS, true, false)) {
        begin_anew(m, e);
        e->hands = true;
    }
    if (model_resolve(m, e).ready && !model_resolve(m, &next).ready) {
        model_end_list(m, e);
    }
    own_merge(&e->own, attrs, attrs->given);
}

static ph_status apply_resend(model *m, const command *c)
{
    model_entity *e = model_entity_of(m, c->id);
    if (e == NULL) {
        return PH_UNKNOWN_ID;
    }
    begin_anew(m, e);
    return PH_OK;
}

static ph_status apply_set(model *m, const command *c)
{
    model_entity *e = model_entity_of(m, c->id);
    if (e == NULL) {
        return PH_UNKNOWN_ID;
    }
    const uint32_t placed = PH_POSITION | MUTATE(MUTANT_ATTACH_OWN_INSTANCE, (uint32_t)PH_INSTANCE, 0u);
    if (e->parent != 0 && (c->attrs.given & placed) != 0) {
        if (MUTATE(MUTANT_ATTACH_HALF, false, true)) {
            own_merge(&e->own, &c->attrs, c->attrs.given & ~(uint32_t)PH_POSITION);
        }
        return PH_ATTACHED;
    }
    const bool turns = (c->attrs.given & PH_REMOTE) != 0 && c->attrs.remote != e->own.remote;
    if (MUTATE(MUTANT_REMOTE_HANGS, turns, false)) {
        detach_relatives(m, e);
    }
    set_attrs(m, e, &c->attrs);
    return PH_OK;
}

static ph_status apply_pair(model_entity *o, const command *c)
{
    size_t at = 0;
    while (at < o->pairs.count && o->pairs.items[at].target != c->other) {
        at++;
    }
    if (c->type == COMMAND_UNPAIR) {
        if (at == o->pairs.count) {
            return PH_ABSENT;
        }
        VEC_REMOVE(&o->pairs, at);
        return PH_OK;
    }
    model_pair pair = {c->other, c->attrs.view, c->attrs.margin};
    if (at < o->pairs.count) {
        o->pairs.items[at] = pair;
    } else {
        VEC_PUSH(&o->pairs, pair);
    }
    return PH_OK;
}

/* Link, hide, reveal, and their ends. */
static ph_status apply_id(model_ids *ids, uint64_t id, bool ends)
{
    size_t at = 0;
    while (at < ids->count && ids->items[at] != id) {
        at++;
    }
    bool there = at < ids->count;
    if (ends) {
        if (!there) {
            return MUTATE(MUTANT_ABSENT_OK, PH_ABSENT, PH_OK);
        }
        VEC_REMOVE(ids, at);
    } else if (!there) {
        VEC_PUSH(ids, id);
    } else {
        return MUTATE(MUTANT_LINK_TWICE, PH_OK, PH_EXISTS);
    }
    return PH_OK;
}

unsigned model_depth(const model *m, const model_entity *e)
{
    unsigned depth = 0;
    for (; e->parent != 0; e = model_entity_of(m, e->parent)) {
        depth++;
    }
    return depth;
}

static bool hangs_on(const model *m, const model_entity *e, uint64_t ancestor)
{
    while (e->id != ancestor && e->parent != 0) {
        e = model_entity_of(m, e->parent);
    }
    return e->id == ancestor;
}

/* Edges from e down to its lowest descendant. */
static unsigned height_of(const model *m, const model_entity *e)
{
    unsigned height = 0;
    for (size_t i = 0; i < m->entities.count; i++) {
        const model_entity *below = m->entities.items[i];
        if (hangs_on(m, below, e->id)) {
            unsigned edges = model_depth(m, below) - model_depth(m, e);
            height = edges > height ? edges : height;
        }
    }
    return height;
}

static ph_status apply_attach(model *m, model_entity *child, const model_entity *parent)
{
    if (child->parent == parent->id) {
        return PH_OK;
    }
    if (MUTATE(MUTANT_ATTACH_MIXED, child->own.remote != parent->own.remote, false)) {
        return PH_BAD_VALUE;
    }
    bool cycle = MUTATE(MUTANT_CYCLE_DIRECT, hangs_on(m, parent, child->id),
                        child->id == parent->id || (parent->parent == child->id));
    if (cycle) {
        return PH_CYCLE;
    }
    if (MUTATE(MUTANT_CYCLE_DIRECT, false, hangs_on(m, parent, child->id))) {
        return PH_OK; /* the mutant would hang on its own cycle */
    }
    unsigned depth = model_depth(m, parent) + 1 + MUTATE(MUTANT_DEPTH_CHILD, height_of(m, child), 0u);
    if (depth > PH_ATTACH_DEPTH_MAX + MUTATE(MUTANT_DEPTH, 0u, 1u)) {
        return PH_TOO_DEEP;
    }
    child->parent = parent->id;
    return PH_OK;
}

static ph_status apply_detach(model *m, const command *c)
{
    model_entity *child = model_entity_of(m, c->id);
    if (child == NULL) {
        return PH_UNKNOWN_ID;
    }
    if (child->parent == 0) {
        return PH_ABSENT;
    }
    detach(m, child);
    return PH_OK;
}

ph_status model_apply(model *m, const command *c)
{
    switch (c->type) {
    case COMMAND_ENTER:
        return apply_enter(m, c);
    case COMMAND_LEAVE:
        return apply_leave(m, c);
    case COMMAND_MOVE:
        return apply_move(m, c);
    case COMMAND_SET:
        return apply_set(m, c);
    case COMMAND_DETACH:
        return apply_detach(m, c);
    case COMMAND_RESEND:
        return apply_resend(m, c);
    case COMMAND_BROADCAST:
    case COMMAND_BROADCAST_AT:
        return model_apply_say(m, c);
    case COMMAND_AREA_SET:
    case COMMAND_AREA_REMOVE:
        return model_apply_area(m, c);
    default:
        break;
    }
    model_entity *one = model_entity_of(m, c->id);
    const model_entity *other = model_entity_of(m, c->other);
    if (one == NULL || other == NULL) {
        return PH_UNKNOWN_ID;
    }
    switch (c->type) {
    case COMMAND_PAIR:
    case COMMAND_UNPAIR:
        return apply_pair(one, c);
    case COMMAND_LINK:
    case COMMAND_UNLINK:
        return apply_id(&one->links, c->other, c->type == COMMAND_UNLINK);
    case COMMAND_HIDE:
    case COMMAND_UNHIDE:
        return apply_id(&one->hides, c->other, c->type == COMMAND_UNHIDE);
    case COMMAND_REVEAL:
    case COMMAND_UNREVEAL:
        return apply_id(&one->reveals, c->other, c->type == COMMAND_UNREVEAL);
    default:
        return apply_attach(m, one, other);
    }
}
