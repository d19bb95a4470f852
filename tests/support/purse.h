/*
 * A ph_allocator with so many bytes and no more: where they are spent, an allocation fails. Any thread may allocate;
 * the bound is set while no other thread does.
 */
#ifndef SUPPORT_PURSE_H
#define SUPPORT_PURSE_H

#include <stdatomic.h>

#include <pharos/types.h>

typedef struct purse {
    _Atomic uint64_t held, peak; /* relaxed, they order nothing */
    uint64_t most;
} purse;

/* For a world that `p` outlives. */
ph_allocator purse_hooks(purse *p);

#endif
