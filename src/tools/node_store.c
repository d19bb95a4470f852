/*
 * A store that notes why requests fail; see node_store.h.
 */
#include "tools/node_store.h"

#include <stdio.h>

/* PATIENCE_MS: longer than a process waits for an election of etcd; FAILURES: one request may fail for any reason. */
enum { PATIENCE_MS = 10000, FAILURES = 3 };

static ph_status get_key(void *user, uint64_t tag, const char *key)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->get(store->user, tag, key);
}

static ph_status list_keys(void *user, uint64_t tag, const char *prefix)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->list(store->user, tag, prefix);
}

static ph_status write_key(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                           uint64_t lease)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->cas(store->user, tag, key, revision, value, size, lease);
}

static ph_status open_lease(void *user, uint64_t tag, uint32_t ms)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->lease_open(store->user, tag, ms);
}

static ph_status renew_lease(void *user, uint64_t tag, uint64_t lease)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->lease_renew(store->user, tag, lease);
}

static ph_status end_lease(void *user, uint64_t tag, uint64_t lease)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    return store->lease_end(store->user, tag, lease);
}

static void hear_answer(void *user, const phc_answer *answer)
{
    phx_node_store *of = user;
    if (answer->outcome == PHC_FAILED) {
        (void)snprintf(of->reason, sizeof of->reason, "%s", answer->reason);
        of->failures++;
    }
    of->fn(of->fn_user, answer);
}

static uint32_t take_answers(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    phx_node_store *of = user;
    of->fn = fn;
    of->fn_user = fn_user;
    return of->store.poll(of->store.user, answers_max, hear_answer, of);
}

static void read_state(void *user, phc_store_state *state)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    store->state(store->user, state);
}

static void close_store(void *user)
{
    const phc_store *store = &((phx_node_store *)user)->store;
    store->close(store->user);
}

phc_store phx_node_store_noted(phx_node_store *of)
{
    return (phc_store){.get = get_key,
                       .list = list_keys,
                       .cas = write_key,
                       .lease_open = open_lease,
                       .lease_renew = renew_lease,
                       .lease_end = end_lease,
                       .poll = take_answers,
                       .state = read_state,
                       .close = close_store,
                       .user = of};
}

void phx_node_store_tell(phx_node_store *of, const phx_node_job *job, const phc *member, uint64_t ran_ms)
{
    phc_stats stats = {0};
    const bool is_late = ran_ms >= PATIENCE_MS;
    of->joined |= phc_number(member) != 0;
    if (of->joined || phc_stats_get(member, &stats) != PH_OK) return;
    if (stats.lists > 0 && !of->answers) of->failures = 0; /* of the time when it was silent */
    of->answers = stats.lists > 0;
    bool *is_said = of->answers ? &of->refuses : &of->is_silent;
    if (*is_said || of->failures == 0 || (of->answers && (!is_late || of->failures < FAILURES))) return;
    fprintf(stderr, "pharos-node: etcd: %s %s%s: %s; no member yet, it asks again\n",
            of->answers ? "no write by" : "no answer from", job->etcd.servers[0],
            job->etcd.server_count > 1 ? " and the others" : "", of->reason);
    *is_said = true;
}
