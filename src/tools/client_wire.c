/*
 * Encoding and decoding of messages to clients; see client_wire.h.
 */
#include "tools/client_wire.h"

enum { WHOLE = 1 };

uint64_t phx_client_id_at(const phx_client_change *change, uint32_t place)
{
    PHX_ASSERT(place < change->leave_count + change->enter_count);
    phx_reader reader = phx_reader_of(change->ids + (size_t)place * sizeof(uint64_t), sizeof(uint64_t));
    return phx_read_number(&reader, sizeof(uint64_t));
}

void phx_client_put_head(phx_writer *writer, uint64_t source)
{
    phx_write_number(writer, 1, PHX_CLIENT_FORMAT);
    phx_write_number(writer, 8, source);
}

void phx_client_put_change(phx_writer *writer, const phx_client_change *change)
{
    phx_write_number(writer, 8, change->observer);
    phx_write_number(writer, 8, change->feed.ownership);
    phx_write_number(writer, 8, change->feed.begun);
    phx_write_number(writer, 8, change->feed.number);
    phx_write_number(writer, 1, change->is_whole ? WHOLE : 0);
    phx_write_number(writer, 4, change->leave_count);
    phx_write_number(writer, 4, change->enter_count);
}

void phx_client_put_id(phx_writer *writer, uint64_t id)
{
    phx_write_number(writer, sizeof id, id);
}

void phx_client_put_state(phx_writer *writer, const phx_walker_state *state)
{
    phx_write_number(writer, 8, state->id);
    phx_write_number(writer, 8, state->ownership);
    phx_write_number(writer, 8, state->steps);
    phx_write_number(writer, 8, state->feed_begun);
    phx_write_number(writer, 8, state->feed_number);
}

uint8_t phx_client_other_format(const void *bytes, size_t size)
{
    phx_reader reader = phx_reader_of(bytes, size);
    const uint8_t format = (uint8_t)phx_read_number(&reader, 1);
    return format == PHX_CLIENT_FORMAT ? 0 : format;
}

uint64_t phx_client_get_head(phx_reader *reader)
{
    const uint64_t format = phx_read_number(reader, 1), source = phx_read_number(reader, 8);
    reader->failed |= format != PHX_CLIENT_FORMAT || source == 0;
    return reader->failed ? 0 : source;
}

/* A whole list, and the first change of a feed, follow an empty list: nothing leaves. */
static bool is_sound(const phx_client_change *change)
{
    const phc_feed *feed = &change->feed;
    const bool follows_nothing = change->is_whole || feed->number == 1;
    if (change->observer == 0 || feed->begun == 0 || feed->begun > feed->ownership || feed->number == 0) return false;
    if (follows_nothing && change->leave_count > 0) return false;
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++)
        if (phx_client_id_at(change, i) == 0) return false;
    return true;
}

bool phx_client_get_change(phx_reader *reader, phx_client_change *change)
{
    if (reader->failed || phx_reader_left(reader) == 0) return false;
    *change = (phx_client_change){.observer = phx_read_number(reader, 8)};
    change->feed.ownership = phx_read_number(reader, 8);
    change->feed.begun = phx_read_number(reader, 8);
    change->feed.number = phx_read_number(reader, 8);
    const uint64_t flags = phx_read_number(reader, 1);
    change->is_whole = flags == WHOLE;
    change->leave_count = (uint32_t)phx_read_number(reader, 4);
    change->enter_count = (uint32_t)phx_read_number(reader, 4);
    const uint64_t ids = (uint64_t)change->leave_count + change->enter_count;
    if (ids > phx_reader_left(reader) / sizeof(uint64_t)) reader->failed = true;
    if (!reader->failed) change->ids = phx_read_bytes(reader, (size_t)ids * sizeof(uint64_t));
    reader->failed = reader->failed || flags > WHOLE || !is_sound(change);
    return !reader->failed;
}

bool phx_client_get_state(phx_reader *reader, phx_walker_state *state)
{
    if (reader->failed || phx_reader_left(reader) == 0) return false;
    *state = (phx_walker_state){.id = phx_read_number(reader, 8)};
    state->ownership = phx_read_number(reader, 8);
    state->steps = phx_read_number(reader, 8);
    state->feed_begun = phx_read_number(reader, 8);
    state->feed_number = phx_read_number(reader, 8);
    reader->failed |= state->id == 0 || state->feed_begun == 0 || state->feed_begun > state->ownership;
    return !reader->failed;
}

bool phx_client_get_id(phx_reader *reader, uint64_t *id)
{
    if (reader->failed || phx_reader_left(reader) == 0) return false;
    *id = phx_read_number(reader, sizeof *id);
    reader->failed |= *id == 0;
    return !reader->failed;
}
