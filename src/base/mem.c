/*
 * Counted memory and growing arrays over a ph_allocator; the libc allocator. Owned by a
 * world or a tool; any worker may call, in any phase, though a steady tick does not.
 */
#include "base/mem.h"

#include "base/large_page.h"
#include "base/mem_jemalloc.h"

#include <stdlib.h>
#include <string.h>

static void *libc_allocate(void *user, size_t bytes, size_t alignment)
{
    void *memory = NULL;

    (void)user;
    if (alignment <= _Alignof(max_align_t) && alignment <= bytes) {
        return malloc(bytes); /* small blocks of some malloc()s are aligned to their size only */
    }
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void libc_release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    free(memory);
}

ph_allocator phx_allocator_libc(void)
{
    return (ph_allocator){.allocate = libc_allocate, .release = libc_release};
}

bool phx_allocator_is_good(const ph_allocator *allocator)
{
    return (allocator->allocate == NULL) == (allocator->release == NULL) &&
           phx_is_zero(allocator->reserved, sizeof allocator->reserved);
}

void phx_mem_init(phx_mem *mem, ph_allocator allocator)
{
    PHX_ASSERT(phx_allocator_is_good(&allocator));
    if (allocator.allocate == NULL) {
        allocator = phx_allocator_jemalloc();
    }
    if (allocator.allocate == NULL) { /* not built in */
        allocator = phx_allocator_libc();
    }
    mem->allocator = allocator;
    atomic_init(&mem->bytes, 0);
    atomic_init(&mem->calls, 0);
    mem->whole = NULL;
    mem->key = PHX_HASH_KEY_KNOWN;
}

void phx_mem_init_part(phx_mem *mem, phx_mem *whole)
{
    phx_mem_init(mem, whole->allocator);
    mem->whole = whole;
    mem->key = whole->key;
}

/* Blocks of a large page and more begin where such a page does. */
static size_t alignment_asked(size_t bytes, size_t alignment)
{
    return bytes >= PHX_LARGE_PAGE && alignment < PHX_LARGE_PAGE ? PHX_LARGE_PAGE : alignment;
}

void *phx_alloc(phx_mem *mem, size_t bytes, size_t alignment)
{
    void *memory;

    PHX_ASSERT(bytes > 0);
    PHX_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0);
    alignment = alignment_asked(bytes, alignment);
    memory = mem->allocator.allocate(mem->allocator.user, bytes, alignment);
    PHX_ASSERT(((uintptr_t)memory & (alignment - 1)) == 0);
    if (memory != NULL) {
        phx_advise_large_pages(memory, bytes);
    }
    for (; mem != NULL; mem = mem->whole) {
        atomic_fetch_add_explicit(&mem->calls, 1, memory_order_relaxed);
        if (memory != NULL) {
            atomic_fetch_add_explicit(&mem->bytes, bytes, memory_order_relaxed);
        }
    }
    return memory;
}

void *phx_alloc_zero(phx_mem *mem, size_t bytes, size_t alignment)
{
    void *memory = phx_alloc(mem, bytes, alignment);

    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void phx_free(phx_mem *mem, void *memory, size_t bytes, size_t alignment)
{
    if (memory == NULL) {
        return;
    }
    mem->allocator.release(mem->allocator.user, memory, bytes, alignment_asked(bytes, alignment));
    for (; mem != NULL; mem = mem->whole) {
        uint64_t held = atomic_fetch_sub_explicit(&mem->bytes, bytes, memory_order_relaxed);
        PHX_ASSERT(held >= bytes);
        (void)held;
    }
}

/* Whole cache lines for this many items, or 0 if that is no size_t. */
static size_t array_bytes(uint32_t capacity, size_t item)
{
    size_t bytes;

    if (__builtin_mul_overflow((size_t)capacity, item, &bytes) || bytes > SIZE_MAX - PHX_CACHE_LINE) {
        return 0;
    }
    return (bytes + PHX_CACHE_LINE - 1) / PHX_CACHE_LINE * PHX_CACHE_LINE;
}

/* As many as fill the cache lines of `least` items: array_bytes() of both is the same. */
static uint32_t fill_lines(uint32_t least, size_t bytes, size_t item)
{
    size_t items = bytes / item;

    PHX_ASSERT(items >= least);
    return items < UINT32_MAX ? (uint32_t)items : UINT32_MAX;
}

/*
 * The array's pointer is read and written as bytes: callers pass the address of a typed
 * pointer, which must not be accessed as a void *.
 */
bool phx_grow_array(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, size_t needed, size_t item)
{
    uint32_t old_capacity = *capacity;
    uint64_t wanted = (uint64_t)old_capacity + old_capacity / 2;
    size_t bytes;
    void *old_items;
    void *items;

    PHX_ASSERT(item > 0);
    PHX_ASSERT(keep <= old_capacity);
    if (PHX_LIKELY(needed <= old_capacity)) {
        return true;
    }
    if (needed > UINT32_MAX) {
        return false;
    }
    wanted = wanted < needed ? needed : wanted;
    wanted = wanted < UINT32_MAX ? wanted : UINT32_MAX;
    bytes = array_bytes((uint32_t)wanted, item);
    items = bytes != 0 ? phx_alloc(mem, bytes, PHX_CACHE_LINE) : NULL;
    if (items == NULL) {
        return false;
    }
    memcpy(&old_items, array, sizeof(old_items));
    if (keep > 0) {
        memcpy(items, old_items, keep * item);
    }
    phx_free(mem, old_items, array_bytes(old_capacity, item), PHX_CACHE_LINE);
    memcpy(array, &items, sizeof(items));
    *capacity = fill_lines((uint32_t)wanted, bytes, item);
    return true;
}

void phx_release(phx_mem *mem, void **array, uint32_t *capacity, size_t item)
{
    void *items;

    PHX_ASSERT(item > 0);
    memcpy(&items, array, sizeof(items));
    PHX_ASSERT((items == NULL) == (*capacity == 0));
    phx_free(mem, items, array_bytes(*capacity, item), PHX_CACHE_LINE);
    memset(array, 0, sizeof(items));
    *capacity = 0;
}

void phx_trim_large(phx_mem *mem, void **array, uint32_t *capacity, size_t item, uint32_t used, phx_high_water *use)
{
    enum { TICKS = 8 }; /* storms come in waves */
    /*
     * The half may lie idle. An array that was trimmed, to 17/16 of its use, and had to grow by a half since, as more
     * is asked for than is used, is used to 0.627, and less where the load varies: so it stays, and a steady load
     * allocates nothing.
     */
    enum { PART = 2 };
    if (used > *capacity / PART) {
        *use = (phx_high_water){0};
        return;
    }
    if (use->most < used) use->most = used;
    if (++use->ticks < TICKS) return;
    uint64_t keep = use->most + use->most / 16;
    *use = (phx_high_water){0};
    void *less = NULL;
    uint32_t less_capacity = 0;
    if (!phx_grow(mem, &less, &less_capacity, 0, keep, item)) return; /* no memory: the large one is kept */
    phx_release(mem, array, capacity, item);
    memcpy(array, &less, sizeof(less));
    *capacity = less_capacity;
}
