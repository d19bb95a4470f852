/*
 * A host of pharos_view that answers requests when test_connections.py says so, by lines of the standard input: "next"
 * prints the page of the next request, 0 if none waits; "say PAGE TEXT" and "slice PAGE TEXT" answer one; "pages"
 * prints how many there are; "tick" runs one; "fill" opens monitors until there is room for none, "free" closes these.
 * Its world has two classes, of views 10 and 20. Prints the address first; ends with its input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/monitor.h>
#include <pharos/pharos.h>
#include <pharos/view.h>

enum { CLASSES = 2, LINE_BYTES = 8 << 20 }; /* slices that no socket takes at once */

static void print(uint32_t number)
{
    printf("%u\n", number);
    fflush(stdout);
}

static uint32_t next_page(ph_view *view)
{
    ph_view_request request;
    return ph_view_next(view, &request) ? request.page : 0;
}

/* "COMMAND PAGE TEXT". false: none that is known. */
static bool answer(ph_view *view, const char *line)
{
    char *text;
    const char *number = strchr(line, ' ');
    if (!number) return false;
    const uint32_t page = (uint32_t)strtoul(number, &text, 10);
    if (*text++ != ' ') return false;
    if (strncmp(line, "slice ", strlen("slice ")) == 0)
        return ph_view_give_slice(view, page, text, strlen(text)) == PH_OK;
    ph_view_say(view, page, text);
    return strncmp(line, "say ", strlen("say ")) == 0;
}

static ph_monitor filling[PH_MONITORS_MAX];
static uint32_t filling_count;

static bool fill_places(ph_world world)
{
    ph_status status = PH_OK;
    while (status == PH_OK && filling_count < PH_MONITORS_MAX) {
        status = ph_monitor_open(world, &(ph_monitor_def){.every = 1}, &filling[filling_count]);
        filling_count += status == PH_OK;
    }
    return status == PH_OK || status == PH_TAKEN;
}

static bool free_places(void)
{
    ph_status status = PH_OK;
    while (status == PH_OK && filling_count > 0) status = ph_monitor_close(filling[--filling_count]);
    return status == PH_OK;
}

static bool obey(ph_view *view, ph_world world, const char *line)
{
    if (strcmp(line, "tick") == 0) return ph_tick(world, 0) == PH_OK;
    if (strcmp(line, "fill") == 0) return fill_places(world);
    if (strcmp(line, "free") == 0) return free_places();
    if (strcmp(line, "next") == 0) print(next_page(view));
    else if (strcmp(line, "pages") == 0) print(ph_view_pages(view));
    else return answer(view, line);
    return true;
}

int main(void)
{
    static char line[LINE_BYTES];
    char reason[256];
    ph_view *view;
    ph_world world;
    const ph_view_def def = {.flags = PH_VIEW_SLICE | PH_VIEW_SET};
    ph_class classes[CLASSES];
    ph_world_def world_def = ph_world_def_default();
    for (uint32_t kind = 0; kind < CLASSES; kind++) {
        classes[kind] = ph_class_default(kind == 0 ? "default" : "other");
        classes[kind].view = 10 * (float)(kind + 1);
    }
    world_def.classes = classes;
    world_def.class_count = CLASSES;
    if (ph_world_create(&world_def, &world) != PH_OK) return 1;
    if (ph_view_open(&def, &view, reason, sizeof reason) != PH_OK) return 1;
    bool good = ph_view_show(view, world, &world_def) == PH_OK;
    puts(ph_view_address(view));
    fflush(stdout);
    while (good && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        good = obey(view, world, line);
    }
    ph_view_close(view);
    return ph_world_destroy(world) == PH_OK && good ? 0 : 1;
}
