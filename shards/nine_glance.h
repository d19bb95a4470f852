/*
 * A glance at one observer in range = towers: its events from the crossings (nine.h) alone. With span(T) the towers
 * that an observer in tower T sees, and somebody c crossing from a to b, for plain observers only this can happen:
 *
 *   an observer that stayed in T loses c if a is in span(T) and b is not, and gains c the other way round. The same
 *   for all who stayed in T: it is found once, from c's side, and is the tower's job.
 *
 *   an observer that went from A to B gains who stayed in span(B) \\ span(A), and every c with b in span(B) and a not
 *   in span(A): either b is in span(B) \\ span(A), where c's card is, or in span(A), then c enters for those who
 *   stayed in A too, and is in A's job. It loses who stayed in span(A) \\ span(B), and every c with a in span(A) and
 *   b not in span(B): its old card is in span(A) \\ span(B), or it leaves for those who stayed in B and is in B's job.
 *
 * Observers with a cap, relations, or that do not see layer 1, and all while a target is global, are evaluated
 * (interest.h); so are those in whose sight, old or new, somebody's layers, stealth or the like changed.
 */
#ifndef PHX_SHARDS_NINE_GLANCE_H
#define PHX_SHARDS_NINE_GLANCE_H

#include "shards/glance.h"

/* The job that an item of the shard's nine belongs to; its card is the (item - job->first)-th of the tower's. */
const phx_nine_job *phx_nine_job_of(const phx_nine *nine, uint32_t item);

/* What all who stayed in a job's tower were told, when it is the same for all; NULL = nothing yet. */
typedef struct phx_nine_told {
    const phx_nine_job *job;
    uint32_t target_first, leave_count, enter_count;
} phx_nine_told;

/* told: of the same run over jobs; what is the same as the last time is not written again. */
phx_glance_result phx_nine_glance(phx_scratch *scratch, phx_shard *shard, const phx_nine_job *job, phx_card *card,
                                  phx_nine_told *told);

/* Brings the towers near that who came to a job's sees come or go; then, called again, their cards. */
void phx_nine_await(const phx_nine *nine, const phx_nine_job *job, bool cards);

/* May an own observer's list be implied from now on? */
bool phx_nine_plain(const phx_shard *shard, uint32_t slot);

#endif
