/*
 * Fuzzer of the messages of pages: any bytes are read or refused with a line, and a record that is read is within the
 * bounds of the calls that it is for.
 */
#include "support/check.h"
#include "view/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(const ph_view_request *request)
{
    REQUIRE(request->what >= PH_VIEW_DO_PAUSE && request->what <= PH_VIEW_DO_SLICE);
    REQUIRE(memchr(request->key, 0, sizeof request->key) && memchr(request->text, 0, sizeof request->text));
    if (request->what == PH_VIEW_DO_SPEED) REQUIRE(request->value >= 0.01 && request->value <= 1000);
    else REQUIRE(request->value >= 0 && request->value <= 0x1p53 && request->value == floor(request->value));
    REQUIRE(request->from >= 0 && request->from <= request->value && request->from == floor(request->from));
    if (request->what != PH_VIEW_DO_SLICE) REQUIRE(request->from <= 0);
    if (request->what == PH_VIEW_DO_SET) REQUIRE(request->key[0] != '\0' && !strchr(request->key, '='));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    phx_message message;
    char *text = malloc(size + 1); /* of just this size, so that a read behind it is seen */
    REQUIRE(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text = realloc(text, size > 0 ? size : 1);
    REQUIRE(text != NULL);
    const char *wrong = phx_message_read(text, size, &message);
    if (wrong) {
        REQUIRE(wrong[0] != '\0');
    } else {
        REQUIRE(message.kind >= PHX_MESSAGE_HELLO && message.kind <= PHX_MESSAGE_DO);
        REQUIRE(memchr(message.token, 0, sizeof message.token));
        REQUIRE((message.view.flags & ~(uint32_t)PH_MONITOR_FLAGS_ALL) == 0);
        REQUIRE(message.view.points_max <= PH_MONITOR_POINTS_MAX);
        if (message.kind == PHX_MESSAGE_VIEW) REQUIRE(message.hz >= 1 && message.hz <= PHX_MESSAGE_HZ_MAX);
        if (message.kind == PHX_MESSAGE_ASK) REQUIRE(message.question.most >= 1);
        if (message.kind == PHX_MESSAGE_DO) check_request(&message.request);
    }
    free(text);
    return 0;
}
