/*
 * The gateway within pharos-node under a flood: a feed that never ends. A round takes a bounded number of messages,
 * and says that there were more. And what it says of late states, and of changes that it misses or can not read.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "tools/node_gateway.h"

enum { MESSAGES_A_ROUND_MAX = 4096, WALKERS = 4 };

static uint64_t left, given; /* messages of the feed */
static uint64_t feed_number; /* of each state */
static uint64_t asked[8];    /* ids, in the last question */
static size_t asked_bytes;
static const unsigned char *changes; /* a message of changes, in place of states; NULL = none */

static ph_status listen(void *user, phc_traffic traffic, const char *subject)
{
    (void)user;
    const bool of_states = strstr(subject, ".walkers") != NULL;
    cr_assert(of_states || strstr(subject, ".changes"));
    cr_assert_eq(traffic, of_states ? PHC_HALO : PHC_CHANNEL);
    return PH_OK;
}

static ph_status take_question(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    (void)user;
    cr_assert(traffic == PHC_CHANNEL && strcmp(subject, "pharos-node.unit.lists") == 0 && size <= sizeof asked);
    memcpy(asked, bytes, size);
    asked_bytes = size;
    return PH_OK;
}

static uint32_t poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    (void)user;
    const uint32_t count = left < messages_max ? (uint32_t)left : messages_max;
    left -= count;
    for (uint32_t i = 0; i < count; i++) {
        const phx_walker_state state = {.id = 1 + given % WALKERS,
                                        .ownership = 1,
                                        .steps = given + 1,
                                        .feed_begun = 1,
                                        .feed_number = given % WALKERS == 1 ? feed_number : 0};
        given++;
        if (changes) fn(fn_user, "pharos-node.unit.changes", changes, PHX_CLIENT_HEAD_BYTES);
        else fn(fn_user, "feed", &state, sizeof state);
    }
    return count;
}

static void open_gateway(phx_node_gateway *gateway, phx_node_host *host, phx_mem *mem, phx_node_job *job)
{
    const phc_transport feed = {.listen = listen, .send = take_question, .poll = poll};
    phx_mem_init(mem, (ph_allocator){0});
    *job = (phx_node_job){.walkers = WALKERS, .member = {.name = "unit"}};
    *host = (phx_node_host){.mem = mem, .job = job};
    cr_assert_eq(phx_gateway_open(gateway, host, &feed), PH_OK);
    given = feed_number = asked_bytes = 0;
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

Test(node_gateway, the_owner_of_a_client_that_misses_a_change_is_asked_for_its_list)
{
    phx_node_gateway gateway;
    phx_node_host host;
    phx_node_job job;
    phx_mem mem;
    open_gateway(&gateway, &host, &mem, &job);
    feed_number = 3;
    left = WALKERS;
    phx_gateway_hear(&gateway);
    cr_assert_eq(asked_bytes, 0, "it may come");
    const struct timespec wait = {.tv_nsec = (PHX_CLIENT_WAIT_MS + 50) * 1000000L};
    (void)nanosleep(&wait, NULL);
    phx_gateway_hear(&gateway);
    cr_assert(asked_bytes == sizeof *asked && asked[0] == 2);
    phx_gateway_close(&gateway);
}

Test(node_gateway, changes_that_can_not_be_read_or_are_of_no_member_are_counted)
{
    phx_node_gateway gateway;
    phx_node_host host;
    phx_node_job job;
    phx_mem mem;
    open_gateway(&gateway, &host, &mem, &job);
    static const unsigned char flaw[PHX_CLIENT_HEAD_BYTES], stranger[PHX_CLIENT_HEAD_BYTES] = {9};
    left = 1;
    changes = flaw;
    phx_gateway_hear(&gateway);
    cr_assert(gateway.counts.damaged == 1 && gateway.counts.fenced == 0);
    left = 1;
    changes = stranger;
    phx_gateway_hear(&gateway);
    cr_assert(gateway.counts.damaged == 1 && gateway.counts.fenced == 1);
    changes = NULL;
    phx_gateway_close(&gateway);
}
