/*
 * Subjects of messages and keys of the control store: their form, and which subjects a listener hears. Pure; used by
 * transports and stores.
 */
#ifndef PHX_CLUSTER_SERVERS_SUBJECT_H
#define PHX_CLUSTER_SERVERS_SUBJECT_H

#include <stdbool.h>

/* pattern: a token may be a star, too. */
bool phx_subject_is_good(const char *subject, bool pattern);
/* Both are good. */
bool phx_subject_matches(const char *pattern, const char *subject);
/* prefix: it may be empty. */
bool phx_key_is_good(const char *key, bool prefix);

#endif
