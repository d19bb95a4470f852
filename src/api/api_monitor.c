/*
 * ph_monitor_*: handles and arguments are checked here, the rest is src/world/monitor. See pharos/monitor.h.
 */
#include <pharos/monitor.h>

#include "api/handles.h"
#include "base/float_env.h"
#include "base/lengths.h"
#include "base/rng.h"
#include "world/monitor/monitor.h"
#include "world/table/gate.h"

/* NULL: no open monitor has this handle. */
static phx_monitor *resolve_monitor(ph_monitor handle, phx_world **world)
{
    *world = phx_resolve_world(handle.world);
    if (!*world || handle.index1 == 0 || handle.index1 > PH_MONITORS_MAX) return NULL;
    phx_monitor_slot *slot = &(*world)->monitors[handle.index1 - 1];
    const uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    if (state != PHX_MONITOR_OPEN && state != PHX_MONITOR_FILLING) return NULL;
    const uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    return (uint16_t)generation == handle.generation ? slot->monitor : NULL;
}

/* ---- definition ---- */

static bool take_number(uint32_t given, uint32_t normal, uint32_t most, uint32_t *number)
{
    *number = given == 0 ? normal : given;
    return *number <= most;
}

/* With defaults in place of 0. */
static ph_status check_def(const ph_monitor_def *def, ph_monitor_def *full)
{
    enum {
        POINTS = 100000,
        TARGETS = 4096,
        EVENTS = 1024,
        QUESTIONS = 16,
        HITS = 4096,
        QUESTION_NS = 200000,
        ASLEEP_MS = 2000
    };
    if (!phx_is_zero(def->reserved, sizeof def->reserved)) return PH_BAD_VALUE;
    *full = *def;
    const bool good = take_number(def->every, 1, PH_MONITOR_EVERY_MAX, &full->every) &&
                      take_number(def->points_max, POINTS, PH_MONITOR_POINTS_MAX, &full->points_max) &&
                      take_number(def->targets_max, TARGETS, PH_MONITOR_TARGETS_MAX, &full->targets_max) &&
                      take_number(def->events_max, EVENTS, PH_MONITOR_EVENTS_MAX, &full->events_max) &&
                      take_number(def->questions, QUESTIONS, PH_MONITOR_QUESTIONS_MAX, &full->questions) &&
                      take_number(def->hits_max, HITS, PH_MONITOR_HITS_MAX, &full->hits_max) &&
                      take_number(def->question_ns, QUESTION_NS, PH_MONITOR_QUESTION_NS_MAX, &full->question_ns) &&
                      take_number(def->asleep_ms, ASLEEP_MS, PH_MONITOR_ASLEEP_MS_MAX, &full->asleep_ms);
    return good ? PH_OK : PH_BAD_VALUE;
}

ph_status ph_monitor_open(ph_world handle, const ph_monitor_def *def, ph_monitor *monitor)
{
    ph_monitor_def full;
    uint32_t index;
    uint16_t generation;
    phx_world *world = phx_resolve_world(handle);
    if (!monitor) return PH_BAD_ARGUMENT;
    *monitor = (ph_monitor){0};
    if (!world) return PH_BAD_HANDLE;
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = check_def(def, &full);
    if (status == PH_OK) status = phx_monitor_open(world, &full, &index, &generation);
    if (status == PH_OK)
        *monitor = (ph_monitor){.index1 = (uint16_t)(index + 1), .generation = generation, .world = handle};
    return status;
}

ph_status ph_monitor_close(ph_monitor handle)
{
    phx_world *world;
    if (!resolve_monitor(handle, &world)) return PH_BAD_HANDLE;
    phx_monitor_close(world, handle.index1 - 1u);
    return PH_OK;
}

/* ---- view and questions ---- */

static ph_status check_view(const ph_monitor_view *view)
{
    static const float LEAST_SIDE = 1e-18f; /* 65536 / side is far below FLT_MAX */
    const float corners[] = {view->x0, view->y0, view->x1, view->y1};
    for (uint32_t i = 0; i < sizeof corners / sizeof *corners; i++)
        if (!phx_is_coordinate(corners[i])) return PH_BAD_POSITION;
    if (!(view->x1 - view->x0 >= LEAST_SIDE) || !(view->y1 - view->y0 >= LEAST_SIDE)) return PH_BAD_VALUE;
    if (view->flags & ~(uint32_t)PH_MONITOR_FLAGS_ALL) return PH_BAD_VALUE;
    if (view->spread > PH_MONITOR_SPREAD_MAX) return PH_BAD_VALUE;
    return phx_is_zero(view->reserved2, sizeof view->reserved2) ? PH_OK : PH_BAD_VALUE;
}

ph_status ph_monitor_watch(ph_monitor handle, const ph_monitor_view *view)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    phx_monitor *monitor = resolve_monitor(handle, &world);
    if (!monitor) return PH_BAD_HANDLE;
    if (!view) return PH_BAD_ARGUMENT;
    const ph_status status = check_view(view);
    if (status == PH_OK) phx_monitor_watch(monitor, view);
    return status;
}

static ph_status check_place(const ph_monitor_question *question)
{
    if (question->flags & ~(uint32_t)PH_MONITOR_ANY_INSTANCE) return PH_BAD_VALUE;
    if (!phx_is_coordinate(question->x) || !phx_is_coordinate(question->y)) return PH_BAD_POSITION;
    return phx_is_length(question->radius) ? PH_OK : PH_BAD_RADIUS;
}

static ph_status check_question(const ph_monitor_question *question)
{
    if ((uint32_t)question->kind > PH_ASK_ENTITY || question->reserved != 0) return PH_BAD_VALUE;
    if (!phx_is_zero(question->reserved2, sizeof question->reserved2)) return PH_BAD_VALUE;
    const bool one = question->kind == PH_ASK_EXPLAIN || question->kind == PH_ASK_ENTITY;
    if (!one && (question->most == 0 || question->most > PH_MONITOR_HITS_MAX)) return PH_BAD_VALUE;
    if (question->kind == PH_ASK_NEAREST) return check_place(question);
    if (question->id == 0) return PH_BAD_ID;
    return question->kind == PH_ASK_EXPLAIN && question->other == 0 ? PH_BAD_ID : PH_OK;
}

ph_status ph_monitor_ask(ph_monitor handle, const ph_monitor_question *question)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    phx_monitor *monitor = resolve_monitor(handle, &world);
    if (!monitor) return PH_BAD_HANDLE;
    if (!question) return PH_BAD_ARGUMENT;
    const ph_status status = check_question(question);
    return status == PH_OK ? phx_monitor_ask(monitor, question) : status;
}

/* ---- frames ---- */

ph_status ph_monitor_fill(ph_world handle)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    const bool rests = world->stage == PHX_STAGE_IDLE, fills = rests && !world->begun;
    if (fills && phx_monitors_any(world)) phx_monitors_fill(world, true);
    phx_gate_tick_end(&world->gate, !rests);
    return fills ? PH_OK : PH_BUSY;
}

ph_status ph_monitor_take(ph_monitor handle, const ph_monitor_frame **frame)
{
    phx_world *world;
    phx_monitor *monitor = resolve_monitor(handle, &world);
    if (!frame) return PH_BAD_ARGUMENT;
    *frame = NULL;
    return monitor ? phx_monitor_take(monitor, frame) : PH_BAD_HANDLE;
}

ph_status ph_monitor_return(ph_monitor handle, const ph_monitor_frame *frame)
{
    phx_world *world;
    phx_monitor *monitor = resolve_monitor(handle, &world);
    return monitor ? phx_monitor_return(monitor, frame) : PH_BAD_HANDLE;
}

ph_status ph_monitor_stats_get(ph_monitor handle, ph_monitor_stats *stats)
{
    phx_world *world;
    phx_monitor *monitor = resolve_monitor(handle, &world);
    if (!monitor) return PH_BAD_HANDLE;
    if (!stats) return PH_BAD_ARGUMENT;
    phx_monitor_count(monitor, stats);
    return PH_OK;
}

uint64_t ph_monitor_sample(uint64_t id)
{
    return phx_mix64(id);
}
