/*
 * Messages of peers, and the copies in them; see halo_in.h.
 */
#include "cluster/halo/halo_in.h"

#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"

/* ---- copies ---- */

static bool same_place(const ph_attrs *a, const ph_attrs *b)
{
    const float one[] = {a->x, a->y, a->z}, other[] = {b->x, b->y, b->z};
    return memcmp(one, other, sizeof one) == 0;
}

static bool same_attrs(const ph_attrs *a, const ph_attrs *b)
{
    unsigned char one[PHX_HALO_SET_BYTES], other[PHX_HALO_SET_BYTES];
    phx_halo_put_set(one, a);
    phx_halo_put_set(other, b);
    return a->user_data == b->user_data && memcmp(one, other, sizeof one) == 0;
}

/* Submits a change of a copy. false: not taken. */
static bool follow_copy(phx_halo *halo, const phx_halo_entity *entity, const phx_halo_copy *copy)
{
    const ph_attrs *to = &copy->attrs, *from = &phx_halo_remote_of(halo, entity)->attrs;
    if (!same_attrs(from, to)) return phx_halo_note_taken(halo, ph_set(halo->def.producer, copy->id, to));
    return same_place(from, to) ||
           phx_halo_note_taken(halo, ph_move(halo->def.producer, copy->id, to->x, to->y, to->z));
}

/* Another node tells of an own entity as its own. */
static void hear_double(phx_halo *halo, const phx_halo_head *head, const phx_holding *own)
{
    const phx_double_id copy = {.id = own->id, .source = head->source, .ownership = own->ownership, .tick = head->tick};
    phx_double_ids_hear(&halo->double_ids, &copy, halo->now);
}

/* It is repeated, though it stands here as it was. */
static void note_repeated(const phx_halo *halo, phx_halo_entity *entity, uint64_t tick)
{
    phx_halo_remote_of(halo, entity)->tick = tick;
    entity->heard_tick = halo->now;
}

/*
 * Can the source, heard so long ago, not have come to that tick? It may be forged, and all true ones behind it would be
 * late.
 */
static bool is_ahead(const phx_halo *halo, const phx_halo_peer *peer, uint64_t tick)
{
    enum { TICKS_A_TICK = 16, TICKS_AT_ONCE = 256 }; /* of the source: it may be behind, and make up for it */
    const uint64_t silent = halo->now - peer->heard_tick;
    return tick > peer->newest && tick - peer->newest > TICKS_AT_ONCE + silent * TICKS_A_TICK;
}

/* Where a copy of a message comes from: its writer, or the node that the writer forwards it of. */
typedef struct origin {
    uint64_t source, tick;
    uint64_t writer, echo; /* echo: the newest own tick that the writer had heard */
} origin;

static bool is_forwarded(const origin *from)
{
    return from->source != from->writer;
}

/* Is a forwarded copy newer than all words of its node? Else these count, also where they have the entity no more. */
static bool is_news(const phx_halo *halo, const origin *from)
{
    const phx_node *node = halo->def.node;
    if (!phx_node_hears(node, from->source) || !phx_node_peer(node, from->source)) return false;
    const phx_halo_peer *peer = phx_halo_peer_find(halo, from->source);
    return !peer || peer->newest == 0 || (peer->whole < from->tick && !is_ahead(halo, peer, from->tick));
}

/*
 * Has its stay ended? A node that has given it away does not know so yet, and words of a former owner are late. But one
 * that has heard of the tick of its end may have taken it back from a dead node.
 */
static bool is_over(const phx_halo *halo, const phx_halo_copy *copy, const origin *from)
{
    const phx_ended_stay *ended = phx_ended_stays_find(&halo->ended, copy->id, copy->stay);
    return ended && (copy->sending || is_forwarded(from) || from->echo <= ended->since);
}

/*
 * Is a copy of another stay older than the one here, as far as is known? The one counts that was heard last, but for
 *  - words from before this node had given away the one here: their writer has not heard of that tick;
 *  - words of a node that has given the other one away, or of one whose place was taken here: a late node's. A host
 *    that enters an id twice has both of them.
 */
static bool is_earlier_stay(const phx_halo *halo, const phx_halo_entity *entity, const phx_halo_copy *copy,
                            const origin *from)
{
    const phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    if (from->echo < remote->given) return true;
    if (remote->source == from->source) return from->tick < remote->tick;
    if (phx_holdings_find(&halo->def.node->holdings, copy->id)) return true;
    if (is_forwarded(from)) return remote->source != from->writer;
    return (copy->sending || copy->stay == remote->replaced) && phx_halo_is_repeated(halo, entity);
}

/* Is the copy older than the one here? In one stay turns decide, and in one turn the ticks of its node. */
static bool is_older(const phx_halo *halo, const phx_halo_entity *entity, const phx_halo_copy *copy, const origin *from)
{
    const phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    const uint8_t turns = (uint8_t)(copy->turn - entity->turn); /* they begin anew after 256 */
    if (copy->stay != entity->stay) return is_earlier_stay(halo, entity, copy, from);
    if (turns != 0) return turns > INT8_MAX;
    return remote->source == from->source && from->tick < remote->tick;
}

/* The stay that a copy takes the place of, or took it of before. A node that is not its owner does not know. */
static uint32_t replaced_by(const phx_halo *halo, const phx_halo_entity *entity, const phx_halo_copy *copy,
                            const origin *from)
{
    if (!entity || copy->sending || is_forwarded(from)) return copy->stay;
    return entity->stay == copy->stay ? phx_halo_remote_of(halo, entity)->replaced : entity->stay;
}

/* For a copy that is not here, or of another stay, which leaves. false: not now. */
static bool make_place(phx_halo *halo, uint64_t id)
{
    if (!phx_halo_reserve_copies(halo, 1)) {
        halo->counts.no_memory++;
        return false;
    }
    const phx_halo_entity *other = phx_halo_find(halo, id);
    if (!other) return true;
    if (!phx_halo_note_taken(halo, ph_leave(halo->def.producer, id))) return false;
    phx_halo_remove(halo, other);
    return true;
}

/*
 * Counts a move that is longer than the host has said: copies of it came too late, as the width has room for no faster
 * one. Of ticks between, as messages may be lost. A teleport within a stay is such a move, too.
 */
static void check_speed(phx_halo *halo, const phx_halo_entity *entity, const phx_halo_copy *copy, const origin *from)
{
    const double ROUNDED = 1.001; /* of places and steps in float32 */
    const phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    if (!remote->heard || remote->source != from->source || from->tick <= remote->tick) return;
    const double x = (double)copy->attrs.x - (double)remote->attrs.x,
                 y = (double)copy->attrs.y - (double)remote->attrs.y;
    const double most = (double)halo->def.speed_max * (double)(from->tick - remote->tick) * ROUNDED;
    halo->counts.raced += x * x + y * y > most * most;
}

/* false: there was no room for it or for a command, so what stands here is older than the copy. */
static bool take_copy(phx_halo *halo, phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_copy *copy,
                      const origin *from)
{
    const phx_holding *holding = phx_holdings_find(&halo->def.node->holdings, copy->id);
    phx_halo_entity *entity = phx_halo_find(halo, copy->id);
    if ((holding && !holding->sending) || (entity && entity->own)) {
        if (holding && !copy->sending && !is_forwarded(from)) hear_double(halo, head, holding);
        return true;
    }
    if (is_forwarded(from) && !is_news(halo, from)) return true;
    if (is_over(halo, copy, from)) {
        phx_halo_note_ended(halo, copy->id, copy->stay); /* as long as such words come */
        return true;
    }
    if (entity && is_older(halo, entity, copy, from)) return true;
    if (!entity && halo->keeps_places) { /* one of another stay takes the place of the one that is here */
        phx_halo_leave_out(halo, from->source);
        return true;
    }
    const uint32_t replaced = replaced_by(halo, entity, copy, from);
    if (!entity || entity->stay != copy->stay) {
        if (!make_place(halo, copy->id)) return false;
        entity = NULL;
    }
    if (entity) check_speed(halo, entity, copy, from);
    if (entity && !follow_copy(halo, entity, copy)) {
        if (phx_halo_remote_of(halo, entity)->source == from->source) note_repeated(halo, entity, from->tick);
        return false;
    }
    if (!entity && !phx_halo_note_taken(halo, ph_enter(halo->def.producer, copy->id, &copy->attrs))) return false;
    if (!entity) entity = phx_halo_add_entered(halo, (phx_halo_entity){.id = copy->id, .stay = copy->stay});
    phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    remote->source = from->source;
    remote->replaced = replaced;
    remote->heard = true;
    remote->attrs = copy->attrs;
    entity->turn = copy->turn;
    note_repeated(halo, entity, from->tick);
    halo->counts.copies_in++;
    peer->copies_in++;
    return true;
}

/* A copy that another node told of leaves as well: that one has given the entity away. */
static bool take_gone(phx_halo *halo, phx_halo_gone gone)
{
    const phx_halo_entity *entity = phx_halo_find(halo, gone.id);
    phx_halo_note_ended(halo, gone.id, gone.stay);
    if (!entity || entity->own || entity->stay != gone.stay) return true;
    return phx_halo_drop_copy(halo, entity);
}

/* ---- messages ---- */

/* false: some were not taken. */
static bool take_entities(phx_halo *halo, phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_parts *parts)
{
    bool all = true;
    for (uint32_t i = 0, forwards = 0; i < head->copies; i++) {
        const phx_halo_copy copy = phx_halo_copy_at(parts, i);
        origin from = {.source = head->source, .tick = head->tick, .writer = head->source, .echo = head->echo};
        if (forwards < head->forwards && phx_halo_forward_at(parts, forwards).copy == i) {
            const phx_halo_forward forward = phx_halo_forward_at(parts, forwards++);
            from.source = forward.source;
            from.tick = forward.tick;
        }
        all &= take_copy(halo, peer, head, &copy, &from);
    }
    for (uint32_t i = 0; i < head->gone; i++) all &= take_gone(halo, phx_halo_gone_at(parts, i));
    return all;
}

static void take_needs(phx_halo_peer *peer, const phx_halo_head *head, const phx_halo_parts *parts)
{
    peer->needs = (phx_region_set){0};
    peer->version = head->version;
    peer->heard_version = head->heard_version;
    peer->settled_version = head->settled_version;
    for (uint32_t i = 0; i < head->needs; i++) phx_region_set_add(&peer->needs, phx_halo_need_at(parts, i));
}

/*
 * Is a message of that tick to be taken? None is that the source can not have come to since it was heard. But a source
 * that was silent for so long that its copies have left begins anew, with whatever tick.
 */
static bool is_due(phx_halo *halo, phx_halo_peer *peer, uint64_t tick)
{
    if (peer->newest == 0 || tick == peer->newest) return true;
    if (halo->now - peer->heard_tick > halo->def.quiet_ticks) {
        peer->newest = peer->whole = peer->pins_tick = 0;
        return true;
    }
    const bool is_late = tick < peer->newest, is_forged = is_ahead(halo, peer, tick);
    halo->counts.late += is_late;
    halo->counts.ahead += is_forged;
    return !is_late && !is_forged;
}

/*
 * Notes the tick, and which own tick the source had heard, once all its messages of that tick have come, in their
 * order, and all in them was taken.
 */
static void take_tick(phx_halo_peer *peer, const phx_halo_head *head, bool all)
{
    if (head->part != peer->parts || !all) return;
    peer->parts++;
    if (!head->last) return;
    peer->whole = head->tick;
    peer->whole_version = head->version;
    if (head->echo != 0) peer->echoed = head->echo;
}

void phx_halo_receive(phx_halo *halo, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    const phx_node *node = halo->def.node;
    const phx_wire_flaw flaw = phx_halo_open(&head, &parts, node->def.formats, bytes, size);
    if (flaw != PHX_WIRE_GOOD) halo->counts.flawed[flaw]++;
    else if (head.target != node->def.member.registration) halo->counts.misdirected++;
    else if (!phx_node_hears(node, head.source) || !phx_node_peer(node, head.source)) halo->counts.fenced++;
    else {
        phx_halo_peer *peer = phx_halo_peer_of(halo, head.source);
        halo->counts.unplaced += !peer;
        halo->counts.ahead += peer && head.echo > halo->now;
        if (!peer || head.echo > halo->now || !is_due(halo, peer, head.tick)) return;
        if (head.tick > peer->newest) peer->parts = 0;
        peer->newest = head.tick;
        peer->heard_tick = halo->now;
        peer->pins_echo = head.pins_echo;
        peer->messages_in++;
        peer->bytes_in += size;
        halo->counts.bytes_in += size;
        take_tick(peer, &head, take_entities(halo, peer, &head, &parts));
        if (head.part > 0) return;
        phx_halo_take_pins(halo, peer, &head, &parts);
        take_needs(peer, &head, &parts);
    }
}
