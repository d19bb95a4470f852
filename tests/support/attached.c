/*
 * Reads attachments; see attached.h.
 */
#include "support/attached.h"

#include "api/handles.h"

uint64_t attached_parent(ph_world world, uint64_t id)
{
    return phx_attach_parent(&phx_resolve_world(world)->attach, id);
}
