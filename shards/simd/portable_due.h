/*
 * The kernels of updates by distance band, for plain C. Called through the table of kernels, by any worker, in the
 * publish phase.
 */
#ifndef PHX_SHARDS_SIMD_PORTABLE_DUE_H
#define PHX_SHARDS_SIMD_PORTABLE_DUE_H

#include "shards/simd/kernels.h"

phx_due_found phx_find_due_portable(const phx_motion_columns *columns, const phx_span *spans, uint32_t span_count,
                                    const phx_due_query *by, uint32_t *keys);
void phx_gather_samples_portable(const phx_motion_sample *samples, const uint32_t *items, uint32_t count,
                                 phx_gathered_samples *to);
void phx_mark_items_portable(uint8_t *mark, const uint32_t *keys, uint32_t count, uint32_t band_bits);
/* The places alone; shared with AVX-512. */
void phx_place_items_portable(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due);
void phx_place_keys_portable(const phx_item_places *places, const uint32_t *keys, uint32_t count, uint32_t *due,
                             uint8_t *bands);

#endif
