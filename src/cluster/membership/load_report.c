/*
 * Reports of loads as bytes; see load_report.h.
 */
#include "cluster/membership/load_report.h"

#include "cluster/map/balance.h"
#include "cluster/wire/sum.h"

enum { MAGIC = 0x4c434850 /* "PHCL" */, FORMAT = 1, REGION_BYTES = 6 };

size_t phx_load_report_encode(const phx_load_report *report, void *bytes, size_t size)
{
    const uint32_t numbers[] = {report->sequence,  report->rounds, report->busy_us, report->busy_p99_us,
                                report->period_us, report->own,    report->transit};
    phx_writer writer = phx_writer_of(bytes, size);
    PHX_ASSERT(report->region_count <= PHX_CLUSTER_REGIONS_MAX);
    phx_write_number(&writer, 4, MAGIC);
    phx_write_number(&writer, 4, FORMAT);
    phx_write_number(&writer, 8, report->registration);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) phx_write_number(&writer, 4, numbers[i]);
    phx_write_number(&writer, 2, report->columns);
    phx_write_number(&writer, 2, report->rows);
    phx_write_number(&writer, 4, report->region_count);
    for (uint32_t i = 0; i < report->region_count; i++) {
        phx_write_number(&writer, 2, report->regions[i].region);
        phx_write_number(&writer, 4, report->regions[i].entities);
    }
    PHX_ASSERT(!writer.failed);
    return phx_sum_seal(&writer, bytes);
}

/* Regions rise, and are ones of the grid. */
static bool read_regions(phx_load_report *report, phx_reader *reader)
{
    const uint32_t all = (uint32_t)report->columns * report->rows;
    uint32_t next = 0; /* the lowest that may follow */
    if (phx_reader_left(reader) != (size_t)report->region_count * REGION_BYTES) return false;
    for (uint32_t i = 0; i < report->region_count; i++) {
        phx_load_region *region = &report->regions[i];
        region->region = (uint16_t)phx_read_number(reader, 2);
        region->entities = (uint32_t)phx_read_number(reader, 4);
        if (region->region < next || region->region >= all) return false;
        next = region->region + 1u;
    }
    return true;
}

bool phx_load_report_decode(phx_load_report *report, const void *bytes, size_t size)
{
    phx_reader reader;
    if (!phx_sum_open(&reader, bytes, size) || phx_read_number(&reader, 4) != MAGIC ||
        phx_read_number(&reader, 4) != FORMAT)
        return false;
    uint32_t *const numbers[] = {&report->sequence,  &report->rounds, &report->busy_us, &report->busy_p99_us,
                                 &report->period_us, &report->own,    &report->transit};
    report->registration = phx_read_number(&reader, 8);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = (uint32_t)phx_read_number(&reader, 4);
    report->columns = (uint16_t)phx_read_number(&reader, 2);
    report->rows = (uint16_t)phx_read_number(&reader, 2);
    report->region_count = (uint32_t)phx_read_number(&reader, 4);
    if (reader.failed || report->registration == 0 || report->period_us == 0 || report->columns == 0 ||
        report->rows == 0 || (uint32_t)report->columns * report->rows > PHX_CLUSTER_REGIONS_MAX ||
        report->region_count > PHX_CLUSTER_REGIONS_MAX)
        return false;
    return read_regions(report, &reader);
}

/* ---- loads ---- */

uint32_t phx_load_report_share(uint32_t busy_us, uint32_t period_us)
{
    const uint64_t share = period_us > 0 ? (uint64_t)busy_us * PHX_BALANCE_LOAD_MAX / period_us : 0;
    return share < PHX_BALANCE_LOAD_MAX ? (uint32_t)share : PHX_BALANCE_LOAD_MAX;
}

bool phx_load_report_fits(const phx_load_report *report, const phx_cluster_map *map)
{
    return report->columns == map->columns && (uint32_t)report->columns * report->rows == map->region_count;
}

void phx_load_report_entities(const phx_load_report *report, const phx_cluster_map *map, uint16_t number,
                              uint32_t entities[PHX_CLUSTER_REGIONS_MAX])
{
    for (uint32_t i = 0; i < report->region_count; i++) {
        const phx_load_region *region = &report->regions[i];
        if (map->regions[region->region].number == number) entities[region->region] = region->entities;
    }
}
