/*
 * Memory of a capsule that is being written; see capsule_words.h.
 */
#include "world/read/capsule_words.h"

#include <string.h>

enum { WORD = PHX_CAPSULE_WORD };

phx_capsule_words phx_capsule_words_of(phx_mem *mem, void *capsule, size_t size)
{
    phx_capsule_words words = {.mem = mem};
    if (size == 0 || (uintptr_t)capsule % WORD != 0) return words;
    words.at = capsule;
    words.capacity = (uint32_t)(size / WORD < UINT32_MAX ? size / WORD : UINT32_MAX);
    return words;
}

/* Own memory, with all that is written. */
static bool take_own(phx_capsule_words *words, size_t needed)
{
    const bool is_own = words->at == words->own;
    if (!phx_grow(words->mem, (void **)&words->own, &words->own_capacity, is_own ? words->used : 0, needed, WORD))
        return false;
    if (!is_own) memcpy(words->own, words->at, (size_t)words->used * WORD);
    words->at = words->own;
    words->capacity = words->own_capacity;
    return true;
}

void *phx_capsule_words_add(phx_capsule_words *words, size_t bytes)
{
    const size_t used = words->used, needed = used + bytes / WORD;
    PHX_ASSERT(bytes % WORD == 0);
    if (needed > words->capacity && !take_own(words, needed)) return NULL;
    words->used = (uint32_t)needed;
    return memset(words->at + used, 0, bytes);
}

void phx_capsule_words_free(phx_capsule_words *words)
{
    phx_release(words->mem, (void **)&words->own, &words->own_capacity, WORD);
}
