/*
 * One observer under evaluation, as evaluate.c, candidates.c and cap_select.c share it. Interest phase, by the worker
 * of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_EVALUATION_H
#define PHX_SHARDS_INTEREST_EVALUATION_H

#include "shards/interest/mark_set.h"
#include "shards/interest/scratch.h"
#include "shards/state/shard.h"

/*
 * One observer under evaluation. Its candidates are columns of the scratch, by place: hits (slots), and if they are
 * keyed ranks (rank_table.h), keys and was. Without a cap a listed candidate is sure to stay.
 */
typedef struct phx_evaluation {
    phx_scratch *scratch;
    phx_shard *shard;
    const phx_directory *directory;
    const phx_relation_set *relations;
    uint32_t slot;
    const phx_body *body;
    const phx_attr *attr;
    phx_list *list;
    const uint32_t *old;
    uint32_t old_count;
    uint32_t tag;           /* epoch << PHX_MARK_BITS */
    float radius;           /* of the scan around the observer */
    uint32_t scanned;       /* candidates of the scan; the others stand behind */
    uint32_t count;         /* of candidates; then of the new list */
    uint32_t listed;        /* if keyed, or with a margin: candidates that were in the old list */
    uint32_t adds;          /* so many targets may join in this tick: adds_max; PHX_ADDS_ALL = all */
    bool keyed;             /* the best candidates may have to be found: at the cap or at adds_max */
    uint16_t top, near_top; /* of phx_rank_columns */
    bool cut;               /* targets that pass may be left out: the cap */
    double limit;  /* a key between the last one kept and the others of its rank, within the scan; 0: not known; at
                      adds_max the key of the last one that joins */
    uint16_t rank; /* that rank */
    uint32_t kept; /* so many targets of it are kept; at adds_max so many of all ranks are held */
    uint32_t held; /* targets that pass and may not join yet: adds_max */
    phx_cap_split events;
} phx_evaluation;

enum { PHX_ADDS_ALL = UINT32_MAX };

typedef enum phx_scan_result {
    PHX_SCAN_DONE,
    PHX_SCAN_TOO_SHORT, /* the radius is too small: a target of the list may be beyond it */
    PHX_SCAN_NO_MEMORY
} phx_scan_result;

/* The marks of a slot that were set for this observer. */
static inline uint32_t phx_evaluation_mark(const phx_evaluation *at, uint32_t slot)
{
    uint32_t mark = at->scratch->mark[slot];
    return mark >> PHX_MARK_BITS == at->tag >> PHX_MARK_BITS ? mark & ((1u << PHX_MARK_BITS) - 1) : 0;
}

/* An upper bound of the squares of a scan. */
static inline float phx_evaluation_square(const phx_evaluation *at)
{
    return at->radius * at->radius * (at->shard->rules->shape == PH_SHAPE_SQUARE ? 2.0f : 1.0f);
}

#endif
