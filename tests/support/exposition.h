/*
 * A parser of the text format of Prometheus, word by word, that knows nothing of the library. Each breach of the
 * format's rules is a failed check. Used by property/stats.c.
 */
#ifndef SUPPORT_EXPOSITION_H
#define SUPPORT_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>

enum { EXPOSITION_METRICS_MAX = 256, EXPOSITION_SAMPLES_MAX = 4000, EXPOSITION_NAME_BYTES = 96 };

typedef struct exposition_metric {
    char name[EXPOSITION_NAME_BYTES];
    bool counter;
    uint32_t samples;
} exposition_metric;

typedef struct exposition {
    exposition_metric metrics[EXPOSITION_METRICS_MAX];
    uint32_t metric_count;
    char samples[EXPOSITION_SAMPLES_MAX][EXPOSITION_NAME_BYTES]; /* name and labels */
    double values[EXPOSITION_SAMPLES_MAX];
    uint32_t sample_count;
} exposition;

/* Cuts the text into lines. */
void exposition_parse(exposition *p, char *text);
/* The value of a sample, by name and labels; a missing one is a failed check. */
double exposition_value(const exposition *p, const char *sample);

#endif
