/*
 * A build without pharos_store: no images, no journals; see view_source.h.
 */
#include "tools/view_source.h"

#include <stdio.h>

bool phx_view_store_open(phx_view_source *source)
{
    snprintf(source->reason, sizeof source->reason, "%s: this program was built without pharos_store: it has no images",
             source->path);
    return false;
}
