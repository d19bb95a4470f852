/*
 * Queries: through the gate, then src/world/read/query.c and read/find.c. See pharos.h and query.h.
 */
#include "api/handles.h"
#include "base/float_env.h"
#include "world/read/export.h"
#include "world/read/find.h"
#include "world/read/query.h"
#include "world/read/verify.h"
#include "world/table/gate.h"

/* PH_OK: inside the gate, phx_gate_read_end() is due. */
static ph_status read_begin(ph_world handle, phx_world **world)
{
    *world = phx_resolve_world(handle);
    if (!*world) return PH_BAD_HANDLE;
    return phx_gate_read_begin(&(*world)->gate) ? PH_OK : PH_BUSY;
}

ph_status ph_entity_get(ph_world handle, uint64_t id, ph_attrs *attrs)
{
    phx_world *world;
    if (!attrs) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_query_entity(world, id, attrs);
    phx_gate_read_end(&world->gate);
    return status;
}

ph_status ph_export(ph_world handle, uint64_t id, ph_stay_fn stay, void *user, void *capsule, size_t size,
                    size_t *bytes)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!bytes || (!capsule && size > 0)) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_export(world, id, &(phx_stays){stay, user}, capsule, size, bytes);
    phx_gate_read_end(&world->gate);
    return status;
}

ph_status ph_capsule_ids(const void *capsule, size_t size, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    phx_capsule_walk walk;
    phx_capsule_view view;
    if (!count || !capsule || (!ids && capacity > 0)) return PH_BAD_ARGUMENT;
    *count = 0;
    if (!phx_capsule_open(&walk, capsule, size)) return PH_BAD_VALUE;
    while (phx_capsule_next(&walk, &view)) {
        if (*count < capacity) ids[*count] = view.member.id;
        ++*count;
    }
    if (phx_capsule_ended(&walk)) return PH_OK;
    *count = 0;
    return PH_BAD_VALUE;
}

ph_status ph_sees(ph_world handle, uint64_t observer, uint64_t target, bool *sees)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!sees) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_query_sees(world, observer, target, sees);
    phx_gate_read_end(&world->gate);
    return status;
}

typedef ph_status (*query_fn)(phx_world *world, uint64_t id, phx_found *found);

static ph_status copy_ids(ph_world handle, query_fn query, uint64_t id, uint64_t *ids, uint32_t capacity,
                          uint32_t *count)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!count || (!ids && capacity > 0)) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    phx_found found;
    status = query(world, id, &found);
    if (status == PH_OK) {
        *count = found.count;
        for (uint32_t i = 0; i < found.count && i < capacity; i++) ids[i] = found.items[i].id;
    }
    phx_found_free(&found);
    phx_gate_read_end(&world->gate);
    return status;
}

/*
 * A visit holds nothing while the host's callback runs, neither the gate nor memory: a C++ exception or a longjmp()
 * (Lua's errors) may go through this stack frame, and there is nothing to be given back. So a piece of the list at a
 * time is copied to the stack. A tick that came in between ends the visit: a walk over two lists would be neither.
 */
enum { PIECE = 256 }; /* of a list, on the stack: 6 KiB */

typedef ph_status (*piece_fn)(const phx_world *world, const void *of, phx_list_piece *piece);

static ph_status list_piece(const phx_world *world, const void *of, phx_list_piece *piece)
{
    return phx_query_list_piece(world, *(const uint64_t *)of, piece);
}

static ph_status observers_piece(const phx_world *world, const void *of, phx_list_piece *piece)
{
    return phx_query_observers_piece(world, *(const uint64_t *)of, piece);
}

static ph_status find_piece(const phx_world *world, const void *of, phx_list_piece *piece)
{
    return phx_find_piece(world, of, piece);
}

/* The callback of a list, called as that of a query. */
typedef struct id_visit {
    ph_visit_fn visit;
    void *user;
} id_visit;

static bool visit_id(void *user, const ph_hit *hit)
{
    const id_visit *at = user;
    return at->visit(at->user, hit->id, hit->user_data);
}

/* In the gate again: PH_OK while the world is as it was when the visit began. */
static ph_status visit_goes_on(ph_world handle, uint64_t changes)
{
    phx_world *world;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    bool same = world->changes == changes;
    phx_gate_read_end(&world->gate);
    return same ? PH_OK : PH_BUSY;
}

/* Copies the next piece. The first one sets *changes; later ones return PH_BUSY when a tick or apply has run since. */
static ph_status visit_piece(ph_world handle, piece_fn query, const void *of, phx_list_piece *piece, uint64_t *changes)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    if (!piece->behind) *changes = world->changes;
    status = world->changes == *changes ? query(world, of, piece) : PH_BUSY;
    phx_gate_read_end(&world->gate);
    return status;
}

static ph_status visit_hits(ph_world handle, piece_fn query, const void *of, ph_hit_fn visit, void *user)
{
    ph_hit hits[PIECE];
    phx_list_piece piece = {.hits = {.at = hits, .room = PIECE}};
    uint64_t changes = 0;
    do {
        ph_status status = visit_piece(handle, query, of, &piece, &changes);
        if (status != PH_OK) return status;
        for (uint32_t i = 0; i < piece.hits.kept; i++) {
            if (!visit(user, &hits[i])) return PH_OK;
            status = visit_goes_on(handle, changes);
            if (status != PH_OK) return status;
        }
    } while (piece.left);
    return PH_OK;
}

static ph_status visit_ids(ph_world handle, piece_fn query, uint64_t id, ph_visit_fn visit, void *user)
{
    id_visit at = {visit, user};
    return visit ? visit_hits(handle, query, &id, visit_id, &at) : PH_BAD_ARGUMENT;
}

ph_status ph_list(ph_world world, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    return copy_ids(world, phx_query_list, observer, ids, capacity, count);
}

ph_status ph_observers(ph_world world, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    return copy_ids(world, phx_query_observers, target, ids, capacity, count);
}

ph_status ph_list_visit(ph_world world, uint64_t observer, ph_visit_fn visit, void *user)
{
    return visit_ids(world, list_piece, observer, visit, user);
}

ph_status ph_observers_visit(ph_world world, uint64_t target, ph_visit_fn visit, void *user)
{
    return visit_ids(world, observers_piece, target, visit, user);
}

ph_status ph_find(ph_world handle, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!query || !count) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_find(world, query, hits, capacity, count);
    phx_gate_read_end(&world->gate);
    return status;
}

ph_status ph_find_visit(ph_world handle, const ph_query *query, ph_hit_fn visit, void *user)
{
    if (!query || !visit) return PH_BAD_ARGUMENT;
    ph_query own = *query; /* the callback may write its own */
    return visit_hits(handle, find_piece, &own, visit, user);
}

ph_status ph_find_many(ph_world handle, uint32_t count, const ph_query *queries, ph_answer *answers)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (count > 0 && (!queries || !answers)) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_find_many(world, count, queries, answers);
    phx_gate_read_end(&world->gate);
    return status;
}

ph_status ph_explain(ph_world handle, uint64_t observer, uint64_t target, ph_explanation *explanation)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!explanation) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = phx_query_explain(world, observer, target, explanation);
    phx_gate_read_end(&world->gate);
    return status;
}

ph_status ph_verify(ph_world handle, uint64_t pairs, ph_verification *progress, ph_difference *difference)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world;
    if (!progress || !difference) return PH_BAD_ARGUMENT;
    if (!phx_is_zero(progress->reserved, sizeof progress->reserved)) return PH_BAD_ARGUMENT;
    ph_status status = read_begin(handle, &world);
    if (status != PH_OK) return status;
    status = world->begun ? PH_BUSY : phx_verify(world, pairs, progress, difference);
    phx_gate_read_end(&world->gate);
    return status;
}
