/*
 * The state of the check on the side (verify.h): all entities, and for each the ids that entered its list and did not
 * leave. Shared by verify.c, verify_commands.c and verify_crowd.c, in the bench's own thread.
 */
#ifndef PHX_BENCH_VERIFY_STATE_H
#define PHX_BENCH_VERIFY_STATE_H

#include "base/idmap.h"
#include "bench/base/memory.h"
#include "bench/id_set.h"
#include "bench/rules.h"
#include "bench/verify_faults.h"

typedef struct verify_pair {
    uint64_t target;
    float view, margin;
} verify_pair;

typedef struct verify_entity {
    uint64_t id;
    uint64_t entered;  /* step in which this incarnation came */
    uint64_t recorded; /* last step with a record for it */
    uint64_t said;     /* last step in which it said something, and how often */
    uint32_t says;
    uint64_t parent;              /* that it is attached to, or 0 */
    uint32_t crowd_step;          /* of crowd control: how far its view is shrunk */
    uint32_t depth, depth_before; /* attachments up to its root, now and in the step before */
    ph_attrs given;
    ph_attrs is;
    bench_id_set seen;
    bench_id_set hidden, revealed; /* targets that are hidden from it, and revealed to it */
    bench_id_set linked;
    verify_pair *pairs; /* in no order */
    uint32_t pair_count, pair_room;
} verify_entity;

typedef struct verify_sample {
    uint64_t observer;
    bench_id_set before; /* its list at the end of the tick before */
} verify_sample;

struct bench_verify {
    const ph_world_def *def;
    phx_mem *mem;
    uint32_t every;
    uint32_t entity_count, entity_room;
    uint32_t sample_count, sample_room, sample_used;
    uint32_t rank_room;
    verify_entity *entities; /* in no order: the last fills a gap */
    verify_sample *samples;  /* of this tick; beyond sample_count up to sample_used: memory to use again */
    bench_rank *ranks;
    phx_idmap places; /* id to place in entities */
    bench_id_set expected;
    uint64_t rng;
    uint64_t step;          /* frames so far, for there may be several with one tick number */
    uint64_t tick;          /* the number that faults name */
    uint64_t compared;      /* lists */
    uint64_t compared_step; /* the last one in which they were */
    uint64_t heard;         /* broadcasts that observers got in this step */
    float say_radius;       /* of this step's broadcasts; 0 = by lists */
    bool talk;              /* there are any */
    bool attached;          /* there are or were attachments */
    bool related;           /* there are or were pairs, links, hidden or revealed targets */
    phx_idmap towers;       /* with crowd control: (ty << 32 | tx) + 1 to how many are there */
    bench_faults faults;
};

static inline verify_entity *verify_find(const bench_verify *verify, uint64_t id)
{
    const uint64_t *place = phx_idmap_find(&verify->places, id);
    return place == NULL ? NULL : &verify->entities[*place];
}

static inline verify_pair *verify_find_pair(const verify_entity *observer, uint64_t target)
{
    for (uint32_t i = 0; i < observer->pair_count; i++) {
        if (observer->pairs[i].target == target) {
            return &observer->pairs[i];
        }
    }
    return NULL;
}

static inline void verify_entity_free(phx_mem *mem, verify_entity *gone)
{
    bench_id_set_free(mem, &gone->seen);
    bench_id_set_free(mem, &gone->hidden);
    bench_id_set_free(mem, &gone->revealed);
    bench_id_set_free(mem, &gone->linked);
    phx_release(mem, (void **)&gone->pairs, &gone->pair_room, sizeof *gone->pairs);
}

#endif
