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
/* The relation of two entities in the world; bits 0: there is none. */
phx_relation phx_ingest_relation_now(const phx_world *world, uint64_t observer, uint64_t target);
/* Sets it; bits 0 ends it. false = no memory, nothing changed: not for one that was so before. */
bool phx_ingest_put_relation(phx_world *world, uint64_t observer, phx_relation item);
ph_status phx_ingest_attach(phx_world *world, const phx_command_two_ids *command);
ph_status phx_ingest_detach(phx_world *world, const phx_command_id *command);

/*
 * All attachments of an entity that becomes remote, or own: a family is of one kind. First it and its children are
 * placed at their root (false = no memory, nothing changed); then they are detached.
 */
bool phx_ingest_place_relatives(phx_world *world, uint64_t id);
void phx_ingest_detach_relatives(phx_world *world, uint64_t id);

/* Ends all relations and attachments of a leaving entity. PH_NO_MEMORY: no visible change was made. */
ph_status phx_ingest_release_all(phx_world *world, uint64_t id);

#endif
