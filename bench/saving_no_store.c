/*
 * A bench without pharos_store; see saving_store.h.
 */
#include "bench/saving_store.h"

#include <stdio.h>

static bool refuse_store(void)
{
    fputs("pharos-bench: --saving: this program was built without pharos_store\n", stderr);
    return false;
}

bool bench_saving_file_bytes(ph_world world, uint64_t *bytes)
{
    (void)world, (void)bytes;
    return refuse_store();
}

bool bench_saving_record(ph_world world)
{
    (void)world;
    return refuse_store();
}

bool bench_saving_record_end(void)
{
    return true;
}

void bench_saving_rest(void)
{
}
