/*
 * The one line of a ph_config_error: place, line, reason; cut to its size, without
 * control bytes, which may come from file names and values.
 */
#include "config/error.h"

#include <stdio.h>
#include <string.h>

static void no_control_bytes(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

const char *phx_config_place(const char *name, char place[PHX_PLACE_SIZE])
{
    size_t length = strlen(name);

    if (length < PHX_PLACE_SIZE) {
        memcpy(place, name, length + 1);
    } else { /* the end of a path says more than its front */
        snprintf(place, PHX_PLACE_SIZE, "...%s", name + length - (PHX_PLACE_SIZE - sizeof "..."));
    }
    no_control_bytes(place);
    return place;
}

ph_status phx_config_error_list(ph_config_error *error, ph_status status, const char *place, uint32_t line,
                                const char *format, va_list list)
{
    char shown[PHX_PLACE_SIZE];
    size_t used;

    PHX_ASSERT(status != PH_OK);
    if (error == NULL) {
        return status;
    }
    phx_config_place(place, shown);
    if (line > 0) {
        snprintf(error->reason, sizeof error->reason, "%s:%u: ", shown, line);
    } else {
        snprintf(error->reason, sizeof error->reason, "%s: ", shown);
    }
    used = strlen(error->reason);
    PHX_ASSERT(used < sizeof error->reason);
    (void)vsnprintf(error->reason + used, sizeof error->reason - used, format, list);
    no_control_bytes(error->reason);
    return status;
}

ph_status phx_config_error(ph_config_error *error, ph_status status, const char *place, uint32_t line,
                           const char *format, ...)
{
    va_list list;

    va_start(list, format);
    status = phx_config_error_list(error, status, place, line, format, list);
    va_end(list);
    return status;
}
