/*
 * index = quadtree: the shard's rectangle, split into four wherever a leaf has more entities than its capacity, down to
 * a depth; see README.md. Written in the index phase by the shard's owner (moves in place; splits and merges at the end
 * of the tick's changes), read by all workers in the interest phase; see index.h.
 *
 * A node is a square of the finest cells, 2^depth of them along each side of the rectangle. A cell outside is clamped,
 * so an outermost leaf has entities beyond the rectangle, too. The cell is monotone in the position: if all cells of a
 * node are strictly between the cells of a box's ends, all its entities are in the box, and none is tested.
 *
 * Entities of a leaf are in a chain of buckets, all but the first full: position and slot side by side.
 */
#include "shards/classical/quadtree.h"

#include <string.h>

#include "shards/classical/quadtree_nodes.h"
#include "shards/entity/entity_store.h"

enum {
    STACK_MAX = 3 * PHX_QUAD_DEPTH_MAX + 4, /* of a walk: up to three nodes of each depth wait */
    PIECE = 256                             /* candidates given at a time */
};

/* ---- changes ---- */

/* Marks a change below a node: all nodes above a marked one are marked, too. */
static void mark_path_dirty(phx_quadtree *tree, uint32_t at)
{
    uint32_t tick = (uint32_t)tree->index.tick;
    for (; at != PHX_QUAD_NONE && tree->nodes[at].dirty_tick != tick; at = tree->nodes[at].parent)
        tree->nodes[at].dirty_tick = tick;
}

static void add_to_leaf(phx_quadtree *tree, uint32_t at, uint32_t slot, const phx_body *body)
{
    phx_quad_put(tree, at, slot, body->x, body->y);
    mark_path_dirty(tree, at);
    phx_quad_enqueue(tree, at);
}

static void quadtree_insert(phx_index *index, uint32_t slot)
{
    phx_quadtree *tree = (phx_quadtree *)index;
    const phx_body *body = &index->env.store->body[slot];
    add_to_leaf(tree, phx_quad_leaf(tree, 0, phx_quad_cell(tree, 0, body->x), phx_quad_cell(tree, 1, body->y)), slot,
                body);
    tree->entities++;
}

static void quadtree_remove(phx_index *index, uint32_t slot)
{
    phx_quadtree *tree = (phx_quadtree *)index;
    uint32_t place = tree->place[slot], at = tree->links[place / PHX_QUAD_CHUNK].node;
    phx_quad_cut(tree, at, place);
    mark_path_dirty(tree, at);
    phx_quad_enqueue(tree, at);
    tree->entities--;
}

static void quadtree_move(phx_index *index, uint32_t slot)
{
    phx_quadtree *tree = (phx_quadtree *)index;
    const phx_body *body = &index->env.store->body[slot];
    uint32_t place = tree->place[slot], at = tree->links[place / PHX_QUAD_CHUNK].node;
    uint32_t cx = phx_quad_cell(tree, 0, body->x), cy = phx_quad_cell(tree, 1, body->y);
    mark_path_dirty(tree, at);
    if (phx_quad_holds(&tree->nodes[at], cx, cy)) {
        tree->buckets[place / PHX_QUAD_CHUNK].x[place % PHX_QUAD_CHUNK] = body->x;
        tree->buckets[place / PHX_QUAD_CHUNK].y[place % PHX_QUAD_CHUNK] = body->y;
        return;
    }
    phx_quad_cut(tree, at, place);
    phx_quad_enqueue(tree, at);
    for (; !phx_quad_holds(&tree->nodes[at], cx, cy); at = tree->nodes[at].parent) index->counts.steps++;
    add_to_leaf(tree, phx_quad_leaf(tree, at, cx, cy), slot, body);
}

/* ---- candidates ---- */

/* The cells of a box's ends, inclusive. */
typedef struct window {
    uint32_t x0, y0, x1, y1;
} window;

static window window_of(const phx_quadtree *tree, phx_box box)
{
    return (window){phx_quad_cell(tree, 0, box.x0), phx_quad_cell(tree, 1, box.y0), phx_quad_cell(tree, 0, box.x1),
                    phx_quad_cell(tree, 1, box.y1)};
}

/* A bit for each of a node's four children with cells in the window, which meets it. */
static uint32_t children_in(const phx_quad_node *at, window in)
{
    uint32_t half = 1u << (at->bits - 1u), x = at->x + half, y = at->y + half;
    uint32_t columns = (uint32_t)(in.x0 < x) | (uint32_t)(in.x1 >= x) << 1;
    return (in.y0 < y ? columns : 0) | (in.y1 >= y ? columns << 2 : 0);
}

/* Is the whole node in the box, wherever the box's ends are in their cells? */
static bool node_within(const phx_quad_node *at, window in)
{
    uint32_t last = (1u << at->bits) - 1;
    return at->x > in.x0 && at->x + last < in.x1 && at->y > in.y0 && at->y + last < in.y1;
}

/* Candidates for the sink. */
typedef struct piece {
    phx_sink *sink;
    uint32_t count;
    uint32_t slots[PIECE + PHX_QUAD_CHUNK];
} piece;

static void flush_piece(piece *out)
{
    if (out->count > 0) out->sink->take(out->sink, out->slots, out->count);
    out->count = 0;
}

/* The next bucket of a chain, prefetched while this one is compared. */
static uint32_t fetch_next(const phx_quadtree *tree, uint32_t at)
{
    uint32_t next = tree->links[at].next;
    if (next == PHX_QUAD_NONE) return next;
    const char *line = (const char *)&tree->buckets[next];
    for (size_t i = 0; i < sizeof(phx_quad_bucket); i += PHX_CACHE_LINE) __builtin_prefetch(line + i);
    return next;
}

/* Gives the entities of a leaf in the box; if few are, most lanes are skipped eight at a time. */
static void emit_leaf_in_box(const phx_quadtree *tree, const phx_quad_node *leaf, phx_box box, piece *out)
{
    enum { GROUP = sizeof(uint64_t) };
    uint32_t count = phx_quad_in_first(leaf), next;
    for (uint32_t at = leaf->first; at != PHX_QUAD_NONE; at = next, count = PHX_QUAD_CHUNK) {
        const phx_quad_bucket *some = &tree->buckets[at];
        uint8_t in[PHX_QUAD_CHUNK];
        next = fetch_next(tree, at);
        for (uint32_t i = 0; i < PHX_QUAD_CHUNK; i++) in[i] = phx_box_has(box, some->x[i], some->y[i]);
        for (uint32_t first = 0; first < count; first += GROUP) {
            uint64_t any;
            memcpy(&any, in + first, sizeof any);
            for (uint32_t i = first; any != 0 && i < first + GROUP && i < count; i++) {
                out->slots[out->count] = some->slot[i];
                out->count += in[i];
            }
        }
        if (out->count >= PIECE) flush_piece(out);
    }
}

static void emit_leaf(const phx_quadtree *tree, const phx_quad_node *leaf, phx_sink *sink)
{
    uint32_t count = phx_quad_in_first(leaf);
    for (uint32_t at = leaf->first; at != PHX_QUAD_NONE; at = tree->links[at].next, count = PHX_QUAD_CHUNK)
        sink->take(sink, tree->buckets[at].slot, count);
}

static void quadtree_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const uint32_t WHOLE = 1u << 31; /* all entities below are in the box */
    const phx_quadtree *tree = (const phx_quadtree *)index;
    window in = window_of(tree, box);
    piece out; /* its slots are not cleared */
    uint32_t stack[STACK_MAX], waiting = 0;
    out.sink = sink;
    out.count = 0;
    for (stack[waiting++] = 0; waiting > 0;) {
        uint32_t whole = stack[--waiting] & WHOLE;
        const phx_quad_node *at = &tree->nodes[stack[waiting] & ~WHOLE];
        sink->visited++;
        if (!whole && node_within(at, in)) whole = WHOLE;
        if (at->children == PHX_QUAD_NONE) {
            if (whole) emit_leaf(tree, at, sink);
            else emit_leaf_in_box(tree, at, box, &out);
            continue;
        }
        PHX_ASSERT(waiting + 4 <= STACK_MAX);
        for (uint32_t left = whole ? 15 : children_in(at, in); left; left &= left - 1)
            stack[waiting++] = (at->children + (uint32_t)__builtin_ctz(left)) | whole;
    }
    flush_piece(&out);
}

static bool quadtree_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const phx_quadtree *tree = (const phx_quadtree *)index;
    window in = window_of(tree, box);
    uint32_t stack[STACK_MAX], waiting = 0;
    (void)observer;
    for (stack[waiting++] = 0; waiting > 0;) {
        const phx_quad_node *at = &tree->nodes[stack[--waiting]];
        if (at->dirty_tick != (uint32_t)index->tick) continue;
        if (at->children == PHX_QUAD_NONE) return true;
        PHX_ASSERT(waiting + 4 <= STACK_MAX);
        for (uint32_t left = children_in(at, in); left; left &= left - 1)
            stack[waiting++] = at->children + (uint32_t)__builtin_ctz(left);
    }
    return false;
}

/* ---- lifetime ---- */

static void quadtree_release(phx_index *index)
{
    phx_quad_free((phx_quadtree *)index, index->env.mem);
}

/* The root is the shard's rectangle. */
static void set_root_rect(phx_quadtree *tree, const phx_index_env *env)
{
    double size = env->rules->tower_size, sides = (double)(1u << tree->depth);
    tree->low[0] = (double)env->rules->origin[0] + env->rect.x0 * size;
    tree->low[1] = (double)env->rules->origin[1] + env->rect.y0 * size;
    tree->cells[0] = sides / ((env->rect.x1 - env->rect.x0 + 1) * size);
    tree->cells[1] = sides / ((env->rect.y1 - env->rect.y0 + 1) * size);
}

static bool quadtree_init(phx_index *index)
{
    phx_quadtree *tree = (phx_quadtree *)index;
    tree->leaf_capacity = index->env.rules->quadtree_capacity;
    tree->depth = index->env.rules->quadtree_depth;
    PHX_ASSERT(tree->leaf_capacity > 0 && tree->depth <= PHX_QUAD_DEPTH_MAX);
    set_root_rect(tree, &index->env);
    return phx_quad_init(tree, index->env.mem);
}

static bool quadtree_reserve(phx_index *index, uint32_t slots)
{
    return phx_quad_reserve((phx_quadtree *)index, index->env.mem, slots);
}

static bool quadtree_end_changes(phx_index *index)
{
    return phx_quad_apply((phx_quadtree *)index, index->env.mem);
}

/* ---- validation ---- */

static bool leaf_valid(const phx_quadtree *tree, uint32_t leaf)
{
    const phx_store *store = tree->index.env.store;
    const phx_quad_node *at = &tree->nodes[leaf];
    uint32_t count = phx_quad_in_first(at), seen = 0;
    for (uint32_t c = at->first; c != PHX_QUAD_NONE; c = tree->links[c].next, count = PHX_QUAD_CHUNK) {
        const phx_quad_bucket *some = &tree->buckets[c];
        if (tree->links[c].node != leaf) return false;
        for (uint32_t i = 0; i < count; i++, seen++) {
            const phx_body *body = &store->body[some->slot[i]];
            bool there =
                body->x == some->x[i] && body->y == some->y[i] && tree->place[some->slot[i]] == c * PHX_QUAD_CHUNK + i;
            if (!(body->state & PHX_SLOT_LIVE) || !there) return false;
            if (!phx_quad_holds(at, phx_quad_cell(tree, 0, body->x), phx_quad_cell(tree, 1, body->y))) return false;
        }
    }
    return seen == at->count && (seen <= tree->leaf_capacity || at->bits == 0);
}

/* Are all nodes below a node valid, and too many entities for one leaf? */
static bool node_valid(const phx_quadtree *tree, uint32_t at, uint32_t *count)
{
    const phx_quad_node *above = &tree->nodes[at];
    bool leaves = true;
    *count = above->count;
    if (above->children == PHX_QUAD_NONE) return leaf_valid(tree, at);
    *count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t some, child = above->children + i;
        if (tree->nodes[child].parent != at || !node_valid(tree, child, &some)) return false;
        leaves &= tree->nodes[child].children == PHX_QUAD_NONE;
        *count += some;
    }
    return !leaves || *count >= tree->leaf_capacity;
}

static bool quadtree_valid(const phx_index *index)
{
    const phx_quadtree *tree = (const phx_quadtree *)index;
    uint32_t count;
    return node_valid(tree, 0, &count) && count == tree->entities && phx_index_has_all(index, count);
}

const phx_index_ops phx_index_quadtree = {
    .bytes = sizeof(phx_quadtree),
    .init = quadtree_init,
    .release = quadtree_release,
    .reserve = quadtree_reserve,
    .insert = quadtree_insert,
    .remove = quadtree_remove,
    .move = quadtree_move,
    .turn = quadtree_end_changes,
    .around = quadtree_around,
    .any_dirty_near = quadtree_dirty,
    .valid = quadtree_valid,
};
