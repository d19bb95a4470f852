/*
 * The gateway within pharos-node under a flood: a feed that never ends. A round takes a bounded number of messages,
 * and says that there were more.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/node_gateway.h"

enum { MESSAGES_A_ROUND_MAX = 4096, WALKERS = 4 };

static uint64_t left, given; /* messages of the feed */

static ph_status listen(void *user, phc_traffic traffic, const char *subject)
{
    (void)user;
    cr_assert(traffic == PHC_HALO && subject[0] != '\0');
    return PH_OK;
}

static uint32_t poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    (void)user;
    const uint32_t count = left < messages_max ? (uint32_t)left : messages_max;
    left -= count;
    for (uint32_t i = 0; i < count; i++) {
        const phx_walker_state state = {.id = 1 + given % WALKERS, .ownership = 1, .steps = given + 1};
        given++;
        fn(fn_user, "feed", &state, sizeof state);
    }
    return count;
}

static void open_gateway(phx_node_gateway *gateway, phx_node_host *host, phx_mem *mem, phx_node_job *job)
{
    const phc_transport feed = {.listen = listen, .poll = poll};
    phx_mem_init(mem, (ph_allocator){0});
    *job = (phx_node_job){.walkers = WALKERS, .member = {.name = "unit"}};
    *host = (phx_node_host){.mem = mem, .job = job};
    cr_assert_eq(phx_gateway_open(gateway, host, &feed), PH_OK);
    given = 0;
}

Test(node_gateway, a_flood_is_taken_piece_by_piece_and_counted)
{
    phx_node_gateway gateway;
    phx_node_host host;
    phx_node_job job;
    phx_mem mem;
    open_gateway(&gateway, &host, &mem, &job);
    left = UINT64_MAX;
    for (uint64_t round = 1; round <= 3; round++) {
        phx_gateway_hear(&gateway);
        cr_assert_eq(given, round * MESSAGES_A_ROUND_MAX);
        cr_assert_eq(gateway.counts.full, round);
    }
    left = 10;
    phx_gateway_hear(&gateway);
    cr_assert_eq(gateway.counts.full, 3, "the last round took all");
    cr_assert_eq(given, 3 * MESSAGES_A_ROUND_MAX + 10);
    cr_assert_eq(gateway.counts.seen, WALKERS);
    cr_assert_eq(gateway.counts.stale, 0);
    phx_gateway_close(&gateway);
}

Test(node_gateway, a_late_state_is_dropped_and_counted)
{
    phx_node_gateway gateway;
    phx_node_host host;
    phx_node_job job;
    phx_mem mem;
    open_gateway(&gateway, &host, &mem, &job);
    left = 8;
    phx_gateway_hear(&gateway);
    given = 0; /* the feed begins anew: all is late */
    left = 4;
    phx_gateway_hear(&gateway);
    cr_assert_eq(gateway.counts.stale, 4);
    cr_assert_eq(gateway.walkers[0].state.steps, 5);
    phx_gateway_close(&gateway);
}
