/*
 * Names of stores; see store_names.h.
 */
#include "tools/store_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/folder.h"
#include "tools/cli.h"

/* NAME.TICK.ENDING: the length of the name; 0: it is another file. */
static size_t name_length(const char *file, const char *ending, uint64_t *tick)
{
    const char *dot = strchr(file, '.'); /* a name has none */
    const size_t length = dot ? (size_t)(dot - file) : 0;
    if (length == 0 || length > PH_STORE_NAME_MAX) return 0;
    if (strspn(dot + 1, "0123456789") != PHX_TICK_DIGITS || dot[1 + PHX_TICK_DIGITS] != '.') return 0;
    if (!phx_parse_u64(dot + 1, PHX_TICK_DIGITS, 0, UINT64_MAX, tick)) return 0;
    return strcmp(dot + 1 + PHX_TICK_DIGITS + 1, ending) == 0 ? length : 0;
}

bool phx_store_name_split(const char *path, const char *ending, char folder[PH_STORE_REASON_SIZE],
                          char name[PH_STORE_NAME_MAX + 1], uint64_t *tick)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const size_t length = name_length(file, ending, tick), parts = slash ? (size_t)(slash - path) : 0;
    if (length == 0 || parts >= PH_STORE_REASON_SIZE) return false;
    memcpy(name, file, length);
    name[length] = '\0';
    memcpy(folder, path, parts);
    folder[parts] = '\0';
    if (parts == 0) (void)snprintf(folder, PH_STORE_REASON_SIZE, "%s", slash ? "/" : ".");
    return true;
}

/* Adds a name, if it is new. false = no memory. */
static bool add_name(phx_store_names *names, const char *file, size_t length)
{
    enum { FIRST_ITEMS = 8 };
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->at[i]) == length && strncmp(names->at[i], file, length) == 0) return true;
    if (names->count == names->capacity) {
        const size_t capacity = names->capacity ? names->capacity * 2 : FIRST_ITEMS;
        void *at = realloc(names->at, capacity * sizeof *names->at);
        if (!at) return false;
        names->at = at;
        names->capacity = capacity;
    }
    memcpy(names->at[names->count], file, length);
    names->at[names->count++][length] = '\0';
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

int phx_store_names_find(const char *folder, phx_store_names *names)
{
    static const char *const endings[] = {PHX_STORE_IMAGE, PHX_STORE_JOURNAL};
    *names = (phx_store_names){0};
    DIR *files = opendir(folder);
    if (!files) return errno;
    int error = 0;
    const struct dirent *entry;
    while (error == 0 && (errno = 0, entry = readdir(files)) != NULL)
        for (size_t i = 0; error == 0 && i < sizeof endings / sizeof *endings; i++) {
            uint64_t tick;
            const size_t length = name_length(entry->d_name, endings[i], &tick);
            if (length > 0 && !add_name(names, entry->d_name, length)) error = ENOMEM;
        }
    if (error == 0) error = errno;
    (void)closedir(files);
    if (names->count > 0) qsort(names->at, names->count, sizeof *names->at, compare_names);
    return error;
}
