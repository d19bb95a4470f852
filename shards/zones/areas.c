/*
 * The table of areas; see areas.h.
 */
#include "shards/zones/areas.h"

#include <float.h>
#include <math.h>
#include <string.h>

void phx_areas_init(phx_areas *areas, phx_mem *mem, const phx_rules *rules)
{
    *areas = (phx_areas){.mem = mem, .rules = rules, .free_first = PHX_AREA_NONE};
    phx_area_follows_init(&areas->follows, mem);
    phx_idmap_init(&areas->index, mem);
    phx_idmap_init(&areas->cells, mem);
}

void phx_areas_free(phx_areas *areas)
{
    phx_mem *mem = areas->mem;
    phx_release(mem, (void **)&areas->at, &areas->capacity, sizeof *areas->at);
    phx_release(mem, (void **)&areas->changes, &areas->changes_capacity, sizeof *areas->changes);
    phx_area_follows_free(&areas->follows, mem);
    phx_idmap_free(&areas->index);
    phx_idmap_free(&areas->cells);
}

/* ---- shapes ---- */

static phx_box box_of_corners(const float (*corners)[2], uint32_t count)
{
    phx_box box = {corners[0][0], corners[0][1], corners[0][0], corners[0][1]};
    for (uint32_t i = 1; i < count; i++) {
        if (corners[i][0] < box.x0) box.x0 = corners[i][0];
        if (corners[i][0] > box.x1) box.x1 = corners[i][0];
        if (corners[i][1] < box.y0) box.y0 = corners[i][1];
        if (corners[i][1] > box.y1) box.y1 = corners[i][1];
    }
    return box;
}

void phx_area_shape_of(phx_area_entry *to, const ph_area *from)
{
    to->shape = (uint32_t)from->shape & 3u;
    to->kind_count = (uint8_t)from->kind_count;
    for (uint32_t i = 0; i < from->kind_count; i++) to->kinds[i] = (uint16_t)from->kinds[i];
    to->corner_count = 0;
    const bool heights = from->flags & PH_AREA_HEIGHT;
    to->z_low = heights ? from->z_low : -INFINITY;
    to->z_high = heights ? from->z_high : INFINITY;
    to->layers = from->layers;
    to->in_instance = (from->flags & PH_AREA_IN_INSTANCE) != 0;
    to->instance = to->in_instance ? from->instance : 0;
    to->filtered = heights || from->layers != 0 || to->in_instance;
    to->keeps = from->shape != PH_AREA_POLYGON && from->margin > 0.0f;
    switch (from->shape) {
    case PH_AREA_CIRCLE:
        memcpy(to->center, from->center, sizeof to->center);
        to->radius = from->radius;
        to->margin = from->margin;
        to->box = phx_box_around(from->center[0], from->center[1], from->radius);
        break;
    case PH_AREA_BOX:
        to->box = (phx_box){from->low[0], from->low[1], from->high[0], from->high[1]};
        to->margin = from->margin;
        break;
    case PH_AREA_POLYGON:
        to->corner_count = (uint8_t)from->corner_count;
        memcpy(to->corners, from->corners, sizeof to->corners);
        to->box = box_of_corners(from->corners, from->corner_count);
        break;
    }
}

/* The part of a distance's terms that may be rounding; the part of a distance that a step may take. */
static const float ROUNDING_DOUBT = 1e-6f, SURE = 1.0f - 1e-6f;
static const float ALONG_AXES = 0.7071f; /* a step so far along both axes is no longer than 1 */

/* Shorter distances count as 0: near float32's smallest numbers roundings are no small part. */
static const float LEAST_DISTANCE = 1e-30f;

/* By the rule: by squares, which are far from all limits of float32. */
static float safe_from_circle(const phx_area_entry *area, float r, float x, float y)
{
    const float low = 1e-10f, high = 1e18f;
    const float dx = x - area->center[0], dy = y - area->center[1];
    if (!(r > low && r < high)) return 0.0f;
    const float off = fabsf(sqrtf(dx * dx + dy * dy) - r) - ROUNDING_DOUBT * (r + fabsf(dx) + fabsf(dy));
    return off * ALONG_AXES;
}

/* The distance to the line of the nearest side. */
static float safe_from_polygon(const phx_area_entry *area, float x, float y)
{
    float safe_distance = INFINITY;
    for (uint32_t i = 0; i < area->corner_count; i++) {
        const float *p = area->corners[i], *q = area->corners[i + 1 == area->corner_count ? 0 : i + 1];
        const float ex = q[0] - p[0], ey = q[1] - p[1], a = ex * (y - p[1]), b = ey * (x - p[0]);
        const float side = fabsf(a - b) - ROUNDING_DOUBT * (fabsf(a) + fabsf(b)), length2 = ex * ex + ey * ey;
        if (!(side > LEAST_DISTANCE && length2 > LEAST_DISTANCE && side <= FLT_MAX && length2 <= FLT_MAX)) return 0.0f;
        const float off = side / sqrtf(length2);
        if (off < safe_distance) safe_distance = off;
    }
    return safe_distance * ALONG_AXES * SURE;
}

static float safe_distance_of(const phx_area_entry *area, bool inside, float x, float y)
{
    const phx_box kept = phx_area_box(area, inside), *box = &kept;
    const float out_x = fmaxf(box->x0 - x, x - box->x1), out_y = fmaxf(box->y0 - y, y - box->y1);
    const float out = fmaxf(out_x, out_y) * SURE;
    if (out > 0.0f) return out <= FLT_MAX ? out : 0.0f;
    switch ((ph_area_shape)area->shape) {
    case PH_AREA_CIRCLE:
        return safe_from_circle(area, phx_area_radius(area, inside), x, y);
    case PH_AREA_BOX:
        return -out;
    case PH_AREA_POLYGON:
        return safe_from_polygon(area, x, y);
    }
    return 0.0f;
}

float phx_area_safe_distance(const phx_area_entry *area, bool inside, float x, float y)
{
    const float safe_distance = safe_distance_of(area, inside, x, y);
    return safe_distance > LEAST_DISTANCE ? safe_distance : 0.0f;
}

float phx_area_safe_height(const phx_area_entry *area, float z)
{
    const float safe_distance = fminf(fabsf(z - area->z_low), fabsf(z - area->z_high)) * SURE;
    return safe_distance > LEAST_DISTANCE ? safe_distance : 0.0f;
}

bool phx_area_is_convex(const ph_area *from)
{
    phx_area_entry area;
    phx_area_shape_of(&area, from);
    for (uint32_t i = 0; i < area.corner_count; i++) {
        const float *p = area.corners[i], *q = area.corners[i + 1 == area.corner_count ? 0 : i + 1];
        bool off = false;
        if (!phx_area_has(&area, false, p[0], p[1])) return false;
        for (uint32_t j = 0; j < area.corner_count; j++) {
            float side = (q[0] - p[0]) * (area.corners[j][1] - p[1]) - (q[1] - p[1]) * (area.corners[j][0] - p[0]);
            off = off || side > 0.0f || side < 0.0f;
        }
        if (!off) return false;
    }
    return true;
}

/* ---- cells ---- */

static uint8_t area_level(phx_rect towers)
{
    uint8_t level = 0;
    while ((towers.x1 >> level) - (towers.x0 >> level) > 1 || (towers.y1 >> level) - (towers.y0 >> level) > 1) level++;
    return level;
}

/* The towers of the box that entities inside leave. */
static phx_rect area_towers(const phx_areas *areas, const phx_area_entry *area)
{
    return phx_box_towers(areas->rules, phx_area_box(area, true));
}

phx_area_extent phx_areas_extent(const phx_areas *areas, const phx_area_entry *area)
{
    return (phx_area_extent){area_towers(areas, area), area->in_instance, area->instance};
}

/* The key of the i-th cell of an area with these towers; 0: there is no such cell. */
static uint64_t area_cell_key(const phx_area_entry *area, phx_rect towers, uint32_t i)
{
    uint32_t cx = (uint32_t)(towers.x0 >> area->level) + (i & 1);
    uint32_t cy = (uint32_t)(towers.y0 >> area->level) + (i >> 1);
    if (cx > (uint32_t)(towers.x1 >> area->level) || cy > (uint32_t)(towers.y1 >> area->level)) return 0;
    return area->in_instance ? phx_areas_instance_key(area->instance, area->level, cx, cy)
                             : phx_areas_cell_key(area->level, cx, cy);
}

static phx_area_link *link_at(const phx_areas *areas, uint32_t link)
{
    return &areas->at[link / 4].links[link % 4];
}

/* Links the area in its cells; room in the map was reserved. */
static void link_cells(phx_areas *areas, uint32_t place)
{
    phx_area_entry *area = &areas->at[place];
    const phx_rect towers = area_towers(areas, area);
    area->level = area_level(towers);
    if (areas->level_counts[area->in_instance][area->level]++ == 0)
        areas->levels_used[area->in_instance] |= 1u << area->level;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t key = area_cell_key(area, towers, i);
        if (key == 0) continue;
        uint64_t *first = phx_idmap_find(&areas->cells, key);
        area->links[i] = (phx_area_link){first ? (uint32_t)*first : PHX_AREA_NONE, PHX_AREA_NONE};
        if (!first) phx_idmap_insert(&areas->cells, key, place * 4 + i);
        if (!first) continue;
        link_at(areas, (uint32_t)*first)->before = place * 4 + i;
        *first = place * 4 + i;
    }
}

static void unlink_cells(phx_areas *areas, uint32_t place)
{
    phx_area_entry *area = &areas->at[place];
    const phx_rect towers = area_towers(areas, area);
    if (--areas->level_counts[area->in_instance][area->level] == 0)
        areas->levels_used[area->in_instance] &= ~(1u << area->level);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t key = area_cell_key(area, towers, i);
        if (key == 0) continue;
        phx_area_link link = area->links[i];
        if (link.next != PHX_AREA_NONE) link_at(areas, link.next)->before = link.before;
        if (link.before != PHX_AREA_NONE) link_at(areas, link.before)->next = link.next;
        else if (link.next != PHX_AREA_NONE) *phx_idmap_find(&areas->cells, key) = link.next;
        else (void)phx_idmap_remove(&areas->cells, key);
    }
}

/* ---- commands ---- */

/* The cells that areas which follow may need, wherever their anchors go; a cell of others is counted among them. */
static uint32_t cells_needed(const phx_areas *areas)
{
    enum { CELLS_EACH = 4 };
    return phx_idmap_count(&areas->cells) + CELLS_EACH * areas->follows.count + CELLS_EACH;
}

/* Room for one more area, in all tables, and for its change. */
static bool reserve_area(phx_areas *areas, bool follows)
{
    return phx_grow(areas->mem, (void **)&areas->at, &areas->capacity, areas->count, (size_t)areas->count + 1,
                    sizeof *areas->at) &&
           phx_grow(areas->mem, (void **)&areas->changes, &areas->changes_capacity, areas->change_count,
                    (size_t)areas->count + 1, sizeof *areas->changes) &&
           phx_idmap_reserve(&areas->index, phx_idmap_count(&areas->index) + 1) &&
           phx_idmap_reserve(&areas->cells, cells_needed(areas)) &&
           (!follows || phx_area_follows_reserve(&areas->follows, areas->mem));
}

static void note_change(phx_areas *areas, uint32_t place)
{
    phx_area_entry *area = &areas->at[place];
    if (area->changed) return;
    area->changed = true;
    areas->changes[areas->change_count++] =
        (phx_area_change){.area = place, .was = area->live, .before = phx_areas_extent(areas, area)};
}

static uint32_t pop_free_place(phx_areas *areas, uint64_t id)
{
    uint32_t place = areas->free_first;
    if (place != PHX_AREA_NONE) areas->free_first = areas->at[place].links[0].next;
    else place = areas->count++;
    areas->at[place] = (phx_area_entry){.id = id, .follow = PHX_FOLLOW_NONE};
    phx_idmap_insert(&areas->index, id, place);
    return place;
}

static void stop_following(phx_areas *areas, phx_area_entry *area)
{
    if (area->follow != PHX_FOLLOW_NONE) phx_area_follows_drop(&areas->follows, area->follow);
    area->follow = PHX_FOLLOW_NONE;
}

ph_status phx_areas_set(phx_areas *areas, uint64_t id, const ph_area *from, const phx_anchor_place *anchor,
                        uint32_t most)
{
    const uint64_t *known = phx_idmap_find(&areas->index, id);
    bool live = known && areas->at[*known].live;
    if (!live && areas->live_count >= most) return PH_CAPACITY;
    if (!reserve_area(areas, anchor != NULL)) return PH_NO_MEMORY;
    known = phx_idmap_find(&areas->index, id);
    uint32_t place = known ? (uint32_t)*known : pop_free_place(areas, id);
    phx_area_entry *area = &areas->at[place];
    note_change(areas, place);
    if (live) unlink_cells(areas, place);
    areas->live_count += !live;
    area->live = true;
    stop_following(areas, area);
    if (anchor) area->follow = phx_area_follows_add(&areas->follows, place, from, anchor);
    const ph_area placed = anchor ? phx_area_follow_shape(from, anchor) : *from;
    phx_area_shape_of(area, &placed);
    link_cells(areas, place);
    return PH_OK;
}

static void remove_area(phx_areas *areas, uint32_t place)
{
    phx_area_entry *area = &areas->at[place];
    note_change(areas, place);
    unlink_cells(areas, place);
    stop_following(areas, area);
    area->live = false;
    areas->live_count--;
}

ph_status phx_areas_remove(phx_areas *areas, uint64_t id)
{
    const uint64_t *known = phx_idmap_find(&areas->index, id);
    if (!known || !areas->at[*known].live) return PH_ABSENT;
    remove_area(areas, (uint32_t)*known);
    return PH_OK;
}

void phx_areas_anchor_left(phx_areas *areas, uint64_t anchor)
{
    uint32_t number;
    while ((number = phx_area_follows_first(&areas->follows, anchor)) != PHX_FOLLOW_NONE)
        remove_area(areas, areas->follows.at[number].area);
}

void phx_areas_follow(phx_areas *areas, uint32_t number, const phx_anchor_place *place)
{
    phx_area_follow *follow = &areas->follows.at[number];
    if (memcmp(&follow->at, place, sizeof *place) == 0) return;
    const ph_area placed = phx_area_follow_shape(&follow->shape, place);
    note_change(areas, follow->area);
    unlink_cells(areas, follow->area);
    follow->at = *place;
    phx_area_shape_of(&areas->at[follow->area], &placed);
    link_cells(areas, follow->area);
}

/* An extent that has both. */
static phx_area_extent joined_extent(phx_area_extent a, phx_area_extent b)
{
    const phx_rect p = a.towers, q = b.towers;
    const bool in_instance = a.in_instance && b.in_instance && a.instance == b.instance;
    return (phx_area_extent){.towers = {.x0 = p.x0 < q.x0 ? p.x0 : q.x0,
                                        .y0 = p.y0 < q.y0 ? p.y0 : q.y0,
                                        .x1 = p.x1 > q.x1 ? p.x1 : q.x1,
                                        .y1 = p.y1 > q.y1 ? p.y1 : q.y1},
                             .in_instance = in_instance,
                             .instance = in_instance ? a.instance : 0};
}

void phx_areas_put_off(phx_areas *areas)
{
    for (uint32_t i = 0; i < areas->change_count; i++) {
        phx_area_change *change = &areas->changes[i];
        const phx_area_entry *area = &areas->at[change->area];
        if (!area->live) continue;
        const phx_area_extent now = phx_areas_extent(areas, area);
        change->before = change->was ? joined_extent(change->before, now) : now;
        change->was = true;
    }
}

void phx_areas_end_tick(phx_areas *areas)
{
    for (uint32_t i = 0; i < areas->change_count; i++) {
        uint32_t place = areas->changes[i].area;
        phx_area_entry *area = &areas->at[place];
        area->changed = false;
        if (area->live) continue;
        (void)phx_idmap_remove(&areas->index, area->id);
        area->links[0].next = areas->free_first;
        areas->free_first = place;
    }
    areas->change_count = 0;
}
