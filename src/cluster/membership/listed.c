/*
 * Registered processes; see listed.h.
 */
#include "cluster/membership/listed.h"

#include <string.h>

#include "cluster/membership/refusal.h"
#include "cluster/membership/registration.h"
#include "cluster/wire/format.h"

bool phx_listed_has(const phx_membership *membership, const phx_member *member)
{
    for (uint32_t i = 0; i < membership->listed_count; i++)
        if (membership->listed[i].registration == member->registration) return true;
    return false;
}

const phx_listed *phx_listed_own(const phx_membership *membership)
{
    const uint64_t self = membership->node->def.member.registration;
    for (uint32_t i = 0; i < membership->listed_count; i++)
        if (membership->listed[i].registration == self && membership->listed[i].lease == membership->lease)
            return &membership->listed[i];
    return NULL;
}

void phx_listed_find_registration(phx_membership *membership)
{
    for (uint32_t i = 0; i < membership->listed_count && membership->phase == PHX_MEMBERSHIP_REGISTER; i++) {
        const phx_listed *listed = &membership->listed[i];
        if (listed->lease != membership->lease || listed->registration == 0) continue;
        phx_node_register(membership->node, listed->registration, listed->number);
        membership->phase = PHX_MEMBERSHIP_JOIN;
    }
}

/* Its absence would put out a member, or hide the own registration. */
static bool is_needed(const phx_membership *membership, const phx_cluster_map *map, const phx_listed *node)
{
    return phx_cluster_map_member(map, node->registration) || node->lease == membership->lease;
}

/* false: there is no place for it. */
static bool add(phx_membership *membership, const phx_cluster_map *map, phx_listed node)
{
    uint32_t at = membership->listed_count;
    if (at == PHX_LISTED_MAX) {
        if (!is_needed(membership, map, &node)) return false;
        for (at = 0; at < PHX_LISTED_MAX && is_needed(membership, map, &membership->listed[at]);) at++;
        if (at == PHX_LISTED_MAX) return false;
    } else {
        membership->listed_count++;
    }
    membership->listed[at] = node;
    return true;
}

uint32_t phx_listed_rank(const phx_membership *membership, const phx_cluster_map *map)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *member = &map->members[i];
        const bool before = membership->phase != PHX_MEMBERSHIP_MEMBER || member->number < membership->number;
        rank += before && phx_listed_has(membership, member);
    }
    return rank;
}

/* A member without a key is put out for want of a lease; one that has its key was put out by mistake, or by hand. */
const char *phx_listed_out_reason(const phx_membership *membership)
{
    return phx_listed_has(membership, &membership->node->def.member) ? "put out of the map"
                                                                     : "put out of the map, as its lease ran out";
}

const char *phx_listed_take(phx_membership *membership, const phx_cluster_map *map, const phc_entry *entry)
{
    phx_registration read;
    const char *number = entry->key + strlen(membership->prefix) + strlen("nodes/");
    phx_listed node = {.revision = entry->revision, .lease = entry->lease};
    const bool has_number = phx_registration_number(number, &node.number);
    if (!has_number || !phx_registration_decode(&read, entry->value, entry->size)) {
        membership->counts.skipped++;
        if (has_number) (void)add(membership, map, node); /* no process can have that number */
        return phx_registration_is_foreign(entry->value, entry->size) ? PHX_OTHER_FORMAT : NULL;
    }
    node.registration = phx_registration_of(&read, entry->revision, entry->lease);
    node.version = read.version;
    if (!add(membership, map, node)) {
        membership->counts.skipped++;
        return NULL;
    }
    /* Of several that are in no map yet compare-and-set decides which one joins: the others find it in the map then. */
    if (read.definition == membership->def.definition || !phx_cluster_map_member(map, node.registration)) return NULL;
    membership->other = node;
    return PHX_OTHER_DEFINITION;
}
