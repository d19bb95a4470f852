/*
 * A replay while it runs, and what each of its ticks has in common, whether its commands come from a trace or from a
 * journal. Called by replay_run.c and replay_store.c.
 */
#ifndef PHX_TOOLS_REPLAY_TICK_H
#define PHX_TOOLS_REPLAY_TICK_H

#include "tools/progress.h"
#include "tools/replay_heard.h"
#include "tools/replay_job.h"
#include "tools/replay_submit.h"
#include "tools/replay_updates.h"
#include "tools/trace_config.h"

typedef struct phx_replay_state {
    phx_mem *mem;
    const phx_replay_job *job;
    phx_replay_summary *summary;
    phx_trace *trace;
    phx_out *out;         /* NULL: no events file */
    phx_out *updates_out; /* NULL: no updates file */
    phx_out *heard_out;   /* NULL: no heard file */
    ph_world world;
    ph_consumer *consumers; /* all that the world has */
    uint32_t consumer_count;
    uint64_t tick;   /* of the trace: the one that is being submitted */
    int exit_status; /* PHX_EXIT_OK while all is well */
    phx_event_sheet sheet;
    phx_update_sheet updates;
    phx_heard_sheet heard;
    phx_progress progress;
    phx_submitter submitter;
    phx_trace_config config;        /* of a trace */
    struct phx_replay_store *store; /* NULL: no image, no store */
    struct phx_replay_csv *csv;     /* NULL: no trace is made */
} phx_replay_state;

/* Says why, and ends the run with this exit status. Returns false. */
__attribute__((format(printf, 3, 4))) bool phx_replay_fail(phx_replay_state *replay, int exit_status,
                                                           const char *format, ...);
bool phx_replay_fail_status(phx_replay_state *replay, const char *what, ph_status status);

/* The log of the world: a ph_log_fn whose user is the replay. */
void phx_replay_log(void *user, ph_log_level level, const char *line);

/* Opens each consumer of the world. */
bool phx_replay_open_consumers(phx_replay_state *replay);
void phx_replay_close_consumers(phx_replay_state *replay);

/*
 * The world has run the tick, in so many ns: takes its batches, writes its outputs, answers its questions, and goes on
 * to the next one. false = the run is over: failed.
 */
bool phx_replay_end_tick(phx_replay_state *replay, uint64_t ns);

/* Is it behind the last tick that was asked for? */
bool phx_replay_ticks_done(const phx_replay_state *replay);

/* An explanation of a tick that the run did not have is an error of the command line. */
bool phx_replay_all_answered(phx_replay_state *replay);

#endif
