/*
 * The enters and leaves that an immediate baseline meets while it applies one move after
 * the other. At the end of the tick it drops events that cancel out (a pair that comes into range
 * and out of it again while others have not moved yet): the rest is the
 * net difference, as the other engines report it.
 */
#ifndef PHX_BENCH_NET_LOG_H
#define PHX_BENCH_NET_LOG_H

#include "bench/baselines/population.h"
#include "bench/baselines/sent_lists.h"

typedef struct net_entry {
    uint32_t observer; /* slot */
    uint32_t what;     /* the target's slot * 2, + 1 = enter */
} net_entry;

typedef struct net_log {
    phx_mem *mem;
    net_entry *entries;
    uint32_t count;
    uint32_t room;
    uint32_t *grouped;   /* `what` of all entries, by observer */
    uint32_t *ends;      /* by slot: of its group; 0 between ticks */
    uint32_t *observers; /* slots that stand in the log, in the order of their first entry */
    int8_t *balance;     /* by slot of a target: enters - leaves; 0 between observers */
    uint32_t grouped_room, ends_room, observers_room, balance_room;
} net_log;

void net_log_free(net_log *log);
void net_log_grow(net_log *log);
/* Reports the net difference and empties the log. */
void net_log_emit(net_log *log, const population *people, sent *out);

static inline void net_log_add(net_log *log, uint32_t observer, uint32_t target, bool enter)
{
    if (log->count == log->room) {
        net_log_grow(log);
    }
    log->entries[log->count++] = (net_entry){observer, target * 2 + enter};
}

#endif
