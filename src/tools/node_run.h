/*
 * A run of pharos-node: world, transport, store, member and host are opened, ticked at a steady rate, and closed. The
 * main thread; the ways to the servers have threads of their own.
 */
#ifndef PHX_TOOLS_NODE_RUN_H
#define PHX_TOOLS_NODE_RUN_H

#include "tools/node_host.h"

/* Behind the ones of cli.h, of a node: */
enum {
    PHX_EXIT_FENCED = 3,        /* started again it joins */
    PHX_EXIT_LEFT_ENTITIES = 4, /* not drained in time, or by a second signal */
    PHX_EXIT_KEPT_OUT = 5       /* started again it is refused again, as long as the reason stands */
};

/* Until a signal asks for its end. @return the exit status of the program */
int phx_node_run(phx_mem *mem, const phx_node_job *job, phx_node_signals *signals);

#endif
