/*
 * Resolution of attributes: attributes that the host never gave follow the class of the entity's kind. Pure; used in
 * the ingest phase.
 */
#ifndef PHX_WORLD_TABLE_ATTR_RESOLVE_H
#define PHX_WORLD_TABLE_ATTR_RESOLVE_H

#include "shards/entity/visibility.h"

/*
 * attr: the entity's attributes (given is 0 for a new entity), which are resolved anew with `more` on top; more NULL:
 * only the classes changed.
 */
void phx_attr_apply(const phx_rules *rules, const ph_attrs *more, phx_attr *attr);

/*
 * Would phx_attr_apply() leave them as they are? They are resolved by classes as they are now, and no view is shrunk.
 * Positions and user data do not count.
 */
bool phx_attr_has(const phx_attr *attr, const ph_attrs *more);

/* phx_rules.adds_least of a definition. */
uint32_t phx_def_adds_least(const ph_world_def *def);

#endif
