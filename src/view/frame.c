/*
 * Encoding frames; see frame.h. One walk over the sections writes, and the same walk without a buffer counts: so size
 * and bytes can not differ. Columns and numbers go out as they lie in memory, which is little-endian on all machines
 * that the library runs on.
 */
#include "view/frame.h"

#include "base/core.h"

#include <stddef.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a frame is little-endian");

enum { VERSION = 1, EXPLANATION_SIZE = 256 };
typedef enum frame_section {
    RECT = 1,
    POINTS,
    GRID,
    SHARDS,
    AREAS,
    FOCUS,
    EVENTS,
    ANSWERS,
    STATS,
    KEYS,
    CLASSES
} frame_section;

/* The form of this list never comes to rest. */
/* clang-format off */
#define STAT_LIST(X) \
    X(ticks) X(entities) X(observers) X(list_entries) X(ghosts) X(commands) X(enters) X(leaves) \
    X(coalesced_ticks) X(deliveries) X(awake) X(areas) X(updates) X(migrations) X(halo_records) X(ingest_ns) \
    X(exchange_ns) X(index_ns) X(interest_ns) X(publish_ns) X(tick_ns_max) X(bytes) X(instances) X(outside) \
    X(attached) X(remote) X(queued) X(batches_out) X(net_events) X(crowd_observers) X(crowd_most) X(last_applied) \
    X(last_refused) X(last_enters) X(last_leaves) X(last_deliveries) X(last_migrations) X(last_pairs_tested) \
    X(last_updates)
/* clang-format on */

const phx_frame_stat phx_frame_stats[] = {
#define STAT_ROW(name) {#name, offsetof(ph_stats, name)},
    STAT_LIST(STAT_ROW)
#undef STAT_ROW
};
const uint32_t phx_frame_stat_count = sizeof phx_frame_stats / sizeof *phx_frame_stats;

/* bytes NULL: only counts. */
typedef struct writer {
    uint8_t *bytes;
    size_t at, section;
    uint16_t sections;
} writer;

/* ---- numbers ---- */

static void put(writer *w, const void *data, size_t bytes)
{
    if (w->bytes && bytes > 0) memcpy(w->bytes + w->at, data, bytes);
    w->at += bytes;
}

#define PUT(type, name) \
    static void put_##name(writer *w, type value) \
    { \
        put(w, &value, sizeof value); \
    }
PUT(uint8_t, u8)
PUT(uint16_t, u16)
PUT(uint32_t, u32)
PUT(uint64_t, u64)
PUT(float, f32)
PUT(double, f64)
#undef PUT

static void pad(writer *w)
{
    static const uint8_t zero[8];
    put(w, zero, (8 - w->at % 8) % 8);
}

static void begin(writer *w, frame_section type, uint32_t count)
{
    w->section = w->at;
    w->sections++;
    put_u16(w, (uint16_t)type);
    put_u16(w, 0);
    put_u32(w, count);
    put_u32(w, 0); /* its bytes, at the end */
    put_u32(w, 0);
}

static void end(writer *w)
{
    pad(w);
    const uint32_t bytes = (uint32_t)(w->at - w->section - 16);
    if (w->bytes) memcpy(w->bytes + w->section + 8, &bytes, sizeof bytes);
}

/* ---- sections ---- */

static void put_rect(writer *w, const ph_monitor_frame *frame)
{
    const ph_monitor_view *view = &frame->view;
    begin(w, RECT, 1);
    put_f32(w, view->x0);
    put_f32(w, view->y0);
    put_f32(w, view->x1);
    put_f32(w, view->y1);
    put_u32(w, view->instance);
    put_u32(w, view->flags);
    put_u32(w, frame->points.stride);
    put_u32(w, frame->points.matched);
    put_u32(w, frame->points.slot_count);
    put_u32(w, frame->points.slot_epoch);
    put_u32(w, frame->areas_matched);
    put_u32(w, frame->events_lost);
    put_u32(w, frame->questions_waiting);
    put_u16(w, (uint16_t)view->spread);
    put_u16(w, frame->points.oldest < UINT16_MAX ? (uint16_t)frame->points.oldest : UINT16_MAX);
    put_u64(w, frame->skipped);
    put_u64(w, frame->fill_ns);
    end(w);
}

static void put_points(writer *w, const ph_monitor_points *points)
{
    const size_t count = points->count;
    begin(w, POINTS, points->count);
    put(w, points->slots, count * sizeof *points->slots);
    put(w, points->x, count * sizeof *points->x);
    put(w, points->y, count * sizeof *points->y);
    put(w, points->kinds, count * sizeof *points->kinds);
    put(w, points->bits, count);
    put(w, points->steps, count);
    end(w);
}

static void put_grid(writer *w, const ph_monitor_grid *grid)
{
    const size_t bytes = (size_t)grid->cells * grid->cells * sizeof *grid->counts;
    begin(w, GRID, grid->cells);
    put(w, grid->counts, bytes);
    put(w, grid->costs, bytes);
    end(w);
}

static void put_shards(writer *w, const ph_monitor_frame *frame)
{
    begin(w, SHARDS, frame->shard_count);
    for (uint32_t i = 0; i < frame->shard_count; i++) {
        const ph_monitor_shard *shard = &frame->shards[i];
        const uint16_t towers[] = {shard->x0, shard->y0, shard->x1, shard->y1};
        const uint32_t counts[] = {shard->entities, shard->observers, shard->ghosts, shard->touched};
        const uint64_t sums[] = {shard->list_entries, shard->bytes,       shard->migrations,
                                 shard->halo_records, shard->ingest_ns,   shard->exchange_ns,
                                 shard->index_ns,     shard->interest_ns, shard->publish_ns};
        put(w, towers, sizeof towers);
        put(w, counts, sizeof counts);
        put(w, sums, sizeof sums);
        put_u32(w, shard->halo_towers);
        pad(w);
    }
    end(w);
}

static void put_areas(writer *w, const ph_monitor_frame *frame)
{
    begin(w, AREAS, frame->area_count);
    for (uint32_t i = 0; i < frame->area_count; i++) {
        const ph_monitor_area *area = &frame->areas[i];
        const float numbers[] = {area->x,      area->y,      area->to_x,  area->to_y,
                                 area->radius, area->margin, area->z_low, area->z_high};
        put_u64(w, area->id);
        put_u64(w, area->follow);
        put_u64(w, area->layers);
        put(w, numbers, sizeof numbers);
        put(w, area->corners, sizeof area->corners);
        put_u32(w, area->instance);
        put_u8(w, area->shape);
        put_u8(w, area->corner_count);
        put_u8(w, area->in_instance);
        put_u8(w, 0);
    }
    end(w);
}

static void put_attrs(writer *w, const ph_attrs *attrs)
{
    const float lengths[] = {attrs->x, attrs->y, attrs->z, attrs->view, attrs->margin, attrs->reach, attrs->visible};
    const uint8_t small[] = {attrs->stealth, attrs->detect, attrs->priority, attrs->global,
                             attrs->veiled,  attrs->ready,  attrs->remote,   0};
    put_u32(w, attrs->given);
    put(w, lengths, sizeof lengths);
    put_u32(w, attrs->kind);
    put_u32(w, attrs->cap);
    put_u32(w, attrs->consumer);
    put_u32(w, attrs->instance);
    put_u64(w, attrs->layers);
    put_u64(w, attrs->sees);
    put_u64(w, attrs->user_data);
    put(w, small, sizeof small);
}

static void put_focus(writer *w, const ph_monitor_focus *focus)
{
    begin(w, FOCUS, focus->target_count);
    put_u64(w, focus->id);
    put_u64(w, focus->parent);
    put_attrs(w, &focus->attrs);
    put_f32(w, focus->view_given);
    put_f32(w, focus->height);
    put_u32(w, focus->shard);
    put_u16(w, focus->tx);
    put_u16(w, focus->ty);
    put_u32(w, focus->list_count);
    put_u8(w, focus->found);
    put_u8(w, focus->awake);
    put_u8(w, focus->cut);
    put_u8(w, focus->step);
    for (uint32_t i = 0; i < focus->target_count; i++) {
        const ph_monitor_target *target = &focus->targets[i];
        put_u64(w, target->id);
        put_f32(w, target->x);
        put_f32(w, target->y);
        put_u32(w, target->rank);
        put_u8(w, target->reason);
        put_u8(w, target->band);
        put_u16(w, target->due);
    }
    end(w);
}

static void put_events(writer *w, const ph_monitor_frame *frame)
{
    begin(w, EVENTS, frame->event_count);
    for (uint32_t i = 0; i < frame->event_count; i++) {
        const ph_monitor_event *event = &frame->events[i];
        put_u64(w, event->tick);
        put_u64(w, event->target);
        put_u8(w, event->enter);
        put_u8(w, event->cause);
        pad(w);
    }
    end(w);
}

static void put_explanation(writer *w, const ph_explanation *e)
{
    char text[EXPLANATION_SIZE] = "";
    const float lengths[] = {e->dx, e->dy, e->dz, e->square, e->radius, e->margin, e->height};
    const uint32_t counts[] = {e->towers_x, e->towers_y,          e->span,           e->cap, e->rank,
                               e->passing,  e->observer_instance, e->target_instance};
    const uint8_t small[] = {e->sees, e->paired, e->stealth, e->detect, e->range, e->shape, 0, 0};
    put_u32(w, (uint32_t)e->reason);
    put(w, lengths, sizeof lengths);
    put(w, counts, sizeof counts);
    put_u64(w, e->sees_mask);
    put_u64(w, e->layers);
    put(w, small, sizeof small);
    ph_explanation_text(e, text, sizeof text);
    put(w, text, sizeof text);
}

static void put_answer(writer *w, const ph_monitor_frame *frame, const ph_monitor_answer *answer)
{
    const ph_monitor_question *question = &answer->question;
    put_u64(w, question->tag);
    put_u64(w, question->id);
    put_u64(w, question->other);
    put_u32(w, (uint32_t)question->kind);
    put_u32(w, (uint32_t)answer->status);
    put_u32(w, answer->count);
    put_u32(w, answer->total);
    for (uint32_t i = 0; i < answer->count; i++) {
        const ph_hit *hit = &frame->hits[answer->first + i];
        put_u64(w, hit->id);
        put_f32(w, hit->square);
        put_u32(w, hit->kind);
    }
    if (question->kind == PH_ASK_EXPLAIN && answer->status == PH_OK) put_explanation(w, &answer->explanation);
    if (question->kind == PH_ASK_ENTITY && answer->status == PH_OK) put_attrs(w, &answer->attrs);
}

static void put_answers(writer *w, const ph_monitor_frame *frame)
{
    begin(w, ANSWERS, frame->answer_count);
    for (uint32_t i = 0; i < frame->answer_count; i++) put_answer(w, frame, &frame->answers[i]);
    end(w);
}

/* In the order of phx_frame_stats. */
static void put_stats(writer *w, const ph_stats *stats)
{
    begin(w, STATS, phx_frame_stat_count);
    for (uint32_t i = 0; i < phx_frame_stat_count; i++)
        put(w, (const char *)stats + phx_frame_stats[i].offset, sizeof(uint64_t));
    end(w);
}

static void put_keys(writer *w, const ph_monitor_keys *keys)
{
    const uint32_t whole[] = {keys->shape,
                              keys->span,
                              keys->broadcast_bytes,
                              keys->events_max,
                              keys->share_min,
                              keys->activation_span,
                              keys->activation_linger,
                              keys->crowd_entities};
    begin(w, KEYS, 1);
    put_u64(w, keys->generation);
    put_f64(w, keys->sticky);
    put_f32(w, keys->height);
    put_f32(w, keys->crowd_floor);
    put(w, whole, sizeof whole);
    put_f32(w, keys->tower_size);
    end(w);
}

/* The keys that a page draws with; of many classes a part, another one in the next frame. */
static void put_classes(writer *w, const ph_class *classes, uint32_t all, uint32_t sequence)
{
    const uint32_t parts = (all + PHX_FRAME_CLASSES_MAX - 1) / PHX_FRAME_CLASSES_MAX;
    const uint32_t first = parts > 0 ? sequence % parts * PHX_FRAME_CLASSES_MAX : 0, left = all - first;
    const uint32_t count = left < PHX_FRAME_CLASSES_MAX ? left : (uint32_t)PHX_FRAME_CLASSES_MAX;
    begin(w, CLASSES, count);
    put_u32(w, first);
    pad(w);
    for (uint32_t i = first; i < first + count; i++) {
        const ph_class *class = &classes[i];
        put_f32(w, class->view);
        put_u32(w, class->band_count);
        for (uint32_t j = 0; j < class->band_count; j++) {
            put_f32(w, class->bands[j].radius);
            put_u32(w, class->bands[j].every);
        }
    }
    end(w);
}

static void put_sections(writer *w, const ph_monitor_frame *frame)
{
    put_rect(w, frame);
    if (frame->points.count > 0) put_points(w, &frame->points);
    if (frame->grid.cells > 0) put_grid(w, &frame->grid);
    if (frame->shard_count > 0) put_shards(w, frame);
    if (frame->area_count > 0) put_areas(w, frame);
    if (frame->focus.id != 0) put_focus(w, &frame->focus);
    if (frame->event_count > 0) put_events(w, frame);
    if (frame->answer_count > 0) put_answers(w, frame);
    if (frame->stats) put_stats(w, frame->stats);
    if (frame->keys) put_keys(w, frame->keys);
    if (frame->keys && frame->classes) put_classes(w, frame->classes, frame->keys->class_count, frame->sequence);
}

/* ---- the frame ---- */

static void put_head(writer *w, const ph_monitor_frame *frame, uint32_t host_flags)
{
    put(w, "PHV1", 4);
    put_u16(w, VERSION);
    put_u16(w, 0); /* sections, at the end */
    put_u64(w, frame->tick);
    put_u32(w, frame->sequence);
    put_u32(w, frame->flags | host_flags);
    put_f32(w, (float)((double)frame->tick_ns / 1e6));
    put_u32(w, frame->entities);
}

size_t phx_frame_size(const ph_monitor_frame *frame)
{
    writer w = {0};
    put_head(&w, frame, 0);
    put_sections(&w, frame);
    PHX_ASSERT(w.at <= PHX_FRAME_BYTES_MAX && w.at % 8 == 0);
    return w.at;
}

void phx_frame_encode(const ph_monitor_frame *frame, uint32_t host_flags, uint8_t *bytes)
{
    writer w = {.bytes = bytes};
    put_head(&w, frame, host_flags);
    put_sections(&w, frame);
    memcpy(bytes + 6, &w.sections, sizeof w.sections);
}
