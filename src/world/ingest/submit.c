/*
 * The producer's side of commands: errors that can be found at once are refused here, all other commands are queued.
 * Runs on producers' threads at any time, also during a tick; it reads only the immutable definition of the world.
 */
#include "world/ingest/submit.h"

#include <string.h>

#include "base/lengths.h"
#include "world/queue/commands.h"
#include "world/state/world.h"

/* ---- checks ---- */

static ph_status check_attrs(const phx_world *world, uint16_t op, uint64_t id, const ph_attrs *a)
{
    uint32_t given = a->given;
    if (id == 0) return PH_BAD_ID;
    if (op == PHX_OP_ENTER && (given & (PH_X | PH_Y)) != (PH_X | PH_Y)) return PH_BAD_POSITION;
    if ((given & PH_X) && !phx_is_coordinate(a->x)) return PH_BAD_POSITION;
    if ((given & PH_Y) && !phx_is_coordinate(a->y)) return PH_BAD_POSITION;
    if ((given & PH_Z) && !phx_is_coordinate(a->z)) return PH_BAD_POSITION;
    if ((given & PH_VIEW) && !phx_is_length(a->view)) return PH_BAD_RADIUS;
    if ((given & PH_MARGIN) && !phx_is_length(a->margin)) return PH_BAD_RADIUS;
    if ((given & PH_REACH) && !phx_is_length(a->reach)) return PH_BAD_RADIUS;
    if ((given & PH_VISIBLE) && !phx_is_length(a->visible)) return PH_BAD_RADIUS;
    /* classes are only added, in a tick: with an old count, at worst a new kind is refused */
    uint32_t kinds = atomic_load_explicit(&world->kind_count, memory_order_relaxed);
    if ((given & PH_KIND) && a->kind >= kinds) return PH_BAD_KIND;
    if ((given & PH_CAP) && a->cap > INT32_MAX) return PH_BAD_VALUE;
    if (given & ~(uint32_t)PH_GIVEN_ALL) return PH_BAD_VALUE;
    uint32_t consumers = world->def.consumers > 0 ? world->def.consumers : 1;
    if ((given & PH_CONSUMER) && a->consumer >= consumers) return PH_BAD_VALUE;
    return PH_OK;
}

static bool is_position(const ph_position *p)
{
    return phx_is_coordinate(p->x) && phx_is_coordinate(p->y) && phx_is_coordinate(p->z);
}

static ph_status check_move(uint64_t id, const ph_position *p)
{
    if (id == 0) return PH_BAD_ID;
    return is_position(p) ? PH_OK : PH_BAD_POSITION;
}

/* A third of four positions, as in memory: x, y, z, x; y, z, x, y; z, x, y, z. */
typedef int32_t third __attribute__((vector_size(16)));
enum { FOUR = 4 };

static inline third third_at(const ph_position *four, int number)
{
    third t;
    memcpy(&t, &four->x + number * FOUR, sizeof t);
    return t;
}

/* All bits set in lanes that are no valid coordinate. */
static inline third too_far(third t)
{
    return (t & INT32_MAX) > (int32_t)phx_float_bits(PH_COORDINATE_MAX);
}

/* Are all coordinates valid? *high: is a z not 0? -0 counts. No branch: many at once. */
static bool check_positions(const ph_position *positions, uint32_t count, bool *high)
{
    third bad = {0}, a = {0}, b = {0}, c = {0};
    bool sound = true;
    uint32_t i = 0;
    for (; i + FOUR <= count; i += FOUR) {
        const ph_position *four = positions + i;
        third first = third_at(four, 0), second = third_at(four, 1), last = third_at(four, 2);
        bad |= too_far(first) | too_far(second) | too_far(last);
        a |= first;
        b |= second;
        c |= last;
    }
    *high = (a[2] | b[1] | c[0] | c[3]) != 0;
    for (; i < count; i++) {
        sound &= is_position(&positions[i]);
        *high |= phx_float_bits(positions[i].z) != 0;
    }
    return sound && (bad[0] | bad[1] | bad[2] | bad[3]) == 0;
}

/* Copies x and y. */
static void copy_places(phx_place *to, const ph_position *positions, uint32_t count)
{
    uint32_t i = 0;
    for (; i + FOUR <= count; i += FOUR) {
        const ph_position *four = positions + i;
        third first = third_at(four, 0), second = third_at(four, 1), last = third_at(four, 2);
        third two = __builtin_shufflevector(first, second, 0, 1, 3, 4);
        third more = __builtin_shufflevector(second, last, 2, 3, 5, 6);
        memcpy(to + i, &two, sizeof two);
        memcpy(to + i + 2, &more, sizeof more);
    }
    for (; i < count; i++) to[i] = (phx_place){positions[i].x, positions[i].y};
}

/*
 * The number of valid moves, from the first on. *op: with the bits of the columns that they need; if one is invalid,
 * perhaps more.
 */
static uint32_t sound_moves(const uint64_t *ids, const ph_position *positions, uint32_t count, uint16_t *op)
{
    uint64_t spread = 0; /* above 32 bits if an id is, or if one is 0 */
    uint32_t sound = 0;
    for (uint32_t i = 0; i < count; i++) spread |= ids[i] | (ids[i] - 1);
    bool high, near = check_positions(positions, count, &high), wide = spread > UINT32_MAX;
    *op = (uint16_t)(PHX_OP_MOVE | (wide ? PHX_MOVES_WIDE : 0) | (high ? PHX_MOVES_HIGH : 0));
    if (PHX_LIKELY(!wide && near)) return count;
    while (sound < count && check_move(ids[sound], &positions[sound]) == PH_OK) sound++;
    return sound;
}

static ph_status check_two(uint16_t op, uint64_t id, uint64_t other, float view, float margin)
{
    if (id == 0 || other == 0) return PH_BAD_ID;
    if (op == PHX_OP_PAIR && (!phx_is_length(view) || !phx_is_length(margin))) return PH_BAD_RADIUS;
    bool begins = op == PHX_OP_PAIR || op == PHX_OP_LINK || op == PHX_OP_HIDE || op == PHX_OP_REVEAL;
    return begins && id == other ? PH_SAME_ID : PH_OK;
}

static ph_status check_broadcast(const phx_world *world, uint32_t bytes, const ph_broadcast_options *options)
{
    const uint32_t known = PH_BROADCAST_SELF | PH_BROADCAST_SEEN;
    const bool ranged = (phx_float_bits(options->radius) & INT32_MAX) != 0; /* by bits: the host's denormals may be 0 */
    if (bytes > PH_PAYLOAD_MAX) return PH_TOO_LARGE;
    if (!phx_is_length(options->radius)) return PH_BAD_RADIUS;
    if ((options->flags & ~known) || (!ranged && (options->flags & PH_BROADCAST_SEEN))) return PH_BAD_VALUE;
    if (options->kind_count > PH_BROADCAST_KINDS_MAX) return PH_BAD_VALUE;
    uint32_t kinds = atomic_load_explicit(&world->kind_count, memory_order_relaxed);
    for (uint32_t i = 0; i < options->kind_count; i++)
        if (options->kinds[i] >= kinds) return PH_BAD_KIND;
    return PH_OK;
}

static bool is_point(const float xy[2])
{
    return phx_is_coordinate(xy[0]) && phx_is_coordinate(xy[1]);
}

/* The margin and the heights. */
static ph_status check_area_extent(const ph_area *area)
{
    if (!phx_is_length(area->margin)) return PH_BAD_RADIUS;
    if (area->shape == PH_AREA_POLYGON && area->margin > 0.0f) return PH_BAD_VALUE;
    if (area->flags & ~(uint32_t)(PH_AREA_HEIGHT | PH_AREA_IN_INSTANCE)) return PH_BAD_VALUE;
    if (!(area->flags & PH_AREA_HEIGHT)) return PH_OK;
    if (!phx_is_coordinate(area->z_low) || !phx_is_coordinate(area->z_high)) return PH_BAD_POSITION;
    return area->z_low <= area->z_high ? PH_OK : PH_BAD_VALUE;
}

static ph_status check_area_shape(const ph_area *area)
{
    switch (area->shape) {
    case PH_AREA_CIRCLE:
        if (!is_point(area->center)) return PH_BAD_POSITION;
        return phx_is_length(area->radius) ? PH_OK : PH_BAD_RADIUS;
    case PH_AREA_BOX:
        if (!is_point(area->low) || !is_point(area->high)) return PH_BAD_POSITION;
        return area->low[0] <= area->high[0] && area->low[1] <= area->high[1] ? PH_OK : PH_BAD_VALUE;
    case PH_AREA_POLYGON:
        if (area->corner_count < 3 || area->corner_count > PH_AREA_CORNERS_MAX) return PH_BAD_VALUE;
        for (uint32_t i = 0; i < area->corner_count; i++)
            if (!is_point(area->corners[i])) return PH_BAD_POSITION;
        return phx_area_is_convex(area) ? PH_OK : PH_BAD_VALUE;
    }
    return PH_BAD_VALUE;
}

static ph_status check_area(const phx_world *world, uint64_t id, const ph_area *area)
{
    if (id == 0) return PH_BAD_ID;
    if (area->kind_count > PH_AREA_KINDS_MAX) return PH_BAD_VALUE;
    uint32_t kinds = atomic_load_explicit(&world->kind_count, memory_order_relaxed);
    for (uint32_t i = 0; i < area->kind_count; i++)
        if (area->kinds[i] >= kinds) return PH_BAD_KIND;
    ph_status shape = check_area_shape(area);
    return shape == PH_OK ? check_area_extent(area) : shape;
}

/* ---- refusals ---- */

/* Counts a refusal, with number producer->sequence, and in a bulk call keeps it for ph_producer_refusals(). */
static void refuse_submitted(phx_world *world, phx_producer *producer, uint64_t id, ph_status status, bool bulk)
{
    atomic_fetch_add_explicit(&producer->refused[status], 1, memory_order_relaxed);
    const ph_refusal refusal = {.sequence = producer->sequence, .tick = 0, .id = id, .status = status};
    if (bulk && !phx_producer_refuse(producer, &world->mem, world->def.refusals_max, refusal))
        atomic_fetch_add_explicit(&producer->untold, 1, memory_order_relaxed);
}

/* ---- queue ---- */

typedef struct bulk_run {
    void *records; /* reserved room */
    uint32_t room, used;
} bulk_run;

/* Ends a run, as at a refused item: sequence numbers inside a run are consecutive. */
static void end_run(phx_producer *producer, bulk_run *run)
{
    if (run->room == 0) return;
    phx_cmdq_publish(producer->queue, run->used);
    run->used = run->room = 0;
}

/* Room for one item of a bulk call, checked already; its record is at *record on PH_OK. */
static ph_status next_record(phx_producer *producer, uint16_t op, uint32_t bytes, uint32_t wanted, bulk_run *run,
                             void **record)
{
    if (run->used == run->room) {
        if (run->room > 0) end_run(producer, run);
        ph_status status = PH_OK;
        run->room =
            phx_cmdq_reserve(producer->queue, op, bytes, producer->sequence + 1, wanted, &run->records, &status);
        PHX_ASSERT((run->room > 0) == (status == PH_OK));
        if (run->room == 0) return status;
    }
    *record = (char *)run->records + (size_t)run->used++ * bytes;
    producer->sequence++;
    return PH_OK;
}

/* Refuses an item: it takes a number, ends the run, is counted and kept; the first status is remembered. */
static void refuse_item(phx_world *world, phx_producer *producer, bulk_run *run, uint64_t id, ph_status status,
                        bool bulk, ph_status *first)
{
    end_run(producer, run);
    producer->sequence++;
    refuse_submitted(world, producer, id, status, bulk);
    if (*first == PH_OK) *first = status;
}

/* Counts the stop of a bulk call (full, or no memory), which takes no number. */
static ph_status count_stopped_bulk(phx_producer *producer, ph_status status)
{
    atomic_fetch_add_explicit(&producer->refused[status], 1, memory_order_relaxed);
    return status;
}

ph_status phx_submit_attrs(phx_world *world, phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                           const ph_attrs *attrs, uint32_t *done, bool bulk)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        ph_status status = check_attrs(world, op, ids[*done], &attrs[*done]);
        if (status != PH_OK) {
            refuse_item(world, producer, &run, ids[*done], status, bulk, &first);
            continue;
        }
        void *record = NULL;
        status = next_record(producer, op, sizeof(phx_cmd_attrs), count - *done, &run, &record);
        if (status != PH_OK) return count_stopped_bulk(producer, status);
        phx_cmd_attrs *command = record;
        command->id = ids[*done];
        command->attrs = attrs[*done];
    }
    end_run(producer, &run);
    return first;
}

/* Queues the first of `count` moves, as many as fit in one run. 0: *status has the reason. */
static uint32_t queue_moves(phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                            const ph_position *positions, ph_status *status)
{
    void *records;
    uint32_t room =
        phx_cmdq_reserve(producer->queue, op, phx_move_bytes(op), producer->sequence + 1, count, &records, status);
    if (room == 0) return 0;
    phx_moves to = phx_moves_at(records, op, room);
    if (to.wide) memcpy(to.wide, ids, room * sizeof *ids);
    else
        for (uint32_t i = 0; i < room; i++) to.narrow[i] = (uint32_t)ids[i];
    copy_places(to.places, positions, room);
    for (uint32_t i = 0; to.z && i < room; i++) to.z[i] = positions[i].z;
    phx_cmdq_publish(producer->queue, room);
    producer->sequence += room;
    return room;
}

ph_status phx_submit_move(phx_world *world, phx_producer *producer, uint32_t count, const uint64_t *ids,
                          const ph_position *positions, uint32_t *done, bool bulk)
{
    /*
     * 20 KiB are still in a near cache when they are copied after the check; behind an invalid one little is checked
     * twice
     */
    enum { SPAN_MIN = 32, SPAN_MAX = 1024 };
    bulk_run none = {0};
    ph_status first = PH_OK;
    uint32_t span = SPAN_MAX;
    for (*done = 0; *done < count;) {
        const uint64_t *id = ids + *done;
        const ph_position *position = positions + *done;
        uint32_t wanted = count - *done < span ? count - *done : span;
        uint16_t op;
        uint32_t sound = sound_moves(id, position, wanted, &op);
        for (uint32_t queued = 0, some; queued < sound; queued += some, *done += some) {
            ph_status status;
            some = queue_moves(producer, op, sound - queued, id + queued, position + queued, &status);
            if (PHX_UNLIKELY(some == 0)) return count_stopped_bulk(producer, status);
        }
        span = span < SPAN_MAX ? span * 2 : SPAN_MAX;
        if (PHX_LIKELY(sound == wanted)) continue;
        refuse_item(world, producer, &none, id[sound], check_move(id[sound], &position[sound]), bulk, &first);
        ++*done;
        span = SPAN_MIN;
    }
    return first;
}

ph_status phx_submit_ids(phx_world *world, phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                         uint32_t *done, bool bulk)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        if (ids[*done] == 0) {
            refuse_item(world, producer, &run, 0, PH_BAD_ID, bulk, &first);
            continue;
        }
        void *record = NULL;
        ph_status status = next_record(producer, op, sizeof(phx_cmd_id), count - *done, &run, &record);
        if (status != PH_OK) return count_stopped_bulk(producer, status);
        ((phx_cmd_id *)record)->id = ids[*done];
    }
    end_run(producer, &run);
    return first;
}

ph_status phx_submit_two(phx_world *world, phx_producer *producer, uint16_t op, uint64_t id, uint64_t other, float view,
                         float margin)
{
    bulk_run run = {0};
    ph_status first = PH_OK, status = check_two(op, id, other, view, margin);
    if (status != PH_OK) {
        refuse_item(world, producer, &run, id, status, false, &first);
        return first;
    }
    void *record = NULL;
    status = next_record(producer, op, sizeof(phx_cmd_two), 1, &run, &record);
    if (status != PH_OK) return count_stopped_bulk(producer, status);
    *(phx_cmd_two *)record = (phx_cmd_two){.id = id, .other = other, .view = view, .margin = margin};
    end_run(producer, &run);
    return PH_OK;
}

ph_status phx_submit_twos(phx_world *world, phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                          const uint64_t *others, uint32_t *done)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        ph_status status = check_two(op, ids[*done], others[*done], 0.0f, 0.0f);
        if (status != PH_OK) {
            refuse_item(world, producer, &run, ids[*done], status, true, &first);
            continue;
        }
        void *record = NULL;
        status = next_record(producer, op, sizeof(phx_cmd_two), count - *done, &run, &record);
        if (status != PH_OK) return count_stopped_bulk(producer, status);
        *(phx_cmd_two *)record = (phx_cmd_two){.id = ids[*done], .other = others[*done]};
    }
    end_run(producer, &run);
    return first;
}

ph_status phx_submit_area(phx_world *world, phx_producer *producer, uint64_t id, const ph_area *area)
{
    bulk_run run = {0};
    ph_status first = PH_OK, status = check_area(world, id, area);
    if (status != PH_OK) {
        refuse_item(world, producer, &run, id, status, false, &first);
        return first;
    }
    void *record = NULL;
    status = next_record(producer, PHX_OP_AREA_SET, sizeof(phx_cmd_area), 1, &run, &record);
    if (status != PH_OK) return count_stopped_bulk(producer, status);
    *(phx_cmd_area *)record = (phx_cmd_area){.id = id, .area = *area};
    end_run(producer, &run);
    return PH_OK;
}

/* The record, without its payload; options were checked. */
static void fill_broadcast(phx_cmd_broadcast *command, uint64_t source, uint32_t bytes,
                           const ph_broadcast_options *options)
{
    *command = (phx_cmd_broadcast){.id = source,
                                   .bytes = bytes,
                                   .flags = (uint16_t)options->flags,
                                   .kind_count = (uint16_t)options->kind_count,
                                   .radius = options->radius};
    for (uint32_t i = 0; i < options->kind_count; i++) command->kinds[i] = (uint16_t)options->kinds[i];
}

/* `head` and the payload: queued, or refused as `status` says. */
static ph_status queue_broadcast(phx_world *world, phx_producer *producer, const phx_cmd_broadcast *head,
                                 const void *payload, ph_status status)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    if (status != PH_OK) {
        refuse_item(world, producer, &run, head->id, status, false, &first);
        return first;
    }
    void *record = NULL;
    uint32_t room = (uint32_t)(sizeof *head + phx_payload_room(head->bytes));
    status = next_record(producer, PHX_OP_BROADCAST, room, 1, &run, &record);
    if (status != PH_OK) return count_stopped_bulk(producer, status);
    memcpy(record, head, sizeof *head);
    memset((char *)record + room - PHX_PAYLOAD_ALIGN, 0, head->bytes > 0 ? PHX_PAYLOAD_ALIGN : 0); /* the padding */
    if (head->bytes > 0) memcpy((char *)record + sizeof *head, payload, head->bytes);
    end_run(producer, &run);
    return PH_OK;
}

ph_status phx_submit_broadcast(phx_world *world, phx_producer *producer, uint64_t source, const void *payload,
                               uint32_t bytes, const ph_broadcast_options *options)
{
    phx_cmd_broadcast head = {.id = source};
    ph_status status = source == 0 ? PH_BAD_ID : check_broadcast(world, bytes, options);
    if (status == PH_OK) fill_broadcast(&head, source, bytes, options);
    return queue_broadcast(world, producer, &head, payload, status);
}

ph_status phx_submit_broadcast_at(phx_world *world, phx_producer *producer, const ph_broadcast_place *place,
                                  const void *payload, uint32_t bytes)
{
    phx_cmd_broadcast head = {0};
    const ph_broadcast_options options = {
        .kinds = place->kinds, .kind_count = place->kind_count, .radius = place->radius};
    bool sound = phx_is_coordinate(place->x) && phx_is_coordinate(place->y);
    ph_status status = sound ? check_broadcast(world, bytes, &options) : PH_BAD_POSITION;
    if (status == PH_OK) fill_broadcast(&head, 0, bytes, &options);
    head.x = place->x;
    head.y = place->y;
    head.layers = place->layers;
    head.instance = place->instance;
    return queue_broadcast(world, producer, &head, payload, status);
}

_Static_assert(sizeof(phx_cmd_broadcast) + PH_PAYLOAD_MAX <= PHX_CMDQ_RECORD_BYTES_MAX, "the longest has room");
_Static_assert(sizeof(phx_cmd_broadcast) % PHX_PAYLOAD_ALIGN == 0, "payloads are aligned in their records too");
