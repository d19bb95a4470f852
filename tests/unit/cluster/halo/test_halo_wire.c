/*
 * Halos as bytes: they come out as they went in; every cut and every flipped bit is found; parts that point nowhere are
 * refused under a right sum.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/halo/halo_wire.h"
#include "cluster/wire/sum.h"

enum { BYTES = 1024, SETS = 2, COPIES = 3, FORWARDS = 2, SET_OF_COPY = 20 /* bytes before it in a copy */ };

static unsigned char bytes[BYTES], damaged[BYTES];
static const phx_halo_head sample = {.format = PHX_FORMAT_MAX,
                                     .source = 3,
                                     .target = 1ull << 40,
                                     .version = 7,
                                     .tick = 12345678901,
                                     .echo = 1ull << 41,
                                     .part = 513,
                                     .last = true,
                                     .pins_since = 1ull << 33,
                                     .pins_echo = 1ull << 40,
                                     .heard_version = 6,
                                     .settled_version = 5,
                                     .sets = SETS,
                                     .copies = COPIES,
                                     .forwards = FORWARDS,
                                     .gone = 1,
                                     .pins = 1,
                                     .needs = 1};

static phx_halo_copy sample_copy(uint32_t place)
{
    const ph_attrs attrs = {.user_data = UINT64_MAX - place, .x = -1.5f, .y = (float)place, .z = 1e9f};
    return (phx_halo_copy){.id = place + 1,
                           .stay = UINT32_MAX - place,
                           .turn = (uint8_t)(200 + place),
                           .sending = place == 1,
                           .attrs = attrs};
}

static ph_attrs sample_set(uint32_t set)
{
    return (ph_attrs){.layers = 1ull << 63 | set,
                      .sees = 2,
                      .view = 60,
                      .margin = 1,
                      .reach = 500,
                      .visible = 2,
                      .instance = UINT32_MAX,
                      .kind = 65535,
                      .stealth = 1,
                      .detect = 2,
                      .priority = 3,
                      .global = set == 1,
                      .veiled = set == 0,
                      .ready = true};
}

static phx_halo_forward sample_forward(uint32_t place)
{
    return (phx_halo_forward){.copy = 2 * place, .source = 1ull << 50 | place, .tick = 1ull << 51 | place};
}

static size_t make_message(void)
{
    unsigned char *at = bytes + PHX_HALO_HEAD_BYTES;
    for (uint32_t i = 0; i < SETS; i++, at += PHX_HALO_SET_BYTES) {
        const ph_attrs attrs = sample_set(i);
        phx_halo_put_set(at, &attrs);
    }
    for (uint32_t i = 0; i < COPIES; i++, at += PHX_HALO_COPY_BYTES) {
        const phx_halo_copy copy = sample_copy(i);
        phx_halo_put_copy(at, &copy, i % SETS);
    }
    for (uint32_t i = 0; i < FORWARDS; i++, at += PHX_HALO_FORWARD_BYTES) {
        const phx_halo_forward forward = sample_forward(i);
        phx_halo_put_forward(at, &forward);
    }
    phx_halo_put_gone(at, (phx_halo_gone){.id = 9, .stay = 1000});
    at += PHX_HALO_GONE_BYTES;
    memset(at, 0, PHX_HALO_PIN_BYTES + PHX_HALO_NEED_BYTES);
    at[0] = 4;
    at[2] = 77;
    at[PHX_HALO_PIN_BYTES] = 5;
    return phx_halo_seal(bytes, &sample);
}

static phx_wire_flaw open_bytes(const unsigned char *of, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    return phx_halo_open(&head, &parts, PHX_FORMATS, of, size);
}

Test(halo_wire, a_halo_comes_out_as_it_went_in)
{
    phx_halo_head head;
    phx_halo_parts parts;
    const size_t size = make_message();
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    cr_assert(head.source == sample.source && head.target == sample.target && head.version == sample.version);
    cr_assert(head.echo == sample.echo && head.part == sample.part && head.last);
    cr_assert(head.tick == sample.tick && head.heard_version == sample.heard_version && head.copies == COPIES);
    cr_assert(head.settled_version == sample.settled_version && head.forwards == FORWARDS);
    for (uint32_t i = 0; i < COPIES; i++) {
        const phx_halo_copy copy = phx_halo_copy_at(&parts, i), wanted = sample_copy(i);
        const ph_attrs set = sample_set(i % SETS);
        cr_assert(copy.id == wanted.id && copy.stay == wanted.stay && copy.turn == wanted.turn &&
                  copy.sending == wanted.sending);
        cr_assert_eq(copy.attrs.user_data, wanted.attrs.user_data);
        cr_assert(copy.attrs.x == wanted.attrs.x && copy.attrs.y == wanted.attrs.y && copy.attrs.z == wanted.attrs.z);
        cr_assert(copy.attrs.layers == set.layers && copy.attrs.sees == set.sees && copy.attrs.kind == set.kind);
        cr_assert(copy.attrs.view == set.view && copy.attrs.margin == set.margin && copy.attrs.reach == set.reach);
        cr_assert(copy.attrs.visible == set.visible && copy.attrs.instance == set.instance);
        cr_assert(copy.attrs.stealth == set.stealth && copy.attrs.detect == set.detect);
        cr_assert(copy.attrs.priority == set.priority && copy.attrs.remote && copy.attrs.ready);
        cr_assert(copy.attrs.global == set.global && copy.attrs.veiled == set.veiled);
    }
    for (uint32_t i = 0; i < FORWARDS; i++) {
        const phx_halo_forward forward = phx_halo_forward_at(&parts, i), wanted = sample_forward(i);
        cr_assert(forward.copy == wanted.copy && forward.source == wanted.source && forward.tick == wanted.tick);
    }
    const phx_halo_gone gone = phx_halo_gone_at(&parts, 0);
    cr_assert(gone.id == 9 && gone.stay == 1000);
    const phx_halo_place pin = phx_halo_pin_at(&parts, 0);
    cr_assert(pin.place == 4 && pin.id == 77);
    cr_assert(head.pins_since == sample.pins_since && head.pins_echo == sample.pins_echo);
    cr_assert_eq(phx_halo_need_at(&parts, 0), 5);
}

Test(halo_wire, every_cut_and_flipped_bit_is_found)
{
    const size_t size = make_message();
    for (size_t cut = 0; cut < size; cut++) cr_assert_neq(open_bytes(bytes, cut), PHX_WIRE_GOOD, "cut at %zu", cut);
    for (size_t bit = 0; bit < size * 8; bit++) {
        memcpy(damaged, bytes, size);
        damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_neq(open_bytes(damaged, size), PHX_WIRE_GOOD, "bit %zu", bit);
    }
}

/* A field of the sample, another value of it, and the right sum. */
static void expect_refused(size_t at, uint32_t size, uint64_t value)
{
    const size_t whole = make_message();
    phx_writer field = phx_writer_of(bytes + at, size),
               sum = {.at = bytes + whole - PHX_SUM_BYTES, .end = bytes + whole};
    phx_write_number(&field, size, value);
    (void)phx_sum_seal(&sum, bytes);
    cr_assert_neq(open_bytes(bytes, whole), PHX_WIRE_GOOD, "%lu at %zu", (unsigned long)value, at);
}

Test(halo_wire, pins_that_can_not_be_are_refused_under_a_right_sum)
{
    enum { PINS_SINCE = 48, PINS_HEARD = 56 };
    const size_t pin = PHX_HALO_HEAD_BYTES + SETS * PHX_HALO_SET_BYTES + COPIES * PHX_HALO_COPY_BYTES +
                       FORWARDS * PHX_HALO_FORWARD_BYTES + PHX_HALO_GONE_BYTES;
    expect_refused(PINS_SINCE, 8, sample.tick + 1);
    expect_refused(PINS_HEARD, 8, sample.echo + 1);
    expect_refused(pin, 2, PHC_PINS_MAX);
}

Test(halo_wire, forwards_that_can_not_be_are_refused_under_a_right_sum)
{
    enum { SETTLED = PHX_HALO_HEAD_BYTES - 4 };
    const size_t first = PHX_HALO_HEAD_BYTES + SETS * PHX_HALO_SET_BYTES + COPIES * PHX_HALO_COPY_BYTES;
    const size_t second = first + PHX_HALO_FORWARD_BYTES;
    expect_refused(SETTLED, 4, sample.version + 1);
    expect_refused(second, 4, 0); /* the same copy, or one before it */
    expect_refused(second, 4, COPIES);
    expect_refused(first + 4, 8, 0);
    expect_refused(first + 4, 8, sample.source);
    expect_refused(first + 12, 8, 0);
}

Test(halo_wire, a_copy_that_is_neither_own_nor_on_its_way_is_refused_under_a_right_sum)
{
    expect_refused(PHX_HALO_HEAD_BYTES + SETS * PHX_HALO_SET_BYTES + SET_OF_COPY + 3, 1, 2);
}

Test(halo_wire, a_copy_of_no_set_is_refused_under_a_right_sum)
{
    const size_t size = make_message(), copies = PHX_HALO_HEAD_BYTES + SETS * PHX_HALO_SET_BYTES;
    for (uint32_t place = 0; place < COPIES; place++) {
        memcpy(damaged, bytes, size);
        damaged[copies + place * PHX_HALO_COPY_BYTES + SET_OF_COPY] = SETS;
        phx_writer writer = {.at = damaged + size - PHX_SUM_BYTES, .end = damaged + size};
        (void)phx_sum_seal(&writer, damaged);
        cr_assert_neq(open_bytes(damaged, size), PHX_WIRE_GOOD, "copy %u", place);
    }
}
