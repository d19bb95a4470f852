/*
 * One look and its move; see cluster_balance_run.h.
 */
#include "tools/cluster_balance_run.h"

#include "tools/cli.h"
#include "tools/cluster_balance.h"

enum { SENTENCE_SIZE = 256 };

typedef struct balance_run {
    FILE *out;
    bool is_json;
    phx_cluster_listing listing;
    phx_cluster_balance balance;
    phx_change_report report;
} balance_run;

static int say(int exit_status, const char *why)
{
    fprintf(stderr, "pharos-cluster: %s%s\n", exit_status == PHX_EXIT_STORE ? "the control store: " : "", why);
    return exit_status;
}

static void print_json(const balance_run *run, const char *result)
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

static void print_look(const balance_run *run, const char *result, const char *meaning)
{
    char text[SENTENCE_SIZE];
    if (run->is_json) print_json(run, result);
    else fprintf(run->out, "%s%s\n", phx_cluster_balance_sentence(&run->balance, text, sizeof text), meaning);
}

int phx_cluster_balance_run(const phx_cluster_job *job, phx_cluster_store *store, const char *name, FILE *out)
{
    static balance_run run;
    const phx_balance_move *move = &run.balance.move;
    run.out = out;
    run.is_json = job->is_json;
    if (!phx_cluster_listing_read(&run.listing, store, name)) return say(PHX_EXIT_STORE, store->reason);
    phx_cluster_balance_look(&run.balance, &run.listing);
    if (run.balance.verdict != PHX_BALANCE_MOVE) {
        print_look(&run, "none", "");
        return PHX_EXIT_OK;
    }
    const phx_cluster_change change = {.kind = PHX_CHANGE_MOVE,
                                       .number = move->to,
                                       .version = run.listing.map.version,
                                       .is_dry = job->change.is_dry,
                                       .region_count = 1,
                                       .regions = {move->region}};
    const phx_change_result result = phx_cluster_change_write(&change, store, name, &run.report);
    if (result == PHX_CHANGE_REFUSED) return say(PHX_EXIT_REFUSED, run.report.reason);
    if (result == PHX_CHANGE_FAILED) return say(PHX_EXIT_STORE, run.report.reason);
    if (result == PHX_CHANGE_STANDS) print_look(&run, "stands", " (it has it already)");
    else print_look(&run, change.is_dry ? "dry" : "made", change.is_dry ? " (not written)" : "");
    return PHX_EXIT_OK;
}
