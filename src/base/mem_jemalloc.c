/*
 * jemalloc as a ph_allocator, when PHX_WITH_JEMALLOC is defined; the only file that
 * includes it, and the one that differs between a library with jemalloc and one without.
 * Any worker may call, in any phase.
 *
 * mallocx and sdallocx and not malloc: alignment and size are known on both ends, which
 * spares jemalloc the look-up of the size. Debian's library also takes over malloc() of
 * the process that links it.
 */
#include "base/mem_jemalloc.h"

#ifdef PHX_WITH_JEMALLOC

#include <jemalloc/jemalloc.h>

static void *jemalloc_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    return mallocx(bytes, MALLOCX_ALIGN(alignment));
}

static void jemalloc_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    sdallocx(memory, bytes, MALLOCX_ALIGN(alignment));
}

ph_allocator phx_allocator_jemalloc(void)
{
    return (ph_allocator){.allocate = jemalloc_allocate, .release = jemalloc_release};
}

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

void phx_jemalloc_purge(void)
{
    int failed = mallctl("arena." TEXT(MALLCTL_ARENAS_ALL) ".purge", NULL, NULL, NULL, 0);
    PHX_ASSERT(failed == 0);
    (void)failed;
}

#else

ph_allocator phx_allocator_jemalloc(void)
{
    return (ph_allocator){0};
}

void phx_jemalloc_purge(void)
{
}

#endif
