/*
 * Encoding and decoding of halos; see halo_wire.h.
 */
#include "cluster/halo/halo_wire.h"

#include "base/lengths.h"
#include "cluster/map/cluster_map.h"
#include "cluster/wire/sum.h"

enum { MAGIC = 0x48434850 /* "PHCH" */, FLAG_GLOBAL = 1, FLAG_VEILED = 2, FLAG_READY = 4, FLAGS = 7 };

/* ---- writing ---- */

void phx_halo_put_set(unsigned char *bytes, const ph_attrs *attrs)
{
    phx_writer writer = phx_writer_of(bytes, PHX_HALO_SET_BYTES);
    phx_write_number(&writer, 8, attrs->layers);
    phx_write_number(&writer, 8, attrs->sees);
    phx_write_float(&writer, attrs->view);
    phx_write_float(&writer, attrs->margin);
    phx_write_float(&writer, attrs->reach);
    phx_write_float(&writer, attrs->visible);
    phx_write_number(&writer, 4, attrs->instance);
    phx_write_number(&writer, 2, attrs->kind);
    phx_write_number(&writer, 1, attrs->stealth);
    phx_write_number(&writer, 1, attrs->detect);
    phx_write_number(&writer, 1, attrs->priority);
    phx_write_number(&writer, 1,
                     (attrs->global ? FLAG_GLOBAL : 0u) | (attrs->veiled ? FLAG_VEILED : 0u) |
                         (attrs->ready ? FLAG_READY : 0u));
    phx_write_number(&writer, 2, 0);
    PHX_ASSERT(!writer.failed && writer.at == writer.end);
}

void phx_halo_put_copy(unsigned char *bytes, const phx_halo_copy *copy, uint32_t set)
{
    phx_writer writer = phx_writer_of(bytes, PHX_HALO_COPY_BYTES);
    phx_write_number(&writer, 8, copy->id);
    phx_write_number(&writer, 8, copy->attrs.user_data);
    phx_write_number(&writer, 4, copy->stay);
    phx_write_number(&writer, 2, set);
    phx_write_number(&writer, 1, copy->turn);
    phx_write_number(&writer, 1, copy->sending);
    phx_write_float(&writer, copy->attrs.x);
    phx_write_float(&writer, copy->attrs.y);
    phx_write_float(&writer, copy->attrs.z);
    PHX_ASSERT(!writer.failed && writer.at == writer.end);
}

void phx_halo_put_forward(unsigned char *bytes, const phx_halo_forward *forward)
{
    phx_writer writer = phx_writer_of(bytes, PHX_HALO_FORWARD_BYTES);
    phx_write_number(&writer, 4, forward->copy);
    phx_write_number(&writer, 8, forward->source);
    phx_write_number(&writer, 8, forward->tick);
    PHX_ASSERT(!writer.failed && writer.at == writer.end);
}

void phx_halo_put_gone(unsigned char *bytes, phx_halo_gone gone)
{
    phx_writer writer = phx_writer_of(bytes, PHX_HALO_GONE_BYTES);
    phx_write_number(&writer, 8, gone.id);
    phx_write_number(&writer, 4, gone.stay);
}

void phx_halo_put_pin(phx_writer *writer, uint32_t place, uint64_t id)
{
    phx_write_number(writer, 2, place);
    phx_write_number(writer, 8, id);
}

/* Bytes between head and sum. */
static uint64_t body_bytes(const phx_halo_head *head)
{
    return (uint64_t)head->sets * PHX_HALO_SET_BYTES + (uint64_t)head->copies * PHX_HALO_COPY_BYTES +
           (uint64_t)head->forwards * PHX_HALO_FORWARD_BYTES + (uint64_t)head->gone * PHX_HALO_GONE_BYTES +
           (uint64_t)head->pins * PHX_HALO_PIN_BYTES + (uint64_t)head->needs * PHX_HALO_NEED_BYTES;
}

size_t phx_halo_bytes(const phx_halo_head *head)
{
    return (size_t)(PHX_HALO_HEAD_BYTES + body_bytes(head) + PHX_SUM_BYTES);
}

size_t phx_halo_seal(unsigned char *bytes, const phx_halo_head *head)
{
    const size_t size = phx_halo_bytes(head);
    phx_writer writer = phx_writer_of(bytes, PHX_HALO_HEAD_BYTES);
    PHX_ASSERT(head->format != 0);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 1, head->format);
    phx_write_number(&writer, 1, head->last);
    phx_write_number(&writer, 2, head->part);
    phx_write_number(&writer, 4, size);
    phx_write_number(&writer, 4, head->version);
    phx_write_number(&writer, 8, head->source);
    phx_write_number(&writer, 8, head->target);
    phx_write_number(&writer, 8, head->tick);
    phx_write_number(&writer, 8, head->echo);
    phx_write_number(&writer, 8, head->pins_since);
    phx_write_number(&writer, 8, head->pins_echo);
    phx_write_number(&writer, 4, head->sets);
    phx_write_number(&writer, 4, head->copies);
    phx_write_number(&writer, 4, head->forwards);
    phx_write_number(&writer, 4, head->gone);
    phx_write_number(&writer, 4, head->pins);
    phx_write_number(&writer, 4, head->needs);
    phx_write_number(&writer, 4, head->heard_version);
    phx_write_number(&writer, 4, head->settled_version);
    PHX_ASSERT(!writer.failed && writer.at == writer.end);
    writer = (phx_writer){.at = bytes + size - PHX_SUM_BYTES, .end = bytes + size};
    return phx_sum_seal(&writer, bytes);
}

/* ---- reading ---- */

static phx_wire_flaw read_head(phx_halo_head *head, phx_formats formats, phx_reader *reader, size_t size)
{
    const bool is_ours = phx_read_number(reader, 4) == MAGIC;
    head->format = (uint8_t)phx_read_number(reader, 1);
    if (!is_ours || !phx_formats_have(formats, head->format)) return PHX_WIRE_BAD_FORMAT;
    const uint64_t last = phx_read_number(reader, 1);
    head->last = last != 0;
    head->part = (uint32_t)phx_read_number(reader, 2);
    const uint64_t bytes = phx_read_number(reader, 4);
    head->version = (uint32_t)phx_read_number(reader, 4);
    head->source = phx_read_number(reader, 8);
    head->target = phx_read_number(reader, 8);
    head->tick = phx_read_number(reader, 8);
    head->echo = phx_read_number(reader, 8);
    head->pins_since = phx_read_number(reader, 8);
    head->pins_echo = phx_read_number(reader, 8);
    head->sets = (uint32_t)phx_read_number(reader, 4);
    head->copies = (uint32_t)phx_read_number(reader, 4);
    head->forwards = (uint32_t)phx_read_number(reader, 4);
    head->gone = (uint32_t)phx_read_number(reader, 4);
    head->pins = (uint32_t)phx_read_number(reader, 4);
    head->needs = (uint32_t)phx_read_number(reader, 4);
    head->heard_version = (uint32_t)phx_read_number(reader, 4);
    head->settled_version = (uint32_t)phx_read_number(reader, 4);
    if (reader->failed || last > 1 || bytes != size || head->version == 0 || head->source == 0 ||
        head->heard_version > head->version || head->settled_version > head->version || head->target == 0 ||
        head->tick == 0 || head->pins_since > head->tick || head->pins_echo > head->echo ||
        body_bytes(head) != phx_reader_left(reader))
        return PHX_WIRE_BAD_HEAD;
    return PHX_WIRE_GOOD;
}

static ph_attrs set_of(const unsigned char *bytes, bool *sound)
{
    phx_reader reader = phx_reader_of(bytes, PHX_HALO_SET_BYTES);
    ph_attrs attrs = {.given = PH_GIVEN_ALL & ~(PH_CAP | PH_CONSUMER), .remote = true};
    attrs.layers = phx_read_number(&reader, 8);
    attrs.sees = phx_read_number(&reader, 8);
    attrs.view = phx_read_float(&reader);
    attrs.margin = phx_read_float(&reader);
    attrs.reach = phx_read_float(&reader);
    attrs.visible = phx_read_float(&reader);
    attrs.instance = (uint32_t)phx_read_number(&reader, 4);
    attrs.kind = (uint32_t)phx_read_number(&reader, 2);
    attrs.stealth = (uint8_t)phx_read_number(&reader, 1);
    attrs.detect = (uint8_t)phx_read_number(&reader, 1);
    attrs.priority = (uint8_t)phx_read_number(&reader, 1);
    const uint64_t flags = phx_read_number(&reader, 1), reserved = phx_read_number(&reader, 2);
    attrs.global = flags & FLAG_GLOBAL;
    attrs.veiled = (flags & FLAG_VEILED) != 0;
    attrs.ready = (flags & FLAG_READY) != 0;
    *sound = flags <= FLAGS && reserved == 0 && phx_is_length(attrs.view) && phx_is_length(attrs.margin) &&
             phx_is_length(attrs.reach) && phx_is_length(attrs.visible);
    return attrs;
}

/* The copy without its set's attributes; *sending: as it is written. */
static phx_halo_copy place_of(const unsigned char *bytes, uint32_t *set, uint32_t *sending)
{
    phx_reader reader = phx_reader_of(bytes, PHX_HALO_COPY_BYTES);
    phx_halo_copy copy = {.id = phx_read_number(&reader, 8)};
    copy.attrs.user_data = phx_read_number(&reader, 8);
    copy.stay = (uint32_t)phx_read_number(&reader, 4);
    *set = (uint32_t)phx_read_number(&reader, 2);
    copy.turn = (uint8_t)phx_read_number(&reader, 1);
    *sending = (uint32_t)phx_read_number(&reader, 1);
    copy.sending = *sending != 0;
    copy.attrs.x = phx_read_float(&reader);
    copy.attrs.y = phx_read_float(&reader);
    copy.attrs.z = phx_read_float(&reader);
    return copy;
}

phx_halo_copy phx_halo_copy_at(const phx_halo_parts *parts, uint32_t place)
{
    uint32_t set, sending;
    bool sound;
    phx_halo_copy copy = place_of(parts->copies + (size_t)place * PHX_HALO_COPY_BYTES, &set, &sending);
    const ph_attrs attrs = set_of(parts->sets + (size_t)set * PHX_HALO_SET_BYTES, &sound);
    const ph_attrs at = copy.attrs;
    copy.attrs = attrs;
    copy.attrs.user_data = at.user_data;
    copy.attrs.x = at.x;
    copy.attrs.y = at.y;
    copy.attrs.z = at.z;
    return copy;
}

phx_halo_forward phx_halo_forward_at(const phx_halo_parts *parts, uint32_t place)
{
    phx_reader reader = phx_reader_of(parts->forwards + (size_t)place * PHX_HALO_FORWARD_BYTES, PHX_HALO_FORWARD_BYTES);
    phx_halo_forward forward = {.copy = (uint32_t)phx_read_number(&reader, 4)};
    forward.source = phx_read_number(&reader, 8);
    forward.tick = phx_read_number(&reader, 8);
    return forward;
}

phx_halo_gone phx_halo_gone_at(const phx_halo_parts *parts, uint32_t place)
{
    phx_reader reader = phx_reader_of(parts->gone + (size_t)place * PHX_HALO_GONE_BYTES, PHX_HALO_GONE_BYTES);
    phx_halo_gone gone = {.id = phx_read_number(&reader, 8)};
    gone.stay = (uint32_t)phx_read_number(&reader, 4);
    return gone;
}

phx_halo_place phx_halo_pin_at(const phx_halo_parts *parts, uint32_t place)
{
    phx_reader reader = phx_reader_of(parts->pins + (size_t)place * PHX_HALO_PIN_BYTES, PHX_HALO_PIN_BYTES);
    phx_halo_place pin = {.place = (uint32_t)phx_read_number(&reader, 2)};
    pin.id = phx_read_number(&reader, 8);
    return pin;
}

uint32_t phx_halo_need_at(const phx_halo_parts *parts, uint32_t place)
{
    phx_reader reader = phx_reader_of(parts->needs + (size_t)place * PHX_HALO_NEED_BYTES, PHX_HALO_NEED_BYTES);
    return (uint32_t)phx_read_number(&reader, 4);
}

static bool forwards_sound(const phx_halo_head *head, const phx_halo_parts *parts)
{
    for (uint32_t i = 0, next = 0; i < head->forwards; i++) {
        const phx_halo_forward forward = phx_halo_forward_at(parts, i);
        if (forward.copy < next || forward.copy >= head->copies || forward.source == 0 ||
            forward.source == head->source || forward.tick == 0)
            return false;
        next = forward.copy + 1;
    }
    return true;
}

static bool parts_sound(const phx_halo_head *head, const phx_halo_parts *parts)
{
    bool sound = forwards_sound(head, parts);
    for (uint32_t i = 0; sound && i < head->sets; i++)
        (void)set_of(parts->sets + (size_t)i * PHX_HALO_SET_BYTES, &sound);
    for (uint32_t i = 0; sound && i < head->copies; i++) {
        uint32_t set, sending;
        const phx_halo_copy copy = place_of(parts->copies + (size_t)i * PHX_HALO_COPY_BYTES, &set, &sending);
        sound = copy.id != 0 && set < head->sets && sending <= 1 && phx_is_coordinate(copy.attrs.x) &&
                phx_is_coordinate(copy.attrs.y) && phx_is_coordinate(copy.attrs.z);
    }
    for (uint32_t i = 0; sound && i < head->gone; i++) sound = phx_halo_gone_at(parts, i).id != 0;
    for (uint32_t i = 0; sound && i < head->pins; i++) sound = phx_halo_pin_at(parts, i).place < PHC_PINS_MAX;
    for (uint32_t i = 0; sound && i < head->needs; i++) sound = phx_halo_need_at(parts, i) < PHX_CLUSTER_REGIONS_MAX;
    return sound;
}

phx_wire_flaw phx_halo_open(phx_halo_head *head, phx_halo_parts *parts, phx_formats formats, const void *bytes,
                            size_t size)
{
    phx_reader reader;
    if (size > PHX_WIRE_BYTES_MAX || !phx_sum_open(&reader, bytes, size)) return PHX_WIRE_BAD_SUM;
    const phx_wire_flaw flaw = read_head(head, formats, &reader, size);
    if (flaw != PHX_WIRE_GOOD) return flaw;
    parts->sets = phx_read_bytes(&reader, (size_t)head->sets * PHX_HALO_SET_BYTES);
    parts->copies = phx_read_bytes(&reader, (size_t)head->copies * PHX_HALO_COPY_BYTES);
    parts->forwards = phx_read_bytes(&reader, (size_t)head->forwards * PHX_HALO_FORWARD_BYTES);
    parts->gone = phx_read_bytes(&reader, (size_t)head->gone * PHX_HALO_GONE_BYTES);
    parts->pins = phx_read_bytes(&reader, (size_t)head->pins * PHX_HALO_PIN_BYTES);
    parts->needs = phx_read_bytes(&reader, (size_t)head->needs * PHX_HALO_NEED_BYTES);
    return parts_sound(head, parts) ? PHX_WIRE_GOOD : PHX_WIRE_BAD_ITEM;
}
