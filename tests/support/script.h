/*
 * A whole run as plain data: the world's definition and the steps, in order. Made from a
 * seed and a profile (or from a fuzzer's bytes), replayed by run.h, cut down by shrink.h.
 * Any part of the steps may be left out: the rest is a valid script.
 */
#ifndef SUPPORT_SCRIPT_H
#define SUPPORT_SCRIPT_H

#include "support/check.h"
#include "support/command.h"

enum { SCRIPT_CLASSES_MAX = 8, SCRIPT_IDS_MAX = 64, SCRIPT_PRODUCERS_MAX = 4, SCRIPT_CONSUMERS_MAX = 3 };

typedef enum step_type {
    STEP_COMMAND,
    STEP_APPLY, /* ph_apply() */
    STEP_TICK,
    STEP_DRAIN,  /* a consumer takes batches */
    STEP_REOPEN, /* a consumer closes, keeping nothing, and opens again */
    STEP_RELOAD  /* live fields of the definition change */
} step_type;

typedef struct step_drain {
    uint32_t consumer;
    uint32_t batches; /* at most */
    bool hold;        /* give the last one back only at a later drain */
} step_drain;

typedef struct step_reload {
    ph_shape shape;
    float height;
    uint32_t span;
    double sticky;
    uint32_t activation_span, activation_linger;
    uint32_t broadcast_bytes;
    uint32_t crowd_entities;
    float crowd_floor;
    uint32_t events_max;
    uint32_t kind;
    ph_class values;
} step_reload;

typedef struct step {
    step_type type;
    uint32_t producer;
    bool bulk; /* goes into one bulk call with its neighbours of the same producer and type */
    union {
        command command;
        step_drain drain;
        step_reload reload;
    } as;
} step;

typedef struct script {
    uint64_t seed;
    const char *profile;
    ph_world_def def; /* def.classes is `classes` */
    ph_class classes[SCRIPT_CLASSES_MAX];
    uint64_t ids[SCRIPT_IDS_MAX]; /* the pool, for asking after each of them */
    uint32_t id_count;
    uint32_t producers;
    bool eager; /* every consumer is drained after every tick; else by STEP_DRAIN only */
    VEC(step) steps;
} script;

script *script_new(void);
/* Everything but the steps. */
script *script_copy_head(const script *s);
void script_free(script *s);
void script_print(FILE *out, const script *s);

#endif
