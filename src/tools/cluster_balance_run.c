/*
 * Looks and moves; see cluster_balance_run.h. A store that is away is said once, and the looks go on.
 */
#include "tools/cluster_balance_run.h"

#include <string.h>
#include <time.h>

#include "tools/cli.h"
#include "tools/cluster_balance.h"

enum { SENTENCE_SIZE = 256, NS_IN_MS = 1000000, MS_IN_S = 1000 };

typedef struct balance_run {
    const phx_cluster_job *job;
    phx_cluster_store *store;
    const char *name;
    FILE *out;
    phx_cluster_listing listing;
    phx_cluster_newest newest;
    phx_cluster_balance balance;
    phx_change_report report;
    char said[SENTENCE_SIZE]; /* last, without a move */
    bool is_away;             /* the store, which was said */
} balance_run;

static int say(int exit_status, const char *why)
{
    fprintf(stderr, "pharos-cluster: %s%s\n", exit_status == PHX_EXIT_STORE ? "the control store: " : "", why);
    return exit_status;
}

static void print_json(balance_run *run, const char *result)
{
    const phx_balance_move *move = &run->balance.move;
    fprintf(run->out, "{\"verdict\":\"%s\",\"version\":%u", phx_cluster_balance_word(run->balance.verdict),
            run->listing.map.version);
    if (move->from != 0)
        fprintf(run->out, ",\"busiest\":%u,\"load\":%u,\"mean\":%u", move->from, move->load, move->mean);
    if (run->balance.verdict == PHX_BALANCE_MOVE)
        fprintf(run->out, ",\"region\":%u,\"to\":%u,\"after\":%u", move->region, move->to, move->after);
    fprintf(run->out, ",\"result\":\"%s\"}\n", result);
}

/* A verdict without a move, unless it is that of the look before. */
static void print_verdict(balance_run *run, const char *result)
{
    char text[SENTENCE_SIZE];
    const char *word = phx_cluster_balance_word(run->balance.verdict);
    if (strcmp(run->said, word) == 0) return;
    (void)snprintf(run->said, sizeof run->said, "%s", word);
    if (run->job->is_json) print_json(run, result);
    else fprintf(run->out, "%s\n", phx_cluster_balance_sentence(&run->balance, text, sizeof text));
}

static int make_move(balance_run *run, uint64_t now_ms)
{
    char text[SENTENCE_SIZE];
    const phx_balance_move *move = &run->balance.move;
    const phx_cluster_change change = {.kind = PHX_CHANGE_MOVE,
                                       .number = move->to,
                                       .version = run->listing.map.version,
                                       .is_dry = run->job->change.is_dry,
                                       .region_count = 1,
                                       .regions = {move->region}};
    const phx_change_result result = phx_cluster_change_write(&change, run->store, run->name, &run->report);
    if (result == PHX_CHANGE_REFUSED) return say(PHX_EXIT_REFUSED, run->report.reason);
    if (result == PHX_CHANGE_FAILED) return say(PHX_EXIT_STORE, run->report.reason);
    const bool stands = result == PHX_CHANGE_STANDS;
    if (run->job->is_json) print_json(run, stands ? "stands" : change.is_dry ? "dry" : "made");
    else
        fprintf(run->out, "%s%s\n", phx_cluster_balance_sentence(&run->balance, text, sizeof text),
                stands          ? " (it has it already)"
                : change.is_dry ? " (not written)"
                                : "");
    run->said[0] = '\0';
    phx_cluster_balance_made(&run->balance, now_ms);
    return PHX_EXIT_OK;
}

static int look(balance_run *run, uint64_t now_ms)
{
    const bool was_away = run->is_away;
    run->is_away = !phx_cluster_listing_read(&run->listing, run->store, run->name);
    if (run->is_away) return was_away ? PHX_EXIT_STORE : say(PHX_EXIT_STORE, run->store->reason);
    if (phx_cluster_is_behind(&run->newest, &run->listing)) return PHX_EXIT_OK;
    phx_cluster_balance_look(&run->balance, &run->listing, now_ms);
    if (phx_cluster_balance_is_due(&run->balance, now_ms)) return make_move(run, now_ms);
    if (run->balance.verdict == PHX_BALANCE_MOVE) return PHX_EXIT_OK; /* it waits */
    print_verdict(run, "none");
    return PHX_EXIT_OK;
}

static uint64_t clock_ms(void)
{
    return phx_clock_ns() / NS_IN_MS + 1;
}

int phx_cluster_balance_run(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out,
                            const volatile sig_atomic_t *stops)
{
    static balance_run run;
    const struct timespec every = {.tv_sec = job->every_ms / MS_IN_S,
                                   .tv_nsec = (long)(job->every_ms % MS_IN_S) * NS_IN_MS};
    run = (balance_run){.job = job, .store = store, .name = name, .out = out};
    run.balance.wait_ms = job->goes_on ? job->wait_ms : 0; /* one look moves at once */
    int exit_status = look(&run, clock_ms());
    while (job->goes_on && *stops == 0 && exit_status != PHX_EXIT_TROUBLE) {
        if (fflush(out) != 0) return PHX_EXIT_TROUBLE;
        (void)nanosleep(&every, NULL); /* a signal ends it */
        if (*stops == 0) exit_status = look(&run, clock_ms());
    }
    return exit_status;
}
