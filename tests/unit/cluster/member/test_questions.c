/*
 * Questions which node has an entity (phc_who_has()), of two members in one process: when they have their answer, and
 * which bytes of other nodes change nothing.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, JOIN_TICKS = 60 };

static struct pair {
    uint64_t now_ns;
    phc_loop *loop;
    phc_memory *memory;
    ph_class class;
    ph_world_def world_def;
    fail_alloc counted;
    ph_world worlds[2];
    phc_transport transports[2];
    phc_store stores[2];
    phc *asking, *asked;
} pair;

static uint64_t pair_clock(void *user)
{
    (void)user;
    return pair.now_ns;
}

static phc *open_one(uint32_t at)
{
    phc_def def = phc_def_default();
    phc *member = NULL;
    def.name = "pair";
    def.world_def = &pair.world_def;
    def.regions[0] = 2;
    def.regions[1] = 1;
    def.clock = pair_clock;
    def.allocator = fail_alloc_hooks(&pair.counted);
    cr_assert_eq(ph_world_create(&pair.world_def, &pair.worlds[at]), PH_OK);
    cr_assert_eq(phc_loop_join(pair.loop, 1024, &pair.transports[at]), PH_OK);
    cr_assert_eq(phc_memory_join(pair.memory, &pair.stores[at]), PH_OK);
    cr_assert_eq(phc_open(&def, pair.worlds[at], &pair.transports[at], &pair.stores[at], &member, NULL, 0), PH_OK);
    return member;
}

static void step_one(phc *member, ph_world world)
{
    cr_assert_eq(phc_tick(member), PH_OK);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(phc_told(member), PH_OK);
}

static void step_pair(void)
{
    pair.now_ns += TICK_NS;
    phc_memory_step(pair.memory, pair.now_ns);
    step_one(pair.asking, pair.worlds[0]);
    step_one(pair.asked, pair.worlds[1]);
    phc_loop_step(pair.loop);
}

static void begin_pair(void)
{
    pair = (struct pair){.now_ns = TICK_NS, .class = ph_class_default("default"), .world_def = ph_world_def_default()};
    pair.class.view = 50;
    pair.world_def.classes = &pair.class;
    pair.world_def.class_count = 1;
    pair.world_def.world_size[0] = pair.world_def.world_size[1] = 1000;
    pair.world_def.consumers = 0;
    cr_assert_eq(phc_loop_create((phc_faults){0}, (ph_allocator){0}, &pair.loop), PH_OK);
    cr_assert_eq(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &pair.memory), PH_OK);
    pair.asking = open_one(0);
    pair.asked = open_one(1);
    for (uint32_t i = 0; i < JOIN_TICKS; i++) step_pair();
    cr_assert(phc_number(pair.asking) != 0 && phc_number(pair.asked) != 0);
}

static void end_pair(void)
{
    phc_close(pair.asking);
    phc_close(pair.asked);
    for (uint32_t i = 0; i < 2; i++) {
        pair.transports[i].close(pair.transports[i].user);
        pair.stores[i].close(pair.stores[i].user);
        cr_assert_eq(ph_world_destroy(pair.worlds[i]), PH_OK);
    }
    phc_loop_destroy(pair.loop);
    phc_memory_destroy(pair.memory);
    cr_assert(fail_alloc_clean(&pair.counted));
}

TestSuite(questions, .init = begin_pair, .fini = end_pair);

/* Is there an answer? */
static bool take_reply(phc *member)
{
    phc_event event;
    while (phc_event_next(member, &event))
        if (event.kind == PHC_EVENT_WHO_HAS) return true;
    return false;
}

/* A member was put out behind the loss that the host asks for: the other one may still hear it. */
Test(questions, there_is_no_answer_before_the_map_barrier)
{
    const uint64_t id = 1;
    phx_cluster_map *map = &pair.asking->node.map;
    const uint32_t fence = map->fence;
    map->fence = map->version + 1; /* no member has shown it */
    cr_assert_eq(phc_who_has(pair.asking, &id, 1), PH_OK);
    for (uint32_t i = 0; i < 20; i++) step_pair();
    cr_assert_eq(pair.asking->question.answered_count, 1);
    cr_assert_not(take_reply(pair.asking));
    map->fence = fence;
    step_pair();
    cr_assert(take_reply(pair.asking));
}
