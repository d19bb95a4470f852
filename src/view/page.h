/*
 * One page at the other end of a connection: its messages, its monitor, its frames and texts. By the server's thread,
 * called by server.c.
 */
#ifndef PHX_VIEW_PAGE_H
#define PHX_VIEW_PAGE_H

#include "view/state.h"

/* The connection of a page: NULL if all places are taken. */
phx_page *phx_page_open(ph_view *view, struct lws *wsi);
void phx_page_close(ph_view *view, phx_page *page);

/* Bytes of a message; last: it ends with them. NULL, or why the connection is to be closed: a static line. */
const char *phx_page_receive(ph_view *view, phx_page *page, const char *bytes, size_t count, bool last);

/* The socket takes bytes. false: the connection is lost. */
bool phx_page_send(ph_view *view, phx_page *page);

/* Now and then: the next frame, if one is due and there; texts that wait. */
void phx_page_look(ph_view *view, phx_page *page, lws_usec_t now_us);

/* With `worlds` held: its monitor is of a world that is not shown any more. */
void phx_page_leave_world(phx_page *page);

#endif
