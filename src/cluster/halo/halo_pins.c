/*
 * Pins of this node and of its peers; see halo_pins.h.
 */
#include "cluster/halo/halo_pins.h"

/* ---- own ones ---- */

/* The messages of its tick may have gone already: then it stands in the next ones. */
static void set_pin(phx_halo *halo, uint32_t place, uint64_t id)
{
    halo->pins_changed = halo->pins_written + 1;
    halo->pins[place] = (phx_halo_pinned){.id = id, .changed = halo->pins_changed};
}

static ph_status add_pin(phx_halo *halo, uint64_t id)
{
    const uint32_t count = phx_idmap_count(&halo->pinned);
    if (count == PHX_HALO_PINS_MAX) return PH_CAPACITY;
    if (!phx_idmap_reserve(&halo->pinned, count + 1) ||
        !phx_grow(&halo->mem, (void **)&halo->pins, &halo->pin_capacity, halo->pin_count, (size_t)count + 1,
                  sizeof *halo->pins))
        return PH_NO_MEMORY;
    uint32_t place = halo->pin_count;
    if (halo->pins_empty > 0) {
        place = halo->pins_empty - 1;
        halo->pins_empty = halo->pins[place].next_empty;
    } else {
        halo->pin_count++;
    }
    phx_idmap_insert(&halo->pinned, id, place);
    set_pin(halo, place, id);
    return PH_OK;
}

static void end_pin(phx_halo *halo, uint64_t id, uint32_t place)
{
    (void)phx_idmap_remove(&halo->pinned, id);
    set_pin(halo, place, 0);
    halo->pins[place].next_empty = halo->pins_empty;
    halo->pins_empty = place + 1;
}

ph_status phx_halo_pin(phx_halo *halo, uint64_t id, bool on)
{
    PHX_ASSERT(id != 0);
    const uint64_t *place = phx_idmap_find(&halo->pinned, id);
    if (on && !place) return add_pin(halo, id);
    if (!on && place) end_pin(halo, id, (uint32_t)*place);
    return PH_OK;
}

uint32_t phx_halo_count_pins(const phx_halo *halo, uint64_t since)
{
    uint32_t count = 0;
    if (halo->pins_changed <= since) return 0; /* as in most ticks */
    for (uint32_t i = 0; i < halo->pin_count; i++) count += halo->pins[i].changed > since;
    return count;
}

void phx_halo_put_pins(const phx_halo *halo, uint64_t since, phx_writer *writer)
{
    if (halo->pins_changed <= since) return;
    for (uint32_t i = 0; i < halo->pin_count; i++)
        if (halo->pins[i].changed > since) phx_halo_put_pin(writer, i, halo->pins[i].id);
}

/* ---- of a peer ---- */

/* Room for the places of a message; the ones that no message has named yet are empty. */
static bool reserve_pins(phx_halo *halo, phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_parts *parts)
{
    uint32_t end = peer->pin_count;
    for (uint32_t i = 0; i < head->pins; i++) {
        const uint32_t place = phx_halo_pin_at(parts, i).place;
        if (place >= end) end = place + 1;
    }
    if (!phx_idmap_reserve(&peer->pinned, phx_idmap_count(&peer->pinned) + head->pins) ||
        !phx_grow(&halo->mem, (void **)&peer->pins, &peer->pin_capacity, peer->pin_count, end, sizeof *peer->pins))
        return false;
    while (peer->pin_count < end) peer->pins[peer->pin_count++] = 0;
    return true;
}

static void drop_place(phx_idmap *pinned, uint64_t id)
{
    uint64_t *places = phx_idmap_find(pinned, id); /* of 0, an empty place, there is none */
    if (places && --*places == 0) (void)phx_idmap_remove(pinned, id);
}

static void add_place(phx_idmap *pinned, uint64_t id)
{
    uint64_t *places = phx_idmap_find(pinned, id); /* of 0, an empty place, there is none */
    if (places) ++*places;
    else if (id != 0) phx_idmap_insert(pinned, id, 1);
}

void phx_halo_take_pins(phx_halo *halo, phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_parts *parts)
{
    if (head->pins_since > peer->pins_tick) return; /* changes before that are not here: it hears so, and tells them */
    if (!reserve_pins(halo, peer, head, parts)) {
        halo->counts.no_memory++;
        return;
    }
    for (uint32_t i = 0; i < head->pins; i++) {
        const phx_halo_place pin = phx_halo_pin_at(parts, i);
        drop_place(&peer->pinned, peer->pins[pin.place]);
        add_place(&peer->pinned, pin.id);
        peer->pins[pin.place] = pin.id;
    }
    peer->pins_tick = head->tick;
}

bool phx_halo_pins_have(const phx_halo_peer *peer, uint64_t id)
{
    return phx_idmap_find(&peer->pinned, id) != NULL;
}

void phx_halo_forget_pins(phx_halo *halo, phx_halo_peer *peer)
{
    phx_release(&halo->mem, (void **)&peer->pins, &peer->pin_capacity, sizeof *peer->pins);
    phx_idmap_free(&peer->pinned);
}
