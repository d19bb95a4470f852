/*
 * States of hand-overs; see family.h.
 */
#include "cluster/halo/family.h"

#include <pharos/pharos.h>

static phx_family_member head_at(const phx_family *family, uint32_t place)
{
    phx_reader reader =
        phx_reader_of(family->members + (size_t)place * PHX_FAMILY_MEMBER_BYTES, PHX_FAMILY_MEMBER_BYTES);
    phx_family_member member = {.id = phx_read_number(&reader, 8)};
    member.stay = (uint32_t)phx_read_number(&reader, 4);
    member.blob_bytes = (uint32_t)phx_read_number(&reader, 4);
    member.turn = (uint8_t)phx_read_number(&reader, 1);
    return member;
}

phx_family_member phx_family_member_at(const phx_family *family, uint32_t place)
{
    PHX_ASSERT(place < family->count);
    const unsigned char *blob = family->members + (size_t)family->count * PHX_FAMILY_MEMBER_BYTES;
    for (uint32_t i = 0; i < place; i++) blob += head_at(family, i).blob_bytes;
    phx_family_member member = head_at(family, place);
    member.blob = blob;
    return member;
}

void phx_family_put_member(unsigned char *bytes, const phx_family_member *member)
{
    phx_writer writer = phx_writer_of(bytes, PHX_FAMILY_MEMBER_BYTES);
    phx_write_number(&writer, 8, member->id);
    phx_write_number(&writer, 4, member->stay);
    phx_write_number(&writer, 4, member->blob_bytes);
    phx_write_number(&writer, 1, member->turn);
}

static bool offer_names(const phx_offer *offer, uint64_t id)
{
    for (uint32_t i = 0; i < offer->follower_count; i++)
        if (phx_wire_offer_id(offer, i) == id) return true;
    return false;
}

/* The capsule's ids are the members', in order, and the offer's: a capsule has each id once. */
static bool ids_agree(const phx_family *family, const phx_offer *offer)
{
    uint64_t ids[PHX_FAMILY_MEMBERS_MAX];
    uint32_t count = 0;
    if (family->count != offer->follower_count + 1 ||
        ph_capsule_ids(family->capsule, family->capsule_bytes, ids, family->count, &count) != PH_OK ||
        count != family->count || ids[0] != offer->id)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (head_at(family, i).id != ids[i] || (i > 0 && !offer_names(offer, ids[i]))) return false;
    return true;
}

bool phx_family_open(phx_family *family, const phx_offer *offer)
{
    phx_reader reader = phx_reader_of(offer->state, offer->state_bytes);
    *family = (phx_family){0};
    family->capsule_bytes = (uint32_t)phx_read_number(&reader, 4);
    family->count = (uint32_t)phx_read_number(&reader, 4);
    if (family->count == 0 || family->count > PHX_FAMILY_MEMBERS_MAX) return false;
    family->capsule = phx_read_bytes(&reader, family->capsule_bytes);
    family->members = phx_read_bytes(&reader, (size_t)family->count * PHX_FAMILY_MEMBER_BYTES);
    if (reader.failed) return false;
    uint64_t blobs = 0;
    for (uint32_t i = 0; i < family->count; i++) blobs += head_at(family, i).blob_bytes;
    return blobs == phx_reader_left(&reader) && ids_agree(family, offer);
}
