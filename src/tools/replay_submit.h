/*
 * From trace rows to commands: submits the rows of a tick and keeps the line of every
 * command, so that a refusal can name it by its sequence number. Owned by a
 * replay; used between ticks, by one thread.
 *
 * Commands of one tick that do not fit into one producer's queue go on in the next
 * producer: the producers are applied in their order, so the tick stays one tick.
 */
#ifndef PHX_TOOLS_REPLAY_SUBMIT_H
#define PHX_TOOLS_REPLAY_SUBMIT_H

#include <pharos/pharos.h>

#include "base/mem.h"
#include "tools/trace.h"

/* One producer. */
typedef struct phx_lane {
    ph_producer producer;
    uint64_t sequence; /* its last one before this tick's commands */
    uint64_t *lines;   /* of this tick's commands, in order */
    uint32_t count, capacity;
} phx_lane;

typedef struct phx_submitter {
    phx_mem *mem;
    ph_world world;
    uint32_t lane_count; /* open ones */
    uint32_t lane_now;   /* where this tick's next command goes */
    phx_lane lanes[PH_PRODUCERS_MAX];
} phx_submitter;

/* Called for a command that the tick refused. */
typedef void (*phx_refused_fn)(void *user, uint64_t line, const ph_refusal *refusal);

void phx_submitter_init(phx_submitter *submitter, phx_mem *mem, ph_world world);
void phx_submitter_release(phx_submitter *submitter);

/*
 * Submits one row. PH_OK; the status of a refusal at once (PH_BAD_..., PH_SAME_ID);
 * PH_FULL: the queues of all the producers that there may be are full; PH_NO_MEMORY.
 */
PH_NODISCARD ph_status phx_submit(phx_submitter *submitter, const phx_trace_row *row);

/* After the tick: hands on every refusal, in the order of the lines, and begins the next tick. */
void phx_submitter_end_tick(phx_submitter *submitter, phx_refused_fn refused, void *user);

#endif
