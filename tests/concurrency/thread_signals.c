/*
 * Threads of the library block all signals: workers, the threads of a store, of a view and of a cluster's servers, and
 * the ones that other libraries begin for these. The signals of the thread that opens them stay as they were.
 * Connections that have found a server are in cluster_servers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <signal.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/temp_path.h"
#include "support/thread_masks.h"

static ph_world begin_world(void)
{
    enum { WORKERS = 3 };
    ph_world world;
    ph_world_def def = ph_world_def_default();
    def.workers = WORKERS;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_tick(world, NULL) == PH_OK);
    check_threads_block("workers", WORKERS - 1);
    return world;
}

#ifdef WITH_STORE
#include <pharos/store.h>

static void check_store(ph_world world)
{
    char folder[TEMP_PATH_SIZE];
    ph_store *store;
    ph_store_def def = ph_store_def_default();
    temp_folder(folder, "pharos_threads");
    def.folder = folder;
    def.name = "w";
    def.ring_bytes = PH_STORE_RING_MIN;
    const uint32_t before = count_threads();
    REQUIRE(ph_store_open(&def, world, &store, NULL, 0) == PH_OK);
    check_threads_block("store", before + 2);
    CHECK_OK(ph_store_close(store));
    temp_remove(folder);
}
#endif

#ifdef WITH_VIEW
#include <pharos/view.h>

static void check_view(void)
{
    ph_view *view;
    const ph_view_def def = {.title = "threads"};
    const uint32_t before = count_threads();
    REQUIRE(ph_view_open(&def, &view, NULL, 0) == PH_OK);
    check_threads_block("view", before + 1);
    ph_view_close(view);
}
#endif

#ifdef WITH_NATS
#include <pharos/cluster.h>

static void check_nats(void)
{
    static const char *const servers[] = {"nats://127.0.0.1:1"}; /* none is there: it goes on trying */
    const phc_nats_def def = {.servers = servers, .server_count = 1};
    phc_transport transport;
    const uint32_t before = count_threads();
    REQUIRE(phc_nats_open(&def, &transport, NULL, 0) == PH_OK);
    check_threads_block("nats", before + 2);
    transport.close(transport.user);
}
#endif

#ifdef WITH_ETCD
#include <pharos/cluster.h>

static void check_etcd(void)
{
    static const char *const servers[] = {"http://127.0.0.1:1"};
    const phc_etcd_def def = {.servers = servers, .server_count = 1};
    phc_store store;
    const uint32_t before = count_threads();
    REQUIRE(phc_etcd_open(&def, &store, NULL, 0) == PH_OK);
    check_threads_block("etcd", before + 1);
    store.close(store.user);
}
#endif

int main(void)
{
    sigset_t before, after;
    REQUIRE(pthread_sigmask(SIG_SETMASK, NULL, &before) == 0 && sigismember(&before, SIGUSR1) == 0);
    const ph_world world = begin_world();
#ifdef WITH_STORE
    check_store(world);
#endif
#ifdef WITH_VIEW
    check_view();
#endif
#ifdef WITH_NATS
    check_nats();
#endif
#ifdef WITH_ETCD
    check_etcd();
#endif
    CHECK_OK(ph_world_destroy(world));
    REQUIRE(pthread_sigmask(SIG_SETMASK, NULL, &after) == 0);
    for (int number = 1; number < SIGRTMAX; number++)
        CHECK(sigismember(&before, number) == sigismember(&after, number), "signal %d", number);
    return check_done("thread_signals");
}
