/*
 * All areas of a world by place. The ticking thread changes the table in the ingest phase; from then to the tick's end
 * all shards read it. An area is linked in the level of cells, each of 2^level x 2^level towers, in which it meets four
 * cells at most, so setting or finding an area costs the same at any size. A removed area keeps its number until the
 * tick's end: its members leave it.
 */
#ifndef PHX_SHARDS_ZONES_AREAS_H
#define PHX_SHARDS_ZONES_AREAS_H

#include "base/idmap.h"
#include "shards/entity/bounds.h"
#include "shards/zones/area_follows.h"

enum { PHX_AREA_NONE = UINT32_MAX, PHX_AREA_LEVELS = 17 }; /* 65535 towers are one cell of level 16 */

/* In the list of a cell: area * 4 + number of its cell; PHX_AREA_NONE ends. */
typedef struct phx_area_link {
    uint32_t next, before;
} phx_area_link;

/* A check of one area needs one cache line, unless it is a polygon or for some kinds only. */
typedef struct phx_area_entry {
    phx_area_link links[4];
    phx_box box; /* no position outside is in the area */
    float center[2], radius;
    uint8_t shape : 2;
    uint8_t filtered : 1, keeps : 1; /* has heights, layers or an instance; a margin */
    uint8_t in_instance : 1;         /* else in all instances */
    uint8_t live : 1;                /* else removed in this tick, or no area */
    uint8_t changed : 1;             /* in this tick */
    uint8_t corner_count, kind_count, level;
    uint16_t kinds[PH_AREA_KINDS_MAX];
    uint64_t id;
    uint64_t layers;     /* 0: all */
    float z_low, z_high; /* infinite: no heights */
    uint32_t instance;   /* 0 unless in_instance */
    union {
        float corners[PH_AREA_CORNERS_MAX][2];
        float margin; /* of circle and box */
    };
    uint32_t follow; /* its number in phx_areas.follows, or PHX_FOLLOW_NONE */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_area_entry;
_Static_assert(offsetof(phx_area_entry, kinds) == PHX_CACHE_LINE, "see above");
_Static_assert(sizeof(phx_area_entry) == 4 * PHX_CACHE_LINE, "no line more for what few areas have");

/* Where entities that are inside may stand. */
typedef struct phx_area_extent {
    phx_rect towers;
    bool in_instance; /* else in all instances */
    uint32_t instance;
} phx_area_extent;

/* An area that was set or removed in this tick, and its extent at the last tick's end. */
typedef struct phx_area_change {
    uint32_t area;
    bool was;
    phx_area_extent before;
} phx_area_change;

typedef struct phx_areas {
    phx_mem *mem;
    const phx_rules *rules; /* the world's towers */
    phx_area_entry *at;
    uint32_t count, capacity; /* count: numbers ever used */
    uint32_t free_first;      /* chained by links[0].next */
    uint32_t live_count;
    uint32_t levels_used[2]; /* a bit for each level that has areas: in all instances, in one */
    uint32_t level_counts[2][PHX_AREA_LEVELS];
    phx_area_follows follows;
    phx_idmap index;          /* id -> place */
    phx_idmap cells;          /* level, cell and instance -> first link */
    phx_area_change *changes; /* room for all numbers ever used */
    uint32_t change_count, changes_capacity;
} phx_areas;

void phx_areas_init(phx_areas *areas, phx_mem *mem, const phx_rules *rules);
void phx_areas_free(phx_areas *areas);
/*
 * Sets the area, which was checked; anchor: the place of the entity that it follows, else NULL. PH_CAPACITY: it would
 * be one more than `most`; PH_NO_MEMORY.
 */
ph_status phx_areas_set(phx_areas *areas, uint64_t id, const ph_area *area, const phx_anchor_place *anchor,
                        uint32_t most);
/* PH_ABSENT. */
ph_status phx_areas_remove(phx_areas *areas, uint64_t id);
/* Removes all areas that follow an entity. */
void phx_areas_anchor_left(phx_areas *areas, uint64_t anchor);
/* Brings an area, by its number in `follows`, to where its anchor is now. Room was made when it was set. */
void phx_areas_follow(phx_areas *areas, uint32_t number, const phx_anchor_place *place);
/* An entry as it would be of this shape; only its shape and filters are set. */
void phx_area_shape_of(phx_area_entry *to, const ph_area *from);
/* The tick's end if a shard has yet to follow the changes: they stay, and belong to the next tick too. */
void phx_areas_put_off(phx_areas *areas);

/* The tick's end: frees removed areas. */
void phx_areas_end_tick(phx_areas *areas);

/* Is there an area, or was there one in this tick? */
static inline bool phx_areas_any(const phx_areas *areas)
{
    return areas->live_count > 0 || areas->change_count > 0;
}

static inline uint64_t phx_areas_cell_key(uint32_t level, uint32_t cx, uint32_t cy)
{
    return ((uint64_t)level << 32 | (uint64_t)cy << 16 | cx) + 1;
}

/*
 * The same of areas in one instance. A key has room for a hash of the instance only, so two instances may share a cell:
 * checks of its areas compare instances.
 */
static inline uint64_t phx_areas_instance_key(uint32_t instance, uint32_t level, uint32_t cx, uint32_t cy)
{
    enum { CELL_BITS = 37, SPARE_BITS = 6 };
    const uint32_t GOLDEN = 0x9e3779b1u;
    return 1ull << 63 | (uint64_t)(instance * GOLDEN >> SPARE_BITS) << CELL_BITS | phx_areas_cell_key(level, cx, cy);
}

/* The first link of a cell, or PHX_AREA_NONE. */
static inline uint32_t phx_areas_first(const phx_areas *areas, uint64_t cell_key)
{
    const uint64_t *first = phx_idmap_find(&areas->cells, cell_key);
    return first ? (uint32_t)*first : PHX_AREA_NONE;
}

static inline bool phx_area_for_kind(const phx_area_entry *area, uint32_t kind)
{
    for (uint32_t i = 0; i < area->kind_count; i++)
        if (area->kinds[i] == kind) return true;
    return area->kind_count == 0;
}

/* Does the area admit entities of this instance, these layers and this height? */
static inline bool phx_area_admits(const phx_area_entry *area, uint32_t instance, uint64_t layers, float z)
{
    if (!area->filtered) return true;
    if (area->in_instance && area->instance != instance) return false;
    return (area->layers == 0 || (area->layers & layers)) && z >= area->z_low && z <= area->z_high;
}

/* The radius of a circle, and the box of all that may be inside; inside: of an entity that was, so the margin counts.
 */
static inline float phx_area_radius(const phx_area_entry *area, bool inside)
{
    return inside && area->keeps ? area->radius + area->margin : area->radius;
}

static inline phx_box phx_area_box(const phx_area_entry *area, bool inside)
{
    if (!inside || !area->keeps) return area->box;
    if (area->shape == PH_AREA_CIRCLE)
        return phx_box_around(area->center[0], area->center[1], phx_area_radius(area, true));
    const float margin = area->margin;
    return (phx_box){area->box.x0 - margin, area->box.y0 - margin, area->box.x1 + margin, area->box.y1 + margin};
}

/*
 * Is the position in the area? The rule of pharos.h, "Areas", without the filters; inside: the entity was inside, so
 * the margin counts.
 * Corners in the order given.
 */
static inline bool phx_area_has(const phx_area_entry *area, bool inside, float x, float y)
{
    if (!phx_box_has(phx_area_box(area, inside), x, y)) return false;
    if (area->shape == PH_AREA_BOX) return true;
    if (area->shape == PH_AREA_CIRCLE) {
        float dx = x - area->center[0], dy = y - area->center[1], r = phx_area_radius(area, inside);
        return dx * dx + dy * dy <= r * r;
    }
    bool left = true, right = true;
    for (uint32_t i = 0; i < area->corner_count; i++) {
        const float *p = area->corners[i], *q = area->corners[i + 1 == area->corner_count ? 0 : i + 1];
        float side = (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
        left = left && side >= 0.0f;
        right = right && side <= 0.0f;
    }
    return left || right;
}

/*
 * How far a position may move along each axis, at least, before phx_area_has() may change; 0 = unknown. In float32,
 * with more taken off than its roundings can add.
 */
float phx_area_safe_distance(const phx_area_entry *area, bool inside, float x, float y);
/* The same along z, before phx_area_admits() says otherwise. */
float phx_area_safe_height(const phx_area_entry *area, float z);

/* The extent of an area that is live. */
phx_area_extent phx_areas_extent(const phx_areas *areas, const phx_area_entry *area);

/* Is every corner in the polygon by the rule, and are the corners not all on the line of one side? */
bool phx_area_is_convex(const ph_area *area);

#endif
