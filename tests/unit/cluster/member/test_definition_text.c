/*
 * The common definition as text: a refused process names the key that differs by its lines.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "cluster/member/definition_text.h"

/* Each key that has to be the same is a line, so that each difference can be named. */
Test(definition_text, what_has_to_be_the_same_stands_in_the_text)
{
    static char text[PHC_VALUE_MAX];
    ph_class class = ph_class_default("default");
    ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    class.view = 50;
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    def.world_def = &world_def;
    def.regions[0] = 2;
    def.regions[1] = 1;
    def.definition = 77;
    def.adopt_map = true;
    class.margin = 2.5f;
    const size_t size = phx_definition_text(&def, text, sizeof text - 1);
    cr_assert(size > 0 && text[size - 1] == '\n');
    text[size] = '\0';
    static const char *const lines[] = {
        "cluster.regions 2 1\n",        "cluster.adopt_map on\n",         "cluster.lease_ms 5000\n",
        "cluster.list_ms 200\n",        "cluster.link_timeout_ms 5000\n", "\ndefinition 77\n",
        "world.world_size 1000 1000\n", "class.default.view 50\n",        "class.default.margin 2.5\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert(strstr(text, lines[i]), "%s in %s", lines[i], text);
    cr_assert_null(strstr(text, "shards"));
    cr_assert_null(strstr(text, "simd"));
    const size_t cut = phx_definition_text(&def, text, 100);
    cr_assert(cut < 100 && cut > 0 && text[cut - 1] == '\n', "whole lines");
}
