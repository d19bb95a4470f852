/*
 * Two shards side by side, for the tests of migration, halo and pins.
 */
#ifndef UNIT_SHARDS_TWO_SHARDS_H
#define UNIT_SHARDS_TWO_SHARDS_H

#include "unit/shards/shards_fixture.h"

/* Two shards side by side: towers of 10, the border at x = 500. */
static inline fleet *two(uint32_t pool_blocks)
{
    return fleet_open(plain_rules(10, 100), 2, 1, pool_blocks);
}

static inline uint32_t home_of(fleet *f, uint64_t id)
{
    return fleet_home(f, id)->number;
}

static inline bool is_ghost(fleet *f, uint32_t shard, uint64_t id)
{
    return phx_store_ghost(&f->shard[shard].store, id) != PHX_SLOT_NONE;
}

#endif
