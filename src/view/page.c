/*
 * Pages; see page.h. A page has credit for two frames: while neither is acknowledged, its monitor's frame is not taken,
 * and the tick fills none. So a page that sleeps costs the tick a look at a flag, and this library no memory.
 */
#include "view/page.h"

#include "view/frame.h"
#include "view/hello.h"
#include "view/message.h"
#include "view/questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ph_monitor_def monitor_def = {.questions = PHX_VIEW_QUESTIONS, .points_max = PH_MONITOR_POINTS_MAX};

/* ---- places ---- */

phx_page *phx_page_open(ph_view *view, struct lws *wsi)
{
    for (phx_page *page = view->pages; page < view->pages + PH_VIEW_CONNECTIONS_MAX; page++) {
        if (page->wsi) continue;
        pthread_mutex_lock(&view->worlds);
        pthread_mutex_lock(&view->exchange);
        memset(page, 0, sizeof *page);
        page->number = ++view->connections;
        pthread_mutex_unlock(&view->exchange);
        pthread_mutex_unlock(&view->worlds);
        page->wsi = wsi;
        page->hz = 1;
        return page;
    }
    return NULL;
}

void phx_page_leave_world(phx_page *page)
{
    if (page->watches) ph_monitor_close(page->monitor);
    page->watches = page->roomless = false;
    page->spread = (phx_spread){0};
    page->view.spread = 0;
    phx_questions_lose(page);
}

void phx_page_close(ph_view *view, phx_page *page)
{
    pthread_mutex_lock(&view->worlds);
    phx_page_leave_world(page);
    pthread_mutex_unlock(&view->worlds);
    pthread_mutex_lock(&view->exchange);
    free(page->slice);
    page->slice = NULL;
    page->said[0] = '\0';
    if (page->known) view->page_count--;
    page->known = false;
    pthread_mutex_unlock(&view->exchange);
    free(page->text.room);
    free(page->frame.room);
    memset(&page->text, 0, sizeof page->text);
    memset(&page->frame, 0, sizeof page->frame);
    page->wsi = NULL;
}

static void say(ph_view *view, phx_page *page, const char *line)
{
    pthread_mutex_lock(&view->exchange);
    snprintf(page->said, sizeof page->said, "%s", line);
    pthread_mutex_unlock(&view->exchange);
    lws_callback_on_writable(page->wsi);
}

/* ---- the monitor ---- */

static const char *roomless_text(ph_status status)
{
    return status == PH_TAKEN ? "the world has no room for another monitor: this page waits for one"
                              : "there is no memory for another monitor: this page tries again";
}

/* With `worlds` held. A monitor that was closed in a tick has its place up to that tick's end: looks try again. */
static void watch(ph_view *view, phx_page *page)
{
    if (view->world.index1 == 0 || !page->known || !page->has_view) return;
    ph_status status = page->watches ? PH_OK : ph_monitor_open(view->world, &monitor_def, &page->monitor);
    page->watches = status == PH_OK;
    if (!page->watches) {
        if (!page->roomless) say(view, page, roomless_text(status));
        page->roomless = true;
        return;
    }
    page->roomless = false;
    status = ph_monitor_watch(page->monitor, &page->view);
    if (status != PH_OK) say(view, page, "this part of the world can not be shown: it is too far out, or too small");
}

static void obey_view(ph_view *view, phx_page *page, const phx_message *message)
{
    page->hz = message->hz;
    if (page->kind != message->kind_shown) page->class_known = page->class_waits = false;
    page->kind = message->kind_shown;
    pthread_mutex_lock(&view->worlds); /* the host's thread resets parts and spread, where it shows another world */
    phx_spread_watch(&page->spread, &page->view, &message->view);
    page->has_view = true;
    watch(view, page);
    pthread_mutex_unlock(&view->worlds);
}

static void obey_ask(ph_view *view, phx_page *page, const phx_message *message)
{
    pthread_mutex_lock(&view->worlds);
    const ph_status status = phx_questions_ask(page, &message->question);
    pthread_mutex_unlock(&view->worlds);
    if (status != PH_OK) say(view, page, status == PH_FULL ? "too many questions wait" : ph_status_text(status));
}

/*
 * This frame and the ones before: a page that slept takes the last one alone. One that is not on its way is of another
 * world, with numbers of its own, or was covered by a later one.
 */
static void obey_ack(phx_page *page, uint32_t sequence)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < page->flying; i++)
        if (page->flight[i] == sequence) done = i + 1;
    memmove(page->flight, page->flight + done, (page->flying - done) * sizeof *page->flight);
    page->flying -= done;
}

/* ---- requests ---- */

static bool is_offered(const ph_view *view, ph_view_do what)
{
    switch (what) {
    case PH_VIEW_DO_SEEK:
        return view->flags & PH_VIEW_SEEK;
    case PH_VIEW_DO_SET:
        return view->flags & PH_VIEW_SET;
    case PH_VIEW_DO_SLICE:
        return view->flags & PH_VIEW_SLICE;
    default:
        return view->flags & PH_VIEW_CONTROLS;
    }
}

static void obey_request(ph_view *view, phx_page *page, const ph_view_request *request)
{
    if (!is_offered(view, request->what)) {
        say(view, page, "this program does not offer that");
        return;
    }
    pthread_mutex_lock(&view->exchange);
    const bool full = view->request_count == PH_VIEW_REQUESTS_MAX;
    if (!full) {
        ph_view_request *place = &view->requests[(view->request_first + view->request_count++) % PH_VIEW_REQUESTS_MAX];
        *place = *request;
        place->page = page->number;
    }
    pthread_mutex_unlock(&view->exchange);
    if (full) say(view, page, "too many requests wait for the program");
}

/* ---- receiving ---- */

/* All bytes are compared, so that the time says nothing of the first wrong one. */
static bool same_token(const char *a, const char *b)
{
    unsigned differ = strlen(a) != strlen(b);
    for (size_t i = 0; a[i] != '\0' && b[i] != '\0'; i++) differ |= (unsigned)(a[i] ^ b[i]);
    return differ == 0;
}

static const char *obey_hello(ph_view *view, phx_page *page, const phx_message *message)
{
    if (!same_token(message->token, view->token)) return "wrong token";
    if (page->known) return NULL;
    pthread_mutex_lock(&view->exchange);
    page->known = true;
    view->page_count++;
    pthread_mutex_unlock(&view->exchange);
    lws_set_timeout(page->wsi, NO_PENDING_TIMEOUT, 0);
    lws_callback_on_writable(page->wsi);
    return NULL;
}

static const char *obey(ph_view *view, phx_page *page)
{
    phx_message message;
    const char *wrong = phx_message_read(page->in, page->in_bytes, &message);
    if (!wrong && message.kind == PHX_MESSAGE_HELLO) return obey_hello(view, page, &message);
    if (!page->known) return "the token comes first";
    if (wrong) {
        say(view, page, wrong);
        return NULL;
    }
    if (message.kind == PHX_MESSAGE_VIEW) obey_view(view, page, &message);
    else if (message.kind == PHX_MESSAGE_ASK) obey_ask(view, page, &message);
    else if (message.kind == PHX_MESSAGE_ACK) obey_ack(page, message.sequence);
    else obey_request(view, page, &message.request);
    return NULL;
}

const char *phx_page_receive(ph_view *view, phx_page *page, const char *bytes, size_t count, bool last)
{
    if (count > PH_VIEW_MESSAGE_MAX - page->in_bytes) return "a message has at most 4096 bytes";
    if (page->in_pieces++ == PHX_VIEW_PIECES_MAX) return "a message has at most 64 pieces"; /* empty ones, too */
    memcpy(page->in + page->in_bytes, bytes, count);
    page->in_bytes += (uint32_t)count;
    if (!last) return NULL;
    const char *wrong = obey(view, page);
    page->in_bytes = page->in_pieces = 0;
    return wrong;
}

/* ---- sending ---- */

static bool make_room(phx_parcel *parcel, size_t bytes)
{
    if (bytes <= parcel->capacity) return true;
    unsigned char *room = realloc(parcel->room, LWS_PRE + bytes);
    if (!room) return false;
    parcel->room = room;
    parcel->capacity = bytes;
    return true;
}

/* Room of a long text, a slice, say, goes with it: further ones are short. */
static void give_up_room(phx_parcel *parcel)
{
    if (parcel->capacity <= PHX_VIEW_ROOM_KEPT || parcel->sent < parcel->bytes) return;
    free(parcel->room);
    *parcel = (phx_parcel){0};
}

/* Takes the text, which is freed. false = no memory: the page misses it. */
static void pack_text(phx_parcel *parcel, char *text)
{
    const size_t bytes = text ? strlen(text) : 0;
    parcel->bytes = parcel->sent = 0;
    if (bytes > 0 && make_room(parcel, bytes)) {
        memcpy(parcel->room + LWS_PRE, text, bytes);
        parcel->bytes = bytes;
    }
    free(text);
}

static char *take_slice(ph_view *view, phx_page *page)
{
    pthread_mutex_lock(&view->exchange);
    char *slice = page->slice;
    page->slice = NULL;
    pthread_mutex_unlock(&view->exchange);
    if (!slice) return NULL;
    char *text = phx_line_text("slice", slice, strlen(slice));
    free(slice);
    return text;
}

static char *take_said(ph_view *view, phx_page *page)
{
    char line[PHX_VIEW_SAID_SIZE];
    pthread_mutex_lock(&view->exchange);
    memcpy(line, page->said, sizeof line);
    page->said[0] = '\0';
    pthread_mutex_unlock(&view->exchange);
    return line[0] != '\0' ? phx_line_text("refused", line, strlen(line)) : NULL;
}

static char *take_state(ph_view *view, phx_page *page)
{
    pthread_mutex_lock(&view->exchange);
    const bool is_new = page->tells != view->tells;
    const ph_view_state state = view->state;
    page->tells = view->tells;
    pthread_mutex_unlock(&view->exchange);
    return is_new ? phx_state_text(&state) : NULL;
}

/* A world that the page does not know yet: its names, then a monitor of it. */
static char *take_hello(ph_view *view, phx_page *page)
{
    char *text = NULL;
    pthread_mutex_lock(&view->worlds);
    if (page->shows != view->shows && view->hello) {
        text = strdup(view->hello);
        page->shows = view->shows;
        page->flying = 0; /* frames of another world have no acknowledgement here, and none is sent behind the names */
        page->frame.bytes = page->frame.sent = 0;
        page->class_known = page->class_waits = false;
        watch(view, page);
    }
    pthread_mutex_unlock(&view->worlds);
    return text;
}

static char *take_lost(ph_view *view, phx_page *page)
{
    pthread_mutex_lock(&view->worlds);
    char *text = phx_questions_take_lost(page);
    pthread_mutex_unlock(&view->worlds);
    return text;
}

static char *take_class(phx_page *page)
{
    if (!page->class_waits) return NULL;
    page->class_waits = false;
    return phx_class_text(page->kind, &page->class_told);
}

static char *next_text(ph_view *view, phx_page *page)
{
    char *text = take_hello(view, page);
    if (!text && page->shows != 0) text = take_state(view, page);
    if (!text) text = take_class(page);
    if (!text) text = take_lost(view, page);
    if (!text) text = take_said(view, page);
    return text ? text : take_slice(view, page);
}

/* A piece of a parcel. true unless the connection is lost. */
static bool send_piece(phx_page *page, phx_parcel *parcel, int kind)
{
    const size_t left = parcel->bytes - parcel->sent;
    const size_t count = left < PHX_VIEW_PIECE ? left : (size_t)PHX_VIEW_PIECE;
    const int flags = lws_write_ws_flags(kind, parcel->sent == 0, count == left);
    const int sent = lws_write(page->wsi, parcel->room + LWS_PRE + parcel->sent, count, (enum lws_write_protocol)flags);
    parcel->sent += count;
    return sent >= (int)count;
}

bool phx_page_send(ph_view *view, phx_page *page)
{
    if (!page->known) return true;
    /* A message is whole before the next one begins. */
    if (page->frame.sent == page->frame.bytes || page->frame.sent == 0) {
        give_up_room(&page->text);
        if (page->text.sent == page->text.bytes) pack_text(&page->text, next_text(view, page));
        if (page->text.sent < page->text.bytes)
            return send_piece(page, &page->text, LWS_WRITE_TEXT) && lws_callback_on_writable(page->wsi) >= 0;
    }
    if (page->frame.sent == page->frame.bytes) return true;
    return send_piece(page, &page->frame, LWS_WRITE_BINARY) && lws_callback_on_writable(page->wsi) >= 0;
}

/* ---- frames ---- */

static uint32_t host_flags(ph_view *view)
{
    pthread_mutex_lock(&view->exchange);
    const uint32_t flags =
        (view->state.replay ? PHX_FRAME_REPLAY : 0u) | (view->state.diverged ? PHX_FRAME_DIVERGED : 0u);
    pthread_mutex_unlock(&view->exchange);
    return flags;
}

/* What frames cost decides in how many parts the next ones renew their points. */
static void spread_points(ph_view *view, phx_page *page, const ph_monitor_frame *frame)
{
    const uint32_t parts = phx_spread_next(&page->spread, page->view.spread, frame);
    if (parts == page->view.spread || (page->view.spread == 0 && parts == frame->view.spread)) return;
    page->view.spread = parts;
    watch(view, page);
}

/* Notes the keys of the class that the page shows, if they are not as it has them. */
static void note_class(const ph_view *view, phx_page *page, const ph_monitor_frame *frame)
{
    if (!(view->flags & PH_VIEW_SET) || !frame->keys || !frame->classes) return;
    if (page->kind >= frame->keys->class_count) return;
    const ph_class *class = &frame->classes[page->kind];
    if (page->class_known && memcmp(&page->class_told, class, sizeof *class) == 0) return;
    page->class_told = *class;
    page->class_known = page->class_waits = true;
}

static bool pack_frame(ph_view *view, phx_page *page)
{
    const ph_monitor_frame *frame;
    bool packed = false;
    if (ph_monitor_take(page->monitor, &frame) != PH_OK) return false;
    const size_t bytes = phx_frame_size(frame);
    if (make_room(&page->frame, bytes)) {
        phx_frame_encode(frame, host_flags(view), page->frame.room + LWS_PRE);
        page->frame.bytes = bytes;
        page->frame.sent = 0;
        page->flight[page->flying++] = frame->sequence;
        packed = true;
    }
    note_class(view, page, frame);
    phx_questions_answered(page, frame, packed);
    spread_points(view, page, frame);
    ph_monitor_return(page->monitor, frame);
    return packed;
}

static bool has_news(ph_view *view, phx_page *page)
{
    pthread_mutex_lock(&view->worlds);
    bool news = (view->hello && page->shows != view->shows) || phx_questions_told(page);
    pthread_mutex_unlock(&view->worlds);
    pthread_mutex_lock(&view->exchange);
    news = news || page->tells != view->tells || page->said[0] != '\0' || page->slice;
    pthread_mutex_unlock(&view->exchange);
    return news;
}

/* A frame that was taken late makes the next one no later, or ten a second would be nine. */
static lws_usec_t next_due(const phx_page *page, lws_usec_t now_us)
{
    const lws_usec_t period_us = LWS_US_PER_SEC / page->hz;
    return page->due_us + period_us > now_us ? page->due_us + period_us : now_us + period_us;
}

void phx_page_look(ph_view *view, phx_page *page, lws_usec_t now_us)
{
    if (!page->wsi || !page->known) return;
    bool wants = has_news(view, page);
    if (page->frame.sent == page->frame.bytes && page->flying < PHX_VIEW_CREDIT && now_us >= page->due_us) {
        pthread_mutex_lock(&view->worlds);
        if (page->roomless) watch(view, page);
        const bool packed = page->watches && pack_frame(view, page), waits = page->roomless;
        pthread_mutex_unlock(&view->worlds);
        if (packed || waits) page->due_us = next_due(page, now_us);
        wants = wants || packed;
    }
    if (wants) lws_callback_on_writable(page->wsi);
}
