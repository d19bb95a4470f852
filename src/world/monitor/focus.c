/*
 * The focus; see focus.h.
 */
#include "world/monitor/focus.h"

#include <string.h>

#include "base/rng.h"
#include "shards/entity/heap.h"
#include "shards/query/explain.h"
#include "world/read/query.h"

/* ---- events: the difference of two lists ---- */

static bool id_is_larger(const phx_focus_before *a, const phx_focus_before *b)
{
    return a->id > b->id;
}

typedef struct list_copy {
    phx_focus_before *at;
    uint32_t count, room;
    bool cut;
} list_copy;

static bool copy_target(void *user, const phx_shard *shard, uint32_t slot)
{
    list_copy *copy = user;
    const phx_name *name = &shard->store.name[slot];
    copy->cut = copy->count == copy->room;
    if (!copy->cut) copy->at[copy->count++] = (phx_focus_before){name->id, name->incarnation, 0};
    return !copy->cut;
}

static void add_event(const phx_world *world, phx_monitor *monitor, uint64_t target, bool enter, ph_cause cause)
{
    if (monitor->event_count == monitor->def.events_max) {
        monitor->events_lost++;
        return;
    }
    monitor->events[monitor->event_count++] =
        (ph_monitor_event){.tick = world->tick, .target = target, .enter = enter, .cause = (uint8_t)cause};
}

/* The cause of a leave, as the events of batches have it. */
static ph_cause leave_cause(const phx_world *world, const phx_cause_observer *observer, const phx_focus_before *target)
{
    phx_shard *home;
    uint32_t slot;
    if (!phx_world_find(world, target->id, &home, &slot)) return PH_CAUSE_GONE;
    if (home->store.name[slot].incarnation != target->incarnation) return PH_CAUSE_GONE;
    return phx_cause_of_leave(&world->causes, home, observer, slot);
}

/* Did the incarnation come into the world in this tick? */
static bool came_now(const phx_world *world, uint32_t incarnation)
{
    const uint32_t before = world->causes.incarnations_before;
    return incarnation - before - 1 < world->incarnations - before;
}

static bool is_same(const phx_focus_before *a, const phx_focus_before *b)
{
    return a->id == b->id && a->incarnation == b->incarnation;
}

/* Leaves, then enters, from the lists before and now, both by id. */
static void add_events(const phx_world *world, phx_monitor *monitor, const phx_cause_observer *observer,
                       uint32_t now_count)
{
    const phx_focus_before *before = monitor->focus.before, *now = monitor->focus.now;
    const uint32_t before_count = monitor->focus.before_count;
    for (uint32_t i = 0, j = 0; i < before_count; i++) {
        while (j < now_count && now[j].id < before[i].id) j++;
        if (j == now_count || !is_same(&now[j], &before[i]))
            add_event(world, monitor, before[i].id, false, leave_cause(world, observer, &before[i]));
    }
    for (uint32_t i = 0, j = 0; i < now_count; i++) {
        while (j < before_count && before[j].id < now[i].id) j++;
        if (j < before_count && is_same(&before[j], &now[i])) continue;
        add_event(world, monitor, now[i].id, true,
                  came_now(world, now[i].incarnation) ? PH_CAUSE_APPEARED : PH_CAUSE_CAME);
    }
}

/* Events that were noted are of another focus, if it is one. */
static void begin_focus(phx_monitor *monitor, uint64_t id)
{
    if (id == monitor->focus.id) return;
    monitor->event_count = monitor->events_lost = 0;
    monitor->focus.unfollowed = false;
    monitor->focus.before_known = false;
    monitor->focus.id = id;
}

void phx_focus_leave(phx_monitor *monitor, uint64_t id)
{
    begin_focus(monitor, id);
    monitor->focus.unfollowed = id != 0;
    monitor->focus.before_known = false;
}

void phx_focus_follow(const phx_world *world, phx_monitor *monitor, uint64_t id)
{
    phx_focus *focus = &monitor->focus;
    phx_shard *shard;
    uint32_t slot;
    begin_focus(monitor, id);
    if (id == 0 || !phx_world_find(world, id, &shard, &slot)) {
        focus->before_known = false;
        return;
    }
    atomic_fetch_add_explicit(&monitor->followed, 1, memory_order_relaxed);
    list_copy copy = {.at = focus->now, .room = monitor->def.targets_max};
    (void)phx_query_each_listed(world, id, copy_target, &copy); /* it is in the world */
    PHX_HEAP_SORT(phx_focus_before, copy.at, copy.count, id_is_larger);
    const uint32_t incarnation = shard->store.name[slot].incarnation;
    if (focus->before_known && incarnation == focus->incarnation && !copy.cut) {
        const phx_cause_observer observer = phx_cause_observer_of(shard, slot);
        add_events(world, monitor, &observer, copy.count);
    }
    focus->now = focus->before;
    focus->before = copy.at;
    focus->before_count = copy.count;
    focus->before_known = !copy.cut;
    focus->incarnation = incarnation;
}

/* ---- the list, with reasons ---- */

/* Does a come behind b in the order of a cap? */
static bool comes_behind(const phx_focus_item *a, const phx_focus_item *b)
{
    if (a->always != b->always) return b->always;
    if (a->priority != b->priority) return a->priority < b->priority;
    if (a->square < b->square || a->square > b->square) return a->square > b->square;
    return a->target.id > b->target.id;
}

typedef struct focus_list {
    const phx_world *world;
    phx_monitor *monitor;
    const phx_shard *shard; /* of the focus */
    uint32_t slot, count;
} focus_list;

/* The upper half of an id through splitmix64's finalizer: ph_update has the rule. */
static uint32_t turn_hash(uint64_t id)
{
    return (uint32_t)(phx_mix64(id) >> 32);
}

/* Band and turn of a target by the rule of ph_update. */
static void set_band(const focus_list *list, float square, ph_monitor_target *target)
{
    enum { NO_BAND = 255, PHASE_BITS = 16 };
    const phx_store *store = &list->shard->store;
    const ph_class *class = &list->world->rules.classes[phx_store_attr(store, list->slot)->kind];
    uint8_t band = 0;
    target->band = NO_BAND;
    target->due = 0;
    if (class->band_count == 0) return;
    while (band + 1u < class->band_count && square > class->bands[band].radius * class->bands[band].radius) band++;
    const uint32_t every = class->bands[band].every;
    const uint32_t hash = turn_hash(store->name[list->slot].id) ^ turn_hash(target->id);
    const uint64_t phase = (hash * UINT32_C(2654435769)) >> PHASE_BITS;
    target->band = band;
    target->due = (uint16_t)((every - (list->world->tick + phase) % every) % every);
}

static phx_focus_item focus_item(const focus_list *list, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot], *observer = &list->shard->store.body[list->slot];
    const phx_attr *attr = phx_store_attr(store, slot);
    const phx_explain_side side = {store->name[slot].id, body, attr};
    const ph_reason reason = phx_shard_reason_listed(list->shard, list->slot, side);
    const float square = phx_rank_d2(&list->world->rules, observer, body);
    phx_focus_item item = {.target = {.id = side.id, .x = body->x, .y = body->y, .reason = (uint8_t)reason},
                           .always = reason == PH_REASON_GLOBAL || reason == PH_REASON_LINK,
                           .priority = attr->priority,
                           .square = square};
    set_band(list, square, &item.target);
    return item;
}

/* Keeps the first targets of the order. */
static bool add_item(void *user, const phx_shard *shard, uint32_t slot)
{
    focus_list *list = user;
    phx_focus *focus = &list->monitor->focus;
    const uint32_t room = list->monitor->def.targets_max;
    const phx_focus_item item = focus_item(list, &shard->store, slot);
    list->count++;
    if (focus->item_count < room) {
        focus->items[focus->item_count++] = item;
        for (uint32_t i = focus->item_count == room ? room / 2 : 0; i-- > 0;)
            PHX_HEAP_SIFT(phx_focus_item, focus->items, room, i, comes_behind);
    } else if (comes_behind(&focus->items[0], &item)) {
        focus->items[0] = item;
        PHX_HEAP_SIFT(phx_focus_item, focus->items, room, 0, comes_behind);
    }
    return true;
}

static void set_view_before_crowd(const phx_world *world, uint64_t id, ph_monitor_focus *to)
{
    const uint64_t *shrunk = phx_idmap_find(&world->crowd.shrunk, id);
    to->view_given = to->attrs.view;
    if (!shrunk) return;
    const uint32_t bits = (uint32_t)*shrunk;
    memcpy(&to->view_given, &bits, sizeof bits);
    to->step = (uint8_t)(*shrunk >> 32);
}

void phx_focus_fill(const phx_world *world, phx_monitor *monitor)
{
    ph_monitor_frame *frame = &monitor->frame;
    ph_monitor_focus *to = &frame->focus;
    phx_shard *shard;
    uint32_t slot;
    frame->event_count = monitor->event_count;
    frame->events_lost = monitor->events_lost;
    if (monitor->focus.unfollowed) frame->flags |= PH_FRAME_UNFOLLOWED;
    monitor->focus.unfollowed = false;
    monitor->event_count = monitor->events_lost = 0;
    monitor->focus.item_count = 0;
    *to = (ph_monitor_focus){.id = frame->view.focus, .targets = monitor->focus.targets};
    if (to->id == 0 || !phx_world_find(world, to->id, &shard, &slot)) return;
    focus_list list = {world, monitor, shard, slot, 0};
    (void)phx_query_each_listed(world, to->id, add_item, &list); /* it is in the world, as for its attributes: */
    (void)phx_query_entity(world, to->id, &to->attrs);
    to->attrs.given = phx_store_attr(&shard->store, slot)->given | PH_POSITION | PH_USER_DATA;
    set_view_before_crowd(world, to->id, to);
    to->found = true;
    to->parent = phx_attach_parent(&world->attach, to->id);
    to->height = world->def.height;
    to->shard = shard->number;
    to->tx = shard->store.body[slot].tx;
    to->ty = shard->store.body[slot].ty;
    to->awake = phx_activation_is(&shard->zones.activation, slot);
    to->list_count = list.count;
    to->target_count = monitor->focus.item_count;
    to->cut = list.count > to->target_count;
}

void phx_focus_order(phx_monitor *monitor)
{
    phx_focus *focus = &monitor->focus;
    phx_focus_item *items = focus->items;
    const uint32_t count = focus->item_count;
    PHX_HEAP_SORT(phx_focus_item, items, count, comes_behind);
    for (uint32_t i = 0; i < count; i++) {
        focus->targets[i] = items[i].target;
        focus->targets[i].rank = i + 1;
    }
}
