/*
 * The kernel of moves with AVX2, which is the best one for AVX-512 too. Called by ingest/moves.c alone, in the ingest
 * phase, by its worker.
 */
#ifndef PHX_SHARDS_INGEST_MOVES_AVX2_H
#define PHX_SHARDS_INGEST_MOVES_AVX2_H

#include "shards/ingest/move_batch.h"
#include "shards/state/shard.h"

/*
 * Applies the moves of a batch from `first` on as phx_shards_move() does, while they are common and of shards
 * with dense_tick. The first one's shard has dense_tick. Returns how many were applied; the next move may be common,
 * too.
 */
typedef uint32_t phx_move_kernel(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, uint32_t first,
                                 phx_move_stats *sums);

#if defined(__x86_64__)
uint32_t phx_moves_apply_avx2(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, uint32_t first,
                              phx_move_stats *sums);
#endif

/* The kernel for an instruction set; NULL = none, plain C applies all moves. */
static inline phx_move_kernel *phx_move_kernel_of(ph_simd simd)
{
#if defined(__x86_64__)
    if (simd != PH_SIMD_PORTABLE) return phx_moves_apply_avx2;
#endif
    (void)simd;
    return NULL;
}

#endif
