/*
 * Room for arrivals; see arrival_room.h.
 */
#include "cluster/member/arrival_room.h"

bool phx_arrival_is_for_memory(ph_status why)
{
    return why == PH_NO_MEMORY;
}

bool phx_arrival_needs_places(const phx_arrival *arrival)
{
    return arrival->why == PH_CAPACITY && arrival->needs > 0;
}

bool phx_arrival_is_due(const phc *member, const phx_arrival *arrival)
{
    const phx_arrival_room *room = &member->room;
    if (phx_arrival_is_for_memory(arrival->why)) return !room->is_short;
    if (arrival->why == PH_CAPACITY && arrival->needs == 0) return false; /* it met another bound: in its turn */
    return arrival->why != PH_CAPACITY || room->given + arrival->needs <= room->fewer + member->halo.freed;
}

/* The first one that waits for more places than there are; else the number of arrivals. */
static uint32_t find_first(const phc *member)
{
    uint32_t at = 0;
    while (at < member->arrivals.count &&
           (!phx_arrival_needs_places(&member->kept[at]) || phx_arrival_is_due(member, &member->kept[at])))
        at++;
    return at;
}

/* The next one in turn of those that wait and are not due. Where places are kept it would take them. */
uint32_t phx_arrival_find_turn(const phc *member)
{
    const phx_arrival_room *room = &member->room;
    const uint32_t count = member->arrivals.count, first = room->keeps ? find_first(member) : count;
    for (uint32_t i = 0; i < count && room->has_turn; i++) {
        const uint32_t at = (room->turn + i) % count;
        const phx_arrival *arrival = &member->kept[at];
        const bool may_take = at <= first || arrival->needs == 0;
        if (arrival->waits && may_take && !phx_arrival_is_due(member, arrival)) return at;
    }
    return count;
}

/* Are places kept in the next round? In as many rounds as they were kept they are not. */
static void turn_places(phc *member)
{
    enum { KEPT_ROUNDS = 64 }; /* some seconds: families of so many come with one place a round */
    phx_arrival_room *room = &member->room;
    uint32_t at = 0;
    while (at < member->arrivals.count && !phx_arrival_needs_places(&member->kept[at])) at++;
    const bool waits = at < member->arrivals.count;
    if (room->keeps) room->owed++;
    else if (room->owed > 0) room->owed--;
    if (waits && room->first != member->kept[at].root) {
        room->first = member->kept[at].root;
        room->kept_most = KEPT_ROUNDS;
    }
    if (!room->is_open && room->owed >= room->kept_most) {
        room->is_open = true;
        room->kept_most *= 2;
    }
    room->is_open &= room->owed > 0;
    room->keeps = waits && !room->is_open;
    room->has_kept = false;
    member->halo.keeps_places = room->keeps;
}

void phx_arrival_room_end_tick(phc *member, uint64_t entities)
{
    phx_arrival_room *room = &member->room;
    if (entities > room->most) room->most = entities;
    room->fewer = room->most - entities;
    room->given = 0;
    room->has_turn = true;
    turn_places(member);
}
