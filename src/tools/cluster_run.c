/*
 * Commands; see cluster_run.h.
 */
#include "tools/cluster_run.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "tools/cli.h"
#include "tools/cluster_balance_run.h"
#include "tools/cluster_check.h"
#include "tools/cluster_print.h"
#include "tools/cluster_verify_run.h"

enum { NS_IN_MS = 1000000, NS_IN_S = 1000000000, PAUSE_NS = 2 * NS_IN_MS };

static int say(int exit_status, const char *what, const char *why)
{
    fprintf(stderr, "pharos-cluster: %s%s%s\n", what, why[0] != '\0' ? ": " : "", why);
    return exit_status;
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_IN_S), .tv_nsec = (long)(ns % NS_IN_S)};
    (void)nanosleep(&time, NULL); /* a signal ends it */
}

static void pause_for_etcd(void *user)
{
    (void)user;
    sleep_ns(PAUSE_NS);
}

/* ---- reading ---- */

/* The job's world, or the only one. */
static int find_world(const phx_cluster_job *job, phx_cluster_store *store, char name[PHC_NAME_MAX + 1])
{
    static phx_cluster_worlds worlds;
    if (job->name) {
        (void)snprintf(name, PHC_NAME_MAX + 1, "%s", job->name);
        return PHX_EXIT_OK;
    }
    if (!phx_cluster_worlds_read(&worlds, store)) return say(PHX_EXIT_STORE, "the control store", store->reason);
    if (worlds.count == 0) return say(PHX_EXIT_REFUSED, "the control store has no world", "");
    if (worlds.count > 1) {
        fputs("pharos-cluster: the control store has several worlds, --name says which:", stderr);
        for (uint32_t i = 0; i < worlds.count; i++) fprintf(stderr, " %s", worlds.names[i]);
        fputs("\n", stderr);
        return PHX_EXIT_REFUSED;
    }
    (void)snprintf(name, PHC_NAME_MAX + 1, "%s", worlds.names[0]);
    return PHX_EXIT_OK;
}

static void show(const phx_cluster_job *job, FILE *out, const phx_cluster_listing *listing)
{
    if (job->is_json) phx_cluster_json_status(out, listing);
    else if (job->command == PHX_CLUSTER_SHOW_MAP) phx_cluster_print_map(out, listing);
    else phx_cluster_print_status(out, listing);
}

static int show_once(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out)
{
    static phx_cluster_listing listing;
    if (!phx_cluster_listing_read(&listing, store, name))
        return say(PHX_EXIT_STORE, "the control store", store->reason);
    show(job, out, &listing);
    return PHX_EXIT_OK;
}

/* ---- watch ---- */

/* Loads differ all the time: they are shown with the next change. */
static bool is_same(const phx_cluster_listing *a, const phx_cluster_listing *b)
{
    bool same =
        a->map_state == b->map_state && a->map_revision == b->map_revision && a->listed_count == b->listed_count;
    for (uint32_t i = 0; i < a->listed_count && same; i++)
        same = a->listed[i].registration == b->listed[i].registration;
    return same;
}

/* Says once that the store is away, and goes on. */
static int watch(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out,
                 const volatile sig_atomic_t *stops)
{
    static phx_cluster_listing shown, next;
    phx_cluster_newest newest = {0};
    bool is_away = false, is_first = true;
    while (*stops == 0) {
        if (phx_cluster_listing_read(&next, store, name)) {
            is_away = false;
            if (!phx_cluster_is_behind(&newest, &next) && (is_first || !is_same(&shown, &next))) {
                if (!is_first && !job->is_json) fputs("\n", out);
                show(job, out, &next);
                shown = next;
                is_first = false;
            }
            if (fflush(out) != 0) return PHX_EXIT_TROUBLE;
        } else if (!is_away) {
            is_away = true;
            (void)say(PHX_EXIT_STORE, "the control store", store->reason);
        }
        sleep_ns((uint64_t)job->every_ms * NS_IN_MS);
    }
    return is_away ? PHX_EXIT_STORE : PHX_EXIT_OK;
}

/* ---- changes ---- */

static int change(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out)
{
    static phx_change_report report;
    const phx_change_result result = phx_cluster_change_write(&job->change, store, name, &report);
    if (job->is_json) phx_cluster_json_change(out, &job->change, result, &report);
    switch (result) {
    case PHX_CHANGE_MADE:
        if (!job->is_json) phx_cluster_print_change(out, &job->change, &report);
        return PHX_EXIT_OK;
    case PHX_CHANGE_STANDS:
        if (!job->is_json) fprintf(out, "nothing to do: map version %u has it so\n", report.before.map.version);
        return PHX_EXIT_OK;
    case PHX_CHANGE_REFUSED:
        return say(PHX_EXIT_REFUSED, report.reason, "");
    case PHX_CHANGE_FAILED:
        break;
    }
    return say(PHX_EXIT_STORE, "the control store", report.reason);
}

/* ---- check ---- */

static int check(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out)
{
    static phx_cluster_listing listing;
    if (!phx_cluster_listing_read(&listing, store, name))
        return say(PHX_EXIT_STORE, "the control store", store->reason);
    phx_cluster_findings findings = {.out = out, .is_json = job->is_json};
    phx_cluster_check(&findings, &listing);
    if (findings.count == 0 && !job->is_json)
        fprintf(out, "world %s: map version %u, %u members, nothing found\n", name, listing.map.version,
                listing.map.member_count);
    return findings.count == 0 ? PHX_EXIT_OK : PHX_EXIT_FOUND;
}

/* ---- all ---- */

int phx_cluster_run_over(const phx_cluster_job *job, phx_cluster_store *store, FILE *out,
                         const volatile sig_atomic_t *stops)
{
    char name[PHC_NAME_MAX + 1];
    const int exit_status = find_world(job, store, name);
    if (exit_status != PHX_EXIT_OK) return exit_status;
    switch (job->command) {
    case PHX_CLUSTER_STATUS:
    case PHX_CLUSTER_SHOW_MAP:
        return show_once(job, store, name, out);
    case PHX_CLUSTER_WATCH:
        return watch(job, store, name, out, stops);
    case PHX_CLUSTER_CHANGE:
        return change(job, store, name, out);
    case PHX_CLUSTER_CHECK:
        return check(job, store, name, out);
    case PHX_CLUSTER_BALANCE:
        return phx_cluster_balance_run(job, store, name, out);
    case PHX_CLUSTER_VERIFY:
        return phx_cluster_verify_run(job, store, name, out, stops);
    }
    return PHX_EXIT_USAGE;
}

/* ---- etcd ---- */

static int open_etcd(const phc_etcd_def *def, phx_cluster_store *store)
{
    *store = (phx_cluster_store){.pause = pause_for_etcd};
    const ph_status status = phc_etcd_open(def, &store->store, store->reason, sizeof store->reason);
    if (status == PH_OK) return PHX_EXIT_OK;
    return say(status == PH_BAD_DEF ? PHX_EXIT_USAGE : PHX_EXIT_TROUBLE, "etcd",
               status == PH_NO_MEMORY ? ph_status_text(status) : store->reason);
}

/* Of several servers each one of its own: with one away the others still answer for it. */
static int check_servers(const phx_cluster_job *job)
{
    static phx_cluster_worlds worlds;
    phx_cluster_findings findings = {.out = stdout, .is_json = job->is_json};
    for (uint32_t i = 0; i < job->etcd.server_count && job->etcd.server_count > 1; i++) {
        phx_cluster_store store;
        phc_etcd_def def = job->etcd;
        def.servers = &job->etcd.servers[i];
        def.server_count = 1;
        const int exit_status = open_etcd(&def, &store);
        if (exit_status != PHX_EXIT_OK) return exit_status;
        const bool answers = phx_cluster_worlds_read(&worlds, &store);
        store.store.close(store.store.user);
        if (answers) continue;
        phx_cluster_find(&findings, "server",
                         "%s does not answer: %s. With more than half of etcd's servers away no member joins, and none "
                         "is put out",
                         def.servers[0], store.reason);
    }
    return findings.count > 0 ? PHX_EXIT_FOUND : PHX_EXIT_OK;
}

int phx_cluster_run(const phx_cluster_job *job, const volatile sig_atomic_t *stops)
{
    phx_cluster_store store;
    int exit_status = open_etcd(&job->etcd, &store);
    if (exit_status != PHX_EXIT_OK) return exit_status;
    exit_status = phx_cluster_run_over(job, &store, stdout, stops);
    store.store.close(store.store.user);
    if (job->command != PHX_CLUSTER_CHECK || exit_status == PHX_EXIT_TROUBLE) return exit_status;
    const int servers = check_servers(job);
    return exit_status == PHX_EXIT_OK ? servers : exit_status;
}
