/*
 * The server; see server.h. One thread: libwebsockets calls back for sockets, and a timer looks at the pages.
 *
 * Other sites' pages may send requests to loopback, too. A Host that is no loopback name (a stranger's name that was
 * bound to 127.0.0.1) and an Origin that is not this Host are refused before anything is read; so the token is asked of
 * this page and of programs without a browser alone.
 */
#include "view/server.h"

#include "base/thread.h"
#include "view/page.h"
#include "view/page_html.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_US = 5000, IDLE_US = 100000, SOCKETS_MAX = 64, KEEP_ALIVE_S = 5, HOST_SIZE = 128 };

/* ---- requests that are refused ---- */

static bool is_loopback(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) == 0 && (host[length] == '\0' || host[length] == ':')) return true;
    }
    return false;
}

/* NULL: it may; else a static line. */
static const char *refusal(struct lws *wsi)
{
    char host[HOST_SIZE], origin[HOST_SIZE];
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !is_loopback(host))
        return "the Host is not this machine's loopback";
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) return NULL; /* no browser, or no other site */
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0 || strncmp(origin, "http://", 7) != 0 ||
        strcmp(origin + 7, host) != 0)
        return "the Origin is another site";
    return NULL;
}

/* ---- the page ---- */

typedef struct page_session {
    phx_page *page;   /* of a WebSocket */
    size_t html_sent; /* of an HTTP request */
} page_session;

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

static int begin_html(struct lws *wsi)
{
    static const char *const headers[][2] = {{"content-security-policy:", phx_page_policy},
                                             {"x-content-type-options:", "nosniff"},
                                             {"referrer-policy:", "no-referrer"},
                                             {"cross-origin-resource-policy:", "same-origin"},
                                             {"cache-control:", "no-store"}};
    unsigned char room[LWS_PRE + 2048], *at = room + LWS_PRE, *end = room + sizeof room - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", phx_page_html_bytes, &at, end))
        return -1;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (!add_header(wsi, headers[i][0], headers[i][1], &at, end)) return -1;
    if (lws_finalize_write_http_header(wsi, room + LWS_PRE, &at, end)) return -1;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
}

static int send_html(struct lws *wsi, page_session *session)
{
    unsigned char room[LWS_PRE + 4096];
    size_t count = phx_page_html_bytes - session->html_sent;
    if (count > sizeof room - LWS_PRE) count = sizeof room - LWS_PRE;
    memcpy(room + LWS_PRE, phx_page_html + session->html_sent, count);
    session->html_sent += count;
    const bool last = session->html_sent == phx_page_html_bytes;
    if (lws_write(wsi, room + LWS_PRE, count, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)count) return -1;
    if (!last) return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
    session->html_sent = 0;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int answer_http(struct lws *wsi, page_session *session, const char *path)
{
    session->html_sent = 0;
    const bool get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
    const char *refused = refusal(wsi);
    if (!refused && get && strcmp(path, "/") == 0) return begin_html(wsi);
    lws_return_http_status(wsi, refused ? HTTP_STATUS_FORBIDDEN : HTTP_STATUS_NOT_FOUND, refused);
    return -1;
}

/* ---- connections ---- */

static int send_away(struct lws *wsi, enum lws_close_status status, const char *reason)
{
    lws_close_reason(wsi, status, (unsigned char *)reason, strlen(reason));
    return -1;
}

static int open_page(ph_view *view, struct lws *wsi, page_session *session)
{
    session->page = phx_page_open(view, wsi);
    if (!session->page)
        return send_away(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "four pages are open already: close one");
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, PHX_VIEW_HELLO_S);
    return 0;
}

static int receive(ph_view *view, struct lws *wsi, page_session *session, const char *bytes, size_t count)
{
    if (!session->page) return -1;
    if (lws_frame_is_binary(wsi)) return send_away(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "a message is text");
    const bool last = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
    const char *wrong = phx_page_receive(view, session->page, bytes, count, last);
    return wrong ? send_away(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, wrong) : 0;
}

static int serve(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count)
{
    ph_view *view = lws_context_user(lws_get_context(wsi));
    page_session *session = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_http(wsi, session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_html(wsi, session);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return refusal(wsi) ? -1 : 0;
    case LWS_CALLBACK_ESTABLISHED:
        return open_page(view, wsi, session);
    case LWS_CALLBACK_RECEIVE:
        return receive(view, wsi, session, in, count);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return session->page && !phx_page_send(view, session->page) ? -1 : 0;
    case LWS_CALLBACK_CLOSED:
        if (session->page) phx_page_close(view, session->page);
        session->page = NULL;
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, count);
    }
}

/* ---- the thread ---- */

static void look(lws_sorted_usec_list_t *timer)
{
    ph_view *view = lws_container_of(timer, ph_view, timer);
    bool any = false;
    for (phx_page *page = view->pages; page < view->pages + PH_VIEW_CONNECTIONS_MAX; page++) {
        phx_page_look(view, page, lws_now_usecs());
        any = any || page->wsi;
    }
    lws_sul_schedule(view->context, 0, timer, look, any ? LOOK_US : IDLE_US);
}

static void *run(void *user)
{
    ph_view *view = user;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* numbers of messages have points */
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    look(&view->timer);
    while (!atomic_load_explicit(&view->stops, memory_order_acquire) && lws_service(view->context, 0) >= 0) continue;
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return NULL;
}

/* ---- begin and end ---- */

static const struct lws_protocols protocols[] = {
    {"http", serve, sizeof(page_session), 0, 0, NULL, 0},
    {"pharos-view", serve, sizeof(page_session), PH_VIEW_MESSAGE_MAX, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0}};

/* libwebsockets removes whatever has the path of its socket: a file of other use must not go. */
static bool is_free(const char *unix_path)
{
    struct stat there;
    return lstat(unix_path, &there) != 0 || S_ISSOCK(there.st_mode);
}

static ph_status listen_there(ph_view *view, uint32_t port, char *reason, size_t reason_size)
{
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS, .user = view, .fd_limit_per_thread = SOCKETS_MAX};
    view->context = lws_create_context(&info);
    if (!view->context) return PH_NO_MEMORY;
    info.options = view->unix_path ? LWS_SERVER_OPTION_UNIX_SOCK : LWS_SERVER_OPTION_DISABLE_IPV6;
    info.iface = view->unix_path ? view->unix_path : "127.0.0.1";
    info.port = view->unix_path || port != 0 ? (int)port : 0;
    info.protocols = protocols;
    info.keepalive_timeout = KEEP_ALIVE_S;
    info.timeout_secs = KEEP_ALIVE_S;
    struct lws_vhost *host = lws_create_vhost(view->context, &info);
    const int listening = host ? lws_get_vhost_listen_port(host) : -1;
    if (host && (view->unix_path || listening > 0)) {
        view->port = listening > 0 ? (uint32_t)listening : 0;
        return PH_OK;
    }
    lws_context_destroy(view->context);
    if (view->unix_path) snprintf(reason, reason_size, "%s: can not listen there", view->unix_path);
    else snprintf(reason, reason_size, "port %u of 127.0.0.1 is taken, or not allowed", port);
    return PH_IO;
}

/* 128 bits of the system's own, as 32 digits. */
static bool make_token(ph_view *view, const char *given)
{
    unsigned char bytes[16];
    if (given) {
        snprintf(view->token, sizeof view->token, "%s", given);
        return true;
    }
    if (lws_get_random(view->context, bytes, sizeof bytes) != sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(view->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

ph_status phx_server_start(ph_view *view, uint32_t port, const char *token, char *reason, size_t reason_size)
{
    if (view->unix_path && !is_free(view->unix_path)) {
        snprintf(reason, reason_size, "%s: is there, and is no socket", view->unix_path);
        return PH_IO;
    }
    if (!(view->flags & PH_VIEW_KEEP_LOG)) lws_set_log_level(0, NULL);
    const ph_status status = listen_there(view, port, reason, reason_size);
    if (status != PH_OK) return status;
    if (view->unix_path && chmod(view->unix_path, S_IRUSR | S_IWUSR) != 0) { /* libwebsockets says nothing of it */
        lws_context_destroy(view->context);
        snprintf(reason, reason_size, "%s: can not listen there: %s", view->unix_path, strerror(errno));
        return PH_IO;
    }
    const bool random = make_token(view, token);
    if (random && phx_thread_begin(&view->thread, run, view) == 0) return PH_OK;
    lws_context_destroy(view->context);
    snprintf(reason, reason_size, random ? "no thread is to be had" : "no random bytes are to be had");
    return PH_IO;
}

void phx_server_stop(ph_view *view)
{
    atomic_store_explicit(&view->stops, true, memory_order_release);
    lws_cancel_service(view->context);
    pthread_join(view->thread, NULL);
    lws_context_destroy(view->context); /* closes all connections */
}
