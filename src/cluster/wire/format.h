/*
 * Formats of the bytes that processes of a cluster write for each other. A version of the library reads the formats of
 * a range, so members of two versions run side by side where their ranges have a format in common. A number stands at
 * the head of all messages and of the map; the readers of wire/, halo/ and map/ refuse one that is not in the process's
 * range.
 *
 *  - The map says which format it is written in (phx_cluster_map.format), and the highest that each member reads. No
 *    process joins that does not read the map's; it never falls, and rises once all members, and all that join next,
 *    have read a higher one for a whole lease (phx_cluster_map_rise()). So any two members have a format in common, and
 *    a member that can not read the map is out of it. Heartbeats, which all read, have the map's.
 *  - All other messages are for one peer, in the highest format that both read (phx_node_format()). Of two members it
 *    is the same for as long as both live: what waits in a channel is written once.
 *  - A process's key in the control store says its range, and is read by all versions: it has one layout for ever, to
 *    which a later one may append (membership/registration.h). A report of a load has a number of its own: one that a
 *    process can not read is left out.
 *  - The common definition, which members compare by a number, has none of these: member/first_defaults.h has its rule.
 *
 * PHX_FORMAT_MAX rises with any change of the bytes of messages and of the map, and of an entity's capsule
 * (ph_export()), behind a release; then a writer has the layout of each number, by the two accessors above. It is still
 * 1 although fields and items were added: there is no release yet. PHX_FORMAT_MIN rises as readers of an old format are
 * taken out.
 */
#ifndef PHX_CLUSTER_WIRE_FORMAT_H
#define PHX_CLUSTER_WIRE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum { PHX_FORMAT_MIN = 1, PHX_FORMAT_MAX = 1 };

/* The formats that a process reads, from one number to another. */
typedef struct phx_formats {
    uint8_t min, max;
} phx_formats;

/* Those of this version of the library. */
#define PHX_FORMATS ((phx_formats){.min = PHX_FORMAT_MIN, .max = PHX_FORMAT_MAX})

static inline bool phx_formats_have(phx_formats formats, uint64_t number)
{
    return number >= formats.min && number <= formats.max;
}

/* Why a process that does not read the map's format does not join. */
#define PHX_OTHER_FORMAT "the cluster runs another, incompatible version of the library"

#endif
