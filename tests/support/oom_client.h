/*
 * Clients of a world of oom_trial.h: the lists and edges that follow from the events, compared with the world's own.
 */
#ifndef SUPPORT_OOM_CLIENT_H
#define SUPPORT_OOM_CLIENT_H

#include "support/oom_trial.h"

enum { OOM_IDS = 1024, OOM_AREAS = 8, OOM_WORDS = OOM_IDS / 64 };

typedef struct oom_client {
    oom_trial *trial;
    bool in[OOM_IDS];                              /* the entity is in the world */
    uint32_t stay[OOM_IDS];                        /* its incarnation */
    uint32_t consumer[OOM_IDS];                    /* of that incarnation */
    bool changed[OOM_IDS];                         /* a command has set that */
    uint64_t since[OOM_IDS];                       /* the tick from which on its client is told of its list */
    uint64_t seen[OOM_IDS][OOM_WORDS];             /* the sum of all events, by observer */
    int32_t on[OOM_CONSUMERS][OOM_IDS][OOM_AREAS]; /* ... and of all edges: of activation, and of areas */
    uint64_t heard[OOM_CONSUMERS];                 /* deliveries of broadcasts, each message for each observer */
    uint64_t dropped[OOM_CONSUMERS];               /* deliveries that batches say were dropped */
} oom_client;

/* Says which site it is, behind a failed check. */
void oom_client_say(const oom_client *c, const char *about);

/* Behind a tick: takes all batches. The slow consumer is asked only now and then, until the script is over. */
void oom_client_take(oom_client *c);

/* How many clients know another list than ph_list(); *not_empty: of them, with a list that was not emptied. */
uint32_t oom_client_differing(oom_client *c, uint32_t *not_empty);

/* At rest, the sum of all edges is the state of areas and NPCs. */
void oom_client_check_edges(const oom_client *c);

/* At rest, each delivery that the world counts was received, said to be dropped, or void. */
void oom_client_check_deliveries(const oom_client *c);

#endif
