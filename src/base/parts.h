/*
 * Parts of something counted, of about one size, which several workers share. Stateless; any phase.
 */
#ifndef PHX_BASE_PARTS_H
#define PHX_BASE_PARTS_H

#include <stdint.h>

/* Where a part of so many begins; it ends where the next one begins. */
static inline uint32_t phx_part_first(uint32_t all, uint32_t part, uint32_t parts)
{
    return (uint32_t)((uint64_t)all * part / parts);
}

#endif
