/*
 * All features that are more than config keys, by file. Named by the table of features.
 */
#ifndef PHX_BENCH_FEATURES_H
#define PHX_BENCH_FEATURES_H

#include "bench/base/scenario.h"

typedef void bench_feature_attrs(const bench_stream *stream, uint32_t index, ph_attrs *attrs);
typedef void bench_feature_frame(bench_stream *stream, bench_frame *frame);

/* targets.c: attributes that entities enter with */
bench_feature_attrs bench_priority_four, bench_reach_hundredth, bench_global_one, bench_global_ten, bench_visible_most;
bench_feature_attrs bench_layers_own, bench_layers_common, bench_stealth_tenth, bench_views_three, bench_height_any;
bench_feature_attrs bench_veiled_hundredth;

/* motion.c: other moves than the scenario's */
bench_feature_frame bench_mounts_begin, bench_mounts_step, bench_jumps_step, bench_dashes_step, bench_heights_step;
bench_feature_frame bench_twice_step, bench_twice_tenth_step, bench_singly_step, bench_far_ids_map;

/* relations.c: pairs of entities */
bench_feature_frame bench_links_begin, bench_links_tenth_begin, bench_pairs_begin, bench_hides_step, bench_veils_begin;

/* changes.c: further commands, and further entities */
bench_feature_frame bench_ready_step, bench_attrs_step, bench_target_attrs_step, bench_same_begin, bench_same_step;
bench_feature_frame bench_says_step, bench_areas_begin, bench_areas_step, bench_logins_begin, bench_logins_step;
bench_feature_frame bench_tower_begin, bench_dragon_begin, bench_dragon_step, bench_dragon_jump;

#endif
