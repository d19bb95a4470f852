/*
 * Claims; see claims.h. One for each node that has asked since it is known, so there are few: of each id the claims
 * that it stands in are the bits of a word.
 */
#include "cluster/node/claims.h"

#include <string.h>

#include "cluster/map/cluster_map.h"

_Static_assert(PHX_CLUSTER_KIND_MAX <= 64, "a bit for each node");

static uint64_t bit_of(const phx_claim *claim)
{
    return (uint64_t)1 << claim->place;
}

/* Claims of a node that is no more may stand until the next round: then there is no place for a new one's. */
static bool find_place(const phx_claims *claims, uint32_t *place)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < claims->count; i++) used |= bit_of(&claims->items[i]);
    for (*place = 0; *place < PHX_CLUSTER_KIND_MAX; ++*place)
        if ((used >> *place & 1) == 0) return true;
    return false;
}

void phx_claims_init(phx_claims *claims, phx_mem *mem)
{
    *claims = (phx_claims){.mem = mem};
    phx_idmap_init(&claims->claimed, mem);
}

void phx_claims_free(phx_claims *claims)
{
    for (uint32_t i = 0; i < claims->count; i++)
        phx_release(claims->mem, (void **)&claims->items[i].ids, &claims->items[i].capacity, sizeof(uint64_t));
    phx_release(claims->mem, (void **)&claims->items, &claims->capacity, sizeof *claims->items);
    phx_idmap_free(&claims->claimed);
    claims->count = 0;
}

static phx_claim *find_claim(const phx_claims *claims, uint64_t registration)
{
    for (uint32_t i = 0; i < claims->count; i++)
        if (claims->items[i].registration == registration) return &claims->items[i];
    return NULL;
}

const phx_claim *phx_claims_of(const phx_claims *claims, uint64_t registration)
{
    return find_claim(claims, registration);
}

/* 0: that node has no claim. */
static uint64_t bit_for(const phx_claims *claims, uint64_t registration)
{
    const phx_claim *claim = find_claim(claims, registration);
    return claim ? bit_of(claim) : 0;
}

static void add_ids(phx_claims *claims, const phx_claim *claim)
{
    const uint64_t bit = bit_of(claim);
    for (uint32_t i = 0; i < claim->count; i++) {
        uint64_t *bits = phx_idmap_find(&claims->claimed, claim->ids[i]);
        if (bits) *bits |= bit;
        else phx_idmap_insert(&claims->claimed, claim->ids[i], bit);
    }
}

static void remove_ids(phx_claims *claims, const phx_claim *claim)
{
    const uint64_t bit = bit_of(claim);
    for (uint32_t i = 0; i < claim->count; i++) {
        uint64_t *bits = phx_idmap_find(&claims->claimed, claim->ids[i]);
        if (!bits) continue; /* it stood twice */
        *bits &= ~bit;
        if (*bits == 0) (void)phx_idmap_remove(&claims->claimed, claim->ids[i]);
    }
}

bool phx_claims_set(phx_claims *claims, uint64_t registration, uint32_t number, uint32_t version, const uint64_t *ids,
                    uint32_t count)
{
    if (!phx_grow(claims->mem, (void **)&claims->items, &claims->capacity, claims->count, (size_t)claims->count + 1,
                  sizeof *claims->items) ||
        !phx_idmap_reserve(&claims->claimed, phx_idmap_count(&claims->claimed) + count))
        return false;
    phx_claim *claim = find_claim(claims, registration);
    const bool is_new = !claim;
    uint32_t place;
    if (is_new) {
        if (!find_place(claims, &place)) return false;
        claim = &claims->items[claims->count];
        *claim = (phx_claim){.registration = registration, .place = place};
    }
    if (!phx_grow(claims->mem, (void **)&claim->ids, &claim->capacity, claim->count, count, sizeof *claim->ids))
        return false;
    claims->count += is_new;
    remove_ids(claims, claim);
    if (count > 0) memcpy(claim->ids, ids, count * sizeof *ids);
    claim->count = count;
    claim->number = number;
    claim->version = version;
    add_ids(claims, claim);
    return true;
}

void phx_claims_drop(phx_claims *claims, uint64_t registration)
{
    phx_claim *claim = find_claim(claims, registration);
    if (!claim) return;
    remove_ids(claims, claim);
    phx_release(claims->mem, (void **)&claim->ids, &claim->capacity, sizeof *claim->ids);
    *claim = claims->items[--claims->count];
}

phx_claimed phx_claims_find(phx_claims *claims, uint64_t id)
{
    const uint64_t *bits = phx_idmap_find(&claims->claimed, id);
    claims->reads++;
    if (!bits) return (phx_claimed){0};
    const uint64_t own = bit_for(claims, claims->own);
    return (phx_claimed){.own = (*bits & own) != 0, .others = (*bits & ~own) != 0};
}

bool phx_claims_keep(const phx_claims *claims, uint64_t id, uint64_t to)
{
    const uint64_t *bits = phx_idmap_find(&claims->claimed, id);
    return bits && (*bits & ~bit_for(claims, to)) != 0;
}
