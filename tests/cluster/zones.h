/*
 * Areas, activation, and updates by bands, as hosts and clients are told of them, and their bounds. Entities are
 * walkers (walks.h), some of them NPCs, some of them wakers. Own entities count as they are now, entities of other
 * nodes as they were in the last ticks:
 *
 *  - an area that stands still has an entity in it exactly as in one world; one that follows an entity has each in it
 *    that was inside at all moments of the last ticks, and none that was outside at all of them;
 *  - an NPC is awake if a waker was near at all moments of them, and asleep once none was near at any one for as long
 *    as it lingers;
 *  - the position of a target that an observer's client has is one of the last ticks, as many more as its band allows.
 *
 * No edge comes twice. Once all stand still, all of it is as in one world.
 */
#ifndef CLUSTER_ZONES_H
#define CLUSTER_ZONES_H

#include <pharos/pharos.h>

#include "cluster/sights.h"
#include "cluster/walks.h"

enum { ZONES_CLASSES = 4, ZONES_STANDING = 6, ZONES_FOLLOWING = 2, ZONES_AREAS = ZONES_STANDING + ZONES_FOLLOWING };

/* How far the world of another node reaches into this one by them, at most: a waker, two towers away. */
static const float ZONES_REACH = 80;

typedef struct zones_known {
    float x, y;
    uint32_t band;
} zones_known;

typedef struct zones_told {
    bool awake[TRAIL_IDS];
    bool inside[ZONES_AREAS][TRAIL_IDS];
    zones_known known[TRAIL_IDS][TRAIL_IDS]; /* by observer and target */
    uint64_t edges, updates;
} zones_told;

/* Do edges of this entity count? */
typedef bool (*zones_counts_fn)(const void *user, uint64_t id);

/* The classes of a world, and its keys of zones. */
void zones_define(ph_world_def *def, ph_class classes[ZONES_CLASSES], float view, float margin);
uint32_t zones_kind(uint64_t id);
/* Of its class; 0: no limit. */
uint32_t zones_adds_max(uint64_t id);
/* Sets all areas, or only the following ones: refused where an anchor is not here, and then no entity is inside. */
void zones_set_areas(ph_producer producer, bool all);
void zones_hear(zones_told *told, const ph_batch *batch, zones_counts_fn counts, const void *user);
/*
 * Of an own entity, against one world's, its trail, and which wakers were ready. lag: ticks that an entity of another
 * node may be old.
 */
void zones_check(const zones_told *told, const zones_told *one, walker_trail *trail, sights *seen, uint64_t id,
                 uint64_t lag);
/* Of a target in the list of an own observer. */
void zones_check_target(const zones_told *told, walker_trail *trail, uint64_t observer, uint64_t target, uint64_t lag);
/* All stand still, and have stood for long. */
void zones_check_end(const zones_told *told, const zones_told *one, uint64_t id);
void zones_check_target_end(const zones_told *told, const zones_told *one, uint64_t observer, uint64_t target);

#endif
