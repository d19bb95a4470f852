/*
 * Requests, answers and phases; see membership.h. Which map is proposed is in proposal.c.
 */
#include "cluster/membership/membership.h"

#include <stdio.h>
#include <string.h>

#include "cluster/map/eras.h"
#include "cluster/map/map_changes.h"
#include "cluster/membership/adoption.h"
#include "cluster/membership/balancer.h"
#include "cluster/membership/comeback.h"
#include "cluster/membership/hindrance.h"
#include "cluster/membership/joining.h"
#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"
#include "cluster/membership/map_entry.h"
#include "cluster/membership/proposal.h"
#include "cluster/membership/refusal.h"
#include "cluster/membership/registering.h"
#include "cluster/membership/reporting.h"
#include "cluster/membership/store_times.h"

enum { ANSWERS_A_TICK = 8 };

bool phx_membership_init(phx_membership *membership, const phx_membership_def *def, phx_node *node)
{
    PHX_ASSERT(strlen(def->world) > 0 && strlen(def->world) <= PHX_WORLD_NAME_MAX);
    PHX_ASSERT(def->region_count > 0 && def->region_count <= PHX_CLUSTER_REGIONS_MAX && def->list_ns > 0);
    PHX_ASSERT(def->columns > 0 && def->region_count % def->columns == 0);
    *membership = (phx_membership){.def = *def, .node = node, .number = def->number, .reason = ""};
    phx_mem_init(&membership->mem, def->allocator);
    (void)snprintf(membership->prefix, sizeof membership->prefix, "ph/%s/", def->world);
    void *listed = NULL;
    if (!phx_grow(&membership->mem, &listed, &membership->listed_capacity, 0, PHX_LISTED_MAX,
                  sizeof *membership->listed))
        return false;
    membership->listed = listed;
    return true;
}

void phx_membership_free(phx_membership *membership)
{
    void *listed = membership->listed;
    phx_release(&membership->mem, &listed, &membership->listed_capacity, sizeof *membership->listed);
    membership->listed = NULL;
}

void phx_membership_end(phx_membership *membership, ph_status why, const char *reason)
{
    if (membership->phase == PHX_MEMBERSHIP_ENDED) return;
    membership->phase = PHX_MEMBERSHIP_ENDED;
    membership->why = why;
    membership->reason = reason;
    phx_node_fence(membership->node);
}

/* So its number is free at once. If the request is lost, the lease runs out by itself. */
static void leave(phx_membership *membership, ph_status why, const char *reason)
{
    const phc_store *store = &membership->def.store;
    if (membership->lease != 0 && membership->phase != PHX_MEMBERSHIP_ENDED)
        (void)store->lease_end(store->user, PHX_TAG_END, membership->lease);
    phx_membership_end(membership, why, reason);
}

/* ---- maps ---- */

/* A map that stands in the store. */
static void take_map(phx_membership *membership, const phx_cluster_map *map)
{
    if (map->region_count != membership->def.region_count || map->columns != membership->def.columns) {
        leave(membership, PH_BAD_DEF, "the map of the store has other regions");
        return;
    }
    if (map->version <= membership->map.version) return;
    phx_joining_read_map(membership, map);
    membership->map = *map;
}

/* Also again where the node had no memory for it. */
static void hand_map_on(phx_membership *membership)
{
    phx_node *node = membership->node;
    if (membership->map.version <= node->map.version || membership->phase == PHX_MEMBERSHIP_ENDED) return;
    if (membership->is_refused && !phx_refusal_is_void(membership, &membership->map)) return;
    membership->is_refused = false;
    if (phx_node_map(node, &membership->map) != PH_OK) return;
    const phx_member *self = phx_cluster_map_member(&node->map, node->def.member.registration);
    if (node->fenced)
        leave(membership, PH_OK, phx_listed_out_reason(membership)); /* a key written again is in the next one's way */
    else if (self && self->expelled)
        leave(membership, PH_OK, "expelled: by an operator, or as it and other members did not hear each other");
    else if (self && self->format != node->def.member.format)
        leave(membership, PH_OK, "the map has another range of formats for it: its key was read otherwise");
    else if (node->joined) membership->phase = PHX_MEMBERSHIP_MEMBER;
}

static void propose_map(phx_membership *membership, uint64_t revision)
{
    unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    char key[PHC_KEY_MAX + 1];
    const phc_store *store = &membership->def.store;
    const size_t size = phx_cluster_map_encode(&membership->proposed, bytes, sizeof bytes);
    (void)snprintf(key, sizeof key, "%smap", membership->prefix);
    membership->writes = store->cas(store->user, PHX_TAG_MAP, key, revision, bytes, size, 0) == PH_OK;
    membership->counts.writes += membership->writes;
}

/* A map that is there can not be read. A member that it leaves out hears of a map without itself. */
static void miss_map(phx_membership *membership, const phc_entry *entry, const char *flaw)
{
    if (!phx_map_entry_is_past(membership, entry)) leave(membership, phx_map_entry_status(membership, flaw), flaw);
    else (void)phx_cluster_map_put_out(&membership->map, membership->node->def.member.registration);
}

static void hear_of_map(phx_membership *membership, const phc_answer *answer)
{
    membership->writes = false;
    if (answer->outcome == PHC_DONE) {
        take_map(membership, &membership->proposed);
        membership->counts.put_out += membership->puts_out;
        membership->counts.balanced += membership->balances;
        membership->counts.adopted += membership->adopts;
        membership->counts.joined_others += membership->joins_others;
    } else if (answer->outcome == PHC_CHANGED && answer->count == 1 && membership->phase != PHX_MEMBERSHIP_ENDED) {
        membership->list_at = membership->now; /* of many that wish for a change one has it with each list */
        const char *flaw = phx_map_entry_read(membership, &membership->proposed, &answer->entries[0]);
        if (flaw) miss_map(membership, &answer->entries[0], flaw);
        else take_map(membership, &membership->proposed);
    }
}

/* ---- leases ---- */

static void lose_lease(phx_membership *membership)
{
    if (!phx_comeback_begin(membership)) phx_membership_end(membership, PH_OK, "the lease ran out");
}

/* ---- lists ---- */

/* One step a list: the lease has ended, a key of the new one, the map. */
static void adopt_map(phx_membership *membership)
{
    if (!membership->returns || membership->lease == 0 || membership->writes) return;
    if (!phx_listed_own(membership)) phx_registering_write(membership);
    else if (phx_adoption_propose(membership)) propose_map(membership, 0);
}

static void hear_list(phx_membership *membership, const phc_answer *answer)
{
    static const phx_cluster_map none;
    const phx_cluster_map *map = &none;
    uint64_t revision = 0;
    bool is_missed = false;
    const size_t length = strlen(membership->prefix);
    membership->lists = false;
    if (answer->outcome != PHC_DONE) return;
    membership->counts.lists++;
    membership->counts.skipped += answer->left_out;
    membership->last_list = membership->now;
    phx_listed_begin(membership);
    phx_balancer_begin_list(membership);
    for (uint32_t i = 0; i < answer->count && membership->phase != PHX_MEMBERSHIP_ENDED; i++) {
        const phc_entry *entry = &answer->entries[i];
        if (strcmp(entry->key + length, "map") == 0) {
            const char *flaw = phx_map_entry_read_listed(membership, entry);
            if (flaw) miss_map(membership, entry, flaw);
            is_missed = flaw != NULL;
            map = &membership->read;
            revision = entry->revision;
        } else if (strncmp(entry->key + length, "nodes/", strlen("nodes/")) == 0) {
            const char *refusal = phx_listed_take(membership, map, entry); /* the map has come before: by key */
            if (refusal && membership->phase < PHX_MEMBERSHIP_MEMBER && !phx_refusal_is_void(membership, map) &&
                !phx_refusal_begin(membership, refusal))
                leave(membership, PH_BAD_DEF, refusal);
        } else if (strcmp(entry->key + length, "balancer") == 0) {
            phx_balancer_list(membership, entry);
        }
    }
    if (is_missed) {
        hand_map_on(membership);
        return;
    }
    if (membership->is_refused && !phx_refusal_is_void(membership, map)) return;
    phx_comeback_miss_key(membership);
    phx_adoption_hear_list(membership, revision);
    if (phx_adoption_is_due(membership)) {
        adopt_map(membership);
        return;
    }
    if (phx_adoption_lacks_map(membership, map)) leave(membership, PH_OK, "the store has lost the map");
    if (membership->phase == PHX_MEMBERSHIP_ENDED || map->version < membership->map.version)
        return; /* or an old list */
    if (revision != 0) take_map(membership, map);
    phx_listed_find_registration(membership);
    hand_map_on(membership);
    const char *hindrance = phx_hindrance_hear_list(membership, map);
    if (hindrance) leave(membership, phx_hindrance_status(membership), hindrance);
    const bool is_keyless = phx_comeback_hear_list(membership, revision);
    phx_balancer_end_list(membership);
    if (membership->writes || membership->phase == PHX_MEMBERSHIP_ENDED) return;
    if (is_keyless) {
        phx_registering_write(membership);
        return;
    }
    if (revision == 0) {
        membership->read_size = 0;
        phx_cluster_map_begin(&membership->read, phx_listed_format(membership), membership->def.columns,
                              membership->def.region_count / membership->def.columns, membership->lease);
        map = &membership->read;
    }
    if (phx_proposal_make(membership, map)) propose_map(membership, revision);
    else if (phx_joining_begins_to_ask(membership)) phx_registering_write(membership);
}

/* ---- ticks ---- */

static void take_answer(void *of, const phc_answer *answer)
{
    phx_membership *membership = of;
    phx_store_times_hear(membership, answer);
    if (answer->tag == PHX_REPORTING_TAG) phx_reporting_hear(membership, answer);
    phx_balancer_hear(membership, answer);
    const char *refusal = phx_refusal_hear(membership, answer);
    if (refusal) leave(membership, PH_BAD_DEF, refusal);
    switch (answer->tag) {
    case PHX_TAG_LIST:
        hear_list(membership, answer);
        break;
    case PHX_TAG_RENEW:
        phx_lease_hear_renewal(membership, answer);
        if (answer->outcome == PHC_GONE && membership->renewed == membership->lease) lose_lease(membership);
        break;
    case PHX_TAG_MAP:
        hear_of_map(membership, answer);
        break;
    case PHX_TAG_REGISTER:
        phx_registering_hear(membership, answer);
        if (answer->outcome == PHC_GONE) lose_lease(membership);
        break;
    case PHX_TAG_LEASE:
        phx_lease_hear(membership, answer);
        break;
    case PHX_TAG_END:
        phx_membership_end(membership, PH_OK, "left");
        break;
    default:
        break;
    }
}

static void ask_list(phx_membership *membership)
{
    const phc_store *store = &membership->def.store;
    if (membership->lists || membership->now < membership->list_at) return;
    membership->lists = store->list(store->user, PHX_TAG_LIST, membership->prefix) == PH_OK;
    membership->list_at = membership->now + membership->def.list_ns;
    membership->list_asked = membership->now;
    membership->list_lease = membership->lease;
    membership->version_asked = membership->map.version;
    phx_refusal_tell(membership);
    phx_registering_begin(membership);
}

void phx_membership_tick(phx_membership *membership, uint64_t now)
{
    const phc_store *store = &membership->def.store;
    PHX_ASSERT(now >= membership->now);
    phx_comeback_wake(membership, now);
    membership->now = now;
    phx_lease_watch(membership);
    (void)store->poll(store->user, ANSWERS_A_TICK, take_answer, membership);
    if (membership->phase == PHX_MEMBERSHIP_ENDED) return;
    hand_map_on(membership);
    phx_lease_ask(membership);
    ask_list(membership);
    phx_balancer_ask(membership);
}

void phx_membership_leave(phx_membership *membership)
{
    leave(membership, PH_OK, "left");
}
