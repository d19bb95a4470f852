/*
 * What the command lines of all programs share: -h beside argp's own --help, and ranges of numbers in words. Stateless.
 */
#ifndef PHX_TOOLS_OPTIONS_H
#define PHX_TOOLS_OPTIONS_H

#include <argp.h>
#include <string.h>

#include "base/whole_text.h"
#include "tools/cli.h"

/* A row of the options; its key is PHX_KEY_HELP, and its action phx_help(). Group -1 is that of --help. */
#define PHX_HELP_OPTION \
    { \
        NULL, PHX_KEY_HELP, NULL, 0, "The same as --help", -1 \
    }
enum { PHX_KEY_HELP = 'h' };

/* Prints the help and ends the program. */
static inline void phx_help(const struct argp_state *state)
{
    argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
}

/* The whole number in text; ends the program with a message when it is none from min to max. */
static inline uint64_t phx_whole_option(struct argp_state *state, const char *option, const char *text, uint64_t min,
                                        uint64_t max)
{
    char low[PHX_WHOLE_TEXT_SIZE], high[PHX_WHOLE_TEXT_SIZE];
    uint64_t value = min;
    if (phx_parse_u64(text, strlen(text), min, max, &value)) return value;
    phx_whole_text(min, low);
    /* These bounds are of the type, and no one comes near. */
    if (max == UINT32_MAX || max == UINT64_MAX)
        argp_error(state, "--%s: '%s' is not a whole number of at least %s", option, text, low);
    else
        argp_error(state, "--%s: '%s' is not a whole number from %s to %s", option, text, low,
                   phx_whole_text(max, high));
    return value;
}

#endif
