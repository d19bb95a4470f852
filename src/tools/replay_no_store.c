/*
 * A build without pharos_store: no images, no journals; see replay_store.h.
 */
#include "tools/cli.h"
#include "tools/replay_store.h"

static bool refuse_store(phx_replay_state *replay)
{
    return phx_replay_fail(replay, PHX_EXIT_USAGE, "this program was built without pharos_store: it has no images");
}

bool phx_replay_image_load(phx_replay_state *replay)
{
    return refuse_store(replay);
}

void phx_replay_image_run(phx_replay_state *replay)
{
    (void)refuse_store(replay);
}

bool phx_replay_record_open(phx_replay_state *replay)
{
    return !replay->job->record_path || refuse_store(replay);
}

bool phx_replay_record_tick(phx_replay_state *replay)
{
    (void)replay;
    return true;
}

void phx_replay_store_close(phx_replay_state *replay)
{
    (void)replay;
}
