/*
 * Stays that have ended; see ended_stays.h.
 */
#include "cluster/halo/ended_stays.h"

void phx_ended_stays_init(phx_ended_stays *stays, phx_mem *mem)
{
    *stays = (phx_ended_stays){.mem = mem};
    phx_idmap_init(&stays->places, mem);
}

void phx_ended_stays_free(phx_ended_stays *stays)
{
    phx_release(stays->mem, (void **)&stays->items, &stays->capacity, sizeof *stays->items);
    phx_idmap_free(&stays->places);
}

/* Never 0, which is no key of a map. */
static uint64_t stay_key(const phx_ended_stays *stays, uint64_t id, uint32_t stay)
{
    return phx_hash_both(stays->places.key, id, stay) | 1;
}

bool phx_ended_stays_note(phx_ended_stays *stays, uint64_t id, uint32_t stay, uint64_t now)
{
    const phx_ended_stay *known = phx_ended_stays_find(stays, id, stay);
    const phx_ended_stay ended = {.id = id, .since = known ? known->since : now, .tick = now, .stay = stay};
    const uint64_t key = stay_key(stays, id, stay), *place = phx_idmap_find(&stays->places, key);
    if (place) {
        stays->items[*place] = ended;
        return true;
    }
    if (!phx_idmap_reserve(&stays->places, stays->count + 1) ||
        !phx_grow(stays->mem, (void **)&stays->items, &stays->capacity, stays->count, (size_t)stays->count + 1,
                  sizeof *stays->items))
        return false;
    phx_idmap_insert(&stays->places, key, stays->count);
    stays->items[stays->count++] = ended;
    return true;
}

const phx_ended_stay *phx_ended_stays_find(const phx_ended_stays *stays, uint64_t id, uint32_t stay)
{
    const uint64_t *place = phx_idmap_find(&stays->places, stay_key(stays, id, stay));
    const phx_ended_stay *ended = place ? &stays->items[*place] : NULL;
    return ended && ended->id == id && ended->stay == stay ? ended : NULL;
}

static void forget_one(phx_ended_stays *stays, uint32_t place)
{
    const phx_ended_stay old = stays->items[place];
    (void)phx_idmap_remove(&stays->places, stay_key(stays, old.id, old.stay));
    const phx_ended_stay last = stays->items[--stays->count];
    if (place == stays->count) return;
    stays->items[place] = last;
    *phx_idmap_find(&stays->places, stay_key(stays, last.id, last.stay)) = place;
}

void phx_ended_stays_forget(phx_ended_stays *stays, uint64_t now, uint32_t ticks)
{
    enum { PART = 8 };
    for (uint32_t looks = stays->count / PART + 1; looks > 0 && stays->count > 0; looks--) {
        if (stays->next >= stays->count) stays->next = 0;
        if (now - stays->items[stays->next].tick > ticks) forget_one(stays, stays->next);
        else stays->next++;
    }
}
