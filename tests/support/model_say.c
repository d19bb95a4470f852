/*
 * The model's broadcasts: the messages of a tick, in the order of the commands, and the
 * observers that heard it, by the lists at the tick's end or by their distance.
 */
#include "support/model_parts.h"

ph_status model_check_say(const model *m, const command_say *say)
{
    if (say->bytes > PH_PAYLOAD_MAX) {
        return PH_TOO_LARGE;
    }
    if (!model_radius_ok(say->radius)) {
        return PH_BAD_RADIUS;
    }
    uint32_t known = PH_BROADCAST_SELF | (say->radius > 0 ? PH_BROADCAST_SEEN : 0);
    if ((say->flags & ~known) != 0 || say->kind_count > PH_BROADCAST_KINDS_MAX) {
        return PH_BAD_VALUE;
    }
    for (uint32_t i = 0; i < say->kind_count; i++) {
        if (say->kinds[i] >= m->def.class_count) {
            return PH_BAD_KIND;
        }
    }
    return PH_OK;
}

ph_status model_apply_say(model *m, const command *c)
{
    bool at = c->type == COMMAND_BROADCAST_AT;
    const model_entity *source = at ? NULL : model_entity_of(m, c->id);
    if (!at && source == NULL && MUTATE(MUTANT_SAY_UNKNOWN, true, false)) {
        return PH_UNKNOWN_ID;
    }
    if (m->said_bytes + c->say.bytes > m->def.broadcast_bytes && MUTATE(MUTANT_SAY_UNBOUNDED, true, false)) {
        return PH_TICK_FULL;
    }
    m->said_bytes += c->say.bytes;
    model_message message = {.source = c->id, .at = at, .say = c->say};
    message.incarnation = source != NULL ? source->incarnation : 0;
    VEC_PUSH(&m->messages, message);
    return PH_OK;
}

void model_clear_heard(model *m)
{
    for (size_t i = 0; i < m->heard.count; i++) {
        VEC_FREE(&m->heard.items[i].messages);
    }
    m->heard.count = 0;
    m->messages.count = 0;
    m->said_bytes = 0;
}

static bool for_kind(const command_say *say, uint32_t kind)
{
    bool found = say->kind_count == 0 || MUTATE(MUTANT_SAY_UNFILTERED, false, true);
    for (uint32_t i = 0; i < say->kind_count; i++) {
        found = found || say->kinds[i] == kind;
    }
    return found;
}

/* Whoever spoke is in the world still: not gone, nor come again since. */
static bool is_there(const model *m, const model_message *message)
{
    const model_entity *source = model_entity_of(m, message->source);
    return source != NULL && MUTATE(MUTANT_SAY_REBORN, source->incarnation == message->incarnation, true);
}

/* Near enough, in the same instance, and of the right layers; source NULL: it comes from a place. */
static bool in_earshot(const model_entity *o, const model_entity *source, const command_say *say)
{
    float dx = o->now.x - (source != NULL ? source->now.x : say->x);
    float dy = o->now.y - (source != NULL ? source->now.y : say->y);
    float d2 = dx * dx + dy * dy;
    uint64_t layers = source != NULL ? source->now.layers : say->layers;
    uint32_t instance = source != NULL ? source->now.instance : say->instance;
    bool free_place = source == NULL && MUTATE(MUTANT_SAY_PLACE_INSTANCE, false, true);
    if (o->now.instance != instance && !free_place && MUTATE(MUTANT_SAY_INSTANCE, true, false)) {
        return false;
    }
    bool near = MUTATE(MUTANT_SAY_EDGE, d2 <= say->radius * say->radius, d2 < say->radius * say->radius);
    bool hidden = source != NULL && model_hides(o, source) && MUTATE(MUTANT_SAY_HIDDEN, true, false);
    bool any_layer =
        source == NULL ? MUTATE(MUTANT_SAY_PLACE_LAYERS, false, true) : MUTATE(MUTANT_SAY_LAYERS, false, true);
    return near && !hidden && ((o->now.sees & layers) != 0 || any_layer);
}

static bool hears_at(const model_entity *o, const model_message *message)
{
    return o->now.ready && o->now.view > 0 && for_kind(&message->say, o->now.kind) &&
           in_earshot(o, NULL, &message->say);
}

static bool hears(const model *m, const model_entity *o, const model_message *message)
{
    bool sees = false;
    if (message->at) {
        return hears_at(o, message);
    }
    if (!is_there(m, message)) {
        return false;
    }
    bool self = (message->say.flags & PH_BROADCAST_SELF) != 0 && MUTATE(MUTANT_SAY_NOT_SELF, true, false);
    if (!o->now.ready || !(o->now.view > 0)) {
        return MUTATE(MUTANT_SAY_BLIND, false, o->id == message->source && self);
    }
    if (!for_kind(&message->say, o->now.kind)) {
        return false;
    }
    if (o->id == message->source) {
        return self;
    }
    bool by_list = message->say.radius == 0 || MUTATE(MUTANT_SAY_SEEN, false, true) ||
                   ((message->say.flags & PH_BROADCAST_SEEN) != 0 && MUTATE(MUTANT_SAY_UNSEEN, true, false));
    if (message->say.radius > 0 && !in_earshot(o, model_entity_of(m, message->source), &message->say)) {
        return false;
    }
    if (!by_list) {
        return true;
    }
    return model_sees(m, o->id, message->source, &sees) == PH_OK && sees;
}

void model_hear(model *m)
{
    for (size_t i = 0; i < m->messages.count; i++) {
        bool at = m->messages.items[i].at;
        const model_entity *source = at ? NULL : model_entity_of(m, m->messages.items[i].source);
        m->messages.items[i].user_data = source != NULL ? source->now.user_data : 0;
    }
    for (size_t i = 0; m->def.consumers != 0 && i < m->entities.count; i++) {
        const model_entity *o = m->entities.items[i];
        model_heard heard = {.observer = {o->id, o->incarnation}, .user_data = o->now.user_data};
        heard.consumer = o->now.consumer;
        for (size_t j = 0; j < m->messages.count; j++) {
            size_t number = MUTATE(MUTANT_SAY_ORDER, j, m->messages.count - 1 - j);
            if (hears(m, o, &m->messages.items[number])) {
                VEC_PUSH(&heard.messages, (uint32_t)number);
            }
        }
        m->counts.deliveries += heard.messages.count;
        if (heard.messages.count != 0) {
            VEC_PUSH(&m->heard, heard);
        }
    }
}

size_t model_messages(const model *m, const model_message **messages)
{
    *messages = m->messages.items;
    return m->messages.count;
}

size_t model_hearings(const model *m, const model_heard **heard)
{
    *heard = m->heard.items;
    return m->heard.count;
}
