/*
 * pharos-bench: the load bench. Plans all cases, runs them in rounds that take turns, and
 * reports. Exit statuses: 0; 1 a check found a difference, Ctrl-C, or trouble with the machine;
 * 2 command line, config or trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/mem_jemalloc.h"
#include "bench/advise.h"
#include "bench/base/memory.h"
#include "bench/data_files.h"
#include "bench/federation.h"
#include "bench/parse_options.h"
#include "bench/plan.h"
#include "bench/plot.h"
#include "bench/report.h"
#include "bench/run.h"
#include "bench/saving.h"
#include "bench/stop.h"
#include "tools/cli.h"
#include "tools/progress.h"
#include "tools/standard_input.h"

typedef struct bench {
    phx_mem mem;
    bench_options options;
    bench_plan plan;
    bench_machine machine;
    phx_progress progress;
    const bench_case *running; /* for the progress line */
    uint32_t round;
    bench_data_files files;
} bench;

/* ---- runs ---- */

static void show_progress(void *user, uint64_t tick, uint64_t ticks)
{
    bench *self = user;
    const bench_case *run = self->running;
    if (!phx_progress_due(&self->progress)) {
        return;
    }
    char of[32] = "";
    if (ticks > 0) {
        snprintf(of, sizeof of, " of %llu", (unsigned long long)ticks);
    }
    char title[BENCH_TITLE_SIZE];
    bench_report_title(run, title);
    phx_progress_show(&self->progress, "%s, round %u of %u: tick %llu%s", title, self->round + 1, self->options.rounds,
                      (unsigned long long)tick, of);
}

static int run_case(bench *self, bench_case *run)
{
    bench_error error = {""};
    self->running = run;
    bench_run_result result = bench_run(run, &self->mem, show_progress, self, &error);
    if (result == BENCH_RUN_OK) {
        return PHX_EXIT_OK;
    }
    phx_progress_clear(&self->progress);
    if (result == BENCH_RUN_BAD_INPUT) { /* names file and line */
        fprintf(stderr, "%s\n", error.text);
        return PHX_EXIT_USAGE;
    }
    char title[BENCH_TITLE_SIZE];
    bench_report_title(run, title);
    fprintf(stderr, "pharos-bench: %s: %s\n", title, error.text);
    return PHX_EXIT_TROUBLE;
}

/* A case with features runs behind the same one without, whatever the round: A B A C A D. */
static int run_in_turn(bench *self, bench_case *run)
{
    int result = PHX_EXIT_OK;
    if (run->plain != NULL) {
        const bench_samples *plain = &run->plain->samples;
        const uint32_t first = plain->count;
        result = run_case(self, &self->plan.cases[run->plain - self->plan.cases]);
        for (uint32_t i = first; i < plain->count; i++) bench_samples_add(&run->before, &self->mem, plain->ticks[i]);
    }
    bool over = result != PHX_EXIT_OK || run->given_up[0] != '\0' || bench_stopped();
    return over ? result : run_case(self, run);
}

/* Does it run before others in any case? */
static bool is_plain(const bench *self, const bench_case *run)
{
    for (uint32_t i = 0; i < self->plan.case_count; i++) {
        if (self->plan.cases[i].plain == run) {
            return true;
        }
    }
    return false;
}

/*
 * Round by round, so that a disturbance of the machine hits all cases of a scenario alike; each round
 * begins with another case, so that none always runs behind the same one.
 */
static int run_turns(bench *self, uint32_t first, uint32_t end)
{
    int result = PHX_EXIT_OK;
    for (self->round = 0; self->round < self->options.rounds; self->round++) {
        for (uint32_t i = 0; i < end - first && result == PHX_EXIT_OK && !bench_stopped(); i++) {
            bench_case *run = &self->plan.cases[first + (i + self->round) % (end - first)];
            result = is_plain(self, run) ? PHX_EXIT_OK : run_in_turn(self, run);
        }
    }
    return result;
}

/* All cases of a group have the same events. */
static void compare_events(bench *self, uint32_t first, uint32_t end)
{
    const bench_case *model = bench_plan_model(&self->plan, first, end);
    for (uint32_t i = first; i < end; i++) {
        bench_case *run = &self->plan.cases[i];
        bool other = run->event_hash != model->event_hash || run->events_all != model->events_all;
        if (run->given_up[0] == '\0' && other) {
            run->hash_differs = true;
        }
    }
}

/* ---- groups ---- */

/* Cases without a round are told as such, and have no figures. */
static void note_stopped(bench *self)
{
    for (uint32_t i = 0; i < self->plan.case_count; i++) {
        bench_case *run = &self->plan.cases[i];
        if (run->rounds == 0 && run->given_up[0] == '\0') {
            run->stopped = true;
            snprintf(run->given_up, sizeof run->given_up, "stopped by Ctrl-C before it ran");
        }
    }
}

static int run_group(bench *self, uint32_t first, uint32_t end)
{
    int result = run_turns(self, first, end);
    if (bench_stopped()) {
        note_stopped(self);
    }
    for (uint32_t from = first; from < end && result == PHX_EXIT_OK;) {
        uint32_t to = bench_plan_scenario_end(&self->plan, from);
        compare_events(self, from, to);
        from = to;
    }
    bool kept = result != PHX_EXIT_OK || bench_data_write(&self->files, &self->plan, &self->machine, first, end);
    return kept ? result : PHX_EXIT_TROUBLE;
}

static int run_all(bench *self)
{
    int result = PHX_EXIT_OK;
    phx_progress_start(&self->progress);
    bench_stop_catch();
    for (uint32_t first = 0; first < self->plan.case_count && result == PHX_EXIT_OK && !bench_stopped();) {
        uint32_t end = bench_plan_turns_end(&self->plan, first);
        result = run_group(self, first, end);
        first = end;
    }
    phx_progress_clear(&self->progress);
    return result;
}

/* The table stands aside when the standard output carries data. */
static FILE *table_file(const bench_options *options)
{
    bool taken = (options->json != NULL && strcmp(options->json, "-") == 0) ||
                 (options->csv != NULL && strcmp(options->csv, "-") == 0);
    return taken ? stderr : stdout;
}

/* The exit status for the printed results. */
static int written(FILE *out, const char *what)
{
    if (fflush(out) == 0 && ferror(out) == 0) {
        return PHX_EXIT_OK;
    }
    fprintf(stderr, "pharos-bench: %s: %s\n", what, strerror(errno));
    return PHX_EXIT_TROUBLE;
}

static int report(bench *self)
{
    FILE *out = table_file(&self->options);
    bench_report_table(out, &self->plan, &self->machine);
    if (written(out, "the table") != PHX_EXIT_OK) {
        return PHX_EXIT_TROUBLE;
    }
    return bench_report_faults(stderr, &self->plan) ? PHX_EXIT_TROUBLE : PHX_EXIT_OK;
}

static int run_and_report(bench *self)
{
    const bench_options *options = &self->options;
    bench_error trouble = {""};
    if (options->plot != NULL && !bench_plot_check(options->plot, &trouble)) {
        fprintf(stderr, "pharos-bench: %s\n", trouble.text);
        return PHX_EXIT_TROUBLE;
    }
    bool opened = bench_data_open(&self->files, options, &self->mem);
    int result = opened ? run_all(self) : PHX_EXIT_TROUBLE;
    bool ran = result == PHX_EXIT_OK;
    if (ran) {
        result = report(self);
    }
    if (ran && bench_stopped()) {
        fputs("pharos-bench: stopped by Ctrl-C\n", stderr);
        result = PHX_EXIT_TROUBLE;
    } else if (ran && options->plot != NULL &&
               !bench_plot_write(options->plot, &self->plan, &self->machine, &trouble)) {
        fprintf(stderr, "pharos-bench: %s\n", trouble.text);
        result = PHX_EXIT_TROUBLE;
    }
    return bench_data_close(&self->files) ? result : PHX_EXIT_TROUBLE;
}

static int advise(bench *self)
{
    int result = bench_advise(stdout, &self->plan, &self->machine);
    return result == PHX_EXIT_OK ? written(stdout, "the advice") : result;
}

static int plan_and_run(bench *self)
{
    bench_error error = {""};
    const bench_options *options = &self->options;
    bool from_stdin = phx_is_stdin(options->trace) || phx_is_stdin(options->config);
    const char *trouble = from_stdin ? phx_stdin_keep() : NULL; /* every case reads it */
    if (trouble != NULL) {
        fprintf(stderr, "pharos-bench: the standard input: %s\n", trouble);
        return PHX_EXIT_USAGE;
    }
    int result = PHX_EXIT_USAGE;
    bool planned = bench_plan_make(&self->plan, &self->options, &self->mem, &error);
    bench_report_skips(stderr, &self->plan);
    if (planned) {
        self->machine = bench_machine_look();
        result = self->options.advise ? advise(self) : run_and_report(self);
    } else {
        fprintf(stderr, "%s\n", error.text); /* begins with FILE:LINE or --set */
    }
    bench_plan_free(&self->plan);
    return result;
}

static int run(bench *self)
{
    if (self->options.list) {
        bench_report_list(stdout);
        return written(stdout, "the list");
    }
    if (self->options.saving) {
        self->machine = bench_machine_look();
        const int saved = bench_saving(stdout, &self->options, &self->machine);
        return saved == PHX_EXIT_OK ? written(stdout, "the figures") : saved;
    }
    if (self->options.federation) {
        self->machine = bench_machine_look();
        const int measured = bench_federation_run(stdout, &self->options, &self->machine);
        return measured == PHX_EXIT_OK ? written(stdout, "the figures") : measured;
    }
    return plan_and_run(self);
}

int main(int argc, char **argv)
{
    bench self = {.round = 0};
    phx_mem_init(&self.mem, phx_allocator_jemalloc());
    bench_options_parse(&self.options, argc, argv, &self.mem);
    int result = run(&self);
    bench_options_free(&self.options, argc, &self.mem);
    return result;
}
