/*
 * A world: its shards, and all state beyond one shard or one thread.
 *
 * Writers:
 *   producer slots   submit side by the producer's thread at any time (producer.h)
 *   everything else  by the ticking thread between phases, or inside a phase by the
 *                    worker that the phase gives it to (tick/tick.c); read by readers between
 *                    ticks. The gate keeps the two apart.
 */
#ifndef PHX_WORLD_STATE_WORLD_H
#define PHX_WORLD_STATE_WORLD_H

#include <stdatomic.h>

#include "base/directory.h"
#include "base/workers.h"
#include "shards/entity/attach_depth.h"
#include "shards/ingest/move_batch.h"
#include "shards/interest/event_causes.h"
#include "shards/interest/scratch.h"
#include "world/state/apply_types.h"
#include "world/state/broadcast_types.h"
#include "world/state/crew.h"
#include "world/state/crowd_types.h"
#include "world/state/event_bound_types.h"
#include "world/state/import_types.h"
#include "world/state/journal_types.h"
#include "world/state/monitor_types.h"
#include "world/state/move_types.h"
#include "world/state/producer.h"
#include "world/state/update_types.h"
#include "world/table/attachments.h"
#include "world/table/partition.h"
#include "world/table/relation_index.h"

/* The stage of a tick; after PH_NO_MEMORY the tick goes on there. */
typedef enum phx_stage {
    PHX_STAGE_IDLE = 0,
    PHX_STAGE_COLLECT, /* of the commands, in order */
    PHX_STAGE_INGEST,
    PHX_STAGE_FOLLOW,       /* attached children move to their roots */
    PHX_STAGE_NOTE_APPLIED, /* only of ph_apply(): changed entities are noted for queries, */
    PHX_STAGE_END_APPLY,    /* and the world rests */
    PHX_STAGE_CROWD_COUNT,  /* only with crowd control: count entities by tower, */
    PHX_STAGE_CROWD_DECIDE, /* find views to change, */
    PHX_STAGE_CROWD_APPLY,  /* and change them */
    PHX_STAGE_SEND_MIGRANTS,
    PHX_STAGE_RECEIVE_MIGRANTS,
    PHX_STAGE_ARRIVE_IMPORTS, /* of capsules */
    PHX_STAGE_SEND_PINS,
    PHX_STAGE_RECEIVE_PINS,
    PHX_STAGE_SEND_COPIES,
    PHX_STAGE_RECEIVE_COPIES,
    PHX_STAGE_INDEX,
    PHX_STAGE_COPY_ROWS, /* rows that were not sorted anew get their bodies' positions */
    PHX_STAGE_ZONES,     /* edges of activation and areas */
    PHX_STAGE_PLAN,
    PHX_STAGE_INTEREST,
    PHX_STAGE_SPREAD,    /* if there are too many events, enters are held */
    PHX_STAGE_BEGINNERS, /* fresh changes of empty lists */
    PHX_STAGE_COMMIT,
    PHX_STAGE_LOCATE, /* only with broadcasts: find the homes of their sources, */
    PHX_STAGE_TARGET, /* bring them to blocks, */
    PHX_STAGE_PIECES,
    PHX_STAGE_FIND_RECIPIENTS, /* and find their recipients */
    PHX_STAGE_UPDATES,         /* only with bands: sample motion, */
    PHX_STAGE_FIND_UPDATES,    /* find due updates, */
    PHX_STAGE_DEFER_UPDATES,   /* and store deferred ones */
    PHX_STAGE_BATCHES,         /* a batch of the right size for every consumer */
    PHX_STAGE_FILL,
    PHX_STAGE_OFFER,
    PHX_STAGE_END
} phx_stage;

/* The phases of ph_stats, and a time for each. */
typedef enum phx_phase {
    PHX_PHASE_INGEST,
    PHX_PHASE_EXCHANGE,
    PHX_PHASE_INDEX,
    PHX_PHASE_INTEREST,
    PHX_PHASE_PUBLISH,
    PHX_PHASES
} phx_phase;

typedef struct phx_phase_ns {
    uint64_t of[PHX_PHASES];
} phx_phase_ns;

static inline phx_phase phx_phase_of(phx_stage stage)
{
    if (stage <= PHX_STAGE_CROWD_APPLY) return PHX_PHASE_INGEST;
    if (stage <= PHX_STAGE_RECEIVE_COPIES) return PHX_PHASE_EXCHANGE;
    if (stage <= PHX_STAGE_ZONES) return PHX_PHASE_INDEX;
    return stage <= PHX_STAGE_SPREAD ? PHX_PHASE_INTEREST : PHX_PHASE_PUBLISH;
}

/* A shard's progress through a stage. Written by the shard's worker. */
typedef struct phx_shard_progress {
    uint64_t step_done;           /* the last step that this shard finished */
    bool all_sent;                /* a further round is not needed */
    uint32_t source;              /* source that it receives from */
    const phx_record_block *held; /* block of its outbox that is not finished; NULL: begin the next source */
    uint32_t chunk, change;       /* commit: progress; from the first of its own chunks on */
    uint32_t chunk_end;           /* end of its own chunks, as planned */
    /* Last tick: workers' time on its steps; from the tick's end on, on its pieces, too: piece_clock.h. */
    phx_phase_ns ns;
} __attribute__((aligned(PHX_CACHE_LINE))) phx_shard_progress;

enum { PHX_COST_PLACES = 8 }; /* of a chunk: a chunk is of a few towers that lie together */

/* A range of one shard's rows: the unit of work of the interest phase. */
typedef struct phx_chunk {
    uint32_t shard;
    uint32_t first, count; /* of the grid's rows */
    uint32_t done;         /* rows done; less than count only for want of memory */
    uint32_t passed;       /* rows in front of the first that the last pass of tick/finish_short.c set aside */
    uint32_t worker;       /* worker with the results in its scratch */
    uint32_t change_first, change_count;
    uint32_t target_first, overflow_first; /* where the chunk's targets and overflow begin in the scratch */
    uint32_t commit_count;                 /* changes with work for the commit */
    uint32_t observers[PHX_COST_PLACES];   /* of entries of tasks: some of its observers, for monitors (costs.h) */
    uint32_t observer_count;
    phx_interest_counts counts;       /* its work */
    uint32_t cause_lookups;           /* leaves whose target was looked at for its cause */
    uint64_t interest_ns, publish_ns; /* its workers' time */
} phx_chunk;

/* A chunk's changes for one consumer: their number; then their places in its batch. */
typedef struct phx_consumer_changes {
    uint32_t changes, targets;
} phx_consumer_changes;

/* Sums over ticks, by the ticking thread. */
typedef struct phx_world_totals {
    uint64_t applied, refused_in_tick, untold;
    uint64_t refused[PH_STATUS_COUNT]; /* in ticks */
    uint64_t rounds;                   /* of exchanges, beyond the first round of each */
    uint64_t broadcasts, payload_bytes;
    uint64_t queued_max; /* commands of one tick */
    uint64_t ticks_spread, ticks_short;
    uint64_t applies;
} phx_world_totals;

/* Values of counters when the last tick began. */
typedef struct phx_tick_baseline {
    uint64_t applied, refused_in_tick, enters, leaves, deliveries, updates, migrations, halo_records, pairs_tested,
        batch_bytes;
    uint64_t refused[PH_STATUS_COUNT]; /* in ticks */
} phx_tick_baseline;

/* Sums of one shard since it was made. Written by the ticking thread. */
typedef struct phx_shard_totals {
    phx_interest_counts counts;        /* of its observers */
    uint64_t refused[PH_STATUS_COUNT]; /* in ticks: commands to its entities */
    phx_phase_ns ns;                   /* of all ticks: see phx_shard_progress */
} phx_shard_totals;

/* Lines of the log that were written, and hold until their reason is gone. Ticking thread. */
typedef struct phx_hints {
    uint32_t ungiven; /* bits of fields, once each */
    bool unobserved;  /* there are entities, and no observer */
    bool outside;     /* many entities are outside of all towers */
} phx_hints;

typedef struct phx_world {
    phx_mem mem;
    ph_world_def def; /* classes point to `classes` */
    ph_class *classes;
    phx_rules rules;
    _Atomic uint32_t
        kind_count; /* number of classes; written between ticks, read by submitting threads, relaxed: it only grows */
    _Atomic uint32_t ungiven; /* bits of fields that were set and not given; by submitting threads, relaxed: a hint */
    phx_hints hints;
    ph_class *next_classes; /* of ph_world_reconfigure(), until the next tick */
    ph_world_def next_def;

    phx_partition partition;
    phx_shard *shards;
    phx_shard_progress *shard_progress;
    phx_mem *shard_mems;            /* memory of each shard: parts of mem */
    phx_shard_totals *shard_totals; /* one per shard */
    phx_halo_request *halo_requests, *halo_requests_before;
    uint32_t shard_count;

    phx_directory directory;
    phx_relation_index relation_index;
    phx_attach attach;
    phx_areas areas;
    phx_depths depths;    /* depths of attached entities */
    phx_net_world around; /* for consumers */
    phx_crowd_result crowd;
    phx_idmap instances;    /* entities of each but 0: table/instance_counts.h */
    phx_imports imports;    /* of this tick */
    phx_renames renames;    /* of this tick */
    uint32_t incarnations;  /* last one given; compared only inside one consumer's pending changes, so it may wrap */
    phx_cause_scope causes; /* of this tick's events */

    phx_producer_run *runs;                       /* the tick's commands, in order */
    uint32_t run_count, runs_capacity, runs_most; /* runs_most: of a collection in this tick */
    phx_high_water runs_use;
    uint32_t run_at; /* next run to apply */
    phx_move_span move_span;
    phx_apply_state apply;
    bool begun; /* entities were applied since the last tick: the next one goes on with this tick number */
    phx_move_stats *move_sums; /* sums of this tick's moves, by worker and shard; see ingest/moves.c */
    uint32_t movers;           /* workers below this number have sums that are not added to the shards yet */

    phx_producer *producers; /* producers_max, and one behind them for records: journal/replay.c */
    phx_consumer_slot *consumers;

    phx_crew *crew;        /* workers that may share a tick; NULL = there is one */
    bool crew_own;         /* no other world has it */
    bool shared;           /* the tick has work enough for all workers: tick/share.h */
    phx_workers *workers;  /* of the tick that runs; NULL = the ticking thread alone */
    uint32_t worker_count; /* workers that have memory here: 1, from the first shared tick on def.workers */
    phx_scratch
        *scratch; /* one per worker, as many as worker_count, as broadcasts.scratches, updates.workers and move_sums */
    uint32_t *shard_order; /* the order of shards (and outboxes); tests permute it */
    uint32_t order_capacity;
    _Atomic uint32_t step_failed; /* a piece of a step had no memory; relaxed: the barrier orders the work itself */
    uint64_t step;

    phx_chunk *chunks;
    uint32_t chunk_count, chunks_capacity;
    uint32_t chunks_planned; /* chunks of one shard follow each other; behind these are rests of chunks after want of
                                memory */
    phx_spread_state spreading;
    phx_consumer_changes *chunk_counts; /* [chunk][consumer], padded: publish/change_counts.h */
    uint32_t chunk_counts_capacity;
    uint64_t *begin_bits; /* scratch of publish/beginners.c */
    uint32_t begin_bits_capacity;
    phx_batch **batches; /* of this tick, one per consumer */
    phx_broadcasts broadcasts;
    phx_edge_size *edge_sizes; /* [consumer]: sizes of this tick; then the place of its next edge */
    bool zoned;                /* a class wakes, or there are areas, or a shard still has state of them */
    phx_updates updates;
    bool updating; /* an observer may have updates in this tick */

    _Atomic uint32_t gate; /* see table/gate.h */
    phx_stage stage;
    uint32_t stage_at;      /* progress of the batches, or the offers: a consumer */
    uint64_t tick;          /* the last one, or the one that is begun */
    uint64_t changes;       /* applies and ticks so far, also such that stopped: a visit ends if it changes */
    bool towers_open;       /* the side of towers is to be chosen with the first entities: tick/choose_towers.h */
    bool finishing;         /* this tick was called by ph_tick_finish() */
    bool any_outside;       /* an emigrant of the last tick is still in its old shard, for want of memory */
    bool resumed;           /* the stage's step stopped for want of memory and is called again */
    bool restoring;         /* it is restored from an image: no tick has run yet */
    bool restore_took_crew; /* ... by workers that it has to give back */
    bool renews;          /* a consumer's observers get their whole lists in the next tick: phx_consumer_slot.renews */
    bool reclass;         /* the classes changed: entities have to follow */
    bool monitors_asleep; /* at the end of the last tick all open monitors were (PH_MONITOR_SKIPS_MAX) */
    bool notes_costs;     /* this tick began with a monitor that may want costs */
    phx_journal journal;
    phx_monitor_slot monitors[PH_MONITORS_MAX];
    _Atomic uint32_t monitors_open; /* slots in use; relaxed: the state of a slot hands it over */
    /* definitions that ticks have taken; by the ticking thread, relaxed: a monitor that opens reads it */
    _Atomic uint64_t definitions;
    phx_world_totals totals;
    phx_phase_ns phase_ns, phase_ns_sum;
    uint64_t tick_ns_max;
    uint64_t monitor_ns, monitor_ns_sum; /* of the ticking thread for monitors: last tick, all ticks */
    phx_tick_baseline baseline;
} phx_world;

/*
 * Producers with commands for the tick that begins: all of them, or, of a record that is replayed, the one behind them.
 */
static inline uint32_t phx_world_producers_first(const phx_world *world)
{
    return world->journal.replays ? world->def.producers_max : 0;
}

static inline uint32_t phx_world_producers_end(const phx_world *world)
{
    return world->def.producers_max + world->journal.replays;
}

/* The last tick that ended. */
static inline uint64_t phx_world_ended_tick(const phx_world *world)
{
    return world->tick - world->begun;
}

/* The entity's shard and slot; false = unknown. */
static inline bool phx_world_find(const phx_world *world, uint64_t id, phx_shard **shard, uint32_t *slot)
{
    uint64_t home = phx_directory_find(&world->directory, id);
    if (home == PHX_HOME_NONE) return false;
    *shard = &world->shards[phx_home_shard(home)];
    *slot = phx_home_slot(home);
    return true;
}

#endif
