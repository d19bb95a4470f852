/*
 * Copies bytes that this CPU does not read again: they pass by its caches, so that no line is read from memory only to
 * be overwritten, and other data stays near. Stateless; any thread. Another thread that is told of the bytes behind the
 * call, by a release, sees them.
 */
#ifndef PHX_BASE_FAR_COPY_H
#define PHX_BASE_FAR_COPY_H

#include <stddef.h>

/* As memcpy(). */
void phx_far_copy(void *to, const void *from, size_t bytes);

#endif
