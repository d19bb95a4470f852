/*
 * Submission of commands: they are checked and put into the producer's queue. On the producer's thread; see pharos.h
 * for the statuses.
 */
#ifndef PHX_WORLD_INGEST_SUBMIT_H
#define PHX_WORLD_INGEST_SUBMIT_H

#include "world/state/world.h"

/* The submitting calls; pharos.h has their statuses. Producer's thread. */
ph_status phx_submit_attrs(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                           const uint64_t *ids, const ph_attrs *attrs, uint32_t *done, bool bulk);

ph_status phx_submit_move(struct phx_world *world, phx_producer *producer, uint32_t count, const uint64_t *ids,
                          const ph_position *positions, uint32_t *done, bool bulk);

ph_status phx_submit_ids(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                         const uint64_t *ids, uint32_t *done, bool bulk);

ph_status phx_submit_two_ids(phx_producer *producer, uint16_t op, uint64_t id, uint64_t other, float view,
                             float margin);

ph_status phx_submit_two_ids_many(struct phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                                  const uint64_t *ids, const uint64_t *others, uint32_t *done);

ph_status phx_submit_area(struct phx_world *world, phx_producer *producer, uint64_t id, const ph_area *area);

ph_status phx_submit_broadcast(struct phx_world *world, phx_producer *producer, uint64_t source, const void *payload,
                               uint32_t bytes, const ph_broadcast_options *options);

ph_status phx_submit_broadcast_at(struct phx_world *world, phx_producer *producer, const ph_broadcast_place *place,
                                  const void *payload, uint32_t bytes);

#endif
