/*
 * A batch as one number, whatever the order of its changes, deliveries, updates and edges, which is the
 * library's choice: for tests that compare two runs of the engine and not the engine with the model.
 */
#ifndef SUPPORT_DIGEST_H
#define SUPPORT_DIGEST_H

#include <pharos/types.h>

uint64_t digest_batch(const ph_batch *batch);

#endif
