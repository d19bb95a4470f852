/*
 * Machines of a test: namespaces of networks, each with a cable to one bridge in the test's own namespace. A message
 * over a pulled cable is lost without a word, as is one from a machine to another one that it has lost the way to.
 * Needs root and iproute2. All of it ends with the test and the processes that it has put there.
 */
#ifndef CLUSTER_CABLES_H
#define CLUSTER_CABLES_H

#include "cluster/servers.h"

enum { CABLES = SERVERS_MAX, CABLES_TEST = CABLES }; /* CABLES_TEST: the test's own namespace, as an end of a way */

typedef struct cables {
    int spaces[CABLES + 1]; /* files of namespaces */
    char hosts[CABLES + 1][16];
    server_place places[CABLES];
} cables;

/* Puts the test into a namespace of its own, with the machines around it. false: it may not, for the printed reason. */
bool cables_lay(cables *of);
void cables_pull(const cables *of, uint32_t machine);
void cables_put_back(const cables *of, uint32_t machine);
/* Messages of `from` to `to` are lost from now on; or not any more. */
void cables_lose(const cables *of, uint32_t from, uint32_t to);
void cables_find(const cables *of, uint32_t from, uint32_t to);

#endif
