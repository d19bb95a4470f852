/*
 * Servers of a test: nats-server and etcd as processes on loopback, or on machines of its own (cables.h), on free
 * ports, with their data in a temporary folder. Each is ended by its process id, at the latest with the test itself.
 * One thread.
 */
#ifndef CLUSTER_SERVERS_H
#define CLUSTER_SERVERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "support/temp_path.h"

enum { SERVER_ARGS_MAX = 32, SERVER_TEXT = 512, SERVERS_MAX = 3 };

/* A namespace of networks, and an address in it. */
typedef struct server_place {
    int space; /* a file */
    const char *host;
} server_place;

typedef struct test_server {
    pid_t pid;                 /* 0 = it does not run */
    const server_place *place; /* NULL: the test's own, on loopback */
    uint16_t port, peer_port;
    char arg_text[SERVER_ARGS_MAX][SERVER_TEXT];
    uint32_t arg_count, plain_arg_count; /* plain: without the ones of TLS */
    char log[SERVER_TEXT];
    char address[64]; /* for clients */
} test_server;

/* Servers of one kind that know each other. */
typedef struct server_group {
    char folder[TEMP_PATH_SIZE];
    test_server servers[SERVERS_MAX];
    const char *addresses[SERVERS_MAX];
    uint32_t count;
} server_group;

/*
 * program: its path. places: of each; NULL: all are on loopback. The servers take connections; the test ends if one
 * does not start in time.
 */
void servers_start_nats(server_group *group, const char *program, uint32_t count, const server_place *places);
void servers_start_etcd(server_group *group, const char *program, uint32_t count, const server_place *places);
/* A server that was stopped by a signal, again, with its arguments and its data. */
void server_start_again(test_server *server);
/* All of a group of etcd, which were killed, without what they had. */
void servers_start_anew(server_group *group);
/* TLS of a server: files in PEM. */
typedef struct server_tls {
    const char *certificate, *key;
    const char *client_ca; /* of the certificates that clients need; NULL = they need none */
} server_tls;

/* Kills the only server of a group, and starts it at its port with TLS, or without (NULL). Its address has the scheme.
 */
void servers_start_tls(server_group *group, const server_tls *tls);
/* Has the process a connection to a server on loopback? */
bool server_has_client(const test_server *server, pid_t client);
/* SIGKILL: it is gone behind this. SIGSTOP, SIGCONT: it stands still, it goes on. */
void server_signal(test_server *server, int signal);
/* The etcd of a group that leads the others, as it says itself; count: none does at this moment. */
uint32_t servers_etcd_leader(const server_group *group);
void servers_end(server_group *group);

/* Any other program. Its path and its arguments, one after the other; then it starts, and writes into server->log. */
void server_add_text(test_server *server, const char *text);
void server_add_option(test_server *server, const char *name, const char *value);
void server_launch(test_server *server);
/* Has it ended by itself? *status is that of waitpid(). */
bool server_has_ended(test_server *server, int *status);
/* Its log, on the standard error. */
void server_show_log(const test_server *server);

#endif
