/*
 * Joins single moves; see join_moves.h.
 */
#include "world/queue/join_moves.h"

#include <string.h>

#include "world/queue/commands.h"

/* As many as are looked up together (ingest/moves.c), so longer runs gain nothing. */
enum { JOINED_MAX = 128 };

/* Copies a column of words of these bytes, a constant, from records that are `stride` apart. */
static inline __attribute__((always_inline)) void copy_column(void *to, const void *from, size_t bytes, size_t stride,
                                                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) memcpy((char *)to + i * bytes, (const char *)from + i * stride, bytes);
}

void phx_join_moves(phx_command_queue *queue, phx_command_run *run)
{
    if (run->count != 1 || !phx_op_moves(run->op)) return;
    const uint32_t alike = phx_command_queue_alike(queue, run, JOINED_MAX - 1), count = 1 + alike;
    if (alike == 0) return;
    const uint32_t stride = phx_command_queue_stride(run->record_bytes);
    uint64_t columns[JOINED_MAX * PHX_MOVE_WORDS_MAX];
    const phx_moves from = phx_moves_of(run), to = phx_moves_at(columns, run->op, count);
    copy_column(to.places, from.places, sizeof *to.places, stride, count);
    if (to.wide) copy_column(to.wide, from.wide, sizeof *to.wide, stride, count);
    else copy_column(to.narrow, from.narrow, sizeof *to.narrow, stride, count);
    if (to.z) copy_column(to.z, from.z, sizeof *to.z, stride, count);
    phx_command_queue_join(queue, run, alike, columns);
}
