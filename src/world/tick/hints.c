/*
 * Lines for the host's log; see hints.h.
 */
#include "world/tick/hints.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LINE_SIZE = 256 };

__attribute__((format(printf, 2, 3))) static void log_warning(const phx_world *world, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    world->def.log(world->def.log_user, PH_LOG_WARNING, line);
}

/* Fields that a producer set without their bits, each once in a world's life. */
static void log_ungiven(phx_world *world)
{
    uint32_t bits = atomic_load_explicit(&world->ungiven, memory_order_relaxed) & ~world->hints.ungiven;
    world->hints.ungiven |= bits;
    for (; bits != 0; bits &= bits - 1) {
        const char *name = ph_field_name((ph_field)(__builtin_ctz(bits) + 1));
        log_warning(world, "an entity came with %s set, whose bit is not in ph_attrs.given: it does not count", name);
    }
}

static uint64_t count_observers(const phx_world *world)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) count += world->shards[i].ready_count;
    return count;
}

static void log_unobserved(phx_world *world)
{
    uint32_t entities = phx_directory_count(&world->directory);
    bool unobserved = entities > 0 && count_observers(world) == 0;
    if (unobserved && !world->hints.unobserved)
        log_warning(world,
                    "%" PRIu32 " entities and no observer: none is ready with a view above 0, so no list has a target",
                    entities);
    world->hints.unobserved = unobserved;
}

/* More than one entity in so many outside of the world: its rectangle is not the host's. */
enum { OUTSIDE_SHARE = 20 };

static void log_outside(phx_world *world)
{
    uint64_t entities = phx_directory_count(&world->directory), count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) count += world->shards[i].store.outside_count;
    bool outside = count * OUTSIDE_SHARE > entities;
    if (outside && !world->hints.outside)
        log_warning(world,
                    "%" PRIu64 " of %" PRIu64 " entities stand outside of the world (world_origin, world_size): the "
                    "towers at its border hold them all, which is slow",
                    count, entities);
    world->hints.outside = outside;
}

void phx_log_hints(phx_world *world)
{
    log_ungiven(world);
    log_unobserved(world);
    log_outside(world);
}
