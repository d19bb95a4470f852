/*
 * The visibility rule, straight from the contract, for the check on the side: one pair at a
 * time in float32, each operation rounded on its own. Pure functions.
 */
#ifndef PHX_BENCH_RULES_H
#define PHX_BENCH_RULES_H

#include <pharos/types.h>

/* The attributes that count: the given ones, the rest from the class. */
ph_attrs bench_rules_resolve(const ph_world_def *def, const ph_attrs *given);

/* Does it observe at all? */
bool bench_rules_observes(const ph_attrs *observer);

/* Relations of an observer to one target. */
typedef struct bench_relation {
    bool linked, hidden, revealed;
    bool paired;
    float view, margin; /* of the pair */
} bench_relation;

/* Is target seen, the cap apart? was = it was in the list at the end of the tick before. */
bool bench_rules_sees(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target,
                      const bench_relation *relation, bool was);

/* The place of a target in the order of an observer's cap. */
typedef struct bench_rank {
    bool forced; /* global or linked */
    uint8_t priority;
    double distance;
    uint64_t id;
    bool was;
} bench_rank;

bench_rank bench_rules_rank(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target,
                            const bench_relation *relation, uint64_t id, bool was);
/* For qsort(): kept targets first. */
int bench_rules_compare(const void *left, const void *right);

#endif
