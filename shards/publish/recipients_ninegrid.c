/*
 * Recipients by cell entries; see recipients_ninegrid.h.
 */
#include "shards/publish/recipients_ninegrid.h"

/* ---- block messages ---- */

static bool add_cell_blocks(phx_addressed *addressed, const phx_shard *shard, const phx_address_towers *to,
                            phx_block_message block_message)
{
    const phx_ninegrid *ninegrid = &shard->ninegrid;
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, to->instance, to->rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        block_message.block = (uint32_t)(cell_block - ninegrid->cell_blocks);
        if (!phx_recipients_add_block(addressed, to, cell_block->bx, cell_block->by, block_message)) return false;
    }
    return true;
}

bool phx_ninegrid_address_viewers(phx_addressed *addressed, const phx_shard *shard,
                                  const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->slot),
                                   .rect = phx_recipients_rect(shard, block_message->slot)};
    return add_cell_blocks(addressed, shard, &to, *block_message);
}

bool phx_ninegrid_address_observer(phx_addressed *addressed, const phx_shard *shard,
                                   const phx_block_message *block_message)
{
    const phx_body *body = &shard->store.body[block_message->observer];
    const phx_address_towers to = {.instance = phx_store_instance(&shard->store, block_message->observer),
                                   .rect = {body->tx, body->ty, body->tx, body->ty},
                                   .done = phx_recipients_rect(shard, block_message->slot),
                                   .any_done = true};
    return add_cell_blocks(addressed, shard, &to, *block_message);
}

bool phx_ninegrid_address_box(phx_addressed *addressed, const phx_shard *shard, uint32_t instance, phx_box box,
                              const phx_block_message *block_message)
{
    const phx_address_towers to = {.instance = instance, .rect = phx_box_towers(shard->rules, box)};
    return add_cell_blocks(addressed, shard, &to, *block_message);
}

/* ---- observer batches ---- */

uint32_t phx_ninegrid_blocks(const phx_shard *shard)
{
    return shard->ninegrid.cell_block_count;
}

uint32_t phx_ninegrid_block_places(const phx_shard *shard, uint32_t block)
{
    return shard->ninegrid.cell_blocks[block].entries;
}

/*
 * The towers of a cell block, one behind the other, cut to the batch: cell entries [first, end), the first at this
 * place.
 */
typedef struct part {
    const phx_cell_entry *first, *end;
    uint32_t batch_place;
} part;

static part part_of(const phx_shard *shard, const phx_observer_batch *batch, const phx_tower *tower, uint32_t place)
{
    const phx_cell_entry *entries = shard->ninegrid.entries + tower->first;
    uint32_t lo = batch->first > place ? batch->first - place : 0, hi = tower->count;
    uint32_t end = batch->first + batch->count;
    if (place + hi > end) hi = end > place ? end - place : 0;
    if (lo >= hi) return (part){entries, entries, 0};
    return (part){entries + lo, entries + hi, place + lo - batch->first};
}

void phx_ninegrid_fill_batch(const phx_shard *shard, phx_observer_batch *batch)
{
    const phx_cell_block *cell_block = &shard->ninegrid.cell_blocks[batch->block];
    uint32_t place = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += cell_block->tower[t++].count) {
        part entries = part_of(shard, batch, &cell_block->tower[t], place);
        if (entries.first < entries.end) batch->towers |= 1ull << t;
        for (const phx_cell_entry *entry = entries.first; entry < entries.end; entry++) {
            bool observes = entry->observer_kind != PHX_OBSERVER_KIND_NONE && !(entry->flags & PHX_CELL_LEFT);
            batch->slot[entries.batch_place++] = observes ? entry->slot : PHX_SLOT_NONE;
        }
    }
}

uint32_t phx_ninegrid_place_of(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message)
{
    (void)shard;
    return phx_recipients_find(batch, block_message->observer, 0);
}

/* ---- filter ---- */

static uint32_t filter_entries_by_range(const phx_shard *shard, const phx_observer_batch *batch,
                                        const phx_block_message *block_message, const phx_broadcast_range *range,
                                        bool self, uint32_t *out)
{
    const phx_cell_block *cell_block = &shard->ninegrid.cell_blocks[batch->block];
    uint32_t place = 0, n = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += cell_block->tower[t++].count) {
        if (!(block_message->towers >> t & 1)) continue;
        part entries = part_of(shard, batch, &cell_block->tower[t], place);
        for (const phx_cell_entry *entry = entries.first; entry < entries.end; entry++, entries.batch_place++) {
            uint32_t observer = batch->slot[entries.batch_place];
            if (observer == PHX_SLOT_NONE) continue;
            if (phx_broadcast_range_reaches(shard, range, block_message->slot, self, observer))
                out[n++] = entries.batch_place;
        }
    }
    return n;
}

static uint32_t filter_entries(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, bool self, uint32_t *out)
{
    const phx_cell_block *cell_block = &shard->ninegrid.cell_blocks[batch->block];
    bool special = shard->store.body[block_message->slot].state & PHX_SLOT_SPECIAL;
    phx_place_set others = {0};
    uint32_t place = 0, n = 0;
    for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; place += cell_block->tower[t++].count) {
        if (!(block_message->towers >> t & 1)) continue;
        part entries = part_of(shard, batch, &cell_block->tower[t], place);
        for (const phx_cell_entry *entry = entries.first; entry < entries.end; entry++, entries.batch_place++) {
            if (batch->slot[entries.batch_place] == PHX_SLOT_NONE) continue;
            bool plain =
                !special && entry->observer_kind != PHX_OBSERVER_KIND_EVALUATED && entry->slot != block_message->slot;
            if (plain) out[n++] = entries.batch_place; /* it is in the block message's towers */
            else phx_place_set_add(&others, entries.batch_place);
        }
    }
    return n + phx_recipients_filter_places(shard, batch, block_message, &others, self, out + n);
}

uint32_t phx_ninegrid_filter_batch(const phx_shard *shard, const phx_observer_batch *batch,
                                   const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                                   uint32_t *out)
{
    return range ? filter_entries_by_range(shard, batch, block_message, range, self, out)
                 : filter_entries(shard, batch, block_message, self, out);
}
