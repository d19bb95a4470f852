/*
 * Broadcasts between nodes as bytes: they come out as they went in; cut, lengthened and impossible items are refused.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cluster/wire/wire.h"

static const uint32_t kinds[] = {3, 0, UINT32_MAX};
static const unsigned char payload[] = "hello";
static unsigned char item[PHX_SAY_BYTES + sizeof kinds + sizeof payload];

static phx_say sample(void)
{
    return (phx_say){.number = 5,
                     .source = 7,
                     .ownership = 1ull << 32,
                     .layers = 3,
                     .x = -1.5f,
                     .y = 2.5f,
                     .radius = 40,
                     .instance = 9,
                     .flags = PH_BROADCAST_SEEN,
                     .kind_count = 3,
                     .payload = payload,
                     .bytes = sizeof payload};
}

static bool is_taken(const phx_say *say)
{
    phx_say read;
    phx_say_put(item, say, kinds);
    return phx_say_get(&read, item, phx_say_bytes(say));
}

Test(say_wire, a_broadcast_comes_out_as_it_went_in)
{
    const phx_say say = sample();
    phx_wire_item read;
    phx_say_put(item, &say, kinds);
    cr_assert_eq(phx_say_bytes(&say), sizeof item);
    cr_assert(phx_wire_get_item(&read, item, sizeof item));
    cr_assert_eq(read.kind, PHX_ITEM_SAY);
    cr_assert_eq(read.say.number, 5);
    cr_assert_eq(read.say.source, 7);
    cr_assert_eq(read.say.ownership, 1ull << 32);
    cr_assert_eq(read.say.layers, 3);
    cr_assert(read.say.x < -1.4f && read.say.x > -1.6f && read.say.y > 2.4f && read.say.radius > 39);
    cr_assert_eq(read.say.instance, 9);
    cr_assert_eq(read.say.flags, PH_BROADCAST_SEEN);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(phx_say_kind_at(&read.say, i), kinds[i]);
    cr_assert_eq(read.say.bytes, sizeof payload);
    cr_assert_eq(memcmp(read.say.payload, payload, sizeof payload), 0);
}

Test(say_wire, what_can_not_be_is_refused)
{
    phx_say say = sample(), good = say;
    cr_assert(is_taken(&say));
#define REFUSES(change) \
    say = good; \
    change; \
    cr_assert_not(is_taken(&say), #change)
    REFUSES(say.number = 0);
    REFUSES(say.source = 0); /* a place has no owner */
    REFUSES(say.ownership = 0);
    REFUSES(say.x = NAN);
    REFUSES(say.y = INFINITY);
    REFUSES(say.x = 2e18f);
    REFUSES(say.radius = -1);
    REFUSES(say.radius = NAN);
    REFUSES(say.radius = 0); /* SEEN is of a radius */
    REFUSES(say.flags = PH_BROADCAST_SELF);
#undef REFUSES
    phx_say_put(item, &good, kinds);
    item[PHX_SAY_BYTES - 1] = PH_BROADCAST_KINDS_MAX + 1;
    cr_assert_not(phx_say_get(&say, item, sizeof item));
    phx_say_put(item, &good, kinds);
    for (size_t size = 0; size < PHX_SAY_BYTES + sizeof kinds; size++) cr_assert_not(phx_say_get(&say, item, size));
    cr_assert(phx_say_get(&say, item, PHX_SAY_BYTES + sizeof kinds), "a payload may be empty");
}

/* ph_broadcast() takes it: a radius that is 0 alone where denormal numbers count as 0. */
Test(say_wire, a_denormal_radius_is_one_in_each_floating_point_environment)
{
    phx_say say = sample(), read;
    say.radius = 1e-40f;
    phx_say_put(item, &say, kinds);
    cr_assert(phx_say_get(&read, item, sizeof item));
#if defined(__x86_64__)
    enum { DENORMALS_ARE_0 = 0x40, RESULTS_TO_0 = 0x8000 };
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | DENORMALS_ARE_0 | RESULTS_TO_0);
    const bool taken = phx_say_get(&read, item, sizeof item);
    _mm_setcsr(before);
    cr_assert(taken);
#endif
}

Test(say_wire, a_payload_is_as_long_as_one_may_be)
{
    static unsigned char bytes[PHX_SAY_BYTES + PH_PAYLOAD_MAX + 1], long_payload[PH_PAYLOAD_MAX + 1];
    phx_say say = {.number = 1, .payload = long_payload, .bytes = PH_PAYLOAD_MAX}, read;
    phx_say_put(bytes, &say, NULL);
    cr_assert(phx_say_get(&read, bytes, sizeof bytes - 1));
    say.bytes++;
    phx_say_put(bytes, &say, NULL);
    cr_assert_not(phx_say_get(&read, bytes, sizeof bytes));
}

Test(say_wire, how_far_others_were_heard_comes_out_as_it_went_in)
{
    unsigned char bytes[1 + 3 * PHX_HEARD_BYTES];
    uint32_t count = 0;
    phx_wire_item read;
    for (uint32_t i = 0; i < 3; i++) phx_heard_put(bytes, i, (phx_heard){.registration = 10 + i, .number = i + 1});
    cr_assert(phx_wire_get_item(&read, bytes, sizeof bytes));
    cr_assert(read.kind == PHX_ITEM_HEARD && read.heard_count == 3);
    for (uint32_t i = 0; i < 3; i++) {
        const phx_heard heard = phx_heard_at(bytes, i);
        cr_assert(heard.registration == 10 + i && heard.number == i + 1);
    }
    for (size_t size = 0; size < sizeof bytes; size++)
        cr_assert_eq(phx_heard_get(&count, bytes, size), size == 17 || size == 33, "%zu", size);
    phx_heard_put(bytes, 1, (phx_heard){.registration = 10, .number = 1});
    cr_assert_not(phx_heard_get(&count, bytes, sizeof bytes), "a node stands there twice");
    phx_heard_put(bytes, 1, (phx_heard){.registration = 11, .number = 0});
    cr_assert_not(phx_heard_get(&count, bytes, sizeof bytes), "no number is 0");
}
