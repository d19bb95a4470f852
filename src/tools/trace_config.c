/*
 * Rows "config"; see trace_config.h.
 */
#include "tools/trace_config.h"

#include <stdio.h>
#include <string.h>

static bool refuse(phx_trace_config *to, const char *reason)
{
    (void)snprintf(to->reason, sizeof to->reason, "%s", reason);
    return false;
}

bool phx_trace_config_row(phx_trace_config *to, const phx_trace_row *row)
{
    char assignment[4096]; /* all bands of a class are less */
    ph_config_error error = {.reason = ""};
    if (row->text_bytes >= sizeof assignment || memchr(row->text, '\0', row->text_bytes))
        return refuse(to, "config: it is no KEY=VALUE");
    memcpy(assignment, row->text, row->text_bytes);
    assignment[row->text_bytes] = '\0';
    if (!to->begun && ph_config_begin(to->config) != PH_OK) return refuse(to, ph_status_text(PH_NO_MEMORY));
    to->begun = true;
    const ph_status status = ph_config_set(to->config, assignment, &error);
    return status == PH_OK || refuse(to, error.reason[0] != '\0' ? error.reason : ph_status_text(status));
}

ph_status phx_trace_config_apply(phx_trace_config *to, ph_world world)
{
    ph_config_error error = {.reason = ""};
    if (!to->begun) return PH_OK;
    to->begun = false;
    ph_status status = ph_config_end(to->config, &error);
    if (status != PH_OK) {
        (void)refuse(to, error.reason[0] != '\0' ? error.reason : ph_status_text(status));
        return status;
    }
    ph_world_def def = *ph_config_def(to->config);
    def.consumers = to->consumers;
    to->reason[0] = '\0';
    status = ph_world_reconfigure(world, &def, to->reason, sizeof to->reason);
    if (status != PH_OK && to->reason[0] == '\0') (void)refuse(to, ph_status_text(status));
    return status;
}
