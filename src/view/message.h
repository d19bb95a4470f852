/*
 * Messages of a page, from JSON text to a checked struct: the only bytes from outside that the library reads beside
 * HTTP. Pure: no state, no memory. Called by the server's thread, and by a fuzzer.
 */
#ifndef PHX_VIEW_MESSAGE_H
#define PHX_VIEW_MESSAGE_H

#include <pharos/view.h>

typedef enum phx_message_kind {
    PHX_MESSAGE_HELLO = 1,
    PHX_MESSAGE_VIEW,
    PHX_MESSAGE_ASK,
    PHX_MESSAGE_ACK,
    PHX_MESSAGE_DO /* also "set" */
} phx_message_kind;

typedef struct phx_message {
    phx_message_kind kind;
    char token[PH_VIEW_TOKEN_MAX + 1]; /* hello */
    ph_monitor_view view;              /* view, checked as far as ph_monitor_watch() does not */
    uint32_t kind_shown;               /* view: the class of the keys that the page shows */
    uint32_t hz;                       /* view: frames a second, 1 .. PHX_MESSAGE_HZ_MAX */
    ph_monitor_question question;      /* ask */
    uint32_t sequence;                 /* ack */
    ph_view_request request;           /* do */
} phx_message;

enum { PHX_MESSAGE_HZ_MAX = 60 };

/* bytes: one whole message. NULL, or the fault: a static line. Needs the C locale of numbers. */
const char *phx_message_read(const char *text, size_t bytes, phx_message *message);

#endif
