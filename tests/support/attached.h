/*
 * The parent of an attached entity, which the public calls do not tell.
 */
#ifndef SUPPORT_ATTACHED_H
#define SUPPORT_ATTACHED_H

#include <pharos/types.h>

/* Between two ticks; 0: it has none, or is not in the world. */
uint64_t attached_parent(ph_world world, uint64_t id);

#endif
