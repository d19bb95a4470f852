/*
 * Commands about two entities: relations and attachments; and their end when an entity leaves. By the ticking thread,
 * in the ingest phase.
 */
#ifndef PHX_WORLD_INGEST_INGEST_RELATIONS_H
#define PHX_WORLD_INGEST_INGEST_RELATIONS_H

#include "world/queue/commands.h"
#include "world/state/world.h"

/* PAIR, LINK, HIDE, REVEAL, and their ends. */
ph_status phx_ingest_relate(phx_world *world, phx_op op, const phx_command_two_ids *command);
ph_status phx_ingest_attach(phx_world *world, const phx_command_two_ids *command);
ph_status phx_ingest_detach(phx_world *world, const phx_command_id *command);

/* Moves an attached child to its root's position. false = no memory. */
bool phx_ingest_place_at_root(phx_world *world, uint64_t child);

/* Ends all relations and attachments of a leaving entity. PH_NO_MEMORY: no visible change was made. */
ph_status phx_ingest_release_all(phx_world *world, uint64_t id);

#endif
