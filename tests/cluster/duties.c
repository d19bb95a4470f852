/*
 * Duties; see duties.h.
 */
#include "cluster/duties.h"

#include <string.h>

#include "support/check.h"

void duties_hear(duties *all, const phc_event *event)
{
    if (event->kind == PHC_EVENT_RESTORE) all->restoring[event->region] = event->loss;
    else if (event->kind == PHC_EVENT_REGION_LOST) /* the duty is another node's, too */
        all->restoring[event->region] = all->asked[event->region] = 0;
}

bool duties_begin(duties *all)
{
    bool some = false;
    if (all->asks) return false;
    memcpy(all->asked, all->restoring, sizeof all->asked);
    for (uint32_t region = 0; region < DUTIES_REGIONS_MAX; region++) some |= all->asked[region] != 0;
    return some;
}

/* The regions that were asked for have all that was missing. */
static void end_asked(duties *all, phc *member)
{
    for (uint32_t region = 0; region < DUTIES_REGIONS_MAX; region++) {
        if (all->asked[region] == 0) continue;
        CHECK_OK(phc_restored(member, region, all->asked[region]));
        if (all->restoring[region] == all->asked[region]) all->restoring[region] = 0;
    }
}

void duties_ask(duties *all, phc *member, const uint64_t *ids, uint32_t count)
{
    if (count == 0) {
        end_asked(all, member);
        return;
    }
    const ph_status status = phc_who_has(member, ids, count);
    all->asks = status == PH_OK;
    CHECK(status == PH_OK || status == PH_BUSY, "a question: %s", ph_status_name(status));
}

void duties_answer(duties *all, phc *member, const phc_event *event, bool (*enter)(void *user, uint64_t id), void *user)
{
    const phc_holder *holders = event->bytes;
    bool entered = true;
    all->asks = false;
    for (size_t i = 0; i < event->size / sizeof *holders; i++)
        if (holders[i].number == 0) entered &= enter(user, holders[i].id);
    if (entered) end_asked(all, member);
}
