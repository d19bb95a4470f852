/*
 * A member from its opening to its close; see cluster.h. One block of memory has all of it but what grows.
 */
#include "cluster/member/phc_state.h"

#include <stdio.h>
#include <string.h>

#include "base/cluster_rules.h"
#include "cluster/halo/halo.h"
#include "cluster/member/definition.h"
#include "cluster/member/phc_clock.h"
#include "cluster/member/phc_def.h"
#include "cluster/membership/membership.h"

enum {
    UNACKED_MAX = 1024, /* entities on their way to one peer: a bound of memory where it does not answer */
    GRACE_TICKS = 4, /* above the lag on both sides: copies that cross into the halo of a third node do not flicker */
    NS_IN_MS = 1000000
};
/* Reports come every two seconds: so at least four of them are behind the last move, and a node's pause is none. */
static const uint64_t BALANCE_NS = 10000000000;

static phx_region_grid grid_of(const phc_def *def)
{
    const ph_world_def *world = def->world_def;
    return (phx_region_grid){.origin = {world->world_origin[0], world->world_origin[1]},
                             .size = {world->world_size[0], world->world_size[1]},
                             .columns = def->regions[0],
                             .rows = def->regions[1]};
}

static phx_halo_def halo_def_of(phc *member)
{
    const phc_def *def = &member->def;
    const float width = def->halo > 0.0f ? def->halo : phx_cluster_least_halo(def);
    return (phx_halo_def){.world = member->world,
                          .node = &member->node,
                          .grid = member->grid,
                          .width = width,
                          .margin = def->hand_over_margin,
                          .speed_max = def->speed_max,
                          .reach = phx_cluster_reach_within(def, width),
                          .view = phx_cluster_view_within(def, width),
                          .grace_ticks = 2 * def->lag_max + GRACE_TICKS,
                          .passed_ticks = def->lag_max + GRACE_TICKS,
                          .quiet_ticks = def->silent_ticks,
                          .pack = def->pack,
                          .pack_user = def->pack_user,
                          .allocator = def->allocator};
}

/* false: no memory. */
static bool begin_parts(phc *member, const phc_store *store)
{
    const phc_def *def = &member->def;
    const phx_membership_def membership = {.store = *store,
                                           .world = member->name,
                                           .number = def->number,
                                           .gateway = def->gateway,
                                           .region_count = def->regions[0] * def->regions[1],
                                           .columns = def->regions[0],
                                           .lease_ms = def->lease_ms,
                                           .definition = phx_definition_number(def),
                                           .definition_text = member->definition,
                                           .definition_size =
                                               phx_definition_text(def, member->definition, sizeof member->definition),
                                           .list_ns = (uint64_t)def->list_ms * NS_IN_MS,
                                           .adopts = def->adopt_map,
                                           .balance_ns = def->balance && !def->gateway ? BALANCE_NS : 0,
                                           .allocator = def->allocator};
    const phx_halo_def halo = halo_def_of(member);
    const phx_node_def node = {.member = {.number = def->number, .gateway = def->gateway},
                               .freezes = def->store_loss == PHC_FREEZE,
                               .unacked_max = UNACKED_MAX,
                               .link_ns = (uint64_t)def->link_timeout_ms * NS_IN_MS,
                               .allocator = def->allocator};
    phx_node_init(&member->node, &node);
    phx_halo_init(&member->halo, &halo);
    phx_item_queue_init(&member->events, &member->mem);
    phx_item_queue_init(&member->arrivals, &member->mem);
    return phx_membership_init(&member->membership, &membership, &member->node);
}

static void free_member(phc *member)
{
    phx_mem *mem = &member->mem, outer; /* the member's own memory is in the block that is released */
    phx_membership_free(&member->membership);
    phx_halo_free(&member->halo);
    phx_node_free(&member->node);
    phx_item_queue_free(&member->events);
    phx_item_queue_free(&member->arrivals);
    phx_release(mem, (void **)&member->kept, &member->kept_capacity, sizeof *member->kept);
    phx_release(mem, (void **)&member->leavers, &member->leaver_capacity, sizeof *member->leavers);
    phx_mem_init(&outer, member->def.allocator);
    atomic_store_explicit(&outer.bytes, sizeof *member, memory_order_relaxed);
    phx_free(&outer, member, sizeof *member, _Alignof(phc));
}

static phc *make_member(const phc_def *def, ph_world world, const phc_transport *transport)
{
    phx_mem mem;
    phx_mem_init(&mem, def->allocator);
    phc *member = phx_alloc_zero(&mem, sizeof *member, _Alignof(phc));
    if (!member) return NULL;
    phx_mem_init(&member->mem, def->allocator);
    memcpy(member->name, def->name, strlen(def->name) + 1);
    member->def = *def;
    member->def.name = member->name;
    if (!def->clock) member->def.clock = phx_phc_clock;
    member->world = world;
    member->entities_max = def->world_def->entities_max;
    member->transport = *transport;
    member->grid = grid_of(def);
    return member;
}

static bool has_functions(const phc_transport *transport, const phc_store *store)
{
    return transport->listen && transport->send && transport->poll && store->get && store->list && store->cas &&
           store->lease_open && store->lease_renew && store->lease_end && store->poll;
}

/* Remote entities are the library's: it would neither move nor remove ones that it has not entered. */
static ph_status check_world(ph_world world, char *reason, size_t reason_size)
{
    ph_stats stats;
    const ph_status status = ph_world_stats(world, &stats);
    if (status != PH_OK || stats.remote == 0) return status;
    if (reason)
        (void)snprintf(reason, reason_size, "the world has %llu remote entities: of an image, or of a member before",
                       (unsigned long long)stats.remote);
    return PH_BAD_DEF;
}

ph_status phc_open(const phc_def *def, ph_world world, const phc_transport *transport, const phc_store *store,
                   phc **member, char *reason, size_t reason_size)
{
    if (!def || !transport || !store || !member || !has_functions(transport, store)) return PH_BAD_ARGUMENT;
    if (!phx_phc_def_check(def, world.index1 != 0, reason, reason_size)) return PH_BAD_DEF;
    ph_status status = def->gateway ? PH_OK : check_world(world, reason, reason_size);
    if (status != PH_OK) return status;
    phc *made = make_member(def, world, transport);
    if (!made) return PH_NO_MEMORY;
    status = begin_parts(made, store) ? PH_OK : PH_NO_MEMORY;
    if (status == PH_OK && !def->gateway) status = ph_producer_open(world, &made->producer);
    made->halo.def.producer = made->producer;
    made->def.world_def = NULL; /* the host's, for this call alone */
    if (status == PH_OK) *member = made;
    else free_member(made);
    return status;
}

void phc_close(phc *member)
{
    if (!member) return;
    phx_membership_leave(&member->membership);
    if (!member->def.gateway) (void)ph_producer_close(member->producer); /* the host may have destroyed the world */
    free_member(member);
}
