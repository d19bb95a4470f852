/*
 * Lines of --federation: figures, and why it ends. Used by federation.c and federation_cost.c.
 */
#ifndef PHX_BENCH_FEDERATION_REPORT_H
#define PHX_BENCH_FEDERATION_REPORT_H

#include <stdbool.h>
#include <stdio.h>

void bench_federation_figure(FILE *out, const char *what, double figure, const char *unit);
/* false, with a line on the standard error. */
bool bench_federation_fails(const char *what, const char *reason);

#endif
