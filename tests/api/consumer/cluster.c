/* A host of a cluster of one node: built against the installed pharos_cluster. Exit status 0 = as expected. */
#include <pharos/cluster.h>

enum { ROUNDS = 200, ROUND_MS = 50 };

static uint64_t now_ns;

static uint64_t clock_of(void *user)
{
    (void)user;
    return now_ns;
}

int main(void)
{
    const ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    phc_transport transport;
    phc_store store;
    phc_loop *loop;
    phc_memory *memory;
    phc_event event;
    ph_world world;
    phc *member;
    bool owns = false;
    def.name = "world";
    def.world_def = &world_def;
    def.clock = clock_of;
    if (phc_loop_create((phc_faults){.seed = 1}, (ph_allocator){0}, &loop) != PH_OK ||
        phc_memory_create((phc_faults){.seed = 1}, (ph_allocator){0}, &memory) != PH_OK ||
        phc_loop_join(loop, 16, &transport) != PH_OK || phc_memory_join(memory, &store) != PH_OK ||
        ph_world_create(&world_def, &world) != PH_OK ||
        phc_open(&def, world, &transport, &store, &member, NULL, 0) != PH_OK)
        return 1;
    for (int round = 0; round < ROUNDS && !owns; round++) {
        now_ns += (uint64_t)ROUND_MS * 1000000;
        phc_memory_step(memory, now_ns);
        phc_loop_step(loop);
        if (phc_tick(member) != PH_OK) return 1;
        while (phc_event_next(member, &event))
            if (event.kind == PHC_EVENT_JOINED &&
                phc_enter(member, 1, &(ph_attrs){.given = PH_X | PH_Y, .x = 5, .y = 5}, 0) != PH_OK)
                return 1;
        if (ph_tick(world, NULL) != PH_OK || phc_told(member) != PH_OK) return 1;
        owns = phc_owns(member, 1) && phc_may_commit(member);
    }
    phc_close(member); /* before its transport, its store and its world */
    transport.close(transport.user);
    store.close(store.user);
    phc_loop_destroy(loop);
    phc_memory_destroy(memory);
    return owns && ph_world_destroy(world) == PH_OK ? 0 : 1;
}
