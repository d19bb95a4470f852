/*
 * Metrics of a node as a file; see node_metrics.h.
 */
#include "tools/node_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* Text of a call that says how much room it needs, into the file. */
static bool put_text(phx_mem *mem, FILE *file, const phx_node_host *host, const ph_world *world)
{
    size_t length = 0, size = 0;
    char *text = NULL;
    ph_status status = PH_OK;
    for (uint32_t round = 0; round < 2 && status == PH_OK; round++) {
        status = world ? ph_stats_prometheus(*world, text, size, &length)
                       : phc_prometheus(host->member, text, size, &length);
        if (round > 0 || status != PH_OK) continue;
        size = length + 1 + PATH_SIZE; /* numbers may have grown meanwhile */
        text = phx_alloc(mem, size, 1);
        if (!text) return false;
    }
    const bool written = status == PH_OK && length < size && fwrite(text, 1, length, file) == length;
    if (text) phx_free(mem, text, size, 1);
    return written;
}

bool phx_write_metrics(const phx_node_host *host, ph_world world)
{
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s.tmp-%ld", host->job->metrics_path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(path, "we");
    if (!file) return false;
    bool written =
        put_text(host->mem, file, host, NULL) && (world.index1 == 0 || put_text(host->mem, file, host, &world));
    written = fclose(file) == 0 && written && rename(path, host->job->metrics_path) == 0;
    if (written) return true;
    const int trouble = errno;
    (void)unlink(path);
    errno = trouble;
    return false;
}
