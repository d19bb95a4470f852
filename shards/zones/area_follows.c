/*
 * Areas that follow an entity; see area_follows.h.
 */
#include "shards/zones/area_follows.h"

void phx_area_follows_init(phx_area_follows *follows, phx_mem *mem)
{
    *follows = (phx_area_follows){.free_first = PHX_FOLLOW_NONE};
    phx_idmap_init(&follows->anchors, mem);
}

void phx_area_follows_free(phx_area_follows *follows, phx_mem *mem)
{
    phx_release(mem, (void **)&follows->at, &follows->capacity, sizeof *follows->at);
    phx_idmap_free(&follows->anchors);
}

bool phx_area_follows_reserve(phx_area_follows *follows, phx_mem *mem)
{
    return phx_grow(mem, (void **)&follows->at, &follows->capacity, follows->used, (size_t)follows->used + 1,
                    sizeof *follows->at) &&
           phx_idmap_reserve(&follows->anchors, phx_idmap_count(&follows->anchors) + 1);
}

uint32_t phx_area_follows_add(phx_area_follows *follows, uint32_t area, const ph_area *shape,
                              const phx_anchor_place *place)
{
    uint32_t number = follows->free_first;
    if (number != PHX_FOLLOW_NONE) follows->free_first = follows->at[number].next;
    else number = follows->used++;
    uint64_t *first = phx_idmap_find(&follows->anchors, shape->follow);
    const uint32_t next = first ? (uint32_t)*first : PHX_FOLLOW_NONE;
    follows->at[number] = (phx_area_follow){
        .anchor = shape->follow, .area = area, .next = next, .before = PHX_FOLLOW_NONE, .at = *place, .shape = *shape};
    if (next != PHX_FOLLOW_NONE) follows->at[next].before = number;
    if (first) *first = number;
    else phx_idmap_insert(&follows->anchors, shape->follow, number);
    follows->count++;
    return number;
}

void phx_area_follows_drop(phx_area_follows *follows, uint32_t number)
{
    phx_area_follow *follow = &follows->at[number];
    if (follow->next != PHX_FOLLOW_NONE) follows->at[follow->next].before = follow->before;
    if (follow->before != PHX_FOLLOW_NONE) follows->at[follow->before].next = follow->next;
    else if (follow->next != PHX_FOLLOW_NONE) *phx_idmap_find(&follows->anchors, follow->anchor) = follow->next;
    else (void)phx_idmap_remove(&follows->anchors, follow->anchor);
    follow->anchor = 0;
    follow->next = follows->free_first;
    follows->free_first = number;
    follows->count--;
}

uint32_t phx_area_follows_first(const phx_area_follows *follows, uint64_t anchor)
{
    if (follows->count == 0) return PHX_FOLLOW_NONE;
    const uint64_t *first = phx_idmap_find(&follows->anchors, anchor);
    return first ? (uint32_t)*first : PHX_FOLLOW_NONE;
}

ph_area phx_area_follow_shape(const ph_area *shape, const phx_anchor_place *place)
{
    const float base[2] = {place->x, place->y};
    ph_area placed = *shape;
    for (uint32_t axis = 0; axis < 2; axis++) {
        placed.center[axis] += base[axis];
        placed.low[axis] += base[axis];
        placed.high[axis] += base[axis];
        for (uint32_t i = 0; shape->shape == PH_AREA_POLYGON && i < shape->corner_count; i++)
            placed.corners[i][axis] += base[axis];
    }
    placed.z_low += place->z;
    placed.z_high += place->z;
    placed.flags |= PH_AREA_IN_INSTANCE;
    placed.instance = place->instance;
    return placed;
}
