/*
 * Times of answers; see store_times.h. Of writes only the reports of load are timed: they come all the time, and a
 * write of the map takes as long.
 */
#include "cluster/membership/store_times.h"

#include <stdio.h>

#include "cluster/membership/reporting.h"

static void note_answer(phx_membership *membership, phc_request request, phc_outcome outcome, uint64_t asked)
{
    phx_store_time *time = &membership->times[request];
    time->count++;
    time->failed += outcome != PHC_DONE;
    time->last_ns = membership->now - asked;
    time->total_ns += time->last_ns;
}

void phx_store_times_hear(phx_membership *membership, const phc_answer *answer)
{
    const phc_outcome outcome = answer->outcome;
    if (outcome == PHC_FAILED) {
        membership->counts.failed++;
        (void)snprintf(membership->failed_reason, sizeof membership->failed_reason, "%s", answer->reason);
    }
    if (answer->tag == PHX_TAG_LIST) note_answer(membership, PHC_REQUEST_LIST, outcome, membership->list_asked);
    else if (answer->tag == PHX_TAG_RENEW)
        note_answer(membership, PHC_REQUEST_RENEWAL, outcome, membership->renew_asked);
    else if (answer->tag == PHX_REPORTING_TAG)
        note_answer(membership, PHC_REQUEST_WRITE, outcome, membership->report_asked);
}
