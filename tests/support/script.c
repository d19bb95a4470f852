/*
 * Scripts as data: making, copying, printing. See script.h.
 */
#include "support/script.h"

#include <inttypes.h>
#include <stdlib.h>

#include <pharos/pharos.h>

script *script_new(void)
{
    script *s = check_zalloc(sizeof *s);
    s->def = ph_world_def_default();
    s->classes[0] = ph_class_default("default");
    s->def.classes = s->classes;
    s->def.class_count = 1;
    s->producers = 1;
    s->eager = true;
    s->profile = "hand";
    return s;
}

script *script_copy_head(const script *s)
{
    script *copy = check_zalloc(sizeof *copy);
    *copy = *s;
    copy->def.classes = copy->classes;
    copy->steps.items = NULL;
    copy->steps.count = 0;
    copy->steps.capacity = 0;
    return copy;
}

void script_free(script *s)
{
    if (s != NULL) {
        VEC_FREE(&s->steps);
        free(s);
    }
}

static void step_print(FILE *out, const step *s)
{
    switch (s->type) {
    case STEP_COMMAND:
        (void)fprintf(out, "  p%" PRIu32 "%s ", s->producer, s->bulk ? " bulk" : "");
        command_print(out, &s->as.command);
        break;
    case STEP_APPLY:
        (void)fprintf(out, "  apply");
        break;
    case STEP_TICK:
        (void)fprintf(out, "  tick");
        break;
    case STEP_DRAIN:
        (void)fprintf(out, "  drain consumer=%" PRIu32 " batches=%" PRIu32 "%s", s->as.drain.consumer,
                      s->as.drain.batches, s->as.drain.hold ? " hold" : "");
        break;
    case STEP_REOPEN:
        (void)fprintf(out, "  reopen consumer=%" PRIu32, s->as.drain.consumer);
        break;
    case STEP_RELOAD:
        (void)fprintf(out,
                      "  reload shape=%d height=%.9g span=%" PRIu32 " sticky=%.17g broadcast_bytes=%" PRIu32
                      " crowd=%" PRIu32 "/%.9g events_max=%" PRIu32 " class %" PRIu32
                      ": view=%.9g margin=%.9g reach=%.9g cap=%" PRIu32 " priority=%u ready=%d",
                      (int)s->as.reload.shape, (double)s->as.reload.height, s->as.reload.span, s->as.reload.sticky,
                      s->as.reload.broadcast_bytes, s->as.reload.crowd_entities, (double)s->as.reload.crowd_floor,
                      s->as.reload.events_max, s->as.reload.kind, (double)s->as.reload.values.view,
                      (double)s->as.reload.values.margin, (double)s->as.reload.values.reach, s->as.reload.values.cap,
                      s->as.reload.values.priority, s->as.reload.values.ready);
        (void)fprintf(out, " activation_span=%" PRIu32 " activation_linger=%" PRIu32 " wakes=%d sleeps=%d",
                      s->as.reload.activation_span, s->as.reload.activation_linger, s->as.reload.values.wakes,
                      s->as.reload.values.sleeps);
        break;
    }
    (void)fprintf(out, "\n");
}

void script_print(FILE *out, const script *s)
{
    (void)fprintf(out, "script seed=%" PRIu64 " profile=%s producers=%" PRIu32 " %s, %zu steps\n", s->seed, s->profile,
                  s->producers, s->eager ? "drained every tick" : "drained by steps", s->steps.count);
    def_print(out, &s->def);
    for (size_t i = 0; i < s->steps.count; i++) {
        step_print(out, &s->steps.items[i]);
    }
}
