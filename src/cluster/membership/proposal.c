/*
 * Proposed maps; see proposal.h.
 */
#include "cluster/membership/proposal.h"

#include "cluster/map/eras.h"
#include "cluster/map/map_changes.h"
#include "cluster/membership/adoption.h"
#include "cluster/membership/balancer.h"
#include "cluster/membership/comeback.h"
#include "cluster/membership/joining.h"
#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"
#include "cluster/node/links.h"

/* Of silent links: a member finds one out up to a list later than another one, and tells it up to a list later. */
enum { SETTLE_LISTS = 3 };

/* An expelled member ends its lease as it reads the map, or can not renew it: it is out within one, and some lists. */
enum { EXPELLED_LEASES = 2 };

/* The proposal begins with its first change: mostly there is none. */
static phx_cluster_map *copy_map(phx_membership *membership, const phx_cluster_map *map)
{
    if (!membership->is_copied) {
        membership->proposed = *map;
        membership->counts.maps_copied++;
    }
    membership->is_copied = true;
    return &membership->proposed;
}

/* The proposal, as far as it has come. */
static const phx_cluster_map *proposed_map(const phx_membership *membership, const phx_cluster_map *map)
{
    return membership->is_copied ? &membership->proposed : map;
}

static uint32_t count_dead(const phx_membership *membership, const phx_cluster_map *map)
{
    uint32_t dead = 0;
    for (uint32_t i = 0; i < map->member_count; i++) dead += !phx_listed_has(membership, &map->members[i]);
    return dead;
}

static bool has_expelled(const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < map->member_count; i++)
        if (map->members[i].expelled) return true;
    return false;
}

/* One that renews its lease and reads no map does not go: it is not waited for for ever. */
static bool awaits_expelled(phx_membership *membership, const phx_cluster_map *map)
{
    if (!has_expelled(map)) membership->expelled_since = membership->now;
    return has_expelled(map) &&
           membership->now - membership->expelled_since < EXPELLED_LEASES * phx_lease_ns_max(membership);
}

/* Since the last call a member has gone that had a silent link: as one that was expelled, which this member may have
 * missed. One that left for another reason has none. */
static bool has_lost_links(phx_membership *membership, const phx_cluster_map *map)
{
    const uint32_t count = phx_links_count(membership->node, map);
    const bool lost = map->fence != membership->whole_fence && count < membership->whole_links;
    membership->whole_fence = map->fence;
    membership->whole_links = count;
    return lost;
}

static bool put_dead_out(phx_membership *membership, const phx_cluster_map *map)
{
    /* Where all leases ended at once, all but this one would be dead. */
    if (count_dead(membership, map) == 0 || !phx_lease_is_steady(membership)) membership->lists_with_dead = 0;
    else membership->lists_with_dead++;
    if (membership->lists_with_dead <= phx_listed_rank(membership, map)) return false;
    for (uint32_t i = map->member_count; i-- > 0;) {
        if (phx_listed_has(membership, &map->members[i])) continue;
        membership->puts_out += phx_cluster_map_put_out(copy_map(membership, map), map->members[i].registration);
    }
    return membership->puts_out > 0;
}

/*
 * A dead member is silent as well, and a living one that has said so first has the most silent links for a moment, or
 * as long as fewer live than have died. So all of the map have to be registered for a whole lease, and a link that has
 * one expelled is silent for as long: by then the dead are put out.
 *
 * All go in one map, as no entity of the first one is restored before the last one is out. One member writes it, and
 * the next one no sooner than a lease behind their put-out: members know of silent links at different moments, and two
 * that see another one as the worst would put out both of a link. All wait for that lease, so a member that is named by
 * itself waits for longer, or it would be as soon as the others.
 */
static bool expel_silent(phx_membership *membership, const phx_cluster_map *map)
{
    uint64_t worst[PHX_CLUSTER_MEMBERS_MAX];
    const uint64_t lease_ns = phx_lease_ns_max(membership);
    phx_links_waits waits = {.due_ns = lease_ns, .settled_ns = lease_ns + SETTLE_LISTS * membership->def.list_ns};
    bool changed = false;
    const bool awaits = awaits_expelled(membership, map), lost = has_lost_links(membership, map);
    if (count_dead(membership, map) > 0 || awaits || lost || !phx_lease_is_steady(membership))
        membership->whole_since = membership->now;
    if (!phx_lease_has_passed(membership, membership->whole_since)) return false;
    waits.spares = membership->now - membership->whole_since >= lease_ns + waits.settled_ns;
    const uint32_t count = phx_links_worst(membership->node, map, waits, worst);
    for (uint32_t i = 0; i < count; i++) changed |= phx_cluster_map_expel(copy_map(membership, map), worst[i]);
    return changed;
}

/* Is there a process that joins next, and holds the map in its format? A key without a lease is of none. */
static bool is_held(const phx_membership *membership, const phx_cluster_map *map)
{
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        const bool joins = listed->lease != 0 && phx_joining_is_beside(membership, map, listed);
        if (joins && phx_cluster_map_is_held_by(map, listed->formats)) return true;
    }
    return false;
}

/*
 * One member, as each of them could: the first of the living ones; where that can not write, the next one a lease
 * later. The last old member may have died, and be started again: it joins once it is put out, and with a number of its
 * own it registers but then. So for a whole lease nothing has held the format. A process that has registered holds it
 * until it joins, and as a member from then on; where something is in its way, until it ends for that (hindrance.h), so
 * for about two leases; dead, until its lease ends.
 */
static bool raise_format(phx_membership *membership, const phx_cluster_map *map)
{
    if (membership->phase != PHX_MEMBERSHIP_MEMBER || phx_cluster_map_reads(map) == map->format ||
        count_dead(membership, map) > 0 || is_held(membership, map) || !phx_lease_is_steady(membership))
        membership->held_since = membership->now;
    const uint64_t leases = 1 + (uint64_t)phx_listed_rank(membership, map);
    return membership->now - membership->held_since >= leases * phx_lease_ns_max(membership) &&
           phx_cluster_map_rise(copy_map(membership, map));
}

/* Wishes are dropped by the map as it stands, not by the proposal, which may not come to stand. */
static bool propose_restored(phx_membership *membership, const phx_cluster_map *map)
{
    const uint32_t version = proposed_map(membership, map)->version;
    bool changed = false;
    uint32_t kept = 0;
    membership->counts.restored_looks += membership->restored_count;
    for (uint32_t i = 0; i < membership->restored_count; i++) {
        const uint16_t region = membership->restored_regions[i];
        const uint32_t lost = membership->restored[region];
        /* It stands there, or a later put-out has a duty of its own. It stays true while another node has the region:
         * that may come back between two looks of this node, which is told of no new duty then. */
        if (map->regions[region].lost != lost) {
            membership->restored[region] = 0;
            continue;
        }
        membership->restored_regions[kept++] = region;
        if (map->regions[region].number == membership->number)
            changed |= phx_cluster_map_restored(copy_map(membership, map), region, lost);
    }
    membership->restored_count = kept;
    if (changed) membership->proposed.version = version + 1; /* of all regions: an era has but 65,536 versions */
    return changed;
}

static bool propose_given(phx_membership *membership, const phx_cluster_map *map)
{
    const phx_member *member = phx_cluster_map_numbered(map, membership->give_number);
    const uint32_t region = membership->give_region;
    if (!member || member->gateway || member->drained || region >= map->region_count ||
        map->regions[region].number == member->number) {
        membership->give_number = 0;
        return false;
    }
    return phx_cluster_map_give(copy_map(membership, map), region, member->number);
}

static bool propose_wishes(phx_membership *membership, const phx_cluster_map *map)
{
    const uint64_t self = membership->node->def.member.registration;
    /* By the map as it stands: with a region there the node takes entities, though this proposal may empty it. */
    const bool leaves = membership->node->leaves && phx_cluster_map_regions_of(map, membership->number) == 0;
    bool changed = propose_restored(membership, map);
    if (membership->exceeded >= map->version)
        changed |= phx_cluster_map_exceed(copy_map(membership, map), membership->exceeded);
    if (membership->give_number != 0) changed |= propose_given(membership, map);
    if (membership->drains) changed |= phx_cluster_map_drain(copy_map(membership, map), self);
    if (leaves) changed |= phx_cluster_map_leave(copy_map(membership, map), self);
    return changed;
}

bool phx_proposal_make(phx_membership *membership, const phx_cluster_map *map)
{
    const phx_member *self = &membership->node->def.member;
    membership->is_copied = false;
    membership->puts_out = membership->joins_others = 0;
    membership->balances = membership->adopts = false;
    if (membership->phase < PHX_MEMBERSHIP_JOIN || phx_adoption_is_awaited(membership)) return false;
    if (membership->phase != PHX_MEMBERSHIP_MEMBER)
        membership->whole_since = membership->expelled_since = membership->now;
    bool changed = put_dead_out(membership, map);
    changed |= raise_format(membership, map);
    if (membership->phase == PHX_MEMBERSHIP_MEMBER) {
        changed |= expel_silent(membership, map);
        changed |= propose_wishes(membership, map);
    } else if (phx_listed_has(membership, self) && count_dead(membership, proposed_map(membership, map)) == 0) {
        /* A member without a key may have another definition, and its key says so once it is back. Else this one waits
         * until that is put out, which it does itself in the end. */
        if (phx_joining_is_due(membership, map))
            changed |= phx_joining_propose(membership, map, copy_map(membership, map));
    }
    if (!changed && membership->balancer.due_version != 0)
        changed = membership->balances = phx_balancer_propose(membership, map, copy_map(membership, map));
    return changed || (membership->returns && phx_comeback_propose(membership, copy_map(membership, map)));
}

uint16_t phx_proposal_number(const phx_membership *membership, uint32_t passed)
{
    uint16_t last = 0;
    for (uint32_t number = 1; number <= UINT16_MAX; number++) {
        const bool is_used = phx_number_set_has(&membership->numbers, (uint16_t)number) ||
                             phx_cluster_map_numbered(&membership->map, (uint16_t)number);
        if (is_used) continue;
        last = (uint16_t)number;
        if (passed-- == 0) break;
    }
    return last;
}
