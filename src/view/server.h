/*
 * The server of a view: its socket, its thread, HTTP and WebSocket by libwebsockets. Called by ph_view_open() and
 * ph_view_close().
 */
#ifndef PHX_VIEW_SERVER_H
#define PHX_VIEW_SERVER_H

#include "view/state.h"

/* Listens, and starts the thread. token NULL: a random one. PH_IO: `reason` has a line. On failure nothing is left. */
ph_status phx_server_start(ph_view *view, uint32_t port, const char *token, char *reason, size_t reason_size);
void phx_server_stop(ph_view *view);

#endif
