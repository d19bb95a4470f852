/*
 * A member's definition: defaults and checks; see phc_def.h.
 */
#include "cluster/phc_def.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/lengths.h"
#include "base/mem.h"
#include "cluster/definition.h"

enum {
    LAG_TICKS_MAX = 1000,
    SILENT_TICKS_MAX = 1000000,
    LEASE_MS_MIN = 1000,
    TIME_MS_MAX = 600000,
    LIST_MS_MIN = 10,
    MOVES_MAX = 1000000,
    REGIONS_AN_AXIS_MAX = 64
};

phc_def phc_def_default(void)
{
    return (phc_def){.regions = {8, 8},
                     .hand_over_margin = 5.0f,
                     .speed_max = 5.0f,
                     .lag_max = 4,
                     .silent_ticks = 40,
                     .lease_ms = 5000,
                     .list_ms = 200,
                     .link_timeout_ms = 5000,
                     .moves_per_tick = 2000};
}

/* A place that refusals go to. */
typedef struct refusal_text {
    char *text;
    size_t size;
} refusal_text;

__attribute__((format(printf, 2, 3))) static bool refuse(refusal_text to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (to.text && to.size > 0) (void)vsnprintf(to.text, to.size, format, arguments);
    va_end(arguments);
    return false;
}

static bool name_is_good(const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= PHC_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == length;
}

static bool check_range(refusal_text to, const char *name, uint64_t value, uint64_t least, uint64_t most)
{
    if (value >= least && value <= most) return true;
    return refuse(to, "%s = %llu: it is %llu to %llu", name, (unsigned long long)value, (unsigned long long)least,
                  (unsigned long long)most);
}

static bool check_lengths(const phc_def *def, refusal_text to)
{
    if (!phx_is_length(def->hand_over_margin)) return refuse(to, "hand_over_margin is not a number from 0 to 1e18");
    if (!phx_is_length(def->speed_max)) return refuse(to, "speed_max is not a number from 0 to 1e18");
    if (!phx_is_length(def->halo)) return refuse(to, "halo is not a number from 0 to 1e18");
    const float least = phx_definition_halo(def);
    if (!phx_is_length(least)) return refuse(to, "the halo that the longest view needs is beyond 1e18");
    if (def->halo > 0.0f && def->halo < least)
        return refuse(to, "halo = %g: views, margins, speed_max and lag_max need %g", (double)def->halo, (double)least);
    return true;
}

static bool check_reserved(const phc_def *def, refusal_text to)
{
    for (size_t i = 0; i < sizeof def->reserved / sizeof *def->reserved; i++)
        if (def->reserved[i] != 0) return refuse(to, "reserved[%zu] is not 0", i);
    if (!phx_allocator_is_good(&def->allocator))
        return refuse(to, "allocator has one function alone, or a reserved word that is not 0");
    return true;
}

bool phx_phc_def_check(const phc_def *def, bool has_world, char *reason, size_t size)
{
    const refusal_text to = {reason, size};
    char line[PHC_REASON_SIZE];
    if (!name_is_good(def->name)) return refuse(to, "name: 1 to %d letters, digits, - and _", PHC_NAME_MAX);
    if (!def->world_def) return refuse(to, "world_def is NULL");
    if (ph_world_def_check(def->world_def, line, sizeof line) != PH_OK) return refuse(to, "world_def: %.400s", line);
    if (has_world == def->gateway) return refuse(to, def->gateway ? "a gateway has no world" : "a node has a world");
    return check_range(to, "regions[0]", def->regions[0], 1, REGIONS_AN_AXIS_MAX) &&
           check_range(to, "regions[1]", def->regions[1], 1, REGIONS_AN_AXIS_MAX) &&
           check_range(to, "lag_max", def->lag_max, 1, LAG_TICKS_MAX) &&
           check_range(to, "silent_ticks", def->silent_ticks, def->lag_max, SILENT_TICKS_MAX) &&
           check_range(to, "lease_ms", def->lease_ms, LEASE_MS_MIN, TIME_MS_MAX) &&
           check_range(to, "list_ms", def->list_ms, LIST_MS_MIN, def->lease_ms) &&
           (def->link_timeout_ms == 0 ||
            check_range(to, "link_timeout_ms", def->link_timeout_ms, LEASE_MS_MIN, TIME_MS_MAX)) &&
           check_range(to, "moves_per_tick", def->moves_per_tick, 1, MOVES_MAX) &&
           check_range(to, "store_loss", (uint64_t)def->store_loss, PHC_GO_ON, PHC_FREEZE) && check_lengths(def, to) &&
           check_reserved(def, to);
}
