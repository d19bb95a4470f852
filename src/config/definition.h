/*
 * A world's definition as text: as a config file, and as the assignments that make another one of it. Called by the
 * programs that have a world, and no config.
 */
#ifndef PHX_CONFIG_DEFINITION_H
#define PHX_CONFIG_DEFINITION_H

#include <stdio.h>

#include <pharos/types.h>

/* Writes all keys and classes as a file that ph_config_load() reads. false: `out` has an error. */
bool phx_definition_write(const ph_world_def *def, FILE *out);

/* Gets KEY=VALUE, as ph_config_set() takes it. */
typedef void (*phx_assignment_fn)(void *user, const char *assignment);

/* The live keys and the classes' attributes and bands that differ; `now` has the classes of `was`, and may have more.
 */
void phx_definition_changes(const ph_world_def *was, const ph_world_def *now, phx_assignment_fn assign, void *user);

#endif
