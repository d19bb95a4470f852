/*
 * The model's broadcasts: what was said in a tick, in the order of the commands, and who
 * heard it by the lists at the tick's end.
 */
#include "support/model_parts.h"

ph_status model_check_say(const model *m, const command_say *say)
{
    if (say->bytes > PH_PAYLOAD_MAX) {
        return PH_TOO_LARGE;
    }
    if ((say->flags & ~(uint32_t)PH_BROADCAST_SELF) != 0 || say->kind_count > PH_BROADCAST_KINDS_MAX) {
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
    const model_entity *source = model_entity_of(m, c->id);
    if (source == NULL && MUTATE(MUTANT_SAY_UNKNOWN, true, false)) {
        return PH_UNKNOWN_ID;
    }
    if (m->said_bytes + c->say.bytes > m->def.broadcast_bytes && MUTATE(MUTANT_SAY_UNBOUNDED, true, false)) {
        return PH_TICK_FULL;
    }
    m->said_bytes += c->say.bytes;
    model_message message = {.source = c->id, .say = c->say};
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

static bool hears(const model *m, const model_entity *o, const model_message *message)
{
    bool sees = false;
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
    return model_sees(m, o->id, message->source, &sees) == PH_OK && sees;
}

void model_hear(model *m)
{
    for (size_t i = 0; i < m->messages.count; i++) {
        const model_entity *source = model_entity_of(m, m->messages.items[i].source);
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
