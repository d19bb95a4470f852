/*
 * Entering and leaving of a baseline's entities; see population.h.
 */
#include "bench/baselines/population.h"

#include "bench/base/memory.h"

enum { TABLE_SIZE_MIN = 64 };

static void table_put(population *people, uint64_t id, uint32_t slot)
{
    uint32_t mask = people->table_size - 1;
    uint32_t i = (uint32_t)id & mask;
    while (people->table[i].id != 0) {
        i = (i + 1) & mask;
    }
    people->table[i] = (id_entry){id, slot};
}

/* Closes the gap that an entry leaves: later ones of its run move up. */
static void table_remove(population *people, uint64_t id)
{
    uint32_t mask = people->table_size - 1;
    uint32_t gap = (uint32_t)id & mask;
    while (people->table[gap].id != id) {
        gap = (gap + 1) & mask;
    }
    for (uint32_t i = (gap + 1) & mask; people->table[i].id != 0; i = (i + 1) & mask) {
        uint32_t home = (uint32_t)people->table[i].id & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            people->table[gap] = people->table[i];
            gap = i;
        }
    }
    people->table[gap].id = 0;
}

static void table_resize(population *people, uint32_t size)
{
    id_entry *old = people->table;
    uint32_t old_size = people->table_size;
    people->table = bench_alloc(people->mem, size * sizeof *people->table);
    people->table_size = size;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old[i].id != 0) {
            table_put(people, old[i].id, old[i].slot);
        }
    }
    phx_free(people->mem, old, old_size * sizeof *old, PHX_CACHE_LINE);
}

void population_init(population *people, phx_mem *mem)
{
    *people = (population){.mem = mem};
    table_resize(people, TABLE_SIZE_MIN);
}

void population_free(population *people)
{
    phx_mem *mem = people->mem;
    phx_release(mem, (void **)&people->at, &people->at_room, sizeof *people->at);
    phx_release(mem, (void **)&people->ids, &people->ids_room, sizeof *people->ids);
    phx_release(mem, (void **)&people->live, &people->live_room, sizeof *people->live);
    phx_release(mem, (void **)&people->free, &people->free_room, sizeof *people->free);
    phx_free(mem, people->table, people->table_size * sizeof *people->table, PHX_CACHE_LINE);
}

static uint32_t take_slot(population *people)
{
    if (people->free_count > 0) {
        uint32_t slot = people->free[--people->free_count];
        people->free[people->free_count] = people->free[people->free_count + people->freed_count];
        return slot;
    }
    uint32_t slot = people->slot_count++;
    bench_grow(people->mem, (void **)&people->at, &people->at_room, slot, (size_t)slot + 1, sizeof *people->at);
    bench_grow(people->mem, (void **)&people->ids, &people->ids_room, slot, (size_t)slot + 1, sizeof *people->ids);
    bench_grow(people->mem, (void **)&people->live, &people->live_room, slot, (size_t)slot + 1, sizeof *people->live);
    bench_grow(people->mem, (void **)&people->free, &people->free_room, people->free_count + people->freed_count,
               (size_t)slot + 1, sizeof *people->free);
    return slot;
}

uint32_t population_enter(population *people, uint64_t id, point at)
{
    PHX_ASSERT(id != 0);
    if (population_find(people, id) != POPULATION_NONE) {
        return POPULATION_NONE;
    }
    if ((people->live_count + 1) * 2 > people->table_size) {
        table_resize(people, people->table_size * 2);
    }
    uint32_t slot = take_slot(people);
    people->at[slot] = at;
    people->ids[slot] = id;
    people->live[slot] = true;
    people->live_count++;
    table_put(people, id, slot);
    return slot;
}

uint32_t population_leave(population *people, uint64_t id)
{
    uint32_t slot = population_find(people, id);
    if (slot == POPULATION_NONE) {
        return slot;
    }
    PHX_ASSERT(people->live[slot] && people->free_count + people->freed_count < people->free_room);
    table_remove(people, id);
    people->live[slot] = false;
    people->live_count--;
    people->free[people->free_count + people->freed_count++] = slot;
    return slot;
}

void population_begin(population *people)
{
    people->free_count += people->freed_count;
    people->freed_count = 0;
}
