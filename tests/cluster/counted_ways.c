/*
 * Counted ways; see counted_ways.h.
 */
#include "cluster/counted_ways.h"

#include <string.h>

#include "base/clock.h"

/* ---- messages ---- */

static ph_status pass_listen(void *user, phc_traffic traffic, const char *subject)
{
    const counted_ways *ways = user;
    return ways->transport.listen(ways->transport.user, traffic, subject);
}

static ph_status count_send(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    counted_ways *ways = user;
    const uint64_t begin = phx_now_ns();
    const ph_status status = ways->transport.send(ways->transport.user, traffic, subject, bytes, size);
    ways->send_ns += phx_now_ns() - begin;
    ways->sent[traffic]++;
    ways->bytes[traffic] += size;
    return status;
}

static uint32_t count_poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    counted_ways *ways = user;
    const uint32_t taken = ways->transport.poll(ways->transport.user, messages_max, fn, fn_user);
    ways->taken += taken;
    return taken;
}

static void pass_state(void *user, phc_transport_state *state)
{
    const counted_ways *ways = user;
    ways->transport.state(ways->transport.user, state);
}

static void pass_close(void *user)
{
    const counted_ways *ways = user;
    ways->transport.close(ways->transport.user);
}

/* ---- keys ---- */

static ph_status pass_get(void *user, uint64_t tag, const char *key)
{
    const counted_ways *ways = user;
    return ways->store.get(ways->store.user, tag, key);
}

static ph_status pass_list(void *user, uint64_t tag, const char *prefix)
{
    const counted_ways *ways = user;
    return ways->store.list(ways->store.user, tag, prefix);
}

static ph_status count_cas(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                           uint64_t lease)
{
    counted_ways *ways = user;
    ways->map_writes += strstr(key, "/map") != NULL;
    return ways->store.cas(ways->store.user, tag, key, revision, value, size, lease);
}

static ph_status pass_lease_open(void *user, uint64_t tag, uint32_t ms)
{
    const counted_ways *ways = user;
    return ways->store.lease_open(ways->store.user, tag, ms);
}

static ph_status pass_lease_renew(void *user, uint64_t tag, uint64_t lease)
{
    const counted_ways *ways = user;
    return ways->store.lease_renew(ways->store.user, tag, lease);
}

static ph_status pass_lease_end(void *user, uint64_t tag, uint64_t lease)
{
    const counted_ways *ways = user;
    return ways->store.lease_end(ways->store.user, tag, lease);
}

typedef struct answer_call {
    counted_ways *ways;
    phc_answer_fn fn;
    void *user;
} answer_call;

static void count_answer(void *user, const phc_answer *answer)
{
    const answer_call *call = user;
    if (answer->outcome == PHC_CHANGED && answer->count == 1) {
        const bool is_map = strstr(answer->entries[0].key, "/map") != NULL;
        call->ways->map_conflicts += is_map;
        call->ways->number_conflicts += !is_map && strstr(answer->entries[0].key, "/nodes/") != NULL;
    }
    call->fn(call->user, answer);
}

static uint32_t count_poll_answers(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    counted_ways *ways = user;
    answer_call call = {ways, fn, fn_user};
    return ways->store.poll(ways->store.user, answers_max, count_answer, &call);
}

static void pass_store_state(void *user, phc_store_state *state)
{
    const counted_ways *ways = user;
    ways->store.state(ways->store.user, state);
}

static void pass_store_close(void *user)
{
    const counted_ways *ways = user;
    ways->store.close(ways->store.user);
}

void counted_ways_begin(counted_ways *ways, phc_transport *transport, phc_store *store)
{
    *ways = (counted_ways){.transport = *transport, .store = *store};
    *transport = (phc_transport){.listen = pass_listen,
                                 .send = count_send,
                                 .poll = count_poll,
                                 .state = pass_state,
                                 .close = pass_close,
                                 .user = ways};
    *store = (phc_store){.get = pass_get,
                         .list = pass_list,
                         .cas = count_cas,
                         .lease_open = pass_lease_open,
                         .lease_renew = pass_lease_renew,
                         .lease_end = pass_lease_end,
                         .poll = count_poll_answers,
                         .state = pass_store_state,
                         .close = pass_store_close,
                         .user = ways};
}
