/*
 * Notes followers; see followers.h.
 */
#include "world/ingest/followers.h"

void phx_note_follower(phx_world *world, uint64_t id)
{
    phx_apply_state *apply = &world->apply;
    const uint32_t n = apply->follower_count;
    if (!apply->running || apply->wide) return;
    if (phx_grow(&world->mem, (void **)&apply->followers, &apply->followers_capacity, n, (size_t)n + 1,
                 sizeof *apply->followers))
        apply->followers[apply->follower_count++] = id;
    else apply->wide = true; /* the search finds it */
}
