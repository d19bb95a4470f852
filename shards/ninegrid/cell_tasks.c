/*
 * Tasks of the interest phase: the crossings of a tick, brought to the towers that see them come or go; see
 * cell_tasks.h.
 */
#include "shards/ninegrid/cell_tasks.h"

/* Adds pairs of these towers of a cell block with the crossing. There is room. */
static void add_tower_pairs(phx_ninegrid *ninegrid, const phx_cell_block *cell_block, uint64_t towers,
                            phx_crossing_word crossing)
{
    uint32_t number = (uint32_t)(cell_block - ninegrid->cell_blocks), observed_count = 0;
    phx_ninegrid_pair *pair = ninegrid->found + ninegrid->found_count;
    for (; towers; towers &= towers - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(towers);
        bool observed = cell_block->observed >> t & 1;
        *pair++ =
            (phx_ninegrid_pair){.crossing = crossing, .cell_block = number, .tower = (uint8_t)t, .observed = observed};
        observed_count += observed;
    }
    ninegrid->found_count = (uint32_t)(pair - ninegrid->found);
    ninegrid->bins[number] += observed_count;
}

static phx_rect join_rects(phx_rect a, phx_rect b)
{
    return (phx_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                      a.y1 > b.y1 ? a.y1 : b.y1};
}

/*
 * Adds pairs of the towers in `rect` of one instance that see the crossing come or go: towers around its old place and
 * its new place (NULL: none). If its attributes changed, all observers there are evaluated. false = no memory.
 */
static bool show_in(phx_ninegrid *ninegrid, phx_mem *mem, uint32_t i, uint32_t instance, const phx_rect *from,
                    const phx_rect *to, phx_rect rect)
{
    const phx_crossing *crossing = &ninegrid->crossings[i];
    bool by_delta = phx_ninegrid_delta(crossing);
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, instance, rect);
    for (phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        if (!phx_grow(mem, (void **)&ninegrid->found, &ninegrid->found_capacity, ninegrid->found_count,
                      (size_t)ninegrid->found_count + 2 * PHX_BLOCK_TOWERS, sizeof(phx_ninegrid_pair)))
            return false;
        uint64_t here = by_delta ? cell_block->stood : cell_block->observed;
        uint64_t a = from ? phx_cell_block_mask(cell_block, *from) & here : 0;
        uint64_t b = to ? phx_cell_block_mask(cell_block, *to) & here : 0;
        add_tower_pairs(ninegrid, cell_block, a & ~b, phx_crossing_word_of(i, false, crossing->special));
        add_tower_pairs(ninegrid, cell_block, b & ~a, phx_crossing_word_of(i, true, crossing->special));
        if (crossing->attr_changed) cell_block->evaluate_all |= (a | b) & cell_block->observed;
    }
    return true;
}

static bool show_crossing(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in, uint32_t i)
{
    phx_crossing *c = &ninegrid->crossings[i];
    phx_rect from = phx_ninegrid_rect(in->rules, in->rules->span, c->ax, c->ay);
    phx_rect to = phx_ninegrid_rect(in->rules, in->rules->span, c->bx, c->by);
    const uint32_t then = c->was ? ninegrid->cell_blocks[c->from].instance : 0,
                   now = phx_crossing_instance(in->store, c);
    c->pair = ninegrid->found_count;
    bool meet = from.x0 <= to.x1 && to.x0 <= from.x1 && from.y0 <= to.y1 && to.y0 <= from.y1;
    if (c->was && c->is && meet && then == now) return show_in(ninegrid, mem, i, now, &from, &to, join_rects(from, to));
    return (!c->was || show_in(ninegrid, mem, i, then, &from, NULL, from)) &&
           (!c->is || show_in(ninegrid, mem, i, now, NULL, &to, to));
}

/*
 * Sorts the pairs with observers by cell block, in their order. bins[] has the count of each block, and then where its
 * pairs begin. false = no memory.
 */
static bool bin_pairs(phx_ninegrid *ninegrid, phx_mem *mem)
{
    uint32_t sum = 0;
    if (!phx_grow(mem, (void **)&ninegrid->binned, &ninegrid->binned_capacity, 0, ninegrid->found_count,
                  sizeof(phx_ninegrid_binned_pair)) ||
        !phx_grow(mem, (void **)&ninegrid->pairs, &ninegrid->pairs_capacity, 0, ninegrid->found_count,
                  sizeof(uint32_t)))
        return false;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        uint32_t count = ninegrid->bins[c];
        ninegrid->bins[c] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < ninegrid->found_count; i++) {
        const phx_ninegrid_pair *pair = &ninegrid->found[i];
        if (!pair->observed) continue;
        /* at the end, its bin is where the next bin begins */
        ninegrid->binned[ninegrid->bins[pair->cell_block]++] =
            (phx_ninegrid_binned_pair){.crossing = pair->crossing, .tower = pair->tower};
    }
    return true;
}

/*
 * Appends the crossings that came to a tower: rarely more than one, and their number is not predictable. There is room
 * for one more.
 */
static inline void collect_arrived_entries(phx_ninegrid *ninegrid, const phx_tower *tower)
{
    const uint32_t entered = tower->count - tower->old;
    uint32_t *to = ninegrid->entrants + ninegrid->entrant_count;
    to[0] = tower->task;
    ninegrid->entrant_count += entered;
    if (PHX_LIKELY(entered <= 1)) return;
    const phx_cell_entry *entry = ninegrid->entries + tower->first + tower->old;
    for (uint32_t i = 0; i < entered; i++) to[i] = entry[i].move;
}

/* Makes the tasks of a cell block: `towers`, and the towers of its pairs [first, end). There is room. */
static void make_tasks(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint64_t towers, uint32_t first,
                       uint32_t end)
{
    uint32_t next[PHX_BLOCK_TOWERS]
                 [2]; /* by tower, of its leaves and enters: their number, then the place of the next */
    for (uint32_t i = first; i < end; i++) towers |= 1ull << ninegrid->binned[i].tower;
    for (uint64_t left = towers; left; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);
        next[t][0] = next[t][1] = 0;
    }
    for (uint32_t i = first; i < end; i++)
        next[ninegrid->binned[i].tower][phx_crossing_word_enters(ninegrid->binned[i].crossing)]++;
    uint32_t place = first;
    for (uint64_t left = towers; left; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);
        const phx_tower *tower = &cell_block->tower[t];
        collect_arrived_entries(ninegrid, tower);
        cell_block->tower[t].task = ninegrid->task_count;
        ninegrid->tasks[ninegrid->task_count++] =
            (phx_cell_task){.first = ninegrid->item_count,
                            .entry = tower->first,
                            .entry_count = tower->count,
                            .entered = tower->count - tower->old,
                            .entrant = ninegrid->entrant_count - (tower->count - tower->old),
                            .pair = place,
                            .leave_count = next[t][0],
                            .enter_count = next[t][1],
                            .evaluate_all = cell_block->evaluate_all >> t & 1,
                            .mixed = cell_block->may_evaluate >> t & 1};
        ninegrid->item_count += tower->count;
        next[t][1] += place + next[t][0];
        next[t][0] = place;
        place = next[t][1];
        next[t][1] -= ninegrid->tasks[ninegrid->task_count - 1].enter_count;
    }
    for (uint32_t i = first; i < end; i++) {
        const phx_crossing_word crossing = ninegrid->binned[i].crossing;
        const uint32_t t = ninegrid->binned[i].tower;
        ninegrid->pairs[next[t][phx_crossing_word_enters(crossing)]++] = phx_crossing_word_number(crossing);
        if (PHX_UNLIKELY(phx_crossing_word_special(crossing)))
            ninegrid->tasks[cell_block->tower[t].task].special = true;
    }
    cell_block->tasks = towers;
    ninegrid->evaluating |= cell_block->evaluate_all != 0;
}

bool phx_cell_tasks_find(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    ninegrid->task_count = ninegrid->entrant_count = ninegrid->found_count = ninegrid->item_count = 0;
    ninegrid->evaluating = false;
    bool may_evaluate = in->evaluate_all || (in->changed && ninegrid->marking);
    if (ninegrid->crossing_count == 0 && !may_evaluate) return true;
    if (!phx_grow(mem, (void **)&ninegrid->bins, &ninegrid->bins_capacity, 0, ninegrid->cell_block_count,
                  sizeof(uint32_t)) ||
        !phx_grow(mem, (void **)&ninegrid->entrants, &ninegrid->entrants_capacity, 0,
                  (size_t)ninegrid->crossing_count + 1, sizeof(uint32_t)))
        return false;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        ninegrid->cell_blocks[c].evaluate_all = in->evaluate_all ? ninegrid->cell_blocks[c].observed : 0;
        ninegrid->bins[c] = 0;
    }
    for (uint32_t i = 0; i < ninegrid->crossing_count; i++)
        if (!show_crossing(ninegrid, mem, in, i)) return false;
    if (!bin_pairs(ninegrid, mem)) return false;
    for (uint32_t c = 0, first = 0; c < ninegrid->cell_block_count; first = ninegrid->bins[c++]) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        uint64_t towers = (cell_block->untidy & cell_block->observed) | cell_block->evaluate_all |
                          (in->changed ? cell_block->may_evaluate : 0);
        cell_block->tasks = 0;
        if (!towers && first == ninegrid->bins[c]) continue;
        if (!phx_grow(mem, (void **)&ninegrid->tasks, &ninegrid->tasks_capacity, ninegrid->task_count,
                      (size_t)ninegrid->task_count + PHX_BLOCK_TOWERS, sizeof(phx_cell_task)))
            return false;
        make_tasks(ninegrid, cell_block, towers, first, ninegrid->bins[c]);
    }
    return true;
}
