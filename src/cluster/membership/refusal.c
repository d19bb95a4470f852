/*
 * What differs; see refusal.h.
 */
#include "cluster/membership/refusal.h"

#include <stdio.h>
#include <string.h>

const char PHX_OTHER_DEFINITION[] = "another member has another definition of the world";

/* ---- requests ---- */

static void key_of(const phx_membership *membership, uint16_t number, char key[PHC_KEY_MAX + 1])
{
    (void)snprintf(key, PHC_KEY_MAX + 1, "ph-definition/%s/%u", membership->def.world, number);
}

void phx_refusal_tell(phx_membership *membership)
{
    char key[PHC_KEY_MAX + 1];
    const phx_membership_def *def = &membership->def;
    const uint64_t lease = membership->lease;
    if ((membership->phase != PHX_MEMBERSHIP_JOIN && membership->phase != PHX_MEMBERSHIP_MEMBER) || lease == 0 ||
        membership->told_lease == lease || def->definition_size == 0)
        return;
    key_of(membership, membership->number, key);
    if (def->store.cas(def->store.user, PHX_REFUSAL_TAG_WRITE, key, 0, def->definition_text, def->definition_size,
                       lease) == PH_OK)
        membership->told_lease = lease;
}

bool phx_refusal_is_void(const phx_membership *membership, const phx_cluster_map *map)
{
    return phx_cluster_map_member(map, membership->node->def.member.registration) &&
           !phx_cluster_map_member(map, membership->other.registration);
}

bool phx_refusal_begin(phx_membership *membership, const char *reason)
{
    char key[PHC_KEY_MAX + 1];
    const phx_membership_def *def = &membership->def;
    if (!membership->is_refused && reason == PHX_OTHER_DEFINITION && def->definition_size > 0) {
        key_of(membership, membership->other.number, key);
        membership->is_refused = def->store.get(def->store.user, PHX_REFUSAL_TAG_READ, key) == PH_OK;
    }
    return membership->is_refused;
}

static const char *find_reason(phx_membership *membership, const phc_answer *answer)
{
    const phx_membership_def *def = &membership->def;
    char *line = membership->refusal;
    const phc_entry *other = answer->outcome == PHC_DONE && answer->count == 1 ? &answer->entries[0] : NULL;
    const bool is_named = other && phx_refusal_compare(def->definition_text, def->definition_size, other->value,
                                                       other->size, line, sizeof membership->refusal);
    return is_named ? line : PHX_OTHER_DEFINITION;
}

/* Of an earlier process with this number, which has not heard yet that it was put out. */
static bool is_of_another(const phx_membership *membership, const phc_answer *answer)
{
    return answer->outcome == PHC_CHANGED && answer->count == 1 && answer->entries[0].lease != membership->lease;
}

/* A text that was not written for want of an answer is written again, with the next list; so is one where
 * another's is, until that has ended with its lease. A join that stands by an answer before is refused no more. */
const char *phx_refusal_hear(phx_membership *membership, const phc_answer *answer)
{
    if (answer->tag == PHX_REFUSAL_TAG_WRITE && (answer->outcome == PHC_FAILED || is_of_another(membership, answer)))
        membership->told_lease = 0;
    const bool is_awaited = answer->tag == PHX_REFUSAL_TAG_READ && membership->is_refused;
    return is_awaited && !phx_refusal_is_void(membership, &membership->map) ? find_reason(membership, answer) : NULL;
}

/* ---- lines ---- */

/* A line "KEY VALUE". */
typedef struct text_line {
    const char *key, *value;
    int key_length, value_length;
} text_line;

static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~') return false;
    return true;
}

/* Takes the first line off. false: there is none that can be shown. */
static bool next_line(const char **at, size_t *left, text_line *line)
{
    enum { SHOWN_MAX = 160 };
    const char *end = *left > 0 ? memchr(*at, '\n', *left) : NULL;
    const size_t length = end ? (size_t)(end - *at) : 0;
    const char *space = length > 0 ? memchr(*at, ' ', length) : NULL;
    if (!space || length > SHOWN_MAX || !is_plain(*at, length)) return false;
    *line = (text_line){
        .key = *at, .value = space + 1, .key_length = (int)(space - *at), .value_length = (int)(end - space) - 1};
    *left -= length + 1;
    *at = end + 1;
    return true;
}

static bool is_same(const char *text, int length, const char *other, int other_length)
{
    return length == other_length && memcmp(text, other, (size_t)length) == 0;
}

/* Both have the same keys in the same order, but where a class differs, or the version of the library. */
bool phx_refusal_compare(const char *own, size_t own_size, const char *other, size_t other_size, char *line,
                         size_t size)
{
    text_line here, there;
    while (next_line(&own, &own_size, &here) && next_line(&other, &other_size, &there)) {
        const bool is_key = is_same(here.key, here.key_length, there.key, there.key_length);
        if (is_key && is_same(here.value, here.value_length, there.value, there.value_length)) continue;
        if (is_key)
            (void)snprintf(line, size, "%s: %.*s is %.*s here, %.*s there", PHX_OTHER_DEFINITION, here.key_length,
                           here.key, here.value_length, here.value, there.value_length, there.value);
        else
            (void)snprintf(line, size, "%s: %.*s is %.*s here, and there in its place %.*s is %.*s",
                           PHX_OTHER_DEFINITION, here.key_length, here.key, here.value_length, here.value,
                           there.key_length, there.key, there.value_length, there.value);
        return true;
    }
    return false;
}
