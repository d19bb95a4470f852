/*
 * Writes records; see record.h.
 */
#include "world/journal/record.h"

#include <string.h>

#include "world/image/definition.h"
#include "world/image/sections.h"
#include "world/journal/pack.h"

/* ---- definitions ---- */

static const phx_image_table def_tables[] = {PHX_TABLE_keys, PHX_TABLE_classes};
enum { DEF_TABLES = sizeof def_tables / sizeof *def_tables };

static size_t table_bytes(const phx_image *image, phx_image_table table)
{
    return sizeof(uint64_t) + phx_pack_round((size_t)image->tables[table].count * phx_image_kinds[table].packed_bytes);
}

static unsigned char *pack_table(unsigned char *to, const phx_image *image, phx_image_table table)
{
    const phx_image_kind *kind = &phx_image_kinds[table];
    const phx_image_rows *rows = &image->tables[table];
    const uint64_t count = rows->count;
    unsigned char *end = to + table_bytes(image, table);
    memcpy(to, &count, sizeof count);
    to += sizeof count;
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t f = 0; f < kind->field_count; f++) {
            const size_t bytes = (size_t)kind->fields[f].bytes * kind->fields[f].count;
            memcpy(to, (const char *)rows->at + (size_t)i * kind->record_bytes + kind->fields[f].offset, bytes);
            to += bytes;
        }
    memset(to, 0, (size_t)(end - to));
    return end;
}

/* ---- records ---- */

phx_record_events phx_record_count_events(const phx_world *world)
{
    phx_record_events sum = {0};
    for (uint32_t i = 0; i < world->worker_count; i++) {
        sum.enters += world->scratch[i].counts.enters;
        sum.leaves += world->scratch[i].counts.leaves;
    }
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_zones *zones = &world->shards[i].zones;
        sum.edges += zones->activation.woken + zones->activation.slept;
        sum.edges += zones->area_members.entered + zones->area_members.left;
    }
    return sum;
}

phx_record_head phx_record_counts(phx_world *world)
{
    phx_journal *journal = &world->journal;
    const phx_record_events events = phx_record_count_events(world);
    const phx_world_totals *totals = &world->totals;
    const bool lacked =
        totals->refused[PH_NO_MEMORY] != journal->no_memory || totals->ticks_short != journal->ticks_short;
    const phx_record_head head = {.magic = PHX_RECORD_MAGIC,
                                  .format = PH_RECORD_FORMAT,
                                  .rules = PHX_IMAGE_RULES,
                                  .tick = world->tick,
                                  .flags = (world->apply.running ? PHX_RECORD_APPLY : 0u) |
                                           (lacked || world->finishing ? PHX_RECORD_SHORT : 0u) |
                                           (journal->renewed ? PHX_RECORD_RENEWS : 0u),
                                  .runs = world->run_count,
                                  .entities = phx_directory_count(&world->directory),
                                  .applied = totals->applied - journal->applied,
                                  .refused = totals->refused_in_tick - journal->refused,
                                  .enters = events.enters - journal->events.enters,
                                  .leaves = events.leaves - journal->events.leaves,
                                  .edges = events.edges - journal->events.edges};
    journal->events = events;
    journal->renewed &= world->apply.running; /* an apply renews, and its tick tells */
    journal->applied = totals->applied;
    journal->refused = totals->refused_in_tick;
    journal->no_memory = totals->refused[PH_NO_MEMORY];
    journal->ticks_short = totals->ticks_short;
    return head;
}

bool phx_record_may_have(size_t bytes)
{
    return bytes >= sizeof(phx_record_head) + sizeof(uint64_t) && bytes % sizeof(uint64_t) == 0;
}

void phx_record_put_sum(void *record, size_t bytes)
{
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, record, bytes - sizeof(uint64_t));
    const uint64_t end = phx_sum_end(&sum);
    memcpy((char *)record + bytes - sizeof end, &end, sizeof end);
}

/* A record that is being written. */
typedef struct filling {
    unsigned char *to;
    const phx_world *world;
    bool summed; /* here and now: its bytes are to stay near until then */
} filling;

/* Workers write runs side by side: each has its place. */
static void fill_run(void *context, uint32_t worker, uint32_t r)
{
    const filling *record = context;
    const phx_producer_run *run = &record->world->runs[r];
    (void)worker;
    (void)phx_pack_run(record->to + run->record_at, &run->commands, !record->summed);
}

static void fill_record(unsigned char *to, const phx_world *world, const phx_record_head *head, const phx_image *def)
{
    filling record = {to, world, !(world->journal.hooks.flags & PH_JOURNAL_UNSUMMED)};
    memcpy(to, head, sizeof *head);
    to += sizeof *head;
    for (uint32_t i = 0; (head->flags & PHX_RECORD_DEF) && i < DEF_TABLES; i++) to = pack_table(to, def, def_tables[i]);
    phx_parallel_for(world->workers, head->runs, fill_run, &record);
    if (record.summed) phx_record_put_sum(record.to, head->bytes);
}

/* Writes the record of the apply or tick that ends. */
static void write_record(phx_world *world)
{
    phx_journal *journal = &world->journal;
    phx_record_head head = phx_record_counts(world);
    phx_image def;
    phx_image_init(&def, world->def.allocator);
    if (journal->def_taken && !world->apply.running) {
        const bool put = phx_image_put_def(&def, PHX_IMAGE_DEF, &world->def);
        head.flags |= put ? PHX_RECORD_DEF : PHX_RECORD_SHORT;
        journal->def_taken = false;
    }
    head.bytes = sizeof head;
    for (uint32_t i = 0; (head.flags & PHX_RECORD_DEF) && i < DEF_TABLES; i++)
        head.bytes += table_bytes(&def, def_tables[i]);
    for (uint32_t r = 0; r < head.runs; r++) {
        world->runs[r].record_at = head.bytes;
        head.bytes += phx_pack_bytes(&world->runs[r].commands);
    }
    head.bytes += sizeof(uint64_t); /* the sum */
    unsigned char *to = journal->hooks.room(journal->hooks.user, head.tick, head.bytes);
    if (to) {
        fill_record(to, world, &head, &def);
        const uint32_t tick = head.flags & PHX_RECORD_APPLY ? 0 : PH_RECORD_TICK;
        journal->hooks.done(journal->hooks.user, head.tick,
                            tick | (head.flags & PHX_RECORD_SHORT ? 0 : PH_RECORD_WHOLE));
    }
    phx_image_release(&def);
}

void phx_journal_attach(phx_world *world, const ph_journal *journal)
{
    const bool replays = world->journal.replays;
    world->journal = (phx_journal){.replays = replays};
    if (!journal) return;
    (void)phx_record_counts(world);
    world->journal.hooks = *journal;
    world->journal.write = write_record;
}
