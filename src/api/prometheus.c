/*
 * ph_stats_prometheus(): the numbers of a world and its shards as text, from the rows of
 * stats_rows.h. Whole numbers and nanoseconds are written digit by digit: no locale has a
 * say in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/handles.h"
#include "api/stats_rows.h"
#include "world/read/query.h"
#include "world/read/stats.h"
#include "world/table/gate.h"

typedef enum row_type { COUNTER, GAUGE, COUNTER_NS, GAUGE_NS } row_type;

typedef struct metric_row {
    row_type type;
    size_t offset; /* of its field */
    const char *name, *labels, *help;
} metric_row;

/* The buffer, and how long the text would be. */
typedef struct text {
    char *at;
    size_t size, length;
} text;

static void put(text *out, const char *what)
{
    size_t bytes = strlen(what), room = out->size > out->length ? out->size - out->length - 1 : 0;
    if (bytes < room) room = bytes;
    if (room > 0) memcpy(out->at + out->length, what, room);
    out->length += bytes;
}

/* HELP and TYPE. */
static void put_metric(text *out, const metric_row *row)
{
    bool counter = row->type == COUNTER || row->type == COUNTER_NS;
    put(out, "# HELP pharos_");
    put(out, row->name);
    put(out, " ");
    put(out, row->help);
    put(out, "\n# TYPE pharos_");
    put(out, row->name);
    put(out, counter ? " counter\n" : " gauge\n");
}

/* Labels: as `key="value"`, both or one of them empty. */
static void put_sample(text *out, const metric_row *row, const char *shard, const char *labels, uint64_t value)
{
    char number[48]; /* twenty digits, a point, nine more */
    bool ns = row->type == COUNTER_NS || row->type == GAUGE_NS;
    const uint64_t second = 1000000000;
    if (ns) snprintf(number, sizeof number, "%" PRIu64 ".%09" PRIu64 "\n", value / second, value % second);
    else snprintf(number, sizeof number, "%" PRIu64 "\n", value);
    put(out, "pharos_");
    put(out, row->name);
    if (shard[0] != '\0' || labels[0] != '\0') {
        put(out, "{");
        put(out, shard);
        if (shard[0] != '\0' && labels[0] != '\0') put(out, ",");
        put(out, labels);
        put(out, "}");
    }
    put(out, " ");
    put(out, number);
}

static uint64_t field(const void *of, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)of + offset, sizeof value);
    return value;
}

/* Is it the first row of its metric? */
static bool opens(const metric_row *rows, size_t i)
{
    return i == 0 || strcmp(rows[i].name, rows[i - 1].name) != 0;
}

/* A number for each reason. */
static void put_reasons(text *out, const metric_row *row, const char *shard, const uint64_t refused[PH_STATUS_COUNT])
{
    for (int s = PH_OK + 1; s < PH_STATUS_COUNT; s++) {
        char labels[64];
        snprintf(labels, sizeof labels, "reason=\"%s\"", ph_status_name((ph_status)s));
        put_sample(out, row, shard, labels, refused[s]);
    }
}

static void put_world(text *out, const ph_stats *stats)
{
#define ROW(type, field, name, labels, help) {type, offsetof(ph_stats, field), name, labels, help},
    static const metric_row rows[] = {PHX_STATS_ROWS(ROW)};
#undef ROW
    static const metric_row refused = {COUNTER, 0, "commands_refused_total", "", "Commands refused, by reason."};
    static const metric_row last = {GAUGE, 0, "last_tick_refused", "", "Commands that it refused, by reason."};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (opens(rows, i)) put_metric(out, &rows[i]);
        put_sample(out, &rows[i], "", rows[i].labels, field(stats, rows[i].offset));
    }
    put_metric(out, &refused);
    put_reasons(out, &refused, "", stats->refused);
    put_metric(out, &last);
    put_reasons(out, &last, "", stats->last_refused_by);
}

/* A metric's samples stand together: the shards are counted anew for each row, which is no more than adding up. */
static void put_shards(text *out, const phx_world *world)
{
#define ROW(type, field, name, labels, help) {type, offsetof(ph_shard_stats, field), name, labels, help},
    static const metric_row rows[] = {PHX_SHARD_STATS_ROWS(ROW)};
#undef ROW
    static const metric_row refused = {COUNTER, 0, "shard_commands_refused_total", "",
                                       "Commands to its entities that ticks refused, by reason."};
    const size_t row_count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i <= row_count; i++) {
        const metric_row *row = i < row_count ? &rows[i] : &refused;
        if (i == row_count || opens(rows, i)) put_metric(out, row);
        for (uint32_t s = 0; s < world->shard_count; s++) {
            ph_shard_stats stats;
            char shard[32];
            snprintf(shard, sizeof shard, "shard=\"%" PRIu32 "\"", s);
            phx_query_shard_stats(world, s, &stats);
            if (i == row_count) put_reasons(out, row, shard, stats.refused);
            else put_sample(out, row, shard, row->labels, field(&stats, row->offset));
        }
    }
}

ph_status ph_stats_prometheus(ph_world handle, char *at, size_t size, size_t *length)
{
    phx_world *world = phx_resolve_world(handle);
    text out = {.at = at, .size = size};
    ph_stats stats;
    if (!world) return PH_BAD_HANDLE;
    if (!length || (!at && size > 0)) return PH_BAD_ARGUMENT;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    phx_query_stats(world, &stats);
    put_world(&out, &stats);
    put_shards(&out, world);
    phx_gate_read_end(&world->gate);
    if (size > 0) at[out.length < size ? out.length : size - 1] = '\0';
    *length = out.length;
    return PH_OK;
}
