/*
 * The figures of a case as JSON and as CSV. One list of fields makes both; a figure that
 * there is not (per move, where nothing moved) is null in JSON and empty in CSV.
 */
#include "bench/report_data.h"

#include <inttypes.h>

#include "bench/report_features.h"
#include "tools/cli.h"

typedef struct figures {
    const bench_case *run;
    bench_summary summary;
    double seconds;
    bench_times_plain times; /* of a case with features */
    bench_tail tail;         /* with --tail */
} figures;

/* It has features, and the case without ran. */
static bool has_times(const bench_case *run)
{
    return run->before.count > 0;
}

static double per(double value, double divisor)
{
    return divisor > 0 ? value / divisor : 0;
}

static double phase_us(const figures *of, bench_phase phase)
{
    return (double)of->run->phase_ns[phase] / 1e3 / of->run->samples.count;
}

/* Queries of one shape: thousands a second, one by one and in one call. */
#define PLACE_FIGURES(F, name, what) \
    F(name##_single_k_per_s, per(1e6, of->run->places.single_ns[what]), of->run->places.single_ns[what] > 0) \
    F(name##_batched_k_per_s, per(1e6, of->run->places.batched_ns[what]), of->run->places.batched_ns[what] > 0)

/* U(name, value) a whole number; F(name, value, there is one) a number with a point. */
#define FIGURE_LIST(U, F) \
    U(entities, of->run->last.entities) \
    U(observers, of->run->last.observers) \
    U(workers, of->run->def.workers) \
    U(producers, of->run->producers) \
    U(ticks, of->run->samples.count) \
    F(ns_per_move_min, of->summary.ns_per_move_min, of->run->moves > 0) \
    F(ns_per_move_median, of->summary.ns_per_move_median, of->run->moves > 0) \
    F(tick_us_min, of->summary.tick_us.min, true) \
    F(tick_us_p50, of->summary.tick_us.p50, true) \
    F(tick_us_p99, of->summary.tick_us.p99, true) \
    F(tick_us_max, of->summary.tick_us.max, true) \
    F(submit_us_min, of->summary.submit_us.min, of->summary.submit_us.max > 0) \
    F(submit_us_p50, of->summary.submit_us.p50, of->summary.submit_us.max > 0) \
    F(submit_us_p99, of->summary.submit_us.p99, of->summary.submit_us.max > 0) \
    F(submit_us_max, of->summary.submit_us.max, of->summary.submit_us.max > 0) \
    F(latency_us_p50, of->summary.latency_us.p50, of->run->hz > 0) \
    F(latency_us_p99, of->summary.latency_us.p99, of->run->hz > 0) \
    F(latency_us_max, of->summary.latency_us.max, of->run->hz > 0) \
    F(tail_us_p50, of->tail.p50, of->run->tail) \
    F(tail_us_p90, of->tail.p90, of->run->tail) \
    F(tail_us_p99, of->tail.p99, of->run->tail) \
    F(tail_us_p999, of->tail.p999, of->run->tail) \
    F(tail_us_max, of->tail.max, of->run->tail) \
    F(cpu_us_min, of->summary.cpu_us.min, true) \
    F(cpu_us_p50, of->summary.cpu_us.p50, true) \
    U(moves, of->run->moves) \
    F(moves_per_s, per((double)of->run->moves, of->seconds), true) \
    U(enter, of->run->enters) \
    U(leave, of->run->leaves) \
    F(events_per_s, per((double)(of->run->enters + of->run->leaves), of->seconds), true) \
    U(deliveries, of->run->heard) \
    F(deliveries_per_s, per((double)of->run->heard, of->seconds), of->run->heard > 0) \
    F(list_ns_per_id, of->run->queries.list_ns_per_id, of->run->queries.list_ns_per_id > 0) \
    F(observers_ns_per_id, of->run->queries.observers_ns_per_id, of->run->queries.observers_ns_per_id > 0) \
    PLACE_FIGURES(F, circle, BENCH_ASK_CIRCLE) \
    PLACE_FIGURES(F, box, BENCH_ASK_BOX) \
    PLACE_FIGURES(F, sector, BENCH_ASK_SECTOR) \
    PLACE_FIGURES(F, quad, BENCH_ASK_QUAD) \
    PLACE_FIGURES(F, nearest, BENCH_ASK_NEAREST) \
    PLACE_FIGURES(F, list, BENCH_ASK_LIST) \
    PLACE_FIGURES(F, observers, BENCH_ASK_OBSERVERS) \
    PLACE_FIGURES(F, unordered, BENCH_ASK_UNORDERED) \
    F(verify_ns_per_pair, of->run->places.verify_ns_per_pair, of->run->places.verify_ns_per_pair > 0) \
    F(turn_apply_ns, of->run->applies.apply_ns, of->run->applies.apply_ns > 0) \
    F(turn_tick_ns, of->run->applies.tick_ns, of->run->applies.tick_ns > 0) \
    U(list_entries, of->run->last.list_entries) \
    F(bytes_per_entity, per((double)of->run->last.bytes, (double)of->run->last.entities), of->run->last.entities > 0) \
    U(rss_bytes, of->run->rss_bytes) \
    F(ingest_us, phase_us(of, BENCH_INGEST), true) \
    F(exchange_us, phase_us(of, BENCH_EXCHANGE), true) \
    F(index_us, phase_us(of, BENCH_INDEX), true) \
    F(interest_us, phase_us(of, BENCH_INTEREST), true) \
    F(publish_us, phase_us(of, BENCH_PUBLISH), true) \
    F(times_plain_cpu_min, of->times.cpu_min, has_times(of->run)) \
    F(times_plain_cpu_p50, of->times.cpu_p50, has_times(of->run)) \
    F(times_plain_min, of->times.tick_min, has_times(of->run)) \
    F(times_plain_p50, of->times.tick_p50, has_times(of->run)) \
    F(plain_tick_us_min, of->times.plain_us_min, has_times(of->run)) \
    F(plain_tick_us_p50, of->times.plain_us_p50, has_times(of->run)) \
    U(commands, of->run->commands) \
    F(change_us, of->times.change_us, has_times(of->run) && of->run->commands > 0) \
    U(observers_glanced, of->run->observers_glanced) \
    U(observers_evaluated, of->run->observers_evaluated) \
    U(towers_visited, of->run->towers_visited) \
    U(pairs_tested, of->run->pairs_tested) \
    U(pairs_exact, of->run->pairs_exact) \
    U(index_steps, of->run->index_steps) \
    U(migrations, of->run->migrations) \
    U(halo_records, of->run->halo_records) \
    U(refused, of->run->last.refused) \
    U(rounds, of->run->rounds) \
    U(warmup, of->run->warmup) \
    U(hz, of->run->hz) \
    U(seed, of->run->seed) \
    U(lists_compared, of->run->lists_compared) \
    U(faults, of->run->faults.count + (of->run->hash_differs ? 1 : 0))

static figures make_figures(const bench_case *run, phx_mem *mem)
{
    figures made = {
        .run = run, .summary = bench_samples_summary(&run->samples, mem), .seconds = (double)run->total_ns / 1e9};
    if (run->tail) {
        made.tail = bench_samples_tail(&run->samples, run->rounds, mem);
    }
    if (has_times(run)) {
        made.times = bench_times_plain_of(run, mem);
    }
    return made;
}

/* ---- JSON ---- */

static void json_figures(FILE *out, const figures *of)
{
#define JSON_U(name, value) fprintf(out, ",\"" #name "\":%" PRIu64, (uint64_t)(value));
#define JSON_F(name, value, known) \
    if (known) { \
        fprintf(out, ",\"" #name "\":%.3f", (value)); \
    } else { \
        fputs(",\"" #name "\":null", out); \
    }
    FIGURE_LIST(JSON_U, JSON_F)
#undef JSON_U
#undef JSON_F
}

void bench_report_json(FILE *out, const bench_case *run, const bench_machine *machine, phx_mem *mem)
{
    figures of = make_figures(run, mem);
    fputs("{\"scenario\":", out);
    phx_json_string(out, run->name);
    fputs(",\"engine\":", out);
    phx_json_string(out, run->label);
    if (run->features != NULL) {
        fputs(",\"features\":", out);
        phx_json_string(out, run->features->text);
        for (uint32_t f = 0; f < run->features->count; f++) {
            fputs(f == 0 ? ",\"feature_list\":[" : ",", out);
            phx_json_string(out, run->features->list[f]->name);
        }
        fputc(']', out);
    }
    fprintf(out, ",\"shards\":[%" PRIu32 ",%" PRIu32 "]", run->def.shards[0], run->def.shards[1]);
    json_figures(out, &of);
    fprintf(out, ",\"event_hash\":\"%016" PRIx64 "\"", run->event_hash);
    if (run->path != NULL) {
        fputs(",\"trace\":", out);
        phx_json_string(out, run->path);
    }
    fputs(",\"cpu\":", out);
    phx_json_string(out, machine->cpu);
    fprintf(out, ",\"cpus\":%" PRIu32 ",\"compiler\":", machine->cpus);
    phx_json_string(out, machine->compiler);
    fputs(",\"build\":", out);
    phx_json_string(out, machine->build);
    fputs("}\n", out);
}

/* ---- CSV ---- */

void bench_report_csv_header(FILE *out)
{
#define HEADER_U(name, value) "," #name
#define HEADER_F(name, value, known) "," #name
    fputs("scenario,features,engine,shards" FIGURE_LIST(HEADER_U, HEADER_F) ",event_hash\n", out);
#undef HEADER_U
#undef HEADER_F
}

void bench_report_csv(FILE *out, const bench_case *run, phx_mem *mem)
{
    figures made = make_figures(run, mem);
    const figures *of = &made;
    fprintf(out, "%s,%s,%s,%" PRIu32 "x%" PRIu32, run->name, run->features == NULL ? "" : run->features->text,
            run->label, run->def.shards[0], run->def.shards[1]);
#define CSV_U(name, value) fprintf(out, ",%" PRIu64, (uint64_t)(value));
#define CSV_F(name, value, known) \
    if (known) { \
        fprintf(out, ",%.3f", (value)); \
    } else { \
        fputc(',', out); \
    }
    FIGURE_LIST(CSV_U, CSV_F)
#undef CSV_U
#undef CSV_F
    fprintf(out, ",%016" PRIx64 "\n", run->event_hash);
}
