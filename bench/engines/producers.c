/*
 * Submitting through several producers at once; see producers.h.
 */
#include "bench/engines/producers.h"

#include "base/workers.h"
#include "bench/base/memory.h"

/* The result of one of the threads; a cache line each, for they write at the same time. */
typedef struct part_result {
    _Alignas(PHX_CACHE_LINE) ph_status status;
} part_result;

struct bench_producers {
    phx_mem *mem;
    phx_workers *threads;
    uint32_t count;
    ph_producer handles[PH_PRODUCERS_MAX];
    /* the moves at hand */
    uint32_t move_count;
    const uint64_t *ids;
    const ph_position *positions;
    part_result results[PH_PRODUCERS_MAX];
};

static bool open_handles(bench_producers *self, ph_world world, bench_error *error)
{
    for (uint32_t i = 0; i < self->count; i++) {
        ph_status status = ph_producer_open(world, &self->handles[i]);
        if (status != PH_OK) {
            return bench_fail(error, "ph_producer_open: %s", ph_status_text(status));
        }
    }
    return true;
}

bench_producers *bench_producers_open(ph_world world, uint32_t count, phx_mem *mem, bench_error *error)
{
    PHX_ASSERT(count >= 1 && count <= PH_PRODUCERS_MAX);
    bench_producers *self = bench_alloc(mem, sizeof *self);
    self->mem = mem;
    self->count = count;
    self->threads = phx_workers_create(mem, count, (ph_task_hooks){0});
    if (self->threads == NULL) {
        bench_fail(error, "no %u threads for the producers", count);
    } else if (open_handles(self, world, error)) {
        return self;
    }
    bench_producers_close(self);
    return NULL;
}

void bench_producers_close(bench_producers *producers)
{
    if (producers != NULL) {
        phx_workers_destroy(producers->mem, producers->threads);
        phx_free(producers->mem, producers, sizeof *producers, PHX_CACHE_LINE);
    }
}

uint32_t bench_producers_count(const bench_producers *producers)
{
    return producers->count;
}

ph_producer bench_producers_first(const bench_producers *producers)
{
    return producers->handles[0];
}

static void nothing(void *context, uint32_t index)
{
    (void)context;
    (void)index;
}

void bench_producers_wake(bench_producers *producers)
{
    phx_workers_run(producers->threads, nothing, producers); /* after a run they spin for a while */
}

static void submit_part(void *context, uint32_t index)
{
    bench_producers *self = context;
    uint32_t first = (uint32_t)((uint64_t)self->move_count * index / self->count);
    uint32_t end = (uint32_t)((uint64_t)self->move_count * (index + 1) / self->count);
    self->results[index].status =
        ph_move_many(self->handles[index], end - first, &self->ids[first], &self->positions[first], NULL);
}

ph_status bench_producers_move(bench_producers *producers, uint32_t count, const uint64_t *ids,
                               const ph_position *positions)
{
    producers->move_count = count;
    producers->ids = ids;
    producers->positions = positions;
    phx_workers_run(producers->threads, submit_part, producers);
    for (uint32_t i = 0; i < producers->count; i++) {
        if (producers->results[i].status == PH_FULL) {
            return PH_FULL;
        }
    }
    return PH_OK;
}
