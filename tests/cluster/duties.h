/*
 * The duty of a host in tests to restore entities of dead nodes: regions with a loss are asked for, entities that no
 * node has are entered anew, then the regions are restored. A second loss begins it anew. One thread.
 */
#ifndef CLUSTER_DUTIES_H
#define CLUSTER_DUTIES_H

#include <pharos/cluster.h>

enum { DUTIES_REGIONS_MAX = 256 };

typedef struct duties {
    uint32_t restoring[DUTIES_REGIONS_MAX]; /* losses, by region */
    uint32_t asked[DUTIES_REGIONS_MAX];     /* ... of the question under way */
    bool asks;
} duties;

/* PHC_EVENT_RESTORE and PHC_EVENT_REGION_LOST; others change nothing. */
void duties_hear(duties *all, const phc_event *event);
/* Are some of the host's regions to be asked for now? `asked` has them then: the ids of their missing entities follow.
 */
bool duties_begin(duties *all);
/* Asks for these ids; none: all that was missing is there. */
void duties_ask(duties *all, phc *member, const uint64_t *ids, uint32_t count);
/* PHC_EVENT_WHO_HAS: enter() gets each id that no node has. false: not yet, all are asked for again. */
void duties_answer(duties *all, phc *member, const phc_event *event, bool (*enter)(void *user, uint64_t id),
                   void *user);

#endif
