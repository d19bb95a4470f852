/*
 * From what a host gives to what counts: attributes that were never given follow the
 * class of the entity's kind. Pure; used in the ingest phase.
 */
#ifndef PHX_WORLD_TABLE_ATTR_RESOLVE_H
#define PHX_WORLD_TABLE_ATTR_RESOLVE_H

#include "shards/entity/visibility.h"

/*
 * attr holds what the entity has (attr->given 0 for a new one) and becomes what it has
 * with `more` on top; more NULL: only the classes changed.
 */
void phx_attr_apply(const phx_rules *rules, const ph_attrs *more, phx_attr *attr);

#endif
