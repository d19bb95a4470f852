/*
 * Requests that wait; see cluster_store.h.
 */
#include "tools/cluster_store.h"

#include <stdio.h>

enum { TAG = 1 }; /* one request at a time */

/* An answer on its way to the asker. */
typedef struct awaited {
    phx_cluster_store *store;
    phc_answer_fn fn; /* may be NULL */
    void *fn_user;
    phc_outcome outcome;
} awaited;

static void hear_answer(void *user, const phc_answer *answer)
{
    awaited *wait = user;
    wait->outcome = answer->outcome;
    if (answer->outcome == PHC_FAILED)
        (void)snprintf(wait->store->reason, sizeof wait->store->reason, "%s", answer->reason);
    if (wait->fn) wait->fn(wait->fn_user, answer);
}

/* Each request that was taken has its answer in bounded time. */
static phc_outcome await_answer(phx_cluster_store *store, ph_status taken, phc_answer_fn fn, void *fn_user)
{
    awaited wait = {.store = store, .fn = fn, .fn_user = fn_user};
    store->reason[0] = '\0';
    if (taken != PH_OK) {
        const phc_answer answer = {.tag = TAG, .outcome = PHC_FAILED, .reason = ph_status_text(taken)};
        hear_answer(&wait, &answer);
        return PHC_FAILED;
    }
    while (store->store.poll(store->store.user, 1, hear_answer, &wait) == 0) store->pause(store->pause_user);
    return wait.outcome;
}

phc_outcome phx_cluster_store_list(phx_cluster_store *store, const char *prefix, phc_answer_fn fn, void *fn_user)
{
    return await_answer(store, store->store.list(store->store.user, TAG, prefix), fn, fn_user);
}

phc_outcome phx_cluster_store_write(phx_cluster_store *store, const char *key, uint64_t revision, const void *value,
                                    size_t size)
{
    return await_answer(store, store->store.cas(store->store.user, TAG, key, revision, value, size, 0), NULL, NULL);
}
