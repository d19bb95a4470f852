/*
 * The producer's side of commands: errors that can be found at once are refused here, all other commands are queued.
 * Runs on producers' threads at any time, also during a tick; it reads only the immutable definition of the world.
 */
#include "world/ingest/submit.h"

#include <string.h>

#include "base/lengths.h"
#include "world/ingest/capsule_check.h"
#include "world/ingest/command_checks.h"
#include "world/queue/commands.h"
#include "world/state/world.h"

/* ---- moves ---- */

static bool is_position(const ph_position *p)
{
    return phx_is_coordinate(p->x) && phx_is_coordinate(p->y) && phx_is_coordinate(p->z);
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
    while (sound < count && phx_check_move(ids[sound], &positions[sound]).status == PH_OK) sound++;
    return sound;
}

/* ---- refusals ---- */

static ph_refusal refusal_of(uint16_t op, uint64_t id, phx_check check)
{
    return (ph_refusal){.id = id, .status = check.status, .command = op, .field = (uint16_t)check.field};
}

/* Keeps a refusal of a bulk call for ph_producer_refusals(). */
static void keep_refusal(phx_world *world, phx_producer *producer, const ph_refusal *refusal)
{
    if (!phx_producer_refuse(producer, &world->mem, world->def.refusals_max, *refusal))
        atomic_fetch_add_explicit(&producer->untold, 1, memory_order_relaxed);
}

static ph_status count_refused(phx_producer *producer, ph_status status)
{
    atomic_fetch_add_explicit(&producer->refused[status], 1, memory_order_relaxed);
    return status;
}

/* Refuses a command that is no item of a bulk call: it takes a number and is counted. */
static ph_status refuse_single(phx_producer *producer, ph_status status)
{
    producer->sequence++;
    return count_refused(producer, status);
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
    phx_command_queue_publish(producer->queue, run->used);
    run->used = run->room = 0;
}

/* Room for one item of a bulk call, checked already; its record is at *record on PH_OK. */
static ph_status next_record(phx_producer *producer, uint16_t op, uint32_t bytes, uint32_t wanted, bulk_run *run,
                             void **record)
{
    if (run->used == run->room) {
        if (run->room > 0) end_run(producer, run);
        ph_status status = PH_OK;
        run->room = phx_command_queue_reserve(producer->queue, op, bytes, producer->sequence + 1, wanted, &run->records,
                                              &status);
        PHX_ASSERT((run->room > 0) == (status == PH_OK));
        if (run->room == 0) return status;
    }
    *record = (char *)run->records + (size_t)run->used++ * bytes;
    producer->sequence++;
    return PH_OK;
}

/* Refuses an item: it takes a number, ends the run, is counted and kept; the first status is remembered. */
static void refuse_item(phx_world *world, phx_producer *producer, bulk_run *run, ph_refusal refusal, bool bulk,
                        ph_status *first)
{
    end_run(producer, run);
    refusal.sequence = ++producer->sequence;
    count_refused(producer, refusal.status);
    if (bulk) keep_refusal(world, producer, &refusal);
    if (*first == PH_OK) *first = refusal.status;
}

/* The check of one item of enter or set. */
static phx_check check_item(const phx_world *world, uint16_t op, uint64_t id, const ph_attrs *attrs)
{
    return id == 0 ? (phx_check){PH_BAD_ID, PH_FIELD_ID} : phx_check_attrs(world, op, attrs);
}

/* Notes fields of a new entity that are set and not given, for a line in the log. */
static void note_ungiven(phx_world *world, uint16_t op, const ph_attrs *attrs)
{
    if (!world->def.log || (op == PHX_OP_SET && attrs->given != 0)) return;
    uint32_t ungiven = phx_attrs_ungiven(attrs);
    if (PHX_UNLIKELY(ungiven & ~atomic_load_explicit(&world->ungiven, memory_order_relaxed)))
        atomic_fetch_or_explicit(&world->ungiven, ungiven, memory_order_relaxed);
}

ph_status phx_submit_attrs(phx_world *world, phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                           const ph_attrs *attrs, uint32_t *done, bool bulk)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        phx_check check = check_item(world, op, ids[*done], &attrs[*done]);
        if (check.status != PH_OK) {
            refuse_item(world, producer, &run, refusal_of(op, ids[*done], check), bulk, &first);
            continue;
        }
        void *record = NULL;
        ph_status status = next_record(producer, op, sizeof(phx_command_attrs), count - *done, &run, &record);
        if (status != PH_OK) return count_refused(producer, status);
        note_ungiven(world, op, &attrs[*done]);
        phx_command_attrs *command = record;
        command->id = ids[*done];
        command->attrs = attrs[*done];
    }
    end_run(producer, &run);
    return first;
}

/*
 * Queues a move that is sound. The operation is a constant where this is called, so columns stand at known places. The
 * record is written in the queue: a copy of it would be read before its parts are stored.
 */
static inline __attribute__((always_inline)) ph_status queue_single(phx_producer *producer, uint16_t op, uint64_t id,
                                                                    ph_position position)
{
    ph_status status;
    void *record =
        phx_command_queue_reserve_one(producer->queue, op, phx_move_bytes(op), producer->sequence + 1, &status);
    if (PHX_UNLIKELY(!record)) return count_refused(producer, status);
    const phx_moves to = phx_moves_at(record, op, 1);
    if (to.wide) *to.wide = id;
    else *to.narrow = (uint32_t)id;
    *to.places = (phx_place){position.x, position.y};
    if (to.z) *to.z = position.z;
    phx_command_queue_publish(producer->queue, 1);
    producer->sequence++;
    return PH_OK;
}

ph_status phx_submit_single_move(phx_producer *producer, uint64_t id, ph_position position)
{
    const phx_check check = phx_check_move(id, &position);
    if (PHX_UNLIKELY(check.status != PH_OK)) return refuse_single(producer, check.status);
    const bool high = phx_float_bits(position.z) != 0;
    if (id > UINT32_MAX)
        return high ? queue_single(producer, PHX_OP_MOVE | PHX_MOVES_WIDE | PHX_MOVES_HIGH, id, position)
                    : queue_single(producer, PHX_OP_MOVE | PHX_MOVES_WIDE, id, position);
    return high ? queue_single(producer, PHX_OP_MOVE | PHX_MOVES_HIGH, id, position)
                : queue_single(producer, PHX_OP_MOVE, id, position);
}

/* Queues the first of `count` moves, as many as fit in one run. 0: *status has the reason. */
static uint32_t queue_moves(phx_producer *producer, uint16_t op, uint32_t count, const uint64_t *ids,
                            const ph_position *positions, ph_status *status)
{
    void *records;
    uint32_t room = phx_command_queue_reserve(producer->queue, op, phx_move_bytes(op), producer->sequence + 1, count,
                                              &records, status);
    if (room == 0) return 0;
    phx_moves to = phx_moves_at(records, op, room);
    if (to.wide) memcpy(to.wide, ids, room * sizeof *ids);
    else
        for (uint32_t i = 0; i < room; i++) to.narrow[i] = (uint32_t)ids[i];
    copy_places(to.places, positions, room);
    for (uint32_t i = 0; to.z && i < room; i++) to.z[i] = positions[i].z;
    phx_command_queue_publish(producer->queue, room);
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
            if (PHX_UNLIKELY(some == 0)) return count_refused(producer, status);
        }
        span = span < SPAN_MAX ? span * 2 : SPAN_MAX;
        if (PHX_LIKELY(sound == wanted)) continue;
        refuse_item(world, producer, &none,
                    refusal_of(PHX_OP_MOVE, id[sound], phx_check_move(id[sound], &position[sound])), bulk, &first);
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
            const phx_check check = {PH_BAD_ID, PH_FIELD_ID};
            refuse_item(world, producer, &run, refusal_of(op, 0, check), bulk, &first);
            continue;
        }
        void *record = NULL;
        ph_status status = next_record(producer, op, sizeof(phx_command_id), count - *done, &run, &record);
        if (status != PH_OK) return count_refused(producer, status);
        ((phx_command_id *)record)->id = ids[*done];
    }
    end_run(producer, &run);
    return first;
}

ph_status phx_submit_two_ids(phx_producer *producer, uint16_t op, uint64_t id, uint64_t other, float view, float margin)
{
    bulk_run run = {0};
    ph_status status = phx_check_two_ids(op, id, other, view, margin).status;
    if (status != PH_OK) return refuse_single(producer, status);
    void *record = NULL;
    status = next_record(producer, op, sizeof(phx_command_two_ids), 1, &run, &record);
    if (status != PH_OK) return count_refused(producer, status);
    *(phx_command_two_ids *)record = (phx_command_two_ids){.id = id, .other = other, .view = view, .margin = margin};
    end_run(producer, &run);
    return PH_OK;
}

ph_status phx_submit_two_ids_many(phx_world *world, phx_producer *producer, uint16_t op, uint32_t count,
                                  const uint64_t *ids, const uint64_t *others, uint32_t *done)
{
    bulk_run run = {0};
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        phx_check check = phx_check_two_ids(op, ids[*done], others[*done], 0.0f, 0.0f);
        if (check.status != PH_OK) {
            refuse_item(world, producer, &run, refusal_of(op, ids[*done], check), true, &first);
            continue;
        }
        void *record = NULL;
        ph_status status = next_record(producer, op, sizeof(phx_command_two_ids), count - *done, &run, &record);
        if (status != PH_OK) return count_refused(producer, status);
        *(phx_command_two_ids *)record = (phx_command_two_ids){.id = ids[*done], .other = others[*done]};
    }
    end_run(producer, &run);
    return first;
}

ph_status phx_submit_area(phx_world *world, phx_producer *producer, uint64_t id, const ph_area *area)
{
    bulk_run run = {0};
    ph_status status = phx_check_area(world, id, area);
    if (status != PH_OK) return refuse_single(producer, status);
    void *record = NULL;
    status = next_record(producer, PHX_OP_AREA_SET, sizeof(phx_command_area), 1, &run, &record);
    if (status != PH_OK) return count_refused(producer, status);
    *(phx_command_area *)record = (phx_command_area){.id = id, .area = *area};
    end_run(producer, &run);
    return PH_OK;
}

/* The record, without its payload; options were checked. */
static void fill_broadcast(phx_command_broadcast *command, uint64_t source, uint32_t bytes,
                           const ph_broadcast_options *options)
{
    *command = (phx_command_broadcast){.id = source,
                                       .bytes = bytes,
                                       .flags = (uint16_t)options->flags,
                                       .kind_count = (uint16_t)options->kind_count,
                                       .radius = options->radius};
    for (uint32_t i = 0; i < options->kind_count; i++) command->kinds[i] = (uint16_t)options->kinds[i];
}

/* `head` and the payload: queued, or refused as `status` says. */
static ph_status queue_broadcast(phx_producer *producer, const phx_command_broadcast *head, const void *payload,
                                 ph_status status)
{
    bulk_run run = {0};
    if (status != PH_OK) return refuse_single(producer, status);
    void *record = NULL;
    uint32_t room = (uint32_t)(sizeof *head + phx_payload_room(head->bytes));
    status = next_record(producer, PHX_OP_BROADCAST, room, 1, &run, &record);
    if (status != PH_OK) return count_refused(producer, status);
    memcpy(record, head, sizeof *head);
    memset((char *)record + room - PHX_PAYLOAD_ALIGN, 0, head->bytes > 0 ? PHX_PAYLOAD_ALIGN : 0); /* the padding */
    if (head->bytes > 0) memcpy((char *)record + sizeof *head, payload, head->bytes);
    end_run(producer, &run);
    return PH_OK;
}

ph_status phx_submit_broadcast(phx_world *world, phx_producer *producer, uint64_t source, const void *payload,
                               uint32_t bytes, const ph_broadcast_options *options)
{
    phx_command_broadcast head = {.id = source};
    ph_status status = source == 0 ? PH_BAD_ID : phx_check_broadcast(world, bytes, options);
    if (status == PH_OK) fill_broadcast(&head, source, bytes, options);
    return queue_broadcast(producer, &head, payload, status);
}

ph_status phx_submit_broadcast_at(phx_world *world, phx_producer *producer, const ph_broadcast_place *place,
                                  const void *payload, uint32_t bytes)
{
    phx_command_broadcast head = {0};
    ph_broadcast_options options = {.kinds = place->kinds, .kind_count = place->kind_count, .radius = place->radius};
    memcpy(options.reserved, place->reserved, sizeof options.reserved); /* checked as of options */
    bool sound = phx_is_coordinate(place->x) && phx_is_coordinate(place->y);
    ph_status status = sound ? phx_check_broadcast(world, bytes, &options) : PH_BAD_POSITION;
    if (status == PH_OK) fill_broadcast(&head, 0, bytes, &options);
    head.x = place->x;
    head.y = place->y;
    head.layers = place->layers;
    head.instance = place->instance;
    return queue_broadcast(producer, &head, payload, status);
}

/* Marks members as of a world apart, and targets that are other entities here than there. */
static void mark_apart(unsigned char *capsule, size_t size, const phx_stays *stays)
{
    phx_capsule_walk walk;
    phx_capsule_view view;
    bool sound = phx_capsule_open(&walk, capsule, size);
    PHX_ASSERT(sound);
    (void)sound;
    while (phx_capsule_next(&walk, &view)) {
        view.member.flags |= PHX_CAPSULE_APART;
        memcpy(capsule + (view.targets - capsule) - sizeof view.member, &view.member, sizeof view.member);
        for (uint32_t i = 0; i < view.member.targets; i++) {
            phx_capsule_target target = phx_capsule_target_at(view.targets, i);
            if (phx_stay_of(stays, target.id) == target.stay) continue;
            target.flags |= PHX_CAPSULE_STRANGER;
            memcpy(capsule + (view.targets - capsule) + i * sizeof target, &target, sizeof target);
        }
    }
    phx_capsule_seal(capsule, size - sizeof(uint64_t));
}

ph_status phx_submit_import(phx_world *world, phx_producer *producer, const void *capsule, size_t size,
                            const phx_stays *stays)
{
    bulk_run run = {0};
    phx_command_import head = {.bytes = (uint32_t)size};
    ph_status status = phx_check_capsule(world, capsule, size, &head.id).status;
    if (status != PH_OK) return refuse_single(producer, status);
    void *record = NULL;
    status = next_record(producer, PHX_OP_IMPORT, (uint32_t)(sizeof head + size), 1, &run, &record);
    if (status != PH_OK) return count_refused(producer, status);
    memcpy(record, &head, sizeof head);
    memcpy((char *)record + sizeof head, capsule, size);
    if (stays->of) mark_apart((unsigned char *)record + sizeof head, size, stays);
    end_run(producer, &run);
    return PH_OK;
}

_Static_assert(sizeof(phx_command_broadcast) + PH_PAYLOAD_MAX <= PHX_COMMAND_QUEUE_RECORD_BYTES_MAX,
               "the longest has room");
_Static_assert(sizeof(phx_command_import) + PH_CAPSULE_MAX <= PHX_COMMAND_QUEUE_RECORD_BYTES_MAX, "as has a capsule");
_Static_assert(sizeof(phx_command_broadcast) % PHX_PAYLOAD_ALIGN == 0, "payloads are aligned in their records too");
