/*
 * The counting sort; see sorted.h.
 */
#include "bench/baselines/sorted.h"

#include <string.h>

#include "bench/base/memory.h"

void sorted_init(sorted *of, const ph_world_def *def, phx_mem *mem)
{
    *of = (sorted){.mem = mem, .grid = cells_make(def, def->classes[0].view + def->classes[0].margin)};
    size_t cell_count = (size_t)of->grid.nx * of->grid.ny;
    bench_grow(mem, (void **)&of->starts, &of->starts_room, 0, cell_count + 2, sizeof *of->starts);
}

void sorted_free(sorted *of)
{
    phx_release(of->mem, (void **)&of->starts, &of->starts_room, sizeof *of->starts);
    phx_release(of->mem, (void **)&of->cell_of, &of->cell_room, sizeof *of->cell_of);
    phx_release(of->mem, (void **)&of->x, &of->x_room, sizeof *of->x);
    phx_release(of->mem, (void **)&of->y, &of->y_room, sizeof *of->y);
    phx_release(of->mem, (void **)&of->slots, &of->slots_room, sizeof *of->slots);
}

static void make_room(sorted *of, uint32_t slots)
{
    size_t places = (size_t)slots + SORTED_PAD;
    bench_grow(of->mem, (void **)&of->cell_of, &of->cell_room, 0, places, sizeof *of->cell_of);
    bench_grow(of->mem, (void **)&of->x, &of->x_room, 0, places, sizeof *of->x);
    bench_grow(of->mem, (void **)&of->y, &of->y_room, 0, places, sizeof *of->y);
    bench_grow(of->mem, (void **)&of->slots, &of->slots_room, 0, places, sizeof *of->slots);
}

void sorted_make(sorted *of, const population *people)
{
    make_room(of, people->slot_count);
    uint32_t cell_count = of->grid.nx * of->grid.ny;
    uint32_t *next = of->starts + 1; /* where the cell's next entity goes; in the end where the next cell starts */
    memset(of->starts, 0, ((size_t)cell_count + 2) * sizeof *of->starts);
    for (uint32_t s = 0; s < people->slot_count; s++) {
        uint32_t cell = POPULATION_NONE;
        if (people->live[s]) {
            cell = cells_index(&of->grid, people->at[s]);
            next[cell + 1]++;
        }
        of->cell_of[s] = cell;
    }
    for (uint32_t c = 1; c <= cell_count; c++) {
        next[c] += next[c - 1];
    }
    for (uint32_t s = 0; s < people->slot_count; s++) {
        if (of->cell_of[s] != POPULATION_NONE) {
            uint32_t place = next[of->cell_of[s]]++;
            of->x[place] = people->at[s].x;
            of->y[place] = people->at[s].y;
            of->slots[place] = s;
        }
    }
    of->count = people->live_count;
    PHX_ASSERT(of->starts[cell_count] == of->count);
    memset(of->x + of->count, 0, SORTED_PAD * sizeof *of->x);
    memset(of->y + of->count, 0, SORTED_PAD * sizeof *of->y);
    memset(of->slots + of->count, 0xff, SORTED_PAD * sizeof *of->slots);
}
