/*
 * A cluster of machines: namespaces of networks, each with a broker, a member of etcd and a node, and a cable to one
 * bridge; gateways beside them. Cables are pulled and put back, and ways are lost in one direction, or between two
 * machines; see live_cables.h for the faults, and live_course.h, which has the options. Skipped, and it says so, where
 * namespaces can not be made.
 */
#include "cluster/live_cables.h"
#include "cluster/live_course.h"

int main(int argc, char **argv)
{
    static cables laid;
    enum { EXIT_SKIPPED = 77 }; /* SKIP_RETURN_CODE of ctest */
    if (!cables_lay(&laid)) return EXIT_SKIPPED;
    const live_course course = {
        .name = "cluster_cables", .faults = live_cable_faults, .fault_count = live_cable_fault_count, .cables = &laid};
    return live_course_run(&course, argc, argv);
}
