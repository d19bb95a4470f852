/*
 * Crowd control: where many stand around an observer, its view shrinks, step by step. At
 * the end of the ingest phase all entities are counted by tower, each shard its own; then
 * each shard finds whose step changes; then the ticking thread changes those views, as if
 * commanded. Everything follows from positions and steps, nothing from shards or time.
 * Off, and with nobody shrunk any more, none of it runs.
 *
 * The rule, with B = crowd_entities and floor = crowd_floor, in double:
 *   share(s) = 1 - s * (1 - floor) / 16, s = 0..16;  the view that counts is (float)(view * share(s))
 *   p = the entities in the observer's tower and the eight around it, itself too, after the tick's commands
 *   wanted(p) = the least s with p * (share(s) * share(s)) <= B, else 16;  0 while B is 0
 *   s goes up by one where wanted(p) > s, else down by one where wanted(p * 1.25) < s; for who entered the
 *   world in this tick s is wanted(p). Who has no view has s = 0.
 */
#ifndef PHX_WORLD_INGEST_CROWD_CONTROL_H
#define PHX_WORLD_INGEST_CROWD_CONTROL_H

#include "base/idmap.h"
#include "shards/entity/visibility.h"

enum { PHX_CROWD_STEPS = 16 }; /* a view is at its floor after as many ticks */

struct phx_world;

typedef struct phx_crowd_view_change {
    uint32_t slot;
    uint32_t step;
} phx_crowd_view_change;

/* One shard's, written by its worker. */
typedef struct phx_crowd_control_shard {
    phx_idmap towers; /* (ty << 16 | tx) + 1 -> own entities there */
    phx_crowd_view_change *changes;
    uint32_t change_count, changes_capacity;
    uint64_t most; /* the greatest p of an observer */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_crowd_control_shard;

typedef struct phx_crowd_result {
    phx_idmap shrunk; /* id -> step << 32 | bits of the view that it has by its attributes; step above 0 */
    phx_idmap towers; /* of all shards, when there are several */
    phx_crowd_control_shard *shards;
    double share[PHX_CROWD_STEPS + 1], square[PHX_CROWD_STEPS + 1];
    uint32_t shard_at, change_at; /* applied so far */
    uint32_t incarnations;        /* the last one given before this tick */
    uint64_t most;                /* of the last tick */
    uint64_t narrowed, widened;   /* steps */
} phx_crowd_result;

/* false = no memory; to be freed in any case. */
bool phx_crowd_init(struct phx_world *world);
void phx_crowd_free(struct phx_world *world);
/* The keys changed. */
void phx_crowd_rules(struct phx_world *world);

/* ---- ingest; false = no memory: call again ---- */

/* Is there anything to do in this tick? */
bool phx_crowd_due(const struct phx_world *world);
bool phx_step_crowd_count(struct phx_world *world, uint32_t shard);
/* Once all have counted. */
bool phx_crowd_gather(struct phx_world *world);
bool phx_step_crowd_decide(struct phx_world *world, uint32_t shard);
bool phx_crowd_apply(struct phx_world *world);

/* As phx_attr_apply() for an entity that is in the world and may be shrunk. */
void phx_crowd_attrs(struct phx_world *world, uint64_t id, const ph_attrs *more, phx_attr *attr);
/* It leaves the world. */
void phx_crowd_forget(struct phx_world *world, uint64_t id);

#endif
