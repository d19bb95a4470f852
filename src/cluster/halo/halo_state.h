/*
 * The state of a halo. Changed by the halo alone, on the thread that ticks the world; tests read it.
 */
#ifndef PHX_CLUSTER_HALO_HALO_STATE_H
#define PHX_CLUSTER_HALO_HALO_STATE_H

#include <pharos/cluster.h>

#include "cluster/halo/double_ids.h"
#include "cluster/halo/ended_stays.h"
#include "cluster/halo/halo_region.h"
#include "cluster/halo/halo_wire.h"
#include "cluster/halo/region_set.h"
#include "cluster/node/node.h"

typedef struct phx_halo_def {
    ph_world world;
    ph_producer producer;
    phx_node *node;
    phx_region_grid grid;
    float width;          /* own entities nearer than this to a region of a peer are copied to it */
    float margin;         /* own entities so far beyond the own regions go to another node; the width has room for it */
    float reach;          /* ... and ones with a longer reach than this, wherever they are */
    float speed_max;      /* units that an entity moves in a tick, at most; the width has room for it, too */
    float view;           /* the longest one, with its margin, that the width has room for */
    uint32_t grace_ticks; /* a copy stays for so many ticks of its source in which it is not repeated */
    uint32_t quiet_ticks; /* ... and for so many own ticks in which its source is not heard */
    uint32_t passed_ticks; /* one that was handed over is copied for so many own ticks more; see halo_passed.h */
    phc_pack_fn pack;      /* of the host; NULL: its entities have no state of it */
    void *pack_user;
    ph_allocator allocator;
} phx_halo_def;

/* What is news once is written so often: in a message that is lost there is none of it. */
enum { PHX_HALO_REPEATS = 8 };

/* An entity that the halo knows: own, or a copy. Most are own, and cost this and their place by id. */
typedef struct phx_halo_entity {
    uint64_t id;
    uint32_t stay; /* the same on all nodes, of an id another one each time that it enters */
    bool own : 1;
    bool resigns : 1;  /* it was handed over, and is not remote in the world yet, as the producer was full */
    bool far : 1;      /* own: seen beyond the width, or was as it came */
    bool looks : 1;    /* own: it stands in phx_halo.newcomers */
    bool yields : 1;   /* own: it has left the world for another one of its id, which has not come yet */
    bool enters : 1;   /* own: the host has entered it, and no messages were written since */
    bool arrives : 1;  /* own: it came, and it is not known yet that the world has taken it */
    bool copied : 1;   /* ... but the world has had its copy before */
    uint8_t far_ticks; /* own, or copied still: it is written for all peers still, and stands in phx_halo.far; else 0 */
    uint8_t turn;      /* hand-overs in its stay, and times it was taken back: the later turn counts */
    uint8_t refused;   /* own: why the world has not taken it, which the host is to be told; PH_OK: it has */
    uint64_t entered;  /* the number of the command that entered it here; 0: it came from another node */
    uint64_t written;  /* the last message that it stands in */
    uint64_t heard_tick; /* own one, when a copy was repeated last, or an own one was entered */
} phx_halo_entity;

/* What a copy has beside that. */
typedef struct phx_halo_remote {
    uint64_t source;   /* registration */
    uint64_t tick;     /* of the source, when it was repeated last */
    uint64_t passed;   /* own one until which it is copied to peers; see halo_passed.h */
    uint64_t given;    /* own one in which it was given away here, in this stay; 0: it was never own */
    uint64_t said;     /* its ownership when it broadcast here last; 0 = never */
    bool heard;        /* the source has told of it; else it was given away to there */
    uint32_t replaced; /* the stay of its id that it took the place of, by its owner's words alone; its own one: none */
    ph_attrs attrs;    /* as they were submitted */
} phx_halo_remote;

typedef struct phx_halo_ids {
    uint64_t *items;
    uint32_t count, capacity;
} phx_halo_ids;

typedef struct phx_halo_peer {
    uint64_t registration, newest; /* the newest tick that was heard */
    uint64_t whole;                /* the newest one that was heard and taken whole */
    uint64_t heard_tick;           /* own one, then */
    uint64_t echoed;     /* own tick that it had heard as it wrote its newest whole tick; see phx_halo_lag() */
    uint64_t echo_taken; /* the same, of the last tick of this node's world that took all commands */
    uint32_t parts;      /* of its newest tick that came and were taken whole, in their order from the first one on */
    bool lacks;       /* the own world had no room for a copy of its last whole tick: the next one may be no better */
    bool is_left_out; /* a new copy of its is, as places are kept: noted as a lack once the tick has passed */
    uint64_t copies_in, copies_out, messages_in, messages_out, bytes_in, bytes_out;
    uint64_t *pins; /* ids that it needs, by their places; 0 = an empty one */
    uint32_t pin_count, pin_capacity;
    phx_idmap pinned;       /* at how many places an id stands: it may have a new one before the old one is empty */
    uint64_t pins_tick;     /* of its, of which these are; 0 = none. Not above `newest` */
    uint64_t pins_echo;     /* own tick of which it has the own pins */
    uint32_t version;       /* of the map with which it wrote its newest message */
    uint32_t whole_version; /* ... and the newest tick that was taken whole */
    uint32_t met_version;   /* the newest map of this node by which, or with the same regions, it has written */
    uint32_t heard_version; /* see phx_halo_head */
    uint32_t settled_version;
    phx_region_set needs;   /* regions of others in which it has own entities */
    phx_region_set copied;  /* regions that it gets copies near of */
    phx_region_set regions; /* its own, by the map of `regions_version` */
    uint32_t regions_version;
} phx_halo_peer;

/* The regions of a map, as far as they do not change before the next one; see halo_search.h. */
typedef struct phx_halo_regions {
    uint32_t version; /* of the map; 0 = none was read */
    phx_region_set own;
    phx_region_set near;                             /* own ones, and all that an entity in one of these may be near */
    phx_region_rect others[PHX_CLUSTER_REGIONS_MAX]; /* the ones of peers */
    uint32_t other_count;
} phx_halo_regions;

/* Both lists stand whole in one message, with room for copies. */
enum { PHX_HALO_LEFT_MAX = 8192, PHX_HALO_PINS_MAX = PHC_PINS_MAX };

/* A place for a pin of this node. */
typedef struct phx_halo_pinned {
    uint64_t id;         /* 0 = none stands there now */
    uint64_t changed;    /* the first own tick whose messages have it so */
    uint32_t next_empty; /* of an empty place: the next one, and one more; 0 = none */
} phx_halo_pinned;

/* Forwards in one message. Another message begins behind them; more hand-overs in `passed_ticks` are seldom. */
enum { PHX_HALO_FORWARDS_MAX = 1024 };

/* An entity that was given away and is copied to peers still; see halo_passed.h. */
typedef struct phx_halo_passed {
    uint64_t id;
    uint32_t given_version; /* of the map by which it was given away */
} phx_halo_passed;

typedef struct phx_halo_left {
    phx_halo_gone gone;
    uint32_t repeats; /* that are left */
} phx_halo_left;

typedef struct phx_halo_counts {
    uint64_t flawed[PHX_WIRE_BAD_ITEM + 1]; /* bytes that are no message, by flaw */
    uint64_t fenced, late, misdirected;     /* messages that were dropped */
    uint64_t ahead;                         /* ... of a tick that their source, or this node, can not have come to */
    uint64_t unplaced;                      /* ... as there was no memory for their source */
    uint64_t bytes_in, bytes_out;           /* of messages that were taken, or written */
    uint64_t copies_in, copies_out;
    uint64_t expired;   /* copies that left, as they were not repeated */
    uint64_t refused;   /* commands that the producer did not take; they come again */
    uint64_t says_lost; /* of peers: they came too late, or have no source here, or the world had no room for them */
    uint64_t no_memory;
    uint64_t raced;    /* moves of copies by more than speed_max for each tick of their node between */
    uint64_t exceeded; /* looks that met an own observer with a longer view than the width has room for */
    uint64_t looks;    /* at an entity, in any tick: the work that grows with the entities */
    uint64_t searches; /* of the world, by place: the work that grows with the regions */
} phx_halo_counts;

typedef struct phx_halo {
    phx_halo_def def;
    phx_mem mem;
    phx_halo_entity *entities; /* dense: the copies, then the own ones, in no order */
    phx_halo_remote *remotes;  /* beside the copies */
    uint32_t entity_count, entity_capacity, copy_count, remote_capacity;
    phx_idmap places;
    phx_halo_peer *peers;
    uint32_t peer_count, peer_capacity;
    phx_halo_left *left;
    uint32_t left_count, left_capacity;
    phx_halo_pinned *pins; /* ids that this node needs: places that were used ever */
    uint32_t pin_count, pin_capacity;
    uint32_t pins_empty;    /* the place that was emptied last, and one more; 0 = all have a pin */
    phx_idmap pinned;       /* places of the ids */
    uint64_t pins_changed;  /* the latest of theirs */
    uint64_t pins_written;  /* the last tick of which messages were written */
    phx_region_set needs;   /* regions of others in which this node has own entities: see phx_halo_find_away() */
    uint32_t heard_version; /* see phx_halo_head */
    uint32_t settled_version;
    bool is_behind;    /* commands for copies found no room: see phx_halo_try_again() */
    bool is_short;     /* no memory for all that is written: the next messages make no whole tick */
    bool keeps_places; /* places that come free are for entities that came: new copies are left out */
    uint64_t now;      /* ticks */
    uint32_t freed;    /* entities that leave with the next tick: of the host, and copies that were not repeated */
    uint32_t stays;
    phx_halo_regions regions;
    ph_hit *hits; /* of the last search */
    uint32_t hit_count, hit_capacity;
    phx_halo_passed *passed; /* may have some that are copied no more */
    uint32_t passed_count, passed_capacity;
    uint32_t waits_version; /* entities that came before a map behind this one wait for the world; else UINT32_MAX */
    uint64_t waits_since;   /* own tick; 0 = none waits */
    phx_ended_stays ended;
    phx_halo_ids newcomers; /* own ones that are to be looked at, whether they are far */
    phx_halo_ids far;       /* ones that are written for all peers; may have some that are not far any more */
    phx_halo_ids missed;    /* own ones that the last looks did not find in the world */
    uint32_t far_at;        /* the next entity that is looked at for `far` */
    uint64_t messages;      /* written */
    phx_double_ids double_ids;
    phx_halo_counts counts;
    unsigned char sets[PHX_WIRE_BYTES_MAX], copies[PHX_WIRE_BYTES_MAX];
    unsigned char forwards[PHX_HALO_FORWARDS_MAX * PHX_HALO_FORWARD_BYTES];
    _Alignas(uint64_t) unsigned char message[PHX_WIRE_BYTES_MAX]; /* so that ph_export() needs no memory of its own */
} phx_halo;

#endif
