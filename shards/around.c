/*
 * Slots near a place; see around.h.
 */
#include "shards/around.h"

#include "shards/near.h"

/* Rows may have drifted out of their towers, as far as that; with slack for roundings, as in phx_box_around(). */
static phx_box widened(phx_box box, float drift)
{
    if (drift == 0.0f) return box;
    float by = drift + drift * 1e-6f;
    return (phx_box){box.x0 - by - (fabsf(box.x0) + by) * 3e-7f, box.y0 - by - (fabsf(box.y0) + by) * 3e-7f,
                     box.x1 + by + (fabsf(box.x1) + by) * 3e-7f, box.y1 + by + (fabsf(box.y1) + by) * 3e-7f};
}

/*
 * A square that has the box: as wide as the float32 difference from the middle to the farther end, and rounding keeps
 * order, so who is between the ends is no farther from the middle.
 */
static phx_area square_of(phx_box box)
{
    float x = box.x0 * 0.5f + box.x1 * 0.5f, y = box.y0 * 0.5f + box.y1 * 0.5f;
    float rx = fmaxf(x - box.x0, box.x1 - x), ry = fmaxf(y - box.y0, box.y1 - y);
    bool bounded = fabsf(x) <= FLT_MAX && fabsf(y) <= FLT_MAX; /* else an end is infinite */
    return bounded ? (phx_area){x, y, fmaxf(rx, ry), true} : (phx_area){0.0f, 0.0f, INFINITY, true};
}

static void rows_around(const phx_shard *shard, phx_box box, phx_sink *sink)
{
    phx_near near;
    phx_rect rect = phx_box_towers(shard->rules, widened(box, shard->grid.drift));
    phx_near_open(&near, shard->kernels, &shard->grid, rect, square_of(box), false);
    for (uint32_t n; phx_near_next(&near, &n);) {
        for (uint32_t i = 0; i < n; i++) near.hits[i] &= PHX_ROW_SLOT;
        if (n > 0) sink->take(sink, near.hits, n);
    }
    sink->visited += near.ranges;
}

static void cards_around(const phx_shard *shard, phx_box box, phx_sink *sink)
{
    enum { PIECE = 256 };
    uint32_t slots[PIECE], n = 0;
    phx_rect rect = phx_box_towers(shard->rules, box);
    phx_crowd_walk walk = phx_nine_walk(&shard->nine, rect);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        for (uint64_t left = phx_crowd_mask(crowd, rect); left; left &= left - 1) {
            const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
            sink->visited++;
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_card *card = &shard->nine.cards[i];
                if (card->flags & PHX_CARD_WENT) continue;
                slots[n++] = card->slot;
                if (n < PIECE) continue;
                sink->take(sink, slots, n);
                n = 0;
            }
        }
    }
    if (n > 0) sink->take(sink, slots, n);
}

void phx_shard_around(const phx_shard *shard, phx_box box, phx_sink *sink)
{
    if (phx_shard_nine(shard)) cards_around(shard, box, sink);
    else rows_around(shard, box, sink);
}
