/*
 * Memory of a capsule that is being written, in words: the caller's, and from the word on for which that has no room,
 * or all of it where the caller's is not aligned for words, memory of its own. For one reader, between ticks.
 */
#ifndef PHX_WORLD_READ_CAPSULE_WORDS_H
#define PHX_WORLD_READ_CAPSULE_WORDS_H

#include "base/mem.h"

enum { PHX_CAPSULE_WORD = sizeof(uint64_t) };

typedef struct phx_capsule_words {
    phx_mem *mem;
    uint64_t *at; /* all of them: the caller's, or own ones */
    uint64_t *own;
    uint32_t used, capacity, own_capacity;
} phx_capsule_words;

/* `capsule` may be NULL when size is 0. */
phx_capsule_words phx_capsule_words_of(phx_mem *mem, void *capsule, size_t size);
/* Room behind what is written, all zero; NULL: no memory. Earlier pointers end. */
void *phx_capsule_words_add(phx_capsule_words *words, size_t bytes);
void phx_capsule_words_free(phx_capsule_words *words);

#endif
