/*
 * Reading messages of a page; see message.h. libwebsockets' JSON parser calls back for each value; fields are gathered
 * first, whatever their order, then checked for the message's type.
 */
#include "view/message.h"

#include <libwebsockets.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every field of every message. */
#define FIELD_LIST(ROW) \
    ROW(TYPE, "type") \
    ROW(TOKEN, "token") \
    ROW(X0, "x0") \
    ROW(Y0, "y0") \
    ROW(X1, "x1") \
    ROW(Y1, "y1") \
    ROW(INSTANCE, "instance") \
    ROW(PARTS, "parts") \
    ROW(POINTS, "points") \
    ROW(FOCUS, "focus") \
    ROW(HZ, "hz") \
    ROW(CLASS, "class") \
    ROW(KIND, "kind") \
    ROW(ID, "id") \
    ROW(OTHER, "other") \
    ROW(X, "x") \
    ROW(Y, "y") \
    ROW(RADIUS, "radius") \
    ROW(MOST, "most") \
    ROW(ANY, "any") \
    ROW(TAG, "tag") \
    ROW(SEQUENCE, "sequence") \
    ROW(WHAT, "what") \
    ROW(VALUE, "value") \
    ROW(FROM, "from") \
    ROW(KEY, "key")

typedef enum json_field {
#define FIELD_ENUM(name, text) FIELD_##name,
    FIELD_LIST(FIELD_ENUM)
#undef FIELD_ENUM
        FIELDS
} json_field;

static const char *const field_names[FIELDS] = {
#define FIELD_NAME(name, text) text,
    FIELD_LIST(FIELD_NAME)
#undef FIELD_NAME
};

typedef enum json_shape { ABSENT, TEXT, NUMBER, BOOLEAN } json_shape;

typedef struct json_value {
    json_shape shape;
    bool yes;
    char text[PH_VIEW_TEXT_SIZE]; /* also of a number */
} json_value;

typedef struct gathered {
    json_value values[FIELDS];
    bool too_long;
} gathered;

/* ---- gathering ---- */

static void keep(struct lejp_ctx *ctx, json_shape shape, bool yes)
{
    gathered *all = ctx->user;
    if (ctx->path_match == 0) return; /* a field that is not known has no meaning here */
    json_value *kept = &all->values[ctx->path_match - 1];
    const size_t length = shape == BOOLEAN ? 0 : strlen(ctx->buf);
    if (length >= sizeof kept->text) {
        all->too_long = true;
        return;
    }
    kept->shape = shape;
    kept->yes = yes;
    if (length > 0) memcpy(kept->text, ctx->buf, length);
    kept->text[length] = '\0';
}

static signed char gather(struct lejp_ctx *ctx, char reason)
{
    gathered *all = ctx->user;
    switch (reason) {
    case LEJPCB_VAL_STR_CHUNK: /* longer than any text of ours */
        all->too_long = true;
        break;
    case LEJPCB_VAL_STR_END:
        keep(ctx, TEXT, false);
        break;
    case LEJPCB_VAL_NUM_INT:
    case LEJPCB_VAL_NUM_FLOAT:
        keep(ctx, NUMBER, false);
        break;
    case LEJPCB_VAL_TRUE:
    case LEJPCB_VAL_FALSE:
        keep(ctx, BOOLEAN, reason == LEJPCB_VAL_TRUE);
        break;
    default:
        break;
    }
    return 0;
}

static bool parse(const char *text, size_t bytes, gathered *all)
{
    struct lejp_ctx ctx;
    memset(all, 0, sizeof *all);
    lejp_construct(&ctx, gather, all, field_names, FIELDS);
    const int left = lejp_parse(&ctx, (const unsigned char *)text, (int)bytes);
    lejp_destruct(&ctx);
    return left == 0 && !all->too_long; /* 0: the object ends with the last byte */
}

/* ---- checked values ---- */

static const char *text_of(const gathered *all, json_field field)
{
    return all->values[field].shape == TEXT ? all->values[field].text : "";
}

/* An absent number is the default. false: no finite number in the range. */
static bool number(const gathered *all, json_field field, double low, double high, double other, double *number)
{
    const json_value *value = &all->values[field];
    char *end = NULL;
    *number = other;
    if (value->shape == ABSENT) return true;
    if (value->shape != NUMBER) return false;
    *number = strtod(value->text, &end);
    return end != value->text && *end == '\0' && *number >= low && *number <= high;
}

static bool whole(const gathered *all, json_field field, uint32_t low, uint32_t high, uint32_t other, uint32_t *result)
{
    double read;
    if (!number(all, field, low, high, other, &read) || read != floor(read)) return false;
    *result = (uint32_t)read;
    return true;
}

static bool place(const gathered *all, json_field field, float *result)
{
    double read;
    if (!number(all, field, -(double)PH_COORDINATE_MAX, (double)PH_COORDINATE_MAX, 0, &read)) return false;
    *result = (float)read;
    return true;
}

/* 64 bits do not fit into a number of JSON: they come as text. */
static bool id(const gathered *all, json_field field, uint64_t *result)
{
    const json_value *value = &all->values[field];
    *result = 0;
    if (value->shape == ABSENT) return true;
    if (value->shape != TEXT || value->text[0] == '\0') return false;
    for (const char *at = value->text; *at != '\0'; at++) {
        const uint64_t digit = (uint64_t)(unsigned char)*at - '0';
        if (digit > 9 || *result > (UINT64_MAX - digit) / 10) return false;
        *result = *result * 10 + digit;
    }
    return true;
}

typedef struct named {
    const char *text;
    uint32_t number;
} named;

static bool find_word(const named *words, size_t count, const char *text, size_t length, uint32_t *number)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i].text) != length || memcmp(words[i].text, text, length) != 0) continue;
        *number = words[i].number;
        return true;
    }
    return false;
}

/* ---- messages ---- */

static const char *read_hello(const gathered *all, phx_message *message)
{
    const char *token = text_of(all, FIELD_TOKEN);
    if (strlen(token) >= sizeof message->token) return "token too long";
    memcpy(message->token, token, strlen(token) + 1);
    return NULL;
}

/* "points,grid" */
static bool read_parts(const char *at, uint32_t *flags)
{
    static const named parts[] = {{"points", PH_MONITOR_POINTS},   {"grid", PH_MONITOR_GRID},
                                  {"shards", PH_MONITOR_SHARDS},   {"areas", PH_MONITOR_AREAS},
                                  {"stats", PH_MONITOR_STATS},     {"keys", PH_MONITOR_KEYS},
                                  {"any", PH_MONITOR_ANY_INSTANCE}};
    *flags = 0;
    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        uint32_t flag;
        if (!find_word(parts, sizeof parts / sizeof *parts, at, length, &flag)) return false;
        *flags |= flag;
        at += length + (at[length] == ',');
    }
    return true;
}

static const char *read_view(const gathered *all, phx_message *message)
{
    ph_monitor_view *view = &message->view;
    if (!place(all, FIELD_X0, &view->x0) || !place(all, FIELD_Y0, &view->y0) || !place(all, FIELD_X1, &view->x1) ||
        !place(all, FIELD_Y1, &view->y1))
        return "view: a corner is no coordinate";
    if (!whole(all, FIELD_INSTANCE, 0, UINT32_MAX, 0, &view->instance)) return "view: instance";
    if (!read_parts(text_of(all, FIELD_PARTS), &view->flags)) return "view: unknown part";
    if (!whole(all, FIELD_POINTS, 0, PH_MONITOR_POINTS_MAX, 0, &view->points_max)) return "view: points";
    if (!id(all, FIELD_FOCUS, &view->focus)) return "view: focus is no id";
    if (!whole(all, FIELD_CLASS, 0, PH_KINDS_MAX - 1, 0, &message->kind_shown)) return "view: class";
    if (!whole(all, FIELD_HZ, 1, PHX_MESSAGE_HZ_MAX, 10, &message->hz)) return "view: hz";
    return NULL;
}

static const char *read_ask(const gathered *all, phx_message *message)
{
    static const named kinds[] = {{"list", PH_ASK_LIST},
                                  {"observers", PH_ASK_OBSERVERS},
                                  {"explain", PH_ASK_EXPLAIN},
                                  {"nearest", PH_ASK_NEAREST},
                                  {"entity", PH_ASK_ENTITY}};
    ph_monitor_question *ask = &message->question;
    uint32_t kind;
    double radius;
    const char *word = text_of(all, FIELD_KIND);
    if (!find_word(kinds, sizeof kinds / sizeof *kinds, word, strlen(word), &kind)) return "ask: unknown kind";
    ask->kind = (ph_monitor_ask_kind)kind;
    if (!whole(all, FIELD_MOST, 1, PH_MONITOR_HITS_MAX, 1, &ask->most)) return "ask: most";
    if (!id(all, FIELD_ID, &ask->id) || !id(all, FIELD_OTHER, &ask->other)) return "ask: no id";
    if (!id(all, FIELD_TAG, &ask->tag)) return "ask: tag";
    if (!place(all, FIELD_X, &ask->x) || !place(all, FIELD_Y, &ask->y)) return "ask: no place";
    if (!number(all, FIELD_RADIUS, 0, (double)PH_LENGTH_MAX, 0, &radius)) return "ask: radius";
    ask->radius = (float)radius;
    if (!whole(all, FIELD_INSTANCE, 0, UINT32_MAX, 0, &ask->instance)) return "ask: instance";
    ask->flags = all->values[FIELD_ANY].yes ? PH_MONITOR_ANY_INSTANCE : 0u;
    return NULL;
}

static const char *read_ack(const gathered *all, phx_message *message)
{
    return whole(all, FIELD_SEQUENCE, 0, UINT32_MAX, 0, &message->sequence) ? NULL : "ack: sequence";
}

static const char *read_do(const gathered *all, phx_message *message)
{
    static const named acts[] = {{"pause", PH_VIEW_DO_PAUSE}, {"play", PH_VIEW_DO_PLAY}, {"step", PH_VIEW_DO_STEP},
                                 {"speed", PH_VIEW_DO_SPEED}, {"seek", PH_VIEW_DO_SEEK}, {"slice", PH_VIEW_DO_SLICE}};
    static const double tick_max = 9007199254740992.0; /* 2^53: JSON's numbers are exact so far */
    ph_view_request *request = &message->request;
    const char *word = text_of(all, FIELD_WHAT);
    uint32_t what;
    if (!find_word(acts, sizeof acts / sizeof *acts, word, strlen(word), &what)) return "do: unknown";
    request->what = (ph_view_do)what;
    const bool speed = request->what == PH_VIEW_DO_SPEED;
    if (!number(all, FIELD_VALUE, speed ? 0.01 : 0, speed ? 1000 : tick_max, speed ? 1 : 0, &request->value) ||
        (!speed && request->value != floor(request->value)))
        return "do: value";
    const double from_max = request->what == PH_VIEW_DO_SLICE ? request->value : 0;
    const bool from = number(all, FIELD_FROM, 0, from_max, 0, &request->from) && request->from == floor(request->from);
    return from ? NULL : "do: from";
}

static const char *read_set(const gathered *all, phx_message *message)
{
    ph_view_request *request = &message->request;
    const char *key = text_of(all, FIELD_KEY);
    if (key[0] == '\0' || strchr(key, '=') || all->values[FIELD_VALUE].shape == ABSENT) return "set: key and value";
    request->what = PH_VIEW_DO_SET;
    memcpy(request->key, key, strlen(key) + 1);
    memcpy(request->text, all->values[FIELD_VALUE].text, sizeof request->text);
    return NULL;
}

const char *phx_message_read(const char *text, size_t bytes, phx_message *message)
{
    static const struct {
        const char *type;
        phx_message_kind kind;
        const char *(*read)(const gathered *all, phx_message *message);
    } types[] = {{"hello", PHX_MESSAGE_HELLO, read_hello}, {"view", PHX_MESSAGE_VIEW, read_view},
                 {"ask", PHX_MESSAGE_ASK, read_ask},       {"ack", PHX_MESSAGE_ACK, read_ack},
                 {"do", PHX_MESSAGE_DO, read_do},          {"set", PHX_MESSAGE_DO, read_set}};
    gathered all;
    memset(message, 0, sizeof *message);
    if (bytes > PH_VIEW_MESSAGE_MAX) return "message too long";
    if (!parse(text, bytes, &all)) return "no JSON object, or too deep, or a text too long";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(text_of(&all, FIELD_TYPE), types[i].type) != 0) continue;
        message->kind = types[i].kind;
        return types[i].read(&all, message);
    }
    return "unknown type";
}
