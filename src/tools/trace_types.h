/*
 * Rows of a trace, and the faults of a line: the types that trace.h and trace_row.h share.
 */
#ifndef PHX_TOOLS_TRACE_TYPES_H
#define PHX_TOOLS_TRACE_TYPES_H

#include <pharos/types.h>

#define PHX_TRACE_OP_LIST(X) \
    X(ENTER, "enter") \
    X(LEAVE, "leave") \
    X(MOVE, "move") \
    X(SET, "set") \
    X(PAIR, "pair") \
    X(UNPAIR, "unpair") \
    X(LINK, "link") \
    X(UNLINK, "unlink") \
    X(HIDE, "hide") \
    X(UNHIDE, "unhide") \
    X(REVEAL, "reveal") \
    X(UNREVEAL, "unreveal") \
    X(ATTACH, "attach") \
    X(DETACH, "detach") \
    X(RESEND, "resend") \
    X(BROADCAST, "broadcast") \
    X(BROADCAST_AT, "broadcast_at") \
    X(AREA, "area") \
    X(UNAREA, "unarea") \
    X(APPLY, "apply") \
    X(IMPORT, "import") \
    X(CONFIG, "config")

typedef enum phx_trace_op {
#define PHX_TRACE_OP_ENUM(name, word) PHX_TRACE_OP_##name,
    PHX_TRACE_OP_LIST(PHX_TRACE_OP_ENUM)
#undef PHX_TRACE_OP_ENUM
        PHX_TRACE_OP_COUNT
} phx_trace_op;

/* Why a line is bad: the classes that are counted. */
#define PHX_TRACE_BAD_LIST(X) \
    X(TOO_LONG, "line too long") \
    X(ZERO_BYTE, "zero byte in the line") \
    X(FIELDS, "more fields than columns") \
    X(TICK, "tick is not a number") \
    X(ORDER, "tick goes down") \
    X(GAP, "tick too far ahead") \
    X(OP, "unknown op") \
    X(ID, "id is not in 1..2^64-1") \
    X(VALUE, "bad value") \
    X(MISSING, "needed field is empty") \
    X(EXTRA, "field that the op does not take")

typedef enum phx_trace_bad {
#define PHX_TRACE_BAD_ENUM(name, text) PHX_TRACE_BAD_##name,
    PHX_TRACE_BAD_LIST(PHX_TRACE_BAD_ENUM)
#undef PHX_TRACE_BAD_ENUM
        PHX_TRACE_BAD_COUNT
} phx_trace_bad;

/* Ticks that no line stands for are run too: a slip in a tick number must not cost days. */
static const uint64_t PHX_TRACE_GAP_MAX = 1000 * 1000;

/* One good line. */
typedef struct phx_trace_row {
    uint64_t line;
    uint64_t tick; /* never less than that of the row before */
    uint64_t id;
    uint64_t other; /* attach: the parent; pair, link, hide, reveal and their ends: the target; else 0 */
    phx_trace_op op;
    /*
     * enter, set, move: the given attributes. move: any of X, Y and Z; where the file has no z
     * column and x and y are given, z is given as 0. pair: view and margin (0 if empty).
     */
    ph_attrs attrs;
    ph_area area; /* of op area, as a command takes it; its radius and kinds also of a broadcast */
    float x2, y2; /* upper corner of a box, as read */
    /* of a broadcast; import: the capsule, config: KEY=VALUE, no zero byte behind it; valid until the next row is asked
     * for */
    const char *text;
    uint32_t text_bytes;
    bool self; /* its source hears it, too */
    bool seen; /* with a radius: only observers that have its source in their list */
} phx_trace_row;

/* An error, for "FILE:LINE: reason"; line 0 stands for the file as a whole: "FILE: reason". */
typedef struct phx_trace_error {
    uint64_t line;
    phx_trace_bad bad; /* for PHX_TRACE_BAD */
    char reason[512];
} phx_trace_error;

/* The kind of a class name; the reader of the trace decides about unknown names, so there is no error. */
typedef uint32_t (*phx_trace_kind_fn)(void *user, const char *name);

#endif
