/*
 * Messages of pages: every kind read to its record, refusals by field, and numbers at the ends of their ranges. Texts
 * to pages: escapes, and bytes that are no UTF-8. The
 * server's answers to them are in test_server.py; random bytes in fuzz_view.c.
 */
#include "support/check.h"
#include "view/hello.h"
#include "view/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition) CHECK(condition, "%s", #condition)

static phx_message message;

static const char *read_text(const char *text)
{
    return phx_message_read(text, strlen(text), &message);
}

static void views(void)
{
    HOLDS(read_text("{\"type\":\"view\",\"x0\":-1.5,\"y0\":2,\"x1\":999999984306749440,\"y1\":3.0e2,\"parts\":"
                    "\"points,keys,any\",\"points\":7,"
                    "\"focus\":\"18446744073709551615\",\"hz\":60,\"class\":4095,\"instance\":4294967295}") == NULL);
    HOLDS(message.kind == PHX_MESSAGE_VIEW && message.hz == 60 && message.kind_shown == 4095);
    HOLDS(message.view.x0 == -1.5F && message.view.y0 == 2 && message.view.x1 == 1e18F && message.view.y1 == 300);
    HOLDS(message.view.flags == (PH_MONITOR_POINTS | PH_MONITOR_KEYS | PH_MONITOR_ANY_INSTANCE));
    HOLDS(message.view.points_max == 7 && message.view.focus == UINT64_MAX && message.view.instance == UINT32_MAX);
    HOLDS(read_text("{\"parts\":\"\",\"type\":\"view\"}") == NULL); /* in any order; the rest has defaults */
    HOLDS(message.view.flags == 0 && message.view.focus == 0 && message.hz == 10);
    HOLDS(read_text("{\"type\":\"view\",\"x0\":1.1e18}") != NULL);
    HOLDS(read_text("{\"type\":\"view\",\"x0\":\"1\"}") != NULL);
    HOLDS(read_text("{\"type\":\"view\",\"hz\":61}") != NULL);
    HOLDS(read_text("{\"type\":\"view\",\"instance\":4294967296}") != NULL);
}

static void questions(void)
{
    HOLDS(read_text("{\"type\":\"ask\",\"kind\":\"explain\",\"id\":\"3\",\"other\":\"7\",\"tag\":\"12\"}") == NULL);
    HOLDS(message.kind == PHX_MESSAGE_ASK && message.question.kind == PH_ASK_EXPLAIN);
    HOLDS(message.question.id == 3 && message.question.other == 7 && message.question.tag == 12);
    HOLDS(
        read_text("{\"type\":\"ask\",\"kind\":\"nearest\",\"x\":1,\"y\":2,\"radius\":3,\"most\":8192,\"any\":true}") ==
        NULL);
    HOLDS(message.question.most == 8192 && message.question.radius == 3 &&
          message.question.flags == PH_MONITOR_ANY_INSTANCE);
    HOLDS(read_text("{\"type\":\"ask\",\"kind\":\"list\",\"most\":8193}") != NULL);
    HOLDS(read_text("{\"type\":\"ask\",\"kind\":\"list\",\"id\":\"18446744073709551616\"}") != NULL);
    HOLDS(read_text("{\"type\":\"ask\",\"kind\":\"lis\"}") != NULL);
    HOLDS(read_text("{\"type\":\"ask\",\"kind\":\"list\",\"id\":\"\"}") != NULL);
}

static void requests(void)
{
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"seek\",\"value\":9007199254740992}") == NULL);
    HOLDS(message.kind == PHX_MESSAGE_DO && message.request.what == PH_VIEW_DO_SEEK);
    HOLDS(message.request.value == 9007199254740992.0);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"seek\",\"value\":1.5}") != NULL);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"seek\",\"value\":100000000000000000}") != NULL);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"speed\",\"value\":1001}") != NULL);
    HOLDS(read_text("{\"type\":\"set\",\"key\":\"npc.view\",\"value\":\"30\"}") == NULL);
    HOLDS(message.request.what == PH_VIEW_DO_SET && strcmp(message.request.key, "npc.view") == 0);
    HOLDS(strcmp(message.request.text, "30") == 0);
    HOLDS(read_text("{\"type\":\"set\",\"key\":\"x\"}") != NULL);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"slice\",\"value\":9,\"from\":7}") == NULL);
    HOLDS(message.request.what == PH_VIEW_DO_SLICE && message.request.from == 7 && message.request.value == 9);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"slice\",\"value\":9,\"from\":10}") != NULL);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"slice\",\"value\":9,\"from\":1.5}") != NULL);
    HOLDS(read_text("{\"type\":\"do\",\"what\":\"seek\",\"value\":9,\"from\":7}") != NULL);
    HOLDS(read_text("{\"type\":\"ack\",\"sequence\":4294967295}") == NULL && message.sequence == UINT32_MAX);
    HOLDS(read_text("{\"type\":\"ack\",\"sequence\":4294967296}") != NULL);
}

static void texts(void)
{
    char text[512];
    for (int length = 0; length < 300; length++) { /* a token fits, or is refused; none is cut */
        snprintf(text, sizeof text, "{\"type\":\"hello\",\"token\":\"%.*s\"}", length,
                 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234"
                 "56789ab"
                 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234"
                 "56789ab"
                 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234"
                 "56789ab");
        const char *wrong = read_text(text);
        HOLDS((wrong == NULL) == (length <= PH_VIEW_TOKEN_MAX));
        if (!wrong) HOLDS(strlen(message.token) == (size_t)length);
    }
    HOLDS(strcmp(read_text("{\"type\":\"acknowledge\"}"), "unknown type") == 0);
    HOLDS(strcmp(read_text("{\"kind\":\"ack\"}"), "unknown type") == 0);
    HOLDS(read_text("{\"type\":\"ack\"") != NULL);
    HOLDS(read_text("{\"type\":\"ack\"}x") != NULL);
    HOLDS(read_text("") != NULL);
    HOLDS(phx_message_read("{}", 2, &message) != NULL);
}

/* Texts to pages are UTF-8 whatever bytes they are made of: else a browser closes the connection. */
static void texts_to_pages(void)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"a\"\\\n\x01z", "a\\\"\\\\\\n\\u0001z"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x97\xbc", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x97\xbc"}, /* 2, 3 and 4 bytes */
        {"\xff\x80", "\\ufffd\\ufffd"},                                                   /* no first byte */
        {"\xc3", "\\ufffd"},                                                              /* cut */
        {"\xc3z", "\\ufffdz"},
        {"\xc1\xbf", "\\ufffd\\ufffd"},            /* longer than it need be */
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"}, /* half of a pair of UTF-16 */
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[128];
        char *text = phx_line_text("said", cases[i].bytes, strlen(cases[i].bytes));
        snprintf(want, sizeof want, "{\"type\":\"said\",\"text\":\"%s\"}", cases[i].text);
        CHECK(text && strcmp(text, want) == 0, "text %zu is %s, not %s", i, text ? text : "none", want);
        free(text);
    }
}

/* Each key has a value of its own. */
static void class_keys(void)
{
    const ph_class class = {.name = "x",
                            .view = 1.5F,
                            .margin = 2,
                            .reach = 3,
                            .visible = 1e18F,
                            .layers = 4,
                            .sees = UINT64_MAX,
                            .cap = 5,
                            .stealth = 6,
                            .detect = 7,
                            .priority = 8,
                            .veiled = true,
                            .wakes = true,
                            .adds_max = 9,
                            .updates_max = 10};
    char *text = phx_class_text(4095, &class);
    CHECK(text && strcmp(text, "{\"type\":\"class\",\"kind\":4095,\"view\":1.5,\"margin\":2,\"reach\":3,"
                               "\"visible\":9.99999984e+17,\"layers\":\"4\",\"sees\":\"18446744073709551615\","
                               "\"stealth\":6,\"detect\":7,\"global\":false,\"veiled\":true,\"ready\":false,"
                               "\"cap\":5,\"priority\":8,\"adds_max\":9,\"wakes\":true,\"sleeps\":false,"
                               "\"updates_max\":10}") == 0,
          "the keys of a class are %s", text ? text : "none");
    free(text);
}

int main(void)
{
    views();
    questions();
    requests();
    texts();
    texts_to_pages();
    class_keys();
    return check_done("view_messages");
}
