/*
 * The model against hand-made vectors: events, incarnations, readiness, attachment,
 * classes, order of commands, refusals, and the net difference of several ticks.
 */
#include "unit/support/model_fixture.h"

static const ph_attrs PLAIN = {.given = PH_KIND, .kind = 2};

/* ---- events ---- */

Test(model_events, no_event_comes_twice)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter(&f, 2, 5, 0));
    TICK(&f, "1*:+2 2*:+1");
    TICK(&f, "");
    OK(move(&f, 2, 6, 0));
    TICK(&f, "");
    OK(move(&f, 2, 900, 0));
    OK(move(&f, 2, 6, 0));
    TICK(&f, ""); /* there and back in one tick is nothing */
    OK(move(&f, 2, 900, 0));
    TICK(&f, "1:-2 2:-1");
    fixture_end(&f);
}

Test(model_events, sight_is_not_mutual)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_VIEW, .view = 20}));
    OK(enter(&f, 2, 15, 0));
    TICK(&f, "1*:+2 2*:");
    uint64_t ids[4];
    uint32_t count = 0;
    OK(model_observers(f.m, 2, ids, &count));
    cr_assert(count == 1 && ids[0] == 1);
    OK(model_observers(f.m, 1, ids, &count));
    cr_assert(count == 0);
    fixture_end(&f);
}

Test(model_events, leaving_the_world)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter(&f, 2, 1, 0));
    OK(enter(&f, 3, 2, 0));
    TICK(&f, "1*:+2+3 2*:+1+3 3*:+1+2");
    OK(leave(&f, 2));
    TICK(&f, "1:-2 3:-2"); /* 2 itself gets nothing */
    LIST(&f, 2, "unknown");
    OK(enter(&f, 2, 1, 0));
    TICK(&f, "1:+2 2*:+1+3 3:+2");
    fixture_end(&f);
}

Test(model_events, leave_and_enter_in_one_tick_is_another_incarnation)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter(&f, 2, 1, 0));
    TICK(&f, "1*:+2 2*:+1");
    OK(leave(&f, 2));
    OK(enter(&f, 2, 1, 0));
    TICK(&f, "1:-2+2 2*:+1");
    OK(leave(&f, 2));
    OK(enter(&f, 2, 1, 0));
    OK(leave(&f, 2));
    OK(enter(&f, 2, 1, 0));
    TICK(&f, "1:-2+2 2*:+1");
    OK(leave(&f, 2));
    OK(enter(&f, 2, 1, 0));
    OK(leave(&f, 2));
    TICK(&f, "1:-2");
    OK(enter(&f, 3, 1, 0));
    OK(leave(&f, 3));
    TICK(&f, "");
    fixture_end(&f);
}

Test(model_events, not_ready_gets_nothing)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 2, 1, 0, PLAIN));
    TICK(&f, "1*:+2");
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = false}));
    TICK(&f, "");
    LIST(&f, 1, "");
    TICK(&f, "");
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = true}));
    TICK(&f, "1*:+2");
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = false}));
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = true}));
    TICK(&f, "1*:+2"); /* off and on in one tick begins anew */
    OK(set(&f, 1, (ph_attrs){.given = PH_READY | PH_VIEW, .ready = false, .view = 0}));
    TICK(&f, "");
    fixture_end(&f);
}

Test(model_events, a_remote_entity_is_seen_and_sees_nothing)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter(&f, 2, 1, 0));
    TICK(&f, "1*:+2 2*:+1");
    OK(set(&f, 2, (ph_attrs){.given = PH_REMOTE, .remote = true}));
    TICK(&f, ""); /* it stays in the list of 1 */
    LIST(&f, 2, "");
    LIST(&f, 1, "2");
    OK(move(&f, 2, 500, 0));
    TICK(&f, "1:-2");
    OK(move(&f, 2, 1, 0));
    TICK(&f, "1:+2");
    OK(set(&f, 2, (ph_attrs){.given = PH_READY, .ready = true}));
    TICK(&f, "");
    OK(set(&f, 2, (ph_attrs){.given = PH_REMOTE, .remote = false}));
    TICK(&f, "2*:+1");
    fixture_end(&f);
}

Test(model_events, view_zero_gets_leaves)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 2, 1, 0, PLAIN));
    TICK(&f, "1*:+2");
    OK(set(&f, 1, (ph_attrs){.given = PH_VIEW, .view = 0}));
    TICK(&f, "1:-2");
    OK(set(&f, 1, (ph_attrs){.given = PH_VIEW, .view = 3}));
    TICK(&f, "1:+2"); /* not afresh: it was ready all the time */
    fixture_end(&f);
}

Test(model_events, an_empty_list_begins_too)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    TICK(&f, "1*:");
    TICK(&f, "");
    OK(enter_as(&f, 2, 1, 0, PLAIN));
    TICK(&f, "1:+2");
    OK(move(&f, 2, 500, 0));
    TICK(&f, "1:-2");
    OK(move(&f, 2, 1, 0));
    TICK(&f, "1:+2");
    fixture_end(&f);
}

Test(model_events, ordered_by_kind_then_id)
{
    fixture f = fixture_world();
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 9, 1, 0, (ph_attrs){.given = PH_KIND | PH_VIEW, .kind = 1, .view = 0}));
    OK(enter_as(&f, 5, 1, 0, (ph_attrs){.given = PH_KIND, .kind = 2}));
    OK(enter_as(&f, 7, 1, 0, (ph_attrs){.given = PH_KIND | PH_VIEW, .kind = 1, .view = 0}));
    OK(enter_as(&f, 3, 1, 0, (ph_attrs){.given = PH_KIND | PH_VIEW, .kind = 3, .view = 0}));
    TICK(&f, "1*:+7+9+5+3");
    LIST(&f, 1, "7 9 5 3");
    OK(set(&f, 5, (ph_attrs){.given = PH_KIND, .kind = 0}));
    OK(set(&f, 5, (ph_attrs){.given = PH_VIEW, .view = 0}));
    TICK(&f, ""); /* another kind is no event */
    LIST(&f, 1, "5 7 9 3");
    OK(leave(&f, 5));
    OK(leave(&f, 9));
    OK(enter_as(&f, 9, 1, 0, (ph_attrs){.given = PH_KIND | PH_VIEW, .kind = 3, .view = 0}));
    TICK(&f, "1:-5-9+9"); /* the departed with their last kinds */
    const model_change *changes = NULL;
    cr_assert(model_changes(f.m, &changes) == 1);
    cr_assert(changes[0].targets.items[0].kind == 0 && changes[0].targets.items[1].kind == 1);
    cr_assert(changes[0].targets.items[2].kind == 3);
    fixture_end(&f);
}

/* ---- attachment ---- */

static void expect_at(const fixture *f, uint64_t id, float x, float y)
{
    ph_attrs a;
    OK(model_get(f->m, id, &a));
    cr_assert(a.x == x && a.y == y, "%" PRIu64 " is at %g, %g", id, (double)a.x, (double)a.y);
}

Test(model_events, children_follow)
{
    fixture f = fixture_world();
    for (uint64_t id = 1; id <= 3; id++) {
        OK(enter_as(&f, id, (float)id * 100, 0, PLAIN));
    }
    OK(act(&f, COMMAND_ATTACH, 2, 1));
    OK(act(&f, COMMAND_ATTACH, 3, 2));
    TICK(&f, "");
    expect_at(&f, 3, 100, 0);
    OK(move(&f, 1, 50, 50));
    OK(move(&f, 2, 7, 7));
    OK(set(&f, 3, (ph_attrs){.given = PH_X | PH_USER_DATA, .x = 5, .user_data = 5}));
    TICK(&f, "");
    REFUSED(&f, "7:PH_ATTACHED 8:PH_ATTACHED");
    expect_at(&f, 2, 50, 50);
    expect_at(&f, 3, 50, 50);
    ph_attrs a;
    OK(model_get(f.m, 3, &a));
    cr_assert(a.user_data == 0, "the whole command changes nothing");
    OK(set(&f, 3, (ph_attrs){.given = PH_USER_DATA, .user_data = 5}));
    OK(act(&f, COMMAND_DETACH, 2, 0)); /* takes 50, 50; 3 hangs on it still */
    OK(move(&f, 1, 0, 0));
    TICK(&f, "");
    REFUSED(&f, "");
    expect_at(&f, 2, 50, 50);
    expect_at(&f, 3, 50, 50);
    OK(move(&f, 2, 60, 60));
    OK(leave(&f, 2)); /* 3 stays where 2 was last */
    TICK(&f, "");
    expect_at(&f, 3, 60, 60);
    OK(move(&f, 3, 1, 1));
    TICK(&f, "");
    expect_at(&f, 3, 1, 1);
    fixture_end(&f);
}

Test(model_events, attach_refusals)
{
    fixture f = fixture_world();
    for (uint64_t id = 1; id <= 12; id++) {
        OK(enter_as(&f, id, 0, 0, PLAIN)); /* sequences 1..12 */
    }
    for (uint64_t id = 1; id <= 9; id++) {
        OK(act(&f, COMMAND_ATTACH, id + 1, id)); /* 13..21: 10 on 9 would be depth 9 */
    }
    OK(act(&f, COMMAND_ATTACH, 1, 9));   /* 22: a cycle */
    OK(act(&f, COMMAND_ATTACH, 5, 5));   /* 23: the shortest one */
    OK(act(&f, COMMAND_ATTACH, 2, 1));   /* 24: same parent again */
    OK(act(&f, COMMAND_ATTACH, 1, 11));  /* 25: the chain below 1 is 8 deep */
    OK(act(&f, COMMAND_ATTACH, 1, 99));  /* 26 */
    OK(act(&f, COMMAND_ATTACH, 99, 99)); /* 27: unknown comes before the cycle */
    OK(act(&f, COMMAND_DETACH, 12, 0));  /* 28 */
    OK(act(&f, COMMAND_ATTACH, 9, 11));  /* 29: changes over */
    OK(act(&f, COMMAND_ATTACH, 10, 9));  /* 30 */
    TICK(&f, "");
    REFUSED(&f, "21:PH_TOO_DEEP 22:PH_CYCLE 23:PH_CYCLE 25:PH_TOO_DEEP 26:PH_UNKNOWN_ID 27:PH_UNKNOWN_ID "
                "28:PH_ABSENT");
    OK(move(&f, 11, 3, 4));
    TICK(&f, "");
    expect_at(&f, 10, 3, 4);
    expect_at(&f, 8, 0, 0);
    fixture_end(&f);
}

/* ---- classes ---- */

Test(model_events, attributes_not_given_follow_the_kind)
{
    fixture f = fixture_world();
    OK(enter_as(&f, 1, 0, 0, PLAIN));
    OK(enter_as(&f, 2, 5, 0, PLAIN));
    TICK(&f, "");
    OK(set(&f, 1, (ph_attrs){.given = PH_KIND, .kind = 1}));
    TICK(&f, "1*:+2");
    OK(set(&f, 1, (ph_attrs){.given = PH_VIEW, .view = 5}));
    OK(set(&f, 1, (ph_attrs){.given = PH_KIND, .kind = 2}));
    TICK(&f, ""); /* a view once given stays */
    ph_class classes[FIXTURE_CLASSES];
    memcpy(classes, f.classes, sizeof classes);
    ph_world_def def = f.def;
    def.classes = classes;
    classes[2].stealth = 1;
    model_reconfigure(f.m, &def);
    LIST(&f, 1, "2");
    TICK(&f, "1:-2");
    fixture_end(&f);
}

/* ---- order and refusals ---- */

Test(model_events, producers_in_order)
{
    fixture f = fixture_world();
    command late = {.type = COMMAND_ENTER, .id = 1, .attrs = {.given = PH_X | PH_Y, .x = 2}};
    command early = {.type = COMMAND_ENTER, .id = 1, .attrs = {.given = PH_X | PH_Y, .x = 1}};
    OK(model_submit(f.m, 1, &late));
    OK(model_submit(f.m, 0, &early));
    TICK(&f, "1*:");
    REFUSED(&f, "1:PH_EXISTS");
    expect_at(&f, 1, 1, 0);
    fixture_end(&f);
}

Test(model_events, tick_refusals)
{
    fixture f = fixture_def();
    f.def.entities_max = 2;
    fixture_make(&f);
    OK(enter_as(&f, 1, 0, 0, PLAIN));
    OK(enter_as(&f, 2, 0, 0, PLAIN));
    OK(enter_as(&f, 2, 0, 0, PLAIN)); /* 3: exists comes before capacity */
    OK(enter_as(&f, 3, 0, 0, PLAIN)); /* 4 */
    OK(leave(&f, 4));
    OK(move(&f, 4, 0, 0));
    OK(set(&f, 4, (ph_attrs){.given = 0}));
    OK(pair(&f, 1, 4, 0, 0));
    OK(act(&f, COMMAND_LINK, 4, 1));
    OK(act(&f, COMMAND_UNPAIR, 1, 2)); /* 10 */
    OK(act(&f, COMMAND_UNLINK, 1, 2));
    OK(act(&f, COMMAND_DETACH, 4, 0));
    TICK(&f, "");
    REFUSED(&f, "3:PH_EXISTS 4:PH_CAPACITY 5:PH_UNKNOWN_ID 6:PH_UNKNOWN_ID 7:PH_UNKNOWN_ID 8:PH_UNKNOWN_ID "
                "9:PH_UNKNOWN_ID 10:PH_ABSENT 11:PH_ABSENT 12:PH_UNKNOWN_ID");
    model_counts c = model_count(f.m);
    cr_assert(c.commands == 12 && c.applied == 2 && c.refused_in_tick == 10 && c.refused[PH_UNKNOWN_ID] == 6);
    OK(leave(&f, 1));
    OK(enter_as(&f, 3, 0, 0, PLAIN)); /* room again in the same tick */
    TICK(&f, "");
    REFUSED(&f, "");
    fixture_end(&f);
}

Test(model_events, submit_refusals)
{
    fixture f = fixture_world();
    float nan = NAN;
    STATUS(enter(&f, 0, nan, 0), PH_BAD_ID);
    STATUS(enter(&f, 1, nan, 0), PH_BAD_POSITION);
    STATUS(enter(&f, 1, 0, INFINITY), PH_BAD_POSITION);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_Z, .z = -INFINITY}), PH_BAD_POSITION);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_VIEW | PH_KIND, .view = -1, .kind = 99}), PH_BAD_RADIUS);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_KIND | PH_CAP, .kind = 4, .cap = UINT32_MAX}), PH_BAD_KIND);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CAP, .cap = 1u << 31}), PH_BAD_VALUE);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = 1u << 21}), PH_BAD_VALUE);
    STATUS(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_CONSUMER, .consumer = 1}), PH_BAD_VALUE);
    STATUS(set(&f, 1, (ph_attrs){.given = PH_CONSUMER, .consumer = 1}), PH_BAD_VALUE);
    STATUS(set(&f, 1, (ph_attrs){.given = PH_MARGIN, .margin = nan}), PH_BAD_RADIUS);
    STATUS(set(&f, 1, (ph_attrs){.given = PH_REACH, .reach = INFINITY}), PH_BAD_RADIUS);
    STATUS(move(&f, 1, 0, nan), PH_BAD_POSITION);
    STATUS(pair(&f, 1, 0, 1, 1), PH_BAD_ID);
    STATUS(pair(&f, 1, 1, 1, -1), PH_BAD_RADIUS);
    STATUS(pair(&f, 1, 1, 1, 1), PH_SAME_ID);
    STATUS(act(&f, COMMAND_LINK, 1, 1), PH_SAME_ID);
    OK(enter_as(&f, 1, 0, 0, (ph_attrs){.given = PH_VIEW | PH_CAP, .view = -0.0f, .cap = INT32_MAX, .margin = nan}));
    cr_assert(model_sequence(f.m, 0) == 18, "every command takes a sequence number");
    TICK(&f, "");
    REFUSED(&f, "");
    fixture_end(&f);
}

/* ---- the net difference of several ticks ---- */

static void expect_net(const history *h, uint64_t first, uint64_t last, const char *expected)
{
    char text[FIXTURE_TEXT];
    change_list changes = {0};
    history_changes(h, 0, first, last, &changes);
    events_text(changes.items, changes.count, text);
    cr_assert_str_eq(text, expected, "ticks %" PRIu64 "..%" PRIu64 ": %s, expected: %s", first, last, text, expected);
    changes_free(&changes);
}

Test(model_events, net_differences)
{
    fixture f = fixture_world();
    history h;
    history_begin(&h);
#define NOTED_TICK(expected) \
    TICK(&f, expected); \
    history_note(&h, f.m)
    OK(enter(&f, 1, 0, 0));
    OK(enter_as(&f, 2, 5, 0, PLAIN));
    NOTED_TICK("1*:+2"); /* 1 */
    OK(move(&f, 2, 500, 0));
    OK(enter_as(&f, 3, 5, 0, PLAIN));
    NOTED_TICK("1:-2+3"); /* 2 */
    OK(move(&f, 2, 5, 0));
    NOTED_TICK("1:+2"); /* 3 */
    OK(leave(&f, 2));
    OK(enter_as(&f, 2, 5, 0, (ph_attrs){.given = PH_KIND | PH_USER_DATA, .kind = 2, .user_data = 8}));
    NOTED_TICK("1:-2+2"); /* 4 */
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = false}));
    NOTED_TICK(""); /* 5 */
    OK(set(&f, 1, (ph_attrs){.given = PH_READY, .ready = true}));
    NOTED_TICK("1*:+2+3"); /* 6 */
    OK(move(&f, 1, 900, 900));
    NOTED_TICK("1:-2-3"); /* 7 */
    expect_net(&h, 1, 1, "1*:+2");
    expect_net(&h, 1, 2, "1*:+3");
    expect_net(&h, 2, 3, "1:+3"); /* 2 left and came back */
    expect_net(&h, 3, 4, "1:+2"); /* the new incarnation only: the old one was not told */
    expect_net(&h, 2, 4, "1:-2+2+3");
    expect_net(&h, 2, 5, ""); /* it ends not ready */
    expect_net(&h, 3, 6, "1*:+2+3");
    expect_net(&h, 3, 7, "1*:"); /* it began afresh, and ends with nothing */
    expect_net(&h, 7, 7, "1:-2-3");
    history_end(&h);
    fixture_end(&f);
}
