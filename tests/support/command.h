/*
 * One command as plain data, so that the same one can be given to the model, to the
 * engine, to a file of a failing case and to a shrinker. Made by ops.c and by tests.
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
    X(COMMAND_DETACH, "detach")

typedef enum command_type {
#define COMMAND_ENUM(name, word) name,
    COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
    COMMAND_TYPE_COUNT
} command_type;

typedef struct command {
    command_type type;
    uint64_t id;    /* pair, link: the observer; attach: the child */
    uint64_t other; /* pair, link: the target; attach: the parent */
    ph_attrs attrs; /* enter, set; move takes x, y, z of it; pair takes view and margin */
} command;

const char *command_word(command_type type);
/* One line without its end, floats so that they can be read back exactly. */
void command_print(FILE *out, const command *c);
/* The fields of a definition that the tests vary. */
void def_print(FILE *out, const ph_world_def *def);

#endif
