/*
 * The key of a load; see reporting.h.
 */
#include "cluster/membership/reporting.h"

#include <stdio.h>

void phx_reporting_write(phx_membership *membership, const void *bytes, size_t size)
{
    char key[PHC_KEY_MAX + 1];
    const phc_store *store = &membership->def.store;
    PHX_ASSERT(membership->phase == PHX_MEMBERSHIP_MEMBER);
    if (membership->reports || membership->lease == 0) return; /* without a lease the key would stay */
    (void)snprintf(key, sizeof key, "ph-load/%s/%u", membership->def.world, membership->number);
    membership->report_asked = membership->now;
    membership->reports = store->cas(store->user, PHX_REPORTING_TAG, key, membership->report_revision, bytes, size,
                                     membership->lease) == PH_OK;
}

/* PHC_CHANGED: an earlier write was done although it failed, or the key is of an earlier process of this number. */
void phx_reporting_hear(phx_membership *membership, const phc_answer *answer)
{
    membership->reports = false;
    if (answer->outcome == PHC_DONE) membership->report_revision = answer->revision;
    else if (answer->outcome == PHC_CHANGED)
        membership->report_revision = answer->count == 1 ? answer->entries[0].revision : 0;
}
