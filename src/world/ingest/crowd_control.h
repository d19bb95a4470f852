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

#include "world/state/world.h"

/* false = no memory; to be freed in any case. */
bool phx_crowd_init(phx_world *world);
void phx_crowd_free(phx_world *world);
/* The keys changed. */
void phx_crowd_rules(phx_world *world);

/* ---- ingest; false = no memory: call again ---- */

/* Is there anything to do in this tick? */
bool phx_crowd_due(const phx_world *world);
bool phx_step_crowd_count(phx_world *world, uint32_t shard);
/* Once all have counted. */
bool phx_crowd_gather(phx_world *world);
bool phx_step_crowd_decide(phx_world *world, uint32_t shard);
bool phx_crowd_apply(phx_world *world);

/* As phx_attr_apply() for an entity that is in the world and may be shrunk. */
void phx_crowd_attrs(phx_world *world, uint64_t id, const ph_attrs *more, phx_attr *attr);
/* It leaves the world. */
void phx_crowd_forget(phx_world *world, uint64_t id);

#endif
