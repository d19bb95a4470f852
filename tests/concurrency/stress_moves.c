/*
 * Long bulks of moves by several producers' threads, applied by several workers: TSan has
 * to be content, and every tick the world equals that with one worker, whatever the ids,
 * the shards and the number of moves of an entity. Events are compared by the hash of
 * all lists; refusals, by number.
 *
 * stress_moves [--seed N] [--ticks N]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum { PRODUCERS = 3, ENTITIES = 3000, MOVES = 6000, STRANGERS = 40, TICKS = 8 };

static const float EXTENT = 3000;

/* How ids follow each other. */
typedef enum id_form { RUNNING, SCATTERED, SPACED, FORMS } id_form;

/* The commands of one producer in a tick. */
typedef struct bulk {
    uint64_t ids[MOVES];
    ph_position to[MOVES];
} bulk;

typedef struct host {
    ph_world world;
    ph_producer producers[PRODUCERS];
} host;

typedef struct submitter {
    host *hosts; /* the two of them get the same */
    const bulk *what;
    uint32_t producer;
} submitter;

static bulk bulks[PRODUCERS];
static ph_position last[ENTITIES + STRANGERS];

static uint64_t id_of(id_form form, uint32_t i)
{
    if (form == RUNNING) return i + 1;
    return form == SCATTERED ? phx_mix64(i + 1) : (uint64_t)(i + 1) << 22;
}

static void open_host(host *h, uint32_t workers, uint32_t side)
{
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.view = 40;
    def.classes = &class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = EXTENT;
    def.shards[0] = def.shards[1] = side;
    def.workers = workers;
    def.share_min = 0;
    def.consumers = 0;
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK);
    for (int i = 0; i < PRODUCERS; i++) REQUIRE(ph_producer_open(h->world, &h->producers[i]) == PH_OK);
}

static void enter_all(host *h, id_form form)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ph_attrs attrs = {.given = PH_X | PH_Y, .x = last[i].x, .y = last[i].y};
        CHECK_OK(ph_enter(h->producers[0], id_of(form, i), &attrs));
    }
}

/* Mostly short steps, some far ones; entities beyond ENTITIES are not in the world. */
static void make_bulk(bulk *b, id_form form, uint64_t *rng)
{
    for (uint32_t i = 0; i < MOVES; i++) {
        uint32_t e = phx_rng_below(rng, ENTITIES + STRANGERS);
        bool far = phx_rng_below(rng, 20) == 0;
        last[e].x = far ? EXTENT * phx_rng_unit(rng) : last[e].x + 8 * phx_rng_unit(rng) - 4;
        last[e].y = far ? EXTENT * phx_rng_unit(rng) : last[e].y + 8 * phx_rng_unit(rng) - 4;
        b->ids[i] = id_of(form, e);
        b->to[i] = last[e];
    }
}

static void *submit(void *argument)
{
    const submitter *s = argument;
    for (int h = 0; h < 2; h++) {
        uint32_t done;
        CHECK_OK(ph_move_many(s->hosts[h].producers[s->producer], MOVES, s->what->ids, s->what->to, &done));
        CHECK(done == MOVES, "%u of %d", done, MOVES);
    }
    return NULL;
}

static void submit_all(host hosts[2])
{
    submitter s[PRODUCERS];
    pthread_t threads[PRODUCERS];
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        s[p] = (submitter){hosts, &bulks[p], p};
        REQUIRE(pthread_create(&threads[p], NULL, submit, &s[p]) == 0);
    }
    for (uint32_t p = 0; p < PRODUCERS; p++) REQUIRE(pthread_join(threads[p], NULL) == 0);
}

static void same(host hosts[2], const char *what)
{
    uint64_t hash[2];
    ph_stats stats[2];
    for (int h = 0; h < 2; h++) {
        CHECK_OK(ph_tick(hosts[h].world, NULL));
        CHECK_OK(ph_world_hash(hosts[h].world, &hash[h]));
        CHECK_OK(ph_world_stats(hosts[h].world, &stats[h]));
    }
    CHECK(hash[0] == hash[1], "%s: hash %" PRIx64 ", %" PRIx64, what, hash[0], hash[1]);
    CHECK(stats[0].applied == stats[1].applied, "%s: applied", what);
    CHECK(stats[0].refused_in_tick == stats[1].refused_in_tick, "%s: refused", what);
    CHECK(stats[0].enters == stats[1].enters && stats[0].leaves == stats[1].leaves, "%s: events", what);
}

static void run(id_form form, uint32_t workers, uint32_t side, uint64_t seed, uint64_t ticks)
{
    host hosts[2];
    char what[96];
    uint64_t rng = seed;
    open_host(&hosts[0], 1, 1);
    open_host(&hosts[1], workers, side);
    for (uint32_t i = 0; i < ENTITIES; i++)
        last[i] = (ph_position){EXTENT * phx_rng_unit(&rng), EXTENT * phx_rng_unit(&rng), 0};
    for (int h = 0; h < 2; h++) enter_all(&hosts[h], form);
    for (uint64_t t = 0; t < ticks; t++) {
        (void)snprintf(what, sizeof what, "seed %" PRIu64 ", ids %d, %u workers, %ux%u shards, tick %" PRIu64, seed,
                       (int)form, workers, side, side, t);
        same(hosts, what);
        if (t % 3 == 1) continue; /* no entity moves: the shards are not prepared for the commands of that tick */
        for (int p = 0; p < PRODUCERS; p++) make_bulk(&bulks[p], form, &rng);
        submit_all(hosts);
    }
    same(hosts, what);
    for (int h = 0; h < 2; h++) CHECK_OK(ph_world_destroy(hosts[h].world));
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t ticks = option_number(argc, argv, "--ticks", TICKS);
    for (int form = 0; form < FORMS; form++) {
        run((id_form)form, 2, 1, seed, ticks);
        run((id_form)form, 5, 3, seed + 1, ticks);
    }
    return check_done("stress_moves");
}
