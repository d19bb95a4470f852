/*
 * The ground under every layer: assertions, cache line, branch hints, stall points.
 * Stateless; used everywhere, in every phase.
 */
#ifndef PHX_BASE_CORE_H
#define PHX_BASE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pharos/base.h>

/* The unit that one owner writes. x86-64 fetches lines in pairs, but owners share memory by the single line. */
enum { PHX_CACHE_LINE = 64 };

#define PHX_LIKELY(x) __builtin_expect(!!(x), 1)
#define PHX_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Words for later versions are 0: a set one may be a field that this version does not know. */
static inline bool phx_is_zero(const void *words, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)words;
    unsigned char any = 0;
    for (size_t i = 0; i < bytes; i++) any |= at[i];
    return any == 0;
}

/* Before a function that does nothing but bring memory near: gcc leaves calls of it out, as it sees no effect. */
#define PHX_PREFETCH_INLINE static inline __attribute__((always_inline))

/* Broken invariant: prints the place on stderr and aborts. Never returns. */
_Noreturn void phx_panic(const char *file, int line, const char *what);

/* Cheap checks of invariants and of callers inside the library. On unless NDEBUG. */
#ifdef NDEBUG
#define PHX_ASSERT(x) ((void)sizeof(x))
#else
#define PHX_ASSERT(x) (PHX_LIKELY(x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))
#endif

/* Checks of whole structures: only with -DPHAROS_VALIDATE=ON. */
#ifdef PHX_VALIDATE_ON
#define PHX_VALIDATE(x) (PHX_LIKELY(x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))
#else
#define PHX_VALIDATE(x) ((void)sizeof(x))
#endif

/* A place where a thread may be held up: with -DPHAROS_STALLS=ON it sleeps at random (about 1 in 64, up to 200 us). */
#ifdef PHX_STALLS_ON
void phx_stall_point(void);
#define PHX_STALL_POINT() phx_stall_point()
#else
#define PHX_STALL_POINT() ((void)0)
#endif

#endif
