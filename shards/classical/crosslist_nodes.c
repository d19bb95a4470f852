/*
 * The two sorted lists of index = crosslist: nodes slide past their neighbours, or find their place by the anchors; see
 * crosslist_nodes.h. Written by the shard's owner in the index phase, walked by any worker after it.
 */
#include "shards/classical/crosslist_nodes.h"

#include "shards/classical/crosslist_state.h"

enum { END = 0, BEGIN = 1 }; /* the slots whose anchor nodes end and begin a list */

/* The place of a node or an anchor in the order: nodes of one place are in any order. */
static inline uint64_t node_place(const phx_cross *own, int axis, uint32_t node)
{
    uint32_t role = node & 3, slot = node >> 3;
    if (role != PHX_CROSS_ANCHOR) return phx_cross_place(phx_cross_at(own, node)->key, role);
    return slot == END ? UINT64_MAX : own->anchors[axis][slot - BEGIN];
}

static void link_nodes(phx_cross *own, uint32_t before, uint32_t after)
{
    phx_cross_at(own, before)->next = after;
    phx_cross_at(own, after)->prev = before;
}

static void link_between(phx_cross *own, uint32_t before, uint32_t node, uint32_t after)
{
    link_nodes(own, before, node);
    link_nodes(own, node, after);
}

static void unlink_node(phx_cross *own, uint32_t node)
{
    const phx_cross_node *at = phx_cross_at(own, node);
    link_nodes(own, at->prev, at->next);
}

void phx_cross_clear(phx_cross *own)
{
    for (int axis = 0; axis < 2; axis++) {
        uint32_t begin = phx_cross_name(BEGIN, axis, PHX_CROSS_ANCHOR);
        uint32_t end = phx_cross_name(END, axis, PHX_CROSS_ANCHOR);
        phx_cross_at(own, begin)->key = 0;
        phx_cross_at(own, end)->key = UINT32_MAX;
        link_nodes(own, begin, end);
        own->anchors[axis][0] = 0;
        own->anchor_count[axis] = 1;
    }
    own->node_count = own->in_count = 0;
}

/* ---- keys ---- */

/* The key of a node by body and radius. Low and high of a slot that is no observer are unused. */
static uint32_t node_key(const phx_cross *own, uint32_t slot, int axis, int role)
{
    const phx_body *body = &own->index.env.store->body[slot];
    if (role == PHX_CROSS_CENTRE) return phx_cross_key(axis == 0 ? body->x : body->y);
    phx_box box = phx_box_around(body->x, body->y, own->radius[slot]);
    if (role == PHX_CROSS_LOW) return phx_cross_key(axis == 0 ? box.x0 : box.y0);
    return phx_cross_key(axis == 0 ? box.x1 : box.y1);
}

static void set_key(phx_cross *own, uint32_t slot, int axis, int role, uint32_t key)
{
    own->bodies[slot].side[axis].node[role].key = key;
    own->bodies[slot].side[!axis].across[role] = key;
}

void phx_cross_write_keys(phx_cross *own, uint32_t slot, bool bounds)
{
    for (int axis = 0; axis < 2; axis++)
        for (int role = PHX_CROSS_LOW; role < PHX_CROSS_ROLES; role++)
            if ((role != PHX_CROSS_CENTRE) == bounds) set_key(own, slot, axis, role, node_key(own, slot, axis, role));
}

/* ---- anchors ---- */

/* The last anchor that is not behind this place. */
static uint32_t anchor_before(const phx_cross *own, int axis, uint64_t place)
{
    const uint64_t *anchors = own->anchors[axis];
    uint32_t low = 0, high = own->anchor_count[axis];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (anchors[middle] <= place) low = middle;
        else high = middle;
    }
    return low;
}

/* The first node that is not before this place. */
static uint32_t first_from(const phx_cross *own, int axis, uint64_t place, uint64_t *walked)
{
    uint32_t at = phx_cross_name(anchor_before(own, axis, place) + BEGIN, axis, PHX_CROSS_ANCHOR);
    do {
        at = phx_cross_at(own, at)->next;
        ++*walked;
    } while (node_place(own, axis, at) < place);
    return at;
}

void phx_cross_place_anchors(phx_cross *own, int axis)
{
    uint32_t *count = &own->anchor_count[axis];
    for (uint32_t i = 1; i < *count; i++) unlink_node(own, phx_cross_name(i + BEGIN, axis, PHX_CROSS_ANCHOR));
    uint32_t end = phx_cross_name(END, axis, PHX_CROSS_ANCHOR), passed = 0;
    uint32_t before = phx_cross_name(BEGIN, axis, PHX_CROSS_ANCHOR);
    *count = 1;
    for (uint32_t at; (at = phx_cross_at(own, before)->next) != end; before = at) {
        if (++passed % PHX_CROSS_APART != 0) continue;
        PHX_ASSERT(*count < own->anchors_capacity[axis]);
        uint32_t anchor = phx_cross_name(*count + BEGIN, axis, PHX_CROSS_ANCHOR);
        own->anchors[axis][(*count)++] = node_place(own, axis, at);
        phx_cross_at(own, anchor)->key = phx_cross_at(own, at)->key;
        link_between(own, before, anchor, at);
    }
}

/* The longest radius of all slots that are in: a running maximum would never fall. */
static void find_radius_max(phx_cross *own)
{
    own->radius_max = 0.0f;
    for (uint32_t slot = 0; slot < own->slots; slot++)
        if ((own->flags[slot] & PHX_CROSS_BOX) && own->radius[slot] > own->radius_max)
            own->radius_max = own->radius[slot];
}

void phx_cross_apply(phx_cross *own)
{
    enum { PER_NODE = 32 }; /* a few percent of the work since then */
    if (own->effort / PER_NODE <= own->node_count) return;
    for (int axis = 0; axis < 2; axis++) phx_cross_place_anchors(own, axis);
    find_radius_max(own);
    own->effort = 0;
}

uint32_t phx_cross_from(const phx_cross *own, int axis, uint32_t key, uint64_t *walked)
{
    return first_from(own, axis, phx_cross_place(key, PHX_CROSS_ANCHOR), walked);
}

int phx_cross_narrow(const phx_cross *own, const uint32_t keys[4])
{
    uint32_t between[2];
    for (int axis = 0; axis < 2; axis++) {
        const uint32_t *of = &keys[2 * axis];
        between[axis] = anchor_before(own, axis, phx_cross_place(of[1], PHX_CROSS_HIGH)) -
                        anchor_before(own, axis, phx_cross_place(of[0], PHX_CROSS_LOW));
    }
    return between[1] < between[0];
}

bool phx_cross_jumps(const phx_cross *own, uint32_t slot, float x, float y)
{
    const float to[2] = {x, y};
    uint32_t limit = own->node_count / PHX_CROSS_FAR_PART;
    if (limit < PHX_CROSS_FAR_LEAST) limit = PHX_CROSS_FAR_LEAST;
    for (int axis = 0; axis < 2; axis++) {
        uint32_t count = own->anchor_count[axis], apart = own->node_count / count + 1, most = limit / apart + 1;
        uint32_t at = anchor_before(own, axis, phx_cross_place(phx_cross_key(to[axis]), PHX_CROSS_CENTRE));
        uint64_t from = phx_cross_place(own->bodies[slot].side[axis].node[PHX_CROSS_CENTRE].key, PHX_CROSS_CENTRE);
        if (at > most && from < own->anchors[axis][at - most]) return true;
        if (count - at > most + 1 && from > own->anchors[axis][at + most + 1]) return true;
    }
    return false;
}

/* ---- in and out ---- */

static void link_node(phx_cross *own, int axis, uint32_t node)
{
    uint64_t walked = 0;
    uint32_t after = first_from(own, axis, node_place(own, axis, node), &walked);
    link_between(own, phx_cross_at(own, after)->prev, node, after);
    own->effort += walked;
    own->index.counts.steps += walked;
}

void phx_cross_link(phx_cross *own, uint32_t slot, bool bounds)
{
    for (int axis = 0; axis < 2; axis++) {
        if (!bounds) {
            link_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_CENTRE));
            continue;
        }
        link_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_LOW));
        link_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_HIGH));
    }
    own->node_count += bounds ? 2 : 1;
    own->in_count += !bounds;
    own->flags[slot] |= bounds ? PHX_CROSS_BOX : PHX_CROSS_IN;
    if (bounds && own->radius[slot] > own->radius_max) own->radius_max = own->radius[slot];
}

void phx_cross_unlink(phx_cross *own, uint32_t slot, bool bounds)
{
    for (int axis = 0; axis < 2; axis++) {
        if (!bounds) {
            unlink_node(own, phx_cross_name(slot, axis, PHX_CROSS_CENTRE));
            continue;
        }
        unlink_node(own, phx_cross_name(slot, axis, PHX_CROSS_LOW));
        unlink_node(own, phx_cross_name(slot, axis, PHX_CROSS_HIGH));
    }
    own->node_count -= bounds ? 2 : 1;
    own->in_count -= !bounds;
    own->flags[slot] &= (uint8_t) ~(bounds ? PHX_CROSS_BOX : PHX_CROSS_IN);
}

/* ---- sliding ---- */

/* A target's centre and a border of a box swap along an axis: a pass, if the other axis is inside. */
static inline void note_node_pass(phx_cross *own, int axis, uint32_t node, uint32_t other)
{
    bool centre = (node & 3) == PHX_CROSS_CENTRE;
    uint32_t border = centre ? other : node, target = (centre ? node : other) >> 3;
    uint32_t observer = border >> 3;
    if ((border & 3) == PHX_CROSS_CENTRE || (border & 3) == PHX_CROSS_ANCHOR) return;
    if (!centre && (other & 3) != PHX_CROSS_CENTRE) return;
    if (observer != target && phx_cross_across(own, axis, observer, target)) own->note(own, observer, target);
}

static void slide_node(phx_cross *own, int axis, uint32_t node)
{
    phx_cross_node *moved = phx_cross_at(own, node);
    uint32_t before = moved->prev, after = moved->next, key = node_key(own, node >> 3, axis, (int)(node & 3));
    uint64_t steps = 0, place = phx_cross_place(key, node & 3);
    if (moved->key == key) return;
    set_key(own, node >> 3, axis, (int)(node & 3), key);
    for (; node_place(own, axis, after) < place; steps++) {
        note_node_pass(own, axis, node, after);
        before = after;
        after = phx_cross_at(own, after)->next;
    }
    for (; node_place(own, axis, before) > place; steps++) {
        note_node_pass(own, axis, node, before);
        after = before;
        before = phx_cross_at(own, before)->prev;
    }
    if (steps == 0) return;
    unlink_node(own, node);
    link_between(own, before, node, after);
    own->effort += steps;
    own->index.counts.steps += steps;
}

static void slide_slot(phx_cross *own, int axis, uint32_t slot)
{
    if (own->flags[slot] & PHX_CROSS_BOX) {
        slide_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_LOW));
        slide_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_HIGH));
    }
    slide_node(own, axis, phx_cross_name(slot, axis, PHX_CROSS_CENTRE));
}

/* Slides along a list from end to end. A node that slides ahead is met again, in place. */
static void slide_along(phx_cross *own, int axis)
{
    uint32_t at = phx_cross_at(own, phx_cross_name(BEGIN, axis, PHX_CROSS_ANCHOR))->next;
    while (at != phx_cross_name(END, axis, PHX_CROSS_ANCHOR)) {
        uint32_t next = phx_cross_at(own, at)->next;
        if ((at & 3) != PHX_CROSS_ANCHOR && (own->flags[at >> 3] & PHX_CROSS_MOVES)) slide_node(own, axis, at);
        at = next;
    }
}

void phx_cross_slide(phx_cross *own)
{
    bool many = own->moving.count > own->in_count / PHX_CROSS_WALK_PART;
    for (int axis = 0; axis < 2 && own->moving.count > 0; axis++) {
        if (many) slide_along(own, axis);
        for (uint32_t i = 0; !many && i < own->moving.count; i++) slide_slot(own, axis, own->moving.slots[i]);
    }
    for (uint32_t i = 0; i < own->moving.count; i++) own->flags[own->moving.slots[i]] &= (uint8_t)~PHX_CROSS_MOVES;
    own->moving.count = 0;
}

/* ---- sorting ---- */

typedef struct item {
    uint32_t key, node;
} item;

_Static_assert(sizeof(item) == PHX_CROSS_SCRATCH_BYTES, "the scratch's items");

/* Sorts by key, stable; the result is in `items` again. */
static void sort_items(item *items, item *spare, uint32_t count)
{
    enum { BITS = 8, PASSES = 4, DIGITS = 1 << BITS };
    for (uint32_t p = 0; p < PASSES; p++) {
        uint32_t start[DIGITS] = {0}, sum = 0;
        for (uint32_t i = 0; i < count; i++) start[items[i].key >> p * BITS & (DIGITS - 1)]++;
        for (uint32_t d = 0; d < DIGITS; d++) {
            uint32_t many = start[d];
            start[d] = sum;
            sum += many;
        }
        for (uint32_t i = 0; i < count; i++) spare[start[items[i].key >> p * BITS & (DIGITS - 1)]++] = items[i];
        item *other = items;
        items = spare;
        spare = other;
    }
}

/* Collects all nodes of an axis, equal keys in the order of roles. */
static uint32_t collect_nodes(const phx_cross *own, int axis, item *items)
{
    uint32_t count = 0;
    for (int role = PHX_CROSS_LOW; role < PHX_CROSS_ROLES; role++) {
        uint32_t flag = role == PHX_CROSS_CENTRE ? PHX_CROSS_IN : PHX_CROSS_BOX;
        for (uint32_t slot = 0; slot < own->slots; slot++)
            if (own->flags[slot] & flag)
                items[count++] = (item){own->bodies[slot].side[axis].node[role].key, phx_cross_name(slot, axis, role)};
    }
    return count;
}

static void chain_nodes(phx_cross *own, int axis, const item *items, uint32_t count)
{
    uint32_t at = phx_cross_name(BEGIN, axis, PHX_CROSS_ANCHOR);
    for (uint32_t i = 0; i < count; i++) {
        link_nodes(own, at, items[i].node);
        at = items[i].node;
    }
    link_nodes(own, at, phx_cross_name(END, axis, PHX_CROSS_ANCHOR));
    own->anchor_count[axis] = 1;
    phx_cross_place_anchors(own, axis);
}

bool phx_cross_sort(phx_cross *own)
{
    phx_mem *mem = own->index.env.mem;
    uint32_t nodes = own->node_count;
    for (uint32_t i = 0; i < own->pending.count; i++) nodes += own->radius[own->pending.slots[i]] < 0.0f ? 1 : 3;
    if (!phx_grow(mem, &own->scratch, &own->scratch_capacity, 0, 2 * (size_t)nodes, sizeof(item))) return false;
    item *items = own->scratch;
    for (uint32_t i = 0; i < own->pending.count; i++) {
        uint32_t slot = own->pending.slots[i];
        phx_cross_write_keys(own, slot, false);
        if (own->radius[slot] >= 0.0f) phx_cross_write_keys(own, slot, true);
        own->flags[slot] |= PHX_CROSS_IN | (own->radius[slot] < 0.0f ? 0 : PHX_CROSS_BOX);
        own->in_count++;
    }
    own->node_count = nodes;
    for (int axis = 0; axis < 2; axis++) {
        uint32_t count = collect_nodes(own, axis, items);
        PHX_ASSERT(count == nodes);
        sort_items(items, items + nodes, count);
        chain_nodes(own, axis, items, count);
    }
    find_radius_max(own);
    own->effort = 0;
    own->index.counts.steps += 2 * (uint64_t)nodes;
    return true;
}

/* ---- validation ---- */

bool phx_cross_lists_valid(const phx_cross *own)
{
    for (int axis = 0; axis < 2; axis++) {
        uint32_t at = phx_cross_name(BEGIN, axis, PHX_CROSS_ANCHOR);
        uint32_t end = phx_cross_name(END, axis, PHX_CROSS_ANCHOR);
        uint32_t nodes = 0, anchors = 1;
        while (at != end) {
            uint32_t next = phx_cross_at(own, at)->next;
            if (phx_cross_at(own, next)->prev != at) return false;
            if (node_place(own, axis, at) > node_place(own, axis, next)) return false;
            at = next;
            if (at == end) break;
            if ((at & 3) == PHX_CROSS_ANCHOR) anchors++;
            else nodes++;
        }
        if (nodes != own->node_count || anchors != own->anchor_count[axis]) return false;
    }
    return true;
}
