/*
 * Names, labels and numbers, put behind each other; see metrics_text.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/key_text.h"
#include "base/metrics_text.h"

static void put(phx_metrics_text *out, const char *text)
{
    size_t bytes = strlen(text), room = out->size > out->length ? out->size - out->length - 1 : 0;
    if (bytes < room) room = bytes;
    if (room > 0) memcpy(out->at + out->length, text, room);
    out->length += bytes;
}

bool phx_metrics_opens(const phx_metric *rows, size_t i)
{
    return i == 0 || strcmp(rows[i].name, rows[i - 1].name) != 0;
}

void phx_metrics_head(phx_metrics_text *out, const phx_metric *row)
{
    const bool counter = row->type == PHX_METRIC_COUNTER || row->type == PHX_METRIC_COUNTER_NS;
    put(out, "# HELP ");
    put(out, out->prefix);
    put(out, row->name);
    put(out, " ");
    put(out, row->help);
    put(out, "\n# TYPE ");
    put(out, out->prefix);
    put(out, row->name);
    put(out, counter ? " counter\n" : " gauge\n");
}

static void put_real(phx_metrics_text *out, uint64_t bytes)
{
    char number[PHX_NUMBER_SIZE];
    double value;
    memcpy(&value, &bytes, sizeof value);
    const phx_c_locale scope = phx_c_locale_begin();
    (void)phx_number_write(value, true, number, sizeof number);
    phx_c_locale_end(scope);
    put(out, number);
    put(out, "\n");
}

static void put_number(phx_metrics_text *out, const phx_metric *row, uint64_t value)
{
    if (row->type == PHX_METRIC_GAUGE_F64) {
        put_real(out, value);
        return;
    }
    char number[48]; /* twenty digits, a point, nine more */
    const bool ns = row->type == PHX_METRIC_COUNTER_NS || row->type == PHX_METRIC_GAUGE_NS;
    const uint64_t second = 1000000000;
    if (ns) (void)snprintf(number, sizeof number, "%" PRIu64 ".%09" PRIu64 "\n", value / second, value % second);
    else (void)snprintf(number, sizeof number, "%" PRIu64 "\n", value);
    put(out, number);
}

void phx_metrics_sample(phx_metrics_text *out, const phx_metric *row, const char *labels, const char *more,
                        uint64_t value)
{
    put(out, out->prefix);
    put(out, row->name);
    if (labels[0] != '\0' || more[0] != '\0') {
        put(out, "{");
        put(out, labels);
        if (labels[0] != '\0' && more[0] != '\0') put(out, ",");
        put(out, more);
        put(out, "}");
    }
    put(out, " ");
    put_number(out, row, value);
}

uint64_t phx_metrics_field(const void *stats, const phx_metric *row)
{
    const char *at = (const char *)stats + row->offset;
    uint64_t value;
    if (row->type == PHX_METRIC_FLAG) return *(const bool *)at;
    memcpy(&value, at, sizeof value);
    return value;
}

void phx_metrics_rows(phx_metrics_text *out, const phx_metric *rows, size_t count, const char *labels,
                      const void *stats)
{
    for (size_t i = 0; i < count; i++) {
        if (phx_metrics_opens(rows, i)) phx_metrics_head(out, &rows[i]);
        phx_metrics_sample(out, &rows[i], labels, rows[i].labels, phx_metrics_field(stats, &rows[i]));
    }
}

void phx_metrics_statuses(phx_metrics_text *out, const phx_metric *row, const char *labels,
                          const uint64_t counts[PH_STATUS_COUNT])
{
    for (int s = PH_OK + 1; s < PH_STATUS_COUNT; s++) {
        char reason[64];
        (void)snprintf(reason, sizeof reason, "reason=\"%s\"", ph_status_name((ph_status)s));
        phx_metrics_sample(out, row, labels, reason, counts[s]);
    }
}

size_t phx_metrics_end(phx_metrics_text *out)
{
    if (out->size > 0) out->at[out->length < out->size ? out->length : out->size - 1] = '\0';
    return out->length;
}
