/*
 * Messages as bytes: they come out as they went in, and any cut or damage is found and named.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/wire/sum.h"
#include "cluster/wire/wire.h"

enum { BYTES = 4096, ITEMS = 5 };

static unsigned char bytes[BYTES], damaged[BYTES];
static const phx_wire_head sample = {.format = PHX_FORMAT_MAX,
                                     .kind = PHX_WIRE_CHANNEL,
                                     .source = 3,
                                     .target = 1ull << 40,
                                     .version = 7,
                                     .first = 100,
                                     .ack = 9,
                                     .confirmed = 8};

static size_t make_message(void)
{
    phx_wire_message message;
    unsigned char item[200], state[ITEMS], feed[PHX_WIRE_FEED_BYTES] = {0};
    phx_wire_begin(&message, bytes, sizeof bytes);
    for (uint32_t i = 0; i < ITEMS; i++) {
        state[i] = (unsigned char)i;
        feed[0] = feed[8] = (unsigned char)(i + 1);
        const phx_offer offer = {
            .id = i + 1, .ownership = UINT64_MAX - i, .feeds = feed, .state = state, .state_bytes = i};
        phx_wire_put_offer(item, &offer);
        cr_assert(phx_wire_add(&message, item, PHX_WIRE_OFFER_BYTES + i));
    }
    return phx_wire_end(&message, &sample);
}

static phx_wire_flaw open_bytes(const unsigned char *of, size_t size)
{
    phx_wire_head head;
    phx_wire_items items;
    return phx_wire_open(&head, &items, PHX_FORMATS, of, size);
}

static phx_wire_flaw open_sealed(size_t size)
{
    phx_writer writer = {.at = damaged + size - PHX_SUM_BYTES, .end = damaged + size};
    (void)phx_sum_seal(&writer, damaged);
    return open_bytes(damaged, size);
}

Test(wire, a_message_comes_out_as_it_went_in)
{
    phx_wire_head head;
    phx_wire_items items;
    const size_t size = make_message();
    cr_assert_eq(phx_wire_open(&head, &items, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    cr_assert_eq(head.kind, sample.kind);
    cr_assert_eq(head.source, sample.source);
    cr_assert_eq(head.target, sample.target);
    cr_assert_eq(head.version, sample.version);
    cr_assert_eq(head.first, sample.first);
    cr_assert_eq(head.ack, sample.ack);
    cr_assert_eq(head.confirmed, sample.confirmed);
    cr_assert_eq(head.item_count, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const phx_offer offer = phx_wire_next(&items).offer;
        cr_assert_eq(offer.id, i + 1);
        cr_assert_eq(offer.ownership, UINT64_MAX - i);
        const phx_feed feed = phx_wire_offer_feed(&offer, 0);
        cr_assert(feed.begun == i + 1 && feed.number == i + 1);
        cr_assert_eq(offer.state_bytes, i);
        for (uint32_t k = 0; k < i; k++) cr_assert_eq(offer.state[k], k);
    }
    cr_assert_eq(items.left, 0);
    unsigned char item[200], feed[PHX_WIRE_FEED_BYTES] = {0};
    phx_offer offer = {.id = 1, .ownership = 4, .feeds = feed};
    for (uint32_t begun = 3; begun <= 4; begun++) { /* one that began under this ownership is of no sender */
        feed[0] = (unsigned char)begun;
        phx_wire_put_offer(item, &offer);
        cr_assert_eq(phx_wire_get_offer(&offer, item, PHX_WIRE_OFFER_BYTES), begun == 3);
        offer.feeds = feed;
    }
    memset(feed, 0, sizeof feed);
    memset(feed + 8, 0xff, 8); /* no number is left */
    phx_wire_put_offer(item, &offer);
    cr_assert_not(phx_wire_get_offer(&offer, item, PHX_WIRE_OFFER_BYTES));
}

Test(wire, a_cut_and_a_flipped_bit_are_found)
{
    const size_t size = make_message();
    for (size_t cut = 0; cut < size; cut++) cr_assert_eq(open_bytes(bytes, cut), PHX_WIRE_BAD_SUM);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(damaged, bytes, size);
        damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_eq(open_bytes(damaged, size), PHX_WIRE_BAD_SUM);
    }
}

/* Places of the head's fields, as wire.h has them. */
Test(wire, each_flaw_behind_a_right_sum_has_its_name)
{
    static const struct {
        uint32_t at;
        unsigned char value;
        phx_wire_flaw flaw;
    } cases[] = {
        {0, 0, PHX_WIRE_BAD_FORMAT}, {4, 2, PHX_WIRE_BAD_FORMAT}, {5, 0, PHX_WIRE_BAD_HEAD},
        {5, 3, PHX_WIRE_BAD_HEAD},   {6, 1, PHX_WIRE_BAD_HEAD},   {8, 1, PHX_WIRE_BAD_HEAD},
        {12, 4, PHX_WIRE_BAD_ITEM},  {12, 6, PHX_WIRE_BAD_ITEM},  {15, 255, PHX_WIRE_BAD_ITEM},
        {16, 0, PHX_WIRE_BAD_HEAD},  {29, 0, PHX_WIRE_BAD_HEAD},  {32, 0, PHX_WIRE_BAD_HEAD},
        {36, 1, PHX_WIRE_BAD_HEAD},  {40, 0, PHX_WIRE_BAD_HEAD},  {64, 255, PHX_WIRE_BAD_ITEM},
        {68, 2, PHX_WIRE_BAD_ITEM},  {69, 0, PHX_WIRE_BAD_ITEM},
    };
    const size_t size = make_message();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(damaged, bytes, size);
        damaged[cases[i].at] = cases[i].value;
        cr_assert_eq(open_sealed(size), cases[i].flaw, "byte %u = %u", cases[i].at, cases[i].value);
    }
    memcpy(damaged, bytes, size);
    memset(damaged + 40, 255, 8); /* first + item_count would wrap */
    cr_assert_eq(open_sealed(size), PHX_WIRE_BAD_HEAD);
    memcpy(damaged, bytes, size);
    damaged[5] = PHX_WIRE_HEARTBEAT; /* with a target */
    cr_assert_eq(open_sealed(size), PHX_WIRE_BAD_HEAD);
    memset(damaged + 24, 0, 8); /* with items */
    cr_assert_eq(open_sealed(size), PHX_WIRE_BAD_HEAD);
    memset(damaged + 12, 0, 4); /* with numbers of a channel */
    cr_assert_eq(open_sealed(size), PHX_WIRE_BAD_HEAD);
    memset(damaged + 40, 0, 24); /* with bytes behind it */
    cr_assert_eq(open_sealed(size), PHX_WIRE_BAD_ITEM);
    static const unsigned char large[PHX_WIRE_BYTES_MAX + 1];
    cr_assert_eq(open_bytes(large, sizeof large), PHX_WIRE_BAD_SUM);
}

Test(wire, an_item_that_does_not_fit_is_left_out)
{
    phx_wire_message message;
    static unsigned char item[PHX_WIRE_OFFER_BYTES + 200];
    static const unsigned char state[200], feed[PHX_WIRE_FEED_BYTES];
    const size_t room = PHX_WIRE_HEAD_BYTES + PHX_SUM_BYTES + 2 * (4 + sizeof item);
    const phx_offer offer = {.id = 1, .ownership = 1, .feeds = feed, .state = state, .state_bytes = sizeof state};
    phx_wire_put_offer(item, &offer);
    phx_wire_begin(&message, bytes, room + 3);
    cr_assert(phx_wire_add(&message, item, sizeof item));
    cr_assert(phx_wire_add(&message, item, sizeof item));
    cr_assert_not(phx_wire_add(&message, item, sizeof item));
    const size_t size = phx_wire_end(&message, &sample);
    cr_assert_eq(size, room);
    cr_assert_eq(open_bytes(bytes, size), PHX_WIRE_GOOD);
}
