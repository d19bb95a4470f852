/*
 * The stores of a folder: the names that its files begin with. Called by the program pharos-store.
 */
#ifndef PHX_TOOLS_STORE_NAMES_H
#define PHX_TOOLS_STORE_NAMES_H

#include <pharos/store.h>

typedef struct phx_store_names {
    char (*at)[PH_STORE_NAME_MAX + 1]; /* in order, each once */
    size_t count, capacity;
} phx_store_names;

/* Returns 0, or errno. The caller frees names->at, also of a failure. */
int phx_store_names_find(const char *folder, phx_store_names *names);

/* Is it FOLDER/NAME.TICK.ENDING? Then its parts, which have room. */
bool phx_store_name_split(const char *path, const char *ending, char folder[PH_STORE_REASON_SIZE],
                          char name[PH_STORE_NAME_MAX + 1], uint64_t *tick);

#endif
