/*
 * Transport and control store over real servers with TLS: a part of cluster_servers. One thread.
 */
#ifndef CLUSTER_SERVERS_TLS_H
#define CLUSTER_SERVERS_TLS_H

/* Paths of the programs: nats-server or etcd, and openssl. */
void test_nats_tls(const char *program, const char *openssl);
void test_etcd_tls(const char *program, const char *openssl);

#endif
