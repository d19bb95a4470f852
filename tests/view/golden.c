/*
 * The bytes of a frame with every section, each field with a number of its own, against tests/view/golden.hex, which
 * frame.mjs decodes as a page does. A change of the format is a new version of the frame, or a new section.
 * usage: view_golden FILE [--write]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "view/frame.h"

enum { CELLS = 2, POINTS = 3, LINE = 32, TEXT_MAX = 1 << 16 };

static const ph_attrs attrs = {.given = PH_X | PH_VIEW,
                               .x = 1.5F,
                               .y = -2.5F,
                               .z = 3,
                               .view = 4,
                               .margin = 5,
                               .reach = 6,
                               .visible = 7,
                               .kind = 8,
                               .cap = 9,
                               .consumer = 10,
                               .instance = 11,
                               .layers = 12,
                               .sees = 13,
                               .user_data = UINT64_MAX,
                               .stealth = 14,
                               .detect = 15,
                               .priority = 16,
                               .global = true,
                               .ready = true,
                               .remote = true};

static void fill_points(ph_monitor_frame *frame)
{
    static const uint32_t slots[POINTS] = {1, 2, 70000};
    static const uint16_t x[POINTS] = {0, 32768, 65535}, y[POINTS] = {65535, 1, 2}, kinds[POINTS] = {0, 1, 256};
    static const uint8_t bits[POINTS] = {PH_POINT_OBSERVER, PH_POINT_VEILED, PH_POINT_WAITS},
                         steps[POINTS] = {0, 16, PH_POINT_STEP_KEPT | 3};
    static const uint32_t counts[CELLS * CELLS] = {1, 0, 2, 3}, costs[CELLS * CELLS] = {40, 50, 60, 70000};
    frame->points = (ph_monitor_points){.count = POINTS,
                                        .stride = 4,
                                        .matched = 13,
                                        .slot_count = 70001,
                                        .slot_epoch = 5,
                                        .oldest = 70000,
                                        .slots = slots,
                                        .x = x,
                                        .y = y,
                                        .kinds = kinds,
                                        .bits = bits,
                                        .steps = steps};
    frame->grid = (ph_monitor_grid){.cells = CELLS, .counts = counts, .costs = costs};
}

static void fill_parts(ph_monitor_frame *frame)
{
    static const ph_monitor_shard shards[] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0}};
    static const ph_monitor_area areas[] = {{.id = 21,
                                             .follow = 22,
                                             .layers = 0xff,
                                             .x = 1,
                                             .y = 2,
                                             .to_x = 3,
                                             .to_y = 4,
                                             .radius = 5,
                                             .margin = 6,
                                             .z_low = 7,
                                             .z_high = 8,
                                             .corners = {{9, 10}, {11, 12}, {13, 14}},
                                             .instance = 15,
                                             .shape = PH_AREA_POLYGON,
                                             .corner_count = 3,
                                             .in_instance = true}};
    static const ph_monitor_keys keys = {.generation = 31,
                                         .tower_size = 32.5F,
                                         .sticky = 1.25,
                                         .height = 2,
                                         .shape = 3,
                                         .span = 4,
                                         .broadcast_bytes = 5,
                                         .events_max = 6,
                                         .share_min = 7,
                                         .activation_span = 8,
                                         .activation_linger = 9,
                                         .crowd_entities = 10,
                                         .crowd_floor = 0.5F,
                                         .class_count = 2};
    static const ph_class classes[] = {
        {.view = 81},
        {.view = 82.5F, .band_count = 2, .bands = {{.radius = 83, .every = 84}, {.radius = 85, .every = 86}}}};
    static ph_stats stats;
    for (uint32_t i = 0; i < phx_frame_stat_count; i++) {
        const uint64_t value = 1000 + i;
        memcpy((char *)&stats + phx_frame_stats[i].offset, &value, sizeof value);
    }
    frame->shards = shards;
    frame->areas = areas;
    frame->shard_count = frame->area_count = 1;
    frame->areas_matched = 2;
    frame->keys = &keys;
    frame->classes = classes;
    frame->stats = &stats;
}

static void fill_focus(ph_monitor_frame *frame)
{
    static const ph_monitor_target targets[] = {{41, 1, 2, 1, PH_REASON_GLOBAL, 255, 0},
                                                {42, 3, 4, 2, PH_REASON_LINK, 1, 9}};
    static const ph_monitor_event events[] = {{51, 41, 1, PH_CAUSE_CAME, {0}}, {52, 43, 0, PH_CAUSE_GONE, {0}}};
    frame->focus = (ph_monitor_focus){.id = 40,
                                      .parent = 39,
                                      .attrs = attrs,
                                      .view_given = 8.5F,
                                      .height = 9.5F,
                                      .shard = 2,
                                      .tx = 3,
                                      .ty = 4,
                                      .list_count = 5,
                                      .target_count = 2,
                                      .found = true,
                                      .awake = true,
                                      .cut = true,
                                      .step = 6,
                                      .targets = targets};
    frame->events = events;
    frame->event_count = 2;
    frame->events_lost = 7;
}

static void fill_answers(ph_monitor_frame *frame)
{
    static const ph_hit hits[] = {{.id = 61, .square = 0.25F, .kind = 1}, {.id = 62, .square = 4, .kind = 2}};
    static ph_monitor_answer answers[] = {
        {.question = {.kind = PH_ASK_NEAREST, .tag = 71}, .count = 2, .total = 9},
        {.question = {.kind = PH_ASK_EXPLAIN, .id = 40, .other = 41, .tag = 72},
         .explanation = {.reason = PH_REASON_TOO_FAR,
                         .dx = 3,
                         .dy = 4,
                         .square = 25,
                         .radius = 4,
                         .margin = 1,
                         .towers_x = 1,
                         .towers_y = 2,
                         .span = 1,
                         .cap = 3,
                         .rank = 4,
                         .passing = 5,
                         .sees_mask = 6,
                         .layers = 7,
                         .observer_instance = 8,
                         .target_instance = 9,
                         .stealth = 10,
                         .detect = 11}},
        {.question = {.kind = PH_ASK_ENTITY, .id = 40, .tag = 73}},
        {.question = {.kind = PH_ASK_ENTITY, .id = 99, .tag = 74}, .status = PH_UNKNOWN_ID},
        {.question = {.kind = PH_ASK_ENTITY, .id = 44, .tag = 75}}};
    /* of the four booleans no two are the same in all of the three attributes */
    answers[2].attrs = answers[4].attrs = attrs;
    answers[2].attrs.veiled = answers[4].attrs.veiled = true;
    answers[2].attrs.ready = answers[4].attrs.ready = false;
    answers[4].attrs.global = false;
    frame->answers = answers;
    frame->answer_count = sizeof answers / sizeof *answers;
    frame->hits = hits;
    frame->hit_count = 2;
    frame->questions_waiting = 3;
}

/* Hexadecimal digits, LINE bytes a line. */
static void write_hex(FILE *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%02x%s", bytes[i], i % LINE == LINE - 1 || i + 1 == size ? "\n" : "");
}

static void compare(const char *path, const uint8_t *bytes, size_t size)
{
    static char has[TEXT_MAX];
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "r"), *memory = open_memstream(&text, &length);
    REQUIRE(file && memory);
    const size_t count = fread(has, 1, sizeof has, file);
    write_hex(memory, bytes, size);
    REQUIRE(fclose(memory) == 0 && fclose(file) == 0);
    size_t at = 0;
    while (at < count && at < length && has[at] == text[at]) at++;
    CHECK(count == length && at == count, "%s: byte %zu of the frame is another one", path,
          at / (2 * LINE + 1) * LINE + at % (2 * LINE + 1) / 2);
    free(text);
}

int main(int argc, char **argv)
{
    ph_monitor_frame frame = {
        .tick = 7,
        .skipped = 2,
        .sequence = 3,
        .flags = PH_FRAME_DECIMATED | PH_FRAME_SKIPPED,
        .entities = 14,
        .tick_ns = 2500000,
        .fill_ns = 600,
        .view = {.x0 = -1, .y0 = -2, .x1 = 3, .y1 = 4, .instance = 5, .flags = PH_MONITOR_FLAGS_ALL, .spread = 6}};
    REQUIRE(argc >= 2);
    fill_points(&frame);
    fill_parts(&frame);
    fill_focus(&frame);
    fill_answers(&frame);
    const size_t size = phx_frame_size(&frame);
    uint8_t *bytes = malloc(size); /* of just this size: a write behind it is seen */
    REQUIRE(bytes && size % 8 == 0);
    phx_frame_encode(&frame, PHX_FRAME_REPLAY | PHX_FRAME_DIVERGED, bytes);
    if (argc > 2 && strcmp(argv[2], "--write") == 0) {
        FILE *out = fopen(argv[1], "w");
        REQUIRE(out);
        write_hex(out, bytes, size);
        REQUIRE(fclose(out) == 0);
    } else {
        compare(argv[1], bytes, size);
    }
    free(bytes);
    return check_done("view_golden");
}
