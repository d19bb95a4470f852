/*
 * A node and a gateway; see node_bed.h.
 */
#include "node_bed.h"

#include <criterion/criterion.h>

enum { TICK_NS = 50000000, ROUNDS = 20 };

static uint64_t read_clock(void *user)
{
    return *(uint64_t *)user;
}

static phc *open_member(node_bed *bed, uint32_t place, ph_world world, const ph_world_def *world_def)
{
    phc *member = NULL;
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = world_def;
    def.gateway = world.index1 == 0;
    def.clock = read_clock;
    def.clock_user = &bed->now_ns;
    cr_assert_eq(phc_loop_join(bed->loop, 64, &bed->transports[place]), PH_OK);
    cr_assert_eq(phc_memory_join(bed->memory, &bed->stores[place]), PH_OK);
    cr_assert_eq(phc_open(&def, world, &bed->transports[place], &bed->stores[place], &member, NULL, 0), PH_OK);
    return member;
}

void node_bed_run(node_bed *bed)
{
    phc_event event;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        phc_memory_step(bed->memory, bed->now_ns += TICK_NS);
        phc_loop_step(bed->loop);
        cr_assert(phc_tick(bed->node) == PH_OK && phc_tick(bed->gateway) == PH_OK);
        while (phc_event_next(bed->node, &event) || phc_event_next(bed->gateway, &event)) {
        }
        cr_assert_eq(ph_tick(bed->world, NULL), PH_OK);
        cr_assert(phc_told(bed->node) == PH_OK && phc_told(bed->gateway) == PH_OK);
    }
}

void node_bed_open(node_bed *bed)
{
    static ph_world_def def;
    *bed = (node_bed){.now_ns = 1};
    def = ph_world_def_default();
    cr_assert_eq(phc_loop_create((phc_faults){.seed = 1}, (ph_allocator){0}, &bed->loop), PH_OK);
    cr_assert_eq(phc_memory_create((phc_faults){.seed = 1}, (ph_allocator){0}, &bed->memory), PH_OK);
    cr_assert_eq(ph_world_create(&def, &bed->world), PH_OK);
    bed->node = open_member(bed, 0, bed->world, &def);
    bed->gateway = open_member(bed, 1, (ph_world){0}, &def);
    node_bed_run(bed);
    cr_assert(phc_registration(bed->node) != 0 && phc_registration(bed->gateway) != 0);
}

void node_bed_close(node_bed *bed)
{
    phc_close(bed->node);
    phc_close(bed->gateway);
    for (uint32_t i = 0; i < 2; i++) {
        bed->transports[i].close(bed->transports[i].user);
        bed->stores[i].close(bed->stores[i].user);
    }
    (void)ph_world_destroy(bed->world);
    phc_loop_destroy(bed->loop);
    phc_memory_destroy(bed->memory);
}
