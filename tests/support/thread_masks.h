/*
 * The signals that threads of this process block, as the system has them. Any thread.
 */
#ifndef SUPPORT_THREAD_MASKS_H
#define SUPPORT_THREAD_MASKS_H

#include <stdint.h>

/* All threads but the calling one block all signals that can be blocked, and there are so many of them at least. */
void check_threads_block(const char *of, uint32_t least);

#endif
