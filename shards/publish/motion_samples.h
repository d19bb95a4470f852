/*
 * Motion samples: of each item (simd/due_search.h) the position now and at the last tick's end, and the age of its last
 * move, from histories and bodies. Rows have them in columns, too.
 *
 * Publish phase, before any update is emitted. phx_bands_sample_ready() by the shard's owner; then all parts of the
 * slots, and behind these all parts of the rows, each by any worker: a part writes its own items alone.
 */
#ifndef PHX_SHARDS_PUBLISH_MOTION_SAMPLES_H
#define PHX_SHARDS_PUBLISH_MOTION_SAMPLES_H

#include "shards/simd/kernels.h"

struct phx_shard;

/* Makes room for the samples, if an update may be due. false = no memory: call again. */
bool phx_bands_sample_ready(struct phx_shard *shard);
/* Writes the samples of one part of the slots, if so. */
void phx_bands_sample(struct phx_shard *shard, uint32_t part, uint32_t parts);
/* Copies the samples of one part of the rows into their columns, if so; behind all parts of phx_bands_sample(). */
void phx_bands_copy_samples(struct phx_shard *shard, uint32_t part, uint32_t parts);
/* The number of items, or more, that there is room for. */
uint32_t phx_bands_items(const struct phx_shard *shard);
/* The height of a slot at the last tick's end; or now, if it has no history. */
float phx_bands_old_z(const struct phx_shard *shard, uint32_t slot);
/* The samples of the shard's rows, valid where lists are derived; but for rows that are left out. */
phx_motion_columns phx_bands_columns(const struct phx_shard *shard);

#endif
