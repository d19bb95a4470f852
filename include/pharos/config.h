/**
 * @file config.h
 * Pharos config files: a separate small library (pharos_config) that fills a plain
 * ph_world_def. A server with its own configuration does not link it.
 *
 * Syntax is libconfuse's: `key = value`, lists as {a, b}, `#` comments, and sections
 * `class NAME { key = value ... }`. Keys, defaults and ranges: `pharos-config dump`.
 * Parsing is right under any locale. @thread one thread at a time per ph_config.
 */
#ifndef PHAROS_CONFIG_H
#define PHAROS_CONFIG_H

#include <stdio.h>

#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_config ph_config;

enum { PH_CONFIG_REASON_SIZE = 512 };

/** One line: "FILE:LINE: reason", or "--set KEY=VALUE: reason". */
typedef struct ph_config_error {
    char reason[PH_CONFIG_REASON_SIZE];
} ph_config_error;

/** A config with every key at its default. PH_NO_MEMORY. */
PH_NODISCARD PH_API ph_status ph_config_create(ph_config **config);
PH_API void ph_config_destroy(ph_config *config);

/**
 * Reads a file on top of what is there. All of it or nothing: on PH_BAD_ARGUMENT (cannot
 * read) or PH_BAD_DEF (syntax, unknown key, type, range) `error` names file, line and
 * reason, and the config is as before.
 */
PH_NODISCARD PH_API ph_status ph_config_load(ph_config *config, const char *path, ph_config_error *error);

/** The same from memory; `name` stands for the file in errors. */
PH_NODISCARD PH_API ph_status ph_config_load_text(ph_config *config, const char *name, const char *text,
                                                  ph_config_error *error);

/**
 * One assignment "key=value" (a list as "a,b"; a class attribute bare for the class
 * default, "NAME.view=100" for another, made when new, as a copy of nothing: all defaults).
 */
PH_NODISCARD PH_API ph_status ph_config_set(ph_config *config, const char *assignment, ph_config_error *error);

/** The definition; its classes live in the config, until it is changed or destroyed. */
PH_API const ph_world_def *ph_config_def(const ph_config *config);

/** The kind of this class name; kind 0 (class default) for every name there is not. */
PH_API uint32_t ph_config_kind(const ph_config *config, const char *class_name);

/** Writes every key, its value and, as a comment, where it came from; readable by ph_config_load(). */
PH_NODISCARD PH_API ph_status ph_config_dump(const ph_config *config, FILE *out);

/** Writes the reference page: every key with type, range, default, live or not, meaning (Markdown). */
PH_NODISCARD PH_API ph_status ph_config_reference(FILE *out);

#ifdef __cplusplus
}
#endif
#endif
