/*
 * The bytes of a capsule: a family of attached entities with all that they have in a world, for another world. Written
 * by read/export.c; in a queue's record, and read there by the ticking thread. Any phase (pure functions). All numbers
 * little-endian:
 *
 *   head     16 bytes: phx_capsule_head
 *   member   phx_capsule_member, then its targets, relations, areas, and deferred updates; the root is the first
 *   sum      of all before it (base/sum.h)
 *
 * A parent stands before its children. Records of one kind are in the order of their ids, each id once. Ticks are ages:
 * 1 is the last tick that ended, 0 is never.
 */
#ifndef PHX_WORLD_QUEUE_CAPSULE_H
#define PHX_WORLD_QUEUE_CAPSULE_H

#include <pharos/types.h>

#include "base/core.h"

enum { PHX_CAPSULE_MAGIC = 0x43534850, PHX_CAPSULE_FORMAT = 1 };

typedef struct phx_capsule_head {
    uint32_t magic;   /* PHX_CAPSULE_MAGIC */
    uint16_t format;  /* PHX_CAPSULE_FORMAT */
    uint16_t members; /* 1 or more */
    uint32_t bytes;   /* of all, with head and sum */
    uint32_t zero;
} phx_capsule_head;

/* Flags of a member. */
enum {
    PHX_CAPSULE_GLOBAL = 1,
    PHX_CAPSULE_VEILED = 2,
    PHX_CAPSULE_READY = 4,
    PHX_CAPSULE_FRESH = 8, /* its consumer has no list of it yet */
    PHX_CAPSULE_OWED = 16, /* its whole list is due to the consumer */
    PHX_CAPSULE_AWAKE = 32,
    PHX_CAPSULE_APART = 64, /* set by its import: of a world that ticks apart, so an update of any target may lack */
    PHX_CAPSULE_FLAGS = 127
};

/* Attributes as they are now; `given` has the bits of attributes that do not follow the class. */
typedef struct phx_capsule_member {
    uint64_t id, user_data, layers, sees;
    float x, y, z, view, margin, reach, visible;
    uint32_t cap, given, instance;
    uint32_t alone; /* the age of the first tick without a waker near, of an awake NPC */
    uint32_t moved; /* the age of its last move */
    uint16_t kind, consumer;
    uint16_t parent; /* place of a member before it; of the root 0 */
    uint8_t flags;
    uint8_t step; /* of crowd control: how far its view is shrunk */
    uint8_t stealth, detect, priority, zero;
    uint32_t targets, relations, areas, deferred; /* records behind it */
    uint32_t zero_word;
} phx_capsule_member;

enum { PHX_CAPSULE_STRANGER = 1 }; /* flag of a target: it is not the entity that has its id here */

/* A target of its list; user data and kind are as in its leave. stay: as the host numbers entities' stays. */
typedef struct phx_capsule_target {
    uint64_t id, user_data;
    uint32_t stay;
    uint16_t kind, flags;
} phx_capsule_target;

typedef struct phx_capsule_relation {
    uint64_t target;
    float view, margin;
    uint32_t bits; /* PHX_RELATION_... */
    uint32_t zero;
} phx_capsule_relation;

typedef struct phx_capsule_area {
    uint64_t id;
} phx_capsule_area;

/* A target whose update waits for room. age: of the tick in which it was due. */
typedef struct phx_capsule_deferred {
    uint64_t id;
    uint32_t age, zero;
} phx_capsule_deferred;

_Static_assert(sizeof(phx_capsule_head) == 16 && sizeof(phx_capsule_member) == 112, "no padding: they are copied");
_Static_assert(sizeof(phx_capsule_target) == 24 && sizeof(phx_capsule_relation) == 24 &&
                   sizeof(phx_capsule_deferred) == 16,
               "no padding either");

/* The host's numbers of entities' stays; NULL: all are 0. */
typedef struct phx_stays {
    ph_stay_fn of;
    void *user;
} phx_stays;

static inline uint32_t phx_stay_of(const phx_stays *stays, uint64_t id)
{
    return stays->of ? stays->of(stays->user, id) : 0;
}

/* One member of a sound capsule, and where its records are. */
typedef struct phx_capsule_view {
    phx_capsule_member member;
    const unsigned char *targets, *relations, *areas, *deferred;
} phx_capsule_view;

/* A walk over the members of a capsule. */
typedef struct phx_capsule_walk {
    const unsigned char *at;
    size_t left; /* bytes of members */
    uint32_t members;
} phx_capsule_walk;

/* The record of that place behind a byte, which may stand anywhere. */
phx_capsule_target phx_capsule_target_at(const unsigned char *targets, uint32_t place);
phx_capsule_relation phx_capsule_relation_at(const unsigned char *relations, uint32_t place);
uint64_t phx_capsule_area_at(const unsigned char *areas, uint32_t place);
phx_capsule_deferred phx_capsule_deferred_at(const unsigned char *deferred, uint32_t place);

/* Begins a walk. false: they are no capsule, or damaged. */
bool phx_capsule_open(phx_capsule_walk *walk, const void *bytes, size_t size);
/*
 * The next member. false: there is none left, or (`walk->members` is above 0, or bytes are left) it is cut off.
 * Nothing but the room of its records is checked.
 */
bool phx_capsule_next(phx_capsule_walk *walk, phx_capsule_view *view);
static inline bool phx_capsule_ended(const phx_capsule_walk *walk)
{
    return walk->members == 0 && walk->left == 0;
}

/* Writes the sum of `bytes` bytes, which are all but the last 8. */
void phx_capsule_seal(void *capsule, size_t bytes);

#endif
