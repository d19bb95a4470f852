/*
 * A tick of 100,000 moves with a store's journal allocates nothing: neither the world, by its allocator, nor the store,
 * on the ticking thread, by malloc() and its like. Every record is in the journal, without a gap.
 *
 * options: --seed S
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/temp_path.h"

enum {
    ENTITIES = 100000,
    WARMUP_TICKS = 40 /* memory of the entering storm goes back in between */,
    COUNTED_TICKS = 24,
    POLL_NS = 1000000
};

/* ---- calls of the C library, which the linker gives to these ---- */

static _Thread_local bool counts; /* on the ticking thread alone */
static _Thread_local uint64_t calls;

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    calls += counts;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls += counts;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    calls += counts;
    return __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    calls += counts;
    return __real_aligned_alloc(alignment, size);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

/* ---- the world ---- */

typedef struct crowd {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_store *store;
    uint64_t events;
    uint64_t ids[ENTITIES];
    ph_position places[2][ENTITIES]; /* by turns: all arrays have their length after some ticks */
} crowd;

static void make_crowd(crowd *c, fail_alloc *memory, uint64_t seed)
{
    const float side = 4000, step = 8, view = 20, margin = 4;
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.view = view;
    class.margin = margin;
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = side;
    def.tower_size = view;
    def.consumers = 1;
    def.allocator = fail_alloc_hooks(memory);
    CHECK_OK(ph_world_create(&def, &c->world));
    CHECK_OK(ph_producer_open(c->world, &c->producer));
    CHECK_OK(ph_consumer_open(c->world, 0, &c->consumer));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const float x = side * phx_rng_unit(&seed), y = side * phx_rng_unit(&seed);
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = y};
        c->ids[i] = i + 1;
        c->places[0][i] = (ph_position){.x = x, .y = y};
        c->places[1][i] = (ph_position){.x = x + step * phx_rng_unit(&seed), .y = y - step * phx_rng_unit(&seed)};
        CHECK_OK(ph_enter(c->producer, c->ids[i], &attrs));
    }
}

static void run_tick(crowd *c, uint32_t turn)
{
    const ph_batch *batch;
    uint32_t done;
    CHECK_OK(ph_move_many(c->producer, ENTITIES, c->ids, c->places[turn % 2], &done));
    CHECK_OK(ph_tick(c->world, NULL));
    CHECK_OK(ph_store_tick(c->store));
    while (ph_batch_take(c->consumer, &batch) == PH_OK) {
        c->events += batch->target_count;
        CHECK_OK(ph_batch_return(c->consumer, batch));
    }
}

/* Until the disk has the records: a ring that is full is another test's. */
static void await_disk(const crowd *c)
{
    const struct timespec some = {.tv_nsec = POLL_NS};
    ph_store_stats stats;
    ph_stats ticks;
    CHECK_OK(ph_world_stats(c->world, &ticks));
    do {
        (void)nanosleep(&some, NULL);
        CHECK_OK(ph_store_stats_get(c->store, &stats));
    } while (stats.writing || stats.journal_tick < ticks.ticks);
    CHECK(stats.gaps == 0, "%" PRIu64 " gaps", stats.gaps);
}

static void count_ticks(crowd *c, const fail_alloc *memory)
{
    const uint64_t before = atomic_load_explicit(&memory->calls, memory_order_relaxed), events = c->events;
    for (uint32_t i = 0; i < COUNTED_TICKS; i++) {
        counts = true;
        run_tick(c, i);
        counts = false;
        await_disk(c);
    }
    const uint64_t own = atomic_load_explicit(&memory->calls, memory_order_relaxed) - before;
    CHECK(own == 0, "%" PRIu64 " allocations of the world", own);
    CHECK(calls == 0, "%" PRIu64 " of the store", calls);
    CHECK(c->events > events, "no event");
}

int main(int argc, char **argv)
{
    static crowd c;
    fail_alloc memory = {0};
    char folder[TEMP_PATH_SIZE];
    ph_store_def def = ph_store_def_default();
    make_crowd(&c, &memory, option_number(argc, argv, "--seed", 1));
    temp_folder(folder, "pharos-no-alloc");
    def.folder = folder;
    def.name = "w";
    def.image_ticks = 0;
    def.ring_bytes = 64u << 20;
    CHECK_OK(ph_tick(c.world, NULL));
    CHECK_OK(ph_store_open(&def, c.world, &c.store, NULL, 0));
    for (uint32_t i = 0; i < WARMUP_TICKS; i++) {
        run_tick(&c, i);
        await_disk(&c);
    }
    count_ticks(&c, &memory);
    CHECK_OK(ph_store_close(c.store));
    CHECK_OK(ph_world_destroy(c.world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
    temp_remove(folder);
    return check_done("store_no_alloc");
}
