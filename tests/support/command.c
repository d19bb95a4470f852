/*
 * Commands and definitions as text, for reports of failing cases.
 */
#include "support/command.h"

#include <inttypes.h>

#include "base/rng.h"
#include "support/indexes.h"

const char *command_word(command_type type)
{
    static const char *const words[COMMAND_TYPE_COUNT] = {
#define COMMAND_WORD(name, word) [name] = word,
        COMMAND_LIST(COMMAND_WORD)
#undef COMMAND_WORD
    };
    return (unsigned)type < COMMAND_TYPE_COUNT ? words[type] : "?";
}

ph_command command_number(command_type type)
{
    static const ph_command numbers[COMMAND_TYPE_COUNT] = {[COMMAND_ENTER] = PH_COMMAND_ENTER,
                                                           [COMMAND_LEAVE] = PH_COMMAND_LEAVE,
                                                           [COMMAND_MOVE] = PH_COMMAND_MOVE,
                                                           [COMMAND_SET] = PH_COMMAND_SET,
                                                           [COMMAND_PAIR] = PH_COMMAND_PAIR,
                                                           [COMMAND_UNPAIR] = PH_COMMAND_UNPAIR,
                                                           [COMMAND_LINK] = PH_COMMAND_LINK,
                                                           [COMMAND_UNLINK] = PH_COMMAND_UNLINK,
                                                           [COMMAND_ATTACH] = PH_COMMAND_ATTACH,
                                                           [COMMAND_DETACH] = PH_COMMAND_DETACH,
                                                           [COMMAND_BROADCAST] = PH_COMMAND_BROADCAST,
                                                           [COMMAND_AREA_SET] = PH_COMMAND_AREA_SET,
                                                           [COMMAND_HIDE] = PH_COMMAND_HIDE,
                                                           [COMMAND_AREA_REMOVE] = PH_COMMAND_AREA_REMOVE,
                                                           [COMMAND_UNHIDE] = PH_COMMAND_UNHIDE,
                                                           [COMMAND_RESEND] = PH_COMMAND_RESEND,
                                                           [COMMAND_REVEAL] = PH_COMMAND_REVEAL,
                                                           [COMMAND_UNREVEAL] = PH_COMMAND_UNREVEAL,
                                                           [COMMAND_BROADCAST_AT] = PH_COMMAND_BROADCAST_AT};
    return numbers[type];
}

/* The first of count floats that is given and is no number of the range; PH_FIELD_NONE when a status was wrong. */
static ph_field first_bad(const float *values, const uint32_t *bits, const ph_field *fields, uint32_t count,
                          uint32_t given, float low)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((given & bits[i]) != 0 && !(values[i] >= low && values[i] <= 1e18f)) {
            return fields[i];
        }
    }
    return PH_FIELD_NONE;
}

ph_field command_field(const command *c, ph_status status)
{
    static const uint32_t place_bits[] = {PH_X, PH_Y, PH_Z};
    static const ph_field places[] = {PH_FIELD_X, PH_FIELD_Y, PH_FIELD_Z};
    static const uint32_t radius_bits[] = {PH_VIEW, PH_MARGIN, PH_REACH, PH_VISIBLE};
    static const ph_field radii[] = {PH_FIELD_VIEW, PH_FIELD_MARGIN, PH_FIELD_REACH, PH_FIELD_VISIBLE};
    const ph_attrs *a = &c->attrs;
    const float place[] = {a->x, a->y, a->z};
    const float radius[] = {a->view, a->margin, a->reach, a->visible};
    switch (status) {
    case PH_BAD_ID:
        return c->id == 0 ? PH_FIELD_ID : PH_FIELD_OTHER;
    case PH_SAME_ID:
        return PH_FIELD_OTHER;
    case PH_NOT_GIVEN:
        return (a->given & PH_X) != 0 ? PH_FIELD_Y : PH_FIELD_X;
    case PH_BAD_POSITION:
        return first_bad(place, place_bits, places, 3, c->type == COMMAND_MOVE ? UINT32_MAX : a->given, -1e18f);
    case PH_BAD_RADIUS:
        return first_bad(radius, radius_bits, radii, 4, a->given, 0);
    case PH_BAD_KIND:
        return PH_FIELD_KIND;
    default:
        break;
    }
    if ((a->given & PH_CAP) != 0 && a->cap > INT32_MAX) {
        return PH_FIELD_CAP;
    }
    return a->given > PH_GIVEN_ALL ? PH_FIELD_GIVEN : PH_FIELD_CONSUMER;
}

bool command_in_bulk(command_type type)
{
    return type == COMMAND_ENTER || type == COMMAND_MOVE || type == COMMAND_LEAVE || type == COMMAND_HIDE ||
           type == COMMAND_UNHIDE || type == COMMAND_REVEAL || type == COMMAND_UNREVEAL;
}

void command_payload(const command_say *say, uint8_t *payload)
{
    uint32_t bytes = say->bytes < PH_PAYLOAD_MAX ? say->bytes : PH_PAYLOAD_MAX;
    uint64_t state = say->salt;
    uint64_t word = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        word = i % 8 == 0 ? phx_rng_next(&state) : word >> 8;
        payload[i] = (uint8_t)word;
    }
}

/* %.9g reads back to the same float32. */
static void print_float(FILE *out, const char *name, float value)
{
    (void)fprintf(out, " %s=%.9g", name, (double)value);
}

static void attrs_print(FILE *out, const ph_attrs *a)
{
    const struct {
        uint32_t bit;
        const char *name;
        float value;
    } floats[] = {{PH_X, "x", a->x},
                  {PH_Y, "y", a->y},
                  {PH_Z, "z", a->z},
                  {PH_VIEW, "view", a->view},
                  {PH_MARGIN, "margin", a->margin},
                  {PH_REACH, "reach", a->reach},
                  {PH_VISIBLE, "visible", a->visible}};
    const struct {
        uint32_t bit;
        const char *name;
        uint64_t value;
    } numbers[] = {{PH_KIND, "kind", a->kind},
                   {PH_LAYERS, "layers", a->layers},
                   {PH_SEES, "sees", a->sees},
                   {PH_VEILED, "veiled", a->veiled},
                   {PH_STEALTH, "stealth", a->stealth},
                   {PH_DETECT, "detect", a->detect},
                   {PH_GLOBAL, "global", a->global},
                   {PH_READY, "ready", a->ready},
                   {PH_CAP, "cap", a->cap},
                   {PH_PRIORITY, "priority", a->priority},
                   {PH_USER_DATA, "user_data", a->user_data},
                   {PH_CONSUMER, "consumer", a->consumer},
                   {PH_INSTANCE, "instance", a->instance},
                   {PH_REMOTE, "remote", a->remote}};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        if ((a->given & floats[i].bit) != 0) {
            print_float(out, floats[i].name, floats[i].value);
        }
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if ((a->given & numbers[i].bit) != 0) {
            (void)fprintf(out, " %s=%" PRIu64, numbers[i].name, numbers[i].value);
        }
    }
    if ((a->given & ~(uint32_t)PH_GIVEN_ALL) != 0) {
        (void)fprintf(out, " given=0x%" PRIx32, a->given);
    }
}

static void area_print(FILE *out, const ph_area *a)
{
    (void)fprintf(out, " shape=%d kinds=", (int)a->shape);
    for (uint32_t i = 0; i < a->kind_count && i < PH_AREA_KINDS_MAX; i++) {
        (void)fprintf(out, "%s%" PRIu32, i == 0 ? "" : ",", a->kinds[i]);
    }
    (void)fprintf(out,
                  " flags=%" PRIu32 " margin=%.9g z=%.9g..%.9g layers=%" PRIx64 " instance=%" PRIu32 " follow=%" PRIu64,
                  a->flags, (double)a->margin, (double)a->z_low, (double)a->z_high, a->layers, a->instance, a->follow);
    if (a->shape == PH_AREA_CIRCLE) {
        (void)fprintf(out, " %.9g,%.9g r=%.9g", (double)a->center[0], (double)a->center[1], (double)a->radius);
    } else if (a->shape == PH_AREA_BOX) {
        (void)fprintf(out, " %.9g,%.9g to %.9g,%.9g", (double)a->low[0], (double)a->low[1], (double)a->high[0],
                      (double)a->high[1]);
    }
    for (uint32_t i = 0; a->shape == PH_AREA_POLYGON && i < a->corner_count && i < PH_AREA_CORNERS_MAX; i++) {
        (void)fprintf(out, " %.9g,%.9g", (double)a->corners[i][0], (double)a->corners[i][1]);
    }
}

void command_print(FILE *out, const command *c)
{
    (void)fprintf(out, "%s %" PRIu64, command_word(c->type), c->id);
    switch (c->type) {
    case COMMAND_ENTER:
    case COMMAND_SET:
        attrs_print(out, &c->attrs);
        break;
    case COMMAND_MOVE:
        print_float(out, "x", c->attrs.x);
        print_float(out, "y", c->attrs.y);
        print_float(out, "z", c->attrs.z);
        break;
    case COMMAND_BROADCAST:
    case COMMAND_BROADCAST_AT:
        (void)fprintf(out, " bytes=%" PRIu32 " salt=%" PRIu32 " flags=%" PRIu32 " kinds=", c->say.bytes, c->say.salt,
                      c->say.flags);
        for (uint32_t i = 0; i < c->say.kind_count; i++) {
            (void)fprintf(out, "%s%" PRIu32, i == 0 ? "" : ",", c->say.kinds[i]);
        }
        print_float(out, "radius", c->say.radius);
        if (c->type == COMMAND_BROADCAST_AT) {
            print_float(out, "x", c->say.x);
            print_float(out, "y", c->say.y);
            (void)fprintf(out, " layers=%" PRIx64 " instance=%" PRIu32, c->say.layers, c->say.instance);
        }
        break;
    case COMMAND_AREA_SET:
        area_print(out, &c->area);
        break;
    case COMMAND_PAIR:
        (void)fprintf(out, " %" PRIu64, c->other);
        print_float(out, "view", c->attrs.view);
        print_float(out, "margin", c->attrs.margin);
        break;
    case COMMAND_UNPAIR:
    case COMMAND_LINK:
    case COMMAND_UNLINK:
    case COMMAND_HIDE:
    case COMMAND_UNHIDE:
    case COMMAND_REVEAL:
    case COMMAND_UNREVEAL:
    case COMMAND_ATTACH:
        (void)fprintf(out, " %" PRIu64, c->other);
        break;
    default:
        break;
    }
}

static void class_print(FILE *out, uint32_t kind, const ph_class *c)
{
    (void)fprintf(out, "  class %" PRIu32 ":", kind);
    print_float(out, "view", c->view);
    print_float(out, "margin", c->margin);
    print_float(out, "reach", c->reach);
    print_float(out, "visible", c->visible);
    (void)fprintf(out,
                  " layers=%" PRIx64 " sees=%" PRIx64 " stealth=%u detect=%u cap=%" PRIu32
                  " priority=%u global=%d veiled=%d ready=%d wakes=%d sleeps=%d updates_max=%" PRIu32
                  " adds_max=%" PRIu32,
                  c->layers, c->sees, c->stealth, c->detect, c->cap, c->priority, c->global, c->veiled, c->ready,
                  c->wakes, c->sleeps, c->updates_max, c->adds_max);
    for (uint32_t i = 0; i < c->band_count; i++) {
        (void)fprintf(out, " band(%.9g: %" PRIu32 ")", (double)c->bands[i].radius, c->bands[i].every);
    }
    (void)fprintf(out, "\n");
}

void def_print(FILE *out, const ph_world_def *def)
{
    static const char *const ranges[] = {"radius", "towers"};
    static const char *const shapes[] = {"circle", "square", "cylinder", "sphere"};
    (void)fprintf(out, "  range=%s shape=%s", ranges[def->range], shapes[def->shape]);
    print_float(out, "origin_x", def->world_origin[0]);
    print_float(out, "origin_y", def->world_origin[1]);
    print_float(out, "size_x", def->world_size[0]);
    print_float(out, "size_y", def->world_size[1]);
    print_float(out, "tower", def->tower_size);
    print_float(out, "height", def->height);
    (void)fprintf(out,
                  " span=%" PRIu32 " sticky=%.17g\n  shards=%" PRIu32 "x%" PRIu32 " workers=%" PRIu32
                  " entities_max=%" PRIu32 " consumers=%" PRIu32 " consumer_batches=%" PRIu32 " consumer_bytes=%" PRIu32
                  " refusals_max=%" PRIu32 " exchange_bytes=%" PRIu32 " hash_seed=%" PRIu64 " positions=%d"
                  " simd=%d broadcast_bytes=%" PRIu32 " index=%s"
                  " quadtree=%" PRIu32 ",%" PRIu32 " crowd=%" PRIu32 "/%.9g events_max=%" PRIu32 "\n",
                  def->span, def->sticky, def->shards[0], def->shards[1], def->workers, def->entities_max,
                  def->consumers, def->consumer_batches, def->consumer_bytes, def->refusals_max, def->exchange_bytes,
                  def->hash_seed, (int)def->positions, (int)def->simd, def->broadcast_bytes, index_name(def->index),
                  def->quadtree_capacity, def->quadtree_depth, def->crowd_entities, (double)def->crowd_floor,
                  def->events_max);
    (void)fprintf(out, "  activation_span=%" PRIu32 " activation_linger=%" PRIu32 " areas_max=%" PRIu32 "\n",
                  def->activation_span, def->activation_linger, def->areas_max);
    for (uint32_t kind = 0; kind < def->class_count; kind++) {
        class_print(out, kind, &def->classes[kind]);
    }
}
