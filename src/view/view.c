/*
 * Views: opening and closing, the world that is shown, and the exchange with the host. Called by the host's threads;
 * the server's thread is in server.c.
 */
#include "base/core.h"
#include "view/hello.h"
#include "view/page.h"
#include "view/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static bool refuse(char *reason, size_t size, const char *line)
{
    if (reason && size > 0) snprintf(reason, size, "%s", line);
    return false;
}

static bool is_token(const char *token)
{
    const size_t length = strlen(token);
    if (length < PH_VIEW_TOKEN_MIN || length > PH_VIEW_TOKEN_MAX) return false;
    for (const char *at = token; *at != '\0'; at++)
        if (!(*at >= '0' && *at <= '9') && !(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z')) return false;
    return true;
}

static bool check_def(const ph_view_def *def, char *reason, size_t size)
{
    if (def->token && !is_token(def->token))
        return refuse(reason, size, "token: 16 to 64 letters and digits are needed");
    if (def->port > 65535) return refuse(reason, size, "port: at most 65535");
    if (def->unix_path && (def->unix_path[0] == '\0' || def->port != 0))
        return refuse(reason, size, "unix_path: an empty one, or a port beside it");
    if (def->flags & ~(uint32_t)PH_VIEW_FLAGS_ALL) return refuse(reason, size, "flags: an unknown bit");
    if (!phx_is_zero(def->reserved, sizeof def->reserved)) return refuse(reason, size, "reserved: not 0");
    return true;
}

static void free_view(ph_view *view)
{
    pthread_mutex_destroy(&view->worlds);
    pthread_mutex_destroy(&view->exchange);
    free(view->title);
    free(view->unix_path);
    free(view->hello);
    free(view);
}

static ph_view *make_view(const ph_view_def *def)
{
    ph_view *view = calloc(1, sizeof *view);
    if (!view) return NULL;
    pthread_mutex_init(&view->worlds, NULL);
    pthread_mutex_init(&view->exchange, NULL);
    view->flags = def->flags;
    view->title = strdup(def->title ? def->title : "a world");
    view->unix_path = def->unix_path ? strdup(def->unix_path) : NULL;
    if (view->title && (view->unix_path || !def->unix_path)) return view;
    free_view(view);
    return NULL;
}

static void make_address(ph_view *view)
{
    if (view->unix_path) snprintf(view->address, sizeof view->address, "%s#token=%s", view->unix_path, view->token);
    else snprintf(view->address, sizeof view->address, "http://127.0.0.1:%u/#token=%s", view->port, view->token);
}

ph_status ph_view_open(const ph_view_def *def, ph_view **view, char *reason, size_t reason_size)
{
    if (view) *view = NULL;
    if (reason && reason_size > 0) reason[0] = '\0';
    if (!def || !view) return PH_BAD_ARGUMENT;
    if (!check_def(def, reason, reason_size)) return PH_BAD_DEF;
    ph_view *made = make_view(def);
    if (!made) return PH_NO_MEMORY;
    char line[PHX_VIEW_SAID_SIZE] = "";
    const ph_status status = phx_server_start(made, def->port, def->token, line, sizeof line);
    if (status != PH_OK) {
        refuse(reason, reason_size, line);
        free_view(made);
        return status;
    }
    make_address(made);
    *view = made;
    return PH_OK;
}

void ph_view_close(ph_view *view)
{
    if (!view) return;
    phx_server_stop(view);
    free_view(view);
}

const char *ph_view_address(const ph_view *view)
{
    return view->address;
}

/* ---- the world ---- */

ph_status ph_view_show(ph_view *view, ph_world world, const ph_world_def *def)
{
    if (!view || (world.index1 != 0 && !def)) return PH_BAD_ARGUMENT;
    char *hello = world.index1 != 0 ? phx_hello_text(view->title, view->flags, def) : NULL;
    const bool lacks = world.index1 != 0 && !hello;
    pthread_mutex_lock(&view->worlds);
    for (phx_page *page = view->pages; page < view->pages + PH_VIEW_CONNECTIONS_MAX; page++) phx_page_leave_world(page);
    free(view->hello);
    view->hello = hello;
    view->world = lacks ? (ph_world){0} : world;
    view->shows++;
    pthread_mutex_unlock(&view->worlds);
    return lacks ? PH_NO_MEMORY : PH_OK;
}

/* ---- the exchange ---- */

bool ph_view_next(ph_view *view, ph_view_request *request)
{
    pthread_mutex_lock(&view->exchange);
    const bool any = view->request_count > 0;
    if (any) {
        *request = view->requests[view->request_first];
        view->request_first = (view->request_first + 1) % PH_VIEW_REQUESTS_MAX;
        view->request_count--;
    }
    pthread_mutex_unlock(&view->exchange);
    return any;
}

ph_status ph_view_tell(ph_view *view, const ph_view_state *state)
{
    if (!view || !state || !phx_is_zero(state->reserved, sizeof state->reserved)) return PH_BAD_ARGUMENT;
    pthread_mutex_lock(&view->exchange);
    view->state = *state;
    view->tells++;
    pthread_mutex_unlock(&view->exchange);
    return PH_OK;
}

/* With `exchange` held: the page of this connection. NULL: it is gone, and its place may be another page's. */
static phx_page *find_page(ph_view *view, uint32_t number)
{
    for (phx_page *page = view->pages; page < view->pages + PH_VIEW_CONNECTIONS_MAX; page++)
        if (page->known && page->number == number) return page;
    return NULL;
}

void ph_view_say(ph_view *view, uint32_t page, const char *text)
{
    pthread_mutex_lock(&view->exchange);
    phx_page *to = find_page(view, page);
    if (to) snprintf(to->said, sizeof to->said, "%s", text);
    pthread_mutex_unlock(&view->exchange);
}

ph_status ph_view_give_slice(ph_view *view, uint32_t page, const char *text, size_t bytes)
{
    if (!view || !text) return PH_BAD_ARGUMENT;
    char *copy = malloc(bytes + 1);
    if (!copy) return PH_NO_MEMORY;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    pthread_mutex_lock(&view->exchange);
    phx_page *to = find_page(view, page);
    char *before = to ? to->slice : copy;
    if (to) to->slice = copy;
    pthread_mutex_unlock(&view->exchange);
    free(before);
    return PH_OK;
}

uint32_t ph_view_pages(ph_view *view)
{
    pthread_mutex_lock(&view->exchange);
    const uint32_t count = view->page_count;
    pthread_mutex_unlock(&view->exchange);
    return count;
}
