/*
 * The halo of a node: copies of other nodes' entities near its own ones. They are remote entities of its world, moved
 * by commands; and its own entities near a peer's regions are written for that peer in each tick. State, not
 * differences: the newest message counts, so lost, late and double ones heal. Entities go to another node in capsules,
 * by the node's hand-over.
 *
 * A round, by the thread that ticks the world: phx_halo_receive() for each message, phx_halo_gain() for each entity
 * that came, phx_halo_begin_tick(), the host's commands, ph_tick(), phx_halo_write() to each peer, phx_halo_give() for
 * each entity deep in another node's region. Commands go through a producer of the halo's own.
 */
#ifndef PHX_CLUSTER_HALO_H
#define PHX_CLUSTER_HALO_H

#include <pharos/pharos.h>

#include "cluster/halo_wire.h"
#include "cluster/node.h"

/* The regions: a grid of columns * rows, numbered row by row. */
typedef struct phx_region_grid {
    float origin[2], size[2]; /* of the whole */
    uint32_t columns, rows;
} phx_region_grid;

typedef struct phx_halo_def {
    ph_world world;
    ph_producer producer;
    phx_node *node;
    phx_region_grid grid;
    float width;          /* own entities nearer than this to a region of a peer are copied to it */
    uint32_t grace_ticks; /* a copy stays for so many ticks of its source in which it is not repeated */
    uint32_t quiet_ticks; /* ... and for so many own ticks in which its source is not heard */
    ph_allocator allocator;
} phx_halo_def;

/* An entity that the halo knows: own, or a copy. */
typedef struct phx_halo_entity {
    uint64_t id;
    uint32_t stay; /* the same on all nodes, of an id another one each time that it enters */
    bool own;
    bool far;         /* own: seen beyond the width */
    uint64_t written; /* the last message that it stands in */
    uint64_t source;  /* registration; of a copy, as all below */
    uint64_t tick;    /* of the source, when it was repeated last */
    uint64_t heard;   /* own tick, then */
    ph_attrs attrs;   /* as they were submitted */
} phx_halo_entity;

typedef struct phx_halo_peer {
    uint64_t registration, newest; /* the newest tick that was heard */
    uint64_t heard;                /* own tick, then */
    uint64_t *pins;                /* ids that it needs */
    uint32_t pin_count, pin_capacity;
} phx_halo_peer;

typedef struct phx_halo_left {
    phx_halo_gone gone;
    uint32_t repeats; /* that are left */
} phx_halo_left;

typedef struct phx_halo_counts {
    uint64_t flawed[PHX_WIRE_BAD_ITEM + 1]; /* bytes that are no message, by flaw */
    uint64_t fenced, late, misdirected;     /* messages that were dropped */
    uint64_t copies_in, copies_out, own;    /* own: copies of entities that are held here */
    uint64_t expired;                       /* copies that left, as they were not repeated */
    uint64_t refused;                       /* commands that the producer did not take; they come again */
    uint64_t no_memory;
} phx_halo_counts;

typedef struct phx_halo {
    phx_halo_def def;
    phx_mem mem;
    phx_halo_entity *entities; /* dense, in no order */
    uint32_t entity_count, entity_capacity;
    phx_idmap places;
    phx_halo_peer *peers;
    uint32_t peer_count, peer_capacity;
    phx_halo_left *left;
    uint32_t left_count, left_capacity;
    uint64_t *pins; /* ids that this node needs */
    uint32_t pin_count, pin_capacity;
    uint64_t now; /* ticks */
    uint32_t stays;
    uint32_t far_at;   /* the next entity that is looked at for `far` */
    uint64_t messages; /* written */
    phx_halo_counts counts;
    unsigned char sets[PHX_WIRE_BYTES_MAX], copies[PHX_WIRE_BYTES_MAX], message[PHX_WIRE_BYTES_MAX];
    unsigned char capsule[PH_CAPSULE_MAX];
} phx_halo;

void phx_halo_init(phx_halo *halo, const phx_halo_def *def);
void phx_halo_free(phx_halo *halo);

/* The region of a place; places outside of the grid belong to the nearest one. */
uint32_t phx_halo_region(const phx_region_grid *grid, float x, float y);
/* How deep a place is inside a region; below 0 outside of it. */
float phx_halo_depth(const phx_region_grid *grid, uint32_t region, float x, float y);

/* A new own entity, which the node holds: gives it a stay. A copy of its id leaves. Statuses of ph_enter(). */
ph_status phx_halo_enter(phx_halo *halo, uint64_t id, const ph_attrs *attrs);
/* An own entity leaves the world; the node held it. */
ph_status phx_halo_leave(phx_halo *halo, uint64_t id);
/*
 * Hands an own entity over to the node with that number, between ticks: it is remote here from now on. Statuses of
 * ph_export() and phx_hand_over_send(): nothing changed. PH_BAD_VALUE too: others are attached to it.
 */
ph_status phx_halo_give(phx_halo *halo, uint64_t id, uint16_t number);
/* An entity that the node gained, or took back. PH_BAD_VALUE: its state is none; else a status of ph_import(). */
ph_status phx_halo_gain(phx_halo *halo, const phx_node_event *event);
/* An id that this node needs at any distance, as it is related to an own entity; or no more. false: no memory. */
bool phx_halo_pin(phx_halo *halo, uint64_t id, bool on);

/* Takes one message, of any bytes. */
void phx_halo_receive(phx_halo *halo, const void *bytes, size_t size);
/* A tick begins: copies that were not repeated leave. */
void phx_halo_begin_tick(phx_halo *halo);
/* Sends a message to a registration. */
typedef void (*phx_halo_send_fn)(void *user, uint64_t target, const void *bytes, size_t size);
/* Writes the messages of the last tick to all peers, between ticks. */
void phx_halo_write(phx_halo *halo, phx_halo_send_fn send, void *user);

#endif
