/*
 * A replay: its orders, from the command line, and its summary. No code.
 */
#ifndef PHX_TOOLS_REPLAY_JOB_H
#define PHX_TOOLS_REPLAY_JOB_H

#include <stdio.h>

#include <pharos/config.h>
#include <pharos/save.h>

#include "base/mem.h"
#include "tools/replay_events.h"
#include "tools/tick_times.h"
#include "tools/trace.h"

/* Why does this observer see this target at the end of that tick, or not? */
typedef struct phx_replay_question {
    uint64_t observer, target, tick;
} phx_replay_question;

typedef struct phx_replay_job {
    const char *trace_path;
    const char *events_path;     /* NULL: none; "-": stdout */
    phx_event_shows shows;       /* further columns of the events */
    const char *updates_path;    /* the same; only one of them is stdout */
    const char *heard_path;      /* the same */
    ph_config *config;           /* rows "config" change it */
    uint64_t unpack_max_bytes;   /* of a gzip trace */
    uint64_t ticks_max;          /* 0: to the end of the trace */
    uint64_t tick_last;          /* the last one; UINT64_MAX: to the end */
    bool image;                  /* trace_path is an image of a store: the records behind it are run */
    ph_load_options layout;      /* of the image: shards, workers, index */
    bool follow;                 /* waits for further records, until a signal */
    bool compare;                /* later images of the store with the world at their ticks */
    const char *save_path;       /* FOLDER/NAME: images of the world; NULL: none */
    uint64_t save_every;         /* ticks */
    const char *record_path;     /* FOLDER/NAME: an image and a journal of the trace; NULL: none */
    const char *csv_path;        /* a trace of the image and its journal; NULL: none */
    uint64_t csv_bytes_max;      /* of that trace: a longer one is a failure; 0: none is */
    const char *csv_too_long;    /* what is said of one */
    uint64_t csv_shift;          /* from the world's ticks to the ticks of that trace */
    const char *definition_path; /* of the image; NULL: none */
    bool skip_bad;
    bool verify; /* all lists by brute force, after every tick */
    const phx_replay_question *questions;
    uint32_t question_count;
    FILE *answers; /* gets a line for each of them, as the run comes to their ticks */
    FILE *reasons; /* gets a line if the run fails; NULL: the standard error does */
} phx_replay_job;

typedef struct phx_replay_summary {
    uint64_t ticks;
    uint64_t commands;                 /* lines with an applied command */
    uint64_t bad_lines;                /* all others that are no comments */
    uint64_t bad[PHX_TRACE_BAD_COUNT]; /* refused by the reader */
    uint64_t refused[PH_STATUS_COUNT]; /* refused by the engine */
    uint64_t refused_untold;           /* refused, and refusals_max hid which and why */
    uint64_t enters, leaves;
    uint64_t entities; /* at the end */
    uint64_t compared; /* images of later ticks that were the same world */
    uint64_t verified; /* lists, one for each observer and tick, that brute force found right */
    uint64_t event_hash;
    uint64_t wall_ns;                /* the whole run, reading and writing included */
    uint64_t unknown_kinds;          /* lines with a class that the config has not: class default stood for it, ... */
    char unknown_kind[PH_NAME_SIZE]; /* ... and the first such name, cut to its size */
    bool nobody_looks;               /* no event, and no observer at the end: a view was given nowhere */
    phx_tick_times tick_times;       /* ph_tick() alone */
} phx_replay_summary;

#endif
