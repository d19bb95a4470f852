/*
 * Requests to etcd's JSON gateway as bodies, and its answers read: any bytes are an answer or a failure with a reason.
 * Pure; used by the thread of store_etcd.
 */
#ifndef PHX_CLUSTER_SERVERS_ETCD_JSON_H
#define PHX_CLUSTER_SERVERS_ETCD_JSON_H

#include "cluster/servers/entries.h"

typedef enum phx_etcd_kind {
    PHX_ETCD_GET,
    PHX_ETCD_LIST,
    PHX_ETCD_CAS,
    PHX_ETCD_LEASE_OPEN,
    PHX_ETCD_LEASE_RENEW,
    PHX_ETCD_LEASE_END
} phx_etcd_kind;

typedef struct phx_etcd_request {
    phx_etcd_kind kind;
    uint32_t ms; /* of a lease */
    uint64_t revision, lease;
    char key[PHC_KEY_MAX + 1];
    const unsigned char *value;
    size_t size;
} phx_etcd_request;

typedef struct phx_etcd_answer {
    phc_outcome outcome;
    uint64_t revision, lease;
    uint32_t lease_ms;
    phx_entries entries;
    uint32_t left_out;  /* keys of a list that are none of this library */
    const char *reason; /* of PHC_FAILED; text of the program */
} phx_etcd_answer;

/* Room for the body of any request. */
enum { PHX_ETCD_BODY_MAX = (PHC_VALUE_MAX + 2) / 3 * 4 + 1024 };

/* The part of the address behind the server's. */
const char *phx_etcd_path(phx_etcd_kind kind);
/* Writes the body into PHX_ETCD_BODY_MAX bytes; returns its length. */
size_t phx_etcd_write(const phx_etcd_request *request, char *body);
/* Reads the answer; its entries are made from `mem`. text: of `size` bytes, and a 0 behind them. */
void phx_etcd_read(const phx_etcd_request *request, const char *text, size_t size, phx_mem *mem,
                   phx_etcd_answer *answer);

#endif
