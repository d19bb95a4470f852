/*
 * Namespaces of networks; see cables.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* unshare(), setns() */
#endif
#include "cluster/cables.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

/* Runs a line of a shell in a namespace. */
__attribute__((format(printf, 2, 3))) static bool run_line(int space, const char *format, ...)
{
    char line[512];
    int status;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    (void)fflush(NULL);
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        if (setns(space, CLONE_NEWNET) == 0) (void)execl("/bin/sh", "sh", "-ec", line, (char *)NULL);
        _exit(127);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int open_space(void)
{
    return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static bool lay_cable(cables *of, uint32_t machine)
{
    const int own = of->spaces[CABLES_TEST];
    if (unshare(CLONE_NEWNET) != 0) return false;
    of->spaces[machine] = open_space();
    REQUIRE(of->spaces[machine] >= 0 && setns(own, CLONE_NEWNET) == 0);
    (void)snprintf(of->hosts[machine], sizeof of->hosts[machine], "10.77.0.%u", machine + 1);
    of->places[machine] = (server_place){of->spaces[machine], of->hosts[machine]};
    return run_line(of->spaces[machine],
                    "ip link add eth0 type veth peer name cable%u netns %d; ip addr add %s/24 dev eth0; "
                    "ip link set lo up; ip link set eth0 up",
                    machine, (int)getpid(), of->hosts[machine]) &&
           run_line(own, "ip link set cable%u master bridge0; ip link set cable%u up", machine, machine);
}

bool cables_lay(cables *of)
{
    *of = (cables){.hosts = {[CABLES_TEST] = "10.77.0.254"}};
    bool laid = unshare(CLONE_NEWNET) == 0;
    const int why = errno;
    of->spaces[CABLES_TEST] = open_space();
    laid = laid && run_line(of->spaces[CABLES_TEST],
                            "ip link add bridge0 type bridge; ip addr add %s/24 dev bridge0; ip link set lo up; "
                            "ip link set bridge0 up",
                            of->hosts[CABLES_TEST]);
    for (uint32_t i = 0; i < CABLES && laid; i++) laid = lay_cable(of, i);
    if (!laid) (void)printf("skipped: no namespaces with bridge and veth can be made here (%s)\n", strerror(why));
    return laid;
}

void cables_pull(const cables *of, uint32_t machine)
{
    REQUIRE(run_line(of->spaces[CABLES_TEST], "ip link set cable%u down", machine));
}

void cables_put_back(const cables *of, uint32_t machine)
{
    REQUIRE(run_line(of->spaces[CABLES_TEST], "ip link set cable%u up", machine));
}

/* The other one gets a hardware address that no one has: the bridge brings it to all, and none takes it. */
void cables_lose(const cables *of, uint32_t from, uint32_t to)
{
    REQUIRE(run_line(of->spaces[from], "ip neigh replace %s lladdr 02:00:00:00:00:ff nud permanent dev %s",
                     of->hosts[to], from == CABLES_TEST ? "bridge0" : "eth0"));
}

void cables_find(const cables *of, uint32_t from, uint32_t to)
{
    REQUIRE(
        run_line(of->spaces[from], "ip neigh del %s dev %s", of->hosts[to], from == CABLES_TEST ? "bridge0" : "eth0"));
}
