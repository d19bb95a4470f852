/*
 * The bound of an exchange's cost: shards in a row, each with links into the next one,
 * as many as need a different number of rounds each. The rounds are the ones of the largest
 * sender, copies come once each, and once nothing changes nothing is sent.
 *
 * Plain program: exit status 0 or 1, prints failures.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

enum { SHARDS = 5, UNIT = 140, SIDE = 1000 };

/* Links per shard: UNIT times these, so that no two shards need the same rounds. */
static const uint32_t share[SHARDS] = {11, 13, 17, 19, 23};

static ph_world world;
static ph_producer producer;
static int failures;

static void expect(bool ok, const char *what, uint64_t got, uint64_t bound)
{
    if (ok) return;
    failures++;
    (void)fprintf(stderr, "exchange_rounds: %s: %" PRIu64 ", bound %" PRIu64 "\n", what, got, bound);
}

static void must(ph_status status, const char *what)
{
    expect(status == PH_OK, what, (uint64_t)status, PH_OK);
}

static ph_stats stats(void)
{
    ph_stats now = {0};
    must(ph_world_stats(world, &now), "stats");
    return now;
}

/* One tick; the rounds and copies that it added. */
static ph_stats tick(void)
{
    ph_stats before = stats(), after;
    must(ph_tick(world, NULL), "tick");
    after = stats();
    after.exchange_rounds -= before.exchange_rounds;
    after.halo_records -= before.halo_records;
    return after;
}

static void make_world(void)
{
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = SIDE * SHARDS;
    def.world_size[1] = SIDE;
    def.shards[0] = SHARDS;
    def.exchange_bytes = 16384; /* the least: four blocks */
    def.consumers = 0;
    must(ph_world_create(&def, &world), "create");
    must(ph_producer_open(world, &producer), "open");
}

int main(void)
{
    uint64_t first[SHARDS], id = 1, links = 0;
    make_world();
    for (uint32_t s = 0; s < SHARDS; s++) {
        first[s] = id;
        for (uint32_t i = 0; i < UNIT * share[s]; i++) {
            ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .view = 1};
            attrs.x = (float)(SIDE * s + SIDE / 2);
            attrs.y = (float)(i % 900) + 20.0f;
            must(ph_enter(producer, id++, &attrs), "enter");
        }
    }
    (void)tick();
    for (uint32_t s = 0; s < SHARDS; s++) {
        uint32_t next = (s + 1) % SHARDS;
        for (uint32_t i = 0; i < UNIT * share[s]; i++, links++)
            must(ph_link(producer, first[s] + i, first[next] + i % (UNIT * share[next])), "link");
    }
    /* four blocks of about 30 records a round: the largest sender's share of pins, then of copies */
    uint64_t rounds_max = 2 * (UNIT * 23 / 100 + 2);
    ph_stats linked = tick();
    expect(linked.exchange_rounds <= rounds_max, "rounds of the tick that links", linked.exchange_rounds, rounds_max);
    expect(linked.halo_records <= links, "copies of the tick that links", linked.halo_records, links);
    expect(linked.halo_records >= links / 2, "copies of the tick that links, at least", linked.halo_records, links / 2);
    expect(linked.list_entries >= links, "links seen", linked.list_entries, links);
    ph_stats settled = tick();
    expect(settled.halo_records == 0, "copies of a tick in which nothing changed", settled.halo_records, 0);
    must(ph_move(producer, first[1], SIDE + 501.0f, 20.0f, 0.0f), "move");
    ph_stats moved = tick();
    expect(moved.halo_records > 0, "copies after a move of a linked target", moved.halo_records, 1);
    expect(moved.halo_records <= UNIT * 23, "copies after a move, at most its shard's", moved.halo_records, UNIT * 23);
    must(ph_world_destroy(world), "destroy");
    printf("exchange_rounds: %s\n", failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? 0 : 1;
}
