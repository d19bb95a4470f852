/*
 * The visibility rule: does an observer see a target? In float32, each operation rounded on its own (the build passes
 * -ffp-contract=off). Pure functions of one pair; the scan kernels must agree with them bit for bit. Used in the
 * interest phase and by queries.
 */
#ifndef PHX_SHARDS_ENTITY_VISIBILITY_H
#define PHX_SHARDS_ENTITY_VISIBILITY_H

#include <math.h>

#include <pharos/types.h>

#include "base/core.h"
#include "shards/entity/list_pool.h"

/* The part of a world's definition that decides visibility. Owned by the world, which changes it between ticks only. */
typedef struct phx_rules {
    ph_range range;
    ph_shape shape;
    float height;
    float tower_size;
    float origin[2];
    uint32_t span;
    uint32_t towers[2]; /* along x and y, 1..PH_TOWERS_AXIS_MAX */
    double sticky;
    ph_index index; /* this and the next fields do not affect visibility */
    float cell_size;
    uint32_t quadtree_capacity, quadtree_depth;
    ph_simd simd; /* chosen, not AUTO */
    const ph_class *classes;
    uint32_t class_count;
    uint32_t wake_span, wake_linger; /* activation_... of the definition */
    bool wakes;                      /* a class wakes NPCs */
    bool banded;                     /* a class has bands, and there is a consumer: see publish/band_updates.h */
    bool bands_changed;              /* in this tick, for a class that existed before */
    uint32_t adds_least;             /* the least adds_max of a class; UINT32_MAX = no class has one */
} phx_rules;

/* A position on the ground plane. */
typedef struct phx_place {
    float x, y;
} phx_place;

/* Position and state of an entity: the fields that a move writes. One third of a cache line, hot. */
typedef struct phx_body {
    float x, y, z;
    uint16_t tx, ty;  /* its tower */
    uint32_t row;     /* its place in the grid's rows while PHX_SLOT_ROW; the next free slot while free */
    uint16_t state;   /* PHX_SLOT_... */
    uint16_t changed; /* phx_shard.dirty_stamp of the last tick that changed it; 0 = long ago */
} phx_body;

/* Resolved attributes of an entity. Written by commands only. */
typedef struct phx_attr {
    uint64_t layers, sees;
    float view, margin, reach;
    float visible; /* farthest distance at which it is seen by distance: PH_LENGTH_MAX is no bound */
    uint32_t cap;
    uint32_t given; /* PH_... bits of attributes set by the host; the others follow the class */
    uint16_t kind;
    uint16_t consumer;
    uint8_t stealth, detect, priority;
    bool global : 1, veiled : 1;
    bool ready : 1;       /* it is an observer, if its view is above 0: ready as given, and not remote */
    bool ready_given : 1; /* as given, or as its class has it */
    bool remote : 1;      /* `given` has PH_REMOTE then, and only then */
    bool spreads : 1;     /* its class has an adds_max */
    bool banded : 1;      /* ... has bands */
    uint8_t reserved : 1; /* 0: sets are compared as bytes */
    uint32_t instance;
    uint32_t crowd_step; /* of crowd control: how far `view` is shrunk */
} phx_attr;

/* Does the rule of each pair alone decide the observer's list? Else a cap or adds_max decides too. */
static inline bool phx_list_unlimited(const phx_attr *attr)
{
    return attr->cap == 0 && !attr->spreads;
}

enum {
    PHX_RELATION_LINK = 1,
    PHX_RELATION_PAIR = 2,
    PHX_RELATION_HIDE = 4,
    PHX_RELATION_REVEAL = 8,
    PHX_RELATION_FAR = PHX_RELATION_LINK | PHX_RELATION_PAIR, /* the target may be seen from beyond the common radius */
    PHX_RELATION_MEASURED = PHX_RELATION_PAIR | PHX_RELATION_REVEAL /* the target's distance counts */
};

/* A relation of an observer to one target. */
typedef struct phx_relation {
    uint64_t target;
    float view, margin; /* of the pair */
    uint32_t slot;      /* a guess of the target's slot: phx_related_slot(); right while listed */
    uint8_t bits;       /* PHX_RELATION_...; 0 = it ended in this tick, see relations.h */
    bool back;          /* the target has a relation to the observer (world/table/relation_index.h) */
    bool listed;        /* the target is in the observer's list, if that list is derived (query/prev_list.h) */
    bool lists;         /* in the interest phase: it is from now on */
} phx_relation;

/* floor((p - origin) / tower_size), clamped; p is finite, the quotient may not be. */
static inline uint16_t phx_tower_index(const phx_rules *rules, int axis, float p)
{
    float q = (p - rules->origin[axis]) / rules->tower_size;
    uint32_t last = rules->towers[axis] - 1;
    if (!(q > 0.0f)) return 0;
    return (uint16_t)(q >= (float)last ? last : (uint32_t)(int32_t)q); /* above 0, truncating is floor */
}

/*
 * Is a position outside of all towers? Its index is the nearest tower's. Divides as phx_tower_index() does: the index
 * of any other position is not clamped.
 */
static inline bool phx_outside_towers(const phx_rules *rules, float x, float y)
{
    float qx = (x - rules->origin[0]) / rules->tower_size, qy = (y - rules->origin[1]) / rules->tower_size;
    return !(qx >= 0.0f && qx < (float)rules->towers[0] && qy >= 0.0f && qy < (float)rules->towers[1]);
}

static inline bool phx_in_range(const phx_rules *rules, const phx_body *o, const phx_body *t, float r)
{
    float dx = t->x - o->x, dy = t->y - o->y, dz = t->z - o->z;
    if (rules->shape == PH_SHAPE_SQUARE) return fabsf(dx) <= r && fabsf(dy) <= r;
    float d2 = dx * dx + dy * dy;
    if (rules->shape == PH_SHAPE_SPHERE) d2 = d2 + dz * dz;
    if (rules->shape == PH_SHAPE_CYLINDER && !(fabsf(dz) <= rules->height)) return false;
    return d2 <= r * r;
}

/*
 * The measure of a distance that decides, from that in the ground plane and a difference of heights: as phx_in_range()
 * of a sphere or a cylinder compares it.
 */
static inline float phx_measure_level(const phx_rules *rules, float square, float dz)
{
    if (rules->shape == PH_SHAPE_SPHERE) return square + dz * dz;
    return rules->shape != PH_SHAPE_CYLINDER || fabsf(dz) <= rules->height ? square : INFINITY;
}

static inline bool phx_in_towers(const phx_rules *rules, const phx_body *o, const phx_body *t)
{
    int32_t dx = (int32_t)t->tx - (int32_t)o->tx, dy = (int32_t)t->ty - (int32_t)o->ty;
    int32_t span = (int32_t)rules->span;
    return dx <= span && -dx <= span && dy <= span && -dy <= span;
}

/* The d2 that ranks targets at the cap, whatever the shape: with z for spheres only. */
static inline float phx_rank_d2(const phx_rules *rules, const phx_body *o, const phx_body *t)
{
    float dx = t->x - o->x, dy = t->y - o->y, dz = t->z - o->z;
    float d2 = dx * dx + dy * dy;
    return rules->shape == PH_SHAPE_SPHERE ? d2 + dz * dz : d2;
}

/* Do layers, stealth and veil let the observer see the target? For an observer without a relation to it. */
static inline bool phx_layers_match(const phx_attr *o, const phx_attr *t)
{
    return o->instance == t->instance && (o->sees & t->layers) != 0 && t->stealth <= o->detect && !t->veiled;
}

/* Is its visible distance below the longest view? */
static inline bool phx_has_bound(const phx_attr *t)
{
    return t->visible < PH_LENGTH_MAX;
}

/* The farthest at which a view takes the target in, unless its reach is beyond the view. */
static inline float phx_bound_of(const phx_attr *t)
{
    return t->visible > t->reach ? t->visible : t->reach;
}

/*
 * The enter radius of the common rule: the observer's view, at most the target's visible distance; or the target's
 * reach.
 */
static inline float phx_enter_radius(const phx_attr *o, const phx_attr *t)
{
    float r = o->view < t->visible ? o->view : t->visible;
    return r > t->reach ? r : t->reach;
}

/* A ready observer with view > 0. */
static inline bool phx_attr_observes(const phx_attr *a)
{
    return a->ready && a->view > 0.0f;
}

/*
 * Has the own entity with this list a list, or may it get one? One without a view may have the list of before, which is
 * to end. One that is not ready has none: its list ended with the command. What is owed to it counts if it is ready
 * again before the interest phase, and ends with the tick else.
 */
static inline bool phx_attr_lists(const phx_attr *a, const phx_list *list)
{
    return a->ready && (a->view > 0.0f || phx_list_holds(list));
}

/* Do instance, hide, layers, stealth and veil admit the target, at whatever distance? relation is o's for t or NULL. */
static inline bool phx_rule_admits(const phx_attr *oa, const phx_attr *ta, const phx_relation *relation)
{
    const uint32_t bits = relation ? relation->bits : 0;
    if (oa->instance != ta->instance) return false;
    if (bits & PHX_RELATION_HIDE) return false;
    return bits & PHX_RELATION_REVEAL ? (oa->sees & ta->layers) != 0 : phx_layers_match(oa, ta);
}

/*
 * The rule of one pair (ph_attrs in types.h has its words), before the cap: o observes, t is another entity, both
 * live; relation is o's for t or NULL; in_list: t was in o's list at the last tick's end.
 */
static inline bool phx_rule_sees(const phx_rules *rules, const phx_body *ob, const phx_attr *oa, const phx_body *tb,
                                 const phx_attr *ta, const phx_relation *relation, bool in_list)
{
    const uint32_t bits = relation ? relation->bits : 0;
    if (!phx_rule_admits(oa, ta, relation)) return false;
    if (ta->global || (bits & PHX_RELATION_LINK)) return true;
    if (rules->range == PH_RANGE_TOWERS) return phx_in_towers(rules, ob, tb);
    bool paired = bits & PHX_RELATION_PAIR;
    float r = paired ? relation->view : phx_enter_radius(oa, ta);
    if (in_list) r = r + (paired ? relation->margin : oa->margin);
    return phx_in_range(rules, ob, tb, r);
}

#endif
