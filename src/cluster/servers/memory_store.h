/*
 * A look into the control store within a process, past its faults, and its loss: for tests that know everything at
 * once. In the store's thread, between its steps.
 */
#ifndef PHX_CLUSTER_SERVERS_MEMORY_STORE_H
#define PHX_CLUSTER_SERVERS_MEMORY_STORE_H

#include "cluster/servers/memory_table.h"

const phx_memory_table *phx_memory_table_of(const phc_memory *memory);
/* Its keys and leases are lost. */
void phx_memory_store_lose(phc_memory *memory);

#endif
