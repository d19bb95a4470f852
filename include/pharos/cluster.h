/**
 * @file cluster.h
 * One world on several machines: a separate library (pharos_cluster). A server that runs one process does not link it.
 *
 * This part has the two ways out of a process, each a table of functions, so that a host can bring its own:
 *
 *   phc_transport   messages between members, by subject; may lose, double, delay and reorder them
 *   phc_store       the control store: a few small keys, changed by compare-and-set, and leases
 *
 * and two of each that are given: phc_loop and phc_memory, within a process, by steps, with seeded faults, for tests of
 * a host; phc_nats (a NATS server) and phc_etcd (etcd's JSON gateway), where the library was built with them.
 *
 * No function of a transport or a store waits for a network, except the two that open one and the ones that close one:
 * whatever is on its way waits in a bounded queue, and a full one says PH_FULL or drops, as its text says.
 */
#ifndef PHAROS_CLUSTER_H
#define PHAROS_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pharos/base.h>

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
    uint64_t sent;                /* messages taken by send() */
    uint64_t dropped;             /* ... and dropped before they left: lost connection, newer ones of PHC_HALO */
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
    void (*state)(void *user, phc_transport_state *state);
    /** Ends it; what it had is released, and messages that wait may be lost. May wait, for two seconds at most. */
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
    const char *reason;   /* PHC_FAILED: one line; else "" */
    uint64_t reserved[4]; /* 0 */
} phc_answer;

/** Entries are good until the function returns; it may make requests, not poll() or close(). */
typedef void (*phc_answer_fn)(void *user, const phc_answer *answer);

/**
 * The control store. Every function has `user` as its first argument, and is called by one thread at a time. A request
 * returns at once: PH_OK, and one answer with its tag comes by poll(), in bounded time, in any order; or PH_FULL: too
 * many are under way; PH_BAD_ARGUMENT: a key or value beyond its bounds; PH_NO_MEMORY. Keys are letters, digits, - _ /
 * and dots.
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
    /** Ends it; answers that are not taken are lost. May wait, for two seconds at most. */
    void (*close)(void *user);
    void *user;
    uint64_t reserved[4]; /* 0 */
} phc_store;

/* ---- servers ---- */

enum { PHC_SERVERS_MAX = 5 };

/** NATS servers of one cluster. */
typedef struct phc_nats_def {
    const char *const *servers; /* "nats://host:port", also with "user:password@" */
    uint32_t server_count;      /* 1 .. PHC_SERVERS_MAX */
    const char *name;           /* shown by the servers; NULL = "pharos" */
    ph_allocator allocator;     /* zero = the library's default */
    uint64_t reserved[4];       /* 0 */
} phc_nats_def;

/**
 * A transport over NATS, without JetStream: a connection for each traffic, each with threads of its own. It need not
 * find a server: it goes on trying. PHC_HALO holds up to 4 MiB that wait to leave, PHC_CHANNEL 8 MiB; a listened
 * subject up to 16 MiB that wait for poll(), and 16 subjects can be listened to. A server that is silent for a second
 * is left for another one. On PH_BAD_DEF and PH_IO `reason` (may be NULL) gets one line.
 * @return PH_OK and *transport; PH_BAD_DEF: a field of the definition; PH_IO: a thread; PH_BAD_ARGUMENT, PH_NO_MEMORY.
 * @thread any
 */
PH_NODISCARD PH_API ph_status phc_nats_open(const phc_nats_def *def, phc_transport *transport, char *reason,
                                            size_t reason_size);

/** Members of one etcd. */
typedef struct phc_etcd_def {
    const char *const *servers; /* "http://host:port" */
    uint32_t server_count;      /* 1 .. PHC_SERVERS_MAX */
    uint32_t timeout_ms;        /* of one attempt at one server, 100 .. 60000; 0 = 1000 */
    ph_allocator allocator;     /* zero = the library's default */
    uint64_t reserved[4];       /* 0 */
} phc_etcd_def;

/**
 * A control store over the JSON gateway of etcd 3.4 and later. Two threads of its own make one request after the other,
 * one renewals of leases, one all else; a server that does not answer is left for the next one, and a write that may
 * have been done is not made again. Up to 64 requests are under way; each has its answer within timeout_ms for each
 * server, twice. On PH_BAD_DEF and PH_IO
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
