/*
 * Activation of own NPCs; see activation.h.
 */
#include "shards/zones/activation.h"

#include <string.h>

#include "shards/entity/bounds.h"

void phx_activation_init(phx_activation *activation, phx_mem *mem)
{
    *activation = (phx_activation){.first = PHX_SLOT_NONE, .last = PHX_SLOT_NONE};
    phx_tower_map_init(&activation->wakers, mem);
    phx_tower_map_init(&activation->cover, mem);
}

void phx_activation_free(phx_activation *activation, phx_mem *mem)
{
    uint64_t woken = activation->woken, slept = activation->slept;
    phx_tower_map_free(&activation->wakers, mem);
    phx_tower_map_free(&activation->cover, mem);
    phx_release(mem, (void **)&activation->sleepers, &activation->capacity, sizeof *activation->sleepers);
    phx_release(mem, (void **)&activation->turned, &activation->turned_capacity, sizeof *activation->turned);
    phx_activation_init(activation, mem);
    activation->woken = woken;
    activation->slept = slept;
}

bool phx_activation_cover(phx_activation *activation, phx_mem *mem, uint32_t slots)
{
    if (slots <= activation->slots) return true;
    if (!phx_grow(mem, (void **)&activation->sleepers, &activation->capacity, activation->slots, slots,
                  sizeof *activation->sleepers))
        return false;
    memset(activation->sleepers + activation->slots, 0, (slots - activation->slots) * sizeof *activation->sleepers);
    activation->slots = slots;
    return true;
}

/* ---- wakers ---- */

void phx_activation_recount(phx_activation *activation, phx_mem *mem, uint32_t span)
{
    phx_tower_map_free(&activation->wakers, mem);
    phx_tower_map_free(&activation->cover, mem);
    for (uint32_t slot = 0; slot < activation->slots; slot++) activation->sleepers[slot].waker = false;
    activation->span = span;
}

/* The towers of the rectangle within the span of a tower. false: there is none. */
static bool rect_in_span(const phx_activation *activation, phx_rect rect, uint16_t tx, uint16_t ty, phx_rect *box)
{
    uint32_t span = activation->span;
    uint32_t x0 = tx > span ? tx - span : 0, y0 = ty > span ? ty - span : 0, x1 = tx + span, y1 = ty + span;
    if (x0 > rect.x1 || y0 > rect.y1 || x1 < rect.x0 || y1 < rect.y0) return false;
    box->x0 = (uint16_t)(x0 > rect.x0 ? x0 : rect.x0);
    box->y0 = (uint16_t)(y0 > rect.y0 ? y0 : rect.y0);
    box->x1 = (uint16_t)(x1 < rect.x1 ? x1 : rect.x1);
    box->y1 = (uint16_t)(y1 < rect.y1 ? y1 : rect.y1);
    return true;
}

/* Changes the tower's cover by `by`; its NPCs are to be checked if it became 0 or positive. */
static void change_coverage(phx_activation *activation, const phx_tower_members *tower_members, uint32_t instance,
                            uint32_t tx, uint32_t ty, int by)
{
    uint32_t before = phx_tower_map_get(&activation->cover, instance, tx, ty), now = before + (uint32_t)by;
    phx_tower_map_put(&activation->cover, instance, tx, ty, now);
    if ((before == 0) == (now == 0) || phx_tower_members_first(tower_members, instance, tx, ty) == PHX_SLOT_NONE)
        return;
    activation->turned[activation->turned_count++] = (uint64_t)instance << 32 | ty << 16 | tx;
}

/*
 * Spreads the first waker of a tower (1), or the loss of the last one (-1), to the covers around. false = no memory,
 * nothing changed.
 */
static bool spread_coverage(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t instance,
                            uint16_t tx, uint16_t ty, int by)
{
    phx_rect box;
    if (!rect_in_span(activation, in->rect, tx, ty, &box)) return true;
    size_t towers = (size_t)(box.x1 - box.x0 + 1) * (size_t)(box.y1 - box.y0 + 1);
    if (!phx_grow(mem, (void **)&activation->turned, &activation->turned_capacity, activation->turned_count,
                  activation->turned_count + towers, sizeof *activation->turned) ||
        (by > 0 && !phx_tower_map_reserve(&activation->cover, mem, box.x0, box.y0, box.x1, box.y1)))
        return false;
    for (uint32_t y = box.y0; y <= box.y1; y++)
        for (uint32_t x = box.x0; x <= box.x1; x++) change_coverage(activation, in->tower_members, instance, x, y, by);
    return true;
}

static bool uncount_waker(phx_activation *activation, phx_mem *mem, const phx_activation_input *in,
                          phx_activation_state *it)
{
    uint32_t count = phx_tower_map_get(&activation->wakers, it->instance, it->tx, it->ty);
    PHX_ASSERT(count > 0);
    if (count == 1 && !spread_coverage(activation, mem, in, it->instance, it->tx, it->ty, -1)) return false;
    phx_tower_map_put(&activation->wakers, it->instance, it->tx, it->ty, count - 1);
    it->waker = false;
    return true;
}

bool phx_activation_count(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t slot)
{
    const phx_body *body = &in->store->body[slot];
    phx_activation_state *it = &activation->sleepers[slot];
    const uint32_t instance = phx_store_attr(in->store, slot)->instance;
    bool wakes = (body->state & PHX_SLOT_LIVE) && phx_is_waker(in->rules, phx_store_attr(in->store, slot));
    if (it->waker == wakes && (!wakes || (it->instance == instance && it->tx == body->tx && it->ty == body->ty)))
        return true;
    if (it->waker && !uncount_waker(activation, mem, in, it)) return false;
    if (!wakes) return true;
    if (!phx_tower_map_reserve(&activation->wakers, mem, body->tx, body->ty, body->tx, body->ty)) return false;
    uint32_t count = phx_tower_map_get(&activation->wakers, instance, body->tx, body->ty);
    if (count == 0 && !spread_coverage(activation, mem, in, instance, body->tx, body->ty, 1)) return false;
    phx_tower_map_put(&activation->wakers, instance, body->tx, body->ty, count + 1);
    it->instance = instance;
    it->tx = body->tx;
    it->ty = body->ty;
    it->waker = true;
    return true;
}

/* ---- the queue of NPCs that will fall asleep, longest wait first ---- */

static void queue_remove(phx_activation *activation, uint32_t slot)
{
    phx_activation_state *it = &activation->sleepers[slot];
    if (!it->queued) return;
    if (it->before != PHX_SLOT_NONE) activation->sleepers[it->before].next = it->next;
    else activation->first = it->next;
    if (it->next != PHX_SLOT_NONE) activation->sleepers[it->next].before = it->before;
    else activation->last = it->before;
    it->queued = false;
}

/* Inserts near the end: only immigrants have waited before. */
static void queue_add(phx_activation *activation, uint32_t slot)
{
    phx_activation_state *it = &activation->sleepers[slot];
    uint32_t before = activation->last;
    while (before != PHX_SLOT_NONE && activation->sleepers[before].alone_since > it->alone_since)
        before = activation->sleepers[before].before;
    it->before = before;
    it->next = before == PHX_SLOT_NONE ? activation->first : activation->sleepers[before].next;
    if (before != PHX_SLOT_NONE) activation->sleepers[before].next = slot;
    else activation->first = slot;
    if (it->next != PHX_SLOT_NONE) activation->sleepers[it->next].before = slot;
    else activation->last = slot;
    it->queued = true;
}

/* ---- NPCs ---- */

/* false = no memory, nothing changed. */
static bool emit_activation_edge(phx_activation *activation, phx_mem *mem, const phx_activation_input *in,
                                 uint32_t slot, bool awakes)
{
    if (!phx_edges_reserve(in->edges, mem, 1)) return false;
    phx_edges_put(in->edges, in->store, slot, PHX_EDGE_AWAKE, awakes);
    activation->sleepers[slot].awake = awakes;
    activation->awake_count += awakes ? 1 : UINT32_MAX;
    activation->woken += awakes;
    activation->slept += !awakes;
    return true;
}

static bool fall_asleep(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t slot)
{
    if (!emit_activation_edge(activation, mem, in, slot, false)) return false;
    queue_remove(activation, slot);
    activation->sleepers[slot].alone_since = 0;
    return true;
}

bool phx_activation_decide(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t slot)
{
    const phx_body *body = &in->store->body[slot];
    phx_activation_state *it = &activation->sleepers[slot];
    it->npc = (body->state & PHX_SLOT_OWN) && phx_is_npc(in->rules, phx_store_attr(in->store, slot));
    if (!it->npc) return !it->awake || fall_asleep(activation, mem, in, slot);
    if (phx_tower_map_get(&activation->cover, phx_store_attr(in->store, slot)->instance, body->tx, body->ty) > 0) {
        if (!it->awake && !emit_activation_edge(activation, mem, in, slot, true)) return false;
        queue_remove(activation, slot);
        it->alone_since = 0;
    } else if (it->awake && !it->queued) {
        if (it->alone_since == 0) it->alone_since = in->tick;
        queue_add(activation, slot);
    }
    return true;
}

bool phx_activation_end_tick(phx_activation *activation, phx_mem *mem, const phx_activation_input *in)
{
    for (uint32_t i = 0; i < activation->turned_count; i++) {
        uint32_t tower = (uint32_t)activation->turned[i], instance = (uint32_t)(activation->turned[i] >> 32);
        uint32_t slot = phx_tower_members_first(in->tower_members, instance, tower & 0xffff, tower >> 16);
        for (; slot != PHX_SLOT_NONE; slot = in->tower_members->entries[slot].next)
            if (activation->sleepers[slot].npc && !phx_activation_decide(activation, mem, in, slot)) return false;
    }
    activation->turned_count = 0;
    while (activation->first != PHX_SLOT_NONE &&
           in->tick - activation->sleepers[activation->first].alone_since >= in->rules->wake_linger)
        if (!fall_asleep(activation, mem, in, activation->first)) return false;
    return true;
}

/* ---- migration ---- */

void phx_activation_let_go(phx_activation *activation, uint32_t slot)
{
    if (slot >= activation->slots) return;
    phx_activation_state *it = &activation->sleepers[slot];
    queue_remove(activation, slot);
    activation->awake_count -= it->awake;
    it->npc = it->awake = false;
    it->alone_since = 0;
}

void phx_activation_carry(phx_activation *activation, uint32_t slot, uint64_t alone_since)
{
    PHX_ASSERT(slot < activation->slots && !activation->sleepers[slot].awake);
    activation->sleepers[slot].awake = true;
    activation->sleepers[slot].alone_since = alone_since;
    activation->awake_count++;
}

void phx_activation_wait(phx_activation *activation, uint32_t slot)
{
    PHX_ASSERT(activation->sleepers[slot].awake && activation->sleepers[slot].alone_since > 0);
    queue_add(activation, slot);
}
