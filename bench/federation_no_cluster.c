/*
 * A bench without pharos_cluster; see federation.h.
 */
#include "bench/federation.h"

#include "tools/cli.h"

int bench_federation_run(FILE *out, const bench_options *options, const bench_machine *machine)
{
    (void)out, (void)options, (void)machine;
    fputs("pharos-bench: --federation: this program was built without pharos_cluster\n", stderr);
    return PHX_EXIT_TROUBLE;
}
