/*
 * Distinct sets of attributes; see attr_intern.h. Called by the shard's owner only.
 */
#include "shards/entity/attr_intern.h"

#include <string.h>

_Static_assert(sizeof(phx_attr) == 56, "no padding: sets are compared and hashed as bytes");

void phx_attr_sets_init(phx_attr_sets *sets, phx_mem *mem)
{
    *sets = (phx_attr_sets){.free_first = PHX_ATTR_SET_NONE};
    phx_idmap_init(&sets->index, mem);
}

void phx_attr_sets_free(phx_attr_sets *sets, phx_mem *mem)
{
    phx_release(mem, (void **)&sets->attr, &sets->capacity, sizeof *sets->attr);
    phx_release(mem, (void **)&sets->use, &sets->use_capacity, sizeof *sets->use);
    phx_idmap_free(&sets->index);
    phx_attr_sets_init(sets, mem);
}

static uint64_t hash_of(const phx_attr_sets *sets, const phx_attr *attr)
{
    uint64_t words[sizeof *attr / sizeof(uint64_t)], hash = 0;
    memcpy(words, attr, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) hash = phx_hash_any(sets->index.key, hash ^ words[i]);
    return hash ? hash : 1; /* 0 is no key */
}

static uint32_t number_new(phx_attr_sets *sets)
{
    uint32_t number = sets->free_first;
    if (number == PHX_ATTR_SET_NONE) {
        PHX_ASSERT(sets->numbers < sets->capacity && sets->numbers < sets->use_capacity);
        return sets->numbers++;
    }
    sets->free_first = sets->use[number].next;
    sets->free_count--;
    return number;
}

uint32_t phx_attr_sets_acquire(phx_attr_sets *sets, const phx_attr *attr)
{
    uint64_t hash = hash_of(sets, attr), *first = phx_idmap_find(&sets->index, hash);
    uint32_t next = first ? (uint32_t)*first : PHX_ATTR_SET_NONE;
    for (uint32_t i = next; i != PHX_ATTR_SET_NONE; i = sets->use[i].next) {
        if (memcmp(&sets->attr[i], attr, sizeof *attr) != 0) continue;
        sets->use[i].users++;
        return i;
    }
    uint32_t number = number_new(sets);
    sets->attr[number] = *attr;
    sets->use[number] = (struct phx_attr_use){.users = 1, .next = next};
    if (first) *first = number;
    else phx_idmap_insert(&sets->index, hash, number);
    return number;
}

bool phx_attr_sets_reserve(phx_attr_sets *sets, phx_mem *mem, uint32_t count)
{
    static const phx_attr zero;
    bool first = sets->numbers == 0;
    size_t wanted = (size_t)count + first, fresh = wanted > sets->free_count ? wanted - sets->free_count : 0;
    if (!phx_grow(mem, (void **)&sets->attr, &sets->capacity, sets->numbers, sets->numbers + fresh,
                  sizeof *sets->attr) ||
        !phx_grow(mem, (void **)&sets->use, &sets->use_capacity, sets->numbers, sets->numbers + fresh,
                  sizeof *sets->use) ||
        !phx_idmap_reserve(&sets->index, phx_idmap_count(&sets->index) + (uint32_t)wanted))
        return false;
    if (first) (void)phx_attr_sets_acquire(sets, &zero);
    return true;
}

void phx_attr_sets_drop(phx_attr_sets *sets, uint32_t number)
{
    struct phx_attr_use *use = &sets->use[number];
    PHX_ASSERT(number < sets->numbers && use->users > 0);
    if (--use->users > 0) return;
    uint64_t hash = hash_of(sets, &sets->attr[number]), *first = phx_idmap_find(&sets->index, hash);
    PHX_ASSERT(first);
    if ((uint32_t)*first == number && use->next == PHX_ATTR_SET_NONE) {
        phx_idmap_remove(&sets->index, hash);
    } else if ((uint32_t)*first == number) {
        *first = use->next;
    } else {
        uint32_t before = (uint32_t)*first;
        while (sets->use[before].next != number) before = sets->use[before].next;
        sets->use[before].next = use->next;
    }
    use->next = sets->free_first;
    sets->free_first = number;
    sets->free_count++;
}
