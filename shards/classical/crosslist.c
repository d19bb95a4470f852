/*
 * index = crosslist: entities and the borders of their views in two sorted lists, along x and along y; see README.md.
 * Changes are noted. At the end of a tick's changes nodes slide, then entities that entered, left or jumped are
 * handled. Written by the shard's owner in the index phase; boxes and lists are read by any worker after it.
 */
#include "shards/classical/crosslist.h"

#include "shards/classical/crosslist_boxes.h"
#include "shards/classical/crosslist_nodes.h"
#include "shards/classical/crosslist_state.h"
#include "shards/entity/entity_store.h"

enum { PASSES_LEAST = 64, PASSES_MOST = 1 << 16 }; /* notes kept: with more, they are applied in between */

static bool crosslist_init(phx_index *index)
{
    phx_cross *own = (phx_cross *)index;
    phx_list_pool_init(&own->pool);
    own->note = phx_cross_note;
    return true;
}

static void release_queue(phx_mem *mem, phx_cross_queue *queue)
{
    phx_release(mem, (void **)&queue->slots, &queue->capacity, sizeof(uint32_t));
}

static void crosslist_release(phx_index *index)
{
    phx_cross *own = (phx_cross *)index;
    phx_mem *mem = index->env.mem;
    phx_release(mem, (void **)&own->bodies, &own->bodies_capacity, sizeof(phx_cross_body));
    phx_release(mem, (void **)&own->flags, &own->flags_capacity, sizeof(uint8_t));
    phx_release(mem, (void **)&own->radius, &own->radius_capacity, sizeof(float));
    phx_release(mem, (void **)&own->boxes, &own->boxes_capacity, sizeof(phx_list));
    phx_release(mem, (void **)&own->pass_first, &own->pass_first_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&own->mark, &own->mark_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&own->passes, &own->passes_capacity, sizeof(phx_cross_pass));
    for (int axis = 0; axis < 2; axis++)
        phx_release(mem, (void **)&own->anchors[axis], &own->anchors_capacity[axis], sizeof(uint64_t));
    phx_release(mem, &own->scratch, &own->scratch_capacity, PHX_CROSS_SCRATCH_BYTES);
    release_queue(mem, &own->passed);
    release_queue(mem, &own->moving);
    release_queue(mem, &own->pending);
    release_queue(mem, &own->gone);
    release_queue(mem, &own->afresh);
    phx_list_pool_free(&own->pool, mem);
}

/* ---- memory ---- */

static bool grow_queue(phx_mem *mem, phx_cross_queue *queue, uint32_t slots)
{
    return phx_grow(mem, (void **)&queue->slots, &queue->capacity, queue->count, slots, sizeof(uint32_t));
}

/* Arrays by slot, and queues of slots. */
static bool grow_slots(phx_cross *own, phx_mem *mem, uint32_t slots)
{
    uint32_t keep = own->slots;
    return phx_grow(mem, (void **)&own->bodies, &own->bodies_capacity, keep, slots, sizeof(phx_cross_body)) &&
           phx_grow(mem, (void **)&own->flags, &own->flags_capacity, keep, slots, sizeof(uint8_t)) &&
           phx_grow(mem, (void **)&own->radius, &own->radius_capacity, keep, slots, sizeof(float)) &&
           phx_grow(mem, (void **)&own->boxes, &own->boxes_capacity, keep, slots, sizeof(phx_list)) &&
           phx_grow(mem, (void **)&own->pass_first, &own->pass_first_capacity, keep, slots, sizeof(uint32_t)) &&
           phx_grow(mem, (void **)&own->mark, &own->mark_capacity, keep, slots, sizeof(uint32_t)) &&
           grow_queue(mem, &own->passed, slots) && grow_queue(mem, &own->moving, slots) &&
           grow_queue(mem, &own->pending, slots) && grow_queue(mem, &own->gone, slots) &&
           grow_queue(mem, &own->afresh, slots);
}

static bool grow_anchors(phx_cross *own, phx_mem *mem, uint32_t slots)
{
    size_t anchors = 1 + (size_t)slots * (PHX_CROSS_ROLES - 1) / PHX_CROSS_APART;
    for (int axis = 0; axis < 2; axis++)
        if (!phx_grow(mem, (void **)&own->anchors[axis], &own->anchors_capacity[axis], own->anchor_count[axis], anchors,
                      sizeof(uint64_t)))
            return false;
    return true;
}

static bool crosslist_reserve(phx_index *index, uint32_t slots)
{
    phx_cross *own = (phx_cross *)index;
    phx_mem *mem = index->env.mem;
    uint32_t wanted = slots < 2 ? 2 : slots, passes = slots < PASSES_LEAST ? PASSES_LEAST : slots;
    if (passes > PASSES_MOST) passes = PASSES_MOST;
    if (wanted > PHX_CROSS_SLOTS_MAX || !grow_slots(own, mem, wanted) || !grow_anchors(own, mem, wanted) ||
        !phx_grow(mem, (void **)&own->passes, &own->passes_capacity, own->pass_count, passes, sizeof(phx_cross_pass)))
        return false;
    if (own->slots == 0) phx_cross_clear(own);
    for (; own->slots < wanted; own->slots++) {
        own->flags[own->slots] = 0;
        own->radius[own->slots] = -1.0f;
        own->boxes[own->slots] = phx_list_empty();
        own->pass_first[own->slots] = PHX_SLOT_NONE;
        own->mark[own->slots] = 0;
    }
    return true;
}

/* ---- a tick's changes ---- */

static void crosslist_begin_tick(phx_index *index, uint64_t tick)
{
    phx_cross *own = (phx_cross *)index;
    (void)tick;
    for (uint32_t slot = 0; slot < own->slots; slot++)
        own->flags[slot] &= (uint8_t) ~(PHX_CROSS_CHANGED | PHX_CROSS_DIRTY);
}

static void queue_pending_slot(phx_cross *own, uint32_t slot)
{
    own->flags[slot] |= PHX_CROSS_PENDING | PHX_CROSS_CHANGED;
    phx_cross_push(&own->pending, slot);
}

static void crosslist_insert(phx_index *index, uint32_t slot)
{
    phx_cross *own = (phx_cross *)index;
    own->radius[slot] = phx_index_radius(index->env.store, slot);
    queue_pending_slot(own, slot);
}

/* Takes a slot out of the lists; out of all boxes at the end of the tick's changes. */
static void unlink_slot(phx_cross *own, uint32_t slot)
{
    if (own->flags[slot] & PHX_CROSS_BOX) phx_cross_unlink(own, slot, true);
    phx_cross_unlink(own, slot, false);
    phx_cross_drop(own, slot);
    own->flags[slot] |= PHX_CROSS_GONE | PHX_CROSS_CHANGED;
    phx_cross_push(&own->gone, slot);
}

static void crosslist_remove(phx_index *index, uint32_t slot)
{
    unlink_slot((phx_cross *)index, slot);
}

/* Changes the radius of a slot, which may become an observer or cease to be one: no node passes another for that. */
static void change_radius(phx_cross *own, uint32_t slot, float radius)
{
    if (own->flags[slot] & PHX_CROSS_BOX) phx_cross_unlink(own, slot, true);
    phx_cross_drop(own, slot);
    own->radius[slot] = radius;
    if (radius < 0.0f) return;
    phx_cross_write_keys(own, slot, true);
    phx_cross_link(own, slot, true);
    phx_cross_refresh(own, slot);
}

static void crosslist_move(phx_index *index, uint32_t slot)
{
    phx_cross *own = (phx_cross *)index;
    const phx_body *body = &index->env.store->body[slot];
    float radius = phx_index_radius(index->env.store, slot);
    own->flags[slot] |= PHX_CROSS_CHANGED;
    if (phx_cross_jumps(own, slot, body->x, body->y)) {
        unlink_slot(own, slot);
        own->radius[slot] = radius;
        queue_pending_slot(own, slot);
        return;
    }
    if (radius != own->radius[slot]) change_radius(own, slot, radius);
    own->flags[slot] |= PHX_CROSS_MOVES;
    phx_cross_push(&own->moving, slot);
}

/* Links entities that entered or jumped, and announces them to the observers. */
static void link_pending(phx_cross *own)
{
    for (uint32_t i = 0; i < own->pending.count; i++) {
        uint32_t slot = own->pending.slots[i];
        phx_cross_write_keys(own, slot, false);
        phx_cross_link(own, slot, false);
        own->flags[slot] &= (uint8_t)~PHX_CROSS_PENDING;
        if (own->radius[slot] < 0.0f) continue;
        phx_cross_write_keys(own, slot, true);
        phx_cross_link(own, slot, true);
        phx_cross_refresh(own, slot);
    }
    for (uint32_t i = 0; i < own->pending.count; i++) phx_cross_announce(own, own->pending.slots[i]);
    own->pending.count = 0;
}

/* So many entered or jumped that all nodes are sorted and all boxes filled anew. false = no memory, nothing changed. */
static bool sort_all(phx_cross *own)
{
    if (!phx_cross_sort(own)) return false;
    for (uint32_t i = 0; i < own->pending.count; i++) own->flags[own->pending.slots[i]] &= (uint8_t)~PHX_CROSS_PENDING;
    own->pending.count = 0;
    for (uint32_t slot = 0; slot < own->slots; slot++)
        if (own->flags[slot] & PHX_CROSS_BOX) phx_cross_refresh(own, slot);
    return true;
}

static bool crosslist_end_changes(phx_index *index)
{
    phx_cross *own = (phx_cross *)index;
    phx_cross_slide(own);
    phx_cross_flush(own);
    if (own->pending.count > PHX_CROSS_MANY_PART && own->pending.count > own->in_count / PHX_CROSS_MANY_PART &&
        !sort_all(own))
        return false;
    phx_cross_sweep(own);
    link_pending(own);
    phx_cross_flush(own);
    if (!phx_cross_fill(own)) return false;
    phx_cross_apply(own);
    return true;
}

/* ---- reading ---- */

static void crosslist_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const phx_cross *own = (const phx_cross *)index;
    const uint32_t keys[4] = {phx_cross_key(box.x0), phx_cross_key(box.x1), phx_cross_key(box.y0),
                              phx_cross_key(box.y1)};
    phx_pieces pieces;
    if (own->in_count == 0) return;
    phx_pieces_open(&pieces, sink);
    int axis = phx_cross_narrow(own, keys), other = !axis;
    uint32_t at = phx_cross_from(own, axis, keys[2 * axis], &sink->visited);
    for (; phx_cross_at(own, at)->key <= keys[2 * axis + 1]; at = phx_cross_at(own, at)->next, sink->visited++) {
        if ((at & 3) != PHX_CROSS_CENTRE) continue;
        uint32_t key = own->bodies[at >> 3].side[axis].across[PHX_CROSS_CENTRE];
        phx_pieces_add_if(&pieces, at >> 3, key >= keys[2 * other] && key <= keys[2 * other + 1]);
    }
    phx_pieces_flush(&pieces);
}

static bool crosslist_within(const phx_index *index, uint32_t observer, phx_sink *sink)
{
    const phx_cross *own = (const phx_cross *)index;
    const phx_list *box = &own->boxes[observer];
    if (!(own->flags[observer] & PHX_CROSS_BOX)) return false;
    phx_sink_give(sink, phx_list_entries(&own->pool, box), box->count);
    sink->take(sink, &observer, 1); /* the observer itself is a candidate, too */
    sink->visited++;
    return true;
}

static bool crosslist_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const phx_cross *own = (const phx_cross *)index;
    const phx_list *list = &own->boxes[observer];
    const uint32_t *entries = phx_list_entries(&own->pool, list);
    (void)box;
    if (own->flags[observer] & PHX_CROSS_DIRTY) return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (own->flags[entries[i]] & PHX_CROSS_CHANGED) return true;
    return false;
}

/* ---- validation ---- */

static bool crosslist_valid(const phx_index *index)
{
    const phx_cross *own = (const phx_cross *)index;
    const phx_store *store = index->env.store;
    if (!phx_index_has_all(index, own->in_count)) return false;
    for (uint32_t slot = 0; slot < own->slots; slot++) {
        bool live = slot < store->slots && (store->body[slot].state & PHX_SLOT_LIVE);
        const phx_cross_body *body = &own->bodies[slot];
        if (live != !!(own->flags[slot] & PHX_CROSS_IN)) return false;
        if (!live) continue;
        if (body->side[0].node[PHX_CROSS_CENTRE].key != phx_cross_key(store->body[slot].x)) return false;
        if (body->side[1].node[PHX_CROSS_CENTRE].key != phx_cross_key(store->body[slot].y)) return false;
        if ((phx_index_radius(store, slot) >= 0.0f) != !!(own->flags[slot] & PHX_CROSS_BOX)) return false;
    }
    return own->slots == 0 || (phx_cross_lists_valid(own) && phx_cross_boxes_valid(own));
}

const phx_index_ops phx_index_crosslist = {
    .bytes = sizeof(phx_cross),
    .init = crosslist_init,
    .release = crosslist_release,
    .reserve = crosslist_reserve,
    .begin = crosslist_begin_tick,
    .insert = crosslist_insert,
    .remove = crosslist_remove,
    .move = crosslist_move,
    .turn = crosslist_end_changes,
    .around = crosslist_around,
    .within = crosslist_within,
    .any_dirty_near = crosslist_dirty,
    .valid = crosslist_valid,
};
