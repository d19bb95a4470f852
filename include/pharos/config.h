/**
 * @file config.h
 * Pharos config files: a separate small library (pharos_config) that fills a plain
 * ph_world_def. A server with its own configuration does not link it.
 *
 * Syntax: `key = value`, pairs as {a, b}, comments (#, // and the C kind), and sections
 * `class NAME { key = value ... }`, in them `band { radius = 30 every = 1 }`, and a section
 * `store { folder = "/var/game" }` for the files of a store (store.h), and a section
 * `cluster { name = arena nats = {"nats://a:4222", "nats://b:4222"} }` for a member of a cluster (cluster.h). Keys,
 * defaults and ranges: `pharos-config reference`. The class "default" is kind 0, whether a file has it or not; the
 * others are kinds 1, 2, ... in the order of the file. No class inherits from another: a key that a class does not set
 * has the built-in default. Parsing is right under any locale; nothing is printed; files include no others.
 *
 * To reload: load the file into a fresh ph_config and hand its definition to
 * ph_world_reconfigure(), which takes all of it or names the first key that can not
 * change; settings that the host made on top of the file (--set, consumers, ...) have to
 * be made again. On any failure the world goes on as it was.
 *
 *     ph_config *fresh = NULL;
 *     ph_config_error error;
 *     if (ph_config_create(&fresh) == PH_OK && ph_config_load(fresh, path, &error) == PH_OK) {
 *         status = ph_world_reconfigure(world, ph_config_def(fresh), reason, sizeof reason);
 *     }
 *     ph_config_destroy(fresh);
 *
 * The library takes its memory from malloc() and parses one text at a time in a process
 * (other calls wait). When libconfuse's lexer runs out of memory, it ends the process.
 * @thread one thread at a time per ph_config; several of them any way.
 */
#ifndef PHAROS_CONFIG_H
#define PHAROS_CONFIG_H

#include <stdio.h>

#include <pharos/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_config ph_config;
struct ph_store_def; /* store.h */
struct phc_def;      /* cluster.h */
struct phc_nats_def;
struct phc_etcd_def;

enum { PH_CONFIG_REASON_SIZE = 512 };

/** One line: "FILE:LINE: reason", or "--set KEY=VALUE: reason". */
typedef struct ph_config_error {
    char reason[PH_CONFIG_REASON_SIZE];
    uint64_t reserved[4];
} ph_config_error;

/** A config with every key at its default. PH_NO_MEMORY, PH_BAD_ARGUMENT (config is NULL). */
PH_NODISCARD PH_API ph_status ph_config_create(ph_config **config);
/** NULL is allowed. */
PH_API void ph_config_destroy(ph_config *config);

/**
 * Reads a file on top of the present values: a key that the file has replaces its
 * value, in the classes too; new classes come behind the present ones. All of it or
 * nothing: on PH_BAD_ARGUMENT (can not be read, above 16 MiB, or the 65th file name for
 * this config), PH_BAD_DEF (syntax, unknown key, key or class there twice, type, range, a
 * rule between keys) or PH_NO_MEMORY `error` (may be NULL) names file, line and reason,
 * and the config is as before.
 */
PH_NODISCARD PH_API ph_status ph_config_load(ph_config *config, const char *path, ph_config_error *error);

/** The same from memory; `name` (NULL = "text") stands for the file in errors. */
PH_NODISCARD PH_API ph_status ph_config_load_text(ph_config *config, const char *name, const char *text,
                                                  ph_config_error *error);

/**
 * One assignment "key=value" (a pair as "a,b", shards also as "4x4"; a class attribute
 * bare for the class default, "NAME.view=100" for another, made when new, as a copy of
 * nothing: all defaults; all bands of a class as "NAME.band=30:1,60:2", or
 * "NAME.band=none"; a key of the store as "store.level=3", of the cluster as
 * "cluster.lag_max=4", its servers as "cluster.nats=nats://a:4222,nats://b:4222"). The whole definition is checked
 * behind each, so that of two that need each other the enabling one comes first. All or
 * nothing, errors as above.
 */
PH_NODISCARD PH_API ph_status ph_config_set(ph_config *config, const char *assignment, ph_config_error *error);

/**
 * From here to ph_config_end() loads and assignments are checked by themselves alone (syntax, type, range), and the
 * rules between keys once, at the end: so settings that need each other come in any order, in file and assignments.
 * PH_BAD_ARGUMENT: begun already; PH_NO_MEMORY.
 */
PH_NODISCARD PH_API ph_status ph_config_begin(ph_config *config);

/**
 * Checks the whole definition. On PH_BAD_DEF the config is as it was at ph_config_begin(), and the error names the file
 * and line, or "--set KEY", that the key in the reason came from. PH_BAD_ARGUMENT: not begun.
 */
PH_NODISCARD PH_API ph_status ph_config_end(ph_config *config, ph_config_error *error);

/** The definition; its classes live in the config, until it is changed or destroyed. */
PH_API const ph_world_def *ph_config_def(const ph_config *config);

/**
 * The section `store` as a definition for ph_store_open(), without a log. Its strings live in the config, until it is
 * changed or destroyed. Needs no library pharos_store. PH_EMPTY: no folder is given, and def->folder is NULL; all else
 * is there; PH_BAD_ARGUMENT.
 */
PH_NODISCARD PH_API ph_status ph_config_store(const ph_config *config, struct ph_store_def *def);

/**
 * The section `cluster` as a definition for phc_open(), with ph_config_def() as the world's. `definition`, pack, clock
 * and allocator are the host's, and 0 here. Its name lives in the config, until it is changed or destroyed. Needs no
 * library pharos_cluster. PH_EMPTY: no name is given, and def->name is NULL: this process is no member; all else is
 * there; PH_BAD_ARGUMENT.
 */
PH_NODISCARD PH_API ph_status ph_config_cluster(const ph_config *config, struct phc_def *def);

/**
 * Its servers, and their files of TLS, as definitions for phc_nats_open() and phc_etcd_open(); texts as above.
 * PH_EMPTY: there is none, and server_count is 0; PH_BAD_ARGUMENT.
 */
PH_NODISCARD PH_API ph_status ph_config_nats(const ph_config *config, struct phc_nats_def *def);
PH_NODISCARD PH_API ph_status ph_config_etcd(const ph_config *config, struct phc_etcd_def *def);

/**
 * The kind of this class name, 0 for "default" and NULL; PH_KIND_NONE for a name that no class has: commands with that
 * kind are refused (PH_BAD_KIND).
 */
PH_API uint32_t ph_config_kind(const ph_config *config, const char *class_name);

/**
 * Writes every key, its value and, as a comment, where it came from; ph_config_load() reads
 * it back to the same bits. PH_BAD_ARGUMENT: a NULL, or `out` can not be written.
 */
PH_NODISCARD PH_API ph_status ph_config_dump(const ph_config *config, FILE *out);

/** Writes the reference page: every key with type, range, default, live or not, meaning (Markdown). Errors as above. */
PH_NODISCARD PH_API ph_status ph_config_reference(FILE *out);

#ifdef __cplusplus
}
#endif
#endif
