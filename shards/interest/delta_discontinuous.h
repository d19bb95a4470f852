/*
 * Events with discontinuous entities while lists are derived: the part that the tile and the sparse plan share. In the
 * interest phase, any worker.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_DISCONTINUOUS_H
#define PHX_SHARDS_INTEREST_DELTA_DISCONTINUOUS_H

#include "shards/interest/scratch.h"

/*
 * ---- discontinuities, while lists are derived ----
 *
 * Removes targets that one observer both leaves and enters from its few words: it had them and still has them. A
 * discontinuous entity enters at its new place, and leaves, with a special word, at its old place. Returns the number
 * of targets removed.
 */
uint32_t phx_delta_keep_seen(uint32_t *words, phx_span *of);

/* Is it a leaving word of a previous row? The leaving words of a discontinuous entity are. */
static inline bool phx_delta_leave_is_previous(const phx_shard *shard, phx_target_word leave)
{
    const phx_body *body = &shard->store.body[phx_target_word_slot(leave)];
    return phx_target_word_special(leave) && phx_shard_dirty(shard, body) && (body->state & PHX_SLOT_DISCONTINUOUS);
}

/*
 * Does an observer with a stored list keep a listed target whose previous row leaves? The row has the old place alone;
 * the rule decides about the entity as it is now. For an observer without relations.
 */
bool phx_delta_keeps_listed(const phx_shard *shard, uint32_t slot, uint32_t target);

/*
 * The slots in scratch->enter and ->leave become a change, except slots that are in both. apart: there is room for the
 * change behind the words of all runs. Only if PHX_DELTA_DONE an event was emitted.
 */
phx_delta_result phx_delta_emit_both(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                     uint32_t leaves, bool apart);

/*
 * A discontinuous observer whose list holds no memory: the slots in scratch->enter are all targets in view now; the
 * previous list follows from positions. As phx_delta_emit_both().
 */
phx_delta_result phx_delta_emit_discontinuous(phx_scratch *scratch, phx_shard *shard, uint32_t slot, uint32_t enters,
                                              bool apart);

#endif
