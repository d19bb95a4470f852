/*
 * Submission of commands: they are checked and put into the producer's queue. On the producer's thread, in any phase of
 * a tick and between ticks; see pharos.h for the statuses.
 */
#ifndef PHX_WORLD_INGEST_SUBMIT_H
#define PHX_WORLD_INGEST_SUBMIT_H

#include "world/queue/capsule.h"
#include "world/state/world.h"

/*
 * Each call checks its commands and queues the good ones; op is a phx_op of queue/commands.h. A call for arrays counts
 * in *done the commands that got a number, refused ones too; it stops early at a full queue (PH_FULL, PH_NO_MEMORY).
 * Otherwise it returns the status of the first refused command. bulk: refused commands are kept as refusals, too.
 */

/* ENTER, SET: attributes of each entity. */
ph_status phx_submit_attrs(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                           const uint64_t *ids, const ph_attrs *attrs, uint32_t *done, bool bulk);

/* MOVE of one entity, no item of a bulk call. */
ph_status phx_submit_single_move(phx_producer *producer, uint64_t id, ph_position position);

/* MOVE: positions, queued as columns. */
ph_status phx_submit_move(struct phx_world *world, phx_producer *producer, uint32_t count, const uint64_t *ids,
                          const ph_position *positions, uint32_t *done, bool bulk);

/* LEAVE, DETACH, RESEND, AREA_REMOVE: one id each. */
ph_status phx_submit_ids(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                         const uint64_t *ids, uint32_t *done, bool bulk);

/* One command of two ids: relations, their ends, and ATTACH. PAIR has view and margin, all others 0. */
ph_status phx_submit_two_ids(phx_producer *producer, uint16_t op, uint64_t id, uint64_t other, float view,
                             float margin);

/* Commands of two ids without view and margin, as arrays; bulk. */
ph_status phx_submit_two_ids_many(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                                  const uint64_t *ids, const uint64_t *others, uint32_t *done);

ph_status phx_submit_area(struct phx_world *world, phx_producer *producer, uint64_t id, const ph_area *area);

ph_status phx_submit_broadcast(struct phx_world *world, phx_producer *producer, uint64_t source, const void *payload,
                               uint32_t bytes, const ph_broadcast_options *options);

ph_status phx_submit_broadcast_at(struct phx_world *world, phx_producer *producer, const ph_broadcast_place *place,
                                  const void *payload, uint32_t bytes);

/* stays: of the world that imports. */
ph_status phx_submit_import(struct phx_world *world, phx_producer *producer, const void *capsule, size_t size,
                            const phx_stays *stays);

#endif
