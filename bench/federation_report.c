/*
 * Lines of --federation; see federation_report.h.
 */
#include "bench/federation_report.h"

void bench_federation_figure(FILE *out, const char *what, double figure, const char *unit)
{
    fprintf(out, "  %-62s %10.2f %s\n", what, figure, unit);
}

bool bench_federation_fails(const char *what, const char *reason)
{
    fprintf(stderr, "pharos-bench: --federation: %s: %s\n", what, reason);
    return false;
}
