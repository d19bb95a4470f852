/*
 * Looks moves up and applies them; see moves.h. The directory is not written meanwhile.
 *
 * When moves are shared, every worker reads all ids and picks its own. Up to some ten workers that costs less than
 * lists of moves would, and needs no memory. A worker's ids come in blocks of neighbours, as consecutive ids mostly
 * have consecutive slots: so few bodies share a cache line with another worker's.
 */
#include "world/ingest/moves.h"

#include <string.h>

#include "shards/ingest/move_batch.h"
#include "shards/ingest/moves.h"
#include "world/ingest/refuse.h"
#include "world/queue/commands.h"
#include "world/state/move_types.h"

/* Moves looked up together: the first line arrives before the last is requested, and all stay in near caches. */
enum { GROUP = 128 };

/* Some moves of one run. */
typedef struct group {
    uint64_t ids[GROUP];
    const phx_place *to;
    const float *z; /* NULL: every z is 0 */
    uint32_t slot[GROUP], place[GROUP];
    uint32_t count;
    bool runs;                      /* the slots of the last group were consecutive: */
    uint32_t next_place, next_slot; /* then the expected home of the next one */
    bool mixed;                     /* places of more than one shard */
} group;

static const uint32_t PLACE_UNKNOWN = UINT32_MAX; /* the place of PHX_HOME_NONE */

size_t phx_moves_sums_bytes(const phx_world *world)
{
    const size_t line = PHX_CACHE_LINE;
    return (world->shard_count * sizeof(phx_move_stats) + line - 1) / line * line;
}

static phx_move_stats *sums_of(const phx_world *world, uint32_t worker)
{
    return (phx_move_stats *)(void *)((char *)world->move_sums + worker * phx_moves_sums_bytes(world));
}

bool phx_moves_init(phx_world *world)
{
    world->move_sums = phx_alloc_zero(&world->mem, world->worker_count * phx_moves_sums_bytes(world), PHX_CACHE_LINE);
    return world->move_sums != NULL;
}

void phx_moves_free(phx_world *world)
{
    phx_move_span *move_span = &world->move_span;
    phx_free(&world->mem, world->move_sums, world->worker_count * phx_moves_sums_bytes(world), PHX_CACHE_LINE);
    phx_release(&world->mem, (void **)&move_span->left, &move_span->left_capacity, sizeof *move_span->left);
}

void phx_moves_report(phx_world *world)
{
    for (uint32_t w = 0; w < world->movers; w++) {
        phx_move_stats *sums = sums_of(world, w);
        for (uint32_t s = 0; s < world->shard_count; s++) phx_shard_moved(&world->shards[s], &sums[s]);
        memset(sums, 0, world->shard_count * sizeof *sums);
    }
    world->movers = 0;
}

/* ---- groups ---- */

/* Is the slot an own entity with this id? Then the directory agrees, except for attached entities. */
static inline bool names_own(const phx_store *store, uint32_t slot, uint64_t id)
{
    return store->name[slot].id == id && (store->body[slot].state & PHX_SLOT_OWN);
}

/* The most ids left out between two moves, where a run of slots goes on behind them. */
enum { SKIPPED_MOST = 64 };

/* The slot behind as many others as ids were left out, as attached entities have no moves; PHX_SLOT_NONE: not there. */
static uint32_t slot_behind_skipped(const phx_store *store, uint32_t slot, uint64_t id, uint64_t last_id)
{
    const uint64_t skipped = id - last_id - 1;
    if (skipped == 0 || skipped > SKIPPED_MOST || slot + skipped >= store->slots) return PHX_SLOT_NONE;
    slot += (uint32_t)skipped;
    return names_own(store, slot, id) ? slot : PHX_SLOT_NONE;
}

/*
 * If entities move in the order in which they entered, as in a host's array, consecutive ids have consecutive slots.
 * Then the name in the next slot confirms each one, and only the first is looked up; not even that if the last group
 * ended so. Ids may be left out, as by attached entities, which have no moves: a move of one of these ends the run, and
 * the directory refuses it. Returns how many were found. (If the last group was no run, this one is not tried.)
 */
static uint32_t run_on(const phx_world *world, group *g)
{
    enum {
        AHEAD = 96
    }; /* slots ahead: names and bodies of following moves, mostly of the next group, are prefetched */
    const uint64_t *ids = g->ids;
    const phx_depths *depths = phx_depths_any(&world->depths) ? &world->depths : NULL;
    if (g->count == 0 || !g->runs) return 0;
    PHX_ASSERT(g->next_place < world->shard_count);
    const phx_store *store = &world->shards[g->next_place].store;
    uint32_t slot = g->next_slot, i = 0;
    if (slot >= store->slots || !names_own(store, slot, ids[0])) {
        uint64_t home = phx_directory_find(&world->directory, ids[0]);
        if (home == PHX_HOME_NONE) return 0;
        g->next_place = phx_home_shard(home);
        slot = phx_home_slot(home);
        store = &world->shards[g->next_place].store;
    }
    for (; i < g->count && slot < store->slots; i++, slot++) {
        if (PHX_UNLIKELY(!names_own(store, slot, ids[i]))) {
            slot = i > 0 ? slot_behind_skipped(store, slot, ids[i], ids[i - 1]) : PHX_SLOT_NONE;
            if (slot == PHX_SLOT_NONE) break;
        }
        if (PHX_UNLIKELY(depths && phx_depths_may_have(depths, ids[i])) && phx_depths_now(depths, ids[i]) > 0) break;
        uint32_t ahead = slot + AHEAD < store->slots ? slot + AHEAD : slot;
        __builtin_prefetch(&store->name[ahead]);
        __builtin_prefetch(&store->body[ahead], 1);
        g->place[i] = g->next_place;
        g->slot[i] = slot;
    }
    g->next_slot = slot;
    return i;
}

/* Looks homes up: directory lines, then bodies, are prefetched side by side. */
static void find_homes(const phx_world *world, group *g)
{
    const phx_directory *directory = &world->directory;
    const phx_shard *shards = world->shards;
    const uint64_t *ids = g->ids;
    uint64_t first_at[GROUP];
    uint32_t count = g->count, first = run_on(world, g), changes = 0;
    for (uint32_t i = first; i < count; i++) first_at[i] = phx_directory_prefetch(directory, ids[i]);
    for (uint32_t i = first; i < count; i++) {
        uint64_t home = phx_directory_find_from(directory, first_at[i], ids[i]);
        bool known = home != PHX_HOME_NONE;
        uint32_t place = (uint32_t)(home >> 32), slot = phx_home_slot(home);
        g->place[i] = place;
        g->slot[i] = slot;
        changes |= place ^ g->place[0];
        /* no branch on the shard, which is not predictable; an unknown one's shard may have no bodies */
        if (PHX_LIKELY(known)) __builtin_prefetch(&shards[phx_home_shard(home)].store.body[slot], 1);
    }
    g->mixed = changes != 0;
    if (first == count) return;
    const uint32_t last = count - 1, before = count > 1 ? last - 1 : last;
    const uint32_t step = g->slot[last] - g->slot[before];
    g->next_place = g->place[last];
    g->next_slot = g->slot[last] + 1;
    /* never so for unknown and attached ones: the former have one slot, the latter no shard's place */
    g->runs = g->place[before] == g->next_place && g->next_place < world->shard_count && step > 0 &&
              (step == 1 || step == ids[last] - ids[before]);
}

/* Applies a group. Returns how many are left, their places in the group in left[]. alone: no other worker runs. */
static uint32_t move_group(phx_world *world, group *g, uint32_t worker, bool alone, uint32_t left[GROUP])
{
    find_homes(world, g);
    phx_move_batch batch = {
        .places = g->place, .slots = g->slot, .mixed = g->mixed, .to = g->to, .z = g->z, .count = g->count};
    return phx_shards_move(world->shards, world->shard_count, &batch, alone, sums_of(world, worker), left);
}

/* Applies a move that was left. place: the upper half of its home in the directory, or PLACE_UNKNOWN. */
static ph_status apply_left_move(phx_world *world, uint32_t place, uint32_t slot, ph_position position)
{
    if (place == PLACE_UNKNOWN) return PH_UNKNOWN_ID;
    if (place >= world->shard_count) return PH_ATTACHED;
    return phx_shard_move_general(&world->shards[place], slot, position) ? PH_OK : PH_NO_MEMORY;
}

/* Applies the i-th move of a run, which was left. */
static ph_status apply_found_moves(phx_world *world, const phx_producer_run *run, uint32_t i)
{
    phx_moves moves = phx_moves_of(&run->commands);
    uint64_t home = phx_directory_find(&world->directory, phx_moves_id(&moves, i));
    return apply_left_move(world, (uint32_t)(home >> 32), phx_home_slot(home), phx_moves_position(&moves, i));
}

static void refuse_move(phx_world *world, const phx_producer_run *run, uint32_t i, ph_status status)
{
    phx_moves moves = phx_moves_of(&run->commands);
    world->totals.applied--;
    phx_ingest_refuse(world, run, i, phx_moves_id(&moves, i), status);
}

static void copy_ids(uint64_t *ids, const phx_moves *moves, uint32_t first, uint32_t count)
{
    if (moves->wide) {
        memcpy(ids, moves->wide + first, count * sizeof *ids);
        return;
    }
    const uint32_t *narrow = moves->narrow + first;
    for (uint32_t i = 0; i < count; i++) ids[i] = narrow[i];
}

/* ---- by the ticking thread alone ---- */

/* Fills a group with the moves of a run from `first` on. */
static void fill_move_group(group *g, const phx_moves *moves, uint32_t first, uint32_t count)
{
    g->count = count;
    g->to = moves->places + first;
    g->z = moves->z ? moves->z + first : NULL;
    copy_ids(g->ids, moves, first, count);
}

void phx_moves_apply(phx_world *world, const phx_producer_run *run, uint64_t behind)
{
    uint32_t total = run->commands.count, left[GROUP];
    phx_moves moves = phx_moves_of(&run->commands);
    group g;
    g.next_place = g.next_slot = 0;
    g.runs = true;
    if (world->movers == 0) world->movers = 1;
    for (uint32_t first = 0; first < total; first += g.count) {
        phx_ingest_wake(world, behind + total - first);
        fill_move_group(&g, &moves, first, total - first < GROUP ? total - first : GROUP);
        uint32_t left_count = move_group(world, &g, 0, true, left);
        for (uint32_t i = 0; i < left_count; i++) {
            ph_position to = phx_moves_position(&moves, first + left[i]);
            ph_status status = apply_left_move(world, g.place[left[i]], g.slot[left[i]], to);
            if (PHX_UNLIKELY(status != PH_OK)) refuse_move(world, run, first + left[i], status);
        }
    }
    world->totals.applied += total;
}

/* ---- by all workers ---- */

static uint32_t words_of(const phx_producer_run *run)
{
    return (run->commands.count + 63) / 64;
}

enum { BLOCK_BITS = 9 }; /* of neighbouring ids: their bodies fill whole cache lines, but for the first and the last */

/* The worker of an id, by its block. */
static uint32_t owner_of_id(const phx_world *world, uint64_t id)
{
    return (uint32_t)((uint64_t)phx_hash_near(world->mem.key, id, BLOCK_BITS) * world->worker_count >> 32);
}

enum { IDS_AT_ONCE = 64 }; /* ids compared with a block: mostly all are of it, and there is no branch on each */

/* Are the ids behind the first one of the same block? */
static inline bool of_one_block(const phx_moves *moves, uint32_t first)
{
    if (moves->wide) {
        const uint64_t *ids = moves->wide + first;
        uint64_t differ = 0;
        for (uint32_t i = 1; i <= IDS_AT_ONCE; i++) differ |= ids[i] ^ ids[0];
        return differ >> BLOCK_BITS == 0;
    }
    const uint32_t *ids = moves->narrow + first;
    uint32_t differ = 0;
    for (uint32_t i = 1; i <= IDS_AT_ONCE; i++) differ |= ids[i] ^ ids[0];
    return differ >> BLOCK_BITS == 0;
}

/* The end of the ids from `first` on that are of this block. */
static uint32_t block_end(const phx_moves *moves, uint32_t first, uint32_t count, uint64_t block)
{
    while (count - first > IDS_AT_ONCE && of_one_block(moves, first)) first += IDS_AT_ONCE;
    while (first < count && phx_moves_id(moves, first) >> BLOCK_BITS == block) first++;
    return first;
}

/* Moves of a run picked by one worker, for a group. */
typedef struct picked {
    uint32_t at[GROUP]; /* their places in the run, ascending */
    phx_place to[GROUP];
    float z[GROUP];
} picked;

/* Picks the moves [first, end), as many as there is room for, behind the others. Returns how many. */
static uint32_t pick_moves(group *g, picked *own, const phx_moves *moves, uint32_t first, uint32_t end)
{
    const uint32_t had = g->count, room = GROUP - had, count = end - first < room ? end - first : room;
    copy_ids(g->ids + had, moves, first, count);
    memcpy(own->to + had, moves->places + first, count * sizeof *own->to);
    if (moves->z) memcpy(own->z + had, moves->z + first, count * sizeof *own->z);
    for (uint32_t i = 0; i < count; i++) own->at[had + i] = first + i;
    g->count += count;
    return count;
}

static void move_picked(phx_world *world, group *g, const picked *own, uint32_t worker, _Atomic uint64_t *left_words)
{
    uint32_t left[GROUP];
    uint32_t left_count = move_group(world, g, worker, false, left);
    for (uint32_t i = 0; i < left_count; i++) {
        uint32_t place = own->at[left[i]];
        /* relaxed: read after the barrier */
        atomic_fetch_or_explicit(&left_words[place / 64], UINT64_C(1) << place % 64, memory_order_relaxed);
    }
    g->count = 0;
}

/* Applies a worker's own moves of a run. */
static void share_run(phx_world *world, const phx_producer_run *run, uint32_t worker, _Atomic uint64_t *left_words)
{
    const phx_moves moves = phx_moves_of(&run->commands);
    picked own;
    group g;
    g.count = g.next_place = g.next_slot = 0;
    g.runs = true;
    g.to = own.to;
    g.z = moves.z ? own.z : NULL;
    for (uint32_t i = 0, end; i < run->commands.count; i = end) {
        uint64_t block = phx_moves_id(&moves, i) >> BLOCK_BITS;
        end = block_end(&moves, i, run->commands.count, block);
        if (owner_of_id(world, phx_moves_id(&moves, i)) != worker) continue;
        while (i < end) {
            i += pick_moves(&g, &own, &moves, i, end);
            if (g.count == GROUP) move_picked(world, &g, &own, worker, left_words);
        }
    }
    move_picked(world, &g, &own, worker, left_words);
}

static void share_body(void *context, uint32_t worker)
{
    phx_world *world = context;
    const phx_move_span *move_span = &world->move_span;
    _Atomic uint64_t *words = move_span->left;
    PHX_STALL_POINT();
    for (uint32_t r = move_span->first; r < move_span->end; r++) {
        share_run(world, &world->runs[r], worker, words);
        words += words_of(&world->runs[r]);
    }
}

/* Applies the moves that were left, in the order of the commands. */
static void apply_move_span(phx_world *world)
{
    const phx_move_span *move_span = &world->move_span;
    const _Atomic uint64_t *words = move_span->left;
    for (uint32_t r = move_span->first; r < move_span->end; r++) {
        const phx_producer_run *run = &world->runs[r];
        for (uint32_t w = 0; w < words_of(run); w++) {
            uint64_t bits = atomic_load_explicit(&words[w], memory_order_relaxed);
            for (; bits != 0; bits &= bits - 1) {
                uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
                ph_status status = apply_found_moves(world, run, i);
                if (status != PH_OK) refuse_move(world, run, i, status);
            }
        }
        words += words_of(run);
    }
}

/* Opens a stretch of moves for sharing. false = no memory. */
static bool open_move_span(phx_world *world, uint32_t first, uint32_t end)
{
    phx_move_span *move_span = &world->move_span;
    uint64_t commands = 0, words = 0;
    for (uint32_t r = first; r < end; r++) {
        commands += world->runs[r].commands.count;
        words += words_of(&world->runs[r]);
    }
    if (!phx_grow(&world->mem, (void **)&move_span->left, &move_span->left_capacity, 0, words, sizeof *move_span->left))
        return false;
    for (uint64_t w = 0; w < words; w++) atomic_store_explicit(&move_span->left[w], 0, memory_order_relaxed);
    move_span->first = first;
    move_span->end = end;
    move_span->commands = commands;
    return true;
}

bool phx_moves_share(phx_world *world, uint32_t first, uint32_t end)
{
    if (!open_move_span(world, first, end)) return false;
    PHX_ASSERT(world->worker_count == phx_workers_count(world->workers));
    world->movers = world->worker_count;
    phx_workers_run(world->workers, share_body, world);
    world->totals.applied += world->move_span.commands;
    apply_move_span(world);
    return true;
}
