/*
 * base/idmap read by several threads while each writes the values of its own entries: what
 * the workers do with it between two barriers. TSan has to be content, every find has to
 * find its own entry, and no write may be lost. Between rounds the map changes in one
 * thread: inserts, removes, growth.
 *
 * stress_idmap [--seed N] [--finds N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "base/idmap.h"
#include "base/rng.h"
#include "support/check.h"

enum { THREADS = 4, ROUNDS = 8, ENTRIES = 3000, VALUE_SHIFT = 32 };

typedef struct reader {
    phx_idmap *map;
    const uint64_t *base; /* first id of the round */
    uint64_t seed;
    uint64_t finds;
    uint64_t writes;
    uint32_t index;
} reader;

/* Entries belong to threads by their id. Absent: every id outside [base, base + ENTRIES). */
static void find_one(reader *self, uint64_t random)
{
    uint64_t id = *self->base + random % (2 * ENTRIES);
    bool present = id < *self->base + ENTRIES;
    uint64_t *value;

    phx_idmap_prefetch(self->map, id);
    value = phx_idmap_find(self->map, id);
    CHECK((value != NULL) == present, "id %" PRIu64 " %s, seed %" PRIu64, id, present ? "is lost" : "is not real",
          self->seed);
    if (value == NULL || id % THREADS != self->index) {
        return; /* another thread's value: neither read nor written */
    }
    CHECK(*value >> VALUE_SHIFT == id, "value of %" PRIu64 " under %" PRIu64 ", seed %" PRIu64, *value >> VALUE_SHIFT,
          id, self->seed);
    ++*value; /* the low half counts writes */
    self->writes++;
}

static void *reader_main(void *argument)
{
    reader *self = argument;
    uint64_t rng = phx_mix64(self->seed + self->index);

    for (uint64_t i = 0; i < self->finds; i++) {
        find_one(self, phx_rng_next(&rng) >> 16);
    }
    return NULL;
}

static uint64_t run_readers(phx_idmap *map, const uint64_t *base, uint64_t finds, uint64_t seed)
{
    pthread_t threads[THREADS];
    reader readers[THREADS];
    uint64_t writes = 0;

    for (uint32_t i = 0; i < THREADS; i++) {
        readers[i] = (reader){map, base, seed, finds, 0, i};
        REQUIRE(pthread_create(&threads[i], NULL, reader_main, &readers[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        writes += readers[i].writes;
    }
    return writes;
}

static uint64_t writes_kept(const phx_idmap *map)
{
    uint64_t writes = 0;

    for (uint64_t i = 0; i < phx_idmap_bucket_count(map); i++) {
        writes += phx_idmap_bucket_at(map, i)->value & UINT32_MAX;
    }
    return writes;
}

static void fill(phx_idmap *map, uint64_t base)
{
    for (uint64_t id = base; id < base + ENTRIES; id++) {
        REQUIRE(phx_idmap_reserve(map, phx_idmap_count(map) + 1));
        phx_idmap_insert(map, id, id << VALUE_SHIFT);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t finds = option_number(argc, argv, "--finds", test_amount(50000));
    uint64_t base = 1;
    phx_mem mem;
    phx_idmap map;

    phx_mem_init(&mem, phx_allocator_libc());
    phx_idmap_init(&map, &mem);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t writes;

        fill(&map, base);
        writes = run_readers(&map, &base, finds, seed + round);
        CHECK(writes == writes_kept(&map), "%" PRIu64 " of %" PRIu64 " writes kept, seed %" PRIu64,
              writes_kept(&map), writes, seed);
        for (uint64_t id = base; id < base + ENTRIES; id++) {
            CHECK(phx_idmap_remove(&map, id), "id %" PRIu64 " can not be removed", id);
        }
        base += ENTRIES;
    }
    CHECK(phx_idmap_count(&map) == 0, "%u left", phx_idmap_count(&map));
    phx_idmap_free(&map);
    CHECK(atomic_load(&mem.bytes) == 0, "memory is held");
    return check_done("stress_idmap");
}
