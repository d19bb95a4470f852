/*
 * A trace of a journal; see replay_csv.h. Bands count ticks: the trace begins some empty ticks before the image's, so
 * that they count in the same turn.
 */
#include "tools/replay_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "config/definition.h"
#include "tools/cli.h"
#include "tools/replay_csv_image.h"
#include "tools/trace_head.h"
#include "world/journal/record.h"

typedef struct phx_replay_csv {
    phx_csv_rows rows;
    phx_out *out;
    phx_world *world;
    ph_world_def was; /* the last definition that is in the trace; its classes are memory of its own */
    ph_class *classes;
    bool lacks_memory;
} phx_replay_csv;

/* ---- the definition ---- */

static bool keep_definition(phx_replay_csv *csv)
{
    const ph_world_def *def = &csv->world->def;
    ph_class *classes = malloc(def->class_count * sizeof *classes);
    if (!classes) return false;
    memcpy(classes, def->classes, def->class_count * sizeof *classes);
    free(csv->classes);
    csv->classes = classes;
    csv->was = *def;
    csv->was.classes = classes;
    return true;
}

static void add_assignment(void *user, const char *assignment)
{
    phx_replay_csv *csv = user;
    phx_csv_config(&csv->rows, assignment);
}

/* The trace begins with the definition of its world. */
static bool write_head(phx_replay_csv *csv)
{
    size_t bytes = 0;
    char *head = phx_trace_head_make(&csv->world->def, &bytes);
    if (head) phx_out_put(csv->out, head, bytes);
    free(head);
    return head != NULL;
}

static bool write_definition(phx_replay_state *replay, const phx_world *world)
{
    const char *path = replay->job->definition_path;
    if (!path) return true;
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    const bool written = out && phx_definition_write(&world->def, out);
    if (out && out != stdout && fclose(out) != 0)
        return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: it can not be written", path);
    return written || phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: it can not be written", path);
}

/* ---- the journal ---- */

/* The commands of the apply or tick that ends. In the ticking thread, within the replay of a record. */
static void write_commands(phx_world *world)
{
    phx_replay_csv *csv = world->journal.hooks.user;
    phx_csv_rows *rows = &csv->rows;
    rows->tick = world->tick;
    if (world->journal.def_taken && !world->apply.running) {
        phx_definition_changes(&csv->was, &world->def, add_assignment, csv);
        csv->lacks_memory |= !keep_definition(csv);
        world->journal.def_taken = false;
    }
    for (uint32_t i = 0; i < world->run_count; i++) phx_csv_run(rows, &world->runs[i].commands);
    if (world->apply.running) phx_csv_apply(rows);
}

/* ---- begin ---- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y != 0) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    PHX_ASSERT(x > 0);
    return a / x * b;
}

/*
 * The tick in which the trace begins, with that of the image, `tick`, at its place in the turns of all bands; far
 * enough before it for all that a capsule has ages of. 1, where that is too far: then all ticks are the same.
 */
static uint64_t first_tick(const phx_world *world, uint64_t tick)
{
    const ph_world_def *def = &world->def;
    uint64_t turn = 1, ages = 2 + PH_BAND_EVERY_MAX;
    if (def->activation_linger < PHX_TRACE_GAP_MAX / 4) ages += def->activation_linger;
    for (uint32_t i = 0; i < def->class_count; i++)
        for (uint32_t j = 0; j < def->classes[i].band_count && turn < PHX_TRACE_GAP_MAX; j++) {
            PHX_ASSERT(def->classes[i].bands[j].every > 0);
            turn = common_multiple(turn, def->classes[i].bands[j].every);
        }
    PHX_ASSERT(turn > 0);
    const uint64_t back = (ages + turn - 1) / turn * turn + (tick > 0 ? (tick - 1) % turn : 0);
    return tick <= back + 1 || turn >= PHX_TRACE_GAP_MAX ? 1 : tick - back;
}

bool phx_replay_csv_open(phx_replay_state *replay)
{
    const char *trouble = NULL;
    phx_world *world = phx_resolve_world(replay->world);
    if (!write_definition(replay, world)) return false;
    if (!replay->job->csv_path) return true;
    phx_replay_csv *csv = calloc(1, sizeof *csv);
    replay->csv = csv;
    if (!csv) return phx_replay_fail_status(replay, "--csv", PH_NO_MEMORY);
    csv->world = world;
    const ph_status status = phx_out_open(&csv->out, replay->mem, replay->job->csv_path, &trouble);
    if (status == PH_BAD_ARGUMENT)
        return phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->csv_path, trouble);
    if (status == PH_OK && replay->job->csv_bytes_max > 0)
        phx_out_limit(csv->out, replay->job->csv_bytes_max, replay->job->csv_too_long);
    if (status != PH_OK || !keep_definition(csv) || !write_head(csv))
        return phx_replay_fail_status(replay, "--csv", PH_NO_MEMORY);
    const uint64_t tick = world->tick;
    phx_csv_begin(&csv->rows, csv->out, world, first_tick(world, tick), replay->job->csv_shift);
    phx_journal_attach(world, &(ph_journal){.user = csv});
    world->journal.write = write_commands;
    return true;
}

bool phx_replay_csv_begin(phx_replay_state *replay)
{
    phx_replay_csv *csv = replay->csv;
    return !csv || phx_csv_image(&csv->rows, replay->world, replay->mem) ||
           phx_replay_fail_status(replay, "--csv", PH_NO_MEMORY);
}

bool phx_replay_csv_tick(phx_replay_state *replay)
{
    const phx_replay_csv *csv = replay->csv;
    const char *trouble = csv ? phx_out_trouble(csv->out) : NULL;
    return !trouble || phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->csv_path, trouble);
}

void phx_replay_csv_close(phx_replay_state *replay)
{
    phx_replay_csv *csv = replay->csv;
    if (!csv) return;
    phx_journal_attach(csv->world, NULL);
    if (csv->lacks_memory && replay->exit_status == PHX_EXIT_OK)
        (void)phx_replay_fail_status(replay, "--csv", PH_NO_MEMORY);
    if (csv->out) phx_csv_end(&csv->rows, csv->world->tick);
    const char *trouble = phx_out_close(csv->out, replay->exit_status == PHX_EXIT_OK);
    if (trouble && replay->exit_status == PHX_EXIT_OK)
        (void)phx_replay_fail(replay, PHX_EXIT_TROUBLE, "%s: %s", replay->job->csv_path, trouble);
    free(csv->classes);
    free(csv);
    replay->csv = NULL;
}
