/*
 * Changes a config by a file, or by a text that stands for one: reads it whole, clones the
 * config, reads into the clone under the C locale, and commits when all of it is good.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "config/config.h"
#include "config/error.h"
#include "config/read.h"

/* Of a file or text: thousands of times a real one, and nothing to a server's memory. */
enum { TEXT_BYTES_MAX = 16 << 20 };

enum { READ_BYTES = 64 << 10 }; /* first size of the buffer for a file */

static ph_status too_long(const char *name, ph_config_error *error)
{
    return phx_config_error(error, PH_BAD_ARGUMENT, name, 0, "longer than %d MiB", TEXT_BYTES_MAX >> 20);
}

/* text has room for a '\0' at text[length], and is ours. */
static ph_status load_owned(ph_config *config, const char *name, char *text, size_t length, ph_config_error *error)
{
    ph_config *staged = phx_config_clone(config);
    phx_c_locale scope;
    ph_status status;

    if (staged == NULL) {
        return phx_config_error(error, PH_NO_MEMORY, name, 0, "out of memory");
    }
    text[length] = '\0';
    scope = phx_c_locale_begin();
    if (scope.own == (locale_t)0) { /* else the host's locale would decide about "1.5" */
        status = phx_config_error(error, PH_NO_MEMORY, name, 0, "no C locale to be had");
    } else {
        status = phx_read_text(staged, name, text, length, error);
    }
    phx_c_locale_end(scope);
    if (status == PH_OK) {
        phx_config_commit(config, staged);
    } else {
        ph_config_destroy(staged);
    }
    return status;
}

/* All of the file into *text, with room for one byte more; or an error. The caller frees *text. */
static ph_status read_file(FILE *file, const char *path, char **text, size_t *length, ph_config_error *error)
{
    size_t size = READ_BYTES;
    size_t used = 0;

    *text = malloc(size + 1);
    for (; *text != NULL; size *= 2) {
        char *larger;

        errno = 0;
        used += fread(*text + used, 1, size - used, file);
        if (ferror(file)) {
            return phx_config_error(error, PH_BAD_ARGUMENT, path, 0, "can not be read: %s", strerror(errno));
        }
        if (used > TEXT_BYTES_MAX) {
            return too_long(path, error);
        }
        if (used < size) {
            *length = used;
            return PH_OK;
        }
        larger = realloc(*text, 2 * size + 1);
        if (larger == NULL) {
            break;
        }
        *text = larger;
    }
    return phx_config_error(error, PH_NO_MEMORY, path, 0, "out of memory");
}

ph_status ph_config_load(ph_config *config, const char *path, ph_config_error *error)
{
    char *text = NULL;
    size_t length = 0;
    ph_status status;
    FILE *file;

    if (error != NULL) {
        *error = (ph_config_error){.reason = ""};
    }
    if (config == NULL || path == NULL) {
        return phx_config_error(error, PH_BAD_ARGUMENT, "ph_config_load", 0, "no %s",
                                config == NULL ? "config" : "path");
    }
    file = fopen(path, "rb");
    if (file == NULL) {
        return phx_config_error(error, PH_BAD_ARGUMENT, path, 0, "can not be opened: %s", strerror(errno));
    }
    status = read_file(file, path, &text, &length, error);
    fclose(file);
    if (status == PH_OK) {
        status = load_owned(config, path, text, length, error);
    }
    free(text);
    return status;
}

ph_status ph_config_load_text(ph_config *config, const char *name, const char *text, ph_config_error *error)
{
    size_t length;
    ph_status status;
    char *copy;

    if (error != NULL) {
        *error = (ph_config_error){.reason = ""};
    }
    if (config == NULL || text == NULL) {
        return phx_config_error(error, PH_BAD_ARGUMENT, "ph_config_load_text", 0, "no %s",
                                config == NULL ? "config" : "text");
    }
    if (name == NULL) {
        name = "text";
    }
    length = strnlen(text, TEXT_BYTES_MAX + 1);
    if (length > TEXT_BYTES_MAX) {
        return too_long(name, error);
    }
    copy = malloc(length + 1);
    if (copy == NULL) {
        return phx_config_error(error, PH_NO_MEMORY, name, 0, "out of memory");
    }
    memcpy(copy, text, length);
    status = load_owned(config, name, copy, length, error);
    free(copy);
    return status;
}
