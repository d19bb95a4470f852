/*
 * The rows "config" of a trace: assignments to live keys, which the next tick takes together. Used by the programs that
 * run traces, by one thread.
 */
#ifndef PHX_TOOLS_TRACE_CONFIG_H
#define PHX_TOOLS_TRACE_CONFIG_H

#include <pharos/config.h>
#include <pharos/pharos.h>

#include "tools/trace_types.h"

typedef struct phx_trace_config {
    ph_config *config;
    uint32_t consumers; /* of the world, whatever the config says */
    bool begun;         /* rows have come since the last tick */
    char reason[PH_CONFIG_REASON_SIZE];
} phx_trace_config;

/* Takes a row's assignment. false: the reason says why not; nothing of the config changed. */
bool phx_trace_config_row(phx_trace_config *to, const phx_trace_row *row);

/* Before a tick: the world takes all of them. PH_OK; else the reason says why not, and the config is another one. */
ph_status phx_trace_config_apply(phx_trace_config *to, ph_world world);

#endif
