/*
 * Entities of a node by id; see holdings.h.
 */
#include "cluster/node/holdings.h"

void phx_holdings_init(phx_holdings *holdings, phx_mem *mem)
{
    *holdings = (phx_holdings){.mem = mem};
    phx_idmap_init(&holdings->places, mem);
}

void phx_holdings_free(phx_holdings *holdings)
{
    void *items = holdings->items;
    phx_release(holdings->mem, &items, &holdings->capacity, sizeof *holdings->items);
    phx_idmap_free(&holdings->places);
    holdings->items = NULL;
}

bool phx_holdings_reserve(phx_holdings *holdings, uint32_t more)
{
    void *items = holdings->items;
    if (!phx_grow(holdings->mem, &items, &holdings->capacity, holdings->count, (size_t)holdings->count + more,
                  sizeof *holdings->items))
        return false;
    holdings->items = items;
    return phx_idmap_reserve(&holdings->places, holdings->count + more);
}

void phx_holdings_add(phx_holdings *holdings, phx_holding holding)
{
    PHX_ASSERT(holdings->count < holdings->capacity);
    phx_idmap_insert(&holdings->places, holding.id, holdings->count);
    holdings->items[holdings->count++] = holding;
}

phx_holding *phx_holdings_find(const phx_holdings *holdings, uint64_t id)
{
    const uint64_t *place = phx_idmap_find(&holdings->places, id);
    return place ? &holdings->items[*place] : NULL;
}

void phx_holdings_remove(phx_holdings *holdings, uint64_t id)
{
    phx_holding *holding = phx_holdings_find(holdings, id);
    PHX_ASSERT(holding);
    const uint64_t place = (uint64_t)(holding - holdings->items);
    phx_idmap_remove(&holdings->places, id);
    if (place + 1 == holdings->count) {
        holdings->count--;
        return;
    }
    *holding = holdings->items[--holdings->count];
    *phx_idmap_find(&holdings->places, holding->id) = place;
}

void phx_holdings_clear(phx_holdings *holdings)
{
    holdings->count = 0;
    phx_idmap_clear(&holdings->places);
}
