/*
 * The head of a record. No code but sizes, so no phase.
 */
#ifndef PHX_WORLD_JOURNAL_HEAD_H
#define PHX_WORLD_JOURNAL_HEAD_H

#include <stddef.h>
#include <stdint.h>

enum { PHX_RECORD_MAGIC = 0x52584850 }; /* PHXR */
enum { PHX_RECORD_EVENTS_SINCE = 2 };   /* the first format with counts of events */

enum {
    PHX_RECORD_APPLY = 1u << 0,  /* of ph_apply(); else of a tick */
    PHX_RECORD_DEF = 1u << 1,    /* with a definition */
    PHX_RECORD_SHORT = 1u << 2,  /* it lacked memory */
    PHX_RECORD_RENEWS = 1u << 3, /* a consumer began anew: whole lists are among its events, and not of a replay */
    PHX_RECORD_FLAGS = (1u << 4) - 1
};

typedef struct phx_record_head {
    uint32_t magic;
    uint16_t format, rules; /* PH_RECORD_FORMAT, PHX_IMAGE_RULES */
    uint64_t bytes;         /* of the whole record */
    uint64_t tick;          /* of an apply: of the tick that it begins */
    uint32_t flags, runs;
    uint64_t entities, applied, refused; /* at its end; commands since the last record */
    /* from PHX_RECORD_EVENTS_SINCE on: events since the last record; edges are of areas and of activation */
    uint64_t enters, leaves, edges;
} phx_record_head;
_Static_assert(sizeof(phx_record_head) == 80, "as in the file");

/* The bytes of a head in a record of this format. */
static inline size_t phx_record_head_bytes(uint16_t format)
{
    return format < PHX_RECORD_EVENTS_SINCE ? offsetof(phx_record_head, enters) : sizeof(phx_record_head);
}

#endif
