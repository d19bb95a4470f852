/*
 * A gateway's part for the client of one observer: changes of two nodes that come in any order, doubled, or not at all;
 * other feeds; whole lists; want of memory. And messages to clients as bytes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "support/fail_alloc.h"
#include "tools/client_feed.h"

enum { FEED = 1ull << 32, OBSERVER = 7, NODE = 5 };

static fail_alloc memory;
static phx_mem mem;
static phx_client_counts counts;
static phx_client_feed client;

static void set_up(void)
{
    memory = (fail_alloc){0};
    counts = (phx_client_counts){0};
    phx_mem_init(&mem, fail_alloc_hooks(&memory));
    client = (phx_client_feed){.mem = &mem, .counts = &counts};
}

static void tear_down(void)
{
    phx_client_free(&client);
    if (!fail_alloc_clean(&memory)) abort();
}

TestSuite(client_feed, .init = set_up, .fini = tear_down);

typedef struct told {
    uint64_t begun, number;
    bool is_whole;
    uint32_t leave_count, enter_count;
    uint64_t ids[4];
} told;

static size_t encode(unsigned char *bytes, size_t size, const told *of)
{
    phx_writer writer = phx_writer_of(bytes, size);
    phx_client_put_head(&writer, NODE);
    phx_client_put_change(
        &writer, &(phx_client_change){
                     .observer = OBSERVER,
                     .feed = {.ownership = of->begun + of->number / 4, .begun = of->begun, .number = of->number},
                     .is_whole = of->is_whole,
                     .leave_count = of->leave_count,
                     .enter_count = of->enter_count});
    for (uint32_t i = 0; i < of->leave_count + of->enter_count; i++) phx_client_put_id(&writer, of->ids[i]);
    cr_assert_not(writer.failed);
    return size - phx_writer_left(&writer);
}

static void hear(uint64_t now_ms, told of)
{
    unsigned char bytes[200];
    phx_client_change change;
    phx_reader reader = phx_reader_of(bytes, encode(bytes, sizeof bytes, &of));
    cr_assert_eq(phx_client_get_head(&reader), NODE);
    cr_assert(phx_client_get_change(&reader, &change));
    phx_client_take(&client, &change, now_ms);
    memset(bytes, 0, sizeof bytes); /* a held one is a copy */
}

/* ids: up to the first 0. */
static void expect_list(const uint64_t ids[4])
{
    uint32_t count = 0;
    while (count < 4 && ids[count] != 0) count++;
    cr_assert_eq(client.count, count, "%u ids", client.count);
    for (uint32_t i = 0; i < count; i++) cr_assert_eq(client.ids[i], ids[i]);
    cr_assert_eq(counts.wrong, 0);
}
#define LIST(...) expect_list((const uint64_t[4]){__VA_ARGS__})

Test(client_feed, a_change_that_comes_too_early_is_held_until_the_one_before_it)
{
    hear(0, (told){FEED, 1, false, 0, 2, {4, 2}});
    LIST(2, 4);
    hear(10, (told){FEED, 4, false, 1, 0, {9}}); /* the new owner's, before the last two of the old one */
    hear(10, (told){FEED, 3, false, 1, 1, {2, 3}});
    hear(10, (told){FEED, 4, false, 1, 0, {9}});
    LIST(2, 4);
    cr_assert_eq(counts.held, 2);
    hear(20, (told){FEED, 2, false, 0, 1, {9}});
    LIST(3, 4);
    cr_assert(client.held_count == 0 && counts.shown == 4 && counts.whole == 1);
    hear(21, (told){FEED, 2, false, 0, 1, {9}});
    cr_assert_eq(counts.repeated, 1);
    cr_assert_not(phx_client_asks(&client, 1000), "nothing is missing");
}

Test(client_feed, where_a_change_stays_away_the_owner_is_asked_for_the_whole_list)
{
    hear(0, (told){FEED, 1, false, 0, 1, {1}});
    hear(100, (told){FEED, 3, false, 0, 1, {3}});
    cr_assert_not(phx_client_asks(&client, 100 + PHX_CLIENT_WAIT_MS - 1));
    cr_assert(phx_client_asks(&client, 100 + PHX_CLIENT_WAIT_MS));
    cr_assert_not(phx_client_asks(&client, 101 + PHX_CLIENT_WAIT_MS));
    cr_assert(phx_client_asks(&client, 100 + 2 * PHX_CLIENT_WAIT_MS), "the question may be lost");
    hear(700, (told){FEED, 5, false, 1, 0, {3}}); /* behind the whole list, and before it */
    hear(700, (told){FEED, 4, true, 0, 3, {1, 2, 3}});
    LIST(1, 2);
    cr_assert(client.held_count == 0 && counts.whole == 2);
    cr_assert_not(phx_client_asks(&client, 5000));
}

Test(client_feed, a_last_change_that_is_lost_is_heard_of_by_a_state)
{
    hear(0, (told){FEED, 1, false, 0, 1, {1}});
    phx_client_hear_last(&client, &(phc_feed){.ownership = FEED, .begun = FEED, .number = 1}, 50);
    cr_assert_not(phx_client_asks(&client, 1000));
    for (uint64_t ms = 1000; ms < 1000 + PHX_CLIENT_WAIT_MS; ms += 50) {
        phx_client_hear_last(&client, &(phc_feed){.ownership = FEED, .begun = FEED, .number = 2}, ms);
        cr_assert_not(phx_client_asks(&client, ms));
    }
    cr_assert(phx_client_asks(&client, 1000 + PHX_CLIENT_WAIT_MS));
    hear(1300, (told){FEED, 3, true, 0, 0, {0}});
    LIST(0);
    cr_assert_not(phx_client_asks(&client, 5000));
}

Test(client_feed, another_feed_takes_the_place_of_the_old_one)
{
    hear(0, (told){FEED, 1, false, 0, 2, {1, 2}});
    hear(0, (told){2 * FEED, 2, false, 1, 0, {1}}); /* the number fits, the feed does not */
    LIST(1, 2);
    hear(0, (told){2 * FEED, 1, false, 0, 1, {1}});
    LIST(0);
    cr_assert_eq(counts.shown, 3);
    hear(0, (told){FEED, 2, false, 0, 1, {8}}); /* of a node that is out, and does not know it */
    cr_assert_eq(counts.repeated, 1);
    hear(0, (told){2 * FEED, 3, false, 0, 1, {6}});
    phx_client_hear_last(&client, &(phc_feed){.ownership = 3 * FEED, .begun = 3 * FEED}, 0);
    LIST(0);
    hear(0, (told){3 * FEED, 1, false, 0, 1, {5}});
    LIST(5);
}

Test(client_feed, what_there_is_no_room_for_is_as_lost)
{
    hear(0, (told){FEED, 1, false, 0, 1, {1}});
    for (uint64_t number = 3; number < 3 + 2 * PHX_CLIENT_HELD_MAX; number++)
        hear(0, (told){FEED, number, false, 0, 1, {number}});
    cr_assert_eq(client.held_count, PHX_CLIENT_HELD_MAX);
    hear(0, (told){FEED, 2, false, 0, 1, {2}});
    cr_assert_eq(client.shown.number, 2 + PHX_CLIENT_HELD_MAX);
    cr_assert(phx_client_asks(&client, PHX_CLIENT_WAIT_MS), "the others are missing");
    hear(0, (told){FEED, 50, true, 0, 1, {1}});
    LIST(1);
    fail_alloc_order(&memory, 1, true);
    hear(0, (told){FEED, 52, false, 0, 1, {2}});
    cr_assert_eq(client.held_count, 0);
    fail_alloc_order(&memory, 0, false);
    cr_assert(phx_client_asks(&client, PHX_CLIENT_WAIT_MS));
}

Test(client_feed, a_wrong_change_is_counted)
{
    hear(0, (told){FEED, 1, false, 0, 2, {1, 2}});
    hear(0, (told){FEED, 2, false, 1, 1, {3, 2}});
    cr_assert(counts.wrong == 2 && client.count == 2);
}

Test(client_wire, bytes_that_can_not_be_are_no_change)
{
    static const told good = {FEED, 2, false, 1, 1, {1, 2}}, bad[] = {{0, 2, false, 0, 1, {1}},
                                                                      {FEED, 0, false, 0, 1, {1}},
                                                                      {FEED, 1, false, 1, 0, {1}},
                                                                      {FEED, 2, true, 1, 0, {1}},
                                                                      {FEED, 2, false, 0, 1, {0}}};
    unsigned char bytes[200];
    phx_client_change change;
    const size_t size = encode(bytes, sizeof bytes, &good);
    for (size_t cut = 0; cut < size; cut++) {
        phx_reader reader = phx_reader_of(bytes, cut);
        if (phx_client_get_head(&reader) != 0) cr_assert_not(phx_client_get_change(&reader, &change));
        cr_assert_eq(reader.failed, cut != PHX_CLIENT_HEAD_BYTES, "%zu bytes", cut);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        phx_reader reader = phx_reader_of(bytes, encode(bytes, sizeof bytes, &bad[i]));
        cr_assert_eq(phx_client_get_head(&reader), NODE);
        cr_assert_not(phx_client_get_change(&reader, &change), "%zu", i);
        cr_assert(reader.failed);
    }
    memset(bytes + 1, 0, 8);
    phx_reader reader = phx_reader_of(bytes, size);
    cr_assert_eq(phx_client_get_head(&reader), 0);
    cr_assert_not(phx_client_get_change(&reader, &change));
}

/* The first byte says the format, whatever is behind it. */
Test(client_wire, a_message_of_another_format_is_told_from_a_flaw)
{
    static const told good = {FEED, 2, false, 1, 1, {1, 2}};
    unsigned char bytes[200];
    const size_t size = encode(bytes, sizeof bytes, &good);
    cr_assert_eq(bytes[0], 1, "the format of all versions until now");
    cr_assert_eq(phx_client_other_format(bytes, size), 0);
    cr_assert_eq(phx_client_other_format(bytes, 0), 0);
    bytes[0] = 0;
    cr_assert_eq(phx_client_other_format(bytes, size), 0, "no version has it");
    bytes[0] = PHX_CLIENT_FORMAT + 1;
    cr_assert_eq(phx_client_other_format(bytes, 1), PHX_CLIENT_FORMAT + 1);
    phx_reader reader = phx_reader_of(bytes, size);
    cr_assert(phx_client_get_head(&reader) == 0 && reader.failed);
}

Test(client_feed, what_a_lost_map_had_told_does_not_stand_above_the_map_that_is_adopted)
{
    hear(0, (told){9 * FEED, 1, false, 0, 2, {1, 2}}); /* of a map that was lost with its node */
    hear(0, (told){9 * FEED, 3, false, 0, 1, {7}});
    phx_client_forget(&client);
    LIST(1, 2);
    cr_assert(client.held_count == 0 && !phx_client_asks(&client, 1000));
    hear(1000, (told){FEED, 5, false, 0, 1, {3}}); /* of the owner, which has gone on with the earlier feed */
    LIST(1, 2);
    cr_assert(phx_client_asks(&client, 1000 + PHX_CLIENT_WAIT_MS));
    hear(1300, (told){FEED, 6, true, 0, 2, {3, 4}});
    LIST(3, 4);
    cr_assert_eq(counts.repeated, 0);
}
