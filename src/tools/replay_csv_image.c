/*
 * Rows of an image; see replay_csv_image.h. Its entities enter as remote ones, in the tick before the image's; in its
 * tick each becomes an own one by the capsule that ph_export() makes of it, which tells no event. A capsule says how
 * many ticks ago a thing was, seen from the next tick; so its ages are made less by one. An age that is 0 then is found
 * out by the tick itself: an NPC is alone since that tick, and an entity moves in it. A view that crowd control is
 * about to shrink or to widen gets its step in that tick, too: it is written one step before.
 */
#include "tools/replay_csv_image.h"

#include <math.h>
#include <string.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "base/idmap.h"
#include "world/image/image.h"
#include "world/image/restore_bonds.h"
#include "world/ingest/crowd_control.h"
#include "world/queue/capsule.h"
#include "world/state/crowd_types.h"

/* An image that is written. */
typedef struct image_rows {
    phx_csv_rows *rows;
    const phx_image *image;
    ph_world world;
    phx_idmap imported; /* ids that a capsule has brought */
    phx_idmap moved;    /* ids that moved in the image's tick: it gets to its place by a move in that tick */
    phx_idmap steps;    /* ids with a view that crowd control changes: the step before that of the image */
} image_rows;

static uint64_t id_at(const image_rows *from, uint32_t entity)
{
    return PHX_IMAGE_ROWS(from->image, entities, entity)[entity].id;
}

static bool is_remote(const image_rows *from, uint32_t entity)
{
    const phx_saved_entity *saved = &PHX_IMAGE_ROWS(from->image, entities, entity)[entity];
    return PHX_IMAGE_ROWS(from->image, attrs, attr)[saved->set].given & PH_REMOTE;
}

static bool is_imported(const image_rows *from, uint32_t entity)
{
    return phx_idmap_find(&from->imported, id_at(from, entity)) != NULL;
}

static bool has_moved(const image_rows *from, uint64_t id)
{
    return phx_idmap_find(&from->moved, id) != NULL;
}

/* The nearest other coordinate. */
static float beside(float x)
{
    return nextafterf(x, x > 0 ? 0 : 1);
}

/* false = no memory. */
static bool find_moved(image_rows *from)
{
    const phx_image *image = from->image;
    if (!phx_idmap_reserve(&from->moved, PHX_IMAGE_COUNT(image, moved))) return false;
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, moved); i++) {
        const phx_saved_moved *saved = &PHX_IMAGE_ROWS(image, moved, moved)[i];
        if (saved->tick == (uint32_t)image->tick) phx_idmap_insert(&from->moved, id_at(from, saved->entity), 1);
    }
    return true;
}

/*
 * What the tick would make of steps, counts being as they are: where it goes on from s to s + 1, s came from s - 1, as
 * the tick looks at the same counts. false = no memory.
 */
static bool find_steps(image_rows *from)
{
    phx_world *world = phx_resolve_world(from->world);
    if (!phx_crowd_due(world)) return true;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!phx_step_crowd_count(world, i)) return false;
    if (!phx_crowd_gather(world)) return false;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_store *store = &world->shards[i].store;
        const phx_crowd_control_shard *of = &world->crowd.shards[i];
        if (!phx_step_crowd_decide(world, i) ||
            !phx_idmap_reserve(&from->steps, phx_idmap_count(&from->steps) + of->change_count))
            return false;
        for (uint32_t c = 0; c < of->change_count; c++) {
            const uint32_t slot = of->changes[c].slot, next = of->changes[c].step;
            const uint32_t step = phx_store_attr(store, slot)->crowd_step, twice = 2 * step;
            const uint32_t before = twice > next ? twice - next : 0;
            phx_idmap_insert(&from->steps, store->name[slot].id, before < PHX_CROWD_STEPS ? before : PHX_CROWD_STEPS);
        }
    }
    return true;
}

static void move_to_place(const image_rows *from, uint32_t entity)
{
    const phx_saved_entity *saved = &PHX_IMAGE_ROWS(from->image, entities, entity)[entity];
    const ph_attrs attrs = {.given = PH_POSITION, .x = saved->x, .y = saved->y, .z = saved->z};
    if (has_moved(from, saved->id)) phx_csv_attrs(from->rows, PHX_TRACE_OP_MOVE, saved->id, &attrs);
}

static void enter_remote(const image_rows *from, uint32_t entity)
{
    const phx_saved_entity *saved = &PHX_IMAGE_ROWS(from->image, entities, entity)[entity];
    const phx_saved_attr *attr = &PHX_IMAGE_ROWS(from->image, attrs, attr)[saved->set];
    const uint32_t unlike = (attr->kind != 0 ? PH_KIND : 0u) | (attr->consumer != 0 ? PH_CONSUMER : 0u) |
                            (attr->instance != 0 ? PH_INSTANCE : 0u);
    const ph_attrs attrs = {.given = attr->given | PH_POSITION | PH_USER_DATA | PH_REMOTE | unlike,
                            .x = has_moved(from, saved->id) ? beside(saved->x) : saved->x,
                            .y = saved->y,
                            .z = saved->z,
                            .kind = attr->kind,
                            .view = attr->view,
                            .margin = attr->margin,
                            .reach = attr->reach,
                            .layers = attr->layers,
                            .sees = attr->sees,
                            .stealth = attr->stealth,
                            .detect = attr->detect,
                            .global = attr->global,
                            .ready = attr->ready,
                            .cap = attr->cap,
                            .priority = attr->priority,
                            .user_data = saved->user_data,
                            .consumer = attr->consumer,
                            .visible = attr->visible,
                            .veiled = attr->veiled,
                            .instance = attr->instance,
                            .remote = true};
    phx_csv_attrs(from->rows, PHX_TRACE_OP_ENTER, saved->id, &attrs);
}

/* An age one tick before; 0: never, so that the tick itself finds it out. */
static void take_tick(unsigned char *age, uint32_t least)
{
    uint32_t ticks;
    memcpy(&ticks, age, sizeof ticks);
    if (ticks > least) ticks--;
    memcpy(age, &ticks, sizeof ticks);
}

/* A capsule of the tick's end as one of its begin. */
static void make_older(const image_rows *from, unsigned char *capsule, size_t bytes, bool moved)
{
    phx_capsule_walk walk;
    phx_capsule_view view;
    unsigned char *member = capsule + sizeof(phx_capsule_head);
    (void)phx_capsule_open(&walk, capsule, bytes);
    for (; phx_capsule_next(&walk, &view); member = capsule + (walk.at - capsule)) {
        take_tick(member + offsetof(phx_capsule_member, alone), 0);
        take_tick(member + offsetof(phx_capsule_member, moved), 0);
        const uint64_t *step = phx_idmap_find(&from->steps, view.member.id);
        if (step) member[offsetof(phx_capsule_member, step)] = (unsigned char)*step;
        const float x = moved ? beside(view.member.x) : view.member.x;
        memcpy(member + offsetof(phx_capsule_member, x), &x, sizeof x);
        for (uint32_t i = 0; i < view.member.deferred; i++)
            take_tick(capsule + (view.deferred - capsule) + i * sizeof(phx_capsule_deferred) +
                          offsetof(phx_capsule_deferred, age),
                      1);
    }
    phx_capsule_seal(capsule, bytes - sizeof(uint64_t));
}

/* The family below an entity, if it is a root. false = no memory. */
static bool import_family(image_rows *from, uint32_t entity)
{
    static unsigned char capsule[PH_CAPSULE_MAX];
    static uint64_t ids[PH_CAPSULE_MAX / sizeof(uint64_t)];
    const uint32_t most = sizeof ids / sizeof *ids;
    const uint64_t id = id_at(from, entity);
    size_t bytes;
    uint32_t count;
    const ph_status status = ph_export(from->world, id, NULL, NULL, capsule, sizeof capsule, &bytes);
    if (status == PH_NO_MEMORY) return false;
    if (status != PH_OK) return true; /* a child, or a family that is too large */
    const ph_status counted = ph_capsule_ids(capsule, bytes, ids, most, &count);
    PHX_ASSERT(counted == PH_OK && count <= most);
    (void)counted;
    if (!phx_idmap_reserve(&from->imported, phx_idmap_count(&from->imported) + count)) return false;
    for (uint32_t i = 0; i < count; i++) phx_idmap_insert(&from->imported, ids[i], 1);
    make_older(from, capsule, bytes, has_moved(from, id));
    phx_csv_import(from->rows, id, capsule, bytes);
    move_to_place(from, entity);
    return true;
}

/* An own entity that no capsule brought begins anew. */
static void write_others(const image_rows *from)
{
    const phx_image *image = from->image;
    const ph_attrs own = {.given = PH_REMOTE};
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, entities); i++)
        if (!is_imported(from, i) && !is_remote(from, i))
            phx_csv_attrs(from->rows, PHX_TRACE_OP_SET, id_at(from, i), &own);
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, attachments); i++) {
        const phx_saved_attachment *saved = &PHX_IMAGE_ROWS(image, attachments, attachment)[i];
        if (!is_imported(from, saved->child))
            phx_csv_two(from->rows, PHX_TRACE_OP_ATTACH, id_at(from, saved->child), id_at(from, saved->parent));
    }
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, relations); i++) {
        const phx_saved_relation *saved = &PHX_IMAGE_ROWS(image, relations, relation)[i];
        const uint64_t observer = id_at(from, saved->observer), target = id_at(from, saved->target);
        if (is_imported(from, saved->observer)) continue;
        if (saved->bits & PHX_RELATION_LINK) phx_csv_two(from->rows, PHX_TRACE_OP_LINK, observer, target);
        if (saved->bits & PHX_RELATION_PAIR) phx_csv_pair(from->rows, observer, target, saved->view, saved->margin);
        if (saved->bits & PHX_RELATION_HIDE) phx_csv_two(from->rows, PHX_TRACE_OP_HIDE, observer, target);
        if (saved->bits & PHX_RELATION_REVEAL) phx_csv_two(from->rows, PHX_TRACE_OP_REVEAL, observer, target);
    }
}

static bool write_image(image_rows *from, uint64_t tick)
{
    const phx_image *image = from->image;
    bool memory = find_moved(from) && find_steps(from);
    if (PHX_IMAGE_COUNT(image, entities) == 0 && PHX_IMAGE_COUNT(image, areas) == 0) return true;
    PHX_ASSERT(tick > 0); /* an entity enters in a tick */
    from->rows->tick = tick > 1 ? tick - 1 : tick;
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, entities); i++) enter_remote(from, i);
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, areas); i++) {
        const phx_saved_area *saved = &PHX_IMAGE_ROWS(image, areas, area)[i];
        const ph_area area = phx_restore_area(saved);
        phx_csv_area(from->rows, saved->id, &area);
    }
    from->rows->tick = tick;
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, entities) && memory; i++)
        if (!is_remote(from, i)) memory = import_family(from, i);
        else move_to_place(from, i);
    write_others(from);
    return memory;
}

bool phx_csv_image(phx_csv_rows *rows, ph_world world, phx_mem *mem)
{
    image_rows from = {.rows = rows, .world = world};
    ph_image *image = NULL;
    if (ph_image_capture(world, &image) != PH_OK) return false; /* it was loaded, so it owes nothing */
    from.image = image;
    phx_idmap_init(&from.imported, mem);
    phx_idmap_init(&from.moved, mem);
    phx_idmap_init(&from.steps, mem);
    const bool memory = write_image(&from, image->tick);
    phx_idmap_free(&from.imported);
    phx_idmap_free(&from.moved);
    phx_idmap_free(&from.steps);
    ph_image_free(image);
    return memory;
}
