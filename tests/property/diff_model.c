/*
 * The engine against the model: many small worlds, every event, list, attribute, counter
 * and refusal compared every tick. A failing script is cut down and printed.
 *
 * Every script is played once with the lighthouse and once with one of the other indexes, by turns. Every third one is
 * played once more, saved and loaded in another layout after every tick.
 *
 * options: --count N scripts (default by PHAROS_TEST_PERCENT), --seed S the first seed,
 *          --profile NAME only that one, --index NAME only that one, --heavy saves and loads in every script, --verbose
 * To repeat a failure: diff_model --seed S --profile NAME --count 1
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/indexes.h"
#include "support/script_gen.h"
#include "support/shrink.h"

enum { SCRIPTS = 12000, HEAVY_EVERY = 3, BLOCK = 100, BLOCK_SECONDS = 300, ONE_SECONDS = 30 };

typedef struct range_of_scripts {
    uint64_t seed, count;
    int profile; /* -1: all, in turn */
    int index;   /* -1: the lighthouse, then another */
    bool heavy;  /* every script is saved and loaded after every tick */
} range_of_scripts;

typedef struct totals {
    uint64_t scripts, ticks, commands, events, batches, coalesced;
    uint64_t migrations, copies, evaluated, glanced, exact; /* how the engine came by its answers */
} totals;

static void totals_add(totals *sum, const totals *more)
{
    sum->scripts += more->scripts;
    sum->ticks += more->ticks;
    sum->commands += more->commands;
    sum->events += more->events;
    sum->batches += more->batches;
    sum->coalesced += more->coalesced;
    sum->migrations += more->migrations;
    sum->copies += more->copies;
    sum->evaluated += more->evaluated;
    sum->glanced += more->glanced;
    sum->exact += more->exact;
}

static script *script_at(const range_of_scripts *range, uint64_t i)
{
    if (range->profile >= 0) {
        return ops_script(range->seed + i, (uint32_t)range->profile);
    }
    uint64_t profiles = ops_profile_count();
    return ops_script(range->seed + i / profiles, (uint32_t)(i % profiles));
}

static void name_script(const script *s, bool heavy, const char *what)
{
    (void)fprintf(stderr, "%s: --seed %" PRIu64 " --profile %s --index %s --count 1%s\n", what, s->seed, s->profile,
                  index_name(s->def.index), heavy ? " --heavy" : "");
}

/* One script with one index. */
static bool play(script *s, bool heavy, totals *sum)
{
    const run_options options = {.heavy = heavy};
    run_result *result = check_zalloc(sizeof *result);
    run_script(s, &options, result);
    const totals one = {.scripts = 1,
                        .ticks = result->ticks,
                        .commands = result->commands,
                        .events = result->events,
                        .batches = result->batches,
                        .coalesced = result->coalesced,
                        .migrations = result->stats.migrations,
                        .copies = result->stats.halo_records,
                        .evaluated = result->stats.observers_evaluated,
                        .glanced = result->stats.observers_glanced,
                        .exact = result->stats.pairs_exact};
    totals_add(sum, &one);
    bool agree = !result->failed && CHECK(result->stats.pairs_exact <= result->stats.pairs_tested,
                                          "more pairs decided exactly than tested");
    if (!agree) {
        name_script(s, heavy, "DIFFERS");
        (void)fprintf(stderr, "%s", result->report);
        run_explain(s, &options);
    }
    free(result);
    return agree;
}

/* In the child: true when all agree. The first that does not is explained. */
static bool play_block(const range_of_scripts *range, uint64_t first, uint64_t count, totals *sum)
{
    bool agree = true;
    for (uint64_t i = first; i < first + count && agree; i++) {
        script *s = script_at(range, i);
        if (range->index >= 0) {
            s->def.index = (ph_index)range->index;
            agree = !index_serves(&s->def, s->def.index) || play(s, range->heavy, sum);
        } else {
            const ph_index first_index = s->def.index;
            agree = play(s, range->heavy, sum);
            s->def.index = index_by_turns(&s->def, i / ops_profile_count());
            agree = agree && (s->def.index == PH_INDEX_LIGHTHOUSE || play(s, range->heavy, sum));
            s->def.index = first_index;
            agree = agree && (range->heavy || i % HEAVY_EVERY != 0 || play(s, true, sum));
        }
        script_free(s);
    }
    return agree;
}

/* 0: agree; 1: differ, explained; else: crashed, hung or reported by a sanitizer. */
static int block_apart(const range_of_scripts *range, uint64_t first, uint64_t count, totals *sum)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    (void)fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        totals mine = {0};
        unsigned failures = check_failures(); /* the parent's */
        (void)close(ends[0]);
        (void)alarm(count > 1 ? BLOCK_SECONDS : ONE_SECONDS);
        bool agree = play_block(range, first, count, &mine);
        bool written = write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine;
        (void)close(ends[1]);
        exit(!written ? 3 : agree && check_failures() == failures ? 0 : 1); /* exit(), so that leaks are found */
    }
    totals got = {0};
    (void)close(ends[1]);
    ssize_t size = read(ends[0], &got, sizeof got);
    (void)close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (size == (ssize_t)sizeof got) {
        totals_add(sum, &got);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The script crashes with this index: reported, and cut down. false: it does not. */
static bool explain_crash(const range_of_scripts *range, uint64_t i, ph_index index)
{
    const run_options options = {.heavy = range->heavy};
    range_of_scripts one = *range;
    totals ignored = {0};
    one.index = (int)index;
    int status = block_apart(&one, i, 1, &ignored);
    if (status == 0) {
        return false;
    }
    script *s = script_at(range, i);
    s->def.index = index;
    name_script(s, range->heavy, "CRASHES");
    if (status != 1) {
        run_explain(s, &options);
    }
    script_free(s);
    return true;
}

/* A block crashed: which of its scripts was it, with which index? */
static void find_crash(const range_of_scripts *range, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        script *s = script_at(range, i);
        ph_index index = range->index >= 0 ? (ph_index)range->index : index_by_turns(&s->def, i / ops_profile_count());
        ph_index common = range->index >= 0 ? index : s->def.index;
        script_free(s);
        if (explain_crash(range, i, common) || (index != common && explain_crash(range, i, index))) {
            return;
        }
    }
    (void)fprintf(stderr, "no script of the block fails by itself\n");
}

int main(int argc, char **argv)
{
    const char *profile = option_text(argc, argv, "--profile");
    const char *index = option_text(argc, argv, "--index");
    range_of_scripts range = {.profile = -1, .index = -1};
    range.seed = option_number(argc, argv, "--seed", 1);
    range.count = option_number(argc, argv, "--count", test_amount(SCRIPTS));
    range.heavy = option_flag(argc, argv, "--heavy");
    bool verbose = option_flag(argc, argv, "--verbose");
    if (profile != NULL) {
        range.profile = ops_profile_find(profile);
        REQUIRE(range.profile >= 0);
    }
    if (index != NULL) {
        range.index = index_find(index);
        REQUIRE(range.index >= 0);
    }
    totals sum = {0};
    for (uint64_t first = 0; first < range.count && check_failures() == 0; first += BLOCK) {
        uint64_t count = range.count - first < BLOCK ? range.count - first : BLOCK;
        int status = block_apart(&range, first, count, &sum);
        if (!CHECK(status == 0, "scripts %" PRIu64 "..%" PRIu64 ": status %d", first, first + count - 1, status) &&
            status != 1) {
            find_crash(&range, first, count);
        }
        if (verbose) {
            (void)printf("%" PRIu64 " of %" PRIu64 "\n", sum.scripts, range.count);
        }
    }
    (void)printf("%" PRIu64 " scripts, %" PRIu64 " ticks, %" PRIu64 " commands, %" PRIu64 " events, %" PRIu64
                 " batches, %" PRIu64 " coalesced ticks\n",
                 sum.scripts, sum.ticks, sum.commands, sum.events, sum.batches, sum.coalesced);
    (void)printf("%" PRIu64 " migrations, %" PRIu64 " halo records, %" PRIu64 " observers evaluated, %" PRIu64
                 " by a glance, %" PRIu64 " pairs decided exactly\n",
                 sum.migrations, sum.copies, sum.evaluated, sum.glanced, sum.exact);
    return check_done("diff_model");
}
