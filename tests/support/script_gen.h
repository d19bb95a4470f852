/*
 * Makes scripts: seeded command sequences that look for trouble. Small pools of ids, so
 * that unknown ids, second enters, and leave and enter in one tick abound; positions on
 * tower and shard borders and one unit in the last place beside them, far outside, as far as may be,
 * tiny, all at one point, on a grid where distances equal radii exactly; every attribute
 * and command; several producers; bad values that have to be refused.
 *
 * The same seed and profile make the same script on every machine. From a fuzzer's bytes
 * every choice takes a byte; the script ends with the bytes.
 */
#ifndef SUPPORT_OPS_H
#define SUPPORT_OPS_H

#include "support/script.h"

/* Profiles have an index below the count and a name; -1: there is none of this name. */
uint32_t ops_profile_count(void);
const char *ops_profile_name(uint32_t index);
int ops_profile_find(const char *name);

/* A small world against the model. */
script *ops_script(uint64_t seed, uint32_t index);
/* The same from bytes; never more than `steps_max` steps. */
script *ops_script_bytes(const uint8_t *bytes, size_t size, size_t steps_max);

/* A bigger world of `entities` in `ticks` ticks, for comparing layouts; calm: hardly anything but short steps. */
script *ops_script_big(uint64_t seed, uint32_t entities, uint32_t ticks, ph_range range, ph_shape shape, bool calm);

#endif
