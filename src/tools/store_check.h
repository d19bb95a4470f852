/*
 * Contents and state of a store's files, as lines on the standard output. Called by the program
 * pharos-store.
 */
#ifndef PHX_TOOLS_STORE_CHECK_H
#define PHX_TOOLS_STORE_CHECK_H

#include <pharos/store.h>

#include "store/folder.h"

/* The head of each file, a line each. Returns the exit status. */
int phx_store_list(const phx_folder *folder);

/*
 * Reads each file to its end, loads each image, and recovers; a line each. Returns the exit status: PHX_EXIT_USAGE if
 * any is damaged.
 */
int phx_store_check_all(const phx_folder *folder);

/* The line above the lines of phx_store_list(). */
void phx_store_list_title(void);

#endif
