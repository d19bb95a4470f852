/*
 * The nine-grid delta; see delta_ninegrid.h. In the interest phase, any worker.
 */
#include "shards/interest/delta_ninegrid.h"

#include <string.h>

#include "shards/interest/change_record.h"
#include "shards/interest/delta_tile.h"
#include "shards/interest/evaluate.h"

/* ---- observers that stayed ---- */

/* Targets that all observers that stayed in a task's tower get, if they are the same for all; NULL = none yet. */
typedef struct shared_targets {
    const phx_cell_task *task;
    uint32_t target_first, leave_count, enter_count;
} shared_targets;

/* Writes the crossings of a task that an observer may see, leaves first, to the scratch's targets. */
static void write_crossing_targets(phx_scratch *scratch, const phx_shard *shard, const phx_cell_task *task,
                                   uint32_t slot, shared_targets *shared)
{
    const phx_ninegrid *ninegrid = &shard->ninegrid;
    const phx_attr *attr = task->special ? phx_store_attr(&shard->store, slot) : NULL;
    const uint32_t *pair = ninegrid->pairs + task->pair;
    uint32_t *to = scratch->targets + scratch->target_count, n = 0, leaves = 0;
    for (uint32_t i = 0; i < task->leave_count + task->enter_count; i++) {
        const phx_crossing *c = &ninegrid->crossings[pair[i]];
        PHX_ASSERT(!c->special || attr);
        if (c->special && !phx_layers_match(attr, phx_store_attr(&shard->store, c->slot))) continue;
        leaves += i < task->leave_count;
        to[n++] = c->slot;
    }
    *shared = (shared_targets){.task = task->special ? NULL : task,
                               .target_first = scratch->target_count,
                               .leave_count = leaves,
                               .enter_count = n - leaves};
    scratch->target_count += n;
}

/*
 * Records the changes of the plain observers on these cell entries of the task that stayed in the tower. If a crossing
 * is special, the range has one entry. Other entries are skipped without a branch, as a branch on crossings is
 * mispredicted. false = no memory.
 */
static bool emit_stayed_observers(phx_scratch *scratch, phx_shard *shard, const phx_cell_task *task, phx_span range,
                                  shared_targets *shared)
{
    uint32_t count = task->leave_count + task->enter_count, by_delta = 0;
    const phx_cell_entry *entries = shard->ninegrid.entries + task->entry;
    if (count == 0) return true;
    if (!phx_interest_reserve_changes(scratch, range.end - range.first, count)) return false;
    if (shared->task != task) write_crossing_targets(scratch, shard, task, entries[range.first].slot, shared);
    const uint32_t all = shared->leave_count + shared->enter_count;
    phx_change *change = scratch->changes + scratch->change_count;
    for (uint32_t i = range.first; i < range.end; i++) {
        const phx_cell_entry *entry = &entries[i];
        bool stayed = entry->observer_kind == PHX_OBSERVER_KIND_PLAIN && !(entry->flags & PHX_CELL_LEFT);
        change[all > 0 ? by_delta : 0] = (phx_change){.slot = entry->slot,
                                                      .target_first = shared->target_first,
                                                      .leave_count = shared->leave_count,
                                                      .enter_count = shared->enter_count,
                                                      .list_first = PHX_SLOT_NONE,
                                                      .ordered = true,
                                                      .passes = true};
        by_delta += stayed;
    }
    scratch->counts.by_delta += by_delta;
    scratch->counts.pairs_tested += (uint64_t)count * by_delta;
    if (all == 0) return true;
    scratch->change_count += by_delta;
    scratch->counts.enters += (uint64_t)shared->enter_count * by_delta;
    scratch->counts.leaves += (uint64_t)shared->leave_count * by_delta;
    return true;
}

/* ---- observers that crossed ---- */

/* One observer that crossed. */
typedef struct crossing_observer {
    const phx_shard *shard;
    const phx_crossing *own;
} crossing_observer;

static inline bool may_see(const crossing_observer *at, uint32_t slot, bool special)
{
    const phx_store *store = &at->shard->store;
    if (slot == at->own->slot) return false;
    return !special || phx_layers_match(phx_store_attr(store, at->own->slot), phx_store_attr(store, slot));
}

/* Is either of these towers in the span of the other? */
static inline bool towers_in_span(const crossing_observer *at, uint16_t ax, uint16_t ay, uint16_t bx, uint16_t by)
{
    uint32_t span = at->shard->rules->span, across = 2 * span;
    return (uint32_t)ax - bx + span <= across && (uint32_t)ay - by + span <= across;
}

/* Was the crossing entity seen before the tick, from the observer's old tower? Is it seen now? */
static inline bool saw_crossing(const crossing_observer *at, const phx_crossing *c)
{
    return c->was && towers_in_span(at, at->own->ax, at->own->ay, c->ax, c->ay);
}

static inline bool sees_crossing(const crossing_observer *at, const phx_crossing *c)
{
    return c->is && towers_in_span(at, at->own->bx, at->own->by, c->bx, c->by);
}

/* Entities that stayed in a tower that came into the span. Results are words, as in the functions below. */
static uint32_t gain_stayed(const crossing_observer *at, const phx_tower *tower, uint64_t *out)
{
    const phx_cell_entry *entry = at->shard->ninegrid.entries + tower->first, *end = entry + tower->old;
    uint32_t n = 0;
    for (; entry < end; entry++)
        if (!(entry->flags & PHX_CELL_LEFT) && may_see(at, entry->slot, entry->flags & PHX_CELL_SPECIAL))
            out[n++] = phx_ninegrid_word(entry->key, entry->slot);
    return n;
}

/* Entities that came to a tower that came into the span, from outside the old span. */
static uint32_t gain_entered(const crossing_observer *at, const phx_tower *tower, uint64_t *out)
{
    const phx_ninegrid *ninegrid = &at->shard->ninegrid;
    const phx_cell_entry *entry = ninegrid->entries + tower->first + tower->old,
                         *end = ninegrid->entries + tower->first + tower->count;
    uint32_t n = 0;
    for (; entry < end; entry++)
        if (!saw_crossing(at, &ninegrid->crossings[entry->move]) &&
            may_see(at, entry->slot, entry->flags & PHX_CELL_SPECIAL))
            out[n++] = phx_ninegrid_word(entry->key, entry->slot);
    return n;
}

/* Entities that were in a tower that left the span. An entity that left the tower may have another name. */
static uint32_t lose_tower(const crossing_observer *at, const phx_tower *tower, uint64_t *out)
{
    const phx_ninegrid *ninegrid = &at->shard->ninegrid;
    const phx_cell_entry *entry = ninegrid->entries + tower->first, *end = entry + tower->old;
    uint32_t n = 0;
    for (; entry < end; entry++) {
        const phx_crossing *departed = entry->flags & PHX_CELL_LEFT ? &ninegrid->crossings[entry->move] : NULL;
        if ((departed && sees_crossing(at, departed)) || !may_see(at, entry->slot, entry->flags & PHX_CELL_SPECIAL))
            continue;
        out[n++] = phx_ninegrid_word(departed ? departed->key : entry->key, entry->slot);
    }
    return n;
}

/* The crossings of a task that begin (enter: end) in the observer's old (new) span. */
static uint32_t pick_crossings(const crossing_observer *at, const phx_cell_task *task, bool enter, uint64_t *out)
{
    const phx_ninegrid *ninegrid = &at->shard->ninegrid;
    uint32_t first = enter ? task->pair + task->leave_count : task->pair;
    uint32_t count = enter ? task->enter_count : task->leave_count, n = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const phx_crossing *c = &ninegrid->crossings[ninegrid->pairs[i]];
        if ((enter ? sees_crossing(at, c) : saw_crossing(at, c)) && may_see(at, c->slot, c->special))
            out[n++] = phx_ninegrid_word(c->key, c->slot);
    }
    return n;
}

/* The task of the tower that the observer left; NULL = that tower has no task. */
static const phx_cell_task *task_left(const phx_ninegrid *ninegrid, const phx_crossing *own)
{
    const phx_cell_block *cell_block = &ninegrid->cell_blocks[own->from];
    uint32_t t = phx_block_tower(own->ax, own->ay);
    return cell_block->tasks >> t & 1 ? &ninegrid->tasks[cell_block->tower[t].task] : NULL;
}

/* In found: the towers that come into the observer's span, or leave it. */
static const phx_ninegrid_pair *crossing_pairs(const phx_ninegrid *ninegrid, const phx_crossing *own,
                                               const phx_ninegrid_pair **end)
{
    bool last = own + 1 == ninegrid->crossings + ninegrid->crossing_count;
    *end = ninegrid->found + (last ? ninegrid->found_count : own[1].pair);
    return ninegrid->found + own->pair;
}

static inline const phx_tower *pair_tower(const phx_ninegrid *ninegrid, const phx_ninegrid_pair *pair)
{
    return &ninegrid->cell_blocks[pair->cell_block].tower[pair->tower];
}

/* How many observers ahead the data of one is prefetched, step by step. */
enum { AWAIT_ENTRIES = 4, AWAIT_TOWERS = 8, AWAIT_PAIRS = 12, AWAIT_CROSSING = 16 };

/* Prefetches the towers that come into or leave the observer's span, and its old tower; then their content. */
PHX_PREFETCH_INLINE void await_entrant(const phx_ninegrid *ninegrid, const phx_crossing *own, bool entries)
{
    if (!phx_ninegrid_delta(own)) return;
    const phx_cell_block *left = &ninegrid->cell_blocks[own->from];
    uint32_t t = phx_block_tower(own->ax, own->ay);
    if (!entries) __builtin_prefetch(&left->tower[t]);
    else if (left->tasks >> t & 1) __builtin_prefetch(&ninegrid->tasks[left->tower[t].task]);
    const phx_ninegrid_pair *end, *pair = crossing_pairs(ninegrid, own, &end);
    for (; pair < end; pair++) {
        const phx_tower *tower = pair_tower(ninegrid, pair);
        __builtin_prefetch(entries ? (const void *)&ninegrid->entries[tower->first] : (const void *)tower);
    }
}

/* Crossings are in no order of memory, nor are the towers in their spans. */
PHX_PREFETCH_INLINE void await_entrants(const phx_ninegrid *ninegrid, uint32_t entrant)
{
    const phx_crossing *crossings = ninegrid->crossings;
    const uint32_t *next = ninegrid->entrants + entrant;
    if (entrant + AWAIT_CROSSING >= ninegrid->entrant_count) return;
    __builtin_prefetch(&crossings[next[AWAIT_CROSSING]]);
    __builtin_prefetch(&ninegrid->found[crossings[next[AWAIT_PAIRS]].pair]);
    await_entrant(ninegrid, &crossings[next[AWAIT_TOWERS]], false);
    await_entrant(ninegrid, &crossings[next[AWAIT_ENTRIES]], true);
}

/* Inputs of the delta of one observer that crossed. */
typedef struct crossing_inputs {
    const phx_ninegrid_pair *pair, *end; /* the towers that come into or leave its span */
    const phx_cell_task *task, *left;    /* tasks of its new tower and of its old tower, or NULL */
} crossing_inputs;

/* An upper bound of its leaves, and of its enters. */
static uint32_t most_events(const phx_ninegrid *ninegrid, const crossing_inputs *about)
{
    uint32_t most = about->task->leave_count + (about->left ? about->left->enter_count : 0);
    for (const phx_ninegrid_pair *pair = about->pair; pair < about->end; pair++)
        most += pair_tower(ninegrid, pair)->count;
    return most;
}

/* Words of its events, within the reserved room. */
typedef struct found {
    uint64_t *leave, *enter;
    uint32_t leaves, enters;
} found;

/* Copies all words of a tower, in any case; there is room. Returns whether these are all, and no entry has a flag. */
static inline bool copy_plain_words(const phx_ninegrid *ninegrid, const phx_tower *tower, uint64_t *out)
{
    const phx_cell_entry *entry = ninegrid->entries + tower->first;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < PHX_NINEGRID_AT_ONCE; i++) {
        out[i] = phx_ninegrid_word(entry[i].key, entry[i].slot);
        flags |= i < tower->count ? entry[i].flags : 0;
    }
    return flags == 0 && tower->count <= PHX_NINEGRID_AT_ONCE;
}

/*
 * Finds the events. Entities of a tower that stayed are in the order of events, which speeds up the merge: they come
 * first, the few others behind them. came: room for the others. In most towers all entities stayed: no branch depends
 * on their number.
 */
static void find_events(const crossing_observer *at, const crossing_inputs *about, found *to, uint64_t *entered)
{
    const phx_ninegrid *ninegrid = &at->shard->ninegrid;
    uint32_t leaves = 0, enters = 0, n = 0;
    for (const phx_ninegrid_pair *pair = about->pair; pair < about->end; pair++) {
        const phx_tower *tower = pair_tower(ninegrid, pair);
        const uint32_t enter = phx_crossing_word_enters(pair->crossing);
        if (PHX_LIKELY(copy_plain_words(ninegrid, tower, enter ? to->enter + enters : to->leave + leaves))) {
            enters += enter ? tower->count : 0;
            leaves += enter ? 0 : tower->count;
        } else if (enter) {
            n += gain_entered(at, tower, entered + n);
            enters += gain_stayed(at, tower, to->enter + enters);
        } else {
            leaves += lose_tower(at, tower, to->leave + leaves);
        }
    }
    memcpy(to->enter + enters, entered, n * sizeof *entered);
    enters += n;
    if (about->left) enters += pick_crossings(at, about->left, true, to->enter + enters);
    leaves += pick_crossings(at, about->task, false, to->leave + leaves);
    to->leaves = leaves;
    to->enters = enters;
}

/* Writes words as targets, in the order of events. */
static void write_ordered_words(phx_scratch *scratch, const phx_shard *shard, uint64_t *word, uint32_t count)
{
    uint32_t *to = scratch->targets + scratch->target_count;
    scratch->target_count += count;
    if (PHX_LIKELY(count <= shard->kernels->rank_most)) {
        uint32_t place[PHX_ORDER_SHORT_MAX];
        shard->kernels->rank_words(word, count, place);
        for (uint32_t i = 0; i < count; i++) to[place[i]] = (uint32_t)word[i];
        return;
    }
    phx_order_words(word, (uint64_t *)(void *)scratch->sorted_spare, count, shard->kernels->merge);
    for (uint32_t i = 0; i < count; i++) to[i] = (uint32_t)word[i];
}

/* The same if keys do not give the order. */
static void record_unkeyed_events(phx_scratch *scratch, phx_shard *shard, uint32_t slot, const found *events)
{
    for (uint32_t i = 0; i < events->leaves; i++) scratch->leave[i] = (uint32_t)events->leave[i];
    for (uint32_t i = 0; i < events->enters; i++) scratch->enter[i] = (uint32_t)events->enter[i];
    phx_interest_record(scratch, shard, slot, events->enters, events->leaves);
}

static void record_keyed_events(phx_scratch *scratch, phx_shard *shard, uint32_t slot, const found *events)
{
    if (PHX_UNLIKELY(shard->ninegrid.key_bits == PHX_ORDER_NO_KEY)) {
        record_unkeyed_events(scratch, shard, slot, events);
        return;
    }
    scratch->changes[scratch->change_count++] = (phx_change){.slot = slot,
                                                             .target_first = scratch->target_count,
                                                             .leave_count = events->leaves,
                                                             .enter_count = events->enters,
                                                             .list_first = PHX_SLOT_NONE,
                                                             .ordered = true,
                                                             .passes = true};
    scratch->counts.enters += events->enters;
    scratch->counts.leaves += events->leaves;
    write_ordered_words(scratch, shard, events->leave, events->leaves);
    write_ordered_words(scratch, shard, events->enter, events->enters);
}

static phx_delta_result emit_crossed_observer(phx_scratch *scratch, phx_shard *shard, const phx_cell_task *task,
                                              const phx_cell_entry *entry)
{
    enum { AT_LEAST = 1024 }; /* a steady tick allocates nothing */
    const crossing_observer at = {shard, &shard->ninegrid.crossings[entry->move]};
    crossing_inputs about = {.task = task, .left = task_left(&shard->ninegrid, at.own)};
    PHX_ASSERT(phx_ninegrid_delta(at.own));
    if (about.left && about.left->evaluate_all) return PHX_DELTA_EVALUATE;
    about.pair = crossing_pairs(&shard->ninegrid, at.own, &about.end);
    uint32_t most = most_events(&shard->ninegrid, &about) + PHX_NINEGRID_AT_ONCE,
             room = most > AT_LEAST ? most : AT_LEAST;
    if (!phx_interest_reserve(scratch, room, 0)) return PHX_DELTA_NO_MEMORY;
    _Static_assert(sizeof(phx_sort_record) >= 2 * sizeof(uint64_t), "room for leaves and for enters");
    found events = {.leave = (uint64_t *)(void *)scratch->sorted, .enter = (uint64_t *)(void *)scratch->sorted + room};
    find_events(&at, &about, &events, (uint64_t *)(void *)scratch->sorted_spare);
    scratch->counts.by_delta++;
    scratch->counts.pairs_tested += events.enters + events.leaves;
    if (events.enters + events.leaves > 0) record_keyed_events(scratch, shard, entry->slot, &events);
    return PHX_DELTA_DONE;
}

/* ---- tasks ---- */

/* The task of an item; its cell entry is number (item - task's first) in the tower. */
static const phx_cell_task *task_of(const phx_ninegrid *ninegrid, uint32_t item)
{
    uint32_t lo = 0, hi = ninegrid->task_count;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ninegrid->tasks[mid].first <= item) lo = mid;
        else hi = mid;
    }
    return &ninegrid->tasks[lo];
}

/* The observer of an item of the shard's tasks; PHX_SLOT_NONE = the item is no observer. */
static uint32_t task_item_slot(const phx_ninegrid *ninegrid, uint32_t item)
{
    const phx_cell_task *task = task_of(ninegrid, item);
    const phx_cell_entry *entry = &ninegrid->entries[task->entry + item - task->first];
    return entry->observer_kind == PHX_OBSERVER_KIND_NONE || (entry->flags & PHX_CELL_LEFT) ? PHX_SLOT_NONE
                                                                                            : entry->slot;
}

void phx_ninegrid_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count,
                               phx_undone_fn visit, void *user)
{
    (void)scratch;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t slot = task_item_slot(&shard->ninegrid, i);
        if (slot != PHX_SLOT_NONE) visit(user, slot, false);
    }
}

/* Runs one cell entry. false = no memory, its observer is untouched. */
static bool run_cell_entry(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard,
                           const phx_cell_task *task, uint32_t at, shared_targets *shared)
{
    phx_cell_entry *entry = &shard->ninegrid.entries[task->entry + at];
    bool forced = entry->observer_kind != PHX_OBSERVER_KIND_EVALUATED;
    if (entry->observer_kind == PHX_OBSERVER_KIND_NONE || (entry->flags & PHX_CELL_LEFT)) return true;
    if (!task->evaluate_all && forced) {
        if (!(entry->flags & PHX_CELL_ENTERED))
            return emit_stayed_observers(scratch, shard, task, (phx_span){at, at + 1}, shared);
        await_entrants(&shard->ninegrid, task->entrant + at - (task->entry_count - task->entered));
        phx_delta_result seen = emit_crossed_observer(scratch, shard, task, entry);
        if (seen != PHX_DELTA_EVALUATE) return seen == PHX_DELTA_DONE;
    }
    if (!phx_evaluate_observer(scratch, directory, shard, entry->slot, forced)) return false;
    entry->observer_kind = phx_ninegrid_observer_kind(&shard->store, entry->slot);
    return true;
}

/*
 * Runs these cell entries of a task; observers that stayed run together if none has to be evaluated. Returns where it
 * stopped: at the end, or where memory ended.
 */
static uint32_t run_task(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard,
                         const phx_cell_task *task, phx_span range)
{
    shared_targets shared = {0};
    uint32_t at = range.first, old = task->entry_count - task->entered, end = range.end < old ? range.end : old;
    if (at < end && !task->evaluate_all && !task->mixed && !task->special) {
        if (!emit_stayed_observers(scratch, shard, task, (phx_span){at, end}, &shared)) return at;
        at = end;
    }
    while (at < range.end && run_cell_entry(scratch, directory, shard, task, at, &shared)) at++;
    return at;
}

uint32_t phx_ninegrid_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count)
{
    enum { AWAIT_TASKS = 12 }; /* tasks ahead whose cell entries are prefetched */
    const phx_ninegrid *ninegrid = &shard->ninegrid;
    if (!phx_scratch_room(scratch, shard->store.slots)) return 0;
    scratch->square_each = scratch->square_joined = 0; /* so that the work does not depend on earlier ranges */
    const phx_cell_task *task = task_of(ninegrid, first);
    for (uint32_t item = first, end = first + count; item < end; task++) {
        uint32_t left = end - task->first;
        phx_span range = {item - task->first, left < task->entry_count ? left : task->entry_count};
        if (ninegrid->tasks + ninegrid->task_count - task > AWAIT_TASKS)
            __builtin_prefetch(&ninegrid->entries[task[AWAIT_TASKS].entry]);
        uint32_t at = run_task(scratch, directory, shard, task, range);
        item = task->first + at;
        if (at < range.end) return item - first;
    }
    return count;
}
