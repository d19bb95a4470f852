/*
 * Broadcasts over a halo; see halo_say.h.
 */
#include "cluster/halo/halo_say.h"

#include "base/lengths.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"

/* ---- out ---- */

/*
 * Is a region that the peer gets copies near of within that distance of the place, along both axes? Looks at these
 * regions alone: of 4,096 regions a peer has few.
 */
static bool is_near(const phx_halo *halo, const phx_halo_peer *peer, const phx_say *say, float distance)
{
    float d[2];
    for (uint32_t word = 0; word < sizeof peer->copied.words / sizeof *peer->copied.words; word++) {
        for (uint64_t bits = peer->copied.words[word]; bits != 0; bits &= bits - 1) {
            const uint32_t region = word * 64 + (uint32_t)__builtin_ctzll(bits);
            phx_halo_distance(&halo->def.grid, region, say->x, say->y, d);
            if (d[0] <= distance && d[1] <= distance) return true;
        }
    }
    return false;
}

bool phx_halo_says_to(const phx_halo *halo, const phx_peer *peer, const phx_say *say)
{
    const phx_halo_peer *of = phx_halo_peer_find(halo, peer->member.registration);
    if (peer->out || peer->member.gateway || !of) return false;
    const bool is_ranged = say->source == 0 || (phx_is_long(say->radius) && !(say->flags & PH_BROADCAST_SEEN));
    if (is_near(halo, of, say, halo->def.width + (is_ranged ? say->radius : 0.0f))) return true;
    const phx_halo_entity *entity = say->source != 0 && !is_ranged ? phx_halo_find(halo, say->source) : NULL;
    if (!entity) return false;
    /* One that has come is far before its first look, which is behind this round's broadcasts. */
    return entity->far || entity->far_ticks > 0 || phx_halo_pins_have(of, say->source);
}

/* ---- in ---- */

static ph_status say_here(const phx_halo *halo, const phx_say *say, const uint32_t *kinds)
{
    const ph_broadcast_options options = {
        .kinds = kinds, .kind_count = say->kind_count, .flags = say->flags, .radius = say->radius};
    return ph_broadcast(halo->def.producer, say->source, say->payload, say->bytes, &options);
}

static ph_status say_at_place(const phx_halo *halo, const phx_say *say, const uint32_t *kinds)
{
    const ph_broadcast_place place = {.x = say->x,
                                      .y = say->y,
                                      .radius = say->radius,
                                      .kinds = kinds,
                                      .kind_count = say->kind_count,
                                      .layers = say->layers,
                                      .instance = say->instance};
    return ph_broadcast_at(halo->def.producer, &place, say->payload, say->bytes);
}

ph_status phx_halo_hear(phx_halo *halo, const phx_say *say)
{
    uint32_t kinds[PH_BROADCAST_KINDS_MAX];
    const phx_halo_entity *entity = say->source != 0 ? phx_halo_find(halo, say->source) : NULL;
    phx_halo_remote *remote = entity && !entity->own ? phx_halo_remote_of(halo, entity) : NULL;
    const bool is_ranged = phx_is_long(say->radius) && !(say->flags & PH_BROADCAST_SEEN);
    for (uint32_t i = 0; i < say->kind_count; i++) kinds[i] = phx_say_kind_at(say, i);
    if (say->source == 0 || (!entity && is_ranged)) return say_at_place(halo, say, kinds);
    if (!remote || say->ownership < remote->said) {
        halo->counts.says_lost++;
        return PH_UNKNOWN_ID;
    }
    const ph_status status = say_here(halo, say, kinds);
    if (status == PH_OK) remote->said = say->ownership;
    return status;
}
