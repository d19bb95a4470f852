/*
 * The commands of a frame, span by span, as calls of the library. Called by the engine pharos, in the timed part.
 */
#ifndef PHX_BENCH_ENGINE_SUBMIT_H
#define PHX_BENCH_ENGINE_SUBMIT_H

#include <pharos/pharos.h>

#include "bench/base/frame.h"

/*
 * The commands of the span from `from` on. Goes on behind refused ones, as the bulk calls do, and stops only when the
 * queue is full; *done is how many were submitted. Returns the first status that is not PH_OK.
 */
ph_status bench_submit_span(ph_producer producer, const bench_frame *frame, const bench_span *span, uint32_t from,
                            uint32_t *done);

#endif
