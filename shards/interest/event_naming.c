/*
 * Targets of changes become events; see event_naming.h.
 */
#include "shards/interest/event_naming.h"

#include <stddef.h>
#include <string.h>

#include "shards/interest/event_places.h"

typedef uint64_t halves __attribute__((vector_size(16)));
_Static_assert(sizeof(ph_target) == sizeof(halves) && offsetof(ph_target, id) == 0, "a target is written at once");

_Static_assert(PH_CAUSE_CAME == false && PH_CAUSE_RANGE == true, "the usual cause is whether the target leaves");

/* user_data: the store's. */
static inline void write_name(const phx_event_columns *to, uint32_t at, const phx_name *name, const uint64_t *user_data,
                              phx_target_word target)
{
    const uint32_t slot = phx_target_word_slot(target);
    const phx_name *from = &name[slot];
    const halves both = {from->id, user_data ? user_data[slot] : 0}; /* in the order of ph_target */
    memcpy(&to->targets[at], &both, sizeof both);
    to->kinds[at] = from->kind;
    to->incarnations[at] = from->incarnation;
    to->causes[at] = phx_target_word_leaves(target);
}

_Static_assert(offsetof(phx_body, x) == 0 && offsetof(phx_body, y) == 4 && offsetof(phx_body, z) == 8,
               "a body begins with its position");
_Static_assert(sizeof(ph_position) == 12 && offsetof(ph_position, z) == 8, "a position is written in two words");

/*
 * Writes where the target is; of a leave 0. No branch: it would be mispredicted. Two words, as a vector of three floats
 * would go through the stack.
 */
static inline void write_position(const phx_body *body, ph_position *to, phx_target_word target)
{
    const uint64_t enters = (uint64_t)phx_target_word_leaves(target) - 1; /* all bits, or none */
    const char *from = (const char *)&body[phx_target_word_slot(target)];
    uint64_t xy;
    uint32_t z;
    memcpy(&xy, from, sizeof xy);
    memcpy(&z, from + sizeof xy, sizeof z);
    xy &= enters;
    z &= (uint32_t)enters;
    memcpy(to, &xy, sizeof xy);
    memcpy((char *)to + sizeof xy, &z, sizeof z);
}

/* Writes these targets, each at its own place. with_data, with_positions: constants where it is inlined. */
static inline __attribute__((always_inline)) void write_columns(const phx_store *store, phx_event_columns to,
                                                                const uint32_t *targets, uint32_t count,
                                                                const uint32_t *place, bool with_data,
                                                                bool with_positions)
{
    const phx_name *name = store->name; /* the columns may alias the fields */
    const phx_body *body = store->body;
    const uint64_t *user_data = with_data ? store->user_data : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const phx_target_word word = phx_target_word_at(targets, i);
        write_name(&to, place[i], name, user_data, word);
        if (with_positions) write_position(body, &to.positions[place[i]], word);
    }
}

/* Writes these targets; no branch within the loop, which costs 3 % of a crowd's tick. */
static void write_targets(const phx_store *store, const phx_event_columns *to, const uint32_t *targets, uint32_t count,
                          const uint32_t *place)
{
    if (store->user_data && to->positions) write_columns(store, *to, targets, count, place, true, true);
    else if (store->user_data) write_columns(store, *to, targets, count, place, true, false);
    else if (to->positions) write_columns(store, *to, targets, count, place, false, true);
    else write_columns(store, *to, targets, count, place, false, false);
}

/* The events of one change, whose names are written. */
typedef struct named_events {
    const phx_event_columns *to;
    uint32_t observer; /* slot */
    const uint32_t *targets, *place;
    uint32_t count;
} named_events;

/* Causes of leaves, where they may differ. Returns how many were looked up. */
static uint32_t write_leave_causes(const phx_cause_scope *scope, const phx_shard *shard, const named_events *of)
{
    const phx_cause_observer observer = phx_cause_observer_of(shard, of->observer);
    uint32_t leave[PHX_ORDER_SHORT_MAX], n = 0;
    for (uint32_t i = 0; i < of->count; i++) { /* no branch: it would be mispredicted */
        leave[n] = i;
        n += phx_target_word_leaves(phx_target_word_at(of->targets, i));
    }
    for (uint32_t l = 0; l < n; l++) {
        const uint32_t target = phx_target_word_slot(phx_target_word_at(of->targets, leave[l]));
        of->to->causes[of->place[leave[l]]] = (uint8_t)phx_cause_of_leave(scope, shard, &observer, target);
    }
    return n;
}

/* May leaves of own targets of this observer have another cause than range? */
static bool leaves_differ(const phx_cause_scope *scope, const phx_shard *shard, uint32_t observer)
{
    if (scope->hides && phx_causes_hide(scope, shard, observer)) return true;
    return (scope->traits & PHX_TRAIT_CAPS) && phx_causes_cut(shard, observer);
}

/* Corrects the causes of all leaves of observers with leaves of own targets that differ. */
static void correct_leaves(phx_event_writer *writer)
{
    enum { AHEAD = 8 };
    for (uint32_t c = 0, at = 0; c < writer->changes; at = writer->end[c++]) {
        const named_events of = {writer->to[c], writer->observer[c], writer->targets + at, writer->place + at,
                                 writer->end[c] - at};
        if (c + AHEAD < writer->changes) phx_causes_await(writer->scope, writer->shard, writer->observer[c + AHEAD], 1);
        if (leaves_differ(writer->scope, writer->shard, of.observer))
            writer->lookups += write_leave_causes(writer->scope, writer->shard, &of);
    }
}

/* Left a target that is no own one, as it left the world or the shard? */
static inline bool absent_left(const phx_body *body, phx_target_word word)
{
    const uint32_t leaves = phx_target_word_leaves(word), state = body[phx_target_word_slot(word)].state;
    return leaves > (state & PHX_SLOT_OWN); /* no branch: it would be mispredicted */
}

/*
 * Changes of which a target may have left the world or the shard, or have come into the world, in this tick, by number.
 * In a world of one shard all targets that stay are own ones, so the other changes have none.
 */
static inline uint32_t passing_changes(const phx_event_writer *writer)
{
    return writer->scope->several ? writer->changes : writer->passing_count;
}

static inline uint32_t passing_change(const phx_event_writer *writer, uint32_t p)
{
    return writer->scope->several ? p : writer->passing[p];
}

static inline uint32_t first_of_change(const phx_event_writer *writer, uint32_t change)
{
    return change > 0 ? writer->end[change - 1] : 0;
}

/* The cause of a leave of a target that is no own one. With no other shard it is gone. */
static ph_cause cause_of_absent(const phx_event_writer *writer, uint32_t change, uint32_t target)
{
    if (!writer->scope->several) return PH_CAUSE_GONE;
    const phx_cause_observer observer = phx_cause_observer_of(writer->shard, writer->observer[change]);
    return phx_cause_of_leave(writer->scope, writer->shard, &observer, target);
}

/* Corrects the causes of targets that left the world or the shard: few, so the observer is looked at for each. */
static void correct_absent(phx_event_writer *writer)
{
    const phx_body *body = writer->shard->store.body;
    const uint32_t changes = passing_changes(writer);
    for (uint32_t p = 0; p < changes; p++) {
        const uint32_t c = passing_change(writer, p);
        uint32_t absent[PHX_ORDER_SHORT_MAX], n = 0;
        for (uint32_t i = first_of_change(writer, c); i < writer->end[c]; i++) {
            absent[n] = i; /* no branch: it would be mispredicted */
            n += absent_left(body, phx_target_word_at(writer->targets, i));
        }
        if (n == 0 || leaves_differ(writer->scope, writer->shard, writer->observer[c])) continue; /* correct_leaves() */
        for (uint32_t a = 0; a < n; a++) {
            const uint32_t slot = phx_target_word_slot(phx_target_word_at(writer->targets, absent[a]));
            writer->to[c]->causes[writer->place[absent[a]]] = (uint8_t)cause_of_absent(writer, c, slot);
        }
        writer->lookups += n;
    }
}

/* Corrects the causes of enters of entities that came into the world in this tick, as names tell. */
static void correct_enters(phx_event_writer *writer)
{
    _Static_assert(PH_CAUSE_CAME == 0, "an enter's usual cause has no bit");
    const uint32_t before = writer->scope->incarnations_before, given = writer->scope->incarnations_given;
    const uint32_t changes = passing_changes(writer);
    const phx_name *name = writer->shard->store.name;
    for (uint32_t p = 0; p < changes; p++) {
        const uint32_t c = passing_change(writer, p);
        uint8_t *causes = writer->to[c]->causes;
        for (uint32_t i = first_of_change(writer, c); i < writer->end[c]; i++) {
            const phx_target_word word = phx_target_word_at(writer->targets, i);
            const uint32_t incarnation = name[phx_target_word_slot(word)].incarnation;
            const uint32_t appeared = phx_incarnation_since(incarnation, before, given);
            const uint32_t of_enter = appeared > phx_target_word_leaves(word); /* no branch, as above */
            causes[writer->place[i]] |= (uint8_t)(of_enter * PH_CAUSE_APPEARED);
        }
    }
}

/* Did all targets of the other changes stay in the shard, and were they in the world before? For PHX_VALIDATE. */
static __attribute__((unused)) bool others_stayed(const phx_event_writer *writer)
{
    const phx_cause_scope *scope = writer->scope;
    const phx_store *store = &writer->shard->store;
    for (uint32_t c = 0, p = 0; c < writer->changes; c++) {
        const bool passes = p < passing_changes(writer) && passing_change(writer, p) == c;
        p += passes;
        for (uint32_t i = first_of_change(writer, c); !passes && i < writer->end[c]; i++) {
            const phx_target_word word = phx_target_word_at(writer->targets, i);
            const uint32_t incarnation = store->name[phx_target_word_slot(word)].incarnation;
            if (absent_left(store->body, word)) return false;
            if (phx_incarnation_since(incarnation, scope->incarnations_before, scope->incarnations_given)) return false;
        }
    }
    return true;
}

/* Corrects the causes of events: as they are named, each has the usual one. */
static void correct_causes(phx_event_writer *writer)
{
    const phx_cause_scope *scope = writer->scope;
    if (scope->hides || (scope->traits & PHX_TRAIT_CAPS)) correct_leaves(writer);
    const bool absent = phx_causes_absent(scope, writer->shard), appeared = phx_causes_of_enters(scope);
    if (!absent && !appeared) return;
    PHX_VALIDATE(others_stayed(writer));
    if (absent) correct_absent(writer);
    if (appeared) correct_enters(writer);
}

/* Writes the events that wait, each at its place. */
static void write_events(phx_event_writer *writer)
{
    const phx_store *store = &writer->shard->store;
    if (!writer->mixed) {
        write_targets(store, writer->to[0], writer->targets, writer->count, writer->place);
    } else {
        for (uint32_t c = 0, at = 0; c < writer->changes; at = writer->end[c++])
            write_targets(store, writer->to[c], writer->targets + at, writer->end[c] - at, writer->place + at);
    }
    correct_causes(writer);
    writer->mixed = false;
    writer->count = writer->changes = writer->passing_count = 0;
}

/* Writes the leaves or the enters of an ordered change from a place on, a few at a time. */
static void write_ordered(phx_event_writer *writer, const phx_change *change, const phx_event_columns *to,
                          const uint32_t *slots, uint32_t count, bool leaves, uint32_t first)
{
    uint32_t at[PH_ATTACH_DEPTH_MAX + 1], words[PHX_ORDER_SHORT_MAX];
    phx_event_places_begin(writer, slots, count, leaves, first, at);
    for (uint32_t done = 0; done < count; done += writer->end[0]) {
        const uint32_t some = count - done < PHX_ORDER_SHORT_MAX ? count - done : PHX_ORDER_SHORT_MAX;
        for (uint32_t i = 0; i < some; i++) {
            words[i] = phx_target_word_of(slots[done + i], leaves).bits;
            writer->place[i] = first + done + i;
        }
        for (uint32_t i = 0; writer->depths && i < some; i++)
            writer->place[i] = at[phx_event_depth(writer, slots[done + i], leaves)]++;
        writer->targets = words;
        writer->to[0] = to;
        writer->observer[0] = change->slot;
        writer->count = writer->end[0] = some;
        writer->changes = 1;
        writer->passing[0] = 0;
        writer->passing_count = change->passes;
        write_events(writer);
    }
}

void phx_event_writer_flush(phx_event_writer *writer)
{
    if (writer->count == 0) return;
    phx_event_places_find(writer);
    write_events(writer);
}

void phx_event_writer_add(phx_event_writer *writer, const phx_scratch *scratch, const phx_change *change,
                          const phx_event_columns *to, uint32_t first)
{
    const uint32_t *from = scratch->targets + change->target_first, count = change->leave_count + change->enter_count;
    bool fits = writer->count + count <= PHX_ORDER_MOST && !change->ordered;
    if (writer->count > 0 && !(fits && from == writer->targets + writer->count)) phx_event_writer_flush(writer);
    if (change->ordered) {
        write_ordered(writer, change, to, from, change->leave_count, true, first);
        write_ordered(writer, change, to, from + change->leave_count, change->enter_count, false,
                      first + change->leave_count);
        return;
    }
    PHX_ASSERT(0 < count && count <= PHX_ORDER_SHORT_MAX);
    if (PHX_UNLIKELY(writer->scope->hides)) phx_causes_await(writer->scope, writer->shard, change->slot, 0);
    if (writer->count == 0) writer->targets = from;
    else writer->mixed |= to != writer->to[writer->changes - 1];
    writer->count += count;
    writer->to[writer->changes] = to;
    writer->observer[writer->changes] = change->slot;
    if (PHX_UNLIKELY(change->passes)) writer->passing[writer->passing_count++] = writer->changes;
    writer->first[writer->changes] = first;
    writer->end[writer->changes++] = writer->count;
}
