/*
 * Claims; see claims.h. One for each node that has asked since it is known, so there are few.
 */
#include "cluster/node/claims.h"

#include <string.h>

/* A value of the map: the own claim's count in the low half, the others' one in the high half. Claims of all nodes have
 * fewer than 2^32 ids. */
enum { OTHERS_SHIFT = 32 };

static uint64_t one_in(const phx_claims *claims, const phx_claim *claim)
{
    return claim->registration == claims->own ? 1 : (uint64_t)1 << OTHERS_SHIFT;
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

static void count_ids(phx_claims *claims, const phx_claim *claim)
{
    const uint64_t one = one_in(claims, claim);
    for (uint32_t i = 0; i < claim->count; i++) {
        uint64_t *count = phx_idmap_find(&claims->claimed, claim->ids[i]);
        if (count) *count += one;
        else phx_idmap_insert(&claims->claimed, claim->ids[i], one);
    }
}

static void uncount_ids(phx_claims *claims, const phx_claim *claim)
{
    const uint64_t one = one_in(claims, claim);
    for (uint32_t i = 0; i < claim->count; i++) {
        uint64_t *count = phx_idmap_find(&claims->claimed, claim->ids[i]);
        PHX_ASSERT(count);
        *count -= one;
        if (*count == 0) (void)phx_idmap_remove(&claims->claimed, claim->ids[i]);
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
    if (is_new) {
        claim = &claims->items[claims->count];
        *claim = (phx_claim){.registration = registration};
    }
    if (!phx_grow(claims->mem, (void **)&claim->ids, &claim->capacity, claim->count, count, sizeof *claim->ids))
        return false;
    claims->count += is_new;
    uncount_ids(claims, claim);
    if (count > 0) memcpy(claim->ids, ids, count * sizeof *ids);
    claim->count = count;
    claim->number = number;
    claim->version = version;
    count_ids(claims, claim);
    return true;
}

void phx_claims_drop(phx_claims *claims, uint64_t registration)
{
    phx_claim *claim = find_claim(claims, registration);
    if (!claim) return;
    uncount_ids(claims, claim);
    phx_release(claims->mem, (void **)&claim->ids, &claim->capacity, sizeof *claim->ids);
    *claim = claims->items[--claims->count];
}

phx_claimed phx_claims_find(phx_claims *claims, uint64_t id)
{
    const uint64_t *count = phx_idmap_find(&claims->claimed, id);
    claims->reads++;
    return count ? (phx_claimed){.own = (uint32_t)*count, .others = (uint32_t)(*count >> OTHERS_SHIFT)}
                 : (phx_claimed){0};
}
