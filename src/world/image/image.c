/*
 * An image in memory; see image.h.
 */
#include "world/image/image.h"

#include <string.h>

void phx_image_init(phx_image *image, ph_allocator allocator)
{
    *image = (phx_image){0};
    phx_mem_init(&image->mem, allocator);
}

void phx_image_release(phx_image *image)
{
    phx_mem *mem = &image->mem;
    for (uint32_t i = 0; i < PHX_TABLES; i++)
        phx_release(mem, &image->tables[i].at, &image->tables[i].capacity, phx_image_kinds[i].record_bytes);
    phx_release(mem, (void **)&image->places, &image->places_capacity, sizeof *image->places);
    phx_release(mem, (void **)&image->place_first, &image->shard_capacity, sizeof *image->place_first);
    phx_release(mem, (void **)&image->list_end, &image->list_end_capacity, sizeof *image->list_end);
    PHX_ASSERT(atomic_load_explicit(&mem->bytes, memory_order_relaxed) == 0);
}

bool phx_image_reserve(phx_image *image, phx_image_table table, uint64_t more)
{
    phx_image_rows *rows = &image->tables[table];
    const size_t bytes = phx_image_kinds[table].record_bytes;
    if (more > UINT32_MAX - rows->count) return false;
    return phx_grow(&image->mem, &rows->at, &rows->capacity, rows->count, (size_t)(rows->count + more), bytes);
}

void *phx_image_add(phx_image *image, phx_image_table table)
{
    phx_image_rows *rows = &image->tables[table];
    const size_t bytes = phx_image_kinds[table].record_bytes;
    PHX_ASSERT(rows->count < rows->capacity);
    return memset((char *)rows->at + bytes * rows->count++, 0, bytes);
}
