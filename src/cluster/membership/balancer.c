/*
 * The balancer of a cluster; see balancer.h.
 */
#include "cluster/membership/balancer.h"

#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/listed.h"
#include "cluster/membership/registration.h"

enum { LOOKS_A_WAIT = 5 };

/* ---- the key ---- */

bool phx_balancer_holds(const phx_membership *membership, uint64_t now)
{
    return membership->balancer.has_key && membership->phase == PHX_MEMBERSHIP_MEMBER &&
           now < membership->node->proven_until;
}

void phx_balancer_begin_list(phx_membership *membership)
{
    membership->balancer.has_key = membership->balancer.is_held = false;
    membership->balancer.registration = 0;
}

/* A list may be old: but a key under this lease has ended only if the lease has. */
void phx_balancer_list(phx_membership *membership, const phc_entry *entry)
{
    phx_balancer *balancer = &membership->balancer;
    phx_registration read;
    balancer->is_held = true;
    balancer->has_key = membership->lease != 0 && entry->lease == membership->lease;
    if (phx_registration_decode(&read, entry->value, entry->size)) balancer->registration = read.registration;
    else membership->counts.skipped++;
}

static void take_key(phx_membership *membership)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    const phc_store *store = &membership->def.store;
    const phx_registration own = {.formats = membership->node->def.formats,
                                  .definition = membership->def.definition,
                                  .registration = membership->node->def.member.registration};
    phx_registration_encode(&own, bytes);
    (void)snprintf(key, sizeof key, "%sbalancer", membership->prefix);
    membership->balancer.takes =
        store->cas(store->user, PHX_BALANCER_TAG_TAKE, key, 0, bytes, sizeof bytes, membership->lease) == PH_OK;
}

void phx_balancer_end_list(phx_membership *membership)
{
    phx_balancer *balancer = &membership->balancer;
    if (membership->def.balance_ns == 0 || membership->phase != PHX_MEMBERSHIP_MEMBER) return;
    balancer->watch.wait_ns = membership->def.balance_ns;
    phx_balance_watch_map(&balancer->watch, &membership->map, membership->now);
    const bool may_take =
        !balancer->is_held && !membership->returns && membership->now < membership->node->proven_until;
    balancer->lists_without = may_take ? balancer->lists_without + 1 : 0;
    if (balancer->lists_without > phx_listed_rank(membership, &membership->map) && !balancer->takes)
        take_key(membership);
}

/* ---- loads ---- */

void phx_balancer_ask(phx_membership *membership)
{
    char prefix[PHC_KEY_MAX + 1];
    phx_balancer *balancer = &membership->balancer;
    const phc_store *store = &membership->def.store;
    if (balancer->reads || membership->now < balancer->read_at || !phx_balancer_holds(membership, membership->now))
        return;
    (void)snprintf(prefix, sizeof prefix, "ph-load/%s/", membership->def.world);
    balancer->reads = store->list(store->user, PHX_BALANCER_TAG_LOADS, prefix) == PH_OK;
    balancer->read_at = membership->now + membership->def.balance_ns / LOOKS_A_WAIT;
}

/*
 * false: no report of this world, or of the key's member. *member: NULL for a report of a process that is out, or not
 * in yet.
 */
static bool read_report(phx_membership *membership, const phc_entry *entry, const phx_member **member)
{
    phx_load_report *report = &membership->balancer.report;
    const char *text = entry->key + strlen("ph-load/") + strlen(membership->def.world) + 1;
    uint16_t number;
    if (!phx_registration_number(text, &number) || !phx_load_report_decode(report, entry->value, entry->size) ||
        !phx_load_report_fits(report, &membership->map))
        return false;
    *member = phx_cluster_map_member(&membership->map, report->registration);
    return !*member || ((*member)->number == number && !(*member)->gateway);
}

static void take_report(phx_membership *membership, const phc_entry *entry)
{
    phx_balance_state *state = &membership->balancer.watch.state;
    const phx_load_report *report = &membership->balancer.report;
    const phx_member *member;
    if (!read_report(membership, entry, &member)) {
        membership->counts.flawed_reports++;
        return;
    }
    if (!member || state->load_count == PHX_CLUSTER_MEMBERS_MAX) return;
    state->loads[state->load_count++] =
        (phx_balance_load){.number = member->number, .load = phx_load_report_share(report->busy_us, report->period_us)};
    phx_load_report_entities(report, &membership->map, member->number, state->entities);
}

static void look(phx_membership *membership, const phc_answer *answer)
{
    phx_balancer *balancer = &membership->balancer;
    phx_balance_state *state = &balancer->watch.state;
    state->load_count = 0;
    memset(state->entities, 0, sizeof state->entities);
    for (uint32_t i = 0; i < answer->count; i++) take_report(membership, &answer->entries[i]);
    phx_balance_watch_map(&balancer->watch, &membership->map, membership->now);
    phx_balance_watch_look(&balancer->watch, &membership->map, membership->now);
    const bool is_due = phx_balance_watch_is_due(&balancer->watch, membership->now);
    balancer->due_version = is_due ? membership->map.version : 0;
}

/* The answer to a write of the key may be lost: the next list has it, if it was done. */
void phx_balancer_hear(phx_membership *membership, const phc_answer *answer)
{
    if (answer->tag == PHX_BALANCER_TAG_TAKE) membership->balancer.takes = false;
    if (answer->tag != PHX_BALANCER_TAG_LOADS) return;
    membership->balancer.reads = false;
    if (answer->outcome == PHC_DONE && phx_balancer_holds(membership, membership->now)) look(membership, answer);
}

/* ---- moves ---- */

bool phx_balancer_propose(phx_membership *membership, const phx_cluster_map *map, phx_cluster_map *proposed)
{
    phx_balancer *balancer = &membership->balancer;
    const phx_balance_move *move = &balancer->watch.move;
    const bool is_due = balancer->due_version == map->version && phx_balancer_holds(membership, membership->now);
    balancer->due_version = 0; /* the next look finds it again */
    return is_due && phx_cluster_map_give(proposed, move->region, move->to);
}
