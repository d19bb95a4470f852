/*
 * The first default of each key that all members of a common world share: that of the version of the library in which
 * the key was new. Members leave such a value out of the number that they compare (definition.h). No code; read when a
 * member is opened.
 *
 * All versions have the same lines, for ever: members of two versions leave out the same values. A new key comes
 * behind the last line, with its default. Where a later version gives a key another default, its line stays: the new
 * default counts, so a member of that version is refused beside older ones, by that key, until its config has the value
 * that they have. Where a new key's first default is not what earlier versions did, PHX_FORMAT_MIN rises
 * (wire/format.h). Lines may change until the first release.
 *
 * The number is a sum over lines in the order of base/keys.h, so all versions have these keys in one order, with the
 * same names and the same words of enumerations. A new key may stand anywhere: versions without it leave it out.
 *
 * Values that follow from other keys have the word for that here, as `halo 0`, the least: a rule by which the least is
 * found is no default, and a change of it is one of the format.
 */
#ifndef PHX_CLUSTER_MEMBER_FIRST_DEFAULTS_H
#define PHX_CLUSTER_MEMBER_FIRST_DEFAULTS_H

/* Lines "PLACE.KEY VALUE", as those of a definition. */
#define PHX_FIRST_DEFAULTS \
    "cluster.regions 8 8\n" \
    "cluster.hand_over_margin 5\n" \
    "cluster.speed_max 5\n" \
    "cluster.halo 0\n" \
    "cluster.lag_max 4\n" \
    "cluster.lease_ms 5000\n" \
    "cluster.list_ms 200\n" \
    "cluster.link_timeout_ms 5000\n" \
    "cluster.adopt_map off\n" \
    "world.world_origin 0 0\n" \
    "world.world_size 10000 10000\n" \
    "world.range radius\n" \
    "world.shape circle\n" \
    "world.height 100\n" \
    "world.tower_size 0\n" \
    "world.span 1\n" \
    "world.activation_span 1\n" \
    "world.activation_linger 20\n" \
    "world.sticky 1.1\n" \
    "world.crowd_entities 0\n" \
    "world.crowd_floor 0.25\n" \
    "world.consumers 1\n" \
    "class.view 0\n" \
    "class.margin 0\n" \
    "class.reach 0\n" \
    "class.visible 1e18\n" \
    "class.layers 1\n" \
    "class.sees 18446744073709551615\n" \
    "class.stealth 0\n" \
    "class.detect 0\n" \
    "class.global off\n" \
    "class.veiled off\n" \
    "class.ready on\n" \
    "class.cap 0\n" \
    "class.priority 0\n" \
    "class.adds_max 0\n" \
    "class.wakes off\n" \
    "class.sleeps on\n" \
    "class.updates_max 0\n" \
    "band.every 1\n"

#endif
