/*
 * The signals that threads of this process block, as the system has them. Any thread.
 */
#ifndef SUPPORT_THREAD_MASKS_H
#define SUPPORT_THREAD_MASKS_H

#include <stdint.h>

/* Threads but the calling one. */
uint32_t count_threads(void);
/* Waits until there are so many threads but the calling one, and checks that all of them block all signals that can be.
 */
void check_threads_block(const char *of, uint32_t least);

#endif
