/*
 * The bounded queue of refusals; see refusals.h.
 */
#include "world/queue/refusals.h"

enum {
    FIRST_ITEMS = 16,       /* a well-behaved producer has none: half a KiB */
    GROWTH = 4,             /* so that the producer passes few legs */
    IMPORTS_BOUND = 1 << 20 /* the most that a bound may be */
};

/* ---- life ---- */

static size_t refusal_leg_bytes(uint32_t item_count)
{
    return sizeof(phx_refusal_leg) + item_count * sizeof(ph_refusal);
}

static void refusal_leg_free(phx_mem *mem, phx_refusal_leg *leg)
{
    phx_free(mem, leg, refusal_leg_bytes(leg->item_count), PHX_CACHE_LINE);
}

static phx_refusal_leg *refusal_leg_make(phx_mem *mem, uint32_t item_count, uint64_t first)
{
    phx_refusal_leg *leg = phx_alloc(mem, refusal_leg_bytes(item_count), PHX_CACHE_LINE);
    if (!leg) return NULL;
    atomic_init(&leg->next, NULL);
    leg->first = first;
    leg->item_count = item_count;
    return leg;
}

bool phx_refusals_init(phx_refusals *refusals, phx_mem *mem, uint32_t bound)
{
    PHX_ASSERT(bound > 0);
    refusals->mem = mem;
    refusals->bound = bound;
    refusals->imports = 0;
    atomic_init(&refusals->put, 0);
    atomic_init(&refusals->taken, 0);
    refusals->last = refusals->at = refusal_leg_make(mem, FIRST_ITEMS, 0);
    return refusals->at != NULL;
}

void phx_refusals_free(phx_refusals *refusals)
{
    for (phx_refusal_leg *leg = refusals->at, *next; leg; leg = next) {
        next = atomic_load_explicit(&leg->next, memory_order_relaxed); /* no thread is inside */
        refusal_leg_free(refusals->mem, leg);
    }
    refusals->last = refusals->at = NULL;
}

/* ---- ticking thread ---- */

/* The refusals in the last leg, of so many that wait in all. */
static uint64_t count_in_leg(const phx_refusal_leg *last, uint64_t put, uint64_t waiting)
{
    return put - last->first < waiting ? put - last->first : waiting;
}

/* `more`, but no more than a bound leaves to so many that wait. */
static uint64_t bound_more(uint64_t more, uint64_t bound, uint64_t waiting)
{
    const uint64_t left = waiting < bound ? bound - waiting : 0;
    return more < left ? more : left;
}

bool phx_refusals_reserve(phx_refusals *refusals, uint64_t more, uint64_t imports)
{
    phx_refusal_leg *last = refusals->last;
    const uint64_t put = atomic_load_explicit(&refusals->put, memory_order_relaxed);
    const uint64_t waiting = put - atomic_load_explicit(&refusals->taken, memory_order_acquire);
    const uint64_t here = count_in_leg(last, put, waiting);
    more = bound_more(more, refusals->bound, waiting) + bound_more(imports, IMPORTS_BOUND, waiting);
    if (here + more <= last->item_count) {
        refusals->imports = imports;
        return true;
    }
    uint64_t item_count = (uint64_t)last->item_count * GROWTH;
    while (item_count < more) item_count *= 2;
    phx_refusal_leg *leg = refusal_leg_make(refusals->mem, (uint32_t)item_count, put);
    if (!leg) return false;
    /* pairs with the load in refusal_leg_of() */
    atomic_store_explicit(&last->next, leg, memory_order_release);
    refusals->last = leg;
    refusals->imports = imports;
    return true;
}

bool phx_refusals_put(phx_refusals *refusals, ph_refusal refusal)
{
    const uint64_t put = atomic_load_explicit(&refusals->put, memory_order_relaxed);
    /* pairs with the release in take: the item that is overwritten was read */
    const uint64_t waiting = put - atomic_load_explicit(&refusals->taken, memory_order_acquire);
    phx_refusal_leg *leg = refusals->last;
    const bool is_import = refusal.command == PH_COMMAND_IMPORT;
    const uint64_t bound = is_import ? IMPORTS_BOUND : refusals->bound, kept = is_import ? 0 : refusals->imports;
    if (waiting >= bound || count_in_leg(leg, put, waiting) + kept >= leg->item_count) return false;
    if (is_import && refusals->imports > 0) refusals->imports--;
    leg->items[put & (leg->item_count - 1)] = refusal;
    PHX_STALL_POINT();
    atomic_store_explicit(&refusals->put, put + 1, memory_order_release);
    return true;
}

/* ---- producer's thread ---- */

/* The leg with the refusal of this number. The ticking thread never comes back to a leg before its last one. */
static phx_refusal_leg *refusal_leg_of(phx_refusals *refusals, uint64_t number)
{
    for (;;) {
        phx_refusal_leg *leg = refusals->at;
        phx_refusal_leg *next =
            atomic_load_explicit(&leg->next, memory_order_acquire); /* pairs with phx_refusals_reserve() */
        if (!next || next->first > number) return leg;
        refusals->at = next;
        refusal_leg_free(refusals->mem, leg);
    }
}

bool phx_refusals_take(phx_refusals *refusals, ph_refusal *refusal)
{
    uint64_t taken = atomic_load_explicit(&refusals->taken, memory_order_relaxed);
    /* pairs with the release in put */
    if (taken == atomic_load_explicit(&refusals->put, memory_order_acquire)) return false;
    const phx_refusal_leg *leg = refusal_leg_of(refusals, taken);
    *refusal = leg->items[taken & (leg->item_count - 1)];
    PHX_STALL_POINT();
    atomic_store_explicit(&refusals->taken, taken + 1, memory_order_release);
    return true;
}
