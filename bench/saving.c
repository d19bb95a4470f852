/*
 * --saving: measures and reports; see saving.h. Images are captured, written to memory and to a store, and loaded by
 * one worker. Times are those of the calling thread's CPU, as other programs may be at work; with several workers each
 * does an equal part of a capture. For the journal two equal worlds tick in turn, one of them with a store that records
 * it.
 */
#include "bench/saving.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_jemalloc.h"
#include "bench/base/memory.h"
#include "bench/saving_store.h"
#include "bench/saving_world.h"
#include "tools/cli.h"

enum { ENTITIES = 1000000, MOVERS = 100000, WORKERS = 2, ROUNDS = 5, WARMUP_TICKS = 8, TICKS_A_ROUND = 24 };
enum { REASON = 256 };

static const float MARGIN = 10.0f;
static const double MILLION = 1e6, MS = 1e6, SECOND = 1e9;

typedef struct saving {
    FILE *out;
    const bench_options *options;
    phx_mem mem;
    uint32_t entities, workers, rounds;
    uint32_t missed;
} saving;

static bool saving_fails(const char *what, ph_status status)
{
    fprintf(stderr, "pharos-bench: --saving: %s: %s\n", what, ph_status_text(status));
    return false;
}

/* ---- lines ---- */

/* A figure beside its goal, which is the most that it may be. */
static void print_goal(saving *self, const char *what, double goal, double figure, const char *unit)
{
    const bool met = figure <= goal;
    self->missed += !met;
    fprintf(self->out, "  %-58s %8.2f %8.2f %-12s %s\n", what, goal, figure, unit, met ? "met" : "MISSED");
}

static void print_figure(saving *self, const char *what, double figure, const char *unit)
{
    fprintf(self->out, "  %-58s %8s %8.2f %s\n", what, "", figure, unit);
}

/* Keeps the least time of equal work: the rest is other programs' and the system's. */
static void note_time(double *least_ns, uint64_t ns)
{
    if ((double)ns < *least_ns) *least_ns = (double)ns;
}

/* ---- images ---- */

/* An image in memory. */
typedef struct image_memory {
    phx_mem *mem;
    char *bytes;
    uint32_t capacity; /* in KiB */
    size_t size, at;
} image_memory;

static bool write_memory(void *user, const void *bytes, size_t size)
{
    enum { UNIT = 1024 };
    image_memory *to = user;
    const uint32_t keep = (uint32_t)((to->size + UNIT - 1) / UNIT);
    bench_grow(to->mem, (void **)&to->bytes, &to->capacity, keep, (to->size + size) / UNIT + 1, UNIT);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

static bool read_memory(void *user, void *bytes, size_t size)
{
    image_memory *from = user;
    if (size > from->size - from->at) return false;
    memcpy(bytes, from->bytes + from->at, size);
    from->at += size;
    return true;
}

static void free_memory(image_memory *image)
{
    phx_free(image->mem, image->bytes, (size_t)image->capacity * 1024, PHX_CACHE_LINE);
}

/* The least time of a capture; the last image goes to memory. */
static bool time_captures(saving *self, ph_world world, image_memory *to, double *capture_ns, double *write_ns)
{
    *capture_ns = *write_ns = INFINITY;
    for (uint32_t i = 0; i < self->rounds; i++) {
        ph_image *image;
        phx_jemalloc_purge(); /* as in a server, whose last image was minutes ago */
        const uint64_t start_ns = bench_saving_cpu_ns();
        const ph_status status = ph_image_capture(world, &image);
        const uint64_t captured_ns = bench_saving_cpu_ns();
        if (status != PH_OK) return saving_fails("a capture", status);
        to->size = 0;
        const bool wrote = ph_image_write(image, write_memory, to) == PH_OK;
        note_time(capture_ns, captured_ns - start_ns);
        note_time(write_ns, bench_saving_cpu_ns() - captured_ns);
        ph_image_free(image);
        if (!wrote) return saving_fails("an image", PH_IO);
    }
    return true;
}

static bool time_loads(saving *self, image_memory *from, double *load_ns)
{
    const ph_load_options options = {.given = PH_LOAD_WORKERS, .workers = 1};
    *load_ns = INFINITY;
    for (uint32_t i = 0; i < self->rounds; i++) {
        char reason[REASON] = "";
        ph_world world;
        from->at = 0;
        const uint64_t start_ns = bench_saving_cpu_ns();
        const ph_status status = ph_load(&options, read_memory, from, &world, reason, sizeof reason);
        note_time(load_ns, bench_saving_cpu_ns() - start_ns);
        if (status != PH_OK) return saving_fails(reason[0] != '\0' ? reason : "a load", status);
        (void)ph_world_destroy(world);
    }
    return true;
}

/* What a kind of world has to show. */
typedef struct image_goals {
    const char *title;
    float margin;
    double gate_ms;    /* for a million entities */
    double file_bytes; /* for an entity; 0 = no goal */
    double load_s;     /* for a million entities */
} image_goals;

static bool print_images(saving *self, const image_goals *goals, bench_saving_world *world, image_memory *image)
{
    double capture_ns, write_ns, load_ns = 0;
    uint64_t file_bytes = 0;
    ph_stats stats;
    const double entities = (double)world->count, millions = entities / MILLION;
    if (ph_world_stats(world->world, &stats) != PH_OK ||
        !time_captures(self, world->world, image, &capture_ns, &write_ns) ||
        !bench_saving_file_bytes(world->world, &file_bytes))
        return false;
    bench_saving_free(world);
    if (!time_loads(self, image, &load_ns)) return false;
    fprintf(self->out, "\n%s: %" PRIu64 " entities, %" PRIu64 " list entries\n", goals->title, stats.entities,
            stats.list_entries);
    print_goal(self, "ticks wait for a capture: for a million entities", goals->gate_ms, capture_ns / MS / millions,
               "ms");
    print_figure(self, "an image becomes bytes: for a million entities", write_ns / MS / millions, "ms");
    print_figure(self, "the bytes of ph_save(): for an entity", (double)image->size / entities, "bytes");
    if (goals->file_bytes > 0)
        print_goal(self, "the file of a store: for an entity", goals->file_bytes, (double)file_bytes / entities,
                   "bytes");
    else print_figure(self, "the file of a store: for an entity", (double)file_bytes / entities, "bytes");
    print_goal(self, "a load by one worker: for a million entities", goals->load_s, load_ns / SECOND / millions, "s");
    return true;
}

static bool measure_images(saving *self, const image_goals *goals)
{
    bench_saving_world world;
    image_memory image = {.mem = &self->mem};
    const ph_status status = bench_saving_make(
        &world, &self->mem,
        (bench_saving_crowd){self->entities, self->workers, goals->margin, false, self->options->seed});
    const bool good = status == PH_OK ? print_images(self, goals, &world, &image) : saving_fails(goals->title, status);
    bench_saving_free(&world);
    free_memory(&image);
    return good;
}

/* ---- journal ---- */

/* Two equal worlds; the second one has a store. */
typedef struct recorded {
    bench_saving_world worlds[2];
    ph_consumer consumers[2];
    double *ns[2];    /* of their ticks */
    double *extra_ns; /* of a pair: what the second one took longer */
    uint32_t ticks;   /* measured so far */
} recorded;

/* A tick of each world, in turn first. */
static bool run_both(recorded *both, uint32_t tick, bool measured)
{
    uint64_t ns[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t at = (i + tick) % 2;
        bench_saving_walk(&both->worlds[at]);
        bench_saving_rest(); /* the disk's thread has had its time, as between the ticks of a server */
        const ph_status status = bench_saving_tick(&both->worlds[at], both->consumers[at], &ns[at]);
        if (status != PH_OK) return saving_fails("a tick", status);
    }
    if (!measured) return true;
    for (uint32_t i = 0; i < 2; i++) both->ns[i][both->ticks] = (double)ns[i];
    both->extra_ns[both->ticks++] = (double)ns[1] - (double)ns[0];
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/*
 * The median of the pairs' differences: a pair's two ticks have the same neighbours on the machine, whose load moves
 * least times of some hundred ticks by more than a record takes.
 */
static void print_ticks(saving *self, recorded *both, uint32_t workers)
{
    const uint32_t ticks = both->ticks;
    for (uint32_t i = 0; i < 2; i++) qsort(both->ns[i], ticks, sizeof *both->ns[i], compare_times);
    qsort(both->extra_ns, ticks, sizeof *both->extra_ns, compare_times);
    const double median = both->ns[0][ticks / 2];
    fprintf(self->out,
            "\na journal: %" PRIu32 " moves a tick, %" PRIu32 " workers, a store that syncs it, %" PRIu32 " ticks\n",
            both->worlds[0].count, workers, ticks);
    print_figure(self, "a tick without: the least", both->ns[0][0] / MS, "ms");
    print_figure(self, "a tick with it: the least", both->ns[1][0] / MS, "ms");
    print_figure(self, "a tick without: the median", median / MS, "ms");
    print_figure(self, "a tick with it: the median", both->ns[1][ticks / 2] / MS, "ms");
    print_goal(self, "a tick with it takes longer by: the median of pairs", 3, both->extra_ns[ticks / 2] / median * 100,
               "%");
}

static bool run_recorded(saving *self, recorded *both, uint32_t workers)
{
    const uint32_t ticks = self->rounds * TICKS_A_ROUND;
    bool good = true;
    for (uint32_t tick = 0; tick < WARMUP_TICKS && good; tick++) good = run_both(both, tick, false);
    const uint64_t before[2] = {bench_saving_allocations(&both->worlds[0]), bench_saving_allocations(&both->worlds[1])};
    for (uint32_t tick = 0; tick < ticks && good; tick++) good = run_both(both, tick, true);
    if (!good) return false;
    const double plain_calls = (double)(bench_saving_allocations(&both->worlds[0]) - before[0]);
    const double calls = (double)(bench_saving_allocations(&both->worlds[1]) - before[1]);
    print_ticks(self, both, workers);
    if (workers == 1) /* else it is luck which worker has which work */
        print_goal(self, "and its ticks allocate more often by", 0, calls - plain_calls, "");
    return true;
}

static bool make_recorded(saving *self, recorded *both, uint32_t workers)
{
    const uint32_t movers = self->entities < MOVERS ? self->entities : MOVERS;
    for (uint32_t i = 0; i < 2; i++) {
        const bench_saving_crowd crowd = {movers, workers, 0.0f, true, self->options->seed};
        ph_status status = bench_saving_make(&both->worlds[i], &self->mem, crowd);
        if (status == PH_OK) status = ph_consumer_open(both->worlds[i].world, 0, &both->consumers[i]);
        if (status != PH_OK) return saving_fails("a world", status);
    }
    return true;
}

static bool measure_journal(saving *self, uint32_t workers)
{
    const size_t bytes = (size_t)self->rounds * TICKS_A_ROUND * sizeof(double);
    recorded both = {.extra_ns = bench_alloc(&self->mem, bytes)};
    for (uint32_t i = 0; i < 2; i++) both.ns[i] = bench_alloc(&self->mem, bytes);
    bool good = make_recorded(self, &both, workers) && bench_saving_record(both.worlds[1].world);
    good = good && run_recorded(self, &both, workers);
    good = bench_saving_record_end() && good;
    for (uint32_t i = 0; i < 2; i++) bench_saving_free(&both.worlds[i]);
    for (uint32_t i = 0; i < 2; i++) phx_free(&self->mem, both.ns[i], bytes, PHX_CACHE_LINE);
    phx_free(&self->mem, both.extra_ns, bytes, PHX_CACHE_LINE);
    return good;
}

int bench_saving(FILE *out, const bench_options *options, const bench_machine *machine)
{
    static const image_goals goals[] = {{"lists that follow from positions", 0.0f, 10, 12, 5},
                                        {"stored lists: a margin", MARGIN, 30, 0, 5}};
    saving self = {.out = out,
                   .options = options,
                   .entities = options->entities > 0 ? options->entities : ENTITIES,
                   .workers = options->worker_count > 0 ? options->workers[0] : WORKERS,
                   .rounds = options->rounds > 0 ? options->rounds : ROUNDS};
    phx_mem_init(&self.mem, (ph_allocator){0});
    fprintf(out, "%s, %" PRIu32 " CPUs; %s, %s; %" PRIu32 " workers\n", machine->cpu, machine->cpus, machine->compiler,
            machine->build, self.workers);
    fprintf(out, "  %-58s %8s %8s\n", "", "goal", "here");
    bool good = true;
    for (uint32_t i = 0; i < sizeof goals / sizeof *goals && good; i++) good = measure_images(&self, &goals[i]);
    good = good && measure_journal(&self, 1) && (self.workers == 1 || measure_journal(&self, self.workers));
    if (good) fprintf(out, "\n%u goals missed\n", self.missed);
    return good ? PHX_EXIT_OK : PHX_EXIT_TROUBLE;
}
