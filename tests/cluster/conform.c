/*
 * The contract of transports and stores; see conform.h.
 */
#include "cluster/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/check.h"

enum { STEPS_MAX = 20000, CLOSE_STEPS_MAX = 2000, POLLED_AT_ONCE = 7, LONG_LEASE_MS = 3600 * 1000 };

/* ---- transports ---- */

/* Messages of a subject in the order in which they came: their numbers. */
typedef struct heard {
    uint32_t next, wrong;
    char subject[PHC_SUBJECT_MAX + 1];
} heard;

static void hear_probe(void *user, const char *subject, const void *bytes, size_t size)
{
    uint32_t number;
    if (!CHECK(size == sizeof number, "%s: a probe of %zu bytes", subject, size)) return;
    memcpy(&number, bytes, sizeof number);
    *(uint32_t *)user = number;
}

/* Sends until one arrives, as a server may hear late of a listener; none is on its way at the end. */
static void await_listener(phc_transport *from, phc_transport *to, phc_traffic traffic, const char *subject,
                           conform_step step, void *user)
{
    uint32_t sent = 0, got = 0;
    for (uint32_t steps = 0; (got == 0 || got < sent) && steps < STEPS_MAX; steps++) {
        if (got == 0) {
            sent++;
            CHECK_OK(from->send(from->user, traffic, subject, &sent, sizeof sent));
        }
        step(user);
        (void)to->poll(to->user, POLLED_AT_ONCE, hear_probe, &got);
    }
    CHECK(got == sent, "%s: %u of %u probes", subject, got, sent);
}

static uint32_t size_of_message(uint32_t number)
{
    uint64_t rng = number;
    return number % 50 == 49 ? (uint32_t)PHC_MESSAGE_MAX : 4 + phx_rng_below(&rng, 2000);
}

static unsigned char byte_of_message(uint32_t number, uint32_t at)
{
    return (unsigned char)(number * 31 + at * 7);
}

static void hear(void *user, const char *subject, const void *bytes, size_t size)
{
    heard *of = user;
    const unsigned char *got = bytes;
    bool good = strcmp(subject, of->subject) == 0 && size == size_of_message(of->next);
    for (uint32_t i = 0; good && i < size; i++) good = got[i] == byte_of_message(of->next, i);
    of->wrong += !good;
    of->next++;
}

static void send_number(phc_transport *from, phc_traffic traffic, const char *subject, uint32_t number)
{
    static unsigned char bytes[PHC_MESSAGE_MAX];
    const uint32_t size = size_of_message(number);
    for (uint32_t i = 0; i < size; i++) bytes[i] = byte_of_message(number, i);
    CHECK_OK(from->send(from->user, traffic, subject, bytes, size));
}

/* Sends so many and sees all of them, in order, and none of another subject. */
static void flow(phc_transport *from, phc_transport *to, phc_traffic traffic, const char *subject, uint32_t count,
                 conform_step step, void *user)
{
    heard got = {0};
    (void)snprintf(got.subject, sizeof got.subject, "%s", subject);
    for (uint32_t i = 0, steps = 0; got.next < count && steps < STEPS_MAX; steps++) {
        for (uint32_t n = 0; n < 3 && i < count; n++) send_number(from, traffic, subject, i++);
        CHECK_OK(from->send(from->user, traffic, "conform.other.1", "x", 1));
        step(user);
        const uint32_t given = to->poll(to->user, POLLED_AT_ONCE, hear, &got);
        CHECK(given <= POLLED_AT_ONCE, "%u messages given", given);
    }
    CHECK(got.next == count && got.wrong == 0, "%s: %u of %u messages, %u wrong", subject, got.next, count, got.wrong);
    CHECK(to->poll(to->user, POLLED_AT_ONCE, hear, &got) == 0, "%s: a message too many", subject);
}

static void check_subjects(phc_transport *a)
{
    static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "a b", "a.>", "a*", "a.*b", "a\n"};
    char longest[PHC_SUBJECT_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[PHC_SUBJECT_MAX + 1] = '\0';
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(a->send(a->user, PHC_HALO, bad[i], "x", 1), PH_BAD_ARGUMENT);
        CHECK_STATUS(a->listen(a->user, PHC_HALO, bad[i]), PH_BAD_ARGUMENT);
    }
    CHECK_STATUS(a->send(a->user, PHC_HALO, "a.*", "x", 1), PH_BAD_ARGUMENT); /* a pattern is no subject */
    CHECK_STATUS(a->send(a->user, PHC_HALO, longest, "x", 1), PH_BAD_ARGUMENT);
    CHECK_STATUS(a->send(a->user, PHC_HALO, "a.b", longest, (size_t)PHC_MESSAGE_MAX + 1), PH_BAD_ARGUMENT);
}

void conform_transport(phc_transport *a, phc_transport *b, conform_step step, void *user)
{
    phc_transport_state sender, receiver, sender_before, receiver_before;
    CHECK_OK(b->listen(b->user, PHC_CHANNEL, "conform.channel.*.2"));
    CHECK_OK(b->listen(b->user, PHC_HALO, "conform.halo.1.2"));
    CHECK_OK(a->listen(a->user, PHC_CHANNEL, "conform.channel.*.1"));
    await_listener(a, b, PHC_CHANNEL, "conform.channel.1.2", step, user);
    await_listener(a, b, PHC_HALO, "conform.halo.1.2", step, user);
    await_listener(b, a, PHC_CHANNEL, "conform.channel.2.1", step, user);
    a->state(a->user, &sender_before);
    b->state(b->user, &receiver_before);
    flow(a, b, PHC_CHANNEL, "conform.channel.1.2", 400, step, user);
    flow(a, b, PHC_CHANNEL, "conform.channel.x-y_z.2", 100, step, user);
    flow(a, b, PHC_HALO, "conform.halo.1.2", 200, step, user);
    flow(b, a, PHC_CHANNEL, "conform.channel.2.1", 100, step, user);
    check_subjects(a);
    a->state(a->user, &sender);
    b->state(b->user, &receiver);
    const uint64_t received = receiver.received - receiver_before.received, sent = sender.sent - sender_before.sent;
    CHECK(received == 700 && receiver.overrun == 0, "%llu received, %llu lost", (unsigned long long)received,
          (unsigned long long)receiver.overrun);
    CHECK(sent > 700 && sender.dropped == 0 && sender.refused == 13, "%llu sent, %llu dropped, %llu refused",
          (unsigned long long)sent, (unsigned long long)sender.dropped, (unsigned long long)sender.refused);
    CHECK(sender.connected[PHC_HALO] && sender.connected[PHC_CHANNEL], "not connected");
}

/* ---- stores ---- */

typedef struct waiting {
    uint64_t tag;
    conform_answer answer;
} waiting;

static void take_answer(void *user, const phc_answer *answer)
{
    waiting *of = user;
    if (answer->tag != of->tag) return;
    conform_answer *copy = &of->answer;
    CHECK(!copy->came, "a second answer of request %llu", (unsigned long long)of->tag);
    *copy = (conform_answer){.came = true,
                             .outcome = answer->outcome,
                             .revision = answer->revision,
                             .lease = answer->lease,
                             .lease_ms = answer->lease_ms,
                             .count = answer->count};
    if (answer->outcome == PHC_FAILED) CHECK(answer->reason[0] != '\0', "no reason is given");
    for (uint32_t i = 1; i < answer->count; i++)
        CHECK(strcmp(answer->entries[i - 1].key, answer->entries[i].key) < 0, "keys are not in order");
    if (answer->count == 0) return;
    const phc_entry *last = &answer->entries[answer->count - 1];
    copy->last = *last;
    (void)snprintf(copy->key, sizeof copy->key, "%s", last->key);
    memcpy(&copy->value, last->value, last->size < sizeof copy->value ? last->size : sizeof copy->value);
    copy->last.key = NULL;
    copy->last.value = NULL;
}

conform_answer conform_await(phc_store *store, uint64_t tag, conform_step step, void *user)
{
    waiting wait = {.tag = tag};
    for (uint32_t i = 0; i < STEPS_MAX && !wait.answer.came; i++) {
        step(user);
        (void)store->poll(store->user, POLLED_AT_ONCE, take_answer, &wait);
    }
    if (!wait.answer.came) check_give_up(__FILE__, __LINE__, "a request has no answer");
    return wait.answer;
}

static uint64_t next_tag(void)
{
    static uint64_t tag;
    return ++tag;
}

/* Under: NULL, a member of the store, its time, a tag, and the request's own arguments. */
#define ASK(member, call, ...) \
    (REQUIRE((member)->call((member)->user, next_tag_of(&tag), __VA_ARGS__) == PH_OK), \
     conform_await((member), tag, step, user))

static uint64_t next_tag_of(uint64_t *tag)
{
    return *tag = next_tag();
}

static void check_keys(phc_store *a)
{
    static const char *const bad[] = {"", "a b", "a\n", "\xc3\xa4", "*"};
    static unsigned char large[PHC_VALUE_MAX + 1];
    char longest[PHC_KEY_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[PHC_KEY_MAX + 1] = '\0';
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_STATUS(a->get(a->user, 1, bad[i]), PH_BAD_ARGUMENT);
    CHECK_STATUS(a->list(a->user, 1, longest), PH_BAD_ARGUMENT);
    CHECK_STATUS(a->cas(a->user, 1, "conform/a", 0, large, sizeof large, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(a->lease_open(a->user, 1, 999), PH_BAD_ARGUMENT);
}

void conform_store(phc_store *a, phc_store *b, conform_step step, void *user)
{
    static unsigned char large[PHC_VALUE_MAX];
    uint64_t tag = 0, value = 0x0102030400050600u;
    conform_answer got = ASK(a, get, "conform/one");
    CHECK(got.outcome == PHC_DONE && got.count == 0, "%u entries of a new store", got.count);
    got = ASK(a, cas, "conform/one", 0, &value, sizeof value, 0);
    CHECK(got.outcome == PHC_DONE && got.revision > 0, "a new key is not written: %d", (int)got.outcome);
    const uint64_t first = got.revision;
    got = ASK(b, cas, "conform/one", 0, "x", 1, 0);
    CHECK(got.outcome == PHC_CHANGED && got.count == 1 && got.last.revision == first && got.value == value &&
              got.last.size == sizeof value,
          "a key that is there is written as a new one, or its entry is not told");
    got = ASK(b, cas, "conform/two", 5, "x", 1, 0);
    CHECK(got.outcome == PHC_CHANGED && got.count == 0, "a key that is not there has a revision");
    for (uint32_t i = 0; i < sizeof large; i++) large[i] = (unsigned char)(i * 13 + 1);
    got = ASK(b, cas, "conform/one", first, large, sizeof large, 0);
    CHECK(got.outcome == PHC_DONE && got.revision > first, "the right revision does not write");
    const uint64_t second = got.revision;
    got = ASK(a, cas, "conform/one", first, "y", 1, 0);
    CHECK(got.outcome == PHC_CHANGED && got.last.size == sizeof large, "an old revision writes");
    got = ASK(a, cas, "conform/zz", 0, NULL, 0, 0);
    CHECK(got.outcome == PHC_DONE, "an empty value is not written");
    got = ASK(a, list, "conform/");
    CHECK(got.count == 2 && strcmp(got.key, "conform/zz") == 0 && got.last.size == 0, "%u entries listed", got.count);
    got = ASK(a, get, "conform/one");
    CHECK(got.count == 1 && got.last.revision == second && got.last.size == sizeof large && got.last.lease == 0,
          "get is not what was written");
    got = ASK(a, list, "conform/zzz");
    CHECK(got.outcome == PHC_DONE && got.count == 0, "a prefix lists what does not begin so");
    check_keys(a);
}

void conform_race(phc_store *a, phc_store *b, uint32_t rounds, conform_step step, void *user)
{
    uint64_t tag = 0, wins = 0;
    conform_answer now = ASK(a, cas, "race/key", 0, &wins, sizeof wins, 0);
    uint64_t revision = now.revision;
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t value = wins + 1, tag_a = next_tag(), tag_b = next_tag();
        REQUIRE(a->cas(a->user, tag_a, "race/key", revision, &value, sizeof value, 0) == PH_OK);
        REQUIRE(b->cas(b->user, tag_b, "race/key", revision, &value, sizeof value, 0) == PH_OK);
        const conform_answer of_a = conform_await(a, tag_a, step, user), of_b = conform_await(b, tag_b, step, user);
        const bool a_wins = of_a.outcome == PHC_DONE, b_wins = of_b.outcome == PHC_DONE;
        if (!CHECK(a_wins != b_wins, "round %u: %d and %d win", i, a_wins, b_wins)) return;
        revision = a_wins ? of_a.revision : of_b.revision;
        wins++;
    }
    now = ASK(b, get, "race/key");
    CHECK(now.value == wins && now.last.revision == revision, "%llu wins, the value is %llu", (unsigned long long)wins,
          (unsigned long long)now.value);
}

/* A key under a lease that runs out soon: in another one where that is before the key is written. */
static uint64_t write_brief(phc_store *a, conform_step step, void *user)
{
    conform_answer opened, put;
    uint64_t tag = 0;
    uint32_t tries = 0;
    do {
        opened = ASK(a, lease_open, 1500);
        CHECK(opened.outcome == PHC_DONE && opened.lease != 0 && opened.lease_ms >= 2000, "a lease of %llu ms",
              (unsigned long long)opened.lease_ms);
        put = ASK(a, cas, "lease/d", 0, "4", 1, opened.lease);
    } while (put.outcome == PHC_GONE && ++tries < STEPS_MAX);
    CHECK(put.outcome == PHC_DONE, "not written under a brief lease");
    return opened.lease;
}

void conform_lease(phc_store *a, phc_store *b, conform_step step, void *user)
{
    uint64_t tag = 0;
    conform_answer got = ASK(a, lease_open, LONG_LEASE_MS);
    CHECK(got.outcome == PHC_DONE && got.lease != 0 && got.lease_ms >= LONG_LEASE_MS, "a lease of %llu ms",
          (unsigned long long)got.lease_ms);
    const uint64_t lease = got.lease;
    CHECK(ASK(a, cas, "lease/a", 0, "1", 1, lease).outcome == PHC_DONE, "not written under a lease");
    CHECK(ASK(a, cas, "lease/b", 0, "2", 1, 0).outcome == PHC_DONE, "not written");
    CHECK(ASK(a, cas, "lease/c", 0, "3", 1, lease + 1).outcome == PHC_GONE, "written under a lease that is not there");
    CHECK(ASK(b, get, "lease/a").last.lease == lease, "a key does not tell its lease");
    CHECK(ASK(a, lease_renew, lease + 1).outcome == PHC_GONE, "a lease that is not there is renewed");
    got = ASK(a, lease_renew, lease);
    CHECK(got.outcome == PHC_DONE && got.lease == lease && got.lease_ms >= LONG_LEASE_MS, "not renewed");
    const uint64_t brief = write_brief(a, step, user);
    uint32_t steps = 0;
    do step(user);
    while (ASK(b, list, "lease/").count > 2 && ++steps < STEPS_MAX);
    got = ASK(b, list, "lease/");
    CHECK(got.count == 2 && strcmp(got.key, "lease/b") == 0, "keys do not end with their lease");
    CHECK(ASK(a, lease_renew, brief).outcome == PHC_GONE, "a lease that ended is renewed");
    CHECK(ASK(a, cas, "lease/d", 0, "1", 1, lease).outcome == PHC_DONE, "a key that ended is still there");
    CHECK(ASK(a, lease_end, lease).outcome == PHC_DONE, "a lease can not be ended");
    CHECK(ASK(b, list, "lease/").count == 1, "a lease that was ended has keys");
    CHECK(ASK(a, lease_end, lease).outcome == PHC_GONE, "a lease ends twice");
}

void conform_close(phc_store *a, phc_store *b, conform_step step, void *user)
{
    enum { REQUESTS = 8 };
    uint64_t tag = 0;
    uint32_t steps = 0;
    const uint64_t lease = ASK(a, lease_open, LONG_LEASE_MS).lease;
    CHECK(ASK(a, cas, "close/a", 0, "1", 1, lease).outcome == PHC_DONE, "not written under a lease");
    for (uint32_t i = 0; i < REQUESTS; i++) CHECK_OK(a->list(a->user, next_tag(), "close/"));
    CHECK_OK(a->lease_end(a->user, next_tag(), lease));
    a->close(a->user);
    /* a slow server may be at it still; without the request the lease lives longer than all these steps */
    while (ASK(b, list, "close/").count > 0 && ++steps < CLOSE_STEPS_MAX) step(user);
    CHECK(steps < CLOSE_STEPS_MAX, "the store was closed before a lease had ended");
}
