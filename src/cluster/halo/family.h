/*
 * The state of a hand-over as bytes: a capsule, and of each entity in it the number of its stay and what the host
 * packed.
 *
 *   capsule_bytes u32, members u32, capsule
 *   member           id u64, stay u32, blob_bytes u32, turn u8; in the capsule's order, the root first
 *   blobs            in that order
 *
 * Decoding is total. Pure; written and read by halo_family, read by the rounds of a member.
 */
#ifndef PHX_CLUSTER_HALO_FAMILY_H
#define PHX_CLUSTER_HALO_FAMILY_H

#include "cluster/wire/bytes.h"
#include "cluster/wire/wire.h"

enum { PHX_FAMILY_HEAD_BYTES = 8, PHX_FAMILY_MEMBER_BYTES = 17, PHX_FAMILY_MEMBERS_MAX = PHX_WIRE_FOLLOWERS_MAX + 1 };

typedef struct phx_family {
    const unsigned char *capsule, *members;
    uint32_t capsule_bytes, count;
    uint64_t sequence;     /* of its import, of the halo's producer; 0: it was not imported */
    phx_place_set doubles; /* by place: they came in place of own ones; see phx_halo_gain() */
} phx_family;

typedef struct phx_family_member {
    uint64_t id;
    uint32_t stay, blob_bytes;
    uint8_t turn; /* with its new node; see phx_halo_entity */
    const unsigned char *blob;
} phx_family_member;

/* false: the state is none of the entities that the offer names. */
bool phx_family_open(phx_family *family, const phx_offer *offer);
/* place: below the count. */
phx_family_member phx_family_member_at(const phx_family *family, uint32_t place);
void phx_family_put_member(unsigned char *bytes, const phx_family_member *member);

#endif
