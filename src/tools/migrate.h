/*
 * The text of a config file with keys under their new names; comments, blanks, order and values stay as they are. Used
 * by `pharos-config migrate`. Stateless; one thread.
 */
#ifndef PHX_TOOLS_MIGRATE_H
#define PHX_TOOLS_MIGRATE_H

#include <stdio.h>

#include "base/core.h"

typedef struct phx_rename {
    const char *section; /* "" = the world, else "class", "band", "store", "cluster"; NULL = any of them */
    const char *old_name, *new_name;
} phx_rename;

/* The renames of all versions, behind them a row of NULL names. */
extern const phx_rename phx_key_renames[];

/* Called for each key that gets another name. */
typedef void (*phx_renamed_fn)(void *user, uint32_t line, const phx_rename *rename);

/* The first row that matches counts: of `given`, then of `versions`, which ends with a NULL name. */
typedef struct phx_renames {
    const phx_rename *given, *versions;
    uint32_t given_count;
    phx_renamed_fn renamed;
    void *user;
} phx_renames;

/*
 * Writes the text of `length` bytes to out. A text that is no config goes through as well as it can: the config library
 * is the one that refuses it.
 */
void phx_migrate(FILE *out, const char *text, size_t length, const phx_renames *renames);

#endif
