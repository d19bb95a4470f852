/*
 * Encoding and decoding of broadcasts; see say_wire.h.
 */
#include "cluster/wire/say_wire.h"

#include "base/lengths.h"

/* ---- broadcasts ---- */

uint32_t phx_say_kind_at(const phx_say *say, uint32_t place)
{
    PHX_ASSERT(place < say->kind_count);
    phx_reader reader = phx_reader_of(say->kinds + place * sizeof(uint32_t), sizeof(uint32_t));
    return (uint32_t)phx_read_number(&reader, sizeof(uint32_t));
}

void phx_say_put(unsigned char *item, const phx_say *say, const uint32_t *kinds)
{
    phx_writer writer = phx_writer_of(item, phx_say_bytes(say));
    phx_write_number(&writer, 1, PHX_ITEM_SAY);
    phx_write_number(&writer, 8, say->number);
    phx_write_number(&writer, 8, say->source);
    phx_write_number(&writer, 8, say->ownership);
    phx_write_number(&writer, 8, say->layers);
    phx_write_float(&writer, say->x);
    phx_write_float(&writer, say->y);
    phx_write_float(&writer, say->radius);
    phx_write_number(&writer, 4, say->instance);
    phx_write_number(&writer, 1, say->flags);
    phx_write_number(&writer, 1, say->kind_count);
    for (uint32_t i = 0; i < say->kind_count; i++) phx_write_number(&writer, 4, kinds[i]);
    phx_write_bytes(&writer, say->payload, say->bytes);
    PHX_ASSERT(!writer.failed && phx_writer_left(&writer) == 0);
}

static bool is_sound(const phx_say *say)
{
    const bool from_place = say->source == 0;
    return say->number != 0 && (from_place || say->ownership != 0) && (!from_place || say->ownership == 0) &&
           phx_is_coordinate(say->x) && phx_is_coordinate(say->y) && phx_is_length(say->radius) &&
           (say->flags & ~(uint32_t)PH_BROADCAST_SEEN) == 0 &&
           (say->flags == 0 || (!from_place && phx_is_long(say->radius))) && say->bytes <= PH_PAYLOAD_MAX;
}

bool phx_say_get(phx_say *say, const unsigned char *item, size_t size)
{
    phx_reader reader = phx_reader_of(item, size);
    const uint64_t kind = phx_read_number(&reader, 1);
    say->number = phx_read_number(&reader, 8);
    say->source = phx_read_number(&reader, 8);
    say->ownership = phx_read_number(&reader, 8);
    say->layers = phx_read_number(&reader, 8);
    say->x = phx_read_float(&reader);
    say->y = phx_read_float(&reader);
    say->radius = phx_read_float(&reader);
    say->instance = (uint32_t)phx_read_number(&reader, 4);
    say->flags = (uint32_t)phx_read_number(&reader, 1);
    say->kind_count = (uint32_t)phx_read_number(&reader, 1);
    if (say->kind_count > PH_BROADCAST_KINDS_MAX) return false;
    say->kinds = phx_read_bytes(&reader, say->kind_count * sizeof(uint32_t));
    say->bytes = (uint32_t)phx_reader_left(&reader);
    say->payload = reader.at;
    return !reader.failed && kind == PHX_ITEM_SAY && is_sound(say);
}

/* ---- how far others were heard ---- */

void phx_heard_put(unsigned char *item, uint32_t place, phx_heard heard)
{
    phx_writer writer = phx_writer_of(item + phx_heard_bytes(place), PHX_HEARD_BYTES);
    item[0] = PHX_ITEM_HEARD;
    phx_write_number(&writer, 8, heard.registration);
    phx_write_number(&writer, 8, heard.number);
}

phx_heard phx_heard_at(const unsigned char *item, uint32_t place)
{
    phx_reader reader = phx_reader_of(item + phx_heard_bytes(place), PHX_HEARD_BYTES);
    const uint64_t registration = phx_read_number(&reader, 8);
    return (phx_heard){.registration = registration, .number = phx_read_number(&reader, 8)};
}

bool phx_heard_get(uint32_t *count, const unsigned char *item, size_t size)
{
    uint64_t last = 0;
    if (size <= 1 || item[0] != PHX_ITEM_HEARD || (size - 1) % PHX_HEARD_BYTES != 0) return false;
    *count = (uint32_t)((size - 1) / PHX_HEARD_BYTES);
    for (uint32_t i = 0; i < *count; i++) {
        const phx_heard heard = phx_heard_at(item, i);
        if (heard.registration <= last || heard.number == 0) return false;
        last = heard.registration;
    }
    return true;
}
