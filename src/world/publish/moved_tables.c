/*
 * Moved targets of a tick; see moved_tables.h.
 */
#include "world/publish/moved_tables.h"

#include <string.h>

void phx_moved_table_free(phx_moved_table *table, phx_mem *mem)
{
    phx_release(mem, (void **)&table->marks, &table->marks_capacity, sizeof *table->marks);
    phx_release(mem, (void **)&table->first, &table->first_capacity, sizeof *table->first);
}

bool phx_moved_table_begin(phx_moved_table *table, phx_mem *mem, uint32_t items, uint32_t parts)
{
    if (!phx_grow(mem, (void **)&table->marks, &table->marks_capacity, 0, parts * (items + (size_t)PHX_KERNEL_PAD),
                  sizeof *table->marks) ||
        !phx_grow(mem, (void **)&table->first, &table->first_capacity, 0, (size_t)items / PHX_STRETCH + 2,
                  sizeof *table->first))
        return false;
    table->items = items;
    table->parts = parts;
    return true;
}

void phx_moved_table_clear(const phx_moved_table *table, uint32_t part)
{
    if (table->items > 0) memset(phx_moved_table_marks(table, part), 0, table->items);
}

/* Where a stretch ends. */
static uint32_t stretch_end(const phx_moved_table *table, uint32_t stretch)
{
    const uint32_t first = stretch * PHX_STRETCH, left = table->items - first;
    return first + (left < PHX_STRETCH ? left : PHX_STRETCH);
}

/* Adds the marks of the other parts to the first one. */
static void join_parts(const phx_moved_table *table)
{
    for (uint32_t part = 1; part < table->parts; part++) {
        const uint8_t *from = phx_moved_table_marks(table, part);
        for (uint32_t i = 0; i < table->items; i++) table->marks[i] |= from[i];
    }
}

void phx_moved_table_count(phx_moved_table *table)
{
    const uint32_t stretches = phx_moved_table_stretches(table);
    uint32_t count = 0;
    table->count = 0;
    if (table->items == 0) return;
    join_parts(table);
    for (uint32_t s = 0; s < stretches; s++) {
        const uint32_t from = s * PHX_STRETCH, end = stretch_end(table, s);
        uint32_t before = 0;
        uint8_t any = 0;
        for (uint32_t i = from; i < end; i++) any |= table->marks[i]; /* vectors: most are empty where few are due */
        for (uint32_t i = from; any && i < end; i++) {
            const uint8_t marked = table->marks[i];
            table->marks[i] = (uint8_t)before;
            before += marked;
        }
        table->first[s] = count;
        count += before;
    }
    table->first[stretches] = count;
    table->count = count;
}

uint32_t phx_moved_table_list(const phx_moved_table *table, uint32_t stretch, uint32_t targets[PHX_STRETCH + 1])
{
    const uint32_t end = stretch_end(table, stretch);
    uint32_t count = 0;
    for (uint32_t i = stretch * PHX_STRETCH; i + 1 < end; i++) { /* one is due if the next one has another place */
        targets[count] = i;
        count += table->marks[i + 1] != count;
    }
    targets[count] = end - 1;
    PHX_ASSERT(table->first[stretch + 1] - table->first[stretch] - count <= 1);
    return table->first[stretch + 1] - table->first[stretch];
}
