/*
 * The record of an entity; see entity_record.h.
 */
#include "shards/exchange/entity_record.h"

void phx_shard_fill_entity(const phx_shard *shard, uint32_t slot, phx_record_type type, phx_record *record)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    record->id = store->name[slot].id;
    record->type = (uint8_t)type;
    record->source = (uint16_t)shard->number;
    phx_entity_record *entity = &record->as.entity;
    entity->user_data = phx_store_user_data(store, slot);
    entity->attr = *phx_store_attr(store, slot);
    entity->x = body->x;
    entity->y = body->y;
    entity->z = body->z;
    entity->incarnation = store->name[slot].incarnation;
    if (type == PHX_RECORD_COPY) return;
    entity->fresh = store->name[slot].fresh;
    entity->owed = store->tail[slot].list.owed && entity->attr.ready;
}
