/*
 * Base64 against its own inverse and the examples of RFC 4648; answers of etcd as a server gave them, and flawed
 * ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/servers/base64.h"
#include "cluster/servers/etcd_json.h"
#include "support/fail_alloc.h"

Test(base64, examples)
{
    static const char *const texts[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[16], bytes[16];
        size_t size = sizeof bytes;
        phx_base64_encode(text, texts[i][0], strlen(texts[i][0]));
        cr_assert_str_eq(text, texts[i][1]);
        cr_assert_eq(phx_base64_length(strlen(texts[i][0])), strlen(text));
        cr_assert(phx_base64_decode(bytes, &size, text));
        cr_assert(size == strlen(texts[i][0]) && memcmp(bytes, texts[i][0], size) == 0);
    }
}

Test(base64, any_bytes_come_back)
{
    unsigned char bytes[100], back[100];
    char text[200];
    uint64_t rng = 4;
    for (uint32_t round = 0; round < 5000; round++) {
        const size_t size = phx_rng_below(&rng, sizeof bytes);
        size_t room = size, counted = size;
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)phx_rng_below(&rng, 256);
        phx_base64_encode(text, bytes, size);
        cr_assert(phx_base64_decode(back, &room, text) && room == size && memcmp(bytes, back, size) == 0);
        cr_assert(phx_base64_decode(NULL, &counted, text) && counted == size);
        room = size - 1;
        if (size > 0) cr_assert(!phx_base64_decode(back, &room, text), "more than there is room for");
    }
}

Test(base64, texts_that_are_none)
{
    static const char *const bad[] = {"Z", "Zg=", "Zg", "=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm9*", "Z=g="};
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char bytes[16];
        size_t size = sizeof bytes;
        cr_assert(!phx_base64_decode(bytes, &size, bad[i]), "%s", bad[i]);
    }
}

static fail_alloc allocator;
static phx_mem memory;

static void memory_begins(void)
{
    allocator = (fail_alloc){0};
    phx_mem_init(&memory, fail_alloc_hooks(&allocator));
}

static void memory_ends(void)
{
    if (!fail_alloc_clean(&allocator)) abort();
}

TestSuite(etcd_json, .init = memory_begins, .fini = memory_ends);

static phx_etcd_answer read_text(phx_etcd_kind kind, const char *text)
{
    phx_etcd_answer answer;
    phx_etcd_request request = {.kind = kind, .revision = 6, .lease = 7, .key = "a/b"};
    if (kind == PHX_ETCD_LIST) request.key[1] = '\0';
    phx_etcd_read(&request, text, strlen(text), &memory, &answer);
    return answer;
}

#define HEADER "{\"header\":{\"cluster_id\":\"1\",\"revision\":\"9\",\"raft_term\":\"2\"}"
#define KV "{\"key\":\"YS9i\",\"create_revision\":\"2\",\"mod_revision\":\"3\",\"value\":\"AQI=\",\"lease\":\"7\"}"

Test(etcd_json, answers)
{
    phx_etcd_answer answer =
        read_text(PHX_ETCD_LIST, HEADER ",\"kvs\":[" KV ",{\"key\":\"YQ==\",\"mod_revision\":\"4\"}]}");
    cr_assert(answer.outcome == PHC_DONE && answer.revision == 9 && answer.entries.count == 2);
    const phc_entry *entry = answer.entries.items;
    cr_assert_str_eq(entry[0].key, "a/b");
    cr_assert(entry[0].size == 2 && memcmp(entry[0].value, "\1\2", 2) == 0 && entry[0].revision == 3);
    cr_assert(entry[0].lease == 7 && entry[1].size == 0 && entry[1].revision == 4 && entry[1].lease == 0);
    phx_entries_free(&answer.entries, &memory);
    answer = read_text(PHX_ETCD_GET, HEADER "}");
    cr_assert(answer.outcome == PHC_DONE && answer.entries.count == 0);
    answer = read_text(PHX_ETCD_CAS, HEADER ",\"succeeded\":true}");
    cr_assert(answer.outcome == PHC_DONE && answer.revision == 9);
    answer = read_text(PHX_ETCD_CAS, HEADER ",\"responses\":[{\"response_range\":{\"kvs\":[" KV "]}}]}");
    cr_assert(answer.outcome == PHC_CHANGED && answer.entries.count == 1);
    phx_entries_free(&answer.entries, &memory);
    answer = read_text(PHX_ETCD_LEASE_RENEW, "{\"result\":" HEADER ",\"ID\":\"7\",\"TTL\":\"5\"}}");
    cr_assert(answer.outcome == PHC_DONE && answer.lease == 7 && answer.lease_ms == 5000);
    answer = read_text(PHX_ETCD_LEASE_RENEW, "{\"result\":" HEADER ",\"ID\":\"7\"}}");
    cr_assert(answer.outcome == PHC_GONE && answer.lease == 0);
    cr_assert_eq(read_text(PHX_ETCD_LEASE_END, "{\"error\":\"not found\",\"code\":5}").outcome, PHC_GONE);
}

/* As etcd 3.4 says it behind the alarm NOSPACE, and without a majority: an operator has to know which. */
Test(etcd_json, refusals_say_what_is_in_the_way)
{
    static const struct {
        const char *text, *words;
    } refusals[] = {
        {"{\"error\":\"etcdserver: mvcc: database space exceeded\",\"code\":8}", "full (etcdctl alarm list)"},
        {"{\"error\":\"etcdserver: no leader\",\"code\":14}", "without a leader"},
        {"{\"error\":\"etcdserver: permission denied\",\"code\":7}", "refused by the server"},
    };
    for (uint32_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const phx_etcd_answer answer = read_text(PHX_ETCD_CAS, refusals[i].text);
        cr_assert(answer.outcome == PHC_FAILED && strstr(answer.reason, refusals[i].words), "%s", answer.reason);
    }
}

Test(etcd_json, answers_that_are_none_have_a_reason)
{
    static const struct {
        phx_etcd_kind kind;
        const char *text;
    } bad[] = {
        {PHX_ETCD_GET, ""},
        {PHX_ETCD_GET, "[]"},
        {PHX_ETCD_GET, "{}"},
        {PHX_ETCD_GET, "{\"header\":{\"revision\":9}}"},
        {PHX_ETCD_GET, "{\"header\":{\"revision\":\"9223372036854775808\"}}"},
        {PHX_ETCD_GET, "{\"header\":{\"revision\":\"-1\"}}"},
        {PHX_ETCD_GET, HEADER ",\"kvs\":{}}"},
        {PHX_ETCD_LIST, HEADER ",\"kvs\":[{\"key\":\"YQ==\"}]}"},
        {PHX_ETCD_LIST, HEADER ",\"kvs\":[{\"key\":\"YQ=\",\"mod_revision\":\"4\"}]}"},
        {PHX_ETCD_GET, HEADER ",\"kvs\":[{\"key\":\"YQAA\",\"mod_revision\":\"4\"}]}"},
        {PHX_ETCD_LIST, HEADER ",\"kvs\":[{\"key\":\"YQAA\",\"mod_revision\":\"0\"}]}"},
        {PHX_ETCD_LIST, HEADER ",\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"4\",\"value\":1}]}"},
        {PHX_ETCD_LIST, HEADER ",\"kvs\":[" KV ",{\"key\":\"Yg==\",\"mod_revision\":\"4\"}]}"},
        {PHX_ETCD_GET, HEADER ",\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"4\"}]}"},
        {PHX_ETCD_CAS,
         HEADER ",\"responses\":[{\"response_range\":{\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"4\"}]}}]}"},
        {PHX_ETCD_GET, HEADER ",\"kvs\":[" KV ",7]}"},
        {PHX_ETCD_CAS, HEADER "}"},
        {PHX_ETCD_CAS, "{\"header\":{\"revision\":\"6\"},\"succeeded\":true}"},
        {PHX_ETCD_LEASE_OPEN, HEADER "}"},
        {PHX_ETCD_LEASE_OPEN, HEADER ",\"ID\":\"7\"}"},
        {PHX_ETCD_LEASE_RENEW, HEADER ",\"ID\":\"7\",\"TTL\":\"5\"}"},
        {PHX_ETCD_LEASE_RENEW, "{\"result\":" HEADER ",\"ID\":\"8\",\"TTL\":\"5\"}}"},
        {PHX_ETCD_CAS, "{\"error\":\"timed out\",\"code\":14}"},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const phx_etcd_answer answer = read_text(bad[i].kind, bad[i].text);
        cr_assert(answer.outcome == PHC_FAILED && answer.reason[0] != '\0', "%s", bad[i].text);
        cr_assert_eq(answer.entries.count, 0);
    }
    fail_alloc_order(&allocator, 1, false);
    cr_assert_eq(read_text(PHX_ETCD_GET, HEADER ",\"kvs\":[" KV "]}").outcome, PHC_FAILED);
}

/* Keys a\0\0, "a/n 1", one of 300 bytes, and a value above the most: the others are read all the same. */
Test(etcd_json, keys_of_other_programs_fail_no_list)
{
    enum { LONG_KEY = 400, LONG_VALUE = (PHC_VALUE_MAX / 3 + 2) * 4 };
    static char text[LONG_VALUE + 2 * LONG_KEY + 1024];
    const int used = snprintf(text, sizeof text,
                              HEADER ",\"kvs\":[{\"key\":\"YQAA\",\"mod_revision\":\"4\"},{\"key\":\"YS9uIDE=\","
                                     "\"mod_revision\":\"5\"},{\"key\":\"%0*d\",\"mod_revision\":\"6\"}," KV
                                     ",{\"key\":\"YS9j\",\"mod_revision\":\"7\",\"value\":\"%0*d\"}]}",
                              LONG_KEY, 0, LONG_VALUE, 0);
    cr_assert(used > 0 && (size_t)used < sizeof text);
    phx_etcd_answer answer = read_text(PHX_ETCD_LIST, text);
    cr_assert_eq(answer.outcome, PHC_DONE, "%s", answer.reason);
    cr_assert(answer.left_out == 3 && answer.entries.count == 2, "%u, %u", answer.left_out, answer.entries.count);
    cr_assert_str_eq(answer.entries.items[0].key, "a/b");
    cr_assert_str_eq(answer.entries.items[1].key, "a/c");
    cr_assert_eq(answer.entries.items[1].size, 0);
    phx_entries_free(&answer.entries, &memory);
}
