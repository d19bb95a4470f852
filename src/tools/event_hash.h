/*
 * The event hash: one number for all events of a run, the same in whatever order they
 * come. Add up phx_event_hash() of every event modulo 2^64; print as 16 hex digits. Used
 * by pharos-replay, pharos-bench and the tests, so that their runs can be compared.
 */
#ifndef PHX_TOOLS_EVENT_HASH_H
#define PHX_TOOLS_EVENT_HASH_H

#include "base/rng.h"

enum { PHX_EVENT_LEAVE = 0, PHX_EVENT_ENTER = 1 };

static inline uint64_t phx_event_hash(uint64_t tick, uint64_t observer, uint64_t event, uint64_t target)
{
    /* The odd constant keeps the all-zero event from hashing to zero; each link of the chain is a bijection. */
    uint64_t hash = phx_mix64(tick + 0x9e3779b97f4a7c15u);
    hash = phx_mix64(hash ^ observer);
    hash = phx_mix64(hash ^ event);
    return phx_mix64(hash ^ target);
}

#endif
