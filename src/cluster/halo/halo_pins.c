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

ph_status phx_halo_pin(phx_halo *halo, uint64_t id, bool on)
{
    uint32_t at = 0, empty = halo->pin_count;
    PHX_ASSERT(id != 0);
    for (; at < halo->pin_count && halo->pins[at].id != id; at++)
        if (halo->pins[at].id == 0 && at < empty) empty = at;
    const bool is_pinned = at < halo->pin_count;
    if (on && !is_pinned) {
        if (empty == PHX_HALO_PINS_MAX) return PH_CAPACITY;
        if (!phx_grow(&halo->mem, (void **)&halo->pins, &halo->pin_capacity, halo->pin_count, (size_t)empty + 1,
                      sizeof *halo->pins))
            return PH_NO_MEMORY;
        if (empty == halo->pin_count) halo->pin_count++;
        set_pin(halo, empty, id);
    }
    if (!on && is_pinned) set_pin(halo, at, 0);
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
    if (!phx_grow(&halo->mem, (void **)&peer->pins, &peer->pin_capacity, peer->pin_count, end, sizeof *peer->pins))
        return false;
    while (peer->pin_count < end) peer->pins[peer->pin_count++] = 0;
    return true;
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
        peer->pins[pin.place] = pin.id;
    }
    peer->pins_tick = head->tick;
}
