/*
 * The counting, checking, failing allocator; see fail_alloc.h.
 */
#include "support/fail_alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { MAGIC_LIVE = 0x51a110c8, MAGIC_DEAD = 0x0dead0a1, FILL_NEW = 0xa5, FILL_FREED = 0xde };

/* Stands right before the block that the caller gets. */
typedef struct block_head {
    void *base; /* of malloc() */
    size_t bytes, alignment;
    uint32_t magic;
    uint32_t reserved;
} block_head;

static bool is_ordered(fail_alloc *a, uint64_t call)
{
    if (a->fails != NULL && a->fails(a->asked)) {
        return true;
    }
    return a->fail_at != 0 && (a->sticky ? call >= a->fail_at : call == a->fail_at);
}

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    fail_alloc *a = user;
    uint64_t call = atomic_fetch_add_explicit(&a->calls, 1, memory_order_relaxed) + 1;
    bool sane = bytes != 0 && alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!CHECK(sane, "allocate(%zu, alignment %zu)", bytes, alignment) || is_ordered(a, call)) {
        atomic_fetch_add_explicit(&a->failed, 1, memory_order_relaxed);
        return NULL;
    }
    if (alignment < _Alignof(block_head)) {
        alignment = _Alignof(block_head);
    }
    char *base = malloc(sizeof(block_head) + alignment + bytes);
    if (base == NULL) {
        return NULL;
    }
    uintptr_t place = ((uintptr_t)base + sizeof(block_head) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    block_head *head = (block_head *)place - 1;
    *head = (block_head){base, bytes, alignment, MAGIC_LIVE, 0};
    memset((void *)place, FILL_NEW, bytes); /* no code may count on zeros */
    atomic_fetch_add_explicit(&a->blocks, 1, memory_order_relaxed);
    uint64_t live = atomic_fetch_add_explicit(&a->bytes, bytes, memory_order_relaxed) + bytes;
    uint64_t peak = atomic_load_explicit(&a->peak, memory_order_relaxed);
    while (live > peak &&
           !atomic_compare_exchange_weak_explicit(&a->peak, &peak, live, memory_order_relaxed, memory_order_relaxed)) {
    }
    return (void *)place;
}

static void release(void *user, void *memory, size_t bytes, size_t alignment)
{
    fail_alloc *a = user;
    block_head *head = (block_head *)memory - 1;
    if (alignment < _Alignof(block_head)) {
        alignment = _Alignof(block_head);
    }
    bool right = memory != NULL && head->magic == MAGIC_LIVE && head->bytes == bytes && head->alignment == alignment;
    if (!CHECK(right, "release(%p, %zu bytes, alignment %zu) of another or no block", memory, bytes, alignment)) {
        atomic_fetch_add_explicit(&a->wrong, 1, memory_order_relaxed);
        return;
    }
    memset(memory, FILL_FREED, bytes);
    head->magic = MAGIC_DEAD;
    atomic_fetch_sub_explicit(&a->blocks, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&a->bytes, bytes, memory_order_relaxed);
    free(head->base);
}

ph_allocator fail_alloc_hooks(fail_alloc *a)
{
    ph_allocator hooks = {.allocate = allocate, .release = release, .user = a};
    return hooks;
}

void fail_alloc_order(fail_alloc *a, uint64_t n, bool sticky)
{
    a->fail_at = n != 0 ? atomic_load_explicit(&a->calls, memory_order_relaxed) + n : 0;
    a->sticky = sticky;
}

bool fail_alloc_clean(const fail_alloc *a)
{
    uint64_t blocks = atomic_load_explicit(&a->blocks, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&a->bytes, memory_order_relaxed);
    uint64_t wrong = atomic_load_explicit(&a->wrong, memory_order_relaxed);
    return CHECK(blocks == 0 && bytes == 0 && wrong == 0,
                 "%" PRIu64 " blocks, %" PRIu64 " bytes leaked; %" PRIu64 " wrong releases", blocks, bytes, wrong);
}
