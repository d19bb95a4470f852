/*
 * Events of a member; see node_events.h.
 */
#include "tools/node_events.h"

#include "tools/node_census.h"
#include "tools/node_lines.h"

/* Its client may have heard more, of a dead node or of the one that it takes the place of. */
static void tell_anew(phx_node_host *host, uint64_t id)
{
    if (host->job->feeds && ph_resend(host->producer, id) != PH_OK) host->counts.refused++;
}

static void take_walker(phx_node_host *host, const phc_event *event)
{
    const bool restored = event->kind == PHC_EVENT_RESTORED;
    if (phx_node_host_unpack(host, event)) {
        *(restored ? &host->counts.restored : &host->counts.gained) += 1;
        phx_line_entity(host, restored ? "restored" : "gained", event->id, event->number);
        if (restored) tell_anew(host, event->id);
        return;
    }
    host->counts.damaged++;
    host->is_wanted = true;
    if (phc_leave(host->member, event->id) != PH_OK) host->counts.refused++;
}

static void lose_walker(phx_node_host *host, const phc_event *event)
{
    if (!phx_walker_of(host, event->id)) return;
    host->here[event->id - 1] = false;
    host->counts.lost++;
    if (event->status != PH_OK) host->is_wanted = true; /* its enter was refused: no node has it */
    phx_line_entity(host, "lost", event->id, event->number);
}

static void hear_event(phx_node_host *host, const phc_event *event)
{
    switch (event->kind) {
    case PHC_EVENT_JOINED:
        host->is_joined = host->is_wanted = true;
        break;
    case PHC_EVENT_FENCED:
        host->fenced = event->reason;
        host->fenced_for = event->status;
        break;
    case PHC_EVENT_GAINED:
    case PHC_EVENT_RESTORED:
        take_walker(host, event);
        return;
    case PHC_EVENT_LOST:
        lose_walker(host, event);
        return;
    case PHC_EVENT_DUPLICATE:
        host->counts.duplicates++;
        if (event->status == PH_OK) tell_anew(host, event->id);
        break;
    case PHC_EVENT_REGION_GAINED:
        host->is_wanted = true;
        break;
    case PHC_EVENT_REGION_LOST: /* the duty goes with the region */
        host->duties[event->region] = host->asked_duties[event->region] = 0;
        break;
    case PHC_EVENT_RESTORE:
        host->duties[event->region] = event->loss;
        host->is_wanted = true;
        break;
    case PHC_EVENT_DRAINED:
        host->is_drained = true;
        break;
    case PHC_EVENT_WHO_HAS:
        phx_census_take(host, event);
        return;
    default:
        break;
    }
    phx_line_event(host, event);
}

void phx_node_hear(phx_node_host *host)
{
    phc_event event;
    while (phc_event_next(host->member, &event)) hear_event(host, &event);
    if (phc_may_commit(host->member) == host->commits) return;
    host->commits = !host->commits;
    phx_line_commit(host);
}
