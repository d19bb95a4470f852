/*
 * Base64, as etcd's JSON has keys and values. Pure; used by etcd_json.
 */
#ifndef PHX_CLUSTER_SERVERS_BASE64_H
#define PHX_CLUSTER_SERVERS_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Characters of so many bytes, without a 0. */
static inline size_t phx_base64_length(size_t size)
{
    return (size + 2) / 3 * 4;
}

/* Writes phx_base64_length(size) characters and a 0. */
void phx_base64_encode(char *text, const void *bytes, size_t size);

/* The bytes of a text; false: it is none, or has more than *size of them. bytes NULL: they are counted alone. */
bool phx_base64_decode(void *bytes, size_t *size, const char *text);

#endif
