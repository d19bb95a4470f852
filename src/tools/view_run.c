/*
 * The loop of pharos-view; see view_run.h. One thread: a tick, the requests, a short sleep. While it is paused no tick
 * runs, but frames are filled now and then, so that the map can be moved and questions are answered.
 */
#include "tools/view_run.h"

#include <pharos/monitor.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tools/view_seek.h"
#include "tools/view_slice.h"

enum { SLEEP_NS = 2000000, PAUSED_NS = 10000000, TELL_NS = 200000000, BEHIND_NS = 500000000 };

static void tell(const phx_view_run *run)
{
    const phx_view_source *source = run->source;
    (void)ph_view_tell(run->view, &(ph_view_state){.paused = run->paused || source->over,
                                                   .over = source->over,
                                                   .replay = run->replay,
                                                   .diverged = source->diverged,
                                                   .speed = run->speed,
                                                   .first = source->first,
                                                   .last = source->last,
                                                   .at = source->at,
                                                   .offset = source->offset});
}

/* ---- requests ---- */

static bool seek(phx_view_run *run, uint64_t tick)
{
    phx_view_source *source = run->source;
    bool done = ph_view_show(run->view, (ph_world){0}, NULL) == PH_OK && phx_view_seek(source, tick);
    if (source->world.index1 != 0)
        done = ph_view_show(run->view, source->world, ph_config_def(source->config)) == PH_OK && done;
    return done;
}

/* A config of its own is changed and tried first: what the world refuses changes nothing. */
static void set(phx_view_run *run, const ph_view_request *request)
{
    phx_view_source *source = run->source;
    ph_config_error error = {.reason = ""};
    char assignment[2 * PH_VIEW_TEXT_SIZE], before[PH_CONFIG_REASON_SIZE] = "";
    snprintf(assignment, sizeof assignment, "%s=%s", request->key, request->text);
    char *saved = NULL;
    size_t saved_bytes = 0;
    FILE *out = open_memstream(&saved, &saved_bytes);
    if (!out) return;
    const bool dumped = ph_config_dump(source->config, out) == PH_OK;
    if (fclose(out) != 0 || !dumped) {
        free(saved);
        return;
    }
    ph_status status = ph_config_set(source->config, assignment, &error);
    if (status != PH_OK) ph_view_say(run->view, request->page, error.reason);
    else if (ph_world_reconfigure(source->world, ph_config_def(source->config), before, sizeof before) != PH_OK) {
        ph_view_say(run->view, request->page, before);
        if (ph_config_load_text(source->config, "before", saved, &error) != PH_OK)
            ph_view_say(run->view, request->page, error.reason);
    } else {
        phx_view_note_change(source);
    }
    free(saved);
}

static void give_slice(phx_view_run *run, const ph_view_request *request)
{
    phx_view_slice slice;
    const uint64_t first = (uint64_t)request->from, last = (uint64_t)request->value;
    if (!phx_view_slice_make(run->source, first, last, &slice)) ph_view_say(run->view, request->page, slice.reason);
    else if (ph_view_give_slice(run->view, request->page, slice.text, slice.bytes) != PH_OK)
        ph_view_say(run->view, request->page, "no memory for a slice");
    free(slice.text);
}

static bool obey(phx_view_run *run, const ph_view_request *request, bool *steps)
{
    switch (request->what) {
    case PH_VIEW_DO_PAUSE:
        run->paused = true;
        return true;
    case PH_VIEW_DO_PLAY:
        run->paused = false;
        return true;
    case PH_VIEW_DO_STEP:
        run->paused = *steps = true;
        return true;
    case PH_VIEW_DO_SPEED:
        run->speed = request->value;
        return true;
    case PH_VIEW_DO_SEEK:
        return seek(run, (uint64_t)request->value);
    case PH_VIEW_DO_SET:
        set(run, request);
        return true;
    case PH_VIEW_DO_SLICE:
        give_slice(run, request);
        return true;
    }
    return true;
}

/* ---- the loop ---- */

typedef struct due_times {
    uint64_t tick_ns, fill_ns, tell_ns; /* when each is due next */
} due_times;

static bool tick(phx_view_run *run, due_times *clocks, uint64_t now_ns)
{
    phx_view_source *source = run->source;
    const uint64_t period_ns = (uint64_t)((double)run->tick_ms * 1e6 / run->speed);
    if (!source->step(source)) return false;
    /* A machine that is too slow for the speed runs as fast as it can, and does not catch up later. */
    clocks->tick_ns = clocks->tick_ns + BEHIND_NS < now_ns ? now_ns : clocks->tick_ns + period_ns;
    return true;
}

static bool turn(phx_view_run *run, due_times *clocks)
{
    ph_view_request request;
    bool steps = false, news = false;
    while (!steps &&
           ph_view_next(run->view, &request)) { /* each step is a tick of its own, with the keys set before it */
        const bool was_paused = run->paused;
        if (!obey(run, &request, &steps)) return false;
        if (was_paused && !run->paused) clocks->tick_ns = phx_clock_ns();
        news = true;
    }
    const uint64_t now_ns = phx_clock_ns();
    const bool runs = !run->paused && !run->source->over;
    if ((steps && !run->source->over) || (runs && now_ns >= clocks->tick_ns)) {
        if (!tick(run, clocks, now_ns)) return false;
    } else if (!runs && now_ns >= clocks->fill_ns) {
        if (ph_monitor_fill(run->source->world) != PH_OK) return phx_source_fail(run->source, "a frame", PH_BUSY);
        clocks->fill_ns = now_ns + PAUSED_NS;
    }
    if (news || now_ns >= clocks->tell_ns) {
        tell(run);
        clocks->tell_ns = now_ns + TELL_NS;
    }
    return true;
}

int phx_view_run_all(phx_view_run *run, const volatile sig_atomic_t *stopped)
{
    due_times clocks = {.tick_ns = phx_clock_ns()};
    const struct timespec nap = {.tv_nsec = SLEEP_NS};
    tell(run);
    while (!*stopped) {
        if (!turn(run, &clocks)) {
            fprintf(stderr, "pharos-view: %s\n", run->source->reason);
            return PHX_EXIT_TROUBLE;
        }
        if (run->paused || run->source->over || phx_clock_ns() < clocks.tick_ns) nanosleep(&nap, NULL);
    }
    return PHX_EXIT_OK;
}
