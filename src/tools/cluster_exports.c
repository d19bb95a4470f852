/*
 * Exports of nodes; see cluster_exports.h.
 */
#include "tools/cluster_exports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In all files; so that a range by mistake does not take the machine's memory. */
enum { ITEMS_MAX = 1 << 25, ITEMS_FIRST = 1024 };

__attribute__((format(printf, 2, 3))) static bool refuse(phx_cluster_exports *exports, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(exports->reason, sizeof exports->reason, format, arguments);
    va_end(arguments);
    return false;
}

static bool add(phx_cluster_exports *exports, uint64_t id, uint16_t node)
{
    if (exports->count == ITEMS_MAX) return refuse(exports, "more than %d entities", ITEMS_MAX);
    if (exports->count == exports->capacity) {
        const size_t capacity = exports->capacity > 0 ? 2 * exports->capacity : ITEMS_FIRST;
        phx_cluster_own *items = realloc(exports->items, capacity * sizeof *items);
        if (!items) return refuse(exports, "no memory");
        exports->items = items;
        exports->capacity = capacity;
    }
    exports->items[exports->count++] = (phx_cluster_own){.id = id, .node = node};
    return true;
}

/* "1-7,9", up to a quotation mark. */
static bool read_ids(phx_cluster_exports *exports, const char *path, const char *text, uint16_t node)
{
    while (*text != '"') {
        uint64_t first, last;
        if (!phx_cluster_read_number(&text, &first))
            return refuse(exports, "%s: ids: '%.20s' is no number", path, text);
        last = first;
        if (*text == '-' && (++text, !phx_cluster_read_number(&text, &last)))
            return refuse(exports, "%s: ids: '%.20s' is no number", path, text);
        if (first == 0 || last < first)
            return refuse(exports, "%s: ids: %" PRIu64 "-%" PRIu64 " is no range", path, first, last);
        if (last - first >= ITEMS_MAX) return refuse(exports, "%s: ids: more than %d entities", path, ITEMS_MAX);
        for (uint64_t i = 0; i <= last - first; i++)
            if (!add(exports, first + i, node)) return false;
        if (*text == ',') text++;
        else if (*text != '"') return refuse(exports, "%s: ids: no comma before '%.20s'", path, text);
    }
    return true;
}

/* Behind the ids, if the line has them. */
static bool read_lists(phx_cluster_exports *exports, const char *path, const char *text, uint16_t node)
{
    static const char lists_key[] = "\"lists\":[";
    const char *lists = strstr(text, lists_key);
    const char *reason = lists ? phx_cluster_lists_read(&exports->lists, lists + strlen(lists_key), node) : NULL;
    if (reason) return refuse(exports, "%s: lists: %s", path, reason);
    exports->files++;
    exports->with_lists += lists != NULL;
    if (exports->with_lists != 0 && exports->with_lists != exports->files)
        return refuse(exports, "%s: some exports have lists, and others have none", path);
    return true;
}

static bool read_line(phx_cluster_exports *exports, const char *path, const char *line)
{
    static const char node_key[] = "\"node\":", ids_key[] = "\"ids\":\"";
    const char *node = strstr(line, node_key), *ids = strstr(line, ids_key);
    uint64_t number = 0;
    if (!node || !ids) return refuse(exports, "%s: no line with \"node\" and \"ids\"", path);
    node += strlen(node_key);
    if (!phx_cluster_read_number(&node, &number) || number == 0 || number > UINT16_MAX)
        return refuse(exports, "%s: the node's number is not 1 to 65535", path);
    return read_ids(exports, path, ids + strlen(ids_key), (uint16_t)number) &&
           read_lists(exports, path, ids, (uint16_t)number);
}

bool phx_cluster_exports_read(phx_cluster_exports *exports, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, *last = NULL;
    size_t line_size = 0, last_size = 0;
    if (!file) return refuse(exports, "%s: %s", path, strerror(errno));
    while (getline(&line, &line_size, file) >= 0) {
        if (!strstr(line, "\"ids\":\"") || !strchr(line, '\n')) continue; /* the last one may be under way */
        char *const kept = last;
        const size_t kept_size = last_size;
        last = line;
        last_size = line_size;
        line = kept;
        line_size = kept_size;
    }
    const bool read = read_line(exports, path, last ? last : "");
    free(line);
    free(last);
    (void)fclose(file);
    return read;
}

static int compare(const void *a, const void *b)
{
    const phx_cluster_own *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

void phx_cluster_exports_sort(phx_cluster_exports *exports)
{
    if (exports->count > 0) qsort(exports->items, exports->count, sizeof *exports->items, compare);
}

void phx_cluster_exports_free(phx_cluster_exports *exports)
{
    free(exports->items);
    phx_cluster_lists_free(&exports->lists);
    *exports = (phx_cluster_exports){0};
}
