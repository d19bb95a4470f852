/*
 * The records of a baseline's tick; see sent_lists.h.
 */
#include "bench/baselines/sent_lists.h"

#include "bench/base/memory.h"

void sent_free(sent *of)
{
    phx_release(of->mem, (void **)&of->changes, &of->change_room, sizeof *of->changes);
    phx_release(of->mem, (void **)&of->targets, &of->target_room, sizeof *of->targets);
}

void sent_begin(sent *of)
{
    of->change_count = 0;
    of->target_count = 0;
}

void sent_grow(sent *of, uint32_t targets)
{
    bench_grow(of->mem, (void **)&of->changes, &of->change_room, of->change_count, (size_t)of->change_count + 1,
               sizeof *of->changes);
    bench_grow(of->mem, (void **)&of->targets, &of->target_room, of->target_count, (size_t)of->target_count + targets,
               sizeof *of->targets);
}

void sent_walk(sent *of)
{
    for (uint32_t c = 0; c < of->change_count; c++) {
        const sent_change *change = &of->changes[c];
        uint32_t count = change->leave_count + change->enter_count;
        of->id_sum += change->observer + bench_look_at(&of->targets[change->first], count);
        of->leaves += change->leave_count;
        of->enters += change->enter_count;
    }
}

void sent_records(const sent *of, bench_record_fn record, void *context)
{
    for (uint32_t c = 0; c < of->change_count; c++) {
        const sent_change *change = &of->changes[c];
        bench_record made = {
            .observer = change->observer,
            .leaves = &of->targets[change->first],
            .enters = &of->targets[change->first + change->leave_count],
            .leave_count = change->leave_count,
            .enter_count = change->enter_count,
        };
        record(context, &made);
    }
}
