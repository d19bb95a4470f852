/*
 * Seeded bugs of the model, one at a time, for the test that proves that the comparison
 * of model and engine finds each of them (property/harness_canary.c). The model proper is
 * compiled without any of them: MUTATE(...) is then its second argument.
 */
#ifndef SUPPORT_MUTATIONS_H
#define SUPPORT_MUTATIONS_H

#define MUTATION_LIST(X) \
    X(MUTANT_CIRCLE_OPEN, "circle: < instead of <=") \
    X(MUTANT_SQUARE_OPEN, "square: < instead of <=") \
    X(MUTANT_HEIGHT_OPEN, "cylinder: < instead of <= on dz") \
    X(MUTANT_SPHERE_FLAT, "sphere: dz ignored") \
    X(MUTANT_SPHERE_ORDER, "sphere: dx*dx + (dy*dy + dz*dz)") \
    X(MUTANT_DOUBLE, "distances in double") \
    X(MUTANT_FMA, "distances with a fused multiply-add") \
    X(MUTANT_NO_MARGIN, "margin ignored") \
    X(MUTANT_MARGIN_ALWAYS, "margin added for targets not in the list") \
    X(MUTANT_MARGIN_REBORN, "margin added for a target that entered anew") \
    X(MUTANT_NO_REACH, "reach ignored") \
    X(MUTANT_NO_VISIBLE, "visible ignored") \
    X(MUTANT_VISIBLE_LAST, "visible bounds reach, too") \
    X(MUTANT_REACH_SUM, "view + reach instead of the larger") \
    X(MUTANT_PAIR_MAX, "a pair's view only widens") \
    X(MUTANT_PAIR_MARGIN, "a pair takes the observer's margin") \
    X(MUTANT_PAIR_TOWERS, "pairs count in range = towers") \
    X(MUTANT_LAYERS_ALL, "sees only when all layers match") \
    X(MUTANT_STEALTH_OPEN, "stealth < detect") \
    X(MUTANT_INSTANCE, "entities of different instances meet") \
    X(MUTANT_INSTANCE_LINK, "a link leads to another instance") \
    X(MUTANT_INSTANCE_GLOBAL, "a global target is seen in all instances") \
    X(MUTANT_ATTACH_INSTANCE, "an attached child stays in its own instance") \
    X(MUTANT_ATTACH_OWN_INSTANCE, "an attached child may change its instance") \
    X(MUTANT_WAKE_INSTANCE, "an NPC is kept awake from another instance") \
    X(MUTANT_CROWD_INSTANCE, "a crowd in another instance counts") \
    X(MUTANT_SAY_INSTANCE, "a broadcast with a radius reaches other instances") \
    X(MUTANT_AREA_INSTANCE, "an area of one instance is in all") \
    X(MUTANT_FIND_INSTANCE, "a query of one instance finds all") \
    X(MUTANT_APPLIED_STALE, "an apply does not show") \
    X(MUTANT_APPLIED_SILENT, "an apply loses the broadcasts before it") \
    X(MUTANT_APPLIED_REBORN, "after an apply a list names an id that left and came again") \
    X(MUTANT_GLOBAL_BLIND, "a global target ignores stealth") \
    X(MUTANT_GLOBAL_BLINDLESS, "an observer with view 0 sees global targets") \
    X(MUTANT_LINK_SYMMETRIC, "a link works both ways") \
    X(MUTANT_LINK_OUTLIVES, "a link survives the target's leave") \
    X(MUTANT_PAIR_OUTLIVES, "a pair survives the target's leave") \
    X(MUTANT_NO_VEIL, "a veil hides nothing") \
    X(MUTANT_HIDE_SYMMETRIC, "a hide works both ways") \
    X(MUTANT_HIDE_OUTLIVES, "a hide survives the target's leave") \
    X(MUTANT_HIDE_LINK, "a link is stronger than a hide") \
    X(MUTANT_HIDE_GLOBAL, "a hide does not count for global targets") \
    X(MUTANT_REVEAL_SYMMETRIC, "a reveal works both ways") \
    X(MUTANT_REVEAL_OUTLIVES, "a reveal survives the target's leave") \
    X(MUTANT_REVEAL_VEIL, "a reveal lifts the veil, but no stealth") \
    X(MUTANT_REVEAL_STEALTH, "a reveal lifts stealth, but no veil") \
    X(MUTANT_REVEAL_LAYERS, "a reveal lifts layers, too") \
    X(MUTANT_REVEAL_HIDE, "a reveal is stronger than a hide") \
    X(MUTANT_REVEAL_FAR, "a revealed target is seen at any distance") \
    X(MUTANT_CAP_TIE, "cap: ties go to the larger id") \
    X(MUTANT_CAP_PRIORITY, "cap: priority ignored") \
    X(MUTANT_CAP_FORCED, "cap: global and linked targets not first") \
    X(MUTANT_CAP_FORCED_FREE, "cap: global and linked targets do not count") \
    X(MUTANT_NO_STICKY, "cap: sticky ignored") \
    X(MUTANT_CAP_Z, "cap: d2 of a sphere lacks dz") \
    X(MUTANT_CAP_OFF_BY_ONE, "cap: one more kept") \
    X(MUTANT_ADDS_ONE_MORE, "adds_max: one more joins") \
    X(MUTANT_ADDS_LAST, "adds_max: the last in rank join first") \
    X(MUTANT_EVENTS_LEAVES_FREE, "events_max: leaves do not count") \
    X(MUTANT_EVENTS_EACH, "events_max: one enter less each") \
    X(MUTANT_TOWER_NO_CLAMP, "towers outside the world not clamped") \
    X(MUTANT_TOWER_DOUBLE, "tower index in double") \
    X(MUTANT_TOWER_SPAN, "towers: < span + 1 along x, < span along y") \
    X(MUTANT_MISSED_LEAVE, "no leave when the target goes off to the left") \
    X(MUTANT_TWICE, "a target that stays is told again when its kind changes") \
    X(MUTANT_REBORN_MERGED, "leave and enter of one id in one tick merged away") \
    X(MUTANT_NOT_READY_TOLD, "an observer that is not ready gets leaves") \
    X(MUTANT_READY_KEEPS, "a list survives not being ready") \
    X(MUTANT_NOT_FRESH, "fresh flag missing") \
    X(MUTANT_FRESH_EMPTY, "no change for an observer that begins with an empty list") \
    X(MUTANT_RESEND_KEEPS, "the first change behind a resend is not fresh") \
    X(MUTANT_RESEND_EMPTY, "a resend of an empty list tells nothing") \
    X(MUTANT_CONSUMER_KEEPS, "another consumer does not get the whole list") \
    X(MUTANT_READY_RESTORES, "a list survives not being ready for a part of a tick") \
    X(MUTANT_ORDER_ID, "targets ordered by id only") \
    X(MUTANT_DEPARTED_KIND, "kind 0 for a departed target") \
    X(MUTANT_OLD_USER_DATA, "user data of a leave is 0") \
    X(MUTANT_CAUSE_GONE, "causes: a target that left the world is out of range") \
    X(MUTANT_CAUSE_INSTANCE, "causes: a target in another instance is not hidden") \
    X(MUTANT_CAUSE_HIDE, "causes: a hide hides no target") \
    X(MUTANT_CAUSE_BLIND, "causes: nothing is hidden from an observer that lost its view") \
    X(MUTANT_CAUSE_CAP, "causes: a target that the cap cut is out of range") \
    X(MUTANT_CAUSE_MARGIN, "causes: what the cap cut in the margin is out of range") \
    X(MUTANT_POSITION_FLAT, "positions: z is 0") \
    X(MUTANT_POSITION_OWN, "positions: an attached child enters at its own place") \
    X(MUTANT_CAUSE_FRESH, "causes: no target appears in a list that begins") \
    X(MUTANT_ATTACH_ONE, "a grandchild follows its parent's old place") \
    X(MUTANT_ATTACH_MOVES, "a child can be moved") \
    X(MUTANT_ATTACH_MIXED, "an own entity can be attached to a remote one") \
    X(MUTANT_ATTACH_HALF, "a refused set changes the rest of its fields") \
    X(MUTANT_PARENT_LATE, "a parent enters by its kind and id, not before its children") \
    X(MUTANT_PARENT_EARLY, "a parent leaves by its kind and id, not after its children") \
    X(MUTANT_LEAVE_DEPTH_NOW, "leaves ordered by the attachments at the end of the tick") \
    X(MUTANT_DETACH_JUMPS, "a detached child jumps back") \
    X(MUTANT_CYCLE_DIRECT, "only direct cycles refused") \
    X(MUTANT_DEPTH, "chains of 9 allowed") \
    X(MUTANT_DEPTH_CHILD, "the child's own chain not counted in the depth") \
    X(MUTANT_ORPHANS_LEAVE, "children leave with their parent") \
    X(MUTANT_KIND_STICKS, "a new kind does not change attributes that were not given") \
    X(MUTANT_GIVEN_FORGOTTEN, "a new kind changes attributes that were given") \
    X(MUTANT_RELOAD_LATE, "reconfigure takes effect a tick late") \
    X(MUTANT_PRODUCER_ORDER, "producers applied last to first") \
    X(MUTANT_CAPACITY_FIRST, "capacity checked before the id") \
    X(MUTANT_CAPACITY_ONE, "one entity too many let in") \
    X(MUTANT_EXISTS_REPLACES, "a second enter replaces the position") \
    X(MUTANT_NEGATIVE_RADIUS, "negative margin accepted") \
    X(MUTANT_INFINITE, "infinite z accepted") \
    X(MUTANT_BOUND, "the largest radius refused") \
    X(MUTANT_REFUSED_UNCOUNTED, "refusals of a tick not counted") \
    X(MUTANT_REFUSED_SILENT, "unknown ids refused silently") \
    X(MUTANT_ABSENT_OK, "unlink of no link is applied") \
    X(MUTANT_LINK_TWICE, "a second link is refused") \
    X(MUTANT_SAY_UNKNOWN, "broadcasts of unknown sources accepted") \
    X(MUTANT_SAY_UNFILTERED, "broadcasts reach every kind") \
    X(MUTANT_SAY_NOT_SELF, "a source never hears itself") \
    X(MUTANT_SAY_BLIND, "a source hears itself though it does not observe") \
    X(MUTANT_SAY_ORDER, "broadcasts heard last to first") \
    X(MUTANT_SAY_UNBOUNDED, "no bound on the bytes of a tick's broadcasts") \
    X(MUTANT_SAY_EARLY, "broadcasts follow the lists of the tick before") \
    X(MUTANT_SAY_REBORN, "broadcasts of an entity that left are heard of the next one with its id") \
    X(MUTANT_SAY_EDGE, "broadcasts with a radius: its edge is left out") \
    X(MUTANT_SAY_LAYERS, "broadcasts with a radius: layers play no part") \
    X(MUTANT_SAY_HIDDEN, "broadcasts with a radius reach observers that the source is hidden from") \
    X(MUTANT_SAY_SEEN, "broadcasts with a radius reach only observers that see the source") \
    X(MUTANT_SAY_UNSEEN, "broadcasts with a radius and SEEN reach observers that do not see the source") \
    X(MUTANT_SAY_PLACE_LAYERS, "broadcasts from a place: layers play no part") \
    X(MUTANT_SAY_PLACE_INSTANCE, "broadcasts from a place reach other instances") \
    X(MUTANT_REFUSAL_COMMAND, "a refusal names another command") \
    X(MUTANT_REFUSAL_FIELD, "a refusal of a tick names a field") \
    X(MUTANT_REFUSAL_FIELD_ID, "a refusal of an id names no field") \
    X(MUTANT_REFUSALS_TIME, "refusals told in order of time, not of sequence") \
    X(MUTANT_REFUSALS_MAX, "one refusal more than refusals_max kept") \
    X(MUTANT_FIND_CIRCLE, "queries: a circle's edge is left out") \
    X(MUTANT_FIND_BOX, "queries: a box' lower end is left out") \
    X(MUTANT_FIND_SECTOR, "queries: every sector is half a disc") \
    X(MUTANT_FIND_APEX, "queries: a sector's edge is left out") \
    X(MUTANT_FIND_QUAD, "queries: a quad's edge is in one way round only") \
    X(MUTANT_FIND_SPHERE, "queries: spheres are as high as the sky") \
    X(MUTANT_FIND_HEIGHT, "queries: a height range's lower end is left out") \
    X(MUTANT_FIND_LAYERS, "queries: all layers of the filter have to match") \
    X(MUTANT_FIND_KINDS, "queries: kinds not filtered") \
    X(MUTANT_FIND_WITHOUT, "queries: the asking entity is found too") \
    X(MUTANT_FIND_TIE, "queries: of two as near the larger id comes first") \
    X(MUTANT_FIND_COUNT, "queries: one more of the nearest") \
    X(MUTANT_FIND_OBSERVERS, "queries: its targets instead of its observers") \
    X(MUTANT_WAKE_GONE, "an NPC that leaves the world falls asleep untold") \
    X(MUTANT_WAKE_NOT_READY, "an observer that is not ready wakes others") \
    X(MUTANT_REMOTE_OBSERVES, "a remote entity has a list") \
    X(MUTANT_REMOTE_WAKES, "a remote entity does not wake others") \
    X(MUTANT_REMOTE_AWAKES, "a remote NPC awakes") \
    X(MUTANT_REMOTE_HANGS, "an entity that becomes remote keeps its attachments") \
    X(MUTANT_REMOTE_IN_AREA, "a remote entity is in areas") \
    X(MUTANT_WAKE_BLIND, "one of a waking kind with view 0 wakes others") \
    X(MUTANT_WAKE_SPAN, "activation: one tower more") \
    X(MUTANT_WAKE_LINGER, "activation: asleep one tick late") \
    X(MUTANT_WAKE_WAKERS, "wakers count as awake, too") \
    X(MUTANT_WAKE_KIND, "an entity that is no NPC any more stays awake for a while") \
    X(MUTANT_AREA_CIRCLE, "areas: a circle's edge is left out") \
    X(MUTANT_AREA_BOX, "areas: a box' right side is left out") \
    X(MUTANT_AREA_SIDE, "areas: the sides of a polygon are left out, one way round") \
    X(MUTANT_AREA_KINDS, "areas: kinds not filtered") \
    X(MUTANT_AREA_MARGIN, "areas: margins play no part") \
    X(MUTANT_AREA_MARGIN_ALWAYS, "areas: margins count for entities that were not inside") \
    X(MUTANT_AREA_HEIGHT, "areas: the upper end of the heights is left out") \
    X(MUTANT_AREA_LAYERS, "areas: layers play no part") \
    X(MUTANT_AREA_FOLLOW_MOVE, "areas: one that follows stays where it was set") \
    X(MUTANT_AREA_FOLLOW_HEIGHT, "areas: heights do not follow") \
    X(MUTANT_AREA_FOLLOW_INSTANCE, "areas: one that follows is in all instances") \
    X(MUTANT_AREA_FOLLOW_LEAVE, "areas: one stays when the entity that it follows leaves the world") \
    X(MUTANT_AREA_HOLLOW, "areas: polygons that are not convex taken") \
    X(MUTANT_AREA_CAPACITY, "areas: one too many accepted silently") \
    X(MUTANT_AREA_REMOVED, "areas: a removed one has no leaves") \
    X(MUTANT_AREA_GONE, "areas: an entity that leaves the world has no leaves") \
    X(MUTANT_WHY_REACH, "explain: reach told as view") \
    X(MUTANT_WHY_MARGIN, "explain: margin told as view") \
    X(MUTANT_WHY_ORDER, "explain: stealth looked at before layers") \
    X(MUTANT_WHY_RANK, "explain: ranks from 0") \
    X(MUTANT_CROWD_JUMPS, "crowd control: a view shrinks at once") \
    X(MUTANT_CROWD_FLICKERS, "crowd control: no slack before a view widens") \
    X(MUTANT_CROWD_NEWCOMER, "crowd control: a newcomer begins with the whole view") \
    X(MUTANT_OUTSIDE_EDGE, "an entity on the world's upper border is not outside") \
    X(MUTANT_CROWD_ALONE, "crowd control: an observer does not count itself") \
    X(MUTANT_MOVED_FLAT, "updates: a move along z is none") \
    X(MUTANT_BAND_OPEN, "bands: < instead of <=") \
    X(MUTANT_BAND_BEYOND, "bands: nothing beyond the last one is told") \
    X(MUTANT_BAND_REKIND, "bands: where the observer's kind changed, not all are told") \
    X(MUTANT_BAND_LOST, "bands: a move is forgotten a tick too soon") \
    X(MUTANT_BAND_STILL, "bands: a target that stands still comes into no other one") \
    X(MUTANT_BAND_OLD, "bands: the one told is that of the tick before") \
    X(MUTANT_BAND_CROSSED, "bands: crossing into another one is not told") \
    X(MUTANT_ENTER_SILENT, "updates: an enter is not told") \
    X(MUTANT_NO_WEIGHT, "updates_max: waiting counts nothing") \
    X(MUTANT_WAIT_LOST, "updates_max: a waiting target is forgotten") \
    X(MUTANT_BULK_STOPS, "a bulk call stops at its first refused item")

typedef enum mutation {
    MUTANT_NONE,
#define MUTATION_ENUM(name, text) name,
    MUTATION_LIST(MUTATION_ENUM)
#undef MUTATION_ENUM
        MUTANT_COUNT
} mutation;

#ifdef MODEL_MUTANT
extern mutation mutant_current;
#define MUTATE(number, normal, broken) (mutant_current == (number) ? (broken) : (normal))
#else
#define MUTATE(number, normal, broken) (normal)
#endif

#endif
