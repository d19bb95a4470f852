/*
 * Two batches of the same tick as one, as if one world had made it.
 */
#ifndef SUPPORT_MERGED_BATCH_H
#define SUPPORT_MERGED_BATCH_H

#include <pharos/types.h>

#include "support/check.h"

typedef struct merged_batch {
    ph_batch batch;
    VEC(ph_change) changes;
    VEC(ph_target) targets;
    VEC(uint16_t) kinds;
    VEC(uint8_t) causes;
    VEC(ph_position) positions;
    VEC(ph_message) messages;
    VEC(uint8_t) payload;
    VEC(ph_delivery) deliveries;
    VEC(uint32_t) heard;
    VEC(ph_edge) activations;
    VEC(ph_edge) crossings;
    VEC(ph_update) updates;
    VEC(uint32_t) due;
    VEC(uint8_t) bands;
    VEC(ph_moved) moved;
} merged_batch;

/* Is an edge of that batch, 0 or 1, told? */
typedef bool (*merged_edge_fn)(void *user, uint32_t batch, const ph_edge *edge);

/* One of both may be NULL. Valid until the next call. */
const ph_batch *merged_batch_of(merged_batch *merged, const ph_batch *const both[2], merged_edge_fn told, void *user);
void merged_batch_free(merged_batch *merged);

#endif
