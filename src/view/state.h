/*
 * A view and its pages: the types that the files of the library share. Two locks: `exchange` for all that goes between
 * host and server's thread in passing (held for copies alone), `worlds` for the monitors and the world (held while a
 * frame is put into bytes). Taken in the order worlds, exchange. All else belongs to the server's thread.
 */
#ifndef PHX_VIEW_STATE_H
#define PHX_VIEW_STATE_H

#include <libwebsockets.h>
#include <pharos/view.h>
#include <pthread.h>
#include <stdatomic.h>

#include "view/spread.h"

enum {
    PHX_VIEW_QUESTIONS = 128,     /* of a page that its monitor keeps */
    PHX_VIEW_ON_WAY_MAX = 512,    /* questions with neither an answer nor a word about it; further ones are refused */
    PHX_VIEW_CREDIT = 2,          /* frames on the way that were not acknowledged */
    PHX_VIEW_SAID_SIZE = 512,     /* a line for a page */
    PHX_VIEW_PIECE = 64 * 1024,   /* bytes that a socket is offered at once */
    PHX_VIEW_ROOM_KEPT = 1 << 20, /* bytes of a page's room for texts that stay with it */
    PHX_VIEW_PIECES_MAX = 64,     /* of a message */
    PHX_VIEW_HELLO_S = 5          /* seconds for the token */
};

/* Bytes on their way: LWS_PRE bytes of room before them, as libwebsockets wants it. */
typedef struct phx_parcel {
    unsigned char *room;
    size_t capacity; /* without LWS_PRE */
    size_t bytes, sent;
} phx_parcel;

typedef struct phx_page {
    struct lws *wsi;    /* NULL: the place is free */
    uint32_t number;    /* exchange; of its connection: a page that takes the place later has another one */
    bool known;         /* it has said the token */
    bool watches;       /* worlds; its monitor is open */
    bool roomless;      /* worlds; the world has no room for its monitor, and the page has been told so */
    ph_monitor monitor; /* worlds */
    ph_monitor_view view;
    phx_spread spread; /* of the view's points */
    bool has_view;
    uint32_t kind;       /* of the class whose keys it shows, where keys can be set */
    ph_class class_told; /* as the page has it, or is about to */
    bool class_known, class_waits;
    uint32_t hz;
    lws_usec_t due_us;
    uint32_t flight[PHX_VIEW_CREDIT]; /* sequence numbers of frames that were not acknowledged */
    uint32_t flying;
    uint64_t shows; /* ph_view.shows that it knows */
    uint64_t tells; /* ph_view.tells that it knows */
    uint32_t in_bytes, in_pieces;
    char in[PH_VIEW_MESSAGE_MAX + 1];
    char said[PHX_VIEW_SAID_SIZE];                                  /* exchange; empty = nothing */
    char *slice;                                                    /* exchange; NULL = nothing */
    uint64_t asked[PHX_VIEW_ON_WAY_MAX], lost[PHX_VIEW_ON_WAY_MAX]; /* worlds: tags; see questions.h */
    uint32_t asked_count, lost_count;
    phx_parcel text, frame;
} phx_page;

struct ph_view {
    struct lws_context *context;
    pthread_t thread;
    lws_sorted_usec_list_t timer;
    atomic_bool stops; /* release with ph_view_close(), acquire by the server's thread */
    uint32_t flags;
    char *title, *page_policy;
    char *unix_path;
    char token[PH_VIEW_TOKEN_MAX + 1];
    char address[PH_VIEW_ADDRESS_SIZE];
    uint32_t port;
    phx_page pages[PH_VIEW_CONNECTIONS_MAX];
    uint32_t connections; /* that were opened */

    pthread_mutex_t worlds;
    ph_world world;
    char *hello; /* of the world */
    uint64_t shows;

    pthread_mutex_t exchange;
    ph_view_state state;
    uint64_t tells; /* 0: the host has said nothing yet, and a page is told nothing */
    ph_view_request requests[PH_VIEW_REQUESTS_MAX];
    uint32_t request_first, request_count;
    uint32_t page_count;
};

#endif
