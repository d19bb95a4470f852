/*
 * The common definition; see definition.h. Numbers are of one byte order, as worlds of all members are.
 */
#include "cluster/member/definition.h"

#include "base/key_table.h"
#include "base/sum.h"

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;

/* How a process does its work, and how much it has room for: no list follows from these. */
static const char *const own_keys[] = {"shards",         "workers",           "share_min",      "index",
                                       "cell_size",      "quadtree_capacity", "quadtree_depth", "simd",
                                       "events_max",     "entities_max",      "areas_max",      "producers_max",
                                       "producer_bytes", "broadcast_bytes",   "refusals_max",   "consumer_batches",
                                       "consumer_bytes", "exchange_bytes",    "hash_seed",      "positions"};

bool phx_definition_leaves_out(const char *name)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++)
        if (strcmp(own_keys[i], name) == 0) return true;
    return false;
}

static void add_number(phx_sum *sum, uint64_t number)
{
    phx_sum_add(sum, &number, sizeof number);
}

static void add_float(phx_sum *sum, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_number(sum, bits);
}

static void add_keys(phx_sum *sum, const phx_key *keys, uint32_t count, const void *base)
{
    for (uint32_t i = 0; i < count; i++) {
        const size_t bytes = phx_key_bytes(keys[i].type);
        if (phx_definition_leaves_out(keys[i].name)) continue;
        for (uint32_t j = 0; j < phx_key_width(keys[i].type); j++) {
            uint64_t value = 0;
            memcpy(&value, (const char *)base + keys[i].offset + j * bytes, bytes);
            add_number(sum, value);
        }
    }
}

static void add_class(phx_sum *sum, const ph_class *class)
{
    char name[sizeof class->name + sizeof(uint64_t)] = {0};
    memcpy(name, class->name, strnlen(class->name, sizeof class->name - 1));
    phx_sum_add(sum, name, sizeof name / sizeof(uint64_t) * sizeof(uint64_t));
    add_keys(sum, class_keys, PHX_CLASS_KEY_COUNT, class);
    add_number(sum, class->band_count);
    for (uint32_t i = 0; i < class->band_count; i++) add_keys(sum, band_keys, PHX_BAND_KEY_COUNT, &class->bands[i]);
}

uint64_t phx_definition_number(const phc_def *def)
{
    phx_sum sum = phx_sum_begin();
    const ph_world_def *world = def->world_def;
    add_keys(&sum, world_keys, PHX_WORLD_KEY_COUNT, world);
    add_number(&sum, world->class_count);
    for (uint32_t i = 0; i < world->class_count; i++) add_class(&sum, &world->classes[i]);
    add_number(&sum, def->definition);
    add_number(&sum, def->regions[0]);
    add_number(&sum, def->regions[1]);
    add_float(&sum, def->hand_over_margin);
    add_float(&sum, def->speed_max);
    add_float(&sum, def->halo);
    add_number(&sum, def->lag_max);
    /* A member puts another one out, or adopts a map, behind one own lease: a longer one may be proven then. And it
     * takes a link as silent by its own list_ms, as a heartbeat comes in each of these. */
    add_number(&sum, def->lease_ms);
    add_number(&sum, def->list_ms);
    /* One with faulty links of its own, and a shorter time, would judge before others judge it; one without a time
     * tells none of a member that it does not hear, and a map barrier waits for both. */
    add_number(&sum, def->link_timeout_ms);
    add_number(&sum, def->adopt_map);
    return phx_sum_end(&sum);
}
