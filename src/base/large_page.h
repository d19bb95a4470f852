/*
 * Large pages of the system: a walk in no order of memory has far fewer misses of the translation buffer with them, and
 * fresh memory a fault for each 2 MiB in place of 512. Stateless; any phase.
 */
#ifndef PHX_BASE_LARGE_PAGE_H
#define PHX_BASE_LARGE_PAGE_H

#include <stddef.h>
#include <sys/mman.h>

enum { PHX_LARGE_PAGE = 2 << 20 }; /* bytes, of x86-64, and of ARM with pages of 4 KiB */

/*
 * Asks the system for large pages in memory that begins where such a page does. Not for the bytes behind the last whole
 * one: memory would be held that is no use. Advice: no call fails by it.
 */
static inline void phx_advise_large_pages(void *memory, size_t bytes)
{
    if (bytes >= PHX_LARGE_PAGE) (void)madvise(memory, bytes / PHX_LARGE_PAGE * PHX_LARGE_PAGE, MADV_HUGEPAGE);
}

#endif
