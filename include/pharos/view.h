/**
 * @file view.h
 * A page in the browser that shows a running world: a separate small library (pharos_view) on top of monitor.h, with
 * its own thread and libwebsockets. A server that does not link it opens no port. docs/viewing.md has the uses.
 *
 * It listens on 127.0.0.1, or on a unix socket, and nowhere else. A page needs the token of its address; a Host that is
 * not loopback, an Origin of another site, a message above 4 KiB or of more than 64 pieces, and a fifth connection are
 * refused. A page that does not take its frames gets none, and none is filled for it: the tick never waits.
 *
 * What a page asks to do (pause, a tick, a speed, a live key) is a request, which the host takes between its ticks and
 * obeys, or does not: ph_view_next(). Without PH_VIEW_CONTROLS and PH_VIEW_SET there are none.
 *
 * The library takes its memory from malloc(). libwebsockets' log, one for the whole process, is set to silent unless
 * PH_VIEW_KEEP_LOG is given.
 */
#ifndef PHAROS_VIEW_H
#define PHAROS_VIEW_H

#include <pharos/monitor.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PH_VIEW_CONNECTIONS_MAX = 4, /* pages at once: each has a monitor of the world */
    PH_VIEW_MESSAGE_MAX = 4096,  /* bytes of one message of a page */
    PH_VIEW_REQUESTS_MAX = 64,   /* that wait for the host; further ones are refused */
    PH_VIEW_TOKEN_MIN = 16,      /* characters of a token */
    PH_VIEW_TOKEN_MAX = 64,
    PH_VIEW_ADDRESS_SIZE = 256, /* room for ph_view_address() */
    PH_VIEW_TEXT_SIZE = 128     /* of a key or a value, with its terminator */
};

/** ph_view_def.flags, ORed together. */
enum {
    PH_VIEW_CONTROLS = 1u << 0, /* the host obeys pause, play, step and speed */
    PH_VIEW_SEEK = 1u << 1,     /* ... and seek: ph_view_state has its range */
    PH_VIEW_SET = 1u << 2,      /* ... and set: live keys */
    PH_VIEW_SLICE = 1u << 3,    /* ... and slice: ph_view_give_slice() */
    PH_VIEW_KEEP_LOG = 1u << 4, /* libwebsockets' log stays as it is */
    PH_VIEW_FLAGS_ALL = (1u << 5) - 1
};

/** Where a view listens, and what its page may ask for. All zero: a free port of 127.0.0.1, a random token. */
typedef struct ph_view_def {
    const char *title;     /* over the page; NULL = "a world" */
    const char *unix_path; /* listens on this unix socket instead of a port; NULL = a port */
    const char *token;     /* PH_VIEW_TOKEN_MIN .. PH_VIEW_TOKEN_MAX letters and digits; NULL = a random one */
    uint32_t port;         /* 1 .. 65535; 0 = a free one */
    uint32_t flags;        /* PH_VIEW_... */
    uint64_t reserved[6];  /* 0 */
} ph_view_def;

typedef struct ph_view ph_view;

/** What a page asks the host to do. */
typedef enum ph_view_do {
    PH_VIEW_DO_PAUSE = 1,
    PH_VIEW_DO_PLAY = 2,
    PH_VIEW_DO_STEP = 3,  /* one tick */
    PH_VIEW_DO_SPEED = 4, /* value: times real time, 0.01 .. 1000 */
    PH_VIEW_DO_SEEK = 5,  /* value: the tick, a whole number from 0 to 2^53 */
    PH_VIEW_DO_SET = 6,   /* key and text: as ph_config_set() of "key=text" */
    PH_VIEW_DO_SLICE = 7  /* from, value: the first and the last tick, from 0 to 2^53 */
} ph_view_do;

typedef struct ph_view_request {
    ph_view_do what;
    uint32_t page; /* the number of the connection that asks; for ph_view_say() and ph_view_give_slice() */
    double value;
    char key[PH_VIEW_TEXT_SIZE];
    char text[PH_VIEW_TEXT_SIZE];
    double from; /* of a slice, at most `value`; 0: from the begin */
    uint64_t reserved[3];
} ph_view_request;

/** What the page shows about the host. */
typedef struct ph_view_state {
    bool paused;
    bool over;            /* there is no further tick */
    bool replay;          /* it is a recorded world, ... */
    bool diverged;        /* ... which is not as it was recorded any more */
    double speed;         /* times real time; 0 = unknown */
    uint64_t first, last; /* ticks that a seek can reach */
    uint64_t at;          /* the present tick, counted as these */
    int64_t offset;       /* from the world's tick numbers to these: a trace's own, say */
    uint64_t reserved[4]; /* 0 */
} ph_view_state;

/**
 * Begins to listen. On PH_BAD_DEF and PH_IO `reason` (may be NULL) gets one line.
 * @return PH_OK and *view; PH_BAD_DEF: a field; PH_IO: the port or path is taken, or a thread is not to be had;
 * PH_NO_MEMORY, PH_BAD_ARGUMENT. *view is NULL then. @thread any
 */
PH_NODISCARD PH_API ph_status ph_view_open(const ph_view_def *def, ph_view **view, char *reason, size_t reason_size);

/**
 * Shows this world from now on; the null handle: none. Names of classes, sizes and the like are taken from `def`, which
 * is copied; it may be NULL with the null handle. Of the world shown before nothing is used when this returns, so it
 * may be destroyed then, and not earlier. May wait as long as one frame takes to be put into bytes.
 * @return PH_OK, PH_NO_MEMORY (it shows none), PH_BAD_ARGUMENT. @thread ticker, or any while none ticks
 */
PH_NODISCARD PH_API ph_status ph_view_show(ph_view *view, ph_world world, const ph_world_def *def);

/**
 * @return the address for a browser, with the token: `http://127.0.0.1:PORT/#token=TOKEN`; of a unix socket
 * `PATH#token=TOKEN`: a tunnel leads there, and `#token=TOKEN` goes behind the tunnel's address (docs/viewing.md).
 * Lives as long as the view.
 */
PH_API const char *ph_view_address(const ph_view *view);

/** Takes the next request. @return false: none waits. @thread one at a time, mostly the ticker between ticks */
PH_API bool ph_view_next(ph_view *view, ph_view_request *request);

/** What the page is to show about the host, from now on. @return PH_OK, PH_BAD_ARGUMENT. @thread any */
PH_API ph_status ph_view_tell(ph_view *view, const ph_view_state *state);

/**
 * A line for the page that asked (ph_view_request.page): a request that was refused, and why. Of several lines the last
 * is sent; to a page that is gone, none. @thread any
 */
PH_API void ph_view_say(ph_view *view, uint32_t page, const char *text);

/**
 * The answer to PH_VIEW_DO_SLICE: text that the page saves as a file; copied. A page that is gone gets none.
 * @return PH_OK, PH_NO_MEMORY, PH_BAD_ARGUMENT. @thread any
 */
PH_NODISCARD PH_API ph_status ph_view_give_slice(ph_view *view, uint32_t page, const char *text, size_t bytes);

/** @return pages that are connected and have said the token. @thread any */
PH_API uint32_t ph_view_pages(ph_view *view);

/** Ends it: all connections, its thread, its monitors. NULL is allowed. @thread as ph_view_show() */
PH_API void ph_view_close(ph_view *view);

#ifdef __cplusplus
}
#endif
#endif
