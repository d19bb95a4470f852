/*
 * The order of a schedule, and its faults; see sim.h.
 */
#include "cluster/sim.h"

#include <string.h>

#include "base/rng.h"

enum {
    KILL_ONE_IN = 150,
    PAUSE_ONE_IN = 80,
    PAUSE_TICKS = 60,
    CUT_ONE_IN = 40,
    CUT_TICKS = 40,
    STORE_CUT_ONE_IN = 80,
    STORE_CUT_TICKS = 60,
    RESTART_TICKS = 30,
    LINK_TICKS = 30, /* less than cuts last, and pauses */
    CLOCK_OFFSET_TICKS = 100000,
    MEMORY_FAULTS_ONE_IN = 8, /* schedules in which allocations fail */
    DEATHS_ONE_IN = 8,        /* seeds in which processes that restore die, and others beside them */
    DEATHS_SEED = 3,          /* of so many */
    WIDE_ONE_IN = 8,          /* seeds with a node more: up to six */
    WIDE_SEED = 6,            /* of so many; seeds that tests run alone stay the same schedules */
    DIES_ONE_IN = 20,         /* ticks in which a process has regions to restore */
    ALLOCATION_FAILS_ONE_IN = 5
};

bool sim_chance(sim_schedule *sim, uint32_t one_in)
{
    return phx_rng_below(&sim->rng, one_in) == 0;
}

uint32_t sim_below(sim_schedule *sim, uint32_t bound)
{
    return phx_rng_below(&sim->rng, bound);
}

uint64_t sim_now(const sim_schedule *sim, const sim_process *process)
{
    return (sim->tick + process->clock_offset) * SIM_TICK_NS;
}

void sim_violate(sim_schedule *sim, const char *violation)
{
    if (!sim->violation) sim->violation = violation;
}

static bool fails_by_chance(void *asked)
{
    sim_schedule *of = asked;
    return !of->is_calm && sim_chance(of, ALLOCATION_FAILS_ONE_IN);
}

static void stop_process(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    if (!process->used) return;
    sim_store_leave(sim, slot);
    sim->counts.overtaken += process->node.counts.overtaken;
    phx_node_free(&process->node);
    sim_clients_end(sim, process);
    if (!fail_alloc_clean(&process->memory)) sim_violate(sim, "a node leaks");
    process->used = process->alive = false;
}

static void start_process(sim_schedule *sim, uint32_t slot, bool memory_fails)
{
    sim_process *process = &sim->processes[slot];
    const bool gateway = process->gateway;
    stop_process(sim, slot);
    *process = (sim_process){.used = true, .alive = true, .gateway = gateway};
    process->clock_offset = sim_below(sim, CLOCK_OFFSET_TICKS);
    if (memory_fails) {
        process->memory.fails = fails_by_chance;
        process->memory.asked = sim;
    }
    sim_clients_begin(process);
    sim_store_register(sim, slot);
    const phx_node_def def = {.member = sim->store.registered[slot].member,
                              .freezes = sim_chance(sim, 2),
                              .unacked_max = 1 + sim_below(sim, 8),
                              .link_ns =
                                  sim_chance(sim, 2) ? (LINK_TICKS + sim_below(sim, LINK_TICKS)) * SIM_TICK_NS : 0,
                              .allocator = fail_alloc_hooks(&process->memory)};
    phx_node_init(&process->node, &def);
    sim_store_attach(sim, slot);
}

static void begin_schedule(sim_schedule *sim, uint64_t seed)
{
    const bool dies = seed % DEATHS_ONE_IN == DEATHS_SEED;
    *sim = (sim_schedule){.seed = seed,
                          .rng = seed * 0x9e3779b97f4a7c15u + 1,
                          .copies_rng = ~seed,
                          .tick = 1,
                          .restores_late = seed % 2 == 0 || dies,
                          .deaths = dies ? seed : 0};
    const uint32_t nodes = 2 + sim_below(sim, 4) + (seed % WIDE_ONE_IN == WIDE_SEED ? 1 : 0);
    const uint32_t gateways = 1 + sim_below(sim, 2);
    const bool memory_fails = sim_chance(sim, MEMORY_FAULTS_ONE_IN);
    sim->process_count = nodes + gateways;
    sim->region_count = nodes + sim_below(sim, SIM_REGIONS_MAX - nodes + 1);
    sim->entity_count = 1 + sim_below(sim, SIM_ENTITIES_MAX);
    phx_cluster_map_init(&sim->store.map, sim->region_count, 1);
    sim_store_begin(sim);
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        sim->processes[slot].gateway = slot >= nodes;
        start_process(sim, slot, memory_fails);
    }
}

static bool is_restoring(const sim_schedule *sim, const sim_process *process)
{
    bool some = false;
    for (uint32_t region = 0; region < sim->region_count; region++) some |= process->restoring[region] != 0;
    return process->alive && some;
}

/*
 * A process that restores the entities of a dead one dies before it is done, or another one does, and so on. Numbers
 * are not the schedule's: all other seeds are the same schedules as they were before.
 */
static void kill_restoring(sim_schedule *sim)
{
    if (sim->deaths == 0 || sim->is_calm || sim->only_hangs) return;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        if (!is_restoring(sim, &sim->processes[slot]) || phx_rng_below(&sim->deaths, DIES_ONE_IN) != 0) continue;
        const uint32_t other = (uint32_t)phx_rng_below(&sim->deaths, sim->process_count);
        sim_process *dies = &sim->processes[phx_rng_below(&sim->deaths, 2) == 0 ? slot : other];
        sim->counts.died += dies->alive;
        dies->alive = false;
    }
}

static void draw_faults(sim_schedule *sim)
{
    if (sim->is_calm || sim->only_hangs) return;
    sim_process *process = &sim->processes[sim_below(sim, sim->process_count)];
    if (sim_chance(sim, KILL_ONE_IN)) process->alive = false;
    if (sim_chance(sim, PAUSE_ONE_IN)) process->paused_until = sim->tick + 1 + sim_below(sim, PAUSE_TICKS);
    if (sim_chance(sim, STORE_CUT_ONE_IN)) process->store_cut_until = sim->tick + 1 + sim_below(sim, STORE_CUT_TICKS);
    if (sim_chance(sim, CUT_ONE_IN))
        sim->cut_until[sim_below(sim, sim->process_count)][sim_below(sim, sim->process_count)] =
            sim->tick + 1 + sim_below(sim, CUT_TICKS);
}

/* A process that ended starts again once its old registration is out of the store. */
static void restart_process(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    if (!sim_store_is_free(sim, slot)) return;
    if (process->start_at == 0) process->start_at = sim->tick + 1 + sim_below(sim, RESTART_TICKS);
    if (process->start_at <= sim->tick) start_process(sim, slot, process->memory.fails != NULL);
}

static void step_schedule(sim_schedule *sim)
{
    draw_faults(sim);
    kill_restoring(sim);
    sim_store_step(sim);
    if (sim->is_over) return;
    for (uint32_t i = 0, first = sim_below(sim, sim->process_count); i < sim->process_count; i++) {
        const uint32_t slot = (first + i) % sim->process_count;
        sim_process *process = &sim->processes[slot];
        if (!process->alive) restart_process(sim, slot);
        else if (process->paused_until <= sim->tick || sim->is_calm) sim_host_step(sim, slot);
    }
    sim_check_step(sim);
}

bool sim_run(sim_schedule *sim, uint64_t seed)
{
    begin_schedule(sim, seed);
    for (; sim->tick <= SIM_TICKS + sim->calm_ticks && !sim->violation && !sim->is_over; sim->tick++) {
        sim->is_calm = sim->tick > SIM_TICKS;
        step_schedule(sim);
    }
    if (!sim->violation && !sim->is_over) sim_check_end(sim);
    if (!sim->violation && !sim->is_over) sim_copies_double(sim);
    for (uint64_t end = sim->tick + SIM_FOUND_TICKS; sim->doubled != 0 && sim->tick < end && !sim->violation;
         sim->tick++)
        step_schedule(sim);
    if (sim->doubled != 0 && sim->found_double < 2) sim_violate(sim, "a node does not find an entity that is double");
    for (uint32_t slot = 0; slot < sim->process_count; slot++) stop_process(sim, slot);
    sim_store_end(sim);
    sim_net_free(sim);
    return sim->violation == NULL;
}
