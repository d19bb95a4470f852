/*
 * States of walkers to gateways; see node_feed.h.
 */
#include "tools/node_feed.h"

#include <stdio.h>

_Static_assert(PHX_FEED_STATES_MAX * sizeof(phx_walker_state) <= PHC_MESSAGE_MAX, "a message of so many states");

void phx_feed_subject(const phx_node_job *job, char subject[PHC_SUBJECT_MAX + 1])
{
    (void)snprintf(subject, PHC_SUBJECT_MAX + 1, "pharos-node.%s.walkers", job->member.name);
}

void phx_node_feed_send(phx_node_host *host, const phc_transport *feed)
{
    phx_walker_state states[PHX_FEED_STATES_MAX];
    char subject[PHC_SUBJECT_MAX + 1];
    uint32_t count = 0;
    phx_feed_subject(host->job, subject);
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        const uint64_t ownership = phc_owns(host->member, id) ? phc_ownership(host->member, id) : 0;
        if (ownership != 0)
            states[count++] =
                (phx_walker_state){.id = id, .ownership = ownership, .steps = phx_walker_of(host, id)->steps};
        if (count == 0 || (count < PHX_FEED_STATES_MAX && id < host->job->walkers)) continue;
        (void)feed->send(feed->user, PHC_HALO, subject, states, count * sizeof *states);
        count = 0;
    }
}
