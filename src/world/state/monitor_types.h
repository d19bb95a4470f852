/*
 * Types of monitors (src/world/monitor): what a monitor has beside its frame, and the slots of a world's monitors. Each
 * field names its side: the thread of the monitor, or the ticking thread, which fills frames at the end of a tick.
 */
#ifndef PHX_WORLD_STATE_MONITOR_TYPES_H
#define PHX_WORLD_STATE_MONITOR_TYPES_H

#include <pharos/monitor.h>

#include "base/mem.h"

/* A slot's state. FILLING: the ticking thread is inside; ENDING: it was closed, and goes back to FREE. */
typedef enum phx_monitor_state {
    PHX_MONITOR_FREE = 0,
    PHX_MONITOR_OPENING,
    PHX_MONITOR_OPEN,
    PHX_MONITOR_FILLING,
    PHX_MONITOR_ENDING
} phx_monitor_state;

/* Whose the frame is: the ticking thread's, no thread's, the monitor's thread's. */
typedef enum phx_frame_state { PHX_FRAME_EMPTY = 0, PHX_FRAME_FULL, PHX_FRAME_TAKEN } phx_frame_state;

/* Points as columns; one piece of memory of PHX_POINT_BYTES each. */
typedef struct phx_point_columns {
    uint32_t *slots;
    uint16_t *x, *y, *kinds;
    uint8_t *bits, *steps;
} phx_point_columns;

/*
 * Points as workers find them, a word for each column: a fill is bound by the bytes that it writes. Places are
 * y << 16 | x, looks steps << 24 | bits << 16 | kind.
 */
typedef struct phx_found_columns {
    uint32_t *slots, *places, *looks;
} phx_found_columns;

enum { PHX_PARTS_ALL = UINT32_MAX };
enum { PHX_POINT_BYTES = 12 }; /* of both */
enum { PHX_LOOK_BITS = 16, PHX_LOOK_STEP = 24 };

/* Some points that stand together. No two runs share slots, so the order of runs is that of their first slots. */
typedef struct phx_point_run {
    uint32_t first, count;
    uint32_t slot;   /* the first point's; */
    bool successive; /* the others' follow it, and are not written */
} phx_point_run;

/*
 * Parts of the points (ph_monitor_view.spread). A shard's slots are cut into stretches, and stretch b of shard s is of
 * part (s + b) % parts. What is not renewed stays the same only while all that decides about it does.
 */
typedef struct phx_point_parts {
    uint32_t count;         /* 1: there is one part, renewed in each frame */
    uint32_t stretch_slots; /* of a stretch */
    uint32_t next;          /* the part that is renewed next */
    uint32_t stride, slot_epoch;
    uint64_t views_seen;
    bool valid; /* the parts were filled, with all of the above */
    bool any_outside;
    uint8_t detect;                                                         /* of the focus */
    uint32_t points[PH_MONITOR_SPREAD_MAX], matched[PH_MONITOR_SPREAD_MAX]; /* of each part */
    uint64_t ticks[PH_MONITOR_SPREAD_MAX];                                  /* in which it was renewed */
} phx_point_parts;

/* One worker's sums of a fill. */
typedef struct phx_monitor_sums {
    uint32_t *counts; /* by cell of the grid */
    uint32_t matched;
} __attribute__((aligned(PHX_CACHE_LINE))) phx_monitor_sums;

/* A target of the focus, with all that orders and names it. */
typedef struct phx_focus_item {
    ph_monitor_target target;
    uint32_t incarnation;
    uint8_t always, priority; /* at a cap: global or linked */
    uint16_t reserved;
    double square;
} phx_focus_item;

/* A target as it was at the end of the last tick. */
typedef struct phx_focus_before {
    uint64_t id;
    uint32_t incarnation;
    uint32_t reserved;
} phx_focus_before;

typedef struct phx_focus {
    phx_focus_item *items;      /* of the frame; a heap, the last one in order at its root, once there are more */
    ph_monitor_target *targets; /* in order */
    uint32_t item_count;
    phx_focus_before *now, *before; /* by id, of the tick at hand and the one before */
    uint64_t id;                    /* of the focus that `before` is of; 0 = none */
    uint32_t incarnation;
    uint32_t before_count;
    bool before_known; /* else no event follows from `before` */
    bool unfollowed;   /* in a tick since the last filled frame */
} phx_focus;

typedef struct phx_monitor {
    phx_mem mem; /* a part of the world's */
    ph_monitor_def def;
    uint32_t worker_count, shard_count, class_room; /* for which there is memory */

    /*
     * The view, by three buffers: one of the monitor's thread, one of the ticking thread, and the number of the third
     * in `mailbox`, with PHX_MAILBOX_NEW if the ticking thread has not seen it. Each side exchanges its own for the
     * third, acquire and release, so that the content goes with the number.
     */
    ph_monitor_view views[3];
    _Atomic uint32_t mailbox;
    uint32_t view_written; /* monitor's thread */
    uint32_t view_shown;   /* ticking thread, as the next one */
    uint64_t views_seen;   /* views that came by the mailbox */

    /*
     * Questions, a ring of def.questions. `asked` is written by the monitor's thread: its release pairs with the
     * acquire of the ticking thread, which reads the questions before. `answered` the other way round: then the room is
     * free.
     */
    ph_monitor_question *questions;
    _Atomic uint64_t asked, answered;

    /* Release by the side that hands the frame over; acquire by the other one. */
    _Atomic uint32_t frame_state;
    bool ordered; /* monitor's thread: the points of this frame are in their order */
    ph_monitor_frame frame;
    bool cells_due; /* the cells' counts follow from the points; by the thread that takes the frame */
    phx_point_parts parts;
    uint32_t renewed; /* the part that this frame renews; PHX_PARTS_ALL */
    phx_found_columns found;
    phx_point_columns points; /* in order; by the thread that takes the frame, as the next one */
    uint32_t ordered_count;   /* of the last frame that was taken */
    phx_point_run *runs;
    uint32_t runs_max;
    _Atomic uint32_t run_count, point_count; /* of `found`; relaxed: the barrier of the step orders the content */
    uint32_t stride;                         /* of the next fill */
    uint32_t *slot_first;                    /* [shard]: added to its slots, ... */
    uint32_t *slot_room;                     /* ... below so many */
    uint32_t *piece_first;                   /* [shard]: its first piece of the fill */
    uint32_t *grid_counts, *grid_costs;
    uint32_t *part_counts;  /* [part][cell]: of the last fill of each part; if the points do not give them */
    phx_monitor_sums *sums; /* [worker] */
    ph_monitor_shard *shards;
    ph_monitor_area *areas;
    ph_monitor_event *events;
    ph_monitor_answer *answers;
    ph_hit *hits;
    ph_stats *stats;
    ph_monitor_keys keys;
    ph_class *classes;    /* copied when the definition has changed: */
    uint64_t classes_of;  /* one more than the definitions that they are of; 0 = none yet */
    uint64_t keys_before; /* definitions before it was opened */
    phx_focus focus;
    uint64_t skipped_now;              /* frames since the last filled one */
    uint32_t event_count, events_lost; /* since the last filled frame */
    uint64_t last_fill_ns;             /* of the last filled frame, as the next one */
    uint64_t filled_at_ns;             /* by phx_now_ns() */

    /* counters of ph_monitor_stats, by the ticking thread; relaxed: they order nothing */
    _Atomic uint64_t frames, skipped, answers_given, refilled, fill_ns, fill_ns_max, followed;
    _Atomic uint64_t questions_asked; /* by the monitor's thread */
} phx_monitor;

static const uint32_t PHX_MAILBOX_NEW = 4;

typedef struct phx_monitor_slot {
    /*
     * phx_monitor_state. The release of OPEN pairs with the acquire of the ticking thread and of the next call with the
     * handle. The side that ends a monitor is the one whose exchange finds the other one outside.
     */
    _Atomic uint32_t state;
    _Atomic uint32_t generation; /* of the handle; changed while OPENING only */
    phx_monitor *monitor;
} phx_monitor_slot;

#endif
