/*
 * Which indexes there are, by the public check alone; see indexes.h.
 */
#include "support/indexes.h"

#include <string.h>

#include "base/keys.h"

static const char *const names[INDEX_COUNT] = {PHX_INDEX_WORDS};

const char *index_name(ph_index index)
{
    return (unsigned)index < INDEX_COUNT ? names[index] : "?";
}

int index_find(const char *name)
{
    for (int i = 0; i < INDEX_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool index_serves(const ph_world_def *def, ph_index index)
{
    ph_world_def with = *def;
    with.index = index;
    with.simd = PH_SIMD_AUTO; /* simd is not the question here */
    return ph_world_def_check(&with, NULL, 0) == PH_OK;
}

ph_index index_by_turns(const ph_world_def *def, uint64_t turn)
{
    ph_index serve[INDEX_COUNT];
    uint32_t count = 0;
    for (int i = PH_INDEX_LIGHTHOUSE + 1; i < INDEX_COUNT; i++) {
        serve[count] = (ph_index)i;
        count += index_serves(def, (ph_index)i);
    }
    return count > 0 ? serve[turn % count] : PH_INDEX_LIGHTHOUSE;
}
