/*
 * Checks of a store's definition.
 */
#ifndef PHX_STORE_DEF_H
#define PHX_STORE_DEF_H

#include <pharos/store.h>

/* PH_OK, or PH_BAD_DEF with a line in reason. */
ph_status phx_store_check(const ph_store_def *def, char *reason, size_t reason_size);
/* The folder and the name alone: of a store that is read. */
ph_status phx_store_check_place(const ph_store_def *def, char *reason, size_t reason_size);

#endif
