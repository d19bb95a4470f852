/*
 * Drawn entries; see drawn_entries.h.
 */
#include "fuzz/drawn_entries.h"

#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/load_report.h"
#include "cluster/membership/registration.h"
#include "cluster/wire/sum.h"

static void draw_registration(drawn_source *from, drawn_entry *to)
{
    enum { ASKS = 192 };
    const uint8_t choice = draw(from);
    phx_registration registration = {.formats = {PHX_FORMAT_MIN, (uint8_t)(PHX_FORMAT_MAX + choice / 64 % 2)},
                                     .gateway = choice % 4 == 3,
                                     .definition = choice % 16 == 15 ? DRAWN_DEFINITION + 1 : DRAWN_DEFINITION,
                                     .registration = draw(from) % DRAWN_NUMBERS};
    if (choice >= ASKS) {
        registration.asks = true;
        registration.version = draw(from);
    }
    phx_registration_encode(&registration, to->value);
    to->size = PHX_REGISTRATION_BYTES;
}

/* A change that a member or an operator can make; some can not be made, and change nothing. */
static void change_map(drawn_source *from, phx_cluster_map *map)
{
    enum { JOINS = 3, KINDS = 8 };
    const uint8_t choice = draw(from), kind = choice % KINDS;
    const uint64_t registration = 1 + choice / KINDS % DRAWN_NUMBERS;
    const uint16_t number = (uint16_t)(1 + draw(from) % 3);
    const phx_member member = {.registration = registration,
                               .number = number,
                               .format = (uint8_t)(PHX_FORMAT_MAX + choice / 64 % 2),
                               .gateway = kind + 1 == JOINS};
    if (kind < JOINS) {
        if (!phx_cluster_map_member(map, registration) && !phx_cluster_map_numbered(map, number))
            (void)phx_cluster_map_join(map, member);
    } else if (kind == JOINS) {
        (void)phx_cluster_map_put_out(map, registration);
    } else if (kind == JOINS + 1) {
        (void)phx_cluster_map_drain(map, registration);
    } else if (kind == JOINS + 2) {
        (void)phx_cluster_map_expel(map, registration);
    } else {
        (void)phx_cluster_map_give(map, choice / KINDS % DRAWN_REGIONS, number);
    }
}

static void draw_map(drawn_source *from, drawn_entry *to)
{
    static phx_cluster_map map;
    phx_cluster_map_init(&map, DRAWN_COLUMNS, DRAWN_REGIONS / DRAWN_COLUMNS + draw(from) / UINT8_MAX);
    for (uint32_t changes = draw(from) % (2 * DRAWN_NUMBERS); changes > 0; changes--) change_map(from, &map);
    const uint8_t later = draw(from);
    if (later % 16 == 15) map.version = UINT32_MAX - later / 64;
    else map.version += later;
    to->size = phx_cluster_map_encode(&map, to->value, sizeof to->value);
}

static void draw_load(drawn_source *from, drawn_entry *to)
{
    static phx_load_report report;
    report = (phx_load_report){.registration = 1 + draw(from) % DRAWN_NUMBERS,
                               .rounds = 1,
                               .busy_us = draw(from) * 1000u,
                               .period_us = draw(from) * 1000u,
                               .own = draw(from),
                               .transit = draw(from),
                               .columns = DRAWN_COLUMNS,
                               .rows = DRAWN_REGIONS / DRAWN_COLUMNS};
    const uint8_t regions = draw(from); /* a bit each */
    for (uint32_t i = 0; i < DRAWN_REGIONS; i++)
        if (regions >> i & 1) report.regions[report.region_count++] = (phx_load_region){(uint16_t)i, draw(from)};
    to->size = phx_load_report_encode(&report, to->value, sizeof to->value);
}

/* Some of its bytes are others; or it ends early. */
static void damage(drawn_source *from, drawn_entry *to, bool has_sum)
{
    for (uint32_t changes = draw(from) % 4; changes > 0 && to->size > 0; changes--) {
        const uint32_t high = draw(from), place = high << 8 | draw(from);
        to->value[place % to->size] = draw(from);
    }
    if (draw(from) % 8 == 7) to->size = to->size * draw(from) / UINT8_MAX;
    if (!has_sum || to->size < PHX_SUM_BYTES) return;
    phx_writer writer = {.at = to->value + to->size - PHX_SUM_BYTES, .end = to->value + to->size};
    (void)phx_sum_seal(&writer, to->value);
}

phc_entry draw_entry(drawn_source *from, const char *prefix, drawn_entry *to)
{
    enum { IS_DAMAGED = 128, NAMES = 8 };
    static const char *const names[NAMES] = {"map",    "nodes/1",     "nodes/2",  "nodes/3",
                                             "nodes/", "nodes/65536", "balancer", "other"};
    static const char *const loads[NAMES] = {"1", "2", "3", "0", "01", "65536", "", "x"};
    const bool is_load = strncmp(prefix, "ph-load/", strlen("ph-load/")) == 0;
    const uint8_t choice = draw(from), numbers = draw(from);
    const char *name = (is_load ? loads : names)[choice % NAMES];
    (void)snprintf(to->key, sizeof to->key, "%s%s", prefix, name);
    if (is_load) draw_load(from, to);
    else if (name == names[0]) draw_map(from, to);
    else draw_registration(from, to);
    if (choice & IS_DAMAGED) damage(from, to, is_load || name == names[0]);
    return (phc_entry){.key = to->key,
                       .value = to->value,
                       .size = to->size,
                       .revision = 1 + numbers % DRAWN_NUMBERS,
                       .lease = numbers / DRAWN_NUMBERS % DRAWN_NUMBERS};
}

uint32_t draw_entries(drawn_source *from, const char *prefix, drawn_entry to[DRAWN_ENTRIES_MAX],
                      phc_entry entries[DRAWN_ENTRIES_MAX])
{
    uint32_t count = 0;
    for (uint32_t left = draw(from) % (DRAWN_ENTRIES_MAX + 1); left > 0; left--) {
        const phc_entry entry = draw_entry(from, prefix, &to[count]);
        if (count == 0 || strcmp(entries[count - 1].key, entry.key) < 0) entries[count++] = entry;
    }
    return count;
}
