/*
 * A counted transport; see federation_traffic.h.
 */
#include "bench/federation_traffic.h"

static ph_status count_listen(void *user, phc_traffic traffic, const char *subject)
{
    const bench_fed_counted *counted = user;
    return counted->transport.listen(counted->transport.user, traffic, subject);
}

static ph_status count_send(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    bench_fed_counted *counted = user;
    counted->traffic->messages[traffic]++;
    counted->traffic->bytes[traffic] += size;
    return counted->transport.send(counted->transport.user, traffic, subject, bytes, size);
}

static uint32_t count_poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    const bench_fed_counted *counted = user;
    return counted->transport.poll(counted->transport.user, messages_max, fn, fn_user);
}

static void count_state(void *user, phc_transport_state *state)
{
    const bench_fed_counted *counted = user;
    counted->transport.state(counted->transport.user, state);
}

static void count_close(void *user)
{
    const bench_fed_counted *counted = user;
    counted->transport.close(counted->transport.user);
}

phc_transport bench_fed_count(bench_fed_counted *counted)
{
    return (phc_transport){.listen = count_listen,
                           .send = count_send,
                           .poll = count_poll,
                           .state = count_state,
                           .close = count_close,
                           .user = counted};
}
