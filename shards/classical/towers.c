/*
 * index = towers: every tower has its entities and its subscribers; see README.md. An observer subscribes to the
 * towers of its span or, in range = radius, the towers that its view and margin reach. Both sets change only when an
 * entity crosses a border of towers. A change in a tower goes to its sync list. At the end of the tick's changes each
 * tower with a sync list notifies its observers once. A notified observer that stood still reads the sync lists of its
 * towers and nothing else.
 *
 * Written in the index phase by the shard's owner, read by all workers in the interest phase; see index.h. Changes are
 * noted one by one and applied at the end of the tick's changes, each as a whole or not at all.
 */
#include "shards/classical/towers.h"

#include <string.h>

#include "shards/classical/index_parts.h"
#include "shards/classical/slotset.h"
#include "shards/classical/towers_map.h"
#include "shards/simd/dispatch.h"

enum {
    STANDS = 1u << 0,  /* is in a tower's objects */
    WATCHES = 1u << 1, /* is among the subscribers of the towers of rect */
    WIDE = 1u << 2     /* would subscribe to too many towers: it is notified of every change */
};

/* A slot in the sets. */
typedef struct standing {
    phx_rect rect; /* the towers that it subscribes to */
    uint16_t tx, ty;
    uint16_t px, py;   /* its tower before, if it was noted in this tick and was in one */
    uint32_t noted;    /* the tick, in 32 bits, of its own last change */
    uint32_t notified; /* and of the last notification by a tower */
    uint32_t flags;
} standing;

typedef struct towers {
    phx_index index;
    phx_towers_map map;
    standing *at; /* by slot */
    uint32_t at_capacity;
    phx_slot_notes notes;
    uint32_t done; /* notes */
    uint32_t span; /* of the subscribers' rectangles */
} towers;

static bool by_towers(const towers *own)
{
    return own->index.env.rules->range == PH_RANGE_TOWERS;
}

static uint32_t area_of(phx_rect rect)
{
    uint64_t area = (uint64_t)(rect.x1 - rect.x0 + 1) * (uint64_t)(rect.y1 - rect.y0 + 1);
    return area > PHX_TOWERS_MAP_TOWERS_MAX ? PHX_TOWERS_MAP_TOWERS_MAX + 1 : (uint32_t)area;
}

/* ---- subscriptions ---- */

/* The flags and the rectangle that a slot should have. */
static uint32_t wanted_towers(const towers *own, uint32_t slot, phx_rect *rect)
{
    const phx_store *store = own->index.env.store;
    const phx_rules *rules = own->index.env.rules;
    const phx_body *body = &store->body[slot];
    float radius = body->state & PHX_SLOT_LIVE ? phx_index_radius(store, slot) : -1.0f;
    *rect = (phx_rect){0};
    if (radius < 0.0f) return 0;
    *rect = by_towers(own) ? phx_ninegrid_rect(rules, rules->span, body->tx, body->ty)
                           : phx_box_towers(rules, phx_index_box(store, slot, radius));
    return area_of(*rect) > PHX_TOWERS_MAP_TOWERS_MAX ? WIDE : WATCHES;
}

/* Towers that are in one rectangle and not in the other. */
typedef struct rim {
    phx_rect in, out;
    bool none; /* there is no other */
    uint32_t tx, ty;
} rim;

static bool next_of_rim(rim *at)
{
    for (;;) {
        if (++at->tx > at->in.x1) {
            at->tx = at->in.x0;
            at->ty++;
        }
        if (at->ty > at->in.y1) return false;
        if (at->none || !phx_rect_has(at->out, (uint16_t)at->tx, (uint16_t)at->ty)) return true;
    }
}

static rim rim_of(phx_rect in, bool other, phx_rect out)
{
    return (rim){.in = in, .out = out, .none = !other, .tx = in.x0 - 1u, .ty = in.y0}; /* before the first */
}

/* Subscribes the slot to the towers that it should have. false = no memory, its subscriptions are unchanged. */
static bool update_towers(towers *own, uint32_t slot)
{
    phx_mem *mem = own->index.env.mem;
    standing *at = &own->at[slot];
    phx_rect rect;
    uint32_t flags = wanted_towers(own, slot, &rect);
    bool was = at->flags & WATCHES, is = flags & WATCHES;
    if (memcmp(&rect, &at->rect, sizeof rect) == 0 && flags == (at->flags & (WATCHES | WIDE))) return true;
    rim more = rim_of(rect, was, at->rect), fewer = rim_of(at->rect, is, rect);
    for (rim i = more; is && next_of_rim(&i);)
        if (!phx_towers_map_need(&own->map, mem, (uint16_t)i.tx, (uint16_t)i.ty, true)) return false;
    for (; was && next_of_rim(&fewer); own->index.counts.steps++)
        phx_towers_map_remove(&own->map, mem, (uint16_t)fewer.tx, (uint16_t)fewer.ty, true, slot);
    for (; is && next_of_rim(&more); own->index.counts.steps++)
        phx_towers_map_add(&own->map, (uint16_t)more.tx, (uint16_t)more.ty, true, slot);
    at->rect = rect;
    at->flags = (at->flags & STANDS) | flags;
    return true;
}

/* ---- entities ---- */

/* Puts the slot into the tower of its body, or into none once it is dead. false = no memory, unchanged. */
static bool update_standing(towers *own, uint32_t slot)
{
    phx_mem *mem = own->index.env.mem;
    const phx_body *body = &own->index.env.store->body[slot];
    standing *at = &own->at[slot];
    bool is = body->state & PHX_SLOT_LIVE, was = at->flags & STANDS;
    if (is && was && at->tx == body->tx && at->ty == body->ty) return true;
    if (is && !phx_towers_map_need(&own->map, mem, body->tx, body->ty, false)) return false;
    if (was) phx_towers_map_remove(&own->map, mem, at->tx, at->ty, false, slot);
    if (is) phx_towers_map_add(&own->map, body->tx, body->ty, false, slot);
    own->index.counts.steps += (uint32_t)is + (uint32_t)was;
    at->tx = body->tx;
    at->ty = body->ty;
    at->flags = (at->flags & ~(uint32_t)STANDS) | (is ? STANDS : 0);
    return true;
}

/* Adds a change to the sync lists of the old and the new tower. */
static void sync_change(towers *own, uint32_t slot, const standing *before)
{
    const phx_body *body = &own->index.env.store->body[slot];
    const standing *now = &own->at[slot];
    uint64_t tick = own->index.tick;
    bool was = before->flags & STANDS, is = now->flags & STANDS;
    bool crossed = !was || !is || before->tx != now->tx || before->ty != now->ty;
    bool notified = crossed || !by_towers(own) ||
                    (body->state & PHX_SLOT_DISCONTINUOUS); /* by towers, the position inside a tower has no effect */
    if (was && crossed) phx_towers_map_sync(&own->map, before->tx, before->ty, slot, tick, true);
    if (is) phx_towers_map_sync(&own->map, now->tx, now->ty, slot, tick, notified);
}

static bool do_note(towers *own, uint32_t slot)
{
    standing *at = &own->at[slot];
    if (!update_towers(own, slot)) return false;
    standing before = *at;
    if (!update_standing(own, slot)) return false;
    sync_change(own, slot, &before);
    at->px = before.tx;
    at->py = before.ty;
    at->noted = (uint32_t)own->index.tick;
    return true;
}

/* Applies another span: the rectangle of every observer changes. false = no memory. */
static bool apply_new_span(towers *own)
{
    uint32_t span = own->index.env.rules->span;
    if (span == own->span || !by_towers(own)) return true;
    for (uint32_t slot = 0; slot < own->index.env.store->slots; slot++)
        if ((own->at[slot].flags & (WATCHES | WIDE)) && !update_towers(own, slot)) return false;
    own->span = span;
    return true;
}

/* Notifies the observers of each tower with a sync list. */
static void notify_subscribers(towers *own)
{
    uint32_t tick = (uint32_t)own->index.tick;
    for (uint32_t i = 0; i < own->map.synced_count; i++) {
        const phx_list *set = &phx_towers_map_tower_at(&own->map, own->map.synced[i])->subscribers;
        const uint32_t *subscribers = phx_list_entries(&own->map.pool, set);
        for (uint32_t w = 0; w < set->count; w++) own->at[subscribers[w]].notified = tick;
        own->index.counts.steps += set->count;
    }
}

static bool tower_index_end_changes(phx_index *index)
{
    towers *own = (towers *)index;
    if (!phx_towers_map_reserve_syncs(&own->map, index->env.mem, own->notes.count) || !apply_new_span(own))
        return false;
    for (; own->done < own->notes.count; own->done++)
        if (!do_note(own, own->notes.slots[own->done])) return false;
    notify_subscribers(own);
    return true;
}

/* ---- changes ---- */

static bool tower_index_reserve(phx_index *index, uint32_t slots)
{
    towers *own = (towers *)index;
    phx_mem *mem = index->env.mem;
    return phx_slot_notes_reserve(&own->notes, mem, slots) &&
           phx_grow_zeroed(mem, (void **)&own->at, &own->at_capacity, slots, sizeof(standing));
}

static void tower_index_begin_tick(phx_index *index, uint64_t tick)
{
    towers *own = (towers *)index;
    (void)tick;
    phx_towers_map_begin(&own->map);
    own->notes.count = own->done = 0;
}

static void tower_index_note(phx_index *index, uint32_t slot)
{
    phx_slot_notes_add(&((towers *)index)->notes, slot);
}

/* ---- candidates ---- */

static void emit_tower_set(phx_sink *sink, const phx_towers_map *map, const phx_list *set)
{
    phx_sink_give(sink, phx_list_entries(&map->pool, set), set->count);
}

static void tower_index_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const towers *own = (const towers *)index;
    const phx_list none = phx_slotset_empty(), *held = &none; /* given once the next tower's bodies are prefetched */
    phx_towers_map_walk walk = phx_towers_map_open(&own->map, phx_box_towers(index->env.rules, box));
    for (const phx_towers_map_tower *tower; (tower = phx_towers_map_next(&walk)) != NULL; sink->visited++) {
        const uint32_t *slots = phx_list_entries(&own->map.pool, &tower->objects);
        for (uint32_t i = 0; i < tower->objects.count; i++) __builtin_prefetch(&index->env.store->body[slots[i]]);
        emit_tower_set(sink, &own->map, held);
        held = &tower->objects;
    }
    emit_tower_set(sink, &own->map, held);
}

static bool tower_index_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const towers *own = (const towers *)index;
    const standing *at = &own->at[observer];
    uint32_t tick = (uint32_t)index->tick;
    (void)box;
    if ((at->flags & WIDE) || at->notified == tick) return true;
    if (!by_towers(own) || phx_store_attr(index->env.store, observer)->cap == 0) return false;
    /* at a cap, the position inside a tower counts */
    phx_towers_map_walk walk = phx_towers_map_open(&own->map, at->rect);
    for (const phx_towers_map_tower *tower; (tower = phx_towers_map_next(&walk)) != NULL;)
        if (tower->moved == tick) return true;
    return false;
}

static void emit_synced(const towers *own, const phx_towers_map_tower *tower, phx_sink *sink)
{
    if (tower->synced != own->index.tick) return;
    for (uint32_t i = tower->sync; i != PHX_TOWERS_MAP_NONE; i = own->map.syncs[i].next)
        sink->take(sink, &own->map.syncs[i].slot, 1);
}

/* Gives all sync lists of a rectangle, and all entities of its towers that are not in the other one. */
static void emit_rect_difference(const towers *own, phx_rect rect, phx_rect other, phx_sink *sink)
{
    phx_towers_map_walk walk = phx_towers_map_open(&own->map, rect);
    for (const phx_towers_map_tower *tower; (tower = phx_towers_map_next(&walk)) != NULL; sink->visited++) {
        emit_synced(own, tower, sink);
        if (!phx_rect_has(other, walk.tx, walk.ty)) emit_tower_set(sink, &own->map, &tower->objects);
    }
}

static bool tower_index_differ(const phx_index *index, uint32_t observer, phx_sink *sink)
{
    const towers *own = (const towers *)index;
    const standing *at = &own->at[observer];
    bool itself = at->noted == (uint32_t)index->tick;
    if (itself && !by_towers(own)) return false; /* every target in view may differ */
    bool crossed = itself && (at->px != at->tx || at->py != at->ty);
    phx_rect before = crossed ? phx_ninegrid_rect(index->env.rules, own->span, at->px, at->py) : at->rect;
    if (crossed && ((at->flags & WIDE) || area_of(before) > PHX_TOWERS_MAP_TOWERS_MAX)) return false;
    if (at->flags & WIDE) {
        phx_sink_give(sink, own->notes.slots, own->notes.count);
        return true;
    }
    emit_rect_difference(own, at->rect, before, sink);
    if (crossed) emit_rect_difference(own, before, at->rect, sink);
    return true;
}

/* ---- lifetime ---- */

static void tower_index_release(phx_index *index)
{
    towers *own = (towers *)index;
    phx_mem *mem = index->env.mem;
    phx_towers_map_free(&own->map, mem);
    phx_release(mem, (void **)&own->at, &own->at_capacity, sizeof(standing));
    phx_slot_notes_free(&own->notes, mem);
}

static bool tower_index_init(phx_index *index)
{
    towers *own = (towers *)index;
    const phx_rules *rules = index->env.rules;
    phx_towers_map_init(&own->map, index->env.mem, phx_kernels_of(rules->simd));
    own->span = rules->span;
    return true;
}

/* ---- validation ---- */

static bool slot_valid(const towers *own, uint32_t slot, uint64_t *places)
{
    const standing *at = &own->at[slot];
    const phx_body *body = &own->index.env.store->body[slot];
    phx_rect rect;
    uint32_t flags = wanted_towers(own, slot, &rect);
    if (at->flags != (STANDS | flags) || memcmp(&rect, &at->rect, sizeof rect) != 0) return false;
    uint32_t tower = phx_towers_map_find(&own->map, body->tx, body->ty);
    if (tower == PHX_TOWERS_MAP_NONE) return false;
    if (!phx_slotset_has(&own->map.pool, &phx_towers_map_tower_at(&own->map, tower)->objects, slot)) return false;
    *places += 1 + (flags & WATCHES ? area_of(rect) : 0);
    for (rim i = rim_of(rect, false, rect); (flags & WATCHES) && next_of_rim(&i);) {
        tower = phx_towers_map_find(&own->map, (uint16_t)i.tx, (uint16_t)i.ty);
        if (tower == PHX_TOWERS_MAP_NONE) return false;
        if (!phx_slotset_has(&own->map.pool, &phx_towers_map_tower_at(&own->map, tower)->subscribers, slot))
            return false;
    }
    return true;
}

static bool tower_index_valid(const phx_index *index)
{
    const towers *own = (const towers *)index;
    const phx_store *store = index->env.store;
    const phx_rect all = {0, 0, UINT16_MAX, UINT16_MAX};
    uint64_t places = 0, there = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if ((store->body[slot].state & PHX_SLOT_LIVE) && !slot_valid(own, slot, &places)) return false;
    phx_towers_map_walk walk = phx_towers_map_open(&own->map, all);
    for (const phx_towers_map_tower *tower; (tower = phx_towers_map_next(&walk)) != NULL;)
        there += tower->objects.count + tower->subscribers.count;
    return places == there && phx_towers_map_valid(&own->map);
}

const phx_index_ops phx_index_towers = {
    .serves_towers = true,
    .bytes = sizeof(towers),
    .init = tower_index_init,
    .release = tower_index_release,
    .reserve = tower_index_reserve,
    .begin = tower_index_begin_tick,
    .insert = tower_index_note,
    .remove = tower_index_note,
    .move = tower_index_note,
    .turn = tower_index_end_changes,
    .around = tower_index_around,
    .any_dirty_near = tower_index_dirty,
    .differ = tower_index_differ,
    .valid = tower_index_valid,
};
