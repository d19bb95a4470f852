/*
 * The check of a changed definition, beyond the public ph_world_def_check(): the first
 * difference that a living world can not take. Called by ph_world_reconfigure(),
 * on the ticker's thread, between ticks.
 */
#ifndef PHX_API_DEF_H
#define PHX_API_DEF_H

#include <pharos/types.h>

#include "base/core.h"

/* Was it made by ph_world_def_default()? Else its fields may be any. */
bool phx_def_is_ours(const ph_world_def *def);

/*
 * true: a key that can not change while the world lives differs between `now` and
 * `wanted` (both checked); *name is the first one in the order of base/keys.h, or "class"
 * when a class that there is now is missing or has another name. Values of classes and
 * further classes behind the old ones are no such difference; allocator, log, tasks and
 * workers are not compared.
 */
bool phx_def_live_difference(const ph_world_def *now, const ph_world_def *wanted, const char **name);

#endif
