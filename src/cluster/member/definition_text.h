/*
 * The common definition as text, a line "KEY VALUE" for each key: so a process that is refused for another definition
 * can name the key that differs. Pure; used when a member is opened.
 */
#ifndef PHX_CLUSTER_MEMBER_DEFINITION_TEXT_H
#define PHX_CLUSTER_MEMBER_DEFINITION_TEXT_H

#include <pharos/cluster.h>

/* All that phx_definition_number() counts, as many whole lines as fit. Returns the bytes; no 0 ends them. */
size_t phx_definition_text(const phc_def *def, char *text, size_t size);

#endif
