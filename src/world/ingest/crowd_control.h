/*
 * Crowd control: where many entities are around an observer, its view shrinks, step by step. At the end of the ingest
 * phase each shard counts its entities by tower; then each shard finds observers with a change of their step; then the
 * ticking thread changes their views, as a command would. Everything follows from positions and steps, nothing from
 * shards or time. While it is off and no view is shrunk, none of it runs.
 *
 * The rule, with B = crowd_entities and floor = crowd_floor, in double:
 *   share(s) = 1 - s * (1 - floor) / 16, s = 0..16;  the effective view is (float)(view * share(s))
 *   p = the entities in the observer's tower and the eight around it, itself too, after the tick's commands
 *   wanted(p) = the least s with p * (share(s) * share(s)) <= B, else 16;  0 while B is 0
 *   s goes up by one where wanted(p) > s, else down by one where wanted(p * 1.25) < s; for an observer that
 *   entered the world in this tick, not from a capsule, s is wanted(p). An entity without view has s = 0.
 */
#ifndef PHX_WORLD_INGEST_CROWD_CONTROL_H
#define PHX_WORLD_INGEST_CROWD_CONTROL_H

#include "world/state/world.h"

/* Makes the tables. false = no memory; they have to be freed in any case. */
bool phx_crowd_init(phx_world *world);
void phx_crowd_free(phx_world *world);
/* The keys changed. */
void phx_crowd_rules(phx_world *world);

/* ---- ingest; false = no memory: call again ---- */

/* Has crowd control work in this tick? */
bool phx_crowd_due(const phx_world *world);
bool phx_step_crowd_count(phx_world *world, uint32_t shard);
/* Adds the shards' counts up, once all are counted. */
bool phx_crowd_gather(phx_world *world);
bool phx_step_crowd_decide(phx_world *world, uint32_t shard);
bool phx_crowd_apply(phx_world *world);

/* phx_attr_apply() for an entity in the world, with a view that may be shrunk. */
void phx_crowd_attrs(phx_world *world, uint64_t id, const ph_attrs *more, phx_attr *attr);
/* The entity's step and view by its attributes in one number, 0: it is not shrunk. */
uint64_t phx_crowd_shrunk(const phx_world *world, uint64_t id);
uint64_t phx_crowd_step(uint32_t step, float view);
/* Room for one more shrunk view. false = no memory. */
bool phx_crowd_ready(phx_world *world);
/* Sets such a number; its attributes follow. Room was made, or it was so before. */
void phx_crowd_put(phx_world *world, uint64_t id, uint64_t shrunk);
/* The entity leaves the world. */
void phx_crowd_drop(phx_world *world, uint64_t id);

#endif
