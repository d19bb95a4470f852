/*
 * Stretches of a shard's slots, and the part of the points that each is of: ph_monitor_view.spread. Pure; in any phase:
 * by all workers when they fill a frame, and by the thread that takes it.
 */
#ifndef PHX_WORLD_MONITOR_STRETCHES_H
#define PHX_WORLD_MONITOR_STRETCHES_H

#include <stdint.h>

/* The part of a shard's stretch. */
static inline uint32_t phx_stretch_part(uint32_t parts, uint32_t shard, uint32_t stretch)
{
    return (shard + stretch) % parts;
}

/* The first stretch of a shard that is of a part: others of it follow with a distance of `parts`. */
static inline uint32_t phx_part_first_stretch(uint32_t parts, uint32_t part, uint32_t shard)
{
    return (part + parts - shard % parts) % parts;
}

#endif
