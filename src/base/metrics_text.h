/*
 * Metrics as text for a scrape: HELP, TYPE and samples, from the rows of a table. Whole numbers and nanoseconds are
 * written digit by digit, others in the C locale: no locale has a say in it. Called by the *_prometheus() functions, on
 * the caller's thread.
 */
#ifndef PHX_BASE_METRICS_TEXT_H
#define PHX_BASE_METRICS_TEXT_H

#include <stddef.h>

#include "base/core.h"

/* A field is a uint64_t, of a flag a bool, of F64 a double. Nanoseconds are written as seconds. */
typedef enum phx_metric_type {
    PHX_METRIC_COUNTER,
    PHX_METRIC_GAUGE,
    PHX_METRIC_COUNTER_NS,
    PHX_METRIC_GAUGE_NS,
    PHX_METRIC_GAUGE_F64,
    PHX_METRIC_FLAG
} phx_metric_type;

typedef struct phx_metric {
    phx_metric_type type;
    size_t offset;                    /* of its field */
    const char *name, *labels, *help; /* labels: as `key="value"`, or empty */
} phx_metric;

/* A row of a table of one struct's fields; `type` without its prefix. */
#define PHX_METRIC(stats, type, field, name, labels, help) \
    { \
        PHX_METRIC_##type, offsetof(stats, field), name, labels, help \
    }

/* The buffer, how long the text would be, and what all names of metrics begin with. */
typedef struct phx_metrics_text {
    char *at;
    size_t size, length;
    const char *prefix;
} phx_metrics_text;

/* Is it the first row of its metric? Rows of one metric stand together. */
bool phx_metrics_opens(const phx_metric *rows, size_t i);
/* HELP and TYPE. */
void phx_metrics_head(phx_metrics_text *out, const phx_metric *row);
/* Labels: as a row's, both or one of them empty. value: of F64 the bytes of the double. */
void phx_metrics_sample(phx_metrics_text *out, const phx_metric *row, const char *labels, const char *more,
                        uint64_t value);
uint64_t phx_metrics_field(const void *stats, const phx_metric *row);
/* All rows of a table, with fields of stats; labels stand before each row's own. */
void phx_metrics_rows(phx_metrics_text *out, const phx_metric *rows, size_t count, const char *labels,
                      const void *stats);
/* A sample for each status but PH_OK, with its name as the label `reason`; labels stand before it. */
void phx_metrics_statuses(phx_metrics_text *out, const phx_metric *row, const char *labels,
                          const uint64_t counts[PH_STATUS_COUNT]);
/* Ends the text with a 0, cut where the buffer is too small. Returns the length that it would have. */
size_t phx_metrics_end(phx_metrics_text *out);

#endif
