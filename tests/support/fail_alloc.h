/*
 * A ph_allocator that counts, checks and fails on order. Every block carries its size and
 * alignment, so that a release with others, or of a block that is not live, is found.
 * Any thread may allocate; failures are set while no other thread does.
 */
#ifndef SUPPORT_FAIL_ALLOC_H
#define SUPPORT_FAIL_ALLOC_H

#include <stdatomic.h>

#include <pharos/types.h>

typedef struct fail_alloc {
    _Atomic uint64_t calls;     /* allocations asked for; relaxed, as all here: counts order nothing */
    _Atomic uint64_t blocks;    /* live */
    _Atomic uint64_t bytes;     /* live */
    _Atomic uint64_t peak;      /* most bytes live at once */
    _Atomic uint64_t failed;    /* allocations refused on order */
    _Atomic uint64_t wrong;     /* releases with another size or alignment, or of no live block */
    uint64_t fail_at;           /* the first call that fails, counted from 1 as in `calls`; 0 = never */
    bool sticky;                /* all from there on fail; else that one alone */
    bool (*fails)(void *asked); /* NULL, or asked of every allocation, by the thread that makes it: does it fail? */
    void *asked;
} fail_alloc;

/* Hands a living one to a world; `a` has to outlive it. */
ph_allocator fail_alloc_hooks(fail_alloc *a);
/* The n-th allocation from now on fails (n >= 1), once or from there on; 0 = none. */
void fail_alloc_order(fail_alloc *a, uint64_t n, bool sticky);
/* True when nothing is live and nothing wrong; prints the differences. */
bool fail_alloc_clean(const fail_alloc *a);

#endif
