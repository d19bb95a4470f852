/*
 * Encoding and decoding of messages; see wire.h.
 */
#include "cluster/wire/wire.h"

#include "cluster/wire/bytes.h"
#include "cluster/wire/sum.h"

enum { MAGIC = 0x57434850 /* "PHCW" */, ITEM_HEAD_BYTES = 4 };

static size_t feeds_bytes(const phx_offer *offer)
{
    return (offer->follower_count + 1) * (size_t)PHX_WIRE_FEED_BYTES;
}

void phx_wire_put_offer(unsigned char *bytes, const phx_offer *offer)
{
    phx_writer writer = phx_writer_of(bytes, phx_wire_offer_bytes(offer->follower_count, offer->state_bytes));
    phx_write_number(&writer, 1, PHX_ITEM_OFFER);
    phx_write_number(&writer, 8, offer->id);
    phx_write_number(&writer, 8, offer->ownership);
    phx_write_number(&writer, 4, offer->follower_count);
    phx_write_bytes(&writer, offer->followers, offer->follower_count * sizeof(uint64_t));
    phx_write_bytes(&writer, offer->feeds, feeds_bytes(offer));
    phx_write_bytes(&writer, offer->state, offer->state_bytes);
    PHX_ASSERT(!writer.failed);
}

static uint64_t follower_at(const unsigned char *followers, uint32_t place)
{
    phx_reader reader = phx_reader_of(followers + place * sizeof(uint64_t), sizeof(uint64_t));
    return phx_read_number(&reader, sizeof(uint64_t));
}

uint64_t phx_wire_offer_id(const phx_offer *offer, uint32_t place)
{
    PHX_ASSERT(place <= offer->follower_count);
    return place == offer->follower_count ? offer->id : follower_at(offer->followers, place);
}

phx_feed phx_wire_offer_feed(const phx_offer *offer, uint32_t place)
{
    PHX_ASSERT(place <= offer->follower_count && offer->feeds);
    phx_reader reader = phx_reader_of(offer->feeds + (size_t)place * PHX_WIRE_FEED_BYTES, PHX_WIRE_FEED_BYTES);
    phx_feed feed = {.begun = phx_read_number(&reader, 8)};
    feed.number = phx_read_number(&reader, 8);
    return feed;
}

bool phx_wire_is_void(const phx_offer *offer, uint32_t place)
{
    return phx_wire_offer_feed(offer, place).begun == 0;
}

void phx_wire_void(unsigned char *bytes, size_t size, uint64_t id)
{
    phx_offer offer;
    const bool good = phx_wire_get_offer(&offer, bytes, size);
    PHX_ASSERT(good);
    for (uint32_t i = 0; good && i <= offer.follower_count; i++)
        if (phx_wire_offer_id(&offer, i) == id)
            memset(bytes + (offer.feeds - bytes) + (size_t)i * PHX_WIRE_FEED_BYTES, 0, PHX_WIRE_FEED_BYTES);
}

/* A feed began under an earlier ownership, and has numbers left. */
static bool feeds_are_sound(const phx_offer *offer)
{
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const phx_feed feed = phx_wire_offer_feed(offer, i);
        if (feed.begun >= offer->ownership || feed.number == UINT64_MAX) return false;
    }
    return true;
}

/* Are they ids that differ from each other, and from the entity's? */
static bool followers_differ(const phx_offer *offer)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < offer->follower_count; i++) {
        const uint64_t id = follower_at(offer->followers, i);
        if (id <= last || id == offer->id) return false;
        last = id;
    }
    return true;
}

bool phx_wire_get_offer(phx_offer *offer, const unsigned char *bytes, size_t size)
{
    phx_reader reader = phx_reader_of(bytes, size);
    const uint64_t kind = phx_read_number(&reader, 1);
    offer->id = phx_read_number(&reader, 8);
    offer->ownership = phx_read_number(&reader, 8);
    offer->follower_count = (uint32_t)phx_read_number(&reader, 4);
    if (offer->follower_count > PHX_WIRE_FOLLOWERS_MAX) return false;
    offer->followers = phx_read_bytes(&reader, offer->follower_count * sizeof(uint64_t));
    offer->feeds = phx_read_bytes(&reader, feeds_bytes(offer));
    offer->state_bytes = (uint32_t)phx_reader_left(&reader);
    offer->state = reader.at;
    return !reader.failed && kind == PHX_ITEM_OFFER && offer->id != 0 &&
           offer->state_bytes <= PHX_WIRE_STATE_BYTES_MAX && followers_differ(offer) && feeds_are_sound(offer);
}

bool phx_wire_get_item(phx_wire_item *item, const unsigned char *bytes, size_t size)
{
    *item = (phx_wire_item){.bytes = bytes, .size = (uint32_t)size, .kind = size > 0 ? bytes[0] : 0};
    switch (item->kind) {
    case PHX_ITEM_OFFER:
        return phx_wire_get_offer(&item->offer, bytes, size);
    case PHX_ITEM_SAY:
        return phx_say_get(&item->say, bytes, size);
    case PHX_ITEM_HEARD:
        return phx_heard_get(&item->heard_count, bytes, size);
    default:
        return false;
    }
}

void phx_wire_begin(phx_wire_message *message, void *bytes, size_t size)
{
    PHX_ASSERT(size >= PHX_WIRE_HEAD_BYTES + PHX_SUM_BYTES);
    size = size < PHX_WIRE_BYTES_MAX ? size : PHX_WIRE_BYTES_MAX;
    *message = (phx_wire_message){.bytes = bytes, .size = size - PHX_SUM_BYTES, .used = PHX_WIRE_HEAD_BYTES};
}

bool phx_wire_add(phx_wire_message *message, const unsigned char *item, uint32_t size)
{
    phx_writer writer = phx_writer_of(message->bytes + message->used, message->size - message->used);
    phx_write_number(&writer, ITEM_HEAD_BYTES, size);
    phx_write_bytes(&writer, item, size);
    if (writer.failed) return false;
    message->used += ITEM_HEAD_BYTES + (size_t)size;
    message->item_count++;
    return true;
}

bool phx_wire_add_silent(phx_wire_message *message, uint64_t registration)
{
    phx_writer writer = phx_writer_of(message->bytes + message->used, message->size - message->used);
    phx_write_number(&writer, sizeof registration, registration);
    if (writer.failed) return false;
    message->used += sizeof registration;
    message->item_count++;
    return true;
}

size_t phx_wire_end(phx_wire_message *message, const phx_wire_head *head)
{
    phx_writer writer = phx_writer_of(message->bytes, PHX_WIRE_HEAD_BYTES);
    PHX_ASSERT(head->format != 0);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 1, head->format);
    phx_write_number(&writer, 1, head->kind);
    phx_write_number(&writer, 2, 0);
    phx_write_number(&writer, 4, message->used + PHX_SUM_BYTES);
    phx_write_number(&writer, 4, message->item_count);
    phx_write_number(&writer, 8, head->source);
    phx_write_number(&writer, 8, head->target);
    phx_write_number(&writer, 4, head->version);
    phx_write_number(&writer, 4, 0);
    phx_write_number(&writer, 8, head->first);
    phx_write_number(&writer, 8, head->ack);
    phx_write_number(&writer, 8, head->confirmed);
    PHX_ASSERT(!writer.failed && phx_writer_left(&writer) == 0);
    writer = (phx_writer){.at = message->bytes + message->used, .end = message->bytes + message->size + PHX_SUM_BYTES};
    return phx_sum_seal(&writer, message->bytes);
}

static phx_wire_flaw read_head(phx_wire_head *head, phx_formats formats, phx_reader *reader, size_t size)
{
    const bool is_ours = phx_read_number(reader, 4) == MAGIC;
    head->format = (uint8_t)phx_read_number(reader, 1);
    if (!is_ours || !phx_formats_have(formats, head->format)) return PHX_WIRE_BAD_FORMAT;
    const uint64_t kind = phx_read_number(reader, 1), no_flags = phx_read_number(reader, 2);
    const uint64_t bytes = phx_read_number(reader, 4);
    head->kind = kind == PHX_WIRE_CHANNEL ? PHX_WIRE_CHANNEL : PHX_WIRE_HEARTBEAT;
    head->item_count = (uint32_t)phx_read_number(reader, 4);
    head->source = phx_read_number(reader, 8);
    head->target = phx_read_number(reader, 8);
    head->version = (uint32_t)phx_read_number(reader, 4);
    const uint64_t reserved = phx_read_number(reader, 4);
    head->first = phx_read_number(reader, 8);
    head->ack = phx_read_number(reader, 8);
    head->confirmed = phx_read_number(reader, 8);
    const bool channel = head->kind == PHX_WIRE_CHANNEL;
    const bool is_known = kind == PHX_WIRE_CHANNEL || kind == PHX_WIRE_HEARTBEAT;
    if (reader->failed || !is_known || no_flags != 0 || reserved != 0 || bytes != size || head->source == 0 ||
        head->version == 0 || channel != (head->target != 0))
        return PHX_WIRE_BAD_HEAD;
    if (!channel && (head->first | head->ack | head->confirmed) != 0) return PHX_WIRE_BAD_HEAD;
    /* sequences begin at 1, and no run of them ends beyond the numbers */
    if (channel && (head->first == 0 || head->first > UINT64_MAX - head->item_count)) return PHX_WIRE_BAD_HEAD;
    return PHX_WIRE_GOOD;
}

/* Items of a channel up to the end. */
static bool items_are_good(phx_reader *reader, uint32_t count)
{
    phx_wire_item item;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t item_bytes = phx_read_number(reader, ITEM_HEAD_BYTES);
        const unsigned char *bytes = phx_read_bytes(reader, item_bytes);
        if (!bytes || !phx_wire_get_item(&item, bytes, item_bytes)) return false;
    }
    return phx_reader_left(reader) == 0;
}

/* Items of a heartbeat. */
static bool silent_are_good(phx_reader *reader, uint32_t count)
{
    if (phx_reader_left(reader) != (uint64_t)count * sizeof(uint64_t)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (phx_read_number(reader, sizeof(uint64_t)) == 0) return false;
    return true;
}

phx_wire_flaw phx_wire_open(phx_wire_head *head, phx_wire_items *items, phx_formats formats, const void *bytes,
                            size_t size)
{
    phx_reader reader;
    if (size > PHX_WIRE_BYTES_MAX || !phx_sum_open(&reader, bytes, size)) return PHX_WIRE_BAD_SUM;
    const phx_wire_flaw flaw = read_head(head, formats, &reader, size);
    if (flaw != PHX_WIRE_GOOD) return flaw;
    *items = (phx_wire_items){.at = reader.at, .left = head->item_count};
    const bool good = head->kind == PHX_WIRE_CHANNEL ? items_are_good(&reader, head->item_count)
                                                     : silent_are_good(&reader, head->item_count);
    return good ? PHX_WIRE_GOOD : PHX_WIRE_BAD_ITEM;
}

uint64_t phx_wire_next_silent(phx_wire_items *items)
{
    PHX_ASSERT(items->left > 0);
    phx_reader reader = phx_reader_of(items->at, sizeof(uint64_t));
    items->at += sizeof(uint64_t);
    items->left--;
    return phx_read_number(&reader, sizeof(uint64_t));
}

phx_wire_item phx_wire_next(phx_wire_items *items)
{
    PHX_ASSERT(items->left > 0);
    phx_reader reader = phx_reader_of(items->at, ITEM_HEAD_BYTES);
    const uint64_t bytes = phx_read_number(&reader, ITEM_HEAD_BYTES);
    phx_wire_item item;
    const bool good = phx_wire_get_item(&item, reader.at, bytes);
    PHX_ASSERT(good);
    (void)good;
    items->at = reader.at + bytes;
    items->left--;
    return item;
}
