/*
 * The worlds in which refusals.c and refusals_capsules.c have commands refused, and the check of one refusal.
 */
#ifndef PROPERTY_REFUSALS_H
#define PROPERTY_REFUSALS_H

#include <pharos/pharos.h>

enum { CLASSES = 2, CONSUMERS = 2, CAPACITY = 12 };

typedef struct bench {
    ph_world world;
    ph_producer producer;
} bench;

bench bench_make(uint32_t refusals_max);
/*
 * 1..10 are in the world; 2 hangs on 1; 3..10 hang one on the other, 10 lowest (7 edges
 * below 3); 1 has a pair and a link with 3.
 */
void bench_fill(bench *b);

/* A command that has to be refused with this status, at once or when it is applied. */
typedef struct attempt {
    const char *what;
    ph_status status;
    bool in_tick;
    uint64_t id;        /* the refusal's, if it is told */
    ph_command command; /* ... and its command */
    ph_status (*submit)(ph_producer producer, const void *of);
    const void *of;
} attempt;

/* By an apply, and by the tick that it began. */
void refusals_expect(bench *b, const attempt *a);

typedef enum float_class { FINE, NEGATIVE, BEYOND } float_class;

typedef struct special_float {
    float value;
    float_class is;
} special_float;

enum { SPECIAL_FLOATS = 46 };

extern const special_float floats[SPECIAL_FLOATS];

void capsule_refusals(void);

#endif
