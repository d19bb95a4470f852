/*
 * The gateway within pharos-node under a flood: a feed that never ends. A round takes a bounded number of messages,
 * and says that there were more. It counts and drops late states, messages of a node that is out, and such as can not
 * be read; and asks for lists where it misses a change. Its lines have numbers that readers of JSON do not round.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "node_bed.h"
#include "tools/node_gateway.h"
#include "tools/node_lines.h"

enum { MESSAGES_A_ROUND_MAX = 4096, WALKERS = 4, MANY_WALKERS = 1500, QUESTIONS_A_ROUND_MAX = 1024, STRANGER = 999 };

static node_bed bed;
static uint64_t left, given;                                        /* messages of the feed */
static uint64_t feed_number;                                        /* of each state */
static uint64_t sender;                                             /* of states */
static uint64_t asker;                                              /* of the last question */
static uint32_t asked[MANY_WALKERS + 1], asked_count, asked_rounds; /* by id; of all questions */
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
    uint64_t id;
    phx_reader reader = phx_reader_of(bytes, size);
    cr_assert(traffic == PHC_CHANNEL && strcmp(subject, "pharos-node.unit.lists") == 0);
    asker = phx_client_get_head(&reader);
    asked_count = 0;
    asked_rounds++;
    while (phx_client_get_id(&reader, &id)) {
        cr_assert(id <= MANY_WALKERS);
        asked[id]++;
        asked_count++;
    }
    cr_assert_not(reader.failed);
    return PH_OK;
}

static void give_state(phc_message_fn fn, void *fn_user)
{
    unsigned char bytes[PHX_CLIENT_HEAD_BYTES + PHX_CLIENT_STATE_BYTES];
    phx_writer writer = phx_writer_of(bytes, sizeof bytes);
    phx_client_put_head(&writer, sender);
    phx_client_put_state(&writer, &(phx_walker_state){.id = 1 + given % WALKERS,
                                                      .ownership = 1,
                                                      .steps = given + 1,
                                                      .feed_begun = 1,
                                                      .feed_number = given % WALKERS == 1 ? feed_number : 0});
    cr_assert(!writer.failed && phx_writer_left(&writer) == 0);
    fn(fn_user, "pharos-node.unit.walkers", bytes, sizeof bytes);
}

static uint32_t poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    (void)user;
    const uint32_t count = left < messages_max ? (uint32_t)left : messages_max;
    left -= count;
    for (uint32_t i = 0; i < count; i++) {
        if (changes) fn(fn_user, "pharos-node.unit.changes", changes, PHX_CLIENT_HEAD_BYTES);
        else give_state(fn, fn_user);
        given++;
    }
    return count;
}

static phx_node_gateway gateway;
static phx_node_host host;
static phx_node_job job;
static phx_mem mem;

static void open_gateway(uint32_t walkers)
{
    const phc_transport feed = {.listen = listen, .send = take_question, .poll = poll};
    job = (phx_node_job){.walkers = walkers, .member = {.name = "unit"}};
    host = (phx_node_host){.mem = &mem, .job = &job, .member = bed.gateway};
    cr_assert_eq(phx_gateway_open(&gateway, &host, &feed), PH_OK);
}

static void set_up(void)
{
    phx_mem_init(&mem, (ph_allocator){0});
    node_bed_open(&bed);
    sender = phc_registration(bed.node);
    given = feed_number = asked_count = asked_rounds = 0;
    changes = NULL;
}

static void tear_down(void)
{
    phx_gateway_close(&gateway);
    node_bed_close(&bed);
}

TestSuite(node_gateway, .init = set_up, .fini = tear_down);

static void wait_for_questions(void)
{
    const struct timespec wait = {.tv_nsec = (PHX_CLIENT_WAIT_MS + 50) * 1000000L};
    (void)nanosleep(&wait, NULL);
}

Test(node_gateway, a_flood_is_taken_piece_by_piece_and_counted)
{
    open_gateway(WALKERS);
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
    cr_assert(gateway.counts.stale == 0 && gateway.counts.fenced == 0 && gateway.counts.damaged == 0);
}

Test(node_gateway, a_late_state_is_dropped_and_counted)
{
    open_gateway(WALKERS);
    left = 8;
    phx_gateway_hear(&gateway);
    given = 0; /* the feed begins anew: all is late */
    left = 4;
    phx_gateway_hear(&gateway);
    cr_assert_eq(gateway.counts.stale, 4);
    cr_assert_eq(gateway.walkers[0].state.steps, 5);
}

Test(node_gateway, states_of_a_node_that_is_out_are_dropped_and_counted)
{
    open_gateway(WALKERS);
    left = 4;
    phx_gateway_hear(&gateway);
    sender = STRANGER; /* newer states, of a node that does not know that it is out */
    feed_number = 3;
    left = 4;
    phx_gateway_hear(&gateway);
    cr_assert_eq(gateway.counts.fenced, 4);
    cr_assert_eq(gateway.walkers[0].state.steps, 1);
    wait_for_questions();
    phx_gateway_hear(&gateway);
    cr_assert_eq(asked_rounds, 0, "its numbers of changes count no more");
}

/* The gateway had read a map so many versions before this one; the first states come again. */
static void hear_behind(uint32_t versions)
{
    open_gateway(WALKERS);
    left = 8;
    phx_gateway_hear(&gateway);
    cr_assert_gt(gateway.version, versions);
    gateway.version -= versions;
    given = 0;
    left = 4;
    phx_gateway_hear(&gateway);
}

/* An era may end by its last version: the states and lists that were heard are older ones of the same map. */
Test(node_gateway, behind_many_versions_of_a_map_a_late_state_is_late_still)
{
    hear_behind(PHC_VERSIONS_LOST - 1);
    cr_assert_eq(gateway.counts.stale, 4);
    cr_assert_eq(gateway.walkers[0].state.steps, 5);
}

Test(node_gateway, behind_a_map_that_was_lost_what_was_heard_before_counts_no_more)
{
    hear_behind(PHC_VERSIONS_LOST);
    cr_assert_eq(gateway.counts.stale, 0);
    cr_assert_eq(gateway.counts.seen, WALKERS);
    cr_assert_eq(gateway.walkers[0].state.steps, 1);
}

Test(node_gateway, the_owner_of_a_client_that_misses_a_change_is_asked_for_its_list)
{
    open_gateway(WALKERS);
    feed_number = 3;
    left = WALKERS;
    phx_gateway_hear(&gateway);
    cr_assert_eq(asked_rounds, 0, "it may come");
    wait_for_questions();
    phx_gateway_hear(&gateway);
    cr_assert(asked_rounds == 1 && asked_count == 1 && asked[2] == 1);
    cr_assert_eq(asker, phc_registration(bed.gateway));
}

Test(node_gateway, where_more_clients_wait_than_a_round_asks_for_each_has_its_turn)
{
    const phc_feed last = {.ownership = 1, .begun = 1, .number = 3};
    open_gateway(MANY_WALKERS);
    for (uint32_t i = 0; i < MANY_WALKERS; i++) phx_client_hear_last(&gateway.walkers[i].client, &last, 0);
    phx_gateway_hear(&gateway);
    cr_assert(asked_count == QUESTIONS_A_ROUND_MAX && asked[1] == 1 && asked[MANY_WALKERS] == 0);
    wait_for_questions(); /* the first ones wait again: the questions may be lost */
    phx_gateway_hear(&gateway);
    cr_assert_eq(asked_count, QUESTIONS_A_ROUND_MAX);
    for (uint32_t id = 1; id <= MANY_WALKERS; id++) cr_assert(asked[id] > 0, "%u is not asked for", id);
}

Test(node_gateway, a_gateway_that_no_node_hears_asks_none)
{
    const phc_feed last = {.ownership = 1, .begun = 1, .number = 3};
    open_gateway(WALKERS);
    host.member = NULL;
    phx_client_hear_last(&gateway.walkers[0].client, &last, 0);
    phx_gateway_hear(&gateway);
    cr_assert_eq(asked_rounds, 0);
}

Test(node_gateway, changes_that_can_not_be_read_or_are_of_no_member_are_counted)
{
    open_gateway(WALKERS);
    static const unsigned char flaw[PHX_CLIENT_HEAD_BYTES],
        stranger[PHX_CLIENT_HEAD_BYTES] = {PHX_CLIENT_FORMAT, 0xe7, 0x3};
    left = 1;
    changes = flaw;
    phx_gateway_hear(&gateway);
    cr_assert(gateway.counts.damaged == 1 && gateway.counts.fenced == 0);
    left = 1;
    changes = stranger;
    phx_gateway_hear(&gateway);
    cr_assert(gateway.counts.damaged == 1 && gateway.counts.fenced == 1);
}

/* What a call prints. Returns the bytes, with a 0 behind them. */
static size_t print_of(void (*call)(void *of), void *of, char *text, size_t size)
{
    FILE *file = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    cr_assert(file && kept >= 0 && fflush(stdout) == 0 && dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
    call(of);
    cr_assert(fflush(stdout) == 0 && dup2(kept, STDOUT_FILENO) == STDOUT_FILENO && close(kept) == 0);
    rewind(file);
    const size_t read = fread(text, 1, size - 1, file);
    text[read] = '\0';
    (void)fclose(file);
    return read;
}

static void call_hear(void *of)
{
    (void)of;
    left = 2;
    phx_gateway_hear(&gateway);
}

/* As a node of a later version sends: with or without its source where this version has it. */
Test(node_gateway, messages_of_another_format_are_dropped_counted_and_told_once)
{
    char text[512];
    unsigned char later[PHX_CLIENT_HEAD_BYTES] = {PHX_CLIENT_FORMAT + 1};
    open_gateway(WALKERS);
    phx_writer writer = phx_writer_of(later + 1, sizeof later - 1);
    phx_write_number(&writer, 8, sender);
    changes = later;
    cr_assert_gt(print_of(call_hear, NULL, text, sizeof text), 0);
    cr_assert(strstr(text, "\"event\":\"other_format\"") && strstr(text, "\"format\":2,\"reads\":1"), "%s", text);
    cr_assert(strchr(text, '\n') == text + strlen(text) - 1, "one line: %s", text);
    cr_assert_eq(gateway.counts.foreign, 2);
    later[1] ^= 1;
    cr_assert_eq(print_of(call_hear, NULL, text, sizeof text), 0);
    cr_assert_eq(gateway.counts.foreign, 4);
    cr_assert(gateway.counts.damaged == 0 && gateway.counts.fenced == 0);
}

static void call_seen(void *of)
{
    const uint64_t ownership = *(const uint64_t *)of;
    const phx_walker_state state = {.id = 1, .ownership = ownership, .steps = 7}, was = {.ownership = ownership - 1};
    phx_line_seen(&host, &state, &was, 0);
}

/* A reader that has numbers as doubles would take both for 9007199254740992. */
Test(node_gateway, an_ownership_above_2_to_the_53_is_text)
{
    char line[512];
    open_gateway(WALKERS);
    job.shows_events = true;
    uint64_t ownership = (1ull << 53) + 1;
    (void)print_of(call_seen, &ownership, line, sizeof line);
    cr_assert(strstr(line, ",\"ownership\":\"9007199254740993\","), "%s", line);
    cr_assert(strstr(line, ",\"ownership_before\":\"9007199254740992\","), "%s", line);
}
