/*
 * Activation: which own NPCs are awake. For every tower of the rectangle it is known near
 * how many towers with wakers it is (`cover`); that changes only when a tower gets its
 * first waker or loses its last one, and NPCs are looked at only in towers where it
 * becomes 0, or no longer is, and where they went to another tower themselves. Who has
 * no waker near any more waits in a queue, by the tick since when.
 * Wakers beyond the rectangle are there as ghosts (phx_halo_request.wake_towers). Part of the
 * zones phase of the shard's owner; the rule is in pharos.h, "Activation".
 */
#ifndef PHX_SHARDS_ZONES_ACTIVATION_H
#define PHX_SHARDS_ZONES_ACTIVATION_H

#include "shards/entity/bounds.h"
#include "shards/entity/visibility.h"
#include "shards/zones/edges.h"
#include "shards/zones/tower_members.h"

typedef struct phx_activation_state {
    uint64_t alone_since;  /* the first tick without a waker near; 0 = one is near, or asleep */
    uint32_t next, before; /* in the queue of those who will fall asleep; slots */
    uint16_t tx, ty;       /* of a waker: where it is counted */
    bool waker, npc, awake, queued;
} phx_activation_state;

typedef struct phx_activation {
    phx_activation_state *sleepers; /* by slot */
    uint32_t capacity, slots;
    phx_tower_map wakers; /* in a tower, ghosts too */
    phx_tower_map cover;  /* towers with wakers within wake_span of a tower of the rectangle */
    uint32_t *turned;     /* towers, ty << 16 | tx, whose cover became 0 or is not 0 any more */
    uint32_t turned_count, turned_capacity;
    uint32_t first, last; /* of the queue */
    uint32_t span;        /* that cover was counted with */
    uint32_t awake_count;
    uint64_t woken, slept; /* edges since the world was made */
} phx_activation;

/* An NPC: its kind sleeps, and does not wake others. */
static inline bool phx_is_npc(const phx_rules *rules, const phx_attr *attr)
{
    const ph_class *c = &rules->classes[attr->kind];
    return c->sleeps && !c->wakes;
}

/* An observer of a waking kind. */
static inline bool phx_is_waker(const phx_rules *rules, const phx_attr *attr)
{
    return rules->classes[attr->kind].wakes && phx_attr_observes(attr);
}

/* What the phase works on. */
typedef struct phx_activation_input {
    const phx_rules *rules;
    const phx_store *store;
    const phx_tower_members *roster; /* of this tick's end */
    phx_rect rect;
    uint64_t tick;
    phx_edges *edges;
} phx_activation_input;

void phx_activation_init(phx_activation *awake, phx_mem *mem);
/* Leaves it as after phx_activation_init(), but for the sums of edges. */
void phx_activation_free(phx_activation *awake, phx_mem *mem);
/* Room for so many slots. false = no memory. */
bool phx_activation_cover(phx_activation *awake, phx_mem *mem, uint32_t slots);
/* Forgets where wakers are: each is to be counted anew. For another span. */
void phx_activation_recount(phx_activation *awake, phx_mem *mem, uint32_t span);
/* One that changed, or any: is it a waker, and where? false = no memory; call again. */
bool phx_activation_count(phx_activation *awake, phx_mem *mem, const phx_activation_input *in, uint32_t slot);
/* Once all are counted: one that changed, or any. false = no memory; call again. */
bool phx_activation_look(phx_activation *awake, phx_mem *mem, const phx_activation_input *in, uint32_t slot);
/* Those in towers that turned, then who waited long enough falls asleep. false = no memory; call again. */
bool phx_activation_end_tick(phx_activation *awake, phx_mem *mem, const phx_activation_input *in);
/* An own entity that goes to another shard, with what phx_activation_carry() is to be told there. */
void phx_activation_let_go(phx_activation *awake, uint32_t slot);
/* One that came awake from another shard. Room is there. */
void phx_activation_carry(phx_activation *awake, uint32_t slot, uint64_t alone_since);

static inline bool phx_activation_is(const phx_activation *awake, uint32_t slot)
{
    return slot < awake->slots && awake->sleepers[slot].awake;
}

#endif
