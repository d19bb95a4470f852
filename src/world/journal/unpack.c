/*
 * Reads commands of a record; see unpack.h.
 */
#include "world/journal/unpack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world/image/restore_bonds.h"
#include "world/ingest/submit.h"
#include "world/journal/pack.h"
#include "world/queue/commands.h"

bool phx_unpack_bytes(phx_unpacking *from, void *to, size_t size)
{
    if (size > from->left) return false;
    if (size > 0) memcpy(to, from->at, size);
    from->at += size;
    from->left -= size;
    return true;
}

ph_status phx_unpack_refuse(const phx_unpacking *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (from->reason.text && from->reason.size > 0) (void)vsnprintf(from->reason.text, from->reason.size, format, list);
    va_end(list);
    return PH_BAD_RECORD;
}

/* Takes zeros. false: there are others, or fewer. */
static bool unpack_zeros(phx_unpacking *from, size_t size)
{
    bool zeros = size <= from->left;
    for (size_t i = 0; zeros && i < size; i++) zeros = from->at[i] == 0;
    return zeros && phx_unpack_bytes(from, (unsigned char[8]){0}, size);
}

/* ---- definition ---- */

static bool unpack_row(phx_unpacking *from, const phx_image_kind *kind, void *row)
{
    bool through = true;
    for (uint32_t f = 0; through && f < kind->field_count; f++)
        through = phx_unpack_bytes(from, (char *)row + kind->fields[f].offset,
                                   (size_t)kind->fields[f].bytes * kind->fields[f].count);
    return through;
}

static ph_status unpack_table(phx_unpacking *from, phx_image *image, phx_image_table table)
{
    const phx_image_kind *kind = &phx_image_kinds[table];
    uint64_t count;
    if (!phx_unpack_bytes(from, &count, sizeof count) || count > from->left / kind->packed_bytes)
        return phx_unpack_refuse(from, "definition: there are fewer bytes than rows of %s", kind->tag);
    if (!phx_image_reserve(image, table, count)) return PH_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        if (!unpack_row(from, kind, phx_image_add(image, table)))
            return phx_unpack_refuse(from, "definition: it ends in %s", kind->tag);
    const size_t bytes = (size_t)count * kind->packed_bytes;
    if (!unpack_zeros(from, phx_pack_round(bytes) - bytes))
        return phx_unpack_refuse(from, "definition: no zeros behind %s", kind->tag);
    return PH_OK;
}

ph_status phx_unpack_def(phx_unpacking *from, phx_image *image)
{
    const ph_status status = unpack_table(from, image, PHX_TABLE_keys);
    return status == PH_OK ? unpack_table(from, image, PHX_TABLE_classes) : status;
}

/* ---- commands ---- */

/* One run that is submitted. */
typedef struct replayed_run {
    phx_unpacking *from; /* its commands alone */
    phx_world *world;
    phx_producer *producer;
    phx_packed_run head;
} replayed_run;

/* The status of a command whose bytes are missing, or are none. */
#define RUN_BROKEN PH_BAD_RECORD

static ph_status submit_moves(replayed_run *run)
{
    enum { PART = 256 };
    const uint32_t op = run->head.op, count = run->head.count;
    const unsigned char *at = run->from->at;
    const size_t bytes = (size_t)count * phx_move_bytes(op);
    if (phx_pack_round(bytes) != run->from->left) return RUN_BROKEN;
    const unsigned char *places = at + (op & PHX_MOVES_WIDE ? count * sizeof(uint64_t) : 0);
    const unsigned char *narrow = places + count * sizeof(phx_place);
    const unsigned char *z = narrow + (op & PHX_MOVES_WIDE ? 0 : count * sizeof(uint32_t));
    for (uint32_t done = 0, part = 0; done < count; done += part) {
        uint64_t ids[PART];
        ph_position positions[PART];
        part = count - done < PART ? count - done : PART;
        for (uint32_t i = 0; i < part; i++) {
            const size_t item = (size_t)done + i;
            ids[i] = 0;
            if (op & PHX_MOVES_WIDE) memcpy(&ids[i], at + item * sizeof(uint64_t), sizeof(uint64_t));
            else memcpy(&ids[i], narrow + item * sizeof(uint32_t), sizeof(uint32_t)); /* little-endian */
            positions[i].z = 0.0f;
            memcpy(&positions[i], places + item * sizeof(phx_place), sizeof(phx_place));
            if (op & PHX_MOVES_HIGH) memcpy(&positions[i].z, z + item * sizeof(float), sizeof(float));
        }
        uint32_t dealt;
        const ph_status status = phx_submit_move(run->world, run->producer, part, ids, positions, &dealt, false);
        if (status != PH_OK) return status;
    }
    run->from->at += bytes;
    run->from->left -= bytes;
    return PH_OK;
}

/* A flag has the bytes 0 and 1 alone: any other one is no bool of C. */
static bool unpack_attr_flag(phx_unpacking *from, bool *to)
{
    uint8_t byte;
    if (!phx_unpack_bytes(from, &byte, sizeof byte) || byte > 1) return false;
    *to = byte != 0;
    return true;
}

#define UNPACK_VALUE(from, to) \
    _Generic((to), \
        bool *: unpack_attr_flag(from, (bool *)(void *)(to)), \
        default: phx_unpack_bytes(from, to, sizeof *(to)))

static ph_status submit_attrs(replayed_run *run)
{
    phx_packed_attrs head;
    ph_attrs attrs = {0};
    bool through = phx_unpack_bytes(run->from, &head, sizeof head);
    if (!through || head.bytes > run->from->left) return RUN_BROKEN;
    const size_t before = run->from->left;
    attrs.given = head.given;
#define ATTR_UNPACK(bit, type, field) \
    if (through && (head.given & (bit))) through = UNPACK_VALUE(run->from, &attrs.field);
    PHX_ATTR_FIELDS(ATTR_UNPACK)
    if (!through || before - run->from->left != head.bytes) return RUN_BROKEN;
    if (!unpack_zeros(run->from, phx_pack_round(head.bytes) - head.bytes)) return RUN_BROKEN;
    uint32_t dealt;
    return phx_submit_attrs(run->world, run->producer, run->head.op, 1, &head.id, &attrs, &dealt, false);
}

static ph_status submit_area(replayed_run *run)
{
    const phx_image_kind *kind = &phx_image_kinds[PHX_TABLE_areas];
    phx_saved_area saved = {0};
    if (!unpack_row(run->from, kind, &saved)) return RUN_BROKEN;
    if (!unpack_zeros(run->from, phx_pack_area_bytes() - kind->packed_bytes)) return RUN_BROKEN;
    if (saved.shape > PH_AREA_POLYGON || saved.kind_count > PH_AREA_KINDS_MAX) return PH_BAD_VALUE;
    const ph_area area = phx_restore_area(&saved);
    return phx_submit_area(run->world, run->producer, saved.id, &area);
}

static ph_status submit_id(replayed_run *run)
{
    phx_command_id command;
    uint32_t dealt;
    if (!phx_unpack_bytes(run->from, &command, sizeof command)) return RUN_BROKEN;
    return phx_submit_ids(run->world, run->producer, run->head.op, 1, &command.id, &dealt, false);
}

static ph_status submit_two(replayed_run *run)
{
    phx_command_two_ids command;
    if (!phx_unpack_bytes(run->from, &command, sizeof command)) return RUN_BROKEN;
    return phx_submit_two_ids(run->producer, run->head.op, command.id, command.other, command.view, command.margin);
}

static ph_status submit_broadcast(replayed_run *run)
{
    phx_command_broadcast command;
    uint32_t kinds[PH_BROADCAST_KINDS_MAX];
    if (!phx_unpack_bytes(run->from, &command, sizeof command)) return RUN_BROKEN;
    if (command.bytes > PH_PAYLOAD_MAX || command.kind_count > PH_BROADCAST_KINDS_MAX) return PH_BAD_VALUE;
    const size_t room = phx_payload_room(command.bytes);
    const void *payload = run->from->at;
    if (room > run->from->left) return RUN_BROKEN;
    run->from->at += command.bytes;
    run->from->left -= command.bytes;
    if (!unpack_zeros(run->from, room - command.bytes)) return RUN_BROKEN;
    for (uint32_t i = 0; i < command.kind_count; i++) kinds[i] = command.kinds[i];
    if (command.id == 0) {
        const ph_broadcast_place place = {.x = command.x,
                                          .y = command.y,
                                          .radius = command.radius,
                                          .kind_count = command.kind_count,
                                          .kinds = kinds,
                                          .layers = command.layers,
                                          .instance = command.instance};
        return phx_submit_broadcast_at(run->world, run->producer, &place, payload, command.bytes);
    }
    const ph_broadcast_options options = {
        .kinds = kinds, .kind_count = command.kind_count, .flags = command.flags, .radius = command.radius};
    return phx_submit_broadcast(run->world, run->producer, command.id, payload, command.bytes, &options);
}

static ph_status submit_import(replayed_run *run)
{
    static const phx_stays none; /* strangers are marked already */
    phx_command_import command;
    if (!phx_unpack_bytes(run->from, &command, sizeof command) || command.bytes > run->from->left) return RUN_BROKEN;
    const void *capsule = run->from->at;
    run->from->at += command.bytes;
    run->from->left -= command.bytes;
    return phx_submit_import(run->world, run->producer, capsule, command.bytes, &none);
}

static ph_status submit_command(replayed_run *run)
{
    switch (run->head.op) {
    case PHX_OP_ENTER:
    case PHX_OP_SET:
        return submit_attrs(run);
    case PHX_OP_LEAVE:
    case PHX_OP_DETACH:
    case PHX_OP_RESEND:
    case PHX_OP_AREA_REMOVE:
        return submit_id(run);
    case PHX_OP_PAIR:
    case PHX_OP_UNPAIR:
    case PHX_OP_LINK:
    case PHX_OP_UNLINK:
    case PHX_OP_HIDE:
    case PHX_OP_UNHIDE:
    case PHX_OP_REVEAL:
    case PHX_OP_UNREVEAL:
    case PHX_OP_ATTACH:
        return submit_two(run);
    case PHX_OP_BROADCAST:
        return submit_broadcast(run);
    case PHX_OP_IMPORT:
        return submit_import(run);
    case PHX_OP_AREA_SET:
        return submit_area(run);
    default:
        return RUN_BROKEN;
    }
}

ph_status phx_unpack_run(phx_unpacking *from, phx_world *world, phx_producer *producer, uint32_t number)
{
    replayed_run run = {.world = world, .producer = producer};
    ph_status status = PH_OK;
    uint32_t i = 0;
    if (!phx_unpack_bytes(from, &run.head, sizeof run.head) || run.head.zero != 0 || run.head.count == 0 ||
        run.head.bytes > from->left || run.head.bytes % sizeof(uint64_t) != 0)
        return phx_unpack_refuse(from, "run %" PRIu32 ": its head is wrong", number);
    phx_unpacking own = {.at = from->at, .left = (size_t)run.head.bytes, .reason = from->reason};
    run.from = &own;
    if (phx_op_moves(run.head.op) && !(run.head.op & ~(PHX_OP_BITS | PHX_MOVES_WIDE | PHX_MOVES_HIGH)))
        status = submit_moves(&run);
    else
        for (; status == PH_OK && i < run.head.count; i++) status = submit_command(&run);
    if (status == PH_NO_MEMORY || status == PH_FULL) return PH_NO_MEMORY;
    if (status == PH_OK && !unpack_zeros(&own, own.left < sizeof(uint64_t) ? own.left : 0)) status = RUN_BROKEN;
    if (status == PH_OK && own.left > 0) status = RUN_BROKEN;
    if (status != PH_OK)
        return phx_unpack_refuse(from, "run %" PRIu32 ", operation %d, command %" PRIu32 ": %s", number, run.head.op, i,
                                 status == RUN_BROKEN ? "its bytes are no command" : ph_status_text(status));
    from->at += run.head.bytes;
    from->left -= (size_t)run.head.bytes;
    return PH_OK;
}
