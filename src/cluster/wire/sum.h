/*
 * The sum at the end of every message and map: XXH3 of the bytes before it. It finds what a network or a disk has
 * damaged; it is no signature. Pure; used by the encoders and decoders.
 */
#ifndef PHX_CLUSTER_WIRE_SUM_H
#define PHX_CLUSTER_WIRE_SUM_H

#include "cluster/wire/bytes.h"

enum { PHX_SUM_BYTES = 8 };

/* Writes the sum of all bytes from `begin` to the writer's place. Returns the bytes with the sum. */
size_t phx_sum_seal(phx_writer *writer, const void *begin);
/* A reader of the bytes before the sum; false: too few, or damaged. */
bool phx_sum_open(phx_reader *reader, const void *bytes, size_t size);

#endif
