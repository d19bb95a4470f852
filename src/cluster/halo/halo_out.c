/*
 * Messages of a halo to the peers; see halo_out.h. One is written for each peer in each tick: to be heard is worth a
 * message.
 */
#include "cluster/halo/halo_out.h"

#include "cluster/halo/halo.h"
#include "cluster/halo/halo_far.h"
#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"

/* A message that is being written. */
typedef struct draft {
    phx_halo *halo;
    phx_halo_peer *peer;
    phx_halo_head head;
    phx_halo_send_fn send;
    void *user;
    uint64_t number; /* of the peer's messages of this tick */
    uint32_t pins;   /* places in the first message */
    uint32_t needs;  /* regions in it */
    bool is_short;   /* copies were left out for want of memory: the tick is not whole */
} draft;

/* Sends the message. Its pieces are put together: their lengths are known only now. */
static void send_draft(draft *out, bool last)
{
    phx_halo *halo = out->halo;
    phx_writer writer = phx_writer_of(halo->message, sizeof halo->message);
    writer.at += PHX_HALO_HEAD_BYTES;
    const bool more = out->head.part > 0; /* what is said once stands in the first one to the peer */
    out->head.last = last;
    out->head.gone = more ? 0 : halo->left_count;
    out->head.pins = more ? 0 : out->pins;
    out->head.needs = more ? 0 : out->needs;
    phx_write_bytes(&writer, halo->sets, (size_t)out->head.sets * PHX_HALO_SET_BYTES);
    phx_write_bytes(&writer, halo->copies, (size_t)out->head.copies * PHX_HALO_COPY_BYTES);
    phx_write_bytes(&writer, halo->forwards, (size_t)out->head.forwards * PHX_HALO_FORWARD_BYTES);
    PHX_ASSERT(out->head.gone <= PHX_HALO_LEFT_MAX && out->head.pins <= PHX_HALO_PINS_MAX);
    for (uint32_t i = 0; i < out->head.gone; i++, writer.at += PHX_HALO_GONE_BYTES)
        phx_halo_put_gone(writer.at, halo->left[i].gone);
    if (!more) phx_halo_put_pins(halo, out->head.pins_since, &writer);
    for (uint32_t i = 0, region = 0; i < out->head.needs; i++, region++)
        phx_write_number(&writer, 4, region = phx_region_set_next(&halo->needs, region));
    PHX_ASSERT(!writer.failed);
    const size_t bytes = phx_halo_seal(halo->message, &out->head);
    out->send(out->user, out->head.target, halo->message, bytes);
    halo->counts.bytes_out += bytes;
    out->peer->bytes_out += bytes;
    halo->counts.copies_out += out->head.copies;
    out->peer->copies_out += out->head.copies;
    out->peer->messages_out++;
    out->head.sets = out->head.copies = out->head.forwards = 0;
    out->head.part++;
}

/* The place of the attributes among the sets: mostly one of the last ones. */
static uint32_t set_of(draft *out, const ph_attrs *attrs)
{
    enum { LOOKED_AT = 64 };
    unsigned char *sets = out->halo->sets, *next = sets + (size_t)out->head.sets * PHX_HALO_SET_BYTES;
    phx_halo_put_set(next, attrs);
    for (uint32_t i = out->head.sets, n = 0; i-- > 0 && n < LOOKED_AT; n++)
        if (memcmp(sets + (size_t)i * PHX_HALO_SET_BYTES, next, PHX_HALO_SET_BYTES) == 0) return i;
    return out->head.sets++;
}

/* Makes room for one more copy, and a forward with it. */
static void make_room(draft *out)
{
    const bool more = out->head.part > 0;
    const phx_halo_head after = {.sets = out->head.sets + 1,
                                 .copies = out->head.copies + 1,
                                 .forwards = out->head.forwards + 1,
                                 .gone = more ? 0 : out->halo->left_count,
                                 .pins = more ? 0 : out->pins,
                                 .needs = more ? 0 : out->needs};
    if (phx_halo_bytes(&after) > PHX_WIRE_BYTES_MAX || after.forwards > PHX_HALO_FORWARDS_MAX) send_draft(out, false);
}

/* The copy that is written next is its source's. */
static void add_forward(draft *out, const phx_halo_remote *remote)
{
    const phx_halo_forward forward = {.copy = out->head.copies, .source = remote->source, .tick = remote->tick};
    phx_halo_put_forward(out->halo->forwards + (size_t)out->head.forwards++ * PHX_HALO_FORWARD_BYTES, &forward);
}

/* Does the node of an entity that was given away to it need no copy? It has it, by its own word or by its ack. */
static bool is_there(const draft *out, const phx_halo_entity *entity)
{
    const phx_halo_remote *remote = phx_halo_remote_of(out->halo, entity);
    return remote->source == out->head.target && (remote->heard || !phx_halo_is_sending(out->halo, entity->id));
}

/* What stands in the world under its id may be an own one before it: not every tick takes all commands. */
static bool is_of_another(const phx_halo_entity *entity)
{
    return entity->own && entity->arrives && !entity->copied;
}

/* Adds an entity that is own, or was and is copied still, once. */
static void add_copy(draft *out, uint64_t id)
{
    phx_halo *halo = out->halo;
    phx_halo_entity *entity = phx_halo_find(halo, id);
    phx_halo_copy copy = {.id = id};
    halo->counts.looks++;
    if (!entity || entity->written == out->number) return;
    if (!entity->own && (!phx_halo_passes(halo, entity) || is_there(out, entity))) return;
    if (is_of_another(entity)) return;
    if (ph_entity_get(halo->def.world, id, &copy.attrs) != PH_OK) return; /* it enters in the next tick */
    make_room(out);
    entity->written = out->number;
    copy.stay = entity->stay;
    copy.turn = entity->turn;
    const phx_halo_remote *remote = entity->own ? NULL : phx_halo_remote_of(halo, entity);
    const bool is_forwarded = remote && remote->heard && phx_node_hears(halo->def.node, remote->source);
    copy.sending = remote && !is_forwarded; /* also of a node that was put out: its word counts nowhere any more */
    if (is_forwarded) add_forward(out, remote);
    const uint32_t set = set_of(out, &copy.attrs);
    phx_halo_put_copy(halo->copies + (size_t)out->head.copies++ * PHX_HALO_COPY_BYTES, &copy, set);
}

/* Without memory they are in the next message. */
static void add_near(draft *out, phx_region_rect rect)
{
    const phx_halo *halo = out->halo;
    if (!phx_halo_search(out->halo, rect, halo->def.width)) {
        out->is_short = true;
        return;
    }
    for (uint32_t i = 0; i < halo->hit_count; i++) add_copy(out, halo->hits[i].id);
}

/*
 * Notes whether all other nodes have written to this one by a map with the regions and members of its own one; and
 * which map all have settled in. A message by a later map proves nothing: its writer may have got two maps at once, and
 * have copied nothing near regions that this node has in the first one alone. A node that is silent for so long that
 * its copies have left is waited for in neither: hosts are told that it is late. @return the map that all have settled
 * in
 */
static uint32_t note_maps(phx_halo *halo)
{
    const phx_node *node = halo->def.node;
    const uint32_t version = node->map.version, moved = node->map.moved;
    uint32_t settled = halo->settled_version;
    bool all = true;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        if (node->peers[i].out || node->peers[i].member.gateway) continue;
        phx_halo_peer *peer = phx_halo_peer_of(halo, node->peers[i].member.registration);
        if (peer && halo->now - peer->heard_tick > halo->def.quiet_ticks) continue;
        if (peer && peer->whole_version >= moved && peer->whole_version <= version) peer->met_version = version;
        all &= peer && peer->met_version >= moved;
        if (!peer || peer->settled_version < settled) settled = peer ? peer->settled_version : 0;
    }
    if (all) halo->heard_version = moved;
    return settled;
}

/* What the messages of a tick have in common. */
typedef struct common_part {
    phx_halo_head head;
    uint32_t settled; /* the map that all nodes have settled in */
    phx_region_set reached;
    uint32_t needs;
    phx_halo_send_fn send;
    void *user;
} common_part;

static common_part begin_messages(phx_halo *halo, phx_halo_send_fn send, void *user)
{
    const phx_node *node = halo->def.node;
    phx_halo_read_map(halo);
    const phx_region_set reached = phx_halo_reached(halo);
    const uint32_t settled = note_maps(halo);
    return (common_part){.head = {.source = node->def.member.registration,
                                  .version = node->map.version,
                                  .heard_version = halo->heard_version,
                                  .settled_version = halo->settled_version,
                                  .tick = halo->now},
                         .settled = settled,
                         .reached = reached,
                         .needs = phx_region_set_count(&halo->needs),
                         .send = send,
                         .user = user};
}

/*
 * Near which regions the peer gets copies: its own, and the ones in which it has entities still. As long as it writes
 * by an older map than ours it may have entities in any region that it had, and as long as an entity is on its way by
 * an older one it may get some there: none is taken from it. Nor while it is late: a need that it told may be lost.
 */
static void choose_regions(phx_halo *halo, phx_halo_peer *peer, uint16_t number, uint32_t settled)
{
    const uint32_t moved = halo->def.node->map.moved;
    const bool is_in_time = phx_halo_lag(halo, peer) < halo->def.passed_ticks;
    if (peer->version >= moved && settled >= moved && is_in_time) peer->copied = (phx_region_set){0};
    phx_region_set_add_all(&peer->copied, &peer->needs);
    phx_region_set_add_all(&peer->copied, phx_halo_regions_of(halo, peer, number));
}

static void write_to(phx_halo *halo, const phx_peer *to, const common_part *all)
{
    phx_region_rect rect;
    draft out = {.halo = halo,
                 .head = all->head,
                 .send = all->send,
                 .user = all->user,
                 .number = ++halo->messages,
                 .needs = all->needs,
                 .is_short = halo->is_short};
    phx_halo_peer *peer = phx_halo_peer_of(halo, to->member.registration);
    if (!peer) return; /* no memory: it hears in the next tick */
    out.peer = peer;
    out.head.format = phx_node_format(halo->def.node, to);
    out.head.target = to->member.registration;
    out.head.echo = peer->newest;
    out.head.pins_echo = peer->pins_tick;
    out.head.pins_since = peer->pins_echo;
    out.pins = phx_halo_count_pins(halo, peer->pins_echo);
    choose_regions(halo, peer, to->member.number, all->settled);
    phx_region_set searched = peer->copied;
    phx_region_set_keep_all(&searched, &all->reached);
    while (phx_region_set_take(&searched, &halo->def.grid, &rect)) add_near(&out, rect);
    for (uint32_t i = 0; i < peer->pin_count; i++)
        if (peer->pins[i] != 0) add_copy(&out, peer->pins[i]);
    for (uint32_t i = 0; i < halo->far.count; i++) add_copy(&out, halo->far.items[i]);
    send_draft(&out, !out.is_short);
}

/* ---- all ---- */

void phx_halo_write(phx_halo *halo, phx_halo_send_fn send, void *user)
{
    const phx_node *node = halo->def.node;
    if (!phx_node_may_act(node)) return;
    const common_part all = begin_messages(halo, send, user);
    phx_halo_find_far(halo);
    for (uint32_t i = 0; i < node->peer_count; i++)
        if (!node->peers[i].out && !node->peers[i].member.gateway) write_to(halo, &node->peers[i], &all);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < halo->left_count; i++)
        if (--halo->left[i].repeats > 0) halo->left[kept++] = halo->left[i];
    halo->left_count = kept;
    halo->pins_written = halo->now;
    halo->is_short = false;
}
