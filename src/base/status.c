/*
 * Names and sentences of the statuses, made from PH_STATUS_LIST, and the version that the
 * build passes in. Stateless; any thread, any phase.
 */
#include <pharos/base.h>

#ifndef PHX_VERSION_STRING
#error "the build defines PHX_VERSION_STRING as \"MAJOR.MINOR.PATCH\""
#endif

const char *ph_status_text(ph_status status)
{
    switch (status) {
#define STATUS_TEXT(name, number, text) \
    case name: \
        return text;
        PH_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    case PH_STATUS_COUNT:
        break;
    }
    return "not a status of this library";
}

const char *ph_status_name(ph_status status)
{
    switch (status) {
#define STATUS_NAME(name, number, text) \
    case name: \
        return #name;
        PH_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    case PH_STATUS_COUNT:
        break;
    }
    return "PH_UNKNOWN";
}

const char *ph_version(void)
{
    return PHX_VERSION_STRING;
}
