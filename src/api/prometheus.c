/*
 * ph_stats_prometheus(): the numbers of a world and its shards as text, from the rows of stats_rows.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/handles.h"
#include "api/stats_rows.h"
#include "base/metrics_text.h"
#include "world/read/query.h"
#include "world/read/stats.h"
#include "world/table/gate.h"

static void put_world(phx_metrics_text *out, const ph_stats *stats)
{
#define ROW(type, field, name, labels, help) PHX_METRIC(ph_stats, type, field, name, labels, help),
    static const phx_metric rows[] = {PHX_STATS_ROWS(ROW)};
#undef ROW
    static const phx_metric refused = {PHX_METRIC_COUNTER, 0, "commands_refused_total", "",
                                       "Commands refused, by reason."};
    static const phx_metric last = {PHX_METRIC_GAUGE, 0, "last_tick_refused", "",
                                    "Commands that it refused, by reason."};
    phx_metrics_rows(out, rows, sizeof rows / sizeof *rows, "", stats);
    phx_metrics_head(out, &refused);
    phx_metrics_statuses(out, &refused, "", stats->refused);
    phx_metrics_head(out, &last);
    phx_metrics_statuses(out, &last, "", stats->last_refused_by);
}

/* A metric's samples stand together: the shards are counted anew for each row, which is no more than adding up. */
static void put_shards(phx_metrics_text *out, const phx_world *world)
{
#define ROW(type, field, name, labels, help) {PHX_METRIC_##type, offsetof(ph_shard_stats, field), name, labels, help},
    static const phx_metric rows[] = {PHX_SHARD_STATS_ROWS(ROW)};
#undef ROW
    static const phx_metric refused = {PHX_METRIC_COUNTER, 0, "shard_commands_refused_total", "",
                                       "Commands to its entities that ticks refused, by reason."};
    const size_t row_count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i <= row_count; i++) {
        const phx_metric *row = i < row_count ? &rows[i] : &refused;
        if (i == row_count || phx_metrics_opens(rows, i)) phx_metrics_head(out, row);
        for (uint32_t s = 0; s < world->shard_count; s++) {
            ph_shard_stats stats;
            char shard[32];
            snprintf(shard, sizeof shard, "shard=\"%" PRIu32 "\"", s);
            phx_query_shard_stats(world, s, &stats);
            if (i == row_count) phx_metrics_statuses(out, row, shard, stats.refused);
            else phx_metrics_sample(out, row, shard, row->labels, phx_metrics_field(&stats, row));
        }
    }
}

ph_status ph_stats_prometheus(ph_world handle, char *at, size_t size, size_t *length)
{
    phx_world *world = phx_resolve_world(handle);
    phx_metrics_text out = {.at = at, .size = size, .prefix = "pharos_"};
    ph_stats stats;
    if (!world) return PH_BAD_HANDLE;
    if (!length || (!at && size > 0)) return PH_BAD_ARGUMENT;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    phx_query_stats(world, &stats);
    put_world(&out, &stats);
    put_shards(&out, world);
    phx_gate_read_end(&world->gate);
    *length = phx_metrics_end(&out);
    return PH_OK;
}
