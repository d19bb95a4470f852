/*
 * Rows of commands; see replay_csv_rows.h.
 */
#include "tools/replay_csv_rows.h"

#include <string.h>

#include "world/queue/commands.h"

static const char *class_name(void *user, uint32_t kind)
{
    const phx_csv_rows *rows = user;
    const ph_world_def *def = &rows->world->def;
    return kind < def->class_count ? def->classes[kind].name : NULL;
}

static void write_row(phx_csv_rows *rows, phx_trace_row *row)
{
    if (!rows->begun && rows->tick > rows->first_tick) { /* the trace begins with an empty tick */
        const phx_trace_row first = {.tick = rows->first_tick + rows->shift, .op = PHX_TRACE_OP_APPLY, .id = 1};
        phx_trace_write_row(&rows->writer, &first);
    }
    rows->begun = true;
    rows->row_tick = rows->tick;
    row->tick = rows->tick + rows->shift;
    if (row->id == 0) row->id = 1; /* it plays no part; a row has one */
    phx_trace_write_row(&rows->writer, row);
}

void phx_csv_apply(phx_csv_rows *rows)
{
    write_row(rows, &(phx_trace_row){.op = PHX_TRACE_OP_APPLY});
}

void phx_csv_config(phx_csv_rows *rows, const char *assignment)
{
    write_row(rows, &(phx_trace_row){
                        .op = PHX_TRACE_OP_CONFIG, .text = assignment, .text_bytes = (uint32_t)strlen(assignment)});
}

void phx_csv_begin(phx_csv_rows *rows, phx_out *out, const phx_world *world, uint64_t tick, uint64_t shift)
{
    *rows = (phx_csv_rows){.writer = {.out = out, .name = class_name, .user = rows},
                           .world = world,
                           .first_tick = tick,
                           .tick = tick,
                           .shift = shift};
    phx_trace_write_header(&rows->writer);
}

void phx_csv_end(phx_csv_rows *rows, uint64_t tick)
{
    rows->tick = tick;
    if (rows->row_tick < tick) phx_csv_apply(rows);
}

/* ---- commands ---- */

void phx_csv_attrs(phx_csv_rows *rows, phx_trace_op op, uint64_t id, const ph_attrs *attrs)
{
    write_row(rows, &(phx_trace_row){.op = op, .id = id, .attrs = *attrs});
}

void phx_csv_two(phx_csv_rows *rows, phx_trace_op op, uint64_t id, uint64_t other)
{
    write_row(rows, &(phx_trace_row){.op = op, .id = id, .other = other});
}

void phx_csv_pair(phx_csv_rows *rows, uint64_t id, uint64_t other, float view, float margin)
{
    write_row(rows, &(phx_trace_row){.op = PHX_TRACE_OP_PAIR,
                                     .id = id,
                                     .other = other,
                                     .attrs = {.given = PH_VIEW | PH_MARGIN, .view = view, .margin = margin}});
}

void phx_csv_area(phx_csv_rows *rows, uint64_t id, const ph_area *area)
{
    write_row(rows, &(phx_trace_row){.op = PHX_TRACE_OP_AREA, .id = id, .area = *area});
}

static void write_broadcast(phx_csv_rows *rows, const phx_command_broadcast *command)
{
    phx_trace_row row = {.op = command->id == 0 ? PHX_TRACE_OP_BROADCAST_AT : PHX_TRACE_OP_BROADCAST,
                         .id = command->id,
                         .attrs = {.given = PH_X | PH_Y,
                                   .x = command->x,
                                   .y = command->y,
                                   .layers = command->layers,
                                   .instance = command->instance},
                         .area = {.radius = command->radius, .kind_count = command->kind_count},
                         .text = phx_command_payload(command),
                         .text_bytes = command->bytes,
                         .self = command->flags & PH_BROADCAST_SELF,
                         .seen = command->flags & PH_BROADCAST_SEEN};
    for (uint32_t i = 0; i < command->kind_count; i++) row.area.kinds[i] = command->kinds[i];
    write_row(rows, &row);
}

void phx_csv_import(phx_csv_rows *rows, uint64_t id, const void *capsule, size_t bytes)
{
    write_row(rows,
              &(phx_trace_row){.op = PHX_TRACE_OP_IMPORT, .id = id, .text = capsule, .text_bytes = (uint32_t)bytes});
}

static void write_moves(phx_csv_rows *rows, const phx_command_run *run)
{
    const phx_moves moves = phx_moves_of(run);
    for (uint32_t i = 0; i < run->count; i++) {
        const ph_position at = phx_moves_position(&moves, i);
        const ph_attrs attrs = {.given = PH_POSITION, .x = at.x, .y = at.y, .z = at.z};
        phx_csv_attrs(rows, PHX_TRACE_OP_MOVE, phx_moves_id(&moves, i), &attrs);
    }
}

/* The row of a command that has no more than one id or two. */
static phx_trace_op op_of(uint16_t op)
{
    static const uint8_t ops[] = {[PHX_OP_LEAVE] = PHX_TRACE_OP_LEAVE,       [PHX_OP_DETACH] = PHX_TRACE_OP_DETACH,
                                  [PHX_OP_RESEND] = PHX_TRACE_OP_RESEND,     [PHX_OP_AREA_REMOVE] = PHX_TRACE_OP_UNAREA,
                                  [PHX_OP_UNPAIR] = PHX_TRACE_OP_UNPAIR,     [PHX_OP_LINK] = PHX_TRACE_OP_LINK,
                                  [PHX_OP_UNLINK] = PHX_TRACE_OP_UNLINK,     [PHX_OP_HIDE] = PHX_TRACE_OP_HIDE,
                                  [PHX_OP_UNHIDE] = PHX_TRACE_OP_UNHIDE,     [PHX_OP_REVEAL] = PHX_TRACE_OP_REVEAL,
                                  [PHX_OP_UNREVEAL] = PHX_TRACE_OP_UNREVEAL, [PHX_OP_ATTACH] = PHX_TRACE_OP_ATTACH};
    PHX_ASSERT(op < sizeof ops && ops[op] != PHX_TRACE_OP_ENTER);
    return (phx_trace_op)ops[op];
}

static void write_command(phx_csv_rows *rows, uint16_t op, const void *record)
{
    const phx_command_attrs *attrs = record;
    const phx_command_two_ids *two = record;
    const phx_command_area *area = record;
    const phx_command_import *import = record;
    switch (op) {
    case PHX_OP_ENTER:
    case PHX_OP_SET:
        phx_csv_attrs(rows, op == PHX_OP_ENTER ? PHX_TRACE_OP_ENTER : PHX_TRACE_OP_SET, attrs->id, &attrs->attrs);
        break;
    case PHX_OP_AREA_SET:
        phx_csv_area(rows, area->id, &area->area);
        break;
    case PHX_OP_PAIR:
        phx_csv_pair(rows, two->id, two->other, two->view, two->margin);
        break;
    case PHX_OP_BROADCAST:
        write_broadcast(rows, record);
        break;
    case PHX_OP_IMPORT:
        phx_csv_import(rows, import->id, import + 1, import->bytes);
        break;
    case PHX_OP_LEAVE:
    case PHX_OP_DETACH:
    case PHX_OP_RESEND:
    case PHX_OP_AREA_REMOVE:
        phx_csv_two(rows, op_of(op), two->id, 0);
        break;
    default:
        phx_csv_two(rows, op_of(op), two->id, two->other);
        break;
    }
}

void phx_csv_run(phx_csv_rows *rows, const phx_command_run *run)
{
    if (phx_op_moves(run->op)) {
        write_moves(rows, run);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++)
        write_command(rows, run->op, (const char *)run->records + (size_t)i * run->record_bytes);
}
