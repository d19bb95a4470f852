/*
 * The bytes of a capsule; see capsule.h. Pure.
 */
#include "world/queue/capsule.h"

#include <string.h>

#include "base/sum.h"

static const size_t SUM_BYTES = sizeof(uint64_t);

phx_capsule_target phx_capsule_target_at(const unsigned char *targets, uint32_t place)
{
    phx_capsule_target target;
    memcpy(&target, targets + place * sizeof target, sizeof target);
    return target;
}

phx_capsule_relation phx_capsule_relation_at(const unsigned char *relations, uint32_t place)
{
    phx_capsule_relation relation;
    memcpy(&relation, relations + place * sizeof relation, sizeof relation);
    return relation;
}

uint64_t phx_capsule_area_at(const unsigned char *areas, uint32_t place)
{
    uint64_t area;
    memcpy(&area, areas + place * sizeof area, sizeof area);
    return area;
}

phx_capsule_deferred phx_capsule_deferred_at(const unsigned char *deferred, uint32_t place)
{
    phx_capsule_deferred update;
    memcpy(&update, deferred + place * sizeof update, sizeof update);
    return update;
}

static uint64_t sum_bytes(const void *bytes, size_t size)
{
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, bytes, size);
    return phx_sum_end(&sum);
}

bool phx_capsule_open(phx_capsule_walk *walk, const void *bytes, size_t size)
{
    phx_capsule_head head;
    uint64_t sum;
    if (size < sizeof head + sizeof(phx_capsule_member) + SUM_BYTES || size > PH_CAPSULE_MAX || size % SUM_BYTES != 0)
        return false;
    memcpy(&head, bytes, sizeof head);
    if (head.magic != PHX_CAPSULE_MAGIC || head.format != PHX_CAPSULE_FORMAT || head.members == 0 ||
        head.bytes != size || head.zero != 0)
        return false;
    memcpy(&sum, (const unsigned char *)bytes + size - SUM_BYTES, sizeof sum);
    if (sum_bytes(bytes, size - SUM_BYTES) != sum) return false;
    *walk = (phx_capsule_walk){.at = (const unsigned char *)bytes + sizeof head,
                               .left = size - sizeof head - SUM_BYTES,
                               .members = head.members};
    return true;
}

/* Skips the bytes of `count` records. NULL: there are fewer. */
static const unsigned char *skip_records(phx_capsule_walk *walk, uint32_t count, size_t bytes)
{
    const unsigned char *at = walk->at;
    if (count > walk->left / bytes) return NULL;
    walk->at += count * bytes;
    walk->left -= count * bytes;
    return at;
}

bool phx_capsule_next(phx_capsule_walk *walk, phx_capsule_view *view)
{
    const phx_capsule_member *member = &view->member;
    const unsigned char *at = walk->members > 0 ? skip_records(walk, 1, sizeof *member) : NULL;
    if (!at) return false;
    memcpy(&view->member, at, sizeof *member);
    view->targets = skip_records(walk, member->targets, sizeof(phx_capsule_target));
    if (view->targets) view->relations = skip_records(walk, member->relations, sizeof(phx_capsule_relation));
    if (!view->targets || !view->relations) return false;
    view->areas = skip_records(walk, member->areas, sizeof(phx_capsule_area));
    if (view->areas) view->deferred = skip_records(walk, member->deferred, sizeof(phx_capsule_deferred));
    if (!view->areas || !view->deferred) return false;
    walk->members--;
    return true;
}

void phx_capsule_seal(void *capsule, size_t bytes)
{
    const uint64_t sum = sum_bytes(capsule, bytes);
    memcpy((unsigned char *)capsule + bytes, &sum, sizeof sum);
}
