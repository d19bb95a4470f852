/*
 * Reads a config text into a staged ph_config, through libconfuse. Called by the loader
 * (load.c), which clones before and commits behind it.
 */
#ifndef PHX_CONFIG_READ_H
#define PHX_CONFIG_READ_H

#include "config/config.h"

/*
 * Reads text (length bytes, changed on the way; a '\0' follows it) into `staged`, as the file `name`. Any
 * status but PH_OK fills *error (may be NULL) and leaves `staged` half changed.
 */
ph_status phx_read_text(ph_config *staged, const char *name, char *text, size_t length, ph_config_error *error);

#endif
