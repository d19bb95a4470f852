/*
 * The page as it is served, and its content security policy: bytes of page.html and page.csp, put into the library at
 * build time (page_html.c.in). Read by server.c.
 */
#ifndef PHX_VIEW_PAGE_HTML_H
#define PHX_VIEW_PAGE_HTML_H

#include <stddef.h>

extern const unsigned char phx_page_html[];
extern const size_t phx_page_html_bytes;
extern const char phx_page_policy[];

#endif
