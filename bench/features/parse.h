/*
 * From words of the command line to features. Used by the options.
 */
#ifndef PHX_BENCH_FEATURE_PARSE_H
#define PHX_BENCH_FEATURE_PARSE_H

#include "bench/base/scenario.h"

/*
 * Features and presets joined by '+', as margin+cap100, in any order; each at most once. false: there is none of that
 * name, or two do not go together; see error.
 */
bool bench_features_parse(bench_features *made, const char *text, bench_error *error);

#endif
