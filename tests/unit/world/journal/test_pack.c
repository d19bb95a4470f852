/*
 * src/world/journal: commands of every operation are packed (pack.c) and read back (unpack.c) as they were submitted;
 * bytes that are missing, changed or too many are refused.
 */
#include "unit/shards/shard_case.h"

#include <pharos/pharos.h>

#include "world/ingest/submit.h"
#include "world/journal/pack.h"
#include "world/journal/unpack.h"
#include "world/tick/lifecycle.h"

enum { COMMANDS = 40, RECORD_BYTES = 1 << 20 };

static phx_world *world;
static phx_producer from, to;
static unsigned char record[RECORD_BYTES];
static char reason_text[200];

static void set_up(void)
{
    ph_world_def def = ph_world_def_default();
    memory_set_up();
    def.allocator = watched_memory_allocator(&watched);
    def.world_size[0] = def.world_size[1] = 1000;
    cr_assert_eq(phx_world_create(&def, NULL, &world), PH_OK);
    memset(&from, 0, sizeof from);
    memset(&to, 0, sizeof to);
    cr_assert(phx_producer_begin_record(&from, &memory, &world->def));
}

static void tear_down(void)
{
    phx_producer_free(&from, &memory);
    phx_producer_free(&to, &memory);
    phx_world_destroy(world);
    memory_tear_down();
}

TestSuite(pack, .init = set_up, .fini = tear_down);

/* ---- commands ---- */

static uint64_t any_id(uint64_t *rng, bool wide)
{
    return 1 + phx_rng_below(rng, 100000) + (wide ? 1ull << 40 : 0);
}

/* Attributes of which some are given; all others are 0. */
static ph_attrs any_attrs(uint64_t *rng)
{
    ph_attrs attrs;
    memset(&attrs, 0, sizeof attrs);
    attrs.given = (uint32_t)phx_rng_next(rng) & PH_GIVEN_ALL;
    if (phx_rng_below(rng, 8) == 0) attrs.given = PH_X | PH_Y;
    if (phx_rng_below(rng, 8) == 0) attrs.given = PH_GIVEN_ALL;
    if (attrs.given & PH_X) attrs.x = float_between(rng, 0, 1000);
    if (attrs.given & PH_Y) attrs.y = float_between(rng, 0, 1000);
    if (attrs.given & PH_Z) attrs.z = float_between(rng, 0, 10);
    if (attrs.given & PH_VIEW) attrs.view = float_between(rng, 0, 50);
    if (attrs.given & PH_MARGIN) attrs.margin = float_between(rng, 0, 5);
    if (attrs.given & PH_REACH) attrs.reach = float_between(rng, 0, 50);
    if (attrs.given & PH_VISIBLE) attrs.visible = float_between(rng, 0, 50);
    if (attrs.given & PH_LAYERS) attrs.layers = phx_rng_next(rng);
    if (attrs.given & PH_SEES) attrs.sees = phx_rng_next(rng);
    if (attrs.given & PH_STEALTH) attrs.stealth = (uint8_t)phx_rng_below(rng, 256);
    if (attrs.given & PH_DETECT) attrs.detect = (uint8_t)phx_rng_below(rng, 256);
    if (attrs.given & PH_PRIORITY) attrs.priority = (uint8_t)phx_rng_below(rng, 256);
    if (attrs.given & PH_CAP) attrs.cap = 1 + phx_rng_below(rng, 100);
    if (attrs.given & PH_GLOBAL) attrs.global = phx_rng_below(rng, 2);
    if (attrs.given & PH_READY) attrs.ready = phx_rng_below(rng, 2);
    if (attrs.given & PH_VEILED) attrs.veiled = phx_rng_below(rng, 2);
    if (attrs.given & PH_REMOTE) attrs.remote = phx_rng_below(rng, 2);
    if (attrs.given & PH_USER_DATA) attrs.user_data = phx_rng_next(rng);
    if (attrs.given & PH_INSTANCE) attrs.instance = phx_rng_below(rng, 100);
    return attrs;
}

static void submit_attrs(uint64_t *rng, uint16_t op)
{
    const uint64_t id = any_id(rng, phx_rng_below(rng, 2));
    const ph_attrs attrs = any_attrs(rng);
    ph_attrs given = attrs;
    uint32_t done;
    if (op == PHX_OP_ENTER) given.given |= PH_X | PH_Y;
    cr_assert_eq(phx_submit_attrs(world, &from, op, 1, &id, &given, &done, false), PH_OK);
}

static void submit_moves(uint64_t *rng)
{
    uint64_t ids[COMMANDS];
    ph_position positions[COMMANDS];
    const uint32_t count = 1 + phx_rng_below(rng, COMMANDS);
    const bool wide = phx_rng_below(rng, 2), high = phx_rng_below(rng, 2);
    uint32_t done;
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = any_id(rng, wide);
        positions[i] = (ph_position){float_between(rng, 0, 1000), float_between(rng, 0, 1000), high ? 3.5f : 0};
    }
    cr_assert_eq(phx_submit_move(world, &from, count, ids, positions, &done, false), PH_OK);
    cr_assert_eq(done, count);
}

static void submit_area(uint64_t *rng)
{
    ph_area area;
    memset(&area, 0, sizeof area);
    area.shape = (ph_area_shape)phx_rng_below(rng, 3);
    area.layers = phx_rng_next(rng);
    if (area.shape == PH_AREA_CIRCLE) {
        for (int axis = 0; axis < 2; axis++) area.center[axis] = float_between(rng, 0, 1000);
        area.radius = float_between(rng, 1, 100);
    } else if (area.shape == PH_AREA_BOX) {
        for (int axis = 0; axis < 2; axis++) area.high[axis] = (area.low[axis] = float_between(rng, 0, 900)) + 50;
    } else {
        const float corners[3][2] = {{1, 2}, {float_between(rng, 10, 50), 3}, {5, float_between(rng, 20, 60)}};
        area.corner_count = 3;
        memcpy(area.corners, corners, sizeof corners);
    }
    if (area.shape != PH_AREA_POLYGON) area.margin = float_between(rng, 0, 10);
    area.kind_count = phx_rng_below(rng, 2);
    if (phx_rng_below(rng, 2)) {
        area.flags = PH_AREA_HEIGHT | PH_AREA_IN_INSTANCE;
        area.instance = phx_rng_below(rng, 100);
        area.z_low = -1;
        area.z_high = float_between(rng, 0, 9);
    } else if (phx_rng_below(rng, 2)) {
        area.flags = PH_AREA_FOLLOW;
        area.follow = any_id(rng, true);
    }
    cr_assert_eq(phx_submit_area(world, &from, any_id(rng, true), &area), PH_OK);
}

static void submit_broadcast(uint64_t *rng)
{
    unsigned char payload[100];
    uint32_t bytes = phx_rng_below(rng, sizeof payload + 1);
    for (uint32_t i = 0; i < sizeof payload; i++) payload[i] = (unsigned char)phx_rng_below(rng, 256);
    const uint32_t kinds[2] = {0, 0};
    if (phx_rng_below(rng, 2)) {
        const ph_broadcast_place place = {.x = float_between(rng, 0, 1000),
                                          .y = float_between(rng, 0, 1000),
                                          .radius = float_between(rng, 1, 50),
                                          .kinds = kinds,
                                          .kind_count = 1,
                                          .layers = phx_rng_next(rng) | 1,
                                          .instance = phx_rng_below(rng, 9)};
        cr_assert_eq(phx_submit_broadcast_at(world, &from, &place, payload, bytes), PH_OK);
    } else {
        const ph_broadcast_options options = {.kinds = kinds, .kind_count = phx_rng_below(rng, 2)};
        cr_assert_eq(phx_submit_broadcast(world, &from, any_id(rng, true), payload, bytes, &options), PH_OK);
    }
}

static void submit_any(uint64_t *rng)
{
    static const uint16_t one[] = {PHX_OP_LEAVE, PHX_OP_DETACH, PHX_OP_RESEND, PHX_OP_AREA_REMOVE};
    static const uint16_t two[] = {PHX_OP_PAIR,   PHX_OP_UNPAIR, PHX_OP_LINK,     PHX_OP_UNLINK, PHX_OP_HIDE,
                                   PHX_OP_UNHIDE, PHX_OP_REVEAL, PHX_OP_UNREVEAL, PHX_OP_ATTACH};
    const uint32_t sort = phx_rng_below(rng, 7);
    const uint64_t id = any_id(rng, phx_rng_below(rng, 2));
    uint32_t done;
    if (sort == 0) submit_moves(rng);
    else if (sort == 1) submit_attrs(rng, PHX_OP_ENTER);
    else if (sort == 2) submit_attrs(rng, PHX_OP_SET);
    else if (sort == 3) submit_area(rng);
    else if (sort == 4) submit_broadcast(rng);
    else if (sort == 5)
        cr_assert_eq(phx_submit_ids(world, &from, one[phx_rng_below(rng, 4)], 1, &id, &done, false), PH_OK);
    else {
        const uint16_t op = two[phx_rng_below(rng, 9)];
        const float view = op == PHX_OP_PAIR ? float_between(rng, 1, 40) : 0;
        cr_assert_eq(phx_submit_two_ids(&from, op, id, id + 1, view, view / 4), PH_OK);
    }
}

/* ---- packing, and back ---- */

/* Packs all commands that wait in `from`; returns the bytes. */
static size_t pack_all(uint32_t *runs)
{
    phx_command_run run;
    size_t size = 0;
    *runs = 0;
    cr_assert(phx_producer_snapshot(&from));
    while (phx_command_queue_next(from.queue, &run)) {
        const size_t bytes = phx_pack_bytes(&run);
        cr_assert_eq(bytes % 8, 0);
        cr_assert_leq(size + bytes, RECORD_BYTES);
        memset(record + size, 0xa5, bytes);
        cr_assert_eq(phx_pack_run(record + size, &run, *runs % 2 == 0), record + size + bytes, "operation %u", run.op);
        size += bytes;
        ++*runs;
    }
    phx_command_queue_rewind(from.queue);
    return size;
}

/* The status of the record's runs, submitted to `to`, which was begun anew. */
static ph_status unpack_all(size_t size, uint32_t runs)
{
    phx_unpacking unpacking = {.at = record, .left = size, .reason = {reason_text, sizeof reason_text}};
    ph_status status = PH_OK;
    reason_text[0] = '\0';
    if (atomic_load(&to.state) != PHX_FREE) phx_producer_drop_record(&to);
    cr_assert(phx_producer_begin_record(&to, &memory, &world->def));
    for (uint32_t i = 0; status == PH_OK && i < runs; i++) status = phx_unpack_run(&unpacking, world, &to, i);
    if (status == PH_OK) cr_assert_eq(unpacking.left, 0, "%zu bytes more", unpacking.left);
    return status;
}

/* Takes the commands that wait in `from`, so that the next ones stand alone. */
static void drop_all(void)
{
    phx_command_run run;
    while (phx_command_queue_next(from.queue, &run))
        ;
    phx_producer_release(&from, true);
}

/* ph_area has bytes between its fields that say nothing. */
static void expect_same_area(const phx_command_area *a, const phx_command_area *b)
{
    const ph_area *x = &a->area, *y = &b->area;
    cr_assert(a->id == b->id && x->shape == y->shape && x->radius == y->radius && x->flags == y->flags);
    cr_assert(x->corner_count == y->corner_count && x->kind_count == y->kind_count && x->margin == y->margin);
    cr_assert(x->z_low == y->z_low && x->z_high == y->z_high && x->layers == y->layers && x->follow == y->follow);
    cr_assert_eq(x->instance, y->instance);
    cr_assert_eq(memcmp(x->center, y->center, sizeof x->center), 0);
    cr_assert_eq(memcmp(x->low, y->low, sizeof x->low), 0);
    cr_assert_eq(memcmp(x->high, y->high, sizeof x->high), 0);
    cr_assert_eq(memcmp(x->corners, y->corners, sizeof x->corners), 0);
    cr_assert_eq(memcmp(x->kinds, y->kinds, sizeof x->kinds), 0);
}

/* One command of a run: of moves its parts, else its bytes. */
static void expect_same_command(const phx_command_run *a, uint32_t at_a, const phx_command_run *b, uint32_t at_b)
{
    cr_assert_eq(a->op & PHX_OP_BITS, b->op & PHX_OP_BITS);
    if (a->op == PHX_OP_AREA_SET) {
        expect_same_area((const phx_command_area *)a->records + at_a, (const phx_command_area *)b->records + at_b);
        return;
    }
    if (!phx_op_moves(a->op)) {
        cr_assert_eq(a->record_bytes, b->record_bytes, "operation %u", a->op);
        cr_assert_eq(memcmp((const char *)a->records + (size_t)at_a * a->record_bytes,
                            (const char *)b->records + (size_t)at_b * b->record_bytes, a->record_bytes),
                     0, "operation %u", a->op);
        return;
    }
    const phx_moves moves_a = phx_moves_of(a), moves_b = phx_moves_of(b);
    const ph_position place_a = phx_moves_position(&moves_a, at_a), place_b = phx_moves_position(&moves_b, at_b);
    cr_assert_eq(phx_moves_id(&moves_a, at_a), phx_moves_id(&moves_b, at_b));
    cr_assert_eq(memcmp(&place_a, &place_b, sizeof place_a), 0);
}

/* The commands of both queues are the same, in whatever runs. */
static uint32_t compare_queues(void)
{
    phx_command_run a = {0}, b = {0};
    uint32_t at_a = 0, at_b = 0, count = 0;
    cr_assert(phx_producer_snapshot(&to));
    for (;; at_a++, at_b++, count++) {
        if (at_a == a.count) {
            at_a = 0;
            if (!phx_command_queue_next(from.queue, &a)) break;
        }
        if (at_b == b.count) {
            at_b = 0;
            cr_assert(phx_command_queue_next(to.queue, &b), "a command is missing");
        }
        expect_same_command(&a, at_a, &b, at_b);
    }
    cr_assert(at_b == b.count && phx_command_queue_peek(to.queue) == 0, "a command more");
    phx_producer_release(&from, true);
    phx_producer_release(&to, true);
    return count;
}

Test(pack, commands_come_back_as_they_were_submitted)
{
    uint64_t rng = 47;
    for (int round = 0; round < 60; round++) {
        uint32_t runs, commands = 1 + phx_rng_below(&rng, 100);
        for (uint32_t i = 0; i < commands; i++) submit_any(&rng);
        const size_t size = pack_all(&runs);
        cr_assert_eq(unpack_all(size, runs), PH_OK, "round %d: %s", round, reason_text);
        cr_assert_geq(compare_queues(), commands);
    }
}

Test(pack, a_record_that_is_cut_is_refused_at_every_length)
{
    uint64_t rng = 53;
    uint32_t runs;
    for (uint32_t i = 0; i < 30; i++) submit_any(&rng);
    const size_t size = pack_all(&runs);
    for (size_t cut = 0; cut < size; cut++) {
        cr_assert_eq(unpack_all(cut, runs), PH_BAD_RECORD, "%zu of %zu bytes", cut, size);
        cr_assert_eq(strncmp(reason_text, "run ", 4), 0, "%s", reason_text);
    }
    cr_assert_eq(unpack_all(size, runs), PH_OK);
    phx_producer_release(&from, true);
}

/* Shortens the only run of the record to so many bytes of commands. */
static void shorten_run(size_t bytes)
{
    phx_packed_run head;
    memcpy(&head, record, sizeof head);
    head.bytes = bytes;
    memcpy(record, &head, sizeof head);
}

Test(pack, a_run_that_ends_within_a_command_is_refused)
{
    static const uint16_t ops[] = {PHX_OP_LEAVE, PHX_OP_PAIR, PHX_OP_AREA_SET, PHX_OP_BROADCAST};
    uint64_t rng = 61;
    for (uint32_t round = 0; round < 200; round++) {
        const uint16_t op = ops[round % 4];
        const uint64_t id = any_id(&rng, true);
        uint32_t runs, done;
        if (op == PHX_OP_LEAVE) cr_assert_eq(phx_submit_ids(world, &from, op, 1, &id, &done, false), PH_OK);
        else if (op == PHX_OP_PAIR) cr_assert_eq(phx_submit_two_ids(&from, op, id, id + 1, 20, 5), PH_OK);
        else if (op == PHX_OP_AREA_SET) submit_area(&rng);
        else submit_broadcast(&rng);
        const size_t size = pack_all(&runs), head = sizeof(phx_packed_run);
        cr_assert_eq(runs, 1);
        for (size_t bytes = 0; bytes < size - head; bytes += 8) {
            shorten_run(bytes);
            cr_assert_eq(unpack_all(head + bytes, 1), PH_BAD_RECORD, "operation %u: %zu bytes", op, bytes);
        }
        shorten_run(size - head);
        cr_assert_eq(unpack_all(size, 1), PH_OK, "%s", reason_text);
        drop_all();
    }
}

Test(pack, attributes_that_end_within_a_field_are_refused)
{
    uint64_t rng = 67;
    for (uint32_t round = 0; round < 100; round++) {
        uint32_t runs;
        submit_attrs(&rng, round % 2 ? PHX_OP_SET : PHX_OP_ENTER);
        const size_t size = pack_all(&runs), head = sizeof(phx_packed_run);
        phx_packed_attrs kept, cut;
        memcpy(&kept, record + head, sizeof kept);
        for (uint32_t bytes = 0; bytes <= kept.bytes + 9; bytes++) { /* as the command has it, and as the run has it */
            cut = kept;
            cut.bytes = bytes;
            memcpy(record + head, &cut, sizeof cut);
            cr_assert_eq(unpack_all(size, runs), bytes == kept.bytes ? PH_OK : PH_BAD_RECORD, "%u bytes", bytes);
            if (bytes >= kept.bytes) continue;
            const size_t room = sizeof kept + phx_pack_round(bytes);
            shorten_run(room);
            cr_assert_eq(unpack_all(head + room, runs), PH_BAD_RECORD, "%u of %u bytes", bytes, kept.bytes);
            shorten_run(size - head);
        }
        drop_all();
    }
}

Test(pack, every_flag_that_is_no_bool_is_refused)
{
    static const uint32_t flags[] = {PH_GLOBAL, PH_READY, PH_VEILED, PH_REMOTE};
    const size_t head = sizeof(phx_packed_run) + sizeof(phx_packed_attrs);
    for (uint32_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        const uint64_t id = 5;
        const ph_attrs attrs = {.given = flags[f]};
        uint32_t runs, done;
        cr_assert_eq(phx_submit_attrs(world, &from, PHX_OP_SET, 1, &id, &attrs, &done, false), PH_OK);
        const size_t size = pack_all(&runs);
        for (uint32_t byte = 0; byte < 256; byte++) {
            record[head] = (unsigned char)byte;
            cr_assert_eq(unpack_all(size, runs), byte < 2 ? PH_OK : PH_BAD_RECORD, "flag %#x, byte %u", flags[f], byte);
        }
        drop_all();
    }
}

Test(pack, numbers_of_a_command_beyond_their_bounds_are_refused)
{
    const uint64_t id = 5;
    uint32_t runs;
    cr_assert_eq(phx_submit_broadcast(world, &from, id, "abcdefgh", 8, &(ph_broadcast_options){0}), PH_OK);
    const size_t size = pack_all(&runs), head = sizeof(phx_packed_run);
    phx_command_broadcast kept;
    memcpy(&kept, record + head, sizeof kept);
    phx_command_broadcast wrong[3] = {kept, kept, kept};
    wrong[0].bytes = PH_PAYLOAD_MAX + 1;
    wrong[1].bytes = 4000; /* there are 8 */
    wrong[2].kind_count = PH_BROADCAST_KINDS_MAX + 1;
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(record + head, &wrong[i], sizeof wrong[i]);
        cr_assert_eq(unpack_all(size, runs), PH_BAD_RECORD, "broadcast %u", i);
    }
    memcpy(record + head, &kept, sizeof kept);
    cr_assert_eq(unpack_all(size, runs), PH_OK);
    phx_producer_release(&from, true);
}

Test(pack, a_run_that_can_not_be_is_refused)
{
    uint64_t rng = 59;
    uint32_t runs;
    submit_attrs(&rng, PHX_OP_SET);
    const size_t size = pack_all(&runs);
    const phx_packed_run *good = (const phx_packed_run *)(const void *)record;
    const phx_packed_run heads[] = {
        {.op = good->op, .zero = 1, .count = good->count, .bytes = good->bytes},
        {.op = good->op, .count = 0, .bytes = good->bytes},
        {.op = good->op, .count = good->count + 1, .bytes = good->bytes},
        {.op = good->op, .count = good->count, .bytes = good->bytes + 8},
        {.op = good->op, .count = good->count, .bytes = good->bytes - 4},
        {.op = 0, .count = good->count, .bytes = good->bytes},
        {.op = PHX_OP_BITS, .count = good->count, .bytes = good->bytes},
        {.op = PHX_OP_BROADCAST_AT, .count = good->count, .bytes = good->bytes},
        {.op = PHX_OP_MOVE | 1u << 15, .count = good->count, .bytes = good->bytes},
    };
    const phx_packed_run kept = *good;
    for (uint32_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        memcpy(record, &heads[i], sizeof heads[i]);
        cr_assert_eq(unpack_all(size, runs), PH_BAD_RECORD, "head %u", i);
    }
    memcpy(record, &kept, sizeof kept);
    cr_assert_eq(unpack_all(size, runs), PH_OK);
    phx_producer_release(&from, true);
}

Test(pack, a_flag_that_is_no_bool_and_padding_that_is_not_zero_are_refused)
{
    enum { HEADS = sizeof(phx_packed_run) + sizeof(phx_packed_attrs) };
    const uint64_t id = 5;
    const ph_attrs attrs = {.given = PH_READY, .ready = true};
    uint32_t runs, done;
    cr_assert_eq(phx_submit_attrs(world, &from, PHX_OP_SET, 1, &id, &attrs, &done, false), PH_OK);
    const size_t size = pack_all(&runs);
    cr_assert_eq(size, HEADS + 8);
    cr_assert_eq(record[HEADS], 1);
    for (uint32_t at = 0; at < 8; at++) {
        record[HEADS + at] += 2;
        cr_assert_eq(unpack_all(size, runs), PH_BAD_RECORD, "byte %u", at);
        record[HEADS + at] -= 2;
    }
    record[HEADS] = 0;
    cr_assert_eq(unpack_all(size, runs), PH_OK);
    phx_producer_release(&from, true);
}
