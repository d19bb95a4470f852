/*
 * Resolving attributes; see attr_resolve.h.
 */
#include "world/table/attr_resolve.h"

void phx_attr_apply(const phx_rules *rules, const ph_attrs *more, phx_attr *attr)
{
    static const ph_attrs nothing;
    const ph_attrs *m = more ? more : &nothing;
    uint32_t given = m->given, kept = attr->given & ~given;
    if (given & PH_KIND) attr->kind = (uint16_t)m->kind;
    PHX_ASSERT(attr->kind < rules->class_count);
    const ph_class *c = &rules->classes[attr->kind];
#define RESOLVE_AS(bit, field, source) \
    if (given & (bit)) attr->field = m->source; \
    else if (!(kept & (bit))) attr->field = c->source
#define RESOLVE(bit, field) RESOLVE_AS(bit, field, field)
    RESOLVE(PH_VIEW, view);
    RESOLVE(PH_MARGIN, margin);
    RESOLVE(PH_REACH, reach);
    RESOLVE(PH_VISIBLE, visible);
    RESOLVE(PH_LAYERS, layers);
    RESOLVE(PH_SEES, sees);
    RESOLVE(PH_VEILED, veiled);
    RESOLVE(PH_STEALTH, stealth);
    RESOLVE(PH_DETECT, detect);
    RESOLVE(PH_GLOBAL, global);
    RESOLVE_AS(PH_READY, ready_given, ready);
    RESOLVE(PH_CAP, cap);
    RESOLVE(PH_PRIORITY, priority);
#undef RESOLVE
#undef RESOLVE_AS
    if (given & PH_REMOTE) attr->remote = m->remote;
    attr->ready = attr->ready_given && !attr->remote;
    attr->spreads = c->adds_max > 0;
    attr->banded = c->band_count > 0;
    if (given & PH_INSTANCE) attr->instance = m->instance;
    if (given & PH_CONSUMER) attr->consumer = (uint16_t)m->consumer;
    attr->given = (attr->given | given) & ~(attr->remote ? 0u : (uint32_t)PH_REMOTE);
}

uint32_t phx_def_adds_least(const ph_world_def *def)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t kind = 0; kind < def->class_count; kind++)
        if (def->classes[kind].adds_max > 0 && def->classes[kind].adds_max < least) least = def->classes[kind].adds_max;
    return least;
}
