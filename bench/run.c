/*
 * Runs a case; see run.h. The clock runs while the engine submits the commands, ticks,
 * takes the results and walks them (tick), and while it gives them back (release); it
 * stands while the scenario makes positions and while events are hashed and checked.
 */
#include "bench/run.h"
#include "base/mem_jemalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/base/memory.h"
#include "bench/pace.h"
#include "tools/cli.h"
#include "tools/event_hash.h"

/* Everything that lives as long as a round. */
typedef struct round_state {
    bench_case *run;
    phx_mem *mem;
    bench_stream *stream;
    bench_frame frame;
    void *engine;
    bench_verify *verify; /* NULL = none */
    uint64_t hash;
    uint64_t enters, leaves; /* by the hash's own count, since the setup */
    bench_pace pace;
    bool bad_input; /* the error is the trace's, and names it */
    bench_error *error;
} round_state;

static void record_take(void *context, const bench_record *record)
{
    round_state *round = context;
    uint64_t tick = round->frame.tick;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < record->leave_count; i++) {
        sum += phx_event_hash(tick, record->observer, PHX_EVENT_LEAVE, record->leaves[i].id);
    }
    for (uint32_t i = 0; i < record->enter_count; i++) {
        sum += phx_event_hash(tick, record->observer, PHX_EVENT_ENTER, record->enters[i].id);
    }
    round->hash += sum;
    round->leaves += record->leave_count;
    round->enters += record->enter_count;
    if (round->verify != NULL) {
        bench_verify_record(round->verify, record);
    }
}

/* Resident pages of this program, without the pages that earlier runs left; 0 when the system does not tell. */
static uint64_t rss_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    phx_jemalloc_purge();
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL) {
        return 0;
    }
    int fields = fscanf(statm, "%llu %llu", &size, &resident);
    fclose(statm);
    return fields == 2 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* The next frame; false: there is none, or, with an error, it can not be made. */
static bool next_frame(round_state *round)
{
    if (bench_stream_next(round->stream, &round->frame)) {
        return true;
    }
    if (round->stream->failed) {
        *round->error = round->stream->error;
        round->bad_input = true;
    }
    return false;
}

static void verify_begin(round_state *round)
{
    if (round->verify != NULL) {
        bench_verify_begin(round->verify, &round->frame);
    }
}

static bool first_entities(round_state *round)
{
    const bench_engine *engine = round->run->engine;
    if (engine->setup != NULL) {
        return engine->setup(round->engine, &round->frame, record_take, round, round->error);
    }
    if (!engine->tick(round->engine, &round->frame, round->error)) {
        return false;
    }
    engine->records(round->engine, record_take, round);
    return engine->release(round->engine, round->error);
}

static bool setup(round_state *round)
{
    bench_case *run = round->run;
    if (!next_frame(round)) {
        return false;
    }
    round->engine = run->engine->create(&run->def, run->producers, round->mem, round->error);
    if (round->engine == NULL) {
        return false;
    }
    verify_begin(round);
    if (!first_entities(round)) {
        return false;
    }
    if (round->verify != NULL) {
        bench_verify_end(round->verify, false);
    }
    bench_frame_free(&round->frame); /* the attributes of all entities: more than all later frames */
    bench_frame_init(&round->frame, round->mem);
    return true;
}

/* Of all threads of this program. */
static uint64_t cpu_clock_ns(void)
{
    struct timespec now = {0};
    int failed = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    PHX_ASSERT(failed == 0);
    (void)failed;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Runs the frame's tick; *sample gets its times. The CPU clock is read outside of the
 * other, for it takes a system call, which an idle tick would feel.
 */
static bool tick(round_state *round, bench_sample *sample)
{
    const bench_engine *engine = round->run->engine;
    verify_begin(round);
    bench_pace_wait(&round->pace);
    if (engine->ready != NULL) {
        engine->ready(round->engine);
    }
    uint64_t cpu_begin = cpu_clock_ns();
    uint64_t begin = phx_clock_ns();
    if (!engine->tick(round->engine, &round->frame, round->error)) {
        return false;
    }
    uint64_t taken = phx_clock_ns();
    uint64_t cpu_taken = cpu_clock_ns();
    engine->records(round->engine, record_take, round);
    if (round->verify != NULL && engine->heard != NULL) {
        engine->heard(round->engine, bench_verify_heard, round->verify);
    }
    uint64_t cpu_walked = cpu_clock_ns();
    uint64_t walked = phx_clock_ns();
    PHX_ASSERT(begin <= taken && taken <= walked);
    if (!engine->release(round->engine, round->error)) {
        return false;
    }
    uint64_t end = phx_clock_ns();
    sample->wall_ns = taken - begin + (end - walked);
    sample->cpu_ns = cpu_taken - cpu_begin + (cpu_clock_ns() - cpu_walked);
    sample->latency_ns = bench_pace_done(&round->pace, taken + (end - walked));
    sample->moves = round->frame.move_count;
    return true;
}

/* The counters of the measured ticks are the difference between their values at its ends. */
static void add_work(bench_case *run, const bench_stats *from, const bench_stats *to)
{
    PHX_ASSERT(from->enters <= to->enters && from->leaves <= to->leaves && from->pairs_tested <= to->pairs_tested);
    run->observers_glanced += to->observers_glanced - from->observers_glanced;
    run->observers_evaluated += to->observers_evaluated - from->observers_evaluated;
    run->towers_visited += to->towers_visited - from->towers_visited;
    run->pairs_tested += to->pairs_tested - from->pairs_tested;
    run->pairs_exact += to->pairs_exact - from->pairs_exact;
    run->index_steps += to->index_steps - from->index_steps;
    run->migrations += to->migrations - from->migrations;
    run->halo_records += to->halo_records - from->halo_records;
    run->enters += to->enters - from->enters;
    run->leaves += to->leaves - from->leaves;
    run->heard += to->heard - from->heard;
}

static bool measured_tick(round_state *round)
{
    bench_case *run = round->run;
    bench_sample sample;
    if (!tick(round, &sample)) {
        return false;
    }
    if (!run->engine->stats(round->engine, &run->last, round->error)) {
        return false;
    }
    sample.submit_ns = run->last.submit_ns;
    bench_samples_add(&run->samples, round->mem, sample);
    run->total_ns += sample.wall_ns;
    run->moves += round->frame.move_count;
    run->commands += (uint64_t)round->frame.enter_count + round->frame.leave_count + round->frame.say_count +
                     round->frame.other_count;
    for (uint32_t i = 0; i < BENCH_PHASES; i++) {
        run->phase_ns[i] += run->last.phase_ns[i];
    }
    return true;
}

/* A second shows how long the rest will take: longer than there is patience for? */
static bool gives_up(bench_case *run, uint64_t elapsed_ns, uint64_t done, uint64_t all)
{
    double seconds = (double)elapsed_ns / 1e9;
    double whole = all > 0 ? seconds * (double)all / (double)done : seconds;
    if (run->patience_s == 0 || seconds < 1 || whole <= run->patience_s) {
        return false;
    }
    snprintf(run->given_up, sizeof run->given_up, "%.3g ms a tick, so %.0f s for all; %" PRIu32 " s are the most",
             seconds * 1e3 / (double)done, whole, run->patience_s);
    return true;
}

/* All ticks behind the setup. */
static bool ticks(round_state *round, bench_progress_fn progress, void *user)
{
    bench_case *run = round->run;
    bench_stats from;
    uint64_t all = run->ticks == 0 ? 0 : (uint64_t)run->warmup + run->ticks;
    if (!run->engine->stats(round->engine, &from, round->error)) {
        return false;
    }
    run->last = from;
    uint64_t done = 0, begin_ns = phx_clock_ns();
    for (; (all == 0 || done < all) && next_frame(round); done++) {
        progress(user, done, all);
        bench_sample unused;
        bool warm = done >= run->warmup;
        if (!(warm ? measured_tick(round) : tick(round, &unused))) {
            return false;
        }
        if (done + 1 == run->warmup && !run->engine->stats(round->engine, &from, round->error)) {
            return false;
        }
        if (round->verify != NULL) {
            bench_verify_end(round->verify, false);
        }
        uint64_t elapsed_ns = phx_clock_ns() - begin_ns;
        if (gives_up(run, elapsed_ns, done + 1, all)) {
            return true;
        }
        if (run->limit_s > 0 && warm && elapsed_ns > run->limit_s * 1000000000ull) {
            done++;
            break;
        }
    }
    if (round->verify != NULL) {
        bench_verify_end(round->verify, true);
    }
    if (round->bad_input) {
        return false;
    }
    if (done <= run->warmup) { /* the made scenarios have no end */
        round->bad_input = true;
        return bench_fail(round->error, "%s: %llu ticks behind the first and %u of warm-up: nothing to measure",
                          run->path, (unsigned long long)done, run->warmup);
    }
    add_work(run, &from, &run->last);
    return true;
}

static void keep_faster(double *kept, double now)
{
    *kept = *kept <= 0 || now < *kept ? now : *kept;
}

/* Of a scenario with list queries. */
static bool queries(round_state *round)
{
    bench_case *run = round->run;
    bench_queries now;
    if (!run->scenario->talks || run->engine->queries == NULL) {
        return true;
    }
    if (!run->engine->queries(round->engine, run->entities, &now, round->error)) {
        return false;
    }
    keep_faster(&run->queries.list_ns_per_id, now.list_ns_per_id);
    keep_faster(&run->queries.observers_ns_per_id, now.observers_ns_per_id);
    return true;
}

static void keep_faster_each(double *kept, const double *now)
{
    for (uint32_t i = 0; i < BENCH_ASKED; i++) {
        keep_faster(&kept[i], now[i]);
    }
}

/* Of a scenario with moves and queries in turn. */
static bool turns(round_state *round)
{
    bench_case *run = round->run;
    bench_turns now;
    if (!run->scenario->turns || run->engine->turns == NULL) {
        return true;
    }
    if (!run->engine->turns(round->engine, &run->def, &now, round->error)) {
        return false;
    }
    keep_faster(&run->applies.apply_ns, now.apply_ns);
    keep_faster(&run->applies.tick_ns, now.tick_ns);
    return true;
}

/* Of a scenario with queries of places. */
static bool places(round_state *round)
{
    bench_case *run = round->run;
    bench_places now;
    if (!run->scenario->asks || run->engine->places == NULL) {
        return true;
    }
    if (!run->engine->places(round->engine, &run->def, &now, round->error)) {
        return false;
    }
    keep_faster_each(run->places.single_ns, now.single_ns);
    keep_faster_each(run->places.batched_ns, now.batched_ns);
    keep_faster(&run->places.verify_ns_per_pair, now.verify_ns_per_pair);
    memcpy(run->places.found, now.found, sizeof now.found);
    return true;
}

/* Finds faults that make the figures worthless. */
static bool check_end(round_state *round)
{
    const bench_case *run = round->run;
    const bench_stats *last = &run->last;
    if (last->enters != round->enters || last->leaves != round->leaves) {
        return bench_fail(round->error, "the timed walk met %llu enters and %llu leaves, the untimed one %llu and %llu",
                          (unsigned long long)last->enters, (unsigned long long)last->leaves,
                          (unsigned long long)round->enters, (unsigned long long)round->leaves);
    }
    if (last->heard != last->deliveries) {
        return bench_fail(round->error, "the timed walk met %llu deliveries of broadcasts, the engine made %llu",
                          (unsigned long long)last->heard, (unsigned long long)last->deliveries);
    }
    if (last->coalesced > 0) {
        return bench_fail(round->error, "%llu ticks were coalesced: raise consumer_batches (--set)",
                          (unsigned long long)last->coalesced);
    }
    if (last->refused > 0 && run->path == NULL) {
        return bench_fail(round->error, "the engine refused %llu commands of the scenario",
                          (unsigned long long)last->refused);
    }
    return true;
}

static void add_faults(bench_case *run, const bench_verify *verify)
{
    const bench_faults *faults = bench_verify_faults(verify);
    for (uint32_t i = 0; i < BENCH_FAULTS_KEPT && i < faults->count; i++) {
        uint64_t place = run->faults.count + i;
        if (place < BENCH_FAULTS_KEPT) {
            memcpy(run->faults.text[place], faults->text[i], BENCH_FAULT_SIZE);
        }
    }
    run->faults.count += faults->count;
    run->lists_compared += bench_verify_compared(verify);
}

static void finish(round_state *round)
{
    bench_case *run = round->run;
    uint64_t events = round->enters + round->leaves;
    if (run->rounds > 0 && (run->event_hash != round->hash || run->events_all != events)) {
        run->hash_differs = true;
    }
    run->event_hash = round->hash;
    run->events_all = events;
    run->rss_bytes = rss_bytes();
    run->rounds++;
    if (round->verify != NULL) {
        add_faults(run, round->verify);
    }
}

bench_run_result bench_run(bench_case *run, phx_mem *mem, bench_progress_fn progress, void *user, bench_error *error)
{
    PHX_ASSERT(run->engine != NULL && run->scenario != NULL);
    round_state round = {.run = run, .mem = mem, .error = error};
    bench_frame_init(&round.frame, mem);
    bench_pace_start(&round.pace, run->hz);
    round.stream = bench_stream_open(run->scenario, run->config, run->path, run->entities, run->seed, mem);
    round.stream->unpack_max_bytes = run->unpack_max_bytes;
    round.stream->features = run->features;
    if (run->verify_every > 0) {
        round.verify = bench_verify_create(&run->def, run->verify_every, run->seed, mem);
    }
    progress(user, 0, 0);
    bool done = setup(&round) && ticks(&round, progress, user);
    bool whole = done && run->given_up[0] == '\0';
    done = done && (!whole || (check_end(&round) && queries(&round) && places(&round) && turns(&round)));
    bench_run_result result = done ? BENCH_RUN_OK : round.bad_input ? BENCH_RUN_BAD_INPUT : BENCH_RUN_TROUBLE;
    if (done && whole) {
        finish(&round);
    }
    if (round.engine != NULL) {
        run->engine->destroy(round.engine);
    }
    if (round.verify != NULL) {
        bench_verify_destroy(round.verify);
    }
    bench_stream_close(round.stream);
    bench_frame_free(&round.frame);
    return result;
}
