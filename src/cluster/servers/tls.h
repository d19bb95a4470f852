/*
 * TLS of a definition of servers: do its addresses ask for it, and are its files there? Called by phc_nats_open() and
 * phc_etcd_open(), on the host's thread; the libraries behind them do the encryption.
 */
#ifndef PHX_CLUSTER_SERVERS_TLS_H
#define PHX_CLUSTER_SERVERS_TLS_H

#include <stdbool.h>

#include <pharos/cluster.h>

/* Beginnings of addresses. */
typedef struct phx_schemes {
    const char *plain, *tls;
} phx_schemes;

/* All addresses begin with the one scheme, or all with the other one: *is_tls says which. false: some do not. */
bool phx_tls_asked(phx_schemes schemes, const char *const *servers, uint32_t count, bool *is_tls);

/*
 * The files, if any is given, are for servers with TLS; each can be read, and has a certificate or a key in PEM;
 * certificate and key come together. false: `reason` (may be NULL) has one line with the field and its file.
 */
bool phx_tls_is_good(const phc_tls *tls, bool is_tls, phx_schemes schemes, char *reason, size_t reason_size);

#endif
