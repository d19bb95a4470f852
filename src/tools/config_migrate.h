/*
 * `pharos-config migrate`: reads a config file, renames its keys, checks the result and writes it. Called once, by the
 * program's main thread.
 */
#ifndef PHX_TOOLS_CONFIG_MIGRATE_H
#define PHX_TOOLS_CONFIG_MIGRATE_H

#include "tools/migrate.h"

/* Prints the new text, or writes it to path. Returns the exit status; the message is out. */
int phx_config_migrate(const char *path, const phx_rename *given, uint32_t given_count, bool in_place);

#endif
