/*
 * Arrays of a few items, of which very many owners have one each: no item more than there is room for by the steps
 * 1, 2, 3, ... and then a quarter more, and no whole cache lines as of phx_grow(). Aligned as any type asks at most.
 */
#ifndef PHX_BASE_FEW_H
#define PHX_BASE_FEW_H

#include "base/mem.h"

/* As phx_grow(): room for `needed` items, of which the first `keep` are kept. false = no memory, unchanged. */
bool phx_few_grow(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, uint32_t needed, size_t item);
/* Releases an array of phx_few_grow() and zeroes both. */
void phx_few_release(phx_mem *mem, void **array, uint32_t *capacity, size_t item);

#endif
