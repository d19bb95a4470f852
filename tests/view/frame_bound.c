/*
 * The bytes of a frame at all maxima of monitor.h: below the bound that a page counts on. Of more classes than a frame
 * has, each comes in one of the next frames; of a frame without memory for classes no section is made.
 */
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "view/frame.h"

enum { CLASSES = 11, HEAD = 32, SECTION = 16, KINDS_AT = 8, BAND_BYTES = 8 };

static void *zeroes(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);
    REQUIRE(at != NULL);
    return at;
}

/* Every array as long as it may be; arrays of zeroes. Lives as long as the program. */
static void fill_frame(ph_monitor_frame *frame)
{
    static ph_stats stats;
    static ph_monitor_keys keys = {.class_count = PH_KINDS_MAX};
    static ph_class classes[PH_KINDS_MAX];
    ph_monitor_answer *answers = zeroes(PH_MONITOR_QUESTIONS_MAX, sizeof *answers);
    for (uint32_t i = 0; i < PH_KINDS_MAX; i++) classes[i] = (ph_class){.view = (float)i, .band_count = PH_BANDS_MAX};
    for (uint32_t i = 0; i < PH_MONITOR_QUESTIONS_MAX; i++) answers[i].question.kind = PH_ASK_EXPLAIN;
    answers[0].count = PH_MONITOR_HITS_MAX;
    frame->points = (ph_monitor_points){.count = PH_MONITOR_POINTS_MAX,
                                        .slots = zeroes(PH_MONITOR_POINTS_MAX, 4),
                                        .x = zeroes(PH_MONITOR_POINTS_MAX, 2),
                                        .y = zeroes(PH_MONITOR_POINTS_MAX, 2),
                                        .kinds = zeroes(PH_MONITOR_POINTS_MAX, 2),
                                        .bits = zeroes(PH_MONITOR_POINTS_MAX, 1),
                                        .steps = zeroes(PH_MONITOR_POINTS_MAX, 1)};
    frame->grid = (ph_monitor_grid){.cells = PH_MONITOR_CELLS,
                                    .counts = zeroes(PH_MONITOR_CELLS * PH_MONITOR_CELLS, 4),
                                    .costs = zeroes(PH_MONITOR_CELLS * PH_MONITOR_CELLS, 4)};
    frame->focus = (ph_monitor_focus){.id = 1,
                                      .target_count = PH_MONITOR_TARGETS_MAX,
                                      .targets = zeroes(PH_MONITOR_TARGETS_MAX, sizeof(ph_monitor_target))};
    frame->shards = zeroes(PH_SHARDS_MAX, sizeof *frame->shards);
    frame->areas = zeroes(PH_MONITOR_AREAS_MAX, sizeof *frame->areas);
    frame->events = zeroes(PH_MONITOR_EVENTS_MAX, sizeof *frame->events);
    frame->answers = answers;
    frame->hits = zeroes(PH_MONITOR_HITS_MAX, sizeof *frame->hits);
    frame->stats = &stats;
    frame->keys = &keys;
    frame->classes = classes;
    frame->shard_count = PH_SHARDS_MAX;
    frame->area_count = PH_MONITOR_AREAS_MAX;
    frame->event_count = PH_MONITOR_EVENTS_MAX;
    frame->answer_count = PH_MONITOR_QUESTIONS_MAX;
    frame->hit_count = PH_MONITOR_HITS_MAX;
}

static uint32_t word_at(const uint8_t *bytes, size_t at)
{
    uint32_t word;
    memcpy(&word, bytes + at, sizeof word);
    return word;
}

/* The section of classes. NULL: there is none. */
static const uint8_t *find_classes(const uint8_t *bytes, size_t size)
{
    for (size_t at = HEAD; at < size; at += SECTION + word_at(bytes, at + 8))
        if ((word_at(bytes, at) & UINT16_MAX) == CLASSES) return bytes + at;
    return NULL;
}

/* Notes the classes of a frame; the view of each is its kind. */
static void note_classes(const uint8_t *section, uint32_t seen[PH_KINDS_MAX])
{
    const uint32_t count = word_at(section, 4), first = word_at(section, SECTION);
    const uint8_t *at = section + SECTION + KINDS_AT;
    REQUIRE(count <= PHX_FRAME_CLASSES_MAX && first + count <= PH_KINDS_MAX);
    for (uint32_t i = first; i < first + count; i++, at += 8 + BAND_BYTES * PH_BANDS_MAX) {
        float view;
        memcpy(&view, at, sizeof view);
        CHECK(view == (float)i && word_at(at, 4) == PH_BANDS_MAX, "class %u has the view %g", i, (double)view);
        seen[i]++;
    }
}

int main(void)
{
    enum { FRAMES = 6 };
    static uint32_t seen[PH_KINDS_MAX];
    static uint8_t bytes[PHX_FRAME_BYTES_MAX];
    static ph_monitor_frame frame;
    fill_frame(&frame);
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame.sequence = UINT32_MAX - 2 + i; /* wraps */
        const size_t size = phx_frame_size(&frame);
        CHECK(size <= PHX_FRAME_BYTES_MAX && size % 8 == 0, "%zu bytes", size);
        if (size > PHX_FRAME_BYTES_MAX) break;
        phx_frame_encode(&frame, 0, bytes);
        const uint8_t *classes = find_classes(bytes, size);
        REQUIRE(classes != NULL);
        note_classes(classes, seen);
    }
    for (uint32_t i = 0; i < PH_KINDS_MAX; i++) CHECK(seen[i] == FRAMES / 2, "class %u came %u times", i, seen[i]);
    frame.classes = NULL; /* no memory for the ones that a definition has added */
    phx_frame_encode(&frame, 0, bytes);
    CHECK(!find_classes(bytes, phx_frame_size(&frame)), "classes that are not there");
    return check_done("view_frame_bound");
}
