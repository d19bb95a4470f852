/*
 * The common definition, which all members of a common world have to agree about: as a number, by which a process with
 * another one is refused, and as text, by which it is told the key that differs. Pure; used when a member is opened.
 *
 * Both are made of lines, "KEY VALUE" for each key that is the same for all members. A value that is the first default
 * of its key (first_defaults.h) does not count: so a version of the library with one key more has the same number for
 * the same world, and its processes join beside those of the version before.
 */
#ifndef PHX_CLUSTER_MEMBER_DEFINITION_H
#define PHX_CLUSTER_MEMBER_DEFINITION_H

#include <pharos/cluster.h>

/* Of all lines that count. */
uint64_t phx_definition_number(const phc_def *def);
/*
 * All lines, as many whole ones as fit. One that does not count has a '-' before it, so that a reader which does not
 * know the key can pass it over; behind the last line of a whole text is "end of definition". Returns the bytes; no 0
 * ends them.
 */
size_t phx_definition_text(const phc_def *def, char *text, size_t size);
/* Is that key the process's own matter? place: "cluster.", "world.", "class." or "band." */
bool phx_definition_leaves_out(const char *place, const char *name);

#endif
