/*
 * Monitors; see monitor.h.
 */
#include "world/monitor/monitor.h"

#include "base/clock.h"
#include "world/monitor/answers.h"
#include "world/monitor/areas.h"
#include "world/monitor/costs.h"
#include "world/monitor/focus.h"
#include "world/monitor/memory.h"
#include "world/monitor/order.h"
#include "world/monitor/parts.h"
#include "world/monitor/points.h"

/* ---- opening and closing ---- */

ph_status phx_monitor_open(phx_world *world, const ph_monitor_def *def, uint32_t *index, uint16_t *generation)
{
    for (uint32_t i = 0; i < PH_MONITORS_MAX; i++) {
        phx_monitor_slot *slot = &world->monitors[i];
        uint32_t expected = PHX_MONITOR_FREE;
        if (!atomic_compare_exchange_strong_explicit(&slot->state, &expected, PHX_MONITOR_OPENING, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        slot->monitor = phx_monitor_make(world, def);
        if (!slot->monitor) {
            atomic_store_explicit(&slot->state, PHX_MONITOR_FREE, memory_order_release);
            return PH_NO_MEMORY;
        }
        *index = i;
        *generation = (uint16_t)(atomic_fetch_add_explicit(&slot->generation, 1, memory_order_relaxed) + 1);
        atomic_store_explicit(&slot->state, PHX_MONITOR_OPEN, memory_order_release);
        atomic_fetch_add_explicit(&world->monitors_open, 1, memory_order_relaxed);
        return PH_OK;
    }
    return PH_TAKEN;
}

/* The side that ends the monitor has the slot alone. */
static void end_monitor(phx_world *world, phx_monitor_slot *slot)
{
    phx_monitor_free(&world->mem, slot->monitor);
    slot->monitor = NULL;
    atomic_fetch_sub_explicit(&world->monitors_open, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->state, PHX_MONITOR_FREE, memory_order_release);
}

void phx_monitor_close(phx_world *world, uint32_t index)
{
    phx_monitor_slot *slot = &world->monitors[index];
    /* release: the calls before; acquire: the last fill. If a tick is inside, its end finds ENDING. */
    const uint32_t was = atomic_exchange_explicit(&slot->state, PHX_MONITOR_ENDING, memory_order_acq_rel);
    if (was == PHX_MONITOR_OPEN) end_monitor(world, slot);
}

void phx_monitors_free(phx_world *world)
{
    for (uint32_t i = 0; i < PH_MONITORS_MAX; i++) {
        phx_monitor_slot *slot = &world->monitors[i];
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == PHX_MONITOR_OPEN) end_monitor(world, slot);
    }
}

/* ---- views, questions, frames: the monitor's thread ---- */

void phx_monitor_watch(phx_monitor *monitor, const ph_monitor_view *view)
{
    monitor->views[monitor->view_written] = *view;
    const uint32_t third =
        atomic_exchange_explicit(&monitor->mailbox, monitor->view_written | PHX_MAILBOX_NEW, memory_order_acq_rel);
    monitor->view_written = third & ~PHX_MAILBOX_NEW;
}

ph_status phx_monitor_ask(phx_monitor *monitor, const ph_monitor_question *question)
{
    const uint64_t asked = atomic_load_explicit(&monitor->asked, memory_order_relaxed);
    if (asked - atomic_load_explicit(&monitor->answered, memory_order_acquire) == monitor->def.questions)
        return PH_FULL;
    monitor->questions[asked % monitor->def.questions] = *question;
    atomic_store_explicit(&monitor->asked, asked + 1, memory_order_release);
    atomic_fetch_add_explicit(&monitor->questions_asked, 1, memory_order_relaxed);
    return PH_OK;
}

ph_status phx_monitor_take(phx_monitor *monitor, const ph_monitor_frame **frame)
{
    const uint32_t state = atomic_load_explicit(&monitor->frame_state, memory_order_acquire);
    if (state != PHX_FRAME_FULL) return state == PHX_FRAME_TAKEN ? PH_TAKEN : PH_EMPTY;
    phx_points_order(monitor);
    phx_focus_order(monitor);
    atomic_store_explicit(&monitor->frame_state, PHX_FRAME_TAKEN, memory_order_relaxed); /* read by this side alone */
    *frame = &monitor->frame;
    return PH_OK;
}

ph_status phx_monitor_return(phx_monitor *monitor, const ph_monitor_frame *frame)
{
    if (atomic_load_explicit(&monitor->frame_state, memory_order_relaxed) != PHX_FRAME_TAKEN) return PH_EMPTY;
    if (frame != &monitor->frame) return PH_BAD_ARGUMENT;
    atomic_store_explicit(&monitor->frame_state, PHX_FRAME_EMPTY, memory_order_release);
    return PH_OK;
}

static uint64_t count_of(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

void phx_monitor_count(const phx_monitor *monitor, ph_monitor_stats *stats)
{
    *stats = (ph_monitor_stats){.bytes = sizeof *monitor + count_of(&monitor->mem.bytes),
                                .frames = count_of(&monitor->frames),
                                .skipped = count_of(&monitor->skipped),
                                .questions = count_of(&monitor->questions_asked),
                                .answers = count_of(&monitor->answers_given),
                                .refilled = count_of(&monitor->refilled),
                                .fill_ns = count_of(&monitor->fill_ns),
                                .fill_ns_max = count_of(&monitor->fill_ns_max),
                                .followed = count_of(&monitor->followed)};
}

/* ---- the tick ---- */

static void add_count(_Atomic uint64_t *count, uint64_t more)
{
    atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

/* Takes over the view that was watched last, if it is a new one. */
static const ph_monitor_view *shown_view(phx_monitor *monitor)
{
    if (atomic_load_explicit(&monitor->mailbox, memory_order_relaxed) & PHX_MAILBOX_NEW) {
        const uint32_t third = atomic_exchange_explicit(&monitor->mailbox, monitor->view_shown, memory_order_acq_rel);
        monitor->view_shown = third & ~PHX_MAILBOX_NEW;
        monitor->views_seen++;
    }
    return &monitor->views[monitor->view_shown];
}

static void fill_frame(phx_world *world, phx_monitor *monitor, const ph_monitor_view *view)
{
    ph_monitor_frame *frame = &monitor->frame;
    ph_monitor_points *points = &frame->points;
    const uint32_t most = monitor->def.points_max;
    frame->tick = world->tick;
    frame->sequence++;
    frame->skipped = monitor->skipped_now;
    frame->flags = (frame->skipped > 0 ? PH_FRAME_SKIPPED : 0) | (world->finishing ? PH_FRAME_SHORT : 0);
    frame->entities = phx_directory_count(&world->directory);
    frame->view = *view;
    frame->view.points_max = view->points_max == 0 || view->points_max > most ? most : view->points_max;
    points->count = points->matched = points->oldest = 0;
    points->stride = 1;
    monitor->renewed = PHX_PARTS_ALL;
    monitor->cells_due = false;
    atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
    if (view->flags & (PH_MONITOR_POINTS | PH_MONITOR_GRID)) phx_points_fill(world, monitor);
    else monitor->parts.valid = false;
    phx_costs_fill(world, monitor);
    phx_parts_fill(world, monitor);
    phx_areas_fill(world, monitor);
    phx_focus_fill(world, monitor);
    phx_answers_fill(world, monitor);
    monitor->skipped_now = 0;
    add_count(&monitor->frames, 1);
    atomic_store_explicit(&monitor->frame_state, PHX_FRAME_FULL, memory_order_release);
}

/*
 * No frame came back for so long that none may come any more: a tab that sleeps, or is gone. By frames and by time: of
 * fast ticks many are skipped for a page that is awake, and of slow ones few take long.
 */
static bool is_asleep(const phx_monitor *monitor, uint64_t now_ns)
{
    const uint64_t NS_PER_MS = 1000000;
    return monitor->skipped_now >= PH_MONITOR_SKIPS_MAX &&
           now_ns - monitor->filled_at_ns >= monitor->def.asleep_ms * NS_PER_MS;
}

/* A tick's work for one monitor. again: the tick was served before, so no frame of it is skipped. */
static void serve_monitor(phx_world *world, phx_monitor *monitor, bool again)
{
    const bool due = world->tick % monitor->def.every == 0;
    const bool empty = atomic_load_explicit(&monitor->frame_state, memory_order_acquire) == PHX_FRAME_EMPTY;
    const uint64_t from = phx_now_ns();
    const ph_monitor_view *view = shown_view(monitor);
    const bool fills = due && empty;
    if (fills || !is_asleep(monitor, from)) phx_focus_follow(world, monitor, view->focus);
    else phx_focus_leave(monitor, view->focus);
    if (fills) {
        fill_frame(world, monitor, view);
    } else if (due && !again) {
        monitor->skipped_now++;
        add_count(&monitor->skipped, 1);
    }
    const uint64_t ns = phx_now_ns() - from;
    add_count(&monitor->fill_ns, ns);
    if (ns > count_of(&monitor->fill_ns_max)) atomic_store_explicit(&monitor->fill_ns_max, ns, memory_order_relaxed);
    if (!fills) return;
    monitor->last_fill_ns = ns;
    monitor->filled_at_ns = from;
}

void phx_monitors_fill(phx_world *world, bool again)
{
    const uint64_t from = phx_now_ns();
    bool any_awake = false;
    for (uint32_t i = 0; i < PH_MONITORS_MAX; i++) {
        phx_monitor_slot *slot = &world->monitors[i];
        uint32_t expected = PHX_MONITOR_OPEN;
        if (!atomic_compare_exchange_strong_explicit(&slot->state, &expected, PHX_MONITOR_FILLING, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        serve_monitor(world, slot->monitor, again);
        any_awake = any_awake || !is_asleep(slot->monitor, from);
        expected = PHX_MONITOR_FILLING;
        if (!atomic_compare_exchange_strong_explicit(&slot->state, &expected, PHX_MONITOR_OPEN, memory_order_acq_rel,
                                                     memory_order_acquire))
            end_monitor(world, slot); /* closed meanwhile */
    }
    world->monitors_asleep = !any_awake;
    world->monitor_ns = phx_now_ns() - from;
    world->monitor_ns_sum += world->monitor_ns;
}
