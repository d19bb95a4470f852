/*
 * The table of features and the presets; see table.h.
 */
#include "bench/features/table.h"

#include "bench/features/features.h"

#define KEYS(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

KEYS(margin_keys, "margin=15");
KEYS(cap_1000_keys, "cap=1000");
KEYS(cap_100_keys, "cap=100");
KEYS(cap_30_keys, "cap=30");
KEYS(adds_keys, "adds_max=20");
KEYS(priority_keys, "priority=1");
KEYS(bands_keys, "band=30:1,60:2,100:4");
KEYS(square_keys, "shape=square");
KEYS(cylinder_keys, "shape=cylinder");
KEYS(sphere_keys, "shape=sphere");
KEYS(towers_keys, "range=towers", "span=1", "tower_size=100", "events_max=100000000");
KEYS(crowd_keys, "crowd_entities=200");
KEYS(activation_keys, "wakes=true");

/*
 * Where each changes the moves that the one before it left: riders' moves fall away first, moves are doubled when they
 * are final, and ids change when there is no more command.
 */
static const bench_feature features[] = {
    {.name = "mounts5",
     .doc = "one entity in twenty rides on another",
     .begin = bench_mounts_begin,
     .step = bench_mounts_step},
    {.name = "jumps", .doc = "one player in a thousand jumps in a tick", .moves_only = true, .step = bench_jumps_step},
    {.name = "dashes",
     .doc = "one player in 10,000, at least one, dashes by 20 to 50 in a tick, and walks on there",
     .moves_only = true,
     .step = bench_dashes_step},
    {.name = "heights",
     .doc = "heights from 0 to 50",
     .gives = PH_Z,
     .moves_only = true,
     .attrs = bench_height_any,
     .step = bench_heights_step},
    {.name = "margin", .doc = "a margin of 15, of a view of 100", .keys = margin_keys, .moves_only = true},
    {.name = "cap1000", .doc = "a cap that never bites", .keys = cap_1000_keys, .moves_only = true},
    {.name = "cap100", .doc = "a cap of 100 targets", .keys = cap_100_keys, .moves_only = true},
    {.name = "cap30", .doc = "a cap of 30 targets", .keys = cap_30_keys, .moves_only = true},
    {.name = "priority", .doc = "players have priority 1, NPCs 0", .keys = priority_keys},
    {.name = "priority4", .doc = "four priorities, mixed", .gives = PH_PRIORITY, .attrs = bench_priority_four},
    {.name = "adds20", .doc = "at most 20 targets join a list in a tick", .keys = adds_keys},
    {.name = "reach1", .doc = "one more target, reach 300, stands in the middle", .begin = bench_tower_begin},
    {.name = "reach1-walks",
     .doc = "one more target, reach 300, walks there: a dragon",
     .begin = bench_dragon_begin,
     .step = bench_dragon_step},
    {.name = "reach1-jumps",
     .doc = "one more target, reach 300, jumps there, by 200 in a tick",
     .begin = bench_dragon_begin,
     .step = bench_dragon_jump},
    {.name = "reach1pct",
     .doc = "one entity in a hundred has reach 200",
     .gives = PH_REACH,
     .attrs = bench_reach_hundredth},
    {.name = "global1", .doc = "one of the entities is global", .gives = PH_GLOBAL, .attrs = bench_global_one},
    {.name = "global10", .doc = "ten of the entities are global", .gives = PH_GLOBAL, .attrs = bench_global_ten},
    {.name = "visible80",
     .doc = "four entities in five are seen up to 30 away only",
     .gives = PH_VISIBLE,
     .attrs = bench_visible_most},
    {.name = "links", .doc = "all players are linked in parties of five", .begin = bench_links_begin},
    {.name = "links10", .doc = "one party in ten is linked", .begin = bench_links_tenth_begin},
    {.name = "pairs10", .doc = "one player in ten has a pair, radius 200, margin 20", .begin = bench_pairs_begin},
    {.name = "hides",
     .doc = "a twentieth of the players loses sight of another one in a tick, as many see one again",
     .step = bench_hides_step},
    {.name = "veils",
     .doc = "one entity in a hundred is veiled, and revealed to three",
     .gives = PH_VEILED,
     .attrs = bench_veiled_hundredth,
     .begin = bench_veils_begin},
    {.name = "layers-own",
     .doc = "a fifth is in three phases; all see their own phase only",
     .gives = PH_LAYERS | PH_SEES,
     .attrs = bench_layers_own},
    {.name = "layers-common",
     .doc = "the same, and all see the common phase",
     .gives = PH_LAYERS | PH_SEES,
     .attrs = bench_layers_common},
    {.name = "stealth",
     .doc = "a tenth is stealthy, a third detects it",
     .gives = PH_STEALTH | PH_DETECT,
     .attrs = bench_stealth_tenth},
    {.name = "views3", .doc = "views of 60, 80 and 100, mixed", .gives = PH_VIEW, .attrs = bench_views_three},
    {.name = "square", .doc = "squares instead of circles", .keys = square_keys},
    {.name = "cylinder", .doc = "cylinders of half height 100", .keys = cylinder_keys},
    {.name = "sphere", .doc = "spheres", .keys = sphere_keys},
    {.name = "towers", .doc = "range = towers, span 1, towers of 100", .keys = towers_keys, .moves_only = true},
    {.name = "bands", .doc = "updates up to 30 every tick, up to 60 every other, 100 every fourth", .keys = bands_keys},
    {.name = "crowd200", .doc = "crowd control: 200 entities", .keys = crowd_keys},
    {.name = "activation", .doc = "players wake NPCs", .keys = activation_keys},
    {.name = "areas",
     .doc = "an area of radius 10 for ten entities; one in a hundred moves in a tick",
     .begin = bench_areas_begin,
     .step = bench_areas_step},
    {.name = "broadcasts", .doc = "one player in twenty says 64 bytes in a tick", .step = bench_says_step},
    {.name = "ready1", .doc = "ready changes of one player in a hundred in a tick", .step = bench_ready_step},
    {.name = "attrs1", .doc = "`detect` of one entity in a hundred changes in a tick", .step = bench_attrs_step},
    {.name = "attrs1-target",
     .doc = "`stealth` of one entity in a hundred changes in a tick: all lose it, or see it again",
     .step = bench_target_attrs_step},
    {.name = "same10",
     .doc = "one entity in ten is set to values that it has",
     .gives = PH_INSTANCE | PH_USER_DATA,
     .begin = bench_same_begin,
     .step = bench_same_step},
    {.name = "logins",
     .doc = "one more entity for a thousand comes in a tick and goes in the next",
     .begin = bench_logins_begin,
     .step = bench_logins_step},
    {.name = "twice", .doc = "all that move do so twice in a tick", .moves_only = true, .step = bench_twice_step},
    {.name = "twice10",
     .doc = "one in ten that move does so twice",
     .moves_only = true,
     .step = bench_twice_tenth_step},
    {.name = "singly", .doc = "moves one by one: ph_move, not ph_move_many", .step = bench_singly_step},
    {.name = "far-ids",
     .doc = "ids all over 64 bits",
     .moves_only = true,
     .begin = bench_far_ids_map,
     .step = bench_far_ids_map},
};

#define LISTS "margin+cap100+priority+layers-own+stealth+links+reach1-walks+views3"
#define TYPICAL LISTS "+bands+broadcasts"

static const bench_preset presets[] = {
    {"typical", "ten rules that an MMO switches on", TYPICAL},
    {"typical-lists", "typical without bands and broadcasts", LISTS},
    {"full", "typical and thirteen more: all that goes together",
     TYPICAL "+adds20+reach1pct+global10+pairs10+hides+veils+activation+areas+ready1+attrs1+logins+mounts5+jumps"},
};

const char *const bench_feature_mixes[] = {
    "priority+cap100",
    "priority4+cap100",
    "margin+cap100",
    "margin+cap30",
    "margin+links",
    "margin+logins",
    "margin+attrs1",
    "margin+views3",
    "sphere+heights",
    "cap100+towers",
    "typical-lists",
    "typical",
    "full",
    NULL,
};

uint32_t bench_feature_count(void)
{
    return (uint32_t)(sizeof features / sizeof features[0]);
}

const bench_feature *bench_feature_at(uint32_t index)
{
    PHX_ASSERT(index < bench_feature_count());
    return &features[index];
}

uint32_t bench_preset_count(void)
{
    return (uint32_t)(sizeof presets / sizeof presets[0]);
}

const bench_preset *bench_preset_at(uint32_t index)
{
    PHX_ASSERT(index < bench_preset_count());
    return &presets[index];
}
