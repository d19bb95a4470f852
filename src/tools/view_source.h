/*
 * A world for pharos-view: the demo's, a trace's, or that of an image and its journal. One thread calls all of it,
 * between ticks; view_run.c paces the ticks, and has the page.
 */
#ifndef PHX_TOOLS_VIEW_SOURCE_H
#define PHX_TOOLS_VIEW_SOURCE_H

#include <pharos/config.h>
#include <pharos/pharos.h>

#include "base/mem.h"
#include "tools/cli.h"

enum { PHX_SOURCE_REASON_SIZE = 600 };

/* A part of what was recorded, as a trace from malloc(), for its maker's caller; or why there is none. */
typedef struct phx_view_slice {
    char *text;
    size_t bytes;
    char reason[PHX_SOURCE_REASON_SIZE];
} phx_view_slice;

typedef struct phx_view_source phx_view_source;
struct phx_key_images;

struct phx_view_source {
    phx_mem *mem;
    ph_config *config;
    const char *path; /* of the trace, or the image */
    uint64_t unpack_max_bytes, images_max_bytes;
    ph_load_options layout; /* of the image: shards, workers, index */
    ph_world world;
    ph_consumer consumers[PH_CONSUMERS_MAX]; /* all of the world's: their batches are returned unread */
    uint32_t consumer_count;
    uint64_t at;                         /* tick of the world, as a trace counts */
    int64_t offset;                      /* of `at` from the world's own numbers */
    uint64_t first, last;                /* ticks that a seek can reach; both 0 = it can not seek */
    bool over;                           /* there is no further tick */
    bool diverged;                       /* the world is not the recorded one: a live key was changed */
    char reason[PHX_SOURCE_REASON_SIZE]; /* of the last false */
    void *own;
    /* The next tick. false: failed, or over. */
    bool (*step)(phx_view_source *source);
    /* Worlds to go back to: view_seek.h. NULL: nothing is recorded, and it can not seek; or it is a copy. */
    struct phx_key_images *images;
    /* There is another world, at the end of tick `at`: what is recorded goes on behind it. */
    bool (*reopen)(phx_view_source *source);
    /* Makes the last recorded world of a tick in (from, to] the world, with its config and consumers, and `at` its
       tick. PH_EMPTY: there is none, and the present world stays; else the reason says why. NULL: no worlds are
       recorded. */
    ph_status (*load_recorded)(phx_view_source *source, uint64_t from, uint64_t to);
    /* The world is about to end: handles of it go. NULL: there are none but the consumers. */
    void (*leave)(phx_view_source *source);
    /* A trace of the begin up to a tick. false: it says why. view_slice.h has the others. */
    bool (*slice)(const phx_view_source *source, uint64_t last, phx_view_slice *slice);
    /* Makes `own` of a copy that has a world and a config of its own. false: no memory. */
    bool (*fork)(const phx_view_source *source, phx_view_source *copy);
    void (*close)(phx_view_source *source);
};

/* Shared by the sources. */
bool phx_source_fail(phx_view_source *source, const char *what, ph_status status);
/* A world of the config. */
bool phx_source_make_world(phx_view_source *source);
/* Of a world that was made or loaded. */
ph_status phx_source_open_consumers(phx_view_source *source);
/* ph_tick(), and its batches are returned: lists go to the page. */
bool phx_source_tick(phx_view_source *source);
void phx_source_return_batches(phx_view_source *source);
void phx_source_end_world(phx_view_source *source);

/* The keys of the demo's world, for ph_config_load_text(). */
extern const char phx_view_demo_config[];
bool phx_view_demo_open(phx_view_source *source);
/* source->path, unpack_max_bytes and images_max_bytes are set. */
bool phx_view_trace_open(phx_view_source *source);
/* source->path, images_max_bytes and layout are set. */
bool phx_view_store_open(phx_view_source *source);

#endif
