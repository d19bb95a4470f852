/*
 * Short words for the model's unit tests: a world in one line, commands in one line each,
 * events and lists compared as text. Included by the test_model*.c files only.
 */
#ifndef UNIT_MODEL_FIXTURE_H
#define UNIT_MODEL_FIXTURE_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/history.h"
#include "support/model.h"

enum { FIXTURE_CLASSES = 4, FIXTURE_TEXT = 512 };

typedef struct fixture {
    ph_world_def def;
    ph_class classes[FIXTURE_CLASSES];
    model *m;
} fixture;

/* View 10, margin 0 for class 0; class 1 the same; class 2: no view; class 3: cap 1. Nothing made yet. */
static inline fixture fixture_def(void)
{
    fixture f = {.def = ph_world_def_default()};
    static const char *const names[FIXTURE_CLASSES] = {"default", "one", "two", "three"};
    for (int i = 0; i < FIXTURE_CLASSES; i++) {
        f.classes[i] = ph_class_default(names[i]);
        f.classes[i].view = i == 2 ? 0 : 10;
    }
    f.classes[3].cap = 1;
    f.def.class_count = FIXTURE_CLASSES;
    f.def.world_size[0] = 1000;
    f.def.world_size[1] = 1000;
    f.def.tower_size = 10;
    f.def.entities_max = 100;
    return f;
}

static inline void fixture_make(fixture *f)
{
    f->def.classes = f->classes;
    f->m = model_create(&f->def);
}

static inline fixture fixture_world(void)
{
    fixture f = fixture_def();
    fixture_make(&f);
    return f;
}

static inline void fixture_end(fixture *f)
{
    model_destroy(f->m);
}

/* ---- commands, from producer 0 ---- */

static inline ph_status enter_as(fixture *f, uint64_t id, float x, float y, ph_attrs attrs)
{
    command c = {.type = COMMAND_ENTER, .id = id, .attrs = attrs};
    c.attrs.x = x;
    c.attrs.y = y;
    c.attrs.given |= PH_X | PH_Y;
    return model_submit(f->m, 0, &c);
}

static inline ph_status enter(fixture *f, uint64_t id, float x, float y)
{
    return enter_as(f, id, x, y, (ph_attrs){0});
}

static inline ph_status move3(fixture *f, uint64_t id, float x, float y, float z)
{
    command c = {.type = COMMAND_MOVE, .id = id, .attrs = {.x = x, .y = y, .z = z}};
    return model_submit(f->m, 0, &c);
}

static inline ph_status move(fixture *f, uint64_t id, float x, float y)
{
    return move3(f, id, x, y, 0);
}

static inline ph_status set(fixture *f, uint64_t id, ph_attrs attrs)
{
    command c = {.type = COMMAND_SET, .id = id, .attrs = attrs};
    return model_submit(f->m, 0, &c);
}

static inline ph_status act(fixture *f, command_type type, uint64_t id, uint64_t other)
{
    command c = {.type = type, .id = id, .other = other};
    return model_submit(f->m, 0, &c);
}

static inline ph_status pair(fixture *f, uint64_t id, uint64_t other, float view, float margin)
{
    command c = {.type = COMMAND_PAIR, .id = id, .other = other, .attrs = {.view = view, .margin = margin}};
    return model_submit(f->m, 0, &c);
}

static inline ph_status leave(fixture *f, uint64_t id)
{
    return act(f, COMMAND_LEAVE, id, 0);
}

/* ---- results, as text ---- */

/* "1*:-2+3 4:+5": observer 1 (fresh) lost 2 and got 3, observer 4 got 5. */
static inline void events_text(const model_change *changes, size_t count, char *text)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, FIXTURE_TEXT - used, "%s%" PRIu64 "%s:", i != 0 ? " " : "", changes[i].observer.id,
                       changes[i].fresh ? "*" : "");
        for (size_t j = 0; j < changes[i].targets.count; j++) {
            used = strlen(text);
            (void)snprintf(text + used, FIXTURE_TEXT - used, "%c%" PRIu64, j < changes[i].leave_count ? '-' : '+',
                           changes[i].targets.items[j].key.id);
        }
    }
}

/* "sequence:STATUS ..." of all refusals of the last tick. */
static inline void refusals_text(const fixture *f, char *text)
{
    const model_refusal *refusals = NULL;
    size_t count = model_refusals(f->m, &refusals);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, FIXTURE_TEXT - used, "%s%" PRIu64 ":%s", i != 0 ? " " : "", refusals[i].sequence,
                       ph_status_name(refusals[i].status));
    }
}

static inline void list_text(const fixture *f, uint64_t id, char *text)
{
    uint64_t ids[128];
    uint32_t count = 0;
    text[0] = '\0';
    if (model_list(f->m, id, ids, &count) != PH_OK) {
        (void)snprintf(text, FIXTURE_TEXT, "unknown");
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, FIXTURE_TEXT - used, "%s%" PRIu64, i != 0 ? " " : "", ids[i]);
    }
}

/* A tick, and exactly these events in it. */
#define TICK(f, expected) \
    do { \
        char tick_text[FIXTURE_TEXT]; \
        const model_change *tick_changes = NULL; \
        (void)model_tick((f)->m); \
        size_t tick_count = model_changes((f)->m, &tick_changes); \
        events_text(tick_changes, tick_count, tick_text); \
        cr_assert_str_eq(tick_text, expected, "events: %s, expected: %s", tick_text, expected); \
    } while (0)
#define REFUSED(f, expected) \
    do { \
        char refused_text[FIXTURE_TEXT]; \
        refusals_text(f, refused_text); \
        cr_assert_str_eq(refused_text, expected, "refusals: %s, expected: %s", refused_text, expected); \
    } while (0)
#define LIST(f, id, expected) \
    do { \
        char list_is[FIXTURE_TEXT]; \
        list_text(f, id, list_is); \
        cr_assert_str_eq(list_is, expected, "list: %s, expected: %s", list_is, expected); \
    } while (0)
#define OK(call) cr_assert_eq(call, PH_OK)
#define STATUS(call, expected) \
    do { \
        ph_status status_is = (call); \
        cr_assert_eq(status_is, expected, "%s: %s", #call, ph_status_name(status_is)); \
    } while (0)

#endif
