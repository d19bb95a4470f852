/*
 * The journal that a world writes, and the one that it replays; see src/world/journal. By the ticking thread, at the
 * tick's end.
 */
#ifndef PHX_WORLD_STATE_JOURNAL_TYPES_H
#define PHX_WORLD_STATE_JOURNAL_TYPES_H

#include <pharos/save.h>

struct phx_world;

/* Sums of events: of lists, and edges of areas and activation. The same for each layout. */
typedef struct phx_record_events {
    uint64_t enters, leaves, edges;
} phx_record_events;

typedef struct phx_journal {
    ph_journal hooks;
    void (*write)(struct phx_world *world); /* at the end of each apply and tick; NULL: no journal is attached */
    bool def_taken;                         /* this tick took a new definition */
    bool renewed;                           /* in this tick a consumer begins anew */
    bool replays;                           /* this apply or tick has the commands of a record alone */
    /* sums of the world's totals at the last record */
    uint64_t applied, refused, no_memory, ticks_short;
    phx_record_events events;
} phx_journal;

#endif
