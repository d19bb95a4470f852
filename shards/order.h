/*
 * The order of events inside a change: by kind, then id. Few are ordered by counting, for
 * each, those before it: no branch depends on a comparison. Many are merged. Pure functions on
 * caller's arrays.
 */
#ifndef PHX_SHARDS_ORDER_H
#define PHX_SHARDS_ORDER_H

#include "base/core.h"

enum { PHX_ORDER_FEW = 64 }; /* up to here counting is no slower than merging */

/* To be ordered, or in order. */
typedef struct phx_sorted {
    uint64_t id;
    uint32_t slot;
    uint16_t kind;
    uint16_t reserved;
} phx_sorted;

/* Orders by kind, then id. spare has room for `count`; the result is in `items`. */
void phx_order_many(phx_sorted *items, phx_sorted *spare, uint32_t count);

#endif
