/*
 * The format of all bytes that processes of a cluster write for each other: messages, halos, questions, the map, and
 * registrations. One number for all of them: a process whose registration has another one than the others' is refused
 * as it joins, so members never meet messages that they can not read, and a change of one format needs no second
 * number. A constant, read by the decoders of wire/, halo/, map/ and membership/.
 *
 * It rises with any change of these bytes, and of an entity's capsule (ph_export()), behind a release. It is still 1
 * although fields and items were added: there is no release yet. Versions of the library with the same number run side
 * by side; from one number to the next all processes of a cluster are stopped first.
 */
#ifndef PHX_CLUSTER_WIRE_FORMAT_H
#define PHX_CLUSTER_WIRE_FORMAT_H

enum { PHX_CLUSTER_FORMAT = 1 };

/* Why a process of another number does not join. */
#define PHX_OTHER_FORMAT "the cluster runs another, incompatible version of the library"

#endif
