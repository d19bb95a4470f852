/*
 * The trace reader: recorded commands out of a CSV file, plain or gzip, checked line by
 * line. Used by pharos-replay, pharos-bench and the tests, by one thread; knows nothing
 * of worlds.
 *
 * The first line that is neither blank nor a comment (#) names the columns, in any order:
 * tick, op and id are required. An empty field is one not given; empty fields at the end
 * of a line may be missing. What a line may and must give depends on its op.
 */
#ifndef PHX_TOOLS_TRACE_H
#define PHX_TOOLS_TRACE_H

#include <pharos/types.h>

#include "base/mem.h"

#define PHX_TRACE_OP_LIST(X) \
    X(ENTER, "enter") \
    X(LEAVE, "leave") \
    X(MOVE, "move") \
    X(SET, "set") \
    X(PAIR, "pair") \
    X(UNPAIR, "unpair") \
    X(LINK, "link") \
    X(UNLINK, "unlink") \
    X(ATTACH, "attach") \
    X(DETACH, "detach") \
    X(RESEND, "resend") \
    X(BROADCAST, "broadcast") \
    X(BROADCAST_AT, "broadcast_at") \
    X(AREA, "area") \
    X(UNAREA, "unarea")

typedef enum phx_trace_op {
#define PHX_TRACE_OP_ENUM(name, word) PHX_OP_##name,
    PHX_TRACE_OP_LIST(PHX_TRACE_OP_ENUM)
#undef PHX_TRACE_OP_ENUM
        PHX_OP_COUNT
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
    uint64_t other; /* pair, unpair, link, unlink: the target; attach: the parent; else 0 */
    phx_trace_op op;
    /*
     * enter, set, move: what is given. move: any of X, Y and Z; where the file has no z
     * column and x and y are given, z is given as 0. pair: view and margin (0 if empty).
     */
    ph_attrs attrs;
    ph_area area;     /* of op area, as a command takes it; its radius also of a broadcast */
    float x2, y2;     /* upper corner of a box, as read */
    const char *text; /* of a broadcast; valid until the next row is asked for */
    uint32_t text_bytes;
    bool self; /* its source hears it, too */
    bool seen; /* with a radius: only observers that have its source in their list */
} phx_trace_row;

/* What is wrong, for "FILE:LINE: reason"; line 0 stands for the file as a whole: "FILE: reason". */
typedef struct phx_trace_error {
    uint64_t line;
    phx_trace_bad bad; /* for PHX_TRACE_BAD */
    char reason[512];
} phx_trace_error;

typedef enum phx_trace_result {
    PHX_TRACE_ROW,
    PHX_TRACE_BAD, /* this line is bad; the next call goes on behind it */
    PHX_TRACE_END,
    PHX_TRACE_BROKEN /* the file can not be read on */
} phx_trace_result;

/* What gzip data may unpack to unless the user says more: minutes of a large game, seconds of reading. */
static const uint64_t PHX_TRACE_UNPACK_MAX_BYTES = (uint64_t)1 << 30;

/* The kind of a class name; names that there are not are kind 0, so there is no error. */
typedef uint32_t (*phx_trace_kind_fn)(void *user, const char *name);

typedef struct phx_trace_source {
    const char *path;
    uint64_t unpack_max_bytes; /* of gzip data */
    phx_trace_kind_fn kind;    /* NULL: all are kind 0 */
    void *kind_user;
} phx_trace_source;

typedef struct phx_trace phx_trace;

/* Opens a file and reads its header. PH_NO_MEMORY; PH_BAD_ARGUMENT: *error says why. */
PH_NODISCARD ph_status phx_trace_open(phx_trace **trace, phx_mem *mem, const phx_trace_source *source,
                                      phx_trace_error *error);
/* trace may be NULL. */
void phx_trace_close(phx_trace *trace);

/* The next line: fills *row, or *error (BAD and BROKEN). */
phx_trace_result phx_trace_next(phx_trace *trace, phx_trace_row *row, phx_trace_error *error);

/* As phx_text_share() and phx_text_is_file(). */
double phx_trace_share(const phx_trace *trace);
bool phx_trace_is_file(const phx_trace *trace, const char *path);

/* The class' sentence. */
const char *phx_trace_bad_text(phx_trace_bad bad);

#endif
