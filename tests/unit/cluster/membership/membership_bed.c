/*
 * The processes of tests of membership; see membership_bed.h.
 */
#include "unit/cluster/membership/membership_bed.h"

#include <string.h>

#include "cluster/node/exchange.h"
#include "cluster/node/links.h"
#include "cluster/node/map_barrier.h"

membership_bed bed;

void bed_begin(void)
{
    bed = (membership_bed){.lease_ms = LEASE_MS};
    cr_assert_eq(phc_memory_create((phc_faults){0}, fail_alloc_hooks(&bed.allocator), &bed.memory), PH_OK);
}

void bed_start(uint32_t at, uint16_t number, uint32_t regions, uint64_t definition, bool gateway)
{
    process *of = &bed.processes[at];
    *of = (process){.runs = true};
    cr_assert_eq(phc_memory_join(bed.memory, &of->store), PH_OK);
    const phx_node_def node = {.member = {.number = number, .gateway = gateway},
                               .formats = bed.formats,
                               .unacked_max = 8,
                               .link_ns = (uint64_t)bed.link_ticks * TICK_NS,
                               .allocator = fail_alloc_hooks(&bed.allocator)};
    phx_node_init(&of->node, &node);
    const phx_membership_def def = {.store = of->store,
                                    .world = "unit",
                                    .number = number,
                                    .gateway = gateway,
                                    .region_count = regions,
                                    .columns = REGIONS / 2,
                                    .lease_ms = bed.lease_ms,
                                    .definition = definition,
                                    .list_ns = (uint64_t)(bed.list_ticks > 0 ? bed.list_ticks : 1) * TICK_NS,
                                    .adopts = bed.adopts,
                                    .balance_ns = (uint64_t)bed.balance_ticks * TICK_NS,
                                    .allocator = fail_alloc_hooks(&bed.allocator)};
    cr_assert(phx_membership_init(&of->membership, &def, &of->node));
}

static void tick_processes(void)
{
    for (uint32_t at = 0; at < PLACES; at++) {
        if (!bed.processes[at].runs) continue;
        phx_membership_tick(&bed.processes[at].membership, bed.now);
        phx_map_barrier_begin(&bed.processes[at].node, bed.now);
        phx_links_tick(&bed.processes[at].node, bed.now, true);
    }
}

static void beat(uint32_t from)
{
    unsigned char bytes[PHX_WIRE_HEAD_BYTES + (PLACES + 1) * sizeof(uint64_t)];
    const size_t size = phx_exchange_heartbeat(&bed.processes[from].node, bytes, sizeof bytes);
    for (uint32_t to = 0; size > 0 && to < PLACES; to++)
        if (to != from && bed.processes[to].runs && !bed.cut[from][to])
            phx_exchange_receive(&bed.processes[to].node, bytes, size);
}

void bed_run(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        phc_memory_step(bed.memory, bed.now += TICK_NS);
        tick_processes();
        for (uint32_t at = 0; at < PLACES && bed.link_ticks > 0; at++)
            if (bed.processes[at].runs) beat(at);
    }
}

void bed_close(uint32_t at)
{
    process *of = &bed.processes[at];
    if (!of->membership.node) return;
    phx_membership_free(&of->membership);
    phx_node_free(&of->node);
    of->store.close(of->store.user);
    *of = (process){0};
}

void bed_end(void)
{
    for (uint32_t at = 0; at < PLACES; at++) bed_close(at);
    phc_memory_destroy(bed.memory);
    if (!fail_alloc_clean(&bed.allocator)) abort();
}

void bed_hang(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        bed.now += TICK_NS;
        tick_processes();
    }
}

uint32_t bed_keys(const char *prefix)
{
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->key_count; i++) count += strncmp(table->keys[i].key, prefix, strlen(prefix)) == 0;
    return count;
}

bool bed_has_lease(uint64_t lease)
{
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->lease_count; i++)
        if (table->leases[i].lease == lease) return true;
    return false;
}
