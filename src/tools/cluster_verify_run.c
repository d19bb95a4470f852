/*
 * Looks of verify; see cluster_verify_run.h. Reports of nodes are up to two seconds old, and a change of the map takes
 * a moment: so a finding is one that stays.
 */
#include "tools/cluster_verify_run.h"

#include <stdlib.h>
#include <time.h>

#include "tools/cli.h"
#include "tools/cluster_verify.h"

enum { NS_IN_MS = 1000000, MS_IN_S = 1000 };

typedef struct verify_run {
    phx_cluster_listing listing;
    phx_cluster_exports exports;
    char *text; /* the findings of the last look */
    size_t size;
} verify_run;

static int say(int exit_status, const char *what, const char *why)
{
    fprintf(stderr, "pharos-cluster: %s%s\n", what, why);
    return exit_status;
}

/* *found: findings, in run->text. */
static int look(verify_run *run, const phx_cluster_job *job, phx_cluster_store *store, const char *name,
                uint32_t *found)
{
    if (!phx_cluster_listing_read(&run->listing, store, name))
        return say(PHX_EXIT_STORE, "the control store: ", store->reason);
    free(run->text);
    run->text = NULL;
    FILE *text = open_memstream(&run->text, &run->size);
    if (!text) return say(PHX_EXIT_TROUBLE, "no memory", "");
    phx_cluster_findings findings = {.out = text, .is_json = job->is_json};
    phx_cluster_verify(&findings, &run->listing, &run->exports);
    *found = findings.count;
    return fclose(text) == 0 ? PHX_EXIT_OK : say(PHX_EXIT_TROUBLE, "no memory", "");
}

static int look_until(verify_run *run, const phx_cluster_job *job, phx_cluster_store *store, const char *name,
                      const volatile sig_atomic_t *stops, uint32_t *found)
{
    const struct timespec every = {.tv_sec = job->every_ms / MS_IN_S,
                                   .tv_nsec = (long)(job->every_ms % MS_IN_S) * NS_IN_MS};
    const uint64_t end_ns = phx_clock_ns() + (uint64_t)job->wait_ms * NS_IN_MS;
    for (;;) {
        const int exit_status = look(run, job, store, name, found);
        if (exit_status != PHX_EXIT_OK || *found == 0 || *stops != 0 || phx_clock_ns() >= end_ns) return exit_status;
        (void)nanosleep(&every, NULL); /* a signal ends it */
    }
}

int phx_cluster_verify_run(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out,
                           const volatile sig_atomic_t *stops)
{
    static verify_run run;
    uint32_t found = 0;
    int exit_status = PHX_EXIT_OK;
    for (uint32_t i = 0; i < job->export_count && exit_status == PHX_EXIT_OK; i++)
        if (!phx_cluster_exports_read(&run.exports, job->exports[i]))
            exit_status = say(PHX_EXIT_USAGE, "", run.exports.reason);
    phx_cluster_exports_sort(&run.exports);
    if (exit_status == PHX_EXIT_OK) exit_status = look_until(&run, job, store, name, stops, &found);
    if (exit_status == PHX_EXIT_OK) fputs(run.text, out);
    if (exit_status == PHX_EXIT_OK && found == 0 && !job->is_json)
        fprintf(out, "world %s: map version %u, %u members, %zu entities in %u exports: all agree\n", name,
                run.listing.map.version, run.listing.map.member_count, run.exports.count, job->export_count);
    phx_cluster_exports_free(&run.exports);
    free(run.text);
    run.text = NULL;
    return exit_status == PHX_EXIT_OK && found > 0 ? PHX_EXIT_FOUND : exit_status;
}
