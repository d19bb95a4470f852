/**
 * @file cluster.h
 * One world on several machines: a separate library (pharos_cluster). A server that runs one process does not link it.
 *
 * A process of the cluster is a member: a node, which has a world of its own and owns entities of the common one, or a
 * gateway, which owns none. phc_open() makes a world a member's; then each round of a node is
 *
 *   phc_tick(), phc_event_next() until there is none, the host's commands, ph_tick(), its batches, phc_told()
 *
 * and of a gateway phc_tick(), phc_event_next() until there is none, phc_told(). A member renews its lease, reads the
 * map and sends heartbeats in its rounds alone, so a round comes at least each list_ms. Where rounds are further apart
 * than a quarter of lease_ms, leases end; a member that leaves phc_told() out sends no heartbeat. Both are put out of
 * the map. All nodes tick equally often, as speed_max, lag_max and silent_ticks count ticks.
 *
 * Own entities enter and leave by phc_enter() and phc_leave() alone. All other commands for them are as in any world,
 * without ph_import() and without PH_REMOTE in ph_set().
 *
 *   ph_leave() of an own one      PHC_EVENT_LOST with PH_UNKNOWN_ID comes within 256 ticks
 *   ph_enter(), or an entity that was in the world at phc_open(), also of an image
 *                                 It is local: no other node sees it, it is never handed over, and phc_owns() is false.
 *                                 phc_enter() of its id is refused (PHC_EVENT_LOST with PH_EXISTS), and one of its id
 *                                 that comes from another node takes its place (PHC_EVENT_CLEARED)
 *
 * Entities of other nodes near the own ones are in the world, too, as remote entities (PH_REMOTE). They are the
 * library's alone, and no own one can be attached to them. A host sends no commands for them: commands for an entity
 * that it has lost it forwards to the new owner, or drops. PHC_EVENT_LOST has that one's number, and later
 * phc_node_of(). A stray command for a copy goes to no node:
 *
 *   ph_move(), ph_leave()         counts here until the copy's owner moves or changes it
 *   ph_set()                      counts here until its owner changes it
 *   ph_attach()                   ends as its owner moves or changes it, or as it becomes own (PHC_EVENT_CLEARED)
 *
 * Where the world has no room (entities_max, memory) for entities that come, they wait in the node. While fewer than
 * 256 families wait, a round takes all that come: they are told (PHC_EVENT_GAINED) and own, before they are in the
 * world. While 256 or more wait, further ones (4096 events at most) are neither told nor own. Behind these, senders
 * hold their entities and broadcasts. All other events, as PHC_EVENT_RESTORE, pass the ones that wait. A tick of a full
 * world tries as many of them as there seems to be room for, the first ones first, and one more in turn: so it costs
 * the same however many wait. Without memory it tries that one alone, until one finds it. One that phc_leave() lets
 * leave meanwhile does not come; all others of its family do. A later entity of an id that waits comes behind the first
 * one, and all that was handed over behind it comes later still.
 *
 * Places that come free are kept for the first one that needs more of them: neither what came behind it nor new copies
 * take any, and PHC_EVENT_LAG tells of copies that are left out. So a family, which comes whole, comes once enough
 * entities have left. After 64 rounds others have their turn, for as many; then places are kept for 128 rounds, and so
 * on. For own entities may leave room for no more than a part of a family, and places must not lie idle for ever.
 * What the host enters takes places in each round: while more enter than leave, no family comes (phc_stats.waiting). A
 * family of more than entities_max is lost (PHC_EVENT_LOST).
 *
 * The two ways out of a process are tables of functions, so that a host can bring its own:
 *
 *   phc_transport   messages between members, by subject; may lose, double, delay and reorder them
 *   phc_store       the control store: a few small keys, changed by compare-and-set, and leases
 *
 * and two of each that are given: phc_loop and phc_memory, within a process, by steps, with seeded faults, for tests of
 * a host; phc_nats (a NATS server) and phc_etcd (etcd's JSON gateway), where the library was built with them.
 *
 * No function of a transport or a store waits for a network, except close(), and phc_nats_open() where it fails for
 * want of its second thread: 4 s at most for each connection, and 3 s for etcd. A message or request waits in a bounded
 * queue; a full one says PH_FULL, or drops, as its text says.
 *
 * Statuses, of the calls that list them: PH_BUSY, later (no map yet, a frozen node, a question under way); PH_PENDING,
 * the entity is on its way to another node; PH_FENCED, never again: this process is a member no more; PH_BAD_ARGUMENT,
 * also a call of nodes alone by a gateway.
 */
#ifndef PHAROS_CLUSTER_H
#define PHAROS_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pharos/pharos.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PHC_MESSAGE_MAX = 256 << 10, /* bytes of a message */
    PHC_SUBJECT_MAX = 127,       /* characters of a subject */
    PHC_KEY_MAX = 127,           /* characters of a key of a store */
    PHC_VALUE_MAX = 64 << 10,    /* bytes of a value of a store */
    PHC_REASON_SIZE = 512        /* room for the line of any refusal */
};

/* ---- messages ---- */

/** What becomes of a message that can not leave at once. */
typedef enum phc_traffic {
    PHC_HALO = 0,   /* a state that a newer one replaces: the oldest message that waits is dropped for it */
    PHC_CHANNEL = 1 /* it is repeated by its sender: a full queue refuses it, and it waits for a lost connection */
} phc_traffic;

enum { PHC_TRAFFICS = 2 };

/** Numbers since the transport was opened. */
typedef struct phc_transport_state {
    bool connected[PHC_TRAFFICS]; /* now */
    char reason[PHC_REASON_SIZE]; /* of one that is not connected: why, as far as is known; else "" */
    uint64_t sent;                /* messages taken by send() */
    uint64_t dropped;             /* ... and dropped before they left: lost connection, newer ones of PHC_HALO; of
                                     phc_loop: by its faults and cuts, one for each member that would have heard it */
    uint64_t refused;             /* messages that send() did not take */
    uint64_t received;            /* given by poll() */
    uint64_t overrun;             /* messages that came while the queue to poll() was full; they are lost */
    uint64_t reconnects;          /* connections that were lost and came back */
    uint64_t reserved[8];         /* 0 */
} phc_transport_state;

/** A message that came. subject and bytes are good until the function returns; it may send(), not poll() or close(). */
typedef void (*phc_message_fn)(void *user, const char *subject, const void *bytes, size_t size);

/**
 * Messages between members. Every function has `user` as its first argument, and is called by one thread at a time.
 * A subject is tokens of letters, digits, - and _ with dots between them; all members give it the same traffic. A
 * message does not come to its own sender.
 */
typedef struct phc_transport {
    /**
     * From now on, messages of this subject come. A token may be * and stands for any one token.
     * @return PH_OK; PH_BAD_ARGUMENT: it is no subject; PH_CAPACITY: too many are listened to; PH_IO, PH_NO_MEMORY
     */
    ph_status (*listen)(void *user, phc_traffic traffic, const char *subject);
    /**
     * Copies the message and returns at once; it may arrive, once, twice, late, or never.
     * @return PH_OK: it is on its way, or dropped as a lost one; PH_FULL: not taken; PH_BAD_ARGUMENT: it is no subject,
     * or larger than PHC_MESSAGE_MAX; PH_NO_MEMORY
     */
    ph_status (*send)(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size);
    /** Gives messages that came, at most so many, in some order. @return how many. */
    uint32_t (*poll)(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user);
    /** May be NULL: then both traffics are taken as connected, and all numbers are 0. */
    void (*state)(void *user, phc_transport_state *state);
    /**
     * Ends it; what it had is released, and messages that wait may be lost. May wait, for two seconds at most; of
     * phc_nats_open() longer, where a server's name is being looked for.
     */
    void (*close)(void *user);
    void *user;
    uint64_t reserved[4]; /* 0 */
} phc_transport;

/* ---- control store ---- */

/** How a request ended. */
typedef enum phc_outcome {
    PHC_DONE = 0,
    PHC_CHANGED = 1, /* compare-and-set: the key had another revision, and was not written; the answer has its entry */
    PHC_GONE = 2,    /* lease: it ran out or was never there; set under a lease: the same, and nothing was written */
    PHC_FAILED = 3   /* not heard of in time, or refused. A write may have been done: read again to know */
} phc_outcome;

typedef struct phc_entry {
    const char *key; /* ended by 0 */
    const void *value;
    size_t size;
    uint64_t revision; /* rises with every write of any key; never 0 */
    uint64_t lease;    /* that the key ends with; 0 = none */
} phc_entry;

typedef struct phc_answer {
    uint64_t tag; /* of the request */
    phc_outcome outcome;
    uint64_t revision;        /* of the key written by a compare-and-set; else of the store */
    uint64_t lease;           /* opened or renewed */
    uint32_t lease_ms;        /* that the store gave it */
    const phc_entry *entries; /* that were read, by key */
    uint32_t count;
    uint32_t left_out;    /* of a range: keys that no request could name, which another program has written */
    const char *reason;   /* PHC_FAILED: one line; else "" */
    uint64_t reserved[4]; /* 0 */
} phc_answer;

/** Numbers since the store was opened. A request may take several attempts, each at one server. */
typedef struct phc_store_state {
    uint64_t attempts;
    uint64_t failed;      /* ... without an answer, or with a refusal; another server may have answered the request */
    uint64_t connects;    /* connections that were opened; it rises where they are lost */
    uint64_t reserved[8]; /* 0 */
} phc_store_state;

/** Entries are good until the function returns; it may make requests, not poll() or close(). */
typedef void (*phc_answer_fn)(void *user, const phc_answer *answer);

/**
 * The control store. Every function has `user` as its first argument, and is called by one thread at a time. A request
 * returns at once: PH_OK, and one answer with its tag comes by poll(), in bounded time, in any order; or PH_FULL: too
 * many are under way; PH_BAD_ARGUMENT: a key or value beyond its bounds; PH_NO_MEMORY. Keys are letters, digits, - _ /
 * and dots. What another program has written fails no answer: other keys are left out and counted, and a value of more
 * than PHC_VALUE_MAX bytes is an empty one.
 */
typedef struct phc_store {
    /** The entry of one key, as of some moment after the request was made; none if it is not there. */
    ph_status (*get)(void *user, uint64_t tag, const char *key);
    /**
     * All entries whose keys begin so, of one moment, which may be some seconds ago: so it needs no leader of the
     * store's servers.
     */
    ph_status (*list)(void *user, uint64_t tag, const char *prefix);
    /**
     * Writes a value if the key still has that revision; 0: if it is not there. The key ends with the lease; 0: it
     * stays. Of several writers with one revision at most one gets PHC_DONE.
     */
    ph_status (*cas)(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                     uint64_t lease);
    /** A lease, which ends so many ms (at least 1000, in whole seconds upwards) after its last renewal. */
    ph_status (*lease_open)(void *user, uint64_t tag, uint32_t ms);
    ph_status (*lease_renew)(void *user, uint64_t tag, uint64_t lease);
    /** Ends a lease now, and its keys with it. */
    ph_status (*lease_end)(void *user, uint64_t tag, uint64_t lease);
    /** Gives the answers that are there, at most so many. @return how many. */
    uint32_t (*poll)(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user);
    /** May be NULL: then phc_stats.store is 0. */
    void (*state)(void *user, phc_store_state *state);
    /**
     * Ends it; answers that are not taken are lost. Leases whose end was asked for are ended before, if the store can
     * be reached. May wait, for three seconds at most.
     */
    void (*close)(void *user);
    void *user;
    uint64_t reserved[4]; /* 0 */
} phc_store;

/* ---- a member ---- */

enum {
    PHC_NAME_MAX = 31,       /* characters of a common world's name */
    PHC_REGIONS_MAX = 4096,  /* of a common world */
    PHC_BLOB_MAX = 60 << 10, /* bytes that a host packs for an entity */
    PHC_ASKED_MAX = 4096     /* ids of one phc_who_has() */
};

/** What a node does once its lease is not proven any more, as the control store does not answer. */
typedef enum phc_store_loss {
    PHC_GO_ON = 0, /* it simulates until it hears of a newer map; phc_may_commit() is false meanwhile */
    PHC_FREEZE = 1 /* it owns nothing until the lease is proven: phc_owns() is false for all */
} phc_store_loss;

/**
 * A clock in ns that goes on while the machine sleeps, and does not go back. Called by the thread of the member, and by
 * each one that calls phc_may_commit().
 */
typedef uint64_t (*phc_clock_fn)(void *user);

/**
 * Packs the host's state of an entity that is about to go to another node, into at most `size` bytes. Called by
 * phc_told(). It may read, as by phc_ownership(), phc_feed_last() or ph_entity_get(): the entity is still own. It may
 * change nothing: no command, no phc_enter(), phc_leave() or phc_event_next(). The entity goes with PHC_EVENT_LOST, not
 * before: one that can not go in this tick, as its family has too many bytes, stays, and is packed again in a later
 * one.
 * @return the bytes; more than `size`: it can not be packed.
 */
typedef size_t (*phc_pack_fn)(void *user, uint64_t id, void *bytes, size_t size);

/**
 * A member. Begin with phc_def_default(). Fields with a * are the same for all members of a common world: a process
 * with another value does not join, so to change one all members are stopped first. Lengths are units of the world: the
 * defaults of hand_over_margin and speed_max suit views of about 100. In a world of centimeters they are a hundred
 * times as long, else each entity that walks along a border is handed to and fro.
 */
typedef struct phc_def {
    const char *name;              /* * of the common world: 1 .. PHC_NAME_MAX letters, digits, - and _ */
    const ph_world_def *world_def; /* * that the world was made with, but for how a process does its work, as shards;
                                      with as many consumers, as entities keep theirs on other nodes */
    uint64_t definition;           /* * the host's own: a number of all else that has to be the same */
    uint32_t regions[2];           /* * columns and rows of the regions, which divide the world; 64 x 64 at most */
    float hand_over_margin;        /* * an entity goes to another node once it is so far beyond the own regions: some
                                      twentieth of a view, and above the steps of one that stands about */
    float speed_max;               /* * units that an entity moves in a tick, at most; a teleport is no move */
    float halo;                    /* * width of the strip that nodes see of each other; 0 = computed of all this */
    uint32_t lag_max;              /* * ticks that a remote entity may be old, 1 .. 1000 */
    uint32_t silent_ticks;         /* remote entities leave if their node is not heard for so many ticks, lag_max .. */
    uint32_t lease_ms;             /* * a member that the control store does not hear for so long is put out:
                                      1000 .. 600000 */
    uint32_t list_ms;              /* * between two looks at the control store, and two heartbeats: 10 .. a quarter of
                                      lease_ms */
    uint32_t link_timeout_ms;      /* * of two members that do not hear each other one is put out, a lease later. Three
                                      times list_ms at least, as each of these has one heartbeat; 0 = none is */
    uint32_t moves_per_tick;       /* families and single entities handed over in a tick, at most; 1024 are on their way
                                      to one node at a time */
    phc_store_loss store_loss;
    uint16_t number; /* that it wishes, among the living members; 0 = the lowest that is free, or where many
                        begin at once one of the lowest. If another living process keeps that number for a lease, this
                        one is fenced */
    bool gateway;    /* it owns nothing, has no world, and is waited for at map barriers */
    bool balance;    /* a node: it may be the one that gives regions of a busy node to others, by their loads. A load is
                        the time from phc_tick() to the end of phc_told(): work outside of a round does not count */
    bool adopt_map;  /* * if the control store comes back empty, members write their newest map into it, and go on. Off:
                        they end. Stop all servers of the lost store before. The first process of a new world begins a
                        lease later */
    phc_pack_fn pack; /* NULL: entities have no state of the host */
    void *pack_user;
    phc_clock_fn clock; /* NULL = CLOCK_BOOTTIME */
    void *clock_user;
    ph_allocator allocator; /* zero = the library's default */
    uint64_t reserved[8];   /* 0 */
} phc_def;

/**
 * 8 x 8 regions, hand_over_margin and speed_max 5, lag_max 4, silent_ticks 40, lease_ms 5000, list_ms 200,
 * link_timeout_ms 5000, moves_per_tick 2000, PHC_GO_ON, balance; name and world_def are NULL. @thread any
 */
PH_NODISCARD PH_API phc_def phc_def_default(void);

/** A member of a common world. All of it belongs to the thread that ticks its world, but phc_may_commit(). */
typedef struct phc phc;

/**
 * PHC_EVENT_LOST, by status and number:
 *
 *  - PH_OK, n: entity `id` went to node n, and is remote here. Forget it.
 *  - PH_UNKNOWN_ID, 0: it is not in the world. The host let it leave by ph_leave(), or the world refused its enter in a
 *    tick with more refusals than it tells (refusals_max). No node has it: ask phc_who_has(), enter it.
 *  - any other, 0: the world refused its enter for that. Ask and enter as above.
 *  - any other, n: node n offered it, or died before it took it, and it can not be imported here: it is of another
 *    program, or damaged, or its family has more entities than entities_max (PH_CAPACITY). No node has it: ask, and
 *    enter it as the database has it.
 *
 * PHC_EVENT_DUPLICATE: two hosts had entered the id `id`, and one of the two came from node n, or back from it.
 *
 *  - PH_OK, n: it takes the place of the own one in the world, with its family. Take `bytes`, or set again all that the
 *    own one had; ph_resend() for it.
 *  - PH_PENDING, n: it was dropped, and `bytes` with it: another one stays. That is one on its way from here with the
 *    higher ownership, or the same one and this node has the higher registration; or one that was taken in its place,
 *    also where it comes back from a dead node. Nothing is to be done.
 *  - any other, n: it can not be imported, as with LOST. The own one stays.
 */
typedef enum phc_event_kind {
    PHC_EVENT_JOINED = 1,    /* this member is in the map now, with `number` */
    PHC_EVENT_FENCED = 2,    /* it is a member no more, for `reason`: it owns nothing, and no member hears it. The host
                                ends the process, or destroys the world and opens both anew. With a status other than
                                PH_OK the next one is refused in the same way, as long as that stands: PH_BAD_DEF,
                                another definition, number of regions or version of the library, also than that of a
                                killed member that is not put out yet; PH_TAKEN, its wished number has another process,
                                which may be about to leave, or a key that can not be read; PH_CAPACITY, the cluster has
                                as many members as it can have, until one leaves */
    PHC_EVENT_GAINED = 3,    /* entity `id` came from node `number`: own from now on; `bytes` is what was packed */
    PHC_EVENT_LOST = 4,      /* entity `id` is not own any more: see above */
    PHC_EVENT_RESTORED = 5,  /* entity `id` was on its way to node `number`, which is dead: own again, with the state
                                of that moment, `bytes`; nothing done with it since counts */
    PHC_EVENT_DUPLICATE = 6, /* another entity `id` came: see above */
    PHC_EVENT_REGION_GAINED = 7, /* `region` is this node's now: entities may be entered there */
    PHC_EVENT_REGION_LOST = 8,   /* ... and not any more; entities go by themselves */
    PHC_EVENT_RESTORE = 9,       /* a node died, with `loss`: entities of `region` may be missing; see phc_restored().
                                    A death marks all regions, as the dead one may have owned an entity of any, so each
                                    node has one of these for each of its regions. So does a node that closes before it
                                    is drained */
    PHC_EVENT_PEER_UP = 10,      /* `number` is a member now */
    PHC_EVENT_PEER_DOWN = 11,    /* ... and not any more */
    PHC_EVENT_LAG = 12,          /* remote entities of node `number` may be `ticks` old, more than lag_max: told in the
                                    first such tick. 0: they have been within it for 2 * lag_max + 4 ticks in a row, so
                                    that a lag about the bound does not come and go. It rises, too, while this node or
                                    its world has no room for the copies of a tick (entities_max, producer_bytes,
                                    memory): then some are missing or old. Or while that one has none to write them.
                                    See phc_stats.lag_ticks */
    PHC_EVENT_DRAINED = 13,      /* this node has no region and no entity any more, has told the others for lag_max + 4
                                    ticks of the last ones that it handed over, and has left the map: phc_close() loses
                                    nothing, and no region is lost. It is a member no more, so calls say PH_FENCED */
    PHC_EVENT_WHO_HAS = 14,      /* `bytes` are phc_holder, one for each id of phc_who_has(): good until the next
                                    phc_tick(), so that the host enters entities by them */
    PHC_EVENT_DOUBLE_ID = 15,    /* entity `id` is own, and node `number` has told of one of its own for more than
                                    silent_ticks: two hosts had entered the id. Both stay, and both nodes are told, if
                                    each sees the other one. One of the hosts lets its own leave, mostly that of the
                                    lower number. 64 ids at a time are watched: more come as these are mended */
    PHC_EVENT_CLEARED = 16       /* entity `id`, GAINED from node `number` or RESTORED, was refused by the world for
                                `status`, as the host had attached copies (PH_ATTACHED, PH_TOO_DEEP), or had entered the
                                id itself, by ph_enter() (PH_EXISTS). These attachments end, and that entity is the one
                                that came, with all it came with, in the next tick */
} phc_event_kind;

/** Which node has an entity. */
typedef struct phc_holder {
    uint64_t id;
    uint16_t number;      /* of a node that owns it, or sends it to another one; 0 = none has it */
    uint16_t reserved[3]; /* 0 */
} phc_holder;

typedef struct phc_event {
    phc_event_kind kind;
    ph_status status;
    uint64_t id;
    uint64_t ownership; /* GAINED, RESTORED, and DUPLICATE with PH_OK: as phc_ownership() */
    uint16_t number;    /* of a member; 0 = none */
    uint32_t region;    /* column + row * columns */
    uint32_t loss;      /* RESTORE */
    uint32_t ticks;     /* LAG */
    const void *bytes;  /* good until the next phc_tick(), phc_told() or phc_close(); WHO_HAS: also behind phc_told() */
    size_t size;
    const char *reason;   /* FENCED: good until phc_close(); else "" */
    uint64_t reserved[4]; /* 0 */
} phc_event;

/**
 * Makes this process a member, with its world; it joins in the rounds to come. Opens a producer of the world: the host
 * opens its own behind it, so that commands of this library are applied before the host's commands of the same tick.
 * def, its texts, its world_def and both tables are copied; the functions in them, and their `user`, are used until
 * phc_close(). The transport and the store stay the host's, serve no one else, and end behind phc_close(). On
 * PH_BAD_DEF `reason` (may be NULL) gets one line.
 * @param world null for a gateway
 * @return PH_OK and *member; PH_BAD_DEF: a field of the definition, or the world has remote entities, of a member
 * before or of an image; PH_TAKEN: the world has no producer left; PH_BUSY: a tick is half way; PH_BAD_HANDLE,
 * PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_open(const phc_def *def, ph_world world, const phc_transport *transport,
                                       const phc_store *store, phc **member, char *reason, size_t reason_size);

/**
 * Just before the host's commands of a tick: takes messages and answers, follows the map, submits remote entities'
 * commands, and imports entities that came. Never waits. Called at least each list_ms: the lease is renewed here alone.
 * @return PH_OK, also while it is no member yet; PH_FENCED; PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_tick(phc *member);

/**
 * Just after ph_tick(), once the batches are taken and given back: tells the other nodes of the tick, and hands over
 * the entities that are theirs. A host whose batches wait hands entities over with their whole lists due anew. Never
 * waits.
 * @return as phc_tick(). @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_told(phc *member);

/**
 * The next event, in order. A host takes all of them in each round. Where 16 MiB wait, with what hosts packed, none is
 * added, and none is lost, until some are taken: entities that come wait at their senders, but for the rest of the
 * messages that filled the queue, and broadcasts behind them, own ones go to no other node, and regions, members and
 * lags are told as they are then. phc_stats.events_full rises. false: there is none. @thread ticker
 */
PH_API bool phc_event_next(phc *member, phc_event *event);

/**
 * A new own entity, which is in the world with the next tick. `after`: the highest ownership under which the host has
 * met this id, as its database has it; 0 = never: the new one is above it. If the control store has lost the map and
 * the database has not, `after` may be above the map: then the member first gives the map a version above it.
 *
 *  - PH_OK.
 *  - PH_TAKEN: the region of the place is another node's, see phc_owner_of().
 *  - PH_EXISTS: it is own, or on its way, also to this node.
 *  - PH_BUSY: some ticks later. This node is in no map yet or may not act, the map is below `after`, another node asks
 *    for the id (phc_who_has()), or one of that id has left and its family waits for room.
 *  - PH_NOT_GIVEN: PH_X and PH_Y are not both given.
 *  - PH_BAD_VALUE: no map reaches `after` (2^60 or more), or attrs has it remote.
 *  - PH_FULL: as ph_enter(). A copy of that id leaves first, and may have left by then: it comes again as long as
 *    another node has the entity. Copies have the same queue (producer_bytes): where they fill it, it has room behind
 *    ph_tick() and phc_told(), until the next phc_tick().
 *  - PH_FENCED, PH_BAD_ARGUMENT, and others as ph_enter().
 *
 * If not PH_OK, it is not entered. @return as above. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_enter(phc *member, uint64_t id, const ph_attrs *attrs, uint64_t after);

/**
 * An own entity leaves the world.
 * @return PH_OK; PH_UNKNOWN_ID: it is not own; PH_PENDING: it is on its way to another node, or PHC_EVENT_DUPLICATE of
 * it is to come; PH_FENCED; else as ph_leave(): PH_FULL as with phc_enter(). @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_leave(phc *member, uint64_t id);

/**
 * Does this node simulate that entity? It is own from phc_enter(), or from the round that tells the host of it
 * (PHC_EVENT_GAINED, RESTORED, DUPLICATE with PH_OK), until phc_leave() or PHC_EVENT_LOST. All functions that take an
 * id use this rule; phc_stats.own counts ones that came and are not told yet as well. phc_owns() alone is false besides
 * while the node may not act (PHC_FREEZE, a sleep, fenced). @thread ticker
 */
PH_API bool phc_owns(const phc *member, uint64_t id);

/**
 * Does this node own entities, and is the lease proven at this moment? Asked before the host does what can not be taken
 * back, as a write to a database. Reads the clock. false of a gateway. Any thread may ask between phc_open() and
 * phc_close(), as one that writes rows: the lease and the fence are as the last phc_tick() knew them. The other calls
 * are the ticker's: that one copies phc_ownership() beside the row. Behind PHC_EVENT_DRAINED it is true for the rest of
 * the last lease, as rows of entities that left the world may be due: no node restores any entity of this one.
 * @thread any
 */
PH_API bool phc_may_commit(const phc *member);

/** The number of the node that a place belongs to; 0: no map yet, or no node in it. @thread ticker */
PH_API uint16_t phc_owner_of(const phc *member, float x, float y);

/** The number of the node that has an entity, as far as this one knows; 0: it does not. @thread ticker */
PH_API uint16_t phc_node_of(const phc *member, uint64_t id);

/**
 * A number that rises with every owner of an entity, for hosts that number their messages to clients: of two states of
 * an entity the one with the higher ownership counts. All 64 bits of it, in a database, too: most are above 2^53, which
 * a double rounds. 0: it is not own. @thread ticker
 */
PH_API uint64_t phc_ownership(const phc *member, uint64_t id);

/**
 * The feed of an observer: the messages that its client gets, numbered from 1 on, through all hand-overs. A gateway
 * that shows them in the order of their numbers, and holds one until the one before it has come, shows its client
 * neither a gap nor a change twice, whichever nodes they come from. Where the one before it does not come, it asks the
 * owner's host for ph_resend(): a whole list follows any message.
 */
typedef struct phc_feed {
    uint64_t ownership;   /* phc_ownership() */
    uint64_t begun;       /* ownership under which the feed began. A higher one is another feed, as the entity was
                             entered anew or restored: its number 1 follows an empty list, others a whole list alone */
    uint64_t number;      /* of the message; 0 = none so far */
    uint64_t reserved[2]; /* 0 */
} phc_feed;

/**
 * Numbers the next message to the client of an own entity: one for each ph_change of it that the host sends, between
 * ph_tick() and phc_told(). A host that sends none need not call it. @return PH_OK; PH_UNKNOWN_ID: it is not own;
 * PH_PENDING: it is on its way to another node; PH_FENCED, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_feed_next(phc *member, uint64_t id, phc_feed *feed);

/**
 * The last number that was given. A host tells it with the entity's states: by it a gateway knows that it misses the
 * last message, too, where no other follows. @return as phc_feed_next(). @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_feed_last(const phc *member, uint64_t id, phc_feed *feed);

/** A number of this process as a member, which no other one ever has; 0: it is in no map. @thread ticker */
PH_API uint64_t phc_registration(const phc *member);

/**
 * Is a message of the process with that registration to be heard? Not of one that was put out, by the map that this
 * member has: a gateway asks it for each message of a host, which has the sender's registration in it. @thread ticker
 */
PH_API bool phc_hears(const phc *member, uint64_t registration);

/** This member's number among the living; 0: it is in no map. @thread ticker */
PH_API uint16_t phc_number(const phc *member);

/**
 * Asks all nodes for these entities; PHC_EVENT_WHO_HAS is the answer, once each node of the map has given its own, and
 * no member hears a node any more that was put out, however late: so a host that is still at an earlier loss enters
 * nothing that a second dead node may have given away. Until the phc_tick() behind the event no other node takes such
 * an entity from another one, and none but this one enters it: before that the host enters the ones that no node has.
 * One that is to cross a border meanwhile comes to this node, and the answer is this one's number; else it stays where
 * it is.
 * @return PH_OK; PH_BUSY: the last question has not ended, or this node may not act; PH_BAD_ID, PH_NO_MEMORY,
 * PH_FENCED, PH_BAD_ARGUMENT: more than PHC_ASKED_MAX, none, or a gateway. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_who_has(phc *member, const uint64_t *ids, uint32_t count);

/**
 * The region's entities that were missing are entered again, or given up: PHC_EVENT_RESTORE of that loss is done. Until
 * then the duty stays in the map, and goes with the region to another node, and no region moves by load. So a host
 * answers each PHC_EVENT_RESTORE, also where its database has no row of the region. @return PH_OK; PH_FENCED: the duty
 * goes to another node; PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_restored(phc *member, uint32_t region, uint32_t loss);

/**
 * A region shall be that node's. One such wish at a time: a new one replaces it, and it ends where that node dies or is
 * drained before the map is written.
 * @return PH_OK; PH_BUSY: this member is in no map yet; PH_BAD_VALUE: the map has no such node, or it is drained;
 * PH_FENCED, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_give_region(phc *member, uint32_t region, uint16_t number);

enum { PHC_PINS_MAX = 8192 }; /* ids that a node pins at a time */

/**
 * This node needs that entity of another node at any distance, as an own one has a link or a pair to it, say: its copy
 * is a remote entity here from the next ticks on, wherever it is, and whichever node has it. Or no more: then it
 * leaves, unless it is near. Pins are the node's, and end with it.
 * @return PH_OK, also the second time; PH_CAPACITY: PHC_PINS_MAX are pinned; PH_BAD_ID, PH_NO_MEMORY, PH_FENCED,
 * PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_pin(phc *member, uint64_t id, bool on);

/**
 * The host has set that own entity global, or its reach: other nodes have a copy of it with this round's messages,
 * wherever it is. Without this call they have one within 256 ticks; of an entity that enters, or comes from another
 * node, at once. Between the ph_set() and phc_told().
 * @return PH_OK, also the second time; PH_UNKNOWN_ID: it is not own; PH_PENDING: it is on its way to another node,
 * which looks at it as it comes; PH_NO_MEMORY, PH_FENCED, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_look(phc *member, uint64_t id);

/**
 * ph_broadcast() of an own entity, to observers of all nodes. Each node's observers hear it by their own lists, or by
 * their distance to the copy of the source there; with a radius longer than the halo, where there is no copy, as a
 * message of its place (ph_message.source 0). So it comes up to some ticks later there, and an observer has it at most
 * once, in the order of the source's broadcasts from one node: the last ones of before a hand-over may come behind the
 * first ones of after it. It may miss one: while it goes to another node itself, behind the death of a node, and where
 * more than 1 MiB wait for a node (phc_stats.broadcasts_lost). Other nodes' worlds count it in their broadcast_bytes,
 * and may refuse it for that. An entity that enters in this tick is heard on this node alone, as no other one has it.
 * Between phc_tick() and ph_tick().
 * @param producer of the host, for this node's world; it is told of a refusal in the tick
 * @return PH_OK; PH_UNKNOWN_ID: it is not own; PH_PENDING: it is on its way to another node, or was GAINED or RESTORED
 * and is not in this world yet, not as a copy either: once it is, mostly with the next round, it can; PH_BUSY:
 * this node may not act, or the world's tick is half way, so that the source can not be read for the other nodes;
 * PH_FENCED, PH_BAD_ARGUMENT; else as ph_broadcast(). If not PH_OK, no node has it.
 * @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_broadcast(phc *member, ph_producer producer, uint64_t source, const void *payload,
                                            uint32_t bytes, const ph_broadcast_options *options);

/**
 * ph_broadcast_at() to observers of all nodes within the radius, which may be longer than the halo; the place may be
 * any node's. @return PH_OK, PH_BUSY, PH_FENCED, PH_BAD_ARGUMENT, or as ph_broadcast_at(). @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_broadcast_at(phc *member, ph_producer producer, const ph_broadcast_place *place,
                                               const void *payload, uint32_t bytes);

/**
 * This node shall have no region from now on, as long as there is another node: its entities go to others, then
 * PHC_EVENT_DRAINED comes. Where it gets regions again, as the only node left, they go, too, once there is another
 * node. Both need writes of the map, so without the control store the event waits for it. It waits until the host has
 * taken all events, too, and for the answer to its last phc_who_has(); an entity that was LOST here is entered by
 * another node. @thread ticker
 */
PH_API void phc_drain(phc *member);

/** Requests to the control store, of which the answers are timed. */
typedef enum phc_request {
    PHC_REQUEST_LIST = 0,    /* a look at it */
    PHC_REQUEST_RENEWAL = 1, /* of the lease */
    PHC_REQUEST_WRITE = 2    /* of a node's load, every two seconds */
} phc_request;

enum { PHC_REQUESTS = 3 };

/** Why a message with copies was dropped. */
typedef enum phc_halo_drop {
    PHC_HALO_DAMAGED = 0,     /* its sum is wrong */
    PHC_HALO_FOREIGN = 1,     /* of another program, or of an incompatible version */
    PHC_HALO_FLAWED = 2,      /* a field is out of its range */
    PHC_HALO_FENCED = 3,      /* of no member */
    PHC_HALO_MISDIRECTED = 4, /* for another node */
    PHC_HALO_LATE = 5,        /* a newer one has come */
    PHC_HALO_AHEAD = 6,       /* of a tick that its node can not have come to, or that answers one of this node */
    PHC_HALO_NO_MEMORY = 7
} phc_halo_drop;

enum { PHC_HALO_DROPS = 8 };

/**
 * Behind a control store that lost all it had the map begins a later era, each of 65536 versions: it rises by so many
 * versions, or more, from one phc_tick() to the next. A gateway forgets then which ownerships and feeds it has heard
 * of, as one of a map that was lost with its node may be above all that come. So does a map rise behind a phc_enter()
 * with an `after` of a later era, which no map of this store gave: of a database that was spoiled, say. An era that
 * ends by its last version is no such rise: a late message would be taken for a newer one.
 */
enum { PHC_VERSIONS_LOST = 1 << 14 };

/**
 * A member's numbers: as they are now, or since it was opened. They stand by subject. Up to the first release a new one
 * goes beside its like; from then on it takes the place of a reserved one, so that sizes and places stay.
 */
typedef struct phc_stats {
    uint64_t map_version;       /* 0 = none yet. It rises with each change of the map; by much: PHC_VERSIONS_LOST */
    uint64_t nodes;             /* of the map, without gateways */
    uint64_t regions;           /* own ones */
    uint64_t own;               /* entities, also ones that have come and wait for room in the world */
    uint64_t remote;            /* ... of other nodes, here to be seen */
    uint64_t transit;           /* ... on their way to another node */
    uint64_t transit_oldest_ns; /* since the first of these was handed over; 0 = none is on its way */
    uint64_t far;               /* ... own, or on their way, that all nodes have, as they are seen from far */
    uint64_t lag_ticks;    /* an upper bound of the age of copies in own ticks, of the node that is latest: from the
                              newest tick of this node that it had heard as it wrote, or since it was heard. They
                              may be newer, by the way to that node and a tick of it: a slow way shows at both ends */
    uint64_t lease_ns;     /* that the lease is proven for, from now on; 0 = it is not */
    uint64_t renew_age_ns; /* since the request was made that proved it last; 0 = none has */
    uint64_t barrier_ns;   /* that the map barrier is waited for, since a member was put out; 0 = it is passed */
    uint64_t barriers, barriers_ns; /* map barriers that were waited for and passed, and the time of all these waits */
    uint64_t copies_in, copies_out;
    uint64_t halo_bytes_in, halo_bytes_out; /* of messages with copies; in: not of dropped ones */
    uint64_t halo_dropped[PHC_HALO_DROPS];  /* ... that were dropped, by phc_halo_drop; part of `dropped` */
    uint64_t expired;                       /* remote entities that left, as their node did not repeat them */
    uint64_t handed;                        /* entities that went to another node, as that one has said */
    uint64_t gained, restored, duplicates;
    uint64_t double_ids;            /* own entities that another node was found to own as well: PHC_EVENT_DOUBLE_ID */
    uint64_t kept[PH_STATUSES_MAX]; /* attempts to hand an entity over that wait for a later tick, by their status */
    uint64_t dropped;               /* messages that were damaged, late, of no member, or for another one */
    uint64_t unsent;                /* messages that the transport did not take */
    phc_transport_state transport;  /* its own numbers, since it was opened */
    phc_store_state store;          /* the same of the control store */
    uint64_t refused;               /* commands of the member's producer that were refused; they come again */
    uint64_t no_memory;             /* pieces of work put off for want of memory */
    uint64_t lists;                 /* looks at the control store */
    uint64_t failed;                /* requests to it that failed */
    char failed_reason[PHC_REASON_SIZE];   /* phc_answer.reason of the last one of these; "" = none has */
    uint64_t answers[PHC_REQUESTS];        /* of it, failed ones as well, by phc_request */
    uint64_t answers_failed[PHC_REQUESTS]; /* ... of requests that were not done: renewals, say, that proved no lease */
    uint64_t answers_ns[PHC_REQUESTS];     /* ... the time of all of them, from one phc_tick() to another */
    uint64_t answer_ns[PHC_REQUESTS];      /* ... and of the last one */
    uint64_t returned;                     /* times that this one came back, behind the end of its lease */
    uint64_t members_joined;               /* other members seen to join, the ones of the first map included */
    uint64_t members_left;                 /* ... and to be in a map no more */
    uint64_t put_out;                      /* members that this one put out of the map */
    uint64_t adopted;                      /* maps that this one wrote into a control store that had lost all it had */
    uint64_t balancer;                     /* number of the node that balances, by the last look; 0 = none */
    uint64_t balanced;                     /* regions that this one gave to another node by their loads */
    uint64_t flawed_reports;  /* of loads, as often as the one that balances read them: damaged, of another grid of
                                 regions, or under another member's key */
    uint64_t broadcasts_in;   /* of other nodes, for observers here */
    uint64_t broadcasts_out;  /* own ones, for each node that gets them */
    uint64_t broadcasts_lost; /* dropped, at whichever end: too late, too many, or their source is not here */
    uint64_t halo_exceeded;  /* looks, at least one in 256 ticks or by phc_look(), at an own observer with a longer view
                                and margin than the halo has room for: it misses other nodes' entities */
    uint64_t speed_exceeded; /* moves of other nodes' entities near this one by more than speed_max a tick, also
                                teleports within their node's regions: this node learns of them too late */
    uint64_t waiting;        /* families and single entities that came and wait for room in the world */
    uint64_t events;         /* that wait for phc_event_next() */
    uint64_t events_full;    /* rounds in which no more could be told, as 16 MiB wait: see phc_event_next() */
    uint64_t fenced;         /* 1: it is a member no more */
    uint64_t reserved[6];    /* 0 */
} phc_stats;

/**
 * For other threads, as one that answers a scrape, the ticking thread copies these, or the text of phc_prometheus(),
 * once a second behind phc_told(), under a mutex of the host. @return PH_OK, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_stats_get(const phc *member, phc_stats *stats);

/**
 * All of phc_stats as text for Prometheus, as ph_stats_prometheus() has it: names begin with pharos_cluster_, each
 * sample has the label world, which is the common world's name. Then, of a node, for each other node of the map, with
 * the label peer, its number: peer_lag_ticks, peer_transit, peer_copies_in_total, peer_copies_out_total,
 * peer_messages_in_total, peer_messages_out_total, peer_halo_bytes_in_total, peer_halo_bytes_out_total. They begin anew
 * with each process of that number.
 * @param text caller's buffer, gets as much as fits, ended by 0; may be NULL when size is 0.
 * @param length gets the length of the whole text, without the 0: it fitted if that is less than size.
 * @return PH_OK, PH_BAD_ARGUMENT. @thread ticker
 */
PH_NODISCARD PH_API ph_status phc_prometheus(const phc *member, char *text, size_t size, size_t *length);

/**
 * Ends the membership at once: its lease ends, and the others put it out, if PHC_EVENT_DRAINED was not told. Entities
 * that are own, or on their way, are lost, but for what other nodes restore: see phc_drain(). The world stays, with
 * remote entities that do not move any more. NULL is ignored. @thread ticker
 */
PH_API void phc_close(phc *member);

/* ---- servers ---- */

enum { PHC_SERVERS_MAX = 5 };

/**
 * Files in PEM, for servers with TLS. A server's certificate is always verified, and that it is of the host of the
 * address; nothing turns that off. Each file that is given can be read, or the open call refuses the definition.
 */
typedef struct phc_tls {
    const char *ca_file;          /* certificates that servers' are verified by; NULL = the system's */
    const char *certificate_file; /* of this process, for servers that demand one; NULL = none */
    const char *key_file;         /* ... and its private key, without a passphrase: both or none */
} phc_tls;

/** NATS servers of one cluster. */
typedef struct phc_nats_def {
    const char *const *servers; /* "nats://host:port", also with "user:password@"; all "tls://": with TLS. No others
                                   are tried, though a server may tell of them */
    uint32_t server_count;      /* 1 .. PHC_SERVERS_MAX */
    const char *name;           /* shown by the servers; NULL = "pharos" */
    ph_allocator allocator;     /* zero = the library's default */
    phc_tls tls;                /* zero = no files */
    uint64_t reserved[1];       /* 0 */
} phc_nats_def;

/**
 * A transport over NATS, without JetStream: a connection for each traffic, each with threads of its own. It need not
 * find a server: it goes on trying. PHC_HALO holds up to 4 MiB that wait to leave, PHC_CHANNEL 8 MiB, and each as much
 * again that its thread has taken and not sent yet; a listened subject up to 16 MiB that wait for poll(), and 16
 * subjects can be listened to. A server that is silent for a second is left for another one, and what came from it and
 * waits for poll() is lost. Where a server is named by host, libnats asks the system's resolver in a thread of the
 * connection, which has no messages as long as that hangs: name servers by address where the resolver may hang. close()
 * waits for 4 s at most: a thread that has not ended by then is left behind with its connection, and ends once the
 * resolver does. Of the host's allocator it has nothing then. Servers of "tls://" are never spoken to without TLS: one
 * that has none is refused, at each connect. Files of TLS are read by this call alone. libnats takes certificates of
 * the system's authorities beside those of `ca_file`, and has no timeout for a server that hangs in the middle of a
 * handshake: that is as a resolver that hangs. Texts of the definition are copied. On PH_BAD_DEF and PH_IO `reason`
 * (may be NULL) gets one line.
 * @return PH_OK and *transport; PH_BAD_DEF: a field of the definition; PH_IO: a thread; PH_BAD_ARGUMENT, PH_NO_MEMORY.
 * @thread any
 */
PH_NODISCARD PH_API ph_status phc_nats_open(const phc_nats_def *def, phc_transport *transport, char *reason,
                                            size_t reason_size);

/** Members of one etcd. */
typedef struct phc_etcd_def {
    const char *const *servers; /* "http://host:port"; all "https://": with TLS */
    uint32_t server_count;      /* 1 .. PHC_SERVERS_MAX */
    uint32_t timeout_ms;        /* of one attempt at one server, 100 .. 60000; 0 = 1000 */
    ph_allocator allocator;     /* zero = the library's default */
    phc_tls tls;                /* zero = no files */
    uint64_t reserved[1];       /* 0 */
} phc_etcd_def;

/**
 * A control store over the JSON gateway of etcd 3.4 and later. Two threads of its own make one request after the other,
 * one renewals of leases, one all else; a server that does not answer is left for the next one, and a write that may
 * have been done is not made again. Up to 64 requests are under way; each has its answer within timeout_ms for each
 * server, twice. A write takes memory for a copy of its value in the caller's thread, in a steady member once in two
 * seconds (its load); answers take theirs in the other threads. Files of TLS are read anew for each connection, and
 * `ca_file` alone says which certificates are good. Texts of the definition are copied. On PH_BAD_DEF and PH_IO
 * `reason` (may be NULL) gets one line.
 * @return as phc_nats_open(). @thread any
 */
PH_NODISCARD PH_API ph_status phc_etcd_open(const phc_etcd_def *def, phc_store *store, char *reason,
                                            size_t reason_size);

/* ---- within a process ---- */

/** Faults, each a chance of 1000, by a seeded draw. */
typedef struct phc_faults {
    uint64_t seed;
    uint32_t lost, doubled, late; /* 0 .. 1000 */
    uint32_t late_steps;          /* a late message comes up to so many steps later, so behind newer ones */
    uint64_t reserved[4];         /* 0 */
} phc_faults;

/** Members of one process that send each other messages. All of it belongs to one thread. */
typedef struct phc_loop phc_loop;

/** @return PH_OK and *loop, PH_BAD_ARGUMENT, PH_NO_MEMORY. A zero allocator is the library's default. @thread any */
PH_NODISCARD PH_API ph_status phc_loop_create(phc_faults faults, ph_allocator allocator, phc_loop **loop);
/**
 * One more member's transport, which closes before the loop is destroyed. It holds at most messages_max messages that
 * wait for its poll(); later ones are lost. @return PH_OK, PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread the loop's
 */
PH_NODISCARD PH_API ph_status phc_loop_join(phc_loop *loop, uint32_t messages_max, phc_transport *transport);
/** Time goes on by one step: messages of the last one are there for poll(), unless they are late. @thread the loop's */
PH_API void phc_loop_step(phc_loop *loop);
/** Other faults from now on. @return PH_OK, PH_BAD_ARGUMENT. @thread the loop's */
PH_NODISCARD PH_API ph_status phc_loop_set_faults(phc_loop *loop, phc_faults faults);
/** A member's messages to others are lost from now on, and theirs to it; or no more. @thread the loop's */
PH_API void phc_loop_cut(phc_loop *loop, const phc_transport *member, bool out, bool in);
/** All transports are closed. NULL is ignored. @thread the loop's */
PH_API void phc_loop_destroy(phc_loop *loop);

/** A control store in the memory of one process. All of it belongs to one thread. */
typedef struct phc_memory phc_memory;

/**
 * Faults: a lost request fails, half of the writing ones after they were done; none comes twice, so `doubled` is 0.
 * @return PH_OK and *memory, PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread any
 */
PH_NODISCARD PH_API ph_status phc_memory_create(phc_faults faults, ph_allocator allocator, phc_memory **memory);
/** One more member's way to it. @return PH_OK, PH_BAD_ARGUMENT, PH_NO_MEMORY. @thread the memory's */
PH_NODISCARD PH_API ph_status phc_memory_join(phc_memory *memory, phc_store *store);
/** The time, which does not go back: leases end, requests are done, answers come. @thread the memory's */
PH_API void phc_memory_step(phc_memory *memory, uint64_t now_ns);
/** Other faults from now on. @return PH_OK, PH_BAD_ARGUMENT. @thread the memory's */
PH_NODISCARD PH_API ph_status phc_memory_set_faults(phc_memory *memory, phc_faults faults);
/** A member's requests fail from now on, and nothing is done; or no more. @thread the memory's */
PH_API void phc_memory_cut(phc_memory *memory, const phc_store *member, bool cut);
/** All stores are closed. NULL is ignored. @thread the memory's */
PH_API void phc_memory_destroy(phc_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
