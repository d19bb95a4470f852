/*
 * Area members; see area_members.h.
 */
#include "shards/zones/area_members.h"

#include <math.h>
#include <string.h>

static const float UNKNOWN_DISTANCE = -1.0f; /* of phx_area_member.safe_distance */

void phx_area_members_init(phx_area_members *area_members)
{
    *area_members = (phx_area_members){0};
    phx_list_pool_init(&area_members->pool);
}

void phx_area_members_free(phx_area_members *area_members, phx_mem *mem)
{
    uint64_t entered = area_members->entered, left = area_members->left;
    phx_release(mem, (void **)&area_members->members, &area_members->capacity, sizeof *area_members->members);
    phx_release(mem, (void **)&area_members->found, &area_members->found_capacity, sizeof *area_members->found);
    phx_list_pool_free(&area_members->pool, mem);
    phx_area_members_init(area_members);
    area_members->entered = entered;
    area_members->left = left;
}

bool phx_area_members_cover(phx_area_members *area_members, phx_mem *mem, uint32_t slots)
{
    if (slots <= area_members->slots) return true;
    if (!phx_grow(mem, (void **)&area_members->members, &area_members->capacity, area_members->slots, slots,
                  sizeof *area_members->members))
        return false;
    for (; area_members->slots < slots; area_members->slots++)
        area_members->members[area_members->slots] =
            (phx_area_member){.inside = phx_list_empty(), .safe_distance = UNKNOWN_DISTANCE};
    return true;
}

/* ---- one entity ---- */

/* Shell's sort, by thirds: nearly always there are a few areas only. */
static void sort_areas(uint32_t *places, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3) gap = gap * 3 + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t place = places[i], at = i;
            for (; at >= gap && places[at - gap] > place; at -= gap) places[at] = places[at - gap];
            places[at] = place;
        }
}

/* Was it in the area at the last check? */
static bool was_inside(const phx_area_members *area_members, uint32_t slot, uint32_t place)
{
    const phx_list *inside = &area_members->members[slot].inside;
    const uint32_t *places = phx_list_entries(&area_members->pool, inside);
    uint32_t i = 0;
    while (i < inside->count && places[i] < place) i++;
    return i < inside->count && places[i] == place;
}

/* Is it in the area now? Lowers the distances in *to for which its areas stay the same. */
static bool test_area(const phx_area_members *area_members, const phx_area_members_input *in, uint32_t slot,
                      uint32_t place, phx_area_member *to)
{
    const phx_area_entry *area = &in->areas->at[place];
    const phx_body *body = &in->store->body[slot];
    bool kept = area->keeps && was_inside(area_members, slot, place);
    bool inside = phx_area_has(area, kept, body->x, body->y);
    if (area->filtered) {
        const phx_attr *attr = phx_store_attr(in->store, slot);
        const float until = phx_area_safe_height(area, body->z);
        to->safe_distance_z = until < to->safe_distance_z ? until : to->safe_distance_z;
        inside = inside && phx_area_admits(area, attr->instance, attr->layers, body->z);
    }
    const float until = phx_area_safe_distance(area, inside, body->x, body->y);
    to->safe_distance = until < to->safe_distance ? until : to->safe_distance;
    return inside;
}

/* Finds the areas of a cell that the entity is in now: as find_areas(). */
static bool find_cell_areas(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                            uint32_t slot, uint64_t cell_key, uint32_t *count, phx_area_member *to)
{
    const phx_areas *areas = in->areas;
    const uint32_t kind = in->store->name[slot].kind;
    uint32_t link = phx_areas_first(areas, cell_key);
    for (; link != PHX_AREA_NONE; link = areas->at[link / 4].links[link % 4].next) {
        const phx_area_entry *area = &areas->at[link / 4];
        if (!phx_area_for_kind(area, kind)) continue;
        if (!test_area(area_members, in, slot, link / 4, to)) continue;
        if (!phx_grow(mem, (void **)&area_members->found, &area_members->found_capacity, *count, (size_t)*count + 1,
                      sizeof *area_members->found))
            return false;
        area_members->found[(*count)++] = link / 4;
    }
    return true;
}

/*
 * Finds the areas that the entity is in now, in order; to->safe_distance and safe_distance_z: how far it may move in
 * its tower before they change. false = no memory.
 */
static bool find_areas(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in, uint32_t slot,
                       uint32_t *count, phx_area_member *to)
{
    const phx_areas *areas = in->areas;
    const phx_body *body = &in->store->body[slot];
    for (uint32_t left = areas->levels_used[0]; left != 0; left &= left - 1) {
        const uint32_t level = (uint32_t)__builtin_ctz(left);
        const uint64_t key = phx_areas_cell_key(level, body->tx >> level, body->ty >> level);
        if (!find_cell_areas(area_members, mem, in, slot, key, count, to)) return false;
    }
    for (uint32_t left = areas->levels_used[1]; left != 0; left &= left - 1) {
        const uint32_t level = (uint32_t)__builtin_ctz(left), instance = phx_store_instance(in->store, slot);
        const uint64_t key = phx_areas_instance_key(instance, level, body->tx >> level, body->ty >> level);
        if (!find_cell_areas(area_members, mem, in, slot, key, count, to)) return false;
    }
    sort_areas(area_members->found, *count);
    return true;
}

/* The number of entries of one ordered list that are not in the other. */
static uint32_t count_missing(const uint32_t *from, uint32_t from_count, const uint32_t *in, uint32_t in_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < from_count; i++) {
        while (j < in_count && in[j] < from[i]) j++;
        count += j == in_count || in[j] != from[i];
    }
    return count;
}

/* Emits an edge for each area of one list that is not in the other; room was reserved. */
static void emit_area_edges(const phx_area_members_input *in, uint32_t slot, const uint32_t *from, uint32_t from_count,
                            const uint32_t *other, uint32_t other_count, bool on)
{
    for (uint32_t i = 0, j = 0; i < from_count; i++) {
        while (j < other_count && other[j] < from[i]) j++;
        if (j == other_count || other[j] != from[i])
            phx_edges_put(in->edges, in->store, slot, in->areas->at[from[i]].id, on);
    }
}

/* Sets the areas of the entity to found[]. false = no memory, nothing changed. */
static bool commit_members(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                           uint32_t slot, uint32_t count)
{
    phx_list *inside = &area_members->members[slot].inside, now = phx_list_empty();
    const uint32_t *old = phx_list_entries(&area_members->pool, inside), *found = area_members->found;
    uint32_t leaves = count_missing(old, inside->count, found, count),
             enters = count_missing(found, count, old, inside->count);
    if (leaves + enters == 0) return true;
    if (!phx_edges_reserve(in->edges, mem, leaves + enters)) return false;
    if (count > 0 && !phx_list_reserve(&area_members->pool, mem, &now, count)) return false;
    old = phx_list_entries(&area_members->pool, inside); /* the pool may have moved */
    emit_area_edges(in, slot, old, inside->count, found, count, false);
    emit_area_edges(in, slot, found, count, old, inside->count, true);
    if (count > 0) memcpy(phx_list_entries(&area_members->pool, &now), found, count * sizeof *found);
    phx_list_set_count(&area_members->pool, &now, count);
    phx_list_release(&area_members->pool, inside);
    *inside = now;
    area_members->left += leaves;
    area_members->entered += enters;
    return true;
}

/* Is the entity still in the areas of the last check, and in no other? */
static bool member_stays(const phx_area_members_input *in, const phx_area_member *member, uint32_t slot)
{
    const phx_body *body = &in->store->body[slot];
    const phx_tower_members_entry *stood = &in->tower_members->entries[slot];
    if (!stood->in || stood->tx != body->tx || stood->ty != body->ty) return false;
    if (body->changed == in->stamp && (body->state & PHX_SLOT_DISCONTINUOUS))
        return false; /* its kind may have changed */
    return fabsf(body->x - member->x) <= member->safe_distance && fabsf(body->y - member->y) <= member->safe_distance &&
           fabsf(body->z - member->z) <= member->safe_distance_z;
}

bool phx_area_members_check(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                            uint32_t slot)
{
    const phx_body *body = &in->store->body[slot];
    phx_area_member *member = &area_members->members[slot];
    if ((body->state & PHX_SLOT_OWN) && member_stays(in, member, slot)) return true;
    /* behind the short way: the safe distance of a remote entity is unknown, and one that becomes so is discontinuous
     */
    const bool own = (body->state & PHX_SLOT_OWN) && !phx_store_attr(in->store, slot)->remote;
    uint32_t count = 0;
    phx_area_member to = {.safe_distance = INFINITY, .safe_distance_z = INFINITY};
    if (own && !find_areas(area_members, mem, in, slot, &count, &to)) return false;
    if (!commit_members(area_members, mem, in, slot, count)) return false;
    member->x = body->x;
    member->y = body->y;
    member->z = body->z;
    member->safe_distance = own ? to.safe_distance : UNKNOWN_DISTANCE;
    member->safe_distance_z = to.safe_distance_z;
    return true;
}

/* ---- areas that changed ---- */

/* Checks the members of the towers of a block in the rectangle. false = no memory. */
static bool find_block_members(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                               const phx_tower_map_block *block, phx_rect rect)
{
    uint32_t bx = phx_tower_map_left(block);
    uint32_t by = phx_tower_map_bottom(block);
    for (uint32_t i = 0; i < PHX_TOWER_MAP_CELLS; i++) {
        uint32_t tx = bx + i % PHX_TOWER_MAP_SIDE, ty = by + i / PHX_TOWER_MAP_SIDE;
        if (block->cells[i] == 0 || tx < rect.x0 || tx > rect.x1 || ty < rect.y0 || ty > rect.y1) continue;
        for (uint32_t slot = block->cells[i] - 1; slot != PHX_SLOT_NONE; slot = in->tower_members->entries[slot].next) {
            phx_area_member *member = &area_members->members[slot];
            if (member->checked == (uint32_t)in->tick) continue;
            member->safe_distance = UNKNOWN_DISTANCE;
            if (in->store->body[slot].changed == in->stamp) continue; /* it is checked later */
            if (!phx_area_members_check(area_members, mem, in, slot)) return false;
            member->checked = (uint32_t)in->tick;
        }
    }
    return true;
}

/* The same of all blocks of the extent at one place. */
static bool find_place_members(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                               const phx_area_extent *extent, uint32_t tx, uint32_t ty)
{
    const phx_tower_map *first = &in->tower_members->first;
    const phx_tower_map_block *block = phx_tower_map_block_of(first, extent->instance, tx, ty);
    if (block && !find_block_members(area_members, mem, in, block, extent->towers)) return false;
    if (extent->in_instance) return true;
    for (block = phx_tower_map_stack(first, tx, ty); block; block = phx_tower_map_above(first, block))
        if (!find_block_members(area_members, mem, in, block, extent->towers)) return false;
    return true;
}

/* The same of all blocks of the extent. */
static bool find_extent_members(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in,
                                phx_area_extent extent)
{
    const phx_tower_map *first = &in->tower_members->first;
    const phx_rect rect = extent.towers;
    if (rect.x0 > in->rect.x1 || rect.y0 > in->rect.y1 || rect.x1 < in->rect.x0 || rect.y1 < in->rect.y0) return true;
    phx_rect own = {rect.x0 > in->rect.x0 ? rect.x0 : in->rect.x0, rect.y0 > in->rect.y0 ? rect.y0 : in->rect.y0,
                    rect.x1 < in->rect.x1 ? rect.x1 : in->rect.x1, rect.y1 < in->rect.y1 ? rect.y1 : in->rect.y1};
    extent.towers = own;
    uint32_t bx0 = own.x0 >> PHX_TOWER_MAP_BITS, by0 = own.y0 >> PHX_TOWER_MAP_BITS;
    uint32_t bx1 = own.x1 >> PHX_TOWER_MAP_BITS, by1 = own.y1 >> PHX_TOWER_MAP_BITS;
    if ((uint64_t)(bx1 - bx0 + 1) * (by1 - by0 + 1) > first->count) { /* there are fewer blocks than places for them */
        for (uint32_t i = 0; i < first->count; i++) {
            const phx_tower_map_block *block = &first->blocks[i];
            if (block->key == 0) continue;
            if (extent.in_instance && phx_tower_map_instance(block) != extent.instance) continue;
            if (!find_block_members(area_members, mem, in, block, own)) return false;
        }
        return true;
    }
    for (uint32_t by = by0; by <= by1; by++)
        for (uint32_t bx = bx0; bx <= bx1; bx++)
            if (!find_place_members(area_members, mem, in, &extent, bx << PHX_TOWER_MAP_BITS, by << PHX_TOWER_MAP_BITS))
                return false;
    return true;
}

bool phx_area_members_check_areas(phx_area_members *area_members, phx_mem *mem, const phx_area_members_input *in)
{
    for (uint32_t i = 0; i < in->areas->change_count; i++) {
        const phx_area_change *change = &in->areas->changes[i];
        const phx_area_entry *area = &in->areas->at[change->area];
        if (change->was && !find_extent_members(area_members, mem, in, change->before)) return false;
        if (area->live && !find_extent_members(area_members, mem, in, phx_areas_extent(in->areas, area))) return false;
    }
    return true;
}

void phx_area_members_doubt(phx_area_members *area_members)
{
    for (uint32_t slot = 0; slot < area_members->slots; slot++)
        area_members->members[slot].safe_distance = UNKNOWN_DISTANCE;
}

/* ---- migration ---- */

void phx_area_members_let_go(phx_area_members *area_members, uint32_t slot)
{
    if (slot >= area_members->slots) return;
    phx_list_release(&area_members->pool, &area_members->members[slot].inside);
}

bool phx_area_members_carry(phx_area_members *area_members, phx_mem *mem, uint32_t slot, uint32_t area, uint32_t count)
{
    phx_list *inside = &area_members->members[slot].inside;
    if (inside->count == 0 && !phx_list_reserve(&area_members->pool, mem, inside, count)) return false;
    PHX_ASSERT(inside->count < phx_list_capacity(&area_members->pool, inside));
    phx_list_entries(&area_members->pool, inside)[inside->count++] = area;
    return true;
}
