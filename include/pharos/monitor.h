/**
 * @file monitor.h
 * Seeing a world while it runs: a monitor gets frames that the tick itself fills, so that points, lists and reasons in
 * one frame are of one tick, and no reader keeps a tick from running. pharos_view shows frames in a browser;
 * docs/monitor-frames.md has the bytes that it sends.
 *
 * At the end of each tick whose number is a multiple of `every`, the tick's workers fill the monitor's frame, unless
 * the last one was not returned yet: then the tick skips it and counts that. So a monitor is never waited for, and
 * nothing queues up. Once PH_MONITOR_SKIPS_MAX frames are skipped one behind the other, and `asleep_ms` have passed
 * since the last filled one, the tick does nothing for it but to look whether its frame came back. Memory is made at
 * ph_monitor_open(), and for classes that a later definition adds. A world without an open monitor does nothing for it;
 * with one, events, batches and ph_world_hash() are the same as without. What a frame has does not depend on the number
 * of workers. Frames are no part of an image, nor of a journal: a loaded world has no monitor.
 *
 * Threads. `monitor` below means: one thread at a time for each monitor, at any time, also while a tick runs. No call
 * waits. ph_world_destroy() ends all monitors of its world, with their frames: no thread may be in a call with them.
 */
#ifndef PHAROS_MONITOR_H
#define PHAROS_MONITOR_H

#include <pharos/query.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PH_MONITORS_MAX = 4,                  /* open at once in one world */
    PH_MONITOR_EVERY_MAX = 65535,         /* ticks */
    PH_MONITOR_POINTS_MAX = 262144,       /* of one frame: 12 bytes each, so that one has less than 4 MiB */
    PH_MONITOR_TARGETS_MAX = 8192,        /* of the focus: 24 bytes each */
    PH_MONITOR_EVENTS_MAX = 8192,         /* of the focus, in one frame: 24 bytes each */
    PH_MONITOR_QUESTIONS_MAX = 256,       /* that wait; and answers of one frame */
    PH_MONITOR_HITS_MAX = 8192,           /* of all answers of one frame */
    PH_MONITOR_AREAS_MAX = 512,           /* of one frame */
    PH_MONITOR_CELLS = 64,                /* of the grid, along each axis of the view */
    PH_MONITOR_SPREAD_MAX = 16,           /* parts of the points */
    PH_MONITOR_PART_SLOTS = 8192,         /* slots of a part at least, by default */
    PH_MONITOR_QUESTION_NS_MAX = 1 << 30, /* nanoseconds of a tick */
    PH_MONITOR_ASLEEP_MS_MAX = 1 << 30,   /* milliseconds */
    PH_MONITOR_SKIPS_MAX = 128            /* frames, and asleep_ms: then the focus is not followed until the next one */
};

/** A monitor's handle: zero is null, a closed one is told apart by its generation. */
typedef struct ph_monitor {
    uint16_t index1;
    uint16_t generation;
    ph_world world;
} ph_monitor;

/** How much a monitor may have. 0 in a field: its default. Not live. */
typedef struct ph_monitor_def {
    uint32_t every;       /* 1..65535 ticks from frame to frame; default 1 */
    uint32_t points_max;  /* 1..PH_MONITOR_POINTS_MAX points of a frame; default 100,000 */
    uint32_t targets_max; /* 1..PH_MONITOR_TARGETS_MAX targets of the focus; default 4,096 */
    uint32_t events_max;  /* 1..PH_MONITOR_EVENTS_MAX events of the focus in a frame; default 1,024 */
    uint32_t questions;   /* 1..PH_MONITOR_QUESTIONS_MAX that wait for an answer; default 16 */
    uint32_t hits_max;    /* 1..PH_MONITOR_HITS_MAX entities in all answers of a frame; default 4,096 */
    uint32_t question_ns; /* 1..PH_MONITOR_QUESTION_NS_MAX: once a frame's answers took so long, the other questions
                             wait for the next frame; default 200,000 */
    uint32_t asleep_ms;   /* 1..PH_MONITOR_ASLEEP_MS_MAX milliseconds since the last filled frame: after as many, and
                             PH_MONITOR_SKIPS_MAX skipped frames, the focus is not followed until the next one is
                             filled; longer than a host that is not asleep keeps a frame; default 2,000 */
    uint32_t reserved[8]; /* 0 */
} ph_monitor_def;

/** ph_monitor_view.flags, ORed together: the parts of a frame that are wanted. Parts that are not wanted cost nothing.
 */
enum {
    PH_MONITOR_POINTS = 1u << 0,       /* entities */
    PH_MONITOR_GRID = 1u << 1,         /* their number and the cost by cell */
    PH_MONITOR_SHARDS = 1u << 2,       /* each shard's size and work */
    PH_MONITOR_AREAS = 1u << 3,        /* areas that meet the view */
    PH_MONITOR_STATS = 1u << 4,        /* ph_stats */
    PH_MONITOR_KEYS = 1u << 5,         /* values of live keys */
    PH_MONITOR_ANY_INSTANCE = 1u << 6, /* entities of all instances, not of one alone */
    PH_MONITOR_FLAGS_ALL = (1u << 7) - 1
};

/** What a monitor looks at. */
typedef struct ph_monitor_view {
    float x0, y0, x1, y1;  /* entities with x0 <= x <= x1 and y0 <= y <= y1; up to PH_COORDINATE_MAX from 0;
                              x1 - x0 and y1 - y0 in float32 from 1e-18 on */
    uint32_t instance;     /* the one that is shown, unless PH_MONITOR_ANY_INSTANCE */
    uint32_t flags;        /* PH_MONITOR_... */
    uint32_t points_max;   /* 0 = that of the definition; else the least of both */
    uint32_t spread;       /* 1..PH_MONITOR_SPREAD_MAX: points and grid are in so many parts, and each frame renews one
                              of them: it costs the tick a part as much. 1: all of them are of the frame's tick.
                              0: 1, 2, 4, 8 or 16, the most of which each has PH_MONITOR_PART_SLOTS of
                              ph_monitor_points.slot_count: a frame costs 100,000 that walk less than 3 % of its tick */
    uint64_t focus;        /* the entity that is shown in full, with its list; 0 = none; it need not be in the world */
    uint64_t reserved2[2]; /* 0 */
} ph_monitor_view;

/** What a question asks. */
typedef enum ph_monitor_ask_kind {
    PH_ASK_LIST = 0,      /* the targets of `id`, as ph_list() */
    PH_ASK_OBSERVERS = 1, /* the observers of `id`, as ph_observers() */
    PH_ASK_EXPLAIN = 2,   /* why is `other` in the list of `id`, or why not: ph_explain() */
    PH_ASK_NEAREST = 3,   /* the entities nearest to (x, y), as ph_find() of shape nearest */
    PH_ASK_ENTITY = 4     /* the attributes of `id`, as ph_entity_get() */
} ph_monitor_ask_kind;

/** A question; it is answered once, in one of the next frames. Fields that its kind does not use are not read. */
typedef struct ph_monitor_question {
    ph_monitor_ask_kind kind;
    uint32_t most;         /* list, observers, nearest: entities in the answer, 1..PH_MONITOR_HITS_MAX */
    uint64_t id;           /* list, observers, explain, entity */
    uint64_t other;        /* explain: the target */
    float x, y;            /* nearest */
    float radius;          /* nearest: 0..PH_LENGTH_MAX */
    uint32_t instance;     /* nearest: only entities in this one; of all, if PH_MONITOR_ANY_INSTANCE is in flags */
    uint32_t flags;        /* 0, or PH_MONITOR_ANY_INSTANCE */
    uint32_t reserved;     /* 0 */
    uint64_t tag;          /* the host's, comes back with the answer */
    uint64_t reserved2[2]; /* 0 */
} ph_monitor_question;

/* ---- what a frame has ---- */

/** ph_monitor_frame.flags. */
enum {
    PH_FRAME_DECIMATED = 1u << 0, /* points are a sample: stride > 1 */
    PH_FRAME_SKIPPED = 1u << 1,   /* frames were skipped before this one */
    PH_FRAME_NO_POINTS = 1u << 2, /* no sample of the ids was small enough (ids made for that): no point is given */
    PH_FRAME_SHORT = 1u << 3,     /* of a tick that ph_tick_finish() ended */
    PH_FRAME_UNFOLLOWED = 1u << 4 /* the focus was not followed in some ticks, as PH_MONITOR_SKIPS_MAX frames were
                                     skipped before, for asleep_ms: events of these ticks are left out, the list is
                                     whole */
};

/** ph_monitor_points.bits */
enum {
    PH_POINT_OBSERVER = 1u << 0,  /* ready, with a view, not remote */
    PH_POINT_AWAKE = 1u << 1,     /* an NPC that is awake */
    PH_POINT_NOT_READY = 1u << 2, /* not ready */
    PH_POINT_GLOBAL = 1u << 3,    /* seen at any distance */
    PH_POINT_ATTACHED = 1u << 4,  /* it follows a parent */
    PH_POINT_CAPPED = 1u << 5,    /* its list is as long as its cap */
    PH_POINT_VEILED = 1u << 6,    /* veiled */
    PH_POINT_WAITS = 1u << 7      /* targets wait for it: PH_CHANGE_MORE */
};

/** ph_monitor_points.steps: ORed to the step. */
enum {
    PH_POINT_STEP_STEALTHY = 1u << 5, /* its stealth is above the detect of the focus: by a reveal alone it is seen;
                                         above 0, if the focus is not in the world */
    PH_POINT_STEP_KEPT = 1u << 6,     /* of an earlier frame: the point's part was not renewed in this one */
    PH_POINT_STEP_REMOTE = 1u << 7    /* the entity is remote, shown here by another process */
};

/**
 * Entities in the view, as columns of `count` items, by shard, then slot. If there are more than points_max, only the
 * ones with ph_monitor_sample(id) % stride == 0: the same ones in every frame. stride is a power of two: the least that
 * is small enough, or twice that while the number falls, so that it does not change to and fro.
 *
 * With view.spread a part that was not renewed is as it was in the last frame that did: points may be of entities that
 * have left since, and one that came to another part may be there twice, or not at all, for less than `spread` frames.
 * After a change of the view, of the focus' detect, of the stride or of slot_epoch a frame renews all parts.
 */
typedef struct ph_monitor_points {
    uint32_t count;
    uint32_t stride;
    uint32_t matched;      /* entities in the view, sample or not; 0 without PH_MONITOR_POINTS and PH_MONITOR_GRID */
    uint32_t slot_count;   /* all slots are below */
    uint32_t slot_epoch;   /* another one: slots now name other entities */
    uint32_t oldest;       /* ticks since the oldest part was renewed; 0: all are of this tick */
    const uint32_t *slots; /* a number of the entity while it is in its shard; free ones are given again */
    const uint16_t *x;     /* the position in the view, in float32: min(65535, (x - x0) * (65536 / (x1 - x0))) */
    const uint16_t *y;
    const uint16_t *kinds;
    const uint8_t *bits;  /* PH_POINT_... */
    const uint8_t *steps; /* crowd control: 0..16, how far the view is shrunk; and PH_POINT_STEP_... */
} ph_monitor_points;

/** The view in PH_MONITOR_CELLS x PH_MONITOR_CELLS cells, row by row: cell (i, j) has points with x / 1024 = i, ... */
typedef struct ph_monitor_grid {
    uint32_t cells; /* along each axis; 0 without PH_MONITOR_GRID */
    uint32_t reserved;
    const uint32_t *counts; /* entities */
    const uint32_t *costs;  /* distances compared in the last tick for observers there: ph_stats.pairs_tested by places,
                               spread over places of each piece of work: of index = lighthouse, and of range = towers,
                               evenly over some, as a piece lies together; of other indexes by lengths of lists.
                               Of range = towers there are none in the first frame behind ticks that did not follow
                               the focus (PH_MONITOR_SKIPS_MAX).
                               With view.spread: of the tick that renewed the first part */
} ph_monitor_grid;

/** A shard, row by row. Counters as in ph_shard_stats. */
typedef struct ph_monitor_shard {
    uint16_t x0, y0, x1, y1; /* its towers, inclusive */
    uint32_t entities, observers, ghosts, touched;
    uint64_t list_entries, bytes;
    uint64_t migrations, halo_records;                                  /* since the world was made */
    uint64_t ingest_ns, exchange_ns, index_ns, interest_ns, publish_ns; /* last tick: workers' time */
    uint32_t
        halo_towers; /* so far outside of its towers it has ghosts in the last tick: towers; 0 of one shard alone */
    uint32_t reserved;
} ph_monitor_shard;

/** An area in the view, where it stands now; one that follows an entity, too. */
typedef struct ph_monitor_area {
    uint64_t id;
    uint64_t follow;                       /* the entity that it follows; 0 = none */
    uint64_t layers;                       /* 0 = all */
    float x, y;                            /* middle of a circle; lower corner of a box */
    float to_x, to_y;                      /* upper corner of a box */
    float radius;                          /* of a circle */
    float margin;                          /* of circle and box */
    float z_low, z_high;                   /* infinite without heights */
    float corners[PH_AREA_CORNERS_MAX][2]; /* of a polygon */
    uint32_t instance;                     /* with in_instance */
    uint8_t shape;                         /* ph_area_shape */
    uint8_t corner_count;
    bool in_instance;
    uint8_t reserved;
} ph_monitor_area;

/** A target in the list of the focus. */
typedef struct ph_monitor_target {
    uint64_t id;
    float x, y;
    uint32_t rank;  /* its place in the order of a cap, 1 = first, whether or not there is one */
    uint8_t reason; /* ph_reason: why it is in the list */
    uint8_t band;   /* of the focus' class, by its distance; 255 = the class has none */
    uint16_t due;   /* ticks until it is its turn to be updated; 0 = in this tick */
} ph_monitor_target;

/** The focus: one entity in full. */
typedef struct ph_monitor_focus {
    uint64_t id;
    uint64_t parent;     /* that it is attached to; 0 = none */
    ph_attrs attrs;      /* as ph_entity_get() gives them; view: as it counts now, shrunk; given: the ones that the host
                            gave, the others follow the class */
    float view_given;    /* the view before crowd control */
    float height;        /* of shape = cylinder */
    uint32_t shard;      /* that it is in */
    uint16_t tx, ty;     /* its tower */
    uint32_t list_count; /* all targets; more than target_count: `cut` */
    uint32_t target_count;
    bool found;   /* it is in the world; else nothing but id is set */
    bool awake;   /* NPC */
    bool cut;     /* its list is longer than targets_max: events are left out, too */
    uint8_t step; /* of crowd control */
    uint32_t reserved;
    const ph_monitor_target *targets; /* the first in the order of a cap, by rank */
} ph_monitor_focus;

/**
 * One difference in the list of the focus, in the tick in which it came. Its client is not told of each: the focus may
 * be not ready, or its list begins anew.
 */
typedef struct ph_monitor_event {
    uint64_t tick;
    uint64_t target;
    uint8_t enter; /* 1 = enter, 0 = leave */
    uint8_t cause; /* ph_cause */
    uint8_t reserved[6];
} ph_monitor_event;

/** Live keys of the world, as they count in the frame's tick. */
typedef struct ph_monitor_keys {
    uint64_t generation; /* one more for each definition that ph_world_reconfigure() gave and a tick took, since open */
    double sticky;
    float height;
    uint32_t shape, span, broadcast_bytes, events_max, share_min, activation_span, activation_linger, crowd_entities;
    float crowd_floor;
    uint32_t class_count;
    float tower_size; /* not live, but it may be chosen in the first tick: ph_world_def */
    uint64_t reserved[8];
} ph_monitor_keys;

/** The answer to one question. */
typedef struct ph_monitor_answer {
    ph_monitor_question question;
    ph_status status;           /* PH_OK; PH_UNKNOWN_ID; as of the call that it stands for */
    uint32_t first;             /* its entities are hits[first ...] of the frame */
    uint32_t count;             /* so many; fewer than `total` if `most` or the frame's room is less */
    uint32_t total;             /* all that there are */
    ph_explanation explanation; /* explain */
    ph_attrs attrs;             /* entity */
} ph_monitor_answer;

/** One frame, read-only, the library's; valid from ph_monitor_take() until ph_monitor_return(). */
typedef struct ph_monitor_frame {
    uint64_t tick;     /* at whose end all of it is */
    uint64_t skipped;  /* frames skipped since the frame before, as it was not returned in time */
    uint32_t sequence; /* 1, 2, 3 ... */
    uint32_t flags;    /* PH_FRAME_... */
    uint32_t entities; /* in the world */
    uint32_t reserved;
    uint64_t tick_ns;     /* the tick, without the work for monitors */
    uint64_t fill_ns;     /* of the last frame of this monitor: the ticking thread's time to fill it */
    ph_monitor_view view; /* that it shows; points_max and spread as they counted */
    ph_monitor_points points;
    ph_monitor_grid grid;
    ph_monitor_focus focus; /* id 0: there is none */
    const ph_monitor_shard *shards;
    const ph_monitor_area *areas;
    const ph_monitor_event *events; /* by tick; in a tick leaves before enters, then by target */
    const ph_monitor_answer *answers;
    const ph_hit *hits;
    const ph_stats *stats;       /* NULL without PH_MONITOR_STATS */
    const ph_monitor_keys *keys; /* NULL without PH_MONITOR_KEYS */
    uint32_t shard_count;
    uint32_t area_count;
    uint32_t areas_matched; /* more than area_count: the others had no room */
    uint32_t event_count;
    uint32_t events_lost; /* events since the last frame that had no room: the later ones */
    uint32_t answer_count;
    uint32_t hit_count;
    uint32_t questions_waiting; /* for a later frame */
    const ph_class *classes;    /* as they count in this tick, keys->class_count of them; NULL without keys, or if a
                                   definition has added some and there is no memory for them */
    uint64_t reserved2[7];
} ph_monitor_frame;

/** Counters since the monitor was opened, unless said "now". */
typedef struct ph_monitor_stats {
    uint64_t bytes;     /* now: its memory; also in ph_stats.bytes */
    uint64_t frames;    /* filled */
    uint64_t skipped;   /* not filled, as the last one was not returned */
    uint64_t questions; /* taken by ph_monitor_ask() */
    uint64_t answers;
    uint64_t refilled;    /* fills that had to choose another stride, and look at all entities again */
    uint64_t fill_ns;     /* of the ticking thread, over all ticks */
    uint64_t fill_ns_max; /* of one tick */
    uint64_t followed;    /* ticks in which the list of the focus was read for its events */
    uint64_t reserved[7];
} ph_monitor_stats;

/**
 * Opens a monitor. Until ph_monitor_watch() its frames show the world's rectangle, instance 0, with all parts.
 * @return PH_OK and *monitor; PH_TAKEN: PH_MONITORS_MAX are open; PH_BAD_VALUE: a field out of range; PH_NO_MEMORY;
 * PH_BAD_HANDLE, PH_BAD_ARGUMENT. *monitor is null then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_monitor_open(ph_world world, const ph_monitor_def *def, ph_monitor *monitor);

/**
 * Closes it, with its frame, if one is taken, and its questions. Its memory goes back at once, or at the end of the
 * tick that fills it at this moment. @return PH_OK, PH_BAD_HANDLE. @thread monitor
 */
PH_API ph_status ph_monitor_close(ph_monitor monitor);

/**
 * Looks at this from the next tick on that begins to fill a frame. The last call before counts.
 * @return PH_OK; PH_BAD_POSITION: a corner; PH_BAD_VALUE: an empty or too small rectangle, flags, spread, reserved
 * not 0;
 * PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread monitor
 */
PH_NODISCARD PH_API ph_status ph_monitor_watch(ph_monitor monitor, const ph_monitor_view *view);

/**
 * Asks a question. Questions are answered in their order; one that the frame has no time for waits for the next one. At
 * least one is answered in each frame.
 * @return PH_OK; PH_FULL: as many wait as the definition says; PH_BAD_ID: 0; PH_BAD_POSITION, PH_BAD_RADIUS: of
 * nearest; PH_BAD_VALUE: kind, most, flags, reserved; PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread monitor
 */
PH_NODISCARD PH_API ph_status ph_monitor_ask(ph_monitor monitor, const ph_monitor_question *question);

/**
 * Takes the frame, if a tick has filled one. It brings the points into their order: work of this thread, not of the
 * tick's.
 * @return PH_OK and *frame; PH_EMPTY: there is none; PH_TAKEN: it is taken already; PH_BAD_HANDLE, PH_BAD_ARGUMENT.
 * *frame is NULL unless PH_OK. @thread monitor
 */
PH_NODISCARD PH_API ph_status ph_monitor_take(ph_monitor monitor, const ph_monitor_frame **frame);

/**
 * Gives the frame back, so that the next due tick fills it anew.
 * @return PH_OK; PH_EMPTY: none is taken; PH_BAD_ARGUMENT: it is another one; PH_BAD_HANDLE. @thread monitor
 */
PH_API ph_status ph_monitor_return(ph_monitor monitor, const ph_monitor_frame *frame);

/**
 * Fills the frames that are due once more, as the last tick's end did: for a host that does not tick now (a pause), so
 * that views are followed and questions are answered. Changes nothing of the world.
 * @return PH_OK; PH_BUSY: a tick runs, is half way without memory, a reader is inside, or ph_apply() has begun the next
 * tick; PH_BAD_HANDLE. @thread ticker
 */
PH_NODISCARD PH_API ph_status ph_monitor_fill(ph_world world);

/** Fills *stats. @return PH_OK, PH_BAD_HANDLE, PH_BAD_ARGUMENT. @thread monitor */
PH_NODISCARD PH_API ph_status ph_monitor_stats_get(ph_monitor monitor, ph_monitor_stats *stats);

/** The number that decides whether an entity is in a sample: the finalizer of splitmix64 of its id. @thread any */
PH_API uint64_t ph_monitor_sample(uint64_t id);

#ifdef __cplusplus
}
#endif
#endif
