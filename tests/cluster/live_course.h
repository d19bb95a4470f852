/*
 * The course of a test of processes: three nats-server, three members of etcd, three pharos-node and two gateways.
 * Walkers cross regions; faults of a table come one after the other, in an order, at moments and to victims that are
 * drawn. Checked from the lines of the runs: behind each fault, when all stand still, each walker has exactly one
 * owner; over all lines, the rules of live_check.h; exit statuses; and the bounds of docs/cluster.md, which are
 * printed.
 */
#ifndef CLUSTER_LIVE_COURSE_H
#define CLUSTER_LIVE_COURSE_H

#include "cluster/live_faults.h"

typedef struct live_course {
    const char *name; /* of the test */
    const live_fault *faults;
    uint32_t fault_count;
    const cables *cables; /* NULL: all are on loopback */
} live_course;

/* Runs the courses that the arguments of the program ask for: see live_course.c. Returns its exit status. */
int live_course_run(const live_course *course, int argc, char **argv);

#endif
