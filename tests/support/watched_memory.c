/*
 * Every block has a head of one alignment step (at least a cache line) before it, which
 * remembers the request. See watched_memory.h.
 */
#include "support/watched_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 64, RUBBISH = 0xa5, MAGIC = 0x70686172 };

typedef struct block_head {
    uint64_t magic;
    size_t bytes;
    size_t alignment;
    watched_memory *owner;
} block_head;

static size_t head_bytes(size_t alignment)
{
    return alignment > HEAD_BYTES ? alignment : HEAD_BYTES;
}

static void broken(const char *what, const block_head *head, size_t bytes, size_t alignment)
{
    fprintf(stderr, "watched memory: %s: asked for %zu bytes aligned to %zu, back with %zu and %zu\n", what,
            head->bytes, head->alignment, bytes, alignment);
    abort(); /* Criterion does not look at exit statuses, but it does at signals */
}

static void *watched_allocate(void *user, size_t bytes, size_t alignment)
{
    watched_memory *memory = user;
    size_t head = head_bytes(alignment);
    char *start = NULL;
    block_head about = {MAGIC, bytes, alignment, memory};

    if (atomic_fetch_add(&memory->calls, 1) >= memory->calls_good) {
        return NULL;
    }
    if (posix_memalign((void **)&start, head, head + bytes) != 0) {
        return NULL;
    }
    memset(start, RUBBISH, head + bytes);
    memcpy(start + head - sizeof(about), &about, sizeof(about));
    atomic_fetch_add(&memory->blocks, 1);
    atomic_fetch_add(&memory->bytes, bytes);
    return start + head;
}

static void watched_release(void *user, void *block, size_t bytes, size_t alignment)
{
    watched_memory *memory = user;
    block_head about;

    memcpy(&about, (char *)block - sizeof(about), sizeof(about));
    if (about.magic != MAGIC || about.owner != memory) {
        broken("not a block of this allocator", &about, bytes, alignment);
    }
    if (about.bytes != bytes || about.alignment != alignment) {
        broken("another size or alignment", &about, bytes, alignment);
    }
    memset((char *)block - sizeof(about), RUBBISH, sizeof(about)); /* a second release is no block any more */
    atomic_fetch_sub(&memory->blocks, 1);
    atomic_fetch_sub(&memory->bytes, bytes);
    free((char *)block - head_bytes(alignment));
}

void watched_memory_init(watched_memory *memory)
{
    atomic_init(&memory->calls, 0);
    atomic_init(&memory->blocks, 0);
    atomic_init(&memory->bytes, 0);
    memory->calls_good = UINT64_MAX;
}

void watched_memory_fail_after(watched_memory *memory, uint64_t calls)
{
    memory->calls_good = calls == UINT64_MAX ? calls : atomic_load(&memory->calls) + calls;
}

ph_allocator watched_memory_allocator(watched_memory *memory)
{
    return (ph_allocator){.allocate = watched_allocate, .release = watched_release, .user = memory};
}

void watched_memory_all_back(const watched_memory *memory)
{
    uint64_t blocks = atomic_load(&memory->blocks);
    uint64_t bytes = atomic_load(&memory->bytes);

    if (blocks != 0 || bytes != 0) {
        fprintf(stderr, "watched memory: %llu blocks, %llu bytes are still held\n", (unsigned long long)blocks,
                (unsigned long long)bytes);
        abort();
    }
}
