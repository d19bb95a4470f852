/*
 * Lists in exports; see cluster_lists.h.
 */
#include "tools/cluster_lists.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In all files; so that a range by mistake does not take the machine's memory. */
enum { PLACES_MAX = 1 << 24, IDS_MAX = 1 << 27, FIRST_CAPACITY = 1024, SHOWN_MAX = 20 /* findings of one kind */ };
static const double ROUNDED = 1e-4; /* of the distance: positions are floats, and printed */

/* ---- reading ---- */

bool phx_cluster_read_number(const char **text, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* Room for one more item. */
static bool grow_items(void **items, size_t count, size_t *capacity, size_t item)
{
    if (count < *capacity) return true;
    const size_t more = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    void *grown = realloc(*items, more * item);
    if (!grown) return false;
    *items = grown;
    *capacity = more;
    return true;
}

static bool add_listed(phx_cluster_lists *lists, uint64_t id)
{
    void *ids = lists->ids;
    const bool has_room =
        lists->id_count < IDS_MAX && grow_items(&ids, lists->id_count, &lists->id_capacity, sizeof *lists->ids);
    lists->ids = ids;
    if (has_room) lists->ids[lists->id_count++] = id;
    return has_room;
}

/* "2-7,9", ascending, up to a quotation mark. */
static const char *read_listed(phx_cluster_lists *lists, const char **text)
{
    uint64_t before = 0;
    while (**text != '"') {
        uint64_t first, last;
        if (!phx_cluster_read_number(text, &first)) return "an id of a list is no number";
        last = first;
        if (**text == '-' && (++*text, !phx_cluster_read_number(text, &last))) return "an id of a list is no number";
        if (first <= before || last < first) return "the ids of a list do not ascend";
        if (last - first >= IDS_MAX) return "too many ids in lists, or no memory";
        for (uint64_t i = 0; i <= last - first; i++)
            if (!add_listed(lists, first + i)) return "too many ids in lists, or no memory";
        before = last;
        if (**text == ',') ++*text;
        else if (**text != '"') return "an id of a list is no number";
    }
    return NULL;
}

/* The text goes on so: *text is behind it then. */
static bool skip(const char **text, const char *expected)
{
    const size_t length = strlen(expected);
    if (strncmp(*text, expected, length) != 0) return false;
    *text += length;
    return true;
}

static bool read_real(const char **text, const char *name, double *value)
{
    char *end;
    if (!skip(text, name)) return false;
    *value = strtod(*text, &end);
    const bool read = end != *text && isfinite(*value);
    *text = end;
    return read;
}

static const char *read_place(phx_cluster_lists *lists, const char **text, uint16_t node)
{
    phx_cluster_place place = {.node = node, .first = lists->id_count};
    if (!skip(text, "{\"id\":") || !phx_cluster_read_number(text, &place.id) || place.id == 0 ||
        !read_real(text, ",\"x\":", &place.x) || !read_real(text, ",\"y\":", &place.y) ||
        !read_real(text, ",\"view\":", &place.view) || !read_real(text, ",\"margin\":", &place.margin) ||
        !skip(text, ",\"sees\":\""))
        return "a list is not {\"id\":1,\"x\":0,\"y\":0,\"view\":9,\"margin\":1,\"sees\":\"2-7,9\"}";
    if (place.view < 0 || place.margin < 0) return "a view or a margin is below 0";
    const char *reason = read_listed(lists, text);
    if (reason) return reason;
    if (!skip(text, "\"}")) return "a list has no end";
    place.count = (uint32_t)(lists->id_count - place.first);
    void *places = lists->places;
    const bool has_room =
        lists->count < PLACES_MAX && grow_items(&places, lists->count, &lists->capacity, sizeof *lists->places);
    lists->places = places;
    if (!has_room) return "too many lists, or no memory";
    lists->places[lists->count++] = place;
    return NULL;
}

const char *phx_cluster_lists_read(phx_cluster_lists *lists, const char *text, uint16_t node)
{
    while (*text != ']') {
        const char *reason = read_place(lists, &text, node);
        if (reason) return reason;
        if (*text == ',') text++;
        else if (*text != ']') return "lists have no end";
    }
    return NULL;
}

void phx_cluster_lists_free(phx_cluster_lists *lists)
{
    free(lists->places);
    free(lists->ids);
    *lists = (phx_cluster_lists){0};
}

/* ---- comparing ---- */

typedef struct comparison {
    phx_cluster_findings *findings;
    const phx_cluster_lists *lists; /* by x */
    const phx_cluster_place **by_id;
    uint32_t missing, far, nowhere;
} comparison;

static int compare_x(const void *a, const void *b)
{
    const phx_cluster_place *left = a, *right = b;
    if (left->x != right->x) return left->x < right->x ? -1 : 1;
    return (left->id > right->id) - (left->id < right->id);
}

static int compare_ids(const void *a, const void *b)
{
    const phx_cluster_place *left = *(const phx_cluster_place *const *)a, *right = *(const phx_cluster_place *const *)b;
    return (left->id > right->id) - (left->id < right->id);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static double distance(const phx_cluster_place *a, const phx_cluster_place *b)
{
    return hypot(a->x - b->x, a->y - b->y);
}

static bool lists_have(const phx_cluster_lists *lists, const phx_cluster_place *observer, uint64_t id)
{
    return observer->count > 0 &&
           bsearch(&id, lists->ids + observer->first, observer->count, sizeof id, compare_numbers) != NULL;
}

static void look_at_pair(comparison *of, const phx_cluster_place *observer, const phx_cluster_place *target)
{
    const double apart = distance(observer, target);
    if (target->id == observer->id || apart > observer->view * (1 - ROUNDED) ||
        lists_have(of->lists, observer, target->id) || ++of->missing > SHOWN_MAX)
        return;
    phx_cluster_find(of->findings, "not-listed",
                     "entity %" PRIu64 " of node %u sees %g far, and has %" PRIu64
                     " of node %u, %g away, not in its list",
                     observer->id, observer->node, observer->view, target->id, target->node, apart);
}

/* All that are near enough in x, on both sides. */
static void look_around(comparison *of, size_t at)
{
    const phx_cluster_place *places = of->lists->places, *observer = &places[at];
    if (observer->view <= 0) return;
    for (size_t i = at; i > 0 && observer->x - places[i - 1].x <= observer->view; i--)
        look_at_pair(of, observer, &places[i - 1]);
    for (size_t i = at + 1; i < of->lists->count && places[i].x - observer->x <= observer->view; i++)
        look_at_pair(of, observer, &places[i]);
}

static void look_at_list(comparison *of, const phx_cluster_place *observer)
{
    const double most = (observer->view + observer->margin) * (1 + ROUNDED);
    for (uint32_t i = 0; i < observer->count; i++) {
        const phx_cluster_place wanted = {.id = of->lists->ids[observer->first + i]}, *key = &wanted;
        const phx_cluster_place **found = bsearch(&key, of->by_id, of->lists->count, sizeof *of->by_id, compare_ids);
        if (!found && ++of->nowhere <= SHOWN_MAX)
            phx_cluster_find(of->findings, "listed-nowhere",
                             "entity %" PRIu64 " of node %u has %" PRIu64 " in its list, which is in no export",
                             observer->id, observer->node, wanted.id);
        if (found && distance(observer, *found) > most && ++of->far <= SHOWN_MAX)
            phx_cluster_find(of->findings, "listed-far",
                             "entity %" PRIu64 " of node %u has %" PRIu64 " of node %u in its list, which is %g away",
                             observer->id, observer->node, wanted.id, (*found)->node, distance(observer, *found));
    }
}

static void tell_rest(phx_cluster_findings *findings, const char *name, uint32_t count)
{
    if (count > SHOWN_MAX) phx_cluster_find(findings, name, "%u more pairs", count - SHOWN_MAX);
}

void phx_cluster_lists_compare(phx_cluster_findings *findings, phx_cluster_lists *lists)
{
    if (lists->count == 0) return;
    comparison of = {.findings = findings, .lists = lists, .by_id = calloc(lists->count, sizeof *of.by_id)};
    if (!of.by_id) {
        phx_cluster_find(findings, "no-memory", "lists are not compared: no memory");
        return;
    }
    qsort(lists->places, lists->count, sizeof *lists->places, compare_x);
    for (size_t i = 0; i < lists->count; i++) of.by_id[i] = &lists->places[i];
    qsort(of.by_id, lists->count, sizeof *of.by_id, compare_ids);
    for (size_t i = 0; i < lists->count; i++) {
        look_around(&of, i);
        look_at_list(&of, &lists->places[i]);
    }
    tell_rest(findings, "not-listed", of.missing);
    tell_rest(findings, "listed-far", of.far);
    tell_rest(findings, "listed-nowhere", of.nowhere);
    free(of.by_id);
}
