/*
 * A library without the classical indexes refuses each of them, by name; see ../embedded.sh.
 */
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

static int wrongly_answered(ph_index index, const char *name)
{
    ph_world_def def = ph_world_def_default();
    ph_world world;
    char reason[128] = "", expected[128];
    def.index = index;
    snprintf(expected, sizeof expected, "index = %s: it is not built in", name);
    const ph_status status = ph_world_def_check(&def, reason, sizeof reason);
    const int wrong =
        status != PH_BAD_DEF || strcmp(reason, expected) != 0 || ph_world_create(&def, &world) != PH_BAD_DEF;
    if (wrong) {
        fprintf(stderr, "%s: status %d, \"%s\"\n", name, (int)status, reason);
    }
    return wrong;
}

int main(void)
{
    const struct {
        ph_index index;
        const char *name;
    } each[] = {
        {PH_INDEX_BRUTE, "brute"},   {PH_INDEX_GRID, "grid"},         {PH_INDEX_HASH, "hash"},
        {PH_INDEX_TOWERS, "towers"}, {PH_INDEX_QUADTREE, "quadtree"}, {PH_INDEX_CROSSLIST, "crosslist"},
        {PH_INDEX_HEX, "hex"},       {PH_INDEX_TIMER, "timer"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        wrong += wrongly_answered(each[i].index, each[i].name);
    }
    return wrong;
}
