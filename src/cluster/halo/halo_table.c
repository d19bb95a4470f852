/*
 * Tables of a halo; see halo_table.h.
 */
#include "cluster/halo/halo_table.h"

#include "cluster/halo/halo_pins.h"

phx_halo_entity *phx_halo_find(const phx_halo *halo, uint64_t id)
{
    const uint64_t *place = phx_idmap_find(&halo->places, id);
    return place ? &halo->entities[*place] : NULL;
}

phx_halo_remote *phx_halo_remote_of(const phx_halo *halo, const phx_halo_entity *entity)
{
    const size_t place = (size_t)(entity - halo->entities);
    PHX_ASSERT(place < halo->copy_count);
    return &halo->remotes[place];
}

static bool reserve_entities(phx_halo *halo, uint32_t more)
{
    return phx_idmap_reserve(&halo->places, halo->entity_count + more) &&
           phx_grow(&halo->mem, (void **)&halo->entities, &halo->entity_capacity, halo->entity_count,
                    (size_t)halo->entity_count + more, sizeof *halo->entities);
}

/* Each new one is looked at once. */
bool phx_halo_reserve_own(phx_halo *halo, uint32_t more)
{
    phx_halo_ids *newcomers = &halo->newcomers;
    return reserve_entities(halo, more) &&
           phx_grow(&halo->mem, (void **)&newcomers->items, &newcomers->capacity, newcomers->count,
                    (size_t)newcomers->count + more, sizeof *newcomers->items);
}

bool phx_halo_reserve_copies(phx_halo *halo, uint32_t more)
{
    return reserve_entities(halo, more) &&
           phx_grow(&halo->mem, (void **)&halo->passed, &halo->passed_capacity, halo->passed_count,
                    (size_t)halo->passed_count + more, sizeof *halo->passed) &&
           phx_grow(&halo->mem, (void **)&halo->remotes, &halo->remote_capacity, halo->copy_count,
                    (size_t)halo->copy_count + more, sizeof *halo->remotes);
}

/* The entity of one place stands in another one from now on. */
static void put_entity(phx_halo *halo, uint32_t place, phx_halo_entity entity)
{
    halo->entities[place] = entity;
    *phx_idmap_find(&halo->places, entity.id) = place;
}

/* Room between copies and own ones. */
static phx_halo_entity *add_copy(phx_halo *halo, phx_halo_entity entity)
{
    const uint32_t place = halo->copy_count++;
    PHX_ASSERT(place < halo->remote_capacity);
    if (place < halo->entity_count) put_entity(halo, halo->entity_count, halo->entities[place]);
    put_entity(halo, place, entity);
    halo->remotes[place] = (phx_halo_remote){.replaced = entity.stay};
    return &halo->entities[place];
}

phx_halo_entity *phx_halo_add(phx_halo *halo, phx_halo_entity entity)
{
    PHX_ASSERT(halo->entity_count < halo->entity_capacity);
    phx_idmap_insert(&halo->places, entity.id, 0);
    phx_halo_entity *added = &halo->entities[halo->entity_count];
    if (entity.own) {
        PHX_ASSERT(halo->newcomers.count < halo->newcomers.capacity);
        entity.looks = true;
        put_entity(halo, halo->entity_count, entity);
        halo->newcomers.items[halo->newcomers.count++] = entity.id;
    } else {
        added = add_copy(halo, entity);
    }
    halo->entity_count++;
    return added;
}

phx_halo_entity *phx_halo_add_entered(phx_halo *halo, phx_halo_entity entity)
{
    const ph_status status = ph_producer_sequence(halo->def.producer, &entity.entered);
    PHX_ASSERT(status == PH_OK); /* it has taken the command */
    (void)status;
    return phx_halo_add(halo, entity);
}

void phx_halo_remove(phx_halo *halo, const phx_halo_entity *entity)
{
    uint32_t place = (uint32_t)(entity - halo->entities);
    (void)phx_idmap_remove(&halo->places, entity->id);
    if (place < halo->copy_count) {
        const uint32_t last = --halo->copy_count;
        if (place != last) {
            put_entity(halo, place, halo->entities[last]);
            halo->remotes[place] = halo->remotes[last];
        }
        place = last;
    }
    const uint32_t last = --halo->entity_count;
    if (place != last) put_entity(halo, place, halo->entities[last]);
}

phx_halo_entity *phx_halo_disown(phx_halo *halo, phx_halo_entity *entity)
{
    const uint32_t from = (uint32_t)(entity - halo->entities), to = halo->copy_count++;
    const phx_halo_entity moved = *entity;
    PHX_ASSERT(moved.own && to < halo->remote_capacity);
    put_entity(halo, from, halo->entities[to]);
    put_entity(halo, to, moved);
    halo->remotes[to] = (phx_halo_remote){.given = halo->now, .replaced = moved.stay};
    halo->entities[to].own = false;
    return &halo->entities[to];
}

phx_halo_peer *phx_halo_peer_find(const phx_halo *halo, uint64_t registration)
{
    for (uint32_t i = 0; i < halo->peer_count; i++)
        if (halo->peers[i].registration == registration) return &halo->peers[i];
    return NULL;
}

phx_halo_peer *phx_halo_peer_of(phx_halo *halo, uint64_t registration)
{
    phx_halo_peer *known = phx_halo_peer_find(halo, registration);
    if (known) return known;
    if (!phx_grow(&halo->mem, (void **)&halo->peers, &halo->peer_capacity, halo->peer_count,
                  (size_t)halo->peer_count + 1, sizeof *halo->peers))
        return NULL;
    phx_halo_peer *made = &halo->peers[halo->peer_count++];
    *made = (phx_halo_peer){
        .registration = registration, .heard_tick = halo->now, .echoed = halo->now, .echo_taken = halo->now};
    phx_idmap_init(&made->pinned, &halo->mem);
    return made;
}

bool phx_halo_is_repeated(const phx_halo *halo, const phx_halo_entity *copy)
{
    const phx_halo_remote *remote = phx_halo_remote_of(halo, copy);
    const phx_halo_peer *peer = phx_halo_peer_find(halo, remote->source);
    return peer && remote->tick >= peer->whole;
}

uint64_t phx_halo_lag(const phx_halo *halo, const phx_halo_peer *peer)
{
    const uint64_t silent = halo->now - peer->heard_tick;
    const uint64_t since = halo->now - (peer->lacks ? peer->echo_taken : peer->echoed);
    return since > silent + 1 ? since - 1 : silent; /* the own tick that is under way has not passed */
}

static void note_peer_lacks(phx_halo_peer *peer)
{
    peer->lacks = true;
    peer->echoed = peer->echo_taken;
    peer->parts = UINT32_MAX; /* so the rest of its tick, which may come later, makes no whole one */
}

void phx_halo_note_lack(phx_halo *halo, const phx_halo_entity *copy)
{
    phx_halo_peer *peer = phx_halo_peer_find(halo, phx_halo_remote_of(halo, copy)->source);
    if (peer) note_peer_lacks(peer);
}

void phx_halo_leave_out(phx_halo *halo, uint64_t source)
{
    phx_halo_peer *peer = phx_halo_peer_find(halo, source);
    halo->counts.refused++;
    if (peer) peer->is_left_out = true;
}

void phx_halo_end_tick(phx_halo *halo, bool all_taken)
{
    halo->freed = 0;
    for (uint32_t i = 0; i < halo->peer_count; i++) {
        phx_halo_peer *peer = &halo->peers[i];
        if (peer->is_left_out) note_peer_lacks(peer);
        peer->is_left_out = false;
        if (!all_taken) peer->echoed = peer->echo_taken;
        peer->lacks &= peer->echoed == peer->echo_taken;
        peer->echo_taken = peer->echoed;
    }
}

void phx_halo_note_ended(phx_halo *halo, uint64_t id, uint32_t stay)
{
    halo->counts.no_memory += !phx_ended_stays_note(&halo->ended, id, stay, halo->now);
}

void phx_halo_forget_peers(phx_halo *halo)
{
    for (uint32_t i = halo->peer_count; i-- > 0;) {
        phx_halo_peer *peer = &halo->peers[i];
        if (phx_node_peer(halo->def.node, peer->registration)) continue;
        phx_halo_forget_pins(halo, peer);
        *peer = halo->peers[--halo->peer_count];
    }
}

void phx_halo_resign(phx_halo *halo, phx_halo_entity *entity)
{
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    entity->resigns = ph_set(halo->def.producer, entity->id, &remote) != PH_OK;
    halo->counts.refused += entity->resigns;
    halo->is_behind |= entity->resigns;
}

bool phx_halo_note_taken(phx_halo *halo, ph_status status)
{
    if (status != PH_OK) halo->counts.refused++;
    return status == PH_OK;
}

bool phx_halo_drop_copy(phx_halo *halo, const phx_halo_entity *copy)
{
    if (!phx_halo_note_taken(halo, ph_leave(halo->def.producer, copy->id))) return false;
    phx_halo_remove(halo, copy);
    return true;
}
