/*
 * A node's end of the feed to gateways: lists of any length, which go in parts; states with their sender; questions,
 * each list once a tick, and of members alone.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/member/reports.h"
#include "node_bed.h"
#include "tools/node_events.h"
#include "tools/node_feed.h"

enum { WALKERS = 3, ROOM = 16, LONG_LIST = 70000, MESSAGE_IDS_MAX = 32761, STRANGER = 999 };

static node_bed bed;
static phx_mem mem;
static phx_node_job job;
static phx_node_host host;
static phx_node_feed feed;
static ph_consumer consumer;

static struct {
    char subject[64];
    unsigned char *bytes;
    size_t size;
} sent[ROOM];
static uint32_t sent_count;
static const unsigned char *questions; /* a message of them, which comes twice in each poll; NULL = none */
static size_t question_bytes;

static ph_status listen(void *user, phc_traffic traffic, const char *subject)
{
    (void)user;
    cr_assert(traffic == PHC_CHANNEL && strcmp(subject, "pharos-node.unit.lists") == 0);
    return PH_OK;
}

static ph_status take_message(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    (void)user;
    (void)traffic;
    cr_assert(sent_count < ROOM && size <= PHC_MESSAGE_MAX && strlen(subject) < sizeof sent->subject);
    memcpy(sent[sent_count].subject, subject, strlen(subject) + 1);
    sent[sent_count].bytes = malloc(size);
    cr_assert(sent[sent_count].bytes);
    memcpy(sent[sent_count].bytes, bytes, size);
    sent[sent_count++].size = size;
    return PH_OK;
}

static uint32_t poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    (void)user;
    cr_assert_gt(messages_max, 1);
    for (uint32_t i = 0; questions && i < 2; i++) fn(fn_user, "pharos-node.unit.lists", questions, question_bytes);
    return questions ? 2 : 0;
}

/* Whole lists of the batches that wait. */
static uint32_t take_whole_lists(void)
{
    const ph_batch *batch;
    uint32_t count = 0;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) count += (batch->changes[i].flags & PH_CHANGE_FRESH) != 0;
        cr_assert_eq(ph_batch_return(consumer, batch), PH_OK);
    }
    return count;
}

static uint32_t whole_lists_of_a_tick(void)
{
    cr_assert_eq(ph_tick(bed.world, NULL), PH_OK);
    return take_whole_lists();
}

static void forget_messages(void)
{
    while (sent_count > 0) free(sent[--sent_count].bytes);
}

static void set_up(void)
{
    static ph_world_def world_def;
    phx_mem_init(&mem, (ph_allocator){0});
    node_bed_open(&bed);
    world_def = ph_world_def_default();
    job = (phx_node_job){.world_def = &world_def, .walkers = WALKERS, .member = phc_def_default()};
    job.member.name = "unit";
    cr_assert_eq(phx_node_host_open(&host, &mem, &job), PH_OK);
    host.member = bed.node;
    cr_assert_eq(ph_producer_open(bed.world, &host.producer), PH_OK);
    feed.transport = (phc_transport){.listen = listen, .send = take_message, .poll = poll};
    feed.listens = false;
    for (uint64_t id = 1; id < WALKERS; id++) { /* but for the last one */
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = (float)id, .view = 50};
        cr_assert_eq(phc_enter(bed.node, id, &attrs, 0), PH_OK);
    }
    cr_assert_eq(ph_consumer_open(bed.world, 0, &consumer), PH_OK);
    do node_bed_run(&bed);
    while (take_whole_lists() > 0);
    sent_count = 0;
    questions = NULL;
}

static void tear_down(void)
{
    forget_messages();
    phx_node_host_close(&host);
    node_bed_close(&bed);
}

TestSuite(node_feed, .init = set_up, .fini = tear_down);

static void tell(ph_target *targets, uint32_t flags, uint32_t leaves, uint32_t enters)
{
    const ph_change change = {.observer = 1, .flags = flags, .leave_count = leaves, .enter_count = enters};
    const ph_batch batch = {.changes = &change, .change_count = 1, .targets = targets};
    phx_node_feed_tell(&host, &feed, &batch);
}

/* The messages so far, as a gateway shows them to the client of walker 1. Returns changes. */
static uint32_t show_all(phx_client_feed *client)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sent_count; i++) {
        phx_client_change change;
        phx_reader reader = phx_reader_of(sent[i].bytes, sent[i].size);
        cr_assert_str_eq(sent[i].subject, "pharos-node.unit.changes");
        cr_assert_eq(phx_client_get_head(&reader), phc_registration(bed.node));
        for (; phx_client_get_change(&reader, &change); count++) phx_client_take(client, &change, 0);
        cr_assert_not(reader.failed, "message %u", i);
    }
    return count;
}

Test(node_feed, a_list_that_is_longer_than_a_message_comes_in_parts)
{
    ph_target *targets = calloc(LONG_LIST + 1, sizeof *targets);
    phx_client_counts counts = {0};
    phx_client_feed client = {.mem = &mem, .counts = &counts};
    cr_assert(targets);
    for (uint32_t i = 0; i <= LONG_LIST; i++) targets[i].id = 10 + i;
    tell(targets, 0, 0, 1);
    tell(targets, PH_CHANGE_FRESH, 0, LONG_LIST);
    cr_assert_eq(show_all(&client), 1 + (LONG_LIST + MESSAGE_IDS_MAX - 1) / MESSAGE_IDS_MAX);
    cr_assert(client.count == LONG_LIST && client.ids[LONG_LIST - 1] == 10 + LONG_LIST - 1);
    forget_messages();
    tell(targets, 0, LONG_LIST, 1); /* all leave, and one more enters: parts of leaves, and one of both */
    cr_assert_eq(show_all(&client), (LONG_LIST + MESSAGE_IDS_MAX) / MESSAGE_IDS_MAX);
    cr_assert(client.count == 1 && client.ids[0] == 10 + LONG_LIST && counts.wrong == 0);
    cr_assert_not(phx_client_asks(&client, UINT64_MAX / 2));
    phx_client_free(&client);
    free(targets);
}

Test(node_feed, a_lost_part_of_a_list_is_asked_for_once)
{
    ph_target *targets = calloc(LONG_LIST, sizeof *targets);
    phx_client_counts counts = {0};
    phx_client_feed client = {.mem = &mem, .counts = &counts};
    cr_assert(targets);
    for (uint32_t i = 0; i < LONG_LIST; i++) targets[i].id = 10 + i;
    tell(targets, PH_CHANGE_FRESH, 0, LONG_LIST);
    cr_assert_eq(sent_count, 3);
    free(sent[1].bytes);
    sent[1] = sent[2];
    sent_count = 2;
    cr_assert_eq(show_all(&client), 2);
    cr_assert(phx_client_asks(&client, PHX_CLIENT_WAIT_MS), "one is missing");
    forget_messages();
    tell(targets, PH_CHANGE_FRESH, 0, LONG_LIST);
    (void)show_all(&client);
    cr_assert(client.count == LONG_LIST && client.held_count == 0 && counts.wrong == 0);
    cr_assert_not(phx_client_asks(&client, UINT64_MAX / 2));
    phx_client_free(&client);
    free(targets);
}

Test(node_feed, states_of_own_walkers_have_their_sender)
{
    phx_walker_state state;
    phx_node_feed_send(&host, &feed);
    cr_assert_eq(sent_count, 1);
    phx_reader reader = phx_reader_of(sent[0].bytes, sent[0].size);
    cr_assert_str_eq(sent[0].subject, "pharos-node.unit.walkers");
    cr_assert_eq(phx_client_get_head(&reader), phc_registration(bed.node));
    for (uint64_t id = 1; id < WALKERS; id++) {
        cr_assert(phx_client_get_state(&reader, &state) && state.id == id);
        cr_assert_eq(state.ownership, phc_ownership(bed.node, id));
    }
    cr_assert(!phx_client_get_state(&reader, &state) && !reader.failed);
}

/* A double came to the node. Returns the lists that are told anew. */
static uint32_t lists_behind_double(uint64_t id, ph_status status)
{
    const phc_event event = {.kind = PHC_EVENT_DUPLICATE, .status = status, .id = id, .number = 2, .reason = ""};
    cr_assert(phx_report(bed.node, &event));
    phx_node_hear(&host);
    return whole_lists_of_a_tick();
}

Test(node_feed, a_double_that_came_is_told_anew)
{
    cr_assert_eq(lists_behind_double(1, PH_OK), 0, "no gateway hears of it");
    job.feeds = true;
    cr_assert_eq(lists_behind_double(1, PH_OK), 1);
    cr_assert_eq(lists_behind_double(2, PH_PENDING), 0, "it did not come");
    cr_assert(host.counts.duplicates == 3 && host.counts.refused == 0);
}

static void ask(uint64_t source, uint64_t id)
{
    static unsigned char bytes[PHX_CLIENT_HEAD_BYTES + 3 * sizeof(uint64_t)];
    phx_writer writer = phx_writer_of(bytes, sizeof bytes);
    phx_client_put_head(&writer, source);
    phx_client_put_id(&writer, id);
    phx_client_put_id(&writer, WALKERS);      /* it is not own */
    phx_client_put_id(&writer, WALKERS + 99); /* it is no walker */
    questions = bytes;
    question_bytes = sizeof bytes;
    phx_node_feed_hear(&host, &feed);
}

Test(node_feed, a_list_is_told_anew_once_a_tick)
{
    ask(phc_registration(bed.gateway), 1);
    cr_assert(host.counts.resent == 1 && host.counts.doubled == 1 && host.counts.unheard == 0);
    cr_assert_eq(whole_lists_of_a_tick(), 1);
    ask(phc_registration(bed.gateway), 1);
    cr_assert(host.counts.resent == 2 && host.counts.doubled == 2, "in the next tick again");
    cr_assert_eq(whole_lists_of_a_tick(), 1);
}

Test(node_feed, questions_of_another_format_are_counted)
{
    static unsigned char later[PHX_CLIENT_HEAD_BYTES + sizeof(uint64_t)] = {PHX_CLIENT_FORMAT + 1};
    phx_writer writer = phx_writer_of(later + 1, sizeof later - 1);
    phx_write_number(&writer, 8, phc_registration(bed.gateway));
    phx_client_put_id(&writer, 1);
    questions = later;
    question_bytes = sizeof later;
    phx_node_feed_hear(&host, &feed);
    cr_assert(host.counts.foreign > 0 && host.counts.unheard == 0 && host.counts.resent == 0);
    cr_assert_eq(whole_lists_of_a_tick(), 0);
}

Test(node_feed, questions_of_no_member_are_counted)
{
    ask(STRANGER, 1);
    cr_assert(host.counts.resent == 0 && host.counts.unheard == 2);
    ask(0, 1);
    cr_assert(host.counts.resent == 0 && host.counts.unheard == 4);
    ask(phc_registration(bed.gateway), 0);
    cr_assert(host.counts.resent == 0 && host.counts.unheard == 6);
    cr_assert_eq(whole_lists_of_a_tick(), 0);
}
