/*
 * Activation: which own NPCs are awake. Each tower of the rectangle has the number of towers with wakers near it
 * (`cover`). It changes only when a tower gets its first waker or loses its last one. NPCs are checked only in towers
 * where the coverage became 0 or became positive, and if they moved to another tower themselves. An NPC without a waker
 * near waits in a queue, ordered by the tick since when. Wakers beyond the rectangle are here as ghosts
 * (phx_halo_request.wake_towers1). Part of the zones stage, by the shard's owner; pharos.h, "Activation", has the rule.
 */
#ifndef PHX_SHARDS_ZONES_ACTIVATION_H
#define PHX_SHARDS_ZONES_ACTIVATION_H

#include "shards/entity/bounds.h"
#include "shards/entity/visibility.h"
#include "shards/zones/edges.h"
#include "shards/zones/tower_members.h"

typedef struct phx_activation_state {
    uint64_t alone_since;  /* the first tick without a waker near; 0 = a waker is near, or it sleeps */
    uint32_t next, before; /* in the queue of NPCs that will fall asleep; slots */
    uint32_t instance;     /* of a waker: the tower where it is counted */
    uint16_t tx, ty;
    bool waker, npc, awake, queued;
} phx_activation_state;

typedef struct phx_activation {
    phx_activation_state *sleepers; /* by slot */
    uint32_t capacity, slots;
    phx_tower_map wakers; /* wakers in a tower, ghosts too */
    phx_tower_map cover;  /* towers with wakers within wake_span of a tower of the rectangle */
    uint64_t *turned;     /* instance << 32 | ty << 16 | tx of towers whose cover became 0 or positive */
    uint32_t turned_count, turned_capacity;
    uint32_t first, last; /* of the queue */
    uint32_t span;        /* the span with which cover was counted */
    uint32_t awake_count;
    uint64_t woken, slept; /* edges since the world was made */
} phx_activation;

/* An NPC: its kind sleeps, and does not wake; and it is simulated here. */
static inline bool phx_is_npc(const phx_rules *rules, const phx_attr *attr)
{
    const ph_class *c = &rules->classes[attr->kind];
    return c->sleeps && !c->wakes && !attr->remote;
}

/* An observer of a waking kind, here or in another process. */
static inline bool phx_is_waker(const phx_rules *rules, const phx_attr *attr)
{
    return rules->classes[attr->kind].wakes && attr->ready_given && attr->view > 0.0f;
}

/* Inputs of the phase. */
typedef struct phx_activation_input {
    const phx_rules *rules;
    const phx_store *store;
    const phx_tower_members *tower_members; /* as of this tick's end */
    phx_rect rect;
    uint64_t tick;
    phx_edges *edges;
} phx_activation_input;

void phx_activation_init(phx_activation *activation, phx_mem *mem);
/* Frees the memory: as after phx_activation_init(), but the sums of edges stay. */
void phx_activation_free(phx_activation *activation, phx_mem *mem);
/* Room for so many slots. false = no memory. */
bool phx_activation_cover(phx_activation *activation, phx_mem *mem, uint32_t slots);
/* Drops all counts of wakers, so that each waker is counted anew; for another span. */
void phx_activation_recount(phx_activation *activation, phx_mem *mem, uint32_t span);
/* Counts a slot, changed or not, as a waker, at its tower. false = no memory; call again. */
bool phx_activation_count(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t slot);
/* Checks an NPC, changed or not, after all wakers are counted. false = no memory; call again. */
bool phx_activation_decide(phx_activation *activation, phx_mem *mem, const phx_activation_input *in, uint32_t slot);
/*
 * Checks the NPCs in turned towers, then lets NPCs fall asleep that waited long enough. false = no memory; call again.
 */
bool phx_activation_end_tick(phx_activation *activation, phx_mem *mem, const phx_activation_input *in);
/* Drops an emigrant; its state was sent for phx_activation_carry() there. */
void phx_activation_let_go(phx_activation *activation, uint32_t slot);
/* Takes over an immigrant that was awake. Room was reserved. */
void phx_activation_carry(phx_activation *activation, uint32_t slot, uint64_t alone_since);

/* An NPC that was carried waits to fall asleep, behind all that waited longer. */
void phx_activation_wait(phx_activation *activation, uint32_t slot);

static inline bool phx_activation_is(const phx_activation *activation, uint32_t slot)
{
    return slot < activation->slots && activation->sleepers[slot].awake;
}

#endif
