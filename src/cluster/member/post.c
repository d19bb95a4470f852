/*
 * Subjects; see post.h.
 */
#include "cluster/member/post.h"

#include <stdio.h>

static const char *const kind_words[] = {
    [PHX_POST_HALO] = "halo", [PHX_POST_CHANNEL] = "ch", [PHX_POST_HEARTBEAT] = "hb"};

bool phx_post_listen(phc *member, phc_traffic traffic, phx_post kind)
{
    char subject[PHC_SUBJECT_MAX + 1];
    const unsigned long long self = member->node.def.member.registration;
    if (kind == PHX_POST_HEARTBEAT) (void)snprintf(subject, sizeof subject, "ph.%s.%s", member->name, kind_words[kind]);
    else (void)snprintf(subject, sizeof subject, "ph.%s.%s.*.%llu", member->name, kind_words[kind], self);
    return member->transport.listen(member->transport.user, traffic, subject) == PH_OK;
}

bool phx_post_is_of(const phc *member, phx_post kind, const char *subject)
{
    const size_t before = strlen("ph.") + strlen(member->name) + strlen(".");
    const char *word = kind_words[kind];
    return strlen(subject) > before && strncmp(subject + before, word, strlen(word)) == 0;
}

void phx_post_send(phc *member, phc_traffic traffic, phx_post kind, uint64_t target, const void *bytes, size_t size)
{
    char subject[PHC_SUBJECT_MAX + 1];
    const unsigned long long source = member->node.def.member.registration, to = target;
    if (kind == PHX_POST_HEARTBEAT) (void)snprintf(subject, sizeof subject, "ph.%s.%s", member->name, kind_words[kind]);
    else (void)snprintf(subject, sizeof subject, "ph.%s.%s.%llu.%llu", member->name, kind_words[kind], source, to);
    if (member->transport.send(member->transport.user, traffic, subject, bytes, size) != PH_OK) member->counts.unsent++;
}
