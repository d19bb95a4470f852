/*
 * One command as plain data, so that the same one can be given to the model, to the
 * engine, to a file of a failing case and to a shrinker. Made by script_gen.c and by tests.
 */
#ifndef SUPPORT_COMMAND_H
#define SUPPORT_COMMAND_H

#include <stdio.h>

#include <pharos/types.h>

#define COMMAND_LIST(X) \
    X(COMMAND_ENTER, "enter") \
    X(COMMAND_LEAVE, "leave") \
    X(COMMAND_MOVE, "move") \
    X(COMMAND_SET, "set") \
    X(COMMAND_PAIR, "pair") \
    X(COMMAND_UNPAIR, "unpair") \
    X(COMMAND_LINK, "link") \
    X(COMMAND_UNLINK, "unlink") \
    X(COMMAND_ATTACH, "attach") \
    X(COMMAND_DETACH, "detach") \
    X(COMMAND_BROADCAST, "broadcast") \
    X(COMMAND_AREA_SET, "area") \
    X(COMMAND_AREA_REMOVE, "unarea") \
    X(COMMAND_RESEND, "resend") \
    X(COMMAND_HIDE, "hide") \
    X(COMMAND_UNHIDE, "unhide") \
    X(COMMAND_REVEAL, "reveal") \
    X(COMMAND_UNREVEAL, "unreveal") \
    X(COMMAND_BROADCAST_AT, "broadcast_at")

typedef enum command_type {
#define COMMAND_ENUM(name, word) name,
    COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
        COMMAND_TYPE_COUNT
} command_type;

enum { COMMAND_SAY_KINDS = 3 };

/* The payload and the options of a broadcast. */
typedef struct command_say {
    uint32_t bytes; /* of the payload; its content follows from the salt */
    uint32_t salt;
    uint32_t flags; /* PH_BROADCAST_... */
    uint32_t kind_count;
    uint32_t kinds[COMMAND_SAY_KINDS];
    float radius; /* 0: lists decide, unless it is said at a place */
    float x, y;   /* broadcast_at, as layers; the command's id is 0 */
    uint64_t layers;
    uint32_t instance; /* broadcast_at */
} command_say;

typedef struct command {
    command_type type;
    uint64_t id;     /* pair, link: the observer; attach: the child */
    uint64_t other;  /* pair, link: the target; attach: the parent */
    ph_attrs attrs;  /* enter, set; move takes x, y, z of it; pair takes view and margin */
    command_say say; /* broadcast */
    ph_area area;    /* area; id is the area's */
} command;

const char *command_word(command_type type);
/* The library's number of it, as refusals have it. */
ph_command command_number(command_type type);
/* The argument at fault, if the command is one of a bulk call and was refused at once with this status. */
ph_field command_field(const command *c, ph_status status);
/* Is there a bulk form of it? */
bool command_in_bulk(command_type type);
/* The say->bytes bytes of the payload, or PH_PAYLOAD_MAX if that is less. */
void command_payload(const command_say *say, uint8_t *payload);
/* One line without its end, floats so that they can be read back exactly. */
void command_print(FILE *out, const command *c);
/* The fields of a definition that the tests vary. */
void def_print(FILE *out, const ph_world_def *def);

#endif
