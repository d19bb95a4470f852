/*
 * Changes by chunk and consumer; see change_counts.h.
 */
#include "world/publish/change_counts.h"

bool phx_publish_room(phx_world *world)
{
    return phx_grow(&world->mem, (void **)&world->chunk_counts, &world->chunk_counts_capacity,
                    world->chunk_counts_capacity, world->chunk_count * phx_counts_per_chunk(world),
                    sizeof(phx_consumer_changes));
}

void phx_publish_count(phx_world *world, uint32_t index)
{
    const phx_chunk *chunk = &world->chunks[index];
    const phx_change *changes = phx_chunk_changes(world, chunk);
    uint32_t consumer = 0;
    phx_consumer_changes run = {0, 0}; /* a run of changes of one consumer, in registers */
    if (world->def.consumers == 0) return;
    memset(phx_chunk_counts(world, index, 0), 0, world->def.consumers * sizeof(phx_consumer_changes));
    for (uint32_t c = 0; c < chunk->change_count; c++) {
        const uint32_t targets = changes[c].leave_count + changes[c].enter_count;
        const uint32_t of = phx_consumer_of_change(world, chunk, &changes[c]);
        if (of != consumer) {
            phx_add_counts(phx_chunk_counts(world, index, consumer), run);
            run = (phx_consumer_changes){0, 0};
            consumer = of;
        }
        run.changes += phx_change_is_delivered(&changes[c]); /* else the change only stores a list, or ends it */
        run.targets += targets;
    }
    phx_add_counts(phx_chunk_counts(world, index, consumer), run);
}

void phx_publish_recount(phx_world *world, uint32_t index, uint32_t consumer)
{
    const phx_chunk *chunk = &world->chunks[index];
    const phx_change *changes = phx_chunk_changes(world, chunk);
    phx_consumer_changes *count = phx_chunk_counts(world, index, consumer);
    *count = (phx_consumer_changes){0, 0};
    for (uint32_t c = 0; c < chunk->change_count; c++)
        if (phx_consumer_of_change(world, chunk, &changes[c]) == consumer && phx_change_is_delivered(&changes[c]))
            phx_add_counts(count, (phx_consumer_changes){1, changes[c].leave_count + changes[c].enter_count});
}

bool phx_add_chunk(phx_world *world, phx_chunk chunk)
{
    if (!phx_grow(&world->mem, (void **)&world->chunks, &world->chunks_capacity, world->chunk_count,
                  (size_t)world->chunk_count + 1, sizeof chunk))
        return false;
    world->chunks[world->chunk_count++] = chunk;
    return true;
}
