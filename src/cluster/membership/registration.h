/*
 * The value of a registered process's key in the control store, as bytes: magic u32, format u32, gateway u8,
 * definition u64, registration u64. Decoding is total. Pure; used by membership.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_REGISTRATION_H
#define PHX_CLUSTER_MEMBERSHIP_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PHX_REGISTRATION_BYTES = 25 };

typedef struct phx_registration {
    bool gateway;
    uint64_t definition;
    uint64_t registration; /* of a member that came back with another key; 0 = the revision of this one */
} phx_registration;

void phx_registration_encode(const phx_registration *registration, unsigned char bytes[PHX_REGISTRATION_BYTES]);
bool phx_registration_decode(phx_registration *registration, const void *bytes, size_t size);
/* A registration in another format: that process is of an incompatible version. */
bool phx_registration_is_foreign(const void *bytes, size_t size);
/* Of a key with that revision. */
uint64_t phx_registration_of(const phx_registration *registration, uint64_t revision);
/* The number at the end of its key; false: it is none, or 0. */
bool phx_registration_number(const char *text, uint16_t *number);

#endif
