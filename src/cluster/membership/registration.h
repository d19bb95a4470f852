/*
 * The value of a registered process's key in the control store, as bytes: magic u32, formats u8 and u8 (the lowest and
 * the highest that it reads), role u8 (1 gateway, 2 asks), definition u64, registration u64, version u32. Decoding is
 * total. Pure; used by membership.
 *
 * Processes of all versions of the library read each other's keys, so this layout stays: a version may append bytes,
 * which earlier ones leave out.
 *
 * A registration is never used again. It is the revision of the process's key, which rises in a control store for ever,
 * and above it a hash of the lease that the key was first written under: a store that has lost all it had, with
 * members that adopt their map or without, begins with low revisions anew, and its leases have other numbers. (An etcd
 * makes them of its time. Its own number of the cluster is of its config, so the same for an etcd that began anew.)
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_REGISTRATION_H
#define PHX_CLUSTER_MEMBERSHIP_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/wire/format.h"

enum { PHX_REGISTRATION_BYTES = 27 };

typedef struct phx_registration {
    phx_formats formats; /* that the process reads */
    bool gateway;
    bool asks; /* another process may write the map with this one; registration and version are not 0 (joining.h) */
    uint64_t definition;
    uint64_t registration; /* of a process that has another key than its first; 0 = by the revision of this one */
    uint32_t version;      /* of the newest map that the process has read, or that its registration is in none up to */
} phx_registration;

void phx_registration_encode(const phx_registration *registration, unsigned char bytes[PHX_REGISTRATION_BYTES]);
bool phx_registration_decode(phx_registration *registration, const void *bytes, size_t size);
/* Of a key with that revision and lease. */
uint64_t phx_registration_of(const phx_registration *registration, uint64_t revision, uint64_t lease);
/* ... that says none itself. Never 0, and below 2^53: JSON's numbers have it, too. */
uint64_t phx_registration_at(uint64_t revision, uint64_t lease);
/* The number at the end of its key; false: it is none, or 0. */
bool phx_registration_number(const char *text, uint16_t *number);

#endif
