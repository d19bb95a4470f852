/*
 * phc_may_commit() by threads of the host, as ones that write to its database, while another one ticks the member: its
 * lease is proven, runs out, and is proven again. The answer is of the moment: for TSan, and none of them commits
 * behind the end of the lease that the ticking thread knows of. A gateway never commits.
 *
 * Plain program: exit status 0 or 1, prints failures. Bounded by ticks.
 */
#include <pthread.h>
#include <stdatomic.h>

#include <pharos/cluster.h>

#include "cluster/node_host.h"
#include "support/check.h"

enum { TICK_NS = 50000000, TICKS = 20000, CUT_TICKS = 200, WRITERS = 2, MEMBERS = 2 };

static _Atomic uint64_t now_ns;
/*
 * Odd: no writer may commit. It becomes so behind a phc_tick() that had no proven lease, and even before the store is
 * reached again. It only grows, so a writer knows that all of its question lay within one loss.
 */
static atomic_uint losses;
static atomic_bool is_over;
static atomic_uint commits, late;
static node_host hosts[MEMBERS];

static uint64_t read_clock(void *user)
{
    (void)user;
    return atomic_load(&now_ns);
}

static void *write_rows(void *of)
{
    (void)of;
    while (!atomic_load(&is_over)) {
        const unsigned loss = atomic_load(&losses);
        const bool may = phc_may_commit(hosts[0].member);
        atomic_fetch_add(&commits, may);
        atomic_fetch_add(&late,
                         (may && loss % 2 == 1 && atomic_load(&losses) == loss) || phc_may_commit(hosts[1].member));
    }
    return NULL;
}

static void tick_member(uint32_t i)
{
    phc_event event;
    CHECK_OK(phc_tick(hosts[i].member));
    while (phc_event_next(hosts[i].member, &event)) continue;
    if (hosts[i].world.index1 != 0) CHECK_OK(ph_tick(hosts[i].world, NULL));
    CHECK_OK(phc_told(hosts[i].member));
}

/* Both lose the store at once, so neither puts the other one out. */
static void cut_members(phc_memory *memory, bool cut)
{
    if (!cut && atomic_load(&losses) % 2 == 1) atomic_fetch_add(&losses, 1);
    for (uint32_t i = 0; i < MEMBERS; i++) phc_memory_cut(memory, &hosts[i].store, cut);
}

int main(void)
{
    ph_class class;
    phc_loop *loop;
    phc_memory *memory;
    pthread_t writers[WRITERS];
    uint32_t lost_ticks = 0, proven_ticks = 0;
    const ph_world_def world_def = node_host_world_def(&class, 60, 10);
    phc_def def = node_host_def(&world_def, 1, read_clock);
    atomic_store(&now_ns, TICK_NS);
    node_host_open_ways(&loop, &memory);
    node_host_open(&hosts[0], &def, loop, 64, memory);
    node_host_join(&hosts[1], NULL, loop, 64, memory);
    def.gateway = true;
    REQUIRE(phc_open(&def, hosts[1].world, &hosts[1].transport, &hosts[1].store, &hosts[1].member, NULL, 0) == PH_OK);
    for (uint32_t i = 0; i < WRITERS; i++) REQUIRE(pthread_create(&writers[i], NULL, write_rows, NULL) == 0);
    for (uint32_t tick = 1; tick <= TICKS; tick++) {
        if (tick % CUT_TICKS == 0) cut_members(memory, tick / CUT_TICKS % 2 == 1);
        atomic_fetch_add(&now_ns, TICK_NS);
        phc_memory_step(memory, atomic_load(&now_ns));
        for (uint32_t i = 0; i < MEMBERS; i++) tick_member(i);
        phc_loop_step(loop);
        const bool may = phc_may_commit(hosts[0].member);
        proven_ticks += may;
        lost_ticks += !may;
        const bool is_lost = !may && tick / CUT_TICKS % 2 == 1;
        if (is_lost && atomic_load(&losses) % 2 == 0) atomic_fetch_add(&losses, 1);
    }
    atomic_store(&is_over, true);
    for (uint32_t i = 0; i < WRITERS; i++) REQUIRE(pthread_join(writers[i], NULL) == 0);
    CHECK(proven_ticks > CUT_TICKS && lost_ticks > CUT_TICKS, "proven for %u ticks, lost for %u", proven_ticks,
          lost_ticks);
    CHECK(atomic_load(&late) == 0, "%u rows without a lease", atomic_load(&late));
    CHECK(atomic_load(&commits) > 0, "no row was written");
    node_host_close_all(hosts, MEMBERS, loop, memory);
    return check_done("stress_commit");
}
