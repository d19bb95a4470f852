/*
 * base/directory read by several threads while each sets the homes of its own entries, as the
 * workers use it between two barriers. TSan has to be content, every find has to
 * find its own entry, and no set home may be lost. Between rounds it changes in one
 * thread: inserts, removes, growth, and from the middle on ids past 2^32.
 *
 * stress_directory [--seed N] [--finds N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "base/directory.h"
#include "base/rng.h"
#include "support/check.h"

enum { THREADS = 4, ROUNDS = 8, ENTRIES = 3000, SHARDS = 1000 };

typedef struct reader {
    phx_directory *map;
    const uint64_t *base; /* first id of the round */
    uint64_t seed;
    uint64_t finds;
    uint64_t writes;
    uint32_t index;
} reader;

/* Entries belong to threads by their id. Absent: every id outside [base, base + ENTRIES). */
static void find_one(reader *self, uint64_t random)
{
    uint64_t at = random % (2 * ENTRIES), id = *self->base + at;
    bool present = at < ENTRIES;
    uint64_t bucket = phx_directory_bucket_from(self->map, phx_directory_prefetch(self->map, id), id), home;
    bool found = bucket < self->map->bucket_count;

    CHECK(found == present, "id %" PRIu64 " %s, seed %" PRIu64, id, present ? "is lost" : "is not real", self->seed);
    if (!found || id % THREADS != self->index) {
        return; /* another thread's home: neither read nor written */
    }
    home = phx_directory_find(self->map, id);
    CHECK(phx_home_shard(home) == id % SHARDS, "home of %" PRIu64 " in %u, seed %" PRIu64, id, phx_home_shard(home),
          self->seed);
    phx_directory_set(self->map, id, home + 1); /* the slot counts writes */
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

static uint64_t run_readers(phx_directory *map, const uint64_t *base, uint64_t finds, uint64_t seed)
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

static uint64_t writes_kept(const phx_directory *map, uint64_t base)
{
    uint64_t writes = 0;

    for (uint64_t id = base; id < base + ENTRIES; id++) {
        writes += phx_home_slot(phx_directory_find(map, id));
    }
    return writes;
}

static void fill(phx_directory *map, uint64_t base)
{
    for (uint64_t id = base; id < base + ENTRIES; id++) {
        REQUIRE(phx_directory_reserve(map, id));
        phx_directory_insert(map, id, phx_home((uint32_t)(id % SHARDS), 0));
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t finds = option_number(argc, argv, "--finds", test_amount(50000));
    uint64_t base = 1;
    phx_mem mem;
    phx_directory map;

    phx_mem_init(&mem, phx_allocator_libc());
    phx_directory_init(&map, &mem, SHARDS);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t writes;

        fill(&map, base);
        writes = run_readers(&map, &base, finds, seed + round);
        CHECK(writes == writes_kept(&map, base), "%" PRIu64 " of %" PRIu64 " writes kept, seed %" PRIu64,
              writes_kept(&map, base), writes, seed);
        for (uint64_t id = base; id < base + ENTRIES; id++) {
            phx_directory_remove(&map, id);
        }
        base += round == ROUNDS / 2 ? UINT32_MAX - ENTRIES / 2 - base : ENTRIES; /* once across 2^32 */
    }
    CHECK(phx_directory_count(&map) == 0, "%u left", phx_directory_count(&map));
    phx_directory_free(&map);
    CHECK(atomic_load(&mem.bytes) == 0, "memory is held");
    return check_done("stress_directory");
}
