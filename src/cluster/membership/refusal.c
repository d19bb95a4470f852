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
 * another's is, until that has ended with its lease. A join that stands by an answer before is refused no more. One
 * that has ended meanwhile keeps its reason, which may be in the same place. */
const char *phx_refusal_hear(phx_membership *membership, const phc_answer *answer)
{
    if (answer->tag == PHX_REFUSAL_TAG_WRITE && (answer->outcome == PHC_FAILED || is_of_another(membership, answer)))
        membership->told_lease = 0;
    const bool is_awaited =
        answer->tag == PHX_REFUSAL_TAG_READ && membership->is_refused && membership->phase != PHX_MEMBERSHIP_ENDED;
    return is_awaited && !phx_refusal_is_void(membership, &membership->map) ? find_reason(membership, answer) : NULL;
}

/* ---- lines ---- */

/* A line "KEY VALUE", or "-KEY VALUE": a version without the key has that value, too. */
typedef struct text_line {
    const char *key, *value;
    int key_length, value_length;
    bool counts; /* no '-' */
} text_line;

/* A text that is read from line to line. */
typedef struct text_place {
    const char *at;
    size_t left;
} text_place;

static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~') return false;
    return true;
}

/* Takes the first line off. false: there is none that can be shown. */
static bool next_line(text_place *place, text_line *line)
{
    enum { SHOWN_MAX = 160 };
    const char *at = place->at, *end = place->left > 0 ? memchr(at, '\n', place->left) : NULL;
    const size_t length = end ? (size_t)(end - at) : 0;
    if (length == 0 || length > SHOWN_MAX || !is_plain(at, length)) return false;
    const char *key = *at == '-' ? at + 1 : at;
    const char *space = memchr(key, ' ', (size_t)(end - key));
    if (!space) return false;
    *line = (text_line){.key = key,
                        .value = space + 1,
                        .key_length = (int)(space - key),
                        .value_length = (int)(end - space) - 1,
                        .counts = key == at};
    place->left -= length + 1;
    place->at = end + 1;
    return true;
}

static bool is_same(const char *text, int length, const char *other, int other_length)
{
    return length == other_length && memcmp(text, other, (size_t)length) == 0;
}

static bool has_same_key(const text_line *line, const text_line *other)
{
    return is_same(line->key, line->key_length, other->key, other->key_length);
}

/* What is known of a key in a text, from the current line on. */
typedef enum key_state {
    KEY_LATER,
    KEY_HIDDEN, /* the text was cut, or can not be read further: the key may be behind that */
    KEY_ABSENT
} key_state;

/* The whole text ends with that line; see member/definition.h. */
static bool is_last(const text_line *line)
{
    static const char key[] = "end", value[] = "of definition";
    return is_same(line->key, line->key_length, key, sizeof key - 1) &&
           is_same(line->value, line->value_length, value, sizeof value - 1);
}

static key_state find_later(text_place rest, const text_line *current, const text_line *sought)
{
    text_line line = *current;
    while (next_line(&rest, &line))
        if (has_same_key(&line, sought)) return KEY_LATER;
    return rest.left == 0 && is_last(&line) ? KEY_ABSENT : KEY_HIDDEN;
}

/* Which of two lines that were read are looked at, before both or one of them is passed over. */
typedef enum text_side { BOTH, HERE, THERE } text_side;
typedef struct text_look {
    text_side side;
    bool is_sure; /* a difference can be named */
} text_look;

/*
 * A key that is in one text alone is looked at alone: a version of the library has it, the other one not. One that may
 * be behind the other text's cut is passed over.
 */
static text_look find_look(text_place own, const text_line *here, text_place other, const text_line *there)
{
    if (has_same_key(here, there)) return (text_look){BOTH, true};
    const key_state is_there = find_later(other, there, here), is_here = find_later(own, here, there);
    if (is_there == is_here) /* of other classes, or of classes in another order */
        return (text_look){BOTH, is_here != KEY_HIDDEN};
    return is_there > is_here ? (text_look){HERE, is_there == KEY_ABSENT} : (text_look){THERE, is_here == KEY_ABSENT};
}

static bool is_difference(text_look look, const text_line *here, const text_line *there)
{
    if (!look.is_sure) return false;
    if (look.side == HERE) return here->counts;
    if (look.side == THERE) return there->counts;
    if (!has_same_key(here, there)) return here->counts || there->counts;
    return !is_same(here->value, here->value_length, there->value, there->value_length);
}

static void write_difference(char *line, size_t size, text_side side, const text_line *here, const text_line *there)
{
    const text_line *first = side == THERE ? there : here;
    const int wrote = snprintf(line, size, "%s: %.*s is %.*s %s", PHX_OTHER_DEFINITION, first->key_length, first->key,
                               first->value_length, first->value, side == THERE ? "there, unknown here" : "here, ");
    const size_t used = wrote > 0 && (size_t)wrote < size ? (size_t)wrote : size;
    if (side == HERE) (void)snprintf(line + used, size - used, "unknown there");
    else if (side == BOTH && has_same_key(here, there))
        (void)snprintf(line + used, size - used, "%.*s there", there->value_length, there->value);
    else if (side == BOTH)
        (void)snprintf(line + used, size - used, "and there in its place %.*s is %.*s", there->key_length, there->key,
                       there->value_length, there->value);
}

/*
 * Both have the same keys in the same order, but where a class differs, or the version of the library: a key that one
 * of them does not know is passed over if its line does not count. A text that was cut says nothing of the keys behind.
 *
 * For each line without its like both texts are read to their ends, and the other one may be any 64 KiB: in a tick the
 * process has time for so many. With one key more in each class, 140 classes, as many as a text has, are below that.
 */
enum { ALONE_MAX = 256 };

bool phx_refusal_compare(const char *own, size_t own_size, const char *other, size_t other_size, char *line,
                         size_t size)
{
    text_place own_rest = {own, own_size}, other_rest = {other, other_size};
    text_line here, there;
    uint32_t alone = 0;
    bool is_more = next_line(&own_rest, &here) && next_line(&other_rest, &there);
    while (is_more) {
        if (!has_same_key(&here, &there) && alone++ == ALONE_MAX) return false;
        const text_look look = find_look(own_rest, &here, other_rest, &there);
        const text_side side = look.side;
        if (is_difference(look, &here, &there)) {
            write_difference(line, size, side, &here, &there);
            return true;
        }
        is_more = (side == THERE || next_line(&own_rest, &here)) && (side == HERE || next_line(&other_rest, &there));
    }
    return false;
}
