/*
 * The events of a baseline in a tick: per observer leaves, then enters, flat, as a host gets
 * them from the library, except that targets of a record are in no order. Owned by a
 * baseline; filled and walked in the timed part.
 */
#ifndef PHX_BENCH_TOLD_H
#define PHX_BENCH_TOLD_H

#include "bench/base/engine.h"

typedef struct sent_change {
    uint64_t observer;
    uint32_t first; /* of targets */
    uint32_t leave_count;
    uint32_t enter_count;
} sent_change;

typedef struct sent {
    phx_mem *mem;
    sent_change *changes;
    ph_target *targets;
    uint32_t change_count, target_count;
    uint32_t change_room, target_room;
    uint64_t enters, leaves; /* walked over, since create */
    uint64_t id_sum;         /* makes the walk read every event */
} sent;

void sent_free(sent *of);
/* Drops the last tick's events. */
void sent_begin(sent *of);
/* Reads every change and every target once. */
void sent_walk(sent *of);
void sent_records(const sent *of, bench_record_fn record, void *context);
void sent_grow(sent *of, uint32_t targets);

/* Room for one more record with so many targets. */
static inline void sent_reserve(sent *of, uint32_t targets)
{
    if (of->change_count == of->change_room || of->target_room - of->target_count < targets) {
        sent_grow(of, targets);
    }
}

static inline void sent_target(sent *of, uint64_t id)
{
    of->targets[of->target_count++] = (ph_target){.id = id};
}

/* Ends a record of the targets from `first` on, leave_count of them leaves; one without any is none. */
static inline void sent_end(sent *of, uint64_t observer, uint32_t first, uint32_t leave_count)
{
    uint32_t count = of->target_count - first;
    if (count > 0) {
        of->changes[of->change_count++] = (sent_change){observer, first, leave_count, count - leave_count};
    }
}

#endif
