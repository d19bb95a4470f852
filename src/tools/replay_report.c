/*
 * The summary of a replay; see replay_report.h.
 */
#include "tools/replay_report.h"

#include <inttypes.h>

#include "tools/cli.h"

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

/* ---- for people ---- */

static void bad_lines_text(FILE *out, const phx_replay_summary *summary)
{
    const char *format = "  %-12" PRIu64 " %s\n";
    fprintf(out, "bad lines      %" PRIu64 "%s\n", summary->bad_lines, summary->bad_lines > 0 ? ", by reason:" : "");
    for (uint32_t i = 0; i < PHX_TRACE_BAD_COUNT; i++)
        if (summary->bad[i] > 0) fprintf(out, format, summary->bad[i], phx_trace_bad_text((phx_trace_bad)i));
    for (uint32_t i = 0; i < PH_STATUS_COUNT; i++)
        if (summary->refused[i] > 0) fprintf(out, format, summary->refused[i], ph_status_text((ph_status)i));
    if (summary->refused_untold > 0)
        fprintf(out, format, summary->refused_untold, "refused, more than refusals_max in one tick");
}

void phx_replay_report_text(FILE *out, const phx_replay_job *job, const phx_replay_summary *summary)
{
    const phx_tick_times *times = &summary->tick_times;
    fprintf(out, "%-14s %s\n", job->image ? "image" : "trace", job->trace_path);
    fprintf(out, "ticks          %" PRIu64 "\n", summary->ticks);
    fprintf(out, "commands       %" PRIu64 " applied\n", summary->commands);
    bad_lines_text(out, summary);
    fprintf(out, "enters         %" PRIu64 " targets came into an observer's list\n", summary->enters);
    fprintf(out, "leaves         %" PRIu64 " targets left one\n", summary->leaves);
    fprintf(out, "entities       %" PRIu64 " at the end\n", summary->entities);
    fprintf(out, "event hash     %016" PRIx64 ", of all enters and leaves: the same on every layout and machine\n",
            summary->event_hash);
    if (job->compare) fprintf(out, "compared       %" PRIu64 " images\n", summary->compared);
    if (job->verify) fprintf(out, "verified       %" PRIu64 " lists\n", summary->verified);
    fprintf(out, "wall           %.1f ms, reading and writing included\n", us(summary->wall_ns) / 1e3);
    fprintf(out, "tick           half within %.1f us (p50), 99 of 100 within %.1f us (p99), longest %.1f us\n",
            us(phx_tick_times_ns(times, 50)), us(phx_tick_times_ns(times, 99)), us(times->max_ns));
}

/* ---- for programs ---- */

static void bad_lines_json(FILE *out, const phx_replay_summary *summary)
{
    const char *comma = "";
    fprintf(out, "\"bad_lines\":%" PRIu64 ",\"bad_lines_by_reason\":{", summary->bad_lines);
    for (uint32_t i = 0; i < PHX_TRACE_BAD_COUNT; i++) {
        if (summary->bad[i] > 0) {
            fprintf(out, "%s\"%s\":%" PRIu64, comma, phx_trace_bad_text((phx_trace_bad)i), summary->bad[i]);
            comma = ",";
        }
    }
    for (uint32_t i = 0; i < PH_STATUS_COUNT; i++) {
        if (summary->refused[i] > 0) {
            fprintf(out, "%s\"%s\":%" PRIu64, comma, ph_status_name((ph_status)i), summary->refused[i]);
            comma = ",";
        }
    }
    if (summary->refused_untold > 0)
        fprintf(out, "%s\"refused beyond refusals_max\":%" PRIu64, comma, summary->refused_untold);
    fputs("},", out);
}

void phx_replay_report_json(FILE *out, const phx_replay_job *job, const phx_replay_summary *summary)
{
    const phx_tick_times *times = &summary->tick_times;
    const ph_world_def *def = ph_config_def(job->config);
    fputs("{\"trace\":", out);
    phx_json_string(out, job->trace_path);
    if (!job->image) fprintf(out, ",\"workers\":%u,\"shards\":[%u,%u]", def->workers, def->shards[0], def->shards[1]);
    fprintf(out, ",\"ticks\":%" PRIu64 ",\"commands\":%" PRIu64 ",", summary->ticks, summary->commands);
    bad_lines_json(out, summary);
    fprintf(out, "\"enters\":%" PRIu64 ",\"leaves\":%" PRIu64 ",\"entities\":%" PRIu64 ",", summary->enters,
            summary->leaves, summary->entities);
    if (job->compare) fprintf(out, "\"compared_images\":%" PRIu64 ",", summary->compared);
    if (job->verify) fprintf(out, "\"verified_lists\":%" PRIu64 ",", summary->verified);
    fprintf(out, "\"event_hash\":\"%016" PRIx64 "\",\"wall_ms\":%.3f,", summary->event_hash,
            us(summary->wall_ns) / 1e3);
    fprintf(out, "\"tick_us_p50\":%.3f,\"tick_us_p99\":%.3f,\"tick_us_max\":%.3f}\n", us(phx_tick_times_ns(times, 50)),
            us(phx_tick_times_ns(times, 99)), us(times->max_ns));
}
