/*
 * Commands as bytes; see pack.h.
 */
#include "world/journal/pack.h"

#include <string.h>

#include "base/far_copy.h"
#include "world/image/capture_bonds.h"
#include "world/queue/commands.h"

#define ATTR_BIT(bit, type, field) | (bit)
_Static_assert((0 PHX_ATTR_FIELDS(ATTR_BIT)) == PH_GIVEN_ALL, "each attribute has its row");
_Static_assert(sizeof(phx_command_id) == 8 && sizeof(phx_command_two_ids) == 24, "no padding: such runs are copied");
_Static_assert(sizeof(phx_command_import) == 16, "of it neither, and a capsule has none");
_Static_assert(sizeof(phx_command_broadcast) == 16 + 2 * PH_BROADCAST_KINDS_MAX + 24, "no padding either");

static size_t fields_bytes(uint32_t given)
{
    size_t bytes = 0;
#define ATTR_BYTES(bit, type, field) bytes += given & (bit) ? sizeof(type) : 0;
    PHX_ATTR_FIELDS(ATTR_BYTES)
    return bytes;
}

size_t phx_pack_area_bytes(void)
{
    return phx_pack_round(phx_image_kinds[PHX_TABLE_areas].packed_bytes);
}

static size_t run_bytes(const phx_command_run *run)
{
    const phx_command_attrs *commands = run->records;
    size_t bytes = 0;
    if (run->op == PHX_OP_AREA_SET) return run->count * phx_pack_area_bytes();
    if (run->op != PHX_OP_ENTER && run->op != PHX_OP_SET) return (size_t)run->count * run->record_bytes;
    for (uint32_t i = 0; i < run->count; i++)
        bytes += sizeof(phx_packed_attrs) + phx_pack_round(fields_bytes(commands[i].attrs.given));
    return bytes;
}

size_t phx_pack_bytes(const phx_command_run *run)
{
    return sizeof(phx_packed_run) + phx_pack_round(run_bytes(run));
}

/* Zeros up to a multiple of 8 bytes behind `from`. */
static unsigned char *pad_bytes(unsigned char *from, unsigned char *to)
{
    unsigned char *end = from + phx_pack_round((size_t)(to - from));
    memset(to, 0, (size_t)(end - to));
    return end;
}

static unsigned char *pack_attrs(unsigned char *to, const phx_command_attrs *command)
{
    const ph_attrs *attrs = &command->attrs;
    const phx_packed_attrs head = {command->id, attrs->given, (uint32_t)fields_bytes(attrs->given)};
    memcpy(to, &head, sizeof head);
    unsigned char *first = to + sizeof head, *at = first;
#define ATTR_PACK(bit, type, field) \
    if (attrs->given & (bit)) { \
        memcpy(at, &attrs->field, sizeof(type)); \
        at += sizeof(type); \
    }
    PHX_ATTR_FIELDS(ATTR_PACK)
    return pad_bytes(first, at);
}

static unsigned char *pack_area(unsigned char *to, const phx_command_area *command)
{
    const phx_image_kind *kind = &phx_image_kinds[PHX_TABLE_areas];
    phx_saved_area saved;
    unsigned char *at = to;
    phx_capture_area(&saved, command->id, &command->area);
    for (uint32_t i = 0; i < kind->field_count; i++) {
        const size_t bytes = (size_t)kind->fields[i].bytes * kind->fields[i].count;
        memcpy(at, (const char *)&saved + kind->fields[i].offset, bytes);
        at += bytes;
    }
    return pad_bytes(to, at);
}

unsigned char *phx_pack_run(unsigned char *to, const phx_command_run *run, bool far)
{
    const phx_packed_run head = {.op = run->op, .count = run->count, .bytes = phx_pack_round(run_bytes(run))};
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    if (run->op == PHX_OP_ENTER || run->op == PHX_OP_SET) {
        const phx_command_attrs *commands = run->records;
        for (uint32_t i = 0; i < run->count; i++) to = pack_attrs(to, &commands[i]);
        return to;
    }
    if (run->op == PHX_OP_AREA_SET) {
        const phx_command_area *commands = run->records;
        for (uint32_t i = 0; i < run->count; i++) to = pack_area(to, &commands[i]);
        return to;
    }
    const size_t bytes = (size_t)run->count * run->record_bytes;
    if (far) phx_far_copy(to, run->records, bytes);
    else memcpy(to, run->records, bytes);
    return pad_bytes(to, to + bytes);
}
