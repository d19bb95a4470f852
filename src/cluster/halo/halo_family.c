/*
 * Families on their way; see halo_family.h.
 */
#include "cluster/halo/halo_family.h"

#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/node/hand_over.h"

/* ---- to another node ---- */

/* A state that is being written. */
typedef struct family_draft {
    phx_halo *halo;
    uint64_t ids[PHX_FAMILY_MEMBERS_MAX];
    uint32_t count;
    size_t used; /* bytes of the state */
} family_draft;

static uint32_t stay_of(void *user, uint64_t id)
{
    const phx_halo_entity *entity = phx_halo_find(user, id);
    return entity ? entity->stay : 0;
}

static ph_status write_capsule(family_draft *draft, uint64_t id)
{
    phx_halo *halo = draft->halo;
    unsigned char *capsule = halo->message + PHX_FAMILY_HEAD_BYTES;
    size_t bytes = 0;
    ph_status status = ph_export(halo->def.world, id, stay_of, halo, capsule, PH_CAPSULE_MAX, &bytes);
    if (status != PH_OK) return status;
    status = ph_capsule_ids(capsule, bytes, draft->ids, PHX_FAMILY_MEMBERS_MAX, &draft->count);
    PHX_ASSERT(status == PH_OK);
    if (draft->count > PHX_FAMILY_MEMBERS_MAX) return PH_TOO_LARGE;
    phx_writer writer = phx_writer_of(halo->message, PHX_FAMILY_HEAD_BYTES);
    phx_write_number(&writer, 4, bytes);
    phx_write_number(&writer, 4, draft->count);
    draft->used = PHX_FAMILY_HEAD_BYTES + bytes;
    return PH_OK;
}

/* Behind the capsule: the members, and then what the host packs for each. */
static ph_status write_members(family_draft *draft)
{
    phx_halo *halo = draft->halo;
    unsigned char *head = halo->message + draft->used;
    draft->used += (size_t)draft->count * PHX_FAMILY_MEMBER_BYTES;
    for (uint32_t i = 0; i < draft->count; i++, head += PHX_FAMILY_MEMBER_BYTES) {
        const phx_halo_entity *entity = phx_halo_find(halo, draft->ids[i]);
        if (!entity || !entity->own) return PH_UNKNOWN_ID;
        if (entity->arrives) return PH_BUSY;
        if (draft->used > PHX_WIRE_STATE_BYTES_MAX) return PH_TOO_LARGE;
        size_t room = PHX_WIRE_STATE_BYTES_MAX - draft->used, bytes = 0;
        if (room > PHC_BLOB_MAX) room = PHC_BLOB_MAX;
        if (halo->def.pack) bytes = halo->def.pack(halo->def.pack_user, entity->id, halo->message + draft->used, room);
        if (bytes > room) return PH_TOO_LARGE;
        const phx_family_member member = {
            .id = entity->id, .stay = entity->stay, .turn = (uint8_t)(entity->turn + 1), .blob_bytes = (uint32_t)bytes};
        phx_family_put_member(head, &member);
        draft->used += bytes;
    }
    return PH_OK;
}

/* The followers' ids, ascending. */
static void sort_followers(uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t id = ids[i];
        uint32_t at = i;
        for (; at > 0 && ids[at - 1] > id; at--) ids[at] = ids[at - 1];
        ids[at] = id;
    }
}

/* It stands as the receiver's copy from now on: remote, so it hangs on no other one, and goes where its owner says. */
static void become_copy(phx_halo *halo, uint64_t id)
{
    phx_halo_entity *entity = phx_halo_disown(halo, phx_halo_find(halo, id));
    phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    const ph_status status = ph_entity_get(halo->def.world, id, &remote->attrs);
    PHX_ASSERT(status == PH_OK); /* it was exported */
    (void)status;
    remote->source = phx_holdings_find(&halo->def.node->holdings, id)->peer;
    remote->attrs.remote = true;
    entity->heard_tick = halo->now;
    phx_halo_note_passed(halo, entity);
    phx_halo_resign(halo, entity);
}

ph_status phx_halo_give(phx_halo *halo, uint64_t id, uint16_t number, phx_family *family)
{
    family_draft draft = {.halo = halo};
    const phx_halo_entity *entity = phx_halo_find(halo, id);
    if (!entity || !entity->own) return PH_UNKNOWN_ID;
    ph_status status = phx_hand_over_may_send(halo->def.node, id, number);
    if (status == PH_OK) status = write_capsule(&draft, id);
    if (status == PH_OK) status = write_members(&draft);
    if (status == PH_OK && !phx_halo_reserve_copies(halo, draft.count)) status = PH_NO_MEMORY;
    if (status != PH_OK) return status;
    sort_followers(draft.ids + 1, draft.count - 1);
    status = phx_hand_over_send(halo->def.node, id, number, draft.ids + 1, draft.count - 1, halo->message,
                                (uint32_t)draft.used);
    if (status != PH_OK) return status;
    for (uint32_t i = 0; i < draft.count; i++) become_copy(halo, draft.ids[i]);
    phx_reader reader = phx_reader_of(halo->message, draft.used);
    family->capsule_bytes = (uint32_t)phx_read_number(&reader, 4);
    family->count = draft.count;
    family->capsule = halo->message + PHX_FAMILY_HEAD_BYTES;
    family->members = family->capsule + family->capsule_bytes;
    return PH_OK;
}

/* ---- from another node ---- */

/* Is it seen from far, as far as this node knows? Then other peers have copies that are. */
static bool was_far(const phx_halo *halo, const phx_halo_entity *entity)
{
    return entity->own ? entity->far : phx_halo_is_far(halo, &phx_halo_remote_of(halo, entity)->attrs);
}

/*
 * One of another stay of the id leaves first, and an own one is known until the other has come; one that went, and
 * comes back, is remote first.
 */
static ph_status clear_place(phx_halo *halo, const phx_family_member *member)
{
    phx_halo_entity *entity = phx_halo_find(halo, member->id);
    if (!entity) return PH_OK;
    if (entity->resigns) phx_halo_resign(halo, entity);
    if (entity->resigns) return PH_FULL;
    if (entity->stay == member->stay || entity->yields) return PH_OK;
    const ph_status status = ph_leave(halo->def.producer, member->id);
    if (status != PH_OK) halo->counts.refused++;
    else if (entity->own) entity->yields = true;
    else phx_halo_remove(halo, entity);
    return status;
}

ph_status phx_halo_clear(phx_halo *halo, const phx_offer *offer)
{
    static const ph_attrs own = {.given = PH_REMOTE}, remote = {.given = PH_REMOTE, .remote = true};
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        ph_attrs attrs;
        const uint64_t id = phx_wire_offer_id(offer, i);
        ph_status status = ph_entity_get(halo->def.world, id, &attrs);
        if (status == PH_UNKNOWN_ID) continue;
        if (status == PH_OK) status = ph_set(halo->def.producer, id, &own);
        if (status == PH_OK) status = ph_set(halo->def.producer, id, &remote);
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

/* Makes room for it in the table, and under its ids in the world. */
static ph_status admit_family(phx_halo *halo, const phx_offer *offer, phx_family *family)
{
    if (!phx_family_open(family, offer)) return PH_BAD_VALUE;
    if (!phx_halo_reserve_own(halo, family->count)) return PH_NO_MEMORY;
    for (uint32_t i = 0; i < family->count; i++) {
        const phx_family_member member = phx_family_member_at(family, i);
        const ph_status status = clear_place(halo, &member);
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

static ph_status import_family(phx_halo *halo, const phx_offer *offer, phx_family *family)
{
    ph_status status = admit_family(halo, offer, family);
    if (status != PH_OK) return status;
    status = ph_import(halo->def.producer, family->capsule, family->capsule_bytes, stay_of, halo);
    if (status != PH_OK) return status;
    return ph_producer_sequence(halo->def.producer, &family->sequence);
}

/* A member as it comes. One that is taken back has a turn more than with the dead node, of which others may tell still.
 */
static phx_family_member member_of(const phx_node_event *event, const phx_family *family, uint32_t place)
{
    phx_family_member member = phx_family_member_at(family, place);
    if (event->kind == PHX_NODE_TAKEN_BACK) member.turn++;
    return member;
}

static void own_member(phx_halo *halo, const phx_family_member *member)
{
    phx_halo_entity own = {.id = member->id,
                           .stay = member->stay,
                           .turn = member->turn,
                           .own = true,
                           .arrives = true,
                           .heard_tick = halo->now};
    phx_halo_entity *known = phx_halo_find(halo, member->id);
    own.far = known && was_far(halo, known);
    own.copied = known && known->stay == member->stay && (!known->own || known->copied);
    own.looks = known && known->own && known->looks;
    if (own.looks) { /* the world has refused it, and it stands among the newcomers still */
        *known = own;
        return;
    }
    if (known) phx_halo_remove(halo, known);
    phx_halo_add(halo, own);
}

/* It comes with its family, as a capsule comes whole. Where the producer is full it is a copy that is not repeated. */
static void leave_again(phx_halo *halo, const phx_family_member *member)
{
    const phx_halo_entity *copy = phx_halo_find(halo, member->id);
    PHX_ASSERT(!copy || !copy->own);
    if (copy) phx_halo_remove(halo, copy);
    if (ph_leave(halo->def.producer, member->id) == PH_OK) return;
    phx_halo_add(halo, (phx_halo_entity){.id = member->id, .stay = member->stay, .turn = member->turn});
    halo->counts.refused++;
    halo->is_behind = true;
}

ph_status phx_halo_gain(phx_halo *halo, const phx_node_event *event, bool waits, phx_family *family)
{
    if (!phx_halo_reserve_copies(halo, event->dropped_count)) return PH_NO_MEMORY;
    const ph_status status =
        waits ? admit_family(halo, &event->offer, family) : import_family(halo, &event->offer, family);
    if (status != PH_OK) return status;
    for (uint32_t i = 0; i < family->count; i++) {
        const phx_family_member member = member_of(event, family, i);
        const phx_halo_entity *known = phx_halo_find(halo, member.id);
        if (known && known->own) phx_place_set_add(&family->doubles, i);
        if (phx_event_drops(event, member.id)) leave_again(halo, &member);
        else own_member(halo, &member);
    }
    return PH_OK;
}

ph_status phx_halo_gain_again(phx_halo *halo, const phx_node_event *event, phx_family *family)
{
    if (!phx_halo_reserve_copies(halo, event->offer.follower_count + 1)) return PH_NO_MEMORY;
    const ph_status status = import_family(halo, &event->offer, family);
    if (status != PH_OK) return status;
    for (uint32_t i = 0; i < family->count; i++) {
        const phx_family_member member = member_of(event, family, i);
        const phx_halo_entity *entity = phx_halo_find(halo, member.id);
        if (entity && entity->own && entity->arrives) own_member(halo, &member);
        else leave_again(halo, &member);
    }
    return PH_OK;
}
