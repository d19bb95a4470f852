/*
 * Names and sentences of the statuses, names of commands and fields, each made from its list in the headers; the
 * version. Stateless; any thread, any phase.
 */
#include <pharos/types.h>

_Static_assert((int)PH_STATUS_COUNT <= (int)PH_STATUSES_MAX, "tables by status have room for all");

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

const char *ph_command_name(ph_command command)
{
    switch (command) {
#define COMMAND_NAME(name, number, call) \
    case PH_COMMAND_##name: \
        return call;
        PH_COMMAND_LIST(COMMAND_NAME)
#undef COMMAND_NAME
    case PH_COMMAND_END:
        break;
    }
    return "not a command of this library";
}

const char *ph_field_name(ph_field field)
{
    switch (field) {
#define FIELD_NAME(name, number, word) \
    case PH_FIELD_##name: \
        return word;
        PH_FIELD_LIST(FIELD_NAME)
#undef FIELD_NAME
    case PH_FIELD_END:
        break;
    }
    return "not a field of this library";
}

const char *ph_version(void)
{
    return PHAROS_VERSION_STRING;
}
