/*
 * libFuzzer: bytes become a world and a sequence of commands (script_gen.h; every choice takes
 * bytes), which the engine and the model play side by side; any difference aborts. An
 * input that aborts is printed as a script; it can be cut down by libFuzzer itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"

enum { STEPS_MAX = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Of all inputs: threads for each would be most of the time. It lives as long as the program. */
static ph_crew common_crew(void)
{
    static ph_crew crew;
    const ph_crew_def def = {.workers = 2};
    if (crew.index1 == 0) {
        REQUIRE(ph_crew_create(&def, &crew) == PH_OK);
    }
    return crew;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const run_options options = {.query_every = 2};
    script *s = ops_script_bytes(bytes, size, STEPS_MAX);
    run_result *result = check_zalloc(sizeof *result);
    s->def.index = index_by_turns(&s->def, size > 0 ? bytes[size - 1] : 0);
    s->def.workers = 1;
    if (size > 0 && bytes[size / 2] % 2 != 0) {
        s->def.crew = common_crew();
    }
    run_script(s, &options, result);
    if (result->failed || check_failures() != 0) {
        script_print(stderr, s);
        (void)fprintf(stderr, "%s", result->report);
        abort();
    }
    free(result);
    script_free(s);
    return 0;
}
