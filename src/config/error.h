/*
 * The one line of a ph_config_error. Used by everything that reads config text. Stateless.
 */
#ifndef PHX_CONFIG_ERROR_H
#define PHX_CONFIG_ERROR_H

#include <stdarg.h>

#include <pharos/config.h>

#include "base/core.h"

/* Room for the text of phx_config_place(). */
enum { PHX_PLACE_SIZE = 256 };

/* The name of a file (or "--set KEY=VALUE") fit for one line: no control bytes, the front cut off when long. */
const char *phx_config_place(const char *name, char place[PHX_PLACE_SIZE]);

/* Fills *error (may be NULL) with "PLACE:LINE: reason", without the line when it is 0. Returns status. */
__attribute__((format(printf, 5, 6))) ph_status
phx_config_error(ph_config_error *error, ph_status status, const char *place, uint32_t line, const char *format, ...);
__attribute__((format(printf, 5, 0))) ph_status phx_config_error_list(ph_config_error *error, ph_status status,
                                                                      const char *place, uint32_t line,
                                                                      const char *format, va_list list);

#endif
