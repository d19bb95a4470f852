/*
 * Registered processes; see listed.h.
 */
#include "cluster/membership/listed.h"

#include <string.h>

#include "cluster/membership/refusal.h"
#include "cluster/membership/registration.h"

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

void phx_listed_begin(phx_membership *membership)
{
    membership->listed_count = 0;
    membership->numbers = (phx_number_set){0};
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

/* Where there is no place for all, the higher ones are listed: what can be read, and what more depends on. */
typedef enum listed_rank {
    RANK_UNREAD = 0, /* its number is in use, which is all that it says */
    RANK_READ = 1,
    RANK_NEEDED = 2 /* its absence would put out a member, or hide the own registration, or why there is none */
} listed_rank;

static listed_rank rank_of(const phx_membership *membership, const phx_cluster_map *map, const phx_listed *node)
{
    const bool is_own = node->lease == membership->lease && membership->lease != 0;
    if (is_own || (node->number == membership->number && membership->number != 0)) return RANK_NEEDED;
    if (node->registration == 0) return RANK_UNREAD;
    return phx_cluster_map_member(map, node->registration) ? RANK_NEEDED : RANK_READ;
}

/* The place of one of the lowest rank, below this one; PHX_LISTED_MAX: there is none. */
static uint32_t find_lower(const phx_membership *membership, const phx_cluster_map *map, listed_rank rank)
{
    uint32_t at = PHX_LISTED_MAX;
    for (uint32_t i = 0; i < PHX_LISTED_MAX && rank > RANK_UNREAD; i++) {
        const listed_rank other = rank_of(membership, map, &membership->listed[i]);
        if (other >= rank) continue;
        rank = other;
        at = i;
    }
    return at;
}

/* false: there is no place for it. */
static bool add(phx_membership *membership, const phx_cluster_map *map, phx_listed node)
{
    const bool has_place = membership->listed_count < PHX_LISTED_MAX;
    const uint32_t at =
        has_place ? membership->listed_count : find_lower(membership, map, rank_of(membership, map, &node));
    if (at == PHX_LISTED_MAX) return false;
    membership->listed[at] = node;
    membership->listed_count += has_place;
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

/* One that reads none of this process's formats can not join in any case. */
uint8_t phx_listed_format(const phx_membership *membership)
{
    const phx_formats own = membership->node->def.formats;
    uint8_t format = own.max;
    for (uint32_t i = 0; i < membership->listed_count; i++) {
        const phx_listed *listed = &membership->listed[i];
        const bool joins = listed->registration != 0 && listed->lease != 0 && listed->is_same;
        if (joins && phx_formats_have(own, listed->formats.max) && listed->formats.max < format)
            format = listed->formats.max;
    }
    return format;
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
    if (has_number) phx_number_set_add(&membership->numbers, node.number);
    if (!has_number || !phx_registration_decode(&read, entry->value, entry->size)) {
        membership->counts.skipped++;
        if (has_number) (void)add(membership, map, node); /* no process can have that number */
        return NULL;
    }
    node.registration = phx_registration_of(&read, entry->revision, entry->lease);
    node.version = read.version;
    node.formats = read.formats;
    node.gateway = read.gateway;
    node.asks = read.asks;
    node.is_same = read.definition == membership->def.definition;
    if (!add(membership, map, node)) {
        membership->counts.skipped++;
        return NULL;
    }
    /* Of several that are in no map yet compare-and-set decides which one joins: the others find it in the map then. */
    if (node.is_same || !phx_cluster_map_member(map, node.registration)) return NULL;
    membership->other = node;
    return PHX_OTHER_DEFINITION;
}
