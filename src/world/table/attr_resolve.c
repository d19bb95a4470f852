/*
 * Resolving attributes; see attr_resolve.h.
 */
#include "world/table/attr_resolve.h"

#include <string.h>

/* X(bit, field, source): attributes that follow the class, in phx_attr, and in ph_attrs and ph_class. */
#define OF_CLASS(X) \
    X(PH_VIEW, view, view) \
    X(PH_MARGIN, margin, margin) \
    X(PH_REACH, reach, reach) \
    X(PH_VISIBLE, visible, visible) \
    X(PH_LAYERS, layers, layers) \
    X(PH_SEES, sees, sees) \
    X(PH_VEILED, veiled, veiled) \
    X(PH_STEALTH, stealth, stealth) \
    X(PH_DETECT, detect, detect) \
    X(PH_GLOBAL, global, global) \
    X(PH_READY, ready_given, ready) \
    X(PH_CAP, cap, cap) \
    X(PH_PRIORITY, priority, priority)

/* The same of no class. */
#define OF_NO_CLASS(X) \
    X(PH_KIND, kind, kind) \
    X(PH_INSTANCE, instance, instance) \
    X(PH_CONSUMER, consumer, consumer)

void phx_attr_apply(const phx_rules *rules, const ph_attrs *more, phx_attr *attr)
{
    static const ph_attrs nothing;
    const ph_attrs *m = more ? more : &nothing;
    uint32_t given = m->given, kept = attr->given & ~given;
    if (given & PH_KIND) attr->kind = (uint16_t)m->kind;
    PHX_ASSERT(attr->kind < rules->class_count);
    const ph_class *c = &rules->classes[attr->kind];
#define RESOLVE(bit, field, source) \
    if (given & (bit)) attr->field = m->source; \
    else if (!(kept & (bit))) attr->field = c->source;
    OF_CLASS(RESOLVE)
#undef RESOLVE
    if (given & PH_REMOTE) attr->remote = m->remote;
    attr->ready = attr->ready_given && !attr->remote;
    attr->spreads = c->adds_max > 0;
    attr->banded = c->band_count > 0;
    if (given & PH_INSTANCE) attr->instance = m->instance;
    if (given & PH_CONSUMER) attr->consumer = (uint16_t)m->consumer;
    attr->given = (attr->given | given) & ~(attr->remote ? 0u : (uint32_t)PH_REMOTE);
}

bool phx_attr_has(const phx_attr *attr, const ph_attrs *more)
{
    const uint32_t given = more->given & ~(uint32_t)(PH_POSITION | PH_USER_DATA);
    if (given & ~(attr->given | PH_REMOTE)) return false; /* it would be given from now on */
    bool same = !(given & PH_REMOTE) || more->remote == attr->remote;
/* as bytes: -0 is another value than 0 */
#define COMPARE(bit, field, source) \
    if (given & (bit)) { \
        const __typeof__(more->source) now = (__typeof__(more->source))attr->field; \
        same &= memcmp(&now, &more->source, sizeof now) == 0; \
    }
    OF_CLASS(COMPARE)
    OF_NO_CLASS(COMPARE)
#undef COMPARE
    return same;
}

#undef OF_CLASS
#undef OF_NO_CLASS

uint32_t phx_def_adds_least(const ph_world_def *def)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t kind = 0; kind < def->class_count; kind++)
        if (def->classes[kind].adds_max > 0 && def->classes[kind].adds_max < least) least = def->classes[kind].adds_max;
    return least;
}
