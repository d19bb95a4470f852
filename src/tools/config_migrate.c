/*
 * `pharos-config migrate`; see config_migrate.h.
 */
#include "tools/config_migrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/config.h>

#include "base/mem_jemalloc.h"
#include "tools/cli.h"
#include "tools/out_file.h"

/* As a config file has at most (src/config/load.c). */
enum { TEXT_BYTES_MAX = 16 << 20 };

static int trouble(const char *path, const char *why, int exit_status)
{
    fprintf(stderr, "%s: %s\n", path, why);
    return exit_status;
}

/* All of the file, with a '\0' behind it; NULL: *exit_status says which kind of error, and the message is out. */
static char *read_text(const char *path, size_t *length, int *exit_status)
{
    *exit_status = PHX_EXIT_USAGE;
    phx_say_waiting(path, "writer");
    FILE *file = fopen(path, "rb");
    if (!file) {
        trouble(path, strerror(errno), PHX_EXIT_USAGE);
        return NULL;
    }
    char *text = malloc(TEXT_BYTES_MAX + 2);
    errno = 0;
    *length = text ? fread(text, 1, TEXT_BYTES_MAX + 1, file) : 0;
    const char *why = NULL;
    if (!text) why = "out of memory";
    else if (ferror(file)) why = strerror(errno);
    else if (*length > TEXT_BYTES_MAX) why = "longer than 16 MiB";
    else if (memchr(text, '\0', *length)) why = "it has a zero byte";
    if (why) *exit_status = trouble(path, why, text ? PHX_EXIT_USAGE : PHX_EXIT_TROUBLE);
    fclose(file);
    if (why) {
        free(text);
        return NULL;
    }
    text[*length] = '\0';
    return text;
}

static void say_renamed(void *user, uint32_t line, const phx_rename *rename)
{
    fprintf(stderr, "%s:%u: %s is now %s\n", (const char *)user, line, rename->old_name, rename->new_name);
}

static int check_text(const char *path, const char *text)
{
    ph_config_error error = {.reason = "out of memory"};
    ph_config *config = NULL;
    ph_status status = ph_config_create(&config);
    if (status == PH_OK) status = ph_config_load_text(config, path, text, &error);
    ph_config_destroy(config);
    if (status == PH_OK) return PHX_EXIT_OK;
    fprintf(stderr, "%s\n", error.reason);
    return status == PH_NO_MEMORY ? PHX_EXIT_TROUBLE : PHX_EXIT_USAGE;
}

static int write_text(const char *path, const char *text, size_t length)
{
    phx_mem mem;
    phx_out *out;
    const char *why = "no memory";
    phx_mem_init(&mem, phx_allocator_jemalloc());
    if (phx_out_open(&out, &mem, path, &why) != PH_OK) return trouble(path, why, PHX_EXIT_TROUBLE);
    for (size_t at = 0; at < length;) {
        const size_t piece = length - at < PHX_OUT_RESERVE_MAX ? length - at : PHX_OUT_RESERVE_MAX;
        memcpy(phx_out_reserve(out), text + at, piece);
        phx_out_advance(out, piece);
        at += piece;
    }
    why = phx_out_close(out, true);
    return why ? trouble(strcmp(path, "-") == 0 ? "pharos-config: the output can not be written" : path, why,
                         PHX_EXIT_TROUBLE)
               : PHX_EXIT_OK;
}

int phx_config_migrate(const char *path, const phx_rename *given, uint32_t given_count, bool in_place)
{
    const phx_renames renames = {given, phx_key_renames, given_count, say_renamed, (void *)(uintptr_t)path};
    size_t length = 0, new_length = 0;
    char *new_text = NULL;
    int exit_status;
    char *text = read_text(path, &length, &exit_status);
    if (!text) return exit_status;
    FILE *stream = open_memstream(&new_text, &new_length);
    if (stream) phx_migrate(stream, text, length, &renames);
    const bool made = stream && fclose(stream) == 0;
    exit_status = made ? check_text(path, new_text) : trouble(path, "out of memory", PHX_EXIT_TROUBLE);
    if (exit_status == PHX_EXIT_OK) exit_status = write_text(in_place ? path : "-", new_text, new_length);
    free(new_text);
    free(text);
    return exit_status;
}
