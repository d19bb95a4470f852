/*
 * A cluster of processes on loopback, with the faults of live_faults.h; see live_course.h, which has the options.
 */
#include "cluster/live_course.h"

int main(int argc, char **argv)
{
    const live_course course = {.name = "cluster_live", .faults = live_faults, .fault_count = live_fault_count};
    return live_course_run(&course, argc, argv);
}
