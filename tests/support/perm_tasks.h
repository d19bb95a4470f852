/*
 * Task hooks for a world that look for bugs of order: one runs the bodies of a
 * parallel-for one after the other in a seeded random order, on the caller's thread, so
 * that a run repeats exactly; one runs each on a thread of its own, held up at random.
 */
#ifndef SUPPORT_PERM_TASKS_H
#define SUPPORT_PERM_TASKS_H

#include <pharos/types.h>

typedef struct perm_tasks {
    uint64_t rng;   /* the seed; moves on */
    uint64_t calls; /* parallel-fors so far */
} perm_tasks;

/* tasks has to outlive the world. */
ph_task_hooks perm_tasks_serial(perm_tasks *tasks);
ph_task_hooks perm_tasks_threads(perm_tasks *tasks);

#endif
