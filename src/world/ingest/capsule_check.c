/*
 * Checks of capsules; see capsule_check.h.
 */
#include "world/ingest/capsule_check.h"

#include "base/lengths.h"
#include "world/queue/commands.h"
#include "world/state/crowd_types.h"

/* Bits of fields that have no default by class. */
static const uint32_t CAPSULE_GIVEN = PH_POSITION | PH_KIND | PH_INSTANCE | PH_CONSUMER | PH_USER_DATA;
static const uint32_t CAPSULE_LACKS = PH_POSITION | PH_USER_DATA | PH_REMOTE;

static phx_check bad_value(void)
{
    return (phx_check){.status = PH_BAD_VALUE, .field = PH_FIELD_NONE};
}

ph_attrs phx_capsule_attrs(const phx_capsule_member *member)
{
    return (ph_attrs){.given = (member->given & ~CAPSULE_LACKS) | CAPSULE_GIVEN,
                      .x = member->x,
                      .y = member->y,
                      .z = member->z,
                      .view = member->view,
                      .margin = member->margin,
                      .reach = member->reach,
                      .visible = member->visible,
                      .kind = member->kind,
                      .cap = member->cap,
                      .consumer = member->consumer,
                      .instance = member->instance,
                      .layers = member->layers,
                      .sees = member->sees,
                      .user_data = member->user_data,
                      .stealth = member->stealth,
                      .detect = member->detect,
                      .priority = member->priority,
                      .global = (member->flags & PHX_CAPSULE_GLOBAL) != 0,
                      .veiled = (member->flags & PHX_CAPSULE_VEILED) != 0,
                      .ready = (member->flags & PHX_CAPSULE_READY) != 0};
}

/* ---- one member ---- */

static bool targets_sound(const phx_world *world, const phx_capsule_view *view)
{
    const uint32_t kinds = atomic_load_explicit(&world->kind_count, memory_order_relaxed); /* it only grows */
    uint64_t before = 0;
    for (uint32_t i = 0; i < view->member.targets; i++) {
        const phx_capsule_target target = phx_capsule_target_at(view->targets, i);
        if (target.id <= before || target.id == view->member.id || target.kind >= kinds ||
            (target.flags & ~PHX_CAPSULE_STRANGER))
            return false;
        before = target.id;
    }
    return true;
}

static bool relations_sound(const phx_capsule_view *view)
{
    const uint32_t known = PHX_RELATION_PAIR | PHX_RELATION_LINK | PHX_RELATION_HIDE | PHX_RELATION_REVEAL;
    uint64_t before = 0;
    for (uint32_t i = 0; i < view->member.relations; i++) {
        const phx_capsule_relation relation = phx_capsule_relation_at(view->relations, i);
        if (relation.target <= before || relation.target == view->member.id || relation.bits == 0 ||
            (relation.bits & ~known) || relation.zero != 0 || !phx_is_length(relation.view) ||
            !phx_is_length(relation.margin))
            return false;
        before = relation.target;
    }
    return true;
}

static bool areas_sound(const phx_capsule_view *view)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < view->member.areas; i++) {
        const uint64_t area = phx_capsule_area_at(view->areas, i);
        if (area <= before) return false;
        before = area;
    }
    return true;
}

static bool deferred_sound(const phx_capsule_view *view)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < view->member.deferred; i++) {
        const phx_capsule_deferred update = phx_capsule_deferred_at(view->deferred, i);
        if (update.id <= before || update.id == view->member.id || update.age == 0 || update.zero != 0) return false;
        before = update.id;
    }
    return true;
}

/* May these be the values of a member that are no attributes? */
static bool state_sound(const phx_capsule_member *member)
{
    const bool awake = member->flags & PHX_CAPSULE_AWAKE, ready = member->flags & PHX_CAPSULE_READY;
    return !(member->flags & ~PHX_CAPSULE_FLAGS) && member->step <= PHX_CROWD_STEPS && member->zero == 0 &&
           member->zero_word == 0 && (awake || member->alone == 0) && member->moved <= PH_BAND_EVERY_MAX &&
           (ready || (member->targets == 0 && member->deferred == 0)) && !(member->given & CAPSULE_LACKS);
}

static phx_check check_member(const phx_world *world, const phx_capsule_view *view)
{
    const ph_attrs attrs = phx_capsule_attrs(&view->member);
    if (view->member.id == 0) return (phx_check){.status = PH_BAD_ID, .field = PH_FIELD_ID};
    const phx_check check = phx_check_attrs(world, PHX_OP_ENTER, &attrs);
    if (check.status != PH_OK) return check;
    const bool sound = state_sound(&view->member) && targets_sound(world, view) && relations_sound(view) &&
                       areas_sound(view) && deferred_sound(view);
    return sound ? check : bad_value();
}

/* ---- the family ---- */

/* Compared by bits: the host's denormals may be 0. */
static bool stands_at(const phx_capsule_member *member, const phx_capsule_member *root)
{
    return phx_float_bits(member->x) == phx_float_bits(root->x) &&
           phx_float_bits(member->y) == phx_float_bits(root->y) &&
           phx_float_bits(member->z) == phx_float_bits(root->z) && member->instance == root->instance;
}

/* Is the member, at this place, new among the members before it, below one of them, and where the root is? */
static bool fits_family(phx_capsule_walk before, uint32_t place, const phx_capsule_member *member)
{
    phx_capsule_view other;
    if (place == 0) return member->parent == 0;
    if (member->parent >= place) return false;
    for (uint32_t i = 0; i < place && phx_capsule_next(&before, &other); i++) {
        if (other.member.id == member->id) return false;
        if (i == 0 && !stands_at(member, &other.member)) return false;
    }
    return true;
}

phx_check phx_check_capsule(const phx_world *world, const void *bytes, size_t size, uint64_t *root)
{
    phx_capsule_walk walk;
    phx_capsule_view view;
    if (!phx_capsule_open(&walk, bytes, size)) return bad_value();
    const phx_capsule_walk all = walk;
    for (uint32_t place = 0; phx_capsule_next(&walk, &view); place++) {
        const phx_check check = check_member(world, &view);
        if (check.status != PH_OK) return check;
        if (!fits_family(all, place, &view.member)) return bad_value();
        if (place == 0) *root = view.member.id;
    }
    return phx_capsule_ended(&walk) ? (phx_check){.status = PH_OK, .field = PH_FIELD_NONE} : bad_value();
}
