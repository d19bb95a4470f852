/*
 * Hosts of tests; see node_host.h.
 */
#include "cluster/node_host.h"

#include <inttypes.h>
#include <string.h>

#include "cluster/walks.h"
#include "support/check.h"

ph_world_def node_host_world_def(ph_class *class, float view, float margin)
{
    ph_world_def def = ph_world_def_default();
    *class = ph_class_default("default");
    class->view = view;
    class->margin = margin;
    def.classes = class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = WALKS_SIZE;
    def.tower_size = 40;
    return def;
}

phc_def node_host_def(const ph_world_def *world_def, uint32_t columns, phc_clock_fn clock)
{
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = world_def;
    def.regions[0] = columns;
    def.regions[1] = 1;
    def.clock = clock;
    return def;
}

void node_host_open_ways(phc_loop **loop, phc_memory **keys)
{
    REQUIRE(phc_loop_create((phc_faults){0}, (ph_allocator){0}, loop) == PH_OK);
    REQUIRE(phc_memory_create((phc_faults){0}, (ph_allocator){0}, keys) == PH_OK);
}

void node_host_join(node_host *host, const ph_world_def *world_def, phc_loop *loop, uint32_t messages, phc_memory *keys)
{
    *host = (node_host){0};
    REQUIRE(!world_def || ph_world_create(world_def, &host->world) == PH_OK);
    REQUIRE(phc_loop_join(loop, messages, &host->transport) == PH_OK && phc_memory_join(keys, &host->store) == PH_OK);
}

static void open_member(node_host *host, const phc_def *def)
{
    char reason[PHC_REASON_SIZE] = "";
    const ph_status status =
        phc_open(def, host->world, &host->transport, &host->store, &host->member, reason, sizeof reason);
    if (status != PH_OK) check_give_up(__FILE__, __LINE__, reason);
    REQUIRE(ph_consumer_open(host->world, 0, &host->consumer) == PH_OK);
}

void node_host_open(node_host *host, const phc_def *def, phc_loop *loop, uint32_t messages, phc_memory *keys)
{
    node_host_join(host, def->world_def, loop, messages, keys);
    open_member(host, def);
    REQUIRE(ph_producer_open(host->world, &host->producer) == PH_OK);
}

void node_host_open_first(node_host *host, const phc_def *def, phc_loop *loop, uint32_t messages, phc_memory *keys)
{
    node_host_join(host, def->world_def, loop, messages, keys);
    REQUIRE(ph_producer_open(host->world, &host->producer) == PH_OK);
    open_member(host, def);
}

void node_host_end_round(const node_host *host)
{
    const ph_batch *batch;
    REQUIRE(ph_tick(host->world, NULL) == PH_OK);
    while (ph_batch_take(host->consumer, &batch) == PH_OK) REQUIRE(ph_batch_return(host->consumer, batch) == PH_OK);
    REQUIRE(phc_told(host->member) == PH_OK);
}

void node_host_close(node_host *host)
{
    if (!host->transport.close) return;
    phc_close(host->member);
    host->member = NULL;
    host->transport.close(host->transport.user);
    host->transport = (phc_transport){0};
    host->store.close(host->store.user);
    if (host->world.index1 != 0) CHECK_OK(ph_world_destroy(host->world));
}

void node_host_close_all(node_host *hosts, uint32_t count, phc_loop *loop, phc_memory *keys)
{
    for (uint32_t i = 0; i < count; i++) node_host_close(&hosts[i]);
    phc_loop_destroy(loop);
    phc_memory_destroy(keys);
}

/* ---- clients ---- */

static void hear_change(clients *all, const ph_batch *batch, const ph_change *change, const char *when)
{
    bool *told = all->told[change->observer];
    if (change->flags & PH_CHANGE_FRESH) clients_forget(all, change->observer);
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const ph_target *target = &batch->targets[change->first + i];
        const bool enters = i >= change->leave_count;
        CHECK(told[target->id] != enters, "%s: observer %" PRIu64 " is told %s %" PRIu64, when, change->observer,
              enters ? "twice of" : "to forget an untold", target->id);
        CHECK(all->user_data_times == 0 || target->user_data == target->id * all->user_data_times,
              "%s: another user data", when);
        told[target->id] = enters;
        all->events++;
    }
}

void clients_hear(clients *all, const ph_batch *batch, const char *when)
{
    for (uint32_t i = 0; i < batch->change_count; i++) hear_change(all, batch, &batch->changes[i], when);
}

void clients_number(clients *all, phc *member, const ph_batch *batch, const char *when)
{
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const uint64_t id = batch->changes[i].observer;
        phc_feed feed = {0}, *last = &all->last[id];
        const ph_status status = phc_feed_next(member, id, &feed);
        if (status != PH_OK) {
            CHECK(!phc_owns(member, id), "%s: no number for %" PRIu64 ": %s", when, id, ph_status_name(status));
            continue;
        }
        CHECK(feed.ownership == phc_ownership(member, id) && feed.begun <= feed.ownership, "%s: a feed of later", when);
        CHECK(feed.begun == last->begun ? feed.number == last->number + 1 : feed.begun > last->begun,
              "%s: change %" PRIu64 " of %" PRIu64 " follows %" PRIu64, when, feed.number, id, last->number);
        all->feeds += feed.begun != last->begun;
        *last = feed;
    }
}

void clients_take(clients *all, const node_host *node, const char *when)
{
    const ph_batch *batch;
    while (ph_batch_take(node->consumer, &batch) == PH_OK) {
        clients_hear(all, batch, when);
        clients_number(all, node->member, batch, when);
        CHECK_OK(ph_batch_return(node->consumer, batch));
    }
}

void clients_forget(clients *all, uint64_t observer)
{
    memset(all->told[observer], 0, sizeof all->told[observer]);
}

uint32_t clients_list(ph_world world, uint64_t observer, bool listed[CLIENTS_IDS])
{
    uint64_t ids[CLIENTS_IDS];
    uint32_t count = 0;
    memset(listed, 0, CLIENTS_IDS * sizeof *listed);
    CHECK_OK(ph_list(world, observer, ids, CLIENTS_IDS, &count));
    for (uint32_t i = 0; i < count; i++) listed[ids[i]] = true;
    return count;
}

uint32_t clients_compare(const clients *all, ph_world world, uint64_t observer, bool listed[CLIENTS_IDS],
                         const char *when)
{
    const uint32_t count = clients_list(world, observer, listed);
    CHECK(memcmp(listed, all->told[observer], sizeof all->told[observer]) == 0,
          "%s: the client of %" PRIu64 " has another list", when, observer);
    return count;
}
