/*
 * Lists of servers as text: the addresses of the keys nats and etcd. Called by value.c. Stateless.
 */
#ifndef PHX_CONFIG_SERVERS_H
#define PHX_CONFIG_SERVERS_H

#include "base/key_table.h"

/*
 * The list has i servers, and gets one more; an empty text as the first one leaves it empty. false: it is no address of
 * such a server, or the list does not go on so; nothing has changed.
 */
bool phx_servers_set(const phx_key *key, phx_servers *servers, uint32_t i, const char *text);

/* As a config file has it: {"nats://a:4222", "nats://b:4222"}, or "" for none. */
void phx_servers_write(const phx_servers *servers, char *text, size_t size);

#endif
